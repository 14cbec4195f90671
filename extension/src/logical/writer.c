/*
 * writer.c - phases and chunks of steps as rows, replacing those of before.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "base/warehouse_columns.h"
#include "logical/phase_rows.h"
#include "logical/reader.h"
#include "logical/store/phases.h"
#include "logical/writer.h"
#include "server/query_rows.h"
#include "server/row_batch.h"

static const char lock_sql[] =
	"SELECT FROM perfhouse.run WHERE run_id = $1 AND state = 'ready' FOR NO KEY UPDATE";

static const char *const delete_sql[] = {
	"DELETE FROM perfhouse.logical_chunk WHERE run_id = $1",
	"DELETE FROM perfhouse.phase_block WHERE run_id = $1",
	"DELETE FROM perfhouse.phase_chunk WHERE run_id = $1",
	"DELETE FROM perfhouse.logical_timeline WHERE run_id = $1",
	"DELETE FROM perfhouse.logical WHERE run_id = $1",
	"DELETE FROM perfhouse.derived WHERE run_id = $1 AND kind = 'logical steps'",
};

static const char seal_sql[] = "SELECT perfhouse_internal.seal_rows(ARRAY[$1::int8], '{logical, "
							   "logical_timeline, logical_chunk,"
							   " phase_block, phase_chunk}')";

/* Columns of phases of tasks, behind those that phases of processes had before phase_block. */
typedef enum TaskSlot
{
	SLOT_IS_RUNTIME = PH_N_COLUMNS(phase_chunk),
	SLOT_IMBALANCE,
	SLOT_MAX_IDLE,
	SLOT_MAX_DURATION,
	SLOT_CLASS,
	PHASE_SLOTS
} TaskSlot;

#define PHASE_COLUMNS                                                                              \
	PH_SELECT(phase_chunk, "") ", is_runtime, imbalance, max_idle, max_duration, phase_class"

/* $2: the numbers of the phases, all others as stored. */
static const char phase_sql[] =
	"INSERT INTO perfhouse.phase_chunk (run_id, " PHASE_COLUMNS ") SELECT $1, $2[1], $3, $4, $5,"
	" $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16::bool[], $17, $18, $19, $20";

/* The server wants arrays of these. */
#define INT4S_OID INT4OID
#define INT8S_OID INT8OID
#define TEXTS_OID TEXTOID
#define INT4_OID INT4OID
#define INT4_OR_NULL_OID INT4OID
#define INT8_OR_NULL_OID INT8OID
#define INT8_OID INT8OID
#define BYTEA_OID BYTEAOID
#define ELEMENT_TYPE(a, column, type) type##_OID,

static const Oid phase_types[PHASE_SLOTS] = {PH_COLUMNS_OF_phase_chunk(ELEMENT_TYPE, ELEMENT_TYPE, )
												 INT4OID,
											 INT8OID, INT8OID, INT8OID, INT8OID};

#define CHUNK_VALUES PH_SELECT(logical_chunk, "n.") ", nullif(n.tasks, '')"

static const char chunk_sql[] =
	"INSERT INTO perfhouse.logical_chunk (run_id, " PH_LOGICAL_COLUMNS ") SELECT $1, " CHUNK_VALUES
	" FROM unnest($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)"
	" AS n (" PH_LOGICAL_COLUMNS ")";

static const Oid chunk_types[] = {PH_COLUMNS_OF_logical_chunk(ELEMENT_TYPE, ELEMENT_TYPE, )
									  BYTEAOID};

static const char logical_sql[] =
	"WITH stored AS (INSERT INTO perfhouse.logical (run_id, version, options, n_locations,"
	" n_events, n_messages, n_phases, last_step, notes)"
	" VALUES ($1, $2, $3::jsonb, $4, $5, $6, $7, $8, $9::jsonb) RETURNING *),"
	" noted AS (INSERT INTO perfhouse.derived (run_id, kind, version)"
	" SELECT run_id, 'logical steps', version FROM stored)"
	" SELECT jsonb_build_object('events', n_events, 'messages', n_messages, 'locations',"
	" n_locations, 'phases', n_phases, 'last_step', last_step, 'notes', notes, 'options', options,"
	" 'seconds', round($10::numeric, 3)) FROM stored";

