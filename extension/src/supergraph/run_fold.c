/*
 * run_fold.c - see run_fold.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "executor/spi.h"
#include "utils/memutils.h"

#include "profile/run_blocks.h"
#include "profile/run_tables.h"
#include "server/args.h"
#include "server/pgenv.h"
#include "server/query_rows.h"
#include "stored/block_stream.h"
#include "supergraph/fold.h"
#include "supergraph/run_fold.h"

typedef struct Folding
{
	const PhRunRequest *request;
	PhRunTables tables;
	const uint32 *picked; /* of the run's metrics */
	uint32 n_metrics;
	int32 *metric_ids;
	PhRunBlocks blocks;
	PhScratch *scratch;
	PhFold *fold;
	uint32 metric; /* whose rows stream by */
} Folding;

/* Whether rows as they are stored are what the profile would have. */
static bool
is_plain(const Folding *folding)
{
	const PhRunTables *tables = &folding->tables;
	if (tables->run.storage != PH_STORAGE_BLOCKS || tables->is_mean || tables->n_derived > 0)
		return false;
	for (uint32 i = 0; i < tables->n_locations; i++)
		if (tables->locations[i].iteration != PH_NO_ITERATION)
			return false;
	for (uint32 m = 0; m < folding->n_metrics; m++)
		if (tables->metrics[folding->picked[m]].factor != 1)
			return false;
	return true;
}

static void
open_block(Folding *folding, uint32 i, PhStoredBlock *out)
{
	ph_run_block_open(&folding->blocks, i, &folding->scratch->env, folding->tables.tree->profile,
					  folding->tables.n_locations, out);
}

static void
tell_presence(Folding *folding)
{
	PhStoredBlock *open = palloc(sizeof(PhStoredBlock));
	PhEnv *env = &folding->scratch->env;
	for (uint32 i = 0; i < folding->blocks.n; i++)
	{
		const PhRunBlock *block = &folding->blocks.blocks[i];
		open_block(folding, i, open);
		for (uint32 row = 0; row < open->n_rows; row++)
		{
			PhRunWalk walk = {0};
			uint32 first, n;
			while (ph_block_next_run(open, &open->rows[row], &walk, &first, &n))
				PH_CHECK(env, ph_fold_presence(
								  folding->fold, (uint32) block->block * PH_BLOCK_NODES + row,
								  (uint32) block->stripe * PH_STRIPE_COLUMNS + first, n));
		}
	}
	pfree(open);
}

static void
make_room(Folding *folding)
{
	PhMetricSpec *metrics = palloc(sizeof(PhMetricSpec) * folding->n_metrics);
	for (uint32 m = 0; m < folding->n_metrics; m++)
		metrics[m] = folding->tables.metrics[folding->picked[m]].spec;
	PH_CHECK(&folding->scratch->env,
			 ph_fold_room(folding->fold, folding->tables.n_locations, folding->tables.locations,
						  folding->n_metrics, metrics));
	pfree(metrics);
}

static PhStatus
take_row(void *user, const PhStreamedRow *row)
{
	Folding *folding = user;
	PhRunWalk walk = {0};
	uint32 first, n, cell = 0;
	for (; ph_block_next_run(row->block, row->row, &walk, &first, &n); cell += n)
		ph_fold_add(folding->fold, folding->metric, row->node,
					row->stripe * PH_STRIPE_COLUMNS + first, n, row->exclusive + cell,
					row->inclusive + cell, NULL);
	return PH_OK;
}

static void
stream_values(Folding *folding)
{
	const PhRunBlock *blocks = folding->blocks.blocks;
	PhEnv *env = &folding->scratch->env;
	PhStoredBlock *open = palloc(sizeof(PhStoredBlock));
	PhBlockStream *stream;
	PH_CHECK(env, ph_block_stream_new(&folding->scratch->arena, folding->tables.tree->profile,
									  folding->tables.n_locations, take_row, folding, &stream));
	for (uint32 i = 0; i < folding->blocks.n; i++)
	{
		bool is_new = i == 0 || blocks[i].metric_id != blocks[i - 1].metric_id ||
					  blocks[i].stripe != blocks[i - 1].stripe;
		folding->metric =
			ph_metric_position(folding->metric_ids, folding->n_metrics, blocks[i].metric_id);
		const PhMetricSpec *spec = &folding->tables.metrics[folding->picked[folding->metric]].spec;
		if (is_new)
			ph_block_stream_start(stream, spec->may_be_negative, (uint32) blocks[i].stripe);
		open_block(folding, i, open);
		PH_CHECK(env, ph_block_stream_next(stream, (uint32) blocks[i].block, open));
	}
	pfree(open);
}

/* Under SPI_connect: the run's rows, and its blocks when they are all that is needed. */
static bool
read_run(Folding *folding)
{
	PhRunTables *tables = &folding->tables;
	ph_run_tables_read(tables, folding->request->run_id, false);
	folding->picked = ph_run_pick_metrics(tables, folding->request, &folding->n_metrics);
	if (!is_plain(folding))
		return false;
	folding->metric_ids = MemoryContextAlloc(tables->context, sizeof(int32) * folding->n_metrics);
	for (uint32 m = 0; m < folding->n_metrics; m++)
		folding->metric_ids[m] = tables->metrics[folding->picked[m]].metric_id;
	ph_run_blocks_read(&folding->blocks, folding->request->run_id, folding->metric_ids,
					   folding->n_metrics);
	return true;
}

static void
fold_profile(PhValue *out, const PhRunRequest *request, const PhSupergraph *graph)
{
	PhValue *whole = ph_run_read(request);
	PH_CHECK(&out->env, ph_supergraph_fold(&out->env, graph, whole->profile, &out->graph));
	MemoryContextDelete(whole->header.eoh_context);
}

PhValue *
ph_run_fold(const PhRunRequest *request, const PhSupergraph *graph)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(caller, "perfhouse fold", ALLOCSET_DEFAULT_SIZES);
	Folding folding = {.request = request, .tables.context = context, .blocks.context = context};
	ph_require_warehouse();
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	bool is_streamed = read_run(&folding);
	SPI_finish();
	MemoryContextSwitchTo(caller);
	PhValue *out = ph_value_new(PH_VALUE_SUPERGRAPH, caller);
	if (!is_streamed)
		fold_profile(out, request, graph);
	else
	{
		folding.scratch = ph_scratch_begin();
		PH_CHECK(&out->env,
				 ph_fold_new(&out->env, graph, folding.tables.tree->profile, &folding.fold));
		tell_presence(&folding);
		make_room(&folding);
		stream_values(&folding);
		PH_CHECK(&out->env, ph_fold_finish(folding.fold, &out->graph));
		ph_fold_free(folding.fold);
		ph_scratch_end(folding.scratch);
	}
	MemoryContextDelete(context);
	return out;
}
