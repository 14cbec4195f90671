/*
 * cells.h - events of logical time as the cells of a picture: columns of steps, rows of locations.
 *
 * A grid says which columns and rows there are; several steps may share a column of cells and
 * several locations a row. What falls into one cell is one: the event with the greatest value, and
 * how many there are. Events stream by location, so that memory is one row of cells. Results do
 * not depend on the order of events within a row. Cost: O(events + cells).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_CELLS_CELLS_H
#define PH_LOGICAL_CELLS_CELLS_H

#include "base/arena.h"
#include "logical/store/store.h"

/* What colours a cell. The first are those of PhLogicalMetric. */
typedef enum PhCellMetric
{
	PH_CELL_COUNTER = PH_LOGICAL_METRICS,
	PH_CELL_STEP_COUNTER, /* less the least among the peers */
	PH_CELL_IDLE,
	PH_CELL_IMBALANCE,
	PH_CELL_DEVIATION, /* from the ideal schedule */
	PH_CELL_PHASE,
	PH_CELL_ENTER,
	PH_CELL_LEAVE,
	PH_CELL_METRICS
} PhCellMetric;

/* Of "lateness", …, "counter", "idle_experienced", "phase", …; "differential_duration" is the
 * duration, too. PH_CELL_METRICS: there is none of this name. */
uint32_t ph_cell_metric_find(const char *name);
/* What is shown of a run of tasks, which have no lateness: the phase instead. */
uint32_t ph_cell_metric_of_tasks(uint32_t metric);
/* Groups of columns (PhLogicalWant) that the cells of a metric need. */
uint32_t ph_cell_wants(uint32_t metric);

/*
 * The value of an event or of the time before it. NaN: it has none (counters of a run without,
 * idle time of processes, the time before events of tasks).
 */
double ph_cell_value(uint32_t metric, const PhLogicalEvents *events, uint32_t i, bool is_before);

/* ---- columns ---- */

typedef struct PhCellGrid
{
	int64_t first, end; /* steps [first, end) */
	uint32_t stride;	/* of steps with events */
	bool between;		/* the time before an event has the column before the event's */
	uint32_t columns;
	uint32_t columns_a_cell;
} PhCellGrid;

/*
 * Columns of these steps, as few to a cell as max_columns cells allow. The time before events has
 * columns when it is wanted and there are steps between those of events. PH_ERR_LIMIT for more
 * than 2^31 columns; end is at least first.
 */
PhStatus ph_cell_grid_init(PhEnv *env, int64_t first, int64_t end, uint32_t stride,
						   bool wants_between, uint32_t max_columns, PhCellGrid *out) PH_MUST_CHECK;
uint32_t ph_cell_grid_cells(const PhCellGrid *grid);

/* The cell of an event of a step of the grid. */
static inline uint32_t
ph_cell_column(const PhCellGrid *grid, int64_t step, bool is_before)
{
	int64_t width = (int64_t) (grid->between ? 1 : grid->stride) * grid->columns_a_cell;
	return (uint32_t) ((step - is_before - grid->first + grid->between) / width);
}

/* ---- rows ---- */

typedef struct PhCellRows
{
	uint32_t n_shown;
	uint32_t *shown; /* locations, as they stand in the rows */
	uint32_t n_rows;
	uint32_t *first;  /* by row, + 1: shown[first..next first) share it */
	uint32_t *row_of; /* by location; PH_NONE: not shown */
	uint32_t most;	  /* locations in a row */
} PhCellRows;

/*
 * The locations that are marked, in at most max_rows rows of as many each, in the order of `order`,
 * which has each location once; NULL: ascending. is_runtime: those of the run time come last and
 * share rows among themselves only, so that two rows there are at the least; NULL: of processes.
 * They must be the last of the order. In the arena's memory.
 */
PhStatus ph_cell_rows_place(PhArena *arena, uint32_t n_locations, const bool *is_shown,
							const uint32_t *order, const bool *is_runtime, uint32_t max_rows,
							PhCellRows *out) PH_MUST_CHECK;

/* ---- cells ---- */

typedef struct PhCell
{
	uint32_t column;
	uint32_t n; /* events and times before events; 0: the cell is empty */

	/* of the one with the greatest value */
	double value;
	bool is_before, is_inferred;
	uint32_t location, seq, step, phase, region, kind;
	int64_t enter, leave;
	uint32_t n_peers, n_messages, earliest_location;
	uint32_t processor; /* PH_NONE: of processes */

	int64_t idle; /* the greatest of all; PH_NO_TIME: of processes */
} PhCell;

/* An event, or the time before it, as a cell of its own. */
PhCell ph_cell_of(const PhCellGrid *grid, uint32_t metric, const PhLogicalEvents *events,
				  uint32_t i, bool is_before);

/* A row of cells. Of what falls into one the greatest value stays; an unknown one is greater than
 * all; among equals the first location, the first event, and the event itself before the time
 * before it. */
typedef struct PhCellRow
{
	PhCellGrid grid;
	uint32_t metric;
	uint32_t n_cells;
	PhCell *cells; /* by column */
} PhCellRow;

PhStatus ph_cell_row_new(PhArena *arena, const PhCellGrid *grid, uint32_t metric,
						 PhCellRow *out) PH_MUST_CHECK;
/* Event i, whose step is of the grid, and the time before it when that has columns. */
void ph_cell_row_add(PhCellRow *row, const PhLogicalEvents *events, uint32_t i);
void ph_cell_row_clear(PhCellRow *row);

#endif
