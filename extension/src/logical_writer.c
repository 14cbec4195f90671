/*
 * logical_writer.c - phases and chunks of steps as rows, replacing those of before.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/qunique.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "logical_pattern.h"
#include "logical_writer.h"
#include "row_batch.h"

static const char lock_sql[] =
	"SELECT FROM perfhouse.run WHERE run_id = $1 AND state = 'ready' FOR NO KEY UPDATE";

static const char *const delete_sql[] = {
	"DELETE FROM perfhouse.logical_chunk WHERE run_id = $1",
	"DELETE FROM perfhouse.phase_chunk WHERE run_id = $1",
	"DELETE FROM perfhouse.logical WHERE run_id = $1",
};

/* $2: the numbers of the phases, all others as stored. */
static const char phase_sql[] =
	"INSERT INTO perfhouse.phase_chunk (run_id, first_phase, first_step, last_step, n_events,"
	" n_locations, leap, max_lateness, t_first, t_last, pattern, merge_reason, merge_reasons,"
	" regions, followed_by) VALUES ($1, $2[1], $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,"
	" $15)";

static const Oid phase_types[] = {INT4OID, INT4OID, INT4OID, INT4OID, INT4OID, INT4OID, INT8OID,
								  INT8OID, INT8OID, TEXTOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID};

static const char chunk_sql[] =
	"INSERT INTO perfhouse.logical_chunk (run_id, location_id, chunk_no, format, n_events, n_ends,"
	" first_seq, step_first, step_last, t_first, t_last, places, metrics, causes, ends, counters)"
	" SELECT $1, n.* FROM unnest($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)"
	" AS n";

static const Oid chunk_types[] = {INT4OID,	INT4OID,  INT4OID,	INT4OID,  INT4OID,
								  INT4OID,	INT4OID,  INT4OID,	INT8OID,  INT8OID,
								  BYTEAOID, BYTEAOID, BYTEAOID, BYTEAOID, BYTEAOID};

static const char logical_sql[] =
	"INSERT INTO perfhouse.logical (run_id, version, options, n_locations, n_events, n_messages,"
	" n_phases, last_step, notes) VALUES ($1, $2, $3::jsonb, $4, $5, $6, $7, $8, $9::jsonb)"
	" RETURNING jsonb_build_object('events', n_events, 'messages', n_messages, 'locations',"
	" n_locations, 'phases', n_phases, 'last_step', last_step, 'notes', notes, 'options', options,"
	" 'seconds', round($10::numeric, 3))";

/* Number of rows that the statement found or changed. */
static uint64
execute_with_run(const char *sql, int64 run_id)
{
	Oid type = INT8OID;
	Datum run = Int64GetDatum(run_id);
	int result = SPI_execute_with_args(sql, 1, &type, &run, NULL, false, 0);
	if (result < 0)
		elog(ERROR, "storing logical time failed: %s", SPI_result_code_string(result));
	return SPI_processed;
}

void
ph_logical_lock(int64 run_id)
{
	if (execute_with_run(lock_sql, run_id) == 0)
		ereport(ERROR,
				(errcode(PH_ERRCODE_NOT_FOUND), errmsg("there is no run " INT64_FORMAT, run_id),
				 errhint("perfhouse.run_overview lists the runs.")));
}

/* ---- phases ---- */

typedef struct PhaseWriter
{
	PhLogicalRun *run;
	PhRowBatch batch;
	uint32 *seen; /* by region: the last phase that had it, + 1 */
	uint32 *regions;
	PhLogicalSummary *lateness; /* by phase */
	uint8 *patterns;
	MemoryContext texts; /* of one phase */
} PhaseWriter;

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *) a, *(const char *const *) b);
}

/* The names of the phase's functions, each once, in order. */
static char *
list_regions(PhaseWriter *writer, uint32 n)
{
	const PhTraceRun *trace = writer->run->trace;
	const char **names = palloc(sizeof(char *) * Max(n, 1));
	StringInfoData list;
	for (uint32 i = 0; i < n; i++)
		names[i] = ph_trace_region_name(trace, writer->regions[i]);
	qsort(names, n, sizeof(char *), compare_names);
	n = (uint32) qunique(names, n, sizeof(char *), compare_names);
	initStringInfo(&list);
	for (uint32 i = 0; i < n; i++)
		appendStringInfo(&list, "%s%s", i > 0 ? ", " : "", names[i]);
	return list.data;
}

/* Notes a region of the phase that was not met in it before. */
static void
meet_region(PhaseWriter *writer, uint32 phase, uint32 region, uint32 *n)
{
	if (region == PH_NONE || region >= writer->run->trace->model.n_regions ||
		writer->seen[region] == phase + 1)
		return;
	writer->seen[region] = phase + 1;
	writer->regions[(*n)++] = region;
}

