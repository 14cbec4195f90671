/*
 * source.c - reader of timemory's JSON: a tree of labels for each thing that was measured, and for
 * each process.
 *
 * Members of a measurement come in any order: places of the trees are noted first. Then they are
 * walked twice: for files and for values that are negative, which decides how a metric is stored,
 * and for the values.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <ctype.h>
#include <math.h>

#include "base/str.h"
#include "readers/json_tree.h"
#include "readers/reading.h"
#include "readers/source_paths.h"
#include "readers/timemory/timemory.h"

#define MAX_METRICS 256
#define MAX_PARTS 64 /* of a measurement: hardware counters that are counted together */

/* Trees of the processes: NULL when there are none. */
typedef struct Trees
{
	size_t at;
	bool has_ranks;
	int32_t first_rank;
} Trees;

/* A measurement, such as wall_clock; its parts are metrics. */
typedef struct Measure
{
	const char *name, *unit;
	uint32_t first, n; /* in metrics */
	int64_t mpi_size;
	Trees mpi, upcxx, alone;
} Measure;

typedef struct Metric
{
	const char *name, *unit;
	bool may_be_negative;
	uint32_t index; /* of the builder */
} Metric;

/* What is measured of a node, by part. */
typedef struct Sums
{
	double values[MAX_PARTS];
	uint32_t n;
} Sums;

typedef struct TimemoryReader
{
	PhReading in;
	PhJsonScan json;
	PhStrings strings;
	PhSourcePaths paths;
	PH_VECTOR(Measure) measures;
	uint32_t n_metrics;
	Metric metrics[MAX_METRICS];
	uint32_t laps;
	bool has_files; /* the second walk */

	/* the tree that is walked, or the measurement that is read */
	Measure *measure;
	const Trees *trees;
	int32_t n_processes; /* of these trees */
	int32_t rank;

	/* the node that is read */
	bool has_node, is_dummy;
	const char *name;
	uint32_t file; /* in paths */
	int32_t line, thread;
	uint32_t n_threads; /* that it names */
	double n_laps;
	Sums inclusive, exclusive, *sums; /* sums: those that are read */
} TimemoryReader;

static PhStatus
fail(TimemoryReader *reader, size_t at, const char *message)
{
	return ph_input_fail(reader->in.env, reader->in.input, PH_ERR_FORMAT, at, "%s", message);
}

static PhStatus
take_text(TimemoryReader *reader, const char **out)
{
	PhJsonText text;
	char *copy;
	uint32_t string;
	PH_TRY(ph_json_string(&reader->json, &text));
	PH_TRY(ph_json_unescape(&reader->json, &reader->in.arena, &text, &copy));
	PH_TRY(ph_strings_intern(&reader->strings, copy, &string));
	*out = reader->strings.text[string];
	return PH_OK;
}

/* ---- a node ---- */

static void
begin_node(void *context)
{
	TimemoryReader *reader = context;
	reader->has_node = reader->is_dummy = false;
	reader->name = NULL;
	reader->file = 0;
	reader->line = reader->thread = PH_NO_NUMBER;
	reader->n_laps = NAN;
	reader->inclusive.n = reader->exclusive.n = 0;
}

/* "solve@solve.cpp:114/inner" */
static PhStatus
take_prefix(TimemoryReader *reader)
{
	const char *label;
	char *whole;
	uint32_t string;
	PhStr str;
	PH_TRY(take_text(reader, &label));
	PhTimemoryName name = ph_timemory_name((PhSlice){label, strlen(label)});
	ph_str_init(&str, &reader->in.arena);
	PH_TRY(ph_str_append_n(&str, name.name.text, name.name.size));
	if (name.tail.size > 0)
	{
		PH_TRY(ph_str_append(&str, "/"));
		PH_TRY(ph_str_append_n(&str, name.tail.text, name.tail.size));
	}
	PH_TRY(ph_str_take(&str, &whole));
	PH_TRY(ph_strings_intern(&reader->strings, whole, &string));
	reader->name = reader->strings.text[string];
	PH_TRY(ph_strings_intern_n(&reader->strings, name.file.text, name.file.size, &string));
	reader->line = name.line;
	return ph_paths_add(&reader->paths, reader->strings.text[string], &reader->file);
}

