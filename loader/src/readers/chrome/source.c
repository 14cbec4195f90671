/*
 * source.c - reader of Chrome traces: which files they are, and their locations' events.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/min_max.h"
#include "base/name_set.h"
#include "readers/chrome/chrome.h"
#include "readers/completeness.h"
#include "readers/plain_head.h"

/* ns. Files in whole microseconds round begin and duration apart, so that an end is up to two
 * roundings of half a microsecond away from where it was. */
#define ROUNDING 1000

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

/* ---- reading ---- */

static void
free_chrome(PhEnv *env, PhTraceSource *source)
{
	PhChrome *chrome = (PhChrome *) source;

	ph_span_source_free(&chrome->spans);
	ph_env_free(env, chrome, 1, sizeof(*chrome));
}

static PhStatus
init_chrome(PhChrome *chrome)
{
	PhArena *arena = &chrome->spans.arena;

	ph_map_init(&chrome->process_of, arena);
	ph_map_init(&chrome->class_of, arena);
	ph_map_init(&chrome->track_of, arena);
	ph_records_init(&chrome->streams, arena, 4 * sizeof(int64_t));
	ph_records_init(&chrome->configurations, arena, sizeof(PhLaunchConfiguration));
	ph_records_init(&chrome->groups, arena, sizeof(PhChromeGroup));
	ph_map_init(&chrome->region_of, arena);
	return ph_strings_init(&chrome->strings, arena);
}

static PhStatus
new_chrome(PhEnv *env, PhChrome **out)
{
	void *memory;
	PhChrome *chrome;

	PH_TRY(ph_env_alloc(env, 1, sizeof(PhChrome), &memory));
	chrome = memory;
	*chrome = (PhChrome){0};
	ph_span_source_init(&chrome->spans, env, ROUNDING);
	chrome->spans.source.free = free_chrome;
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

	PH_TRY(ph_arena_strndup(&chrome->spans.arena, input->path, strlen(input->path), &path));
	file.path = path;
	PH_TRY(PH_ROOM(&chrome->spans.arena, &chrome->files));
	chrome->files.items[chrome->files.count++] = file;
	PH_TRY(ph_chrome_read_document(chrome, input, run));
	PH_TRY(ph_chrome_end_calls(chrome));
	return ph_span_launches_match(&chrome->spans.launches);
}

static PhStatus
add_path(PhChrome *chrome, const char *path, PhRunInput *run)
{
	PhInput input;
	PhStatus status;

	PH_TRY(ph_input_open(chrome->spans.env, path, &input));
	status = add_file(chrome, &input, run);
	ph_input_close(&input);
	return status;
}

static PhStatus
finish(PhChrome *chrome, PhRunInput *run)
{
	PH_TRY(ph_span_source_finish_spans(&chrome->spans));
	PH_TRY(ph_chrome_make_model(chrome));
	count_units(&chrome->spans.source.model, run);
	return ph_chrome_report(chrome, run);
}

/* Of one input, or of the files of an experiment. */
static PhStatus
read_all(PhEnv *env, PhInput *input, const PhExperiment *experiment, PhRunInput *run)
{
	PhChrome *chrome = NULL;
	PhStatus status = new_chrome(env, &chrome);

	if (chrome != NULL) /* it goes with the run, also half made */
		run->trace = &chrome->spans.source;
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
	status = ph_run_failed(env, out, read_all(env, input, experiment, out));
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
		run.trace = &chrome->spans.source;
	if (status == PH_OK)
		status = describe_job(arena, chrome, path, &run, out);
	ph_run_input_free(arena->env, &run);
	return status;
}

const PhReader ph_reader_chrome = {
	.name = "chrome",
	.description = "Chrome trace events (JSON with traceEvents), also of PyTorch's profiler",
	.mark =
		"JSON with traceEvents, displayTimeUnit, or a list of events with ph, pid and ts or cat",
	.proof = "the brackets around its events close",
	.detect_file = detect_file,
	.read = read_experiment,
	.read_file = read_file,
	.find_job = find_job,
};
