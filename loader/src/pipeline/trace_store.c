/*
 * trace_store.c - a trace's rows apart from its chunks, table by table.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/trace_store.h"

#include <endian.h>
#include <string.h>

#include "pipeline/store/copy_table.h"
#include "queries.h"
#include "readers/tasks/source.h"

/* ---- one writer a table ---- */

static const char *
clock_name(PhTraceClock clock)
{
	static const char *const names[] = {"uncorrected", "offsets", "logical"};

	return names[clock];
}

static PhStatus
write_trace(PhEnv *env, PhCopy *copy, const void *user)
{
	const PhTraceRows *rows = user;
	const PhTraceRead *read = rows->read;
	const PhTraceModel *model = &rows->source->model;

	(void) env;
	ph_copy_row(copy, 14);
	ph_copy_int8(copy, rows->run_id);
	ph_copy_int4(copy, (int32_t) model->n_locations);
	ph_copy_int8(copy, (int64_t) read->n_events);
	ph_copy_int8(copy, read->counts.last_time);
	if (model->epoch_ns == PH_NO_TIME)
		ph_copy_null(copy);
	else
		ph_copy_int8(copy, model->epoch_ns);
	ph_copy_int8(copy, (int64_t) read->matches.messages);
	ph_copy_int8(copy, (int64_t) read->matches.unmatched_sends);
	ph_copy_int8(copy, (int64_t) read->matches.unmatched_receives);
	ph_copy_int8(copy, (int64_t) read->matches.reversed);
	ph_copy_int8(copy, read->matches.worst_reversal);
	ph_copy_int8(copy, (int64_t) read->n_collectives);
	ph_copy_int8(copy, (int64_t) read->open_calls);
	ph_copy_int8(copy, (int64_t) read->counts.unknown_records);
	ph_copy_text(copy, clock_name(rows->source->clock));
	return PH_OK;
}

/* Text of a column that is not null. */
static void
put_text(PhCopy *copy, const char *text)
{
	if (text[0] == '\0')
		ph_copy_bytea(copy, (const uint8_t *) "", 0);
	else
		ph_copy_text(copy, text);
}

static PhStatus
write_regions(PhEnv *env, PhCopy *copy, const void *user)
{
	const PhTraceRows *rows = user;
	const PhTraceModel *model = &rows->source->model;

	(void) env;
	for (uint32_t i = 0; i < model->n_regions; i++)
	{
		if (rows->region_ids[i] == 0)
			continue;
		ph_copy_row(copy, 6);
		ph_copy_int8(copy, rows->run_id);
		ph_copy_int4(copy, (int32_t) i);
		ph_copy_int8(copy, (int64_t) rows->region_ids[i]);
		put_text(copy, model->regions[i].name);
		put_text(copy, model->regions[i].paradigm);
		put_text(copy, model->regions[i].role);
	}
	return PH_OK;
}

static PhStatus
write_communicators(PhEnv *env, PhCopy *copy, const void *user)
{
	const PhTraceRows *rows = user;
	const PhTraceModel *model = &rows->source->model;

	for (uint32_t i = 0; i < model->n_communicators; i++)
	{
		const PhTraceCommunicator *communicator = &model->communicators[i];

		PH_TRY(ph_env_poll(env));
		ph_copy_row(copy, 6);
		ph_copy_int8(copy, rows->run_id);
		ph_copy_int4(copy, (int32_t) i);
		put_text(copy, communicator->name);
		if (communicator->parent == PH_NONE)
			ph_copy_null(copy);
		else
			ph_copy_int4(copy, (int32_t) communicator->parent);
		ph_copy_bool(copy, communicator->is_mpi);
		ph_copy_int4_array(copy, communicator->members, communicator->n_members);
	}
	return PH_OK;
}

static PhStatus
write_metrics(PhEnv *env, PhCopy *copy, const void *user)
{
	const PhTraceRows *rows = user;
	const PhTraceModel *model = &rows->source->model;

	(void) env;
	for (uint32_t i = 0; i < model->n_metrics; i++)
	{
		const PhTraceMetric *metric = &model->metrics[i];

		ph_copy_row(copy, 8);
		ph_copy_int8(copy, rows->run_id);
		ph_copy_int4(copy, (int32_t) metric->metric_class);
		ph_copy_int4(copy, (int32_t) metric->member);
		put_text(copy, metric->name);
		put_text(copy, metric->unit);
		ph_copy_int2(copy, (int16_t) metric->type);
		ph_copy_bool(copy, metric->is_accumulated);
		ph_copy_float8(copy, metric->scale);
	}
	return PH_OK;
}

