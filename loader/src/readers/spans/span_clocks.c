/*
 * span_clocks.c - clocks of ranks brought together by the collectives of their devices.
 *
 * Files of ranks have clocks of their own. Where a device collective ends on one rank before it has
 * begun on another, clocks differ; then every rank's times are moved to those of the rank that it
 * shares collectives with, if that helps. What calls and activities of one rank are to each other
 * stays, but for the drift.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/min_max.h"
#include "devices/activities.h"
#include "readers/reading.h"
#include "readers/spans/source.h"

typedef struct Collecting
{
	PhSpanSource *source;
	PhArena *arena;
	uint32_t *collective; /* by region of spans: that of the model; PH_NONE: it is none */
	PH_VECTOR(PhClockKernel) kernels;
} Collecting;

/* *any: some region is that of a collective. */
static PhStatus
find_regions(Collecting *collecting, uint32_t n_regions, bool *any)
{
	const PhSpanSource *source = collecting->source;
	const PhTraceModel *model = &source->source.model;

	PH_TRY(PH_NEW(collecting->arena, n_regions, &collecting->collective));
	for (uint32_t i = 0; i < n_regions; i++)
	{
		uint32_t region = source->regions == NULL ? i : source->regions[i];

		collecting->collective[i] =
			ph_activity_kind(&model->regions[region]) == PH_ACTIVITY_COMMUNICATION ? region
																				   : PH_NONE;
		*any |= collecting->collective[i] != PH_NONE;
	}
	return PH_OK;
}

/* A kernel of a collective library; its key is its operation, else its region, and its
 * communicator. */
static PhStatus
add_kernel(Collecting *collecting, const PhSpanRow *span, uint32_t rank, int64_t shift)
{
	const PhSpanActivity *activity =
		&collecting->source->launches.activities.items[span->detail - 1];
	uint32_t key = collecting->collective[span->region];

	if (key == PH_NONE || span->end == PH_SPAN_OPEN)
		return PH_OK;
	if (activity->operation != PH_DEVICE_UNTOLD)
		key = PH_NONE - ph_device_operation_matched(activity->operation);
	PH_TRY(PH_ROOM(collecting->arena, &collecting->kernels));
	collecting->kernels.items[collecting->kernels.count++] =
		(PhClockKernel){rank, (uint64_t) key << 32 | activity->communicator, span->begin + shift,
						span->end + shift};
	return PH_OK;
}

/* Lanes of a stream follow it: its track is read once, with the first. */
static PhStatus
add_stream(Collecting *collecting, uint32_t location)
{
	const PhSpanSource *source = collecting->source;
	uint32_t place = source->places.items[location];
	int64_t shift = source->tracks.items[ph_track_of(place)].shift;
	uint32_t rank = (uint32_t) source->locations.items[location].rank;
	PhSpanMerge merge;
	const PhSpanRow *span;
	PhStatus status = PH_OK;

	if (ph_lane_of(place) > 0 || !ph_location_is_stream(&source->locations.items[location]))
		return PH_OK;
	PH_TRY(ph_span_merge_begin(&merge, collecting->arena->env, &source->runs, ph_track_of(place)));
	while (status == PH_OK && (span = ph_span_merge_next(&merge)) != NULL)
	{
		status = ph_env_poll(collecting->arena->env);
		if (status == PH_OK)
			status = add_kernel(collecting, span, rank, shift);
	}
	ph_span_merge_end(&merge);
	return status;
}

/* The first time by the clocks becomes the trace's time 0. */
static PhStatus
find_first_time(PhSpanSource *source)
{
	source->clock_base = INT64_MAX;
	for (uint32_t i = 0; i < source->locations.count; i++)
	{
		uint32_t track = ph_track_of(source->places.items[i]);
		PhSpanMerge merge;
		const PhSpanRow *span;

		PH_TRY(ph_span_merge_begin(&merge, source->env, &source->runs, track));
		span = ph_span_merge_next(&merge);
		if (span != NULL)
			source->clock_base =
				PH_MIN(source->clock_base,
					   ph_rank_clock_time(&source->clocks.ranks[source->locations.items[i].rank],
										  span->begin + source->tracks.items[track].shift));
		ph_span_merge_end(&merge);
	}
	return PH_OK;
}

static PhStatus
find_clocks(Collecting *collecting, uint32_t n_regions)
{
	PhSpanSource *source = collecting->source;
	PhRankClocks found;
	PhRankClock *ranks;
	bool any = false;

	PH_TRY(find_regions(collecting, n_regions, &any));
	for (uint32_t i = 0; i < source->locations.count && any; i++)
		PH_TRY(add_stream(collecting, i));
	PH_TRY(ph_rank_clocks_find(collecting->arena, collecting->kernels.items,
							   collecting->kernels.count, source->source.model.n_ranks, &found));
	PH_TRY(PH_NEW(&source->arena, found.n_ranks, &ranks));
	memcpy(ranks, found.ranks, found.n_ranks * sizeof(*ranks));
	found.ranks = ranks;
	source->clocks = found;
	source->moves_clocks = source->clocks.n_early_after < source->clocks.n_early;
	if (!source->moves_clocks)
		return PH_OK;
	source->source.clock = PH_CLOCK_LOGICAL;
	return find_first_time(source);
}

PhStatus
ph_span_source_find_clocks(PhSpanSource *source, uint32_t n_regions)
{
	Collecting collecting = {.source = source};
	PhArena arena;
	PhStatus status;

	if (source->source.model.n_ranks < 2)
		return PH_OK;
	ph_arena_init(&arena, source->env);
	collecting.arena = &arena;
	status = find_clocks(&collecting, n_regions);
	ph_arena_drop(&arena);
	return status;
}

/* ---- what was done ---- */

typedef struct Moved
{
	uint32_t n;
	int64_t offset, error;
	double drift;
} Moved;

static Moved
sum_up(const PhRankClocks *clocks)
{
	Moved moved = {0};

	for (uint32_t r = 0; r < clocks->n_ranks; r++)
	{
		const PhRankClock *clock = &clocks->ranks[r];
		int64_t offset = clock->offset < 0 ? -clock->offset : clock->offset;

		if (clock->reference == PH_NONE || clock->reference == r)
			continue;
		moved.n++;
		moved.offset = PH_MAX(moved.offset, offset);
		moved.error = PH_MAX(moved.error, clock->error);
		moved.drift = fmax(moved.drift, fabs(clock->drift));
	}
	return moved;
}

PhStatus
ph_span_source_warn_of_clocks(const PhSpanSource *source, PhRunInput *run)
{
	const PhRankClocks *clocks = &source->clocks;
	Moved moved = sum_up(clocks);

	if (clocks->n_early == 0)
		return PH_OK;
	if (!source->moves_clocks)
		return ph_run_warn(source->env, run,
						   "%" PRIu64 " collectives of devices end on a rank before they begin on "
						   "another: clocks differ, and could not be brought together.",
						   clocks->n_early);
	return ph_run_warn(
		source->env, run,
		"Clocks of %" PRIu32 " ranks were moved by up to %.1f us and %.2f us a second, "
		"because %" PRIu64 " collectives of devices ended on a rank before they began on "
		"another; %" PRIu64 " still do. Ends of collectives differ by %.1f us.",
		moved.n, (double) moved.offset * 1e-3, moved.drift * 1e6, clocks->n_early,
		clocks->n_early_after, (double) moved.error * 1e-3);
}
