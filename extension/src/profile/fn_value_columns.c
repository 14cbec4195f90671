/*
 * fn_value_columns.c - the values of a profile as columns: what data frames are made of.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "miscadmin.h"

#include "profile/packed.h"
#include "profile/value.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"

/* Cells of a row unless one node has more: its columns have 400 kB then. */
#define BLOCK_CELLS 16384

static void
put_cost(PhRows *rows, const char *column, const PhProfile *profile, uint32 metric, PhCost cost,
		 const PhNodeBlock *block)
{
	PhByteWriter values = ph_rows_bytes(rows, column, block->n * 8);
	ph_pack_cost(profile, metric, cost, block, &values);
}

static void
put_block(PhRows *rows, const PhProfile *profile, uint32 metric, const PhNodeBlock *block)
{
	ph_rows_int(rows, "first_node", (int32) block->first);
	ph_rows_int(rows, "n", (int32) block->n);
	PhByteWriter nodes = ph_rows_bytes(rows, "node", block->n * 4);
	PhByteWriter locations = ph_rows_bytes(rows, "location", block->n * 4);
	ph_pack_places(profile, block, &nodes, &locations);
	put_cost(rows, "inclusive", profile, metric, PH_COST_INCLUSIVE, block);
	put_cost(rows, "exclusive", profile, metric, PH_COST_EXCLUSIVE, block);
	if (ph_profile_has_absorbed(profile, metric))
		put_cost(rows, "absorbed", profile, metric, PH_COST_ABSORBED, block);
	else
		ph_rows_null(rows, "absorbed");
	ph_rows_put(rows);
}

PH_FUNCTION(ph_value_columns)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	uint32 metric = ph_arg_metric(fcinfo, 1, profile);
	for (uint32 node = 0; node < profile->n_nodes;)
	{
		PhNodeBlock block = ph_profile_block(profile, node, BLOCK_CELLS);
		CHECK_FOR_INTERRUPTS();
		put_block(&rows, profile, metric, &block);
		node = block.end;
	}
	return (Datum) 0;
}
