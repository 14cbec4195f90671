/*
 * chrome.h - Chrome's trace events (JSON with "traceEvents", or their list alone), also as
 * PyTorch's profiler (Kineto) writes them: threads with calls, streams of devices with activities.
 *
 * The file is read once, from its begin to its end, in a window of memory; calls and activities go
 * to the trace source of spans (spans/source.h). Facts of the format: docs/FORMATS.md.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_CHROME_CHROME_H
#define PH_READERS_CHROME_CHROME_H

#include "base/table.h"
#include "readers/chrome/event.h"
#include "readers/input.h"
#include "readers/spans/source.h"

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
	PH_CLASS_KERNEL,	 /* on a device, as the next two */
	PH_CLASS_COPY,
	PH_CLASS_SET,
	PH_CLASS_READ_LAST = PH_CLASS_SET,
	PH_CLASS_SYNC,	   /* waiting, as the device saw it */
	PH_CLASS_SHADOW,   /* an annotation, repeated on a stream */
	PH_CLASS_COUNTERS, /* a kernel run again for its counters */
	PH_CLASS_OVERHEAD, /* what the profiler itself took */
	PH_CLASS_PROFILER, /* the span of the profiler */
	PH_CLASS_COUNT
} PhChromeClass;

/* What a region has to do with collectives. */
typedef enum PhChromeCollective
{
	PH_NO_COLLECTIVE,
	PH_COLLECTIVE_NAMED,	 /* an annotation or call: nccl:all_reduce */
	PH_COLLECTIVE_ARGUMENTS, /* a call whose arguments tell it: record_param_comms */
	PH_COLLECTIVE_KERNEL	 /* a kernel whose arguments do */
} PhChromeCollective;

/* Events that become no call, counted. */
typedef enum PhChromeLeft
{
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

/* One of the run's files: a rank of PyTorch's, or the only one. */
typedef struct PhChromeFile
{
	const char *path;
	bool is_kineto;			  /* of one rank */
	int64_t rank, world_size; /* of distributedInfo; -1: unknown */
	int64_t groups;			  /* of processes; -1: unknown */
	int64_t base;			  /* ns that its times count from */
	int64_t begin, end;		  /* of its calls, without base; begin PH_NO_TIME: there are none */
} PhChromeFile;

typedef struct PhChromeProcess
{
	uint32_t file;
	uint32_t text; /* its pid, in strings */
	uint32_t name; /* in strings; 0: unknown */
} PhChromeProcess;

/* A thread, or a stream of a device. */
typedef struct PhChromeTrack
{
	uint32_t file;
	bool is_stream;
	PhDeviceStream stream; /* of a stream; without a lane */
	uint32_t process;	   /* of a thread, and so on */
	uint32_t text;		   /* its tid, in strings */
	uint32_t name;
	uint64_t n_calls;
	uint32_t n_begun, begun_room;
	PhSpanRow *begun; /* by B, not yet ended by E; the outermost first */
} PhChromeTrack;

/* The process group of a collective, as an activity's arguments tell it. */
typedef struct PhChromeGroup
{
	int64_t ranks, name;		 /* in strings; 0: not told */
	int64_t first, stride, size; /* ranks that are not listed; 0 of them: not told */
} PhChromeGroup;

typedef struct PhChrome
{
	PhSpanSource spans;			   /* first */
	PH_VECTOR(PhChromeFile) files; /* the last one is being read */
	PhStrings strings;			   /* as they stand in the file */
	PhMap process_of;			   /* by file and string */
	PhMap class_of;				   /* by string */
	PhMap track_of;				   /* of a thread, by process and string */
	PhMap region_of;			   /* by category and name, two strings */
	PhIndices collectives;		   /* by region: PhChromeCollective */
	PH_VECTOR(PhChromeProcess) processes;
	PH_VECTOR(PhChromeTrack) tracks;
	PhRecords streams; /* by file, device, context and stream */
	PhIndices stream_tracks;
	PhRecords configurations; /* PhLaunchConfiguration */
	PhRecords groups;		  /* PhChromeGroup */
	bool is_hip;			  /* its devices are AMD's */
	uint64_t n_calls, n_events;
	uint64_t left[PH_LEFT_COUNT];
	uint64_t findings[PH_CHROME_FINDINGS];
	bool only_times; /* wanted: when calls are, not which */
	int64_t origin;	 /* first begin of all calls, with its file's base */
	uint64_t place;	 /* byte of the text at which the value begins that is being read */
} PhChrome;

/* The file that is being read. */
static inline PhChromeFile *
ph_chrome_file(const PhChrome *chrome)
{
	return &chrome->files.items[chrome->files.count - 1];
}

/* ---- readers/chrome/document.c ---- */

/* Read the whole input as the last of the files: calls go to the runs, the rest of the first file
 * to metadata of the run. */
PhStatus ph_chrome_read_document(PhChrome *chrome, PhInput *input, PhRunInput *run) PH_MUST_CHECK;

/* ---- readers/chrome/calls.c ---- */

/* An event becomes a call, a name, or is counted. */
PhStatus ph_chrome_take_event(PhChrome *chrome, const PhChromeEvent *event) PH_MUST_CHECK;

/* What a category means, by its string. */
PhStatus ph_chrome_class(PhChrome *chrome, uint32_t category, PhChromeClass *out) PH_MUST_CHECK;

/* After the last event: what has begun and has no end. */
PhStatus ph_chrome_end_calls(PhChrome *chrome) PH_MUST_CHECK;

/* ---- readers/chrome/devices.c ---- */

/* A thread or stream that is new; PH_ERR_LIMIT when there are too many. */
PhStatus ph_chrome_add_track(PhChrome *chrome, const PhChromeTrack *track) PH_MUST_CHECK;

/* What a call of a device's library may launch. */
PhStatus ph_chrome_note_launch(PhChrome *chrome, const PhChromeEvent *event,
							   uint32_t *detail) PH_MUST_CHECK;

/* A call within which collectives may be launched. */
PhStatus ph_chrome_note_collective(PhChrome *chrome, const PhChromeEvent *event,
								   const PhSpanRow *call) PH_MUST_CHECK;

/* The stream of an activity, and what is known of it. */
PhStatus ph_chrome_note_activity(PhChrome *chrome, const PhChromeEvent *event,
								 PhSpanRow *call) PH_MUST_CHECK;

/* A stream that waits for an event of another one; *is_known: the event tells all of it. */
PhStatus ph_chrome_note_wait(PhChrome *chrome, const PhChromeEvent *event,
							 bool *is_known) PH_MUST_CHECK;

/* ---- readers/chrome/groups.c ---- */

/* Communicators of the model; its ranks are made. */
PhStatus ph_chrome_make_groups(PhChrome *chrome) PH_MUST_CHECK;

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
