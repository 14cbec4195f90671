/*
 * rank_files.c - see rank_files.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/spans/rank_files.h"

#include <inttypes.h>
#include <string.h>

#include "base/min_max.h"
#include "base/name_set.h"
#include "readers/spans/lanes.h"

/* ---- the environment ---- */

PhJobVariables
ph_job_variables_none(void)
{
	return (PhJobVariables){.rank = PH_NO_NUMBER, .n_ranks = -1};
}

static bool
is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

#define IS_ONE_OF(name, names) is_one_of(name, names, sizeof(names) / sizeof((names)[0]))

static PhStatus
keep_batch(PhRankFiles *files, PhJobVariables *job, const char *key, const char *value)
{
	char *copy;

	PH_TRY(ph_arena_strndup(&files->arena, value, strlen(value), &copy));
	job->batch = copy;
	return ph_meta_set(files->env, &files->run->meta, key, value, false);
}

PhStatus
ph_rank_files_variable(PhRankFiles *files, PhJobVariables *job, const char *name, const char *value)
{
	static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
										"MV2_COMM_WORLD_RANK", "SLURM_PROCID"};
	static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
										"SLURM_NTASKS"};
	int64_t number;
	bool is_number = ph_parse_int64(value, strlen(value), &number) && number >= 0;

	if (IS_ONE_OF(name, ranks) && job->rank == PH_NO_NUMBER && is_number &&
		number < PH_SPAN_MOST_RANKS)
		job->rank = (int32_t) number;
	else if (IS_ONE_OF(name, sizes) && job->n_ranks < 0 && is_number)
		job->n_ranks = number;
	else if (strcmp(name, "SLURM_JOB_ID") == 0)
		return keep_batch(files, job, "slurm_job_id", value);
	else if (strcmp(name, "PBS_JOBID") == 0)
		return keep_batch(files, job, "pbs_job_id", value);
	return PH_OK;
}

/* ---- processes ---- */

/* The number that the file's name ends with, before its first dot: "rank-3.sqlite". */
static int32_t
rank_of_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash == NULL ? path : slash + 1;
	size_t end = strcspn(name, ".");
	size_t start = end;
	int64_t rank;

	while (start > 0 && name[start - 1] >= '0' && name[start - 1] <= '9')
		start--;
	if (!ph_parse_int64(name + start, end - start, &rank) || rank >= PH_SPAN_MOST_RANKS)
		return PH_NO_NUMBER;
	return (int32_t) rank;
}

static bool
is_taken(const PhRankFiles *files, uint32_t rank)
{
	for (uint32_t i = 0; i < files->taken.count; i++)
		if (files->taken.items[i] == rank)
			return true;
	return false;
}

PhStatus
ph_rank_files_process(PhRankFiles *files, uint32_t rank, const char *host, uint32_t *out)
{
	int32_t named = rank_of_name(files->path);

	if (rank == PH_NONE && files->n_processes == 0 && files->job.rank >= 0)
		rank = (uint32_t) files->job.rank;
	if (rank == PH_NONE && files->n_processes == 0 && named >= 0)
		rank = (uint32_t) named;
	if (rank == PH_NONE || is_taken(files, rank))
		for (rank = 0; is_taken(files, rank);)
			rank++;
	if (files->n_processes++ == 0)
		files->rank = (int32_t) rank;
	files->most_ranks = PH_MAX(files->most_ranks, files->job.n_ranks);
	PH_TRY(ph_indices_add(files->env, &files->taken, rank));
	return ph_span_trace_process(files->trace, (int32_t) rank, host, out);
}

/* ---- spans ---- */

void
ph_rank_files_epoch(PhRankFiles *files, int64_t epoch)
{
	if (files->epoch == PH_NO_TIME)
		files->epoch = epoch;
	if (epoch != PH_NO_TIME && __builtin_sub_overflow(epoch, files->epoch, &files->shift))
		files->shift = 0;
}

