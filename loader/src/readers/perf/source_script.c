/*
 * source_script.c - reader of the text of perf script: stacks of samples become call paths.
 *
 * The name of the thread is the root, as in flame graphs; events are metrics, threads columns. The
 * text is read twice: first for its events and threads, then for the stacks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/sort.h"
#include "base/str.h"
#include "readers/completeness.h"
#include "readers/perf/perf.h"
#include "readers/plain_head.h"
#include "readers/reading.h"

#define MAX_EVENTS 256
#define MAX_DEPTH 100000 /* frames of a stack */
#define MAX_META 200	 /* lines of perf script --header */

typedef struct Event
{
	const char *name;
	bool has_period;
	uint32_t metric;
} Event;

typedef struct Thread
{
	int64_t pid, tid;
	uint32_t column;
} Thread;

typedef struct Frame
{
	uint32_t name, library; /* strings */
	bool is_inlined;
} Frame;

typedef struct ScriptReader
{
	PhReading in;
	PhStrings strings;
	PhStrings event_names; /* index = event + 1 */
	uint32_t n_events;
	Event events[MAX_EVENTS];
	PhRecords thread_ids; /* pairs of numbers, index = thread */
	uint32_t n_threads, threads_capacity;
	Thread *threads;
	bool has_time; /* each sample, as the first one */
	uint32_t comm; /* string; the only name of a thread so far, PH_NONE: there are several */

	/* the sample that is read */
	bool in_sample;
	bool is_stack; /* it has frames on lines of their own */
	uint32_t event, thread, name;
	double value;
	uint32_t n_frames, frames_capacity;
	Frame *frames;

	uint64_t n_samples, n_stacks; /* that an empty line ended */
	uint64_t n_passed_over, first_passed_over;
} ScriptReader;

static bool
is_comment(PhSlice line)
{
	return ph_slice_begins(line, "#");
}

/* ---- first pass: events, threads, what the header says ---- */

/* "# hostname : node17" */
static PhStatus
note_header(ScriptReader *reader, PhSlice line)
{
	PhMeta *meta = &reader->in.run->meta;
	const char *colon = memmem(line.text, line.size, " : ", 3);
	if (colon == NULL || meta->n_items >= MAX_META || !ph_utf8_valid(line.text, line.size))
		return PH_OK;
	size_t n = (size_t) (colon - line.text);
	PhSlice key = ph_slice_trim(ph_slice_behind(ph_slice_first(line, n), 1));
	PhSlice value = ph_slice_trim(ph_slice_behind(line, n + 3));
	char *name, *text;
	PhStr str;
	if (key.size == 0 || value.size == 0)
		return PH_OK;
	ph_str_init(&str, &reader->in.arena);
	PH_TRY(ph_str_append(&str, "perf."));
	PH_TRY(ph_str_append_n(&str, key.text, key.size));
	PH_TRY(ph_str_take(&str, &name));
	PH_TRY(ph_arena_strndup(&reader->in.arena, value.text, value.size, &text));
	return ph_meta_set(reader->in.env, meta, name, text, false);
}

static PhStatus
note_event(ScriptReader *reader, const PhPerfSample *sample)
{
	uint32_t string;
	PH_TRY(ph_log_intern(&reader->in.stream, &reader->event_names, sample->event, &string));
	if (string > MAX_EVENTS)
		return ph_log_fail(&reader->in.stream, PH_ERR_LIMIT, "more than %d events", MAX_EVENTS);
	Event *event = &reader->events[string - 1];
	if (string > reader->n_events)
	{
		*event = (Event){reader->event_names.text[string], sample->has_period, PH_NONE};
		reader->n_events = string;
	}
	if (event->has_period != sample->has_period)
		return ph_log_fail(&reader->in.stream, PH_ERR_FORMAT,
						   "samples of \"%.100s\" with and without a period", event->name);
	return PH_OK;
}

static PhStatus
find_thread(ScriptReader *reader, const PhPerfSample *sample, uint32_t *out)
{
	int64_t id[2] = {sample->pid, sample->tid};
	return ph_records_intern(&reader->thread_ids, id, out);
}

