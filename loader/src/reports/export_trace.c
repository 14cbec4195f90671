/*
 * export_trace.c - a run's trace in formats that other tools read.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/export_trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json_out.h"
#include "queries.h"
#include "reports/export_rows.h"
#include "system/log.h"
#include "system/memory.h"

/* Where slices of a location go. */
typedef struct Lane
{
	int64_t rank, thread;
} Lane;

typedef struct ChromeWriter
{
	FILE *out;
	PhJsonOut json;
	Lane *lanes; /* by location */
	size_t n_lanes;
	uint64_t n_flows;
} ChromeWriter;

static PhExit
failed(PhConnection *connection, const PhTraceExport *what)
{
	char name[48];

	snprintf(name, sizeof(name), "run %" PRId64, what->run_id);
	return ph_pq_log_error(connection, name);
}

PhExit
ph_export_no_trace(const PhTraceExport *what)
{
	ph_log_error("run %" PRId64 " does not exist or has no trace", what->run_id);
	ph_log_hint(
		"\"perfhouse runs\" lists the runs; the formats folded, json, csv, dot and tree are "
		"for profiles.");
	return PH_EXIT_NOT_FOUND;
}

/* ---- Chrome's format ---- */

/* A time in us with all its nanoseconds, as JSON. */
static void
write_time(PhJsonOut *json, const char *key, int64_t ns)
{
	char text[40];
	uint64_t magnitude = ns < 0 ? -(uint64_t) ns : (uint64_t) ns;

	snprintf(text, sizeof(text), "%s%" PRIu64 ".%03" PRIu64, ns < 0 ? "-" : "", magnitude / 1000,
			 magnitude % 1000);
	ph_json_put_raw(json, key, text);
}

/* To be closed. */
static PhJsonOut *
open_event(ChromeWriter *writer, const char *phase, const char *name, const Lane *lane)
{
	PhJsonOut *json = &writer->json;

	ph_json_new_line(json);
	ph_json_open_object(json, NULL);
	ph_json_put_text(json, "ph", phase);
	ph_json_put_text(json, "name", name);
	ph_json_put_integer(json, "pid", lane->rank);
	ph_json_put_integer(json, "tid", lane->thread);
	return json;
}

static void
put_name(ChromeWriter *writer, const char *what, const Lane *lane, const char *name)
{
	PhJsonOut *json = open_event(writer, "M", what, lane);

	ph_json_open_object(json, "args");
	ph_json_put_text(json, "name", name);
	ph_json_close(json);
	ph_json_close(json);
}

static void
put_location(ChromeWriter *writer, const PhResult *rows, size_t row)
{
	const Lane *lane = &writer->lanes[row];
	const char *thread = ph_result_text(rows, row, 3);
	char name[64];

	if (lane->thread == 0)
	{
		snprintf(name, sizeof(name), "rank %" PRId64, lane->rank);
		put_name(writer, "process_name", lane, name);
	}
	if (thread[0] != '\0') /* Perfetto takes a name without a letter for an error */
		put_name(writer, "thread_name", lane, thread);
}

static PhExit
put_locations(ChromeWriter *writer, PhConnection *connection, const PhTraceExport *what)
{
	PhParam params[1] = {ph_param_int(what->run_id)};
	PhResult *rows = ph_pq_query(connection, ph_sql_export_trace_locations, params, 1);
	size_t n = rows != NULL ? ph_result_count(rows) : 0;
	PhExit code = rows == NULL ? failed(connection, what)
				  : n == 0	   ? ph_export_no_trace(what)
							   : PH_EXIT_OK;

	writer->lanes = code == PH_EXIT_OK ? ph_must_alloc(n, sizeof(*writer->lanes)) : NULL;
	for (size_t row = 0; code == PH_EXIT_OK && row < n; row++)
	{
		writer->n_lanes = row + 1;
		writer->lanes[row] = (Lane){ph_result_int(rows, row, 1), ph_result_int(rows, row, 2)};
		put_location(writer, rows, row);
	}
	ph_result_free(rows);
	return code;
}

static const Lane *
lane_of(const ChromeWriter *writer, const PhResult *row, size_t field)
{
	int64_t location = ph_result_int(row, 0, field);

	return location >= 0 && (size_t) location < writer->n_lanes ? &writer->lanes[location] : NULL;
}

/* A call that was not left is the beginning of a slice only. */
static bool
put_call(void *user, const PhResult *row)
{
	ChromeWriter *writer = user;
	const Lane *lane = lane_of(writer, row, 0);
	bool is_open = ph_result_is_null(row, 0, 3);
	int64_t enter = ph_result_int(row, 0, 2);
	PhJsonOut *json;

	if (lane == NULL)
		return true;
	json = open_event(writer, is_open ? "B" : "X", ph_result_text(row, 0, 1), lane);
	write_time(json, "ts", enter);
	if (!is_open)
		write_time(json, "dur", ph_result_int(row, 0, 3) - enter);
	ph_json_close(json);
	return !ferror(writer->out);
}

