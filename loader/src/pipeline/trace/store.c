/*
 * store.c - a trace's rows apart from its chunks, table by table.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/trace/store.h"

#include "pipeline/store/copy_rows.h"
#include "pipeline/store/copy_table.h"
#include "queries.h"
#include "readers/tasks/source.h"

/* ---- one writer a table ---- */

static PhStatus
write_trace(PhEnv *env, PhCopy *copy, const void *user)
{
	const PhTraceRows *rows = user;
	const PhTraceRead *read = rows->read;
	const PhTraceModel *model = &rows->source->model;

	(void) env;
	ph_copy_trace_row(
		copy, &(PhTraceRow){.run_id = rows->run_id,
							.n_locations = (int32_t) model->n_locations,
							.n_events = (int64_t) read->n_events,
							.duration = read->counts.last_time,
							.epoch_ns = model->epoch_ns,
							.n_messages = (int64_t) read->matches.messages,
							.unmatched_sends = (int64_t) read->matches.unmatched_sends,
							.unmatched_receives = (int64_t) read->matches.unmatched_receives,
							.reversed_messages = (int64_t) read->matches.reversed,
							.worst_reversal = read->matches.worst_reversal,
							.n_collectives = (int64_t) read->n_collectives,
							.open_calls = (int64_t) read->open_calls,
							.unknown_records = (int64_t) read->counts.unknown_records,
							.clock = ph_trace_clock_name(rows->source->clock),
							.n_stream_waits = (int64_t) read->counts.stream_waits});
	return PH_OK;
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
		ph_copy_trace_region_row(copy,
								 &(PhTraceRegionRow){.run_id = rows->run_id,
													 .local_id = (int32_t) i,
													 .region_id = (int64_t) rows->region_ids[i],
													 .name = model->regions[i].name,
													 .paradigm = model->regions[i].paradigm,
													 .role = model->regions[i].role});
	}
	return PH_OK;
}

static int32_t
number_or_null(uint32_t number)
{
	return number == PH_NONE ? PH_NO_NUMBER : (int32_t) number;
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
		ph_copy_trace_communicator_row(
			copy,
			&(PhTraceCommunicatorRow){.run_id = rows->run_id,
									  .local_id = (int32_t) i,
									  .name = communicator->name,
									  .parent = number_or_null(communicator->parent),
									  .is_mpi = communicator->is_mpi,
									  .members = {communicator->members, communicator->n_members}});
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

		ph_copy_trace_metric_row(copy,
								 &(PhTraceMetricRow){.run_id = rows->run_id,
													 .metric_class = (int32_t) metric->metric_class,
													 .member = (int32_t) metric->member,
													 .name = metric->name,
													 .unit = metric->unit,
													 .type = (int16_t) metric->type,
													 .is_accumulated = metric->is_accumulated,
													 .scale = metric->scale});
	}
	return PH_OK;
}

static PhStatus
write_text(PhEnv *env, PhCopy *copy, const PhTraceRows *rows, const PhTraceText *text)
{
	const char *shown = text->text;
	PhStatus status = PH_OK;
	PhArena arena;

	ph_arena_init(&arena, env);
	if (rows->hiding->paths)
		status = ph_hide_paths(&arena, rows->hiding->salt, shown, &shown);
	if (status == PH_OK)
		ph_copy_trace_text_row(copy, &(PhTraceTextRow){.run_id = rows->run_id,
													   .number = (int64_t) text->number,
													   .text = shown});
	ph_arena_drop(&arena);
	return status;
}

static PhStatus
write_texts(PhEnv *env, PhCopy *copy, const void *user)
{
	const PhTraceRows *rows = user;
	const PhTraceSource *source = rows->source;
	PhTraceText text;
	uint32_t next = 0;

	while (source->next_text != NULL && source->next_text(source, &next, &text))
	{
		PH_TRY(ph_env_poll(env));
		PH_TRY(write_text(env, copy, rows, &text));
	}
	return PH_OK;
}

