/*
 * gate_chart.h - the gate's pictures, within a page of html_page.h: small enough to need no
 * renderer, so that there are pictures where there is no warehouse.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_GATE_CHART_H
#define PH_REPORTS_GATE_CHART_H

#include <stdio.h>

#include "reports/gate.h"

/* Every run as a dot, a row a side, with the side's mean. */
void ph_gate_chart_runs(FILE *out, const PhGateMetric *metric, size_t n_a, size_t n_b);

/* The first n functions' changes as bars to the left (less) and right (more) of nothing. */
void ph_gate_chart_regions(FILE *out, const PhGateMetric *metric, uint32_t n);

#endif
