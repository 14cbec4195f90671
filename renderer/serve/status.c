/*
 * status.c - /api/status and /metrics: what the server is doing and what its cache is good for.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/status.h"

#include <stdarg.h>
#include <stdio.h>

#include "cli/json_out.h"

static void
put_count(PhJsonOut *json, const char *name, uint64_t value)
{
	ph_json_put_integer(json, name, (int64_t) value);
}

static void
put_lane(PhJsonOut *json, const char *name, PhPool *pool)
{
	PhPoolCounts counts = ph_pool_counts(pool);

	ph_json_open_object(json, name);
	put_count(json, "workers", counts.workers);
	put_count(json, "busy", counts.busy);
	put_count(json, "waiting", counts.waiting);
	ph_json_close(json);
}

static void
put_store(PhJsonOut *json, const PhLanes *lanes)
{
	PhStoreCounts counts =
		lanes->store != NULL ? ph_store_counts(lanes->store) : (PhStoreCounts){0};

	put_count(json, "cache_limit", lanes->store != NULL ? lanes->store_limit : 0);
	put_count(json, "cache_bytes", counts.bytes);
	put_count(json, "cache_entries", counts.entries);
	put_count(json, "evicted", counts.evicted);
	put_count(json, "damaged", counts.damaged);
	put_count(json, "refused", counts.refused);
}

static void
put_flights(PhJsonOut *json, PhFlights *flights)
{
	PhFlightCounts counts = ph_flights_counts(flights);

	put_count(json, "hits", counts.hits);
	put_count(json, "misses", counts.misses);
	put_count(json, "not_modified", counts.not_modified);
	put_count(json, "joined", counts.joined);
	put_count(json, "cancelled", counts.cancelled);
}

void
ph_status_answer(const PhLanes *lanes, PhFlights *flights, PhAnswer *answer)
{
	PhTextStream stream;
	PhJsonOut json;

	if (!ph_text_stream_open(&stream))
	{
		ph_answer_memory(answer);
		return;
	}
	ph_json_begin(&json, stream.file);
	ph_json_open_object(&json, NULL);
	ph_json_open_array(&json, "rows");
	ph_json_new_line(&json);
	ph_json_open_object(&json, NULL);
	put_lane(&json, "quick", lanes->quick);
	put_lane(&json, "slow", lanes->slow);
	put_flights(&json, flights);
	put_store(&json, lanes);
	ph_json_close(&json);
	ph_json_new_line(&json);
	ph_json_close(&json);
	ph_json_close(&json);
	ph_answer_stream(answer, "application/json", &stream, ph_json_done_line(&json));
}

/* ---- metrics ------------------------------------------------------------------------------- */

typedef struct Text
{
	char *bytes; /* PH_METRICS_SIZE */
	size_t size;
} Text;

__attribute__((format(printf, 2, 3))) static void
add(Text *text, const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(text->bytes + text->size, PH_METRICS_SIZE - text->size, format, arguments);
	va_end(arguments);
	if (n > 0 && (size_t) n < PH_METRICS_SIZE - text->size)
		text->size += (size_t) n;
}

static void
add_family(Text *text, const char *name, const char *type, const char *help)
{
	add(text, "# HELP perfhouse_serve_%s %s\n# TYPE perfhouse_serve_%s %s\n", name, help, name,
		type);
}

static void
add_lanes(Text *text, const PhPoolCounts lanes[2], const char *name, const char *help,
		  size_t (*value)(const PhPoolCounts *counts))
{
	static const char *const names[] = {"quick", "slow"};

	add_family(text, name, "gauge", help);
	for (size_t i = 0; i < 2; i++)
		add(text, "perfhouse_serve_%s{lane=\"%s\"} %zu\n", name, names[i], value(&lanes[i]));
}

static size_t
workers(const PhPoolCounts *counts)
{
	return counts->workers;
}

static size_t
busy(const PhPoolCounts *counts)
{
	return counts->busy;
}

static size_t
waiting(const PhPoolCounts *counts)
{
	return counts->waiting;
}

static void
add_answers(Text *text, PhFlights *flights)
{
	PhFlightCounts counts = ph_flights_counts(flights);
	const struct
	{
		const char *how;
		uint64_t n;
	} answers[] = {{"kept", counts.hits},
				   {"made", counts.misses},
				   {"not_modified", counts.not_modified},
				   {"shared", counts.joined},
				   {"cancelled", counts.cancelled}};

	add_family(text, "answers", "counter", "Requests about named runs by how they were answered.");
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		add(text, "perfhouse_serve_answers_total{how=\"%s\"} %llu\n", answers[i].how,
			(unsigned long long) answers[i].n);
}

void
ph_status_metrics(const PhLanes *lanes, PhFlights *flights, char out[PH_METRICS_SIZE])
{
	PhPoolCounts counts[2] = {ph_pool_counts(lanes->quick), ph_pool_counts(lanes->slow)};
	Text text = {.bytes = out};

	out[0] = '\0';
	add_lanes(&text, counts, "workers", "Workers, with a connection to the database each.",
			  workers);
	add_lanes(&text, counts, "busy_workers", "Workers that answer a request.", busy);
	add_lanes(&text, counts, "waiting_requests", "Requests that wait for a worker.", waiting);
	add_answers(&text, flights);
	if (lanes->store != NULL)
	{
		add_family(&text, "cache_bytes", "gauge", "Size of what is kept on disk.");
		add(&text, "perfhouse_serve_cache_bytes %llu\n",
			(unsigned long long) ph_store_counts(lanes->store).bytes);
	}
}
