/*
 * source_caliper_json.c - reader of Caliper's json-split format, without a document tree.
 *
 * One object: "data" (rows), "columns", "column_metadata", "nodes", every other key is a global.
 * The rows stand first but need what follows, so a quick pass finds the sections, and a second one
 * reads the rows number by number. Columns that hold references (is_value false) point into
 * "nodes". The call path is the column of the unwound call stack, else "path", else the other
 * reference columns; the first one of a row that is not null counts. Modules of samples become
 * module labels of the functions they were taken in.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "source_caliper_json.h"

#include <stdlib.h>
#include <string.h>

#define PH_MAX_COLUMNS 4096

typedef enum ColumnUse
{
	USE_SKIP,
	USE_METRIC,
	USE_RANK,
	USE_THREAD,
	USE_ITERATION,
	USE_PATH,
	USE_MODULE
} ColumnUse;

typedef struct JsonColumn
{
	bool is_value;
	ColumnUse use;
	uint8_t path_priority; /* USE_PATH: 0 is the first choice */
} JsonColumn;

/* Where the sections begin; 0 = missing (an object cannot begin with one). */
typedef struct Sections
{
	size_t data, columns, metadata, nodes;
} Sections;

typedef struct JsonReader
{
	PhEnv *env;
	PhInput *input;
	const PhReadOptions *options;
	PhJson json;
	PhArena arena;
	PhProfileBuilder *builder;
	PhRunInput *run;
	Sections sections;

	uint32_t n_columns, columns_capacity;
	JsonColumn *columns;
	PhCaliperField *fields; /* parallel to columns */

	uint32_t n_nodes, labels_capacity, parents_capacity;
	const char **labels;
	uint32_t *parents;
	const char **modules; /* per node: label of the module its samples were in; NULL: no column */
	bool is_stack;		  /* the path is an unwound call stack: functions, not regions */
	PhContextTree tree;
	PhCaliperRows rows;
} JsonReader;

static PhStatus
json_fail_at(JsonReader *reader, size_t offset, const char *message)
{
	return ph_input_fail(reader->env, reader->input, PH_ERR_FORMAT, offset, "%s", message);
}

/* ---- first pass: sections and globals ---- */

/* Skip the rows at once: only brackets and strings matter here, the second pass checks the rest. */
static PhStatus
skip_rows(JsonReader *reader)
{
	PhJson *json = &reader->json;
	if (ph_json_peek(json) != '[')
		return ph_json_fail(json, "\"data\" must be an array of rows");
	const uint8_t *data = reader->input->data;
	size_t size = reader->input->size;
	int64_t depth = 0;
	for (size_t at = json->at; at < size; at++)
	{
		if (data[at] == '[')
			depth++;
		else if (data[at] == ']' && --depth == 0)
		{
			json->at = at + 1;
			return PH_OK;
		}
		else if (data[at] == '"')
		{
			PhJsonText text;
			json->at = at;
			PH_TRY(ph_json_string(json, &text));
			at = json->at - 1;
		}
		else if (data[at] == '\n')
			ph_input_passed(reader->input, at, NULL);
	}
	json->at = size;
	return ph_json_fail(json, "invalid JSON: expected \"]\" after the rows");
}

static PhStatus
read_global(JsonReader *reader, const PhJsonText *key)
{
	char *name;
	char *value;
	bool is_number;
	double number;
	PH_TRY(ph_json_unescape(&reader->json, &reader->arena, key, &name));
	PH_TRY(ph_json_scalar(&reader->json, &reader->arena, &value, &is_number));
	if (value == NULL || name[0] == '\0')
		return PH_OK;
	is_number = ph_parse_number(value, strlen(value), &number);
	return ph_meta_set(reader->env, &reader->run->meta, name, value, is_number);
}

static PhStatus
find_section(JsonReader *reader, const PhJsonText *key)
{
	static const char *const names[] = {"data", "columns", "column_metadata", "nodes"};
	size_t *const places[] = {&reader->sections.data, &reader->sections.columns,
							  &reader->sections.metadata, &reader->sections.nodes};
	for (size_t i = 0; i < 4; i++)
	{
		if (!ph_json_is(key, names[i]))
			continue;
		if (*places[i] != 0)
			return ph_input_fail(reader->env, reader->input, PH_ERR_FORMAT, reader->json.at,
								 "section \"%s\" stands twice", names[i]);
		ph_json_peek(&reader->json);
		*places[i] = reader->json.at;
		return i == 0 ? skip_rows(reader) : ph_json_skip(&reader->json);
	}
	return read_global(reader, key);
}

