/*
 * computed.h - rests of blocks whose metrics are at hand, without the metrics of each event.
 *
 * What a block's sides do not tell follows from how metrics are defined: lateness and duration are
 * differences from the bucket's minima, so nothing is left of them; of differential lateness, what
 * came with messages; and what the first event of each member has before it. The bytes are those of
 * the events written out (ph_logical_encode_block).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_STORE_COMPUTED_H
#define PH_LOGICAL_STORE_COMPUTED_H

#include "logical/store/block.h"

/* Where a block's metrics come from. */
struct PhLogicalOrigin
{
	const PhLogicalMetrics *metrics;
	const uint32_t *at;		/* by member: its first event in the model */
	const uint32_t *bucket; /* by bucket of the block: the metrics' */
};

/*
 * A chunk of the timeline from event `first` on, into arrays that are there, of metrics only what
 * the functions below need: differential lateness of receives.
 */
void ph_computed_fill(const PhLogicalMetrics *metrics, const PhLogicalCounters *counters,
					  uint32_t first, PhLogicalEvents *out);

/* The groups' columns; sides become the true ones. */
void ph_computed_sides(PhGroupWriter *writer, const PhLogicalBlock *block, PhBlockSides *sides);
void ph_computed_values(PhGroupWriter *writer, const PhLogicalBlock *block,
						const PhBlockSides *sides);
void ph_computed_peers(PhGroupWriter *writer, const PhLogicalBlock *block,
					   const PhBlockSides *sides);
void ph_computed_earliest(PhGroupWriter *writer, const PhLogicalBlock *block,
						  const PhBlockSides *sides);

#endif
