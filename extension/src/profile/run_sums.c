/*
 * run_sums.c - see run_sums.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "base/warehouse_columns.h"
#include "profile/run_sums.h"
#include "profile/run_tables.h"
#include "server/query_rows.h"
#include "stored/summary_block.h"

static const char blocks_sql[] = "SELECT " PH_SELECT(
	summary_block, "") " FROM perfhouse.summary_block WHERE run_id = $1 AND metric_id = ANY ($2)";

typedef struct Reading
{
	PhEnv *env;
	int64 run_id;
	const int32 *metric_ids;
	uint32 n_metrics, n_nodes, n_columns;
	PhMetricSums *sums;
	uint32 *n_seen; /* nodes in blocks, by metric */
	uint32 *n_full; /* of them in every column */
} Reading;

void
ph_refuse_summary(int64 run_id)
{
	ereport(ERROR,
			(errcode(PH_ERRCODE_BAD_PROFILE),
			 errmsg("a block of stored summaries of run " INT64_FORMAT " is not one of its tree",
					run_id),
			 errhint("Load the run again with --if-exists replace.")));
}

static void
receive_block(void *user, TupleTableSlot *slot)
{
	Reading *reading = user;
	PhNodeSummary nodes[PH_BLOCK_NODES];
	uint32 m = ph_metric_position(reading->metric_ids, reading->n_metrics,
								  ph_slot_int(slot, PH_SLOT(summary_block, metric_id), 0)),
		   n;
	int32 block = ph_slot_int(slot, PH_SLOT(summary_block, block), -1);
	PhBytes bytes = ph_slot_bytes(slot, PH_SLOT(summary_block, bytes), true);
	PH_CHECK(reading->env, ph_summary_unpack(reading->env, bytes, PH_SUMMARY_SUMS, nodes, &n));
	if (!ph_summary_belongs(reading->n_nodes, block, n))
		ph_refuse_summary(reading->run_id);
	PhMetricSums *sums = &reading->sums[m];
	double *exclusive = sums->exclusive + (uint32) block * PH_BLOCK_NODES;
	double *inclusive = sums->inclusive + (uint32) block * PH_BLOCK_NODES;
	sums->is_exact &= ph_summary_kind_of_sums(bytes) == PH_SUMS_EXACT;
	reading->n_seen[m] += n;
	for (uint32 i = 0; i < n; i++)
	{
		sums->n_cells += nodes[i].n;
		reading->n_full[m] += nodes[i].n == reading->n_columns;
		exclusive[i] = nodes[i].exclusive.sum;
		inclusive[i] = nodes[i].inclusive.sum;
	}
}

static double *
new_sums(uint32 n_nodes)
{
	return palloc_extended(sizeof(double) * Max(n_nodes, 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

PhMetricSums *
ph_run_sums_read(PhEnv *env, int64 run_id, const int32 *metric_ids, uint32 n_metrics,
				 uint32 n_nodes, uint32 n_columns)
{
	Reading reading = {.env = env,
					   .run_id = run_id,
					   .metric_ids = metric_ids,
					   .n_metrics = n_metrics,
					   .n_nodes = n_nodes,
					   .n_columns = n_columns,
					   .sums = palloc0(sizeof(PhMetricSums) * Max(n_metrics, 1)),
					   .n_seen = palloc0(sizeof(uint32) * Max(n_metrics, 1)),
					   .n_full = palloc0(sizeof(uint32) * Max(n_metrics, 1))};
	Datum *ids = palloc(sizeof(Datum) * Max(n_metrics, 1));
	for (uint32 m = 0; m < n_metrics; m++)
	{
		ids[m] = Int32GetDatum(metric_ids[m]);
		reading.sums[m] = (PhMetricSums){
			.is_exact = true, .exclusive = new_sums(n_nodes), .inclusive = new_sums(n_nodes)};
	}
	ArrayType *wanted =
		construct_array(ids, (int) n_metrics, INT4OID, sizeof(int32), true, TYPALIGN_INT);
	ph_query_rows(blocks_sql, ph_query_parameters(run_id, INT4ARRAYOID, PointerGetDatum(wanted)),
				  receive_block, &reading);
	for (uint32 m = 0; m < n_metrics; m++)
	{
		reading.sums[m].is_exact &= reading.n_seen[m] > 0;
		reading.sums[m].is_full = reading.n_full[m] == n_nodes;
	}
	return reading.sums;
}