static PhStatus
find_sections(JsonReader *reader)
{
	bool first = true;
	bool more;
	PH_TRY(ph_json_expect(&reader->json, '{'));
	for (;;)
	{
		PhJsonText key;
		PH_TRY(ph_json_next_member(&reader->json, &first, &more, &key));
		if (!more)
			break;
		PH_TRY(find_section(reader, &key));
	}
	PH_TRY(ph_json_end(&reader->json));
	const Sections *found = &reader->sections;
	const char *missing = found->data == 0		 ? "data"
						  : found->columns == 0	 ? "columns"
						  : found->metadata == 0 ? "column_metadata"
						  : found->nodes == 0	 ? "nodes"
												 : NULL;
	if (missing != NULL)
		return ph_input_fail(reader->env, reader->input, PH_ERR_FORMAT, reader->input->size,
							 "section \"%s\" is missing", missing);
	return PH_OK;
}

/* ---- columns ---- */

static PhStatus
read_columns(JsonReader *reader)
{
	PhJson *json = &reader->json;
	bool first = true;
	bool more;
	json->at = reader->sections.columns;
	PH_TRY(ph_json_expect(json, '['));
	for (;;)
	{
		PhJsonText text;
		char *name;
		PH_TRY(ph_json_next_item(json, &first, &more));
		if (!more)
			return PH_OK;
		if (reader->n_columns == PH_MAX_COLUMNS)
			return ph_json_fail(json, "more than 4096 columns");
		PH_TRY(ph_json_string(json, &text));
		PH_TRY(ph_json_unescape(json, &reader->arena, &text, &name));
		if (reader->n_columns == reader->columns_capacity)
		{
			void *fields = reader->fields;
			PH_TRY(ph_array_grow(&reader->arena, &fields, reader->n_columns,
								 &reader->columns_capacity, sizeof(PhCaliperField)));
			reader->fields = fields;
		}
		reader->fields[reader->n_columns++] = (PhCaliperField){.name = name};
	}
}

static PhStatus
read_column_metadata(JsonReader *reader, uint32_t column)
{
	PhJson *json = &reader->json;
	PhCaliperField *field = &reader->fields[column];
	bool first = true;
	bool more;
	PH_TRY(ph_json_expect(json, '{'));
	for (;;)
	{
		PhJsonText key;
		PH_TRY(ph_json_next_member(json, &first, &more, &key));
		if (!more)
			return PH_OK;
		char *value;
		bool is_number;
		PH_TRY(ph_json_scalar(json, &reader->arena, &value, &is_number));
		if (ph_json_is(&key, "is_value"))
			reader->columns[column].is_value = value != NULL && strcmp(value, "true") == 0;
		else if (ph_json_is(&key, "attribute.alias"))
			field->alias = value;
		else if (ph_json_is(&key, "attribute.unit"))
			field->unit = value;
	}
}

static PhStatus
read_metadata(JsonReader *reader)
{
	PhJson *json = &reader->json;
	bool first = true;
	bool more;
	PH_TRY(PH_NEW(&reader->arena, reader->n_columns, &reader->columns));
	json->at = reader->sections.metadata;
	PH_TRY(ph_json_expect(json, '['));
	uint32_t n = 0;
	for (;;)
	{
		PH_TRY(ph_json_next_item(json, &first, &more));
		if (!more)
			break;
		if (n == reader->n_columns)
			return ph_json_fail(json, "more entries in \"column_metadata\" than in \"columns\"");
		PH_TRY(read_column_metadata(reader, n++));
	}
	if (n != reader->n_columns)
		return ph_json_fail(json, "fewer entries in \"column_metadata\" than in \"columns\"");
	return PH_OK;
}

static bool
has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static void
classify_reference(JsonColumn *column, const char *name)
{
	bool other = has_prefix(name, "source") || has_prefix(name, "attribute.") ||
				 has_prefix(name, "cali.") || has_prefix(name, "spot.") ||
				 strstr(name, "address") != NULL || has_prefix(name, "event.");
	column->use = USE_PATH;
	if (has_prefix(name, "source.function#callpath"))
		column->path_priority = 0;
	else if (strcmp(name, "path") == 0)
		column->path_priority = 1;
	else if (has_prefix(name, "module#"))
		column->use = USE_MODULE;
	else if (other)
		column->use = USE_SKIP;
	else
		column->path_priority = 2;
}

