/*
 * fn_collectives.c - collective operations as rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "server/compat.h"
#include "server/rowio.h"
#include "trace/args.h"
#include "trace/collectives.h"

static void
add_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	PhCollectives *collectives = user;
	PH_CHECK(&trace->scratch->env,
			 ph_collectives_add_chunk(collectives, &chunk->chunk, trace->reader));
}

static void
put_instance(PhRows *rows, const PhCollectiveRows *all, uint32 index)
{
	const PhCollectiveInstance *instance = &all->instances[index];
	ph_rows_bigint(rows, "collective", index);
	ph_rows_text(rows, "operation", ph_collective_name(instance->operation));
	ph_rows_index(rows, "communicator", instance->comm);
	ph_rows_index(rows, "root", instance->root);
	if (instance->n_members == 0)
		ph_rows_null(rows, "n_members");
	else
		ph_rows_int(rows, "n_members", (int32) instance->n_members);
	ph_rows_int(rows, "n_present", (int32) instance->n_present);
	ph_rows_bigint(rows, "first_enter", instance->first_enter);
	ph_rows_bigint(rows, "last_enter", instance->last_enter);
	ph_rows_bigint(rows, "first_leave", instance->first_leave);
	ph_rows_bigint(rows, "last_leave", instance->last_leave);
	ph_rows_bigint(rows, "bytes_sent", (int64) instance->bytes_sent);
	ph_rows_bigint(rows, "bytes_received", (int64) instance->bytes_received);
	ph_rows_index(rows, "last_rank", all->members[instance->last_member].rank);
	ph_rows_bigint(rows, "wait", instance->wait);
	ph_rows_bool(rows, "is_mixed", instance->is_mixed);
	ph_rows_new_bool(rows, "inferred", instance->n_inferred > 0);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_trace_collectives)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTraceRun *trace =
		ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS | PH_TRACE_COMMUNICATORS);
	PhEnv *env = &trace->scratch->env;
	PhTraceWindow window = ph_arg_times(fcinfo, 1);
	PhChunkQuery query = {.window = ph_window_all()};
	PhCollectives *collectives;
	PhCollectiveRows all;
	PH_CHECK(env, ph_collectives_new(env, &trace->model, &collectives));
	query.want = ph_collectives_wants(collectives);
	if (window.from < window.to)
		ph_trace_chunks(trace, &query, add_chunk, collectives);
	PH_CHECK(env, ph_collectives_group(collectives, &all));
	for (uint32 i = 0; i < all.n_instances; i++)
		if (ph_window_overlaps(&window, all.instances[i].first_enter, all.instances[i].last_leave))
			put_instance(&rows, &all, i);
	ph_trace_end(trace);
	return (Datum) 0;
}
