/*
 * trace.c - see trace.h: what rows name, as tracks, regions and spans of a span source.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/spans/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/min_max.h"
#include "base/sort.h"
#include "trace/chunk/device_records.h"

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
} Track;

/* What tells regions apart: numbers of strings; no padding. */
typedef struct RegionKey
{
	uint32_t name, file, library, paradigm, role;
	int32_t line;
	uint32_t kind;
} RegionKey;

/* A process whose calls name a communicator; no padding. */
typedef struct CommunicatorMember
{
	uint32_t communicator, process;
} CommunicatorMember;

struct PhSpanTrace
{
	PhSpanSource spans; /* first */
	PhStrings strings;
	PhRecords track_keys, region_keys, configurations;
	PhRecords communicators, members; /* strings; CommunicatorMember */
	PhMap ranks;
	PH_VECTOR(Process) processes;
	PH_VECTOR(Track) tracks;
	uint64_t n_spans;
	int64_t first_time;
};

/* ---- what is named ---- */

static PhStatus
start(PhSpanTrace *trace)
{
	PhArena *arena = &trace->spans.arena;

	trace->first_time = INT64_MAX;
	PH_TRY(ph_strings_init(&trace->strings, arena));
	ph_records_init(&trace->track_keys, arena, sizeof(TrackKey));
	ph_records_init(&trace->region_keys, arena, sizeof(RegionKey));
	ph_records_init(&trace->configurations, arena, sizeof(PhLaunchConfiguration));
	ph_records_init(&trace->communicators, arena, sizeof(uint32_t));
	ph_records_init(&trace->members, arena, sizeof(CommunicatorMember));
	ph_map_init(&trace->ranks, arena);
	return PH_OK;
}

static void
free_source(PhEnv *env, PhTraceSource *source)
{
	(void) env;
	ph_span_trace_free((PhSpanTrace *) (void *) source);
}

