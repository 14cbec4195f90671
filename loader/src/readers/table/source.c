/*
 * source.c - reader of tables of comma-separated values with a stated schema: a row a call path.
 *
 *     callpath,rank,thread,time [s],calls (inc) [count]
 *     main;solve,0,0,1.5,17
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/completeness.h"
#include "readers/plain_head.h"
#include "readers/reading.h"

#define MAX_COLUMNS 256
#define MAX_DEPTH 100000 /* frames of a call path */

static const char mark[] = "callpath,";
static const char inclusive[] = " (inc)";

typedef enum Use
{
	USE_PATH,
	USE_RANK,
	USE_THREAD,
	USE_METRIC
} Use;

typedef struct Column
{
	Use use;
	uint32_t metric; /* of USE_METRIC: in metrics */
	PhCost cost;
} Column;

typedef struct Metric
{
	const char *name, *unit;
	unsigned given; /* PhGiven */
	uint32_t index; /* of the builder */
} Metric;

typedef struct TableReader
{
	PhReading in;
	PhStrings strings, names; /* names of metrics: index = metric + 1 */
	uint32_t n_columns, n_metrics;
	Column columns[MAX_COLUMNS];
	Metric metrics[MAX_COLUMNS];
	PhSlice fields[MAX_COLUMNS]; /* of the line */
	uint32_t n_fields;
	PH_VECTOR(char) unquoted; /* fields that were quoted */
} TableReader;

static PhStatus
fail(TableReader *reader, const char *message)
{
	return ph_log_fail(&reader->in.stream, PH_ERR_FORMAT, "%s", message);
}

/* ---- fields ---- */

/* A field in quotes, in which two of them stand for one; *out is in reader->unquoted. */
static bool
take_quoted(TableReader *reader, PhSlice *line, PhSlice *out)
{
	char *to = reader->unquoted.items + reader->unquoted.count;
	size_t at = 1, n = 0;
	while (at < line->size)
	{
		bool is_quote = line->text[at] == '"';
		if (is_quote && (at + 1 == line->size || line->text[at + 1] != '"'))
			break;
		to[n++] = line->text[at];
		at += is_quote ? 2 : 1;
	}
	if (at >= line->size)
		return false;
	reader->unquoted.count += (uint32_t) n;
	*out = (PhSlice){to, n};
	*line = ph_slice_behind(*line, at + 1);
	return true;
}

static bool
take_field(TableReader *reader, PhSlice *line, PhSlice *out)
{
	if (ph_slice_begins(*line, "\""))
		return take_quoted(reader, line, out);
	const char *comma = line->size > 0 ? memchr(line->text, ',', line->size) : NULL;
	size_t n = comma != NULL ? (size_t) (comma - line->text) : line->size;
	*out = ph_slice_trim(ph_slice_first(*line, n));
	*line = ph_slice_behind(*line, n);
	return true;
}

static PhStatus
split_line(TableReader *reader, PhSlice line)
{
	PH_TRY(PH_RESERVE(reader->in.env, &reader->unquoted, line.size + 1));
	reader->unquoted.count = 0;
	reader->n_fields = 0;
	for (;;)
	{
		if (reader->n_fields == MAX_COLUMNS)
			return ph_log_fail(&reader->in.stream, PH_ERR_LIMIT, "more than %d columns",
							   MAX_COLUMNS);
		if (!take_field(reader, &line, &reader->fields[reader->n_fields++]))
			return fail(reader, "a quoted field does not end on its line");
		if (line.size == 0)
			return PH_OK;
		if (line.text[0] != ',')
			return fail(reader, "something follows a quoted field");
		line = ph_slice_behind(line, 1);
	}
}

/* ---- the first line ---- */

