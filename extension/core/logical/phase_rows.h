/*
 * phase_rows.h - what is told of each phase of a computed structure, and of the whole.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_PHASE_ROWS_H
#define PH_LOGICAL_PHASE_ROWS_H

#include "logical/metrics.h"

/* Texts live until the next row. */
typedef struct PhPhaseRow
{
	int64_t t_first, t_last; /* first enter and last leave, ns */
	int64_t max_lateness;	 /* ns */
	uint32_t n_locations;
	uint64_t identity;	 /* equal where phases are the same: logical/identity.h */
	const char *pattern; /* of its exchange: "SRSR", "SSRR", "SSWA", "unknown"; "": it is none */
	const char *reason;	 /* the last kind of merge */
	const char *reasons; /* all kinds, as an array literal */
	const char *regions; /* names of its functions, each once, in order, ", " between them */
	const char *followed_by; /* phases that follow it directly, as an array literal */
} PhPhaseRow;

typedef struct PhPhaseLister PhPhaseLister;

/* Looks at all phases; metrics and trace (of it the regions) must outlive the lister. */
PhStatus ph_phase_lister_new(PhEnv *env, const PhLogicalMetrics *metrics, const PhTraceModel *trace,
							 bool compat, PhPhaseLister **out) PH_MUST_CHECK;
void ph_phase_lister_free(PhPhaseLister *lister);

PhStatus ph_phase_lister_row(PhPhaseLister *lister, uint32_t phase, PhPhaseRow *out) PH_MUST_CHECK;

/* What a phase has in numbers, its functions as an index into `name`. */
typedef struct PhPhaseNumbers
{
	int64_t t_first, t_last, max_lateness;
	uint64_t identity; /* logical/identity.h */
	uint32_t n_locations, pattern, names;
} PhPhaseNumbers;

/* The same without texts; a list of functions is made when it is met first. */
PhStatus ph_phase_lister_numbers(PhPhaseLister *lister, uint32_t phase,
								 PhPhaseNumbers *out) PH_MUST_CHECK;
const char *ph_phase_lister_names(const PhPhaseLister *lister, uint32_t names);

/* A phase's pattern and merge reasons as PhPhaseRow has them: codes to texts. */
const char *ph_phase_pattern_text(uint32_t pattern);
PhStatus ph_phase_reasons_text(PhArena *arena, uint32_t reasons, const char **out) PH_MUST_CHECK;

/* What was odd in the trace, as a JSON object of counts by name. */
PhStatus ph_logical_notes_text(PhArena *arena, const PhLogical *logical, char **out) PH_MUST_CHECK;

#endif