static PhStatus
note_thread(ScriptReader *reader, const PhPerfSample *sample)
{
	uint32_t thread, comm;
	PH_TRY(find_thread(reader, sample, &thread));
	if (thread == reader->n_threads)
	{
		PH_TRY(PH_GROW(&reader->in.arena, &reader->threads, thread, &reader->threads_capacity));
		reader->threads[reader->n_threads++] = (Thread){sample->pid, sample->tid, PH_NONE};
	}
	PH_TRY(ph_log_intern(&reader->in.stream, &reader->strings, sample->comm, &comm));
	if (reader->n_samples++ == 0)
		reader->comm = comm;
	else if (reader->comm != comm)
		reader->comm = PH_NONE;
	return PH_OK;
}

static PhStatus
survey_line(void *context, PhSlice line)
{
	ScriptReader *reader = context;
	PhPerfSample sample;
	if (is_comment(line))
		return note_header(reader, line);
	if (!ph_perf_sample(line, &sample))
		return PH_OK;
	if (reader->n_samples == 0)
		reader->has_time = sample.has_time;
	if (sample.has_time != reader->has_time)
		return PH_OK;
	PH_TRY(note_event(reader, &sample));
	return note_thread(reader, &sample);
}

/* ---- metrics and columns ---- */

static bool
is_event(const char *name, const char *word)
{
	size_t size = strlen(word);
	return strncmp(name, word, size) == 0 && (name[size] == '\0' || name[size] == ':');
}

static bool
is_clock(const Event *event)
{
	return event->has_period &&
		   (is_event(event->name, "cpu-clock") || is_event(event->name, "task-clock"));
}

/* The first metric is the primary one: time, else cycles, whichever happened first. */
static int
compare_events(const void *context, uint32_t x, uint32_t y)
{
	const Event *a = (const Event *) context + x, *b = (const Event *) context + y;
	int order = is_clock(b) - is_clock(a);
	if (order == 0)
		order = is_event(b->name, "cycles") - is_event(a->name, "cycles");
	return order != 0 ? order : strcmp(a->name, b->name);
}

/* "sched:sched_switch", but not "cycles:u": what is behind the colon are modifiers. */
static bool
is_tracepoint(const char *name)
{
	const char *colon = strchr(name, ':');
	return colon != NULL && colon[1 + strspn(colon + 1, "ukhGHIpPSDWeb")] != '\0';
}

/* Samples are no cycles, nor seconds: without a period they are counted, under a name that says so.
 */
static PhStatus
metric_name(ScriptReader *reader, const Event *event, char **out)
{
	PhStr str;
	bool is_counted = event->has_period || is_tracepoint(event->name);
	ph_str_init(&str, &reader->in.arena);
	PH_TRY(ph_str_append(&str, event->name));
	PH_TRY(ph_str_append(&str, is_counted ? "" : " samples"));
	return ph_str_take(&str, out);
}

static PhStatus
add_metrics(ScriptReader *reader)
{
	uint32_t *order;
	PH_TRY(ph_sort_indices(&reader->in.arena, reader->n_events, compare_events, reader->events,
						   &order));
	for (uint32_t i = 0; i < reader->n_events; i++)
	{
		Event *event = &reader->events[order[i]];
		char *name;
		PH_TRY(metric_name(reader, event, &name));
		PhMetricSpec spec = {.name = name,
							 .unit = is_clock(event) ? "ns" : "count",
							 .kind = PH_METRIC_FLOW,
							 .given = PH_GIVEN_EXCLUSIVE};
		PH_TRY(ph_builder_add_metric(reader->in.builder, &spec, &event->metric));
	}
	return PH_OK;
}

static int
compare_threads(const void *context, uint32_t x, uint32_t y)
{
	const Thread *a = (const Thread *) context + x, *b = (const Thread *) context + y;
	int order = (a->pid > b->pid) - (a->pid < b->pid);
	return order != 0 ? order : (a->tid > b->tid) - (a->tid < b->tid);
}

/*
 * Processes are numbered in order of their ids, threads within their process. Without ids of
 * processes, or with a single one, there are no ranks.
 */
