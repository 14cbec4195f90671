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
 * Folded stacks (flamegraph.pl, speedscope): a line a call path with its own cost summed over
 * columns. Times become microseconds, so that viewers that want integers lose little.
 */
void ph_export_folded(FILE *out, const PhProfile *profile, uint32_t metric);

/* Hatchet's literal form with graph and dataframe: all metrics, a row a node and column. */
void ph_export_json(FILE *out, const PhProfile *profile);

/* A row a node and column where the node is present, all metrics. */
void ph_export_csv(FILE *out, const PhProfile *profile);

/* Graphviz: nodes with their mean inclusive and own cost, darker the dearer. */
void ph_export_dot(FILE *out, const PhProfile *profile, uint32_t metric);

#endif
