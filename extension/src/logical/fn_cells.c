/*
 * fn_cells.c - windows of logical time as the columns, rows and cells of a picture.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "logical/again.h"
#include "logical/args.h"
#include "logical/cells/cells.h"
#include "logical/patterns/schedule.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/query_rows.h"
#include "server/rowio.h"
#include "trace/args.h"

/* What the run's picture consists of. */
typedef struct Picture
{
	PhLogicalStored stored;
	PhStepWindow window;
	PhCellGrid grid;
	PhCellRows rows;
	bool is_ascending; /* locations stand in their own order */
} Picture;

/* ---- arguments ---- */

/* null: as many as there are. */
static uint32
arg_most(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		return PG_INT32_MAX;
	int32 most = PG_GETARG_INT32(argument);
	if (most < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s must be at least 1, not %d", name, most)));
	return (uint32) most;
}

static const char locations_sql[] =
	"SELECT DISTINCT generate_series(location_id, coalesce(last_location, location_id))"
	" FROM perfhouse.logical_chunk WHERE run_id = $1 AND location_id <= ($2::int4[])[2]"
	" AND coalesce(last_location, location_id) >= ($2::int4[])[1]";

typedef struct Shown
{
	const PhTraceRun *trace;
	const bool *wanted; /* NULL: all */
	bool *is_shown;
} Shown;

static void
receive_location(void *user, TupleTableSlot *slot)
{
	Shown *shown = user;
	uint32 location = (uint32) ph_slot_int(slot, 0, 0);
	if (location < shown->trace->model.n_locations)
		shown->is_shown[location] = shown->wanted == NULL || shown->wanted[location];
}

/* The first and the last location that is wanted, for a search by index. */
static Datum
wanted_range(const PhTraceRun *trace, const bool *wanted)
{
	uint32 first = 0, end = trace->model.n_locations;
	while (wanted != NULL && first < end && !wanted[first])
		first++;
	while (wanted != NULL && end > first && !wanted[end - 1])
		end--;
	Datum range[] = {Int32GetDatum((int32) first), Int32GetDatum((int32) end - 1)};
	return PointerGetDatum(construct_array(range, 2, INT4OID, sizeof(int32), true, TYPALIGN_INT));
}

/* All locations in the order in which the argument names them, then the others; NULL: it is the
 * ascending one, which that of tasks always is. */
static uint32 *
arg_order(FunctionCallInfo fcinfo, int argument, const PhLogicalStored *stored)
{
	const PhTraceRun *trace = stored->trace;
	uint32 n = trace->model.n_locations, n_placed = 0;
	bool is_ascending = true;
	int count;
	if (PG_ARGISNULL(argument) || stored->timelines != NULL)
		return NULL;
	const int32 *given = ph_arg_ints(fcinfo, argument, &count);
	for (int i = 1; i < count; i++)
		is_ascending = is_ascending && given[i - 1] <= given[i];
	if (is_ascending)
		return NULL;
	uint32 *order = MemoryContextAllocZero(trace->scratch->context, Max(n, 1) * sizeof(*order));
	bool *is_placed = MemoryContextAllocZero(trace->scratch->context, Max(n, 1));
	for (uint32 i = 0; i < (uint32) count + n; i++)
	{
		uint32 location = i < (uint32) count ? (uint32) given[i] : i - (uint32) count;
		if (!is_placed[location])
			order[n_placed++] = location;
		is_placed[location] = true;
	}
	return order;
}

/* Of the locations that have events those that are wanted, in rows. */
static PhCellRows
place_rows(const PhLogicalStored *stored, const bool *wanted, const uint32 *order, uint32 max_rows)
{
	const PhTraceRun *trace = stored->trace;
	PhScratch *scratch = trace->scratch;
	Shown shown = {.trace = trace, .wanted = wanted};
	PhCellRows rows;
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, trace->model.n_locations, &shown.is_shown));
	ph_query_rows(locations_sql,
				  ph_query_parameters(trace->run_id, INT4ARRAYOID, wanted_range(trace, wanted)),
				  receive_location, &shown);
	PH_CHECK(&scratch->env,
			 ph_cell_rows_place(&scratch->arena, trace->model.n_locations, shown.is_shown, order,
								stored->timelines == NULL ? NULL : stored->timelines->is_runtime,
								max_rows, &rows));
	return rows;
}

/* The arguments from `first` on: step_from, step_to, locations, max_columns, max_rows, aggregates.
 */
