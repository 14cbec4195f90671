/*
 * source.c - reader of gprof's report: its call graph, made a tree.
 *
 * Times of the report are rounded to hundredths of a second. What a function took for one caller is
 * its time by the share of calls, which is how gprof finds it, too, but without rounding.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/table.h"
#include "readers/caller_graph.h"
#include "readers/completeness.h"
#include "readers/gprof/lines.h"
#include "readers/plain_head.h"
#include "readers/reading.h"

typedef enum Section
{
	BEFORE,
	GRAPH,
	BEHIND, /* explanations */
	INDEX
} Section;

typedef struct GprofReader
{
	PhReading in;
	PhStrings strings;
	PhMap indices; /* numbers of functions in the report, to functions */
	PhCallerGraph graph;
	PH_VECTOR(bool) is_listed; /* per function: in the index at the end */
	PH_VECTOR(bool) has_times; /* per arc */

	Section section;
	bool has_own;		/* the entry's own line has come */
	uint32_t first_arc; /* of this entry */
} GprofReader;

static PhStatus
fail(GprofReader *reader, const char *message)
{
	return ph_log_fail(&reader->in.stream, PH_ERR_FORMAT, "%s", message);
}

/* ---- the call graph ---- */

static PhStatus
new_function(GprofReader *reader, const PhGprofLine *line)
{
	uint32_t name;
	PhRegionSpec region = {.kind = PH_KIND_FUNCTION, .library = "", .line = PH_NO_NUMBER};
	if (line->name.size == 0)
		return fail(reader, "a function has no name");
	PH_TRY(ph_log_intern(&reader->in.stream, &reader->strings, line->name, &name));
	region.name = reader->strings.text[name];
	PH_TRY(PH_ROOM(&reader->in.arena, &reader->graph.functions));
	PH_TRY(PH_ROOM(&reader->in.arena, &reader->is_listed));
	reader->graph.functions.items[reader->graph.functions.count++] =
		(PhCallFunction){.region = region};
	reader->is_listed.items[reader->is_listed.count++] = false;
	return PH_OK;
}

static PhStatus
find_function(GprofReader *reader, const PhGprofLine *line, uint32_t *out)
{
	uint32_t *known, n = reader->graph.functions.count;
	PH_TRY(ph_map_enter(&reader->indices, line->index, n, &known));
	*out = *known;
	return *out == n ? new_function(reader, line) : PH_OK;
}

/* A caller; whom it calls the entry's own line tells. */
static PhStatus
add_caller(GprofReader *reader, const PhGprofLine *line)
{
	PhCallArc arc = {.callee = PH_NONE,
					 .costs = {.total = line->self + line->children, .calls = line->calls}};
	PH_TRY(find_function(reader, line, &arc.caller));
	PH_TRY(PH_ROOM(&reader->in.arena, &reader->graph.arcs));
	PH_TRY(PH_ROOM(&reader->in.arena, &reader->has_times));
	reader->graph.arcs.items[reader->graph.arcs.count++] = arc;
	reader->has_times.items[reader->has_times.count++] = line->has_times;
	return PH_OK;
}

/* Share the function's time among its callers; recursion has no times of its own. */
static void
share_time(GprofReader *reader, uint32_t function, double self)
{
	double calls = 0;
	for (uint32_t i = reader->first_arc; i < reader->graph.arcs.count; i++)
		calls += reader->has_times.items[i] ? reader->graph.arcs.items[i].costs.calls : 0;
	for (uint32_t i = reader->first_arc; i < reader->graph.arcs.count; i++)
	{
		PhCallArc *arc = &reader->graph.arcs.items[i];
		arc->callee = function;
		if (reader->has_times.items[i] && calls > 0)
			arc->costs.self = self * (arc->costs.calls / calls);
	}
}

static PhStatus
add_own(GprofReader *reader, const PhGprofLine *line)
{
	uint32_t function;
	if (reader->has_own)
		return fail(reader, "an entry has two functions");
	reader->has_own = true;
	if (line->is_cycle)
	{
		reader->graph.arcs.count = reader->has_times.count = reader->first_arc;
		return PH_OK;
	}
	PH_TRY(find_function(reader, line, &function));
	PhCallCosts *costs = &reader->graph.functions.items[function].costs;
	if (costs->calls > 0 || costs->total > 0)
		return fail(reader, "a function has two entries");
	*costs = (PhCallCosts){.self = line->self,
						   .total = line->self + line->children,
						   .calls = line->calls + line->recursive,
						   .primitive = line->calls};
	share_time(reader, function, line->self);
	return PH_OK;
}

static PhStatus
end_entry(GprofReader *reader)
{
	bool has_callers = reader->first_arc < reader->graph.arcs.count;
	if (!reader->has_own && has_callers)
		return fail(reader, "an entry ends before its function comes");
	reader->has_own = false;
	reader->first_arc = reader->graph.arcs.count;
	return PH_OK;
}

static PhStatus
read_graph_line(GprofReader *reader, PhSlice line)
{
	PhGprofLine entry;
	if (line.size == 0 || line.text[0] == '\f')
	{
		reader->section = BEHIND;
		return end_entry(reader);
	}
	if (ph_slice_begins(line, "-----"))
		return end_entry(reader);
	if (ph_slice_is(ph_slice_trim(line), "<spontaneous>"))
		return PH_OK;
	if (!ph_gprof_line(line, &entry))
		return fail(reader, "expected times, calls, a name and its number");
	if (entry.is_own)
		return add_own(reader, &entry);
	/* callees say nothing that their own entries do not */
	return reader->has_own ? PH_OK : add_caller(reader, &entry);
}

