/*
 * logical.c - see logical.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/store/logical.h"

#include <string.h>

#include "logical/phase_rows.h"
#include "logical/store/store.h"
#include "pipeline/store/copy_rows.h"
#include "pipeline/store/copy_table.h"
#include "queries.h"

/* As many phases a row as the server puts there. */
#define BATCH_PHASES 1024
#define BATCH_BYTES ((size_t) 4 << 20)

typedef enum PhaseText
{
	TEXT_PATTERN,
	TEXT_REASON,
	TEXT_REASONS,
	TEXT_REGIONS,
	TEXT_FOLLOWED_BY,
	PHASE_TEXTS
} PhaseText;

/* Phases that wait for their row. */
typedef struct PhaseBatch
{
	uint32_t first, n;
	size_t bytes; /* of the texts */
	PhArena arena;
	uint32_t first_step[BATCH_PHASES], last_step[BATCH_PHASES];
	uint32_t n_events[BATCH_PHASES], n_locations[BATCH_PHASES], leap[BATCH_PHASES];
	int64_t max_lateness[BATCH_PHASES], t_first[BATCH_PHASES], t_last[BATCH_PHASES];
	const char *texts[PHASE_TEXTS][BATCH_PHASES];
} PhaseBatch;

typedef struct LogicalRows
{
	int64_t run_id;
	const PhTraceModel *trace;
	const PhLogicalMetrics *metrics;
} LogicalRows;

/* ---- phases ---- */

static void
put_batch(PhCopy *copy, int64_t run_id, PhaseBatch *batch)
{
	const char *(*texts)[BATCH_PHASES] = batch->texts;
	uint32_t n = batch->n;

	if (n == 0)
		return;
	ph_copy_phase_chunk_row(copy, &(PhPhaseChunkRow){.run_id = run_id,
													 .first_phase = (int32_t) batch->first,
													 .first_step = {batch->first_step, n},
													 .last_step = {batch->last_step, n},
													 .n_events = {batch->n_events, n},
													 .n_locations = {batch->n_locations, n},
													 .leap = {batch->leap, n},
													 .max_lateness = {batch->max_lateness, n},
													 .t_first = {batch->t_first, n},
													 .t_last = {batch->t_last, n},
													 .pattern = {texts[TEXT_PATTERN], n},
													 .merge_reason = {texts[TEXT_REASON], n},
													 .merge_reasons = {texts[TEXT_REASONS], n},
													 .regions = {texts[TEXT_REGIONS], n},
													 .followed_by = {texts[TEXT_FOLLOWED_BY], n}});
	batch->first += batch->n;
	batch->n = 0;
	batch->bytes = 0;
	ph_arena_drop(&batch->arena);
}

static PhStatus
add_phase(PhaseBatch *batch, const PhLogical *logical, uint32_t phase, const PhPhaseRow *row)
{
	const char *texts[PHASE_TEXTS] = {row->pattern, row->reason, row->reasons, row->regions,
									  row->followed_by};
	uint32_t i = batch->n++;

	batch->first_step[i] = (uint32_t) logical->first_step[phase];
	batch->last_step[i] = (uint32_t) logical->last_step_of[phase];
	batch->n_events[i] = logical->n_events_of[phase];
	batch->n_locations[i] = row->n_locations;
	batch->leap[i] = logical->leap[phase];
	batch->max_lateness[i] = row->max_lateness;
	batch->t_first[i] = row->t_first;
	batch->t_last[i] = row->t_last;
	for (int t = 0; t < PHASE_TEXTS; t++)
	{
		size_t length = strlen(texts[t]);
		char *copy;

		PH_TRY(ph_arena_strndup(&batch->arena, texts[t], length, &copy));
		batch->texts[t][i] = copy;
		batch->bytes += length;
	}
	return PH_OK;
}

static PhStatus
list_phases(PhEnv *env, PhCopy *copy, const LogicalRows *rows, PhPhaseLister *lister,
			PhaseBatch *batch)
{
	const PhLogical *logical = rows->metrics->logical;
	PhPhaseRow row;

	for (uint32_t phase = 0; phase < logical->n_phases && !copy->failed; phase++)
	{
		PH_TRY(ph_env_poll(env));
		PH_TRY(ph_phase_lister_row(lister, phase, &row));
		PH_TRY(add_phase(batch, logical, phase, &row));
		if (batch->n == BATCH_PHASES || batch->bytes >= BATCH_BYTES)
			put_batch(copy, rows->run_id, batch);
	}
	put_batch(copy, rows->run_id, batch);
	return PH_OK;
}

