/*
 * cell_check.c - one pass over the vectors of a stored run.
 *
 * A strip is as many neighbouring columns of one block as fit into memory for all nodes. The rows
 * of a strip come by metric: they fill two matrices, and when the metric changes one walk over the
 * tree from its end adds up the children of every node.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "base/warehouse_columns.h"
#include "profile/node_table.h"
#include "profile/run_tables.h"
#include "server/compat.h"
#include "server/query_rows.h"
#include "stored/value_block.h"
#include "upkeep/cell_check.h"

#define STRIP_CELLS ((uint32) 4 << 20) /* of each of two matrices at most: 32 MB */
#define STRIP_SHARE 4 /* of the memory limit both together take a quarter at most */
#define TOLERANCE 1e-9

static const char metrics_sql[] =
	"SELECT m.metric_id, m.kind::int4, m.is_signed FROM perfhouse.metric m"
	" WHERE m.metric_id IN (SELECT unnest(metric_ids) FROM perfhouse.run WHERE run_id = $1)"
	" ORDER BY m.metric_id";
static const char strip_sql[] = "SELECT " PH_SELECT(
	profile_values_1, "") " FROM perfhouse.profile_values"
						  " WHERE run_id = $1 AND block = $2 ORDER BY metric_id, callpath_id";
static const char beyond_sql[] = "SELECT " PH_SELECT(
	profile_values_1,
	"") " FROM perfhouse.profile_values"
		" WHERE run_id = $1 AND (block < 0 OR block >= $2) ORDER BY metric_id, callpath_id, block";
static const char summaries_sql[] =
	"SELECT callpath_id, metric_id, inclusive_sum, exclusive_sum FROM perfhouse.profile_summary"
	" WHERE run_id = $1 ORDER BY metric_id, callpath_id";
static const char blocks_sql[] =
	"SELECT metric_id, stripe, block, bytes FROM perfhouse.value_block WHERE run_id = $1"
	" ORDER BY metric_id, stripe, block";
static const char residual_sql[] = "SELECT residual_cells FROM perfhouse.run WHERE run_id = $1";

typedef struct NodeSums
{
	double inclusive;
	double exclusive;
	bool has_value;
} NodeSums;

typedef struct CheckedMetric
{
	int32 metric_id;
	PhMetricKind kind;
	bool is_signed;
	NodeSums *sums; /* by node */
} CheckedMetric;

typedef struct CellCheck
{
	MemoryContext context; /* of the findings */
	PhScratch *scratch;
	int64 run_id;
	const PhProfile *tree;
	PhNodeTable nodes;
	CheckedMetric *metrics;
	uint32 n_metrics;
	uint64 n_vectors;
	uint32 n_columns; /* of the run */

	/* the strip */
	uint32 block_columns; /* of its block */
	uint32 offset;		  /* of its first column in the block */
	uint32 width;
	double *inclusive; /* nodes x width */
	double *exclusive;
	bool *has_row;		/* by node */
	double *below;		/* depths x width: children of the nodes under way */
	CheckedMetric *now; /* whose rows came last; NULL: none */

	uint64 n_wrong; /* cells */
	uint64 n_residual;
	int64 first_wrong; /* smallest call path id */
	uint64 n_wrong_sums;
	int64 residual_cells; /* that the run row counts */
	PhCellFindings found;
} CellCheck;

/* Keeps the first finding about vectors. */
static void
bad_vector(CellCheck *check, const TupleTableSlot *slot, const char *wrong)
{
	if (check->found.vectors != NULL)
		return;
	MemoryContext old = MemoryContextSwitchTo(check->context);
	check->found.vectors = psprintf("call path " INT64_FORMAT ", metric %d, block %d %s",
									ph_slot_bigint(slot, PH_SLOT(profile_values_1, callpath_id), 0),
									ph_slot_int(slot, PH_SLOT(profile_values_1, metric_id), 0),
									ph_slot_int(slot, PH_SLOT(profile_values_1, block), 0), wrong);
	MemoryContextSwitchTo(old);
}

