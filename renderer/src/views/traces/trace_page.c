/*
 * trace_page.c - what pictures of traces share: their window, and how far to trust them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "request/view.h"
#include "views/traces/trace_page.h"

bool
ph_trace_window(const PhViewRows *rows, double *from, double *to)
{
	const PhTable *window = ph_rows_table(rows, "window");

	*from = ph_table_number(window, 0, "from");
	*to = ph_table_number(window, 0, "to");
	return *to > *from;
}

static void
note(PhArena *arena, PhPage *page, double count, const char *one, const char *many)
{
	if (count > 0)
		ph_page_note(arena, page, ph_need_format(arena, "%.0f %s", count, count == 1 ? one : many));
}

static void
note_clock(PhArena *arena, const PhTable *trace, PhPage *page)
{
	double reversed = ph_table_number(trace, 0, "reversed_messages");
	const char *clock = ph_table_text(trace, 0, "clock");

	if (reversed > 0)
		ph_page_note(
			arena, page,
			ph_need_format(arena, "%.0f of %.0f messages received before they were sent (worst %s)",
						   reversed, ph_table_number(trace, 0, "n_messages"),
						   ph_value(arena, "ns", ph_table_number(trace, 0, "worst_reversal"))));
	if (clock != NULL && strcmp(clock, "offsets") == 0)
		ph_page_note(arena, page, "clock offsets applied");
	if (clock != NULL && strcmp(clock, "logical") == 0)
		ph_page_note(arena, page, "times corrected by a logical clock");
}

static void
note_window(PhArena *arena, const PhViewRows *rows, PhPage *page)
{
	double from, to;
	PhUnit unit;
	double duration = ph_table_number(ph_rows_table(rows, "trace"), 0, "duration");

	if (!ph_trace_window(rows, &from, &to) || !(duration > 0) || (from <= 0 && to >= duration))
		return;
	unit = ph_unit_choose(arena, "ns", duration);
	ph_page_note(arena, page,
				 ph_need_format(arena, "%.9g to %.9g of %.9g %s", from * unit.factor,
								to * unit.factor, duration * unit.factor, unit.suffix));
}

void
ph_trace_notes(PhArena *arena, const PhViewRows *rows, PhPage *page)
{
	const PhTable *trace = ph_rows_table(rows, "trace");

	if (trace == NULL)
		return;
	note_window(arena, rows, page);
	note(arena, page, ph_table_number(trace, 0, "n_events"), "event", "events");
	note(arena, page, ph_table_number(trace, 0, "n_messages"), "message", "messages");
	note_clock(arena, trace, page);
	note(arena, page, ph_table_number(trace, 0, "unmatched_sends"), "send without its receive",
		 "sends without their receives");
	note(arena, page, ph_table_number(trace, 0, "unmatched_receives"), "receive without its send",
		 "receives without their sends");
	note(arena, page, ph_table_number(trace, 0, "open_calls"),
		 "call not left: the trace was cut off", "calls not left: the trace was cut off");
	note(arena, page, ph_table_number(trace, 0, "unknown_records"), "unknown record",
		 "unknown records");
}
