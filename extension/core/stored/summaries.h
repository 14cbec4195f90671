/*
 * summaries.h - what a warehouse keeps beside a run's values: statistics over execution units.
 *
 * The values of a unit's columns are added up first (value metrics combine), as profile(run) does.
 * Loads make summaries of what they store, and the server those of a stored run that lost them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STORED_SUMMARIES_H
#define PH_STORED_SUMMARIES_H

#include "stored/summary_block.h"
#include "stored/units.h"

/*
 * The version of the method. Version 1 added up sums in another order: its results differ in their
 * rounding alone, and stay valid.
 */
#define PH_SUMMARIES_VERSION 2

/*
 * Vectors of n_units elements that hold a node's values. Only the units on the list hold anything,
 * so a node costs as much as it has cells.
 */
typedef struct PhUnitVectors
{
	PhEnv *env;
	double *inclusive;
	double *exclusive;
	uint32_t *n_cells; /* columns of the unit that have the node */
	uint32_t *touched; /* the units that have it, ascending */
	uint32_t *buffer;  /* to sort them in */
	uint32_t n_touched;
	size_t n_done; /* cells since it was asked whether to stop */
} PhUnitVectors;

PhStatus ph_unit_vectors_new(PhArena *arena, const PhUnits *units,
							 PhUnitVectors *out) PH_MUST_CHECK;

/* How many blocks of summaries a metric of the profile has. */
static inline uint32_t
ph_n_summary_blocks(const PhProfile *profile)
{
	return (uint32_t) (((uint64_t) profile->n_nodes + PH_BLOCK_NODES - 1) / PH_BLOCK_NODES);
}

/*
 * One of them, of a metric that is no ratio, at bytes, which has room for PH_SUMMARY_BLOCK_BOUND;
 * *size 0: no unit has any of its nodes, and it is not stored. O(cells of the nodes).
 */
PhStatus ph_summary_block_make(const PhProfile *profile, const PhUnits *units, uint32_t metric,
							   uint32_t block, PhUnitVectors *vectors, uint8_t *bytes,
							   size_t *size) PH_MUST_CHECK;

typedef struct PhRegionSummary
{
	int64_t region_id;
	uint32_t n_nodes;
	double inclusive; /* mean over units, outermost instances */
	double exclusive; /* mean over units */
	double min, max;  /* of the exclusive vector over units, absent = 0 */
} PhRegionSummary;

/*
 * One summary per region id of a flow metric, in the order of ids. O(nodes + cells) time, O(nodes +
 * units) memory.
 */
PhStatus ph_region_summaries(PhArena *arena, const PhProfile *profile, const PhUnits *units,
							 uint32_t metric, PhRegionSummary **out, uint32_t *n) PH_MUST_CHECK;

#endif