/* "time (inc) [s]" */
static PhStatus
add_metric_column(TableReader *reader, PhSlice field, Column *column)
{
	PhSlice unit = {"", 0};
	uint32_t name, unit_text;
	size_t at = ph_slice_last_word(field);
	if (at > 0 && field.text[at] == '[' && ph_slice_ends(field, "]"))
	{
		unit = (PhSlice){field.text + at + 1, field.size - at - 2};
		field = ph_slice_trim(ph_slice_first(field, at));
	}
	*column = (Column){.use = USE_METRIC, .cost = PH_COST_EXCLUSIVE};
	if (ph_slice_ends(field, inclusive))
	{
		field = ph_slice_trim(ph_slice_first(field, field.size - strlen(inclusive)));
		column->cost = PH_COST_INCLUSIVE;
	}
	if (field.size == 0)
		return fail(reader, "a column has no name");
	PH_TRY(ph_log_intern(&reader->in.stream, &reader->names, field, &name));
	PH_TRY(ph_log_intern(&reader->in.stream, &reader->strings, unit, &unit_text));
	Metric *metric = &reader->metrics[column->metric = name - 1];
	if (column->metric == reader->n_metrics)
		reader->metrics[reader->n_metrics++] =
			(Metric){reader->names.text[name], reader->strings.text[unit_text], 0, PH_NONE};
	unsigned given = column->cost == PH_COST_INCLUSIVE ? PH_GIVEN_INCLUSIVE : PH_GIVEN_EXCLUSIVE;
	if ((metric->given & given) != 0)
		return fail(reader, "a metric has two columns");
	if (strcmp(metric->unit, reader->strings.text[unit_text]) != 0)
		return fail(reader, "the columns of a metric have two units");
	metric->given |= given;
	return PH_OK;
}

static PhStatus
read_columns(TableReader *reader)
{
	bool is_used[USE_METRIC + 1] = {false};
	for (uint32_t i = 0; i < reader->n_fields; i++)
	{
		Column *column = &reader->columns[i];
		if (i == 0)
			column->use = USE_PATH;
		else if (ph_slice_is(reader->fields[i], "rank"))
			column->use = USE_RANK;
		else if (ph_slice_is(reader->fields[i], "thread"))
			column->use = USE_THREAD;
		else
			PH_TRY(add_metric_column(reader, reader->fields[i], column));
		if (is_used[column->use] && column->use != USE_METRIC)
			return fail(reader, "there are two columns of ranks or threads");
		is_used[column->use] = true;
	}
	return PH_OK;
}

static PhStatus
read_header(TableReader *reader, PhSlice line)
{
	PH_TRY(split_line(reader, line));
	PH_TRY(read_columns(reader));
	if (!ph_slice_is(reader->fields[0], "callpath") || reader->n_metrics == 0)
		return fail(reader, "the columns are not callpath, rank, thread and metrics");
	reader->n_columns = reader->n_fields;
	for (uint32_t i = 0; i < reader->n_metrics; i++)
	{
		Metric *metric = &reader->metrics[i];
		PhMetricSpec spec = {.name = metric->name,
							 .unit = metric->unit,
							 .kind = PH_METRIC_FLOW,
							 .given = (PhGiven) metric->given};
		PH_TRY(ph_builder_add_metric(reader->in.builder, &spec, &metric->index));
	}
	return PH_OK;
}

/* ---- rows ---- */

static PhStatus
enter_path(TableReader *reader, PhSlice path, uint32_t *node)
{
	*node = PH_NONE;
	for (uint32_t depth = 0;; depth++)
	{
		const char *end = path.size > 0 ? memchr(path.text, ';', path.size) : NULL;
		PhSlice frame = ph_slice_trim(
			ph_slice_first(path, end != NULL ? (size_t) (end - path.text) : path.size));
		PhRegionSpec spec = {.kind = PH_KIND_FUNCTION, .line = PH_NO_NUMBER};
		uint32_t name, region;
		if (frame.size == 0)
			return fail(reader, "a frame of the call path has no name");
		if (depth == MAX_DEPTH)
			return ph_log_fail(&reader->in.stream, PH_ERR_LIMIT,
							   "a call path of more than %d frames", MAX_DEPTH);
		PH_TRY(ph_log_intern(&reader->in.stream, &reader->strings, frame, &name));
		spec.name = reader->strings.text[name];
		PH_TRY(ph_builder_add_region(reader->in.builder, &spec, &region));
		PH_TRY(ph_builder_child(reader->in.builder, *node, region, node));
		if (end == NULL)
			return PH_OK;
		path = ph_slice_behind(path, (size_t) (end - path.text) + 1);
	}
}