static void *
room(CellCheck *check, size_t count, size_t size)
{
	uint8_t *memory;
	PH_CHECK(&check->scratch->env, PH_NEW(&check->scratch->arena, count * size, &memory));
	return memory;
}

/* ---- metrics ---- */

static void
receive_metric(void *user, TupleTableSlot *slot)
{
	CellCheck *check = user;
	CheckedMetric *metrics = room(check, check->n_metrics + 1, sizeof(CheckedMetric));
	CheckedMetric *metric = &metrics[check->n_metrics];
	if (check->n_metrics > 0)
		memcpy(metrics, check->metrics, check->n_metrics * sizeof(CheckedMetric));
	*metric = (CheckedMetric){.metric_id = ph_slot_int(slot, 0, 0),
							  .kind = (PhMetricKind) ph_slot_int(slot, 1, 0),
							  .is_signed = DatumGetBool(slot->tts_values[2])};
	metric->sums = room(check, check->tree->n_nodes, sizeof(NodeSums));
	memset(metric->sums, 0, check->tree->n_nodes * sizeof(NodeSums));
	check->metrics = metrics;
	check->n_metrics++;
}

static CheckedMetric *
metric_of(const CellCheck *check, int32 metric_id)
{
	for (uint32 m = 0; m < check->n_metrics; m++)
		if (check->metrics[m].metric_id == metric_id)
			return &check->metrics[m];
	return NULL;
}

/* ---- additivity ---- */

/*
 * The loader leaves a residual only where the children exceed an exclusive that it set to 0, and
 * counts those cells.
 */
static void
check_cell(CellCheck *check, uint32 node, double inclusive, double exclusive, double children)
{
	double rest = inclusive - exclusive - children;
	double size = Max(Max(fabs(inclusive), fabs(exclusive)), fabs(children));
	int64 id = (int64) check->tree->callpath_id[node];
	if (fabs(rest) <= TOLERANCE * size)
		return;
	if (rest < 0 && exclusive == 0 && !check->now->is_signed)
	{
		check->n_residual++;
		return;
	}
	if (check->n_wrong == 0 || id < check->first_wrong)
		check->first_wrong = id;
	check->n_wrong++;
}

/*
 * Checks all cells of the metric just read: inclusive = exclusive + children. Nodes are in
 * pre-order, so from the last to the first each node comes after all of its descendants. below has
 * one row of sums per depth: at a node of depth d, row d + 1 holds the inclusive sums of its
 * children, which are used and cleared, and row d gets the node's own.
 */
static void
end_metric(CellCheck *check)
{
	const PhProfile *tree = check->tree;
	uint32 width = check->width;
	if (check->now == NULL || check->now->kind != PH_METRIC_FLOW)
		return;
	for (uint32 node = tree->n_nodes; node-- > 0;)
	{
		double *own = check->below + (size_t) tree->depth[node] * width;
		double *children = own + width;
		const double *inclusive = check->inclusive + (size_t) node * width;
		const double *exclusive = check->exclusive + (size_t) node * width;
		CHECK_FOR_INTERRUPTS();
		for (uint32 c = 0; check->has_row[node] && c < width; c++)
		{
			check_cell(check, node, inclusive[c], exclusive[c], children[c]);
			own[c] += inclusive[c];
		}
		memset(children, 0, width * sizeof(double));
	}
	memset(check->below, 0, width * sizeof(double));
}

static void
begin_metric(CellCheck *check, CheckedMetric *metric)
{
	end_metric(check);
	check->now = metric;
	memset(check->has_row, 0, check->tree->n_nodes * sizeof(bool));
}

/* ---- vectors ---- */

static bool
is_null(const bits8 *bitmap, uint32 i)
{
	return bitmap != NULL && (bitmap[i >> 3] & (1 << (i & 7))) == 0;
}

