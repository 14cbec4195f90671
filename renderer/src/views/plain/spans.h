/*
 * spans.h - rows of a query as bars in lanes: events, jobs, phases.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_PLAIN_SPANS_H
#define PH_VIEWS_PLAIN_SPANS_H

#include "views/plain/plain.h"

/* Lane, from, to, and what may be left out: what colours mean, and the first line of tooltips. */
extern const PhGivenColumn ph_rows_of_spans[];

void ph_spans_draw(PhDrawing *drawing);

#endif