static PhStatus
add_columns(ScriptReader *reader)
{
	Thread *threads = reader->threads;
	uint32_t *order, n = reader->n_threads;
	PhColumnSpec spec = {.kind = PH_COLUMN_UNIT, .iteration = PH_NO_ITERATION};
	PH_TRY(ph_sort_indices(&reader->in.arena, n, compare_threads, threads, &order));
	bool has_ranks = n > 0 && threads[order[0]].pid != threads[order[n - 1]].pid;
	spec.rank = has_ranks ? 0 : PH_NO_NUMBER;
	for (uint32_t i = 0; i < n; i++)
	{
		Thread *thread = &threads[order[i]];
		bool is_new = i > 0 && thread->pid != threads[order[i - 1]].pid;
		spec.rank += is_new;
		spec.thread = i == 0 || is_new ? 0 : spec.thread + 1;
		PH_TRY(ph_builder_add_column(reader->in.builder, &spec, &thread->column));
	}
	return PH_OK;
}

/* ---- second pass: stacks ---- */

static PhStatus
child_of(ScriptReader *reader, uint32_t parent, uint32_t name, uint32_t library, uint32_t *out)
{
	PhRegionSpec spec = {.kind = PH_KIND_FUNCTION,
						 .name = reader->strings.text[name],
						 .library = reader->strings.text[library],
						 .line = PH_NO_NUMBER};
	uint32_t region;
	PH_TRY(ph_builder_add_region(reader->in.builder, &spec, &region));
	return ph_builder_child(reader->in.builder, parent, region, out);
}

/* The stack is known: inlined functions are in the library of what they are inlined into. */
static PhStatus
end_sample(ScriptReader *reader)
{
	uint32_t node, library = 0;
	if (!reader->in_sample)
		return PH_OK;
	reader->in_sample = false;
	PH_TRY(child_of(reader, PH_NONE, reader->name, reader->name, &node));
	for (uint32_t i = reader->n_frames; i-- > 0;)
	{
		const Frame *frame = &reader->frames[i];
		library = frame->is_inlined ? library : frame->library;
		PH_TRY(child_of(reader, node, frame->name, library, &node));
	}
	return ph_builder_add_value(reader->in.builder, reader->events[reader->event].metric, node,
								reader->threads[reader->thread].column, PH_COST_EXCLUSIVE,
								reader->value);
}

static PhStatus
add_frame(ScriptReader *reader, const PhPerfFrame *given)
{
	Frame frame = {.is_inlined = given->is_inlined};
	if (reader->n_frames == MAX_DEPTH)
		return ph_log_fail(&reader->in.stream, PH_ERR_LIMIT, "a stack of more than %d frames",
						   MAX_DEPTH);
	PH_TRY(ph_log_intern(&reader->in.stream, &reader->strings, given->name, &frame.name));
	PH_TRY(ph_log_intern(&reader->in.stream, &reader->strings, given->library, &frame.library));
	PH_TRY(PH_GROW(&reader->in.arena, &reader->frames, reader->n_frames, &reader->frames_capacity));
	reader->frames[reader->n_frames++] = frame;
	return PH_OK;
}

static PhStatus
begin_sample(ScriptReader *reader, const PhPerfSample *sample)
{
	PhPerfFrame frame;
	uint32_t event;
	PH_TRY(end_sample(reader));
	PH_TRY(
		ph_strings_intern_n(&reader->event_names, sample->event.text, sample->event.size, &event));
	PH_TRY(find_thread(reader, sample, &reader->thread));
	PH_TRY(ph_log_intern(&reader->in.stream, &reader->strings, sample->comm, &reader->name));
	reader->in_sample = true;
	reader->event = event - 1;
	reader->value = sample->has_period ? sample->period : 1;
	reader->n_frames = 0;
	reader->is_stack = false;
	return ph_perf_frame(sample->rest, &frame) ? add_frame(reader, &frame) : PH_OK;
}

static void
pass_over(ScriptReader *reader)
{
	if (reader->n_passed_over++ == 0)
		reader->first_passed_over = reader->in.stream.line;
}

