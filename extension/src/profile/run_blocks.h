/*
 * run_blocks.h - the stored blocks of a run's values.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_RUN_BLOCKS_H
#define PH_PROFILE_RUN_BLOCKS_H

#include "postgres.h"

#include "server/pgenv.h"
#include "stored/value_block.h"

typedef struct PhRunBlock
{
	int32 metric_id;
	int32 stripe;
	int32 block;
	PhBytes bytes;
	uint64 n_cells; /* of its rows, once presence is known */
} PhRunBlock;

typedef struct PhRunBlocks
{
	MemoryContext context; /* of the bytes */
	PhRunBlock *blocks;	   /* by metric_id and stripe, blocks from the last to the first */
	uint32 n;
	uint32 capacity;
} PhRunBlocks;

/* Under SPI_connect: all blocks of these metrics, in a context that blocks->context names. */
void ph_run_blocks_read(PhRunBlocks *blocks, int64 run_id, const int32 *metric_ids,
						uint32 n_metrics);

/*
 * A block whose bytes are whole and of the size that its place in the run has: what is stored is
 * not trusted with numbers of nodes and columns. PH001 otherwise.
 */
void ph_run_block_open(const PhRunBlock *block, PhEnv *env, const PhProfile *tree, uint32 n_stored,
					   PhStoredBlock *out);

/* What columns of the run the nodes are in, of the columns that map chooses (NULL: all). */
void ph_run_blocks_presence(PhRunBlocks *blocks, PhScratch *scratch, const PhProfile *tree,
							uint32 n_stored, PhColumnMap map, PhPresence *presence);

/*
 * Fills a profile that has room for them, after their presence was found; metric_ids: of its
 * metrics.
 */
void ph_run_blocks_fill(const PhRunBlocks *blocks, PhScratch *scratch, PhProfile *profile,
						const int32 *metric_ids, uint32 n_stored, PhColumnMap map);

#endif
