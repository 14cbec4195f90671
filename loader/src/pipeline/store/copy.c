/*
 * copy.c - the rows of claimed runs, sent by COPY BINARY, one COPY a table for all of them.
 *
 * Rows go out in the order of their primary keys, so that indexes grow at their right edge and the
 * heap lies in the order in which profile(run) reads it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/store/copy.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline/store/copy_rows.h"
#include "pipeline/store/copy_table.h"
#include "stored/summaries.h"
#include "stored/value_block.h"
#include "system/utf8_text.h"

/* What the writers of one table need of one run. */
typedef struct CopyRun
{
	const PhStoreRun *run;
	const PhProfile *profile;
	PhUnitVectors vectors;
} CopyRun;

typedef PhStatus (*WriteRows)(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run);

static PhStatus prepare(PhArena *arena, const PhStoreRun *run, CopyRun *out);
static PhStatus write_locations(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run);
static PhStatus write_values(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run);
static PhStatus write_summaries(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run);
static PhStatus write_region_summaries(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run);
static PhStatus write_derived(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run);
static PhStatus write_log(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run);

static const struct
{
	const char *sql;
	WriteRows write;
} tables[] = {
	{PH_COPY(location), write_locations},	   {PH_COPY(value_block), write_values},
	{PH_COPY(summary_block), write_summaries}, {PH_COPY(region_summary), write_region_summaries},
	{PH_COPY(derived), write_derived},		   {PH_COPY(load_log), write_log},
};

/* One table's rows of all runs. */
typedef struct TableRows
{
	WriteRows write;
	CopyRun *runs;
	uint32_t n;
} TableRows;

static PhStatus
write_runs(PhEnv *env, PhCopy *copy, const void *user)
{
	const TableRows *rows = user;
	PhStatus status = PH_OK;
	PhArena arena;

	for (uint32_t i = 0; i < rows->n && status == PH_OK && !copy->failed; i++)
	{
		ph_arena_init(&arena, env);
		status = rows->write(env, &arena, copy, &rows->runs[i]);
		ph_arena_drop(&arena);
	}
	return status;
}

PhStatus
ph_store_copy(PhEnv *env, PhConnection *db, PhArena *arena, const PhStoreRun *runs, uint32_t n)
{
	CopyRun *claimed;
	uint32_t n_claimed = 0;

	PH_TRY(PH_NEW(arena, n, &claimed));
	for (uint32_t i = 0; i < n; i++)
	{
		if (runs[i].outcome != PH_OUTCOME_SKIPPED)
			PH_TRY(prepare(arena, &runs[i], &claimed[n_claimed++]));
	}
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
	{
		TableRows rows = {tables[t].write, claimed, n_claimed};

		PH_TRY(ph_copy_table(env, db, tables[t].sql, write_runs, &rows));
	}
	return PH_OK;
}

static PhStatus
prepare(PhArena *arena, const PhStoreRun *run, CopyRun *out)
{
	out->run = run;
	out->profile = run->input->profile;
	return ph_unit_vectors_new(arena, &run->units, &out->vectors);
}

/* ---- one writer a table ---- */

static PhStatus
write_locations(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run)
{
	const PhProfile *profile = run->profile;

	(void) arena;
	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		const PhColumn *column = &profile->columns[i];

		PH_TRY(ph_env_poll(env));
		ph_copy_location_row(copy,
							 &(PhLocationRow){.run_id = run->run->stored_id,
											  .location_id = (int32_t) i,
											  .kind = (int16_t) column->kind,
											  .rank = column->rank,
											  .thread = column->thread,
											  .host = ph_profile_string(profile, column->host),
											  .name = ph_profile_string(profile, column->name),
											  .iteration = column->iteration});
	}
	return PH_OK;
}

