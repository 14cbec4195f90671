/*
 * source_cali.c - reader of Caliper's native text format.
 *
 * Two passes over the lines: the first takes nodes, globals and which attributes the rows use; the
 * second the rows. Several metrics of one time in different aggregations, rank and thread
 * attributes, iterations and time-series all come from attributes; see caliper.h. A file with an
 * event trace is aggregated: each event's duration belongs to the path that was open before it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/caliper/caliper.h"

#include <string.h>

#include "base/min_max.h"
#include "readers/caliper/cali_tree.h"
#include "readers/completeness.h"
#include "readers/experiment_folder.h"

/* Axis values and parts of an activity that a node or one of its ancestors sets. */
typedef struct NodeAxes
{
	int32_t rank, thread;
	int64_t iteration;
	PhCaliperParts activity;
} NodeAxes;

#define NO_AXES                                                                                    \
	(NodeAxes)                                                                                     \
	{                                                                                              \
		.rank = PH_NO_NUMBER, .thread = PH_NO_NUMBER, .iteration = PH_NO_ITERATION                 \
	}

typedef struct CaliReader
{
	PhEnv *env;
	PhInput *input;
	const PhReadOptions *options;
	PhRunInput *run;
	PhArena arena;
	PhProfileBuilder *builder;
	PhCaliScanner scanner;
	PhCaliTree tree;
	PhContextTree context;
	NodeAxes *axes; /* per node, once visited */
	PhCaliperRows rows;
	uint32_t kernels; /* field of the number of kernels; PH_NONE: rows do not tell it */
	uint64_t n_rows;
	PhCaliKind last; /* record of the file */
} CaliReader;

/* ---- first pass ---- */

static PhStatus
read_nodes(CaliReader *reader)
{
	PhCaliRecord record;
	bool more;
	reader->scanner.unwanted = 1U << PH_CALI_CTX; /* which other passes read, as they do globals */
	for (;;)
	{
		PH_TRY(ph_cali_next(&reader->scanner, &record, &more));
		if (!more)
			return PH_OK;
		reader->last = record.kind;
		if (record.kind == PH_CALI_NODE)
			PH_TRY(ph_cali_tree_add(&reader->tree, &record));
		reader->n_rows += record.kind == PH_CALI_CTX;
		ph_input_passed(reader->input, reader->scanner.at, NULL);
	}
}

/* Caliper writes the globals last, of every flush. */
static PhStatus
check_end(CaliReader *reader)
{
	size_t line, column;

	if (reader->scanner.is_cut)
	{
		ph_input_position(reader->input, reader->input->size, &line, &column);
		PH_TRY(ph_run_missing(reader->env, reader->run, "it ends within line %zu", line));
	}
	if (reader->last != PH_CALI_GLOBALS)
		return ph_run_missing(reader->env, reader->run,
							  "it does not end with the record of its globals (__rec=globals)");
	return PH_OK;
}

/* A metadata value; a key that is set by several processes keeps the last one. */
static PhStatus
set_global(CaliReader *reader, uint32_t attribute, const PhCaliText *data)
{
	const PhCaliAttribute *what = &reader->tree.attributes[attribute];
	const char *name = reader->tree.fields[attribute].name;
	char *value;
	double number;
	PH_TRY(ph_cali_decode(&reader->scanner, &reader->arena, data, &value));
	if (name[0] == '\0')
		return PH_OK;
	bool is_number = what->is_number && ph_parse_number(value, strlen(value), &number);
	return ph_meta_set(reader->env, &reader->run->meta, name, value, is_number);
}

/* All nodes on the way to the root, top first. */
static PhStatus
set_global_chain(CaliReader *reader, uint32_t node)
{
	uint32_t *stack = reader->context.stack;
	uint32_t depth = 0;
	for (uint32_t at = node; at != PH_NONE; at = reader->tree.parent[at])
		stack[depth++] = at;
	while (depth > 0)
	{
		uint32_t at = stack[--depth];
		if (reader->tree.attribute[at] != PH_NONE)
			PH_TRY(set_global(reader, reader->tree.attribute[at], &reader->tree.data[at]));
	}
	return PH_OK;
}