static PhStatus
take_axis(TableReader *reader, PhSlice field, int32_t *out)
{
	int64_t number;
	if (field.size == 0)
		return PH_OK;
	if (!ph_parse_int64(field.text, field.size, &number) || number < 0 || number > INT32_MAX)
		return fail(reader, "a rank or thread is no whole number in range");
	*out = (int32_t) number;
	return PH_OK;
}

static PhStatus
find_column(TableReader *reader, uint32_t *out)
{
	PhColumnSpec spec = {.kind = PH_COLUMN_UNIT,
						 .iteration = PH_NO_ITERATION,
						 .rank = PH_NO_NUMBER,
						 .thread = PH_NO_NUMBER};
	for (uint32_t i = 0; i < reader->n_columns; i++)
	{
		if (reader->columns[i].use == USE_RANK)
			PH_TRY(take_axis(reader, reader->fields[i], &spec.rank));
		if (reader->columns[i].use == USE_THREAD)
			PH_TRY(take_axis(reader, reader->fields[i], &spec.thread));
	}
	return ph_builder_add_column(reader->in.builder, &spec, out);
}

/* Empty fields are no values: the call path is there all the same. */
static PhStatus
read_row(TableReader *reader, PhSlice line)
{
	uint32_t node, unit;
	PH_TRY(split_line(reader, line));
	if (reader->n_fields != reader->n_columns)
		return ph_log_fail(&reader->in.stream, PH_ERR_FORMAT,
						   "a row of %u fields, there are %u columns", reader->n_fields,
						   reader->n_columns);
	PH_TRY(enter_path(reader, reader->fields[0], &node));
	PH_TRY(find_column(reader, &unit));
	PH_TRY(ph_builder_mark_present(reader->in.builder, node, unit));
	for (uint32_t i = 0; i < reader->n_columns; i++)
	{
		const Column *column = &reader->columns[i];
		PhSlice field = reader->fields[i];
		double value;
		if (column->use != USE_METRIC || field.size == 0)
			continue;
		if (!ph_parse_number(field.text, field.size, &value) || value < 0)
			return fail(reader, "a value is no number, or negative");
		PH_TRY(ph_builder_add_value(reader->in.builder, reader->metrics[column->metric].index, node,
									unit, column->cost, value));
	}
	return PH_OK;
}

static PhStatus
read_line(void *context, PhSlice line)
{
	TableReader *reader = context;
	line = ph_slice_trim(line);
	if (!reader->in.is_whole)
		return PH_OK;
	if (reader->n_columns == 0)
		return read_header(reader, line);
	return line.size > 0 ? read_row(reader, line) : PH_OK;
}

static PhStatus
read_all(void *context)
{
	TableReader *reader = context;
	PH_TRY(ph_strings_init(&reader->strings, &reader->in.arena));
	PH_TRY(ph_strings_init(&reader->names, &reader->in.arena));
	PH_TRY(ph_builder_new(reader->in.env, &reader->in.builder));
	PH_TRY(ph_reading_lines(&reader->in, read_line, reader));
	return ph_reading_note_cut(&reader->in);
}

static PhStatus
read_file(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	TableReader reader = {.in = {.env = env, .input = input, .options = options, .run = out}};
	PhStatus status = ph_reading_do(&reader.in, read_all, &reader);
	PH_VECTOR_FREE(env, &reader.unquoted);
	return status;
}

static bool
detect(const char *path, const uint8_t *bytes, size_t size)
{
	PhPlainHead head;
	(void) path;
	ph_plain_head(bytes, size, &head);
	return ph_slice_begins((PhSlice){(const char *) head.bytes, head.size}, mark);
}

const PhReader ph_reader_table = {
	.name = "csv",
	.description = "tables with call paths (CSV)",
	.mark = "the first line begins with callpath,",
	.detect_file = detect,
	.read_file = read_file,
};
