/*
 * calls.c - from events to calls: complete ones (X), and begins with their ends (B, E).
 *
 * Begins and ends belong together in the order of the file, thread by thread, as the format demands
 * of their writers; complete events may come in any order.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/min_max.h"
#include "readers/chrome/chrome.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* ---- categories ---- */

static const struct
{
	const char *category;
	PhChromeClass class;
} classes[] = {
	{"cpu_op", PH_CLASS_OPERATOR},
	{"Operator", PH_CLASS_OPERATOR},
	{"user_annotation", PH_CLASS_ANNOTATION},
	{"python_function", PH_CLASS_PYTHON},
	{"cuda_runtime", PH_CLASS_API},
	{"Runtime", PH_CLASS_API},
	{"cuda_driver", PH_CLASS_API},
	{"hip_runtime", PH_CLASS_API},
	{"privateuse1_runtime", PH_CLASS_API},
	{"mtia_runtime", PH_CLASS_API},
	{"kernel", PH_CLASS_KERNEL},
	{"Kernel", PH_CLASS_KERNEL},
	{"mtia_ccp_events", PH_CLASS_KERNEL},
	{"gpu_memcpy", PH_CLASS_COPY},
	{"Memcpy", PH_CLASS_COPY},
	{"gpu_memset", PH_CLASS_SET},
	{"Memset", PH_CLASS_SET},
	{"cuda_sync", PH_CLASS_SYNC},
	{"gpu_user_annotation", PH_CLASS_SHADOW},
	{"cuda_profiler_range", PH_CLASS_COUNTERS},
	{"overhead", PH_CLASS_OVERHEAD},
	{"Trace", PH_CLASS_PROFILER},
};

PhStatus
ph_chrome_class(PhChrome *chrome, uint32_t category, PhChromeClass *out)
{
	uint32_t before = chrome->class_of.count;
	uint32_t *value;

	PH_TRY(ph_map_enter(&chrome->class_of, category, PH_CLASS_CALL, &value));
	if (chrome->class_of.count > before)
		for (size_t i = 0; i < LENGTH(classes); i++)
			if (strcmp(chrome->strings.text[category], classes[i].category) == 0)
				*value = classes[i].class;
	*out = *value;
	return PH_OK;
}

static bool
is_activity(PhChromeClass class)
{
	return class == PH_CLASS_KERNEL || class == PH_CLASS_COPY || class == PH_CLASS_SET;
}

/* Words such as "kernel" and "Trace" are used by others, too: then the event is a call. */
static PhChromeClass
check_class(const PhChromeEvent *event, char phase, PhChromeClass class)
{
	if (is_activity(class) && phase != 'X')
		return PH_CLASS_CALL;
	if (is_activity(class) && ph_scan_find(&event->args, "device").kind == PH_SCAN_ABSENT &&
		ph_scan_find(&event->args, "stream").kind == PH_SCAN_ABSENT)
		return PH_CLASS_CALL;
	if (class == PH_CLASS_PROFILER && !ph_scan_value_is(&event->pid, "Spans"))
		return PH_CLASS_CALL;
	return class;
}

/* ---- names ---- */

/* A string or number by its text; 0, the empty text, when it is neither. */
static PhStatus
intern(PhChrome *chrome, const PhScanValue *value, uint32_t *out)
{
	*out = 0;
	if (value->kind != PH_SCAN_STRING && value->kind != PH_SCAN_WORD)
		return PH_OK;
	return ph_strings_intern_n(&chrome->strings, value->text, value->size, out);
}

static PhStatus
find_process(PhChrome *chrome, const PhScanValue *pid, uint32_t *out)
{
	uint32_t file = chrome->files.count - 1;
	uint32_t text;
	uint32_t *process;

	PH_TRY(intern(chrome, pid, &text));
	PH_TRY(PH_ROOM(&chrome->spans.arena, &chrome->processes));
	PH_TRY(ph_map_enter(&chrome->process_of, ph_map_key(file, text), chrome->processes.count,
						&process));
	if (*process == chrome->processes.count)
		chrome->processes.items[chrome->processes.count++] =
			(PhChromeProcess){.file = file, .text = text};
	*out = *process;
	return PH_OK;
}

static PhStatus
find_thread(PhChrome *chrome, const PhChromeEvent *event, uint32_t *out)
{
	uint32_t process, text;
	uint32_t *thread;

	PH_TRY(find_process(chrome, &event->pid, &process));
	PH_TRY(intern(chrome, &event->tid, &text));
	PH_TRY(
		ph_map_enter(&chrome->track_of, ph_map_key(process, text), chrome->tracks.count, &thread));
	*out = *thread;
	if (*thread < chrome->tracks.count)
		return PH_OK;
	return ph_chrome_add_track(
		chrome,
		&(PhChromeTrack){.file = chrome->files.count - 1, .process = process, .text = text});
}