static PhStatus
read_globals(CaliReader *reader, const PhCaliRecord *record)
{
	PhCaliText refs = record->ref;
	PhCaliText attrs = record->attr;
	PhCaliText values = record->data;
	PhCaliText element;
	PhCaliText value;
	while (ph_cali_next_element(&refs, &element))
	{
		uint32_t node;
		PH_TRY(ph_cali_tree_find(&reader->tree, &element, &node));
		PH_TRY(set_global_chain(reader, node));
	}
	while (ph_cali_next_element(&attrs, &element))
	{
		uint32_t attribute;
		if (!ph_cali_next_element(&values, &value))
			return ph_cali_fail(&reader->scanner, "a record has more attributes than values");
		PH_TRY(ph_cali_tree_attribute(&reader->tree, &element, &attribute));
		if (attribute != PH_NONE)
			PH_TRY(set_global(reader, attribute, &value));
	}
	return PH_OK;
}

/* Count which attributes rows use as immediate values. */
static PhStatus
count_uses(CaliReader *reader, const PhCaliRecord *record)
{
	PhCaliText attrs = record->attr;
	PhCaliText element;
	while (ph_cali_next_element(&attrs, &element))
	{
		uint32_t attribute;
		PH_TRY(ph_cali_tree_attribute(&reader->tree, &element, &attribute));
		if (attribute != PH_NONE)
			reader->tree.fields[attribute].n_uses++;
	}
	return PH_OK;
}

/* Visit all records from the file's begin on, but unwanted ones; options: report progress. */
static PhStatus
visit_records(CaliReader *reader, PhStatus (*visit)(CaliReader *, const PhCaliRecord *),
			  unsigned unwanted, const PhReadOptions *options)
{
	PhCaliRecord record;
	bool more;
	reader->scanner.at = 0;
	reader->scanner.unwanted = unwanted;
	reader->input->dropped = 0;
	for (;;)
	{
		PH_TRY(ph_cali_next(&reader->scanner, &record, &more));
		if (!more)
			return PH_OK;
		PH_TRY(visit(reader, &record));
		ph_input_passed(reader->input, reader->scanner.at, options);
	}
}

static PhStatus
read_header_record(CaliReader *reader, const PhCaliRecord *record)
{
	if (record->kind == PH_CALI_GLOBALS)
		return read_globals(reader, record);
	return record->kind == PH_CALI_CTX ? count_uses(reader, record) : PH_OK;
}

/* ---- the context tree ---- */

static PhStatus
set_axis(CaliReader *reader, PhCaliperRole role, const PhCaliText *data, NodeAxes *axes)
{
	int64_t value;
	if (role == PH_CALIPER_SKIP || role == PH_CALIPER_METRIC)
		return PH_OK;
	bool valid = ph_parse_int64(data->text, data->size, &value);
	if (role == PH_CALIPER_ITERATION && valid)
		axes->iteration = value;
	else if (!valid || value < 0 || value > INT32_MAX)
		return ph_cali_fail(&reader->scanner, "rank, thread or iteration is not a whole number in "
											  "range");
	else if (role == PH_CALIPER_RANK)
		axes->rank = (int32_t) value;
	else
		axes->thread = (int32_t) value;
	return PH_OK;
}

/* What a node outside the call path says. */
static PhStatus
set_axis_or_part(CaliReader *reader, uint32_t attribute, uint32_t node)
{
	const PhCaliTree *tree = &reader->tree;
	PhCaliperPart part = ph_caliper_part(tree->fields[attribute].name);
	char *text;
	if (part == PH_CALIPER_NO_PART)
		return set_axis(reader, tree->fields[attribute].role, &tree->data[node],
						&reader->axes[node]);
	PH_TRY(ph_cali_decode(&reader->scanner, &reader->arena, &tree->data[node], &text));
	reader->axes[node].activity.text[part] = text;
	return PH_OK;
}

