/*
 * reframe.c - what ReFrame writes of its tests: reports of runs (--report-file, JSON) and logs of
 * performance (perflogs, a line a test case).
 *
 * A log names its columns in its first line; of a performance variable v these are v_value, v_unit
 * and its references. With perflog_multiline a line has one variable, in perf_var, perf_value and
 * perf_unit; neighbours of one job are one test case then.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/str.h"
#include "readers/harness/reading.h"

/* What ReFrame's fields are called here; the first of those with one name counts. */
static const PhKnownKey keys[] = {{"system", "cluster"},
								  {"partition", "partition"},
								  {"environ", "environment"},
								  {"short_name", "test"},
								  {"num_tasks", "ranks"},
								  {"num_cpus_per_task", "threads"},
								  {"job_completion_time", "started_at"},
								  {"result", "result"},
								  {"user", "user"},
								  {NULL, NULL}};

/* What says nothing of the run, only where files lay and how the test is written. */
static bool
is_left_out(const char *key)
{
	static const char *const parts[] = {
		"time_",	"build_", "job_std",  "uuid",		  "valid_",		"sysenv",
		"filename", "dir",	  "prefix",	  "display_name", "_unix",		"run_index",
		"fixture",	"path",	  "hashcode", "unique_",	  "fail_phase", "basename"};
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(key, parts[i]) != NULL)
			return true;
	return false;
}

/* "halo %size=64 %flags=-O2": the test is called halo; size and flags are what it varies, and what
 * its runs are compared by. */
static PhStatus
take_name(PhRecordList *records, PhRecord *record, PhSlice name)
{
	PhSlice rest = name, word = ph_slice_first(name, ph_slice_word(name));
	char *copy;

	PH_TRY(ph_arena_strndup(records->arena, name.text, name.size, &copy));
	record->name = copy;
	PH_TRY(ph_record_put(records, record, "application", word));
	PH_TRY(
		ph_record_put(records, record, "input", ph_slice_trim(ph_slice_behind(name, word.size))));
	while (rest.size > 0)
	{
		const char *equals;

		word = ph_slice_first(rest, ph_slice_word(rest));
		rest = ph_slice_trim(ph_slice_behind(rest, word.size));
		equals = ph_slice_begins(word, "%") ? memchr(word.text, '=', word.size) : NULL;
		if (equals == NULL)
			continue;
		PH_TRY(ph_arena_strndup(records->arena, word.text + 1, (size_t) (equals - word.text) - 1,
								&copy));
		PH_TRY(ph_record_put(records, record, copy,
							 ph_slice_behind(word, (size_t) (equals - word.text) + 1)));
	}
	return PH_OK;
}

/* A field of a log or a member of a report; variables of the test are called as it calls them. */
static PhStatus
take_field(PhRecordList *records, PhRecord *record, const char *key, PhSlice value)
{
	const char *known = ph_harness_known(keys, key);

	if (strcmp(key, "name") == 0)
		return take_name(records, record, value);
	if (strcmp(key, "jobid") == 0)
		return ph_record_put_job(records, record, "job", value);
	if (strcmp(key, "result") == 0)
		record->is_failed = !ph_slice_is(value, "pass");
	if (known != NULL)
		return ph_record_get(record, known) != NULL ? PH_OK
													: ph_record_put(records, record, known, value);
	if (is_left_out(key) || ph_record_get(record, key) != NULL || ph_slice_is(value, "{}"))
		return PH_OK;
	return ph_record_put_below(records, record, "reframe.", key, value);
}

/* Where ReFrame keeps a test's files. */
static PhStatus
set_place(PhRecordList *records, PhRecord *record)
{
	static const char *const folders[] = {"cluster", "partition", "environment", "test", NULL};

	return ph_record_place(records, record, folders);
}

/* Batch jobs are known by their numbers in the accounting of Slurm. */
static PhStatus
note_slurm(PhRecordList *records, PhRecord *record)
{
	const char *scheduler = ph_record_get(record, "reframe.scheduler");

	if (record->job == NULL || scheduler == NULL ||
		(strcmp(scheduler, "slurm") != 0 && strcmp(scheduler, "squeue") != 0))
		return PH_OK;
	return ph_record_put(records, record, "SLURM_JOB_ID",
						 (PhSlice){record->job, strlen(record->job)});
}

/* ---- reports ---- */

typedef struct ReportReader
{
	PhHarnessReading in;
	PhRecord *record;
	PhSlice parts[6]; /* of a figure: value, reference, thresholds, unit, result */
	uint32_t n_parts;
} ReportReader;

