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
note_place(PhJsonScan *json, size_t *place)
{
	(void) ph_json_peek(json);
	*place = json->at;
	return ph_json_skip(json);
}

static PhStatus
take_text(SpeedReader *reader, PhJsonScan *json, const char **out)
{
	PhJsonText text;
	char *copy;
	PH_TRY(ph_json_string(json, &text));
	PH_TRY(ph_json_unescape(json, &reader->in.arena, &text, &copy));
	*out = copy;
	return PH_OK;
}

/* ---- the outermost object ---- */

static PhStatus
read_shared(SpeedReader *reader)
{
	PhJsonScan *json = &reader->json;
	bool first = true, more;
	PhJsonText key;
	PH_TRY(ph_json_expect(json, '{'));
	for (;;)
	{
		PH_TRY(ph_json_next_member(json, &first, &more, &key));
		if (!more)
			return PH_OK;
		if (ph_json_is(&key, "frames"))
			PH_TRY(note_place(json, &reader->frames_at));
		else
			PH_TRY(ph_json_skip(json));
	}
}

static PhStatus
note_text(SpeedReader *reader, const char *key)
{
	const char *value;
	if (ph_json_peek(&reader->json) != '"')
		return ph_json_skip(&reader->json);
	PH_TRY(take_text(reader, &reader->json, &value));
	return ph_meta_set(reader->in.env, &reader->in.run->meta, key, value, false);
}

static PhStatus
read_layout(SpeedReader *reader)
{
	PhJsonScan *json = &reader->json;
	bool first = true, more;
	PhJsonText key;
	PH_TRY(ph_json_expect(json, '{'));
	for (;;)
	{
		PH_TRY(ph_json_next_member(json, &first, &more, &key));
		if (!more)
			break;
		if (ph_json_is(&key, "shared"))
			PH_TRY(read_shared(reader));
		else if (ph_json_is(&key, "profiles"))
			PH_TRY(note_place(json, &reader->profiles_at));
		else if (ph_json_is(&key, "name"))
			PH_TRY(note_text(reader, "speedscope.name"));
		else if (ph_json_is(&key, "exporter"))
			PH_TRY(note_text(reader, "speedscope.exporter"));
		else
			PH_TRY(ph_json_skip(json));
	}
	PH_TRY(ph_json_end(json));
	if (reader->frames_at == 0 || reader->profiles_at == 0)
		return fail(reader, json->at, "there are no shared frames, or no profiles");
	return PH_OK;
}

/* ---- frames ---- */

static PhStatus
read_frame(SpeedReader *reader, PhJsonScan *json)
{
	const char *name = "", *file = "";
	Frame frame = {.region = PH_NONE};
	bool first = true, more;
	PhJsonText key;
	PH_TRY(ph_json_expect(json, '{'));
	for (;;)
	{
		PH_TRY(ph_json_next_member(json, &first, &more, &key));
		if (!more)
			break;
		if (ph_json_is(&key, "name"))
			PH_TRY(take_text(reader, json, &name));
		else if (ph_json_is(&key, "file") && ph_json_peek(json) == '"')
			PH_TRY(take_text(reader, json, &file));
		else
			PH_TRY(ph_json_skip(json));
	}
	frame.name = name[0] != '\0' ? name : "[unknown]";
	PH_TRY(ph_paths_add(&reader->paths, file, &frame.file));
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
	PhJsonScan json = scan_at(reader, reader->frames_at);
	bool first = true, more;
	PH_TRY(ph_paths_init(&reader->paths, &reader->in.arena, root));
	PH_TRY(ph_json_expect(&json, '['));
	for (;;)
	{
		PH_TRY(ph_json_next_item(&json, &first, &more));
		if (!more)
			break;
		PH_TRY(ph_env_poll(reader->in.env));
		PH_TRY(read_frame(reader, &json));
	}
	PH_TRY(ph_paths_finish(&reader->paths));
	for (uint32_t i = 0; i < reader->frames.count; i++)
		PH_TRY(add_region(reader, &reader->frames.items[i]));
	return PH_OK;
}

