/*
 * devices.c - activities of devices: their streams, what is known of them, and who launched them.
 *
 * A launch is an equal correlation of a call of the device's library and an activity; of several
 * calls with one correlation the outermost launched (a driver's call lies within the run time's).
 * Flows are no launches: they stand on calls that launch nothing as well. What a call or activity
 * has beside its times is kept apart from it, by PhChromeCall.detail.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/min_max.h"
#include "readers/chrome/chrome.h"
#include "trace/chunk/device_records.h"

/* What arguments say of an activity, or of a call that launches one. */
typedef struct Arguments
{
	int64_t device, context, stream, correlation, bytes;
	bool has_device, has_stream;
	bool has_configuration; /* the rest is known */
	PhLaunchConfiguration configuration;
} Arguments;

/* ---- arguments ---- */

/* Whole numbers from 0 on; AMD writes some as text. Others are 0. */
static int64_t
take_count(const PhScanValue *value)
{
	int64_t number;

	return ph_scan_integer(value, &number) && number > 0 ? number : 0;
}

static uint32_t
take_small(const PhScanValue *value)
{
	return (uint32_t) PH_MIN(take_count(value), (int64_t) INT32_MAX);
}

/* [x, y, z] */
static bool
take_dimensions(const PhScanValue *value, uint32_t out[3])
{
	PhScan scan = ph_scan_of(value);
	PhScanValue item;
	bool first = true;
	bool more;

	if (value->kind != PH_SCAN_NESTED || !ph_scan_take(&scan, '[', ""))
		return false;
	for (int i = 0; i < 3; i++)
	{
		if (!ph_scan_item(&scan, &first, &more) || !more || !ph_scan_value(&scan, &item))
			return false;
		out[i] = take_small(&item);
	}
	return true;
}

static void
take_argument(Arguments *arguments, const PhScanValue *key, const PhScanValue *value)
{
	PhLaunchConfiguration *configuration = &arguments->configuration;

	if (ph_scan_value_is(key, "correlation"))
		arguments->correlation = take_count(value);
	else if (ph_scan_value_is(key, "device"))
		arguments->has_device = ph_scan_integer(value, &arguments->device);
	else if (ph_scan_value_is(key, "stream"))
		arguments->has_stream = ph_scan_integer(value, &arguments->stream);
	else if (ph_scan_value_is(key, "context"))
		(void) ph_scan_integer(value, &arguments->context);
	else if (ph_scan_value_is(key, "bytes") || ph_scan_value_is(key, "size"))
		arguments->bytes = take_count(value);
	else if (ph_scan_value_is(key, "grid"))
		arguments->has_configuration = take_dimensions(value, configuration->grid);
	else if (ph_scan_value_is(key, "block"))
		arguments->has_configuration &= take_dimensions(value, configuration->block);
	else if (ph_scan_value_is(key, "registers per thread"))
		configuration->registers = take_small(value);
	else if (ph_scan_value_is(key, "shared memory"))
		configuration->dynamic_memory = take_small(value);
}

static Arguments
take_arguments(const PhScanValue *object)
{
	Arguments arguments = {0};
	PhScan scan = ph_scan_of(object);
	PhScanValue key, value;
	bool first = true;
	bool more;

	if (object->kind != PH_SCAN_NESTED || !ph_scan_take(&scan, '{', ""))
		return arguments;
	while (ph_scan_member(&scan, &first, &more, &key) && more && ph_scan_value(&scan, &value))
		take_argument(&arguments, &key, &value);
	return arguments;
}

/* ---- calls that may launch ---- */

/* 1 + the number of what arguments tell, which is made when it is new; 0: nothing. */
static PhStatus
intern_configuration(PhChrome *chrome, const Arguments *arguments, uint32_t *out)
{
	*out = 0;
	if (!arguments->has_configuration)
		return PH_OK;
	PH_TRY(ph_records_intern(&chrome->configurations, &arguments->configuration, out));
	++*out;
	return PH_OK;
}

/* What AMD says of the call, not of the activity: its size, its grid. */
static PhStatus
keep_extra(PhChrome *chrome, const Arguments *arguments, uint32_t *out)
{
	PhChromeExtra extra = {.bytes = (uint64_t) arguments->bytes};

	PH_TRY(intern_configuration(chrome, arguments, &extra.configuration));
	*out = 0;
	if (extra.bytes == 0 && extra.configuration == 0)
		return PH_OK;
	PH_TRY(PH_ROOM(chrome->env, &chrome->extras));
	chrome->extras.items[chrome->extras.count++] = extra;
	*out = chrome->extras.count;
	return PH_OK;
}

