/*
 * block.h - what the encoder and the decoder of format 2 share: what a block's times tell.
 *
 *   places   members: numbers of events, seqs of the first; classes of events (kind + 4 x flags,
 *            region + 1, number of ends), or none when there are many; buckets: phase, step (zigzag
 *            differences); by event its class, or the three numbers, and its bucket (zigzag
 *            difference from the one before); times by class as frames: enter from the leave before
 *            (of a member's first event from the enter of that of the member before), then leave
 *            from enter
 *   metrics  by bucket: what its sides differ from what the block tells (rests); by event: what its
 *            values differ from what the sides tell (rests)
 *   causes   by bucket the earliest location, by event what differs from it (rests); the binding
 *            event as a code, and as zigzag differences of location and seq where no code fits
 *   ends     as in format 1, peers' locations as differences from the own one
 *   counters the bits of doubles
 *
 * All arithmetic wraps, so any values come back as they were.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_STORE_BLOCK_H
#define PH_LOGICAL_STORE_BLOCK_H

#include "logical/store/groups.h"

/* How the event that binds another one is told. */
typedef enum PhBindingCode
{
	PH_BINDING_NONE,	 /* location PH_NONE, seq 0 */
	PH_BINDING_PREVIOUS, /* the one before it on its location */
	PH_BINDING_BUCKET,	 /* the one that was told last in its bucket */
	PH_BINDING_TOLD,
	PH_BINDING_END, /* at the other end of its first message; + 1: of the second, … */
	PH_BINDING_CODES = 64
} PhBindingCode;

#define PH_BLOCK_CLASSES 64

/* Groups of format 2 have at most so many columns of their greatest number of elements. */
#define PH_BLOCK_COLUMNS 16

/* What values are told from, by bucket; the metrics' own minima when all is regular. */
typedef enum PhBlockSide
{
	PH_SIDE_OUT, /* when the first peer leaves */
	PH_SIDE_IN,
	PH_SIDE_GLOBAL_OUT,
	PH_SIDE_GLOBAL_IN,
	PH_SIDE_DURATION, /* the least */
	PH_SIDE_GAP,
	PH_SIDES
} PhBlockSide;

typedef struct PhBlockSides
{
	int64_t *side[PH_SIDES];
	uint32_t *n_peers;			 /* events of the block */
	uint32_t *earliest;			 /* location of the one that leaves first */
	uint32_t *first;			 /* its first event in the block */
	uint32_t *first_gap;		 /* its first event that no member begins with; PH_NONE */
	uint32_t *bound, *bound_seq; /* what PH_BINDING_BUCKET is; location + 1 */
} PhBlockSides;

/* Arrays in the codec's memory, filled with what the block's times tell. */
PhStatus ph_block_sides(PhLogicalCodec *codec, const PhLogicalBlock *block,
						PhBlockSides *out) PH_MUST_CHECK;

/*
 * What the sides, and values of lower metrics, tell of a value: of the event i of member-first or
 * not. Lateness comes first, then differential, then duration.
 */
typedef struct PhBlockColumn
{
	PhLogicalMetric metric;
	bool is_aggregate;
} PhBlockColumn;

#define PH_BLOCK_VALUES (2 * PH_LOGICAL_METRICS)
extern const PhBlockColumn ph_block_columns[PH_BLOCK_VALUES];

/* A column's told values for events from..to of one member, to told[from..to). */
void ph_block_tell(const PhLogicalBlock *block, const PhBlockSides *sides, PhBlockColumn column,
				   uint32_t from, uint32_t to, uint64_t *told);

/* A block's directory and room for its buckets, zeroed. */
PhStatus ph_logical_make_members(PhLogicalCodec *codec, uint32_t n_members, uint32_t n_events,
								 PhLogicalBlock *out) PH_MUST_CHECK;

/* The streams of times: by class, or by kind when there are no classes. */
#define PH_BLOCK_STREAMS PH_BLOCK_CLASSES

#endif
