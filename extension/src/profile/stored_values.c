/*
 * stored_values.c - see stored_values.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "profile/cells.h"
#include "profile/flat.h"
#include "profile/stored_values.h"
#include "server/args.h"

/* The profile of a profile or super graph. */
static PhProfile *
profile_of(const PhValue *value)
{
	return value->kind == PH_VALUE_PROFILE ? value->profile : value->graph->profile;
}

/* ---- keeping and unpacking ---- */

/* Whether the metric's rows have all the cells of the profile, which has those of all its metrics.
 */
static bool
has_all_cells(const PhProfile *profile, const PhRunBlocks *blocks, int32 metric_id)
{
	uint64 stored = 0, wanted = 0;
	for (uint32 i = 0; i < blocks->n; i++)
		if (blocks->blocks[i].metric_id == metric_id)
			stored += blocks->blocks[i].n_cells;
	for (uint32 node = 0; node < profile->n_nodes; node++)
		wanted += ph_profile_n_present(profile, node);
	return stored == wanted;
}

static void
unpack(PhValue *value)
{
	PhStoredValues *stored = value->stored;
	PhProfile *profile = profile_of(value);
	PhScratch *scratch = ph_scratch_begin();
	/* what the loader counted; an earlier attempt may have been cancelled half way */
	uint64 n_residual = profile->provenance.residual_cells;
	for (uint32 m = 0; m < profile->n_metrics; m++)
		profile->metrics[m].residual = NULL;
	profile->provenance.residual_cells = 0;
	PH_CHECK(profile->arena.env, ph_profile_make_unset_room(profile));
	ph_run_blocks_fill(&stored->blocks, scratch, profile, stored->metric_ids, profile->n_columns,
					   NULL);
	profile->provenance.residual_cells = Max(profile->provenance.residual_cells, n_residual);
	ph_scratch_end(scratch);
	value->stored = NULL;
	MemoryContextDelete(stored->context);
}

/* ---- bytes that stay in the table ---- */

/*
 * Rows that a snapshot sees are not removed while a snapshot as old is held, which a statement does
 * to its end. A value that outlives a transaction, in a variable of a procedure, has its bytes
 * fetched before it commits. Nothing can be fetched when it is rolled back: what it wrote itself
 * never stays, and what others wrote is most likely still there.
 */
static dlist_head staying = DLIST_STATIC_INIT(staying);

static void
forget(void *stored)
{
	dlist_delete(&((PhStoredValues *) stored)->node);
}

static void
fetch_before_commit(XactEvent event, void *user)
{
	dlist_iter at;
	if ((event != XACT_EVENT_PRE_COMMIT && event != XACT_EVENT_PARALLEL_PRE_COMMIT) ||
		dlist_is_empty(&staying))
		return;
	PushActiveSnapshot(GetTransactionSnapshot());
	dlist_foreach(at, &staying)
		ph_run_blocks_fetch(&dlist_container(PhStoredValues, node, at.cur)->blocks);
	PopActiveSnapshot();
}

static void
watch(PhStoredValues *stored)
{
	static bool is_registered = false;
	if (!is_registered)
		RegisterXactCallback(fetch_before_commit, NULL);
	is_registered = true;
	dlist_push_tail(&staying, &stored->node);
	stored->callback = (MemoryContextCallback){.func = forget, .arg = stored};
	MemoryContextRegisterResetCallback(stored->context, &stored->callback);
}

bool
ph_value_keep_blocks(PhValue *value, const PhRunBlocks *blocks, const int32 *metric_ids)
{
	const PhProfile *profile = value->profile;
	for (uint32 m = 0; m < profile->n_metrics; m++)
		if (profile->metrics[m].kind != PH_METRIC_RATIO && !blocks->stay &&
			!has_all_cells(profile, blocks, metric_ids[m]))
			return false;
	PhStoredValues *stored = MemoryContextAllocZero(blocks->context, sizeof(PhStoredValues));
	stored->context = blocks->context;
	stored->blocks = *blocks;
	stored->metric_ids =
		MemoryContextAlloc(blocks->context, sizeof(int32) * Max(profile->n_metrics, 1));
	memcpy(stored->metric_ids, metric_ids, sizeof(int32) * profile->n_metrics);
	MemoryContextSetParent(blocks->context, value->header.eoh_context);
	if (blocks->are_own && blocks->stay)
		ph_run_blocks_fetch(&stored->blocks);
	else if (blocks->stay)
		watch(stored);
	value->stored = stored;
	value->unpack = unpack;
	return true;
}

/* ---- streaming ---- */