/* ---- the index ---- */

/* Mark the functions whose numbers stand at the begin of a word. */
static PhStatus
read_index_line(GprofReader *reader, PhSlice line)
{
	for (line = ph_slice_trim(line); line.size > 0; line = ph_slice_trim(line))
	{
		PhSlice word = ph_slice_first(line, ph_slice_word(line));
		uint32_t *known;
		int64_t number;
		line = ph_slice_behind(line, word.size);
		if (word.size < 3 || word.text[0] != '[' || word.text[word.size - 1] != ']' ||
			!ph_parse_int64(word.text + 1, word.size - 2, &number) || number < 0)
			continue;
		PH_TRY(ph_map_enter(&reader->indices, (uint64_t) number, PH_NONE, &known));
		if (*known != PH_NONE)
			reader->is_listed.items[*known] = true;
	}
	return PH_OK;
}

/*
 * The report is whole when the index behind it has all functions but those that were neither
 * counted nor sampled, such as main.
 */
static PhStatus
check_whole(GprofReader *reader)
{
	bool all = reader->section == INDEX && reader->in.is_whole;
	for (uint32_t i = 0; i < reader->is_listed.count; i++)
	{
		const PhCallCosts *costs = &reader->graph.functions.items[i].costs;
		all = all && (reader->is_listed.items[i] || (costs->calls == 0 && costs->self == 0));
	}
	return all ? PH_OK
			   : ph_run_missing(reader->in.env, reader->in.run,
								"%s: the report ends before its index of functions does",
								reader->in.input->path);
}

/* ---- all ---- */

/* "Each sample counts as 0.01 seconds." */
static PhStatus
note_sample(GprofReader *reader, PhSlice line)
{
	static const char begin[] = "Each sample counts as ";
	char text[32];
	double seconds;
	PhSlice rest = ph_slice_behind(line, sizeof(begin) - 1);
	size_t n = ph_slice_word(rest);
	if (n >= sizeof(text) || !ph_parse_number(rest.text, n, &seconds))
		return PH_OK;
	memcpy(text, rest.text, n);
	text[n] = '\0';
	return ph_meta_set(reader->in.env, &reader->in.run->meta, "gprof.sample_seconds", text, true);
}

static PhStatus
read_line(void *context, PhSlice line)
{
	GprofReader *reader = context;
	if (!reader->in.is_whole)
		return PH_OK;
	if (reader->section == GRAPH)
		return read_graph_line(reader, line);
	if (reader->section == INDEX)
		return read_index_line(reader, line);
	if (ph_slice_begins(line, "Each sample counts as "))
		return note_sample(reader, line);
	if (reader->section == BEFORE && ph_slice_begins(line, "index %"))
		reader->section = GRAPH;
	if (reader->section == BEHIND && ph_slice_begins(line, "Index by function name"))
		reader->section = INDEX;
	return PH_OK;
}

static PhStatus
read_report(GprofReader *reader)
{
	PH_TRY(ph_reading_lines(&reader->in, read_line, reader));
	/* an entry that was cut off before its function came */
	if (!reader->has_own)
		reader->graph.arcs.count = reader->has_times.count = reader->first_arc;
	return PH_OK;
}

static PhStatus
read_all(void *context)
{
	GprofReader *reader = context;
	PH_TRY(ph_strings_init(&reader->strings, &reader->in.arena));
	ph_map_init(&reader->indices, &reader->in.arena);
	PH_TRY(read_report(reader));
	if (reader->graph.functions.count == 0)
		return ph_fail_hint(reader->in.env, PH_ERR_UNSUPPORTED,
							"gprof writes it unless it is told not to (-p).",
							"%s: the report has no call graph", reader->in.input->path);
	PH_TRY(check_whole(reader));
	PH_TRY(ph_builder_new(reader->in.env, &reader->in.builder));
	return ph_caller_graph_build(&reader->graph, reader->in.builder, "s");
}

static PhStatus
read_file(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	GprofReader reader = {.in = {.env = env, .input = input, .options = options, .run = out}};
	reader.graph.arena = &reader.in.arena;
	return ph_reading_do(&reader.in, read_all, &reader);
}

/* A report begins with one of its parts, and has their column heads. */
static bool
detect(const char *path, const uint8_t *bytes, size_t size)
{
	PhPlainHead head;
	(void) path;
	ph_plain_head(bytes, size, &head);
	PhSlice text = {(const char *) head.bytes, head.size};
	while (text.size > 0 && (ph_is_blank(text.text[0]) || text.text[0] == '\n'))
		text = ph_slice_behind(text, 1);
	bool is_flat = ph_slice_begins(text, "Flat profile:");
	bool is_graph = ph_slice_begins(text, "Call graph");
	return (is_flat && memmem(text.text, text.size, "cumulative", 10) != NULL) ||
		   (is_graph && memmem(text.text, text.size, "granularity:", 12) != NULL);
}

const PhReader ph_reader_gprof = {
	.name = "gprof",
	.description = "gprof's report as text",
	.mark = "the first line is Flat profile: or Call graph",
	.proof = "the index of functions behind it is whole",
	.detect_file = detect,
	.read_file = read_file,
};
