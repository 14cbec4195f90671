/*
 * columns.c - what the locations of a logical input contribute, as columns that grow.
 *
 * Growth is by a quarter once columns are large: memory counts more than moving, and large blocks
 * are mostly moved without copying.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/min_max.h"
#include "logical/internal.h"

#include <string.h>

#define PH_COLUMNS_FIRST 16
#define PH_COLUMNS_LARGE 65536 /* rows; from here on room grows by a quarter, below by half */
#define PH_COLUMNS_LARGEST ((uint32_t) 1 << 30)

PhPartRows
ph_column_rows(PhPartColumn which)
{
	if (which < PH_PART_END)
		return PH_ROWS_EVENT;
	if (which < PH_PART_SEND_EVENT)
		return PH_ROWS_END;
	if (which < PH_PART_SLOT_BYTES)
		return PH_ROWS_SEND;
	if (which < PH_PART_COLL_EVENT)
		return PH_ROWS_SLOT;
	if (which < PH_PART_EPOCH_EVENT)
		return PH_ROWS_COLL;
	return which < PH_PART_CALL_REGION ? PH_ROWS_EPOCH : PH_ROWS_CALL;
}

uint32_t
ph_column_width(PhPartColumn which)
{
	switch (which)
	{
		case PH_PART_ENTER:
		case PH_PART_EXIT:
		case PH_PART_INSIDE:
		case PH_PART_BEFORE:
		case PH_PART_SEND_BYTES:
		case PH_PART_SEND_TIME:
		case PH_PART_SLOT_BYTES:
		case PH_PART_SLOT_TIME:
		case PH_PART_EPOCH_TIME:
			return 8;
		case PH_PART_KIND:
		case PH_PART_FLAGS:
		case PH_PART_CALL_IS_EVENT:
			return 1;
		default:
			return 4;
	}
}

void
ph_columns_init(PhLogicalColumns *columns, PhEnv *env)
{
	memset(columns, 0, sizeof(*columns));
	columns->env = env;
	for (uint32_t c = 0; c < PH_PART_COLUMNS; c++)
		columns->wanted[c] = true;
}

static PhStatus
too_many_rows(PhLogicalColumns *columns)
{
	return ph_fail_hint(columns->env, PH_ERR_LIMIT,
						"Split the trace by time, or leave out locations.",
						"more than %u events in one logical structure", PH_COLUMNS_LARGEST);
}

/* Room for n rows in one column; its kind of rows has no more room by that. */
static PhStatus
reserve_column(PhLogicalColumns *columns, PhPartColumn which, uint64_t n)
{
	if (!columns->wanted[which] || n <= columns->allocated[which])
		return PH_OK;
	if (n > PH_COLUMNS_LARGEST)
		return too_many_rows(columns);
	PH_TRY(ph_env_resize(columns->env, &columns->column[which], columns->allocated[which], n,
						 ph_column_width(which)));
	columns->allocated[which] = (uint32_t) n;
	return PH_OK;
}

PhStatus
ph_columns_reserve(PhLogicalColumns *columns, PhPartRows rows, uint64_t n)
{
	uint32_t room = n < PH_COLUMNS_LARGEST ? (uint32_t) n : PH_COLUMNS_LARGEST;
	if (room <= columns->room[rows])
		return PH_OK;
	for (uint32_t c = 0; c < PH_PART_COLUMNS; c++)
		if (ph_column_rows((PhPartColumn) c) == rows)
			PH_TRY(reserve_column(columns, (PhPartColumn) c, room));
	columns->room[rows] = room;
	return PH_OK;
}

PhStatus
ph_columns_grow(PhLogicalColumns *columns, PhPartRows rows)
{
	uint64_t room = columns->room[rows];
	if (room >= PH_COLUMNS_LARGEST)
		return too_many_rows(columns);
	room += (room < PH_COLUMNS_LARGE ? room / 2 : room / 4) + PH_COLUMNS_FIRST;
	if (columns->share > 0)
	{
		double expected = ph_expected_length(columns->n[rows], columns->share);
		room = PH_MAX(room, (uint64_t) expected);
	}
	return ph_columns_reserve(columns, rows, room);
}

PhStatus
ph_columns_trim(PhLogicalColumns *columns)
{
	for (uint32_t c = 0; c < PH_PART_COLUMNS; c++)
	{
		uint32_t n = columns->n[ph_column_rows((PhPartColumn) c)];
		if (!columns->wanted[c])
			continue;
		PH_TRY(ph_env_resize(columns->env, &columns->column[c], columns->allocated[c], n,
							 ph_column_width((PhPartColumn) c)));
		columns->allocated[c] = n;
	}
	return PH_OK;
}

void
ph_columns_drop(PhLogicalColumns *columns, PhPartColumn which)
{
	ph_env_free(columns->env, columns->column[which], columns->allocated[which],
				ph_column_width(which));
	columns->column[which] = NULL;
	columns->allocated[which] = 0;
}

void
ph_columns_free(PhLogicalColumns *columns)
{
	for (uint32_t c = 0; c < PH_PART_COLUMNS; c++)
		ph_columns_drop(columns, (PhPartColumn) c);
}