void
ph_logical_lock(int64 run_id)
{
	if (ph_execute_with_run(lock_sql, run_id) == 0)
		ereport(ERROR,
				(errcode(PH_ERRCODE_NOT_FOUND), errmsg("there is no run " INT64_FORMAT, run_id),
				 errhint("perfhouse runs lists them; in SQL run_overview.")));
}

/* ---- phases ---- */

typedef struct PhaseWriter
{
	PhLogicalRun *run;
	PhRowBatch batch;
} PhaseWriter;

static void
put_tasks(PhaseWriter *writer, uint32 phase, uint64 identity)
{
	const PhTaskMetrics *metrics = writer->run->task_metrics;
	PhRowBatch *batch = &writer->batch;
	ph_batch_int(batch, SLOT_IS_RUNTIME, metrics->structure->is_runtime[phase]);
	ph_batch_bigint(batch, SLOT_IMBALANCE, metrics->phase_imbalance[phase]);
	ph_batch_bigint(batch, SLOT_MAX_IDLE, metrics->phase_idle[phase]);
	ph_batch_bigint(batch, SLOT_MAX_DURATION, metrics->phase_differential[phase]);
	ph_batch_bigint(batch, SLOT_CLASS, (int64) identity);
}

static void
put_phase(PhaseWriter *writer, uint32 phase, const PhPhaseRow *row)
{
	const PhLogical *logical = &writer->run->logical;
	PhRowBatch *batch = &writer->batch;
	ph_batch_int(batch, PH_SLOT(phase_chunk, first_phase), (int32) phase);
	ph_batch_int(batch, PH_SLOT(phase_chunk, first_step), logical->first_step[phase]);
	ph_batch_int(batch, PH_SLOT(phase_chunk, last_step), logical->last_step_of[phase]);
	ph_batch_int(batch, PH_SLOT(phase_chunk, n_events), (int32) logical->n_events_of[phase]);
	ph_batch_int(batch, PH_SLOT(phase_chunk, n_locations), (int32) row->n_locations);
	ph_batch_int(batch, PH_SLOT(phase_chunk, leap), (int32) logical->leap[phase]);
	ph_batch_bigint(batch, PH_SLOT(phase_chunk, max_lateness), row->max_lateness);
	ph_batch_bigint(batch, PH_SLOT(phase_chunk, t_first), row->t_first);
	ph_batch_bigint(batch, PH_SLOT(phase_chunk, t_last), row->t_last);
	ph_batch_text(batch, PH_SLOT(phase_chunk, pattern), row->pattern);
	ph_batch_text(batch, PH_SLOT(phase_chunk, merge_reason), row->reason);
	ph_batch_text(batch, PH_SLOT(phase_chunk, merge_reasons), row->reasons);
	ph_batch_text(batch, PH_SLOT(phase_chunk, regions), row->regions);
	ph_batch_text(batch, PH_SLOT(phase_chunk, followed_by), row->followed_by);
	put_tasks(writer, phase, row->identity);
	ph_batch_put(batch);
}

static void
write_phases(PhLogicalRun *run)
{
	PhEnv *env = &run->trace->scratch->env;
	PhaseWriter writer = {.run = run};
	PhPhaseLister *lister;
	PhPhaseRow row;
	ph_batch_begin(&writer.batch, run->trace->run_id, phase_sql, lengthof(phase_types),
				   phase_types);
	PH_CHECK(env, ph_phase_lister_new(env, &run->metrics, &run->trace->model,
									  run->request.options.compat, &lister));
	for (uint32 phase = 0; phase < run->logical.n_phases; phase++)
	{
		PH_CHECK(env, ph_phase_lister_row(lister, phase, &row));
		put_phase(&writer, phase, &row);
	}
	ph_batch_end(&writer.batch);
	ph_phase_lister_free(lister);
}

