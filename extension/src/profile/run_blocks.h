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
	struct varlena *stored; /* as the table has it: the bytes, or where they are */
	bool is_checked;		/* its bytes, which are here */
	uint64 n_cells;			/* of its rows, once presence is known */
} PhRunBlock;

typedef struct PhRunBlocks
{
	MemoryContext context; /* of the bytes */
	int64 run_id;
	PhRunBlock *blocks; /* by metric_id and stripe, blocks from the last to the first */
	uint32 n;
	uint32 capacity;

	/*
	 * Bytes stay where the table has them and are fetched block by block, each time that they are
	 * opened; PH002 where they are no longer there. Whoever keeps them longer than a snapshot must
	 * fetch them: the rows may be removed.
	 */
	bool stay;
	bool are_own;  /* this transaction wrote some of them, and may be rolled back */
	bool are_full; /* every row must be in all columns: those that began as ones that stay */
	struct varlena *fetched; /* of the block that was opened last */
} PhRunBlocks;

/*
 * Under SPI_connect: all blocks of these metrics, in a context that blocks->context names; of those
 * that stay, where they are.
 */
void ph_run_blocks_read(PhRunBlocks *blocks, int64 run_id, const int32 *metric_ids,
						uint32 n_metrics);

/* Whether of each of these metrics and stripes all blocks of the tree are there. */
bool ph_run_blocks_are_all(const PhRunBlocks *blocks, const PhProfile *tree, uint32 n_stored,
						   uint32 n_metrics);

/* Fetch what stays. */
void ph_run_blocks_fetch(PhRunBlocks *blocks);

/*
 * A block whose bytes are whole and of the size that its place in the run has: what is stored is
 * not trusted with numbers of nodes and columns. PH001 otherwise. Of blocks that stay valid until
 * the next one is opened.
 */
void ph_run_block_open(PhRunBlocks *blocks, uint32 i, PhEnv *env, const PhProfile *tree,
					   uint32 n_stored, PhStoredBlock *out);

/* What columns of the run the nodes are in, of the columns that map chooses (NULL: all). */
void ph_run_blocks_presence(PhRunBlocks *blocks, PhScratch *scratch, const PhProfile *tree,
							uint32 n_stored, PhColumnMap map, PhPresence *presence);

/*
 * Fills a profile that has room for them, after their presence was found; metric_ids: of its
 * metrics.
 */
void ph_run_blocks_fill(PhRunBlocks *blocks, PhScratch *scratch, PhProfile *profile,
						const int32 *metric_ids, uint32 n_stored, PhColumnMap map);

#endif