/* ---- tasks ---- */

static PhStatus
write_task_trace(PhEnv *env, PhCopy *copy, const void *user)
{
	const PhTraceRows *rows = user;
	const PhTaskSource *tasks = rows->source->tasks;
	uint64_t n_blocks = 0;

	(void) env;
	for (uint32_t i = 0; i < tasks->source.model.n_locations; i++)
		n_blocks += tasks->parts[i].n_blocks;
	ph_copy_row(copy, 5);
	ph_copy_int8(copy, rows->run_id);
	put_text(copy, tasks->model);
	ph_copy_int4(copy, (int32_t) tasks->tick);
	ph_copy_int4(copy, (int32_t) tasks->n_chares);
	ph_copy_int8(copy, (int64_t) n_blocks);
	return PH_OK;
}

static PhStatus
write_task_types(PhEnv *env, PhCopy *copy, const void *user)
{
	const PhTraceRows *rows = user;
	const PhTaskSource *tasks = rows->source->tasks;

	(void) env;
	for (uint32_t i = 0; i < tasks->n_types; i++)
	{
		const PhTaskType *type = &tasks->types[i];

		ph_copy_row(copy, 5);
		ph_copy_int8(copy, rows->run_id);
		ph_copy_int4(copy, (int32_t) i);
		put_text(copy, type->name);
		if (type->dimensions < 1)
			ph_copy_null(copy);
		else
			ph_copy_int4(copy, type->dimensions);
		ph_copy_bool(copy, type->is_runtime);
	}
	return PH_OK;
}

/* Those that the trace has calls of. */
static PhStatus
write_task_entries(PhEnv *env, PhCopy *copy, const void *user)
{
	const PhTraceRows *rows = user;
	const PhTaskSource *tasks = rows->source->tasks;

	(void) env;
	for (uint32_t i = 0; i < tasks->n_entries; i++)
	{
		if (rows->region_ids[i] == 0)
			continue;
		ph_copy_row(copy, 4);
		ph_copy_int8(copy, rows->run_id);
		ph_copy_int4(copy, (int32_t) i);
		ph_copy_int4(copy, (int32_t) tasks->entries[i].type);
		put_text(copy, tasks->entries[i].name);
	}
	return PH_OK;
}

static void
put_number_unless(PhCopy *copy, int32_t value, int32_t none)
{
	if (value == none)
		ph_copy_null(copy);
	else
		ph_copy_int4(copy, value);
}

/* All bits of an index may be set: not an array in which one stands for null. */
static void
put_index(PhCopy *copy, const PhChareKey *key)
{
	uint8_t bytes[20 + 8 * PH_CHARE_DIMENSIONS];
	uint32_t header[] = {1, 0, 23, key->n_index, 1}; /* dimensions, nulls, int4, length, from */
	size_t size = 0;

	for (size_t i = 0; i < 5; i++, size += 4)
	{
		uint32_t value = htobe32(header[i]);

		memcpy(bytes + size, &value, 4);
	}
	for (uint32_t i = 0; i < key->n_index && i < PH_CHARE_DIMENSIONS; i++, size += 8)
	{
		uint32_t length = htobe32(4);
		uint32_t value = htobe32((uint32_t) key->index[i]);

		memcpy(bytes + size, &length, 4);
		memcpy(bytes + size + 4, &value, 4);
	}
	if (key->n_index == 0)
		ph_copy_null(copy);
	else
		ph_copy_bytea(copy, bytes, size);
}

static PhStatus
write_chares(PhEnv *env, PhCopy *copy, const void *user)
{
	const PhTraceRows *rows = user;
	const PhTaskSource *tasks = rows->source->tasks;

	for (uint32_t i = 0; i < tasks->n_chares; i++)
	{
		const PhTaskChare *chare = &tasks->chares[i];

		PH_TRY(ph_env_poll(env));
		ph_copy_row(copy, 9);
		ph_copy_int8(copy, rows->run_id);
		ph_copy_int4(copy, (int32_t) i);
		ph_copy_int4(copy, (int32_t) chare->key.type);
		put_number_unless(copy, chare->key.collection, -1);
		put_index(copy, &chare->key);
		put_number_unless(copy, tasks->entity_names == NULL ? chare->key.processor : -1, -1);
		ph_copy_text(copy, chare->name);
		ph_copy_bool(copy, chare->is_runtime);
		ph_copy_int4(copy, (int32_t) chare->location);
	}
	return PH_OK;
}