static PhStatus
take_thread(void *context, const PhJsonText *key)
{
	TimemoryReader *reader = context;
	int64_t thread;
	(void) key;
	PH_TRY(ph_json_int(&reader->json, &thread));
	bool is_alone = reader->n_threads++ == 0 && thread >= 0 && thread <= INT32_MAX;
	reader->thread = is_alone ? (int32_t) thread : PH_NO_NUMBER;
	return PH_OK;
}

/* [1, 2]: together; [1]: this thread alone. */
static PhStatus
take_threads(TimemoryReader *reader)
{
	reader->n_threads = 0;
	if (ph_json_peek(&reader->json) != '[')
		return ph_json_skip(&reader->json);
	return ph_json_items(&reader->json, take_thread, reader);
}

static PhStatus
take_value(void *context, const PhJsonText *key)
{
	TimemoryReader *reader = context;
	Sums *sums = reader->sums;
	(void) key;
	if (sums->n == MAX_PARTS)
		return fail(reader, reader->json.at, "more than 64 parts of a measurement");
	return ph_json_number(&reader->json, &sums->values[sums->n++]);
}

/* A number, or the parts' numbers as list or by their names. */
static PhStatus
take_sum(TimemoryReader *reader)
{
	char next = ph_json_peek(&reader->json);
	reader->sums->n = 0;
	return next == '['	 ? ph_json_items(&reader->json, take_value, reader)
		   : next == '{' ? ph_json_members(&reader->json, take_value, reader)
						 : take_value(reader, NULL);
}

static PhStatus
take_stats(void *context, const PhJsonText *key)
{
	TimemoryReader *reader = context;
	if (ph_json_is(key, "sum"))
		return take_sum(reader);
	if (ph_json_is(key, "laps"))
		return ph_json_number(&reader->json, &reader->n_laps);
	return ph_json_skip(&reader->json);
}

/* {"entry": {"laps"}, "stats": {"sum"}} */
static PhStatus
take_cost_member(void *context, const PhJsonText *key)
{
	TimemoryReader *reader = context;
	bool is_read = ph_json_is(key, "entry") || ph_json_is(key, "stats");
	if (is_read && ph_json_peek(&reader->json) == '{')
		return ph_json_members(&reader->json, take_stats, reader);
	return ph_json_skip(&reader->json);
}

static PhStatus
take_cost(TimemoryReader *reader, Sums *sums)
{
	reader->sums = sums;
	return ph_json_members(&reader->json, take_cost_member, reader);
}

static PhStatus
take_node_member(void *context, const PhJsonText *key)
{
	TimemoryReader *reader = context;
	PhJsonScan *json = &reader->json;
	double hash;
	if (ph_json_is(key, "hash"))
	{
		PH_TRY(ph_json_number(json, &hash));
		reader->is_dummy = hash == 0;
		return PH_OK;
	}
	if (ph_json_is(key, "prefix"))
		return take_prefix(reader);
	if (ph_json_is(key, "tid"))
		return take_threads(reader);
	if (ph_json_is(key, "inclusive"))
		return take_cost(reader, &reader->inclusive);
	if (ph_json_is(key, "exclusive"))
		return take_cost(reader, &reader->exclusive);
	return ph_json_skip(json);
}

static PhStatus
take_member(void *context, const PhJsonText *key)
{
	TimemoryReader *reader = context;
	if (!ph_json_is(key, "node") || ph_json_peek(&reader->json) != '{')
		return ph_json_skip(&reader->json);
	reader->has_node = true;
	return ph_json_members(&reader->json, take_node_member, reader);
}

/* ---- what becomes of it ---- */

static void
note_negative(TimemoryReader *reader, const Sums *sums)
{
	for (uint32_t i = 0; i < sums->n; i++)
		if (sums->values[i] < 0)
			reader->metrics[reader->measure->first + i].may_be_negative = true;
}