/* An arrow between slices of its begin and its end; to be closed. */
static PhJsonOut *
open_flow(ChromeWriter *writer, const char *phase, const char *what, const Lane *lane, int64_t time)
{
	PhJsonOut *json = open_event(writer, phase, what, lane);

	ph_json_put_text(json, "cat", what);
	ph_json_put_integer(json, "id", (int64_t) writer->n_flows);
	write_time(json, "ts", time);
	return json;
}

static bool
put_message(void *user, const PhResult *row)
{
	ChromeWriter *writer = user;
	const Lane *sender = lane_of(writer, row, 0);
	const Lane *receiver = lane_of(writer, row, 1);
	PhJsonOut *json;

	if (sender == NULL || receiver == NULL)
		return true;
	writer->n_flows++;
	json = open_flow(writer, "s", "message", sender, ph_result_int(row, 0, 2));
	ph_json_open_object(json, "args");
	ph_json_put_integer(json, "bytes", ph_result_int(row, 0, 4));
	ph_json_put_integer(json, "tag", ph_result_int(row, 0, 5));
	ph_json_close(json);
	ph_json_close(json);
	json = open_flow(writer, "f", "message", receiver, ph_result_int(row, 0, 3));
	ph_json_put_text(json, "bp", "e");
	ph_json_close(json);
	return !ferror(writer->out);
}

/* From the call of the host to what it started on a device. */
static bool
put_launch(void *user, const PhResult *row)
{
	ChromeWriter *writer = user;
	const Lane *caller = lane_of(writer, row, 0);
	const Lane *stream = lane_of(writer, row, 1);
	PhJsonOut *json;

	if (caller == NULL || stream == NULL)
		return true;
	writer->n_flows++;
	json = open_flow(writer, "s", "launch", caller, ph_result_int(row, 0, 2));
	ph_json_close(json);
	json = open_flow(writer, "f", "launch", stream, ph_result_int(row, 0, 3));
	ph_json_put_text(json, "bp", "e");
	ph_json_close(json);
	return !ferror(writer->out);
}

static PhExit
put_rows(ChromeWriter *writer, PhConnection *connection, const PhTraceExport *what, const char *sql,
		 bool (*put)(void *user, const PhResult *row))
{
	PhParam params[3] = {ph_param_int(what->run_id), ph_param_text(what->from),
						 ph_param_text(what->to)};

	if (ph_pq_stream(connection, sql, params, 3, put, writer) || ferror(writer->out))
		return PH_EXIT_OK;
	return failed(connection, what);
}

PhExit
ph_export_chrome(FILE *out, PhConnection *connection, const PhTraceExport *what)
{
	ChromeWriter writer = {.out = out};
	PhExit code;

	ph_json_begin(&writer.json, out);
	ph_json_open_object(&writer.json, NULL);
	ph_json_put_text(&writer.json, "displayTimeUnit", "ns");
	ph_json_open_array(&writer.json, "traceEvents");
	code = put_locations(&writer, connection, what);
	if (code == PH_EXIT_OK)
		code = put_rows(&writer, connection, what, ph_sql_export_trace_calls, put_call);
	if (code == PH_EXIT_OK)
		code = put_rows(&writer, connection, what, ph_sql_export_trace_messages, put_message);
	if (code == PH_EXIT_OK)
		code = put_rows(&writer, connection, what, ph_sql_export_trace_launches, put_launch);
	ph_json_new_line(&writer.json);
	ph_json_close(&writer.json);
	ph_json_close(&writer.json);
	if (code == PH_EXIT_OK)
		(void) ph_json_done_line(&writer.json); /* the caller asks the stream */
	free(writer.lanes);
	return code;
}

/* ---- tables ---- */

static const char *
table_sql(const char *table)
{
	if (strcmp(table, "calls") == 0)
		return ph_sql_export_table_calls;
	if (strcmp(table, "messages") == 0)
		return ph_sql_export_table_messages;
	return ph_sql_export_table_events;
}

PhExit
ph_export_trace_table(FILE *out, PhConnection *connection, const PhTraceExport *what,
					  const char *table, bool as_arrow)
{
	PhParam params[3] = {ph_param_int(what->run_id), ph_param_text(what->from),
						 ph_param_text(what->to)};
	const char *sql = table_sql(table);

	if ((as_arrow ? ph_export_rows_arrow(out, connection, sql, params, 3)
				  : ph_export_rows_csv(out, connection, sql, params, 3)) ||
		ferror(out))
		return PH_EXIT_OK;
	return failed(connection, what);
}
