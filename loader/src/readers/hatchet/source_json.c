/*
 * source_json.c - reader of Hatchet's JSON: literal forms A and B, to_json.
 *
 * Metrics are the numbers of a row or of "metrics"; exclusive and inclusive partners are told by
 * name ("time", "time (inc)"). name, type, module, file and line describe the node, rank and thread
 * the column.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <string.h>

#include "base/min_max.h"
#include "readers/hatchet/literal.h"
#include "readers/reading.h"
#include "readers/source_paths.h"

#define PH_MAX_FIELDS 4096

typedef struct HatchetReader
{
	PhReading in;
	PhLiteral literal;
	PhSourcePaths paths;
	PhStrings names; /* of fields: string index = field + 1 */
	uint32_t n_fields, fields_capacity;
	PhCaliperField *fields;
	PhContextTree tree;
	PhCaliperRows rows;
	double *values; /* of the current row */
	bool *given;
} HatchetReader;

/* Called for every row: the scanner stands before its '{'; node is PH_NONE for rows that tell it.
 */
typedef PhStatus (*RowFunction)(HatchetReader *reader, uint32_t node);

static PhStatus
for_each_row(HatchetReader *reader, RowFunction function)
{
	PhJsonScan *json = &reader->literal.json;
	bool first = true;
	bool more;
	for (uint32_t i = 0; reader->literal.dataframe == 0 && i < reader->literal.n_nodes; i++)
		if (reader->literal.nodes[i].metrics != 0)
		{
			json->at = reader->literal.nodes[i].metrics;
			PH_TRY(function(reader, i));
		}
	if (reader->literal.dataframe == 0)
		return PH_OK;
	json->at = reader->literal.dataframe;
	PH_TRY(ph_json_expect(json, '['));
	for (;;)
	{
		PH_TRY(ph_json_next_item(json, &first, &more));
		if (!more)
			return PH_OK;
		PH_TRY(function(reader, PH_NONE));
		PH_TRY(ph_env_poll(reader->in.env));
	}
}

static PhStatus
reader_fail(HatchetReader *reader, size_t at, const char *message)
{
	return ph_input_fail(reader->in.env, reader->in.input, PH_ERR_FORMAT, at, "%s", message);
}

/* ---- first pass: which fields there are, what rows say about nodes ---- */

/* Index of a member's name, without a copy of it in the usual case. */
static PhStatus
intern_key(HatchetReader *reader, const PhJsonText *key, uint32_t *out)
{
	char *name;
	if (!key->escaped && ph_utf8_valid(key->text, key->size))
		return ph_strings_intern_n(&reader->names, key->text, key->size, out);
	PH_TRY(ph_json_unescape(&reader->literal.json, &reader->in.arena, key, &name));
	return ph_strings_intern(&reader->names, name, out);
}

static PhStatus
add_field(HatchetReader *reader, const PhJsonText *key)
{
	uint32_t string;
	PH_TRY(intern_key(reader, key, &string));
	if (string == 0 || string <= reader->n_fields)
		return PH_OK;
	if (reader->n_fields == PH_MAX_FIELDS)
		return reader_fail(reader, reader->literal.json.at, "more than 4096 different metrics");
	PH_TRY(PH_GROW(&reader->in.arena, &reader->fields, reader->n_fields, &reader->fields_capacity));
	const char *name = reader->names.text[string];
	PhCaliperField *field = &reader->fields[reader->n_fields++];
	*field = (PhCaliperField){.name = name, .role = ph_caliper_role(name, NULL)};
	if (field->role == PH_CALIPER_ITERATION)
		field->role = PH_CALIPER_SKIP;
	return PH_OK;
}

/* The node that a row of form A belongs to. */
static PhStatus
read_node_id(HatchetReader *reader, uint32_t *node)
{
	size_t at = reader->literal.json.at;
	PH_TRY(ph_literal_read_id(&reader->literal, node));
	return *node != PH_NONE ? PH_OK : reader_fail(reader, at, "a row's node is not in the graph");
}

static PhStatus
survey_member(HatchetReader *reader, uint32_t node, const PhJsonText *key)
{
	PhJsonScan *json = &reader->literal.json;
	bool taken = false;
	if (node != PH_NONE)
		PH_TRY(ph_literal_attribute(&reader->literal, &reader->literal.nodes[node], key, &taken));
	if (taken)
		return PH_OK;
	char next = ph_json_peek(json);
	if (next == '-' || next == 'N' || next == 'I' || (next >= '0' && next <= '9'))
		PH_TRY(add_field(reader, key));
	return ph_json_skip(json);
}

