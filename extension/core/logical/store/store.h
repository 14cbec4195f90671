/*
 * store.h - the stored form of logical structure: up to 1024 events of one location as
 * compressed columns, each chunk decoding alone.
 *
 * Columns are integers in StreamVByte style, then LZ4, like event chunks. What other columns tell
 * is kept as the difference from it (a global lateness from the lateness, a differential one from
 * what follows for an event without messages), so such columns shrink to almost nothing. Columns
 * are stored in groups, so that what is not wanted is not even decompressed.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_STORE_STORE_H
#define PH_LOGICAL_STORE_STORE_H

#include "logical/metrics.h"
#include "trace/chunk/chunk.h"

/* Raised together with the method: what an older one stored is computed anew. */
#define PH_LOGICAL_VERSION 3

#define PH_LOGICAL_FORMAT 1
#define PH_LOGICAL_CHUNK_EVENTS 1024
#define PH_LOGICAL_CHUNK_ENDS 16384 /* a chunk ends before the event that goes beyond */

/* What no chunk goes beyond: the encoder says PH_ERR_LIMIT, the decoder PH_ERR_FORMAT. */
#define PH_LOGICAL_MAX_EVENTS (1 << 16)
#define PH_LOGICAL_MAX_ENDS (1 << 24)

/* The forms of a counter: growth within the event and since the one before, then less the peers'
 * least. */
typedef enum PhLogicalCounter
{
	PH_COUNTER_INSIDE,
	PH_COUNTER_BEFORE,
	PH_COUNTER_INSIDE_RELATIVE,
	PH_COUNTER_BEFORE_RELATIVE,
	PH_LOGICAL_COUNTERS
} PhLogicalCounter;

/* Groups of columns. */
typedef enum PhLogicalWant
{
	PH_LOGICAL_WANT_PLACES = 0, /* always there */
	PH_LOGICAL_WANT_METRICS = 1,
	PH_LOGICAL_WANT_CAUSES = 2,
	PH_LOGICAL_WANT_ENDS = 4,
	PH_LOGICAL_WANT_COUNTERS = 8,
	PH_LOGICAL_WANT_TASKS = 16,
	PH_LOGICAL_WANT_ALL = 31
} PhLogicalWant;

/*
 * Neighbouring events of one location, in order. An event's seq counts the communication events of
 * its location from 0. Pointers of groups that are not wanted are NULL.
 */
typedef struct PhLogicalEvents
{
	uint32_t location, first_seq, n_events, n_ends;

	/* places, by event */
	uint32_t *kind, *flags; /* PhCommKind, PhCommFlag */
	uint32_t *region;		/* PH_NONE: none */
	uint32_t *ends_of;		/* how many of the ends below are its */
	uint32_t *phase, *step;
	int64_t *enter, *leave;

	/* metrics, by event */
	int64_t *value[PH_LOGICAL_METRICS], *aggregate[PH_LOGICAL_METRICS];
	uint32_t *n_peers;

	/* causes, by event */
	uint32_t *earliest_location;			  /* of the peer that left first; PH_NONE: unknown */
	uint32_t *binding_location, *binding_seq; /* location PH_NONE: none */

	/* ends of messages, by event; what is at the other end, location PH_NONE: unmatched */
	uint32_t *peer_location, *peer_seq, *peer_step;
	int32_t *tag;
	uint64_t *bytes;

	/* counters, by event; NULL: none was followed */
	double *counter[PH_LOGICAL_COUNTERS];

	/* tasks, by event; NULL: a run of processes. Times in ns, never negative */
	uint32_t *processor, *block; /* numbers of the trace of tasks */
	int64_t *share;				 /* of its block's time: the length of its sub-block */
	int64_t *idle, *imbalance;	 /* idle experienced; load of its processor over the least */
} PhLogicalEvents;

/* A row of perfhouse.logical_chunk without its run. */
typedef struct PhLogicalChunk
{
	uint32_t location;
	uint32_t chunk_no; /* counts from 0 within the location; the caller's */
	int32_t format;
	uint32_t n_events, n_ends;
	uint32_t first_seq;
	uint32_t step_first, step_last; /* the least and the greatest step */
	int64_t t_first, t_last;		/* the least enter, the greatest leave */
	PhBytes places, metrics, causes, ends, counters, tasks; /* the last two may be empty */
} PhLogicalChunk;

/* Buffers that serve any number of chunks one after the other. */
typedef struct PhLogicalCodec PhLogicalCodec;

PhStatus ph_logical_codec_new(PhEnv *env, PhLogicalCodec **out) PH_MUST_CHECK;
void ph_logical_codec_free(PhLogicalCodec *codec);

/* Arrays of all groups but tasks, zeroed, valid until the codec's next use but ph_logical_encode.
 */
PhStatus ph_logical_room(PhLogicalCodec *codec, uint32_t n_events, uint32_t n_ends, bool counters,
						 PhLogicalEvents *out) PH_MUST_CHECK;

/* All groups must be there but counters and tasks; bytes are valid until the codec's next use. */
PhStatus ph_logical_encode(PhLogicalCodec *codec, const PhLogicalEvents *events,
						   PhLogicalChunk *out) PH_MUST_CHECK;

/*
 * Decode the groups of `want` (PhLogicalWant); valid until the codec's next use. Whatever the bytes
 * are, the result is sound or PH_ERR_FORMAT. Sound: kinds exist, ends add up, steps are not
 * negative as int32, nor are enter and leave. Locations, regions and phases are numbers that the
 * caller compares with the run's.
 */
PhStatus ph_logical_decode(PhLogicalCodec *codec, const PhLogicalChunk *chunk, uint32_t want,
						   PhLogicalEvents *out) PH_MUST_CHECK;

/* Counters of the whole run with their relative forms; by event, NULL without counters. */
typedef struct PhLogicalCounters
{
	const double *values[PH_LOGICAL_COUNTERS];
} PhLogicalCounters;

/*
 * The next chunk of a timeline from event `first` on, into the codec's room; first + out->n_events
 * is where the one after it starts.
 */
PhStatus ph_logical_extract(PhLogicalCodec *codec, const PhLogicalMetrics *metrics,
							const PhLogicalCounters *counters, uint32_t first,
							PhLogicalEvents *out) PH_MUST_CHECK;

#endif
