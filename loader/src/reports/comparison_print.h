/*
 * comparison_print.h - a comparison as a page for people and as JSON.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_COMPARISON_PRINT_H
#define PH_REPORTS_COMPARISON_PRINT_H

#include <stdio.h>

#include "reports/compare_sides.h"
#include "reports/comparison.h"

void ph_comparison_print(FILE *out, const PhComparison *comparison, const PhSide *a,
						 const PhSide *b, double margin);
void ph_comparison_print_json(FILE *out, const PhComparison *comparison, const PhSide *a,
							  const PhSide *b, double margin);

#endif