/* Looks at all events of a phase: when it was, and which functions it has. */
static uint32
scan_phase(PhaseWriter *writer, uint32 phase, int64 *first, int64 *last)
{
	const PhLogical *logical = &writer->run->logical;
	const PhLogicalModel *model = &writer->run->model;
	uint32 n = 0;
	*first = PG_INT64_MAX;
	*last = PG_INT64_MIN;
	for (uint32 m = logical->first_member[phase]; m < logical->first_member[phase + 1]; m++)
		for (uint32 e = logical->member_first[m]; e <= logical->member_last[m]; e++)
		{
			*first = Min(*first, model->enter[e]);
			*last = Max(*last, model->exit[e]);
			meet_region(writer, phase, model->region[e], &n);
		}
	return n;
}

static char *
list_reasons(uint32 reasons)
{
	StringInfoData list;
	initStringInfo(&list);
	appendStringInfoChar(&list, '{');
	for (uint32 r = 1; r < PH_MERGE_REASONS; r++)
		if ((reasons >> (r - 1) & 1) != 0)
			appendStringInfo(&list, "%s\"%s\"", list.len > 1 ? "," : "", ph_merge_reason_name(r));
	appendStringInfoChar(&list, '}');
	return list.data;
}

static char *
list_followers(const PhLogical *logical, uint32 phase)
{
	StringInfoData list;
	initStringInfo(&list);
	appendStringInfoChar(&list, '{');
	for (uint32 i = logical->first_edge[phase]; i < logical->first_edge[phase + 1]; i++)
		appendStringInfo(&list, "%s%u", list.len > 1 ? "," : "", logical->edge_target[i]);
	appendStringInfoChar(&list, '}');
	return list.data;
}

/* "": no exchange */
static const char *
pattern_text(uint32 pattern)
{
	switch (pattern)
	{
		case PH_PATTERN_SRSR:
			return "SRSR";
		case PH_PATTERN_SSRR:
			return "SSRR";
		case PH_PATTERN_SSWA:
			return "SSWA";
		case PH_PATTERN_UNKNOWN:
			return "unknown";
		default:
			return "";
	}
}

static void
put_phase(PhaseWriter *writer, uint32 phase)
{
	const PhLogical *logical = &writer->run->logical;
	PhRowBatch *batch = &writer->batch;
	int64 first, last;
	uint32 n_regions = scan_phase(writer, phase, &first, &last);
	MemoryContext old = MemoryContextSwitchTo(writer->texts);
	ph_batch_int(batch, (int32) phase);
	ph_batch_int(batch, logical->first_step[phase]);
	ph_batch_int(batch, logical->last_step_of[phase]);
	ph_batch_int(batch, (int32) logical->n_events_of[phase]);
	ph_batch_int(batch, (int32) (logical->first_member[phase + 1] - logical->first_member[phase]));
	ph_batch_int(batch, (int32) logical->leap[phase]);
	ph_batch_bigint(batch, writer->lateness[phase].max);
	ph_batch_bigint(batch, first);
	ph_batch_bigint(batch, last);
	ph_batch_text(batch, pattern_text(writer->patterns[phase]));
	ph_batch_text(batch, ph_merge_reason_name(logical->reason[phase]));
	ph_batch_text(batch, list_reasons(logical->reasons[phase]));
	ph_batch_text(batch, list_regions(writer, n_regions));
	ph_batch_text(batch, list_followers(logical, phase));
	MemoryContextSwitchTo(old);
	MemoryContextReset(writer->texts);
	ph_batch_put(batch);
}

static void
write_phases(PhLogicalRun *run)
{
	MemoryContext context = run->trace->scratch->context;
	PhEnv *env = &run->trace->scratch->env;
	Size n_regions = Max(run->trace->model.n_regions, 1);
	PhaseWriter writer = {.run = run};
	size_t n_phases = Max(run->logical.n_phases, 1);
	void *lateness, *patterns;
	ph_batch_begin(&writer.batch, run->trace->run_id, phase_sql, lengthof(phase_types),
				   phase_types);
	writer.seen = MemoryContextAllocZero(context, sizeof(uint32) * n_regions);
	writer.regions = MemoryContextAlloc(context, sizeof(uint32) * n_regions);
	writer.texts = AllocSetContextCreate(context, "perfhouse phase", ALLOCSET_DEFAULT_SIZES);
	PH_CHECK(env, ph_env_alloc(env, n_phases, sizeof(PhLogicalSummary), &lateness));
	PH_CHECK(env, ph_env_alloc(env, n_phases, sizeof(uint8), &patterns));
	writer.lateness = lateness;
	writer.patterns = patterns;
	PH_CHECK(env,
			 ph_logical_patterns(env, &run->logical, run->request.options.compat, writer.patterns));
	PH_CHECK(env, ph_logical_summarise_phases(env, &run->metrics, PH_LATENESS, writer.lateness));
	for (uint32 phase = 0; phase < run->logical.n_phases; phase++)
		put_phase(&writer, phase);
	ph_batch_end(&writer.batch);
}

