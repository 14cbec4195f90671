/*
 * run_tables.c - the rows of a stored run other than its values.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "base/crc32c.h"
#include "base/warehouse_columns.h"
#include "metrics/formula.h"
#include "profile/caption.h"
#include "profile/gathered.h"
#include "profile/run_tables.h"
#include "server/compat.h"
#include "server/pgenv.h"
#include "server/query_rows.h"

static const char run_sql[] =
	"SELECT coalesce(nullif(application, ''), title), residual_cells, missing_columns,"
	" rolled_up_at IS NOT NULL, n_units, completeness, n_ranks, storage::int4,"
	" (SELECT l.kind::int4 FROM perfhouse.location l WHERE l.run_id = $1 AND l.location_id = "
	"0),"
	" CASE WHEN r.derived_from IS NOT NULL THEN (SELECT string_agg(o.value, ', ' ORDER BY o.place)"
	" FROM perfhouse.run_provenance o WHERE o.run_id = $1"
	" AND o.item IN ('source', 'operation')) END"
	" FROM perfhouse.run r WHERE run_id = $1 AND (state = 'ready' OR $2)";

/* Each is looked up: a join would read the metrics of all runs wherever they are thousands. */
static const char metrics_sql[] =
	"SELECT m.metric_id, m.name, m.unit, m.kind::int4, m.combine::int4, m.is_signed,"
	" m.numerator_id, m.denominator_id, m.factor,"
	" coalesce(r.meta ->> ('source_unit.' || m.name),"
	" CASE WHEN m.stored_unit <> m.unit THEN m.stored_unit END)"
	" FROM perfhouse.run r, LATERAL unnest(r.metric_ids) WITH ORDINALITY u(metric_id, place),"
	" LATERAL (SELECT * FROM perfhouse.metric_overview o WHERE o.metric_id = u.metric_id"
	" OFFSET 0) m"
	" WHERE r.run_id = $1 ORDER BY u.place";

static const char locations_sql[] =
	"SELECT " PH_SELECT(location, "") " FROM perfhouse.location WHERE run_id = $1"
									  " ORDER BY location_id";

static const char tree_sql[] =
	"SELECT t.tree, t.crc FROM perfhouse.run r JOIN perfhouse.call_tree t USING (tree_id)"
	" WHERE r.run_id = $1"
	" UNION ALL SELECT tree, NULL FROM perfhouse.profile_tree_1 WHERE run_id = $1";

static const char derived_sql[] =
	"SELECT formula, unit FROM perfhouse.derived_metric WHERE $1 IS NOT NULL AND name = $2";

static void
receive_run(void *user, TupleTableSlot *slot)
{
	PhRunTables *tables = user;
	tables->run.found = true;
	tables->run.label = ph_slot_text(slot, 0, tables->context);
	tables->run.residual_cells = ph_slot_bigint(slot, 1, 0);
	tables->run.missing_columns = ph_slot_int(slot, 2, 0);
	tables->run.is_rolled_up = DatumGetBool(slot->tts_values[3]);
	tables->run.n_units = ph_slot_int(slot, 4, 0);
	tables->run.completeness = ph_slot_text(slot, 5, tables->context);
	tables->run.n_ranks = ph_slot_int(slot, 6, 0);
	tables->run.storage = ph_slot_int(slot, 7, 1);
	tables->run.unit_kind = ph_slot_int(slot, 8, PH_COLUMN_UNIT);
	tables->run.computed_of = ph_slot_text(slot, 9, tables->context);
}

static void *
grown(MemoryContext context, void *array, uint32 count, uint32 *capacity, Size size)
{
	if (count < *capacity)
		return array;
	*capacity = *capacity == 0 ? 64 : *capacity * 2;
	if (array == NULL)
		return MemoryContextAllocHuge(context, *capacity * size);
	return repalloc_huge(array, *capacity * size);
}

