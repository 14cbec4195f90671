/*
 * run_summary.h - what the warehouse keeps beside a run's values: statistics over execution units.
 *
 * Columns that differ only in their iteration are one execution unit; their values are summed first
 * (value metrics combine), as profile(run) does. Pure: knows nothing of PostgreSQL.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_STORE_RUN_SUMMARY_H
#define PH_PIPELINE_STORE_RUN_SUMMARY_H

#include "profile/profile.h"
#include "stored/summary_block.h"

/* Which unit a column belongs to; units are numbered by their first column. */
typedef struct PhUnits
{
	uint32_t n_units;
	uint32_t *unit;			/* per column */
	uint32_t *first_column; /* per unit */
	uint32_t n_ranks;		/* distinct known ranks */
	uint32_t n_threads;		/* most units in one rank */
	uint32_t n_hosts;		/* distinct known hosts */
} PhUnits;

PhStatus ph_units_find(PhArena *arena, const PhProfile *profile, PhUnits *out) PH_MUST_CHECK;

/* The whole of a flow metric: its roots' inclusive values, mean over units. NAN: no flow metric, no
 * units. */
double ph_run_total(const PhProfile *profile, const PhUnits *units, uint32_t metric);

/*
 * Vectors of n_units elements that ph_node_summary fills and region summaries reuse. Only the units
 * on the list hold anything, so a node costs as much as it has cells.
 */
typedef struct PhUnitVectors
{
	double *inclusive;
	double *exclusive;
	uint32_t *n_cells; /* columns of the unit that have the node */
	uint32_t *touched; /* the units that have it, ascending */
	uint32_t n_touched;
} PhUnitVectors;

PhStatus ph_unit_vectors_new(PhArena *arena, const PhUnits *units,
							 PhUnitVectors *out) PH_MUST_CHECK;

/* Statistics of one node and metric (not a ratio); O(cells of the node). */
void ph_node_summary(const PhProfile *profile, const PhUnits *units, uint32_t metric, uint32_t node,
					 PhUnitVectors *vectors, PhNodeSummary *out);

/* What the sums of a metric's summaries are. */
PhSummarySums ph_summary_sums_of(const PhProfile *profile, const PhUnits *units, uint32_t metric);

typedef struct PhRegionSummary
{
	uint32_t n_nodes;
	double inclusive; /* mean over units, outermost instances */
	double exclusive; /* mean over units */
	double min, max;  /* of the exclusive vector over units, absent = 0 */
} PhRegionSummary;

/*
 * One summary per region (profile->n_regions elements) of a flow metric; of several regions with
 * one id the first has it all. O(nodes + cells) time, O(nodes + units) memory.
 */
PhStatus ph_region_summaries(PhArena *arena, const PhProfile *profile, const PhUnits *units,
							 uint32_t metric, PhRegionSummary **out) PH_MUST_CHECK;

#endif
