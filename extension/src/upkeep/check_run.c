/*
 * check_run.c - the invariants of a stored run, one row a check.
 *
 * Checks on tables are queries that return what is wrong, or null; cells are checked by
 * cell_check.c.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "logical/check.h"
#include "logical/store/store.h"
#include "profile/flat.h"
#include "server/compat.h"
#include "server/query_rows.h"
#include "server/rowio.h"
#include "tiles/stored.h"
#include "trace/check.h"
#include "upkeep/cell_check.h"
#include "upkeep/summary_check.h"

#define VALUES_OF_CELL 2 /* exclusive and inclusive */

/* One row, one text: what is wrong, null when nothing. */
typedef struct QueryCheck
{
	const char *name;
	const char *sql;
} QueryCheck;

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
				   " FROM (SELECT unnest(t.callpath_ids) AS callpath_id FROM perfhouse.run r"
				   " JOIN perfhouse.call_tree t USING (tree_id) WHERE r.run_id = $1"
				   " UNION SELECT callpath_id FROM perfhouse.profile_values_1 WHERE run_id = $1"
				   " UNION SELECT callpath_id FROM perfhouse.profile_sketch WHERE run_id = $1)"
				   " v WHERE NOT EXISTS (SELECT FROM perfhouse.callpath c"
				   " JOIN perfhouse.region g USING (region_id)"
				   " WHERE c.callpath_id = v.callpath_id) HAVING count(*) > 0"
				   " UNION ALL SELECT CASE WHEN s.labels_id IS NULL THEN 'labels of its regions"
				   " are missing' ELSE 'labels of its regions are damaged' END"
				   " FROM perfhouse.run r LEFT JOIN perfhouse.label_set s USING (labels_id)"
				   " LEFT JOIN perfhouse.label_data d USING (labels_id)"
				   " WHERE r.run_id = $1 AND r.labels_id IS NOT NULL AND (s.labels_id IS NULL"
				   " OR d.labels IS NULL OR s.labels_id <> perfhouse_internal.content_id(d.labels)"
				   " OR s.crc <> perfhouse_internal.crc32c(d.labels))"},
};

static const char rows_sql[] = "SELECT perfhouse_internal.rows_differ($1)";
static const char has_sums_sql[] = "SELECT FROM perfhouse.row_sum WHERE run_id = $1 LIMIT 1";

/* The method that found the stored phases and steps: another one finds others. */
static const char method_sql[] =
	"SELECT format('was found by version %s of the method, this one is %s: SELECT"
	" perfhouse.assign_logical_steps(%s) finds it anew', version, $2, run_id)"
	" FROM perfhouse.logical WHERE run_id = $1 AND version <> $2";

/* Of logical time of tasks: its locations are chares and processors' run times. */
static const char has_timelines_sql[] =
	"SELECT FROM perfhouse.task_trace WHERE run_id = $1"
	" UNION ALL (SELECT FROM perfhouse.logical_timeline WHERE run_id = $1 LIMIT 1)";

static const char timelines_sql[] =
	"SELECT CASE WHEN NOT EXISTS (SELECT FROM perfhouse.task_trace WHERE run_id = $1)"
	" THEN 'there are some, but the run is not of tasks'"
	" WHEN t.n <> t.last + 1 THEN 'not numbered from 0 without gaps'"
	" WHEN t.n_chares <> t.n_different THEN 'a chare has more than one'"
	" WHEN o.location_id IS NOT NULL THEN format('location %s %s', o.location_id, o.oddity)"
	" WHEN c.location_id IS NOT NULL THEN format('chunk %s of location %s %s', c.chunk_no,"
	" c.location_id, c.oddity) END"
	" FROM (SELECT count(*) AS n, coalesce(max(location_id), -1) AS last, count(chare_id) AS"
	" n_chares, count(DISTINCT chare_id) AS n_different"
	" FROM perfhouse.logical_timeline WHERE run_id = $1) t"
	" LEFT JOIN (SELECT x.location_id, x.oddity FROM (SELECT l.location_id,"
	" CASE WHEN l.chare_id IS NULL AND NOT l.is_runtime THEN 'has no chare'"
	" WHEN l.chare_id IS NOT NULL AND NOT EXISTS (SELECT FROM perfhouse.chare h"
	" WHERE h.run_id = $1 AND h.chare_id = l.chare_id) THEN 'is of a chare that the run has not'"
	" WHEN NOT EXISTS (SELECT FROM perfhouse.location p WHERE p.run_id = $1"
	" AND p.location_id = l.first_location) THEN 'was first seen on a processor that the run has"
	" not' END AS oddity FROM perfhouse.logical_timeline l WHERE l.run_id = $1) x"
	" WHERE x.oddity IS NOT NULL ORDER BY x.location_id LIMIT 1) o ON true"
	" LEFT JOIN (SELECT x.* FROM (SELECT k.location_id, k.chunk_no,"
	" CASE WHEN k.tasks IS NULL THEN 'has no times of tasks'"
	" WHEN NOT EXISTS (SELECT FROM perfhouse.logical_timeline l WHERE l.run_id = $1"
	" AND l.location_id = k.location_id) THEN 'is of none of them' END AS oddity"
	" FROM perfhouse.logical_chunk k WHERE k.run_id = $1) x WHERE x.oddity IS NOT NULL"
	" ORDER BY x.location_id, x.chunk_no LIMIT 1) c ON true";

