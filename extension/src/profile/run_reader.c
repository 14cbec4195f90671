/*
 * run_reader.c - a stored run's values into a profile.
 *
 * The tree comes as the core's flat form; values come in blocks (run_blocks.c), or, of runs that
 * older releases stored, row by row, a row being one node's vector for one metric and up to
 * PH_BLOCK_COLUMNS columns, in any order. They are placed by the hash of the call path. Which cells
 * there are is known at the end only, so values are collected first; but a run whose summaries say
 * that every unit has every node is read straight into its place.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "metrics/derived_metric.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "base/warehouse_columns.h"
#include "profile/caption.h"
#include "profile/cells.h"
#include "profile/flat.h"
#include "profile/node_table.h"
#include "profile/ops.h"
#include "profile/run_blocks.h"
#include "profile/run_reader.h"
#include "profile/run_sums.h"
#include "profile/run_tables.h"
#include "profile/seconds.h"
#include "profile/stored_values.h"
#include "server/args.h"
#include "server/query_rows.h"
#include "stored/summary_block.h"
#include "stored/units.h"

static const char values_sql[] =
	"SELECT " PH_SELECT(profile_values_1, "") " FROM perfhouse.profile_values_1"
											  " WHERE run_id = $1 AND metric_id = ANY ($2)";

/* How many nodes a metric has, and in how many units the rarest of them is. */
static const char fullness_sql[] =
	"SELECT count(*), coalesce(min(n), 0) FROM perfhouse.profile_summary_1"
	" WHERE run_id = $1 AND metric_id = $2";

/* Sums over units, absent = 0; of runs that older releases stored by node. */
static const char sums_sql[] = "SELECT " PH_SELECT(
	summary_block, "") " FROM perfhouse.summary_block WHERE run_id = $1 AND metric_id = ANY ($2)";
static const char sums_1_sql[] =
	"SELECT callpath_id, metric_id, inclusive_sum, exclusive_sum FROM perfhouse.profile_summary_1"
	" WHERE run_id = $1 AND metric_id = ANY ($2) AND n > 0";

/* Values of neighbouring columns that were collected: the next n of all that were. */
typedef struct Piece
{
	uint32 metric, node, first, n;
} Piece;

