/*
 * source.c - reader of Chrome traces: which files they are, and their locations' events.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/min_max.h"
#include "base/name_set.h"
#include "readers/chrome/chrome.h"
#include "readers/chrome/lanes.h"
#include "readers/plain_head.h"

#define RUN_CALLS (1 << 20) /* 32 MB: sorted in a share of a second */
#define MOST_KEPT                                                                                  \
	(UINT64_C(8) << 20) /* calls in memory, 256 MB; more are in the temporary folder */

/* ---- which files ---- */

static bool
has_text(const PhPlainHead *head, const char *text)
{
	return memmem(head->bytes, head->size, text, strlen(text)) != NULL;
}

/*
 * The list's name, or what PyTorch's profiler writes before it; of a list alone, the members of its
 * first events.
 */
static bool
detect_file(const char *path, const uint8_t *bytes, size_t size)
{
	PhPlainHead head;
	size_t at = 0;

	(void) path;
	ph_plain_head(bytes, size, &head);
	while (at < head.size && head.bytes[at] <= ' ')
		at++;
	if (at == head.size)
		return false;
	if (head.bytes[at] == '{')
		return has_text(&head, "\"traceEvents\"") || has_text(&head, "\"displayTimeUnit\"") ||
			   (has_text(&head, "\"schemaVersion\"") && has_text(&head, "\"deviceProperties\""));
	return head.bytes[at] == '[' && has_text(&head, "\"ph\"") && has_text(&head, "\"pid\"") &&
		   (has_text(&head, "\"ts\"") || has_text(&head, "\"cat\""));
}

/* ---- events of a location ---- */

typedef struct Cursor
{
	PhTraceCursor cursor;
	PhEnv *env;
	const PhChrome *chrome;
	PhChunkWriter *writer;
	PhTraceCounts *counts;
	bool is_stream;
	int64_t shift;	  /* to times of the trace */
	PhOpenSpans open; /* from the first event on; the outermost first */
} Cursor;

static void
count_event(Cursor *cursor, PhEventKind kind, int64_t time)
{
	cursor->counts->events[kind]++;
	cursor->counts->last_time = PH_MAX(cursor->counts->last_time, time);
}

static PhStatus
leave_call(Cursor *cursor)
{
	int64_t time = cursor->open.items[--cursor->open.count].end + cursor->shift;

	PH_TRY(ph_chunk_writer_leave(cursor->writer, time, PH_NONE));
	count_event(cursor, PH_EVENT_LEAVE, time);
	return PH_OK;
}

static PhStatus
enter_call(Cursor *cursor, const PhChromeCall *call)
{
	int64_t time = call->begin + cursor->shift;

	PH_TRY(PH_ROOM(cursor->env, &cursor->open));
	PH_TRY(ph_chunk_writer_enter(cursor->writer, time, cursor->chrome->region[call->region]));
	cursor->open.items[cursor->open.count++] = (PhOpenSpan){call->begin, call->end};
	count_event(cursor, PH_EVENT_ENTER, time);
	if (cursor->is_stream)
		return ph_chrome_write_activity(cursor->chrome, call, time, cursor->writer, cursor->counts);
	return PH_OK;
}

static PhStatus
write_call(Cursor *cursor, const PhChromeCall *call)
{
	PH_TRY(ph_env_poll(cursor->env));
	while (cursor->open.count > 0 &&
		   ph_span_is_over(&cursor->open.items[cursor->open.count - 1], call, cursor->is_stream))
		PH_TRY(leave_call(cursor));
	return enter_call(cursor, call);
}

/* What has an end; calls without one are the outermost, and stay open. */
static PhStatus
leave_all(Cursor *cursor)
{
	while (cursor->open.count > 0 && cursor->open.items[cursor->open.count - 1].end != PH_CALL_OPEN)
		PH_TRY(leave_call(cursor));
	return PH_OK;
}

static PhStatus
read_location(PhTraceCursor *base, uint32_t location, PhChunkWriter *writer, PhTraceCounts *counts)
{
	Cursor *cursor = (Cursor *) base;
	uint32_t place = cursor->chrome->places.items[location];
	PhCallMerge merge;
	const PhChromeCall *call;
	PhStatus status = PH_OK;

	cursor->writer = writer;
	cursor->counts = counts;
	cursor->open.count = 0;
	cursor->shift = ph_chrome_shift(cursor->chrome, place);
	cursor->is_stream = ph_location_is_stream(&cursor->chrome->source.model.locations[location]);
	PH_TRY(ph_call_merge_begin(&merge, cursor->env, &cursor->chrome->runs, ph_track_of(place)));
	while (status == PH_OK && (call = ph_call_merge_next(&merge)) != NULL)
	{
		if (call->track == place)
			status = write_call(cursor, call);
	}
	ph_call_merge_end(&merge);
	return status == PH_OK ? leave_all(cursor) : status;
}

