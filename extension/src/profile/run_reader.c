/*
 * run_reader.c - a stored run's values into a profile.
 *
 * The tree comes as the core's flat form; values come in blocks (run_blocks.c), or, of runs that
 * older releases stored, row by row, a row being one node's vector for one metric and up to
 * PH_BLOCK_COLUMNS columns, in any order. They are placed by the hash of the call path.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "base/warehouse_columns.h"
#include "profile/caption.h"
#include "profile/flat.h"
#include "profile/node_table.h"
#include "profile/ops.h"
#include "profile/run_blocks.h"
#include "profile/run_reader.h"
#include "profile/run_tables.h"
#include "profile/seconds.h"
#include "server/args.h"
#include "server/query_rows.h"

static const char values_sql[] =
	"SELECT " PH_SELECT(profile_values_1, "") " FROM perfhouse.profile_values_1"
											  " WHERE run_id = $1 AND metric_id = ANY ($2)";

/* The mean over units, absent = 0. */
static const char means_sql[] =
	"SELECT s.callpath_id, s.metric_id, s.inclusive_sum / r.n_units, s.exclusive_sum / r.n_units"
	" FROM perfhouse.profile_summary s JOIN perfhouse.run r USING (run_id)"
	" WHERE s.run_id = $1 AND s.metric_id = ANY ($2) AND s.n > 0";

typedef struct Filler
{
	const PhRunRequest *request;
	const PhRunTables *tables;
	PhProfile *profile;
	PhNodeTable nodes;
	uint32 n_metrics;
	int32 *metric_ids;		 /* of the profile's metrics */
	uint64 *n_filled;		 /* cells, by metric */
	const uint32 *column_of; /* by location */
	bool all_columns;		 /* column_of is the identity */
} Filler;

static void
refuse_row(const Filler *filler, int64 callpath_id, const char *what)
{
	ereport(ERROR, (errcode(PH_ERRCODE_BAD_PROFILE),
					errmsg("values of run " INT64_FORMAT ", call path " INT64_FORMAT " %s",
						   filler->request->run_id, callpath_id, what),
					errhint("Load the run again with --if-exists replace.")));
}

/* The array of a row, which must have this many float8 in one dimension. */
static ArrayType *
vector_of(const Filler *filler, Datum value, int64 callpath_id, uint32 length)
{
	ArrayType *array = DatumGetArrayTypeP(value);
	if (ARR_ELEMTYPE(array) != FLOAT8OID || ARR_NDIM(array) != 1 ||
		(uint32) ARR_DIMS(array)[0] != length)
		refuse_row(filler, callpath_id, "do not have as many elements as the run has locations");
	return array;
}

static void
set_present(PhProfile *profile, uint32 node, uint32 column)
{
	size_t bit = (size_t) node * profile->n_columns + column;
	profile->present[bit >> 3] |= (uint8_t) (1u << (bit & 7));
}

/* Bits [first, first + length) of a bitmap. */
static void
set_bits(uint8_t *bitmap, size_t first, size_t length)
{
	size_t end = first + length;
	while (first < end && (first & 7) != 0)
	{
		bitmap[first >> 3] |= (uint8_t) (1u << (first & 7));
		first++;
	}
	memset(bitmap + (first >> 3), 0xff, (end - first) >> 3);
	for (first += (end - first) & ~(size_t) 7; first < end; first++)
		bitmap[first >> 3] |= (uint8_t) (1u << (first & 7));
}

/* Every element is there and every column is wanted. */
static void
fill_whole(PhProfile *profile, const PhMetric *metric, uint32 node, uint32 first, uint32 length,
		   const double *inclusive, const double *exclusive)
{
	size_t cell = (size_t) node * profile->n_columns + first;
	memcpy(metric->inclusive + cell, inclusive, sizeof(double) * length);
	memcpy(metric->exclusive + cell, exclusive, sizeof(double) * length);
	set_bits(profile->present, cell, length);
}