static PhStatus
region_of_node(void *user, uint32_t node, uint32_t *region)
{
	CaliReader *reader = user;
	const PhCaliTree *tree = &reader->tree;
	uint32_t attribute = tree->attribute[node];
	uint32_t parent = tree->parent[node];
	reader->axes[node] = parent != PH_NONE ? reader->axes[parent] : NO_AXES;
	*region = PH_NONE;
	if (attribute == PH_NONE)
		return PH_OK;
	if ((tree->attributes[attribute].properties & PH_CALI_PROP_NESTED) == 0)
		return set_axis_or_part(reader, attribute, node);
	char *label;
	PH_TRY(ph_cali_decode(&reader->scanner, &reader->arena, &tree->data[node], &label));
	PhRegionSpec spec = {.name = label[0] != '\0' ? label : "<unnamed>",
						 .kind = ph_caliper_region_kind(label),
						 .line = PH_NO_NUMBER};
	if (reader->options != NULL && reader->options->module_map != NULL)
		spec.module = ph_module_map_apply(reader->options->module_map, spec.name, NULL, NULL);
	return ph_builder_add_region(reader->builder, &spec, region);
}

/* Append the nested part of node's path below *path: for rows with several references. */
static PhStatus
append_path(CaliReader *reader, uint32_t node, uint32_t *path)
{
	uint32_t *stack = reader->context.stack;
	uint32_t depth = 0;
	for (uint32_t at = node; at != PH_NONE; at = reader->tree.parent[at])
		stack[depth++] = at;
	while (depth > 0)
	{
		uint32_t at = stack[--depth];
		uint32_t region;
		PH_TRY(region_of_node(reader, at, &region));
		if (region != PH_NONE)
			PH_TRY(ph_builder_child(reader->builder, *path, region, path));
	}
	return PH_OK;
}

/* ---- second pass ---- */

static void
merge_axes(NodeAxes *into, const NodeAxes *from)
{
	into->rank = from->rank != PH_NO_NUMBER ? from->rank : into->rank;
	into->thread = from->thread != PH_NO_NUMBER ? from->thread : into->thread;
	into->iteration = from->iteration != PH_NO_ITERATION ? from->iteration : into->iteration;
	for (int i = 0; i < PH_CALIPER_PARTS; i++)
		if (from->activity.text[i] != NULL)
			into->activity.text[i] = from->activity.text[i];
}

/* The path of a row: its references in order, each one's nested nodes below the previous one's. */
static PhStatus
read_references(CaliReader *reader, PhCaliText refs, uint32_t *path, NodeAxes *axes)
{
	PhCaliText element;
	*path = PH_NONE;
	while (ph_cali_next_element(&refs, &element))
	{
		uint32_t node;
		uint32_t own;
		PH_TRY(ph_cali_tree_find(&reader->tree, &element, &node));
		PH_TRY(ph_context_path(&reader->context, node, &own));
		merge_axes(axes, &reader->axes[node]);
		if (own == PH_NONE)
			continue;
		if (*path == PH_NONE)
			*path = own;
		else
			PH_TRY(append_path(reader, node, path));
	}
	return PH_OK;
}

static PhStatus
read_axes(CaliReader *reader, const PhCaliRecord *record, NodeAxes *axes)
{
	PhCaliText attrs = record->attr;
	PhCaliText values = record->data;
	PhCaliText element;
	PhCaliText value;
	while (ph_cali_next_element(&attrs, &element))
	{
		uint32_t attribute;
		if (!ph_cali_next_element(&values, &value))
			return ph_cali_fail(&reader->scanner, "a record has more attributes than values");
		PH_TRY(ph_cali_tree_attribute(&reader->tree, &element, &attribute));
		if (attribute != PH_NONE)
			PH_TRY(set_axis(reader, reader->tree.fields[attribute].role, &value, axes));
	}
	if (ph_cali_next_element(&values, &value) && record->attr.text != NULL)
		return ph_cali_fail(&reader->scanner, "a record has more values than attributes");
	return PH_OK;
}

static PhStatus
add_value(CaliReader *reader, uint32_t field, double value)
{
	PhStatus status = ph_caliper_value(&reader->rows, field, value);
	if (status != PH_ERR_VALUE)
		return status;
	char message[PH_ERROR_MAX];
	memcpy(message, reader->env->error.message, sizeof(message));
	return ph_input_fail(reader->env, reader->input, status, reader->scanner.line_start, "%.300s",
						 message);
}

