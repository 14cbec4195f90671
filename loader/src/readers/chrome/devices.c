/*
 * devices.c - activities of devices and the calls that may launch them: what their arguments say.
 *
 * Flows are no launches: they stand on calls that launch nothing as well.
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
	bool is_stream_wait; /* the next two are of it */
	int64_t wait_on_stream, recorded;
	PhScanValue ranks, group; /* of a collective; ABSENT: not told */
	int64_t first, stride, size;
	int64_t elements, received; /* of its messages */
	int64_t element_size;
	PhDeviceOperation operation;
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

/* Bytes of an element of a message; of types that are not known 0. */
static int64_t
size_of_type(const PhScanValue *name)
{
	static const struct
	{
		const char *name;
		int64_t size;
	} types[] = {{"Byte", 1},		   {"Char", 1},			{"Bool", 1},
				 {"Short", 2},		   {"Half", 2},			{"BFloat16", 2},
				 {"Int", 4},		   {"Float", 4},		{"Long", 8},
				 {"Double", 8},		   {"UInt16", 2},		{"UInt32", 4},
				 {"UInt64", 8},		   {"ComplexFloat", 8}, {"ComplexDouble", 16},
				 {"Float8_e4m3fn", 1}, {"Float8_e5m2", 1}};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (ph_scan_value_is(name, types[i].name))
			return types[i].size;
	return 0;
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
	else if (ph_scan_value_is(key, "cuda_sync_kind"))
		arguments->is_stream_wait = ph_scan_value_is(value, "Stream Wait Event");
	else if (ph_scan_value_is(key, "wait_on_stream"))
		(void) ph_scan_integer(value, &arguments->wait_on_stream);
	else if (ph_scan_value_is(key, "wait_on_cuda_event_record_corr_id"))
		arguments->recorded = take_count(value);
	else if (ph_scan_value_is(key, "Process Group Ranks"))
		arguments->ranks = *value;
	else if (ph_scan_value_is(key, "Process Group Name"))
		arguments->group = *value;
	else if (ph_scan_value_is(key, "Global rank start"))
		(void) ph_scan_integer(value, &arguments->first);
	else if (ph_scan_value_is(key, "Global rank stride"))
		(void) ph_scan_integer(value, &arguments->stride);
	else if (ph_scan_value_is(key, "Group size"))
		arguments->size = take_count(value);
	else if (ph_scan_value_is(key, "In msg nelems"))
		arguments->elements = take_count(value);
	else if (ph_scan_value_is(key, "Out msg nelems"))
		arguments->received = take_count(value);
	else if (ph_scan_value_is(key, "Collective name") && value->kind == PH_SCAN_STRING)
		arguments->operation = ph_device_operation_find(value->text, value->size);
	else if (ph_scan_value_is(key, "dtype"))
		arguments->element_size = size_of_type(value);
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

static PhStatus
intern_value(PhChrome *chrome, const PhScanValue *value, int64_t *out)
{
	uint32_t string = 0;

	if (value->kind == PH_SCAN_STRING)
		PH_TRY(ph_strings_intern_n(&chrome->strings, value->text, value->size, &string));
	*out = string;
	return PH_OK;
}

/* Long ones are cut: [0, 1, ..., 7]. */
static bool
is_whole_list(const PhScanValue *ranks)
{
	return ranks->kind == PH_SCAN_STRING && memmem(ranks->text, ranks->size, "...", 3) == NULL;
}

/* 1 + the number of the process group that arguments tell; 0: none. */
static PhStatus
intern_group(PhChrome *chrome, const Arguments *arguments, uint16_t *out)
{
	PhChromeGroup group = {
		.first = arguments->first, .stride = arguments->stride, .size = arguments->size};
	uint32_t number;

	*out = 0;
	if (arguments->ranks.kind != PH_SCAN_STRING && arguments->group.kind != PH_SCAN_STRING)
		return PH_OK;
	if (is_whole_list(&arguments->ranks)) /* kernels tell no more, and operators the rest, too */
		group.first = group.stride = 0;
	PH_TRY(intern_value(chrome, &arguments->ranks, &group.ranks));
	PH_TRY(intern_value(chrome, &arguments->group, &group.name));
	PH_TRY(ph_records_intern(&chrome->groups, &group, &number));
	*out = number < PH_MOST_SPAN_COMMUNICATORS ? (uint16_t) (number + 1) : 0;
	return PH_OK;
}

/* Of a rank that only receives, what it receives. */
static uint64_t
bytes_of(const Arguments *arguments)
{
	int64_t elements = arguments->elements != 0 ? arguments->elements : arguments->received;

	if (arguments->bytes != 0 || elements > INT64_MAX / 16)
		return (uint64_t) arguments->bytes;
	return (uint64_t) (elements * arguments->element_size);
}

static PhStatus
take_extra(PhChrome *chrome, const Arguments *arguments, PhSpanExtra *out)
{
	out->bytes = bytes_of(arguments);
	out->operation = (uint8_t) arguments->operation;
	PH_TRY(intern_group(chrome, arguments, &out->communicator));
	return intern_configuration(chrome, arguments, &out->configuration);
}

/* AMD says an activity's size and grid of the call. */
PhStatus
ph_chrome_note_launch(PhChrome *chrome, const PhChromeEvent *event, uint32_t *detail)
{
	Arguments arguments = take_arguments(&event->args);
	PhSpanExtra extra;

	if (arguments.correlation == 0)
		return PH_OK;
	PH_TRY(take_extra(chrome, &arguments, &extra));
	return ph_span_launches_call(&chrome->spans.launches, chrome->files.count - 1,
								 (uint64_t) arguments.correlation, &extra, detail);
}

/* ---- collectives ---- */

PhStatus
ph_chrome_note_collective(PhChrome *chrome, const PhChromeEvent *event, const PhSpanRow *call)
{
	PhSpanSource *spans = &chrome->spans;
	PhCollectiveRange range = {.start = call->begin, .end = call->end, .track = call->track};
	uint16_t communicator;

	if (chrome->only_times)
		return PH_OK;
	if (chrome->collectives.items[call->region] == PH_COLLECTIVE_ARGUMENTS)
	{
		Arguments arguments = take_arguments(&event->args);

		if (arguments.operation == PH_DEVICE_UNTOLD) /* it waits, or the profiler is an old one */
			return PH_OK;
		PH_TRY(intern_group(chrome, &arguments, &communicator));
		range.bytes = bytes_of(&arguments);
		range.communicator = communicator;
		range.operation = arguments.operation & 63;
		range.kind = PH_RANGE_TOLD;
		return ph_collective_ranges_add(&spans->arena, &spans->collectives, &range);
	}
	return ph_collective_ranges_add_named(
		&spans->arena, &spans->collectives,
		chrome->strings.text[(uint32_t) chrome->region_of.keys[call->region]], &range);
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
	PH_TRY(PH_ROOM(&chrome->spans.arena, &chrome->tracks));
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
	PH_TRY(PH_ROOM(&chrome->spans.arena, &chrome->stream_tracks));
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

PhStatus
ph_chrome_note_activity(PhChrome *chrome, const PhChromeEvent *event, PhSpanRow *call)
{
	Arguments arguments = take_arguments(&event->args);
	PhSpanExtra known;

	ph_chrome_file(chrome)->is_kineto = true;
	PH_TRY(find_stream(chrome, stream_of(event, &arguments), &call->track));
	PH_TRY(take_extra(chrome, &arguments, &known));
	if (known.operation != PH_DEVICE_UNTOLD)
		chrome->collectives.items[call->region] = PH_COLLECTIVE_KERNEL;
	return ph_span_launches_activity(&chrome->spans.launches, chrome->files.count - 1,
									 (uint64_t) arguments.correlation, &known, &call->detail);
}

/* An event that was recorded before the trace says -1, or nothing, and is not known. */
PhStatus
ph_chrome_note_wait(PhChrome *chrome, const PhChromeEvent *event, bool *is_known)
{
	Arguments arguments = take_arguments(&event->args);
	PhDeviceStream stream = stream_of(event, &arguments);
	PhSpanWait wait = {.wait = (uint64_t) arguments.correlation,
					   .record = (uint64_t) arguments.recorded,
					   .scope = chrome->files.count - 1};

	*is_known = arguments.is_stream_wait && arguments.correlation != 0 && arguments.recorded != 0;
	if (!*is_known)
		return PH_OK;
	PH_TRY(find_stream(chrome, stream, &wait.waiting));
	stream.stream = arguments.wait_on_stream;
	PH_TRY(find_stream(chrome, stream, &wait.awaited));
	return ph_span_launches_wait(&chrome->spans.launches, &wait);
}
