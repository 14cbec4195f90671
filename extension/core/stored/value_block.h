/*
 * value_block.h - the values of 256 nodes in up to 16,384 columns, as bytes:
 * docs/design/format-2.md 3.
 *
 * Block b of a metric has nodes [256 b, 256 b + 256) of the pre-order, stripe s columns
 * [16384 s, 16384 s + 16384). A row has the cells in which its node is present, and of exclusive
 * and inclusive values the one from which the other follows bit by bit.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STORED_VALUE_BLOCK_H
#define PH_STORED_VALUE_BLOCK_H

#include "base/arena.h"
#include "base/bytes.h"
#include "profile/cells.h"

#define PH_BLOCK_NODES 256
#define PH_STRIPE_COLUMNS 16384

static inline uint32_t
ph_n_blocks(const PhProfile *profile)
{
	return profile->n_nodes / PH_BLOCK_NODES + (profile->n_nodes % PH_BLOCK_NODES != 0);
}

static inline uint32_t
ph_n_stripes(uint32_t n_columns)
{
	return n_columns / PH_STRIPE_COLUMNS + (n_columns % PH_STRIPE_COLUMNS != 0);
}

/* ---- writing ---- */

typedef struct PhBlockWriter PhBlockWriter;

/* A writer of one profile's blocks, in memory of the arena. */
PhStatus ph_block_writer_new(PhArena *arena, const PhProfile *profile,
							 PhBlockWriter **out) PH_MUST_CHECK;

/* From here on blocks of this metric (no ratio) and stripe, which come from the last to the first.
 */
void ph_block_writer_start(PhBlockWriter *writer, uint32_t metric, uint32_t stripe);

/*
 * The bytes of the next block, valid until the next call, and its number; *block is PH_NONE behind
 * the first. Size 0: no node of the block is in a column of the stripe, and no row need be stored.
 */
PhStatus ph_block_writer_next(PhBlockWriter *writer, uint32_t *block, PhBytes *out) PH_MUST_CHECK;

/* Frees what the writer holds outside of its arena. */
void ph_block_writer_end(PhBlockWriter *writer);

/* ---- reading; nothing is trusted ---- */

/* Which vectors a row has. */
typedef enum PhStoredVectors
{
	PH_STORED_NOTHING = 0, /* the node is in no column of the stripe */
	PH_STORED_EXCLUSIVE = 1,
	PH_STORED_INCLUSIVE = 2,
	PH_STORED_BOTH = 3
} PhStoredVectors;

/*
 * How the other one follows. `children`: the children's inclusive values, summed last to first. The
 * sum is exclusive + children, or inclusive - children, which is 0 where it would be negative and
 * the metric's values cannot be.
 */
typedef enum PhFollows
{
	PH_FOLLOWS_NOT = 0,	  /* both are there */
	PH_FOLLOWS_EQUAL = 1, /* the two are the same */
	PH_FOLLOWS_SUM = 2,
	PH_FOLLOWS_ROUNDED = 3, /* the sum, rounded to the decimals of the vector that is there */
	PH_FOLLOWS_EITHER = 4,	/* a bit a cell behind the vector tells which of the two */
	PH_FOLLOWS_END
} PhFollows;

typedef struct PhStoredRow
{
	uint8_t stored;	 /* PhStoredVectors */
	uint8_t follows; /* PhFollows */
	bool is_whole;	 /* in all columns of the stripe */
	uint32_t n_runs; /* else presence: gap and length of each, base 128 */
	uint32_t n_cells;
	PhBytes runs;
	PhBytes vectors; /* packed numbers (stored/numbers.h): exclusive, inclusive; bits */
} PhStoredRow;

/* A block whose checksum and lengths are right. */
typedef struct PhStoredBlock
{
	uint32_t n_rows, n_columns;
	PhStoredRow rows[PH_BLOCK_NODES];
} PhStoredBlock;

/* PH_ERR_FORMAT when the bytes are no whole block. The rows point into the bytes. */
PhStatus ph_block_open(PhEnv *env, PhBytes bytes, PhStoredBlock *out) PH_MUST_CHECK;

/* The same of bytes that ph_block_open found whole and that have not changed since. */
PhStatus ph_block_open_again(PhEnv *env, PhBytes bytes, PhStoredBlock *out) PH_MUST_CHECK;

/* The runs of a row, in ascending order; false behind the last one. Starts with a zeroed walk. */
typedef struct PhRunWalk
{
	uint32_t done; /* runs */
	uint32_t next; /* column behind the last one */
	size_t at;	   /* in the row's runs */
} PhRunWalk;
bool ph_block_next_run(const PhStoredBlock *block, const PhStoredRow *row, PhRunWalk *walk,
					   uint32_t *first, uint32_t *n);

/* ---- blocks to a profile ---- */

/*
 * Which columns of a profile the stored ones are: ascending, PH_NONE: left out; NULL: the same.
 */
typedef const uint32_t *PhColumnMap;

/* Tell in which columns of the profile-to-be the nodes of a block are. */
PhStatus ph_block_presence(PhEnv *env, const PhStoredBlock *block, uint32_t number, uint32_t stripe,
						   PhColumnMap map, PhPresence *presence) PH_MUST_CHECK;

typedef struct PhBlockFiller PhBlockFiller;

/*
 * Fills a profile of ph_profile_with_room that has the presence of all its blocks; in memory of
 * the arena. n_stored: columns of the stored run.
 */
PhStatus ph_block_filler_new(PhArena *arena, PhProfile *profile, uint32_t n_stored, PhColumnMap map,
							 PhBlockFiller **out) PH_MUST_CHECK;

/*
 * Exclusive, inclusive and residual values of a block. Of each metric and stripe blocks must come
 * from the last to the first, as what follows needs the children, and all of them; NULL: one that
 * is not stored. PH_ERR_FORMAT: not such a block.
 */
PhStatus ph_block_fill(PhBlockFiller *filler, uint32_t metric, uint32_t number, uint32_t stripe,
					   const PhStoredBlock *block) PH_MUST_CHECK;

#endif
