/*
 * check_run.c - the invariants of a stored run, one row a check.
 *
 * Checks on tables are queries that return what is wrong, or null. Vectors are checked as they
 * stream by: each belongs to a node of the tree, has an element per location, and its nulls and
 * numbers make sense.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "compat.h"
#include "node_table.h"
#include "profile_flat.h"
#include "query_rows.h"
#include "rowio.h"
#include "run_tables.h"

/* One row, one text: what is wrong, null when nothing. */
typedef struct QueryCheck
{
	const char *name;
	const char *sql;
} QueryCheck;

/*
 * Inclusive = exclusive + children + residual in every cell of a flow metric. The loader leaves a
 * residual only where the children exceed an exclusive that it set to 0, and counts those cells.
 */
static const char additivity_sql[] =
	"WITH cell AS MATERIALIZED (SELECT v.callpath_id, c.parent_id, v.metric_id, m.is_signed,"
	" v.block, u.place, coalesce(u.i, 0) AS i, coalesce(u.e, 0) AS e"
	" FROM perfhouse.profile_values v JOIN perfhouse.callpath c USING (callpath_id)"
	" JOIN perfhouse.metric m USING (metric_id),"
	" LATERAL unnest(v.inclusive, v.exclusive) WITH ORDINALITY u(i, e, place)"
	" WHERE v.run_id = $1 AND m.kind = 0),"
	" below AS (SELECT metric_id, parent_id AS callpath_id, block, place, sum(i) AS i"
	" FROM cell WHERE parent_id IS NOT NULL GROUP BY 1, 2, 3, 4),"
	" rest AS (SELECT c.callpath_id, c.metric_id, c.is_signed, c.e,"
	" c.i - c.e - coalesce(b.i, 0) AS rest,"
	" greatest(abs(c.i), abs(c.e), abs(coalesce(b.i, 0))) AS size"
	" FROM cell c LEFT JOIN below b USING (metric_id, callpath_id, block, place)),"
	" wrong AS (SELECT *, rest < 0 AND e = 0 AND NOT is_signed AS explained"
	" FROM rest WHERE abs(rest) > 1e-9 * size)"
	" SELECT CASE WHEN count(*) FILTER (WHERE NOT explained) > 0"
	" THEN format('%s cells are not exclusive + children, the first in call path %s',"
	" count(*) FILTER (WHERE NOT explained), min(callpath_id) FILTER (WHERE NOT explained))"
	" WHEN count(*) > (SELECT residual_cells FROM perfhouse.run WHERE run_id = $1)"
	" THEN format('%s cells have a residual, the run row counts %s', count(*),"
	" (SELECT residual_cells FROM perfhouse.run WHERE run_id = $1)) END FROM wrong";