static PhStatus
write_tiles(PhEnv *env, PhCopy *copy, const void *user)
{
	const PhTraceRows *rows = user;

	for (size_t i = 0; i < rows->n_tiles; i++)
	{
		const PhTile *tile = &rows->tiles[i];

		PH_TRY(ph_env_poll(env));
		ph_copy_trace_tile_row(copy, &(PhTraceTileRow){.run_id = rows->run_id,
													   .tier = (int16_t) tile->tier,
													   .level = (int16_t) tile->level,
													   .block = (int32_t) tile->block,
													   .x = (int32_t) tile->x,
													   .bytes = tile->bytes,
													   .crc = ph_tile_crc(tile)});
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
	ph_copy_task_trace_row(copy, &(PhTaskTraceRow){.run_id = rows->run_id,
												   .model = tasks->model,
												   .tick = (int32_t) tasks->tick,
												   .n_chares = (int32_t) tasks->n_chares,
												   .n_blocks = (int64_t) n_blocks});
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

		ph_copy_task_type_row(
			copy,
			&(PhTaskTypeRow){.run_id = rows->run_id,
							 .type_id = (int32_t) i,
							 .name = type->name,
							 .dimensions = type->dimensions < 1 ? PH_NO_NUMBER : type->dimensions,
							 .is_runtime = type->is_runtime});
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
		ph_copy_task_entry_row(copy, &(PhTaskEntryRow){.run_id = rows->run_id,
													   .local_id = (int32_t) i,
													   .type_id = (int32_t) tasks->entries[i].type,
													   .name = tasks->entries[i].name});
	}
	return PH_OK;
}

static void
put_chare(PhCopy *copy, const PhTraceRows *rows, uint32_t i)
{
	const PhTaskSource *tasks = rows->source->tasks;
	const PhTaskChare *chare = &tasks->chares[i];
	const PhChareKey *key = &chare->key;

	ph_copy_chare_row(copy, &(PhChareRow){.run_id = rows->run_id,
										  .chare_id = (int32_t) i,
										  .type_id = (int32_t) key->type,
										  .collection = key->collection,
										  .index = {(const uint32_t *) key->index, key->n_index},
										  .processor = tasks->entity_names == NULL ? key->processor
																				   : PH_NO_NUMBER,
										  .name = chare->name,
										  .is_runtime = chare->is_runtime,
										  .first_location = (int32_t) chare->location});
}

static PhStatus
write_chares(PhEnv *env, PhCopy *copy, const void *user)
{
	const PhTraceRows *rows = user;
	const PhTaskSource *tasks = rows->source->tasks;

	for (uint32_t i = 0; i < tasks->n_chares; i++)
	{
		PH_TRY(ph_env_poll(env));
		put_chare(copy, rows, i);
	}
	return PH_OK;
}

/* ---- links ---- */