static const char block_sql[] = "INSERT INTO perfhouse.phase_block (run_id, " PH_SELECT(
	phase_block, "") ") SELECT $1, n.* FROM unnest($2, $3, $4, $5) n";

static const Oid block_types[] = {PH_COLUMNS_OF_phase_block(ELEMENT_TYPE, ELEMENT_TYPE, )};

static void
write_phase_blocks(PhLogicalRun *run)
{
	PhEnv *env = &run->trace->scratch->env;
	PhPhasePacker *packer;
	PhPhaseChunk chunk;
	PhRowBatch batch;
	bool done;
	ph_batch_begin(&batch, run->trace->run_id, block_sql, lengthof(block_types), block_types);
	PH_CHECK(env, ph_phase_packer_new(env, &run->metrics, &run->trace->model,
									  run->request.options.compat, &packer));
	for (;;)
	{
		PH_CHECK(env, ph_phase_packer_next(packer, &chunk, &done));
		if (done)
			break;
		ph_batch_int(&batch, PH_SLOT(phase_block, first_phase), (int32) chunk.first_phase);
		ph_batch_int(&batch, PH_SLOT(phase_block, n_phases), (int32) chunk.n_phases);
		ph_batch_bytes(&batch, PH_SLOT(phase_block, packed), chunk.packed);
		ph_batch_bigint(&batch, PH_SLOT(phase_block, crc), ph_phase_chunk_crc(&chunk));
		ph_batch_put(&batch);
	}
	ph_batch_end(&batch);
	ph_phase_packer_free(packer);
}

/* ---- chunks ---- */

static void
put_chunk(PhRowBatch *batch, const PhLogicalChunk *chunk)
{
	ph_batch_int(batch, PH_SLOT(logical_chunk, location_id), (int32) chunk->location);
	ph_batch_int(batch, PH_SLOT(logical_chunk, chunk_no), (int32) chunk->chunk_no);
	ph_batch_int(batch, PH_SLOT(logical_chunk, format), chunk->format);
	ph_batch_int(batch, PH_SLOT(logical_chunk, n_events), (int32) chunk->n_events);
	ph_batch_int(batch, PH_SLOT(logical_chunk, n_ends), (int32) chunk->n_ends);
	ph_batch_int(batch, PH_SLOT(logical_chunk, first_seq), (int32) chunk->first_seq);
	ph_batch_int(batch, PH_SLOT(logical_chunk, step_first), (int32) chunk->step_first);
	ph_batch_int(batch, PH_SLOT(logical_chunk, step_last), (int32) chunk->step_last);
	ph_batch_bigint(batch, PH_SLOT(logical_chunk, t_first), chunk->t_first);
	ph_batch_bigint(batch, PH_SLOT(logical_chunk, t_last), chunk->t_last);
	ph_batch_bytes(batch, PH_SLOT(logical_chunk, places), chunk->places);
	ph_batch_bytes(batch, PH_SLOT(logical_chunk, metrics), chunk->metrics);
	ph_batch_bytes(batch, PH_SLOT(logical_chunk, causes), chunk->causes);
	ph_batch_bytes(batch, PH_SLOT(logical_chunk, ends), chunk->ends);
	ph_batch_bytes(batch, PH_SLOT(logical_chunk, counters), chunk->counters);
	ph_batch_int(batch, PH_SLOT(logical_chunk, last_location),
				 (int32) (chunk->location + chunk->n_members - 1));
	ph_batch_bigint(batch, PH_SLOT(logical_chunk, crc), ph_logical_chunk_crc(chunk));
	ph_batch_bytes(batch, PH_LOGICAL_TASKS, chunk->tasks);
	ph_batch_put(batch);
}