static const QueryCheck query_checks[] = {
	{"state", "SELECT 'state is ' || state FROM perfhouse.run"
			  " WHERE run_id = $1 AND state <> 'ready'"},
	{"locations", "SELECT CASE WHEN count(*) = 0 THEN 'there are none'"
				  " WHEN min(location_id) <> 0 OR max(location_id) <> count(*) - 1"
				  " THEN 'not numbered from 0 without gaps'"
				  " WHEN count(*) <> (SELECT n_columns FROM perfhouse.run WHERE run_id = $1)"
				  " THEN format('the run row counts %s, there are %s',"
				  " (SELECT n_columns FROM perfhouse.run WHERE run_id = $1), count(*)) END"
				  " FROM perfhouse.location WHERE run_id = $1"},
	{"metrics", "SELECT CASE WHEN cardinality(r.metric_ids) = 0 THEN 'there are none'"
				" WHEN r.metrics <> ARRAY(SELECT m.name FROM unnest(r.metric_ids)"
				" WITH ORDINALITY u(metric_id, place) JOIN perfhouse.metric m USING (metric_id)"
				" ORDER BY u.place) THEN 'names and ids in the run row disagree' END"
				" FROM perfhouse.run r WHERE r.run_id = $1"},
	{"nodes", "SELECT format('the run row counts %s, the tree has %s', r.n_nodes, t.n_nodes)"
			  " FROM perfhouse.run r LEFT JOIN perfhouse.profile_tree t USING (run_id)"
			  " WHERE r.run_id = $1 AND r.n_nodes IS DISTINCT FROM t.n_nodes"},
	{"dictionary", "SELECT format('%s call paths of the run are not in the dictionary', count(*))"
				   " FROM (SELECT DISTINCT callpath_id FROM perfhouse.profile_values"
				   " WHERE run_id = $1) v WHERE NOT EXISTS (SELECT FROM perfhouse.callpath c"
				   " JOIN perfhouse.region g USING (region_id)"
				   " WHERE c.callpath_id = v.callpath_id) HAVING count(*) > 0"},
	{"summaries", "SELECT format('%s of them disagree with the vectors', count(*)) FROM"
				  " (SELECT callpath_id, metric_id, sum(i) AS i, sum(e) AS e"
				  " FROM perfhouse.profile_values, LATERAL unnest(inclusive, exclusive) u(i, e)"
				  " WHERE run_id = $1 GROUP BY callpath_id, metric_id) v"
				  " JOIN perfhouse.metric m USING (metric_id)"
				  " FULL JOIN (SELECT * FROM perfhouse.profile_summary WHERE run_id = $1) s"
				  " USING (callpath_id, metric_id)"
				  " WHERE coalesce(m.kind, 0) = 0 AND (v.i IS NULL OR s.inclusive_sum IS NULL"
				  " OR abs(v.i - s.inclusive_sum) > 1e-9 * (abs(v.i) + abs(s.inclusive_sum))"
				  " OR abs(v.e - s.exclusive_sum) > 1e-9 * (abs(v.i) + abs(s.inclusive_sum)))"
				  " HAVING count(*) > 0"},
	{"additivity", additivity_sql},
};

static const char tree_sql[] = "SELECT tree FROM perfhouse.profile_tree WHERE run_id = $1";
static const char values_sql[] = "SELECT callpath_id, metric_id, block, inclusive, exclusive"
								 " FROM perfhouse.profile_values WHERE run_id = $1"
								 " ORDER BY metric_id, callpath_id, block";
static const char count_sql[] = "SELECT count(*)::int4 FROM perfhouse.location WHERE run_id = $1";

typedef struct RunCheck
{
	MemoryContext context;
	PhRows *rows;
	char *detail; /* of the current check; NULL: fine so far */
	PhScratch *scratch;
	PhProfile *tree; /* NULL: not sound */
	PhNodeTable nodes;
	int32 n_locations;
} RunCheck;

static void
put_check(RunCheck *check, const char *name)
{
	ph_rows_text(check->rows, name);
	ph_rows_bool(check->rows, check->detail == NULL);
	ph_rows_text(check->rows, check->detail);
	ph_rows_put(check->rows);
	check->detail = NULL;
}

static void
receive_detail(void *user, TupleTableSlot *slot)
{
	RunCheck *check = user;
	check->detail = ph_slot_text(slot, 0, check->context);
}

static void
receive_count(void *user, TupleTableSlot *slot)
{
	RunCheck *check = user;
	check->n_locations = ph_slot_int(slot, 0, 0);
}

static void
receive_tree(void *user, TupleTableSlot *slot)
{
	RunCheck *check = user;
	struct varlena *tree = PG_DETOAST_DATUM_PACKED(slot->tts_values[0]);
	PhStatus status =
		ph_profile_unflatten(&check->scratch->env, (const uint8_t *) VARDATA_ANY(tree),
							 VARSIZE_ANY_EXHDR(tree), &check->tree);
	if (status != PH_OK)
		check->detail = MemoryContextStrdup(check->context, check->scratch->env.error.message);
}

