/*
 * sentence.h - findings for people.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_EXPLAIN_SENTENCE_H
#define PH_EXPLAIN_SENTENCE_H

#include "explain/explain.h"

/*
 * "ranks 4-7, 12", "rank 3 thread 1", "iterations 17"; "" for all. Long lists end in "and 12 more".
 */
PhStatus ph_finding_places(PhArena *arena, const PhExplainCube *cube, const PhFinding *finding,
						   char **out) PH_MUST_CHECK;

/* "main/time_step/solve". */
PhStatus ph_finding_path(PhArena *arena, const PhExplainCube *cube, uint32_t node,
						 char **out) PH_MUST_CHECK;

/*
 * One sentence: "solve takes 12 % of the run longer on ranks 4-7 (all of host node03), and executes
 * as many instructions as before: the same work is slower there." unit: of the times.
 */
PhStatus ph_finding_sentence(PhArena *arena, const PhExplainCube *cube, const PhFinding *finding,
							 const char *unit, char **out) PH_MUST_CHECK;

/* The verdict on the whole: how large the change is, how large noise, and what is missing. */
PhStatus ph_explained_sentence(PhArena *arena, const PhExplained *explained, const char *unit,
							   char **out) PH_MUST_CHECK;

#endif
