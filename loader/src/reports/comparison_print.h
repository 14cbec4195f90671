/*
 * comparison_print.h - a comparison as a page for people and as JSON.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_COMPARISON_PRINT_H
#define PH_REPORTS_COMPARISON_PRINT_H

#include <stdio.h>

#include "reports/comparable.h"
#include "reports/compare_sides.h"
#include "reports/comparison.h"
#include "reports/environment.h"
#include "reports/explain_print.h"

/* What is compared. */
typedef struct PhComparedRuns
{
	const PhSide *a, *b;
	const PhComparable *comparable;
	const PhEnvironment *environment;
	const PhRepeatRule *rule;
	PhExplainPage explanation; /* findings, and what changed with them */
	int64_t n_known;		   /* runs that say how the experiment scatters; 0: none do */
} PhComparedRuns;

/* Runs that cannot be compared are labelled so: people asked for it nevertheless. */
void ph_comparison_print(FILE *out, const PhComparison *comparison, const PhComparedRuns *runs);
void ph_comparison_print_json(FILE *out, const PhComparison *comparison,
							  const PhComparedRuns *runs);

/* The sides and in what they differ, without a judgement. */
void ph_incomparable_print(FILE *out, const PhComparable *comparable, const PhSide *a,
						   const PhSide *b);
void ph_incomparable_print_json(FILE *out, const PhComparable *comparable, const PhSide *a,
								const PhSide *b);

#endif
