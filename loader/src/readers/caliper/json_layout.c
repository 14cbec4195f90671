/*
 * json_layout.c - a json-split file but for its rows: sections, globals, columns, nodes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/caliper/json.h"

#include <string.h>

#define PH_MAX_COLUMNS 4096
#define PH_PASS_STEP ((size_t) 1 << 20)

PhStatus
ph_caliper_json_fail(PhCaliperJson *reader, size_t offset, const char *message)
{
	return ph_input_fail(reader->env, reader->input, PH_ERR_FORMAT, offset, "%s", message);
}

/* ---- first pass: sections and globals ---- */

/* Bytes that the compiler compares in one instruction. */
#define N_TOGETHER 16
typedef uint8_t Bytes __attribute__((vector_size(N_TOGETHER)));

/* The place of the next bracket or quotation mark from at on; size: there is none. */
static size_t
next_mark(const uint8_t *data, size_t at, size_t size)
{
	for (; size - at >= N_TOGETHER; at += N_TOGETHER)
	{
		Bytes bytes;
		uint64_t halves[2];
		memcpy(&bytes, data + at, sizeof(bytes));
		Bytes marks = (Bytes) (bytes == '[') | (Bytes) (bytes == ']') | (Bytes) (bytes == '"');
		memcpy(halves, &marks, sizeof(halves));
		if ((halves[0] | halves[1]) != 0)
			break;
	}
	while (at < size && data[at] != '[' && data[at] != ']' && data[at] != '"')
		at++;
	return at;
}

/* Skip the rows at once: only brackets and strings matter here, the second pass checks the rest. */
static PhStatus
skip_rows(PhCaliperJson *reader)
{
	PhJsonScan *json = &reader->json;
	if (ph_json_peek(json) != '[')
		return ph_json_fail(json, "\"data\" must be an array of rows");
	const uint8_t *data = reader->input->data;
	size_t size = reader->input->size;
	int64_t depth = 0;
	size_t passed = json->at;
	for (size_t at = json->at; (at = next_mark(data, at, size)) < size; at++)
	{
		if (at - passed >= PH_PASS_STEP)
			ph_input_passed(reader->input, passed = at, NULL);
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
	}
	json->at = size;
	return ph_json_fail(json, "invalid JSON: expected \"]\" after the rows");
}