/* Find "node" among the members of a row, without moving. */
static PhStatus
row_node(HatchetReader *reader, uint32_t *node)
{
	PhJsonScan *json = &reader->literal.json;
	size_t start = json->at;
	bool first = true;
	bool more;
	PH_TRY(ph_json_expect(json, '{'));
	for (;;)
	{
		PhJsonText key;
		PH_TRY(ph_json_next_member(json, &first, &more, &key));
		if (!more)
			return reader_fail(reader, start, "a row names no node");
		if (ph_json_is(&key, "node"))
			break;
		PH_TRY(ph_json_skip(json));
	}
	PH_TRY(read_node_id(reader, node));
	json->at = start;
	return PH_OK;
}

static PhStatus
survey_row(HatchetReader *reader, uint32_t node)
{
	PhJsonScan *json = &reader->literal.json;
	bool first = true;
	bool more;
	if (node == PH_NONE)
		PH_TRY(row_node(reader, &node));
	PH_TRY(ph_json_expect(json, '{'));
	for (;;)
	{
		PhJsonText key;
		PH_TRY(ph_json_next_member(json, &first, &more, &key));
		if (!more)
			return PH_OK;
		if (ph_json_is(&key, "node"))
			PH_TRY(ph_json_skip(json));
		else
			PH_TRY(survey_member(reader, node, &key));
	}
}

/* ---- nodes ---- */

static PhRegionKind
kind_of(const char *type)
{
	if (type == NULL)
		return PH_KIND_FUNCTION;
	return strcmp(type, "region") == 0		? PH_KIND_REGION
		   : strcmp(type, "loop") == 0		? PH_KIND_LOOP
		   : strcmp(type, "statement") == 0 ? PH_KIND_STATEMENT
											: PH_KIND_FUNCTION;
}

static PhStatus
region_of_node(void *user, uint32_t index, uint32_t *region)
{
	HatchetReader *reader = user;
	const PhLiteralNode *node = &reader->literal.nodes[index];
	char place[512];
	uint32_t file;
	PH_TRY(ph_paths_add(&reader->paths, node->file, &file));
	PhRegionSpec spec = {.kind = kind_of(node->type),
						 .name = node->name,
						 .library = node->library,
						 .file = reader->paths.normal[file],
						 .line = node->line};
	if (spec.name == NULL || spec.name[0] == '\0')
	{
		if (node->file == NULL)
			return reader_fail(reader, node->at, "a node has no name");
		snprintf(place, sizeof(place), "%.200s:%d", ph_path_base(spec.file), PH_MAX(0, node->line));
		spec.name = place;
	}
	const PhReadOptions *options = reader->in.options;
	if (options != NULL && options->module_map != NULL)
		spec.module = ph_module_map_apply(options->module_map, spec.name, spec.file, spec.library);
	return ph_builder_add_region(reader->in.builder, &spec, region);
}

static PhStatus
prepare_tree(HatchetReader *reader)
{
	uint32_t n = reader->literal.n_nodes;
	uint32_t *parents;
	uint32_t bad;
	uint32_t file;
	const char *root = reader->in.options != NULL ? reader->in.options->source_root : NULL;
	PH_TRY(PH_NEW(&reader->in.arena, n, &parents));
	PH_TRY(ph_paths_init(&reader->paths, &reader->in.arena, root));
	for (uint32_t i = 0; i < n; i++)
	{
		parents[i] = reader->literal.nodes[i].parent;
		PH_TRY(ph_paths_add(&reader->paths, reader->literal.nodes[i].file, &file));
	}
	PH_TRY(ph_paths_finish(&reader->paths));
	PH_TRY(ph_context_init(&reader->tree, &reader->in.arena, n, parents, &bad));
	if (bad != PH_NONE)
		return reader_fail(reader, reader->literal.nodes[bad].at, "a node is its own ancestor");
	reader->tree.builder = reader->in.builder;
	reader->tree.region = region_of_node;
	reader->tree.user = reader;
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t node;
		PH_TRY(ph_context_path(&reader->tree, i, &node));
	}
	return PH_OK;
}

/* ---- second pass: values ---- */