static void
arg_picture(FunctionCallInfo fcinfo, int first, Picture *out)
{
	const PhLogicalStored *stored = &out->stored;
	bool aggregates = !PG_ARGISNULL(first + 5) && PG_GETARG_BOOL(first + 5);
	out->window = ph_arg_step_window(fcinfo, first, stored->trace);
	if (PG_ARGISNULL(first + 1))
		out->window.to = Max((int64) stored->last_step + 1, out->window.from);
	PH_CHECK(&stored->trace->scratch->env,
			 ph_cell_grid_init(&stored->trace->scratch->env, out->window.from, out->window.to,
							   stored->stride, aggregates,
							   arg_most(fcinfo, first + 3, "max_columns"), &out->grid));
	uint32 *order = arg_order(fcinfo, first + 2, stored);
	out->is_ascending = order == NULL;
	out->rows =
		place_rows(stored, out->window.locations, order, arg_most(fcinfo, first + 4, "max_rows"));
}

/* ---- columns and rows ---- */

PH_FUNCTION(ph_logical_grid)
{
	PhRows rows;
	Picture picture;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	picture.stored = ph_logical_begin(PG_GETARG_INT64(0), PH_TRACE_LOCATIONS);
	arg_picture(fcinfo, 1, &picture);
	ph_rows_int(&rows, "step_from", (int32) picture.grid.first);
	ph_rows_int(&rows, "step_to", (int32) Min(picture.grid.end, PG_INT32_MAX));
	ph_rows_int(&rows, "stride", (int32) picture.grid.stride);
	ph_rows_bool(&rows, "aggregates", picture.grid.between);
	ph_rows_int(&rows, "columns", (int32) picture.grid.columns);
	ph_rows_int(&rows, "columns_a_cell", (int32) picture.grid.columns_a_cell);
	ph_rows_int(&rows, "n_rows", (int32) picture.rows.n_rows);
	ph_rows_int(&rows, "locations_a_row", (int32) picture.rows.most);
	ph_rows_bool(&rows, "one_by_one", picture.grid.columns_a_cell == 1 && picture.rows.most == 1);
	ph_rows_bool(&rows, "of_tasks", picture.stored.timelines != NULL);
	ph_rows_put(&rows);
	ph_trace_end(picture.stored.trace);
	return (Datum) 0;
}

/* Of processes their ranks, of tasks the chares' names. */
static void
put_row_names(PhRows *rows, const PhLogicalStored *stored, uint32 first, uint32 last)
{
	const PhTraceLocation *locations = stored->trace->model.locations;
	if (stored->timelines != NULL)
	{
		ph_rows_null(rows, "rank");
		ph_rows_null(rows, "last_rank");
		ph_rows_null(rows, "thread");
		ph_rows_text(rows, "name", stored->timelines->name[first]);
		ph_rows_text(rows, "last_name", stored->timelines->name[last]);
		ph_rows_null(rows, "host");
		ph_rows_bool(rows, "is_runtime", stored->timelines->is_runtime[first]);
		return;
	}
	ph_rows_known(rows, "rank", locations[first].rank);
	ph_rows_known(rows, "last_rank", locations[last].rank);
	ph_rows_known(rows, "thread", locations[first].thread);
	ph_rows_name(rows, "name", locations[first].name);
	ph_rows_name(rows, "last_name", locations[last].name);
	ph_rows_name(rows, "host", locations[first].host);
	ph_rows_bool(rows, "is_runtime", false);
}

PH_FUNCTION(ph_logical_rows)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhLogicalStored stored = ph_logical_begin(PG_GETARG_INT64(0), PH_TRACE_LOCATIONS);
	bool *wanted = ph_arg_locations(fcinfo, 1, stored.trace);
	PhCellRows places =
		place_rows(&stored, wanted, arg_order(fcinfo, 1, &stored), arg_most(fcinfo, 2, "max_rows"));
	for (uint32 row = 0; row < places.n_rows; row++)
	{
		const uint32 *shown = &places.shown[places.first[row]];
		uint32 n = places.first[row + 1] - places.first[row];
		ph_rows_int(&rows, "row", (int32) row);
		ph_rows_ints(&rows, "locations", (const int32 *) shown, (int) n);
		ph_rows_int(&rows, "n_locations", (int32) n);
		put_row_names(&rows, &stored, shown[0], shown[n - 1]);
		ph_rows_put(&rows);
	}
	ph_trace_end(stored.trace);
	return (Datum) 0;
}

/* ---- cells ---- */

typedef struct CellRows
{
	PhRows rows;
	Picture picture;
	PhCellRow *cells; /* by row, made at its first event: ascending locations need one at a time */
	uint32 row;		  /* of ascending locations the one that is being filled; PH_NONE: none yet */
	uint32 metric;
	uint32 phase;					/* PH_NONE: all */
	bool one_by_one;				/* every event is a cell of its own */
	bool has_details;				/* no cell is of several columns or locations */
	int64 *late_enter, *late_leave; /* by event of the structure, of PH_CELL_DEVIATION, or NULL */
	uint32 *first_event;			/* by location, where those are */
	Datum *regions;					/* texts, by region */
} CellRows;

