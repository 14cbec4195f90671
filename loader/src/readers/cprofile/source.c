/*
 * source.c - reader of Python's profiles, as cProfile, profile and pstats.dump_stats write them.
 *
 * A dictionary of functions (file, line, name) with their calls and times, and a dictionary of
 * their callers with the same.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "base/table.h"
#include "readers/caller_graph.h"
#include "readers/cprofile/marshal.h"
#include "readers/reading.h"
#include "readers/source_paths.h"

typedef struct StatsReader
{
	PhReading in;
	PhMarshal marshal;
	PhStrings strings;
	PhRecords keys; /* file, line, name: index = function */
	PhSourcePaths paths;
	PhCallerGraph graph;
} StatsReader;

typedef struct Key
{
	uint32_t file, name; /* strings */
	int64_t line;
} Key;

static PhStatus
fail(StatsReader *reader, const PhMarshalValue *value, const char *message)
{
	return ph_marshal_fail(&reader->marshal, value->offset, PH_ERR_FORMAT, message);
}

static PhStatus
intern(StatsReader *reader, const PhMarshalValue *value, uint32_t *out)
{
	if (value->kind != PH_MARSHAL_TEXT || !ph_utf8_valid(value->text.text, value->text.size))
		return fail(reader, value, "a name is no text, or not valid UTF-8");
	return ph_strings_intern_n(&reader->strings, value->text.text, value->text.size, out);
}

/* A number of calls or a time. */
static PhStatus
take_amount(StatsReader *reader, const PhMarshalValue *container, uint32_t i, double *out)
{
	const PhMarshalValue *value = ph_marshal_item(&reader->marshal, container, i);
	if (value->kind != PH_MARSHAL_NUMBER || !isfinite(value->number) || value->number < 0)
		return fail(reader, value, "calls or time are no number, or negative");
	*out = value->number;
	return PH_OK;
}

/* Calls; what samples does not count them, and writes -1. */
static PhStatus
take_calls(StatsReader *reader, const PhMarshalValue *container, uint32_t i, double *out)
{
	const PhMarshalValue *value = ph_marshal_item(&reader->marshal, container, i);
	if (value->kind != PH_MARSHAL_NUMBER || value->number != -1)
		return take_amount(reader, container, i, out);
	reader->graph.lacks_calls = true;
	*out = 0;
	return PH_OK;
}

/* Functions that are built in have no file. */
static PhStatus
new_function(StatsReader *reader, const Key *key)
{
	const char *name = reader->strings.text[key->name], *file = reader->strings.text[key->file];
	bool is_built_in = strcmp(file, "~") == 0;
	PhRegionSpec region = {.kind = PH_KIND_FUNCTION,
						   .name = name[0] != '\0' ? name : "<unnamed>",
						   .file = is_built_in ? "" : file,
						   .library = is_built_in ? "built-in" : "",
						   .line = PH_NO_NUMBER};
	if (key->line > 0 && key->line <= INT32_MAX)
		region.line = (int32_t) key->line;
	PH_TRY(PH_ROOM(&reader->in.arena, &reader->graph.functions));
	reader->graph.functions.items[reader->graph.functions.count++] =
		(PhCallFunction){.region = region};
	return PH_OK;
}

/* The function of a tuple (file, line, name). */
static PhStatus
find_function(StatsReader *reader, const PhMarshalValue *tuple, uint32_t *out)
{
	Key key = {0};
	if (tuple->kind != PH_MARSHAL_TUPLE || tuple->n != 3)
		return fail(reader, tuple, "a function is no tuple of file, line and name");
	const PhMarshalValue *line = ph_marshal_item(&reader->marshal, tuple, 1);
	if (line->kind != PH_MARSHAL_NUMBER || !(fabs(line->number) < 1e15))
		return fail(reader, line, "a line is no number");
	key.line = (int64_t) line->number;
	PH_TRY(intern(reader, ph_marshal_item(&reader->marshal, tuple, 0), &key.file));
	PH_TRY(intern(reader, ph_marshal_item(&reader->marshal, tuple, 2), &key.name));
	PH_TRY(ph_records_intern(&reader->keys, &key, out));
	return *out == reader->graph.functions.count ? new_function(reader, &key) : PH_OK;
}

/*
 * What was called from one caller: calls, primitive calls, times; or, of old, calls alone.
 * Primitive calls of all callers are more than those of the function: they are left with the
 * function.
 */