static PhStatus
read_axis(HatchetReader *reader, int32_t *out)
{
	double number;
	size_t at = reader->literal.json.at;
	PH_TRY(ph_json_number(&reader->literal.json, &number));
	if (!(number >= 0 && number <= INT32_MAX) || number != (double) (int32_t) number)
		return reader_fail(reader, at, "rank or thread is no whole number in range");
	*out = (int32_t) number;
	return PH_OK;
}

/* One member of a row: an axis or a metric. */
static PhStatus
read_member(HatchetReader *reader, const PhJsonText *key, int32_t *rank, int32_t *thread)
{
	PhJsonScan *json = &reader->literal.json;
	char next = ph_json_peek(json);
	bool number = next == '-' || next == 'N' || next == 'I' || (next >= '0' && next <= '9');
	if (!number)
		return ph_json_skip(json);
	uint32_t string;
	PH_TRY(intern_key(reader, key, &string));
	PhCaliperRole role = string > 0 && string <= reader->n_fields ? reader->fields[string - 1].role
																  : PH_CALIPER_SKIP;
	if (role == PH_CALIPER_RANK)
		return read_axis(reader, rank);
	if (role == PH_CALIPER_THREAD)
		return read_axis(reader, thread);
	if (role != PH_CALIPER_METRIC)
		return ph_json_skip(json);
	if (reader->given[string - 1])
		return reader_fail(reader, json->at, "a metric stands twice in one row");
	PH_TRY(ph_json_number(json, &reader->values[string - 1]));
	reader->given[string - 1] = true;
	return PH_OK;
}

static PhStatus
store_row(HatchetReader *reader, uint32_t node, int32_t rank, int32_t thread)
{
	uint32_t path;
	PH_TRY(ph_context_path(&reader->tree, node, &path));
	PH_TRY(ph_caliper_row(&reader->rows, path, rank, thread, PH_NO_ITERATION));
	for (uint32_t i = 0; i < reader->n_fields; i++)
	{
		if (!reader->given[i])
			continue;
		reader->given[i] = false;
		PhStatus status = ph_caliper_value(&reader->rows, i, reader->values[i]);
		if (status == PH_ERR_VALUE)
		{
			char message[PH_ERROR_MAX];
			memcpy(message, reader->in.env->error.message, sizeof(message));
			return ph_input_fail(reader->in.env, reader->in.input, status, reader->literal.json.at,
								 "%.300s", message);
		}
		if (status != PH_OK)
			return status;
	}
	return PH_OK;
}

static PhStatus
read_row(HatchetReader *reader, uint32_t node)
{
	PhJsonScan *json = &reader->literal.json;
	bool first = true;
	bool more;
	int32_t rank = PH_NO_NUMBER;
	int32_t thread = PH_NO_NUMBER;
	PH_TRY(ph_json_expect(json, '{'));
	for (;;)
	{
		PhJsonText key;
		PH_TRY(ph_json_next_member(json, &first, &more, &key));
		if (!more)
			return store_row(reader, node, rank, thread);
		if (reader->literal.dataframe != 0 && ph_json_is(&key, "node"))
			PH_TRY(read_node_id(reader, &node));
		else
			PH_TRY(read_member(reader, &key, &rank, &thread));
	}
}

/* ---- what perfhouse export writes beside Hatchet's own ---- */

static const char *const cost_suffixes[] = {"", " (inc)", " (residual)"};

/* The field "METRIC" + suffix, or NULL. */
static PhCaliperField *
find_field(HatchetReader *reader, const char *metric, size_t size, const char *suffix)
{
	for (uint32_t i = 0; i < reader->n_fields; i++)
	{
		const char *name = reader->fields[i].name;
		if (strncmp(name, metric, size) == 0 && strcmp(name + size, suffix) == 0)
			return &reader->fields[i];
	}
	return NULL;
}

/* Residuals are what exclusive and inclusive values say already. */
static void
skip_residuals(HatchetReader *reader)
{
	size_t suffix = strlen(cost_suffixes[2]);
	for (uint32_t i = 0; i < reader->n_fields; i++)
	{
		const char *name = reader->fields[i].name;
		size_t size = strlen(name);
		if (size <= suffix || strcmp(name + size - suffix, cost_suffixes[2]) != 0)
			continue;
		size -= suffix;
		if (find_field(reader, name, size, cost_suffixes[0]) != NULL &&
			find_field(reader, name, size, cost_suffixes[1]) != NULL)
			reader->fields[i].role = PH_CALIPER_SKIP;
	}
}