PhStatus
ph_span_trace_new(PhEnv *env, PhSpanTrace **out)
{
	PhSpanTrace *trace;

	PH_TRY(ph_env_alloc(env, 1, sizeof(*trace), (void **) &trace));
	*trace = (PhSpanTrace){0};
	ph_span_source_init(&trace->spans, env, 0);
	trace->spans.source.free = free_source;
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
	PhEnv *env = trace->spans.env;

	ph_span_source_free(&trace->spans);
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
		return ph_fail(trace->spans.env, PH_ERR_VALUE, "%" PRId32 " is no rank", rank);
	PH_TRY(keep_text(trace, host, &process.host));
	PH_TRY(PH_ROOM(&trace->spans.arena, &trace->processes));
	PH_TRY(ph_map_enter(&trace->ranks, (uint64_t) rank, trace->processes.count, &known));
	if (*known != trace->processes.count)
		return ph_fail(trace->spans.env, PH_ERR_VALUE, "two processes have rank %" PRId32, rank);
	*out = trace->processes.count;
	trace->processes.items[trace->processes.count++] = process;
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

	PH_TRY(PH_ROOM(&trace->spans.arena, &trace->tracks));
	PH_TRY(ph_records_intern(&trace->track_keys, key, &track));
	*out = track;
	if (track < trace->tracks.count)
		return PH_OK;
	if (track >= PH_MOST_TRACKS)
		return ph_fail(trace->spans.env, PH_ERR_LIMIT, "more than %u threads and streams",
					   PH_MOST_TRACKS);
	trace->tracks.items[track] = (Track){.key = *key};
	PH_TRY(name_track(trace, key, name, &trace->tracks.items[track].name));
	trace->tracks.count++;
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
ph_span_trace_communicator(PhSpanTrace *trace, const char *name, uint32_t *out)
{
	uint32_t string;

	PH_TRY(ph_strings_intern(&trace->strings, name, &string));
	PH_TRY(ph_records_intern(&trace->communicators, &string, out));
	if (*out >= PH_MOST_SPAN_COMMUNICATORS)
		return ph_fail(trace->spans.env, PH_ERR_LIMIT, "more than %u communicators",
					   PH_MOST_SPAN_COMMUNICATORS);
	return PH_OK;
}

PhStatus
ph_span_trace_wait(PhSpanTrace *trace, const PhTraceWait *wait)
{
	return ph_span_launches_wait(
		&trace->spans.launches,
		&(PhSpanWait){.wait = wait->wait,
					  .record = wait->record,
					  .waiting = wait->waiting,
					  .awaited = wait->awaited,
					  .scope = trace->tracks.items[wait->waiting].key.process});
}

PhStatus
ph_span_trace_collective(PhSpanTrace *trace, const char *name, const PhCollectiveRange *range)
{
	CommunicatorMember member = {range->communicator - 1,
								 trace->tracks.items[range->track].key.process};
	uint32_t known;

	if (range->communicator > 0)
		PH_TRY(ph_records_intern(&trace->members, &member, &known));
	return ph_collective_ranges_add_named(&trace->spans.arena, &trace->spans.collectives, name,
										  range);
}

static bool
is_activity(const PhSpanTrace *trace, uint32_t track)
{
	return trace->tracks.items[track].key.is_stream != 0;
}

/* What launches find by span->detail. */
static PhStatus
note_launch(PhSpanTrace *trace, const PhTraceSpan *span, uint32_t *detail)
{
	PhSpanLaunches *launches = &trace->spans.launches;
	uint32_t process = trace->tracks.items[span->track].key.process;
	PhSpanExtra extra = {.bytes = span->bytes, .configuration = span->configuration};

	if (!is_activity(trace, span->track))
		return ph_span_launches_call(launches, process, span->correlation, &(PhSpanExtra){0},
									 detail);
	return ph_span_launches_activity(launches, process, span->correlation, &extra, detail);
}

PhStatus
ph_span_trace_add(PhSpanTrace *trace, const PhTraceSpan *span)
{
	PhSpanRow row = {.begin = span->start,
					 .end = span->end,
					 .track = span->track,
					 .region = span->region,
					 .order = (uint32_t) trace->n_spans};

	if (span->start < -FARTHEST || span->start > FARTHEST ||
		(span->end > FARTHEST && span->end != PH_SPAN_OPEN))
		return ph_fail(trace->spans.env, PH_ERR_VALUE, "its time is impossible");
	if (span->end < span->start)
		return ph_fail(trace->spans.env, PH_ERR_VALUE, "it ends before it begins");
	if (trace->n_spans == PH_NONE)
		return ph_fail(trace->spans.env, PH_ERR_LIMIT, "more than %u calls", PH_NONE);
	PH_TRY(note_launch(trace, span, &row.detail));
	PH_TRY(ph_span_source_add(&trace->spans, &row));
	trace->first_time = PH_MIN(trace->first_time, span->start);
	trace->n_spans++;
	return PH_OK;
}

PhStatus
ph_span_trace_end_file(PhSpanTrace *trace)
{
	return ph_span_launches_match(&trace->spans.launches);
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
	const TrackKey *a = &trace->tracks.items[x].key;
	const TrackKey *b = &trace->tracks.items[y].key;
	const int64_t pairs[][2] = {
		{(int64_t) a->is_stream, (int64_t) b->is_stream},
		{trace->processes.items[a->process].rank, trace->processes.items[b->process].rank},
		{a->device, b->device},
		{a->context, b->context},
		{a->stream, b->stream},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (pairs[i][0] != pairs[i][1])
			return compare_numbers(pairs[i][0], pairs[i][1]);
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static PhStatus
place_track(PhSpanTrace *trace, uint32_t number)
{
	const Track *track = &trace->tracks.items[number];
	const Process *process = &trace->processes.items[track->key.process];
	const PhTraceLocation place = {
		.rank = process->rank,
		.kind = track->key.is_stream ? PH_COLUMN_STREAM : PH_COLUMN_UNIT,
		.name = track->name,
		.host = process->host,
		.stream = {track->key.device, track->key.context, track->key.stream, 0},
	};

	return ph_span_source_place(&trace->spans, number, -trace->first_time, &place);
}

static PhStatus
place_tracks(PhSpanTrace *trace)
{
	uint32_t *order;

	PH_TRY(
		ph_sort_indices(&trace->spans.arena, trace->tracks.count, compare_tracks, trace, &order));
	for (uint32_t i = 0; i < trace->tracks.count; i++)
		PH_TRY(place_track(trace, order[i]));
	return PH_OK;
}

/* ---- the source ---- */

static PhStatus
make_regions(PhSpanTrace *trace)
{
	PhTraceModel *model = &trace->spans.source.model;
	const RegionKey *keys = (const RegionKey *) (const void *) trace->region_keys.bytes;
	const char **text = trace->strings.text;

	model->n_regions = trace->region_keys.count;
	PH_TRY(PH_NEW(&trace->spans.arena, model->n_regions, &model->regions));
	for (uint32_t i = 0; i < model->n_regions; i++)
		model->regions[i] = (PhTraceRegion){.kind = (PhRegionKind) keys[i].kind,
											.name = text[keys[i].name],
											.file = text[keys[i].file],
											.library = text[keys[i].library],
											.paradigm = text[keys[i].paradigm],
											.role = text[keys[i].role],
											.line = keys[i].line};
	model->n_configurations = trace->configurations.count;
	model->configurations =
		(const PhLaunchConfiguration *) (const void *) trace->configurations.bytes;
	return PH_OK;
}

static int
compare_members(const void *context, uint32_t x, uint32_t y)
{
	const PhSpanTrace *trace = context;
	const CommunicatorMember *members =
		(const CommunicatorMember *) (const void *) trace->members.bytes;

	if (members[x].communicator != members[y].communicator)
		return members[x].communicator < members[y].communicator ? -1 : 1;
	return compare_numbers(trace->processes.items[members[x].process].rank,
						   trace->processes.items[members[y].process].rank);
}

/* Members by their ranks. */
static PhStatus
make_communicators(PhSpanTrace *trace)
{
	PhTraceModel *model = &trace->spans.source.model;
	PhArena *arena = &trace->spans.arena;
	const uint32_t *names = (const uint32_t *) (const void *) trace->communicators.bytes;
	const CommunicatorMember *members =
		(const CommunicatorMember *) (const void *) trace->members.bytes;
	uint32_t n = trace->communicators.count;
	uint32_t *order, *ranks;

	PH_TRY(ph_sort_indices(arena, trace->members.count, compare_members, trace, &order));
	PH_TRY(PH_NEW(arena, n, &model->communicators));
	PH_TRY(PH_NEW(arena, trace->members.count, &ranks));
	for (uint32_t i = 0; i < n; i++)
		model->communicators[i] =
			(PhTraceCommunicator){.name = trace->strings.text[names[i]], .parent = PH_NONE};
	for (uint32_t i = 0; i < trace->members.count; i++)
	{
		const CommunicatorMember *member = &members[order[i]];
		PhTraceCommunicator *of = &model->communicators[member->communicator];

		ranks[i] = (uint32_t) trace->processes.items[member->process].rank;
		if (of->n_members++ == 0)
			of->members = ranks + i;
	}
	model->n_communicators = n;
	return PH_OK;
}

PhStatus
ph_span_trace_finish(PhSpanTrace *trace, int64_t epoch_ns, PhSpanCounts *counts,
					 PhTraceSource **out)
{
	PhSpanSource *spans = &trace->spans;

	if (trace->n_spans == 0)
		return ph_fail(spans->env, PH_ERR_VALUE, "it has no calls");
	PH_TRY(ph_span_source_finish_spans(spans));
	PH_TRY(make_regions(trace));
	PH_TRY(place_tracks(trace));
	PH_TRY(make_communicators(trace));
	PH_TRY(ph_span_source_finish(spans, spans->source.model.n_regions));
	spans->source.model.epoch_ns =
		epoch_ns == PH_NO_TIME ? PH_NO_TIME : epoch_ns + trace->first_time + spans->clock_base;
	*counts = (PhSpanCounts){.calls = trace->n_spans - spans->launches.counts.activities,
							 .crossing = spans->n_crossing,
							 .overlaps = spans->n_overlapping,
							 .cut = spans->n_cut,
							 .first_time = trace->first_time};
	*out = &spans->source;
	return PH_OK;
}
