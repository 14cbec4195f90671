/*
 * chunk.h - event chunks: up to 16384 events of one location as compressed columns.
 *
 * A chunk decodes alone: it carries the calls that are open at its start and the time of the event
 * before it, so that windows, parallel workers and order-free aggregation need no neighbours.
 * Columns are integers in StreamVByte style (2-bit length codes, then bytes; 64-bit values by an
 * escape), then LZ4. Regions are stored for ENTER only: the stack gives those of LEAVE. Method and
 * measurements: docs/design/storage.md 2.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_CHUNK_CHUNK_H
#define PH_TRACE_CHUNK_CHUNK_H

#include <string.h>

#include "base/bytes.h"
#include "trace/chunk/model.h"

#define PH_CHUNK_EVENTS 16384
#define PH_CHUNK_FORMAT 1

/* What no chunk goes beyond: the writer says PH_ERR_LIMIT, the reader PH_ERR_FORMAT. */
#define PH_CHUNK_MAX_EVENTS (1 << 20)
#define PH_CHUNK_MAX_VALUES (1 << 18) /* of metrics and other records, together */
#define PH_CHUNK_MAX_DEPTH (1 << 20)  /* of open calls */
#define PH_CHUNK_MAX_REGION (1 << 22) /* regions count up to here, exclusive */

/* A row of perfhouse.trace_chunk without its run. */
typedef struct PhChunk
{
	uint32_t location;
	uint32_t chunk_no; /* counts from 0 within the location */
	int32_t format;
	uint32_t n_events;
	uint32_t n_enter;	/* ENTER events */
	uint32_t n_message; /* events that send or complete a receive: SEND ISEND RECV IRECV */
	uint64_t first_seq; /* ordinal of its first event within the location */
	int64_t t_prev;		/* of the event before; t_first for the first chunk */
	int64_t t_first, t_last;
	PhBytes stack, dt, kind, region, msg, extra;
} PhChunk;

/* To keep a chunk: the bytes of its columns, and these copied to room, where they are then. */
size_t ph_chunk_column_bytes(const PhChunk *chunk);
void ph_chunk_copy_columns(PhChunk *chunk, uint8_t *room);

/* The checksum of a chunk's row, all of its columns but the run's number. */
uint32_t ph_chunk_crc(const PhChunk *chunk);

/* A call that is open: where it was entered and what its finished callees took so far. */
typedef struct PhOpenCall
{
	uint32_t region;
	int64_t enter;
	uint64_t seq;		 /* ordinal of its ENTER within the location */
	int64_t callee_time; /* ns within finished direct callees */
} PhOpenCall;

/* -------------------------------------------------------------------------------- writing */

typedef struct PhChunkWriter PhChunkWriter;

/* Gets every finished chunk; its bytes are valid during the call only. */
typedef PhStatus (*PhChunkEmit)(void *user, const PhChunk *chunk);

/* One writer a location; chunk_events 0: PH_CHUNK_EVENTS. Many values cut a chunk earlier. */
PhStatus ph_chunk_writer_new(PhEnv *env, uint32_t location, uint32_t chunk_events, PhChunkEmit emit,
							 void *user, PhChunkWriter **out) PH_MUST_CHECK;
void ph_chunk_writer_free(PhChunkWriter *writer);

/*
 * Times must not run backwards (PH_ERR_FORMAT). leave: region PH_NONE is "the innermost"; another
 * one than the innermost, or none open, is PH_ERR_FORMAT. Messages say what, not which file.
 */
PhStatus ph_chunk_writer_enter(PhChunkWriter *writer, int64_t time, uint32_t region) PH_MUST_CHECK;
PhStatus ph_chunk_writer_leave(PhChunkWriter *writer, int64_t time, uint32_t region) PH_MUST_CHECK;
PhStatus ph_chunk_writer_event(PhChunkWriter *writer, const PhEvent *event) PH_MUST_CHECK;

/* An event of a kind that has a request and nothing else; PH_ERR_VALUE: the kind has not. */
PhStatus ph_chunk_writer_request(PhChunkWriter *writer, int64_t time, PhEventKind kind,
								 uint64_t request) PH_MUST_CHECK;

/* Emit the rest; the number of calls left open and of all events may be asked afterwards. */
PhStatus ph_chunk_writer_finish(PhChunkWriter *writer) PH_MUST_CHECK;
uint32_t ph_chunk_writer_open_calls(const PhChunkWriter *writer);
uint64_t ph_chunk_writer_events(const PhChunkWriter *writer);

/* -------------------------------------------------------------------------------- reading */

/* What of a chunk is wanted: columns that are not wanted are not even decompressed. */
typedef enum PhChunkWant
{
	PH_WANT_CALLS = 1,	  /* times, regions, stack */
	PH_WANT_MESSAGES = 2, /* operands of messages and collectives */
	PH_WANT_EXTRA = 4,	  /* values of metrics and other records */
	PH_WANT_ALL = 7,
	PH_WANT_TIMES = 8,	 /* times alone; CALLS implies them */
	PH_WANT_LENGTHS = 16 /* CALLS, but not of which regions they are: for arrays, not the cursor */
} PhChunkWant;

