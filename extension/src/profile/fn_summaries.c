/*
 * fn_summaries.c - stored summaries as rows, and rows as stored summaries.
 *
 * Queries on many runs call the readers once a block, with the list of call paths of the run's
 * tree, which most of the runs share: it is kept from call to call.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "base/warehouse_columns.h"
#include "profile/node_table.h"
#include "profile/value.h"
#include "server/compat.h"
#include "server/query_rows.h"
#include "server/rowio.h"
#include "stored/summary_block.h"

/* ---- lists of call paths ---- */

typedef struct PathList
{
	const int64 *ids;
	uint32 n;
} PathList;

/* What one place of a query keeps between its calls. */
typedef struct Kept
{
	bool has_tree;
	struct varatt_external tree; /* where the list is stored: equal places, equal lists */
	ArrayType *tree_list;
	ArrayType *wanted; /* as it was given; NULL: none yet */
	int64 *sorted;	   /* the same in order */
} Kept;

static Kept *
kept_of(FunctionCallInfo fcinfo)
{
	if (fcinfo->flinfo->fn_extra == NULL)
		fcinfo->flinfo->fn_extra = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Kept));
	return fcinfo->flinfo->fn_extra;
}

static PathList
list_of(ArrayType *array)
{
	if (ARR_NDIM(array) > 1 || ARR_HASNULL(array) || ARR_ELEMTYPE(array) != INT8OID)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("call paths are a list of numbers without nulls")));
	return (PathList){(const int64 *) ARR_DATA_PTR(array),
					  ARR_NDIM(array) == 0 ? 0 : (uint32) ARR_DIMS(array)[0]};
}

/* The call paths of a tree in pre-order; long lists, which lie elsewhere, are fetched once. */
static PathList
tree_paths(FunctionCallInfo fcinfo, int argument)
{
	struct varlena *given = (struct varlena *) DatumGetPointer(PG_GETARG_DATUM(argument));
	Kept *kept = kept_of(fcinfo);
	struct varatt_external place;
	if (!VARATT_IS_EXTERNAL_ONDISK(given))
		return list_of(PG_GETARG_ARRAYTYPE_P(argument));
	VARATT_EXTERNAL_GET_POINTER(place, given);
	if (!kept->has_tree || memcmp(&place, &kept->tree, sizeof(place)) != 0)
	{
		MemoryContext old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
		if (kept->has_tree)
			pfree(kept->tree_list);
		kept->has_tree = false;
		kept->tree_list = (ArrayType *) detoast_attr(given);
		kept->tree = place;
		kept->has_tree = true;
		MemoryContextSwitchTo(old);
	}
	return list_of(kept->tree_list);
}

static int
compare_ids(const void *x, const void *y)
{
	int64 a = *(const int64 *) x;
	int64 b = *(const int64 *) y;
	return (a > b) - (a < b);
}

/* The call paths that are asked for, in order of their numbers. */
static PathList
wanted_paths(FunctionCallInfo fcinfo, int argument)
{
	ArrayType *given = PG_GETARG_ARRAYTYPE_P(argument);
	PathList list = list_of(given);
	Kept *kept = kept_of(fcinfo);
	if (kept->wanted == NULL || VARSIZE(kept->wanted) != VARSIZE(given) ||
		memcmp(kept->wanted, given, VARSIZE(given)) != 0)
	{
		MemoryContext context = fcinfo->flinfo->fn_mcxt;
		int64 *sorted = MemoryContextAllocHuge(context, sizeof(int64) * Max(list.n, 1));
		ArrayType *copy = MemoryContextAllocHuge(context, VARSIZE(given));
		memcpy(copy, given, VARSIZE(given));
		memcpy(sorted, list.ids, sizeof(int64) * list.n);
		qsort(sorted, list.n, sizeof(int64), compare_ids);
		if (kept->wanted != NULL)
		{
			pfree(kept->wanted);
			pfree(kept->sorted);
		}
		kept->wanted = copy;
		kept->sorted = sorted;
	}
	return (PathList){kept->sorted, list.n};
}

static bool
has_path(const PathList *sorted, int64 id)
{
	return bsearch(&id, sorted->ids, sorted->n, sizeof(int64), compare_ids) != NULL;
}

/* ---- blocks as rows ---- */

static void
refuse_block(const char *what)
{
	ereport(ERROR, (errcode(PH_ERRCODE_BAD_PROFILE), errmsg("%s", what),
					errhint("check_run(run) says more. Load the run again with --if-exists "
							"replace.")));
}

/* A block's nodes: their call paths, and which of them are asked for. */
typedef struct BlockNodes
{
	const int64 *ids;
	uint32 n;
	bool is_wanted[PH_BLOCK_NODES];
} BlockNodes;

