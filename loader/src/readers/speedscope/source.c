/*
 * source.c - reader of speedscope's JSON: sampled and evented profiles, one a thread.
 *
 * Members of objects come in any order: places of those that are large are noted, then they are
 * read. Stacks are read where they lie, nothing of them is kept.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "base/unit.h"
#include "readers/json_scan.h"
#include "readers/reading.h"
#include "readers/source_paths.h"

#define MAX_DEPTH 100000 /* frames of a stack */

/* What weights measure. */
typedef enum Measure
{
	TIME,
	DATA,
	SAMPLES,
	N_MEASURES
} Measure;

typedef struct Frame
{
	const char *name;
	uint32_t file; /* in paths */
	uint32_t region;
} Frame;

/* One of the profiles; places are 0 where there is no such member. */
typedef struct Thread
{
	size_t at;
	const char *name;
	Measure measure;
	double factor; /* from its unit */
	size_t samples, weights, events;
} Thread;

/* A call begins or ends. */
typedef struct Event
{
	size_t at;
	char type; /* 'O', 'C' */
	uint32_t frame;
	double time;
} Event;

typedef struct SpeedReader
{
	PhReading in;
	PhJsonScan json;
	size_t frames_at, profiles_at;
	PhSourcePaths paths;
	PH_VECTOR(Frame) frames;
	PH_VECTOR(Thread) threads;
	uint32_t metrics[N_MEASURES];
	PhIndices stack; /* of open calls: node and frame in turn */

	/* what is read: a frame of the list or a profile */
	const char *name, *file;
	Thread *thread;

	/* its stacks or calls */
	PhJsonScan weights;
	bool first_weight;
	uint32_t column, node, depth;
	Event event;
	double last; /* the time of the event before */
} SpeedReader;

static PhStatus
fail(SpeedReader *reader, size_t at, const char *message)
{
	return ph_input_fail(reader->in.env, reader->in.input, PH_ERR_FORMAT, at, "%s", message);
}

/* Go on behind a place that was noted. */
static PhJsonScan
scan_at(const SpeedReader *reader, size_t at)
{
	return (PhJsonScan){reader->in.env, reader->in.input, at};
}

/* Note the place of a large member and go on behind it. */
static PhStatus
note_place(SpeedReader *reader, size_t *place)
{
	(void) ph_json_peek(&reader->json);
	*place = reader->json.at;
	return ph_json_skip(&reader->json);
}

static PhStatus
take_text(SpeedReader *reader, const char **out)
{
	PhJsonText text;
	char *copy;
	PH_TRY(ph_json_string(&reader->json, &text));
	PH_TRY(ph_json_unescape(&reader->json, &reader->in.arena, &text, &copy));
	*out = copy;
	return PH_OK;
}

/* ---- the outermost object ---- */

static PhStatus
take_shared(void *context, const PhJsonText *key)
{
	SpeedReader *reader = context;
	if (ph_json_is(key, "frames"))
		return note_place(reader, &reader->frames_at);
	return ph_json_skip(&reader->json);
}

static PhStatus
note_text(SpeedReader *reader, const char *key)
{
	const char *value;
	if (ph_json_peek(&reader->json) != '"')
		return ph_json_skip(&reader->json);
	PH_TRY(take_text(reader, &value));
	return ph_meta_set(reader->in.env, &reader->in.run->meta, key, value, false);
}

static PhStatus
take_outer(void *context, const PhJsonText *key)
{
	SpeedReader *reader = context;
	if (ph_json_is(key, "shared"))
		return ph_json_members(&reader->json, take_shared, reader);
	if (ph_json_is(key, "profiles"))
		return note_place(reader, &reader->profiles_at);
	if (ph_json_is(key, "name"))
		return note_text(reader, "speedscope.name");
	if (ph_json_is(key, "exporter"))
		return note_text(reader, "speedscope.exporter");
	return ph_json_skip(&reader->json);
}

static PhStatus
read_layout(SpeedReader *reader)
{
	PhJsonScan *json = &reader->json;
	PH_TRY(ph_json_members(json, take_outer, reader));
	PH_TRY(ph_json_end(json));
	if (reader->frames_at == 0 || reader->profiles_at == 0)
		return fail(reader, json->at, "there are no shared frames, or no profiles");
	return PH_OK;
}

