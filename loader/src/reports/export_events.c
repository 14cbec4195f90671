/*
 * export_events.c - a trace's events as Arrow, chunk by chunk as columns.
 *
 * The server sends columns as they lie in memory and no rows; so they go into the file, but for
 * what has another width there.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/export_events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/arrow.h"
#include "queries.h"
#include "system/log.h"
#include "system/memory.h"
#include "trace/chunk/chunk.h"

/* Words by the numbers of the columns of events. */
typedef struct Words
{
	const char **words;
	int32_t *places; /* by number; -1: no word */
	size_t n_words, n_numbers;
} Words;

enum
{
	LOCATION,
	RANK,
	TIME,
	KIND,
	REGION,
	PEER,
	BYTES,
	N_COLUMNS
};

typedef struct Events
{
	FILE *out;
	PhArrowWriter writer;
	Words regions, kinds;
	int64_t from, to;
	bool is_bad; /* the server sent what is no chunk */
	int32_t *location, *rank, *kind, *region, *peer;
	int64_t *time, *bytes;
	uint8_t *no_rank, *no_region, *no_peer, *no_bytes;
} Events;

static void
find_words(const PhResult *rows, const char *column, Words *out)
{
	size_t n = ph_result_count(rows);
	int64_t last = -1;

	for (size_t row = 0; row < n; row++)
		if (strcmp(ph_result_text(rows, row, 0), column) == 0 && ph_result_int(rows, row, 1) > last)
			last = ph_result_int(rows, row, 1);
	out->n_numbers = (size_t) (last + 1);
	out->words = ph_must_alloc(n + 1, sizeof(*out->words));
	out->places = ph_must_alloc(out->n_numbers + 1, sizeof(*out->places));
	for (size_t i = 0; i < out->n_numbers; i++)
		out->places[i] = -1;
	for (size_t row = 0; row < n; row++)
	{
		int64_t number = ph_result_int(rows, row, 1);

		if (strcmp(ph_result_text(rows, row, 0), column) != 0 || number < 0)
			continue;
		out->places[number] = (int32_t) out->n_words;
		out->words[out->n_words++] = ph_result_text(rows, row, 2);
	}
}

static int32_t
place_of(const Words *words, uint32_t number)
{
	return number < words->n_numbers ? words->places[number] : -1;
}

static uint32_t
read_int(const PhResult *row, size_t field)
{
	size_t size;
	const uint8_t *bytes = (const uint8_t *) ph_result_bytes(row, 0, field, &size);

	if (bytes == NULL || size != 4)
		return 0;
	return (uint32_t) bytes[0] << 24 | (uint32_t) bytes[1] << 16 | (uint32_t) bytes[2] << 8 |
		   bytes[3];
}

/* A column of n numbers of this width; NULL: it is not that. */
static const char *
column_bytes(const PhResult *row, size_t field, uint32_t n, size_t width)
{
	size_t size;
	const char *bytes = ph_result_bytes(row, 0, field, &size);

	return bytes != NULL && size == n * width ? bytes : NULL;
}

static uint64_t
number_at(const char *bytes, uint32_t i, size_t width)
{
	uint64_t value = 0;

	for (size_t b = 0; b < width; b++)
		value |= (uint64_t) (uint8_t) bytes[i * width + b] << (8 * b);
	return value;
}

/* One event: what is absent is -1 there and null here. */
static void
take_event(Events *events, uint32_t to, const char *const columns[], uint32_t from)
{
	uint32_t peer = (uint32_t) number_at(columns[PEER], from, 4);
	int64_t bytes = (int64_t) number_at(columns[BYTES], from, 8);
	int32_t region = place_of(&events->regions, (uint32_t) number_at(columns[REGION], from, 4));
	int32_t kind = place_of(&events->kinds, (uint32_t) number_at(columns[KIND], from, 1));

	events->kind[to] = kind < 0 ? 0 : kind;
	events->region[to] = region < 0 ? 0 : region;
	events->no_region[to] = region < 0;
	events->peer[to] = peer == UINT32_MAX ? 0 : (int32_t) peer;
	events->no_peer[to] = peer == UINT32_MAX;
	events->bytes[to] = bytes < 0 ? 0 : bytes;
	events->no_bytes[to] = bytes < 0;
}

