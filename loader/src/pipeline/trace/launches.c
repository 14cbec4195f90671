/*
 * launches.c - see launches.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/trace/launches.h"

static PhStatus
add_location(PhArena *scratch, const PhTraceSource *source, uint32_t location, PhLaunches *out)
{
	const PhLink *links;
	uint64_t n;

	PH_TRY(source->launches(source, scratch, location, &links, &n));
	for (uint64_t i = 0; i < n; i++)
	{
		PH_TRY(ph_env_poll(scratch->env));
		if (links[i].location != PH_NONE)
			PH_TRY(ph_launches_add(scratch->env, out, links[i].location, links[i].seq));
	}
	return PH_OK;
}

PhStatus
ph_trace_launches(PhEnv *env, const PhTraceSource *source, PhLaunches *out)
{
	PhArena scratch;
	PhStatus status = PH_OK;

	ph_arena_init(&scratch, env);
	for (uint32_t i = 0;
		 source->launches != NULL && i < source->model.n_locations && status == PH_OK; i++)
	{
		status = add_location(&scratch, source, i, out);
		ph_arena_drop(&scratch);
	}
	return status != PH_OK ? status : ph_launches_sort(env, out);
}

PhStatus
ph_launch_cursor_begin(PhLaunchCursor *cursor, const PhTraceSource *source, uint32_t location)
{
	ph_arena_drop(&cursor->arena);
	cursor->n = cursor->at = 0;
	if (source->launches == NULL)
		return PH_OK;
	return source->launches(source, &cursor->arena, location, &cursor->links, &cursor->n);
}

const PhLink *
ph_launch_cursor_links(const PhLaunchCursor *cursor, uint32_t n_enter)
{
	return cursor->n == 0 || cursor->n - cursor->at < n_enter ? NULL : cursor->links + cursor->at;
}

/* The times of the chunk's ENTERs, and the numbers of the calls that launched them. */
static PhStatus
number_launches(PhArena *scratch, const PhLaunches *launches, const PhLink *links,
				const PhChunk *chunk, const PhChunkReader *reader, uint32_t **launched,
				int64_t **entered)
{
	const uint8_t *kinds = ph_chunk_kinds(reader);
	const int64_t *times = ph_chunk_times(reader);
	uint32_t n = 0;

	PH_TRY(PH_NEW(scratch, chunk->n_enter, launched));
	PH_TRY(PH_NEW(scratch, chunk->n_enter, entered));
	for (uint32_t i = 0; i < chunk->n_events; i++)
	{
		if (kinds[i] != PH_EVENT_ENTER)
			continue;
		(*entered)[n] = times[i];
		(*launched)[n] = links[n].location == PH_NONE
							 ? PH_NONE
							 : ph_launches_find(launches, links[n].location, links[n].seq);
		n++;
	}
	return PH_OK;
}

static PhStatus
keep_links(PhArena *arena, const PhChunk *chunk, const PhLink *links, const int64_t *entered,
		   PhLaunchChunks *out)
{
	PhLinkChunk kept = {
		.location = chunk->location, .chunk_no = chunk->chunk_no, .n_links = chunk->n_enter};

	ph_links_span(links, chunk->n_enter, &kept.send_min, &kept.send_max);
	if (kept.send_min > kept.send_max)
		return PH_OK;
	PH_TRY(ph_links_encode(arena, links, entered, chunk->n_enter, &kept.links));
	PH_TRY(PH_GROW(arena, &out->items, out->n, &out->capacity));
	out->items[out->n++] = kept;
	return PH_OK;
}

PhStatus
ph_launch_cursor_chunk(PhLaunchCursor *cursor, const PhLaunches *launches, PhTraceTree *tree,
					   const PhChunk *chunk, const PhChunkReader *reader, PhArena *arena,
					   PhLaunchChunks *out)
{
	const PhLink *links;
	PhArena scratch;
	uint32_t *launched = NULL;
	int64_t *entered;
	PhStatus status;

	if (cursor->n == 0)
		return ph_trace_tree_add_chunk(tree, chunk, reader, INT64_MIN, INT64_MAX);
	if (cursor->n - cursor->at < chunk->n_enter)
		return ph_fail(arena->env, PH_ERR_INTERNAL, "location %u has more activities than links",
					   chunk->location);
	links = cursor->links + cursor->at;
	cursor->at += chunk->n_enter;
	ph_arena_init(&scratch, arena->env);
	status = number_launches(&scratch, launches, links, chunk, reader, &launched, &entered);
	if (status == PH_OK)
		status = ph_trace_tree_add_activities(tree, chunk, reader, launched, INT64_MIN, INT64_MAX);
	if (status == PH_OK)
		status = keep_links(arena, chunk, links, entered, out);
	ph_arena_drop(&scratch);
	return status;
}