static bool
element_is_null(const bits8 *bitmap, uint32 i)
{
	return bitmap != NULL && (bitmap[i >> 3] & (1 << (i & 7))) == 0;
}

/* Null elements are skipped in the bitmap and have no value in the data. */
static void
fill_some(const Filler *filler, const PhMetric *metric, uint32 node, uint32 first, uint32 length,
		  ArrayType *inclusive, ArrayType *exclusive)
{
	PhProfile *profile = filler->profile;
	const bits8 *bitmap = ARR_NULLBITMAP(inclusive);
	const double *from_inclusive = (const double *) ARR_DATA_PTR(inclusive);
	const double *from_exclusive = (const double *) ARR_DATA_PTR(exclusive);
	double *to_inclusive = metric->inclusive + (size_t) node * profile->n_columns;
	double *to_exclusive = metric->exclusive + (size_t) node * profile->n_columns;
	for (uint32 i = 0; i < length; i++)
	{
		if (element_is_null(bitmap, i))
			continue;
		uint32 column = filler->column_of[first + i];
		if (column != PH_NONE)
		{
			to_inclusive[column] = *from_inclusive;
			to_exclusive[column] = *from_exclusive;
			set_present(profile, node, column);
		}
		from_inclusive++;
		from_exclusive++;
	}
}

/* Null must be the same elements in both; SQL can store anything. */
static bool
same_nulls(ArrayType *a, ArrayType *b, uint32 length)
{
	const bits8 *x = ARR_NULLBITMAP(a);
	const bits8 *y = ARR_NULLBITMAP(b);
	if (x == NULL && y == NULL)
		return true;
	for (uint32 i = 0; i < length; i++)
		if (element_is_null(x, i) != element_is_null(y, i))
			return false;
	return true;
}

static uint32
metric_of(const Filler *filler, int32 metric_id)
{
	for (uint32 m = 0; m < filler->n_metrics; m++)
		if (filler->metric_ids[m] == metric_id)
			return m;
	elog(ERROR, "query returned metric %d, which was not asked for", metric_id);
}

static void
receive_values(void *user, TupleTableSlot *slot)
{
	const Filler *filler = user;
	int64 callpath_id = ph_slot_bigint(slot, PH_SLOT(profile_values_1, callpath_id), 0);
	uint32 m = metric_of(filler, ph_slot_int(slot, PH_SLOT(profile_values_1, metric_id), 0));
	const PhMetric *metric = &filler->profile->metrics[m];
	int64 first =
		(int64) ph_slot_int(slot, PH_SLOT(profile_values_1, block), -1) * PH_BLOCK_COLUMNS;
	uint32 node = ph_node_table_find(&filler->nodes, (uint64) callpath_id);
	if (node == PH_NONE)
		refuse_row(filler, callpath_id, "belong to no node of its tree");
	if (first < 0 || first >= filler->tables->n_locations)
		refuse_row(filler, callpath_id, "have a block beyond its locations");
	uint32 length = (uint32) Min(filler->tables->n_locations - first, PH_BLOCK_COLUMNS);
	ArrayType *inclusive = vector_of(filler, slot->tts_values[PH_SLOT(profile_values_1, inclusive)],
									 callpath_id, length);
	ArrayType *exclusive = vector_of(filler, slot->tts_values[PH_SLOT(profile_values_1, exclusive)],
									 callpath_id, length);
	if (metric->inclusive == NULL || !same_nulls(inclusive, exclusive, length))
		refuse_row(filler, callpath_id, "have nulls in only one of inclusive and exclusive");
	if (filler->all_columns && !ARR_HASNULL(inclusive) && !ARR_HASNULL(exclusive))
	{
		fill_whole(filler->profile, metric, node, (uint32) first, length,
				   (const double *) ARR_DATA_PTR(inclusive),
				   (const double *) ARR_DATA_PTR(exclusive));
		filler->n_filled[m] += length;
	}
	else
		fill_some(filler, metric, node, (uint32) first, length, inclusive, exclusive);
}

