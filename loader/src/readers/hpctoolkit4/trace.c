/*
 * trace.c - the trace of an HPCToolkit 4 database: lines of samples as calls.
 *
 * A sample says which call path its thread was in from then on until the next one; context 0 is
 * none. Functions that two samples have in common stay open, the others end and begin at the time
 * of the later one. So calls of the host are estimates. Lines of a GPU's streams are exact: an
 * activity begins with its context and ends with 0.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/spans/trace.h"
#include "readers/completeness.h"
#include "readers/experiment_folder.h"
#include "readers/hpctoolkit4/database.h"
#include "trace/chunk/device_records.h"

#define META "meta.db"
#define PROFILE "profile.db"
#define TRACE "trace.db"

#define HEADER_SIZE 32
#define LINE_SIZE 24
#define SAMPLE_SIZE 12
#define MAX_DEPTH 100000 /* functions of a call path */

/* A line of the trace. */
typedef struct Line
{
	size_t at;
	uint32_t profile, track;
	size_t first, end; /* samples */
	bool is_stream;
} Line;

typedef struct OpenCall
{
	uint32_t region;
	int64_t since;
} OpenCall;

typedef struct TraceReader
{
	PhHpc4 database;
	PhHpc4File file;
	PhSpanTrace *trace;
	PhMap processes;   /* by rank, of the span trace */
	uint32_t *regions; /* per region of the profile: 1 + that of the span trace */
	PH_VECTOR(OpenCall) open;
	PhIndices path; /* regions of a context, outermost first */
	uint64_t n_samples, n_unknown;
} TraceReader;

/* ---- lines ---- */

static PhStatus
open_process(TraceReader *reader, const PhHpc4Unit *unit, uint32_t *out)
{
	int32_t rank = unit->rank == PH_NO_NUMBER ? 0 : (int32_t) unit->rank;
	uint32_t *known;
	PH_TRY(ph_map_enter(&reader->processes, (uint64_t) rank, PH_NONE, &known));
	if (*known == PH_NONE)
		PH_TRY(ph_span_trace_process(reader->trace, rank, unit->host[0] != '\0' ? unit->host : NULL,
									 known));
	*out = *known;
	return PH_OK;
}

/* No tuple says which device: a context stands for it. */
static PhStatus
open_track(TraceReader *reader, Line *line)
{
	PhHpc4Unit unit;
	uint32_t process;
	PH_TRY(ph_hpc4_unit(&reader->database, line->profile, &unit));
	PH_TRY(open_process(reader, &unit, &process));
	line->is_stream = unit.stream != PH_NO_NUMBER;
	if (!line->is_stream)
		return ph_span_trace_thread(reader->trace, process,
									unit.thread == PH_NO_NUMBER ? 0 : (uint64_t) unit.thread, NULL,
									&line->track);
	PhDeviceStream stream = {.device = (int32_t) (unit.device != PH_NO_NUMBER	 ? unit.device
												  : unit.context != PH_NO_NUMBER ? unit.context
																				 : 0),
							 .context = unit.context == PH_NO_NUMBER ? 0 : unit.context,
							 .stream = unit.stream};
	return ph_span_trace_stream(reader->trace, process, stream, NULL, &line->track);
}

static PhStatus
read_line(const PhHpc4File *file, size_t at, Line *line)
{
	PhHpc4Span whole = {0, file->input->size};
	size_t first = ph_hpc4_u64(file, at + 8), end = ph_hpc4_u64(file, at + 16);
	*line = (Line){.at = at, .profile = ph_hpc4_u32(file, at), .first = first, .end = end};
	if (end < first || (end - first) % SAMPLE_SIZE != 0 ||
		(end > first && !ph_hpc4_holds(&whole, first, end - first)))
		return ph_hpc4_fail(file, at, "samples of a line are outside of the file, or not whole");
	return PH_OK;
}

/* ---- call paths ---- */

