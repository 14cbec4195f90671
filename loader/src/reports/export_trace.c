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
#include "system/log.h"

/* Where slices of a location go. */
typedef struct Lane
{
	int64_t rank, thread;
} Lane;

typedef struct ChromeWriter
{
	FILE *out;
	Lane *lanes; /* by location */
	size_t n_lanes;
	bool is_later; /* than the first event: a comma comes before */
	uint64_t n_flows;
} ChromeWriter;

static PhExit
failed(PhConnection *connection, const PhTraceExport *what)
{
	char name[48];

	snprintf(name, sizeof(name), "run %" PRId64, what->run_id);
	return ph_pq_log_error(connection, name);
}

static PhExit
no_trace(const PhTraceExport *what)
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
set_time(PhJson *event, const char *key, int64_t ns)
{
	char text[40];
	uint64_t magnitude = ns < 0 ? -(uint64_t) ns : (uint64_t) ns;

	snprintf(text, sizeof(text), "%s%" PRIu64 ".%03" PRIu64, ns < 0 ? "-" : "", magnitude / 1000,
			 magnitude % 1000);
	ph_json_set_raw(event, key, text);
}

static PhJson *
new_event(const char *phase, const char *name, const Lane *lane)
{
	PhJson *event = ph_json_object();

	ph_json_set_text(event, "ph", phase);
	ph_json_set_text(event, "name", name);
	ph_json_set_integer(event, "pid", lane->rank);
	ph_json_set_integer(event, "tid", lane->thread);
	return event;
}

/* Takes over the event. */
static void
put_event(ChromeWriter *writer, PhJson *event)
{
	fputs(writer->is_later ? ",\n" : "\n", writer->out);
	fputs(json_object_to_json_string_ext(event,
										 JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE),
		  writer->out);
	ph_json_free(event);
	writer->is_later = true;
}

static void
put_name(ChromeWriter *writer, const char *what, const Lane *lane, const char *name)
{
	PhJson *event = new_event("M", what, lane);
	PhJson *arguments = ph_json_object();

	ph_json_set_text(arguments, "name", name);
	ph_json_set(event, "args", arguments);
	put_event(writer, event);
}

static void
put_location(ChromeWriter *writer, const PhResult *rows, size_t row)
{
	const Lane *lane = &writer->lanes[row];
	char name[64];

	if (lane->thread == 0)
	{
		snprintf(name, sizeof(name), "rank %" PRId64, lane->rank);
		put_name(writer, "process_name", lane, name);
	}
	put_name(writer, "thread_name", lane, ph_result_text(rows, row, 3));
}

static PhExit
put_locations(ChromeWriter *writer, PhConnection *connection, const PhTraceExport *what)
{
	PhParam params[1] = {ph_param_int(what->run_id)};
	PhResult *rows = ph_pq_query(connection, ph_sql_export_trace_locations, params, 1);
	size_t n = rows != NULL ? ph_result_count(rows) : 0;
	PhExit code = rows == NULL ? failed(connection, what) : n == 0 ? no_trace(what) : PH_EXIT_OK;

	writer->lanes = code == PH_EXIT_OK ? calloc(n, sizeof(*writer->lanes)) : NULL;
	if (code == PH_EXIT_OK && writer->lanes == NULL)
	{
		ph_log_error("out of memory");
		code = PH_EXIT_MEMORY;
	}
	if (code == PH_EXIT_OK)
		fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", writer->out);
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
	PhJson *event;

	if (lane == NULL)
		return true;
	event = new_event(is_open ? "B" : "X", ph_result_text(row, 0, 1), lane);
	set_time(event, "ts", enter);
	if (!is_open)
		set_time(event, "dur", ph_result_int(row, 0, 3) - enter);
	put_event(writer, event);
	return !ferror(writer->out);
}

static void
put_flow(ChromeWriter *writer, const char *phase, const Lane *lane, int64_t time, PhJson *arguments)
{
	PhJson *event = new_event(phase, "message", lane);

	ph_json_set_text(event, "cat", "message");
	ph_json_set_integer(event, "id", (int64_t) writer->n_flows);
	set_time(event, "ts", time);
	if (arguments != NULL)
		ph_json_set(event, "args", arguments);
	else
		ph_json_set_text(event, "bp", "e");
	put_event(writer, event);
}

static bool
put_message(void *user, const PhResult *row)
{
	ChromeWriter *writer = user;
	const Lane *sender = lane_of(writer, row, 0);
	const Lane *receiver = lane_of(writer, row, 1);
	PhJson *arguments;

	if (sender == NULL || receiver == NULL)
		return true;
	writer->n_flows++;
	arguments = ph_json_object();
	ph_json_set_integer(arguments, "bytes", ph_result_int(row, 0, 4));
	ph_json_set_integer(arguments, "tag", ph_result_int(row, 0, 5));
	put_flow(writer, "s", sender, ph_result_int(row, 0, 2), arguments);
	put_flow(writer, "f", receiver, ph_result_int(row, 0, 3), NULL);
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
	PhExit code = put_locations(&writer, connection, what);

	if (code == PH_EXIT_OK)
		code = put_rows(&writer, connection, what, ph_sql_export_trace_calls, put_call);
	if (code == PH_EXIT_OK)
		code = put_rows(&writer, connection, what, ph_sql_export_trace_messages, put_message);
	if (code == PH_EXIT_OK)
		fputs("\n]}\n", out);
	free(writer.lanes);
	return code;
}

/* ---- CSV ---- */

/* A field as RFC 4180 wants it. */
static void
put_field(FILE *out, const char *text)
{
	if (strpbrk(text, ",\"\r\n") == NULL)
	{
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text != '\0'; text++)
	{
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

typedef struct CsvWriter
{
	FILE *out;
	bool has_header;
} CsvWriter;

static bool
put_csv_row(void *user, const PhResult *row)
{
	CsvWriter *writer = user;
	size_t n = ph_result_n_fields(row);

	for (size_t i = 0; !writer->has_header && i < n; i++)
		fprintf(writer->out, "%s%s", ph_result_field_name(row, i), i + 1 < n ? "," : "\n");
	writer->has_header = true;
	for (size_t i = 0; i < n; i++)
	{
		if (!ph_result_is_null(row, 0, i))
			put_field(writer->out, ph_result_text(row, 0, i));
		fputc(i + 1 < n ? ',' : '\n', writer->out);
	}
	return !ferror(writer->out);
}

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
ph_export_trace_csv(FILE *out, PhConnection *connection, const PhTraceExport *what,
					const char *table)
{
	CsvWriter writer = {.out = out};
	PhParam params[3] = {ph_param_int(what->run_id), ph_param_text(what->from),
						 ph_param_text(what->to)};

	if (ph_pq_stream(connection, table_sql(table), params, 3, put_csv_row, &writer) || ferror(out))
		return PH_EXIT_OK;
	return failed(connection, what);
}