static void
receive_mean(void *user, TupleTableSlot *slot)
{
	const Filler *filler = user;
	int64 callpath_id = ph_slot_bigint(slot, 0, 0);
	uint32 m = metric_of(filler, ph_slot_int(slot, 1, 0));
	const PhMetric *metric = &filler->profile->metrics[m];
	uint32 node = ph_node_table_find(&filler->nodes, (uint64) callpath_id);
	if (node == PH_NONE)
		refuse_row(filler, callpath_id, "belong to no node of its tree");
	if (metric->inclusive == NULL || ph_slot_is_null(slot, 2) || ph_slot_is_null(slot, 3))
		refuse_row(filler, callpath_id, "have no sum");
	metric->inclusive[node] = DatumGetFloat8(slot->tts_values[2]);
	metric->exclusive[node] = DatumGetFloat8(slot->tts_values[3]);
	set_present(filler->profile, node, 0);
	filler->n_filled[m]++;
}

/*
 * Drops the bitmap when some metric has a value in every cell, as all cells are present then.
 * Counting is enough: by the table's primary key each cell comes once.
 */
static void
forget_full_presence(const Filler *filler)
{
	PhProfile *profile = filler->profile;
	uint64 cells = (uint64) profile->n_nodes * profile->n_columns;
	for (uint32 m = 0; m < filler->n_metrics; m++)
		if (filler->n_filled[m] == cells)
			profile->present = NULL;
}

/* The profile with room for what was picked. */
static void
make_room(PhValue *out, const PhRunTables *tables, const uint32 *picked, uint32 n_metrics,
		  const uint32 *column_of, uint32 n_columns, const PhPresence *presence)
{
	PhColumnSpec *columns = palloc_extended(sizeof(PhColumnSpec) * n_columns, MCXT_ALLOC_HUGE);
	PhMetricSpec *metrics = palloc(sizeof(PhMetricSpec) * n_metrics);
	for (uint32 i = 0; i < tables->n_locations; i++)
		if (column_of[i] != PH_NONE)
			columns[column_of[i]] = tables->locations[i];
	for (uint32 m = 0; m < n_metrics; m++)
		metrics[m] = tables->metrics[picked[m]].spec;
	PH_CHECK(&out->env, ph_profile_with_room(&out->env, tables->tree->profile, n_columns, columns,
											 n_metrics, metrics, presence, &out->profile));
	pfree(columns);
	pfree(metrics);
}

static void
read_values(PhValue *out, const PhRunRequest *request, const PhRunTables *tables,
			const uint32 *picked, uint32 n_metrics, const uint32 *column_of)
{
	Filler filler = {.request = request,
					 .tables = tables,
					 .profile = out->profile,
					 .nodes = ph_node_table(out->profile, tables->context),
					 .n_metrics = n_metrics,
					 .metric_ids = palloc(sizeof(int32) * n_metrics),
					 .n_filled = palloc0(sizeof(uint64) * n_metrics),
					 .column_of = column_of,
					 .all_columns = request->all_ranks};
	Datum *ids = palloc(sizeof(Datum) * n_metrics);
	for (uint32 m = 0; m < n_metrics; m++)
	{
		filler.metric_ids[m] = tables->metrics[picked[m]].metric_id;
		ids[m] = Int32GetDatum(filler.metric_ids[m]);
	}
	ArrayType *wanted =
		construct_array(ids, (int) n_metrics, INT4OID, sizeof(int32), true, TYPALIGN_INT);
	ph_query_rows(tables->is_mean ? means_sql : values_sql,
				  ph_query_parameters(request->run_id, INT4ARRAYOID, PointerGetDatum(wanted)),
				  tables->is_mean ? receive_mean : receive_values, &filler);
	forget_full_presence(&filler);
}

