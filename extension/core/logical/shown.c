/*
 * shown.c - collectives that calls show without a record: found out, or left out again.
 *
 * Each such call made an event, flagged PH_COMM_INFERRED, because with whom it was can be told only
 * when all locations have been read. Those of which nothing can be inferred are no events.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
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

PhStatus
ph_logical_settle_shown(PhSettling *settling)
{
	PhLogicalInput *input = settling->input;
	uint32_t n = input->columns.n[PH_ROWS_COLL];
	PhShownCollective *shown;
	PH_TRY(PH_NEW(settling->arena, n, &shown));
	for (uint32_t p = 0; p < input->parts.count; p++)
		for (uint32_t row = input->parts.items[p].first[PH_ROWS_COLL];
			 row < input->parts.items[p].end[PH_ROWS_COLL]; row++)
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
