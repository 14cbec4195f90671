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

#include "base/min_max.h"
#include "pipeline/store/copy_rows.h"
#include "pipeline/store/copy_table.h"
#include "profile/cells.h"
#include "stored/summary_block.h"
#include "stored/value_block.h"
#include "system/utf8_text.h"

/* What the writers of one table need of one run. */
typedef struct CopyRun
{
	const PhStoreRun *run;
	const PhProfile *profile;
	uint32_t *regions; /* first region of each id, by region_id as int8 */
	uint32_t n_regions;
	PhUnitVectors vectors;
} CopyRun;

typedef PhStatus (*WriteRows)(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run);

static PhStatus prepare(PhArena *arena, const PhStoreRun *run, CopyRun *out);
static PhStatus write_locations(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run);
static PhStatus write_values(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run);
static PhStatus write_summaries(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run);
static PhStatus write_region_summaries(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run);
static PhStatus write_log(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run);

static const struct
{
	const char *sql;
	WriteRows write;
} tables[] = {
	{PH_COPY(location), write_locations},
	{PH_COPY(value_block), write_values},
	{PH_COPY(summary_block), write_summaries},
	{PH_COPY(region_summary), write_region_summaries},
	{PH_COPY(load_log), write_log},
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

/* ---- orders ---- */

typedef struct Keyed
{
	int64_t key;
	uint32_t index;
} Keyed;

static int
compare_keyed(const void *x, const void *y)
{
	const Keyed *a = x;
	const Keyed *b = y;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

static PhStatus
order_regions(PhArena *arena, const PhProfile *profile, uint32_t **out, uint32_t *n)
{
	Keyed *keyed;
	uint32_t kept = 0;

	PH_TRY(PH_NEW(arena, profile->n_regions, &keyed));
	PH_TRY(PH_NEW(arena, profile->n_regions, out));
	for (uint32_t i = 0; i < profile->n_regions; i++)
		keyed[i] = (Keyed){(int64_t) profile->regions[i].region_id, i};
	qsort(keyed, profile->n_regions, sizeof(*keyed), compare_keyed);
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		if (i == 0 || keyed[i].key != keyed[i - 1].key)
			(*out)[kept++] = keyed[i].index;
	}
	*n = kept;
	return PH_OK;
}

static PhStatus
prepare(PhArena *arena, const PhStoreRun *run, CopyRun *out)
{
	out->run = run;
	out->profile = run->input->profile;
	PH_TRY(order_regions(arena, out->profile, &out->regions, &out->n_regions));
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

/* The nodes from first on, as many as a block has. */
static void
write_summary_block(PhCopy *copy, CopyRun *run, uint32_t m, uint32_t first)
{
	PhNodeSummary nodes[PH_BLOCK_NODES];
	uint8_t bytes[PH_SUMMARY_BLOCK_BOUND];
	uint32_t n = PH_MIN(run->profile->n_nodes - first, PH_BLOCK_NODES);
	size_t size;

	for (uint32_t i = 0; i < n; i++)
		ph_node_summary(run->profile, &run->run->units, m, first + i, &run->vectors, &nodes[i]);
	size = ph_summary_pack(nodes, n, ph_summary_sums_of(run->profile, &run->run->units, m), bytes);
	if (size > 0)
		ph_copy_summary_block_row(copy,
								  &(PhSummaryBlockRow){.run_id = run->run->stored_id,
													   .metric_id = run->run->metric_ids[m],
													   .block = (int32_t) (first / PH_BLOCK_NODES),
													   .bytes = {bytes, size}});
}

static PhStatus
write_summaries(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run)
{
	const PhProfile *profile = run->profile;

	(void) arena;
	for (uint32_t m = 0; m < profile->n_metrics; m++)
	{
		if (profile->metrics[m].kind == PH_METRIC_RATIO)
			continue;
		for (uint32_t first = 0; first < profile->n_nodes; first += PH_BLOCK_NODES)
		{
			PH_TRY(ph_env_poll(env));
			write_summary_block(copy, run, m, first);
		}
	}
	return PH_OK;
}

static PhStatus
write_region_summaries(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run)
{
	(void) env;
	for (uint32_t m = 0; m < run->profile->n_metrics; m++)
	{
		PhRegionSummary *summaries;

		if (run->profile->metrics[m].kind != PH_METRIC_FLOW)
			continue;
		PH_TRY(ph_region_summaries(arena, run->profile, &run->run->units, m, &summaries));
		for (uint32_t i = 0; i < run->n_regions; i++)
		{
			const PhRegionSummary *summary = &summaries[run->regions[i]];
			uint64_t region_id = run->profile->regions[run->regions[i]].region_id;

			ph_copy_region_summary_row(copy,
									   &(PhRegionSummaryRow){.run_id = run->run->stored_id,
															 .region_id = (int64_t) region_id,
															 .metric_id = run->run->metric_ids[m],
															 .n_nodes = (int32_t) summary->n_nodes,
															 .inclusive = summary->inclusive,
															 .exclusive = summary->exclusive,
															 .min = summary->min,
															 .max = summary->max});
		}
	}
	return PH_OK;
}

static PhStatus
write_log(PhEnv *env, PhArena *arena, PhCopy *copy, CopyRun *run)
{
	char *path = ph_text_valid(run->run->path);

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
