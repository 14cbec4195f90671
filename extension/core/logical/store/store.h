/*
 * store.h - the stored form of logical structure: events of neighbouring locations as compressed
 * columns, each chunk decoding alone.
 *
 * Format 2 is of processes: up to 8192 events of up to 16 neighbouring locations (of more where
 * they have few) between two steps. Peers, the events of one phase and step, are a *bucket*; who
 * leaves and enters it first is told by the times of the chunk's own events, or nearly so, hence
 * metrics are stored as what differs from what follows: next to nothing (block.h). Format 1 is of
 * tasks, and of what release 0.1.0 stored: up to 1024 events of one location, metrics by value.
 *
 * Columns are integers in StreamVByte style, times in frames of bits, then LZ4, like event chunks.
 * They are stored in groups, so that what is not wanted is not even decompressed.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_STORE_STORE_H
#define PH_LOGICAL_STORE_STORE_H

#include "logical/metrics.h"
#include "trace/chunk/chunk.h"

/* Raised together with the method: what an older one stored is computed anew. */
#define PH_LOGICAL_VERSION 6

#define PH_LOGICAL_FORMAT 1
#define PH_LOGICAL_BLOCK_FORMAT 2
#define PH_LOGICAL_BLOCK_EVENTS 8192
#define PH_LOGICAL_BLOCK_MEMBERS 16 /* unless all of their events are in one chunk */
#define PH_LOGICAL_CHUNK_EVENTS 1024
#define PH_LOGICAL_CHUNK_ENDS 16384 /* a chunk ends before the event that goes beyond */

/* What no chunk goes beyond: the encoder says PH_ERR_LIMIT, the decoder PH_ERR_FORMAT. */
#define PH_LOGICAL_MAX_EVENTS (1 << 16)
#define PH_LOGICAL_MAX_ENDS (1 << 24)
#define PH_LOGICAL_MAX_MEMBERS (1 << 16)

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

	/* deviation of enter and leave from the ideal schedule (patterns/schedule.h), by event, ns; not
	 * stored: NULL unless somebody found them */
	const int64_t *late_enter, *late_leave;
} PhLogicalEvents;

/*
 * Events of several locations, one location behind the other. Times of the members' events stand in
 * the arrays of `events`, whose own location and first_seq mean nothing. With metrics or causes, an
 * event's bucket is told, too.
 */
typedef struct PhLogicalBlock
{
	uint32_t location, n_members;	   /* members are neighbours, the first is `location` */
	uint32_t *first_event, *first_end; /* n_members + 1 */
	uint32_t *first_seq;			   /* by member */
	uint32_t n_buckets;				   /* 0 in format 1 */
	uint32_t *bucket;				   /* by event */
	PhLogicalEvents events;
	const struct PhLogicalOrigin *origin; /* NULL: all values of the events are there */
} PhLogicalBlock;

/* The part of a block that is of one of its members. */
void ph_logical_member(const PhLogicalBlock *block, uint32_t member, PhLogicalEvents *out);

/* A row of perfhouse.logical_chunk without its run. */
typedef struct PhLogicalChunk
{
	uint32_t location; /* the first */
	uint32_t n_members;
	uint32_t chunk_no; /* counts from 0 within the location; the caller's */
	int32_t format;
	uint32_t n_events, n_ends;
	uint32_t first_seq;				/* events of its locations in the chunks before it */
	uint32_t step_first, step_last; /* the least and the greatest step */
	int64_t t_first, t_last;		/* the least enter, the greatest leave */
	PhBytes places, metrics, causes, ends, counters, tasks; /* the last two may be empty */
} PhLogicalChunk;

/* The checksum of a chunk's row, all of its columns but the run's number. */
uint32_t ph_logical_chunk_crc(const PhLogicalChunk *chunk);

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

/* Format 2: all groups but tasks must be there. Bytes are valid until the codec's next use. */
PhStatus ph_logical_encode_block(PhLogicalCodec *codec, const PhLogicalBlock *block,
								 PhLogicalChunk *out) PH_MUST_CHECK;

/*
 * Decode the groups of `want` (PhLogicalWant) of format 1; valid until the codec's next use.
 * Whatever the bytes are, the result is sound or PH_ERR_FORMAT. Sound: kinds exist, ends add up,
 * steps are not negative as int32, nor are enter and leave. Locations, regions and phases are
 * numbers that the caller compares with the run's.
 */
PhStatus ph_logical_decode(PhLogicalCodec *codec, const PhLogicalChunk *chunk, uint32_t want,
						   PhLogicalEvents *out) PH_MUST_CHECK;

/*
 * The same for a chunk of any format; of format 1 there is one member. Causes need the bytes of the
 * ends as well.
 */
PhStatus ph_logical_decode_block(PhLogicalCodec *codec, const PhLogicalChunk *chunk, uint32_t want,
								 PhLogicalBlock *out) PH_MUST_CHECK;

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

/* All chunks of a computed structure in format 2, in order of locations, then of steps. */
typedef struct PhLogicalBlocks PhLogicalBlocks;

/* most: events of a chunk, 0: PH_LOGICAL_BLOCK_EVENTS. metrics and counters must outlive it. */
PhStatus ph_logical_blocks_new(PhEnv *env, const PhLogicalMetrics *metrics,
							   const PhLogicalCounters *counters, uint32_t most,
							   PhLogicalBlocks **out) PH_MUST_CHECK;
void ph_logical_blocks_free(PhLogicalBlocks *blocks);

/* The next one, with its chunk_no; done: there was none. */
PhStatus ph_logical_blocks_next(PhLogicalBlocks *blocks, PhLogicalCodec *codec, PhLogicalChunk *out,
								bool *done) PH_MUST_CHECK;

#endif