static void
put_details(CellRows *out, const PhTraceRun *trace, const PhCell *cell)
{
	static const char *const details[] = {"enter",	  "leave",		  "peers",	"n_messages",
										  "earliest", "is_aggregate", "region", "kind"};
	PhRows *rows = &out->rows;
	bool of_tasks = out->picture.stored.timelines != NULL;
	if (!out->has_details)
	{
		for (uint32 c = 0; c < lengthof(details); c++)
			ph_rows_null(rows, details[c]);
		return;
	}
	if (cell->region != PH_NONE && cell->region >= trace->model.n_regions)
		ph_trace_refuse(trace, "a call is of a region that does not exist");
	ph_rows_bigint(rows, "enter", cell->enter);
	ph_rows_bigint(rows, "leave", cell->leave);
	ph_rows_int(rows, "peers", (int32) cell->n_peers);
	ph_rows_int(rows, "n_messages", (int32) cell->n_messages);
	if (of_tasks || cell->earliest_location == PH_NONE)
		ph_rows_null(rows, "earliest");
	else
		ph_rows_known(rows, "earliest", trace->model.locations[cell->earliest_location].rank);
	ph_rows_bool(rows, "is_aggregate", cell->is_before);
	if (cell->n > 1 || cell->region == PH_NONE)
		ph_rows_null(rows, "region");
	else
		ph_rows_datum(rows, "region", out->regions[cell->region]);
	ph_rows_text(rows, "kind", cell->n > 1 ? NULL : ph_comm_kind_name(cell->kind));
}

static void
put_cell(CellRows *out, const PhTraceRun *trace, uint32 row, const PhCell *cell)
{
	PhRows *rows = &out->rows;
	const PhTimelines *timelines = out->picture.stored.timelines;
	ph_rows_int(rows, "row", (int32) row);
	ph_rows_int(rows, "column", (int32) cell->column);
	ph_rows_bigint(rows, "n", cell->n);
	ph_rows_number(rows, "value", cell->value);
	ph_rows_int(rows, "location", (int32) cell->location);
	ph_rows_bigint(rows, "seq", cell->seq);
	ph_rows_int(rows, "step", (int32) cell->step);
	ph_rows_int(rows, "phase", (int32) cell->phase);
	if (timelines == NULL)
		ph_rows_known(rows, "rank", trace->model.locations[cell->location].rank);
	else
		ph_rows_int(rows, "rank", ph_timelines_processor(timelines, cell->processor));
	ph_rows_bigint_unless(rows, "idle", cell->idle, PH_NO_TIME);
	put_details(out, trace, cell);
	ph_rows_new_bool(rows, "inferred", cell->is_inferred);
	ph_rows_put(rows);
}

static void
put_row(CellRows *out, const PhTraceRun *trace, uint32 row, const PhCellRow *cells)
{
	for (uint32 c = 0; c < cells->n_cells; c++)
		if (cells->cells[c].n > 0)
			put_cell(out, trace, row, &cells->cells[c]);
}

/* The cells of a row. Where locations are ascending those of the row so far are put, and serve
 * again. */
static PhCellRow *
cells_of(CellRows *out, const PhTraceRun *trace, uint32 row)
{
	PhCellRow *cells = &out->cells[out->picture.is_ascending ? 0 : row];
	if (cells->cells == NULL)
		PH_CHECK(&trace->scratch->env,
				 ph_cell_row_new(&trace->scratch->arena, &out->picture.grid, out->metric, cells));
	else if (out->picture.is_ascending && row != out->row)
	{
		put_row(out, trace, out->row, cells);
		ph_cell_row_clear(cells);
	}
	out->row = row;
	return cells;
}

/* What has not been put yet. */
static void
put_rest(CellRows *out, const PhTraceRun *trace)
{
	if (out->one_by_one)
		return;
	if (out->picture.is_ascending && out->row != PH_NONE)
		put_row(out, trace, out->row, out->cells);
	for (uint32 row = 0; row < out->picture.rows.n_rows && !out->picture.is_ascending; row++)
		put_row(out, trace, row, &out->cells[row]);
}

static void
put_event(CellRows *out, const PhTraceRun *trace, uint32 row, const PhLogicalEvents *events,
		  uint32 i)
{
	for (int is_before = 0; is_before < (out->picture.grid.between ? 2 : 1); is_before++)
	{
		PhCell cell = ph_cell_of(&out->picture.grid, out->metric, events, i, is_before != 0);
		put_cell(out, trace, row, &cell);
	}
}