/* The strip's part of a vector, null as 0. */
static void
copy_part(const CellCheck *check, ArrayType *vector, double *out)
{
	const bits8 *bitmap = ARR_NULLBITMAP(vector);
	const double *value = (const double *) ARR_DATA_PTR(vector);
	uint32 end = check->offset + check->width;
	if (bitmap == NULL)
	{
		memcpy(out, value + check->offset, check->width * sizeof(double));
		return;
	}
	for (uint32 i = 0; i < end; i++)
	{
		bool null = is_null(bitmap, i);
		if (i >= check->offset)
			out[i - check->offset] = null ? 0 : *value;
		value += !null;
	}
}

static const char *
wrong_numbers(const CellCheck *check, ArrayType *inclusive, ArrayType *exclusive, uint32 node)
{
	const double *i = check->inclusive + (size_t) node * check->width;
	const double *e = check->exclusive + (size_t) node * check->width;
	for (uint32 c = 0; c < check->width; c++)
	{
		uint32 place = check->offset + c;
		if (is_null(ARR_NULLBITMAP(inclusive), place) != is_null(ARR_NULLBITMAP(exclusive), place))
			return "has nulls in only one of inclusive and exclusive";
		if (!isfinite(i[c]) || !isfinite(e[c]))
			return "has a value that is not finite";
	}
	return NULL;
}

static void
add_sums(CellCheck *check, const bits8 *nulls, NodeSums *sums, uint32 node)
{
	const double *inclusive = check->inclusive + (size_t) node * check->width;
	const double *exclusive = check->exclusive + (size_t) node * check->width;
	for (uint32 c = 0; c < check->width; c++)
	{
		sums->inclusive += inclusive[c];
		sums->exclusive += exclusive[c];
		sums->has_value |= !is_null(nulls, check->offset + c);
	}
}

static bool
has_length(ArrayType *vector, uint32 length)
{
	return ARR_ELEMTYPE(vector) == FLOAT8OID && ARR_NDIM(vector) == 1 &&
		   (uint32) ARR_DIMS(vector)[0] == length;
}

static void
receive_vector(void *user, TupleTableSlot *slot)
{
	CellCheck *check = user;
	ArrayType *inclusive =
		DatumGetArrayTypeP(slot->tts_values[PH_SLOT(profile_values_1, inclusive)]);
	ArrayType *exclusive =
		DatumGetArrayTypeP(slot->tts_values[PH_SLOT(profile_values_1, exclusive)]);
	uint32 node = ph_node_table_find(
		&check->nodes, (uint64) ph_slot_bigint(slot, PH_SLOT(profile_values_1, callpath_id), 0));
	CheckedMetric *metric =
		metric_of(check, ph_slot_int(slot, PH_SLOT(profile_values_1, metric_id), 0));
	const char *wrong = NULL;
	check->n_vectors++;
	if (node == PH_NONE)
		wrong = "belongs to no node of the tree";
	else if (metric == NULL)
		wrong = "belongs to no metric of the run";
	else if (!has_length(inclusive, check->block_columns) ||
			 !has_length(exclusive, check->block_columns))
		wrong = "does not have an element per location";
	if (wrong == NULL)
	{
		if (metric != check->now)
			begin_metric(check, metric);
		copy_part(check, inclusive, check->inclusive + (size_t) node * check->width);
		copy_part(check, exclusive, check->exclusive + (size_t) node * check->width);
		wrong = wrong_numbers(check, inclusive, exclusive, node);
		check->has_row[node] = true;
		add_sums(check, ARR_NULLBITMAP(inclusive), &metric->sums[node], node);
	}
	if (wrong != NULL)
		bad_vector(check, slot, wrong);
}

static void
receive_beyond(void *user, TupleTableSlot *slot)
{
	CellCheck *check = user;
	check->n_vectors++;
	bad_vector(check, slot, "has a block beyond the locations");
}