/* What each column is for; only the best kind of path is kept. */
static PhStatus
classify_columns(JsonReader *reader)
{
	static const ColumnUse uses[] = {[PH_CALIPER_SKIP] = USE_SKIP,
									 [PH_CALIPER_METRIC] = USE_METRIC,
									 [PH_CALIPER_RANK] = USE_RANK,
									 [PH_CALIPER_THREAD] = USE_THREAD,
									 [PH_CALIPER_ITERATION] = USE_ITERATION};
	uint8_t best = UINT8_MAX;
	for (uint32_t i = 0; i < reader->n_columns; i++)
	{
		JsonColumn *column = &reader->columns[i];
		PhCaliperField *field = &reader->fields[i];
		field->role = ph_caliper_role(field->name, field->alias);
		column->use = uses[field->role];
		if (!column->is_value && field->role != PH_CALIPER_RANK && field->role != PH_CALIPER_THREAD)
		{
			field->role = PH_CALIPER_SKIP;
			classify_reference(column, field->name);
		}
		if (column->use == USE_PATH && column->path_priority < best)
			best = column->path_priority;
	}
	if (best == UINT8_MAX)
		return ph_input_fail(reader->env, reader->input, PH_ERR_VALUE, reader->sections.columns,
							 "no column holds a call path");
	reader->is_stack = best == 0;
	return PH_OK;
}

/* ---- nodes ---- */

static PhStatus
read_node(JsonReader *reader, const char **label, uint32_t *parent)
{
	PhJson *json = &reader->json;
	bool first = true;
	bool more;
	size_t start = json->at;
	*label = NULL;
	*parent = PH_NONE;
	PH_TRY(ph_json_expect(json, '{'));
	for (;;)
	{
		PhJsonText key;
		PH_TRY(ph_json_next_member(json, &first, &more, &key));
		if (!more)
			break;
		if (ph_json_is(&key, "label"))
		{
			char *text;
			bool is_number;
			PH_TRY(ph_json_scalar(json, &reader->arena, &text, &is_number));
			*label = text;
		}
		else if (ph_json_is(&key, "parent") && ph_json_peek(json) != 'n')
		{
			int64_t number;
			PH_TRY(ph_json_int(json, &number));
			if (number < 0 || number >= PH_NONE)
				return json_fail_at(reader, json->at, "the parent of a node is out of range");
			*parent = (uint32_t) number;
		}
		else
			PH_TRY(ph_json_skip(json));
	}
	if (*label == NULL)
		return json_fail_at(reader, start, "a node has no label");
	return PH_OK;
}

static PhStatus
read_nodes(JsonReader *reader)
{
	PhJson *json = &reader->json;
	bool first = true;
	bool more;
	json->at = reader->sections.nodes;
	PH_TRY(ph_json_expect(json, '['));
	for (;;)
	{
		PH_TRY(ph_json_next_item(json, &first, &more));
		if (!more)
			break;
		if (reader->n_nodes == reader->labels_capacity)
		{
			void *labels = reader->labels;
			void *parents = reader->parents;
			PH_TRY(ph_array_grow(&reader->arena, &labels, reader->n_nodes, &reader->labels_capacity,
								 sizeof(char *)));
			PH_TRY(ph_array_grow(&reader->arena, &parents, reader->n_nodes,
								 &reader->parents_capacity, sizeof(uint32_t)));
			reader->labels = labels;
			reader->parents = parents;
		}
		PH_TRY(
			read_node(reader, &reader->labels[reader->n_nodes], &reader->parents[reader->n_nodes]));
		reader->n_nodes++;
		PH_TRY(ph_env_poll(reader->env));
	}
	for (uint32_t i = 0; i < reader->n_nodes; i++)
		if (reader->parents[i] != PH_NONE && reader->parents[i] >= reader->n_nodes)
			return ph_input_fail(reader->env, reader->input, PH_ERR_FORMAT, reader->sections.nodes,
								 "node %u has parent %u, but there are only %u nodes", i,
								 reader->parents[i], reader->n_nodes);
	return PH_OK;
}