/* Names of annotations and calls that say what is launched within them. */
static PhChromeCollective
collective_of(PhChromeClass class, const char *name)
{
	if (is_activity(class))
		return PH_NO_COLLECTIVE;
	if (strcmp(name, "record_param_comms") == 0)
		return PH_COLLECTIVE_ARGUMENTS;
	return ph_device_operation_of_call(name, strlen(name)) != PH_DEVICE_UNTOLD ? PH_COLLECTIVE_NAMED
																			   : PH_NO_COLLECTIVE;
}

static PhStatus
find_region(PhChrome *chrome, uint32_t category, PhChromeClass class, const PhScanValue *name,
			uint32_t *out)
{
	uint32_t text;
	uint32_t *region;

	PH_TRY(intern(chrome, name, &text));
	PH_TRY(ph_map_enter(&chrome->region_of, ph_map_key(category, text), chrome->region_of.count,
						&region));
	if (*region == PH_CHUNK_MAX_REGION)
		return ph_chrome_fail(chrome, PH_ERR_LIMIT, "more than %d names of calls",
							  PH_CHUNK_MAX_REGION);
	*out = *region;
	if (*region < chrome->collectives.count)
		return PH_OK;
	PH_TRY(PH_ROOM(&chrome->spans.arena, &chrome->collectives));
	chrome->collectives.items[chrome->collectives.count++] =
		collective_of(class, chrome->strings.text[text]);
	return PH_OK;
}

/* ---- times ---- */

static PhStatus
take_time(const PhChrome *chrome, const PhScanValue *value, const char *what, int64_t *out)
{
	if (value->kind == PH_SCAN_ABSENT)
		return ph_chrome_fail(chrome, PH_ERR_FORMAT, "the event has no %s", what);
	if (!ph_scan_nanoseconds(value, out) || *out > PH_CHROME_MOST_TIME ||
		*out < -PH_CHROME_MOST_TIME)
		return ph_chrome_fail(chrome, PH_ERR_VALUE, "%s is not a time in microseconds: %.*s", what,
							  (int) PH_MIN(value->size, (size_t) 40), value->text);
	return PH_OK;
}

static void
find(PhChrome *chrome, PhChromeFinding finding)
{
	chrome->findings[finding]++;
}

/* ---- calls ---- */

static void
note_time(PhChromeFile *file, const PhSpanRow *call)
{
	int64_t end = call->end == PH_SPAN_OPEN ? call->begin : call->end;

	if (file->begin == PH_NO_TIME)
	{
		file->begin = call->begin;
		file->end = end;
	}
	file->begin = PH_MIN(file->begin, call->begin);
	file->end = PH_MAX(file->end, end);
}

static PhStatus
add_call(PhChrome *chrome, const PhSpanRow *call)
{
	chrome->tracks.items[call->track].n_calls++;
	chrome->n_calls++;
	note_time(ph_chrome_file(chrome), call);
	return chrome->only_times ? PH_OK : ph_span_source_add(&chrome->spans, call);
}

/* Where and when a call begins: all but its end. */
static PhStatus
begin_call(PhChrome *chrome, const PhChromeEvent *event, uint32_t category, PhChromeClass class,
		   PhSpanRow *out)
{
	*out = (PhSpanRow){.order = (uint32_t) chrome->n_events, .end = PH_SPAN_OPEN};
	PH_TRY(take_time(chrome, &event->ts, "ts", &out->begin));
	PH_TRY(find_region(chrome, category, class, &event->name, &out->region));
	if (is_activity(class))
		return ph_chrome_note_activity(chrome, event, out);
	PH_TRY(find_thread(chrome, event, &out->track));
	return class == PH_CLASS_API ? ph_chrome_note_launch(chrome, event, &out->detail) : PH_OK;
}

static PhStatus
take_complete(PhChrome *chrome, const PhChromeEvent *event, uint32_t category, PhChromeClass class)
{
	PhSpanRow call;
	int64_t duration = 0;

	PH_TRY(begin_call(chrome, event, category, class, &call));
	if (event->dur.kind == PH_SCAN_ABSENT)
		find(chrome, PH_CHROME_ENDLESS);
	else
		PH_TRY(take_time(chrome, &event->dur, "dur", &duration));
	if (duration < 0)
		find(chrome, PH_CHROME_BACKWARDS);
	call.end = call.begin + PH_MAX(duration, INT64_C(0));
	if (!is_activity(class) && chrome->collectives.items[call.region] != PH_NO_COLLECTIVE)
		PH_TRY(ph_chrome_note_collective(chrome, event, &call));
	return add_call(chrome, &call);
}

static PhStatus
take_begin(PhChrome *chrome, const PhChromeEvent *event, uint32_t category, PhChromeClass class)
{
	PhChromeTrack *thread;
	PhSpanRow call;

	PH_TRY(begin_call(chrome, event, category, class, &call));
	thread = &chrome->tracks.items[call.track];
	PH_TRY(PH_GROW(&chrome->spans.arena, &thread->begun, thread->n_begun, &thread->begun_room));
	thread->begun[thread->n_begun++] = call;
	return PH_OK;
}

