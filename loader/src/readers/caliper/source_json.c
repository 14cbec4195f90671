/*
 * source_json.c - reader of Caliper's json-split format, without a document tree.
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
#include "readers/caliper/caliper.h"
#include "readers/json_scan.h"

#include <stdlib.h>
#include <string.h>

#include "readers/caliper/json.h"

static PhStatus
region_of_node(void *user, uint32_t node, uint32_t *region)
{
	PhCaliperJson *reader = user;
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
prepare_tree(PhCaliperJson *reader)
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
	PhCaliperParts activity;
} RowPlace;

static PhStatus
read_reference(PhCaliperJson *reader, uint32_t *out)
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
read_axis(PhCaliperJson *reader, const PhJsonColumn *column, int64_t limit, int64_t *out)
{
	int64_t value;
	if (column->is_value)
	{
		double number;
		PH_TRY(ph_json_number(&reader->json, &number));
		if (!(number >= -9e15 && number <= 9e15) || number != (double) (int64_t) number)
			return ph_caliper_json_fail(reader, reader->json.at, "expected a whole number");
		value = (int64_t) number;
	}
	else
	{
		uint32_t node = PH_NONE;
		PH_TRY(read_reference(reader, &node));
		const char *label = reader->labels[node];
		if (!ph_parse_int64(label, strlen(label), &value))
			return ph_caliper_json_fail(reader, reader->json.at,
										"rank or thread is not a whole number");
	}
	if (limit > 0 && (value < 0 || value > limit))
		return ph_caliper_json_fail(reader, reader->json.at, "rank or thread is out of range");
	*out = value;
	return PH_OK;
}

static PhStatus
read_place_value(PhCaliperJson *reader, const PhJsonColumn *column, RowPlace *place)
{
	int64_t number;
	uint32_t node = PH_NONE;
	switch (column->use)
	{
		case PH_USE_PATH:
			PH_TRY(read_reference(reader, &node));
			if (place->path == PH_NONE || column->path_priority < place->path_priority)
			{
				place->path = node;
				place->path_priority = column->path_priority;
			}
			return PH_OK;
		case PH_USE_MODULE:
			return read_reference(reader, &place->module);
		case PH_USE_PART:
			PH_TRY(read_reference(reader, &node));
			place->activity.text[column->part] = reader->labels[node];
			return PH_OK;
		case PH_USE_RANK:
			PH_TRY(read_axis(reader, column, INT32_MAX, &number));
			place->rank = (int32_t) number;
			return PH_OK;
		case PH_USE_THREAD:
			PH_TRY(read_axis(reader, column, INT32_MAX, &number));
			place->thread = (int32_t) number;
			return PH_OK;
		case PH_USE_ITERATION:
			return read_axis(reader, column, 0, &place->iteration);
		default:
			return ph_json_skip(&reader->json);
	}
}

/* One row into place and values (NaN = null); values may be NULL. */
static PhStatus
read_row(PhCaliperJson *reader, RowPlace *place, double *values, bool *given)
{
	PhJsonScan *json = &reader->json;
	bool first = true;
	bool more;
	uint32_t n = 0;
	*place = (RowPlace){.path = PH_NONE,
						.module = PH_NONE,
						.rank = PH_NO_NUMBER,
						.thread = PH_NO_NUMBER,
						.iteration = PH_NO_ITERATION};
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
		else if (reader->columns[n].use != PH_USE_METRIC)
			PH_TRY(read_place_value(reader, &reader->columns[n], place));
		else
		{
			PH_TRY(ph_json_number(json, &values[n]));
			given[n] = true;
		}
	}
	return n == reader->n_columns
			   ? PH_OK
			   : ph_caliper_json_fail(reader, json->at - 1,
									  "a row has fewer values than there are columns");
}

