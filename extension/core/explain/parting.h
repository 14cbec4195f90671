/*
 * parting.h - units that changed at one call path by two causes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_EXPLAIN_PARTING_H
#define PH_EXPLAIN_PARTING_H

#include "explain/search.h"

/*
 * Keep of the candidate's units those with one cause: either the ones with more work or the ones
 * that do the same, and of the latter either whole hosts or others. The others of both are left for
 * the next search. kind: of what was searched.
 */
PhStatus ph_candidate_part(PhArena *arena, const PhSearch *search, const PhExplainCube *cube,
						   PhExplainKind kind, PhExplainCandidate *candidate) PH_MUST_CHECK;

#endif
