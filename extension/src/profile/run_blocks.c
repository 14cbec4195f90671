/*
 * run_blocks.c - see run_blocks.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "profile/run_blocks.h"
#include "server/compat.h"
#include "server/query_rows.h"

static const char blocks_sql[] =
	"SELECT metric_id, stripe, block, bytes, xmin FROM perfhouse.value_block"
	" WHERE run_id = $1 AND metric_id = ANY ($2) ORDER BY metric_id, stripe, block DESC";

static void
receive_block(void *user, TupleTableSlot *slot)
{
	PhRunBlocks *blocks = user;
	MemoryContext old = MemoryContextSwitchTo(blocks->context);
	if (blocks->n == blocks->capacity)
	{
		blocks->capacity = Max(64, blocks->capacity * 2);
		Size size = sizeof(PhRunBlock) * blocks->capacity;
		blocks->blocks =
			blocks->blocks == NULL ? palloc(size) : repalloc_huge(blocks->blocks, size);
	}
	struct varlena *stored =
		blocks->stay ? (struct varlena *) DatumGetPointer(datumCopy(slot->tts_values[3], false, -1))
					 : PG_DETOAST_DATUM_COPY(slot->tts_values[3]);
	blocks->blocks[blocks->n++] = (PhRunBlock){.metric_id = ph_slot_int(slot, 0, 0),
											   .stripe = ph_slot_int(slot, 1, 0),
											   .block = ph_slot_int(slot, 2, 0),
											   .stored = stored};
	blocks->are_own |=
		TransactionIdIsCurrentTransactionId(DatumGetTransactionId(slot->tts_values[4]));
	MemoryContextSwitchTo(old);
}

void
ph_run_blocks_read(PhRunBlocks *blocks, int64 run_id, const int32 *metric_ids, uint32 n_metrics)
{
	Datum *ids = palloc(sizeof(Datum) * n_metrics);
	blocks->run_id = run_id;
	blocks->are_full = blocks->stay;
	for (uint32 m = 0; m < n_metrics; m++)
		ids[m] = Int32GetDatum(metric_ids[m]);
	ArrayType *wanted =
		construct_array(ids, (int) n_metrics, INT4OID, sizeof(int32), true, TYPALIGN_INT);
	ph_query_rows(blocks_sql, ph_query_parameters(run_id, INT4ARRAYOID, PointerGetDatum(wanted)),
				  receive_block, blocks);
}

bool
ph_run_blocks_are_all(const PhRunBlocks *blocks, const PhProfile *tree, uint32 n_stored,
					  uint32 n_metrics)
{
	uint64 wanted = (uint64) n_metrics * ph_n_stripes(n_stored) * ph_n_blocks(tree);
	for (uint32 i = 0; i < blocks->n; i++)
	{
		const PhRunBlock *block = &blocks->blocks[i];
		if (block->stripe < 0 || (uint32) block->stripe >= ph_n_stripes(n_stored) ||
			block->block < 0 || (uint32) block->block >= ph_n_blocks(tree))
			return false;
	}
	return blocks->n == wanted; /* by the table's key none is there twice */
}

/* In the handler of an error: of bytes that are not there the server says which chunk of what. */
static void
tell_what_is_gone(const PhRunBlocks *blocks, MemoryContext context)
{
	if (geterrcode() != ERRCODE_DATA_CORRUPTED)
		PG_RE_THROW();
	MemoryContextSwitchTo(context);
	ErrorData *error = CopyErrorData();
	FlushErrorState();
	ereport(ERROR,
			(errcode(PH_ERRCODE_NOT_FOUND),
			 errmsg("the values of run " INT64_FORMAT " are no longer there", blocks->run_id),
			 errdetail("%s", error->message),
			 errhint("The run was removed after the transaction that took its profile had "
					 "ended: take it again.")));
}

