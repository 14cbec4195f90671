/*
 * copy_rows.c - see copy_rows.h: one encoder a type, and one a table made of them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/store/copy_rows.h"

#include <string.h>

#include "profile/profile.h"
#include "trace/chunk/model.h"

_Static_assert(PH_NO_TIME == PH_NO_ITERATION, "one number stands for a null int8");

/* ---- one encoder a type; names after those of base/warehouse_columns.h ---- */

static void
put_BOOL(PhCopy *copy, bool value)
{
	ph_copy_bool(copy, value);
}

static void
put_INT2(PhCopy *copy, int16_t value)
{
	ph_copy_int2(copy, value);
}

static void
put_INT4(PhCopy *copy, int32_t value)
{
	ph_copy_int4(copy, value);
}

static void
put_INT4_OR_NULL(PhCopy *copy, int32_t value)
{
	if (value == PH_NO_NUMBER)
		ph_copy_null(copy);
	else
		ph_copy_int4(copy, value);
}

static void
put_INT8(PhCopy *copy, int64_t value)
{
	ph_copy_int8(copy, value);
}

static void
put_INT8_OR_NULL(PhCopy *copy, int64_t value)
{
	if (value == PH_NO_ITERATION)
		ph_copy_null(copy);
	else
		ph_copy_int8(copy, value);
}

static void
put_FLOAT8(PhCopy *copy, double value)
{
	ph_copy_float8(copy, value);
}

static void
put_TEXT(PhCopy *copy, const char *text)
{
	ph_copy_bytea(copy, (const uint8_t *) text, strlen(text));
}

static void
put_TEXT_OR_NULL(PhCopy *copy, const char *text)
{
	ph_copy_text(copy, text);
}

static void
put_BYTEA(PhCopy *copy, PhBytes bytes)
{
	ph_copy_bytea(copy, bytes.data, bytes.size);
}

static void
put_INT4S(PhCopy *copy, PhInt4s numbers)
{
	ph_copy_int4_array(copy, numbers.values, numbers.n);
}

static void
put_INT4S_OR_NULL(PhCopy *copy, PhInt4s numbers)
{
	if (numbers.n == 0)
		ph_copy_null(copy);
	else
		ph_copy_whole_int4_array(copy, numbers.values, numbers.n);
}

/* ---- one encoder a table ---- */

#define PUT_COLUMN(row, column, type) put_##type(copy, (row)->column);

#define DEFINE_ROW(table, Row)                                                                     \
	void ph_copy_##table##_row(PhCopy *copy, const Row *row)                                       \
	{                                                                                              \
		ph_copy_row(copy, 1 + PH_N_COLUMNS(table));                                                \
		ph_copy_int8(copy, row->run_id);                                                           \
		PH_COLUMNS_OF_##table(PUT_COLUMN, PUT_COLUMN, row)                                         \
	}

#define DEFINE_SUMMED_ROW(table, Row)                                                              \
	void ph_copy_##table##_row(PhCopy *copy, const Row *row)                                       \
	{                                                                                              \
		ph_copy_row(copy, 2 + PH_N_COLUMNS(table));                                                \
		ph_copy_int8(copy, row->run_id);                                                           \
		PH_COLUMNS_OF_##table(PUT_COLUMN, PUT_COLUMN, row) ph_copy_int8(copy, row->crc);           \
	}

DEFINE_ROW(location, PhLocationRow)
DEFINE_ROW(value_block, PhValueBlockRow)
DEFINE_ROW(summary_block, PhSummaryBlockRow)
DEFINE_ROW(region_summary, PhRegionSummaryRow)
DEFINE_ROW(derived, PhDerivedRow)
DEFINE_ROW(load_log, PhLoadLogRow)
DEFINE_ROW(trace, PhTraceRow)
DEFINE_ROW(trace_region, PhTraceRegionRow)
DEFINE_ROW(trace_communicator, PhTraceCommunicatorRow)
DEFINE_ROW(trace_metric, PhTraceMetricRow)
DEFINE_ROW(trace_text, PhTraceTextRow)
DEFINE_SUMMED_ROW(trace_chunk, PhTraceChunkRow)
DEFINE_SUMMED_ROW(message_chunk, PhMessageChunkRow)
DEFINE_ROW(trace_stream, PhTraceStreamRow)
DEFINE_ROW(launch_configuration, PhLaunchConfigurationRow)
DEFINE_ROW(launch_chunk, PhLaunchChunkRow)
DEFINE_ROW(trace_tile, PhTraceTileRow)
DEFINE_ROW(task_trace, PhTaskTraceRow)
DEFINE_ROW(task_type, PhTaskTypeRow)
DEFINE_ROW(task_entry, PhTaskEntryRow)
DEFINE_ROW(chare, PhChareRow)
DEFINE_ROW(phase_block, PhPhaseBlockRow)
DEFINE_ROW(logical_chunk, PhLogicalChunkRow)