static bool
put_chunk(void *user, const PhResult *row)
{
	Events *events = user;
	uint32_t n = read_int(row, 2);
	bool has_rank = !ph_result_is_null(row, 0, 1);
	const char *columns[N_COLUMNS] = {[TIME] = column_bytes(row, 3, n, 8),
									  [KIND] = column_bytes(row, 4, n, 1),
									  [REGION] = column_bytes(row, 5, n, 4),
									  [PEER] = column_bytes(row, 6, n, 4),
									  [BYTES] = column_bytes(row, 7, n, 8)};
	uint32_t m = 0;

	for (size_t c = TIME; c < N_COLUMNS; c++)
		events->is_bad = events->is_bad || columns[c] == NULL || n > PH_CHUNK_EVENTS;
	if (events->is_bad)
		return false;
	for (uint32_t i = 0; i < n; i++)
	{
		events->time[m] = (int64_t) number_at(columns[TIME], i, 8);
		if (events->time[m] < events->from || events->time[m] >= events->to)
			continue;
		events->location[m] = (int32_t) read_int(row, 0);
		events->rank[m] = (int32_t) read_int(row, 1);
		events->no_rank[m] = !has_rank;
		take_event(events, m++, columns, i);
	}
	if (m > 0)
		ph_arrow_put(&events->writer,
					 (PhArrowValues[]){
						 {.values = events->location},
						 {.values = events->rank, .is_absent = has_rank ? NULL : events->no_rank},
						 {.values = events->time},
						 {.values = events->kind},
						 {.values = events->region, .is_absent = events->no_region},
						 {.values = events->peer, .is_absent = events->no_peer},
						 {.values = events->bytes, .is_absent = events->no_bytes}},
					 m);
	return !ferror(events->out);
}

static void
make_room(Events *events)
{
	int32_t **ints[] = {&events->location, &events->rank, &events->kind, &events->region,
						&events->peer};
	uint8_t **marks[] = {&events->no_rank, &events->no_region, &events->no_peer, &events->no_bytes};

	for (size_t i = 0; i < sizeof(ints) / sizeof(ints[0]); i++)
		*ints[i] = ph_must_alloc(PH_CHUNK_EVENTS, sizeof(int32_t));
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		*marks[i] = ph_must_alloc(PH_CHUNK_EVENTS, 1);
	events->time = ph_must_alloc(PH_CHUNK_EVENTS, sizeof(int64_t));
	events->bytes = ph_must_alloc(PH_CHUNK_EVENTS, sizeof(int64_t));
}

static void
free_room(Events *events)
{
	void *all[] = {events->location, events->rank,	  events->kind,		 events->region,
				   events->peer,	 events->no_rank, events->no_region, events->no_peer,
				   events->no_bytes, events->time,	  events->bytes};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		free(all[i]);
	free(events->regions.words);
	free(events->regions.places);
	free(events->kinds.words);
	free(events->kinds.places);
}

static PhExit
write_events(Events *events, PhConnection *connection, const PhParam *params)
{
	const PhArrowColumn columns[N_COLUMNS] = {
		[LOCATION] = {.name = "location", .type = PH_ARROW_INT32},
		[RANK] = {.name = "rank", .type = PH_ARROW_INT32},
		[TIME] = {.name = "time", .type = PH_ARROW_INT64},
		[KIND] = {"kind", PH_ARROW_WORD, events->kinds.words, events->kinds.n_words},
		[REGION] = {"region", PH_ARROW_WORD, events->regions.words, events->regions.n_words},
		[PEER] = {.name = "peer", .type = PH_ARROW_INT32},
		[BYTES] = {.name = "bytes", .type = PH_ARROW_INT64}};
	bool ok;

	ph_arrow_begin(&events->writer, events->out, columns, N_COLUMNS);
	ok = ph_pq_stream_binary(connection, ph_sql_export_event_columns, params, 3, put_chunk, events);
	ph_arrow_end(&events->writer);
	if (events->is_bad)
	{
		ph_log_error("the server sent a chunk whose columns are not of one length");
		return PH_EXIT_INPUT;
	}
	return ok || ferror(events->out) ? PH_EXIT_OK : ph_pq_log_error(connection, "events");
}

PhExit
ph_export_events_arrow(FILE *out, PhConnection *connection, const PhTraceExport *what)
{
	PhParam params[3] = {ph_param_int(what->run_id), ph_param_text(what->from),
						 ph_param_text(what->to)};
	PhResult *words = ph_pq_query(connection, ph_sql_export_event_words, params, 1);
	Events events = {.out = out,
					 .from = what->from ? (int64_t) strtoll(what->from, NULL, 10) : INT64_MIN,
					 .to = what->to ? (int64_t) strtoll(what->to, NULL, 10) : INT64_MAX};
	PhExit code;

	if (words == NULL)
		return ph_pq_log_error(connection, "events");
	if (ph_result_count(words) == 0)
	{
		ph_result_free(words);
		return ph_export_no_trace(what);
	}
	find_words(words, "region", &events.regions);
	find_words(words, "kind", &events.kinds);
	make_room(&events);
	code = write_events(&events, connection, params);
	free_room(&events);
	ph_result_free(words);
	return code;
}
