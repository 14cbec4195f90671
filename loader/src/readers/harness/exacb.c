/*
 * exacb.c - results of exaCB, the continuous benchmarking of JSC: its report (JSON with reporter,
 * experiment and data), its older record (the table of results turned into lists), and the table
 * itself (results.csv).
 *
 * A row is a run of a batch job: system, version, queue, variant, jobid, nodes, taskspernode,
 * threadspertask, runtime, success; every further column is a figure where it is a number.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <string.h>

#include "readers/harness/reading.h"

static const PhKnownKey keys[] = {{"system", "cluster"},
								  {"project", "application"},
								  {"commit", "commit"},
								  {"username", "user"},
								  {"timestamp", "started_at"},
								  {"variant", "input"},
								  {"queue", "SLURM_JOB_PARTITION"},
								  {"nodes", "nodes"},
								  {"threadspertask", "threads"},
								  {"budget", "account"},
								  {NULL, NULL}};

static bool
is_column(const char *key)
{
	return strcmp(key, "taskspernode") == 0 || ph_harness_known(keys, key) != NULL;
}

/* A value of a row: of the run, its runtime, or another figure. */
static PhStatus
take_value(PhRecordList *records, PhRecord *record, const char *key, PhSlice value)
{
	const char *known = ph_harness_known(keys, key);

	if (strcmp(key, "jobid") == 0 || strcmp(key, "slurm_jobid") == 0)
		return ph_record_put_job(records, record, "SLURM_JOB_ID", value);
	if (strcmp(key, "success") == 0)
	{
		record->is_failed = !ph_slice_is(value, "true") && !ph_slice_is(value, "True");
		return ph_record_put(records, record, "result",
							 record->is_failed ? (PhSlice){"fail", 4} : (PhSlice){"pass", 4});
	}
	if (strcmp(key, "runtime") == 0)
		return ph_record_put_figure(records, record, key, value, (PhSlice){"s", 1}, "exacb.");
	if (known != NULL)
		return ph_record_get(record, known) != NULL ? PH_OK
													: ph_record_put(records, record, known, value);
	return is_column(key) || strcmp(key, "version") == 0
			   ? ph_record_put_below(records, record, "exacb.", key, value)
			   : ph_record_put_figure(records, record, key, value, (PhSlice){"", 0}, "exacb.");
}

/* Ranks are nodes times tasks per node. */
static PhStatus
finish(PhRecordList *records, PhRecord *record)
{
	const char *nodes = ph_record_get(record, "nodes");
	const char *tasks = ph_record_get(record, "exacb.taskspernode");
	int64_t n, m;
	char text[32];

	if (nodes == NULL || tasks == NULL || !ph_parse_int64(nodes, strlen(nodes), &n) ||
		!ph_parse_int64(tasks, strlen(tasks), &m) || n < 1 || m < 1 || n > INT32_MAX ||
		m > INT32_MAX)
		return PH_OK;
	snprintf(text, sizeof(text), "%lld", (long long) (n * m));
	return ph_record_put(records, record, "ranks", (PhSlice){text, strlen(text)});
}

/* ---- the report, and the older record ---- */

typedef struct Column
{
	const char *key;
	PhSlice *values;
	uint32_t n, room;
} Column;

typedef struct ReportReader
{
	PhHarnessReading in;
	PhRecord *record; /* of the row that is read */
	PhRecord common;  /* what is said of all */
	Column columns[PH_HARNESS_COLUMNS];
	uint32_t n_columns;
} ReportReader;

/* Said of all runs: "generator" and the like are not of interest. */
static PhStatus
take_common(void *context, const PhJsonText *key)
{
	ReportReader *reader = context;
	PhSlice value;
	char *name;
	const char *known;

	PH_TRY(ph_harness_text(&reader->in, key, &name));
	if (ph_json_peek(&reader->in.json) == '{')
		return ph_json_members(&reader->in.json, take_common, reader);
	PH_TRY(ph_harness_scalar(&reader->in, &value));
	known = ph_harness_known(keys, name);
	if (known != NULL && ph_record_get(&reader->common, known) != NULL)
		return PH_OK;
	return known != NULL
			   ? ph_record_put(&reader->in.records, &reader->common, known, value)
			   : ph_record_put_below(&reader->in.records, &reader->common, "exacb.", name, value);
}

static PhStatus
take_row_member(void *context, const PhJsonText *key)
{
	ReportReader *reader = context;
	PhSlice value;
	char *name;

	PH_TRY(ph_harness_text(&reader->in, key, &name));
	if (ph_json_peek(&reader->in.json) == '{') /* parameter, metrics */
		return ph_json_members(&reader->in.json, take_row_member, reader);
	PH_TRY(ph_harness_scalar(&reader->in, &value));
	return take_value(&reader->in.records, reader->record, name, value);
}

static PhStatus
take_row(void *context, const PhJsonText *key)
{
	ReportReader *reader = context;

	(void) key;
	PH_TRY(ph_records_add(&reader->in.records, &reader->record));
	return ph_json_members(&reader->in.json, take_row_member, reader);
}

static PhStatus
take_cell(void *context, const PhJsonText *key)
{
	ReportReader *reader = context;
	Column *column = &reader->columns[reader->n_columns - 1];

	(void) key;
	PH_TRY(PH_GROW(reader->in.records.arena, &column->values, column->n, &column->room));
	return ph_harness_scalar(&reader->in, &column->values[column->n++]);
}

