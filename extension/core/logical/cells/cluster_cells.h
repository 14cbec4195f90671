/*
 * cluster_cells.h - what the processes of each cluster of a phase do, column by column of steps.
 *
 * The processes of a cluster are two groups: those whose first event in the phase sends and those
 * that receive first. A cell counts a group's events of one column by kind, with the sums of their
 * values. Events stream by location; memory is two rows of cells a cluster.
 * Cost: O(events + clusters x cells).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_CELLS_CLUSTER_CELLS_H
#define PH_LOGICAL_CELLS_CLUSTER_CELLS_H

#include "logical/cells/cells.h"

typedef struct PhClusterCell
{
	uint32_t step;						/* the least */
	uint32_t n[PH_COMM_COLLECTIVE + 1]; /* events, by PhCommKind */
	double value[PH_COMM_COLLECTIVE + 1],
		before[PH_COMM_COLLECTIVE + 1]; /* sums; NaN: none known */
	uint64_t received;					/* messages, by the events that receive */
} PhClusterCell;

static inline bool
ph_cluster_cell_is_empty(const PhClusterCell *cell)
{
	return cell->n[PH_COMM_SEND] + cell->n[PH_COMM_RECEIVE] + cell->n[PH_COMM_COLLECTIVE] == 0;
}

typedef struct PhClusterCells
{
	PhCellGrid grid;
	uint32_t metric, phase;
	bool by_first_event;		/* false: all processes count as those that send first */
	const uint32_t *cluster_of; /* by location; PH_NONE: none */
	uint32_t n_clusters, n_cells;
	uint32_t *n_processes; /* by group: 2 x cluster + sends first */
	PhClusterCell *cells;  /* by group and column */
	uint32_t location;	   /* whose events come now; PH_NONE: none yet */
	uint32_t group;		   /* its */
} PhClusterCells;

/* cluster_of stays the caller's and must outlive the series. PH_ERR_LIMIT when the cells are too
 * many. */
PhStatus ph_cluster_cells_new(PhArena *arena, const PhCellGrid *grid, uint32_t metric,
							  uint32_t phase, bool by_first_event, const uint32_t *cluster_of,
							  uint32_t n_clusters, PhClusterCells *out) PH_MUST_CHECK;

/* Event i, whose step is of the grid; those of other phases and of no cluster are passed over.
 * Events of a location come one after the other, in order. */
void ph_cluster_cells_add(PhClusterCells *series, const PhLogicalEvents *events, uint32_t i);

static inline const PhClusterCell *
ph_cluster_cells_of(const PhClusterCells *series, uint32_t cluster, bool sends_first)
{
	return &series->cells[((size_t) cluster * 2 + sends_first) * series->n_cells];
}

#endif
