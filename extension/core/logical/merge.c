/*
 * merge.c - what several logical inputs took in, as one.
 *
 * The columns of the others stay what they are until all have come; then the rows of all are put in
 * order of timelines at once. So none is copied twice, and none has to have room for another's.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/input_internal.h"

/* Columns become this input's; who gave them has none then. */
static PhStatus
take_columns(PhLogicalInput *input, PhLogicalColumns *columns)
{
	void *at;
	PH_TRY(PH_ROOM(input->env, &input->others));
	at = &input->others.items[input->others.count++];
	*(PhLogicalColumns *) at = *columns;
	ph_columns_init(columns, columns->env);
	return PH_OK;
}

/* The other's parts; its own columns come behind `before` of this one's others. */
static PhStatus
take_parts(PhLogicalInput *input, const PhLogicalInput *other, uint32_t before)
{
	for (uint32_t p = 0; p < other->parts.count; p++)
	{
		PhLogicalPart part = other->parts.items[p];
		void *at;
		if (input->seen[part.location])
			return ph_fail(input->env, PH_ERR_VALUE, "location %u came twice", part.location);
		input->seen[part.location] = true;
		part.from += before + 1;
		PH_TRY(PH_ROOM(input->env, &input->parts));
		at = &input->parts.items[input->parts.count++];
		*(PhLogicalPart *) at = part;
	}
	return PH_OK;
}

PhStatus
ph_logical_input_merge(PhLogicalInput *input, PhLogicalInput *other)
{
	if (input->trace != other->trace || input->is_linked != other->is_linked)
		return ph_fail(input->env, PH_ERR_VALUE, "inputs of different kinds cannot be merged");
	PH_TRY(ph_logical_close_location(input));
	PH_TRY(ph_logical_close_location(other));
	PH_TRY(take_parts(input, other, input->others.count));
	PH_TRY(take_columns(input, &other->columns));
	for (uint32_t i = 0; i < other->others.count; i++)
		PH_TRY(take_columns(input, &other->others.items[i]));
	input->unpaired += other->unpaired;
	input->no_call += other->no_call;
	input->n_shown += other->n_shown;
	input->n_unknown += other->n_unknown;
	return PH_OK;
}
