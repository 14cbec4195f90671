/*
 * source.c - see source.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/spans/source.h"

#include "base/min_max.h"
#include "base/name_set.h"
#include "devices/activities.h"
#include "readers/spans/lanes.h"
#include "trace/chunk/device_records.h"

#define RUN_SPANS (1 << 20) /* 32 MB: sorted in a share of a second */
#define MOST_KEPT                                                                                  \
	(UINT64_C(8) << 20) /* spans in memory, 256 MB; more are in the temporary folder */

/* ---- events of a location ---- */

typedef struct Cursor
{
	PhTraceCursor cursor;
	PhEnv *env;
	const PhSpanSource *source;
	PhChunkWriter *writer;
	PhTraceCounts *counts;
	bool is_stream;
	int64_t shift;	  /* to times of the trace */
	int32_t rank;	  /* whose clock it was */
	PhOpenSpans open; /* from the first event on; the outermost first */
} Cursor;

/* A time that is shifted already, by the clock that all ranks share. */
static inline int64_t
common_time(const PhSpanSource *source, int32_t rank, int64_t time)
{
	if (!source->moves_clocks)
		return time;
	return ph_rank_clock_time(&source->clocks.ranks[rank], time) - source->clock_base;
}

static void
count_event(Cursor *cursor, PhEventKind kind, int64_t time)
{
	cursor->counts->events[kind]++;
	cursor->counts->last_time = PH_MAX(cursor->counts->last_time, time);
}

static PhStatus
leave_span(Cursor *cursor)
{
	int64_t time = common_time(cursor->source, cursor->rank,
							   cursor->open.items[--cursor->open.count].end + cursor->shift);

	PH_TRY(ph_chunk_writer_leave(cursor->writer, time, PH_NONE));
	count_event(cursor, PH_EVENT_LEAVE, time);
	return PH_OK;
}

static bool
has_record(const PhSpanActivity *activity)
{
	return activity->bytes > 0 || activity->configuration > 0 || activity->communicator > 0 ||
		   activity->operation > 0 || (activity->scope & PH_SPAN_WAITS) != 0;
}

/* What it waited for on another stream, as values of its record. */
static void
set_awaited(const Cursor *cursor, const PhSpanRow *span, int64_t time, uint64_t *values)
{
	const PhSpanSource *source = cursor->source;
	const PhSpanAwaited *awaited = ph_stream_waits_find(&source->waits, span);
	const PhSpanTrack *track;

	if (awaited == NULL)
		return;
	track = &source->tracks.items[ph_track_of(awaited->track)];
	values[PH_ACTIVITY_AWAITED] = track->first_location + ph_lane_of(awaited->track) + 1;
	values[PH_ACTIVITY_AWAITED_BEFORE] =
		(uint64_t) time - (uint64_t) common_time(source, cursor->rank, awaited->end + track->shift);
	cursor->counts->stream_waits++;
}

/* The record behind an activity's ENTER, where anything is known of it. */
static PhStatus
write_activity(Cursor *cursor, const PhSpanRow *span, int64_t time)
{
	const PhSpanActivity *activity = &cursor->source->launches.activities.items[span->detail - 1];
	uint64_t values[PH_ACTIVITY_VALUES] = {[PH_ACTIVITY_BYTES] = activity->bytes,
										   [PH_ACTIVITY_CONFIGURATION] = activity->configuration,
										   [PH_ACTIVITY_COMMUNICATOR] = activity->communicator,
										   [PH_ACTIVITY_OPERATION] = activity->operation};
	PhEvent record = {.time = time,
					  .kind = PH_EVENT_OTHER,
					  .region = PH_NONE,
					  .peer = PH_NONE,
					  .comm = PH_NONE,
					  .root = PH_NONE,
					  .operation = PH_RECORD_ACTIVITY,
					  .values = values};

	if (!has_record(activity))
		return PH_OK;
	if ((activity->scope & PH_SPAN_WAITS) != 0)
		set_awaited(cursor, span, time, values);
	record.n_values = PH_MAX(ph_activity_n_values(values), 1u);
	cursor->counts->events[PH_EVENT_OTHER]++;
	return ph_chunk_writer_event(cursor->writer, &record);
}