static void
receive_metric(void *user, TupleTableSlot *slot)
{
	PhRunTables *tables = user;
	tables->metrics = grown(tables->context, tables->metrics, tables->n_metrics,
							&tables->metrics_capacity, sizeof(PhRunMetric));
	PhRunMetric *metric = &tables->metrics[tables->n_metrics++];
	memset(metric, 0, sizeof(*metric));
	metric->metric_id = ph_slot_int(slot, 0, 0);
	metric->spec.name = ph_slot_text(slot, 1, tables->context);
	metric->spec.unit = ph_slot_text(slot, 2, tables->context);
	metric->spec.kind = (PhMetricKind) ph_slot_int(slot, 3, PH_METRIC_FLOW);
	metric->spec.combine = (PhCombine) ph_slot_int(slot, 4, PH_COMBINE_MEAN);
	metric->spec.given = PH_GIVEN_BOTH;
	metric->spec.may_be_negative = DatumGetBool(slot->tts_values[5]);
	metric->spec.numerator = PH_NONE;
	metric->spec.denominator = PH_NONE;
	metric->numerator_id = ph_slot_int(slot, 6, 0);
	metric->denominator_id = ph_slot_int(slot, 7, 0);
	metric->factor = DatumGetFloat8(slot->tts_values[8]);
	metric->source_unit = ph_slot_text(slot, 9, tables->context);
}

static void
receive_location(void *user, TupleTableSlot *slot)
{
	PhRunTables *tables = user;
	if (ph_slot_int(slot, PH_SLOT(location, location_id), -1) != (int32) tables->n_locations)
		ereport(ERROR, (errcode(PH_ERRCODE_BAD_PROFILE),
						errmsg("locations of the run are not numbered from 0 without gaps"),
						errhint("Load the run again with --if-exists replace.")));
	tables->locations = grown(tables->context, tables->locations, tables->n_locations,
							  &tables->locations_capacity, sizeof(PhColumnSpec));
	PhColumnSpec *column = &tables->locations[tables->n_locations++];
	column->kind = (PhColumnKind) ph_slot_smallint(slot, PH_SLOT(location, kind), PH_COLUMN_UNIT);
	column->rank = ph_slot_int(slot, PH_SLOT(location, rank), PH_NO_NUMBER);
	column->thread = ph_slot_int(slot, PH_SLOT(location, thread), PH_NO_NUMBER);
	column->host = ph_slot_text(slot, PH_SLOT(location, host), tables->context);
	column->name = ph_slot_text(slot, PH_SLOT(location, name), tables->context);
	column->iteration = ph_slot_bigint(slot, PH_SLOT(location, iteration), PH_NO_ITERATION);
}

static char *
mean_name(const PhRunRow *run)
{
	if (run->is_rolled_up)
		return psprintf("mean of %d units", run->n_units);
	return ph_units_in_words((uint8) run->unit_kind, (uint32) run->n_units, (uint32) run->n_ranks);
}

/* The mean over units, for whom single ones are gone or not asked for. */
static void
make_mean_column(PhRunTables *tables)
{
	tables->locations = MemoryContextAllocZero(tables->context, sizeof(PhColumnSpec));
	tables->locations_capacity = tables->n_locations = 1;
	MemoryContext old = MemoryContextSwitchTo(tables->context);
	tables->locations[0] = (PhColumnSpec){.kind = PH_COLUMN_MEAN,
										  .rank = PH_NO_NUMBER,
										  .thread = PH_NO_NUMBER,
										  .name = mean_name(&tables->run),
										  .iteration = PH_NO_ITERATION};
	MemoryContextSwitchTo(old);
}

uint32
ph_metric_position(const int32 *metric_ids, uint32 n, int32 metric_id)
{
	for (uint32 m = 0; m < n; m++)
		if (metric_ids[m] == metric_id)
			return m;
	elog(ERROR, "query returned metric %d, which was not asked for", metric_id);
}

PhBytes
ph_stored_tree(const TupleTableSlot *slot, int tree_at, int crc_at)
{
	PhBytes tree = ph_slot_bytes(slot, tree_at, true);
	if (!ph_slot_is_null(slot, crc_at) &&
		(int32) ph_crc32c(0, tree.data, tree.size) != ph_slot_int(slot, crc_at, 0))
		ereport(
			ERROR,
			(errcode(PH_ERRCODE_BAD_PROFILE), errmsg("a stored call tree is damaged"),
			 errhint("Its checksum is wrong: check_run(run) says so of all runs that have it.")));
	return tree;
}

static void
receive_tree(void *user, TupleTableSlot *slot)
{
	PhRunTables *tables = user;
	PhBytes tree = ph_stored_tree(slot, 0, 1);
	tables->tree = ph_value_from_bytes(PH_VALUE_PROFILE, tree.data, tree.size, tables->context);
}

