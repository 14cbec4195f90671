/*
 * fn_functions.c - nodes by the function that they belong to: for graphs of functions.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "profile/gathered.h"
#include "profile/names.h"
#include "profile/value.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"

/* A node that is a call, not a loop or statement in a function. */
static bool
is_call(const PhProfile *profile, uint32 node)
{
	uint8 kind = ph_profile_region(profile, node)->kind;
	return kind != PH_KIND_LOOP && kind != PH_KIND_STATEMENT;
}

/* The node of the call that every node is in: itself, or the nearest above it. */
static uint32 *
calls_of_nodes(const PhProfile *profile)
{
	uint32 *call = palloc_extended(sizeof(uint32) * Max(profile->n_nodes, 1), MCXT_ALLOC_HUGE);
	for (uint32 n = 0; n < profile->n_nodes; n++)
		call[n] =
			profile->parent[n] == PH_NONE || is_call(profile, n) ? n : call[profile->parent[n]];
	return call;
}

static PhString
function_name(const PhProfile *profile, uint32 call)
{
	return ph_profile_region(profile, call)->name;
}

PH_FUNCTION(ph_function_nodes)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	uint32 metric = ph_arg_metric(fcinfo, 1, profile);
	uint32 visits = ph_profile_visits(profile);
	uint32 *call = calls_of_nodes(profile);
	/*
	 * by name: where the subtree of its last outermost instance ends; a call before that is below
	 * it, and so recursive
	 */
	uint32 *open_until =
		palloc_extended(sizeof(uint32) * profile->n_strings, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 n = 0; n < profile->n_nodes; n++)
	{
		PhString name = function_name(profile, call[n]);
		uint32 parent = profile->parent[n];
		bool outermost = call[n] == n && n >= open_until[name];
		if (outermost)
			open_until[name] = profile->subtree_end[n];
		ph_rows_int(&rows, "node", (int32) n);
		ph_rows_index(&rows, "parent", parent);
		ph_rows_text(&rows, "function", ph_profile_string(profile, name));
		ph_rows_name(&rows, "caller",
					 parent == PH_NONE
						 ? NULL
						 : ph_profile_string(profile, function_name(profile, call[parent])));
		ph_rows_name(&rows, "module", ph_node_module(profile, call[n]));
		ph_rows_bool(&rows, "is_call", call[n] == n);
		ph_rows_bool(&rows, "is_outermost", outermost);
		ph_rows_number(&rows, "inclusive", ph_profile_mean(profile, metric, n, PH_COST_INCLUSIVE));
		ph_rows_number(&rows, "exclusive",
					   ph_profile_mean(profile, metric, n, PH_COST_EXCLUSIVE) +
						   ph_profile_mean(profile, metric, n, PH_COST_ABSORBED) +
						   ph_profile_mean(profile, metric, n, PH_COST_RESIDUAL));
		ph_rows_number(&rows, "calls",
					   visits == PH_NONE ? NAN
										 : ph_profile_mean(profile, visits, n, PH_COST_EXCLUSIVE));
		ph_rows_put(&rows);
	}
	return (Datum) 0;
}