/* Blocks have everything that can be derived of values. */
static void
read_blocks(PhValue *out, const PhRunRequest *request, const PhRunTables *tables,
			const uint32 *picked, uint32 n_metrics, const uint32 *column_of, uint32 n_columns)
{
	PhScratch *scratch = ph_scratch_begin();
	PhRunBlocks blocks = {.context = scratch->context};
	const uint32 *map = request->all_ranks ? NULL : column_of;
	int32 *metric_ids = palloc(sizeof(int32) * n_metrics);
	PhPresence presence;
	for (uint32 m = 0; m < n_metrics; m++)
		metric_ids[m] = tables->metrics[picked[m]].metric_id;
	ph_run_blocks_read(&blocks, request->run_id, metric_ids, n_metrics);
	ph_presence_init(&presence, &scratch->arena);
	ph_run_blocks_presence(&blocks, scratch, tables->tree->profile, tables->n_locations, map,
						   &presence);
	make_room(out, tables, picked, n_metrics, column_of, n_columns, &presence);
	ph_run_blocks_fill(&blocks, scratch, out->profile, metric_ids, tables->n_locations, map);
	pfree(metric_ids);
	ph_scratch_end(scratch);
}

/* Runs of older releases are stored in the units of their sources. */
static void
convert_units(PhValue *out, const PhRunTables *tables, const uint32 *picked)
{
	for (uint32 m = 0; m < out->profile->n_metrics; m++)
		PH_CHECK(&out->env,
				 ph_metric_scale(&out->env, out->profile, m, tables->metrics[picked[m]].factor));
}

static bool
same_text(const char *a, const char *b)
{
	return a == b || strcmp(a, b) == 0;
}

/* The unit of a column: everything but its iteration; names tell units apart that have no rank. */
static int
compare_units(const PhProfile *profile, const PhColumn *a, const PhColumn *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	int order = strcmp(ph_profile_string(profile, a->host), ph_profile_string(profile, b->host));
	if (order != 0 || a->rank != PH_NO_NUMBER)
		return order;
	return strcmp(ph_profile_string(profile, a->name), ph_profile_string(profile, b->name));
}

static int
compare_columns_by_unit(const void *a, const void *b, void *arg)
{
	const PhProfile *profile = arg;
	uint32 x = *(const uint32 *) a;
	uint32 y = *(const uint32 *) b;
	int order = compare_units(profile, &profile->columns[x], &profile->columns[y]);
	return order != 0 ? order : (x > y) - (x < y);
}

static bool
has_iterations(const PhProfile *profile)
{
	for (uint32 c = 0; c < profile->n_columns; c++)
		if (profile->columns[c].iteration != PH_NO_ITERATION)
			return true;
	return false;
}

/* A unit keeps its name when all its columns share it. */
static PhColumn
unit_column(const PhProfile *profile, const uint32 *members, uint32 n)
{
	PhColumn unit = profile->columns[members[0]];
	const char *name = ph_profile_string(profile, unit.name);
	unit.iteration = PH_NO_ITERATION;
	for (uint32 i = 1; i < n; i++)
		if (!same_text(name, ph_profile_string(profile, profile->columns[members[i]].name)))
			unit.name = 0;
	return unit;
}