static const char *
wrong_numbers(ArrayType *inclusive, ArrayType *exclusive)
{
	int n_inclusive, n_exclusive;
	Datum *i, *e;
	bool *i_null, *e_null;
	deconstruct_array(inclusive, FLOAT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &i, &i_null,
					  &n_inclusive);
	deconstruct_array(exclusive, FLOAT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &e, &e_null,
					  &n_exclusive);
	for (int k = 0; k < n_inclusive; k++)
	{
		if (i_null[k] != e_null[k])
			return "has nulls in only one of inclusive and exclusive";
		if (!i_null[k] && (!isfinite(DatumGetFloat8(i[k])) || !isfinite(DatumGetFloat8(e[k]))))
			return "has a value that is not finite";
	}
	return NULL;
}

static const char *
wrong_vector(const RunCheck *check, TupleTableSlot *slot)
{
	int64 first = (int64) ph_slot_int(slot, 2, -1) * PH_BLOCK_COLUMNS;
	ArrayType *inclusive = DatumGetArrayTypeP(slot->tts_values[3]);
	ArrayType *exclusive = DatumGetArrayTypeP(slot->tts_values[4]);
	if (check->tree != NULL &&
		ph_node_table_find(&check->nodes, (uint64) ph_slot_bigint(slot, 0, 0)) == PH_NONE)
		return "belongs to no node of the tree";
	if (first < 0 || first >= check->n_locations)
		return "has a block beyond the locations";
	int64 length = Min(check->n_locations - first, PH_BLOCK_COLUMNS);
	if (ARR_NDIM(inclusive) != 1 || ARR_DIMS(inclusive)[0] != length || ARR_NDIM(exclusive) != 1 ||
		ARR_DIMS(exclusive)[0] != length)
		return "does not have an element per location";
	return wrong_numbers(inclusive, exclusive);
}

static void
receive_vector(void *user, TupleTableSlot *slot)
{
	RunCheck *check = user;
	if (check->detail != NULL)
		return;
	const char *wrong = wrong_vector(check, slot);
	if (wrong == NULL)
		return;
	MemoryContext old = MemoryContextSwitchTo(check->context);
	check->detail =
		psprintf("call path " INT64_FORMAT ", metric %d, block %d %s", ph_slot_bigint(slot, 0, 0),
				 ph_slot_int(slot, 1, 0), ph_slot_int(slot, 2, 0), wrong);
	MemoryContextSwitchTo(old);
}

static void
check_tree_and_vectors(RunCheck *check, ParamListInfo run)
{
	if (ph_query_rows(tree_sql, run, receive_tree, check) == 0)
		check->detail = "there is none";
	if (check->tree != NULL)
		check->nodes = ph_node_table(check->tree, check->context);
	put_check(check, "tree");
	ph_query_rows(count_sql, run, receive_count, check);
	if (ph_query_rows(values_sql, run, receive_vector, check) == 0)
		check->detail = "there are none";
	put_check(check, "vectors");
}

static void
require_run(int64 run_id, ParamListInfo run, RunCheck *check)
{
	if (ph_query_rows("SELECT state FROM perfhouse.run WHERE run_id = $1", run, receive_detail,
					  check) == 0)
		ereport(ERROR,
				(errcode(PH_ERRCODE_NOT_FOUND), errmsg("there is no run " INT64_FORMAT, run_id)));
	check->detail = NULL;
}

PH_FUNCTION(ph_check_run)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo, 3);
	ph_require_warehouse();
	RunCheck check = {
		.context = CurrentMemoryContext, .rows = &rows, .scratch = ph_scratch_begin()};
	ParamListInfo run = ph_query_parameters(PG_GETARG_INT64(0), InvalidOid, (Datum) 0);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	require_run(PG_GETARG_INT64(0), run, &check);
	for (int i = 0; i < (int) lengthof(query_checks); i++)
	{
		ph_query_rows(query_checks[i].sql, run, receive_detail, &check);
		put_check(&check, query_checks[i].name);
	}
	check_tree_and_vectors(&check, run);
	SPI_finish();
	ph_scratch_end(check.scratch);
	return (Datum) 0;
}
