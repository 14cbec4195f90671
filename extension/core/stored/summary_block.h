/*
 * summary_block.h - statistics over units of 256 nodes for one metric, as bytes:
 * docs/design/format-2.md 5.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STORED_SUMMARY_BLOCK_H
#define PH_STORED_SUMMARY_BLOCK_H

#include "base/bytes.h"
#include "stored/value_block.h"

/* Of a node's values in the units that have it. */
typedef struct PhMoments
{
	double sum, sumsq, min, max;
	int32_t argmin, argmax; /* first column of the unit */
} PhMoments;

typedef struct PhNodeSummary
{
	uint32_t n; /* units that have the node; 0: the moments mean nothing */
	PhMoments inclusive;
	PhMoments exclusive;
} PhNodeSummary;

/*
 * What readers may conclude from the sums. Exact ones are those of ph_row_total (profile/cells.h)
 * over the columns, to the bit, and of values without residuals: means of nodes need no values.
 */
typedef enum PhSummarySums
{
	PH_SUMS_ROUNDED, /* in any order, or over units of several columns */
	PH_SUMS_EXACT
} PhSummarySums;

/* Bytes that the summaries of a block take at most. */
#define PH_SUMMARY_BLOCK_BOUND ((size_t) 13 * (32 + 8 * PH_BLOCK_NODES) + 48)

/*
 * Pack the summaries of 1 to PH_BLOCK_NODES nodes at out, which has room for
 * PH_SUMMARY_BLOCK_BOUND; returns how many bytes they take, 0 where no unit has any of the nodes:
 * such a block is not stored.
 */
size_t ph_summary_pack(const PhNodeSummary *nodes, uint32_t n_nodes, PhSummarySums sums,
					   uint8_t *out);

/* Which moments a reader needs: sums come first, and the others need not be unpacked for them. */
typedef enum PhSummaryPart
{
	PH_SUMMARY_SUMS, /* n and sums; the other moments are 0 */
	PH_SUMMARY_ALL
} PhSummaryPart;

/*
 * Unpack a block of as many nodes as it says, at most PH_BLOCK_NODES, for which out has room.
 * PH_ERR_FORMAT: the bytes are not what ph_summary_pack makes.
 */
PhStatus ph_summary_unpack(PhEnv *env, PhBytes bytes, PhSummaryPart part, PhNodeSummary *out,
						   uint32_t *n_nodes) PH_MUST_CHECK;

/* What a block that was unpacked says of its sums. */
PhSummarySums ph_summary_kind_of_sums(PhBytes bytes);

/* Whether a tree of n_nodes has this block, with so many nodes. */
static inline bool
ph_summary_belongs(uint32_t n_nodes, int32_t block, uint32_t n_in_block)
{
	uint64_t first = (uint64_t) (uint32_t) block * PH_BLOCK_NODES;
	if (block < 0 || first >= n_nodes)
		return false;
	return n_in_block == (n_nodes - first < PH_BLOCK_NODES ? n_nodes - first : PH_BLOCK_NODES);
}

#endif
