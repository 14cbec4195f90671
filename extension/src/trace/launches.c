/*
 * launches.c - see launches.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "server/query_rows.h"
#include "trace/launches.h"
#include "trace/sql.h"

static const char launches_sql[] =
	"SELECT " PH_SELECT(launch_chunk, "") " FROM perfhouse.launch_chunk WHERE run_id = $1"
										  " ORDER BY location_id, chunk_no";

typedef struct Collecting
{
	PhTraceRun *trace;
	PhEnv *env;
	PhLaunches *out;
} Collecting;

/* When calls were is of no interest here, so that no times of ENTERs are needed. */
static void
receive_launches(void *user, TupleTableSlot *slot)
{
	Collecting *collecting = user;
	PhEnv *env = collecting->env;
	PhLinkChunk chunk;
	PhArena arena;
	int64_t *times;
	const PhLink *links;
	ph_trace_slot_links(slot, &chunk);
	if (chunk.n_links > PH_CHUNK_MAX_EVENTS ||
		ph_slot_bigint(slot, PH_SLOT(launch_chunk, crc), -1) != ph_link_chunk_crc(&chunk))
		ph_trace_refuse(collecting->trace, "launches are damaged");
	ph_arena_init(&arena, env);
	PH_CHECK(env, PH_NEW(&arena, chunk.n_links, &times));
	PH_CHECK(env, ph_links_decode(&arena, chunk.links, times, chunk.n_links, &links));
	for (uint32 i = 0; i < chunk.n_links; i++)
		if (links[i].location != PH_NONE)
			PH_CHECK(env, ph_launches_add(env, collecting->out, links[i].location, links[i].seq));
	ph_arena_drop(&arena);
}

void
ph_trace_launches(PhTraceRun *trace, PhEnv *env, PhLaunches *out)
{
	Collecting collecting = {trace, env, out};
	*out = (PhLaunches){{NULL, 0, 0}};
	if (trace->n_streams == 0)
		return;
	ph_query_rows(launches_sql, ph_query_parameters(trace->run_id, InvalidOid, (Datum) 0),
				  receive_launches, &collecting);
	PH_CHECK(env, ph_launches_sort(env, out));
}

const uint32 *
ph_trace_launched(PhTraceRun *trace, PhArena *arena, const PhLaunches *launches,
				  const PhTraceChunk *chunk)
{
	const PhLink *links;
	uint32_t n;
	uint32 *launched;
	PH_CHECK(arena->env,
			 ph_launches_of_chunk(arena, &chunk->chunk, trace->reader, chunk->links, &links, &n));
	PH_CHECK(arena->env, PH_NEW(arena, n, &launched));
	for (uint32 i = 0; i < n; i++)
		launched[i] = links[i].location == PH_NONE
						  ? PH_NONE
						  : ph_launches_find(launches, links[i].location, links[i].seq);
	return launched;
}