/* ---- chunks ---- */

static void
put_chunk(PhRowBatch *batch, const PhLogicalChunk *chunk)
{
	const PhBytes *groups[] = {&chunk->places, &chunk->metrics, &chunk->causes, &chunk->ends,
							   &chunk->counters};
	ph_batch_int(batch, (int32) chunk->location);
	ph_batch_int(batch, (int32) chunk->chunk_no);
	ph_batch_int(batch, chunk->format);
	ph_batch_int(batch, (int32) chunk->n_events);
	ph_batch_int(batch, (int32) chunk->n_ends);
	ph_batch_int(batch, (int32) chunk->first_seq);
	ph_batch_int(batch, (int32) chunk->step_first);
	ph_batch_int(batch, (int32) chunk->step_last);
	ph_batch_bigint(batch, chunk->t_first);
	ph_batch_bigint(batch, chunk->t_last);
	for (int group = 0; group < (int) lengthof(groups); group++)
		ph_batch_bytes(batch, groups[group]->data, groups[group]->size);
	ph_batch_put(batch);
}

static void
write_chunks(PhLogicalRun *run)
{
	PhEnv *env = &run->trace->scratch->env;
	const PhLogicalModel *model = &run->model;
	PhLogicalCodec *codec;
	PhLogicalEvents events;
	PhLogicalChunk chunk;
	PhRowBatch batch;
	ph_batch_begin(&batch, run->trace->run_id, chunk_sql, lengthof(chunk_types), chunk_types);
	PH_CHECK(env, ph_logical_codec_new(env, &codec));
	uint32 chunk_no = 0;
	for (uint32 first = 0; first < model->n_events; first += events.n_events)
	{
		chunk_no = first == model->timeline_first[model->timeline[first]] ? 0 : chunk_no + 1;
		PH_CHECK(env, ph_logical_extract(codec, &run->metrics, &run->counters, first, &events));
		PH_CHECK(env, ph_logical_encode(codec, &events, &chunk));
		chunk.chunk_no = chunk_no;
		put_chunk(&batch, &chunk);
	}
	ph_batch_end(&batch);
	ph_logical_codec_free(codec);
}

/* ---- the run ---- */

static char *
notes_text(const PhLogicalRun *run)
{
	const PhLogicalNotes *notes = &run->model.notes;
	return psprintf(
		"{\"unmatched_sends\": " UINT64_FORMAT ", \"unmatched_receives\": " UINT64_FORMAT
		", \"unpaired_collectives\": " UINT64_FORMAT ", \"calls_without_region\": " UINT64_FORMAT
		", \"split_collectives\": %u, \"cut_messages\": %u}",
		notes->unmatched_sends, notes->unmatched_receives, notes->unpaired_collectives,
		notes->calls_without_region, run->logical.split_collectives, run->logical.cut_messages);
}

static Datum
write_summary(PhLogicalRun *run, double seconds)
{
	static Oid types[] = {INT8OID, INT4OID, TEXTOID, INT4OID, INT8OID,
						  INT8OID, INT4OID, INT4OID, TEXTOID, FLOAT8OID};
	const PhLogicalModel *model = &run->model;
	Datum values[] = {
		Int64GetDatum(run->trace->run_id),
		Int32GetDatum(PH_LOGICAL_VERSION),
		CStringGetTextDatum(ph_logical_request_text(&run->request)),
		Int32GetDatum((int32) model->n_timelines),
		Int64GetDatum(model->n_events),
		Int64GetDatum(model->n_messages),
		Int32GetDatum((int32) run->logical.n_phases),
		Int32GetDatum(run->logical.last_step),
		CStringGetTextDatum(notes_text(run)),
		Float8GetDatum(seconds),
	};
	bool is_null;
	if (SPI_execute_with_args(logical_sql, lengthof(types), types, values, NULL, false, 0) !=
		SPI_OK_INSERT_RETURNING)
		elog(ERROR, "storing logical time failed");
	Datum row = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &is_null);
	return SPI_datumTransfer(row, false, -1);
}

Datum
ph_logical_write(PhLogicalRun *run, double seconds)
{
	for (int i = 0; i < (int) lengthof(delete_sql); i++)
		execute_with_run(delete_sql[i], run->trace->run_id);
	write_phases(run);
	write_chunks(run);
	return write_summary(run, seconds);
}