/* Go to a place that was noted, and through the list there. */
static PhStatus
read_items(SpeedReader *reader, size_t at, PhJsonTake take)
{
	reader->json.at = at;
	return ph_json_items(&reader->json, take, reader);
}

/* ---- frames ---- */

static PhStatus
take_frame_member(void *context, const PhJsonText *key)
{
	SpeedReader *reader = context;
	if (ph_json_is(key, "name"))
		return take_text(reader, &reader->name);
	if (ph_json_is(key, "file") && ph_json_peek(&reader->json) == '"')
		return take_text(reader, &reader->file);
	return ph_json_skip(&reader->json);
}

static PhStatus
read_frame(void *context, const PhJsonText *key)
{
	SpeedReader *reader = context;
	Frame frame = {.region = PH_NONE};
	(void) key;
	reader->name = reader->file = "";
	PH_TRY(ph_json_members(&reader->json, take_frame_member, reader));
	frame.name = reader->name[0] != '\0' ? reader->name : "[unknown]";
	PH_TRY(ph_paths_add(&reader->paths, reader->file, &frame.file));
	PH_TRY(PH_ROOM(&reader->in.arena, &reader->frames));
	reader->frames.items[reader->frames.count++] = frame;
	return PH_OK;
}

static PhStatus
add_region(SpeedReader *reader, Frame *frame)
{
	const PhReadOptions *options = reader->in.options;
	PhRegionSpec spec = {.kind = PH_KIND_FUNCTION,
						 .name = frame->name,
						 .file = reader->paths.normal[frame->file],
						 .line = PH_NO_NUMBER};
	if (options != NULL && options->module_map != NULL)
		spec.module = ph_module_map_apply(options->module_map, spec.name, spec.file, "");
	return ph_builder_add_region(reader->in.builder, &spec, &frame->region);
}

static PhStatus
read_frames(SpeedReader *reader)
{
	const char *root = reader->in.options != NULL ? reader->in.options->source_root : NULL;
	PH_TRY(ph_paths_init(&reader->paths, &reader->in.arena, root));
	PH_TRY(read_items(reader, reader->frames_at, read_frame));
	PH_TRY(ph_paths_finish(&reader->paths));
	for (uint32_t i = 0; i < reader->frames.count; i++)
		PH_TRY(add_region(reader, &reader->frames.items[i]));
	return PH_OK;
}

static PhStatus
take_frame(SpeedReader *reader, uint32_t *out)
{
	int64_t index;
	(void) ph_json_peek(&reader->json);
	size_t at = reader->json.at;
	PH_TRY(ph_json_int(&reader->json, &index));
	if (index < 0 || index >= reader->frames.count)
		return fail(reader, at, "there is no such frame");
	*out = (uint32_t) index;
	return PH_OK;
}

/* ---- what threads there are ---- */

static PhStatus
take_unit(SpeedReader *reader, Thread *thread)
{
	const char *unit;
	(void) ph_json_peek(&reader->json);
	size_t at = reader->json.at;
	PH_TRY(take_text(reader, &unit));
	thread->factor = 1;
	thread->measure = SAMPLES;
	if (ph_unit_factor(unit, "s", &thread->factor))
		thread->measure = TIME;
	else if (ph_unit_factor(unit, "bytes", &thread->factor))
		thread->measure = DATA;
	else if (strcmp(unit, "none") != 0)
		return fail(reader, at, "a unit that is not known");
	return PH_OK;
}

static PhStatus
take_thread_member(void *context, const PhJsonText *key)
{
	SpeedReader *reader = context;
	Thread *thread = reader->thread;
	if (ph_json_is(key, "name"))
		return take_text(reader, &thread->name);
	if (ph_json_is(key, "unit"))
		return take_unit(reader, thread);
	if (ph_json_is(key, "samples"))
		return note_place(reader, &thread->samples);
	if (ph_json_is(key, "weights"))
		return note_place(reader, &thread->weights);
	if (ph_json_is(key, "events"))
		return note_place(reader, &thread->events);
	return ph_json_skip(&reader->json);
}

