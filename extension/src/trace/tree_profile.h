/*
 * tree_profile.h - the call tree of a stored trace as a profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_TREE_PROFILE_H
#define PH_TRACE_TREE_PROFILE_H

#include "profile/value.h"
#include "trace/reader.h"
#include "trace/tree/tree.h"

/* A profile under construction: fill the first fields. */
typedef struct PhTreeProfile
{
	PhTraceRun *trace; /* begun with regions */
	PhTraceTree *tree; /* settled */
	PhTraceWindow window;
	PhEnv *env;				   /* of the profile and the builder */
	uint32 n_costs;			   /* metrics besides, … */
	const PhTreeCosts *costs;  /* … or NULL */
	PhProfileBuilder *builder; /* internal */
	uint32 *regions, *columns; /* internal: in the builder, by region, by location */
} PhTreeProfile;

/*
 * Sets value->profile. Its nodes and columns are those that a load of the trace stores when the
 * window is open. PH002 when the window has no calls.
 */
void ph_tree_profile_finish(PhTreeProfile *out, PhValue *value);

#endif
