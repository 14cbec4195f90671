/*
 * copy_rows.h - a struct for a row of each table by run, and the encoder that sends it.
 *
 * Fields have the names and the order of base/warehouse_columns.h. PhLocationRow is a row of
 * location, ph_copy_location_row sends it into a COPY that PH_COPY(location) began, and so on. Of
 * types _OR_NULL a number is null as PH_NO_NUMBER or PH_NO_ITERATION (which PH_NO_TIME is too), a
 * text as NULL or "", an array as one without elements.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_STORE_COPY_ROWS_H
#define PH_PIPELINE_STORE_COPY_ROWS_H

#include "base/bytes.h"
#include "base/warehouse_columns.h"
#include "pipeline/store/copy_binary.h"

typedef struct PhInt4s
{
	const uint32_t *values; /* UINT32_MAX: a null element, but not in INT4S_OR_NULL */
	uint32_t n;
} PhInt4s;

#define PH_FIELD_BOOL bool
#define PH_FIELD_INT2 int16_t
#define PH_FIELD_INT4 int32_t
#define PH_FIELD_INT4_OR_NULL int32_t
#define PH_FIELD_INT8 int64_t
#define PH_FIELD_INT8_OR_NULL int64_t
#define PH_FIELD_FLOAT8 double
#define PH_FIELD_TEXT const char *
#define PH_FIELD_TEXT_OR_NULL const char *
#define PH_FIELD_BYTEA PhBytes
#define PH_FIELD_INT4S PhInt4s
#define PH_FIELD_INT4S_OR_NULL PhInt4s

#define PH_ROW_FIELD(a, column, type) PH_FIELD_##type column;

#define PH_ROW_OF(table, Row)                                                                      \
	typedef struct Row                                                                             \
	{                                                                                              \
		int64_t run_id;                                                                            \
		PH_COLUMNS_OF_##table(PH_ROW_FIELD, PH_ROW_FIELD, )                                        \
	} Row;                                                                                         \
	void ph_copy_##table##_row(PhCopy *copy, const Row *row)

/* For a COPY that PH_COPY_SUMMED began. */
#define PH_SUMMED_ROW_OF(table, Row)                                                               \
	typedef struct Row                                                                             \
	{                                                                                              \
		int64_t run_id;                                                                            \
		PH_COLUMNS_OF_##table(PH_ROW_FIELD, PH_ROW_FIELD, ) int64_t crc;                           \
	} Row;                                                                                         \
	void ph_copy_##table##_row(PhCopy *copy, const Row *row)

PH_ROW_OF(location, PhLocationRow);
PH_ROW_OF(value_block, PhValueBlockRow);
PH_ROW_OF(summary_block, PhSummaryBlockRow);
PH_ROW_OF(region_summary, PhRegionSummaryRow);
PH_ROW_OF(derived, PhDerivedRow);
PH_ROW_OF(load_log, PhLoadLogRow);
PH_ROW_OF(trace, PhTraceRow);
PH_ROW_OF(trace_region, PhTraceRegionRow);
PH_ROW_OF(trace_communicator, PhTraceCommunicatorRow);
PH_ROW_OF(trace_metric, PhTraceMetricRow);
PH_ROW_OF(trace_text, PhTraceTextRow);
PH_SUMMED_ROW_OF(trace_chunk, PhTraceChunkRow);
PH_SUMMED_ROW_OF(message_chunk, PhMessageChunkRow);
PH_ROW_OF(trace_stream, PhTraceStreamRow);
PH_ROW_OF(launch_configuration, PhLaunchConfigurationRow);
PH_ROW_OF(launch_chunk, PhLaunchChunkRow);
PH_ROW_OF(trace_tile, PhTraceTileRow);
PH_ROW_OF(task_trace, PhTaskTraceRow);
PH_ROW_OF(task_type, PhTaskTypeRow);
PH_ROW_OF(task_entry, PhTaskEntryRow);
PH_ROW_OF(chare, PhChareRow);
PH_ROW_OF(phase_block, PhPhaseBlockRow);
PH_ROW_OF(logical_chunk, PhLogicalChunkRow);

#endif