static PhStatus
take_figure_part(void *context, const PhJsonText *key)
{
	ReportReader *reader = context;
	PhSlice value;

	(void) key;
	PH_TRY(ph_harness_scalar(&reader->in, &value));
	if (reader->n_parts < 6)
		reader->parts[reader->n_parts++] = value;
	return PH_OK;
}

/* "system:partition:variable": [value, …] */
static PhStatus
take_figure(void *context, const PhJsonText *key)
{
	ReportReader *reader = context;
	char *name;
	const char *colon;

	PH_TRY(ph_harness_text(&reader->in, key, &name));
	reader->n_parts = 0;
	memset(reader->parts, 0, sizeof(reader->parts));
	if (ph_json_peek(&reader->in.json) != '[')
		return ph_json_skip(&reader->in.json);
	PH_TRY(ph_json_items(&reader->in.json, take_figure_part, reader));
	colon = strrchr(name, ':');
	if (reader->n_parts < 5 || !ph_record_says(reader->parts[0]))
		return PH_OK;
	return ph_record_put_figure(&reader->in.records, reader->record,
								colon != NULL ? colon + 1 : name, reader->parts[0],
								reader->parts[4], "reframe.figure.");
}

static PhStatus
take_case_member(void *context, const PhJsonText *key)
{
	ReportReader *reader = context;
	PhSlice value;
	char *name;

	if (ph_json_is(key, "perfvalues") && ph_json_peek(&reader->in.json) == '{')
		return ph_json_members(&reader->in.json, take_figure, reader);
	PH_TRY(ph_harness_text(&reader->in, key, &name));
	PH_TRY(ph_harness_scalar(&reader->in, &value));
	if (!ph_record_says(value))
		return PH_OK;
	return take_field(&reader->in.records, reader->record, name, value);
}

static PhStatus
take_case(void *context, const PhJsonText *key)
{
	ReportReader *reader = context;
	PhRecordList *records = &reader->in.records;

	(void) key;
	PH_TRY(ph_records_add(records, &reader->record));
	PH_TRY(ph_json_members(&reader->in.json, take_case_member, reader));
	PH_TRY(note_slurm(records, reader->record));
	return set_place(records, reader->record);
}

static PhStatus
take_run_member(void *context, const PhJsonText *key)
{
	ReportReader *reader = context;

	if (ph_json_is(key, "testcases") && ph_json_peek(&reader->in.json) == '[')
		return ph_json_items(&reader->in.json, take_case, reader);
	return ph_json_skip(&reader->in.json);
}

static PhStatus
take_run(void *context, const PhJsonText *key)
{
	ReportReader *reader = context;

	(void) key;
	return ph_json_members(&reader->in.json, take_run_member, reader);
}

static PhStatus
take_report_member(void *context, const PhJsonText *key)
{
	ReportReader *reader = context;

	if (ph_json_is(key, "runs") && ph_json_peek(&reader->in.json) == '[')
		return ph_json_items(&reader->in.json, take_run, reader);
	return ph_json_skip(&reader->in.json);
}

static PhStatus
read_report(PhArena *arena, PhInput *input, PhRecordList *out)
{
	ReportReader reader = {.in = ph_harness_reading(arena, input)};

	PH_TRY(ph_json_members(&reader.in.json, take_report_member, &reader));
	PH_TRY(ph_json_end(&reader.in.json));
	*out = reader.in.records;
	return PH_OK;
}

static bool
detect_report(const char *path, const uint8_t *head, size_t size)
{
	static const char *const names[] = {"\"session_info\"", "\"data_version\"", NULL};
	(void) path;
	return ph_json_head_has(head, size, names);
}

const PhReader ph_reader_reframe_report = {
	.name = "reframe-report",
	.description = "reports of ReFrame (--report-file)",
	.mark = "JSON with session_info and data_version",
	.proof = "the object ends",
	.detect_file = detect_report,
	.read_records = read_report,
};

/* ---- logs ---- */

typedef struct LogReader
{
	PhHarnessTable table;
	PhRecordList records;
	PhRecord *record; /* the last one */
} LogReader;

static bool
ends_with(const char *text, const char *end, size_t *n)
{
	size_t length = strlen(text), m = strlen(end);

	*n = length - m;
	return length > m && strcmp(text + *n, end) == 0;
}

/* v_unit, v_ref and so on belong to v_value. */
static bool
is_of_figure(const LogReader *reader, const char *column)
{
	static const char *const ends[] = {"_unit", "_ref", "_lower_thres", "_upper_thres", "_result"};
	size_t n;

	for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]); k++)
		for (uint32_t i = 0; ends_with(column, ends[k], &n) && i < reader->table.n_columns; i++)
			if (strncmp(reader->table.columns[i], column, n) == 0 &&
				strcmp(reader->table.columns[i] + n, "_value") == 0)
				return true;
	return false;
}