static struct varlena *
fetch(const PhRunBlocks *blocks, const PhRunBlock *block)
{
	struct varlena *volatile bytes = NULL;
	MemoryContext old = MemoryContextSwitchTo(blocks->context);
	PG_TRY();
	{
		bytes = PG_DETOAST_DATUM_COPY(PointerGetDatum(block->stored));
	}
	PG_CATCH();
	{
		tell_what_is_gone(blocks, old);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(old);
	return bytes;
}

void
ph_run_blocks_fetch(PhRunBlocks *blocks)
{
	for (uint32 i = 0; i < blocks->n && blocks->stay; i++)
		blocks->blocks[i].stored = fetch(blocks, &blocks->blocks[i]);
	blocks->stay = false;
}

/* The bytes of a block, of blocks that stay until the next call. */
static PhBytes
bytes_of(PhRunBlocks *blocks, uint32 i)
{
	struct varlena *bytes = blocks->blocks[i].stored;
	if (blocks->stay)
	{
		if (blocks->fetched != NULL)
			pfree(blocks->fetched);
		blocks->fetched = NULL;
		bytes = blocks->fetched = fetch(blocks, &blocks->blocks[i]);
	}
	return (PhBytes){(const uint8_t *) VARDATA(bytes), VARSIZE(bytes) - VARHDRSZ};
}

static void
refuse_place(void)
{
	ereport(ERROR, (errcode(PH_ERRCODE_BAD_PROFILE),
					errmsg("a block of stored values is beyond the run's nodes or columns"),
					errhint("Load the run again with --if-exists replace.")));
}

/* What summaries said of all rows. */
static void
must_be_whole(const PhStoredBlock *block)
{
	for (uint32 i = 0; i < block->n_rows; i++)
		if (block->rows[i].stored == PH_STORED_NOTHING ||
			block->rows[i].n_cells != block->n_columns)
			ereport(ERROR, (errcode(PH_ERRCODE_BAD_PROFILE),
							errmsg("stored values are not in the columns that their summaries say"),
							errhint("Load the run again with --if-exists replace.")));
}

void
ph_run_block_open(PhRunBlocks *blocks, uint32 i, PhEnv *env, const PhProfile *tree, uint32 n_stored,
				  PhStoredBlock *out)
{
	PhRunBlock *block = &blocks->blocks[i];
	PhBytes bytes = bytes_of(blocks, i);
	if (block->block < 0 || (uint32) block->block >= ph_n_blocks(tree) || block->stripe < 0 ||
		(uint32) block->stripe >= ph_n_stripes(n_stored))
		refuse_place();
	PH_CHECK(env, (block->is_checked ? ph_block_open_again : ph_block_open)(env, bytes, out));
	block->is_checked = !blocks->stay;
	uint32 nodes = tree->n_nodes - (uint32) block->block * PH_BLOCK_NODES;
	uint32 columns = n_stored - (uint32) block->stripe * PH_STRIPE_COLUMNS;
	if (out->n_rows != Min(nodes, PH_BLOCK_NODES) ||
		out->n_columns != Min(columns, PH_STRIPE_COLUMNS))
		refuse_place();
	if (blocks->are_full)
		must_be_whole(out);
}

void
ph_run_blocks_presence(PhRunBlocks *blocks, PhScratch *scratch, const PhProfile *tree,
					   uint32 n_stored, PhColumnMap map, PhPresence *presence)
{
	PhStoredBlock *open = palloc(sizeof(PhStoredBlock));
	for (uint32 i = 0; i < blocks->n; i++)
	{
		PhRunBlock *block = &blocks->blocks[i];
		ph_run_block_open(blocks, i, &scratch->env, tree, n_stored, open);
		block->n_cells = 0;
		for (uint32 row = 0; row < open->n_rows; row++)
			block->n_cells +=
				open->rows[row].stored == PH_STORED_NOTHING ? 0 : open->rows[row].n_cells;
		PH_CHECK(&scratch->env, ph_block_presence(&scratch->env, open, (uint32) block->block,
												  (uint32) block->stripe, map, presence));
	}
	pfree(open);
}

/* The first block of a metric and stripe; blocks->n: there is none. */
static uint32
first_block(const PhRunBlocks *blocks, int32 metric_id, uint32 stripe)
{
	uint32 i = 0;
	while (i < blocks->n &&
		   (blocks->blocks[i].metric_id != metric_id || blocks->blocks[i].stripe != (int32) stripe))
		i++;
	return i;
}

static void
fill_stripe(PhRunBlocks *blocks, PhScratch *scratch, PhBlockFiller *filler, const PhProfile *tree,
			uint32 n_stored, uint32 metric, int32 metric_id, uint32 stripe)
{
	uint32 next = first_block(blocks, metric_id, stripe);
	PhStoredBlock *open = palloc(sizeof(PhStoredBlock));
	for (uint32 number = ph_n_blocks(tree); number-- > 0;)
	{
		const PhRunBlock *block = next < blocks->n ? &blocks->blocks[next] : NULL;
		bool is_stored = block != NULL && block->metric_id == metric_id &&
						 block->stripe == (int32) stripe && block->block == (int32) number;
		if (is_stored)
			ph_run_block_open(blocks, next, &scratch->env, tree, n_stored, open);
		PH_CHECK(&scratch->env,
				 ph_block_fill(filler, metric, number, stripe, is_stored ? open : NULL));
		next += is_stored;
	}
	pfree(open);
}

void
ph_run_blocks_fill(PhRunBlocks *blocks, PhScratch *scratch, PhProfile *profile,
				   const int32 *metric_ids, uint32 n_stored, PhColumnMap map)
{
	PhBlockFiller *filler;
	PH_CHECK(&scratch->env, ph_block_filler_new(&scratch->arena, profile, n_stored, map, &filler));
	for (uint32 m = 0; m < profile->n_metrics; m++)
		for (uint32 stripe = 0; stripe < ph_n_stripes(n_stored); stripe++)
			if (profile->metrics[m].kind != PH_METRIC_RATIO)
				fill_stripe(blocks, scratch, filler, profile, n_stored, m, metric_ids[m], stripe);
}
