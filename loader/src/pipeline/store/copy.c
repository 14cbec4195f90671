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
#include "profile/cells.h"
#include "stored/value_block.h"
#include "system/utf8_text.h"

/* What the writers of one table need of one run. */
typedef struct CopyRun
{
	const PhStoreRun *run;
	const PhProfile *profile;
	uint32_t *nodes;   /* by callpath_id as int8 */
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
	{PH_COPY(profile_summary), write_summaries},
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
order_nodes(PhArena *arena, const PhProfile *profile, uint32_t **out)
{
	Keyed *keyed;

	PH_TRY(PH_NEW(arena, profile->n_nodes, &keyed));
	PH_TRY(PH_NEW(arena, profile->n_nodes, out));
	for (uint32_t i = 0; i < profile->n_nodes; i++)
		keyed[i] = (Keyed){(int64_t) profile->callpath_id[i], i};
	qsort(keyed, profile->n_nodes, sizeof(*keyed), compare_keyed);
	for (uint32_t i = 0; i < profile->n_nodes; i++)
		(*out)[i] = keyed[i].index;
	return PH_OK;
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
	PH_TRY(order_nodes(arena, out->profile, &out->nodes));
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

static void
put_summary(PhCopy *copy, const CopyRun *run, uint32_t m, uint32_t node,
			const PhNodeSummary *summary)
{
	const PhMoments *inclusive = &summary->inclusive;
	const PhMoments *exclusive = &summary->exclusive;

	ph_copy_profile_summary_row(
		copy, &(PhProfileSummaryRow){.run_id = run->run->stored_id,
									 .callpath_id = (int64_t) run->profile->callpath_id[node],
									 .metric_id = run->run->metric_ids[m],
									 .n = (int32_t) summary->n,
									 .inclusive_sum = inclusive->sum,
									 .inclusive_sumsq = inclusive->sumsq,
									 .inclusive_min = inclusive->min,
									 .inclusive_max = inclusive->max,
									 .inclusive_argmin = inclusive->argmin,
									 .inclusive_argmax = inclusive->argmax,
									 .exclusive_sum = exclusive->sum,
									 .exclusive_sumsq = exclusive->sumsq,
									 .exclusive_min = exclusive->min,
									 .exclusive_max = exclusive->max,
									 .exclusive_argmin = exclusive->argmin,
									 .exclusive_argmax = exclusive->argmax});
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
		for (uint32_t i = 0; i < profile->n_nodes; i++)
		{
			PhNodeSummary summary;

			PH_TRY(ph_env_poll(env));
			ph_node_summary(profile, &run->run->units, m, run->nodes[i], &run->vectors, &summary);
			if (summary.n > 0)
				put_summary(copy, run, m, run->nodes[i], &summary);
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