/* ---- links ---- */

/* When the chunk's matched messages were sent; none: an empty span. */
static void
send_span(const PhLink *links, uint32_t n, int64_t *first, int64_t *last)
{
	*first = INT64_MAX;
	*last = INT64_MIN;
	for (uint32_t i = 0; i < n; i++)
	{
		if (links[i].location == PH_NONE)
			continue;
		*first = links[i].time < *first ? links[i].time : *first;
		*last = links[i].time > *last ? links[i].time : *last;
	}
}

static PhStatus
write_chunk_links(PhArena *arena, PhCopy *copy, const PhTraceRows *rows, uint32_t location,
				  const PhChunkReceives *chunk, const PhLink *links, const int64_t *times)
{
	int64_t first;
	int64_t last;
	PhBytes bytes;

	PH_TRY(ph_links_encode(arena, links, times, chunk->n, &bytes));
	send_span(links, chunk->n, &first, &last);
	ph_copy_row(copy, 7);
	ph_copy_int8(copy, rows->run_id);
	ph_copy_int4(copy, (int32_t) location);
	ph_copy_int4(copy, (int32_t) chunk->chunk_no);
	ph_copy_int4(copy, (int32_t) chunk->n);
	ph_copy_int8(copy, first);
	ph_copy_int8(copy, last);
	ph_copy_bytea(copy, bytes.data, bytes.size);
	return PH_OK;
}

static PhStatus
write_location_links(PhEnv *env, PhArena *kept, PhCopy *copy, const PhTraceRows *rows,
					 uint32_t location)
{
	const PhReceives *receives = &rows->read->receives[location];
	uint64_t n = 0;
	const PhLink *links;
	uint32_t at = 0;
	PhArena arena;
	PhStatus status = PH_OK;

	PH_TRY(ph_trace_read_links(rows->read, rows->source, kept, location, &links, &n));
	if (n != receives->n)
		return ph_fail(env, PH_ERR_INTERNAL, "location %u has %u receives, but %llu links",
					   location, receives->n, (unsigned long long) n);
	ph_arena_init(&arena, env);
	for (uint32_t i = 0; i < receives->n_chunks && status == PH_OK; i++)
	{
		status = ph_env_poll(env);
		if (status == PH_OK)
			status = write_chunk_links(&arena, copy, rows, location, &receives->chunks[i],
									   links + at, receives->times + at);
		at += receives->chunks[i].n;
		ph_arena_drop(&arena);
	}
	return status;
}

static PhStatus
write_links(PhEnv *env, PhCopy *copy, const void *user)
{
	const PhTraceRows *rows = user;
	PhArena arena;
	PhStatus status = PH_OK;

	ph_arena_init(&arena, env);
	for (uint32_t i = 0; i < rows->source->model.n_locations && status == PH_OK && !copy->failed;
		 i++)
	{
		status = write_location_links(env, &arena, copy, rows, i);
		ph_arena_drop(&arena);
	}
	return status;
}

/* ---- all tables ---- */

static const struct
{
	const char *sql;
	PhCopyRows write;
} tables[] = {
	{ph_sql_copy_trace, write_trace},
	{ph_sql_copy_trace_region, write_regions},
	{ph_sql_copy_trace_communicator, write_communicators},
	{ph_sql_copy_trace_metric, write_metrics},
	{ph_sql_copy_message_chunk, write_links},
};

/* Of task-based programs only. */
static const struct
{
	const char *sql;
	PhCopyRows write;
} task_tables[] = {
	{ph_sql_copy_task_trace, write_task_trace},
	{ph_sql_copy_task_type, write_task_types},
	{ph_sql_copy_task_entry, write_task_entries},
	{ph_sql_copy_chare, write_chares},
};

PhStatus
ph_store_trace(PhEnv *env, PhConnection *db, const PhTraceRows *rows)
{
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		PH_TRY(ph_copy_table(env, db, tables[t].sql, tables[t].write, rows));
	for (size_t t = 0;
		 rows->source->tasks != NULL && t < sizeof(task_tables) / sizeof(task_tables[0]); t++)
		PH_TRY(ph_copy_table(env, db, task_tables[t].sql, task_tables[t].write, rows));
	return PH_OK;
}