PhStatus
ph_chrome_note_launch(PhChrome *chrome, const PhChromeEvent *event, uint32_t *detail)
{
	Arguments arguments = take_arguments(&event->args);
	PhChromeLaunch launch = {.track = PH_NONE};
	uint32_t *known;

	if (arguments.correlation == 0)
		return PH_OK;
	PH_TRY(PH_ROOM(chrome->env, &chrome->launches));
	PH_TRY(ph_map_enter(&chrome->launch_of, (uint64_t) arguments.correlation,
						chrome->launches.count, &known));
	*detail = *known + 1;
	if (*known < chrome->launches.count)
		return PH_OK;
	PH_TRY(keep_extra(chrome, &arguments, &launch.extra));
	chrome->launches.items[chrome->launches.count++] = launch;
	return PH_OK;
}

/* ---- activities ---- */

/* Where arguments are silent, a device is a process and a stream a thread. */
static PhDeviceStream
stream_of(const PhChromeEvent *event, const Arguments *arguments)
{
	PhDeviceStream stream = {.device = (int32_t) arguments->device,
							 .context = arguments->context,
							 .stream = arguments->stream};
	int64_t number;

	if (!arguments->has_device && ph_scan_integer(&event->pid, &number))
		stream.device = (int32_t) number;
	if (!arguments->has_stream && ph_scan_integer(&event->tid, &number))
		stream.stream = number;
	return stream;
}

PhStatus
ph_chrome_add_track(PhChrome *chrome, const PhChromeTrack *track)
{
	if (chrome->tracks.count == PH_MOST_TRACKS - 1)
		return ph_chrome_fail(chrome, PH_ERR_LIMIT, "more than %u threads and streams",
							  PH_MOST_TRACKS - 1);
	PH_TRY(PH_ROOM(&chrome->arena, &chrome->tracks));
	chrome->tracks.items[chrome->tracks.count++] = *track;
	return PH_OK;
}

static PhStatus
find_stream(PhChrome *chrome, PhDeviceStream stream, uint32_t *out)
{
	uint32_t file = chrome->files.count - 1;
	const int64_t key[] = {file, stream.device, stream.context, stream.stream};
	uint32_t number;

	PH_TRY(ph_records_intern(&chrome->streams, key, &number));
	PH_TRY(PH_ROOM(&chrome->arena, &chrome->stream_tracks));
	if (number == chrome->stream_tracks.count)
	{
		chrome->stream_tracks.items[number] = chrome->tracks.count;
		PH_TRY(ph_chrome_add_track(
			chrome, &(PhChromeTrack){
						.file = file, .process = PH_NONE, .is_stream = true, .stream = stream}));
		chrome->stream_tracks.count++;
	}
	*out = chrome->stream_tracks.items[number];
	return PH_OK;
}

/* Until activities are matched, launch is the correlation. */
PhStatus
ph_chrome_note_activity(PhChrome *chrome, const PhChromeEvent *event, PhChromeCall *call)
{
	Arguments arguments = take_arguments(&event->args);
	PhChromeActivity activity = {.launch = (uint64_t) arguments.correlation,
								 .bytes = (uint64_t) arguments.bytes};

	ph_chrome_file(chrome)->is_kineto = true;
	PH_TRY(find_stream(chrome, stream_of(event, &arguments), &call->track));
	PH_TRY(intern_configuration(chrome, &arguments, &activity.configuration));
	PH_TRY(PH_ROOM(chrome->env, &chrome->activities));
	chrome->activities.items[chrome->activities.count++] = activity;
	call->detail = chrome->activities.count;
	return PH_OK;
}

PhStatus
ph_chrome_match(PhChrome *chrome)
{
	PhLaunchCounts *counts = &chrome->source.launched;

	counts->activities = chrome->activities.count;
	for (uint32_t i = chrome->n_matched; i < chrome->activities.count; i++)
	{
		PhChromeActivity *activity = &chrome->activities.items[i];
		uint32_t *known = NULL;

		PH_TRY(ph_env_poll(chrome->env));
		if (activity->launch != 0)
			PH_TRY(ph_map_enter(&chrome->launch_of, activity->launch, PH_NONE, &known));
		activity->launch = known == NULL || *known == PH_NONE ? 0 : (uint64_t) *known + 1;
		counts->unmatched += activity->launch == 0;
		if (activity->launch != 0 && chrome->launches.items[activity->launch - 1].extra != 0)
		{
			const PhChromeExtra *extra =
				&chrome->extras.items[chrome->launches.items[activity->launch - 1].extra - 1];

			if (activity->bytes == 0 && activity->configuration == 0)
			{
				activity->bytes = extra->bytes;
				activity->configuration = extra->configuration;
			}
		}
	}
	chrome->n_matched = chrome->activities.count;
	ph_arena_drop(&chrome->file_arena);
	ph_map_init(&chrome->launch_of, &chrome->file_arena);
	return PH_OK;
}

