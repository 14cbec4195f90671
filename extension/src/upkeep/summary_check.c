/*
 * summary_check.c - see summary_check.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "server/query_rows.h"
#include "stored/summary_block.h"
#include "upkeep/summary_check.h"

static const char blocks_sql[] =
	"SELECT s.metric_id, s.block, s.bytes, s.metric_id = ANY (r.metric_ids)"
	" FROM perfhouse.summary_block s JOIN perfhouse.run r USING (run_id) WHERE s.run_id = $1"
	" ORDER BY s.metric_id, s.block";

typedef struct SummaryCheck
{
	MemoryContext context; /* of what is found */
	const PhProfile *tree;
	PhEnv *env;
	char *wrong;
} SummaryCheck;

static void
receive_block(void *user, TupleTableSlot *slot)
{
	SummaryCheck *check = user;
	PhNodeSummary nodes[PH_BLOCK_NODES];
	const char *wrong = NULL;
	int32 block = ph_slot_int(slot, 1, -1);
	uint32_t n;
	if (check->wrong != NULL)
		return;
	if (ph_summary_unpack(check->env, ph_slot_bytes(slot, 2, true), PH_SUMMARY_ALL, nodes, &n) !=
		PH_OK)
		wrong = check->env->error.message;
	else if (!ph_summary_belongs(check->tree->n_nodes, block, n))
		wrong = "has nodes that the tree has not";
	else if (!DatumGetBool(slot->tts_values[3]))
		wrong = "belongs to no metric of the run";
	if (wrong == NULL)
		return;
	MemoryContext old = MemoryContextSwitchTo(check->context);
	check->wrong = psprintf("metric %d, block %d: %s", ph_slot_int(slot, 0, 0), block, wrong);
	MemoryContextSwitchTo(old);
}

char *
ph_check_summary_blocks(int64 run_id, const PhProfile *tree, PhScratch *scratch)
{
	SummaryCheck check = {.context = CurrentMemoryContext, .tree = tree, .env = &scratch->env};
	ph_query_rows(blocks_sql, ph_query_parameters(run_id, InvalidOid, (Datum) 0), receive_block,
				  &check);
	return check.wrong;
}