/* Where each row is one activity, rows of kernels are counted. */
static PhStatus
read_value(CaliReader *reader, uint32_t attribute, const PhCaliText *text)
{
	double value;
	const char *name = reader->tree.fields[attribute].name;
	bool is_single;
	if (!ph_parse_number(text->text, text->size, &value))
		return ph_input_fail(reader->env, reader->input, PH_ERR_VALUE, reader->scanner.line_start,
							 "value of \"%.100s\" is not a finite number", name);
	if (reader->kernels != PH_NONE && ph_caliper_is_activity_time(name, &is_single) && is_single)
		PH_TRY(add_value(reader, reader->kernels, 1));
	return add_value(reader, attribute, value);
}

static PhStatus
read_row(CaliReader *reader, const PhCaliRecord *record)
{
	NodeAxes axes = NO_AXES;
	PhCaliText attrs = record->attr;
	PhCaliText values = record->data;
	PhCaliText element;
	PhCaliText value;
	uint32_t path;
	PH_TRY(read_references(reader, record->ref, &path, &axes));
	PH_TRY(read_axes(reader, record, &axes));
	PH_TRY(ph_caliper_add_activity(reader->builder, &axes.activity, &path));
	reader->rows.is_kernel = ph_caliper_is_kernel(&axes.activity);
	PH_TRY(ph_caliper_row(&reader->rows, path, axes.rank, axes.thread, axes.iteration));
	while (ph_cali_next_element(&attrs, &element) && ph_cali_next_element(&values, &value))
	{
		uint32_t attribute;
		PH_TRY(ph_cali_tree_attribute(&reader->tree, &element, &attribute));
		if (attribute != PH_NONE && reader->tree.fields[attribute].role == PH_CALIPER_METRIC)
			PH_TRY(read_value(reader, attribute, &value));
	}
	return PH_OK;
}

static PhStatus
read_row_record(CaliReader *reader, const PhCaliRecord *record)
{
	return record->kind == PH_CALI_CTX ? read_row(reader, record) : PH_OK;
}

/* A field of our own behind those of attributes: kernels, where each row is one activity. */
static PhStatus
add_kernels(CaliReader *reader)
{
	PhCaliTree *tree = &reader->tree;
	PhMetricSpec spec = {.name = "gpu kernels",
						 .unit = "count",
						 .kind = PH_METRIC_FLOW,
						 .combine = PH_COMBINE_SUM,
						 .given = PH_GIVEN_EXCLUSIVE};
	bool is_single = false;
	PhCaliperField *fields;
	for (uint32_t i = 0; i < tree->n_attributes && !is_single; i++)
		is_single = tree->fields[i].role == PH_CALIPER_METRIC &&
					ph_caliper_is_activity_time(tree->fields[i].name, &is_single) && is_single;
	reader->kernels = PH_NONE;
	if (!is_single)
		return PH_OK;
	PH_TRY(PH_NEW(&reader->arena, (size_t) tree->n_attributes + 1, &fields));
	memcpy(fields, tree->fields, tree->n_attributes * sizeof(*fields));
	reader->kernels = tree->n_attributes;
	fields[reader->kernels] = (PhCaliperField){.name = spec.name,
											   .role = PH_CALIPER_METRIC,
											   .metric_name = spec.name,
											   .cost = PH_COST_EXCLUSIVE,
											   .flow = true,
											   .scale = 1,
											   .of_kernels = true};
	tree->fields = fields;
	return ph_builder_add_metric(reader->builder, &spec, &fields[reader->kernels].metric);
}

static uint32_t
count_fields(const CaliReader *reader)
{
	return reader->tree.n_attributes + (reader->kernels != PH_NONE);
}