static PhStatus
read_thread(void *context, const PhJsonText *key)
{
	SpeedReader *reader = context;
	(void) key;
	(void) ph_json_peek(&reader->json);
	Thread thread = {.at = reader->json.at, .name = "", .measure = SAMPLES, .factor = 1};
	reader->thread = &thread;
	PH_TRY(ph_json_members(&reader->json, take_thread_member, reader));
	if (thread.events == 0 && (thread.samples == 0 || thread.weights == 0))
		return fail(reader, thread.at, "a profile has neither events nor samples with weights");
	PH_TRY(PH_ROOM(&reader->in.arena, &reader->threads));
	reader->threads.items[reader->threads.count++] = thread;
	return PH_OK;
}

/* Time is the primary metric where there is any. */
static PhStatus
add_metrics(SpeedReader *reader)
{
	static const PhMetricSpec specs[N_MEASURES] = {
		[TIME] = {.name = "time", .unit = "s", .given = PH_GIVEN_EXCLUSIVE},
		[DATA] = {.name = "bytes", .unit = "bytes", .given = PH_GIVEN_EXCLUSIVE},
		[SAMPLES] = {.name = "samples", .unit = "count", .given = PH_GIVEN_EXCLUSIVE},
	};
	bool is_used[N_MEASURES] = {false};
	for (uint32_t i = 0; i < reader->threads.count; i++)
		is_used[reader->threads.items[i].measure] = true;
	for (size_t i = 0; i < N_MEASURES; i++)
		if (is_used[i])
			PH_TRY(ph_builder_add_metric(reader->in.builder, &specs[i], &reader->metrics[i]));
	return PH_OK;
}

/* ---- stacks ---- */

static PhStatus
add_cost(SpeedReader *reader, uint32_t node, double weight, size_t at)
{
	const Thread *thread = reader->thread;
	if (weight < 0)
		return fail(reader, at, "a weight is negative, or time runs backwards");
	return ph_builder_add_value(reader->in.builder, reader->metrics[thread->measure], node,
								reader->column, PH_COST_EXCLUSIVE, weight * thread->factor);
}

static PhStatus
enter_frame(void *context, const PhJsonText *key)
{
	SpeedReader *reader = context;
	uint32_t frame = 0;
	(void) key;
	if (reader->depth++ == MAX_DEPTH)
		return ph_input_fail(reader->in.env, reader->in.input, PH_ERR_LIMIT, reader->json.at,
							 "a stack of more than %d frames", MAX_DEPTH);
	PH_TRY(take_frame(reader, &frame));
	return ph_builder_child(reader->in.builder, reader->node, reader->frames.items[frame].region,
							&reader->node);
}

/* A stack, outermost frame first, and its weight; one without frames has no place. */
static PhStatus
read_sample(void *context, const PhJsonText *key)
{
	SpeedReader *reader = context;
	bool more;
	double weight;
	(void) key;
	PH_TRY(ph_json_next_item(&reader->weights, &reader->first_weight, &more));
	if (!more)
		return fail(reader, reader->weights.at, "there are not as many weights as samples");
	reader->node = PH_NONE;
	reader->depth = 0;
	PH_TRY(ph_json_items(&reader->json, enter_frame, reader));
	PH_TRY(ph_json_number(&reader->weights, &weight));
	return reader->node == PH_NONE ? PH_OK
								   : add_cost(reader, reader->node, weight, reader->weights.at);
}

static PhStatus
read_samples(SpeedReader *reader)
{
	bool more;
	reader->weights = scan_at(reader, reader->thread->weights);
	reader->first_weight = true;
	PH_TRY(ph_json_expect(&reader->weights, '['));
	PH_TRY(read_items(reader, reader->thread->samples, read_sample));
	PH_TRY(ph_json_next_item(&reader->weights, &reader->first_weight, &more));
	return more ? fail(reader, reader->weights.at, "there are not as many weights as samples")
				: PH_OK;
}

/* ---- calls ---- */

static PhStatus
take_event_member(void *context, const PhJsonText *key)
{
	SpeedReader *reader = context;
	Event *event = &reader->event;
	PhJsonText type;
	if (ph_json_is(key, "frame"))
		return take_frame(reader, &event->frame);
	if (ph_json_is(key, "at"))
		return ph_json_number(&reader->json, &event->time);
	if (!ph_json_is(key, "type"))
		return ph_json_skip(&reader->json);
	PH_TRY(ph_json_string(&reader->json, &type));
	event->type = type.size == 1 ? type.text[0] : '\0';
	return PH_OK;
}