static PhStatus
take_figure_of_column(LogReader *reader, const char *column, size_t n, PhSlice value)
{
	PhStr name, unit;
	char *figure, *of_unit;

	ph_str_init(&name, reader->records.arena);
	ph_str_init(&unit, reader->records.arena);
	PH_TRY(ph_str_append_n(&name, column, n));
	PH_TRY(ph_str_append_n(&unit, column, n));
	PH_TRY(ph_str_append(&unit, "_unit"));
	PH_TRY(ph_str_take(&name, &figure));
	PH_TRY(ph_str_take(&unit, &of_unit));
	if (!ph_record_says(value))
		return PH_OK;
	return ph_record_put_figure(&reader->records, reader->record, figure, value,
								ph_harness_field(&reader->table, of_unit), "reframe.figure.");
}

static PhStatus
take_columns(LogReader *reader)
{
	for (uint32_t i = 0; i < reader->table.n_columns; i++)
	{
		const char *column = reader->table.columns[i];
		PhSlice value = reader->table.fields[i];
		size_t n;

		if (strcmp(column, "perf_value") == 0 || strcmp(column, "perf_var") == 0)
			continue; /* of a line with one variable */
		if (ends_with(column, "_value", &n))
			PH_TRY(take_figure_of_column(reader, column, n, value));
		else if (ph_record_says(value) && !is_of_figure(reader, column))
			PH_TRY(take_field(&reader->records, reader->record, column, value));
	}
	return PH_OK;
}

static bool
is_same(const PhRecord *record, const char *key, PhSlice value)
{
	const char *said = ph_record_get(record, key);

	return said != NULL ? ph_slice_is(value, said) : !ph_record_says(value);
}

/* Is this line a further variable of the test case of the line before? */
static bool
goes_on(const LogReader *reader)
{
	const PhHarnessTable *table = &reader->table;
	const PhRecord *last = reader->record;

	return last != NULL && ph_record_says(ph_harness_field(table, "perf_var")) &&
		   is_same(last, "job", ph_harness_field(table, "jobid")) &&
		   is_same(last, "test", ph_harness_field(table, "short_name")) &&
		   is_same(last, "started_at", ph_harness_field(table, "job_completion_time"));
}

static PhStatus
take_variable_of_line(LogReader *reader)
{
	PhSlice variable = ph_harness_field(&reader->table, "perf_var");
	char *name;

	if (!ph_record_says(variable))
		return PH_OK;
	PH_TRY(ph_arena_strndup(reader->records.arena, variable.text, variable.size, &name));
	return ph_record_put_figure(&reader->records, reader->record, name,
								ph_harness_field(&reader->table, "perf_value"),
								ph_harness_field(&reader->table, "perf_unit"), "reframe.figure.");
}

static PhStatus
take_line(void *context)
{
	LogReader *reader = context;

	if (goes_on(reader))
		return take_variable_of_line(reader);
	PH_TRY(ph_records_add(&reader->records, &reader->record));
	reader->record->line = reader->table.line;
	PH_TRY(take_variable_of_line(reader));
	PH_TRY(take_columns(reader));
	return set_place(&reader->records, reader->record);
}

static PhStatus
read_log(PhArena *arena, PhInput *input, PhRecordList *out)
{
	LogReader reader = {.table = {.separator = '|', .may_skip = true, .arena = arena},
						.records = {.arena = arena}};

	PH_TRY(ph_harness_lines(&reader.table, input, take_line, &reader));
	reader.records.n_skipped = reader.table.n_skipped;
	*out = reader.records;
	return PH_OK;
}

/* The first line has the columns that every log has, and one with values. */
static bool
detect_log(const char *path, const uint8_t *head, size_t size)
{
	const uint8_t *end = memchr(head, '\n', size);
	size_t n = end != NULL ? (size_t) (end - head) : size;

	(void) path;
	return memchr(head, '|', n) != NULL && memmem(head, n, "jobid", 5) != NULL &&
		   memmem(head, n, "_value", 6) != NULL && memmem(head, n, "result", 6) != NULL;
}

const PhReader ph_reader_reframe_log = {
	.name = "reframe-log",
	.description = "logs of performance of ReFrame (perflogs)",
	.mark = "the first line has columns parted by |, with jobid, result and *_value",
	.proof = NULL,
	.detect_file = detect_log,
	.read_records = read_log,
};
