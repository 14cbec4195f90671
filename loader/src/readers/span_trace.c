/*
 * span_trace.c - see span_trace.h.
 *
 * Spans are sorted by track, start and, the longer first, end; then each goes to the first lane of
 * its track in which it nests (threads) or which is free (streams). A walk over a lane, which is a
 * location, gives its events: once to number ENTERs of calls for links, once to read them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/span_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/min_max.h"
#include "base/sort.h"
#include "base/table.h"
#include "trace/chunk/device_records.h"

#define MOST_LANES 1024 /* of a track: arbitrary, far beyond what devices run at once */
#define MOST_NAME 96
#define FARTHEST (INT64_MAX / 4) /* ns from time 0: differences of times have room */

typedef struct Process
{
	int32_t rank;
	const char *host;
} Process;

/* What tells tracks apart; no padding. */
typedef struct TrackKey
{
	uint64_t thread; /* 0 of streams */
	int64_t context, stream;
	uint32_t process;
	int32_t device;
	uint64_t is_stream;
} TrackKey;

typedef struct Track
{
	TrackKey key;
	const char *name;
	uint32_t place;	  /* in the order of locations */
	uint32_t n_lanes; /* at least 1 */
	uint32_t first;	  /* location of its first lane */
} Track;

/* What tells regions apart: numbers of strings; no padding. */
typedef struct RegionKey
{
	uint32_t name, file, library, paradigm, role;
	int32_t line;
	uint32_t kind;
} RegionKey;

/*
 * A span as it is kept. link: at first its correlation; of an activity then 1 + the span that
 * launched it, 0: none; of a call then the number of its ENTER in its location.
 */
typedef struct KeptSpan
{
	int64_t start, end;
	uint64_t link, bytes;
	uint32_t track, region, configuration;
	uint32_t location; /* first its lane */
} KeptSpan;

struct PhSpanTrace
{
	PhTraceSource source; /* first */
	PhEnv *env;
	PhArena arena;
	PhStrings strings;
	PhRecords track_keys, region_keys, configurations;
	PhMap ranks;
	uint32_t n_processes, process_room, n_tracks, track_room;
	Process *processes;
	Track *tracks;
	PH_VECTOR(KeptSpan) spans;
	int64_t first_time;
	uint32_t *order; /* spans by location, in order; span_room of them */
	uint32_t order_room;
	uint32_t *first; /* of a location's spans in order; and their end */
};

typedef struct SpanCursor
{
	PhTraceCursor cursor;
	PhEnv *env;
	PhIndices open;
} SpanCursor;

/* ---- what is named ---- */

static PhStatus
start(PhSpanTrace *trace)
{
	PH_TRY(ph_strings_init(&trace->strings, &trace->arena));
	ph_records_init(&trace->track_keys, &trace->arena, sizeof(TrackKey));
	ph_records_init(&trace->region_keys, &trace->arena, sizeof(RegionKey));
	ph_records_init(&trace->configurations, &trace->arena, sizeof(PhLaunchConfiguration));
	ph_map_init(&trace->ranks, &trace->arena);
	return PH_OK;
}

PhStatus
ph_span_trace_new(PhEnv *env, PhSpanTrace **out)
{
	PhSpanTrace *trace;

	PH_TRY(ph_env_alloc(env, 1, sizeof(*trace), (void **) &trace));
	trace->env = env;
	ph_arena_init(&trace->arena, env);
	PhStatus status = start(trace);

	if (status == PH_OK)
		*out = trace;
	else
		ph_span_trace_free(trace);
	return status;
}

void
ph_span_trace_free(PhSpanTrace *trace)
{
	if (trace == NULL)
		return;
	PhEnv *env = trace->env;

	ph_env_free(env, trace->order, trace->order_room, sizeof(*trace->order));
	PH_VECTOR_FREE(env, &trace->spans);
	ph_arena_drop(&trace->arena);
	ph_env_free(env, trace, 1, sizeof(*trace));
}

