/*
 * efficiency.c - see efficiency.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "replay/efficiency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/min_max.h"
#include "replay/costs.h"

/* ---- which functions ---- */

static bool
is_mpi(const PhTraceRegion *region)
{
	return strcmp(region->paradigm, "mpi") == 0 || strncmp(region->name, "MPI_", 4) == 0;
}

/* Threads of a team wait in barriers, and for each other where they end. */
static bool
is_team_wait(const PhTraceRegion *region)
{
	if (strcmp(region->paradigm, "openmp") != 0 && strcmp(region->paradigm, "omp") != 0)
		return false;
	return strstr(region->role, "barrier") != NULL || strstr(region->name, "barrier") != NULL ||
		   strstr(region->name, "idle") != NULL;
}

PhStatus
ph_efficiency_want(PhSpans *spans, PhEfficiencySpans *out)
{
	const PhTraceModel *model = ph_spans_model(spans);
	bool *marks[3];
	PhArena scratch;
	PhStatus status = PH_OK;
	ph_arena_init(&scratch, ph_spans_env(spans));
	for (int i = 0; i < 3 && status == PH_OK; i++)
		status = PH_NEW(&scratch, model->n_regions, &marks[i]);
	for (uint32_t i = 0; i < model->n_regions && status == PH_OK; i++)
	{
		marks[0][i] = is_mpi(&model->regions[i]);
		marks[1][i] = true;
		marks[2][i] = is_team_wait(&model->regions[i]);
	}
	out->spans = spans;
	if (status == PH_OK)
		status = ph_spans_want_regions(spans, marks[0], &out->mpi);
	if (status == PH_OK)
		status = ph_spans_want_regions(spans, marks[1], &out->calls);
	if (status == PH_OK)
		status = ph_spans_want_regions(spans, marks[2], &out->idle);
	ph_arena_drop(&scratch);
	return status;
}

/* ---- windows ---- */

/* Did all ranks meet in it, so that nobody left before the last one came? */
static bool
is_of_all(const PhSkeleton *skeleton, const PhCollectiveInstance *instance)
{
	return instance->n_present == skeleton->model->n_ranks &&
		   ph_collective_flow(instance->operation) == PH_FLOW_ALL;
}

static int64_t
nearest_meeting(const PhSkeleton *skeleton, int64_t time)
{
	const PhCollectiveRows *rows = &skeleton->collectives;
	int64_t nearest = PH_NO_TIME;
	for (uint32_t i = 0; i < rows->n_instances; i++)
	{
		int64_t met = rows->instances[i].last_leave;
		if (is_of_all(skeleton, &rows->instances[i]) &&
			(nearest == PH_NO_TIME || llabs(met - time) < llabs(nearest - time)))
			nearest = met;
	}
	return nearest;
}

static PhCallSpan
main_part(const PhSkeleton *skeleton)
{
	PhCallSpan part = {0, 0};
	bool is_first = true;
	for (uint32_t at = 0; at < skeleton->n_locations; at++)
	{
		const PhCommLocation *location = &skeleton->locations[at];
		if (location->first_time == PH_NO_TIME || skeleton->model->locations[at].rank < 0 ||
			skeleton->model->locations[at].thread > 0 ||
			ph_location_is_stream(&skeleton->model->locations[at]))
			continue;
		part.from = is_first ? location->main_from : PH_MIN(part.from, location->main_from);
		part.to = is_first ? location->main_to : PH_MAX(part.to, location->main_to);
		is_first = false;
	}
	return part;
}

PhCallSpan
ph_efficiency_window(const PhSkeleton *skeleton, int64_t from, int64_t to, bool *is_aligned)
{
	PhCallSpan part = main_part(skeleton);
	PhCallSpan window = {PH_MAX(from, part.from), PH_MIN(to, part.to)};
	int64_t margin = (window.to - window.from) / 8;
	*is_aligned = true;
	if (window.from > part.from)
	{
		int64_t met = nearest_meeting(skeleton, window.from);
		bool is_near = met != PH_NO_TIME && llabs(met - window.from) <= margin;
		*is_aligned = *is_aligned && is_near;
		window.from = is_near ? met : window.from;
	}
	if (window.to < part.to)
	{
		int64_t met = nearest_meeting(skeleton, window.to);
		bool is_near = met != PH_NO_TIME && llabs(met - window.to) <= margin;
		*is_aligned = *is_aligned && is_near;
		window.to = is_near ? met : window.to;
	}
	return window;
}