static void
write_tasks(PhLogicalRun *run, PhRowBatch *batch, PhLogicalCodec *codec)
{
	const PhLogicalModel *model = &run->model;
	PhLogicalEvents events;
	PhLogicalChunk chunk;
	uint32 chunk_no = 0;
	for (uint32 first = 0; first < model->n_events; first += events.n_events)
	{
		chunk_no = first == model->timeline_first[model->timeline[first]] ? 0 : chunk_no + 1;
		ph_logical_run_extract(run, codec, first, &events);
		PH_CHECK(&run->trace->scratch->env, ph_logical_encode(codec, &events, &chunk));
		chunk.chunk_no = chunk_no;
		put_chunk(batch, &chunk);
	}
}

static void
write_processes(PhLogicalRun *run, PhRowBatch *batch, PhLogicalCodec *codec)
{
	PhEnv *env = &run->trace->scratch->env;
	PhLogicalBlocks *blocks;
	PhLogicalChunk chunk;
	bool done;
	PH_CHECK(env, ph_logical_blocks_new(env, &run->metrics, &run->counters, 0, &blocks));
	for (;;)
	{
		PH_CHECK(env, ph_logical_blocks_next(blocks, codec, &chunk, &done));
		if (done)
			break;
		put_chunk(batch, &chunk);
	}
	ph_logical_blocks_free(blocks);
}

static void
write_chunks(PhLogicalRun *run)
{
	PhEnv *env = &run->trace->scratch->env;
	PhLogicalCodec *codec;
	PhRowBatch batch;
	ph_batch_begin(&batch, run->trace->run_id, chunk_sql, lengthof(chunk_types), chunk_types);
	PH_CHECK(env, ph_logical_codec_new(env, &codec));
	if (run->task_metrics != NULL)
		write_tasks(run, &batch, codec);
	else
		write_processes(run, &batch, codec);
	ph_batch_end(&batch);
	ph_logical_codec_free(codec);
}

/* ---- the run ---- */

static Datum
write_summary(PhLogicalRun *run, double seconds)
{
	static Oid types[] = {INT8OID, INT4OID, TEXTOID, INT4OID, INT8OID,
						  INT8OID, INT4OID, INT4OID, TEXTOID, FLOAT8OID};
	const PhLogicalModel *model = &run->model;
	PhScratch *scratch = run->trace->scratch;
	char *notes;
	PH_CHECK(&scratch->env, ph_logical_notes_text(&scratch->arena, &run->logical, &notes));
	Datum values[] = {
		Int64GetDatum(run->trace->run_id),
		Int32GetDatum(PH_LOGICAL_VERSION),
		CStringGetTextDatum(ph_logical_request_text(&run->request)),
		Int32GetDatum((int32) model->n_timelines),
		Int64GetDatum(model->n_events),
		Int64GetDatum(model->n_messages),
		Int32GetDatum((int32) run->logical.n_phases),
		Int32GetDatum(run->logical.last_step),
		CStringGetTextDatum(notes),
		Float8GetDatum(seconds),
	};
	bool is_null;
	if (SPI_execute_with_args(logical_sql, lengthof(types), types, values, NULL, false, 0) !=
		SPI_OK_SELECT)
		elog(ERROR, "storing logical time failed");
	Datum row = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &is_null);
	return SPI_datumTransfer(row, false, -1);
}

Datum
ph_logical_write(PhLogicalRun *run, double seconds)
{
	for (int i = 0; i < (int) lengthof(delete_sql); i++)
		ph_execute_with_run(delete_sql[i], run->trace->run_id);
	if (run->task_metrics != NULL)
		write_phases(run);
	else
		write_phase_blocks(run);
	write_chunks(run);
	if (run->timelines != NULL)
		ph_timelines_write(run->timelines, run->trace->run_id);
	Datum summary = write_summary(run, seconds);
	ph_execute_with_run(seal_sql, run->trace->run_id);
	return summary;
}
