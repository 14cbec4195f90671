/*
 * logical.c - see logical.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/store/logical.h"

#include <string.h>

#include "logical/phase_rows.h"
#include "logical/store/phases.h"
#include "pipeline/store/copy_rows.h"
#include "pipeline/store/copy_table.h"
#include "queries.h"

typedef struct LogicalRows
{
	int64_t run_id;
	const PhTraceModel *trace;
	const PhLogicalMetrics *metrics;
} LogicalRows;

/* ---- phases ---- */

static PhStatus
put_phases(PhCopy *copy, const LogicalRows *rows, PhPhasePacker *packer)
{
	PhPhaseChunk chunk;
	bool done = false;

	while (!copy->failed)
	{
		PH_TRY(ph_phase_packer_next(packer, &chunk, &done));
		if (done)
			break;
		ph_copy_phase_block_row(copy, &(PhPhaseBlockRow){.run_id = rows->run_id,
														 .first_phase = (int32_t) chunk.first_phase,
														 .n_phases = (int32_t) chunk.n_phases,
														 .packed = chunk.packed,
														 .crc = ph_phase_chunk_crc(&chunk)});
	}
	return PH_OK;
}

static PhStatus
write_phases(PhEnv *env, PhCopy *copy, const void *user)
{
	const LogicalRows *rows = user;
	PhPhasePacker *packer;
	PhStatus status;

	PH_TRY(ph_phase_packer_new(env, rows->metrics, rows->trace, false, &packer));
	status = put_phases(copy, rows, packer);
	ph_phase_packer_free(packer);
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

	PH_TRY(ph_copy_table(env, db, PH_COPY(phase_block), write_phases, &rows));
	PH_TRY(ph_copy_table(env, db, PH_COPY(logical_chunk), write_chunks, &rows));
	return insert_summary(env, db, &rows);
}