static PhStatus
keep_text(PhSpanTrace *trace, const char *text, const char **out)
{
	uint32_t string;

	PH_TRY(ph_strings_intern(&trace->strings, text, &string));
	*out = trace->strings.text[string];
	return PH_OK;
}

PhStatus
ph_span_trace_process(PhSpanTrace *trace, int32_t rank, const char *host, uint32_t *out)
{
	uint32_t *known;
	Process process = {.rank = rank};

	if (rank < 0 || rank > INT32_MAX / 2)
		return ph_fail(trace->env, PH_ERR_VALUE, "%" PRId32 " is no rank", rank);
	PH_TRY(keep_text(trace, host, &process.host));
	PH_TRY(PH_GROW(&trace->arena, &trace->processes, trace->n_processes, &trace->process_room));
	PH_TRY(ph_map_enter(&trace->ranks, (uint64_t) rank, trace->n_processes, &known));
	if (*known != trace->n_processes)
		return ph_fail(trace->env, PH_ERR_VALUE, "two processes have rank %" PRId32, rank);
	trace->processes[trace->n_processes] = process;
	*out = trace->n_processes++;
	return PH_OK;
}

static PhStatus
name_track(PhSpanTrace *trace, const TrackKey *key, const char *name, const char **out)
{
	char made[MOST_NAME];

	if (key->is_stream != 0)
		snprintf(made, sizeof(made), "GPU %" PRId32 " stream %" PRId64, key->device, key->stream);
	else
		snprintf(made, sizeof(made), "thread %" PRIu64, key->thread);
	return keep_text(trace, name != NULL ? name : made, out);
}

static PhStatus
find_track(PhSpanTrace *trace, const TrackKey *key, const char *name, uint32_t *out)
{
	uint32_t track;

	PH_TRY(PH_GROW(&trace->arena, &trace->tracks, trace->n_tracks, &trace->track_room));
	PH_TRY(ph_records_intern(&trace->track_keys, key, &track));
	if (track == trace->n_tracks)
	{
		Track *made = &trace->tracks[track];

		*made = (Track){.key = *key, .n_lanes = 1};
		PH_TRY(name_track(trace, key, name, &made->name));
		trace->n_tracks++;
	}
	*out = track;
	return PH_OK;
}

PhStatus
ph_span_trace_thread(PhSpanTrace *trace, uint32_t process, uint64_t number, const char *name,
					 uint32_t *out)
{
	return find_track(trace, &(TrackKey){.process = process, .thread = number}, name, out);
}

PhStatus
ph_span_trace_stream(PhSpanTrace *trace, uint32_t process, PhDeviceStream stream, const char *name,
					 uint32_t *out)
{
	TrackKey key = {.process = process,
					.is_stream = 1,
					.device = stream.device,
					.context = stream.context,
					.stream = stream.stream};

	return find_track(trace, &key, name, out);
}

PhStatus
ph_span_trace_region(PhSpanTrace *trace, const PhTraceRegion *region, uint32_t *out)
{
	RegionKey key = {.line = region->line, .kind = (uint32_t) region->kind};

	PH_TRY(ph_strings_intern(&trace->strings, region->name, &key.name));
	PH_TRY(ph_strings_intern(&trace->strings, region->file, &key.file));
	PH_TRY(ph_strings_intern(&trace->strings, region->library, &key.library));
	PH_TRY(ph_strings_intern(&trace->strings, region->paradigm, &key.paradigm));
	PH_TRY(ph_strings_intern(&trace->strings, region->role, &key.role));
	return ph_records_intern(&trace->region_keys, &key, out);
}

PhStatus
ph_span_trace_configuration(PhSpanTrace *trace, const PhLaunchConfiguration *configuration,
							uint32_t *out)
{
	return ph_records_intern(&trace->configurations, configuration, out);
}