static PhStatus
read_line(void *context, PhSlice line)
{
	ScriptReader *reader = context;
	PhPerfSample sample;
	PhPerfFrame frame;
	if (ph_slice_trim(line).size == 0)
	{
		reader->n_stacks += reader->in_sample;
		return end_sample(reader);
	}
	if (is_comment(line))
		return PH_OK;
	if (ph_perf_sample(line, &sample) && sample.has_time == reader->has_time)
		return begin_sample(reader, &sample);
	if (!reader->in_sample || !ph_perf_frame(line, &frame))
	{
		pass_over(reader);
		return PH_OK;
	}
	reader->is_stack = true;
	return add_frame(reader, &frame);
}

/* Where stacks end with an empty line, the last one does, too. */
static PhStatus
end_input(ScriptReader *reader)
{
	PH_TRY(ph_reading_note_cut(&reader->in));
	if (reader->in_sample && (reader->n_stacks > 0 || reader->is_stack))
		PH_TRY(ph_run_missing(reader->in.env, reader->in.run,
							  "%s:%llu: the last stack does not end", reader->in.input->path,
							  (unsigned long long) reader->in.stream.line));
	if (reader->n_passed_over > 0)
		PH_TRY(ph_run_warn(reader->in.env, reader->in.run,
						   "%s:%llu: neither sample nor frame; %llu such lines are passed over.",
						   reader->in.input->path, (unsigned long long) reader->first_passed_over,
						   (unsigned long long) reader->n_passed_over));
	return end_sample(reader);
}

/* ---- all ---- */

static PhStatus
read_all(void *context)
{
	ScriptReader *reader = context;
	PH_TRY(ph_strings_init(&reader->strings, &reader->in.arena));
	PH_TRY(ph_strings_init(&reader->event_names, &reader->in.arena));
	ph_records_init(&reader->thread_ids, &reader->in.arena, 2 * sizeof(int64_t));
	PH_TRY(ph_reading_lines(&reader->in, survey_line, reader));
	if (reader->n_samples == 0)
		return ph_fail(reader->in.env, PH_ERR_FORMAT, "%s: no line is a sample of perf script",
					   reader->in.input->path);
	if (reader->comm != PH_NONE)
		PH_TRY(ph_meta_set(reader->in.env, &reader->in.run->meta, "application",
						   reader->strings.text[reader->comm], false));
	PH_TRY(ph_builder_new(reader->in.env, &reader->in.builder));
	PH_TRY(add_metrics(reader));
	PH_TRY(add_columns(reader));
	PH_TRY(ph_reading_lines(&reader->in, read_line, reader));
	return end_input(reader);
}

static PhStatus
read_file(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	ScriptReader reader = {.in = {.env = env, .input = input, .options = options, .run = out}};
	return ph_reading_do(&reader.in, read_all, &reader);
}

/* The next whole line of a text; false: there is none. */
static bool
take_line(PhSlice *text, PhSlice *line)
{
	const char *newline = text->size > 0 ? memchr(text->text, '\n', text->size) : NULL;
	if (newline == NULL)
		return false;
	*line = ph_slice_first(*text, (size_t) (newline - text->text));
	*text = ph_slice_behind(*text, line->size + 1);
	return true;
}

/* "who 17 what:" may be anybody's line, if no frame follows. */
static bool
begins_with_sample(PhSlice line, PhSlice behind)
{
	PhPerfSample sample;
	PhPerfFrame frame;
	if (!ph_perf_sample(line, &sample))
		return false;
	return sample.has_time || (take_line(&behind, &line) && ph_perf_frame(line, &frame));
}

/* The first line that is no comment is a sample; a long header may leave none in the first bytes.
 */
static bool
detect(const char *path, const uint8_t *bytes, size_t size)
{
	PhPlainHead head;
	PhSlice line;
	(void) path;
	ph_plain_head(bytes, size, &head);
	PhSlice text = {(const char *) head.bytes, head.size};
	bool has_header = ph_slice_begins(text, "# ========\n# captured on");
	while (take_line(&text, &line))
		if (ph_slice_trim(line).size > 0 && !is_comment(line))
			return begins_with_sample(line, text);
	return has_header && (text.size == 0 || is_comment(text));
}

const PhReader ph_reader_perf_script = {
	.name = "perf-script",
	.description = "text of perf script",
	.mark = "the first line that is no comment is a sample, or the header of perf script is there",
	.detect_file = detect,
	.read_file = read_file,
};
