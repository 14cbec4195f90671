/*
 * gather.c - rows of locations behind each other, in any order.
 *
 * Each column is made anew and the old ones are freed before the next: what they took is what the
 * next one takes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/sort.h"
#include "logical/input_internal.h"

/* ------------------------------------------------------------------------------------------ order
 */

typedef struct PartOrder
{
	const PhLogicalPart *parts;
	const PhTraceModel *trace;
} PartOrder;

static int
compare_parts(const void *context, uint32_t x, uint32_t y)
{
	const PartOrder *order = context;
	uint32_t left = order->parts[x].location, right = order->parts[y].location;
	const PhTraceLocation *a = &order->trace->locations[left];
	const PhTraceLocation *b = &order->trace->locations[right];
	int by_rank = ph_compare_int64(a->rank, b->rank);
	int by_thread = ph_compare_int64(a->thread, b->thread);
	return by_rank != 0 ? by_rank : by_thread != 0 ? by_thread : ph_compare_int64(left, right);
}

PhStatus
ph_logical_order_parts(PhArena *temporary, const PhTraceModel *trace, const PhLogicalPart *parts,
					   uint32_t n_parts, uint32_t **out)
{
	PartOrder context = {parts, trace};
	return ph_sort_indices(temporary, n_parts, compare_parts, &context, out);
}

/* ----------------------------------------------------------------------------------------- rows
 */

static const PhLogicalPart *
part_at(const PhGathering *gathering, uint32_t p)
{
	return &gathering->parts[gathering->order[p]];
}

PhStatus
ph_gathering_find_starts(PhGathering *gathering, PhArena *temporary)
{
	for (uint32_t rows = 0; rows < PH_ROWS_KINDS; rows++)
	{
		uint32_t at = 0;
		PH_TRY(PH_NEW(temporary, (size_t) gathering->n + 1, &gathering->start[rows]));
		for (uint32_t p = 0; p < gathering->n; p++)
		{
			gathering->start[rows][p] = at;
			at += part_at(gathering, p)->end[rows] - part_at(gathering, p)->first[rows];
		}
		gathering->start[rows][gathering->n] = at;
	}
	return PH_OK;
}

static PhStatus
gather_column(const PhGathering *gathering, PhPartColumn which)
{
	PhLogicalColumns *columns = gathering->columns;
	PhPartRows rows = ph_column_rows(which);
	const uint32_t *start = gathering->start[rows];
	size_t width = ph_column_width(which);
	void *memory = NULL;
	PH_TRY(ph_env_resize(columns->env, &memory, 0, start[gathering->n], width));
	for (uint32_t p = 0; p < gathering->n; p++)
	{
		const PhLogicalPart *part = part_at(gathering, p);
		const PhLogicalColumns *from =
			part->from == 0 ? columns : &gathering->others[part->from - 1];
		if (start[p + 1] > start[p])
			memcpy((char *) memory + start[p] * width,
				   (char *) from->column[which] + part->first[rows] * width,
				   (start[p + 1] - start[p]) * width);
	}
	ph_columns_drop(columns, which);
	for (uint32_t i = 0; i < gathering->n_others; i++)
		ph_columns_drop(&gathering->others[i], which);
	columns->column[which] = memory;
	columns->allocated[which] = start[gathering->n];
	return PH_OK;
}

/* Ids in a column, of rows of another kind, follow those rows to their new places. */
static PhStatus
follow(const PhGathering *gathering, PhPartColumn which, PhPartRows target)
{
	const uint32_t *start = gathering->start[ph_column_rows(which)];
	uint32_t *ids = PH_COLUMN(uint32_t, *gathering->columns, which);
	for (uint32_t p = 0; p < gathering->n; p++)
	{
		uint32_t old = part_at(gathering, p)->first[target];
		for (uint32_t i = start[p]; i < start[p + 1]; i++)
		{
			PH_TRY(ph_env_poll_at(gathering->columns->env, i));
			ids[i] = ids[i] == PH_NONE ? PH_NONE : ids[i] - old + gathering->start[target][p];
		}
	}
	return PH_OK;
}