void
ph_run_tables_read(PhRunTables *tables, int64 run_id, bool means)
{
	ParamListInfo run = ph_query_parameters(run_id, InvalidOid, (Datum) 0);
	ph_query_rows(run_sql, ph_query_parameters(run_id, BOOLOID, BoolGetDatum(tables->in_any_state)),
				  receive_run, tables);
	if (!tables->run.found)
		ereport(ERROR,
				(errcode(PH_ERRCODE_NOT_FOUND), errmsg("there is no run " INT64_FORMAT, run_id),
				 errhint("perfhouse runs lists them; in SQL run_overview.")));
	ph_query_rows(metrics_sql, run, receive_metric, tables);
	tables->is_mean = tables->run.is_rolled_up || (means && tables->run.n_units > 1);
	if (tables->is_mean)
		make_mean_column(tables);
	else
		ph_query_rows(locations_sql, run, receive_location, tables);
	for (uint32 i = 0; i < tables->n_locations; i++)
		tables->locations[i].run_id = run_id;
	ph_query_rows(tree_sql, run, receive_tree, tables);
	if (tables->tree == NULL || tables->n_metrics == 0 || tables->n_locations == 0)
		ereport(ERROR, (errcode(PH_ERRCODE_NOT_FOUND),
						errmsg("run " INT64_FORMAT " has no profile", run_id),
						errhint("check_run(" INT64_FORMAT ") says what is missing.", run_id)));
}

static uint32
find_exact_metric(const PhRunTables *tables, const char *name)
{
	for (uint32 m = 0; m < tables->n_metrics; m++)
		if (strcmp(tables->metrics[m].spec.name, name) == 0)
			return m;
	return PH_NONE;
}

/* The same in another letter case, else the only one that begins so. */
static uint32
find_similar_metric(const PhRunTables *tables, const char *name)
{
	uint32 begins = PH_NONE;
	uint32 n_begin = 0;
	for (uint32 m = 0; m < tables->n_metrics; m++)
		if (pg_strcasecmp(tables->metrics[m].spec.name, name) == 0)
			return m;
	for (uint32 m = 0; m < tables->n_metrics; m++)
		if (strncmp(tables->metrics[m].spec.name, name, strlen(name)) == 0)
		{
			begins = m;
			n_begin++;
		}
	return n_begin == 1 ? begins : PH_NONE;
}

/* Some of the run's metrics, for hints. */
static const char *
metric_names(const PhRunTables *tables)
{
	StringInfoData list;
	initStringInfo(&list);
	for (uint32 m = 0; m < tables->n_metrics && m < 12; m++)
		appendStringInfo(&list, "%s\"%s\"", m > 0 ? ", " : "", tables->metrics[m].spec.name);
	return list.data;
}

static void
refuse_metric(const PhRunTables *tables, int64 run_id, const char *name)
{
	ereport(ERROR, (errcode(PH_ERRCODE_NOT_FOUND),
					errmsg("run " INT64_FORMAT " has no metric \"%s\"", run_id, name),
					errhint("Its metrics are %s.", metric_names(tables))));
}

static uint32
find_metric_id(const PhRunTables *tables, int32 metric_id)
{
	for (uint32 m = 0; m < tables->n_metrics; m++)
		if (tables->metrics[m].metric_id == metric_id)
			return m;
	return PH_NONE;
}

static uint32
pick_metric(uint32 *picked, uint32 *count, uint32 metric)
{
	for (uint32 i = 0; i < *count; i++)
		if (picked[i] == metric)
			return i;
	picked[*count] = metric;
	return (*count)++;
}

/* The metric that counts calls, as ph_profile_visits finds it, or PH_NONE. */
static uint32
find_calls(const PhRunTables *tables)
{
	uint32 found = PH_NONE;
	uint32 best = PH_NONE;
	for (uint32 m = 0; m < tables->n_metrics; m++)
	{
		uint32 rank = ph_names_calls(tables->metrics[m].spec.name);
		if (tables->metrics[m].spec.kind != PH_METRIC_FLOW || rank >= best)
			continue;
		found = m;
		best = rank;
	}
	return found;
}

const char *
ph_run_calls_metric(PhRunTables *tables, int64 run_id)
{
	ph_query_rows(metrics_sql, ph_query_parameters(run_id, InvalidOid, (Datum) 0), receive_metric,
				  tables);
	uint32 found = find_calls(tables);
	return found == PH_NONE ? NULL : tables->metrics[found].spec.name;
}