static PhStatus
region_of_node(void *user, uint32_t node, uint32_t *region)
{
	JsonReader *reader = user;
	const char *label = reader->labels[node];
	PhRegionSpec spec = {.name = label[0] != '\0' ? label : "<unnamed>", .line = PH_NO_NUMBER};
	spec.kind = reader->is_stack ? PH_KIND_FUNCTION : ph_caliper_region_kind(label);
	if (reader->modules != NULL && reader->modules[node] != NULL)
	{
		const char *slash = strrchr(reader->modules[node], '/');
		spec.module = slash != NULL ? slash + 1 : reader->modules[node];
	}
	if (reader->options != NULL && reader->options->module_map != NULL)
	{
		const char *mapped =
			ph_module_map_apply(reader->options->module_map, spec.name, NULL, NULL);
		spec.module = mapped != NULL ? mapped : spec.module;
	}
	return ph_builder_add_region(reader->builder, &spec, region);
}

static PhStatus
prepare_tree(JsonReader *reader)
{
	uint32_t bad;
	PH_TRY(ph_context_init(&reader->tree, &reader->arena, reader->n_nodes, reader->parents, &bad));
	if (bad != PH_NONE)
		return ph_input_fail(reader->env, reader->input, PH_ERR_FORMAT, reader->sections.nodes,
							 "node %u is its own ancestor", bad);
	reader->tree.builder = reader->builder;
	reader->tree.region = region_of_node;
	reader->tree.user = reader;
	return PH_OK;
}

/* ---- rows ---- */

/* What one row says beside its metrics. */
typedef struct RowPlace
{
	uint32_t path, module; /* nodes, PH_NONE: null */
	uint8_t path_priority;
	int32_t rank, thread;
	int64_t iteration;
} RowPlace;

static PhStatus
read_reference(JsonReader *reader, uint32_t *out)
{
	int64_t node;
	PH_TRY(ph_json_int(&reader->json, &node));
	if (node < 0 || node >= reader->n_nodes)
		return ph_input_fail(reader->env, reader->input, PH_ERR_FORMAT, reader->json.at,
							 "row refers to node %lld, but there are only %u nodes",
							 (long long) node, reader->n_nodes);
	*out = (uint32_t) node;
	return PH_OK;
}

/* A rank, thread or iteration: a number, or a reference to a node labelled with one. */
static PhStatus
read_axis(JsonReader *reader, const JsonColumn *column, int64_t limit, int64_t *out)
{
	int64_t value;
	if (column->is_value)
	{
		double number;
		PH_TRY(ph_json_number(&reader->json, &number));
		if (!(number >= -9e15 && number <= 9e15) || number != (double) (int64_t) number)
			return json_fail_at(reader, reader->json.at, "expected a whole number");
		value = (int64_t) number;
	}
	else
	{
		uint32_t node;
		PH_TRY(read_reference(reader, &node));
		const char *label = reader->labels[node];
		if (!ph_parse_int64(label, strlen(label), &value))
			return json_fail_at(reader, reader->json.at, "rank or thread is not a whole number");
	}
	if (limit > 0 && (value < 0 || value > limit))
		return json_fail_at(reader, reader->json.at, "rank or thread is out of range");
	*out = value;
	return PH_OK;
}

static PhStatus
read_place_value(JsonReader *reader, const JsonColumn *column, RowPlace *place)
{
	int64_t number;
	uint32_t node;
	switch (column->use)
	{
		case USE_PATH:
			PH_TRY(read_reference(reader, &node));
			if (place->path == PH_NONE || column->path_priority < place->path_priority)
			{
				place->path = node;
				place->path_priority = column->path_priority;
			}
			return PH_OK;
		case USE_MODULE:
			return read_reference(reader, &place->module);
		case USE_RANK:
			PH_TRY(read_axis(reader, column, INT32_MAX, &number));
			place->rank = (int32_t) number;
			return PH_OK;
		case USE_THREAD:
			PH_TRY(read_axis(reader, column, INT32_MAX, &number));
			place->thread = (int32_t) number;
			return PH_OK;
		case USE_ITERATION:
			return read_axis(reader, column, 0, &place->iteration);
		default:
			return ph_json_skip(&reader->json);
	}
}

/* One row into place and values (NaN = null); values may be NULL. */
static PhStatus
read_row(JsonReader *reader, RowPlace *place, double *values, bool *given)
{
	PhJson *json = &reader->json;
	bool first = true;
	bool more;
	uint32_t n = 0;
	*place = (RowPlace){PH_NONE, PH_NONE, 0, PH_NO_NUMBER, PH_NO_NUMBER, PH_NO_ITERATION};
	PH_TRY(ph_json_expect(json, '['));
	for (;; n++)
	{
		PH_TRY(ph_json_next_item(json, &first, &more));
		if (!more)
			break;
		if (n == reader->n_columns)
			return ph_json_fail(json, "a row has more values than there are columns");
		char next = ph_json_peek(json);
		char literal;
		given[n] = false;
		if (next == 'n')
			PH_TRY(ph_json_literal(json, &literal));
		else if (reader->columns[n].use != USE_METRIC)
			PH_TRY(read_place_value(reader, &reader->columns[n], place));
		else
		{
			PH_TRY(ph_json_number(json, &values[n]));
			given[n] = true;
		}
	}
	return n == reader->n_columns ? PH_OK
								  : json_fail_at(reader, json->at - 1,
												 "a row has fewer values than there are columns");
}