static PhStatus
enter_span(Cursor *cursor, const PhSpanRow *span)
{
	const uint32_t *regions = cursor->source->regions;
	int64_t time = common_time(cursor->source, cursor->rank, span->begin + cursor->shift);

	PH_TRY(PH_ROOM(cursor->env, &cursor->open));
	PH_TRY(ph_chunk_writer_enter(cursor->writer, time,
								 regions == NULL ? span->region : regions[span->region]));
	cursor->open.items[cursor->open.count++] = (PhOpenSpan){span->begin, span->end};
	count_event(cursor, PH_EVENT_ENTER, time);
	return cursor->is_stream ? write_activity(cursor, span, time) : PH_OK;
}

static PhStatus
write_span(Cursor *cursor, const PhSpanRow *span)
{
	PH_TRY(ph_env_poll(cursor->env));
	while (cursor->open.count > 0 &&
		   ph_span_is_over(&cursor->open.items[cursor->open.count - 1], span, cursor->is_stream))
		PH_TRY(leave_span(cursor));
	return enter_span(cursor, span);
}

/* What has an end; spans without one are the outermost, and stay open. */
static PhStatus
leave_all(Cursor *cursor)
{
	while (cursor->open.count > 0 && cursor->open.items[cursor->open.count - 1].end != PH_SPAN_OPEN)
		PH_TRY(leave_span(cursor));
	return PH_OK;
}