PhStatus
ph_span_trace_add(PhSpanTrace *trace, const PhTraceSpan *span)
{
	if (span->start < -FARTHEST || span->start > FARTHEST ||
		(span->end > FARTHEST && span->end != PH_SPAN_OPEN))
		return ph_fail(trace->env, PH_ERR_VALUE, "its time is impossible");
	if (span->end < span->start)
		return ph_fail(trace->env, PH_ERR_VALUE, "it ends before it begins");
	PH_TRY(PH_ROOM(trace->env, &trace->spans));
	trace->spans.items[trace->spans.count++] = (KeptSpan){.start = span->start,
														  .end = span->end,
														  .link = span->correlation,
														  .bytes = span->bytes,
														  .track = span->track,
														  .region = span->region,
														  .configuration = span->configuration};
	return PH_OK;
}

/* ---- tracks in the order of locations ---- */

static int
compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int
compare_tracks(const void *context, uint32_t x, uint32_t y)
{
	const PhSpanTrace *trace = context;
	const TrackKey *a = &trace->tracks[x].key;
	const TrackKey *b = &trace->tracks[y].key;
	const int64_t pairs[][2] = {
		{(int64_t) a->is_stream, (int64_t) b->is_stream},
		{trace->processes[a->process].rank, trace->processes[b->process].rank},
		{a->device, b->device},
		{a->context, b->context},
		{a->stream, b->stream},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (pairs[i][0] != pairs[i][1])
			return compare_numbers(pairs[i][0], pairs[i][1]);
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static int
compare_spans(const void *context, uint32_t x, uint32_t y)
{
	const PhSpanTrace *trace = context;
	const KeptSpan *a = &trace->spans.items[x];
	const KeptSpan *b = &trace->spans.items[y];

	if (a->track != b->track)
		return trace->tracks[a->track].place < trace->tracks[b->track].place ? -1 : 1;
	return a->start != b->start ? compare_numbers(a->start, b->start)
								: compare_numbers(b->end, a->end);
}

/* *sorted: tracks in order. */
static PhStatus
sort_spans(PhSpanTrace *trace, PhArena *scratch, uint32_t **sorted, uint32_t **spans)
{
	PH_TRY(ph_sort_indices(scratch, trace->n_tracks, compare_tracks, trace, sorted));
	for (uint32_t i = 0; i < trace->n_tracks; i++)
		trace->tracks[(*sorted)[i]].place = i;
	return ph_sort_indices(scratch, trace->spans.count, compare_spans, trace, spans);
}

/* ---- lanes ---- */

/* The ends of what is open in a lane, innermost last. */
typedef PH_VECTOR(int64_t) Lane;

typedef struct Lanes
{
	uint32_t n, capacity;
	Lane *items;
} Lanes;

/* Lanes are kept from track to track. */
static PhStatus
find_lane(PhSpanTrace *trace, PhArena *scratch, Lanes *lanes, KeptSpan *span)
{
	Track *track = &trace->tracks[span->track];

	for (uint32_t i = 0; i < MOST_LANES; i++)
	{
		PH_TRY(PH_GROW(scratch, &lanes->items, i, &lanes->capacity));
		Lane *lane = &lanes->items[i];

		while (lane->count > 0 && lane->items[lane->count - 1] <= span->start)
			lane->count--;
		if (lane->count > 0 && (track->key.is_stream || lane->items[lane->count - 1] < span->end))
			continue;
		PH_TRY(PH_ROOM(scratch, lane));
		lane->items[lane->count++] = span->end;
		span->location = i;
		track->n_lanes = PH_MAX(track->n_lanes, i + 1);
		lanes->n = PH_MAX(lanes->n, i + 1);
		return PH_OK;
	}
	return ph_fail(trace->env, PH_ERR_LIMIT, "more than %d spans of \"%.60s\" overlap", MOST_LANES,
				   track->name);
}

static bool
is_activity(const PhSpanTrace *trace, const KeptSpan *span)
{
	return trace->tracks[span->track].key.is_stream != 0;
}

/* Gives each span its lane, in order, and counts those that are not in the first. */
static PhStatus
find_lanes(PhSpanTrace *trace, PhArena *scratch, const uint32_t *spans, PhSpanCounts *counts)
{
	Lanes lanes = {0};
	uint32_t track = PH_NONE;

	for (uint32_t i = 0; i < trace->spans.count; i++)
	{
		KeptSpan *span = &trace->spans.items[spans[i]];

		PH_TRY(ph_env_poll(trace->env));
		for (uint32_t lane = 0; span->track != track && lane < lanes.n; lane++)
			lanes.items[lane].count = 0;
		track = span->track;
		PH_TRY(find_lane(trace, scratch, &lanes, span));
		counts->calls += !is_activity(trace, span);
		*(is_activity(trace, span) ? &counts->overlaps : &counts->crossing) += span->location > 0;
	}
	return PH_OK;
}

/* ---- locations ---- */

static PhStatus
name_lane(PhSpanTrace *trace, PhArena *scratch, const Track *track, uint32_t lane, const char **out)
{
	size_t size = strlen(track->name) + 16;
	char *name;

	*out = track->name;
	if (lane == 0)
		return PH_OK;
	PH_TRY(PH_NEW(scratch, size, &name));
	snprintf(name, size, "%s (%" PRIu32 ")", track->name, lane + 1);
	return keep_text(trace, name, out);
}

static PhStatus
make_location(PhSpanTrace *trace, PhArena *scratch, const Track *track, uint32_t lane,
			  int32_t *n_threads)
{
	PhTraceModel *model = &trace->source.model;
	const TrackKey *key = &track->key;
	const Process *process = &trace->processes[key->process];
	PhTraceLocation *location = &model->locations[model->n_locations];

	*location = (PhTraceLocation){
		.source_id = model->n_locations,
		.rank = process->rank,
		.thread = key->is_stream ? PH_NO_NUMBER : n_threads[process->rank]++,
		.kind = key->is_stream ? PH_COLUMN_STREAM : PH_COLUMN_UNIT,
		.host = process->host,
		.stream = {key->device, key->context, key->stream, (int32_t) lane},
	};
	if (!key->is_stream && model->rank_location[process->rank] == PH_NONE)
		model->rank_location[process->rank] = model->n_locations;
	model->n_locations++;
	return name_lane(trace, scratch, track, lane, &location->name);
}

static PhStatus
count_ranks(PhSpanTrace *trace)
{
	PhTraceModel *model = &trace->source.model;

	for (uint32_t i = 0; i < trace->n_processes; i++)
		model->n_ranks = PH_MAX(model->n_ranks, (uint32_t) trace->processes[i].rank + 1);
	PH_TRY(PH_NEW(&trace->arena, model->n_ranks, &model->rank_location));
	for (uint32_t i = 0; i < model->n_ranks; i++)
		model->rank_location[i] = PH_NONE;
	return PH_OK;
}

static PhStatus
make_locations(PhSpanTrace *trace, PhArena *scratch, const uint32_t *sorted)
{
	PhTraceModel *model = &trace->source.model;
	size_t n = 0;
	int32_t *n_threads;

	PH_TRY(count_ranks(trace));
	for (uint32_t i = 0; i < trace->n_tracks; i++)
		n += trace->tracks[i].n_lanes;
	PH_TRY(PH_NEW(&trace->arena, n, &model->locations));
	PH_TRY(PH_NEW(scratch, model->n_ranks, &n_threads));
	for (uint32_t i = 0; i < trace->n_tracks; i++)
	{
		Track *track = &trace->tracks[sorted[i]];

		track->first = model->n_locations;
		for (uint32_t lane = 0; lane < track->n_lanes; lane++)
			PH_TRY(make_location(trace, scratch, track, lane, n_threads));
	}
	return PH_OK;
}

/* From spans by track to spans by location: order and first. */
static PhStatus
order_by_location(PhSpanTrace *trace, const uint32_t *spans)
{
	uint32_t n = trace->source.model.n_locations;
	uint32_t *first; /* two places further on until it is filled */

	PH_TRY(PH_NEW(&trace->arena, (size_t) n + 2, &first));
	PH_TRY(ph_env_alloc(trace->env, trace->spans.count, sizeof(*trace->order),
						(void **) &trace->order));
	trace->order_room = trace->spans.count;
	for (uint32_t i = 0; i < trace->spans.count; i++)
	{
		KeptSpan *span = &trace->spans.items[i];

		span->location += trace->tracks[span->track].first;
		first[span->location + 2]++;
	}
	for (uint32_t i = 2; i <= n; i++)
		first[i] += first[i - 1];
	for (uint32_t i = 0; i < trace->spans.count; i++)
		trace->order[first[trace->spans.items[spans[i]].location + 1]++] = spans[i];
	trace->first = first;
	return PH_OK;
}

/* ---- the events of a location ---- */

/* A walk over the spans of a location; open: those that have begun, innermost last. */
typedef struct SpanWalk
{
	const PhSpanTrace *trace;
	PhEnv *env;
	PhIndices *open;
	uint32_t at, end; /* in order */
} SpanWalk;

static SpanWalk
walk_location(const PhSpanTrace *trace, PhEnv *env, PhIndices *open, uint32_t location)
{
	open->count = 0;
	return (SpanWalk){.trace = trace,
					  .env = env,
					  .open = open,
					  .at = trace->first[location],
					  .end = trace->first[location + 1]};
}

/* The next event: a span begins or ends; *span PH_NONE: there is none. */
static PhStatus
next_event(SpanWalk *walk, uint32_t *span, bool *begins)
{
	const PhSpanTrace *trace = walk->trace;
	const KeptSpan *spans = trace->spans.items;
	uint32_t next = walk->at < walk->end ? trace->order[walk->at] : PH_NONE;
	uint32_t inner = walk->open->count > 0 ? walk->open->items[walk->open->count - 1] : PH_NONE;

	*span = PH_NONE;
	*begins = false;
	if (inner != PH_NONE && (next == PH_NONE || spans[inner].end <= spans[next].start))
	{
		walk->open->count--;
		if (spans[inner].end != PH_SPAN_OPEN)
			*span = inner;
		return PH_OK;
	}
	if (next == PH_NONE)
		return PH_OK;
	walk->at++;
	*span = next;
	*begins = true;
	PH_TRY(ph_indices_add(walk->env, walk->open, next));
	return ph_env_poll(walk->env);
}

/* Calls get the numbers of their ENTERs; the number of events. */
static PhStatus
number_events(PhSpanTrace *trace, PhIndices *open, uint32_t location, uint64_t *n_events)
{
	SpanWalk walk = walk_location(trace, trace->env, open, location);
	bool is_stream = ph_location_is_stream(&trace->source.model.locations[location]);
	uint64_t seq = 0;

	for (;;)
	{
		uint32_t at;
		bool begins;

		PH_TRY(next_event(&walk, &at, &begins));
		if (at == PH_NONE)
			break;
		KeptSpan *span = &trace->spans.items[at];

		if (begins && !is_stream)
			span->link = seq;
		seq += 1 + (begins && is_stream && (span->bytes > 0 || span->configuration > 0));
	}
	*n_events = seq;
	return PH_OK;
}

static PhStatus
write_event(PhChunkWriter *writer, const KeptSpan *span, int64_t time, PhTraceCounts *counts)
{
	const uint64_t values[PH_ACTIVITY_VALUES] = {
		[PH_ACTIVITY_BYTES] = span->bytes, [PH_ACTIVITY_CONFIGURATION] = span->configuration};
	PhEvent record = {.time = time,
					  .kind = PH_EVENT_OTHER,
					  .peer = PH_NONE,
					  .comm = PH_NONE,
					  .root = PH_NONE,
					  .operation = PH_RECORD_ACTIVITY,
					  .n_values = span->configuration > 0 ? PH_ACTIVITY_VALUES : 1,
					  .values = values};

	PH_TRY(ph_chunk_writer_enter(writer, time, span->region));
	counts->events[PH_EVENT_ENTER]++;
	if (span->bytes == 0 && span->configuration == 0)
		return PH_OK;
	counts->events[PH_EVENT_OTHER]++;
	return ph_chunk_writer_event(writer, &record);
}

static PhStatus
read_location(PhTraceCursor *cursor, uint32_t location, PhChunkWriter *writer,
			  PhTraceCounts *counts)
{
	SpanCursor *mine = (SpanCursor *) (void *) cursor;
	const PhSpanTrace *trace = (const PhSpanTrace *) (const void *) cursor->source;
	SpanWalk walk = walk_location(trace, mine->env, &mine->open, location);

	for (;;)
	{
		uint32_t at;
		bool begins;

		PH_TRY(next_event(&walk, &at, &begins));
		if (at == PH_NONE)
			return PH_OK;
		const KeptSpan *span = &trace->spans.items[at];
		int64_t time = (begins ? span->start : span->end) - trace->first_time;

		counts->last_time = PH_MAX(counts->last_time, time);
		if (begins)
		{
			PH_TRY(write_event(writer, span, time, counts));
			continue;
		}
		counts->events[PH_EVENT_LEAVE]++;
		PH_TRY(ph_chunk_writer_leave(writer, time, span->region));
	}
}

static PhStatus
open_cursor(PhEnv *env, const PhTraceSource *source, PhTraceCursor **out)
{
	SpanCursor *cursor;

	PH_TRY(ph_env_alloc(env, 1, sizeof(*cursor), (void **) &cursor));
	*cursor = (SpanCursor){.cursor = {.source = source}, .env = env};
	*out = &cursor->cursor;
	return PH_OK;
}

static void
close_cursor(PhTraceCursor *cursor)
{
	SpanCursor *mine = (SpanCursor *) (void *) cursor;

	PH_VECTOR_FREE(mine->env, &mine->open);
	ph_env_free(mine->env, mine, 1, sizeof(*mine));
}

/* ---- launches ---- */

/* The outer one of two calls of one correlation. */
static bool
is_outer(const KeptSpan *a, const KeptSpan *b)
{
	return a->start != b->start ? a->start < b->start : a->end > b->end;
}

/* By process, the outermost call of each correlation. */
static PhStatus
map_calls(PhSpanTrace *trace, PhMap *calls)
{
	for (uint32_t i = 0; i < trace->spans.count; i++)
	{
		const KeptSpan *span = &trace->spans.items[i];
		uint32_t *known;

		PH_TRY(ph_env_poll(trace->env));
		if (span->link == 0 || is_activity(trace, span))
			continue;
		PH_TRY(ph_map_enter(&calls[trace->tracks[span->track].key.process], span->link, i, &known));
		if (is_outer(span, &trace->spans.items[*known]))
			*known = i;
	}
	return PH_OK;
}

static PhStatus
match_activities(PhSpanTrace *trace, PhMap *calls)
{
	PhLaunchCounts *counts = &trace->source.launched;

	for (uint32_t i = 0; i < trace->spans.count; i++)
	{
		KeptSpan *span = &trace->spans.items[i];
		PhMap *map = &calls[trace->tracks[span->track].key.process];
		uint32_t none = PH_NONE;
		uint32_t *call = &none;

		PH_TRY(ph_env_poll(trace->env));
		if (!is_activity(trace, span))
			continue;
		if (span->link != 0)
			PH_TRY(ph_map_enter(map, span->link, PH_NONE, &call));
		span->link = *call == PH_NONE ? 0 : (uint64_t) *call + 1;
		counts->activities++;
		counts->unmatched += *call == PH_NONE;
		counts->reversed += *call != PH_NONE && span->start < trace->spans.items[*call].start;
	}
	return PH_OK;
}

static PhStatus
match_launches(PhSpanTrace *trace, PhArena *scratch)
{
	PhMap *calls;

	PH_TRY(PH_NEW(scratch, trace->n_processes, &calls));
	for (uint32_t i = 0; i < trace->n_processes; i++)
		ph_map_init(&calls[i], scratch);
	PH_TRY(map_calls(trace, calls));
	return match_activities(trace, calls);
}

static PhStatus
launches(const PhTraceSource *source, PhArena *arena, uint32_t location, const PhLink **links,
		 uint64_t *n)
{
	const PhSpanTrace *trace = (const PhSpanTrace *) (const void *) source;
	uint32_t first = trace->first[location];
	PhLink *out;

	*n = 0;
	*links = NULL;
	if (!ph_location_is_stream(&source->model.locations[location]))
		return PH_OK;
	*n = trace->first[location + 1] - first;
	PH_TRY(PH_NEW(arena, (size_t) *n, &out));
	for (uint32_t i = 0; i < *n; i++)
	{
		uint64_t link = trace->spans.items[trace->order[first + i]].link;
		const KeptSpan *call = link == 0 ? NULL : &trace->spans.items[link - 1];

		out[i] = (PhLink){PH_NONE, 0, PH_NO_TIME};
		if (call != NULL)
			out[i] = (PhLink){call->location, call->link, call->start - trace->first_time};
	}
	*links = out;
	return PH_OK;
}

/* ---- the source ---- */

static PhStatus
make_regions(PhSpanTrace *trace)
{
	PhTraceModel *model = &trace->source.model;
	const RegionKey *keys = (const RegionKey *) (const void *) trace->region_keys.bytes;
	const char **text = trace->strings.text;

	model->n_regions = trace->region_keys.count;
	PH_TRY(PH_NEW(&trace->arena, model->n_regions, &model->regions));
	for (uint32_t i = 0; i < model->n_regions; i++)
		model->regions[i] = (PhTraceRegion){.kind = (PhRegionKind) keys[i].kind,
											.name = text[keys[i].name],
											.file = text[keys[i].file],
											.library = text[keys[i].library],
											.paradigm = text[keys[i].paradigm],
											.role = text[keys[i].role],
											.line = keys[i].line};
	return PH_OK;
}

static PhStatus
number_all_events(PhSpanTrace *trace)
{
	PhTraceModel *model = &trace->source.model;
	PhIndices open = {0};
	PhStatus status = PH_OK;

	for (uint32_t i = 0; i < model->n_locations && status == PH_OK; i++)
		status = number_events(trace, &open, i, &model->locations[i].n_events);
	PH_VECTOR_FREE(trace->env, &open);
	return status;
}

static void
free_source(PhEnv *env, PhTraceSource *source)
{
	(void) env;
	ph_span_trace_free((PhSpanTrace *) (void *) source);
}

static PhStatus
arrange(PhSpanTrace *trace, PhArena *scratch, PhSpanCounts *counts)
{
	uint32_t *tracks;
	uint32_t *spans;

	PH_TRY(sort_spans(trace, scratch, &tracks, &spans));
	PH_TRY(find_lanes(trace, scratch, spans, counts));
	PH_TRY(make_locations(trace, scratch, tracks));
	PH_TRY(order_by_location(trace, spans));
	ph_arena_drop(scratch);
	PH_TRY(match_launches(trace, scratch));
	return number_all_events(trace);
}

PhStatus
ph_span_trace_finish(PhSpanTrace *trace, int64_t epoch_ns, PhSpanCounts *counts,
					 PhTraceSource **out)
{
	PhTraceSource *source = &trace->source;
	PhSpanCounts found = {.first_time = INT64_MAX};
	PhArena scratch;

	if (trace->spans.count == 0)
		return ph_fail(trace->env, PH_ERR_VALUE, "it has no calls");
	for (uint32_t i = 0; i < trace->spans.count; i++)
		found.first_time = PH_MIN(found.first_time, trace->spans.items[i].start);
	trace->first_time = found.first_time;
	ph_arena_init(&scratch, trace->env);
	PhStatus status = arrange(trace, &scratch, &found);

	ph_arena_drop(&scratch);
	PH_TRY(status);
	PH_TRY(make_regions(trace));
	source->model.n_configurations = trace->configurations.count;
	source->model.configurations =
		(const PhLaunchConfiguration *) (const void *) trace->configurations.bytes;
	source->model.epoch_ns = epoch_ns == PH_NO_TIME ? PH_NO_TIME : epoch_ns + trace->first_time;
	source->open = open_cursor;
	source->read_location = read_location;
	source->close = close_cursor;
	source->free = free_source;
	source->launches = launches;
	*counts = found;
	*out = source;
	return PH_OK;
}
