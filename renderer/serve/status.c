/*
 * status.c - /api/status: what the server is doing and what its cache is good for.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/status.h"

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