/* The ends of sends are sends, those of receives are slots. */
static PhStatus
follow_ends(const PhGathering *gathering)
{
	const PhLogicalColumns *columns = gathering->columns;
	const uint8_t *kind = PH_COLUMN(uint8_t, *columns, PH_PART_KIND);
	const uint32_t *ends = PH_COLUMN(uint32_t, *columns, PH_PART_ENDS);
	uint32_t *end = PH_COLUMN(uint32_t, *columns, PH_PART_END);
	for (uint32_t p = 0, e = 0; p < gathering->n; p++)
		for (; e < gathering->start[PH_ROWS_EVENT][p + 1]; e++)
		{
			PhPartRows target = kind[e] == PH_COMM_SEND ? PH_ROWS_SEND : PH_ROWS_SLOT;
			uint32_t old = part_at(gathering, p)->first[target];
			PH_TRY(ph_env_poll_at(columns->env, e));
			for (uint32_t i = 0; i < ends[e]; i++, end++)
				*end = *end - old + gathering->start[target][p];
		}
	return PH_OK;
}

PhStatus
ph_gathering_run(const PhGathering *gathering)
{
	PhLogicalColumns *columns = gathering->columns;
	for (uint32_t c = 0; c < PH_PART_COLUMNS; c++)
		if (columns->wanted[c])
			PH_TRY(gather_column(gathering, (PhPartColumn) c));
	for (uint32_t rows = 0; rows < PH_ROWS_KINDS; rows++)
		columns->n[rows] = columns->room[rows] = gathering->start[rows][gathering->n];
	PH_TRY(follow(gathering, PH_PART_CALLER, PH_ROWS_CALL));
	PH_TRY(follow(gathering, PH_PART_CALL_PARENT, PH_ROWS_CALL));
	PH_TRY(follow(gathering, PH_PART_SEND_EVENT, PH_ROWS_EVENT));
	PH_TRY(follow(gathering, PH_PART_COLL_EVENT, PH_ROWS_EVENT));
	PH_TRY(follow(gathering, PH_PART_EPOCH_EVENT, PH_ROWS_EVENT));
	return follow_ends(gathering);
}

/* --------------------------------------------------------------------------------------- inputs
 */

/* Parts as they are when their rows follow each other. */
static PhStatus
renumber_parts(PhLogicalInput *input, PhArena *temporary, const PhGathering *gathering)
{
	PhLogicalPart *parts;
	PH_TRY(PH_NEW(temporary, gathering->n, &parts));
	for (uint32_t p = 0; p < gathering->n; p++)
	{
		parts[p].location = gathering->parts[gathering->order[p]].location;
		for (uint32_t rows = 0; rows < PH_ROWS_KINDS; rows++)
		{
			parts[p].first[rows] = gathering->start[rows][p];
			parts[p].end[rows] = gathering->start[rows][p + 1];
		}
	}
	if (gathering->n > 0)
		memcpy(input->parts.items, parts, gathering->n * sizeof(*parts));
	return PH_OK;
}

PhStatus
ph_logical_gather_merged(PhLogicalInput *input, PhArena *temporary)
{
	uint32_t *order;
	if (input->others.count == 0)
		return PH_OK;
	PH_TRY(ph_logical_order_parts(temporary, input->trace, input->parts.items, input->parts.count,
								  &order));
	PhGathering gathering = {.columns = &input->columns,
							 .others = input->others.items,
							 .n_others = input->others.count,
							 .parts = input->parts.items,
							 .order = order,
							 .n = input->parts.count};
	PH_TRY(ph_gathering_find_starts(&gathering, temporary));
	PH_TRY(ph_gathering_run(&gathering));
	return renumber_parts(input, temporary, &gathering);
}