static PhStatus
write_chunk_links(PhArena *arena, PhCopy *copy, const PhTraceRows *rows, uint32_t location,
				  const PhChunkReceives *chunk, const PhLink *links)
{
	int64_t first;
	int64_t last;
	PhBytes bytes;

	PH_TRY(ph_links_encode(arena, links, chunk->times, chunk->n, &bytes));
	ph_links_span(links, chunk->n, &first, &last);
	PhLinkChunk stored = {location, chunk->chunk_no, chunk->n, first, last, bytes};
	ph_copy_message_chunk_row(copy, &(PhMessageChunkRow){.run_id = rows->run_id,
														 .location_id = (int32_t) location,
														 .chunk_no = (int32_t) chunk->chunk_no,
														 .n_links = (int32_t) chunk->n,
														 .t_send_min = first,
														 .t_send_max = last,
														 .links = bytes,
														 .crc = ph_link_chunk_crc(&stored)});
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
			status =
				write_chunk_links(&arena, copy, rows, location, &receives->chunks[i], links + at);
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

/* ---- devices ---- */

static PhStatus
write_streams(PhEnv *env, PhCopy *copy, const void *user)
{
	const PhTraceRows *rows = user;
	const PhTraceModel *model = &rows->source->model;

	for (uint32_t i = 0; i < model->n_locations; i++)
	{
		const PhTraceLocation *location = &model->locations[i];
		const PhDeviceStream *stream = &location->stream;

		PH_TRY(ph_env_poll(env));
		if (!ph_location_is_stream(location))
			continue;
		ph_copy_trace_stream_row(copy, &(PhTraceStreamRow){.run_id = rows->run_id,
														   .location_id = (int32_t) i,
														   .rank = location->rank,
														   .host = location->host,
														   .name = location->name,
														   .device = stream->device,
														   .context = stream->context,
														   .stream = stream->stream,
														   .lane = stream->lane});
	}
	return PH_OK;
}

static PhStatus
write_configurations(PhEnv *env, PhCopy *copy, const void *user)
{
	const PhTraceRows *rows = user;
	const PhTraceModel *model = &rows->source->model;

	for (uint32_t i = 0; i < model->n_configurations; i++)
	{
		const PhLaunchConfiguration *of = &model->configurations[i];

		PH_TRY(ph_env_poll(env));
		ph_copy_launch_configuration_row(
			copy, &(PhLaunchConfigurationRow){.run_id = rows->run_id,
											  .local_id = (int32_t) i,
											  .grid = {of->grid, 3},
											  .block = {of->block, 3},
											  .registers = (int32_t) of->registers,
											  .static_memory = (int64_t) of->static_memory,
											  .dynamic_memory = (int64_t) of->dynamic_memory});
	}
	return PH_OK;
}

static PhStatus
write_launches(PhEnv *env, PhCopy *copy, const void *user)
{
	const PhTraceRows *rows = user;
	const PhTraceModel *model = &rows->source->model;

	for (uint32_t i = 0; i < model->n_locations; i++)
	{
		const PhLaunchChunks *chunks = &rows->read->launched[i];

		for (uint32_t c = 0; c < chunks->n; c++)
		{
			const PhLinkChunk *chunk = &chunks->items[c];

			PH_TRY(ph_env_poll(env));
			ph_copy_launch_chunk_row(copy,
									 &(PhLaunchChunkRow){.run_id = rows->run_id,
														 .location_id = (int32_t) chunk->location,
														 .chunk_no = (int32_t) chunk->chunk_no,
														 .n_links = (int32_t) chunk->n_links,
														 .t_call_min = chunk->send_min,
														 .t_call_max = chunk->send_max,
														 .links = chunk->links,
														 .crc = ph_link_chunk_crc(chunk)});
		}
	}
	return PH_OK;
}

/* ---- all tables ---- */

static const struct
{
	const char *sql;
	PhCopyRows write;
} tables[] = {
	{PH_COPY(trace), write_trace},
	{PH_COPY(trace_region), write_regions},
	{PH_COPY(trace_communicator), write_communicators},
	{PH_COPY(trace_metric), write_metrics},
	{PH_COPY(trace_text), write_texts},
};

/* Of task-based programs only. */
static const struct
{
	const char *sql;
	PhCopyRows write;
} task_tables[] = {
	{PH_COPY(task_trace), write_task_trace},
	{PH_COPY(task_type), write_task_types},
	{PH_COPY(task_entry), write_task_entries},
	{PH_COPY(chare), write_chares},
};

/* Of traces with streams only. */
static const struct
{
	const char *sql;
	PhCopyRows write;
} device_tables[] = {
	{PH_COPY(trace_stream), write_streams},
	{PH_COPY(launch_configuration), write_configurations},
	{PH_COPY(launch_chunk), write_launches},
};

static bool
has_streams(const PhTraceModel *model)
{
	for (uint32_t i = model->n_locations; i-- > 0;)
		if (ph_location_is_stream(&model->locations[i]))
			return true;
	return false;
}

static PhStatus
store_tiles(PhEnv *env, PhConnection *db, const PhTraceRows *rows)
{
	PhParam run_id = ph_param_int(rows->run_id);

	PH_TRY(ph_copy_table(env, db, PH_COPY(trace_tile), write_tiles, rows));
	return ph_pq_execute(db, ph_sql_load_note_pyramid, &run_id, 1) ? PH_OK : ph_refused(env, db);
}

PhStatus
ph_store_links(PhEnv *env, PhConnection *db, const PhTraceRows *rows)
{
	return ph_copy_table(env, db, PH_COPY_SUMMED(message_chunk), write_links, rows);
}

PhStatus
ph_store_trace(PhEnv *env, PhConnection *db, const PhTraceRows *rows)
{
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		PH_TRY(ph_copy_table(env, db, tables[t].sql, tables[t].write, rows));
	for (size_t t = 0;
		 has_streams(&rows->source->model) && t < sizeof(device_tables) / sizeof(device_tables[0]);
		 t++)
		PH_TRY(ph_copy_table(env, db, device_tables[t].sql, device_tables[t].write, rows));
	if (rows->n_tiles > 0)
		PH_TRY(store_tiles(env, db, rows));
	for (size_t t = 0;
		 rows->source->tasks != NULL && t < sizeof(task_tables) / sizeof(task_tables[0]); t++)
		PH_TRY(ph_copy_table(env, db, task_tables[t].sql, task_tables[t].write, rows));
	return PH_OK;
}