static PhStatus
find_path(TraceReader *reader, uint32_t id)
{
	const PhHpc4 *database = &reader->database;
	PhIndices *path = &reader->path;
	path->count = 0;
	uint32_t context = id == 0 ? PH_NONE : ph_hpc4_find_context(database, id);
	reader->n_unknown += id != 0 && context == PH_NONE;
	for (; context != PH_NONE; context = database->contexts[context].parent)
	{
		if (database->contexts[context].region == PH_NONE)
			continue;
		if (path->count == MAX_DEPTH)
			return ph_hpc4_fail(&reader->file, 0, "a call path of more than %d functions",
								MAX_DEPTH);
		PH_TRY(PH_ROOM(&reader->database.arena, path));
		path->items[path->count++] = database->contexts[context].region;
	}
	for (uint32_t i = 0; i < path->count / 2; i++)
	{
		uint32_t other = path->items[path->count - 1 - i];
		path->items[path->count - 1 - i] = path->items[i];
		path->items[i] = other;
	}
	return PH_OK;
}

/* ---- regions ---- */

static PhStatus
host_region(TraceReader *reader, uint32_t region, uint32_t *out)
{
	const PhHpc4Region *known = &reader->database.regions.items[region];
	const PhTraceRegion function = {.kind = PH_KIND_FUNCTION,
									.name = known->name,
									.file = known->file,
									.library = known->library,
									.line = known->line,
									.role = "function"};
	if (reader->regions[region] == 0)
	{
		PH_TRY(ph_span_trace_region(reader->trace, &function, out));
		reader->regions[region] = *out + 1;
	}
	*out = reader->regions[region] - 1;
	return PH_OK;
}

/* What the tool calls that which a device does; NULL: nothing that keeps it busy. */
static const char *
find_activity(const TraceReader *reader, const char **name)
{
	static const struct
	{
		const char *mark, *role, *name; /* name NULL: the last function's */
	} kinds[] = {{"<gpu kernel>", PH_ROLE_KERNEL, NULL},
				 {"<gpu copyin>", PH_ROLE_COPY, "memcpy HtoD"},
				 {"<gpu copyout>", PH_ROLE_COPY, "memcpy DtoH"},
				 {"<gpu copy>", PH_ROLE_COPY, "memcpy"},
				 {"<gpu memset>", PH_ROLE_SET, "memset"}};
	const PhHpc4Region *regions = reader->database.regions.items;
	for (uint32_t i = reader->path.count; i-- > 0;)
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
			if (strcmp(regions[reader->path.items[i]].name, kinds[k].mark) == 0)
			{
				*name = kinds[k].name != NULL
							? kinds[k].name
							: regions[reader->path.items[reader->path.count - 1]].name;
				return kinds[k].role;
			}
	return NULL;
}

/* ---- calls ---- */

static PhStatus
add_call(TraceReader *reader, const Line *line, const OpenCall *call, int64_t end)
{
	const PhTraceSpan span = {
		.start = call->since, .end = end, .track = line->track, .region = call->region};
	PhStatus status = ph_span_trace_add(reader->trace, &span);
	return status == PH_ERR_VALUE
			   ? ph_hpc4_fail(&reader->file, line->at, "times of a line are out of range")
			   : status;
}

/* End all open calls but the first n. Of those that began and end together the outer one is first.
 */
static PhStatus
end_calls(TraceReader *reader, const Line *line, uint32_t n, int64_t time)
{
	for (uint32_t i = n; i < reader->open.count; i++)
		PH_TRY(add_call(reader, line, &reader->open.items[i], time));
	reader->open.count = n < reader->open.count ? n : reader->open.count;
	return PH_OK;
}