static PhStatus
open_cursor(PhEnv *env, const PhTraceSource *source, PhTraceCursor **out)
{
	void *memory;
	Cursor *cursor;

	PH_TRY(ph_env_alloc(env, 1, sizeof(Cursor), &memory));
	cursor = memory;
	*cursor =
		(Cursor){.cursor = {.source = source}, .env = env, .chrome = (const PhChrome *) source};
	*out = &cursor->cursor;
	return PH_OK;
}

static void
close_cursor(PhTraceCursor *base)
{
	Cursor *cursor = (Cursor *) base;

	PH_VECTOR_FREE(cursor->env, &cursor->open);
	ph_env_free(cursor->env, cursor, 1, sizeof(*cursor));
}

/* ---- reading ---- */

static void
free_chrome(PhEnv *env, PhTraceSource *source)
{
	PhChrome *chrome = (PhChrome *) source;

	ph_call_runs_free(&chrome->runs);
	PH_VECTOR_FREE(env, &chrome->launches);
	PH_VECTOR_FREE(env, &chrome->extras);
	PH_VECTOR_FREE(env, &chrome->activities);
	ph_arena_drop(&chrome->file_arena);
	ph_arena_drop(&chrome->arena);
	ph_env_free(env, chrome, 1, sizeof(*chrome));
}

/* Calls take a quarter of a memory limit at most, and a run while it is sorted another one. */
static void
init_runs(PhChrome *chrome)
{
	uint64_t most = MOST_KEPT;

	if (chrome->env->byte_limit > 0)
		most = PH_MIN(most, (uint64_t) chrome->env->byte_limit / 4 / sizeof(PhChromeCall));
	ph_call_runs_init(&chrome->runs, chrome->env,
					  (uint32_t) PH_MIN(most / 2 + 1, UINT64_C(1) * RUN_CALLS), most);
}

static PhStatus
init_chrome(PhChrome *chrome)
{
	ph_map_init(&chrome->process_of, &chrome->arena);
	ph_map_init(&chrome->class_of, &chrome->arena);
	ph_map_init(&chrome->track_of, &chrome->arena);
	ph_map_init(&chrome->launch_of, &chrome->file_arena);
	ph_records_init(&chrome->streams, &chrome->arena, 4 * sizeof(int64_t));
	ph_records_init(&chrome->configurations, &chrome->arena, sizeof(PhLaunchConfiguration));
	ph_map_init(&chrome->region_of, &chrome->arena);
	return ph_strings_init(&chrome->strings, &chrome->arena);
}

static PhStatus
new_chrome(PhEnv *env, PhChrome **out)
{
	void *memory;
	PhChrome *chrome;

	PH_TRY(ph_env_alloc(env, 1, sizeof(PhChrome), &memory));
	chrome = memory;
	*chrome = (PhChrome){.source = {.clock = PH_CLOCK_UNCORRECTED,
									.open = open_cursor,
									.read_location = read_location,
									.close = close_cursor,
									.free = free_chrome,
									.launches = ph_chrome_launches},
						 .env = env};
	ph_arena_init(&chrome->arena, env);
	ph_arena_init(&chrome->file_arena, env);
	init_runs(chrome);
	*out = chrome;
	return init_chrome(chrome);
}

static void
count_units(const PhTraceModel *model, PhRunInput *run)
{
	run->n_ranks = 0;
	run->n_threads = 1;
	for (uint32_t i = 0; i < model->n_ranks; i++)
		run->n_ranks += model->rank_location[i] != PH_NONE;
	for (uint32_t i = 0; i < model->n_locations; i++)
		run->n_threads = PH_MAX(run->n_threads, model->locations[i].thread + 1);
}

/* Read as the next of the run's files. */
static PhStatus
add_file(PhChrome *chrome, PhInput *input, PhRunInput *run)
{
	PhChromeFile file = {.rank = -1, .world_size = -1, .groups = -1, .begin = PH_NO_TIME};
	char *path;

	PH_TRY(ph_arena_strndup(&chrome->arena, input->path, strlen(input->path), &path));
	file.path = path;
	PH_TRY(PH_ROOM(&chrome->arena, &chrome->files));
	chrome->files.items[chrome->files.count++] = file;
	PH_TRY(ph_chrome_read_document(chrome, input, run));
	PH_TRY(ph_chrome_end_calls(chrome));
	return ph_chrome_match(chrome);
}