/* False: none of them is asked for. */
static bool
find_nodes(FunctionCallInfo fcinfo, BlockNodes *out)
{
	PathList tree = tree_paths(fcinfo, 1);
	int32 block = PG_GETARG_INT32(2);
	bool any = false;
	if (block < 0 || (uint32) block >= (tree.n + PH_BLOCK_NODES - 1) / PH_BLOCK_NODES)
		refuse_block("a block of stored summaries is beyond the nodes of its tree");
	out->ids = tree.ids + (uint32) block * PH_BLOCK_NODES;
	out->n = Min(tree.n - (uint32) block * PH_BLOCK_NODES, PH_BLOCK_NODES);
	if (PG_ARGISNULL(3))
	{
		memset(out->is_wanted, true, sizeof(out->is_wanted));
		return true;
	}
	PathList wanted = wanted_paths(fcinfo, 3);
	for (uint32 i = 0; i < out->n; i++)
	{
		out->is_wanted[i] = has_path(&wanted, out->ids[i]);
		any |= out->is_wanted[i];
	}
	return any;
}

static void
unpack_block(FunctionCallInfo fcinfo, uint32 n_nodes, PhSummaryPart part, PhNodeSummary *out)
{
	struct varlena *bytes = PG_GETARG_VARLENA_PP(0);
	PhEnv env;
	uint32_t n;
	ph_pgenv_init(&env, CurrentMemoryContext);
	PH_CHECK(&env,
			 ph_summary_unpack(
				 &env, (PhBytes){(const uint8_t *) VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes)},
				 part, out, &n));
	if (n != n_nodes)
		refuse_block("a block of stored summaries has other nodes than its tree");
}

/* n, and sums; or all moments. */
static int
put_moments(const PhMoments *moments, Datum *values)
{
	int n = 0;
	values[n++] = Float8GetDatum(moments->sum);
	values[n++] = Float8GetDatum(moments->sumsq);
	values[n++] = Float8GetDatum(moments->min);
	values[n++] = Float8GetDatum(moments->max);
	values[n++] = Int32GetDatum(moments->argmin);
	values[n++] = Int32GetDatum(moments->argmax);
	return n;
}

static void
put_summary(const PhRows *rows, int64 callpath_id, const PhNodeSummary *summary, PhSummaryPart part)
{
	Datum values[PH_ROW_MAX];
	bool nulls[PH_ROW_MAX] = {false};
	int n = 0;
	values[n++] = Int64GetDatum(callpath_id);
	values[n++] = Int32GetDatum((int32) summary->n);
	if (part == PH_SUMMARY_SUMS)
	{
		values[n++] = Float8GetDatum(summary->inclusive.sum);
		values[n++] = Float8GetDatum(summary->exclusive.sum);
	}
	else
	{
		n += put_moments(&summary->inclusive, values + n);
		n += put_moments(&summary->exclusive, values + n);
	}
	if (n != rows->descriptor->natts)
		elog(ERROR, "a row of summaries has %d values for %d columns", n, rows->descriptor->natts);
	tuplestore_putvalues(rows->store, rows->descriptor, values, nulls);
}

static Datum
put_block(FunctionCallInfo fcinfo, PhSummaryPart part)
{
	PhRows rows;
	BlockNodes nodes;
	PhNodeSummary summaries[PH_BLOCK_NODES];
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2) || !find_nodes(fcinfo, &nodes))
		return (Datum) 0;
	unpack_block(fcinfo, nodes.n, part, summaries);
	for (uint32 i = 0; i < nodes.n; i++)
		if (nodes.is_wanted[i] && summaries[i].n > 0)
			put_summary(&rows, nodes.ids[i], &summaries[i], part);
	return (Datum) 0;
}

PH_FUNCTION(ph_summary_rows)
{
	return put_block(fcinfo, PH_SUMMARY_ALL);
}

PH_FUNCTION(ph_summary_sums)
{
	return put_block(fcinfo, PH_SUMMARY_SUMS);
}

/* Numbers of the blocks in which some of the call paths are; null: all of the tree's. */
PH_FUNCTION(ph_callpath_blocks)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PathList tree = tree_paths(fcinfo, 0);
	uint32 n_blocks = (tree.n + PH_BLOCK_NODES - 1) / PH_BLOCK_NODES;
	Datum *blocks = palloc_extended(sizeof(Datum) * Max(n_blocks, 1), MCXT_ALLOC_HUGE);
	PathList wanted = {0};
	int n = 0;
	if (!PG_ARGISNULL(1))
		wanted = wanted_paths(fcinfo, 1);
	for (uint32 block = 0; block < n_blocks; block++)
	{
		uint32 end = Min(tree.n, (block + 1) * PH_BLOCK_NODES), node = block * PH_BLOCK_NODES;
		while (!PG_ARGISNULL(1) && node < end && !has_path(&wanted, tree.ids[node]))
			node++;
		if (node < end)
			blocks[n++] = Int32GetDatum((int32) block);
	}
	PG_RETURN_ARRAYTYPE_P(construct_array(blocks, n, INT4OID, sizeof(int32), true, TYPALIGN_INT));
}

/* ---- rows as blocks ---- */

static const char rows_sql[] = "SELECT " PH_SELECT(
	profile_summary_1, "") " FROM perfhouse.profile_summary WHERE run_id = $1 ORDER BY metric_id";
