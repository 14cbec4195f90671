/*
 * run_sums.h - sums over the columns of a stored run, of its summaries.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_RUN_SUMS_H
#define PH_PROFILE_RUN_SUMS_H

#include "postgres.h"

#include "server/pgenv.h"

/* What summaries have of one metric. */
typedef struct PhMetricSums
{
	bool is_exact; /* PH_SUMS_EXACT, all of them */
	bool is_full;  /* every node is in every column */
	uint64 n_cells;
	double *exclusive, *inclusive; /* by node */
} PhMetricSums;

/*
 * Under SPI_connect: the sums of these metrics of a run, in the current memory, of a tree of
 * n_nodes and as many columns as the run has units. PH001: a block is none of the tree's.
 */
PhMetricSums *ph_run_sums_read(PhEnv *env, int64 run_id, const int32 *metric_ids, uint32 n_metrics,
							   uint32 n_nodes, uint32 n_columns);

/* A block of stored summaries is none of the run's tree: PH001. */
void ph_refuse_summary(int64 run_id);

#endif