/* A chunk is some neighbours of its location's events, from first_seq on. */
static PhLogicalEvents
with_deviations(const CellRows *out, const PhLogicalEvents *events)
{
	PhLogicalEvents with = *events;
	uint32 first = out->first_event[events->location] + events->first_seq;
	with.late_enter = out->late_enter + first;
	with.late_leave = out->late_leave + first;
	return with;
}

static void
add_events(void *user, PhTraceRun *trace, const PhLogicalEvents *plain)
{
	CellRows *out = user;
	PhLogicalEvents with;
	const PhLogicalEvents *events = plain;
	uint32 row = out->picture.rows.row_of[events->location];
	if (row == PH_NONE)
		return;
	if (out->late_leave != NULL)
	{
		with = with_deviations(out, plain);
		events = &with;
	}
	PhCellRow *cells = out->one_by_one ? NULL : cells_of(out, trace, row);
	for (uint32 i = 0; i < events->n_events; i++)
	{
		if (!ph_step_is_in(&out->picture.window, events->step[i]) ||
			(out->phase != PH_NONE && events->phase[i] != out->phase))
			continue;
		if (out->one_by_one)
			put_event(out, trace, row, events, i);
		else
			ph_cell_row_add(cells, events, i);
	}
}

static uint32
arg_cell_metric(FunctionCallInfo fcinfo, int argument)
{
	const char *name = ph_arg_text_or(fcinfo, argument, "lateness");
	uint32 metric = ph_cell_metric_find(name);
	if (metric == PH_CELL_METRICS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cells of logical time have no metric \"%s\"", name),
				 errhint("Metrics are those of step_summary, \"counter\", \"step_counter\", "
						 "\"idle_experienced\", \"imbalance\", \"deviation\", \"phase\", \"enter\" "
						 "and "
						 "\"leave\".")));
	return metric;
}

static void
find_deviations(CellRows *out)
{
	const PhTraceRun *trace = out->picture.stored.trace;
	PhEnv *env = &trace->scratch->env;
	PhArena *arena = &trace->scratch->arena;
	const PhLogical *logical = &out->picture.stored.computed->logical;
	const PhLogicalModel *model = logical->model;
	PH_CHECK(env, PH_NEW(arena, trace->model.n_locations, &out->first_event));
	PH_CHECK(env, PH_NEW(arena, (size_t) model->n_events + 1, &out->late_enter));
	PH_CHECK(env, PH_NEW(arena, (size_t) model->n_events + 1, &out->late_leave));
	for (uint32 t = 0; t < model->n_timelines; t++)
		out->first_event[model->timeline_location[t]] = model->timeline_first[t];
	PH_CHECK(env, ph_schedule_deviations(env, logical, out->late_enter, out->late_leave));
}

/* Deviations are not stored; of tasks there are none. */
static void
begin_cells(FunctionCallInfo fcinfo, CellRows *out)
{
	int64 run_id = PG_GETARG_INT64(0);
	PhLogicalStored *stored = &out->picture.stored;
	out->metric = arg_cell_metric(fcinfo, 1);
	*stored = ph_logical_begin_with(run_id, PH_TRACE_REGIONS, ph_arg_logical_options(fcinfo, 9));
	if (stored->timelines != NULL)
		out->metric = ph_cell_metric_of_tasks(out->metric);
	if (out->metric != PH_CELL_DEVIATION)
		return;
	if (stored->computed == NULL)
	{
		ph_trace_end(stored->trace);
		*stored = ph_logical_begin_again(run_id);
	}
	find_deviations(out);
}

PH_FUNCTION(ph_logical_cells)
{
	CellRows out = {.row = PH_NONE, .phase = PH_NONE};
	ph_rows_begin(&out.rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	begin_cells(fcinfo, &out);
	PhTraceRun *trace = out.picture.stored.trace;
	arg_picture(fcinfo, 2, &out.picture);
	out.phase = PG_ARGISNULL(8) ? PH_NONE : (uint32) PG_GETARG_INT32(8);
	out.one_by_one = PG_ARGISNULL(5);
	out.has_details =
		out.one_by_one || (out.picture.grid.columns_a_cell == 1 && out.picture.rows.most == 1);
	out.regions = ph_trace_region_texts(trace);
	PH_CHECK(&trace->scratch->env,
			 PH_NEW(&trace->scratch->arena, (size_t) out.picture.rows.n_rows + 1, &out.cells));
	ph_logical_chunks(&out.picture.stored, &out.picture.window, ph_cell_wants(out.metric),
					  add_events, &out);
	put_rest(&out, trace);
	ph_trace_end(trace);
	return (Datum) 0;
}