static PhStatus
open_call(SpeedReader *reader, const Event *event, uint32_t parent)
{
	uint32_t node;
	if (reader->stack.count == 2 * MAX_DEPTH)
		return ph_input_fail(reader->in.env, reader->in.input, PH_ERR_LIMIT, event->at,
							 "more than %d open calls", MAX_DEPTH);
	PH_TRY(ph_builder_child(reader->in.builder, parent, reader->frames.items[event->frame].region,
							&node));
	PH_TRY(ph_indices_add(reader->in.env, &reader->stack, node));
	return ph_indices_add(reader->in.env, &reader->stack, event->frame);
}

/* The time since the last event is that of the innermost open call. */
static PhStatus
take_event(SpeedReader *reader, const Event *event)
{
	PhIndices *stack = &reader->stack;
	uint32_t node = stack->count > 0 ? stack->items[stack->count - 2] : PH_NONE;
	if (node != PH_NONE)
		PH_TRY(add_cost(reader, node, event->time - reader->last, event->at));
	reader->last = event->time;
	if (event->type == 'O')
		return open_call(reader, event, node);
	if (stack->count == 0 || stack->items[stack->count - 1] != event->frame)
		return fail(reader, event->at, "a call ends that is not the innermost open one");
	stack->count -= 2;
	return PH_OK;
}

static PhStatus
read_event(void *context, const PhJsonText *key)
{
	SpeedReader *reader = context;
	Event *event = &reader->event;
	(void) key;
	(void) ph_json_peek(&reader->json);
	*event = (Event){.at = reader->json.at, .frame = PH_NONE, .time = NAN};
	PH_TRY(ph_json_members(&reader->json, take_event_member, reader));
	if ((event->type != 'O' && event->type != 'C') || event->frame == PH_NONE || isnan(event->time))
		return fail(reader, event->at, "an event lacks type, frame or time");
	return take_event(reader, event);
}

static PhStatus
read_events(SpeedReader *reader)
{
	reader->stack.count = 0;
	reader->last = 0;
	PH_TRY(read_items(reader, reader->thread->events, read_event));
	return reader->stack.count == 0 ? PH_OK : fail(reader, reader->json.at, "calls do not end");
}

static PhStatus
read_stacks(SpeedReader *reader)
{
	for (uint32_t i = 0; i < reader->threads.count; i++)
	{
		Thread *thread = &reader->threads.items[i];
		PhColumnSpec spec = {.kind = PH_COLUMN_UNIT,
							 .iteration = PH_NO_ITERATION,
							 .rank = PH_NO_NUMBER,
							 .thread = (int32_t) i,
							 .name = thread->name};
		reader->thread = thread;
		PH_TRY(ph_builder_add_column(reader->in.builder, &spec, &reader->column));
		PH_TRY(thread->events != 0 ? read_events(reader) : read_samples(reader));
	}
	return PH_OK;
}

static PhStatus
read_all(void *context)
{
	SpeedReader *reader = context;
	PH_TRY(read_layout(reader));
	PH_TRY(ph_builder_new(reader->in.env, &reader->in.builder));
	PH_TRY(read_items(reader, reader->profiles_at, read_thread));
	PH_TRY(add_metrics(reader));
	PH_TRY(read_frames(reader));
	PH_TRY(read_stacks(reader));
	PH_TRY(ph_builder_finish(reader->in.builder, &reader->in.run->profile));
	return ph_paths_raw_regions(&reader->paths, reader->in.env, reader->in.run);
}

static PhStatus
read_file(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	SpeedReader reader = {.in = {.env = env, .input = input, .options = options, .run = out}};
	reader.json = scan_at(&reader, 0);
	PhStatus status = ph_reading_do(&reader.in, read_all, &reader);
	PH_VECTOR_FREE(env, &reader.stack);
	return status;
}

static bool
detect(const char *path, const uint8_t *head, size_t size)
{
	static const char schema[] = "speedscope.app/file-format-schema";
	(void) path;
	return memmem(head, size, schema, sizeof(schema) - 1) != NULL;
}

const PhReader ph_reader_speedscope = {
	.name = "speedscope",
	.description = "speedscope JSON",
	.mark = "JSON with the schema of speedscope.app",
	.proof = "the JSON value ends",
	.detect_file = detect,
	.read_file = read_file,
};