static PhStatus
add_costs(TimemoryReader *reader, const Sums *sums, uint32_t node, uint32_t column, PhCost cost)
{
	for (uint32_t i = 0; i < sums->n; i++)
		PH_TRY(ph_builder_add_value(reader->in.builder,
									reader->metrics[reader->measure->first + i].index, node, column,
									cost, sums->values[i]));
	return PH_OK;
}

static PhStatus
add_node(TimemoryReader *reader, uint32_t parent, uint32_t *node)
{
	const PhReadOptions *options = reader->in.options;
	PhRegionSpec spec = {.kind = PH_KIND_REGION,
						 .name = reader->name,
						 .file = reader->paths.normal[reader->file],
						 .line = reader->line,
						 .paradigm = "user"};
	PhColumnSpec unit = {.kind = PH_COLUMN_UNIT,
						 .iteration = PH_NO_ITERATION,
						 .rank = reader->rank,
						 .thread = reader->thread};
	uint32_t region, column;
	if (options != NULL && options->module_map != NULL)
		spec.module = ph_module_map_apply(options->module_map, spec.name, spec.file, "");
	PH_TRY(ph_builder_add_region(reader->in.builder, &spec, &region));
	PH_TRY(ph_builder_child(reader->in.builder, parent, region, node));
	PH_TRY(ph_builder_add_column(reader->in.builder, &unit, &column));
	if (reader->measure == &reader->measures.items[0] && reader->n_laps >= 0)
		PH_TRY(ph_builder_add_value(reader->in.builder, reader->laps, *node, column,
									PH_COST_EXCLUSIVE, reader->n_laps));
	PH_TRY(add_costs(reader, &reader->inclusive, *node, column, PH_COST_INCLUSIVE));
	return add_costs(reader, &reader->exclusive, *node, column, PH_COST_EXCLUSIVE);
}

/* Nodes without a hash hold those of other threads together: their children are their parent's. */
static PhStatus
settle_node(void *context, size_t at, uint32_t parent, uint32_t *node)
{
	TimemoryReader *reader = context;
	*node = parent;
	if (!reader->has_node)
		return fail(reader, at, "a tree has children before its node");
	if (reader->is_dummy)
		return PH_OK;
	if (reader->name == NULL || reader->name[0] == '\0')
		return fail(reader, at, "a node has no prefix");
	if (reader->inclusive.n != reader->measure->n ||
		(reader->exclusive.n != 0 && reader->exclusive.n != reader->measure->n))
		return fail(reader, at, "a node has not as many sums as there are labels");
	if (reader->has_files)
		return add_node(reader, parent, node);
	note_negative(reader, &reader->inclusive);
	note_negative(reader, &reader->exclusive);
	return PH_OK;
}

static PhStatus
walk_tree(void *context, const PhJsonText *key)
{
	TimemoryReader *reader = context;
	const PhJsonTree tree = {reader, begin_node, take_member, settle_node};
	(void) key;
	return ph_json_tree_walk(&reader->json, &tree, PH_NONE);
}

/* A tree, or a list of them. */
static PhStatus
walk_process(void *context, const PhJsonText *key)
{
	TimemoryReader *reader = context;
	const Trees *trees = reader->trees;
	int32_t process = reader->n_processes++;
	reader->rank = trees->has_ranks ? trees->first_rank + process : PH_NO_NUMBER;
	if (ph_json_peek(&reader->json) == '{')
		return walk_tree(reader, key);
	return ph_json_items(&reader->json, walk_tree, reader);
}

static PhStatus
walk_processes(TimemoryReader *reader, const Trees *trees)
{
	if (trees->at == 0)
		return PH_OK;
	reader->json.at = trees->at;
	reader->trees = trees;
	reader->n_processes = 0;
	return ph_json_items(&reader->json, walk_process, reader);
}