static PhStatus
take_frame(SpeedReader *reader, PhJsonScan *json, uint32_t *out)
{
	int64_t index;
	(void) ph_json_peek(json);
	size_t at = json->at;
	PH_TRY(ph_json_int(json, &index));
	if (index < 0 || index >= reader->frames.count)
		return fail(reader, at, "there is no such frame");
	*out = (uint32_t) index;
	return PH_OK;
}

/* ---- what threads there are ---- */

static PhStatus
read_unit(SpeedReader *reader, PhJsonScan *json, Thread *thread)
{
	const char *unit;
	(void) ph_json_peek(json);
	size_t at = json->at;
	PH_TRY(take_text(reader, json, &unit));
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
read_thread(SpeedReader *reader, PhJsonScan *json)
{
	bool first = true, more;
	PhJsonText key;
	(void) ph_json_peek(json);
	Thread thread = {.at = json->at, .name = "", .measure = SAMPLES, .factor = 1};
	PH_TRY(ph_json_expect(json, '{'));
	for (;;)
	{
		PH_TRY(ph_json_next_member(json, &first, &more, &key));
		if (!more)
			break;
		if (ph_json_is(&key, "name"))
			PH_TRY(take_text(reader, json, &thread.name));
		else if (ph_json_is(&key, "unit"))
			PH_TRY(read_unit(reader, json, &thread));
		else if (ph_json_is(&key, "samples"))
			PH_TRY(note_place(json, &thread.samples));
		else if (ph_json_is(&key, "weights"))
			PH_TRY(note_place(json, &thread.weights));
		else if (ph_json_is(&key, "events"))
			PH_TRY(note_place(json, &thread.events));
		else
			PH_TRY(ph_json_skip(json));
	}
	if (thread.events == 0 && (thread.samples == 0 || thread.weights == 0))
		return fail(reader, thread.at, "a profile has neither events nor samples with weights");
	PH_TRY(PH_ROOM(&reader->in.arena, &reader->threads));
	reader->threads.items[reader->threads.count++] = thread;
	return PH_OK;
}

static PhStatus
read_threads(SpeedReader *reader)
{
	PhJsonScan json = scan_at(reader, reader->profiles_at);
	bool first = true, more;
	PH_TRY(ph_json_expect(&json, '['));
	for (;;)
	{
		PH_TRY(ph_json_next_item(&json, &first, &more));
		if (!more)
			return PH_OK;
		PH_TRY(ph_env_poll(reader->in.env));
		PH_TRY(read_thread(reader, &json));
	}
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
add_cost(SpeedReader *reader, const Thread *thread, uint32_t column, uint32_t node, double weight,
		 size_t at)
{
	if (weight < 0)
		return fail(reader, at, "a weight is negative, or time runs backwards");
	return ph_builder_add_value(reader->in.builder, reader->metrics[thread->measure], node, column,
								PH_COST_EXCLUSIVE, weight * thread->factor);
}

/* A stack, outermost frame first; of none the node is PH_NONE. */
static PhStatus
enter_stack(SpeedReader *reader, PhJsonScan *json, uint32_t *node)
{
	bool first = true, more;
	uint32_t frame;
	*node = PH_NONE;
	PH_TRY(ph_json_expect(json, '['));
	for (uint32_t depth = 0;; depth++)
	{
		PH_TRY(ph_json_next_item(json, &first, &more));
		if (!more)
			return PH_OK;
		if (depth == MAX_DEPTH)
			return ph_input_fail(reader->in.env, reader->in.input, PH_ERR_LIMIT, json->at,
								 "a stack of more than %d frames", MAX_DEPTH);
		PH_TRY(take_frame(reader, json, &frame));
		PH_TRY(
			ph_builder_child(reader->in.builder, *node, reader->frames.items[frame].region, node));
	}
}

static PhStatus
read_samples(SpeedReader *reader, const Thread *thread, uint32_t column)
{
	PhJsonScan samples = scan_at(reader, thread->samples);
	PhJsonScan weights = scan_at(reader, thread->weights);
	bool first_sample = true, first_weight = true, more, more_weights;
	PH_TRY(ph_json_expect(&samples, '['));
	PH_TRY(ph_json_expect(&weights, '['));
	for (;;)
	{
		uint32_t node;
		double weight;
		PH_TRY(ph_json_next_item(&samples, &first_sample, &more));
		PH_TRY(ph_json_next_item(&weights, &first_weight, &more_weights));
		if (more != more_weights)
			return fail(reader, weights.at, "there are not as many weights as samples");
		if (!more)
			return PH_OK;
		PH_TRY(ph_env_poll(reader->in.env));
		PH_TRY(enter_stack(reader, &samples, &node));
		PH_TRY(ph_json_number(&weights, &weight));
		if (node != PH_NONE)
			PH_TRY(add_cost(reader, thread, column, node, weight, weights.at));
	}
}

/* ---- calls ---- */

typedef struct Event
{
	size_t at;
	char type; /* 'O', 'C' */
	uint32_t frame;
	double time;
} Event;

static PhStatus
read_event(SpeedReader *reader, PhJsonScan *json, Event *event)
{
	bool first = true, more;
	PhJsonText key, type;
	(void) ph_json_peek(json);
	*event = (Event){.at = json->at, .frame = PH_NONE, .time = NAN};
	PH_TRY(ph_json_expect(json, '{'));
	for (;;)
	{
		PH_TRY(ph_json_next_member(json, &first, &more, &key));
		if (!more)
			break;
		if (ph_json_is(&key, "type"))
		{
			PH_TRY(ph_json_string(json, &type));
			event->type = type.size == 1 ? type.text[0] : '\0';
		}
		else if (ph_json_is(&key, "frame"))
			PH_TRY(take_frame(reader, json, &event->frame));
		else if (ph_json_is(&key, "at"))
			PH_TRY(ph_json_number(json, &event->time));
		else
			PH_TRY(ph_json_skip(json));
	}
	if ((event->type != 'O' && event->type != 'C') || event->frame == PH_NONE || isnan(event->time))
		return fail(reader, event->at, "an event lacks type, frame or time");
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
take_event(SpeedReader *reader, const Thread *thread, uint32_t column, const Event *event,
		   double last)
{
	PhIndices *stack = &reader->stack;
	uint32_t node = stack->count > 0 ? stack->items[stack->count - 2] : PH_NONE;
	if (node != PH_NONE)
		PH_TRY(add_cost(reader, thread, column, node, event->time - last, event->at));
	if (event->type == 'O')
		return open_call(reader, event, node);
	if (stack->count == 0 || stack->items[stack->count - 1] != event->frame)
		return fail(reader, event->at, "a call ends that is not the innermost open one");
	stack->count -= 2;
	return PH_OK;
}

static PhStatus
read_events(SpeedReader *reader, const Thread *thread, uint32_t column)
{
	PhJsonScan json = scan_at(reader, thread->events);
	bool first = true, more;
	double last = 0;
	Event event;
	reader->stack.count = 0;
	PH_TRY(ph_json_expect(&json, '['));
	for (;;)
	{
		PH_TRY(ph_json_next_item(&json, &first, &more));
		if (!more)
			break;
		PH_TRY(ph_env_poll(reader->in.env));
		PH_TRY(read_event(reader, &json, &event));
		PH_TRY(take_event(reader, thread, column, &event, last));
		last = event.time;
	}
	return reader->stack.count == 0 ? PH_OK : fail(reader, json.at, "calls do not end");
}

static PhStatus
read_stacks(SpeedReader *reader)
{
	for (uint32_t i = 0; i < reader->threads.count; i++)
	{
		const Thread *thread = &reader->threads.items[i];
		PhColumnSpec spec = {.kind = PH_COLUMN_UNIT,
							 .iteration = PH_NO_ITERATION,
							 .rank = PH_NO_NUMBER,
							 .thread = (int32_t) i,
							 .name = thread->name};
		uint32_t column;
		PH_TRY(ph_builder_add_column(reader->in.builder, &spec, &column));
		if (thread->events != 0)
			PH_TRY(read_events(reader, thread, column));
		else
			PH_TRY(read_samples(reader, thread, column));
	}
	return PH_OK;
}

static PhStatus
read_all(void *context)
{
	SpeedReader *reader = context;
	PH_TRY(read_layout(reader));
	PH_TRY(ph_builder_new(reader->in.env, &reader->in.builder));
	PH_TRY(read_threads(reader));
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
	.proof = "the JSON value ends",
	.detect_file = detect,
	.read_file = read_file,
};