/* An end may repeat the name of its begin, or say none. */
static PhStatus
check_name(PhChrome *chrome, const PhChromeEvent *event, const PhSpanRow *call)
{
	uint32_t text;

	if (event->name.kind != PH_SCAN_STRING)
		return PH_OK;
	PH_TRY(intern(chrome, &event->name, &text));
	if (text != (uint32_t) chrome->region_of.keys[call->region])
		find(chrome, PH_CHROME_OTHER_END);
	return PH_OK;
}

static PhStatus
take_end(PhChrome *chrome, const PhChromeEvent *event)
{
	uint32_t number;
	PhChromeTrack *thread;
	PhSpanRow *call;
	int64_t end;

	PH_TRY(take_time(chrome, &event->ts, "ts", &end));
	PH_TRY(find_thread(chrome, event, &number));
	thread = &chrome->tracks.items[number];
	if (thread->n_begun == 0)
	{
		find(chrome, PH_CHROME_UNBEGUN);
		return PH_OK;
	}
	call = &thread->begun[--thread->n_begun];
	if (end < call->begin)
		find(chrome, PH_CHROME_BACKWARDS);
	call->end = PH_MAX(end, call->begin);
	PH_TRY(check_name(chrome, event, call));
	return add_call(chrome, call);
}

PhStatus
ph_chrome_end_calls(PhChrome *chrome)
{
	for (uint32_t i = 0; i < chrome->tracks.count; i++)
	{
		PhChromeTrack *thread = &chrome->tracks.items[i];

		for (uint32_t k = 0; k < thread->n_begun; k++)
		{
			find(chrome, PH_CHROME_UNENDED);
			PH_TRY(add_call(chrome, &thread->begun[k]));
		}
		thread->n_begun = 0;
	}
	return PH_OK;
}

/* ---- events ---- */

/* Names of processes and threads; other metadata says how viewers sort and colour them. */
static PhStatus
take_name(PhChrome *chrome, const PhChromeEvent *event)
{
	PhScanValue name = ph_scan_find(&event->args, "name");
	uint32_t number;

	if (ph_scan_value_is(&event->name, "process_name"))
	{
		PH_TRY(find_process(chrome, &event->pid, &number));
		return intern(chrome, &name, &chrome->processes.items[number].name);
	}
	if (!ph_scan_value_is(&event->name, "thread_name"))
		return PH_OK;
	PH_TRY(find_thread(chrome, event, &number));
	return intern(chrome, &name, &chrome->tracks.items[number].name);
}

static PhChromeLeft
left_of_class(PhChromeClass class)
{
	return (PhChromeLeft) (PH_LEFT_SYNCS + (class - PH_CLASS_SYNC));
}

static PhChromeLeft
left_of_phase(char phase)
{
	switch (phase)
	{
		case 's':
		case 't':
		case 'f':
			return PH_LEFT_FLOWS;
		case 'i':
		case 'I':
		case 'R':
			return PH_LEFT_INSTANTS;
		case 'C':
			return PH_LEFT_COUNTERS;
		case 'b':
		case 'n':
		case 'e':
		case 'S':
		case 'T':
		case 'p':
		case 'F':
			return PH_LEFT_ASYNC;
		default:
			return PH_LEFT_OTHERS;
	}
}

static PhStatus
take_call(PhChrome *chrome, const PhChromeEvent *event, char phase)
{
	uint32_t category;
	PhChromeClass class;
	bool is_known = false;

	PH_TRY(intern(chrome, &event->cat, &category));
	PH_TRY(ph_chrome_class(chrome, category, &class));
	class = check_class(event, phase, class);
	if (class == PH_CLASS_SYNC && !chrome->only_times)
		PH_TRY(ph_chrome_note_wait(chrome, event, &is_known));
	if (class > PH_CLASS_READ_LAST)
	{
		chrome->left[left_of_class(class)] += !is_known;
		return PH_OK;
	}
	return phase == 'X' ? take_complete(chrome, event, category, class)
						: take_begin(chrome, event, category, class);
}

PhStatus
ph_chrome_take_event(PhChrome *chrome, const PhChromeEvent *event)
{
	char phase = event->ph.kind == PH_SCAN_STRING && event->ph.size == 1 ? event->ph.text[0] : '\0';

	if (event->ph.kind == PH_SCAN_ABSENT)
		return ph_chrome_fail(chrome, PH_ERR_FORMAT, "the event has no ph");
	if (++chrome->n_events == UINT32_MAX)
		return ph_chrome_fail(chrome, PH_ERR_LIMIT, "more than %u events", UINT32_MAX - 1);
	switch (phase)
	{
		case 'X':
		case 'B':
			return take_call(chrome, event, phase);
		case 'E':
			return take_end(chrome, event);
		case 'M':
			return take_name(chrome, event);
		default:
			chrome->left[left_of_phase(phase)]++;
			return PH_OK;
	}
}
