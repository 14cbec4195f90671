/*
 * source.c - reader of the JSON of TALP (of DLB): efficiencies, times and counts of regions.
 *
 * Regions are of the whole job, there are no values of ranks. The region of the whole program is
 * the root, all others are below it; how they lie within each other is not said.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/json_scan.h"
#include "readers/reading.h"

#define MAX_METRICS 256

static const char elapsed[] = "elapsedTime";

typedef struct Value
{
	uint32_t region, metric;
	double value;
} Value;

typedef struct TalpReader
{
	PhReading in;
	PhJsonScan json;
	PhStrings metrics;				 /* index = metric + 1; the first is the elapsed time */
	PH_VECTOR(const char *) regions; /* names */
	PH_VECTOR(Value) values;
	bool has_regions;
	char *name; /* of the region that is read; NULL: not known yet */
} TalpReader;

static PhStatus
fail(TalpReader *reader, size_t at, const char *message)
{
	return ph_input_fail(reader->in.env, reader->in.input, PH_ERR_FORMAT, at, "%s", message);
}

static bool
ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n >= m && strcmp(text + n - m, end) == 0;
}

/* Times are in nanoseconds. */
static bool
is_time(const char *key)
{
	return ends_with(key, "Time") || strstr(key, "Normd") != NULL;
}

static bool
is_count(const char *key)
{
	return strncmp(key, "num", 3) == 0 || strcmp(key, "cycles") == 0 ||
		   strcmp(key, "instructions") == 0;
}

/* ---- regions ---- */

/* Negative numbers stand for what was not measured. */
static PhStatus
take_value(TalpReader *reader, const PhJsonText *key, uint32_t region)
{
	Value value = {.region = region};
	char *name;
	size_t at = reader->json.at;
	PH_TRY(ph_json_unescape(&reader->json, &reader->in.arena, key, &name));
	PH_TRY(ph_json_number(&reader->json, &value.value));
	if (value.value < 0)
		return PH_OK;
	if (name[0] == '\0')
		return fail(reader, at, "a value has no name");
	PH_TRY(ph_strings_intern(&reader->metrics, name, &value.metric));
	if (value.metric-- > MAX_METRICS)
		return fail(reader, at, "more than 256 different metrics");
	if (is_time(name))
		value.value *= 1e-9;
	PH_TRY(PH_ROOM(&reader->in.arena, &reader->values));
	reader->values.items[reader->values.count++] = value;
	return PH_OK;
}

static PhStatus
take_name(TalpReader *reader)
{
	PhJsonText text;
	PH_TRY(ph_json_string(&reader->json, &text));
	return ph_json_unescape(&reader->json, &reader->in.arena, &text, &reader->name);
}

static PhStatus
take_region_member(void *context, const PhJsonText *key)
{
	TalpReader *reader = context;
	char next = ph_json_peek(&reader->json);
	if (next == '"' && (ph_json_is(key, "name") || ph_json_is(key, "regionName")))
		return take_name(reader);
	if (next == '-' || (next >= '0' && next <= '9'))
		return take_value(reader, key, reader->regions.count - 1);
	return ph_json_skip(&reader->json);
}

/* key: its name; NULL where the region has it as a member. */
static PhStatus
take_region(void *context, const PhJsonText *key)
{
	TalpReader *reader = context;
	PhJsonScan *json = &reader->json;
	(void) ph_json_peek(json);
	size_t at = json->at;
	reader->name = NULL;
	if (key != NULL)
		PH_TRY(ph_json_unescape(json, &reader->in.arena, key, &reader->name));
	PH_TRY(PH_ROOM(&reader->in.arena, &reader->regions));
	reader->regions.count++;
	PH_TRY(ph_json_members(json, take_region_member, reader));
	if (reader->name == NULL || reader->name[0] == '\0')
		return fail(reader, at, "a region has no name");
	reader->regions.items[reader->regions.count - 1] = reader->name;
	return PH_OK;
}

/* Of an object by their names, or, before DLB 3.5, a list. */
static PhStatus
read_regions(TalpReader *reader)
{
	reader->has_regions = true;
	if (ph_json_peek(&reader->json) == '[')
		return ph_json_items(&reader->json, take_region, reader);
	return ph_json_members(&reader->json, take_region, reader);
}

