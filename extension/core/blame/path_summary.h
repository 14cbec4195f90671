/*
 * path_summary.h - what each call path of each location took of the critical path, and how much of
 * that others would save.
 *
 * After D. Böhme et al., Scalable critical-path based performance analysis (IPDPS 2012): the
 * imbalance of a call path is what it took of the path beyond what it takes of a location on
 * average, without waits; balanced, the run would be shorter by as much. It is shared among the
 * locations that had the path, by what they had of it. Beside it the long-term costs of delays.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_PATH_SUMMARY_H
#define PH_BLAME_PATH_SUMMARY_H

#include "blame/unit_costs.h"

typedef struct PhPathShare
{
	uint32_t node, location;
	int64_t ns;					 /* on the path */
	int64_t imbalance;			 /* of them; over the locations of a node: its whole imbalance */
	int64_t blame;				 /* long-term costs of delays here */
	int64_t start_up, shut_down; /* of ns */
} PhPathShare;

/*
 * All that were on the path or have long-term costs, by node, then location. O(cells + waits +
 * delays). In arena.
 */
PhStatus ph_path_summary_find(PhArena *arena, const PhUnitCostInput *input,
							  const PhSkeleton *skeleton, const PhPathShare **out,
							  uint32_t *n) PH_MUST_CHECK;

#endif