/* Leave what is not in the path that is read, enter what was not open. */
static PhStatus
take_host_sample(TraceReader *reader, const Line *line, int64_t time)
{
	uint32_t common = 0, region;
	for (; common < reader->open.count && common < reader->path.count; common++)
	{
		PH_TRY(host_region(reader, reader->path.items[common], &region));
		if (reader->open.items[common].region != region)
			break;
	}
	PH_TRY(end_calls(reader, line, common, time));
	for (uint32_t i = common; i < reader->path.count; i++)
	{
		PH_TRY(host_region(reader, reader->path.items[i], &region));
		PH_TRY(PH_ROOM(&reader->database.arena, &reader->open));
		reader->open.items[reader->open.count++] = (OpenCall){region, time};
	}
	return PH_OK;
}

static PhStatus
take_device_sample(TraceReader *reader, const Line *line, int64_t time)
{
	const char *name;
	PhTraceRegion region = {.kind = PH_KIND_FUNCTION, .line = PH_NO_NUMBER, .paradigm = "gpu"};
	OpenCall call = {.since = time};
	PH_TRY(end_calls(reader, line, 0, time));
	region.role = find_activity(reader, &name);
	if (region.role == NULL)
		return PH_OK;
	region.name = name;
	PH_TRY(ph_span_trace_region(reader->trace, &region, &call.region));
	PH_TRY(PH_ROOM(&reader->database.arena, &reader->open));
	reader->open.items[reader->open.count++] = call;
	return PH_OK;
}

/* The last sample has no end: what it is in ends there. */
static PhStatus
read_samples(TraceReader *reader, const Line *line)
{
	int64_t last = INT64_MIN;
	reader->open.count = 0;
	for (size_t at = line->first; at < line->end; at += SAMPLE_SIZE)
	{
		uint64_t time = ph_hpc4_u64(&reader->file, at);
		PH_TRY(ph_env_poll(reader->database.env));
		if (time > INT64_MAX || (int64_t) time < last)
			return ph_hpc4_fail(&reader->file, at, "samples of a line are not in order of time");
		last = (int64_t) time;
		PH_TRY(find_path(reader, ph_hpc4_u32(&reader->file, at + 8)));
		PH_TRY(line->is_stream ? take_device_sample(reader, line, last)
							   : take_host_sample(reader, line, last));
		reader->n_samples++;
	}
	PH_TRY(end_calls(reader, line, 0, last));
	ph_input_passed(reader->file.input, line->end, reader->database.options);
	return PH_OK;
}

/* ---- all ---- */

static PhStatus
read_lines(TraceReader *reader)
{
	const PhHpc4File *file = &reader->file;
	PhHpc4Span section;
	PH_TRY(ph_hpc4_section(file, 0, HEADER_SIZE, &section));
	PhHpc4Array lines = {ph_hpc4_u64(file, section.at), ph_hpc4_u32(file, section.at + 8),
						 ph_hpc4_u8(file, section.at + 12)};
	PH_TRY(ph_hpc4_array(file, &section, &lines, LINE_SIZE, "lines"));
	for (uint32_t i = 0; i < lines.count; i++)
	{
		Line line;
		PH_TRY(read_line(file, lines.at + (size_t) i * lines.stride, &line));
		if (line.first == line.end)
			continue;
		PH_TRY(open_track(reader, &line));
		PH_TRY(read_samples(reader, &line));
	}
	return PH_OK;
}

static PhStatus
finish(TraceReader *reader)
{
	PhHpc4 *database = &reader->database;
	PhSpanCounts counts;
	PhStatus status = ph_span_trace_finish(reader->trace, 0, &counts, &database->run->trace);
	if (status == PH_ERR_VALUE)
		return ph_fail(database->env, PH_ERR_VALUE, "%s: it has no samples",
					   reader->file.input->path);
	PH_TRY(status);
	reader->trace = NULL;
	database->run->trace->is_sampled = true;
	if (reader->n_unknown > 0)
		PH_TRY(ph_run_warn(database->env, database->run,
						   "%llu samples are in contexts that meta.db has not: idle there",
						   (unsigned long long) reader->n_unknown));
	PH_TRY(ph_meta_set(database->env, &database->run->meta, "trace.sampled", "true", true));
	return ph_run_warn(database->env, database->run,
					   "Calls of the host are made of %llu samples: their numbers and lengths are "
					   "estimates.",
					   (unsigned long long) reader->n_samples);
}

