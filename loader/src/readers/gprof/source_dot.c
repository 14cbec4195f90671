/*
 * source_dot.c - reader of call graphs that gprof2dot drew (DOT), of callgrind, gprof, perf, and
 * whatever else it reads.
 *
 * Costs are percentages of the whole, rounded to hundredths; what gprof2dot left out (below half a
 * percent unless it is told otherwise) is not there. What a function took itself for one caller is
 * its share by calls, as gprof has it; where calls are not counted, by what its callers took.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/table.h"
#include "readers/caller_graph.h"
#include "readers/completeness.h"
#include "readers/gprof/dot_lines.h"
#include "readers/plain_head.h"
#include "readers/reading.h"

typedef struct DotReader
{
	PhReading in;
	PhStrings ids;	   /* index = function + 1 */
	PhStrings strings; /* names, libraries, files */
	PhCallerGraph graph;
	PhSourcePaths paths;
	PH_VECTOR(bool) is_there; /* per function: its line has come */
	PH_VECTOR(char) room;
	bool has_ended, has_calls;
} DotReader;

static PhStatus
fail(DotReader *reader, const char *message)
{
	return ph_log_fail(&reader->in.stream, PH_ERR_FORMAT, "%s", message);
}

static PhStatus
intern(DotReader *reader, PhSlice text, const char **out)
{
	uint32_t string;
	PH_TRY(ph_log_intern(&reader->in.stream, &reader->strings, text, &string));
	*out = reader->strings.text[string];
	return PH_OK;
}

/* The function of an id; until its line comes it has no other name. */
static PhStatus
find_function(DotReader *reader, PhSlice id, uint32_t *out)
{
	if (id.size == 0)
		return fail(reader, "a function has no id");
	PH_TRY(ph_log_intern(&reader->in.stream, &reader->ids, id, out));
	if (--*out < reader->graph.functions.count)
		return PH_OK;
	PhRegionSpec region = {.kind = PH_KIND_FUNCTION,
						   .name = reader->ids.text[*out + 1],
						   .library = "",
						   .file = "",
						   .line = PH_NO_NUMBER};
	PH_TRY(PH_ROOM(&reader->in.arena, &reader->graph.functions));
	PH_TRY(PH_ROOM(&reader->in.arena, &reader->is_there));
	reader->graph.functions.items[reader->graph.functions.count++] =
		(PhCallFunction){.region = region};
	reader->is_there.items[reader->is_there.count++] = false;
	return PH_OK;
}

/* Of Python's functions the name is "module:line:name". */
static PhSlice
split_name(PhSlice name, int32_t *line)
{
	const char *colon = memchr(name.text, ':', name.size);
	if (colon == NULL)
		return name;
	PhSlice rest = ph_slice_behind(name, (size_t) (colon + 1 - name.text));
	colon = rest.size > 0 ? memchr(rest.text, ':', rest.size) : NULL;
	int64_t number;
	if (colon == NULL || colon + 1 == rest.text + rest.size ||
		!ph_parse_int64(rest.text, (size_t) (colon - rest.text), &number) || number < 0 ||
		number > INT32_MAX)
		return name;
	*line = number > 0 ? (int32_t) number : PH_NO_NUMBER;
	return ph_slice_behind(rest, (size_t) (colon + 1 - rest.text));
}

static PhStatus
add_node(DotReader *reader, const PhDotLine *line)
{
	uint32_t function;
	PH_TRY(find_function(reader, line->from, &function));
	if (reader->is_there.items[function])
		return fail(reader, "a function comes a second time");
	reader->is_there.items[function] = true;
	PhCallFunction *known = &reader->graph.functions.items[function];
	PhSlice name = line->file.size > 0 ? split_name(line->name, &known->region.line) : line->name;
	PH_TRY(intern(reader, name, &known->region.name));
	PH_TRY(intern(reader, line->library, &known->region.library));
	if (!ph_slice_is(line->file, "~"))
		PH_TRY(intern(reader, line->file, &known->region.file));
	reader->has_calls |= line->has_calls;
	known->costs = (PhCallCosts){.self = line->self, .total = line->total, .calls = line->calls};
	return PH_OK;
}

static PhStatus
add_edge(DotReader *reader, const PhDotLine *line)
{
	PhCallArc arc = {.costs = {.total = line->total, .calls = line->calls}};
	PH_TRY(find_function(reader, line->from, &arc.caller));
	PH_TRY(find_function(reader, line->to, &arc.callee));
	PH_TRY(PH_ROOM(&reader->in.arena, &reader->graph.arcs));
	reader->graph.arcs.items[reader->graph.arcs.count++] = arc;
	return PH_OK;
}