static const char tree_sql[] = "SELECT tree FROM perfhouse.profile_tree WHERE run_id = $1";

typedef struct Packer
{
	PhRows rows;
	MemoryContext context;
	const PhProfile *tree;
	PhNodeTable nodes;
	PhNodeSummary *summaries; /* by node, of one metric */
	int32 metric_id;
	bool has_metric;
} Packer;

static void
receive_tree(void *user, TupleTableSlot *slot)
{
	Packer *packer = user;
	struct varlena *tree = PG_DETOAST_DATUM_PACKED(slot->tts_values[0]);
	packer->tree = ph_value_from_bytes(PH_VALUE_PROFILE, VARDATA_ANY(tree), VARSIZE_ANY_EXHDR(tree),
									   packer->context)
					   ->profile;
}

static void
pack_metric(Packer *packer)
{
	static uint8_t bytes[PH_SUMMARY_BLOCK_BOUND];
	for (uint32 first = 0; packer->has_metric && first < packer->tree->n_nodes;
		 first += PH_BLOCK_NODES)
	{
		uint32 n = Min(packer->tree->n_nodes - first, PH_BLOCK_NODES);
		size_t size = ph_summary_pack(packer->summaries + first, n, PH_SUMS_ROUNDED, bytes);
		if (size == 0)
			continue;
		bytea *copy = palloc(size + VARHDRSZ);
		SET_VARSIZE(copy, size + VARHDRSZ);
		memcpy(VARDATA(copy), bytes, size);
		ph_rows_int(&packer->rows, "metric_id", packer->metric_id);
		ph_rows_int(&packer->rows, "block", (int32) (first / PH_BLOCK_NODES));
		ph_rows_datum(&packer->rows, "bytes", PointerGetDatum(copy));
		ph_rows_put(&packer->rows);
		pfree(copy);
	}
	memset(packer->summaries, 0, sizeof(PhNodeSummary) * packer->tree->n_nodes);
}

static double
number_at(const TupleTableSlot *slot, int place)
{
	if (ph_slot_is_null(slot, place))
		ereport(ERROR, (errcode(PH_ERRCODE_UNSUPPORTED),
						errmsg("a summary without all of its moments cannot be packed")));
	return DatumGetFloat8(slot->tts_values[place]);
}

/* Moments lie side by side, in the order of the struct. */
static PhMoments
moments_at(const TupleTableSlot *slot, int place)
{
	return (PhMoments){.sum = number_at(slot, place),
					   .sumsq = number_at(slot, place + 1),
					   .min = number_at(slot, place + 2),
					   .max = number_at(slot, place + 3),
					   .argmin = ph_slot_int(slot, place + 4, -1),
					   .argmax = ph_slot_int(slot, place + 5, -1)};
}

static void
receive_summary(void *user, TupleTableSlot *slot)
{
	Packer *packer = user;
	int32 metric_id = ph_slot_int(slot, PH_SLOT(profile_summary_1, metric_id), 0);
	uint64 callpath_id = (uint64) ph_slot_bigint(slot, PH_SLOT(profile_summary_1, callpath_id), 0);
	uint32 node = ph_node_table_find(&packer->nodes, callpath_id);
	if (node == PH_NONE)
		refuse_block("a summary belongs to no node of the run's tree");
	if (!packer->has_metric || packer->metric_id != metric_id)
		pack_metric(packer);
	packer->has_metric = true;
	packer->metric_id = metric_id;
	packer->summaries[node] =
		(PhNodeSummary){.n = (uint32_t) ph_slot_int(slot, PH_SLOT(profile_summary_1, n), 0),
						.inclusive = moments_at(slot, PH_SLOT(profile_summary_1, inclusive_sum)),
						.exclusive = moments_at(slot, PH_SLOT(profile_summary_1, exclusive_sum))};
}

/* What a load stores instead of a run's rows in the view profile_summary. */
PH_FUNCTION(ph_summary_blocks)
{
	Packer packer = {.has_metric = false};
	ph_rows_begin(&packer.rows, fcinfo);
	ph_require_warehouse();
	PhScratch *scratch = ph_scratch_begin();
	ParamListInfo run = ph_query_parameters(PG_GETARG_INT64(0), InvalidOid, (Datum) 0);
	packer.context = scratch->context;
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	ph_query_rows(tree_sql, run, receive_tree, &packer);
	if (packer.tree != NULL && packer.tree->n_nodes > 0)
	{
		packer.nodes = ph_node_table(packer.tree, scratch->context);
		packer.summaries =
			MemoryContextAllocHuge(scratch->context, sizeof(PhNodeSummary) * packer.tree->n_nodes);
		memset(packer.summaries, 0, sizeof(PhNodeSummary) * packer.tree->n_nodes);
		ph_query_rows(rows_sql, run, receive_summary, &packer);
		pack_metric(&packer);
	}
	SPI_finish();
	ph_scratch_end(scratch);
	return (Datum) 0;
}