/* ---- what is said of the run ---- */

/* second: NULL, or another key for the value. TALP-Pages writes what it does not know so. */
static PhStatus
note(TalpReader *reader, const char *key, const char *second)
{
	static const char unknown[] = "unkown ";
	PhMeta *meta = &reader->in.run->meta;
	char *value;
	bool is_number;
	PH_TRY(ph_json_scalar(&reader->json, &reader->in.arena, &value, &is_number));
	if (value == NULL || strncmp(value, unknown, sizeof(unknown) - 1) == 0)
		return PH_OK;
	PH_TRY(ph_meta_set(reader->in.env, meta, key, value, is_number));
	return second == NULL ? PH_OK : ph_meta_set(reader->in.env, meta, second, value, is_number);
}

/* What TALP-Pages adds of the source's version. */
static PhStatus
take_version(void *context, const PhJsonText *key)
{
	TalpReader *reader = context;
	if (ph_json_is(key, "gitCommit"))
		return note(reader, "commit", NULL);
	if (ph_json_is(key, "gitBranch"))
		return note(reader, "branch", NULL);
	if (ph_json_is(key, "gitTimestamp"))
		return note(reader, "talp_pages.commit_time", NULL);
	if (ph_json_is(key, "isMergeRequest"))
		return note(reader, "talp_pages.is_merge_request", NULL);
	return ph_json_skip(&reader->json);
}

static PhStatus
take_ranks(TalpReader *reader)
{
	int64_t n;
	PH_TRY(ph_json_int(&reader->json, &n));
	if (n > 0 && n <= INT32_MAX)
		reader->in.run->n_ranks = (int32_t) n;
	return PH_OK;
}

static PhStatus
take_resource(void *context, const PhJsonText *key)
{
	TalpReader *reader = context;
	if (ph_json_is(key, "numMpiRanks"))
		return take_ranks(reader);
	if (ph_json_is(key, "numCpus"))
		return note(reader, "talp.cpus", NULL);
	if (ph_json_is(key, "numNodes"))
		return note(reader, "nodes", NULL);
	if (ph_json_is(key, "numGpus"))
		return note(reader, "talp.gpus", NULL);
	return ph_json_skip(&reader->json);
}

/* Regions are in "Application" since DLB 3.5, in "popMetrics" before. */
static PhStatus
take_member(void *context, const PhJsonText *key)
{
	TalpReader *reader = context;
	bool is_object = ph_json_peek(&reader->json) == '{';
	if (ph_json_is(key, "popMetrics") || (is_object && ph_json_is(key, "Application")))
		return read_regions(reader);
	if (is_object && ph_json_is(key, "resources"))
		return ph_json_members(&reader->json, take_resource, reader);
	if (is_object && ph_json_is(key, "metadata"))
		return ph_json_members(&reader->json, take_version, reader);
	if (ph_json_is(key, "dlbVersion"))
		return note(reader, "talp.dlb_version", NULL);
	if (ph_json_is(key, "timestamp"))
		return note(reader, "talp.timestamp", "started_at");
	return ph_json_skip(&reader->json);
}

static PhStatus
read_layout(TalpReader *reader)
{
	PhJsonScan *json = &reader->json;
	PH_TRY(ph_json_members(json, take_member, reader));
	PH_TRY(ph_json_end(json));
	return reader->has_regions ? PH_OK : fail(reader, json->at, "there are no metrics of regions");
}

/* ---- the profile ---- */

static PhStatus
add_metrics(TalpReader *reader)
{
	for (uint32_t i = 1; i < reader->metrics.count; i++)
	{
		const char *key = reader->metrics.text[i];
		bool is_first = i == 1;
		PhMetricSpec spec = {.name = key,
							 .unit = is_time(key)	 ? "s"
									 : is_count(key) ? "count"
													 : "",
							 .kind = is_first ? PH_METRIC_FLOW : PH_METRIC_VALUE,
							 .combine =
								 is_time(key) || is_count(key) ? PH_COMBINE_SUM : PH_COMBINE_MEAN,
							 .given = is_first ? PH_GIVEN_INCLUSIVE : PH_GIVEN_EXCLUSIVE};
		uint32_t index;
		PH_TRY(ph_builder_add_metric(reader->in.builder, &spec, &index));
	}
	return PH_OK;
}