static PhStatus
read_line(void *context, PhSlice line)
{
	DotReader *reader = context;
	PhDotLine dot;
	if (!reader->in.is_whole)
		return PH_OK;
	PH_TRY(PH_RESERVE(reader->in.env, &reader->room, line.size + 1));
	if (!ph_dot_line(line, reader->room.items, &dot))
		return fail(reader, "neither a function nor a call as gprof2dot writes them without -w");
	if (reader->has_ended && ph_slice_trim(line).size > 0)
		return fail(reader, "something follows the end of the graph");
	reader->has_ended |= dot.kind == PH_DOT_END;
	if (dot.kind == PH_DOT_NODE)
		return add_node(reader, &dot);
	return dot.kind == PH_DOT_EDGE ? add_edge(reader, &dot) : PH_OK;
}

/* ---- what a caller made a function take itself ---- */

static double
weight(const PhCallArc *arc)
{
	if (arc->caller == arc->callee)
		return 0;
	return arc->costs.calls > 0 ? arc->costs.calls : arc->costs.total;
}

static PhStatus
share_time(DotReader *reader)
{
	const PhCallFunction *functions = reader->graph.functions.items;
	double *weights;
	PH_TRY(PH_NEW(&reader->in.arena, reader->graph.functions.count, &weights));
	for (uint32_t i = 0; i < reader->graph.arcs.count; i++)
		weights[reader->graph.arcs.items[i].callee] += weight(&reader->graph.arcs.items[i]);
	for (uint32_t i = 0; i < reader->graph.arcs.count; i++)
	{
		PhCallArc *arc = &reader->graph.arcs.items[i];
		if (weights[arc->callee] > 0)
			arc->costs.self =
				functions[arc->callee].costs.self * (weight(arc) / weights[arc->callee]);
	}
	return PH_OK;
}

/* ---- all ---- */

static PhStatus
read_all(void *context)
{
	DotReader *reader = context;
	PH_TRY(ph_strings_init(&reader->ids, &reader->in.arena));
	PH_TRY(ph_strings_init(&reader->strings, &reader->in.arena));
	PH_TRY(ph_reading_lines(&reader->in, read_line, reader));
	if (!reader->has_ended)
		PH_TRY(ph_run_missing(reader->in.env, reader->in.run, "%s:%llu: the graph does not end",
							  reader->in.input->path, (unsigned long long) reader->in.stream.line));
	reader->graph.lacks_calls = !reader->has_calls;
	PH_TRY(share_time(reader));
	PH_TRY(ph_caller_graph_normalise(&reader->graph, reader->in.options, &reader->paths));
	PH_TRY(ph_builder_new(reader->in.env, &reader->in.builder));
	PH_TRY(ph_caller_graph_build(&reader->graph, reader->in.builder, "%"));
	PH_TRY(ph_builder_finish(reader->in.builder, &reader->in.run->profile));
	return ph_paths_raw_regions(&reader->paths, reader->in.env, reader->in.run);
}

static PhStatus
read_file(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	DotReader reader = {.in = {.env = env, .input = input, .options = options, .run = out},
						.graph = {.lacks_primitive = true}};
	reader.graph.arena = &reader.in.arena;
	PhStatus status = ph_reading_do(&reader.in, read_all, &reader);
	PH_VECTOR_FREE(env, &reader.room);
	return status;
}

/* The looks that gprof2dot gives every graph. */
static bool
detect(const char *path, const uint8_t *bytes, size_t size)
{
	static const char *const looks[] = {"digraph {", "graph [fontname=", "nodesep=0.125",
										"ranksep=0.25", "height=0"};
	PhPlainHead head;
	(void) path;
	ph_plain_head(bytes, size, &head);
	if (!ph_slice_begins((PhSlice){(const char *) head.bytes, head.size}, looks[0]))
		return false;
	for (size_t i = 1; i < sizeof(looks) / sizeof(looks[0]); i++)
		if (memmem(head.bytes, head.size, looks[i], strlen(looks[i])) == NULL)
			return false;
	return true;
}

const PhReader ph_reader_gprof2dot = {
	.name = "gprof2dot",
	.description = "call graphs of gprof2dot (DOT)",
	.mark = "digraph { with the looks of gprof2dot",
	.proof = "the graph ends",
	.detect_file = detect,
	.read_file = read_file,
};