/* ---- summaries ---- */

static bool
is_sum(double sum, const TupleTableSlot *slot, int column, double size)
{
	return fabs(sum - DatumGetFloat8(slot->tts_values[column])) <= TOLERANCE * size;
}

/* Of every metric values are added up; only those of flows are never null. */
static bool
are_sums(const NodeSums *sums, const TupleTableSlot *slot, bool is_flow)
{
	double size;
	if (ph_slot_is_null(slot, 2) || ph_slot_is_null(slot, 3))
		return !is_flow;
	size = fabs(sums->inclusive) + fabs(DatumGetFloat8(slot->tts_values[2]));
	return is_sum(sums->inclusive, slot, 2, size) && is_sum(sums->exclusive, slot, 3, size);
}

/*
 * Compares one stored summary with the sums over the vectors. What was compared is marked as having
 * no value: a second summary of the same node is wrong, and so is what still has a value when all
 * summaries were read (check_summaries): it has none.
 */
static void
receive_summary(void *user, TupleTableSlot *slot)
{
	CellCheck *check = user;
	uint32 node = ph_node_table_find(&check->nodes, (uint64) ph_slot_bigint(slot, 0, 0));
	CheckedMetric *metric = metric_of(check, ph_slot_int(slot, 1, 0));
	NodeSums *sums = metric != NULL && node != PH_NONE ? &metric->sums[node] : NULL;
	if (sums == NULL || !sums->has_value || !are_sums(sums, slot, metric->kind == PH_METRIC_FLOW))
		check->n_wrong_sums++;
	if (sums != NULL)
		sums->has_value = false;
}

static void
check_summaries(CellCheck *check, ParamListInfo run)
{
	ph_query_rows(summaries_sql, run, receive_summary, check);
	for (uint32 m = 0; m < check->n_metrics; m++)
		for (uint32 node = 0; node < check->tree->n_nodes; node++)
			check->n_wrong_sums += check->metrics[m].sums[node].has_value;
	if (check->n_wrong_sums > 0)
		check->found.summaries =
			psprintf(UINT64_FORMAT " of them disagree with the vectors", check->n_wrong_sums);
}

/* ---- the whole ---- */

static void
receive_residual(void *user, TupleTableSlot *slot)
{
	CellCheck *check = user;
	check->residual_cells = ph_slot_bigint(slot, 0, 0);
}

static void
judge_additivity(CellCheck *check, ParamListInfo run)
{
	ph_query_rows(residual_sql, run, receive_residual, check);
	if (check->n_wrong > 0)
		check->found.additivity =
			psprintf(UINT64_FORMAT " cells are not exclusive + children, the first in call path"
								   " " INT64_FORMAT,
					 check->n_wrong, check->first_wrong);
	else if (check->n_residual > (uint64) check->residual_cells)
		check->found.additivity =
			psprintf(UINT64_FORMAT " cells have a residual, the run row counts " INT64_FORMAT,
					 check->n_residual, check->residual_cells);
}

static void
make_strips(CellCheck *check, uint32 n_columns)
{
	uint32 n_nodes = Max(check->tree->n_nodes, 1);
	size_t limit = (size_t) ph_memory_limit_kb * 1024 / STRIP_SHARE / (2 * sizeof(double));
	uint32 cells = (uint32) Min(STRIP_CELLS, limit);
	uint32 widest = Min(Min(n_columns, PH_BLOCK_COLUMNS), Max(cells / n_nodes, 1));
	uint32 depths = 2; /* the roots' and that of children of the deepest */
	for (uint32 node = 0; node < check->tree->n_nodes; node++)
		depths = Max(depths, check->tree->depth[node] + 2);
	check->width = widest;
	check->inclusive = room(check, (size_t) n_nodes * widest, sizeof(double));
	check->exclusive = room(check, (size_t) n_nodes * widest, sizeof(double));
	check->has_row = room(check, n_nodes, sizeof(bool));
	check->below = room(check, (size_t) depths * widest, sizeof(double));
	memset(check->below, 0, (size_t) depths * widest * sizeof(double));
}