/* The region of the whole program; PH_NONE: there is none. */
static uint32_t
find_whole(const TalpReader *reader)
{
	static const char *const names[] = {"Application", "Global", "MPI Execution"};
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		for (uint32_t i = 0; i < reader->regions.count; i++)
			if (strcmp(reader->regions.items[i], names[k]) == 0)
				return i;
	return PH_NONE;
}

static PhStatus
add_region(TalpReader *reader, uint32_t i, uint32_t parent, uint32_t *node)
{
	PhRegionSpec spec = {.kind = PH_KIND_REGION,
						 .name = reader->regions.items[i],
						 .line = PH_NO_NUMBER,
						 .paradigm = "user"};
	uint32_t region;
	PH_TRY(ph_builder_add_region(reader->in.builder, &spec, &region));
	return ph_builder_add_node(reader->in.builder, parent, region, node);
}

static PhStatus
add_nodes(TalpReader *reader, uint32_t *nodes)
{
	uint32_t whole = find_whole(reader), root = PH_NONE;
	if (whole != PH_NONE)
	{
		PH_TRY(add_region(reader, whole, PH_NONE, &nodes[whole]));
		root = nodes[whole];
	}
	for (uint32_t i = 0; i < reader->regions.count; i++)
		if (i != whole)
			PH_TRY(add_region(reader, i, root, &nodes[i]));
	return PH_OK;
}

static PhStatus
build(TalpReader *reader)
{
	PhColumnSpec unit = {.kind = PH_COLUMN_UNIT,
						 .iteration = PH_NO_ITERATION,
						 .rank = PH_NO_NUMBER,
						 .thread = PH_NO_NUMBER};
	uint32_t *nodes, column;
	PH_TRY(PH_NEW(&reader->in.arena, reader->regions.count, &nodes));
	PH_TRY(ph_builder_new(reader->in.env, &reader->in.builder));
	PH_TRY(add_metrics(reader));
	PH_TRY(ph_builder_add_column(reader->in.builder, &unit, &column));
	PH_TRY(add_nodes(reader, nodes));
	for (uint32_t i = 0; i < reader->regions.count; i++)
		PH_TRY(ph_builder_mark_present(reader->in.builder, nodes[i], column));
	for (uint32_t i = 0; i < reader->values.count; i++)
	{
		const Value *value = &reader->values.items[i];
		PH_TRY(ph_builder_add_value(reader->in.builder, value->metric, nodes[value->region], column,
									value->metric == 0 ? PH_COST_INCLUSIVE : PH_COST_EXCLUSIVE,
									value->value));
	}
	return PH_OK;
}

static PhStatus
read_all(void *context)
{
	TalpReader *reader = context;
	uint32_t first;
	PH_TRY(ph_strings_init(&reader->metrics, &reader->in.arena));
	PH_TRY(ph_strings_intern(&reader->metrics, elapsed, &first));
	PH_TRY(read_layout(reader));
	return build(reader);
}

static PhStatus
read_file(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	TalpReader reader = {.in = {.env = env, .input = input, .options = options, .run = out},
						 .json = {env, input, 0}};
	return ph_reading_do(&reader.in, read_all, &reader);
}

/* An object with a member that nothing else has. */
static bool
detect(const char *path, const uint8_t *head, size_t size)
{
	static const char *const version[] = {"\"dlbVersion\"", NULL};
	static const char *const regions[] = {"\"popMetrics\"", NULL};
	(void) path;
	return ph_json_head_has(head, size, version) || ph_json_head_has(head, size, regions);
}

const PhReader ph_reader_talp = {
	.name = "talp",
	.description = "JSON of TALP (DLB)",
	.mark = "JSON with dlbVersion or popMetrics",
	.proof = "the object ends",
	.detect_file = detect,
	.read_file = read_file,
};