static PhStatus
add_path(PhChrome *chrome, const char *path, PhRunInput *run)
{
	PhInput input;
	PhStatus status;

	PH_TRY(ph_input_open(chrome->env, path, &input));
	status = add_file(chrome, &input, run);
	ph_input_close(&input);
	return status;
}

static PhStatus
finish(PhChrome *chrome, PhRunInput *run)
{
	PH_TRY(ph_call_runs_finish(&chrome->runs));
	PH_TRY(ph_chrome_make_model(chrome));
	count_units(&chrome->source.model, run);
	return ph_chrome_report(chrome, run);
}

/* Of one input, or of the files of an experiment. */
static PhStatus
read_all(PhEnv *env, PhInput *input, const PhExperiment *experiment, PhRunInput *run)
{
	PhChrome *chrome = NULL;
	PhStatus status = new_chrome(env, &chrome);

	if (chrome != NULL) /* it goes with the run, also half made */
		run->trace = &chrome->source;
	if (status == PH_OK && input != NULL)
		status = add_file(chrome, input, run);
	for (uint32_t i = 0; status == PH_OK && input == NULL && i < experiment->n_files; i++)
		status = add_path(chrome, experiment->files[i], run);
	return status == PH_OK ? finish(chrome, run) : status;
}

static PhStatus
read_one(PhEnv *env, PhInput *input, const PhExperiment *experiment, PhRunInput *out)
{
	PhStatus status;

	*out = ph_run_input_new();
	status = read_all(env, input, experiment, out);
	if (status != PH_OK)
		ph_run_input_free(env, out);
	return status;
}

static PhStatus
read_file(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	(void) options;
	return read_one(env, input, NULL, out);
}

static PhStatus
read_experiment(PhEnv *env, const PhExperiment *experiment, const PhReadOptions *options,
				PhRunInput *out)
{
	(void) options;
	return read_one(env, NULL, experiment, out);
}

/* ---- which job a file is of ---- */

/* The file's name without numbers and the word rank: those of one job differ in them alone. */
static PhStatus
name_job(PhArena *arena, const PhChromeFile *file, char **out)
{
	const char *name = strrchr(file->path, '/') == NULL ? file->path : strrchr(file->path, '/') + 1;
	const char *text;
	char *stem;
	size_t n = 0;

	PH_TRY(ph_arena_strndup(arena, name, strlen(name), &stem));
	for (const char *at = name; *at != '\0';)
	{
		if (strncmp(at, "rank", 4) == 0)
			at += 4;
		else if (*at >= '0' && *at <= '9')
			at++;
		else
			stem[n++] = *at++;
	}
	stem[n] = '\0';
	PH_TRY(ph_arena_printf(arena, &text, "%s, %lld ranks, %lld groups", stem,
						   (long long) file->world_size, (long long) file->groups));
	*out = (char *) text;
	return PH_OK;
}

static PhStatus
describe_job(PhArena *arena, PhChrome *chrome, const char *path, PhRunInput *run, PhFileJob *out)
{
	const PhChromeFile *file;

	chrome->only_times = true;
	PH_TRY(add_path(chrome, path, run));
	file = ph_chrome_file(chrome);
	if (file->rank < 0 || file->rank >= INT32_MAX || file->begin < 0 ||
		__builtin_add_overflow(file->end, file->base, &out->end))
		return PH_OK;
	out->rank = (int32_t) file->rank;
	out->begin = file->begin + file->base;
	return name_job(arena, file, &out->job);
}

static PhStatus
find_job(PhArena *arena, const char *path, PhFileJob *out)
{
	PhRunInput run = ph_run_input_new();
	PhChrome *chrome = NULL;
	PhStatus status = new_chrome(arena->env, &chrome);

	*out = (PhFileJob){0};
	if (chrome != NULL)
		run.trace = &chrome->source;
	if (status == PH_OK)
		status = describe_job(arena, chrome, path, &run, out);
	ph_run_input_free(arena->env, &run);
	return status;
}

const PhReader ph_reader_chrome = {
	.name = "chrome",
	.description = "Chrome trace events (JSON with traceEvents), also of PyTorch's profiler",
	.proof = "the brackets around its events close",
	.detect_file = detect_file,
	.read = read_experiment,
	.read_file = read_file,
	.find_job = find_job,
};