static PhStatus
write_phases(PhEnv *env, PhCopy *copy, const void *user)
{
	const LogicalRows *rows = user;
	PhPhaseLister *lister;
	void *memory;
	PhaseBatch *batch;
	PhStatus status;

	PH_TRY(ph_env_alloc(env, 1, sizeof(PhaseBatch), &memory));
	batch = memory;
	ph_arena_init(&batch->arena, env);
	status = ph_phase_lister_new(env, rows->metrics, rows->trace, false, &lister);
	if (status == PH_OK)
	{
		status = list_phases(env, copy, rows, lister, batch);
		ph_phase_lister_free(lister);
	}
	ph_arena_drop(&batch->arena);
	ph_env_free(env, memory, 1, sizeof(PhaseBatch));
	return status;
}

/* ---- steps ---- */

static void
put_chunk(PhCopy *copy, int64_t run_id, const PhLogicalChunk *chunk)
{
	ph_copy_logical_chunk_row(
		copy,
		&(PhLogicalChunkRow){.run_id = run_id,
							 .location_id = (int32_t) chunk->location,
							 .chunk_no = (int32_t) chunk->chunk_no,
							 .format = chunk->format,
							 .n_events = (int32_t) chunk->n_events,
							 .n_ends = (int32_t) chunk->n_ends,
							 .first_seq = (int32_t) chunk->first_seq,
							 .step_first = (int32_t) chunk->step_first,
							 .step_last = (int32_t) chunk->step_last,
							 .t_first = chunk->t_first,
							 .t_last = chunk->t_last,
							 .places = chunk->places,
							 .metrics = chunk->metrics,
							 .causes = chunk->causes,
							 .ends = chunk->ends,
							 .counters = chunk->counters,
							 .last_location = (int32_t) (chunk->location + chunk->n_members - 1),
							 .crc = ph_logical_chunk_crc(chunk)});
}

static PhStatus
put_chunks(PhCopy *copy, const LogicalRows *rows, PhLogicalBlocks *blocks, PhLogicalCodec *codec)
{
	PhLogicalChunk chunk;
	bool done = false;

	while (!copy->failed)
	{
		PH_TRY(ph_logical_blocks_next(blocks, codec, &chunk, &done));
		if (done)
			break;
		put_chunk(copy, rows->run_id, &chunk);
	}
	return PH_OK;
}

static PhStatus
write_chunks(PhEnv *env, PhCopy *copy, const void *user)
{
	const LogicalRows *rows = user;
	const PhLogicalCounters counters = {{NULL}};
	PhLogicalBlocks *blocks = NULL;
	PhLogicalCodec *codec;
	PhStatus status;

	PH_TRY(ph_logical_codec_new(env, &codec));
	status = ph_logical_blocks_new(env, rows->metrics, &counters, 0, &blocks);
	if (status == PH_OK)
		status = put_chunks(copy, rows, blocks, codec);
	ph_logical_blocks_free(blocks);
	ph_logical_codec_free(codec);
	return status;
}

/* ---- all ---- */

static PhStatus
insert_summary(PhEnv *env, PhConnection *db, const LogicalRows *rows)
{
	const PhLogical *logical = rows->metrics->logical;
	const PhLogicalModel *model = logical->model;
	PhArena arena;
	char *notes;
	PhStatus status;

	ph_arena_init(&arena, env);
	status = ph_logical_notes_text(&arena, logical, &notes);
	if (status == PH_OK)
	{
		PhParam params[] = {
			ph_param_int(rows->run_id),		  ph_param_int(PH_LOGICAL_VERSION),
			ph_param_int(model->n_timelines), ph_param_int(model->n_events),
			ph_param_int(model->n_messages),  ph_param_int(logical->n_phases),
			ph_param_int(logical->last_step), ph_param_text(notes),
		};

		if (!ph_pq_execute(db, ph_sql_load_insert_logical, params, 8))
			status = ph_refused(env, db);
	}
	ph_arena_drop(&arena);
	return status;
}

PhStatus
ph_store_logical(PhEnv *env, PhConnection *db, int64_t run_id, const PhTraceModel *trace,
				 const PhLogicalMetrics *metrics)
{
	LogicalRows rows = {run_id, trace, metrics};

	PH_TRY(ph_copy_table(env, db, PH_COPY(phase_chunk), write_phases, &rows));
	PH_TRY(ph_copy_table(env, db, PH_COPY(logical_chunk), write_chunks, &rows));
	return insert_summary(env, db, &rows);
}