/* Metrics are immediate values of rows; axes count whether nodes or values carry them. */
static PhStatus
prepare_rows(CaliReader *reader)
{
	PhCaliTree *tree = &reader->tree;
	bool has_ranks = false;
	bool has_threads = false;
	for (uint32_t i = 0; i < tree->n_attributes; i++)
		if (tree->fields[i].role == PH_CALIPER_METRIC && tree->fields[i].n_uses == 0)
			tree->fields[i].role = PH_CALIPER_SKIP;
	for (uint32_t i = 0; i < tree->n_nodes; i++)
		if (tree->attribute[i] != PH_NONE)
			tree->fields[tree->attribute[i]].n_uses++;
	for (uint32_t i = 0; i < tree->n_attributes; i++)
	{
		PhCaliperField *field = &tree->fields[i];
		if (field->n_uses == 0 || (tree->attributes[i].properties & PH_CALI_PROP_NESTED) != 0)
			field->role = PH_CALIPER_SKIP;
		has_ranks |= field->role == PH_CALIPER_RANK;
		has_threads |= field->role == PH_CALIPER_THREAD;
	}
	PH_TRY(ph_caliper_add_metrics(&reader->arena, reader->builder, tree->fields, tree->n_attributes,
								  ph_meta_get(&reader->run->meta, "cali.caliper.version"), true));
	PH_TRY(add_kernels(reader));
	PH_TRY(ph_caliper_rows_init(&reader->rows, &reader->arena, reader->builder, tree->fields,
								count_fields(reader)));
	int32_t world = ph_caliper_world_size(&reader->run->meta);
	reader->run->n_ranks = world;
	reader->rows.has_ranks = has_ranks;
	reader->rows.has_threads = has_threads;
	if (!has_ranks && world > 1)
		reader->rows.world = (uint32_t) world;
	PH_TRY(PH_NEW(&reader->arena, tree->n_nodes, &reader->axes));
	reader->context.builder = reader->builder;
	reader->context.region = region_of_node;
	reader->context.user = reader;
	return PH_OK;
}

static PhStatus
read_all(CaliReader *reader)
{
	PH_TRY(ph_cali_tree_init(&reader->tree, &reader->arena, &reader->scanner));
	PH_TRY(read_nodes(reader));
	PH_TRY(check_end(reader));
	PH_TRY(ph_cali_tree_resolve(&reader->tree, &reader->context));
	PH_TRY(visit_records(reader, read_header_record, 1U << PH_CALI_NODE, NULL));
	if (reader->n_rows == 0)
		return ph_input_fail(reader->env, reader->input, PH_ERR_VALUE, reader->input->size,
							 "the file holds no rows (\"__rec=ctx\")");
	PH_TRY(ph_builder_new(reader->env, &reader->builder));
	PH_TRY(prepare_rows(reader));
	PH_TRY(visit_records(reader, read_row_record, ~(1U << PH_CALI_CTX), reader->options));
	PH_TRY(ph_caliper_rows_finish(&reader->rows, reader->env, count_fields(reader), reader->run));
	return ph_builder_finish(reader->builder, &reader->run->profile);
}

static PhStatus
read_file(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	CaliReader reader = {.env = env, .input = input, .options = options, .run = out};
	*out = ph_run_input_new();
	reader.scanner = (PhCaliScanner){.env = env, .input = input};
	ph_arena_init(&reader.arena, env);
	PhStatus status = read_all(&reader);
	ph_builder_free(reader.builder);
	ph_arena_drop(&reader.arena);
	if (status != PH_OK)
		ph_run_input_free(env, out);
	return status;
}

/* The first line that is neither blank nor a comment begins a record, or is one cut off at once. */
static bool
detect(const char *path, const uint8_t *head, size_t size)
{
	for (size_t at = 0; at < size;)
	{
		const uint8_t *newline = memchr(head + at, '\n', size - at);
		size_t end = newline != NULL ? (size_t) (newline - head) : size;
		if (head[at] != '#' && head[at] != '\r' && end > at)
			return memcmp(head + at, "__rec=", PH_MIN(end - at, 6)) == 0 &&
				   (end - at >= 6 || (newline == NULL && ph_has_suffix(path, ".cali")));
		at = end + 1;
	}
	return false;
}

const PhReader ph_reader_caliper_cali = {
	.name = "caliper-cali",
	.description = "Caliper native text (.cali)",
	.mark = "the first line begins with __rec=",
	.proof = "every line ends, the last one is the record of the globals",
	.detect_file = detect,
	.read_file = read_file,
};