/* Of a run that is rolled up, instead of those on vectors. */
static const char is_rolled_up_sql[] =
	"SELECT FROM perfhouse.run WHERE run_id = $1 AND rolled_up_at IS NOT NULL";

#define SKETCH_DIFFERS(cost)                                                                       \
	" OR NOT abs(k." cost "_sum - s." cost "_sum) <= 1e-9 * s.n * greatest(abs(k." cost "_min),"   \
	" abs(k." cost "_max)) OR k." cost "_min <> s." cost "_min OR k." cost "_max <> s." cost       \
	"_max"

static const char sketches_sql[] =
	"SELECT format('%s of them disagree with the distributions', count(*))"
	" FROM (SELECT * FROM perfhouse.profile_summary WHERE run_id = $1) s"
	" FULL JOIN (SELECT q.metric_id, q.callpath_id, i.n, i.sum AS inclusive_sum,"
	" i.min AS inclusive_min, i.max AS inclusive_max, e.n AS n_exclusive, e.sum AS exclusive_sum,"
	" e.min AS exclusive_min, e.max AS exclusive_max,"
	" q.crc <> perfhouse_internal.crc32c(q.inclusive || q.exclusive) AS is_other"
	" FROM perfhouse.profile_sketch q,"
	" perfhouse.sketch_moments(q.inclusive) i, perfhouse.sketch_moments(q.exclusive) e"
	" WHERE q.run_id = $1) k USING (metric_id, callpath_id)"
	" WHERE k.is_other OR s.n IS DISTINCT FROM k.n OR s.n IS DISTINCT FROM "
	"k.n_exclusive" SKETCH_DIFFERS("inclusive") SKETCH_DIFFERS("exclusive") " HAVING count(*) > 0";

/* Of runs that have values; older releases added up in another order. */
#define REGION_DIFFERS(column)                                                                     \
	" OR NOT abs(m." column " - s." column ") <= 1e-9 * greatest(abs(s.inclusive),"                \
	" abs(s.exclusive), abs(s.min), abs(s.max))"

static const char regions_sql[] =
	"SELECT format('%s of them, of functions, disagree with the vectors', count(*))"
	" FROM (SELECT u.metric_id, g.* FROM perfhouse.run r"
	" CROSS JOIN LATERAL unnest(r.metric_ids, r.metrics) u (metric_id, name)"
	" CROSS JOIN LATERAL perfhouse_internal.run_region_summaries(r.run_id, u.name) g"
	" WHERE r.run_id = $1) m"
	" FULL JOIN (SELECT * FROM perfhouse.region_summary WHERE run_id = $1) s"
	" USING (metric_id, region_id)"
	" WHERE m.n_nodes IS DISTINCT FROM s.n_nodes" REGION_DIFFERS("inclusive")
		REGION_DIFFERS("exclusive") REGION_DIFFERS("min")
			REGION_DIFFERS("max") " HAVING count(*) > 0";