/* Sum the iterations of every unit. */
static PhValue *
roll_up_iterations(PhValue *full)
{
	const PhProfile *profile = full->profile;
	uint32 n = profile->n_columns;
	uint32 *order = palloc_extended(sizeof(uint32) * n, MCXT_ALLOC_HUGE);
	uint32_t *group = palloc_extended(sizeof(uint32_t) * n, MCXT_ALLOC_HUGE);
	PhColumn *units = palloc_extended(sizeof(PhColumn) * n, MCXT_ALLOC_HUGE);
	uint32 n_units = 0;
	for (uint32 c = 0; c < n; c++)
		order[c] = c;
	qsort_arg(order, n, sizeof(uint32), compare_columns_by_unit, unconstify(PhProfile *, profile));
	for (uint32 first = 0, end; first < n; first = end)
	{
		const PhColumn *column = &profile->columns[order[first]];
		for (end = first; end < n; end++)
		{
			if (compare_units(profile, column, &profile->columns[order[end]]) != 0)
				break;
			group[order[end]] = n_units;
		}
		units[n_units++] = unit_column(profile, order + first, end - first);
	}
	PhValue *out = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PH_CHECK(&out->env,
			 ph_profile_roll_up(&out->env, profile, group, n_units, units, &out->profile));
	return out;
}

/* The profile with one more metric at the end. */
static PhValue *
with_derived(const PhValue *value, const PhRunDerived *derived)
{
	PhValue *out = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PH_CHECK(&out->env, ph_profile_derive(&out->env, value->profile, derived->name,
										  derived->formula, derived->unit, &out->profile));
	return out;
}

/* Make what is to be derived, and put the metrics that were asked for first, in their order. */
static PhValue *
derive_metrics(PhValue *value, const PhRunRequest *request, const PhRunTables *tables)
{
	for (uint32 i = 0; i < tables->n_derived; i++)
		value = with_derived(value, &tables->derived[i]);
	uint32 n = 0;
	const PhProfile *profile = value->profile;
	uint32_t *order = palloc(sizeof(uint32_t) * (profile->n_metrics + (Size) request->n_metrics));
	bool *taken = palloc0(profile->n_metrics);
	for (int i = 0; i < request->n_metrics; i++)
	{
		uint32 metric = tables->asked[i] != PH_NONE ? tables->asked[i]
													: ph_find_metric(profile, request->metrics[i]);
		if (!taken[metric])
			order[n++] = metric;
		taken[metric] = true;
	}
	for (uint32 m = 0; m < profile->n_metrics; m++)
		if (!taken[m])
			order[n++] = m;
	PhValue *out = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PH_CHECK(&out->env, ph_profile_select_metrics(&out->env, profile, n, order, &out->profile));
	return out;
}

/* Single ranks and iterations cannot be had any more. */
static void
refuse_single_units(const PhRunRequest *request)
{
	if (request->all_ranks && !request->keep_iterations)
		return;
	ereport(ERROR,
			(errcode(PH_ERRCODE_UNSUPPORTED),
			 errmsg("values of single ranks and iterations of run " INT64_FORMAT " were rolled up",
					request->run_id),
			 errhint("run_distribution(" INT64_FORMAT ") tells how they were distributed; loading"
					 " the run again with --if-exists replace brings them back.",
					 request->run_id)));
}

/* Of inputs that were not whole, or could not prove it: whatever is made of the profile says so. */
static void
note_completeness(PhValue *out, const char *completeness)
{
	const char *note = strcmp(completeness, "incomplete") == 0 ? PH_NOTE_INCOMPLETE
					   : strcmp(completeness, "unknown") == 0  ? PH_NOTE_UNPROVEN
															   : NULL;
	if (note != NULL)
		PH_CHECK(&out->env, ph_profile_add_note(&out->env, out->profile, note));
}

/* Of metrics whose input has them in another unit. */
static void
note_source_units(PhValue *out, const PhRunTables *tables, const uint32 *picked)
{
	for (uint32 m = 0; m < out->profile->n_metrics; m++)
	{
		const PhRunMetric *metric = &tables->metrics[picked[m]];
		if (metric->source_unit != NULL)
			PH_CHECK(&out->env,
					 ph_profile_add_note(&out->env, out->profile,
										 psprintf(PH_NOTE_SOURCE_UNIT "%s [%s]", metric->spec.name,
												  metric->source_unit)));
	}
}