/* Blocks come from the last to the first: what follows from a node's children comes behind them. */
static PhStatus
write_stripe(PhEnv *env, PhCopy *copy, const CopyRun *run, PhBlockWriter *writer, uint32_t m,
			 uint32_t stripe)
{
	uint32_t block;
	PhBytes bytes;

	ph_block_writer_start(writer, m, stripe);
	for (;;)
	{
		PH_TRY(ph_env_poll(env));
		PH_TRY(ph_block_writer_next(writer, &block, &bytes));
		if (block == PH_NONE)
			return PH_OK;
		if (bytes.size > 0)
			ph_copy_value_block_row(copy, &(PhValueBlockRow){.run_id = run->run->stored_id,
															 .metric_id = run->run->metric_ids[m],
															 .stripe = (int32_t) stripe,
															 .block = (int32_t) block,
															 .bytes = bytes});
	}
}

static PhStatus
write_values(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run)
{
	const PhProfile *profile = run->profile;
	PhStatus status = PH_OK;
	PhBlockWriter *writer;

	PH_TRY(ph_block_writer_new(arena, profile, &writer));
	for (uint32_t m = 0; m < profile->n_metrics; m++)
		for (uint32_t stripe = 0; stripe < ph_n_stripes(profile->n_columns); stripe++)
			if (profile->metrics[m].kind != PH_METRIC_RATIO && status == PH_OK)
				status = write_stripe(env, copy, run, writer, m, stripe);
	ph_block_writer_end(writer);
	return status;
}

static PhStatus
write_metric_summaries(PhCopy *copy, CopyRun *run, uint32_t m)
{
	uint8_t bytes[PH_SUMMARY_BLOCK_BOUND];
	size_t size;

	for (uint32_t block = 0; block < ph_n_summary_blocks(run->profile); block++)
	{
		PH_TRY(ph_summary_block_make(run->profile, &run->run->units, m, block, &run->vectors, bytes,
									 &size));
		if (size > 0)
			ph_copy_summary_block_row(copy,
									  &(PhSummaryBlockRow){.run_id = run->run->stored_id,
														   .metric_id = run->run->metric_ids[m],
														   .block = (int32_t) block,
														   .bytes = {bytes, size}});
	}
	return PH_OK;
}

static PhStatus
write_summaries(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run)
{
	(void) env;
	(void) arena;
	for (uint32_t m = 0; m < run->profile->n_metrics; m++)
		if (run->profile->metrics[m].kind != PH_METRIC_RATIO)
			PH_TRY(write_metric_summaries(copy, run, m));
	return PH_OK;
}

static PhStatus
write_region_summaries(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run)
{
	(void) env;
	for (uint32_t m = 0; m < run->profile->n_metrics; m++)
	{
		PhRegionSummary *regions;
		uint32_t n;

		if (run->profile->metrics[m].kind != PH_METRIC_FLOW)
			continue;
		PH_TRY(ph_region_summaries(arena, run->profile, &run->run->units, m, &regions, &n));
		for (uint32_t i = 0; i < n; i++)
			ph_copy_region_summary_row(
				copy, &(PhRegionSummaryRow){.run_id = run->run->stored_id,
											.region_id = regions[i].region_id,
											.metric_id = run->run->metric_ids[m],
											.n_nodes = (int32_t) regions[i].n_nodes,
											.inclusive = regions[i].inclusive,
											.exclusive = regions[i].exclusive,
											.min = regions[i].min,
											.max = regions[i].max});
	}
	return PH_OK;
}

/* Summaries can be made again of the values. */
static PhStatus
write_derived(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run)
{
	(void) env;
	(void) arena;
	ph_copy_derived_row(copy, &(PhDerivedRow){.run_id = run->run->stored_id,
											  .kind = "summaries",
											  .version = PH_SUMMARIES_VERSION});
	return PH_OK;
}

static PhStatus
write_log(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run)
{
	char *path = ph_text_valid(run->run->record->source);

	(void) env;
	(void) arena;
	ph_copy_load_log_row(copy, &(PhLoadLogRow){.run_id = run->run->stored_id,
											   .source = path,
											   .outcome = ph_outcome_name(run->run->outcome),
											   .bytes = (int64_t) run->run->bytes,
											   .seconds = run->run->seconds});
	free(path);
	return PH_OK;
}
