/*
 * fn_iterations.c - what call paths cost in each iteration, as rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "profile/iterations.h"
#include "profile/node_path.h"
#include "profile/value.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/pgenv.h"
#include "server/rowio.h"

typedef struct Asked
{
	const PhProfile *profile;
	PhIterations iterations;
	PhIterationCost *costs; /* of one node, by iteration */
	uint32 metric;
	PhCost cost;
	StringInfoData path;
} Asked;

static void
refuse_no_iterations(void)
{
	ereport(ERROR,
			(errcode(PH_ERRCODE_NOT_FOUND), errmsg("the profile has no columns by iteration"),
			 errhint("Of a run that was measured by iteration, profile(run, 'time', "
					 "iterations => true) has them.")));
}

static void
put_node(PhRows *rows, Asked *asked, uint32 node)
{
	const PhProfile *profile = asked->profile;
	const char *path = ph_node_path(profile, node, &asked->path);
	ph_iterations_cost(profile, &asked->iterations, asked->metric, node, asked->cost, asked->costs);
	for (uint32 i = 0; i < asked->iterations.n; i++)
	{
		const PhIterationCost *cost = &asked->costs[i];
		ph_rows_int(rows, "node", (int32) node);
		ph_rows_text(rows, "name", ph_profile_node_name(profile, node));
		ph_rows_text(rows, "path", path);
		ph_rows_bigint(rows, "iteration", asked->iterations.number[i]);
		ph_rows_number(rows, "mean", cost->mean);
		ph_rows_number(rows, "min", cost->min);
		ph_rows_number(rows, "max", cost->max);
		ph_rows_int(rows, "n_present", (int32) cost->n_present);
		ph_rows_known(rows, "worst_rank",
					  cost->worst == PH_NONE ? PH_NO_NUMBER : profile->columns[cost->worst].rank);
		ph_rows_bigint(rows, "callpath_id", (int64) profile->callpath_id[node]);
		ph_rows_put(rows);
	}
}

PH_FUNCTION(ph_by_iteration)
{
	PhRows rows;
	Asked asked;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	asked.profile = ph_arg_profile(fcinfo, 0);
	asked.cost = ph_arg_cost(fcinfo, 1);
	asked.metric = ph_arg_metric(fcinfo, 2, asked.profile);
	initStringInfo(&asked.path);
	PhScratch *scratch = ph_scratch_begin();
	PH_CHECK(&scratch->env, ph_iterations_find(&scratch->arena, asked.profile, &asked.iterations));
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, asked.iterations.n, &asked.costs));
	if (asked.iterations.n == 0)
		refuse_no_iterations();
	for (uint32 n = 0; n < asked.profile->n_nodes; n++)
	{
		CHECK_FOR_INTERRUPTS();
		put_node(&rows, &asked, n);
	}
	ph_scratch_end(scratch);
	return (Datum) 0;
}