/* ---- where calls are ---- */

/* Threads come before streams, so that an activity's launch is numbered when it is. */
uint32_t
ph_chrome_number_call(void *user, const PhChromeCall *call, uint64_t seq)
{
	PhChrome *chrome = user;

	if (call->detail == 0)
		return 0;
	if (chrome->tracks.items[ph_track_of(call->track)].is_stream)
	{
		const PhChromeActivity *activity = &chrome->activities.items[call->detail - 1];

		if (activity->launch != 0 &&
			call->begin < chrome->launches.items[activity->launch - 1].begin)
			chrome->source.launched.reversed++;
		return activity->bytes > 0 || activity->configuration > 0 ? 1 : 0;
	}
	PhChromeLaunch *launch = &chrome->launches.items[call->detail - 1];

	if (launch->track == PH_NONE || call->begin < launch->begin)
	{
		launch->track = call->track;
		launch->seq = seq;
		launch->begin = call->begin;
	}
	return 0;
}

static PhLink
link_of(const PhChrome *chrome, const PhChromeCall *call)
{
	const PhChromeActivity *activity = &chrome->activities.items[call->detail - 1];
	const PhChromeLaunch *launch;
	uint32_t first;

	if (activity->launch == 0)
		return (PhLink){PH_NONE, 0, PH_NO_TIME};
	launch = &chrome->launches.items[activity->launch - 1];
	first = chrome->tracks.items[ph_track_of(launch->track)].first_location;
	return (PhLink){first + ph_lane_of(launch->track), launch->seq,
					launch->begin + ph_chrome_shift(chrome, launch->track)};
}

PhStatus
ph_chrome_launches(const PhTraceSource *source, PhArena *arena, uint32_t location,
				   const PhLink **links, uint64_t *n)
{
	const PhChrome *chrome = (const PhChrome *) source;
	PH_VECTOR(PhLink) out = {0};
	PhCallMerge merge;
	const PhChromeCall *call;
	PhStatus status = PH_OK;

	*n = 0;
	*links = NULL;
	if (!ph_location_is_stream(&source->model.locations[location]))
		return PH_OK;
	PH_TRY(ph_call_merge_begin(&merge, arena->env, &chrome->runs,
							   ph_track_of(chrome->places.items[location])));
	while (status == PH_OK && (call = ph_call_merge_next(&merge)) != NULL)
	{
		if (call->track != chrome->places.items[location])
			continue;
		status = PH_ROOM(arena, &out);
		if (status == PH_OK)
			out.items[out.count++] = link_of(chrome, call);
	}
	ph_call_merge_end(&merge);
	*links = out.items;
	*n = out.count;
	return status;
}

/* ---- records ---- */

PhStatus
ph_chrome_write_activity(const PhChrome *chrome, const PhChromeCall *call, int64_t time,
						 PhChunkWriter *writer, PhTraceCounts *counts)
{
	const PhChromeActivity *activity = &chrome->activities.items[call->detail - 1];
	const uint64_t values[PH_ACTIVITY_VALUES] = {[PH_ACTIVITY_BYTES] = activity->bytes,
												 [PH_ACTIVITY_CONFIGURATION] =
													 activity->configuration};
	PhEvent record = {.time = time,
					  .kind = PH_EVENT_OTHER,
					  .region = PH_NONE,
					  .peer = PH_NONE,
					  .comm = PH_NONE,
					  .root = PH_NONE,
					  .operation = PH_RECORD_ACTIVITY,
					  .n_values = activity->configuration > 0 ? PH_ACTIVITY_VALUES : 1,
					  .values = values};

	if (activity->bytes == 0 && activity->configuration == 0)
		return PH_OK;
	counts->events[PH_EVENT_OTHER]++;
	return ph_chunk_writer_event(writer, &record);
}