static void
check_block(CellCheck *check, int32 block, uint32 n_columns)
{
	ParamListInfo run = ph_query_parameters(check->run_id, INT4OID, Int32GetDatum(block));
	uint32 widest = check->width;
	check->block_columns = Min(n_columns - (uint32) block * PH_BLOCK_COLUMNS, PH_BLOCK_COLUMNS);
	for (check->offset = 0; check->offset < check->block_columns; check->offset += widest)
	{
		check->width = Min(widest, check->block_columns - check->offset);
		check->now = NULL;
		ph_query_rows(strip_sql, run, receive_vector, check);
		end_metric(check);
	}
	check->width = widest;
}

/* ---- blocks ---- */

static void
receive_block(void *user, TupleTableSlot *slot)
{
	CellCheck *check = user;
	struct varlena *bytes = PG_DETOAST_DATUM_PACKED(slot->tts_values[3]);
	int32 metric_id = ph_slot_int(slot, 0, 0);
	int32 stripe = ph_slot_int(slot, 1, 0);
	int32 block = ph_slot_int(slot, 2, 0);
	PhStoredBlock *open = palloc(sizeof(PhStoredBlock));
	const char *wrong = NULL;
	if (check->found.vectors != NULL)
		return;
	if (ph_block_open(&check->scratch->env,
					  (PhBytes){(const uint8_t *) VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes)},
					  open) != PH_OK)
		wrong = check->scratch->env.error.message;
	else if (metric_of(check, metric_id) == NULL)
		wrong = "belongs to no metric of the run";
	else if (block < 0 || (uint32) block >= ph_n_blocks(check->tree))
		wrong = "has nodes that the tree has not";
	else if (stripe < 0 || (uint32) stripe >= ph_n_stripes(check->n_columns))
		wrong = "is beyond the locations";
	if (wrong == NULL)
		return;
	MemoryContext old = MemoryContextSwitchTo(check->context);
	check->found.vectors =
		psprintf("metric %d, stripe %d, block %d: %s", metric_id, stripe, block, wrong);
	MemoryContextSwitchTo(old);
}

PhCellFindings
ph_check_cells(int64 run_id, const PhProfile *tree, uint32 n_columns, char *wrong_summaries,
			   PhScratch *scratch)
{
	CellCheck check = {.context = CurrentMemoryContext,
					   .scratch = scratch,
					   .run_id = run_id,
					   .tree = tree,
					   .nodes = ph_node_table(tree, scratch->context)};
	ParamListInfo run = ph_query_parameters(run_id, InvalidOid, (Datum) 0);
	int32 n_blocks = (int32) ((n_columns + PH_BLOCK_COLUMNS - 1) / PH_BLOCK_COLUMNS);
	ph_query_rows(metrics_sql, run, receive_metric, &check);
	check.n_columns = n_columns;
	ph_query_rows(blocks_sql, run, receive_block, &check);
	if (check.found.vectors != NULL) /* they cannot be unpacked */
	{
		check.found.summaries = check.found.additivity = pstrdup("not known without sound vectors");
		return check.found;
	}
	make_strips(&check, n_columns);
	for (int32 block = 0; block < n_blocks; block++)
		check_block(&check, block, n_columns);
	ph_query_rows(beyond_sql, ph_query_parameters(run_id, INT4OID, Int32GetDatum(n_blocks)),
				  receive_beyond, &check);
	if (check.n_vectors == 0)
		check.found.vectors = pstrdup("there are none");
	check.found.summaries = wrong_summaries;
	if (wrong_summaries == NULL)
		check_summaries(&check, run);
	judge_additivity(&check, run);
	return check.found;
}
