/*
 * block_stream.h - a run's stored rows, one after the other, with both of their vectors: for
 * whoever adds them up or counts them and needs no profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STORED_BLOCK_STREAM_H
#define PH_STORED_BLOCK_STREAM_H

#include "stored/value_block.h"

/* A node's row in a stripe; its runs (ph_block_next_run) are those of the values, cell by cell. */
typedef struct PhStreamedRow
{
	uint32_t node, stripe;
	const PhStoredBlock *block;
	const PhStoredRow *row;
	const double *exclusive, *inclusive;
	const double *residual; /* NULL: none, or not asked for */
} PhStreamedRow;

typedef PhStatus (*PhReceiveRow)(void *user, const PhStreamedRow *row);

typedef struct PhBlockStream PhBlockStream;

/*
 * A stream in memory of the arena: tree is a skeleton or profile of the run, n_columns those of the
 * stored run. Memory: a row a depth at most, whatever the number of nodes.
 */
PhStatus ph_block_stream_new(PhArena *arena, const PhProfile *tree, uint32_t n_columns,
							 PhReceiveRow receive, void *user, PhBlockStream **out) PH_MUST_CHECK;

/* From here on rows of one metric and stripe. */
void ph_block_stream_start(PhBlockStream *stream, bool is_signed, uint32_t stripe);

/* Rows have their residuals, too; of metrics that add up. */
PhStatus ph_block_stream_with_residuals(PhBlockStream *stream, bool is_wanted) PH_MUST_CHECK;

/*
 * The rows of a block, from the last to the first; blocks come from the last to the first, those
 * that are not stored left out. The same bits as ph_block_fill's. PH_ERR_FORMAT for damaged rows.
 */
PhStatus ph_block_stream_next(PhBlockStream *stream, uint32_t number,
							  const PhStoredBlock *block) PH_MUST_CHECK;

#endif
