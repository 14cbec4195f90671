/*
 * comparison.h - what one page says about two sets of runs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_COMPARISON_H
#define PH_REPORTS_COMPARISON_H

#include "profile/profile.h"
#include "statistics/repeat_test.h"

#define PH_COMPARE_ROWS 5

/* A function's own cost on both sides, summed over its nodes. */
typedef struct PhFunctionChange
{
	const char *name;
	double before, after;
} PhFunctionChange;

typedef struct PhComparison
{
	const char *metric;
	const char *unit;
	PhRepeatTest test;	 /* of the runs' totals */
	const char *verdict; /* more time is slower; more of a ratio, of bytes or of calls is higher */
	bool adds_up;		 /* else there are no findings, functions and share of MPI */
	double *totals_a, *totals_b;
	double mpi_before, mpi_after; /* share of the total; NaN without MPI functions */
	const PhProfile *difference;  /* with before and after */
	PhFunctionChange functions[PH_COMPARE_ROWS];
	uint32_t n_functions;
	uint32_t n_only_before, n_only_after; /* call paths of one side alone */
} PhComparison;

/*
 * Compare the first metric of n_a and n_b profiles. rule: of the test of their totals. The
 * difference lives until ph_comparison_free; the rest in the arena. Profiles with another metric or
 * unit are PH_ERR_CONFLICT.
 */
PhStatus ph_compare(PhArena *arena, PhProfile *const *a, uint32_t n_a, PhProfile *const *b,
					uint32_t n_b, const PhRepeatRule *rule, PhComparison *out) PH_MUST_CHECK;
void ph_comparison_free(PhEnv *env, PhComparison *comparison);

#endif
