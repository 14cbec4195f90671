/*
 * legible.h - how much of a profile is left out so that people can read its super graph.
 *
 * Cheap functions go first (ph_profile_filter), until there are few enough supernodes; then those
 * that only pass cost on (ph_profile_drop_passages), until there are few enough levels for the
 * width of the picture. docs/design/supergraph.md 8.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SUPERGRAPH_LEGIBLE_H
#define PH_SUPERGRAPH_LEGIBLE_H

#include "supergraph/supergraph.h"

typedef struct PhLegibleLimits
{
	double share;		 /* NaN: to be chosen */
	uint32_t supernodes; /* at most, when the share is chosen */
	uint32_t levels;	 /* at most; 0: any number */
} PhLegibleLimits;

typedef struct PhLegible
{
	double share;	/* of inclusive cost, under which functions and roots are left out */
	double passing; /* the same of what functions keep; 0: none are */
} PhLegible;

/*
 * The least shares of some between 0.001 and 1 that suffice; the greatest where none does. profile
 * has means, such as one column; it is not changed. Costs a pass over the profile for each share
 * tried, and a graph for those that leave few labels. Errors as filter.
 */
PhStatus ph_legible_choose(PhEnv *env, const PhProfile *profile, uint32_t metric, PhGroupBy by,
						   const PhModuleMap *map, const PhLegibleLimits *limits,
						   PhLegible *out) PH_MUST_CHECK;

/* The profile without what was chosen. */
PhStatus ph_legible_apply(PhEnv *env, const PhProfile *profile, uint32_t metric,
						  const PhLegible *chosen, PhProfile **out) PH_MUST_CHECK;

#endif