/* Of a file alone, when it began does not matter. */
PhStatus
ph_rank_files_host_clock(PhRankFiles *files, const char *host, int64_t init)
{
	PhHostClock clock = {.shift = 0};
	char *copy;

	for (uint32_t i = 0; i < files->hosts.count; i++)
		if (strcmp(files->hosts.items[i].host, host) == 0)
		{
			files->shift = files->hosts.items[i].shift;
			return PH_OK;
		}
	if (files->hosts.count == 0)
		files->first_init = files->only_times ? 0 : init;
	if (__builtin_sub_overflow(files->first_init, init, &clock.shift))
		clock.shift = 0;
	PH_TRY(ph_arena_strndup(&files->arena, host, strlen(host), &copy));
	clock.host = copy;
	PH_TRY(PH_ROOM(files->env, &files->hosts));
	files->hosts.items[files->hosts.count++] = clock;
	files->shift = clock.shift;
	return PH_OK;
}

static void
note_times(PhRankFiles *files, const PhTraceSpan *span)
{
	int64_t end = span->end == PH_SPAN_OPEN ? span->start : span->end;

	files->end = files->begin == PH_NO_TIME ? end : PH_MAX(files->end, end);
	files->begin = files->begin == PH_NO_TIME ? span->start : PH_MIN(files->begin, span->start);
}

/* False: one of the times is impossible. */
static bool
shift_times(const PhRankFiles *files, int64_t *start, int64_t *end)
{
	return !__builtin_add_overflow(*start, files->shift, start) &&
		   (*end == PH_SPAN_OPEN || !__builtin_add_overflow(*end, files->shift, end));
}

PhStatus
ph_rank_files_collective(PhRankFiles *files, const char *name, const PhCollectiveRange *range)
{
	PhCollectiveRange shifted = *range;

	if (files->only_times || range->end < range->start ||
		!shift_times(files, &shifted.start, &shifted.end))
		return PH_OK;
	return ph_span_trace_collective(files->trace, name, &shifted);
}

PhStatus
ph_rank_files_add(PhRankFiles *files, const PhTraceSpan *span)
{
	PhTraceSpan shifted = *span;

	files->n_odd += span->end < span->start;
	if (span->end < span->start)
		return PH_OK;
	if (!shift_times(files, &shifted.start, &shifted.end))
		return ph_fail(files->env, PH_ERR_VALUE, "its time is impossible");
	note_times(files, &shifted);
	return files->only_times ? PH_OK : ph_span_trace_add(files->trace, &shifted);
}

/* ---- files ---- */

static PhStatus
read_input(PhRankFiles *files, PhInput *input, PhReadRankFile read)
{
	files->path = input->path;
	files->n_processes = 0;
	files->job = ph_job_variables_none();
	files->rank = PH_NO_NUMBER;
	files->shift = 0;
	files->begin = PH_NO_TIME;
	PH_TRY(read(files, input));
	return ph_span_trace_end_file(files->trace);
}

static PhStatus
read_path(PhRankFiles *files, const char *path, PhReadRankFile read)
{
	PhInput input;

	PH_TRY(ph_input_open(files->env, path, &input));
	PhStatus status = read_input(files, &input, read);

	ph_input_close(&input);
	return status;
}

static PhStatus
warn(PhRankFiles *files, const PhSpanCounts *counts, const PhSpanSource *spans)
{
	PhEnv *env = files->env;

	if (files->n_odd > 0)
		PH_TRY(ph_run_warn(env, files->run, "%" PRIu64 " row%s before %s and %s left out.",
						   files->n_odd, files->n_odd == 1 ? " ends" : "s end",
						   files->n_odd == 1 ? "it begins" : "they begin",
						   files->n_odd == 1 ? "is" : "are"));
	if (counts->crossing > 0)
		PH_TRY(
			ph_run_warn(env, files->run,
						"%" PRIu64 " of %" PRIu64 " calls cross%s the ends of others of %s "
						"thread%s of %s own.",
						counts->crossing, counts->calls, counts->crossing == 1 ? "es" : "",
						counts->crossing == 1 ? "its" : "their",
						counts->crossing == 1 ? "; it is in a timeline" : "; they are in timelines",
						counts->crossing == 1 ? "its" : "their"));
	if (counts->cut > 0)
		PH_TRY(ph_run_warn(env, files->run,
						   "%" PRIu64
						   " of more than %d calls at once are cut at the ends of others.",
						   counts->cut, PH_MOST_LANES));
	PH_TRY(ph_span_source_warn_of_clocks(spans, files->run));
	if (files->hosts.count > 1 && !spans->moves_clocks)
		PH_TRY(ph_run_warn(env, files->run,
						   "Clocks of %" PRIu32
						   " hosts were brought together by the begins of their "
						   "first processes: times of different hosts are not to be compared.",
						   files->hosts.count));
	if (files->most_ranks > files->taken.count)
		PH_TRY(ph_run_warn(env, files->run, "The job has %" PRId64 " ranks; %" PRIu32 " are here.",
						   files->most_ranks, files->taken.count));
	return PH_OK;
}

