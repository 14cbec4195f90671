/*
 * chrome.h - Chrome's trace events (JSON with "traceEvents", or their list alone), also as
 * PyTorch's profiler (Kineto) writes them: threads with calls.
 *
 * The file is read once, from its begin to its end, in a window of memory; calls go to sorted runs
 * (runs.h). Then each thread's calls are given lanes (lanes.h), and locations are read of the runs.
 * Facts of the format: docs/FORMATS.md.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_CHROME_CHROME_H
#define PH_READERS_CHROME_CHROME_H

#include "base/table.h"
#include "readers/chrome/event.h"
#include "readers/chrome/runs.h"
#include "readers/input.h"
#include "readers/trace_source.h"

/* ns from 0. The difference of two times fits into 64 bits. */
#define PH_CHROME_MOST_TIME INT64_C(4000000000000000000)

/* What a category of PyTorch's profiler means; all other categories are calls. */
typedef enum PhChromeClass
{
	PH_CLASS_CALL,
	PH_CLASS_OPERATOR,	 /* of PyTorch */
	PH_CLASS_ANNOTATION, /* of the program: steps of the profiler, ranges */
	PH_CLASS_PYTHON,	 /* a function of Python */
	PH_CLASS_API,		 /* a call of CUDA's or HIP's library */
	PH_CLASS_READ_LAST = PH_CLASS_API,
	PH_CLASS_ACTIVITY, /* a kernel, copy or fill on a device */
	PH_CLASS_SYNC,	   /* waiting, as the device saw it */
	PH_CLASS_SHADOW,   /* an annotation, repeated on a stream */
	PH_CLASS_COUNTERS, /* a kernel run again for its counters */
	PH_CLASS_OVERHEAD, /* what the profiler itself took */
	PH_CLASS_PROFILER, /* the span of the profiler */
	PH_CLASS_COUNT
} PhChromeClass;

/* Events that become no call, counted. */
typedef enum PhChromeLeft
{
	PH_LEFT_ACTIVITIES,
	PH_LEFT_SYNCS,
	PH_LEFT_SHADOWS,
	PH_LEFT_COUNTER_RANGES,
	PH_LEFT_OVERHEAD,
	PH_LEFT_SPANS,
	PH_LEFT_FLOWS,
	PH_LEFT_INSTANTS,
	PH_LEFT_COUNTERS,
	PH_LEFT_ASYNC,
	PH_LEFT_OTHERS,
	PH_LEFT_COUNT
} PhChromeLeft;

/* Calls that are not as they should be. */
typedef enum PhChromeFinding
{
	PH_CHROME_UNENDED,	  /* begun, never ended */
	PH_CHROME_UNBEGUN,	  /* ended, never begun: left out */
	PH_CHROME_OTHER_END,  /* ended by another name than they began with */
	PH_CHROME_BACKWARDS,  /* of negative length: taken as 0 */
	PH_CHROME_ENDLESS,	  /* complete events without a length: taken as 0 */
	PH_CHROME_CUT,		  /* that cross the end of the call around them and were cut there */
	PH_CHROME_OVERLAPPED, /* that do so by more than rounding, on lanes of their own */
	PH_CHROME_FINDINGS
} PhChromeFinding;

typedef struct PhChromeProcess
{
	uint32_t text; /* its pid, in strings */
	uint32_t name; /* in strings; 0: unknown */
	int32_t rank;
} PhChromeProcess;

typedef struct PhChromeThread
{
	uint32_t process;
	uint32_t text; /* its tid, in strings */
	uint32_t name;
	uint64_t n_calls;
	uint32_t n_begun, begun_room;
	PhChromeCall *begun; /* by B, not yet ended by E; the outermost first */
} PhChromeThread;

/* A location is a lane of a thread. */
typedef struct PhChromeLane
{
	uint32_t thread, lane;
} PhChromeLane;

typedef struct PhChrome
{
	PhTraceSource source;
	PhEnv *env; /* of who opened it */
	PhArena arena;
	const char *path;
	PhStrings strings;			/* as they stand in the file */
	PhMap process_of, class_of; /* by string */
	PhMap thread_of;			/* by process and string */
	PhMap region_of;			/* by category and name, two strings */
	PH_VECTOR(PhChromeProcess) processes;
	PH_VECTOR(PhChromeThread) threads;
	uint32_t *region; /* of the model, by number in region_of */
	PhCallRuns runs;
	PH_VECTOR(PhChromeLane) lanes; /* by location */
	uint64_t n_calls, n_events;
	uint64_t left[PH_LEFT_COUNT];
	uint64_t findings[PH_CHROME_FINDINGS];
	int64_t origin; /* first begin of all calls; PH_NO_TIME: there is none */
	int64_t base;	/* baseTimeNanoseconds; 0 */
	bool is_kineto;
	int64_t rank;	/* of distributedInfo; -1: unknown */
	uint64_t place; /* byte of the text at which the value begins that is being read */
} PhChrome;

/* ---- readers/chrome/document.c ---- */

/* Read the whole input: calls go to the runs, the rest to metadata of the run. */
PhStatus ph_chrome_read_document(PhChrome *chrome, PhInput *input, PhRunInput *run) PH_MUST_CHECK;

/* ---- readers/chrome/calls.c ---- */

/* An event becomes a call, a name, or is counted. */
PhStatus ph_chrome_take_event(PhChrome *chrome, const PhChromeEvent *event) PH_MUST_CHECK;

/* What a category means, by its string. */
PhStatus ph_chrome_class(PhChrome *chrome, uint32_t category, PhChromeClass *out) PH_MUST_CHECK;

/* After the last event: what has begun and has no end. */
PhStatus ph_chrome_end_calls(PhChrome *chrome) PH_MUST_CHECK;

/* ---- readers/chrome/model.c ---- */

/* Regions, ranks and locations; after the runs are finished. */
PhStatus ph_chrome_make_model(PhChrome *chrome) PH_MUST_CHECK;

/* A string as people read it: without escapes, as UTF-8. In the arena. */
PhStatus ph_chrome_decode(PhChrome *chrome, const char *text, size_t size,
						  const char **out) PH_MUST_CHECK;

/* ---- readers/chrome/report.c ---- */

/* "path: byte 17: …", of the value that is being read. */
PhStatus ph_chrome_fail(const PhChrome *chrome, PhStatus status, const char *format, ...)
	PH_PRINTF(3, 4);

/* What was left out and what was not as it should be, as metadata and warnings. */
PhStatus ph_chrome_report(PhChrome *chrome, PhRunInput *run) PH_MUST_CHECK;

#endif