/* Cells with a residual have less than their children; sums of them, too. */
static const char means_sql[] =
	"SELECT format('%s sums are not exclusive + children, the first in call path %s', count(*),"
	" min(s.callpath_id)) FROM perfhouse.profile_summary s"
	" JOIN perfhouse.run r USING (run_id) JOIN perfhouse.metric m USING (metric_id)"
	" LEFT JOIN (SELECT t.metric_id, c.parent_id, sum(t.inclusive_sum) AS children"
	" FROM perfhouse.profile_summary t JOIN perfhouse.callpath c USING (callpath_id)"
	" WHERE t.run_id = $1 GROUP BY 1, 2) b ON b.metric_id = s.metric_id"
	" AND b.parent_id = s.callpath_id CROSS JOIN LATERAL (SELECT s.inclusive_sum - s.exclusive_sum"
	" - coalesce(b.children, 0) AS rest, 1e-9 * greatest(abs(s.inclusive_sum),"
	" abs(s.exclusive_sum), abs(b.children)) AS least) d"
	" WHERE s.run_id = $1 AND m.kind = 0 AND abs(d.rest) > d.least"
	" AND NOT (d.rest < 0 AND r.residual_cells > 0) HAVING count(*) > 0";

static const char vectors_sql[] =
	"SELECT format('there are %s, although the run is rolled up', count(*))"
	" FROM (SELECT FROM perfhouse.profile_values_1 WHERE run_id = $1"
	" UNION ALL SELECT FROM perfhouse.value_block WHERE run_id = $1) v HAVING count(*) > 0"
	" UNION ALL SELECT 'there are none, nor distributions' WHERE NOT EXISTS"
	" (SELECT FROM perfhouse.profile_sketch WHERE run_id = $1)";

static const char tree_sql[] =
	"SELECT t.tree, t.tree_id <> perfhouse_internal.content_id(t.tree)"
	" OR t.crc <> perfhouse_internal.crc32c(t.tree), t.callpath_ids"
	" FROM perfhouse.run r JOIN perfhouse.call_tree t USING (tree_id) WHERE r.run_id = $1"
	" UNION ALL SELECT tree, false, NULL FROM perfhouse.profile_tree_1 WHERE run_id = $1";
static const char count_sql[] = "SELECT count(*)::int4 FROM perfhouse.location WHERE run_id = $1";

typedef struct RunCheck
{
	MemoryContext context;
	PhRows *rows;
	char *detail; /* of the current check; NULL: fine so far */
	PhScratch *scratch;
	PhProfile *tree; /* NULL: not sound */
	uint32 n_locations;
} RunCheck;

static void
put_row(RunCheck *check, const char *name, bool is_ok)
{
	ph_rows_text(check->rows, "check_name", name);
	ph_rows_bool(check->rows, "ok", is_ok);
	ph_rows_text(check->rows, "detail", check->detail);
	ph_rows_put(check->rows);
	check->detail = NULL;
}

static void
put_check(RunCheck *check, const char *name)
{
	put_row(check, name, check->detail == NULL);
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
	check->n_locations = (uint32) ph_slot_int(slot, 0, 0);
}

static bool
lists_callpaths(ArrayType *list, const PhProfile *tree)
{
	return ARR_NDIM(list) == 1 && !ARR_HASNULL(list) &&
		   (uint32) ARR_DIMS(list)[0] == tree->n_nodes &&
		   memcmp(ARR_DATA_PTR(list), tree->callpath_id, sizeof(int64) * tree->n_nodes) == 0;
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
	else if (DatumGetBool(slot->tts_values[1]))
	{
		check->detail = "its checksum is wrong";
		check->tree = NULL;
	}
	else if (!ph_slot_is_null(slot, 2) &&
			 !lists_callpaths(DatumGetArrayTypeP(slot->tts_values[2]), check->tree))
		check->detail = "the list of its call paths is wrong";
}

static void
put_finding(RunCheck *check, const char *name, char *detail)
{
	check->detail = detail;
	put_check(check, name);
}

static char *
finding_of(RunCheck *check, const char *sql, ParamListInfo run)
{
	check->detail = NULL;
	ph_query_rows(sql, run, receive_detail, check);
	char *detail = check->detail;
	check->detail = NULL;
	return detail;
}

static void
receive_nothing(void *user, TupleTableSlot *slot)
{
}

/* Summaries of functions are made of all values of a metric at once, unlike the other checks. */
static bool
values_fit(const RunCheck *check)
{
	double cells = (double) check->tree->n_nodes * check->n_locations;
	return cells * VALUES_OF_CELL * sizeof(double) <= ph_memory_limit_kb * 1024.0 / 2;
}