static PhStatus
walk_all(TimemoryReader *reader)
{
	for (uint32_t i = 0; i < reader->measures.count; i++)
	{
		Measure *measure = &reader->measures.items[i];
		reader->measure = measure;
		measure->upcxx.first_rank = (int32_t) measure->mpi_size;
		if (measure->alone.at != 0)
			PH_TRY(walk_processes(reader, &measure->alone));
		else
		{
			PH_TRY(walk_processes(reader, &measure->mpi));
			PH_TRY(walk_processes(reader, &measure->upcxx));
		}
	}
	return PH_OK;
}

/* ---- measurements ---- */

/* "tim::component::WALL_CLOCK" is wall_clock. */
static PhStatus
take_name(TimemoryReader *reader, const PhJsonText *key, const char **out)
{
	char *name;
	PH_TRY(ph_json_unescape(&reader->json, &reader->in.arena, key, &name));
	for (char *at = name; *at != '\0'; at++)
		*at = (char) tolower((unsigned char) *at);
	if (strncmp(name, "tim::", 5) == 0)
		name += 5;
	if (strncmp(name, "component::", 11) == 0)
		name += 11;
	*out = name;
	return PH_OK;
}

static const char *
unit_of(const char *text)
{
	return strcmp(text, "sec") == 0 ? "s" : text;
}

static PhStatus
add_metric(TimemoryReader *reader, const char *name, const char *unit)
{
	Measure *measure = reader->measure;
	if (reader->n_metrics == MAX_METRICS || measure->n == MAX_PARTS)
		return fail(reader, reader->json.at, "too many labels of measurements");
	reader->metrics[reader->n_metrics++] = (Metric){.name = name, .unit = unit};
	measure->n++;
	return PH_OK;
}

/* key: NULL where the label itself is next, in a list. */
static PhStatus
take_label(void *context, const PhJsonText *key)
{
	TimemoryReader *reader = context;
	const char *label;
	char *copy;
	if (key == NULL)
	{
		PH_TRY(take_text(reader, &label));
		return add_metric(reader, label, "");
	}
	PH_TRY(ph_json_unescape(&reader->json, &reader->in.arena, key, &copy));
	PH_TRY(ph_json_skip(&reader->json));
	return add_metric(reader, copy, "");
}

/* The labels of a measurement with several parts: a list, or the names of an object. */
static PhStatus
take_labels(TimemoryReader *reader)
{
	char next = ph_json_peek(&reader->json);
	return next == '['	 ? ph_json_items(&reader->json, take_label, reader)
		   : next == '{' ? ph_json_members(&reader->json, take_label, reader)
						 : ph_json_skip(&reader->json);
}

static PhStatus
note_trees(TimemoryReader *reader, Trees *trees, bool has_ranks)
{
	if (ph_json_peek(&reader->json) != '[')
		return ph_json_skip(&reader->json);
	*trees = (Trees){.at = reader->json.at, .has_ranks = has_ranks};
	return ph_json_skip(&reader->json);
}

static PhStatus
take_measure_member(void *context, const PhJsonText *key)
{
	TimemoryReader *reader = context;
	PhJsonScan *json = &reader->json;
	Measure *measure = reader->measure;
	if (ph_json_is(key, "type"))
		return take_labels(reader);
	if (ph_json_is(key, "unit_repr") && ph_json_peek(json) == '"')
		return take_text(reader, &measure->unit);
	if (ph_json_is(key, "mpi_size"))
	{
		PH_TRY(ph_json_int(json, &measure->mpi_size));
		return measure->mpi_size >= 0 && measure->mpi_size <= INT32_MAX / 2
				   ? PH_OK
				   : fail(reader, json->at, "the number of ranks is out of range");
	}
	if (ph_json_is(key, "mpi"))
		return note_trees(reader, &measure->mpi, true);
	if (ph_json_is(key, "upcxx") || ph_json_is(key, "upc"))
		return note_trees(reader, &measure->upcxx, true);
	if (ph_json_is(key, "graph"))
		return note_trees(reader, &measure->alone, false);
	return ph_json_skip(json);
}