/* ---- times ---- */

/* The first of the calls that ends after a time. */
static uint32_t
first_after(PhCallSpans list, int64_t time)
{
	uint32_t low = 0, high = list.n;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		if (list.spans[middle].to <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int64_t
time_in(PhCallSpans list, PhCallSpan window)
{
	int64_t time = 0;
	for (uint32_t i = first_after(list, window.from); i < list.n && list.spans[i].from < window.to;
		 i++)
	{
		int64_t from = PH_MAX(list.spans[i].from, window.from);
		int64_t to = PH_MIN(list.spans[i].to, window.to);
		time += PH_MAX(to - from, (int64_t) 0);
	}
	return time;
}

/* Of the threads of all ranks. */
typedef struct ThreadTimes
{
	double useful;	 /* of all threads */
	double possible; /* time of ranks outside of MPI x threads of the rank */
	double serial;	 /* of it, threads other than the first were in no call */
	bool are_some;	 /* a rank has more than one */
} ThreadTimes;

/* Time of a window that is in calls of both lists. */
static int64_t
time_in_both(PhCallSpans x, PhCallSpans y, PhCallSpan window)
{
	int64_t time = 0;
	uint32_t i = first_after(x, window.from), j = first_after(y, window.from);
	while (i < x.n && j < y.n && x.spans[i].from < window.to && y.spans[j].from < window.to)
	{
		int64_t from = PH_MAX(PH_MAX(x.spans[i].from, y.spans[j].from), window.from);
		int64_t to = PH_MIN(PH_MIN(x.spans[i].to, y.spans[j].to), window.to);
		time += PH_MAX(to - from, (int64_t) 0);
		if (x.spans[i].to < y.spans[j].to)
			i++;
		else
			j++;
	}
	return time;
}

/* Time of a location that is in calls, but neither in MPI nor in a wait of its team. */
static int64_t
thread_useful(const PhEfficiencySpans *spans, uint32_t at, PhCallSpan window)
{
	PhCallSpans mpi = ph_spans_of(spans->spans, spans->mpi, at);
	PhCallSpans idle = ph_spans_of(spans->spans, spans->idle, at);
	int64_t calls = time_in(ph_spans_of(spans->spans, spans->calls, at), window);
	return calls - time_in(mpi, window) - time_in(idle, window) + time_in_both(mpi, idle, window);
}

/* When a rank has events. */
static PhCallSpan
seen_in(const PhSkeleton *skeleton, uint32_t at, PhCallSpan window)
{
	const PhCommLocation *location = &skeleton->locations[at];
	return (PhCallSpan){PH_MAX(window.from, location->first_time),
						PH_MIN(window.to, location->last_time)};
}

/* Time in which a thread is in no call, while its rank's first one is outside of MPI. */
static int64_t
thread_serial(const PhEfficiencySpans *spans, uint32_t at, uint32_t first, PhCallSpan seen)
{
	PhCallSpans calls = ph_spans_of(spans->spans, spans->calls, at);
	PhCallSpans mpi = ph_spans_of(spans->spans, spans->mpi, first);
	if (seen.from >= seen.to)
		return 0;
	return seen.to - seen.from - time_in(calls, seen) - time_in(mpi, seen) +
		   time_in_both(calls, mpi, seen);
}

/* useful: by location that stands for its rank. */
static PhStatus
add_threads(PhArena *scratch, const PhSkeleton *skeleton, const PhEfficiencySpans *spans,
			PhCallSpan window, const int64_t *useful, ThreadTimes *out)
{
	const PhTraceModel *model = skeleton->model;
	uint32_t *n_threads; /* by rank */
	PH_TRY(PH_NEW(scratch, model->n_ranks, &n_threads));
	for (uint32_t at = 0; at < model->n_locations; at++)
	{
		int32_t rank = model->locations[at].rank;
		PH_TRY(ph_env_poll(scratch->env));
		if (rank < 0 || (uint32_t) rank >= model->n_ranks ||
			skeleton->locations[at].first_time == PH_NO_TIME ||
			ph_location_is_stream(&model->locations[at]))
			continue;
		uint32_t first = model->rank_location[rank];
		out->useful += (double) thread_useful(spans, at, window);
		if (first != PH_NONE && first != at)
			out->serial +=
				(double) thread_serial(spans, at, first, seen_in(skeleton, first, window));
		out->are_some = out->are_some || n_threads[rank] > 0;
		n_threads[rank]++;
	}
	for (uint32_t rank = 0; rank < model->n_ranks; rank++)
		if (n_threads[rank] > 0 && model->rank_location[rank] != PH_NONE)
			out->possible += (double) n_threads[rank] * (double) useful[model->rank_location[rank]];
	return PH_OK;
}

/* Useful time of ranks: outside of MPI while the location has events. */
static PhStatus
add_ranks(PhArena *scratch, const PhSkeleton *skeleton, const PhEfficiencySpans *spans,
		  PhCallSpan window, int64_t **useful, PhEfficiency *out)
{
	const PhTraceModel *model = skeleton->model;
	double sum = 0;
	PH_TRY(PH_NEW(scratch, model->n_locations, useful));
	for (uint32_t rank = 0; rank < model->n_ranks; rank++)
	{
		uint32_t at = model->rank_location[rank];
		PH_TRY(ph_env_poll(scratch->env));
		if (at == PH_NONE || skeleton->locations[at].first_time == PH_NO_TIME)
			continue;
		PhCallSpan seen = seen_in(skeleton, at, window);
		if (seen.from >= seen.to)
			continue;
		int64_t time =
			seen.to - seen.from - time_in(ph_spans_of(spans->spans, spans->mpi, at), seen);
		(*useful)[at] = time;
		out->n_ranks++;
		sum += (double) time;
		out->max_useful = PH_MAX(out->max_useful, (double) time);
	}
	out->mean_useful = out->n_ranks > 0 ? sum / out->n_ranks : 0;
	return PH_OK;
}

/* How long the window would take if the network took no time. */
static PhStatus
find_ideal(PhArena *scratch, const PhSkeleton *skeleton, PhCallSpan window, PhEfficiency *out)
{
	PhReplayPlan plan = {.is_ideal = true};
	PhReplayProgram *program;
	PhReplayResult result;
	PH_TRY(ph_replay_program(scratch, skeleton, window.from, window.to, &program));
	PH_TRY(ph_replay_run(scratch, program, &plan, &result));
	/* locations start where they are seen first, maybe after the window's begin */
	out->ideal = result.n_stuck > 0 ? -1 : result.duration + program->from - window.from;
	return PH_OK;
}

static void
rate_threads(const ThreadTimes *threads, PhEfficiency *out)
{
	double parallel = threads->possible - threads->serial;
	out->threads = out->thread_load_balance = out->thread_serialisation = NAN;
	if (!threads->are_some || threads->possible <= 0)
		return;
	out->threads = threads->useful / threads->possible;
	out->thread_serialisation = parallel / threads->possible;
	if (parallel > 0)
		out->thread_load_balance = threads->useful / parallel;
}

PhStatus
ph_efficiency_find(PhArena *scratch, const PhSkeleton *skeleton, const PhEfficiencySpans *spans,
				   PhCallSpan window, PhEfficiency *out)
{
	PhEfficiency found = {.from = window.from, .to = window.to};
	ThreadTimes threads = {0};
	int64_t *useful;
	double elapsed = (double) (window.to - window.from);
	PH_TRY(add_ranks(scratch, skeleton, spans, window, &useful, &found));
	PH_TRY(add_threads(scratch, skeleton, spans, window, useful, &threads));
	PH_TRY(find_ideal(scratch, skeleton, window, &found));
	bool is_some = found.max_useful > 0 && elapsed > 0;
	found.load_balance = is_some ? found.mean_useful / found.max_useful : NAN;
	found.communication = is_some ? found.max_useful / elapsed : NAN;
	found.serialisation = found.transfer = NAN;
	if (is_some && found.ideal > 0)
	{
		found.serialisation = found.max_useful / (double) found.ideal;
		found.transfer = (double) found.ideal / elapsed;
	}
	rate_threads(&threads, &found);
	found.parallel =
		found.load_balance * found.communication * (isnan(found.threads) ? 1.0 : found.threads);
	*out = found;
	return PH_OK;
}
