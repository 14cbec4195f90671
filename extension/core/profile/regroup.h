/*
 * regroup.h - values of a profile whose nodes were moved: what every reduction of the tree does.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_REGROUP_H
#define PH_PROFILE_REGROUP_H

#include "profile/internal.h"

/* Lists of old nodes by new node: items[start[n]..start[n + 1]). */
typedef struct PhMembers
{
	uint32_t *start;
	uint32_t *items;
} PhMembers;

typedef struct PhRegroup
{
	const PhProfile *from;
	PhMembers own;			 /* whose own costs go to a node */
	PhMembers same;			 /* which nodes it stands for: value metrics, presence, marks */
	const bool *is_absorbed; /* per old node: its costs count as absorbed; NULL: none */
	bool keep_inclusive;	 /* inclusives of `same` stay as they are; else derived bottom-up */
} PhRegroup;

/* Columns, metrics, provenance with one more note, and all values. The tree must be there. */
PhStatus ph_regroup(PhMaker *maker, const PhRegroup *regroup, const char *note) PH_MUST_CHECK;

/* The tree of the kept nodes: each hangs below its nearest kept ancestor. node_of[old] = its new
 * node, or its nearest kept ancestor's, or PH_NONE. */
PhStatus ph_regroup_tree(PhMaker *maker, const PhProfile *from, const bool *keep,
						 uint32_t *node_of) PH_MUST_CHECK;

/* One value of several by a metric's way to combine. */
typedef struct PhCombined
{
	double value;
	uint32_t n;
} PhCombined;

void ph_combine(PhCombined *to, PhCombine how, double value);
double ph_combined(const PhCombined *from, PhCombine how);

/* An operation on one profile without what it nests. */
typedef PhStatus (*PhReduceFunction)(PhEnv *env, const PhProfile *profile, const void *arguments,
									 PhProfile **out);

/* The operation on a profile and, for a difference, its operands; unfiltered is left out. */
PhStatus ph_reduce(PhEnv *env, const PhProfile *profile, PhReduceFunction function,
				   const void *arguments, PhProfile **out) PH_MUST_CHECK;

/* Same, on the unfiltered profile too. */
PhStatus ph_reduce_deep(PhEnv *env, const PhProfile *profile, PhReduceFunction function,
						const void *arguments, PhProfile **out) PH_MUST_CHECK;

#endif
