/*
 * export_profile.h - a profile in formats that other tools read.
 *
 * Pure writers: deterministic bytes for one profile, numbers with the digits that read back as the
 * same number.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_EXPORT_PROFILE_H
#define PH_REPORTS_EXPORT_PROFILE_H

#include <stdio.h>

#include "profile/profile.h"

/*
 * Folded stacks (flamegraph.pl, speedscope): a line a call path with what the flame graph shows as
 * its own, summed over columns. Times become microseconds, so that viewers that want integers lose
 * little, and what rounding takes from one line is given to the next: the lines add up to the
 * total. PH_ERR_VALUE for a metric that has no flame graph.
 */
PhStatus ph_export_folded(PhEnv *env, FILE *out, const PhProfile *profile,
						  uint32_t metric) PH_MUST_CHECK;

/*
 * Hatchet's literal form with graph and dataframe: all metrics, a row a node and column, and their
 * units. Metrics whose source disagrees with itself have a third value a row, "METRIC (residual)".
 */
void ph_export_json(FILE *out, const PhProfile *profile);

/* A row a node and column where the node is present, all metrics, residuals as in JSON. */
void ph_export_csv(FILE *out, const PhProfile *profile);

/* Graphviz: nodes with their mean inclusive, own and residual cost, darker the dearer. */
void ph_export_dot(FILE *out, const PhProfile *profile, uint32_t metric);

#endif