/* {"time":"s", ...}; units that are no text are none. */
static PhStatus
read_units(HatchetReader *reader)
{
	PhJsonScan *json = &reader->literal.json;
	bool first = true;
	bool more;
	if (reader->literal.units == 0)
		return PH_OK;
	json->at = reader->literal.units;
	if (ph_json_peek(json) != '{')
		return PH_OK;
	PH_TRY(ph_json_expect(json, '{'));
	for (;;)
	{
		PhJsonText key;
		char *metric;
		char *unit;
		bool is_number;
		PH_TRY(ph_json_next_member(json, &first, &more, &key));
		if (!more)
			return PH_OK;
		PH_TRY(ph_env_poll(reader->in.env));
		PH_TRY(ph_json_unescape(json, &reader->in.arena, &key, &metric));
		if (ph_json_peek(json) != '"')
		{
			PH_TRY(ph_json_skip(json));
			continue;
		}
		PH_TRY(ph_json_scalar(json, &reader->in.arena, &unit, &is_number));
		for (size_t i = 0; i < 2; i++)
		{
			PhCaliperField *field = find_field(reader, metric, strlen(metric), cost_suffixes[i]);
			if (field != NULL)
				field->unit = unit;
		}
	}
}

static PhStatus
read_all(void *context)
{
	HatchetReader *reader = context;
	PH_TRY(ph_strings_init(&reader->names, &reader->in.arena));
	PH_TRY(ph_literal_read(&reader->literal, &reader->in.arena, reader->in.env, reader->in.input));
	PH_TRY(for_each_row(reader, survey_row));
	skip_residuals(reader);
	PH_TRY(read_units(reader));
	PH_TRY(ph_builder_new(reader->in.env, &reader->in.builder));
	PH_TRY(ph_caliper_add_metrics(&reader->in.arena, reader->in.builder, reader->fields,
								  reader->n_fields, NULL, false));
	PH_TRY(ph_caliper_rows_init(&reader->rows, &reader->in.arena, reader->in.builder,
								reader->fields, reader->n_fields));
	PH_TRY(prepare_tree(reader));
	PH_TRY(PH_NEW(&reader->in.arena, reader->n_fields, &reader->values));
	PH_TRY(PH_NEW(&reader->in.arena, reader->n_fields, &reader->given));
	PH_TRY(for_each_row(reader, read_row));
	if (reader->literal.n_shared > 0)
		PH_TRY(ph_run_warn(reader->in.env, reader->in.run,
						   "%s: %u nodes have several parents; each is below the one with the "
						   "first id.",
						   reader->in.input->path, reader->literal.n_shared));
	PH_TRY(ph_builder_finish(reader->in.builder, &reader->in.run->profile));
	return ph_paths_raw_regions(&reader->paths, reader->in.env, reader->in.run);
}

static PhStatus
read_file(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	HatchetReader reader = {.in = {.env = env, .input = input, .options = options, .run = out}};
	return ph_reading_do(&reader.in, read_all, &reader);
}

static size_t
skip_blanks(const uint8_t *head, size_t size, size_t at)
{
	while (at < size && head[at] != '\0' && strchr(" \t\r\n", head[at]) != NULL)
		at++;
	return at;
}

/* "frame": {...}; events of other programs have frames that are numbers or names. */
static bool
has_frame(const uint8_t *head, size_t size)
{
	static const char key[] = "\"frame\"";
	const uint8_t *found = memmem(head, size, key, sizeof(key) - 1);
	while (found != NULL)
	{
		size_t at = skip_blanks(head, size, (size_t) (found - head) + sizeof(key) - 1);
		if (at < size && head[at] == ':')
			at = skip_blanks(head, size, at + 1);
		if (at == size || head[at] == '{')
			return true;
		found = memmem(head + at, size - at, key, sizeof(key) - 1);
	}
	return false;
}

static bool
detect(const char *path, const uint8_t *head, size_t size)
{
	(void) path;
	size_t at = skip_blanks(head, size, 0);
	if (at == size)
		return false;
	if (head[at] == '{')
		return memmem(head, size, "\"graph\"", 7) != NULL ||
			   memmem(head, size, "\"dataframe", 10) != NULL;
	return head[at] == '[' && has_frame(head, size);
}

const PhReader ph_reader_hatchet_json = {
	.name = "hatchet-json",
	.description = "Hatchet literal JSON and to_json",
	.mark = "JSON with graph or dataframe, or a list of nodes with frame",
	.proof = "the list or object ends",
	.detect_file = detect,
	.read_file = read_file,
};
