/*
 * trace_source.h - what a reader of event traces offers to the loader, whatever the format.
 *
 * A reader of traces fills PhRunInput.trace: the definitions, and a way to read the events of one
 * location after the other in several threads at once. Times it delivers count from the run's first
 * event. It knows nothing of PostgreSQL.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_TRACE_SOURCE_H
#define PH_READERS_TRACE_SOURCE_H

#include "trace/link.h"

/* What was met while locations were read; counts of several locations add up. */
typedef struct PhTraceCounts
{
	uint64_t events[PH_EVENT_KIND_COUNT];
	uint64_t unknown_records; /* kept as PH_RECORD_UNKNOWN, without their operands */
	uint64_t with_attributes; /* events with attributes beside them, which are not kept */
	uint64_t unknown_peers;	  /* ranks that their communicator does not have */
	uint64_t foreign_metrics; /* values whose number or class the definitions do not tell */
	uint64_t stream_waits;	  /* activities of devices that had to wait for another stream */
	int64_t last_time;		  /* of the last event, 0: none */
} PhTraceCounts;

static inline void
ph_trace_counts_add(PhTraceCounts *sum, const PhTraceCounts *counts)
{
	for (int kind = 0; kind < PH_EVENT_KIND_COUNT; kind++)
		sum->events[kind] += counts->events[kind];
	sum->unknown_records += counts->unknown_records;
	sum->with_attributes += counts->with_attributes;
	sum->unknown_peers += counts->unknown_peers;
	sum->foreign_metrics += counts->foreign_metrics;
	sum->stream_waits += counts->stream_waits;
	if (counts->last_time > sum->last_time)
		sum->last_time = counts->last_time;
}

/* A thread's way into the trace; the reader's own struct begins with it. */
typedef struct PhTraceCursor
{
	const struct PhTraceSource *source;
} PhTraceCursor;

typedef enum PhTraceClock
{
	PH_CLOCK_UNCORRECTED,
	PH_CLOCK_OFFSETS, /* the archive's clock offsets were applied */
	PH_CLOCK_LOGICAL  /* times were moved so that messages run forwards */
} PhTraceClock;

/* As the warehouse has it. */
static inline const char *
ph_trace_clock_name(PhTraceClock clock)
{
	static const char *const names[] = {"uncorrected", "offsets", "logical"};

	return names[clock];
}

/* A text that values of events refer to. */
typedef struct PhTraceText
{
	uint32_t number;
	const char *text;
} PhTraceText;

typedef struct PhTraceSource
{
	PhTraceModel model;
	PhTraceClock clock;

	/* A cursor of the calling thread, which is to use no other's; env is the thread's. */
	PhStatus (*open)(PhEnv *env, const struct PhTraceSource *source, PhTraceCursor **out);

	/*
	 * Every event of the location, in order, into the writer, which the caller finishes. Adds to
	 * counts. A failure's message names the file and where in it.
	 */
	PhStatus (*read_location)(PhTraceCursor *cursor, uint32_t location, PhChunkWriter *writer,
							  PhTraceCounts *counts);
	void (*close)(PhTraceCursor *cursor);

	void (*free)(PhEnv *env, struct PhTraceSource *source);

	/*
	 * Of sources that know who sent what (NULL: messages are matched by rank and tag): the links of
	 * a location's receives, in event order, after all locations were read; in arena.
	 */
	PhStatus (*links)(const struct PhTraceSource *source, PhArena *arena, uint32_t location,
					  const PhLink **links, uint64_t *n);

	PhMatchCounts matches; /* of such a source */

	/* Its calls are estimates, made of samples: nothing is asked that depends on when they begin
	 * and end, as critical paths and waits do. */
	bool is_sampled;

	/*
	 * Of sources that know who launched what on devices (NULL: they do not): for each call of a
	 * stream's location, in event order, the ENTER of the host's call that launched it; in arena.
	 * Unlike links, may be asked before anything is read.
	 */
	PhStatus (*launches)(const struct PhTraceSource *source, PhArena *arena, uint32_t location,
						 const PhLink **links, uint64_t *n);

	PhLaunchCounts launched; /* of such a source */

	/*
	 * Of sources whose events have texts (NULL: none): the next one that an event refers to, after
	 * all locations were read. *next begins with 0. False: there are no more.
	 */
	bool (*next_text)(const struct PhTraceSource *source, uint32_t *next, PhTraceText *out);

	/* Definitions of a task-based program; NULL: it is none. */
	struct PhTaskSource *tasks;
} PhTraceSource;

#endif
