/*
 * cells.c - events of logical time as the cells of a picture.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/cells/cells.h"

#include <math.h>
#include <string.h>

/* ---- metrics ---- */

static const char *
cell_metric_name(uint32_t metric)
{
	static const char *const names[] = {"counter",	 "step_counter", "idle_experienced",
										"imbalance", "deviation",	 "phase",
										"enter",	 "leave"};
	if (metric < PH_LOGICAL_METRICS)
		return ph_logical_metric_name(metric);
	return names[metric - PH_LOGICAL_METRICS];
}

uint32_t
ph_cell_metric_find(const char *name)
{
	uint32_t metric = 0;
	if (strcmp(name, "differential_duration") == 0)
		return PH_DURATION;
	while (metric < PH_CELL_METRICS && strcmp(cell_metric_name(metric), name) != 0)
		metric++;
	return metric;
}

uint32_t
ph_cell_metric_of_tasks(uint32_t metric)
{
	bool is_known = metric >= PH_LOGICAL_METRICS && metric != PH_CELL_DEVIATION;
	return is_known || metric == PH_DURATION ? metric : (uint32_t) PH_CELL_PHASE;
}

uint32_t
ph_cell_wants(uint32_t metric)
{
	uint32_t want = PH_LOGICAL_WANT_METRICS | PH_LOGICAL_WANT_CAUSES | PH_LOGICAL_WANT_TASKS;
	bool is_counter = metric == PH_CELL_COUNTER || metric == PH_CELL_STEP_COUNTER;
	return is_counter ? want | PH_LOGICAL_WANT_COUNTERS : want;
}

static double
counter_value(const PhLogicalEvents *events, PhLogicalCounter counter, uint32_t i)
{
	return events->counter[counter] == NULL ? NAN : events->counter[counter][i];
}

static double
value_or_none(const int64_t *values, uint32_t i)
{
	return values == NULL ? NAN : (double) values[i];
}

/* Tasks have no lateness, and nothing is known of the time before them. */
static double
metric_value(uint32_t metric, const PhLogicalEvents *events, uint32_t i, bool is_before)
{
	if (events->processor != NULL && (is_before || metric != PH_DURATION))
		return NAN;
	return (double) (is_before ? events->aggregate : events->value)[metric][i];
}

double
ph_cell_value(uint32_t metric, const PhLogicalEvents *events, uint32_t i, bool is_before)
{
	switch (metric)
	{
		case PH_CELL_COUNTER:
			return counter_value(events, is_before ? PH_COUNTER_BEFORE : PH_COUNTER_INSIDE, i);
		case PH_CELL_STEP_COUNTER:
			return counter_value(
				events, is_before ? PH_COUNTER_BEFORE_RELATIVE : PH_COUNTER_INSIDE_RELATIVE, i);
		case PH_CELL_IDLE:
			return value_or_none(events->idle, i);
		case PH_CELL_IMBALANCE:
			return value_or_none(events->imbalance, i);
		case PH_CELL_DEVIATION:
			return value_or_none(is_before ? events->late_enter : events->late_leave, i);
		case PH_CELL_PHASE:
			return events->phase[i];
		case PH_CELL_ENTER:
			return (double) events->enter[i];
		case PH_CELL_LEAVE:
			return (double) (is_before ? events->enter : events->leave)[i];
		default:
			return metric_value(metric, events, i, is_before);
	}
}

/* ---- columns ---- */

PhStatus
ph_cell_grid_init(PhEnv *env, int64_t first, int64_t end, uint32_t stride, bool wants_between,
				  uint32_t max_columns, PhCellGrid *out)
{
	PhCellGrid grid = {.first = first, .end = end, .stride = stride};
	int64_t steps = end - first;
	grid.between = wants_between && stride > 1;
	int64_t columns = grid.between ? steps + 1 : (steps + stride - 1) / stride;
	if (columns > INT32_MAX)
		return ph_fail(env, PH_ERR_LIMIT, "too many columns of steps: %lld", (long long) columns);
	grid.columns = (uint32_t) columns;
	grid.columns_a_cell = (grid.columns + max_columns - 1) / max_columns;
	if (grid.columns_a_cell == 0)
		grid.columns_a_cell = 1;
	*out = grid;
	return PH_OK;
}

uint32_t
ph_cell_grid_cells(const PhCellGrid *grid)
{
	return (grid->columns + grid->columns_a_cell - 1) / grid->columns_a_cell;
}

/* ---- rows ---- */

/* How many locations share a row; two kinds may leave a row each that is not full. */
static uint32_t
locations_a_row(uint32_t n_shown, bool two_kinds, uint32_t max_rows)
{
	if (two_kinds && n_shown > max_rows && max_rows > 1)
		max_rows--;
	return n_shown <= max_rows ? 1 : n_shown / max_rows + (n_shown % max_rows != 0);
}

