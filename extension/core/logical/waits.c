/*
 * waits.c - wait groups: from a non-blocking send to the call that completes the last one.
 *
 * One pass over a location's events and the calls between them that completed something. Where
 * completions are recorded, a group closes with the call during which the last of its sends
 * completed, that call excluded; by the heuristic, with the next Waitall.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/internal.h"

/* A group is a run of events, for everything between its ends belongs to it. */
typedef struct WaitState
{
	const PhLogicalOptions *options;
	uint8_t *flags;
	uint32_t first, next; /* the open group: events [first, next) */
	int64_t done;		  /* when the last of its sends completed; PH_NO_TIME: none recorded */
} WaitState;

static void
clear_group(WaitState *state)
{
	state->first = state->next;
}

static void
close_group(WaitState *state)
{
	for (uint32_t e = state->first + 1; e < state->next; e++)
		state->flags[e] |= PH_COMM_WAITED;
	clear_group(state);
}

/* The group goes on with event, or begins with it. */
static void
append(WaitState *state, uint32_t event)
{
	if (state->first == state->next)
		state->first = event;
	state->next = event + 1;
}

/* A call that may complete the group; true when it did. */
static bool
completes(WaitState *state, int64_t enter, int64_t exit)
{
	if (state->first == state->next || state->done < enter || state->done > exit)
		return false;
	close_group(state);
	state->done = PH_NO_TIME;
	return true;
}

static void
pass_mark(WaitState *state, const PhWaitMark *mark)
{
	if (state->done != PH_NO_TIME)
		(void) completes(state, mark->enter, mark->exit);
	else if (mark->is_waitall && state->options->waitall_groups)
		close_group(state);
}

static void
pass_receive(WaitState *state, uint32_t event, int64_t enter, int64_t exit, bool is_waitall)
{
	if (state->done != PH_NO_TIME)
	{
		if (!completes(state, enter, exit))
			append(state, event);
	}
	else if (is_waitall)
		close_group(state);
	else
		clear_group(state);
}

static void
pass_send(WaitState *state, uint32_t event, int64_t complete)
{
	if (state->options->wait_groups && complete > state->done)
		state->done = complete;
	if (state->done != PH_NO_TIME || state->options->waitall_groups)
		append(state, event);
}

static void
pass_collective(WaitState *state, uint32_t event)
{
	if (state->done != PH_NO_TIME)
		append(state, event);
	else
		clear_group(state);
}

PhStatus
ph_logical_mark_waits(const PhLogicalOptions *options, PhLogicalColumns *columns, uint32_t first,
					  const int64_t *complete, uint32_t n_complete, const PhWaitMark *marks,
					  uint32_t n_marks, const uint8_t *region_flags)
{
	uint32_t n = columns->n[PH_ROWS_EVENT] - first, mark = 0;
	if (n == 0)
		return PH_OK;
	const int64_t *enter = PH_COLUMN(int64_t, *columns, PH_PART_ENTER) + first;
	const int64_t *exit = PH_COLUMN(int64_t, *columns, PH_PART_EXIT) + first;
	const uint8_t *kind = PH_COLUMN(uint8_t, *columns, PH_PART_KIND) + first;
	const uint32_t *region = PH_COLUMN(uint32_t, *columns, PH_PART_REGION) + first;
	uint8_t *flags = PH_COLUMN(uint8_t, *columns, PH_PART_FLAGS) + first;
	WaitState state = {options, flags, 0, 0, PH_NO_TIME};
	for (uint32_t e = 0; e < n; e++)
	{
		PH_TRY(ph_env_poll_at(columns->env, e));
		for (; mark < n_marks && marks[mark].n_events <= e; mark++)
			pass_mark(&state, &marks[mark]);
		if (kind[e] == PH_COMM_SEND)
			pass_send(&state, e, e < n_complete ? complete[e] : PH_NO_TIME);
		else if (kind[e] == PH_COMM_COLLECTIVE)
			pass_collective(&state, e);
		else
			pass_receive(&state, e, enter[e], exit[e],
						 region[e] != PH_NONE &&
							 (region_flags[region[e]] & PH_REGION_WAITALL) != 0);
	}
	for (; mark < n_marks; mark++)
		pass_mark(&state, &marks[mark]);
	return PH_OK;
}