/* Without a sound tree there is nothing that the vectors could be compared with. */
static void
check_tree_and_cells(RunCheck *check, ParamListInfo run, int64 run_id)
{
	static char unknown[] = "not known without a sound tree";
	PhCellFindings cells = {unknown, unknown, unknown};
	if (ph_query_rows(tree_sql, run, receive_tree, check) == 0)
		check->detail = "there is none";
	char *tree = check->detail;
	ph_query_rows(count_sql, run, receive_count, check);
	check->detail = NULL;
	bool is_rolled_up = ph_query_rows(is_rolled_up_sql, run, receive_nothing, NULL) > 0;
	char *wrong =
		check->tree == NULL ? NULL : ph_check_summary_blocks(run_id, check->tree, check->scratch);
	if (is_rolled_up)
		cells.vectors = finding_of(check, vectors_sql, run);
	if (is_rolled_up && wrong != NULL)
	{
		cells.summaries = wrong;
		cells.additivity = pstrdup("not known without sound summaries");
	}
	else if (is_rolled_up && check->tree != NULL)
	{
		cells.summaries = finding_of(check, sketches_sql, run);
		cells.additivity = finding_of(check, means_sql, run);
	}
	else if (check->tree != NULL)
	{
		cells = ph_check_cells(run_id, check->tree, check->n_locations, wrong, check->scratch);
		if (cells.vectors == NULL && cells.summaries == NULL && values_fit(check))
			cells.summaries = finding_of(check, regions_sql, run);
	}
	put_finding(check, "summaries", cells.summaries);
	put_finding(check, "additivity", cells.additivity);
	put_finding(check, "tree", tree);
	put_finding(check, "vectors", cells.vectors);
}

/* Runs without a trace have nothing to check. True: nor have those whose events were dropped. */
static bool
check_trace(RunCheck *check, int64 run_id)
{
	if (!ph_run_has_trace(run_id))
		return false;
	PhTraceFindings trace = ph_check_trace(run_id);
	put_finding(check, "trace chunks", trace.chunks);
	put_finding(check, "trace events", trace.events);
	put_finding(check, "trace links", trace.links);
	return trace.is_dropped;
}

static void
check_tiles(RunCheck *check, int64 run_id)
{
	if (!ph_run_has_tiles(run_id))
		return;
	PhTraceRun *trace =
		ph_trace_begin_in_any_state(run_id, PH_TRACE_LOCATIONS | PH_TRACE_WITHOUT_EVENTS);
	char *detail = ph_check_tiles(trace);
	if (detail != NULL)
		detail = MemoryContextStrdup(check->context, detail);
	ph_trace_end(trace);
	put_finding(check, "trace tiles", detail);
}

static void
check_logical(RunCheck *check, ParamListInfo run, int64 run_id)
{
	if (!ph_run_has_logical(run_id))
		return;
	char *unsound = ph_check_logical(run_id);
	ParamListInfo version = ph_query_parameters(run_id, INT4OID, Int32GetDatum(PH_LOGICAL_VERSION));
	put_finding(check, "logical time", unsound ? unsound : finding_of(check, method_sql, version));
	if (ph_query_rows(has_timelines_sql, run, receive_nothing, NULL) > 0)
		put_finding(check, "logical timelines", finding_of(check, timelines_sql, run));
}

/* Where there are no checksums nothing is wrong, but nothing proved. */
static void
check_rows(RunCheck *check, ParamListInfo run)
{
	check->detail = finding_of(check, rows_sql, run);
	bool is_ok = check->detail == NULL;
	if (is_ok && ph_query_rows(has_sums_sql, run, receive_nothing, NULL) == 0)
		check->detail = "not known: the run was stored before there were checksums of rows";
	put_row(check, "rows", is_ok);
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
	ph_rows_begin(&rows, fcinfo);
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
	check_rows(&check, run);
	check_tree_and_cells(&check, run, PG_GETARG_INT64(0));
	if (!check_trace(&check, PG_GETARG_INT64(0)))
		check_logical(&check, run, PG_GETARG_INT64(0));
	check_tiles(&check, PG_GETARG_INT64(0));
	SPI_finish();
	ph_scratch_end(check.scratch);
	return (Datum) 0;
}