void
ph_value_stream(PhValue *value, uint32 metric, bool with_residuals, PhReceiveRow receive,
				void *user)
{
	PhStoredValues *stored = value->stored;
	const PhProfile *profile = profile_of(value);
	const PhMetric *definition = &profile->metrics[metric];
	bool has_none = definition->mean_inclusive != NULL && definition->mean_residual == NULL;
	PhScratch *scratch = ph_scratch_begin();
	PhStoredBlock *open = palloc(sizeof(PhStoredBlock));
	PhBlockStream *stream;
	int32 stripe = -1;
	PH_CHECK(&scratch->env, ph_block_stream_new(&scratch->arena, profile, profile->n_columns,
												receive, user, &stream));
	PH_CHECK(&scratch->env,
			 ph_block_stream_with_residuals(stream, with_residuals && !has_none &&
														definition->kind == PH_METRIC_FLOW));
	for (uint32 i = 0; i < stored->blocks.n; i++)
	{
		const PhRunBlock *block = &stored->blocks.blocks[i];
		if (block->metric_id != stored->metric_ids[metric])
			continue;
		if (block->stripe != stripe)
			ph_block_stream_start(stream, profile->metrics[metric].is_signed,
								  (uint32) block->stripe);
		stripe = block->stripe;
		ph_run_block_open(&stored->blocks, i, &scratch->env, profile, profile->n_columns, open);
		PH_CHECK(&scratch->env, ph_block_stream_next(stream, (uint32) block->block, open));
	}
	pfree(open);
	ph_scratch_end(scratch);
}

/* ---- means ---- */

/* Sums of each node so far, in four lanes (ph_row_total). */
typedef struct Lanes
{
	double exclusive[4], inclusive[4], residual[4];
} Lanes;

typedef struct MeanSums
{
	Lanes *lanes; /* by node */
	bool has_residual;
} MeanSums;

static PhStatus
add_to_lanes(void *user, const PhStreamedRow *row)
{
	MeanSums *sums = user;
	Lanes *lanes = &sums->lanes[row->node];
	PhRunWalk walk = {0};
	uint32 first, n, cell = 0;
	for (; ph_block_next_run(row->block, row->row, &walk, &first, &n); cell += n)
	{
		first += row->stripe * PH_STRIPE_COLUMNS;
		ph_row_add_lanes(lanes->exclusive, first, row->exclusive + cell, n);
		if (row->row->follows != PH_FOLLOWS_EQUAL)
			ph_row_add_lanes(lanes->inclusive, first, row->inclusive + cell, n);
		if (row->residual != NULL)
			ph_row_add_lanes(lanes->residual, first, row->residual + cell, n);
	}
	if (row->row->follows == PH_FOLLOWS_EQUAL)
		memcpy(lanes->inclusive, lanes->exclusive, sizeof(lanes->inclusive));
	sums->has_residual |= row->residual != NULL;
	return PH_OK;
}

