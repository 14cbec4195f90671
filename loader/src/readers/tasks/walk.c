/*
 * walk.c - a log's records, repaired: what is missing is put in before the record that shows
 * it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/tasks/source.h"

#define MOST_CALLS (sizeof(((PhTaskWalk *) NULL)->calls) / sizeof(uint32_t))

void
ph_task_walk_begin(PhTaskWalk *walk, PhTaskLog *log, uint32_t location, PhFindings *findings)
{
	*walk = (PhTaskWalk){.log = log,
						 .tasks = log->tasks,
						 .location = location,
						 .findings = findings,
						 .last = PH_NO_TIME};
}

static void
found(PhTaskWalk *walk, PhTaskFinding what)
{
	ph_finding_add(walk->findings, what, walk->location, walk->log->number);
}

/*
 * Gives the record a time that is not before the last one's: one without a time gets the last
 * one's, one that is earlier is moved there and counted as a finding. Not brackets: they are
 * written when they end, with the time of their begin, so their times are out of order by design.
 */
static void
settle_time(PhTaskWalk *walk, PhLogRecord *record)
{
	if (record->kind == PH_LOG_BRACKET_BEGIN || record->kind == PH_LOG_BRACKET_END)
		return;
	if (record->time == PH_NO_TIME)
		record->time = walk->last == PH_NO_TIME ? 0 : walk->last;
	if (walk->last != PH_NO_TIME && record->time < walk->last)
	{
		int64_t back = walk->last - record->time;

		found(walk, PH_FOUND_BACKWARDS);
		if (back > walk->findings->worst_backwards)
			walk->findings->worst_backwards = back;
		record->time = walk->last;
	}
	walk->last = record->time;
}

/*
 * Makes *out an inserted record of this kind and region. The record that showed that one is missing
 * is held back and is what the next call gives.
 */
static void
insert(PhTaskWalk *walk, PhLogRecordKind kind, uint32_t region, PhLogRecord *out)
{
	walk->held = *out;
	walk->is_held = true;
	*out = (PhLogRecord){.kind = kind, .time = walk->held.time, .region = region, .event = -1};
}

static void
end_call(PhTaskWalk *walk, PhLogRecord *out)
{
	insert(walk, PH_LOG_CALL_END, walk->calls[--walk->depth], out);
}

static void
end_block(PhTaskWalk *walk, PhLogRecord *out)
{
	walk->is_open = false;
	insert(walk, PH_LOG_END, walk->region, out);
}

/*
 * Makes *out the end of the innermost call or, when no call is open, of the block. False: nothing
 * is open and *out is as it was. The caller returns after true and is called again with the same
 * record until all is closed.
 */
static bool
close_all(PhTaskWalk *walk, PhLogRecord *out, bool is_finding)
{
	if (walk->depth == 0 && !walk->is_open)
		return false;
	if (is_finding)
		found(walk, PH_FOUND_UNENDED);
	if (walk->depth > 0)
		end_call(walk, out);
	else
		end_block(walk, out);
	return true;
}

static void
begin_block(PhTaskWalk *walk, PhLogRecord *out)
{
	uint32_t region = out->region;
	int64_t event = out->event;

	if (close_all(walk, out, true))
		return;
	walk->is_open = true;
	walk->region = region;
	walk->event = event;
}

static void
finish_block(PhTaskWalk *walk, PhLogRecord *out)
{
	if (walk->depth > 0 && walk->is_open)
	{
		found(walk, PH_FOUND_UNENDED);
		end_call(walk, out);
		return;
	}
	if (!walk->is_open)
	{
		found(walk, PH_FOUND_UNBEGUN);
		out->kind = PH_LOG_SKIP;
		return;
	}
	if (walk->region != out->region)
		found(walk, PH_FOUND_OTHER_END);
	out->region = walk->region;
	walk->is_open = false;
}

/* Idle is never within a block. */
static void
begin_call(PhTaskWalk *walk, PhLogRecord *out)
{
	bool is_idle = out->region == walk->tasks->n_entries;

	if (is_idle && close_all(walk, out, true))
		return;
	if (walk->depth == MOST_CALLS)
	{
		found(walk, PH_FOUND_UNENDED);
		end_call(walk, out);
		return;
	}
	walk->calls[walk->depth++] = out->region;
}

static void
finish_call(PhTaskWalk *walk, PhLogRecord *out)
{
	uint32_t at = walk->depth;

	while (at > 0 && walk->calls[at - 1] != out->region)
		at--;
	if (at == 0)
	{
		found(walk, PH_FOUND_UNBEGUN);
		out->kind = PH_LOG_SKIP;
		return;
	}
	if (at < walk->depth)
	{
		found(walk, PH_FOUND_UNENDED);
		end_call(walk, out);
		return;
	}
	walk->depth--;
}

static void
take(PhTaskWalk *walk, PhLogRecord *out)
{
	switch (out->kind)
	{
		case PH_LOG_BEGIN:
			begin_block(walk, out);
			return;
		case PH_LOG_END:
			finish_block(walk, out);
			return;
		case PH_LOG_CALL_BEGIN:
			begin_call(walk, out);
			return;
		case PH_LOG_CALL_END:
			finish_call(walk, out);
			return;
		case PH_LOG_MEASUREMENT:
		case PH_LOG_PROGRAM: /* off, end: nothing goes on */
			if (out->id == 2)
				(void) close_all(walk, out, false);
			return;
		case PH_LOG_UNKNOWN:
			found(walk, PH_FOUND_UNKNOWN);
			return;
		default:
			return;
	}
}

PhStatus
ph_task_walk_next(PhTaskWalk *walk, PhLogRecord *out, bool *more)
{
	*more = true;
	if (walk->is_held)
	{
		*out = walk->held;
		walk->is_held = false;
	}
	else
	{
		PH_TRY(walk->tasks->next(walk->log, out, more));
		if (!*more)
		{
			if (walk->log->is_cut)
				found(walk, PH_FOUND_CUT_LOG);
			return PH_OK;
		}
		walk->n_records++;
		if (out->kind != PH_LOG_SKIP)
			settle_time(walk, out);
	}
	take(walk, out);
	return PH_OK;
}
