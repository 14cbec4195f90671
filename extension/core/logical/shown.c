/*
 * shown.c - collectives that calls show without a record: found out, or left out again.
 *
 * Each such call made an event, flagged PH_COMM_INFERRED, because with whom it was can be told only
 * when all locations have been read. Those of which nothing can be inferred are no events.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "logical/input_internal.h"
#include "trace/infer.h"

/* A collective record as it is to be told to ph_infer_collectives. */
static PhShownCollective
describe(const PhLogicalInput *input, uint32_t location, uint32_t row)
{
	uint32_t event = PH_AT(uint32_t, input, PH_PART_COLL_EVENT, row);
	int32_t rank = input->trace->locations[location].rank;
	PhShownCollective shown = {.rank = PH_NONE};
	shown.operation = PH_AT(uint32_t, input, PH_PART_COLL_OPERATION, row);
	shown.comm = PH_AT(uint32_t, input, PH_PART_COLL_COMM, row);
	if (event == PH_NONE || !ph_collective_is_application(shown.operation))
		return shown;
	shown.rank = rank < 0 ? PH_NONE : (uint32_t) rank;
	shown.enter = PH_AT(int64_t, input, PH_PART_ENTER, event);
	shown.leave = PH_AT(int64_t, input, PH_PART_EXIT, event);
	if ((PH_AT(uint8_t, input, PH_PART_FLAGS, event) & PH_COMM_INFERRED) != 0)
		shown.evidence = PH_UNKNOWN;
	return shown;
}

/*
 * Who was joined to it is joined to the one before it, if that one was; the second event of a call
 * is the first one of it then.
 */
void
ph_settling_take_off(PhSettling *settling, uint32_t event)
{
	PhLogicalInput *input = settling->input;
	uint32_t caller = PH_AT(uint32_t, input, PH_PART_CALLER, event);
	unsigned joined = PH_COMM_WAITED | PH_COMM_SAME_CALL;
	joined &= ~(unsigned) PH_AT(uint8_t, input, PH_PART_FLAGS, event);
	settling->keep[event] = false;
	settling->any_gone = true;
	if (caller != PH_NONE)
		PH_AT(uint32_t, input, PH_PART_CALL_COMMS, caller) -=
			PH_AT(uint8_t, input, PH_PART_KIND, event) == PH_COMM_COLLECTIVE ? 2 : 1;
	if (event + 1 < ph_input_n_events(input))
		PH_AT(uint8_t, input, PH_PART_FLAGS, event + 1) &= (uint8_t) ~joined;
}

static PhStatus
infer(PhSettling *settling)
{
	PhLogicalInput *input = settling->input;
	uint32_t n = input->columns.n[PH_ROWS_COLL];
	PhShownCollective *shown;
	PH_TRY(PH_NEW(settling->arena, n, &shown));
	for (uint32_t p = 0; p < input->parts.count; p++)
		for (uint32_t row = input->parts.items[p].first[PH_ROWS_COLL];
			 row < ph_part_end(input, p, PH_ROWS_COLL); row++)
			shown[row] = describe(input, input->parts.items[p].location, row);
	PH_TRY(ph_infer_collectives(input->env, input->trace, shown, n));
	for (uint32_t row = 0; row < n; row++)
	{
		uint32_t *event = &PH_AT(uint32_t, input, PH_PART_COLL_EVENT, row);
		PH_TRY(ph_env_poll(input->env));
		PH_AT(uint32_t, input, PH_PART_COLL_COMM, row) = shown[row].comm;
		input->n_inferred += shown[row].evidence == PH_INFERRED;
		if (shown[row].evidence != PH_UNKNOWN)
			continue;
		ph_settling_take_off(settling, *event);
		*event = PH_NONE;
		input->n_unknown++;
	}
	return PH_OK;
}

/* By event where it goes when those that do not stay are gone. */
static void
number_events(const PhLogicalInput *input, const bool *keep, uint32_t *place)
{
	uint32_t n = 0;
	for (uint32_t e = 0; e < ph_input_n_events(input); e++)
	{
		place[e] = n;
		n += keep[e];
	}
	place[ph_input_n_events(input)] = n;
}

static void
move_events(PhLogicalInput *input, PhPartColumn which, const uint32_t *place)
{
	for (uint32_t row = 0; row < input->columns.n[ph_column_rows(which)]; row++)
	{
		uint32_t *event = &PH_AT(uint32_t, input, which, row);
		*event = *event == PH_NONE ? PH_NONE : place[*event];
	}
}

/* The columns of events close up. An event that goes has no messages, so those of others stay. */
static PhStatus
close_up(PhLogicalInput *input, const bool *keep, const uint32_t *place)
{
	uint32_t n = ph_input_n_events(input);
	for (uint32_t c = 0; c < PH_PART_END; c++)
	{
		size_t width = ph_column_width((PhPartColumn) c);
		char *bytes = input->columns.column[c];
		PH_TRY(ph_env_poll(input->env));
		for (uint32_t e = 0; e < n && input->columns.wanted[c]; e++)
			if (keep[e])
				memmove(bytes + place[e] * width, bytes + e * width, width);
	}
	move_events(input, PH_PART_SEND_EVENT, place);
	move_events(input, PH_PART_COLL_EVENT, place);
	move_events(input, PH_PART_EPOCH_EVENT, place);
	for (uint32_t p = 0; p < input->parts.count; p++)
		input->parts.items[p].first[PH_ROWS_EVENT] =
			place[input->parts.items[p].first[PH_ROWS_EVENT]];
	input->columns.n[PH_ROWS_EVENT] = place[n];
	return PH_OK;
}

static PhStatus
settle(PhSettling *settling)
{
	PhLogicalInput *input = settling->input;
	uint32_t *place, n = ph_input_n_events(input);
	PH_TRY(PH_NEW(settling->arena, n, &settling->keep));
	memset(settling->keep, true, n);
	if (input->n_shown > 0)
		PH_TRY(infer(settling));
	if (input->columns.n[PH_ROWS_EPOCH] > 0)
		PH_TRY(ph_logical_settle_epochs(settling));
	if (!settling->any_gone)
		return PH_OK;
	PH_TRY(PH_NEW(settling->arena, (size_t) n + 1, &place));
	number_events(input, settling->keep, place);
	return close_up(input, settling->keep, place);
}

PhStatus
ph_logical_settle(PhLogicalInput *input)
{
	PhArena arena;
	PhSettling settling = {.input = input, .arena = &arena};
	if (input->n_shown == 0 && input->columns.n[PH_ROWS_EPOCH] == 0)
		return PH_OK;
	ph_arena_init(&arena, input->env);
	PhStatus status = settle(&settling);
	ph_arena_drop(&arena);
	return status;
}
