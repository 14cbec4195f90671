/*
 * merge.c - one logical input's columns behind another's.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/min_max.h"
#include "logical/input_internal.h"

/* Where the other's rows of each kind go. */
typedef struct Merge
{
	PhLogicalInput *input;
	PhLogicalInput *other;
	uint32_t base[PH_ROWS_KINDS];
} Merge;

/* All columns; what has been moved is freed at once, so memory peaks at one column more. */
static PhStatus
move_columns(const Merge *merge)
{
	PhLogicalColumns *to = &merge->input->columns, *from = &merge->other->columns;
	for (uint32_t c = 0; c < PH_PART_COLUMNS; c++)
	{
		PhPartRows rows = ph_column_rows((PhPartColumn) c);
		size_t width = ph_column_width((PhPartColumn) c);
		PH_TRY(ph_column_reserve(to, (PhPartColumn) c, (uint64_t) to->n[rows] + from->n[rows]));
		if (from->n[rows] > 0 && to->wanted[c])
			memcpy((char *) to->column[c] + merge->base[rows] * width, from->column[c],
				   from->n[rows] * width);
		ph_columns_drop(from, (PhPartColumn) c);
	}
	for (uint32_t rows = 0; rows < PH_ROWS_KINDS; rows++)
	{
		to->n[rows] += from->n[rows];
		to->room[rows] = PH_MAX(to->room[rows], to->n[rows]);
	}
	return PH_OK;
}

/* Ids in the rows that came count from where rows of the target came to. */
static PhStatus
shift(const Merge *merge, PhPartColumn which, PhPartRows target)
{
	const PhLogicalColumns *columns = &merge->input->columns;
	PhPartRows rows = ph_column_rows(which);
	uint32_t *ids = PH_COLUMN(uint32_t, *columns, which);
	for (uint32_t i = merge->base[rows]; i < columns->n[rows]; i++)
	{
		PH_TRY(ph_env_poll(merge->input->env));
		if (ids[i] != PH_NONE)
			ids[i] += merge->base[target];
	}
	return PH_OK;
}

/* The ends of sends are sends, those of receives are slots. */
static PhStatus
shift_ends(const Merge *merge)
{
	const PhLogicalColumns *columns = &merge->input->columns;
	const uint8_t *kind = PH_COLUMN(uint8_t, *columns, PH_PART_KIND);
	const uint32_t *ends = PH_COLUMN(uint32_t, *columns, PH_PART_ENDS);
	uint32_t *end = PH_COLUMN(uint32_t, *columns, PH_PART_END), at = merge->base[PH_ROWS_END];
	for (uint32_t e = merge->base[PH_ROWS_EVENT]; e < columns->n[PH_ROWS_EVENT]; e++)
	{
		uint32_t by = merge->base[kind[e] == PH_COMM_SEND ? PH_ROWS_SEND : PH_ROWS_SLOT];
		PH_TRY(ph_env_poll(merge->input->env));
		for (uint32_t i = 0; i < ends[e]; i++)
			end[at++] += by;
	}
	return PH_OK;
}

static PhStatus
move_parts(const Merge *merge)
{
	PhLogicalInput *input = merge->input;
	for (uint32_t p = 0; p < merge->other->parts.count; p++)
	{
		PhLogicalPart part = merge->other->parts.items[p];
		void *at;
		if (input->seen[part.location])
			return ph_fail(input->env, PH_ERR_VALUE, "location %u came twice", part.location);
		input->seen[part.location] = true;
		for (uint32_t rows = 0; rows < PH_ROWS_KINDS; rows++)
			part.first[rows] += merge->base[rows];
		PH_TRY(PH_ROOM(input->env, &input->parts));
		at = &input->parts.items[input->parts.count++];
		*(PhLogicalPart *) at = part;
	}
	return PH_OK;
}

PhStatus
ph_logical_input_merge(PhLogicalInput *input, PhLogicalInput *other)
{
	Merge merge = {.input = input, .other = other};
	if (input->trace != other->trace || input->is_linked != other->is_linked)
		return ph_fail(input->env, PH_ERR_VALUE, "inputs of different kinds cannot be merged");
	PH_TRY(ph_logical_close_location(input));
	PH_TRY(ph_logical_close_location(other));
	memcpy(merge.base, input->columns.n, sizeof(merge.base));
	PH_TRY(move_parts(&merge));
	PH_TRY(move_columns(&merge));
	input->unpaired += other->unpaired;
	input->no_call += other->no_call;
	input->n_shown += other->n_shown;
	input->n_unknown += other->n_unknown;
	PH_TRY(shift(&merge, PH_PART_CALLER, PH_ROWS_CALL));
	PH_TRY(shift(&merge, PH_PART_CALL_PARENT, PH_ROWS_CALL));
	PH_TRY(shift(&merge, PH_PART_SEND_EVENT, PH_ROWS_EVENT));
	PH_TRY(shift(&merge, PH_PART_COLL_EVENT, PH_ROWS_EVENT));
	PH_TRY(shift(&merge, PH_PART_EPOCH_EVENT, PH_ROWS_EVENT));
	return shift_ends(&merge);
}
