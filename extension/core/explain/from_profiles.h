/*
 * from_profiles.h - the input of ph_explain from profiles of runs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_EXPLAIN_FROM_PROFILES_H
#define PH_EXPLAIN_FROM_PROFILES_H

#include "explain/explain.h"
#include "profile/profile.h"

/* Call paths below this share of every run are part of the one above them. */
#define PH_EXPLAIN_LEAST_PATH 0.002
#define PH_EXPLAIN_MOST_PATHS 400
#define PH_EXPLAIN_MOST_CELLS ((size_t) 1 << 25) /* numbers of one kind */
#define PH_EXPLAIN_MOST_STEPS 1024

/*
 * Of the primary metrics, which must add up and be in one dimension, as ph_profile_ensemble asks
 * for. Units are those of all runs when all have the same ranks and threads; else there is one, the
 * mean of all. A unit has a host when it was on it in all runs after. Instructions, bytes and
 * visits are metrics that all profiles have, known by their names. Iterations are columns with an
 * iteration that every run has; costs outside of them are no iteration's.
 *
 * names and hosts belong to the arena. PH_ERR_VALUE for a metric that does not add up.
 */
PhStatus ph_explain_cube(PhArena *arena, uint32_t n, const PhProfile *const *profiles,
						 const bool *is_after, PhExplainCube *out) PH_MUST_CHECK;

#endif