/* Means of metrics that do not add up are no summary's. */
static bool
all_have_means(const PhRunTables *tables, const uint32 *picked, uint32 n_metrics)
{
	for (uint32 m = 0; m < n_metrics; m++)
		if (tables->metrics[picked[m]].spec.kind == PH_METRIC_VALUE)
			return false;
	return true;
}

/* The run's rows, and of which of its metrics values are read. */
static const uint32 *
read_tables(const PhRunRequest *request, PhRunTables *tables, uint32 *n_metrics)
{
	ph_run_tables_read(tables, request->run_id, request->means);
	if (tables->run.is_rolled_up)
		refuse_single_units(request);
	const uint32 *picked = ph_run_pick_metrics(tables, request, n_metrics);
	if (!tables->is_mean || tables->run.is_rolled_up || all_have_means(tables, picked, *n_metrics))
		return picked;
	*tables = (PhRunTables){.context = tables->context, .in_any_state = tables->in_any_state};
	ph_run_tables_read(tables, request->run_id, false);
	return ph_run_pick_metrics(tables, request, n_metrics);
}

/* Under SPI_connect; the result is in a child of the context of tables. */
static PhValue *
read_profile(const PhRunRequest *request, PhRunTables *tables)
{
	uint32 n_metrics, n_columns, n_missing;
	const uint32 *picked = read_tables(request, tables, &n_metrics);
	const uint32 *column_of = ph_run_pick_locations(tables, request, &n_columns, &n_missing);
	PhValue *out = ph_value_new(PH_VALUE_PROFILE, tables->context);
	bool in_blocks = tables->run.storage == PH_STORAGE_BLOCKS && !tables->is_mean;
	if (in_blocks)
		read_blocks(out, request, tables, picked, n_metrics, column_of, n_columns);
	else
	{
		make_room(out, tables, picked, n_metrics, column_of, n_columns, NULL);
		read_values(out, request, tables, picked, n_metrics, column_of);
	}
	convert_units(out, tables, picked);
	if (!in_blocks)
		PH_CHECK(&out->env, ph_profile_complete(&out->env, out->profile));
	PH_CHECK(&out->env,
			 ph_profile_add_source(&out->env, out->profile, request->run_id, tables->run.label));
	note_completeness(out, tables->run.completeness);
	note_source_units(out, tables, picked);
	out->profile->provenance.missing_columns = (uint32) tables->run.missing_columns + n_missing;
	/* the loader counted all that disagreed, also where an exclusive could be corrected */
	if (out->profile->provenance.residual_cells < (uint64) tables->run.residual_cells)
		out->profile->provenance.residual_cells = (uint64) tables->run.residual_cells;
	return out;
}

PhValue *
ph_run_read(const PhRunRequest *request)
{
	MemoryContext caller = CurrentMemoryContext;
	PhRunTables tables = {
		.context = AllocSetContextCreate(caller, "perfhouse run", ALLOCSET_DEFAULT_SIZES),
		.in_any_state = request->in_any_state};
	ph_require_warehouse();
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	PhValue *value = read_profile(request, &tables);
	SPI_finish();
	MemoryContextSwitchTo(caller);
	if (!request->keep_iterations && has_iterations(value->profile))
		value = roll_up_iterations(value);
	else
		MemoryContextSetParent(value->header.eoh_context, caller);
	if (tables.n_derived > 0)
		value = derive_metrics(value, request, &tables);
	MemoryContextDelete(tables.context);
	return value;
}

char *
ph_run_name_calls(int64 run_id)
{
	MemoryContext caller = CurrentMemoryContext;
	PhRunTables tables = {
		.context = AllocSetContextCreate(caller, "perfhouse run", ALLOCSET_DEFAULT_SIZES)};
	ph_require_warehouse();
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	const char *name = ph_run_calls_metric(&tables, run_id);
	SPI_finish();
	MemoryContextSwitchTo(caller);
	char *copy = name != NULL ? pstrdup(name) : NULL;
	MemoryContextDelete(tables.context);
	return copy;
}