/* Append extremes and averages over ranks of what is picked: all that the file says of ranks. */
static void
pick_gathered(const PhRunTables *tables, uint32 *picked, uint32 *count)
{
	char wanted[PH_FAMILY_MAX];
	char family[PH_FAMILY_MAX];
	uint32 n = *count;
	bool is_gathered = tables->n_locations == 1 && tables->locations[0].rank == PH_NO_NUMBER;
	if (!is_gathered || (tables->is_mean && !tables->run.is_rolled_up))
		return;
	for (uint32 i = 0; i < n; i++)
	{
		ph_metric_family(tables->metrics[picked[i]].spec.name, wanted);
		for (uint32 m = 0; wanted[0] != '\0' && m < tables->n_metrics; m++)
			if (ph_metric_family(tables->metrics[m].spec.name, family) != PH_PART_TOTAL &&
				tables->metrics[m].spec.kind == PH_METRIC_VALUE &&
				pg_strcasecmp(family, wanted) == 0)
				pick_metric(picked, count, m);
	}
}

/* Append what the picked ratios divide, and point them to it. */
static void
pick_parts_of_ratios(const PhRunTables *tables, uint32 *picked, uint32 *count)
{
	for (uint32 i = 0; i < *count; i++)
	{
		PhRunMetric *ratio = &tables->metrics[picked[i]];
		if (ratio->spec.kind != PH_METRIC_RATIO)
			continue;
		uint32 numerator = find_metric_id(tables, ratio->numerator_id);
		uint32 denominator = find_metric_id(tables, ratio->denominator_id);
		if (numerator == PH_NONE || denominator == PH_NONE)
			ereport(ERROR, (errcode(PH_ERRCODE_BAD_PROFILE),
							errmsg("the run lacks what ratio \"%s\" divides", ratio->spec.name)));
		ratio->spec.numerator = pick_metric(picked, count, numerator);
		ratio->spec.denominator = pick_metric(picked, count, denominator);
	}
}

static void
receive_derived(void *user, TupleTableSlot *slot)
{
	PhRunTables *tables = user;
	PhRunDerived *derived = &tables->derived[tables->n_derived++];
	derived->formula = ph_slot_text(slot, 0, tables->context);
	derived->unit = ph_slot_text(slot, 1, tables->context);
}

/* What is defined for the whole warehouse under the name, among what is to be derived; NULL: none.
 */
static const PhRunDerived *
find_derived(PhRunTables *tables, int64 run_id, const char *name)
{
	for (uint32 i = 0; i < tables->n_derived; i++)
		if (strcmp(tables->derived[i].name, name) == 0)
			return &tables->derived[i];
	PhRunDerived *derived = &tables->derived[tables->n_derived];
	derived->name = name;
	ph_query_rows(derived_sql, ph_query_parameters(run_id, TEXTOID, CStringGetTextDatum(name)),
				  receive_derived, tables);
	return derived->formula != NULL ? derived : NULL;
}

/* Pick what the formula of a derived metric names. */
static void
pick_operands(const PhRunTables *tables, int64 run_id, const PhRunDerived *derived, uint32 *picked,
			  uint32 *count)
{
	PhScratch *scratch = ph_scratch_begin();
	PhFormula formula;
	PH_CHECK(&scratch->env, ph_formula_parse(&scratch->arena, derived->formula, &formula));
	for (uint32 i = 0; i < formula.n_names; i++)
	{
		uint32 metric = find_exact_metric(tables, formula.names[i]);
		if (metric == PH_NONE)
			ereport(ERROR,
					(errcode(PH_ERRCODE_NOT_FOUND),
					 errmsg("run " INT64_FORMAT " has no metric \"%s\", of which \"%s\" is made",
							run_id, formula.names[i], derived->name),
					 errhint("\"%s\" is %s; the metrics of the run are %s.", derived->name,
							 derived->formula, metric_names(tables))));
		pick_metric(picked, count, metric);
	}
	ph_scratch_end(scratch);
}

