/*
 * trace_page.h - what pictures of traces say about their window and the trace.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_TRACES_TRACE_PAGE_H
#define PH_VIEWS_TRACES_TRACE_PAGE_H

#include "drawing/page.h"
#include "request/rows.h"

/* "0.1 s to 0.2 s of 1.3 s", from the section "window"; notes from the section "trace". */
void ph_trace_notes(PhArena *arena, const PhViewRows *rows, PhPage *page);
/* Start and end of the window shown, in ns. False: the section is missing or the window empty. */
bool ph_trace_window(const PhViewRows *rows, double *from, double *to);

#endif