static PhStatus
finish(PhRankFiles *files)
{
	PhSpanCounts counts;
	PhStatus status = ph_span_trace_finish(files->trace, files->epoch, &counts, &files->run->trace);

	if (status == PH_ERR_VALUE)
		return ph_fail(files->env, PH_ERR_VALUE,
					   "%s: has no calls of threads and no activities of devices", files->path);
	PH_TRY(status);
	files->trace = NULL;
	return warn(files, &counts, (const PhSpanSource *) files->run->trace);
}

static PhStatus
start(PhEnv *env, PhRunInput *run, PhRankFiles *out)
{
	*out = (PhRankFiles){.env = env, .run = run, .epoch = PH_NO_TIME, .most_ranks = -1};
	ph_arena_init(&out->arena, env);
	return ph_span_trace_new(env, &out->trace);
}

static void
end(PhRankFiles *files)
{
	PH_VECTOR_FREE(files->env, &files->taken);
	PH_VECTOR_FREE(files->env, &files->hosts);
	ph_span_trace_free(files->trace);
	ph_arena_drop(&files->arena);
}

PhStatus
ph_rank_files_read(PhEnv *env, PhInput *input, const PhExperiment *experiment,
				   const PhReadOptions *options, PhReadRankFile read, PhRunInput *out)
{
	PhRankFiles files;
	PhRunInput run = ph_run_input_new();
	PhStatus status = start(env, &run, &files);

	if (status == PH_OK && input != NULL)
		status = read_input(&files, input, read);
	for (uint32_t i = 0; status == PH_OK && input == NULL && i < experiment->n_files; i++)
		status = read_path(&files, experiment->files[i], read);
	if (status == PH_OK)
		status = finish(&files);
	end(&files);
	if (input != NULL)
		ph_input_passed(input, input->size, options);
	if (status == PH_OK)
		*out = run;
	else
		ph_run_input_free(env, &run);
	return status;
}

/* ---- jobs ---- */

/* What a file has in common with those of the other ranks: the batch system's job, else how many
 * ranks there are and the name without numbers. */
static PhStatus
name_job(PhArena *arena, const PhRankFiles *files, char **out)
{
	const char *slash = strrchr(files->path, '/');
	const char *name = slash == NULL ? files->path : slash + 1;
	const char *text;
	char *stem;
	size_t n = 0;

	if (files->job.batch != NULL)
		return ph_arena_strndup(arena, files->job.batch, strlen(files->job.batch), out);
	PH_TRY(ph_arena_strndup(arena, name, strlen(name), &stem));
	for (const char *at = name; *at != '\0'; at++)
		if (*at < '0' || *at > '9')
			stem[n++] = *at;
	stem[n] = '\0';
	PH_TRY(ph_arena_printf(arena, &text, "%s, %" PRId64 " ranks", stem, files->job.n_ranks));
	*out = (char *) (uintptr_t) text;
	return PH_OK;
}

/* A file of several processes is a run as it is. */
static PhStatus
describe_job(PhArena *arena, PhRankFiles *files, PhFileJob *out)
{
	int64_t epoch = files->epoch == PH_NO_TIME ? 0 : files->epoch;

	if (files->n_processes != 1 || files->begin == PH_NO_TIME ||
		__builtin_add_overflow(files->begin, epoch, &out->begin) ||
		__builtin_add_overflow(files->end, epoch, &out->end))
		return PH_OK;
	out->rank = files->rank;
	return name_job(arena, files, &out->job);
}

PhStatus
ph_rank_files_job(PhArena *arena, const char *path, PhReadRankFile read, PhFileJob *out)
{
	PhRankFiles files;
	PhRunInput run = ph_run_input_new();
	PhStatus status = start(arena->env, &run, &files);

	*out = (PhFileJob){0};
	files.only_times = true;
	if (status == PH_OK)
		status = read_path(&files, path, read);
	if (status == PH_OK)
		status = describe_job(arena, &files, out);
	end(&files);
	ph_run_input_free(arena->env, &run);
	return status;
}