static PhStatus
store_row(JsonReader *reader, const RowPlace *place, const double *values, const bool *given)
{
	uint32_t node;
	PH_TRY(ph_context_path(&reader->tree, place->path, &node));
	PH_TRY(ph_caliper_row(&reader->rows, node, place->rank, place->thread, place->iteration));
	for (uint32_t i = 0; i < reader->n_columns; i++)
		if (given[i])
		{
			PhStatus status = ph_caliper_value(&reader->rows, i, values[i]);
			if (status == PH_ERR_VALUE)
			{
				char message[PH_ERROR_MAX];
				memcpy(message, reader->env->error.message, sizeof(message));
				return ph_input_fail(reader->env, reader->input, status, reader->json.at,
									 "row for node %u: %.300s", place->path, message);
			}
			if (status != PH_OK)
				return status;
		}
	return PH_OK;
}

/* Remember the module that a node's samples lie in; of several, the first in byte order. */
static PhStatus
keep_module(JsonReader *reader, const RowPlace *place, const double *values, const bool *given)
{
	(void) values;
	(void) given;
	if (place->path == PH_NONE || place->module == PH_NONE)
		return PH_OK;
	const char **kept = &reader->modules[place->path];
	const char *label = reader->labels[place->module];
	if (*kept == NULL || strcmp(label, *kept) < 0)
		*kept = label;
	return PH_OK;
}

typedef PhStatus (*RowFunction)(JsonReader *reader, const RowPlace *place, const double *values,
								const bool *given);

/* Walk all rows. */
static PhStatus
for_each_row(JsonReader *reader, RowFunction function)
{
	PhJson *json = &reader->json;
	double *values;
	bool *given;
	bool first = true;
	bool more;
	PH_TRY(PH_NEW(&reader->arena, reader->n_columns, &values));
	PH_TRY(PH_NEW(&reader->arena, reader->n_columns, &given));
	reader->input->dropped = 0;
	json->at = reader->sections.data;
	PH_TRY(ph_json_expect(json, '['));
	for (;;)
	{
		RowPlace place;
		PH_TRY(ph_json_next_item(json, &first, &more));
		if (!more)
			return PH_OK;
		PH_TRY(read_row(reader, &place, values, given));
		PH_TRY(function(reader, &place, values, given));
		ph_input_passed(reader->input, json->at, reader->options);
		PH_TRY(ph_env_poll(reader->env));
	}
}

/* Columns of strings are no metrics: look at rows until every metric column has shown a value. */
static PhStatus
find_text_columns(JsonReader *reader)
{
	PhJson *json = &reader->json;
	bool *seen;
	bool first_row = true;
	bool more_rows;
	PH_TRY(PH_NEW(&reader->arena, reader->n_columns, &seen));
	uint32_t unseen = 0;
	for (uint32_t i = 0; i < reader->n_columns; i++)
		unseen += reader->columns[i].use == USE_METRIC;
	json->at = reader->sections.data;
	PH_TRY(ph_json_expect(json, '['));
	while (unseen > 0)
	{
		PH_TRY(ph_json_next_item(json, &first_row, &more_rows));
		if (!more_rows)
			return PH_OK;
		bool first = true;
		bool more;
		PH_TRY(ph_json_expect(json, '['));
		for (uint32_t i = 0;; i++)
		{
			PH_TRY(ph_json_next_item(json, &first, &more));
			if (!more)
				break;
			char next = ph_json_peek(json);
			PH_TRY(ph_json_skip(json));
			if (i >= reader->n_columns || reader->columns[i].use != USE_METRIC || next == 'n' ||
				seen[i])
				continue;
			seen[i] = true;
			unseen--;
			if (next == '"' || next == 't' || next == 'f')
			{
				reader->columns[i].use = USE_SKIP;
				reader->fields[i].role = PH_CALIPER_SKIP;
			}
		}
	}
	return PH_OK;
}