typedef struct Filler
{
	const PhRunRequest *request;
	const PhRunTables *tables;
	PhValue *out;
	const uint32 *picked; /* of the run's metrics */
	uint32 n_metrics;
	uint32 n_columns;
	PhNodeTable nodes;
	int32 *metric_ids;		 /* of the profile's metrics */
	uint64 *n_filled;		 /* cells, by metric */
	const uint32 *column_of; /* by location */
	bool is_full;			 /* every cell has its place in out; else they are collected: */
	PhArena collected;
	PH_VECTOR(Piece) pieces;
	PH_VECTOR(double) inclusive;
	PH_VECTOR(double) exclusive;
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
collect(Filler *filler, const double *inclusive, const double *exclusive, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
	{
		PH_CHECK(&filler->out->env, PH_ROOM(&filler->collected, &filler->inclusive));
		PH_CHECK(&filler->out->env, PH_ROOM(&filler->collected, &filler->exclusive));
		filler->inclusive.items[filler->inclusive.count++] = inclusive[i];
		filler->exclusive.items[filler->exclusive.count++] = exclusive[i];
	}
}

/* The values of a node in columns [first, first + n). */
static void
put_values(Filler *filler, uint32 metric, uint32 node, uint32 first, uint32 n,
		   const double *inclusive, const double *exclusive)
{
	filler->n_filled[metric] += n;
	if (filler->is_full)
	{
		const PhMetric *to = &filler->out->profile->metrics[metric];
		size_t cell = (size_t) node * filler->n_columns + first;
		memcpy(to->inclusive + cell, inclusive, sizeof(double) * n);
		memcpy(to->exclusive + cell, exclusive, sizeof(double) * n);
		return;
	}
	collect(filler, inclusive, exclusive, n);
	Piece *last = filler->pieces.count > 0 ? &filler->pieces.items[filler->pieces.count - 1] : NULL;
	if (last != NULL && last->metric == metric && last->node == node &&
		last->first + last->n == first)
	{
		last->n += n;
		return;
	}
	PH_CHECK(&filler->out->env, PH_ROOM(&filler->collected, &filler->pieces));
	filler->pieces.items[filler->pieces.count++] = (Piece){metric, node, first, n};
}

static bool
element_is_null(const bits8 *bitmap, uint32 i)
{
	return bitmap != NULL && (bitmap[i >> 3] & (1 << (i & 7))) == 0;
}

/* Null elements are skipped in the bitmap and have no value in the data. */
static void
fill_some(Filler *filler, uint32 metric, uint32 node, uint32 first, uint32 length,
		  ArrayType *inclusive, ArrayType *exclusive)
{
	const bits8 *bitmap = ARR_NULLBITMAP(inclusive);
	const double *from_inclusive = (const double *) ARR_DATA_PTR(inclusive);
	const double *from_exclusive = (const double *) ARR_DATA_PTR(exclusive);
	for (uint32 i = 0; i < length; i++)
	{
		if (element_is_null(bitmap, i))
			continue;
		uint32 column = filler->column_of[first + i];
		if (column != PH_NONE)
			put_values(filler, metric, node, column, 1, from_inclusive, from_exclusive);
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

static bool
has_no_values(const Filler *filler, uint32 metric)
{
	return filler->tables->metrics[filler->picked[metric]].spec.kind == PH_METRIC_RATIO;
}

static void
receive_values(void *user, TupleTableSlot *slot)
{
	Filler *filler = user;
	int64 callpath_id = ph_slot_bigint(slot, PH_SLOT(profile_values_1, callpath_id), 0);
	uint32 m = ph_metric_position(filler->metric_ids, filler->n_metrics,
								  ph_slot_int(slot, PH_SLOT(profile_values_1, metric_id), 0));
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
	if (has_no_values(filler, m) || !same_nulls(inclusive, exclusive, length))
		refuse_row(filler, callpath_id, "have nulls in only one of inclusive and exclusive");
	if (filler->request->all_ranks && !ARR_HASNULL(inclusive) && !ARR_HASNULL(exclusive))
		put_values(filler, m, node, (uint32) first, length,
				   (const double *) ARR_DATA_PTR(inclusive),
				   (const double *) ARR_DATA_PTR(exclusive));
	else
		fill_some(filler, m, node, (uint32) first, length, inclusive, exclusive);
}

static void
put_mean(Filler *filler, uint32 metric, uint32 node, double inclusive_sum, double exclusive_sum)
{
	double inclusive = inclusive_sum / filler->tables->run.n_units;
	double exclusive = exclusive_sum / filler->tables->run.n_units;
	put_values(filler, metric, node, 0, 1, &inclusive, &exclusive);
}

static void
receive_sum_of_node(void *user, TupleTableSlot *slot)
{
	Filler *filler = user;
	int64 callpath_id = ph_slot_bigint(slot, 0, 0);
	uint32 m = ph_metric_position(filler->metric_ids, filler->n_metrics, ph_slot_int(slot, 1, 0));
	uint32 node = ph_node_table_find(&filler->nodes, (uint64) callpath_id);
	if (node == PH_NONE)
		refuse_row(filler, callpath_id, "belong to no node of its tree");
	if (has_no_values(filler, m) || ph_slot_is_null(slot, 2) || ph_slot_is_null(slot, 3))
		refuse_row(filler, callpath_id, "have no sum");
	put_mean(filler, m, node, DatumGetFloat8(slot->tts_values[2]),
			 DatumGetFloat8(slot->tts_values[3]));
}

static void
receive_sums(void *user, TupleTableSlot *slot)
{
	Filler *filler = user;
	PhNodeSummary nodes[PH_BLOCK_NODES];
	uint32 n_nodes = filler->tables->tree->profile->n_nodes, n;
	uint32 m = ph_metric_position(filler->metric_ids, filler->n_metrics,
								  ph_slot_int(slot, PH_SLOT(summary_block, metric_id), 0));
	int32 block = ph_slot_int(slot, PH_SLOT(summary_block, block), -1);
	PhEnv *env = &filler->out->env;
	PH_CHECK(env, ph_summary_unpack(env, ph_slot_bytes(slot, PH_SLOT(summary_block, bytes), true),
									PH_SUMMARY_SUMS, nodes, &n));
	if (has_no_values(filler, m) || !ph_summary_belongs(n_nodes, block, n))
		ph_refuse_summary(filler->request->run_id);
	for (uint32 i = 0; i < n; i++)
		if (nodes[i].n > 0)
			put_mean(filler, m, (uint32) block * PH_BLOCK_NODES + i, nodes[i].inclusive.sum,
					 nodes[i].exclusive.sum);
}

/* The profile of what was picked, with its cells; presence NULL: every one. */
static void
make_profile(const Filler *filler, const PhPresence *presence, bool with_room)
{
	const PhRunTables *tables = filler->tables;
	PhColumnSpec *columns =
		palloc_extended(sizeof(PhColumnSpec) * filler->n_columns, MCXT_ALLOC_HUGE);
	PhMetricSpec *metrics = palloc(sizeof(PhMetricSpec) * filler->n_metrics);
	for (uint32 i = 0; i < tables->n_locations; i++)
		if (filler->column_of[i] != PH_NONE)
			columns[filler->column_of[i]] = tables->locations[i];
	for (uint32 m = 0; m < filler->n_metrics; m++)
		metrics[m] = tables->metrics[filler->picked[m]].spec;
	PH_CHECK(&filler->out->env,
			 (with_room ? ph_profile_with_room : ph_profile_with_cells)(
				 &filler->out->env, tables->tree->profile, filler->n_columns, columns,
				 filler->n_metrics, metrics, presence, &filler->out->profile));
	pfree(columns);
	pfree(metrics);
}

/* Every row of the values, to its place or to what is collected. */
static void
read_rows(Filler *filler)
{
	Datum *ids = palloc(sizeof(Datum) * filler->n_metrics);
	for (uint32 m = 0; m < filler->n_metrics; m++)
		ids[m] = Int32GetDatum(filler->metric_ids[m]);
	ArrayType *wanted =
		construct_array(ids, (int) filler->n_metrics, INT4OID, sizeof(int32), true, TYPALIGN_INT);
	ParamListInfo run =
		ph_query_parameters(filler->request->run_id, INT4ARRAYOID, PointerGetDatum(wanted));
	memset(filler->n_filled, 0, sizeof(uint64) * filler->n_metrics);
	if (!filler->tables->is_mean)
		ph_query_rows(values_sql, run, receive_values, filler);
	else if (ph_query_rows(sums_sql, run, receive_sums, filler) == 0)
		ph_query_rows(sums_1_sql, run, receive_sum_of_node, filler);
}

/* Each collected value to its place, where the run of columns that it came with lies together. */
static void
place_collected(const Filler *filler)
{
	const PhProfile *profile = filler->out->profile;
	size_t at = 0;
	for (uint32 i = 0; i < filler->pieces.count; i++)
	{
		const Piece *piece = &filler->pieces.items[i];
		const PhMetric *metric = &profile->metrics[piece->metric];
		size_t cell = ph_profile_find_cell(profile, piece->node, piece->first);
		memcpy(metric->inclusive + cell, filler->inclusive.items + at, sizeof(double) * piece->n);
		memcpy(metric->exclusive + cell, filler->exclusive.items + at, sizeof(double) * piece->n);
		at += piece->n;
	}
}

static void
read_sparse(Filler *filler)
{
	PhPresence presence;
	PhEnv *env = &filler->out->env;
	filler->is_full = false;
	ph_arena_init(&filler->collected, env);
	read_rows(filler);
	ph_presence_init(&presence, &filler->collected);
	for (uint32 i = 0; i < filler->pieces.count; i++)
	{
		const Piece *piece = &filler->pieces.items[i];
		PH_CHECK(env, ph_presence_add(&presence, piece->node, piece->first, piece->n));
	}
	make_profile(filler, &presence, true);
	place_collected(filler);
	ph_arena_drop(&filler->collected);
}

static void
receive_fullness(void *user, TupleTableSlot *slot)
{
	Filler *filler = user;
	int32 n_units = filler->tables->run.n_units;
	filler->is_full = filler->request->all_ranks && n_units == (int32) filler->n_columns &&
					  ph_slot_bigint(slot, 0, 0) == filler->tables->tree->profile->n_nodes &&
					  ph_slot_int(slot, 1, 0) == n_units;
}

/*
 * Reads straight to the places of a run that has all cells. What summaries say is not trusted: by
 * the table's primary key each cell comes once, so counting tells whether all were there.
 */
static bool
read_full(Filler *filler)
{
	uint32 first = 0;
	while (first < filler->n_metrics && has_no_values(filler, first))
		first++;
	if (first == filler->n_metrics || filler->tables->is_mean)
		return false;
	ph_query_rows(fullness_sql,
				  ph_query_parameters(filler->request->run_id, INT4OID,
									  Int32GetDatum(filler->metric_ids[first])),
				  receive_fullness, filler);
	if (!filler->is_full)
		return false;
	make_profile(filler, NULL, true);
	read_rows(filler);
	uint64 cells = (uint64) filler->out->profile->n_nodes * filler->n_columns;
	for (uint32 m = 0; m < filler->n_metrics; m++)
		if (filler->n_filled[m] == cells)
			return true;
	ph_profile_free(&filler->out->env, filler->out->profile);
	filler->out->profile = NULL;
	return false;
}

static void
read_values(PhValue *out, const PhRunRequest *request, const PhRunTables *tables,
			const uint32 *picked, uint32 n_metrics, const uint32 *column_of, uint32 n_columns)
{
	Filler filler = {.request = request,
					 .tables = tables,
					 .out = out,
					 .picked = picked,
					 .n_metrics = n_metrics,
					 .n_columns = n_columns,
					 .nodes = ph_node_table(tables->tree->profile, tables->context),
					 .metric_ids = palloc(sizeof(int32) * Max(n_metrics, 1)),
					 .n_filled = palloc0(sizeof(uint64) * Max(n_metrics, 1)),
					 .column_of = column_of};
	for (uint32 m = 0; m < n_metrics; m++)
		filler.metric_ids[m] = tables->metrics[picked[m]].metric_id;
	if (!read_full(&filler))
		read_sparse(&filler);
}

/* Whether the columns and values that are stored are those of the profile, and add up. */
static bool
may_stay_packed(const PhRunRequest *request, const PhRunTables *tables, const uint32 *picked,
				uint32 n_metrics)
{
	if (!request->may_be_packed || !request->all_ranks || tables->n_derived > 0)
		return false;
	for (uint32 i = 0; i < tables->n_locations; i++)
		if (!request->keep_iterations && tables->locations[i].iteration != PH_NO_ITERATION)
			return false;
	for (uint32 m = 0; m < n_metrics; m++)
		if (!request->as_stored && tables->metrics[picked[m]].factor != 1)
			return false;
	return true;
}

/* What is read of a run in blocks. */
typedef struct BlockReading
{
	const PhRunTables *tables;
	PhScratch *scratch;
	int32 *metric_ids; /* of the profile's metrics */
	uint32 n_metrics, n_with_values;
	PhRunBlocks blocks;
	PhMetricSums *sums; /* NULL: values will not stay packed */
} BlockReading;

/* Whether summaries say of every metric that all cells are there. */
static bool
all_are_full(const BlockReading *reading, const uint32 *picked)
{
	for (uint32 m = 0; m < reading->n_metrics; m++)
		if (reading->tables->metrics[picked[m]].spec.kind != PH_METRIC_RATIO &&
			!reading->sums[m].is_full)
			return false;
	return true;
}

static void
read_rows_of_blocks(BlockReading *reading, int64 run_id, bool stay)
{
	reading->blocks =
		(PhRunBlocks){.context = AllocSetContextCreate(reading->scratch->context,
													   "perfhouse blocks", ALLOCSET_DEFAULT_SIZES),
					  .stay = stay};
	ph_run_blocks_read(&reading->blocks, run_id, reading->metric_ids, reading->n_metrics);
}

/*
 * The rows of the blocks. Where summaries say which cells there are, and have sums, bytes may never
 * be needed, and stay where they are.
 */
static void
find_blocks(BlockReading *reading, const PhRunRequest *request, const uint32 *picked)
{
	const PhRunTables *tables = reading->tables;
	const PhProfile *tree = tables->tree->profile;
	bool has_units = tables->run.n_units == (int32) tables->n_locations;
	if (has_units && may_stay_packed(request, tables, picked, reading->n_metrics))
		reading->sums =
			ph_run_sums_read(&reading->scratch->env, request->run_id, reading->metric_ids,
							 reading->n_metrics, tree->n_nodes, tables->n_locations);
	bool stay = reading->sums != NULL && all_are_full(reading, picked);
	read_rows_of_blocks(reading, request->run_id, stay);
	if (stay &&
		!ph_run_blocks_are_all(&reading->blocks, tree, tables->n_locations, reading->n_with_values))
		read_rows_of_blocks(reading, request->run_id, false);
}

/* Means of metrics whose summaries have exact sums of all the cells. */
static void
put_means(const BlockReading *reading, PhProfile *profile)
{
	uint64 cells = 0;
	for (uint32 node = 0; node < profile->n_nodes; node++)
		cells += ph_profile_n_present(profile, node);
	for (uint32 m = 0; reading->sums != NULL && m < profile->n_metrics; m++)
	{
		const PhMetricSums *sums = &reading->sums[m];
		PhMetric *metric = &profile->metrics[m];
		if (!sums->is_exact || sums->n_cells != cells)
			continue;
		PH_CHECK(profile->arena.env,
				 PH_NEW(&profile->arena, profile->n_nodes, &metric->mean_exclusive));
		PH_CHECK(profile->arena.env,
				 PH_NEW(&profile->arena, profile->n_nodes, &metric->mean_inclusive));
		for (uint32 node = 0; node < profile->n_nodes; node++)
		{
			metric->mean_exclusive[node] = sums->exclusive[node] / profile->n_columns;
			metric->mean_inclusive[node] = sums->inclusive[node] / profile->n_columns;
		}
	}
}

static BlockReading
new_reading(const PhRunTables *tables, const uint32 *picked, uint32 n_metrics)
{
	BlockReading reading = {.tables = tables,
							.scratch = ph_scratch_begin(),
							.n_metrics = n_metrics,
							.metric_ids = palloc(sizeof(int32) * n_metrics)};
	for (uint32 m = 0; m < n_metrics; m++)
	{
		reading.metric_ids[m] = tables->metrics[picked[m]].metric_id;
		reading.n_with_values += tables->metrics[picked[m]].spec.kind != PH_METRIC_RATIO;
	}
	return reading;
}

/* Blocks have everything that can be derived of values. */
static void
read_blocks(PhValue *out, const PhRunRequest *request, const PhRunTables *tables,
			const uint32 *picked, uint32 n_metrics, const uint32 *column_of, uint32 n_columns)
{
	BlockReading reading = new_reading(tables, picked, n_metrics);
	PhScratch *scratch = reading.scratch;
	PhRunBlocks *blocks = &reading.blocks;
	Filler filler = {.tables = tables,
					 .out = out,
					 .picked = picked,
					 .n_metrics = n_metrics,
					 .n_columns = n_columns,
					 .column_of = column_of};
	const uint32 *map = request->all_ranks ? NULL : column_of;
	PhPresence presence;
	find_blocks(&reading, request, picked);
	ph_presence_init(&presence, &scratch->arena);
	if (!blocks->stay)
		ph_run_blocks_presence(blocks, scratch, tables->tree->profile, tables->n_locations, map,
							   &presence);
	make_profile(&filler, blocks->stay ? NULL : &presence, false);
	if (may_stay_packed(request, tables, picked, n_metrics) &&
		ph_value_keep_blocks(out, blocks, reading.metric_ids))
		put_means(&reading, out->profile);
	else
	{
		PH_CHECK(&out->env, ph_profile_make_unset_room(out->profile));
		ph_run_blocks_fill(blocks, scratch, out->profile, reading.metric_ids, tables->n_locations,
						   map);
	}
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

static int
compare_columns_by_unit(const void *a, const void *b, void *arg)
{
	const PhProfile *profile = arg;
	uint32 x = *(const uint32 *) a;
	uint32 y = *(const uint32 *) b;
	int order = ph_unit_compare(profile, &profile->columns[x], &profile->columns[y]);
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
			if (ph_unit_compare(profile, column, &profile->columns[order[end]]) != 0)
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
		read_values(out, request, tables, picked, n_metrics, column_of, n_columns);
	if (!request->as_stored)
		convert_units(out, tables, picked);
	if (!in_blocks)
		PH_CHECK(&out->env, ph_profile_complete(&out->env, out->profile));
	PH_CHECK(&out->env,
			 ph_profile_add_source(&out->env, out->profile, request->run_id, tables->run.label));
	if (tables->run.computed_of != NULL)
		PH_CHECK(&out->env,
				 ph_profile_add_note(&out->env, out->profile,
									 psprintf("computed of %s", tables->run.computed_of)));
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