static PhStatus
read_arc(StatsReader *reader, uint32_t callee, const PhMarshalValue *callers, uint32_t i)
{
	PhCallArc arc = {.callee = callee};
	const PhMarshalValue *value = ph_marshal_item(&reader->marshal, callers, i + 1);
	PH_TRY(find_function(reader, ph_marshal_item(&reader->marshal, callers, i), &arc.caller));
	if (value->kind == PH_MARSHAL_NUMBER)
		PH_TRY(take_calls(reader, callers, i + 1, &arc.costs.calls));
	else if (value->kind != PH_MARSHAL_TUPLE || value->n != 4)
		return fail(reader, value, "what a caller called is no tuple of four numbers");
	else
	{
		PH_TRY(take_calls(reader, value, 0, &arc.costs.calls));
		PH_TRY(take_amount(reader, value, 2, &arc.costs.self));
		PH_TRY(take_amount(reader, value, 3, &arc.costs.total));
	}
	PH_TRY(PH_ROOM(&reader->in.arena, &reader->graph.arcs));
	reader->graph.arcs.items[reader->graph.arcs.count++] = arc;
	return PH_OK;
}

/* (primitive calls, calls, time, inclusive time, callers) */
static PhStatus
read_function(StatsReader *reader, const PhMarshalValue *key, const PhMarshalValue *value)
{
	PhCallCosts costs;
	uint32_t function;
	PH_TRY(find_function(reader, key, &function));
	if (value->kind != PH_MARSHAL_TUPLE || value->n != 5)
		return fail(reader, value, "what a function cost is no tuple of five");
	PH_TRY(take_calls(reader, value, 0, &costs.primitive));
	PH_TRY(take_calls(reader, value, 1, &costs.calls));
	PH_TRY(take_amount(reader, value, 2, &costs.self));
	PH_TRY(take_amount(reader, value, 3, &costs.total));
	reader->graph.functions.items[function].costs = costs;
	const PhMarshalValue *callers = ph_marshal_item(&reader->marshal, value, 4);
	if (callers->kind != PH_MARSHAL_DICT)
		return fail(reader, callers, "callers are no dictionary");
	for (uint32_t i = 0; i < callers->n; i += 2)
		PH_TRY(read_arc(reader, function, callers, i));
	return PH_OK;
}

static PhStatus
read_functions(StatsReader *reader)
{
	const PhMarshalValue *stats = &reader->marshal.values.items[0];
	if (stats->kind != PH_MARSHAL_DICT)
		return fail(reader, stats, "a profile is a dictionary");
	for (uint32_t i = 0; i < stats->n; i += 2)
	{
		PH_TRY(ph_env_poll(reader->in.env));
		PH_TRY(read_function(reader, ph_marshal_item(&reader->marshal, stats, i),
							 ph_marshal_item(&reader->marshal, stats, i + 1)));
	}
	return PH_OK;
}

static PhStatus
read_all(void *context)
{
	StatsReader *reader = context;
	PH_TRY(ph_marshal_read(&reader->marshal));
	PH_TRY(ph_strings_init(&reader->strings, &reader->in.arena));
	ph_records_init(&reader->keys, &reader->in.arena, sizeof(Key));
	PH_TRY(read_functions(reader));
	PH_TRY(ph_caller_graph_normalise(&reader->graph, reader->in.options, &reader->paths));
	PH_TRY(ph_builder_new(reader->in.env, &reader->in.builder));
	PH_TRY(ph_caller_graph_build(&reader->graph, reader->in.builder, "s"));
	PH_TRY(ph_builder_finish(reader->in.builder, &reader->in.run->profile));
	return ph_paths_raw_regions(&reader->paths, reader->in.env, reader->in.run);
}

static PhStatus
read_file(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	StatsReader reader = {.in = {.env = env, .input = input, .options = options, .run = out}};
	reader.marshal = (PhMarshal){.env = env, .input = input, .arena = &reader.in.arena};
	reader.graph.arena = &reader.in.arena;
	return ph_reading_do(&reader.in, read_all, &reader);
}

/* A dictionary whose first key is a tuple of three, of which the first is a string. */
static bool
detect(const char *path, const uint8_t *head, size_t size)
{
	static const char string_tags[] = "stuaAzZ";
	(void) path;
	if (size < 8 || (head[0] & 0x7f) != '{')
		return false;
	bool is_short = (head[1] & 0x7f) == ')' && head[2] == 3;
	bool is_long = (head[1] & 0x7f) == '(' && memcmp(head + 2, "\3\0\0", 4) == 0;
	char tag = (char) (head[is_short ? 3 : 6] & 0x7f);
	return (is_short || is_long) && tag != '\0' && strchr(string_tags, tag) != NULL;
}

const PhReader ph_reader_cprofile = {
	.name = "cprofile",
	.description = "profiles of Python's cProfile (.pstats)",
	.mark = "marshalled dictionary of tuples (Python)",
	.proof = "the dictionary ends",
	.detect_file = detect,
	.read_file = read_file,
};