/* A column of the older record, as a list. */
static PhStatus
take_column(void *context, const PhJsonText *key)
{
	ReportReader *reader = context;
	char *name;

	PH_TRY(ph_harness_text(&reader->in, key, &name));
	if (ph_json_peek(&reader->in.json) != '[')
		return ph_json_skip(&reader->in.json);
	if (reader->n_columns == PH_HARNESS_COLUMNS)
		return ph_json_fail(&reader->in.json, "more than 512 columns");
	reader->columns[reader->n_columns++] = (Column){.key = name};
	return ph_json_items(&reader->in.json, take_cell, reader);
}

static PhStatus
take_member(void *context, const PhJsonText *key)
{
	ReportReader *reader = context;
	PhJsonScan *json = &reader->in.json;
	char next = ph_json_peek(json);

	if (ph_json_is(key, "data") && next == '[')
		return ph_json_items(json, take_row, reader);
	if (ph_json_is(key, "result") && next == '{')
		return ph_json_members(json, take_column, reader);
	if (next == '{')
		return ph_json_members(json, take_common, reader);
	return ph_json_skip(json);
}

/* The rows of columns; a shorter one says nothing of the last rows. */
static PhStatus
make_rows(ReportReader *reader)
{
	uint32_t n_rows = 0;

	for (uint32_t i = 0; i < reader->n_columns; i++)
		n_rows = reader->columns[i].n > n_rows ? reader->columns[i].n : n_rows;
	for (uint32_t row = 0; row < n_rows; row++)
	{
		PH_TRY(ph_env_poll(reader->in.json.env));
		PH_TRY(ph_records_add(&reader->in.records, &reader->record));
		for (uint32_t i = 0; i < reader->n_columns; i++)
			if (row < reader->columns[i].n)
				PH_TRY(take_value(&reader->in.records, reader->record, reader->columns[i].key,
								  reader->columns[i].values[row]));
	}
	return PH_OK;
}

/* What is said of all, of each that does not say it itself. */
static PhStatus
share_common(ReportReader *reader)
{
	PhRecordList *records = &reader->in.records;
	const PhRecord *common = &reader->common;

	for (uint32_t i = 0; i < records->n; i++)
	{
		PhRecord *record = &records->list[i];

		record->name = ph_record_get(common, "exacb.job_name");
		for (uint32_t k = 0; k < common->n_items; k++)
		{
			const char *value = common->items[k].value;

			if (ph_record_get(record, common->items[k].key) == NULL)
				PH_TRY(ph_record_put(records, record, common->items[k].key,
									 (PhSlice){value, strlen(value)}));
		}
		PH_TRY(finish(records, record));
	}
	return PH_OK;
}

static PhStatus
read_report(PhArena *arena, PhInput *input, PhRecordList *out)
{
	ReportReader *reader;

	PH_TRY(PH_NEW(arena, 1, &reader));
	*reader = (ReportReader){.in = ph_harness_reading(arena, input)};
	PH_TRY(ph_json_members(&reader->in.json, take_member, reader));
	PH_TRY(ph_json_end(&reader->in.json));
	PH_TRY(make_rows(reader));
	PH_TRY(share_common(reader));
	*out = reader->in.records;
	return PH_OK;
}

static bool
detect_report(const char *path, const uint8_t *head, size_t size)
{
	static const char *const report[] = {"\"reporter\"", "\"experiment\"", "\"version\"", NULL};
	static const char *const record[] = {"\"env\"", "\"gitlab\"", "\"id\"", "\"pipeline\"", NULL};
	(void) path;
	return ph_json_head_has(head, size, report) || ph_json_head_has(head, size, record);
}

const PhReader ph_reader_exacb = {
	.name = "exacb",
	.description = "reports and records of exaCB",
	.mark = "JSON with reporter, experiment and version, or env, gitlab, id and pipeline",
	.proof = "the object ends",
	.detect_file = detect_report,
	.read_records = read_report,
};

/* ---- the table ---- */

typedef struct TableReader
{
	PhHarnessTable table;
	PhRecordList records;
} TableReader;

static PhStatus
take_line(void *context)
{
	TableReader *reader = context;
	PhRecord *record;

	PH_TRY(ph_records_add(&reader->records, &record));
	record->line = reader->table.line;
	for (uint32_t i = 0; i < reader->table.n_columns; i++)
		PH_TRY(take_value(&reader->records, record, reader->table.columns[i],
						  reader->table.fields[i]));
	return finish(&reader->records, record);
}

static PhStatus
read_table(PhArena *arena, PhInput *input, PhRecordList *out)
{
	TableReader *reader;

	PH_TRY(PH_NEW(arena, 1, &reader));
	*reader =
		(TableReader){.table = {.separator = ',', .arena = arena}, .records = {.arena = arena}};
	PH_TRY(ph_harness_lines(&reader->table, input, take_line, reader));
	*out = reader->records;
	return PH_OK;
}

static bool
detect_table(const char *path, const uint8_t *head, size_t size)
{
	static const char *const columns[] = {"system",		  "variant", "jobid",  "nodes",
										  "taskspernode", "runtime", "success"};
	const uint8_t *end = memchr(head, '\n', size);
	size_t n = end != NULL ? (size_t) (end - head) : size;

	(void) path;
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (memmem(head, n, columns[i], strlen(columns[i])) == NULL)
			return false;
	return memchr(head, ',', n) != NULL;
}

const PhReader ph_reader_exacb_table = {
	.name = "exacb-table",
	.description = "tables of results of exaCB (CSV)",
	.mark = "CSV whose first line has system, variant, jobid, taskspernode, runtime and success",
	.proof = NULL,
	.detect_file = detect_table,
	.read_records = read_table,
};