/* Picks a metric of this name; its place among the picked ones, or PH_NONE: it is derived. */
static uint32
pick_named(PhRunTables *tables, int64 run_id, const char *name, uint32 *picked, uint32 *count)
{
	uint32 metric = find_exact_metric(tables, name);
	const PhRunDerived *derived = metric == PH_NONE ? find_derived(tables, run_id, name) : NULL;
	if (derived != NULL)
	{
		pick_operands(tables, run_id, derived, picked, count);
		return PH_NONE;
	}
	if (metric == PH_NONE)
		metric = find_similar_metric(tables, name);
	if (metric == PH_NONE)
		refuse_metric(tables, run_id, name);
	return pick_metric(picked, count, metric);
}

uint32 *
ph_run_pick_metrics(PhRunTables *tables, const PhRunRequest *request, uint32 *count)
{
	uint32 *picked = MemoryContextAlloc(tables->context, sizeof(uint32) * (tables->n_metrics + 1));
	int n_names = request->all_metrics ? 0 : request->n_metrics;
	tables->asked = MemoryContextAlloc(tables->context, sizeof(uint32) * (n_names + 1));
	tables->derived = MemoryContextAllocZero(tables->context, sizeof(PhRunDerived) * (n_names + 1));
	*count = 0;
	for (uint32 m = 0; request->all_metrics && m < tables->n_metrics; m++)
		pick_metric(picked, count, m);
	for (int i = 0; i < n_names; i++)
		tables->asked[i] = pick_named(tables, request->run_id, request->metrics[i], picked, count);
	if (*count == 0)
		pick_metric(picked, count, 0);
	pick_gathered(tables, picked, count);
	if (request->with_visits && find_calls(tables) != PH_NONE)
		pick_metric(picked, count, find_calls(tables));
	pick_parts_of_ratios(tables, picked, count);
	return picked;
}

static int
compare_int32(const void *a, const void *b)
{
	int32 x = *(const int32 *) a;
	int32 y = *(const int32 *) b;
	return (x > y) - (x < y);
}

/* Sorted distinct ranks of the request. */
static int32 *
sorted_ranks(const PhRunTables *tables, const PhRunRequest *request, uint32 *count)
{
	int32 *ranks =
		MemoryContextAllocHuge(tables->context, sizeof(int32) * Max(request->n_ranks, 1));
	uint32 n = 0;
	memcpy(ranks, request->ranks, sizeof(int32) * request->n_ranks);
	qsort(ranks, request->n_ranks, sizeof(int32), compare_int32);
	for (int i = 0; i < request->n_ranks; i++)
		if (n == 0 || ranks[n - 1] != ranks[i])
			ranks[n++] = ranks[i];
	*count = n;
	return ranks;
}

static uint32 *
pick_ranks(const PhRunTables *tables, const PhRunRequest *request, uint32 *column_of,
		   uint32 *n_columns, uint32 *n_missing)
{
	uint32 n_ranks;
	const int32 *ranks = sorted_ranks(tables, request, &n_ranks);
	bool *met = MemoryContextAllocZero(tables->context, Max(n_ranks, 1));
	for (uint32 i = 0; i < tables->n_locations; i++)
	{
		const int32 *found =
			bsearch(&tables->locations[i].rank, ranks, n_ranks, sizeof(int32), compare_int32);
		bool wanted = found != NULL && *found != PH_NO_NUMBER;
		column_of[i] = wanted ? (*n_columns)++ : PH_NONE;
		if (wanted)
			met[found - ranks] = true;
	}
	for (uint32 i = 0; i < n_ranks; i++)
		*n_missing += !met[i];
	if (*n_columns == 0)
		ereport(ERROR,
				(errcode(PH_ERRCODE_NOT_FOUND),
				 errmsg("run " INT64_FORMAT " has none of the ranks that were asked for",
						request->run_id),
				 errhint("columns(profile(" INT64_FORMAT ")) lists its ranks.", request->run_id)));
	return column_of;
}

uint32 *
ph_run_pick_locations(const PhRunTables *tables, const PhRunRequest *request, uint32 *n_columns,
					  uint32 *n_missing)
{
	uint32 *column_of =
		MemoryContextAllocHuge(tables->context, sizeof(uint32) * tables->n_locations);
	*n_columns = 0;
	*n_missing = 0;
	if (!request->all_ranks)
		return pick_ranks(tables, request, column_of, n_columns, n_missing);
	for (uint32 i = 0; i < tables->n_locations; i++)
		column_of[i] = i;
	*n_columns = tables->n_locations;
	return column_of;
}
