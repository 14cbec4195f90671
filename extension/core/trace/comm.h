/*
 * comm.h - who communicates with whom, how much, when and in which sizes.
 *
 * One chunk is tallied by a key (ph_comm_tally_chunk); tallies are merged in any order; the rows of
 * the answer come from the tally's sorted rows. Needs no links: sends count, and receives too where
 * both directions are asked for.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_COMM_H
#define PH_TRACE_COMM_H

#include "trace/chunk/chunk.h"
#include "trace/tally.h"

typedef enum PhCommKey
{
	PH_COMM_PAIR,	 /* sends by (sender, receiver) */
	PH_COMM_SIZE,	 /* sends by their bytes */
	PH_COMM_TIME,	 /* sends by time bin */
	PH_COMM_PROCESS, /* sends and receives by (rank, direction) */
	PH_COMM_KEY_COUNT
} PhCommKey;

/* Equal bins over the whole window: bin b is [from + b*(to-from)/n, from + (b+1)*(to-from)/n). */
typedef struct PhTimeBins
{
	int64_t from, to; /* half-open; from < to */
	uint32_t n;		  /* at least 1, at most PH_MOST_BINS */
} PhTimeBins;

#define PH_MOST_BINS 1000000

int64_t ph_bin_start(const PhTimeBins *bins, uint32_t bin); /* bin n: the end */
uint32_t ph_bin_of(const PhTimeBins *bins, int64_t time);	/* PH_NONE: outside */

/* What is tallied. Events outside of [bins.from, bins.to) are not; n is used by PH_COMM_TIME. */
typedef struct PhCommTally
{
	PhCommKey key;
	uint32_t rank; /* of the chunk's location */
	PhTimeBins bins;
} PhCommTally;

/* Bins that hold all times. */
PhTimeBins ph_bins_all(void);

/*
 * Add a chunk to *tally (NULL: a new one in arena; it grows there); reader was opened on the chunk
 * with PH_WANT_MESSAGES and PH_WANT_CALLS or PH_WANT_TIMES, its cursor does not move.
 */
PhStatus ph_comm_tally_chunk(PhArena *arena, const PhCommTally *what, const PhChunk *chunk,
							 PhChunkReader *reader, void **tally) PH_MUST_CHECK;
PhStatus ph_comm_tally_event(PhArena *arena, const PhCommTally *what, const PhEvent *event,
							 void **tally) PH_MUST_CHECK;

/* ------------------------------------------------------------------------------------------
 * answers */

typedef struct PhCommPair
{
	uint32_t sender, receiver;
	uint64_t messages, bytes;
} PhCommPair;

/* PH_COMM_PAIR: pairs that occur, by (sender, receiver). */
PhStatus ph_comm_matrix(PhArena *arena, const void *tally, const PhCommPair **pairs,
						uint32_t *n) PH_MUST_CHECK;

typedef struct PhSizeBin
{
	uint64_t low, high; /* sizes in [low, high), in the last bin [low, high] */
	uint64_t messages, bytes;
} PhSizeBin;

/*
 * PH_COMM_SIZE: n_bins bins of equal width between the least and the largest size; bounds are the
 * exact ones rounded down, a size is compared with the exact ones. All bins, also empty ones; no
 * bin without messages. Fewer than n_bins where they would be narrower than a byte, one where all
 * are of one size.
 */
PhStatus ph_comm_histogram(PhArena *arena, const void *tally, uint32_t n_bins,
						   const PhSizeBin **bins, uint32_t *n) PH_MUST_CHECK;

/*
 * PH_COMM_SIZE: at most n_bins bins between powers of two, each of as many powers as it takes; a
 * first one from 0 has messages without bytes alone, or with those of the next powers. All bins
 * from that of the least size to that of the largest, also empty ones.
 */
PhStatus ph_comm_size_classes(PhArena *arena, const void *tally, uint32_t n_bins,
							  const PhSizeBin **bins, uint32_t *n) PH_MUST_CHECK;

/* The largest size is so many times the least one, or 1: bins of equal width would put all but the
 * largest messages into the first. */
#define PH_WIDE_SIZES 100
PhStatus ph_comm_sizes_are_wide(PhArena *arena, const void *tally, bool *out) PH_MUST_CHECK;

typedef struct PhTimeBin
{
	int64_t start, end;
	uint64_t messages, bytes;
} PhTimeBin;

/* PH_COMM_TIME: all bins, also empty ones. */
PhStatus ph_comm_over_time(PhArena *arena, const void *tally, const PhTimeBins *bins,
						   const PhTimeBin **out) PH_MUST_CHECK;

typedef struct PhProcessComm
{
	uint32_t rank;
	uint64_t messages_sent, messages_received, bytes_sent, bytes_received;
} PhProcessComm;

/* PH_COMM_PROCESS: ranks that communicate, in order. */
PhStatus ph_comm_by_process(PhArena *arena, const void *tally, const PhProcessComm **ranks,
							uint32_t *n) PH_MUST_CHECK;

#endif