static PhStatus
read_global(PhCaliperJson *reader, const PhJsonText *key)
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
find_section(void *context, const PhJsonText *key)
{
	PhCaliperJson *reader = context;
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
find_sections(PhCaliperJson *reader)
{
	PH_TRY(ph_json_members(&reader->json, find_section, reader));
	PH_TRY(ph_json_end(&reader->json));
	const PhJsonSections *found = &reader->sections;
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
take_column(void *context, const PhJsonText *key)
{
	PhCaliperJson *reader = context;
	PhJsonText text;
	char *name;
	(void) key;
	if (reader->n_columns == PH_MAX_COLUMNS)
		return ph_json_fail(&reader->json, "more than 4096 columns");
	PH_TRY(ph_json_string(&reader->json, &text));
	PH_TRY(ph_json_unescape(&reader->json, &reader->arena, &text, &name));
	PH_TRY(PH_GROW(&reader->arena, &reader->fields, reader->n_columns, &reader->columns_capacity));
	reader->fields[reader->n_columns++] = (PhCaliperField){.name = name};
	return PH_OK;
}

static PhStatus
read_columns(PhCaliperJson *reader)
{
	reader->json.at = reader->sections.columns;
	return ph_json_items(&reader->json, take_column, reader);
}

static PhStatus
read_column_metadata(PhCaliperJson *reader, uint32_t column)
{
	PhJsonScan *json = &reader->json;
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
read_metadata(PhCaliperJson *reader)
{
	PhJsonScan *json = &reader->json;
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
classify_reference(PhJsonColumn *column, const char *name)
{
	bool other = has_prefix(name, "source") || has_prefix(name, "attribute.") ||
				 has_prefix(name, "cali.") || has_prefix(name, "spot.") ||
				 strstr(name, "address") != NULL || has_prefix(name, "event.");
	column->use = PH_USE_PATH;
	column->part = ph_caliper_part(name);
	if (column->part != PH_CALIPER_NO_PART)
		column->use = PH_USE_PART;
	else if (has_prefix(name, "source.function#callpath"))
		column->path_priority = 0;
	else if (strcmp(name, "path") == 0)
		column->path_priority = 1;
	else if (has_prefix(name, "module#"))
		column->use = PH_USE_MODULE;
	else if (other)
		column->use = PH_USE_SKIP;
	else
		column->path_priority = 2;
}

/* What each column is for; only the best kind of path is kept. */
static PhStatus
classify_columns(PhCaliperJson *reader)
{
	static const PhJsonUse uses[] = {[PH_CALIPER_SKIP] = PH_USE_SKIP,
									 [PH_CALIPER_METRIC] = PH_USE_METRIC,
									 [PH_CALIPER_RANK] = PH_USE_RANK,
									 [PH_CALIPER_THREAD] = PH_USE_THREAD,
									 [PH_CALIPER_ITERATION] = PH_USE_ITERATION};
	uint8_t best = UINT8_MAX;
	for (uint32_t i = 0; i < reader->n_columns; i++)
	{
		PhJsonColumn *column = &reader->columns[i];
		PhCaliperField *field = &reader->fields[i];
		field->role = ph_caliper_role(field->name, field->alias);
		column->use = uses[field->role];
		if (!column->is_value && field->role != PH_CALIPER_RANK && field->role != PH_CALIPER_THREAD)
		{
			field->role = PH_CALIPER_SKIP;
			classify_reference(column, field->name);
		}
		if (column->use == PH_USE_PATH && column->path_priority < best)
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
read_node(PhCaliperJson *reader, const char **label, uint32_t *parent)
{
	PhJsonScan *json = &reader->json;
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
				return ph_caliper_json_fail(reader, json->at,
											"the parent of a node is out of range");
			*parent = (uint32_t) number;
		}
		else
			PH_TRY(ph_json_skip(json));
	}
	if (*label == NULL)
		return ph_caliper_json_fail(reader, start, "a node has no label");
	return PH_OK;
}

static PhStatus
read_nodes(PhCaliperJson *reader)
{
	PhJsonScan *json = &reader->json;
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
			PH_TRY(ph_grow_in_arena(&reader->arena, &labels, reader->n_nodes,
									&reader->labels_capacity, sizeof(char *)));
			PH_TRY(ph_grow_in_arena(&reader->arena, &parents, reader->n_nodes,
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

/* Columns of strings are no metrics: look at rows until every metric column has shown a value. */
PhStatus
ph_caliper_json_find_text(PhCaliperJson *reader)
{
	PhJsonScan *json = &reader->json;
	bool *seen;
	bool first_row = true;
	bool more_rows;
	PH_TRY(PH_NEW(&reader->arena, reader->n_columns, &seen));
	uint32_t unseen = 0;
	for (uint32_t i = 0; i < reader->n_columns; i++)
		unseen += reader->columns[i].use == PH_USE_METRIC;
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
			if (i >= reader->n_columns || reader->columns[i].use != PH_USE_METRIC || next == 'n' ||
				seen[i])
				continue;
			seen[i] = true;
			unseen--;
			if (next == '"' || next == 't' || next == 'f')
			{
				reader->columns[i].use = PH_USE_SKIP;
				reader->fields[i].role = PH_CALIPER_SKIP;
			}
		}
	}
	return PH_OK;
}

PhStatus
ph_caliper_json_layout(PhCaliperJson *reader)
{
	PH_TRY(find_sections(reader));
	PH_TRY(read_columns(reader));
	PH_TRY(read_metadata(reader));
	PH_TRY(classify_columns(reader));
	return read_nodes(reader);
}
