/*
 * cluster_cells.c - what the processes of each cluster of a phase do.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/cells/cluster_cells.h"

PhStatus
ph_cluster_cells_new(PhArena *arena, const PhCellGrid *grid, uint32_t metric, uint32_t phase,
					 bool by_first_event, const uint32_t *cluster_of, uint32_t n_clusters,
					 PhClusterCells *out)
{
	PhClusterCells series = {.grid = *grid,
							 .metric = metric,
							 .phase = phase,
							 .by_first_event = by_first_event,
							 .cluster_of = cluster_of,
							 .n_clusters = n_clusters,
							 .n_cells = ph_cell_grid_cells(grid),
							 .location = PH_NONE,
							 .group = PH_NONE};
	size_t n_groups = (size_t) n_clusters * 2;
	PH_TRY(PH_NEW(arena, n_groups, &series.n_processes));
	PH_TRY(ph_arena_alloc(arena, n_groups * series.n_cells, sizeof(PhClusterCell),
						  (void **) &series.cells));
	*out = series;
	return PH_OK;
}

/* The first event of a location in the phase says which group the location is of. */
static void
begin_location(PhClusterCells *series, const PhLogicalEvents *events, uint32_t i)
{
	uint32_t cluster = series->cluster_of[events->location];
	bool sends_first = !series->by_first_event || events->kind[i] != PH_COMM_RECEIVE;
	series->location = events->location;
	series->group = cluster == PH_NONE ? PH_NONE : 2 * cluster + sends_first;
	if (series->group != PH_NONE)
		series->n_processes[series->group]++;
}

void
ph_cluster_cells_add(PhClusterCells *series, const PhLogicalEvents *events, uint32_t i)
{
	if (events->phase[i] != series->phase)
		return;
	if (events->location != series->location)
		begin_location(series, events, i);
	uint32_t column = ph_cell_column(&series->grid, events->step[i], false);
	if (series->group == PH_NONE || column >= series->n_cells)
		return;
	PhClusterCell *cell = &series->cells[(size_t) series->group * series->n_cells + column];
	uint32_t kind = events->kind[i];
	if (ph_cluster_cell_is_empty(cell) || events->step[i] < cell->step)
		cell->step = events->step[i];
	cell->n[kind]++;
	cell->value[kind] += ph_cell_value(series->metric, events, i, false);
	cell->before[kind] += ph_cell_value(series->metric, events, i, true);
	if (kind == PH_COMM_RECEIVE)
		cell->received += events->ends_of[i];
}