static void
find_stored_means(PhValue *value, uint32 m)
{
	PhProfile *profile = profile_of(value);
	PhMetric *metric = &profile->metrics[m];
	MeanSums sums = {0};
	double *means[3];
	/* a supernode's mean of what does not add up is not one of means */
	if (value->kind == PH_VALUE_SUPERGRAPH && metric->kind == PH_METRIC_VALUE)
		ph_value_unpack(value);
	if (value->stored == NULL || metric->mean_inclusive != NULL)
		return;
	sums.lanes = palloc_extended(sizeof(Lanes) * Max(profile->n_nodes, 1),
								 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	ph_value_stream(value, m, true, add_to_lanes, &sums);
	for (int i = 0; i < 3; i++)
		PH_CHECK(profile->arena.env, PH_NEW(&profile->arena, profile->n_nodes, &means[i]));
	for (uint32 node = 0; node < profile->n_nodes; node++)
	{
		means[0][node] = ph_lanes_total(sums.lanes[node].exclusive) / profile->n_columns;
		means[1][node] = ph_lanes_total(sums.lanes[node].inclusive) / profile->n_columns;
		means[2][node] = ph_lanes_total(sums.lanes[node].residual) / profile->n_columns;
	}
	metric->mean_exclusive = means[0];
	metric->mean_inclusive = means[1];
	metric->mean_residual = sums.has_residual ? means[2] : NULL;
	pfree(sums.lanes);
}

void
ph_value_find_means(PhValue *value, uint32 metric)
{
	const PhMetric *definition = &profile_of(value)->metrics[metric];
	bool is_ratio = definition->kind == PH_METRIC_RATIO;
	find_stored_means(value, is_ratio ? definition->numerator : metric);
	if (is_ratio)
		find_stored_means(value, definition->denominator);
}

/* ---- node by node ---- */

typedef struct Nodes
{
	const PhProfile *whole;
	PhTakeNode take;
	void *user;
	uint32 metric;
	PhProfile one; /* its arrays are those of the whole, from the node's place on */
	PhMetric *metrics;
	size_t first_cell[2];
	uint32 first_run[2];
	uint32 parent, region, subtree_end, depth;
	uint64 callpath_id;
} Nodes;

static Nodes *
new_nodes(const PhProfile *whole, uint32 metric, PhTakeNode take, void *user)
{
	Nodes *nodes = palloc0(sizeof(Nodes));
	*nodes = (Nodes){.whole = whole, .take = take, .user = user, .metric = metric, .one = *whole};
	nodes->metrics = palloc(sizeof(PhMetric) * Max(whole->n_metrics, 1));
	memcpy(nodes->metrics, whole->metrics, sizeof(PhMetric) * whole->n_metrics);
	nodes->parent = PH_NONE;
	nodes->subtree_end = 1;
	nodes->one.n_nodes = 1;
	nodes->one.metrics = nodes->metrics;
	nodes->one.parent = &nodes->parent;
	nodes->one.region = &nodes->region;
	nodes->one.subtree_end = &nodes->subtree_end;
	nodes->one.depth = &nodes->depth;
	nodes->one.callpath_id = &nodes->callpath_id;
	nodes->one.diff_status = NULL;
	nodes->one.before = nodes->one.after = nodes->one.unfiltered = NULL;
	return nodes;
}

static void
set_node(Nodes *nodes, uint32 node)
{
	const PhProfile *whole = nodes->whole;
	PhRow row = ph_profile_row(whole, node);
	nodes->region = whole->region[node];
	nodes->depth = whole->depth[node];
	nodes->callpath_id = whole->callpath_id[node];
	if (whole->first_cell == NULL)
		return;
	nodes->first_cell[1] = row.n;
	nodes->first_run[1] = row.n_runs;
	nodes->one.first_cell = nodes->first_cell;
	nodes->one.first_run = nodes->first_run;
	nodes->one.runs = whole->runs + whole->first_run[node];
}

static PhStatus
take_streamed(void *user, const PhStreamedRow *row)
{
	Nodes *nodes = user;
	PhMetric *metric = &nodes->metrics[nodes->metric];
	set_node(nodes, row->node);
	metric->exclusive = unconstify(double *, row->exclusive);
	metric->inclusive = unconstify(double *, row->inclusive);
	metric->residual = unconstify(double *, row->residual);
	nodes->take(nodes->user, row->node, &nodes->one);
	return PH_OK;
}

static double *
from_cell(double *array, size_t cell)
{
	return array == NULL ? NULL : array + cell;
}

static void
take_unpacked(Nodes *nodes, uint32 node)
{
	size_t cell = ph_profile_row(nodes->whole, node).cell;
	set_node(nodes, node);
	for (uint32 m = 0; m < nodes->whole->n_metrics; m++)
	{
		const PhMetric *whole = &nodes->whole->metrics[m];
		PhMetric *metric = &nodes->metrics[m];
		metric->exclusive = from_cell(whole->exclusive, cell);
		metric->inclusive = from_cell(whole->inclusive, cell);
		metric->absorbed = from_cell(whole->absorbed, cell);
		metric->residual = from_cell(whole->residual, cell);
	}
	nodes->take(nodes->user, node, &nodes->one);
}

/* Nodes that have no cell have no row. */
static void
take_absent(Nodes *nodes)
{
	for (uint32 node = 0; node < nodes->whole->n_nodes; node++)
		if (ph_profile_n_present(nodes->whole, node) == 0)
		{
			set_node(nodes, node);
			nodes->take(nodes->user, node, &nodes->one);
		}
}

void
ph_value_each_node(PhValue *value, uint32 metric, PhTakeNode take, void *user)
{
	const PhProfile *whole = profile_of(value);
	/* a ratio needs two metrics side by side, a node in several stripes comes in pieces */
	if (whole->metrics[metric].kind == PH_METRIC_RATIO || whole->n_columns > PH_STRIPE_COLUMNS)
		ph_value_unpack(value);
	Nodes *nodes = new_nodes(whole, metric, take, user);
	if (value->stored == NULL)
		for (uint32 node = 0; node < whole->n_nodes; node++)
		{
			take_unpacked(nodes, node);
			CHECK_FOR_INTERRUPTS();
		}
	else
	{
		ph_value_stream(value, metric, true, take_streamed, nodes);
		take_absent(nodes);
	}
	pfree(nodes->metrics);
	pfree(nodes);
}

/* ---- arguments ---- */

const PhProfile *
ph_arg_profile_means(FunctionCallInfo fcinfo, int argument, int metric_argument, uint32 *metric)
{
	PhValue *value = ph_arg_as_it_is(fcinfo, argument, PH_VALUE_PROFILE);
	*metric = ph_arg_metric(fcinfo, metric_argument, value->profile);
	ph_value_find_means(value, *metric);
	return value->profile;
}

const PhSupergraph *
ph_arg_graph_means(FunctionCallInfo fcinfo, int argument, int metric_argument, uint32 *metric)
{
	PhValue *value = ph_arg_as_it_is(fcinfo, argument, PH_VALUE_SUPERGRAPH);
	*metric = ph_arg_metric(fcinfo, metric_argument, value->graph->profile);
	ph_value_find_means(value, *metric);
	return value->graph;
}