static PhStatus
read_location(PhTraceCursor *base, uint32_t location, PhChunkWriter *writer, PhTraceCounts *counts)
{
	Cursor *cursor = (Cursor *) base;
	const PhSpanSource *source = cursor->source;
	uint32_t place = source->places.items[location];
	PhSpanMerge merge;
	const PhSpanRow *span;
	PhStatus status = PH_OK;

	cursor->writer = writer;
	cursor->counts = counts;
	cursor->open.count = 0;
	cursor->shift = source->tracks.items[ph_track_of(place)].shift;
	cursor->rank = source->locations.items[location].rank;
	cursor->is_stream = ph_location_is_stream(&source->locations.items[location]);
	PH_TRY(ph_span_merge_begin(&merge, cursor->env, &source->runs, ph_track_of(place)));
	while (status == PH_OK && (span = ph_span_merge_next(&merge)) != NULL)
	{
		if (span->track == place)
			status = write_span(cursor, span);
	}
	ph_span_merge_end(&merge);
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
		(Cursor){.cursor = {.source = source}, .env = env, .source = (const PhSpanSource *) source};
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

/* ---- links ---- */

static PhLink
link_of(const PhSpanSource *source, const PhSpanRow *activity)
{
	const PhSpanLaunch *call = ph_span_launched_by(&source->launches, activity);
	const PhSpanTrack *track;

	if (call == NULL)
		return (PhLink){PH_NONE, 0, PH_NO_TIME};
	track = &source->tracks.items[ph_track_of(call->track)];
	return (PhLink){track->first_location + ph_lane_of(call->track), call->seq,
					common_time(source, source->locations.items[track->first_location].rank,
								call->begin + track->shift)};
}

static PhStatus
launches(const PhTraceSource *trace, PhArena *arena, uint32_t location, const PhLink **links,
		 uint64_t *n)
{
	const PhSpanSource *source = (const PhSpanSource *) trace;
	uint32_t place = source->places.items[location];
	PH_VECTOR(PhLink) out = {0};
	PhSpanMerge merge;
	const PhSpanRow *activity;
	PhStatus status = PH_OK;

	*n = 0;
	*links = NULL;
	if (!ph_location_is_stream(&trace->model.locations[location]))
		return PH_OK;
	PH_TRY(ph_span_merge_begin(&merge, arena->env, &source->runs, ph_track_of(place)));
	while (status == PH_OK && (activity = ph_span_merge_next(&merge)) != NULL)
	{
		if (activity->track != place)
			continue;
		status = PH_ROOM(arena, &out);
		if (status == PH_OK)
			out.items[out.count++] = link_of(source, activity);
	}
	ph_span_merge_end(&merge);
	*links = out.items;
	*n = out.count;
	return status;
}

/* ---- begin and end ---- */

/* Spans take a quarter of a memory limit at most, and a run while it is sorted another one. */
static void
init_runs(PhSpanSource *source)
{
	uint64_t most = MOST_KEPT;

	if (source->env->byte_limit > 0)
		most = PH_MIN(most, (uint64_t) source->env->byte_limit / 4 / sizeof(PhSpanRow));
	ph_span_runs_init(&source->runs, source->env,
					  (uint32_t) PH_MIN(most / 2 + 1, UINT64_C(1) * RUN_SPANS), most);
}

void
ph_span_source_init(PhSpanSource *source, PhEnv *env, int64_t tolerance)
{
	*source = (PhSpanSource){.source = {.clock = PH_CLOCK_UNCORRECTED,
										.open = open_cursor,
										.read_location = read_location,
										.close = close_cursor,
										.launches = launches},
							 .env = env,
							 .tolerance = tolerance};
	ph_arena_init(&source->arena, env);
	ph_span_launches_init(&source->launches, env);
	init_runs(source);
}

void
ph_span_source_free(PhSpanSource *source)
{
	ph_span_runs_free(&source->runs);
	ph_span_launches_free(&source->launches);
	ph_arena_drop(&source->arena);
}

PhStatus
ph_span_source_finish_spans(PhSpanSource *source)
{
	PH_TRY(ph_span_launches_match(&source->launches));
	PH_TRY(ph_collective_ranges_sort(&source->arena, &source->collectives));
	return ph_span_runs_finish(&source->runs);
}

/* ---- locations ---- */

/* A PhSpanNumbered. Threads come before streams, so that an activity's launch is numbered when it
 * is. */
static uint32_t
number_call(void *user, const PhSpanRow *call, uint64_t seq)
{
	PhSpanSource *source = user;

	if (call->detail > 0)
		ph_span_launches_place(&source->launches, call, seq);
	return 0;
}

/* Which regions' activities communicate, if ranges tell anything of them. */
static PhStatus
find_communicating(PhSpanSource *source)
{
	const PhTraceModel *model = &source->source.model;

	if (source->collectives.list.count == 0 || source->communicates != NULL)
		return PH_OK;
	PH_TRY(PH_NEW(&source->arena, model->n_regions, &source->communicates));
	for (uint32_t i = 0; i < model->n_regions; i++)
		source->communicates[i] = ph_activity_kind(&model->regions[i]) == PH_ACTIVITY_COMMUNICATION;
	return PH_OK;
}

/* What calls and annotations around its launch tell of a kernel that communicates. Its own
 * arguments count more. */
static void
ask_ranges(PhSpanSource *source, const PhSpanRow *activity)
{
	PhSpanActivity *known = &source->launches.activities.items[activity->detail - 1];
	const PhSpanLaunch *call = ph_span_launched_by(&source->launches, activity);
	uint32_t region = activity->region;
	PhCollectiveRange told;

	if (source->regions != NULL)
		region = source->regions[region];
	if (call == NULL || source->communicates == NULL || !source->communicates[region])
		return;
	told = ph_collective_ranges_find(&source->collectives, ph_track_of(call->track), call->begin);
	if (known->operation == PH_DEVICE_UNTOLD)
		known->operation = told.operation;
	if (known->communicator == 0)
		known->communicator = told.communicator & PH_MOST_SPAN_COMMUNICATORS;
	if (known->bytes == 0)
		known->bytes = PH_MIN(told.bytes, PH_MOST_SPAN_BYTES);
}

static uint32_t
number_activity(void *user, const PhSpanRow *activity, uint64_t seq)
{
	PhSpanSource *source = user;

	(void) seq;
	ph_stream_waits_place(&source->waits, &source->launches, activity);
	ask_ranges(source, activity);
	return has_record(ph_span_launches_check(&source->launches, activity)) ? 1 : 0;
}

/* Threads of a rank are numbered one after the other. */
static int32_t
next_thread(const PhSpanSource *source, int32_t rank)
{
	const PhTraceLocation *last =
		source->locations.count == 0 ? NULL : &source->locations.items[source->locations.count - 1];

	return last != NULL && last->rank == rank ? last->thread + 1 : 0;
}

static PhStatus
add_location(PhSpanSource *source, uint32_t place, uint64_t n_events, const PhTraceLocation *first)
{
	PhTraceLocation location = *first;
	uint32_t lane = ph_lane_of(place);

	location.source_id = source->locations.count;
	location.n_events = n_events;
	location.stream.lane = (int32_t) lane;
	location.thread =
		ph_location_is_stream(first) ? PH_NO_NUMBER : next_thread(source, first->rank);
	if (lane > 0)
		PH_TRY(ph_arena_printf(&source->arena, &location.name, "%s (%u)", first->name, lane + 1));
	PH_TRY(PH_ROOM(&source->arena, &source->locations));
	source->locations.items[source->locations.count++] = location;
	PH_TRY(PH_ROOM(&source->arena, &source->places));
	source->places.items[source->places.count++] = place;
	return PH_OK;
}

static PhStatus
find_track(PhSpanSource *source, uint32_t track, PhSpanTrack **out)
{
	while (source->tracks.count <= track)
	{
		PH_TRY(PH_ROOM(&source->arena, &source->tracks));
		source->tracks.count++;
	}
	*out = &source->tracks.items[track];
	return PH_OK;
}

PhStatus
ph_span_source_place(PhSpanSource *source, uint32_t track, int64_t shift,
					 const PhTraceLocation *place)
{
	bool is_stream = ph_location_is_stream(place);
	PhSpanLanes lanes = {.is_stream = is_stream, .tolerance = source->tolerance};
	PhSpanTrack *placed;

	if (is_stream)
	{
		PH_TRY(ph_stream_waits_resolve(&source->waits, &source->arena, &source->launches,
									   &source->runs));
		PH_TRY(find_communicating(source));
	}
	PH_TRY(find_track(source, track, &placed));
	*placed = (PhSpanTrack){shift, source->locations.count};
	PH_TRY(ph_lanes_assign(&lanes, source->env, &source->runs, track,
						   is_stream ? number_activity : number_call, source));
	source->n_cut += lanes.n_cut;
	*(is_stream ? &source->n_overlapping : &source->n_crossing) += lanes.n_overlapped;
	for (uint32_t i = 0; i < lanes.n; i++)
		PH_TRY(add_location(source, track | i << PH_TRACK_BITS, lanes.lanes[i].n_events, place));
	return PH_OK;
}

/* Of each rank its first thread. */
static PhStatus
find_rank_locations(PhSpanSource *source)
{
	PhTraceModel *model = &source->source.model;

	for (uint32_t i = 0; i < model->n_locations; i++)
		model->n_ranks = PH_MAX(model->n_ranks, (uint32_t) model->locations[i].rank + 1);
	PH_TRY(PH_NEW(&source->arena, model->n_ranks, &model->rank_location));
	for (uint32_t i = 0; i < model->n_ranks; i++)
		model->rank_location[i] = PH_NONE;
	for (uint32_t i = model->n_locations; i-- > 0;)
	{
		if (!ph_location_is_stream(&model->locations[i]))
			model->rank_location[model->locations[i].rank] = i;
	}
	return PH_OK;
}

PhStatus
ph_span_source_finish(PhSpanSource *source, uint32_t n_regions)
{
	source->source.model.locations = source->locations.items;
	source->source.model.n_locations = source->locations.count;
	source->source.launched = source->launches.counts;
	PH_TRY(find_rank_locations(source));
	return ph_span_source_find_clocks(source, n_regions);
}