PhStatus
ph_cell_rows_place(PhArena *arena, uint32_t n_locations, const bool *is_shown,
				   const uint32_t *order, const bool *is_runtime, uint32_t max_rows,
				   PhCellRows *out)
{
	PhCellRows rows = {0};
	PH_TRY(PH_NEW(arena, n_locations, &rows.shown));
	PH_TRY(PH_NEW(arena, (size_t) n_locations + 1, &rows.first));
	PH_TRY(PH_NEW(arena, n_locations, &rows.row_of));
	for (uint32_t i = 0; i < n_locations; i++)
	{
		uint32_t l = order != NULL ? order[i] : i;
		if (is_shown[l])
			rows.shown[rows.n_shown++] = l;
		else
			rows.row_of[l] = PH_NONE;
	}
	uint32_t a_row = locations_a_row(rows.n_shown, is_runtime != NULL, max_rows);
	for (uint32_t i = 0; i < rows.n_shown; i++)
	{
		uint32_t l = rows.shown[i];
		if (i == 0 || i - rows.first[rows.n_rows - 1] == a_row ||
			(is_runtime != NULL && is_runtime[l] != is_runtime[rows.shown[i - 1]]))
			rows.first[rows.n_rows++] = i;
		rows.row_of[l] = rows.n_rows - 1;
		uint32_t n = i + 1 - rows.first[rows.n_rows - 1];
		rows.most = n > rows.most ? n : rows.most;
	}
	rows.first[rows.n_rows] = rows.n_shown;
	*out = rows;
	return PH_OK;
}

/* ---- cells ---- */

PhCell
ph_cell_of(const PhCellGrid *grid, uint32_t metric, const PhLogicalEvents *events, uint32_t i,
		   bool is_before)
{
	bool of_tasks = events->processor != NULL;
	return (PhCell){.column = ph_cell_column(grid, events->step[i], is_before),
					.n = 1,
					.value = ph_cell_value(metric, events, i, is_before),
					.is_before = is_before,
					.location = events->location,
					.seq = events->first_seq + i,
					.step = events->step[i] - is_before,
					.phase = events->phase[i],
					.region = events->region[i],
					.kind = events->kind[i],
					.is_inferred = (events->flags[i] & PH_COMM_INFERRED) != 0,
					.enter = events->enter[i],
					.leave = events->leave[i],
					.n_peers = events->n_peers[i],
					.n_messages = events->ends_of[i],
					.earliest_location = events->earliest_location[i],
					.processor = of_tasks ? events->processor[i] : PH_NONE,
					.idle = of_tasks ? events->idle[i] : PH_NO_TIME};
}

/* Does a cell's value win over that of another? A total order, see PhCellRow. */
static bool
is_greater(const PhCell *cell, const PhCell *other)
{
	if (isnan(cell->value) != isnan(other->value))
		return isnan(cell->value);
	if (cell->value < other->value || cell->value > other->value)
		return cell->value > other->value;
	if (cell->location != other->location)
		return cell->location < other->location;
	if (cell->seq != other->seq)
		return cell->seq < other->seq;
	return !cell->is_before && other->is_before;
}

/* Two cells as one: of the one with the greater value, counting both. */
static void
join_cell(PhCell *cell, const PhCell *other)
{
	if (cell->n == 0)
	{
		*cell = *other;
		return;
	}
	uint32_t n = cell->n + other->n;
	int64_t idle = cell->idle > other->idle ? cell->idle : other->idle;
	if (is_greater(other, cell))
		*cell = *other;
	cell->n = n;
	cell->idle = idle;
}

PhStatus
ph_cell_row_new(PhArena *arena, const PhCellGrid *grid, uint32_t metric, PhCellRow *out)
{
	PhCellRow row = {.grid = *grid, .metric = metric, .n_cells = ph_cell_grid_cells(grid)};
	PH_TRY(PH_NEW(arena, row.n_cells, &row.cells));
	*out = row;
	return PH_OK;
}

void
ph_cell_row_add(PhCellRow *row, const PhLogicalEvents *events, uint32_t i)
{
	for (int is_before = 0; is_before < (row->grid.between ? 2 : 1); is_before++)
	{
		PhCell cell = ph_cell_of(&row->grid, row->metric, events, i, is_before != 0);
		if (cell.column < row->n_cells)
			join_cell(&row->cells[cell.column], &cell);
	}
}

void
ph_cell_row_clear(PhCellRow *row)
{
	memset(row->cells, 0, row->n_cells * sizeof(*row->cells));
}