static PhStatus
prepare_rows(JsonReader *reader)
{
	const char *version = ph_meta_get(&reader->run->meta, "cali.caliper.version");
	bool has_modules = false;
	PH_TRY(find_text_columns(reader));
	for (uint32_t i = 0; i < reader->n_columns; i++)
		has_modules |= reader->columns[i].use == USE_MODULE;
	if (has_modules)
	{
		PH_TRY(PH_NEW(&reader->arena, reader->n_nodes, &reader->modules));
		PH_TRY(for_each_row(reader, keep_module));
	}
	PH_TRY(ph_caliper_add_metrics(&reader->arena, reader->builder, reader->fields,
								  reader->n_columns, version, true));
	PH_TRY(ph_caliper_rows_init(&reader->rows, &reader->arena, reader->builder, reader->fields,
								reader->n_columns));
	for (uint32_t i = 0; i < reader->n_columns; i++)
	{
		JsonColumn *column = &reader->columns[i];
		reader->rows.has_ranks |= column->use == USE_RANK;
		reader->rows.has_threads |= column->use == USE_THREAD;
		if (reader->fields[i].role == PH_CALIPER_SKIP && column->use == USE_ITERATION)
			column->use = USE_SKIP;
	}
	int32_t world = ph_caliper_world_size(&reader->run->meta);
	reader->run->n_ranks = world;
	if (!reader->rows.has_ranks && world > 1)
		reader->rows.world = (uint32_t) world;
	return PH_OK;
}

static PhStatus
read_all(JsonReader *reader)
{
	PH_TRY(find_sections(reader));
	PH_TRY(read_columns(reader));
	PH_TRY(read_metadata(reader));
	PH_TRY(classify_columns(reader));
	PH_TRY(read_nodes(reader));
	PH_TRY(ph_builder_new(reader->env, &reader->builder));
	PH_TRY(prepare_tree(reader));
	PH_TRY(prepare_rows(reader));
	PH_TRY(for_each_row(reader, store_row));
	PH_TRY(ph_caliper_rows_finish(&reader->rows, reader->env, reader->n_columns, reader->run));
	PH_TRY(ph_builder_finish(reader->builder, &reader->run->profile));
	return PH_OK;
}

PhStatus
ph_read_caliper_json(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	JsonReader reader = {.env = env, .input = input, .options = options, .run = out};
	memset(out, 0, sizeof(*out));
	out->n_ranks = PH_NO_NUMBER;
	out->n_threads = PH_NO_NUMBER;
	reader.json = (PhJson){env, input, 0};
	ph_arena_init(&reader.arena, env);
	PhStatus status = read_all(&reader);
	ph_builder_free(reader.builder);
	ph_arena_drop(&reader.arena);
	if (status != PH_OK)
		ph_run_input_free(env, out);
	return status;
}

static PhStatus
read_experiment(PhEnv *env, const PhExperiment *experiment, const PhReadOptions *options,
				PhRunInput *out)
{
	PhInput input;
	PH_TRY(ph_input_open(env, experiment->files[0], &input));
	PhStatus status = ph_read_caliper_json(env, &input, options, out);
	ph_input_close(&input);
	return status;
}

static bool
detect(const char *path, const uint8_t *head, size_t size)
{
	static const char *const keys[] = {"\"column_metadata\"", "\"columns\"", "\"cali."};
	static const char *const first_keys[] = {"\"data\"", "\"columns\"", "\"column_metadata\"",
											 "\"nodes\""};
	(void) path;
	size_t at = 0;
	while (at < size && strchr(" \t\r\n", head[at]) != NULL && head[at] != '\0')
		at++;
	if (at == size || head[at] != '{' || memmem(head, size, "\"graph\"", 7) != NULL)
		return false;
	for (at++; at < size && head[at] != '\0' && strchr(" \t\r\n", head[at]) != NULL;)
		at++;
	for (size_t i = 0; i < 4; i++)
		if (size - at >= strlen(first_keys[i]) &&
			memcmp(head + at, first_keys[i], strlen(first_keys[i])) == 0)
			return true;
	for (size_t i = 0; i < 3; i++)
		if (memmem(head, size, keys[i], strlen(keys[i])) != NULL)
			return true;
	return false;
}

const PhReader ph_reader_caliper_json = {
	.name = "caliper-json",
	.description = "Caliper json-split (cali-query -q \"format json-split\")",
	.detect_file = detect,
	.read = read_experiment,
};