static PhStatus
read_all(TraceReader *reader, PhInput *meta, PhInput *profile, PhInput *trace)
{
	PhHpc4 *database = &reader->database;
	ph_map_init(&reader->processes, &database->arena);
	PH_TRY(ph_hpc4_open(database->env, trace, &ph_hpc4_trace, &reader->file));
	if (!ph_hpc4_is_ended(trace, &ph_hpc4_trace))
		PH_TRY(ph_run_missing(database->env, database->run, "%s does not end with its end mark",
							  ph_path_base(trace->path)));
	PH_TRY(ph_hpc4_read_tree(database, meta, profile));
	PH_TRY(PH_NEW(&database->arena, (size_t) database->regions.count + 1, &reader->regions));
	PH_TRY(ph_span_trace_new(database->env, &reader->trace));
	PH_TRY(read_lines(reader));
	return finish(reader);
}

PhStatus
ph_read_hpctoolkit4_trace(PhEnv *env, PhInput *meta, PhInput *profile, PhInput *trace,
						  const PhReadOptions *options, PhRunInput *out)
{
	*out = ph_run_input_new();
	TraceReader reader = {.database = {.env = env, .options = options, .run = out}};
	ph_arena_init(&reader.database.arena, env);
	PhStatus status = read_all(&reader, meta, profile, trace);
	ph_span_trace_free(reader.trace);
	ph_builder_free(reader.database.builder);
	ph_arena_drop(&reader.database.arena);
	if (status != PH_OK)
		ph_run_input_free(env, out);
	return status;
}

/* ---- files ---- */

static bool
detect_file(const char *path, const uint8_t *head, size_t size)
{
	size_t magic = strlen(ph_hpc4_trace.magic);
	return strcmp(ph_path_base(path), TRACE) == 0 && size >= magic &&
		   memcmp(head, ph_hpc4_trace.magic, magic) == 0;
}

static PhStatus
list_files(PhEnv *env, const char *path, PhExperiment *experiment)
{
	int length = (int) (strlen(path) - strlen(ph_path_base(path)));
	(void) env;
	PH_TRY(ph_experiment_add(experiment, "%.*s" META, length, path));
	PH_TRY(ph_experiment_add(experiment, "%.*s" PROFILE, length, path));
	PH_TRY(ph_experiment_add(experiment, "%s", path));
	ph_experiment_sort(experiment);
	return PH_OK;
}

static PhStatus
read_experiment(PhEnv *env, const PhExperiment *experiment, const PhReadOptions *options,
				PhRunInput *out)
{
	static const char *const names[] = {META, PROFILE, TRACE};
	PhInput inputs[3];
	PhStatus status = PH_OK;
	size_t n = 0;
	while (n < 3 && status == PH_OK)
	{
		status = ph_input_open(env, ph_hpc4_find_file(experiment, names[n]), &inputs[n]);
		n += status == PH_OK;
	}
	if (status == PH_OK)
		status = ph_read_hpctoolkit4_trace(env, &inputs[0], &inputs[1], &inputs[2], options, out);
	while (n > 0)
		ph_input_close(&inputs[--n]);
	return status;
}

const PhReader ph_reader_hpctoolkit4_trace = {
	.name = "hpctoolkit4-trace",
	.description = "trace of an HPCToolkit 4 database (its trace.db)",
	.mark = "named trace.db, with its first bytes; only when it is named itself",
	.proof = "its files end with their end marks, and all that they declare is in them",
	.detect_file = detect_file,
	.is_anchor = true,
	.is_aspect = true,
	.list_files = list_files,
	.read = read_experiment,
};