static PhStatus
store_row(PhCaliperJson *reader, const RowPlace *place, const double *values, const bool *given)
{
	uint32_t node;
	PH_TRY(ph_context_path(&reader->tree, place->path, &node));
	PH_TRY(ph_caliper_add_activity(reader->builder, &place->activity, &node));
	reader->rows.is_kernel = ph_caliper_is_kernel(&place->activity);
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
keep_module(PhCaliperJson *reader, const RowPlace *place, const double *values, const bool *given)
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

typedef PhStatus (*RowFunction)(PhCaliperJson *reader, const RowPlace *place, const double *values,
								const bool *given);

/* Walk all rows. */
static PhStatus
for_each_row(PhCaliperJson *reader, RowFunction function)
{
	PhJsonScan *json = &reader->json;
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

static PhStatus
prepare_rows(PhCaliperJson *reader)
{
	const char *version = ph_meta_get(&reader->run->meta, "cali.caliper.version");
	bool has_modules = false;
	PH_TRY(ph_caliper_json_find_text(reader));
	for (uint32_t i = 0; i < reader->n_columns; i++)
		has_modules |= reader->columns[i].use == PH_USE_MODULE;
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
		PhJsonColumn *column = &reader->columns[i];
		reader->rows.has_ranks |= column->use == PH_USE_RANK;
		reader->rows.has_threads |= column->use == PH_USE_THREAD;
		if (reader->fields[i].role == PH_CALIPER_SKIP && column->use == PH_USE_ITERATION)
			column->use = PH_USE_SKIP;
	}
	int32_t world = ph_caliper_world_size(&reader->run->meta);
	reader->run->n_ranks = world;
	if (!reader->rows.has_ranks && world > 1)
		reader->rows.world = (uint32_t) world;
	return PH_OK;
}

static PhStatus
read_all(PhCaliperJson *reader)
{
	PH_TRY(ph_caliper_json_layout(reader));
	PH_TRY(ph_builder_new(reader->env, &reader->builder));
	PH_TRY(prepare_tree(reader));
	PH_TRY(prepare_rows(reader));
	PH_TRY(for_each_row(reader, store_row));
	PH_TRY(ph_caliper_rows_finish(&reader->rows, reader->env, reader->n_columns, reader->run));
	PH_TRY(ph_builder_finish(reader->builder, &reader->run->profile));
	return PH_OK;
}

static PhStatus
read_file(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	PhCaliperJson reader = {.env = env, .input = input, .options = options, .run = out};
	*out = ph_run_input_new();
	reader.json = (PhJsonScan){env, input, 0};
	ph_arena_init(&reader.arena, env);
	PhStatus status = read_all(&reader);
	ph_builder_free(reader.builder);
	ph_arena_drop(&reader.arena);
	if (status != PH_OK)
		ph_run_input_free(env, out);
	return status;
}

/* Behind the string that begins at `at`; size: it does not end here. */
static size_t
skip_string(const uint8_t *head, size_t size, size_t at)
{
	for (at++; at < size && head[at] != '"'; at++)
		if (head[at] == '\\')
			at++;
	return at < size ? at + 1 : size;
}

static size_t
skip_blanks(const uint8_t *head, size_t size, size_t at)
{
	while (at < size && head[at] != '\0' && strchr(" \t\r\n", head[at]) != NULL)
		at++;
	return at;
}

/* Is this the name of one of the format's sections, with what sections begin with behind it? */
static bool
is_section(const uint8_t *head, size_t size, size_t begin, size_t end)
{
	static const char *const names[] = {"\"data\"", "\"columns\"", "\"column_metadata\"",
										"\"nodes\""};
	size_t at = skip_blanks(head, size, end);

	if (at == size || head[at] != ':')
		return false;
	at = skip_blanks(head, size, at + 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (end - begin == strlen(names[i]) && memcmp(head + begin, names[i], end - begin) == 0)
			return at == size || head[at] == '[';
	return false;
}

/* Sections may stand behind any number of globals: the members of the outermost object tell. */
static bool
has_section(const uint8_t *head, size_t size)
{
	size_t depth = 0;

	for (size_t at = 0; at < size;)
	{
		size_t begin = at;

		depth += head[at] == '{' || head[at] == '[';
		depth -= (head[at] == '}' || head[at] == ']') && depth > 0;
		at = head[at] == '"' ? skip_string(head, size, at) : at + 1;
		if (head[begin] == '"' && depth == 1 && is_section(head, size, begin, at))
			return true;
	}
	return false;
}

static bool
detect(const char *path, const uint8_t *head, size_t size)
{
	static const char *const keys[] = {"\"column_metadata\"", "\"columns\"", "\"cali."};
	size_t at = skip_blanks(head, size, 0);

	(void) path;
	if (at == size || head[at] != '{' || memmem(head, size, "\"graph\"", 7) != NULL ||
		memmem(head, size, "\"callFrame\"", 11) != NULL)
		return false; /* of Hatchet, of V8 */
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (memmem(head, size, keys[i], strlen(keys[i])) != NULL)
			return true;
	return has_section(head + at, size - at);
}

const PhReader ph_reader_caliper_json = {
	.name = "caliper-json",
	.description = "Caliper json-split (cali-query -q \"format json-split\")",
	.mark = "a JSON object with caliper's columns and column_metadata",
	.proof = "the JSON object ends",
	.detect_file = detect,
	.read_file = read_file,
};
