/*
 * unit_costs.h - what waiting means for each call path of each location: metrics of a profile.
 *
 * How long it waited, how much waiting of all locations it caused (short-term and long-term costs),
 * how long it was on the critical path. Call paths that have less than 0.1 % of the sum of a metric
 * are not told apart: what they have counts for the root of their call path on the same location,
 * so that sums by location and of all are exact, and at most 1000 call paths have values. What
 * activities of devices have counts where the call tree has them: where they were launched.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_UNIT_COSTS_H
#define PH_BLAME_UNIT_COSTS_H

#include "blame/critical_path.h"
#include "blame/origins.h"
#include "trace/tree/tree.h"

/* Of the metrics that are stored with a run: other numbers for the same trace are another one. */
#define PH_BLAME_VERSION 5

/* Metrics "wait", "wait caused", "on critical path". */
typedef enum PhUnitCostKind
{
	PH_COST_OF_WAITS,
	PH_COST_CAUSED,
	PH_COST_ON_PATH,
	PH_UNIT_COST_KINDS
} PhUnitCostKind;

/* What call paths took of the critical path. */
typedef struct PhOnPath PhOnPath;

/* path: its stays are known; nothing of it is needed afterwards. All memory is the arena's. */
PhStatus ph_on_path_new(PhArena *arena, const PhCriticalPath *path, const PhSkeleton *skeleton,
						PhOnPath **out) PH_MUST_CHECK;

/* A PhTreeWatch; user: a PhOnPath. A location's stretches come by time. */
PhStatus ph_on_path_stretches(void *user, uint32_t location, const PhStretch *stretches,
							  uint32_t n) PH_MUST_CHECK;

/* Of a path that is all of a location: what its call paths took, without any stretch. */
PhStatus ph_on_path_whole(PhArena *arena, PhTraceTree *tree, uint32_t location,
						  PhOnPath **out) PH_MUST_CHECK;

/* What was found so far: one item a (node, location), as they were met. */
const PhTreeCost *ph_on_path_costs(const PhOnPath *on_path, uint32_t *n);

/* Those of them that were in this part of their location's events; not of the main part. */
const PhTreeCost *ph_on_path_part(const PhOnPath *on_path, PhRunPart part, uint32_t *n);

typedef struct PhUnitCostInput
{
	const PhWaitStates *waits;
	const uint32_t *wait_nodes; /* of the tree, by wait; PH_NONE: those waits count nowhere */
	const PhBlame *blame;
	const PhOnPath *on_path; /* all stretches were given to it */
	PhTraceTree *tree;
	struct PhDevicePlaces *places; /* device_places.h; NULL: there are no devices */
} PhUnitCostInput;

/* out: by kind, one item a (node, location). O(waits + delays + nodes). In arena. */
PhStatus ph_unit_costs_find(PhArena *arena, const PhUnitCostInput *input,
							PhTreeCosts out[PH_UNIT_COST_KINDS]) PH_MUST_CHECK;

#endif