static PhStatus
read_measure(void *context, const PhJsonText *name)
{
	TimemoryReader *reader = context;
	Measure measure = {.first = reader->n_metrics, .unit = ""};
	if (ph_json_peek(&reader->json) != '{')
		return ph_json_skip(&reader->json);
	reader->measure = &measure;
	PH_TRY(take_name(reader, name, &measure.name));
	PH_TRY(ph_json_members(&reader->json, take_measure_member, reader));
	if (measure.mpi.at == 0 && measure.upcxx.at == 0 && measure.alone.at == 0)
	{
		reader->n_metrics = measure.first;
		return PH_OK;
	}
	if (measure.n == 0)
		PH_TRY(add_metric(reader, measure.name, unit_of(measure.unit)));
	PH_TRY(PH_ROOM(&reader->in.arena, &reader->measures));
	reader->measures.items[reader->measures.count++] = measure;
	return PH_OK;
}

static PhStatus
take_outer(void *context, const PhJsonText *key)
{
	TimemoryReader *reader = context;
	if (ph_json_is(key, "timemory"))
		return ph_json_members(&reader->json, read_measure, reader);
	return ph_json_skip(&reader->json);
}

static PhStatus
read_layout(TimemoryReader *reader)
{
	PhJsonScan *json = &reader->json;
	PH_TRY(ph_json_members(json, take_outer, reader));
	PH_TRY(ph_json_end(json));
	return reader->measures.count > 0 ? PH_OK : fail(reader, json->at, "nothing was measured");
}

/* ---- all ---- */

static PhStatus
add_metrics(TimemoryReader *reader)
{
	PhMetricSpec laps = {
		.name = "laps", .unit = "count", .kind = PH_METRIC_FLOW, .given = PH_GIVEN_EXCLUSIVE};
	PH_TRY(ph_builder_new(reader->in.env, &reader->in.builder));
	for (uint32_t i = 0; i < reader->n_metrics; i++)
	{
		Metric *metric = &reader->metrics[i];
		PhMetricSpec spec = {.name = metric->name,
							 .unit = metric->unit,
							 .kind = PH_METRIC_FLOW,
							 .given = PH_GIVEN_BOTH,
							 .may_be_negative = metric->may_be_negative};
		PH_TRY(ph_builder_add_metric(reader->in.builder, &spec, &metric->index));
	}
	return ph_builder_add_metric(reader->in.builder, &laps, &reader->laps);
}

static PhStatus
read_all(void *context)
{
	TimemoryReader *reader = context;
	const PhReadOptions *options = reader->in.options;
	PH_TRY(ph_strings_init(&reader->strings, &reader->in.arena));
	PH_TRY(ph_paths_init(&reader->paths, &reader->in.arena,
						 options != NULL ? options->source_root : NULL));
	PH_TRY(read_layout(reader));
	PH_TRY(walk_all(reader));
	PH_TRY(ph_paths_finish(&reader->paths));
	reader->has_files = true;
	PH_TRY(add_metrics(reader));
	PH_TRY(walk_all(reader));
	PH_TRY(ph_builder_finish(reader->in.builder, &reader->in.run->profile));
	return ph_paths_raw_regions(&reader->paths, reader->in.env, reader->in.run);
}

static PhStatus
read_file(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	TimemoryReader reader = {.in = {.env = env, .input = input, .options = options, .run = out},
							 .json = {env, input, 0}};
	return ph_reading_do(&reader.in, read_all, &reader);
}

/* The outermost object's member, and one of what every measurement has. */
static bool
detect(const char *path, const uint8_t *head, size_t size)
{
	static const char *const units[] = {"\"timemory\"", "\"unit_repr\"", NULL};
	static const char *const versions[] = {"\"timemory\"", "\"cereal_class_version\"", NULL};
	(void) path;
	return ph_json_head_has(head, size, units) || ph_json_head_has(head, size, versions);
}

const PhReader ph_reader_timemory = {
	.name = "timemory",
	.description = "timemory's JSON",
	.mark = "JSON with timemory and unit_repr or cereal_class_version",
	.proof = "the object ends",
	.detect_file = detect,
	.read_file = read_file,
};