/*
 * A decoded chunk: arrays by event, and a cursor over PhEvent. One reader serves any number of
 * chunks one after the other and keeps its buffers.
 */
typedef struct PhChunkReader PhChunkReader;

PhStatus ph_chunk_reader_new(PhEnv *env, PhChunkReader **out) PH_MUST_CHECK;
void ph_chunk_reader_free(PhChunkReader *reader);

/*
 * Decode; whatever the bytes are, the result is sound or PH_ERR_FORMAT. Resets the cursor. Sound:
 * kinds exist, times do not run backwards and are not negative, every LEAVE has a call to close.
 * Ranks, communicators, metrics and regions are numbers that the caller compares with the trace's.
 */
PhStatus ph_chunk_reader_open(PhChunkReader *reader, const PhChunk *chunk,
							  uint32_t want) PH_MUST_CHECK;

/*
 * The same with PH_WANT_ALL for the chunk that the writer's PhChunkEmit has just got, without
 * decoding: the reader looks at what the writer still has, until PhChunkEmit returns.
 */
PhStatus ph_chunk_writer_show(const PhChunkWriter *writer, const PhChunk *chunk,
							  PhChunkReader *reader) PH_MUST_CHECK;

/* Decode the stack alone, for ph_chunk_stack; the other columns need not be there. */
PhStatus ph_chunk_reader_open_stack(PhChunkReader *reader, const PhChunk *chunk) PH_MUST_CHECK;

/*
 * Bulk access after open, for kernels: n_events elements, valid until the next open. Kinds are
 * always there; NULL is what was not wanted.
 */
uint32_t ph_chunk_n_events(const PhChunkReader *reader);
const int64_t *ph_chunk_times(const PhChunkReader *reader);
const uint8_t *ph_chunk_kinds(const PhChunkReader *reader);
/* The place of the next event from `at` on that is neither ENTER nor LEAVE; n: there is none. */
static inline uint32_t
ph_skip_calls(const uint8_t *kinds, uint32_t at, uint32_t n)
{
	for (; at + 8 <= n; at += 8)
	{
		uint64_t eight;
		memcpy(&eight, kinds + at, sizeof(eight));
		eight &= UINT64_C(0xFEFEFEFEFEFEFEFE);
		if (eight == 0)
			continue;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		return at + ((uint32_t) __builtin_ctzll(eight) >> 3);
#else
		return at + ((uint32_t) __builtin_clzll(eight) >> 3);
#endif
	}
	while (at < n && kinds[at] <= PH_EVENT_LEAVE)
		at++;
	return at;
}

/*
 * Where the call that is entered at `at` is left, if it calls nothing within the chunk; n: it does,
 * or is left later.
 */
static inline uint32_t
ph_leaf_end(const uint8_t *kinds, uint32_t at, uint32_t n)
{
	do
		at++;
	while (at < n && kinds[at] > PH_EVENT_LEAVE);
	return at < n && kinds[at] == PH_EVENT_LEAVE ? at : n;
}

/* n_enter regions, in order of the ENTER events. */
const uint32_t *ph_chunk_enter_regions(const PhChunkReader *reader);
/* All bits that occur in them and in those open at the start: none of them is higher. */
uint32_t ph_chunk_region_bits(const PhChunkReader *reader);
/* PH_ERR_FORMAT: one of them is not below n_regions, those that the trace has. */
PhStatus ph_chunk_check_regions(PhEnv *env, const PhChunk *chunk, const PhChunkReader *reader,
								uint32_t n_regions) PH_MUST_CHECK;
/* Calls open at the start of the chunk, outermost first. */
const PhOpenCall *ph_chunk_stack(const PhChunkReader *reader, uint32_t *depth);

/*
 * Operands of the events that are neither ENTER nor LEAVE, one after the other: each array holds
 * those of the events whose kind has that operand (ph_event_operands), in order. For kernels that
 * step through kinds themselves; ph_chunk_next gives them by event.
 */
typedef struct PhOperandArrays
{
	const uint32_t *peer, *comm, *root, *operation;
	const int32_t *tag;
	const uint64_t *bytes, *bytes_received, *request;
	const uint32_t *n_values;
	const uint64_t *values; /* of all events, one after the other */
} PhOperandArrays;

/* Of kinds from SEND to NB_COLLECTIVE_COMPLETE (wants MESSAGES); those after (wants EXTRA). */
const PhOperandArrays *ph_chunk_messages(const PhChunkReader *reader);
const PhOperandArrays *ph_chunk_extras(const PhChunkReader *reader);

/* How many events of a kind there are. */
uint32_t ph_chunk_count(const PhChunkReader *reader, uint32_t kind);

/*
 * The next event of the cursor; false at the end. Events come with their innermost region when
 * CALLS are wanted, with operands when theirs are; without times, time is PH_NO_TIME.
 */
bool ph_chunk_next(PhChunkReader *reader, PhEvent *out);

/* Calls open at the cursor, outermost first: after ENTER with it, after LEAVE without it. */
const PhOpenCall *ph_chunk_open_calls(const PhChunkReader *reader, uint32_t *depth);

/* The call that the LEAVE just returned by the cursor closed; its callee_time is complete. */
const PhOpenCall *ph_chunk_closed_call(const PhChunkReader *reader);

#endif
