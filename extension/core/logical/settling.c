/*
 * settling.c - calls that turn out to be no events are left out again.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "logical/input_internal.h"

PhStatus
ph_settling_begin(PhSettling *settling)
{
	uint32_t n = ph_input_n_events(settling->input);
	PH_TRY(PH_NEW(settling->arena, n, &settling->keep));
	memset(settling->keep, true, n);
	return PH_OK;
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
	{
		PhLogicalPart *part = &input->parts.items[p];
		part->first[PH_ROWS_EVENT] = place[part->first[PH_ROWS_EVENT]];
		part->end[PH_ROWS_EVENT] = place[part->end[PH_ROWS_EVENT]];
	}
	input->columns.n[PH_ROWS_EVENT] = place[n];
	return PH_OK;
}

PhStatus
ph_settling_end(PhSettling *settling)
{
	PhLogicalInput *input = settling->input;
	uint32_t *place;
	if (!settling->any_gone)
		return PH_OK;
	PH_TRY(PH_NEW(settling->arena, (size_t) ph_input_n_events(input) + 1, &place));
	number_events(input, settling->keep, place);
	return close_up(input, settling->keep, place);
}
