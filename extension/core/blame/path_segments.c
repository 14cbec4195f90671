/*
 * path_segments.c - the critical path's legs divided by the calls that ran on them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/min_max.h"
#include "blame/path_internal.h"
#include "trace/internal.h"

/* The first of a location's legs (in by_location) that ends after a time. */
static uint32_t
find_leg(const PhCriticalPath *path, uint32_t location, int64_t time)
{
	uint32_t low = path->first_leg[location], high = path->first_leg[location + 1];
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		if (path->legs[path->by_location[middle]].to <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first of a location's calls that communicate with this ordinal or a later one. */
static uint32_t
find_call(const PhCommLocation *location, uint64_t seq)
{
	uint32_t low = 0, high = location->n_calls;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		if (location->calls[middle].seq < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool
ph_critical_path_wants(const PhCriticalPath *path, const PhChunk *chunk)
{
	if (chunk->location >= path->skeleton->n_locations)
		return false;
	uint32_t leg = find_leg(path, chunk->location, chunk->t_prev);
	return leg < path->first_leg[chunk->location + 1] &&
		   path->legs[path->by_location[leg]].from < chunk->t_last;
}

PhPathKind
ph_path_kind_of(uint32_t holds)
{
	if ((holds & PH_HOLDS_COLLECTIVE) != 0)
		return PH_PATH_COLLECTIVE;
	if ((holds & (PH_HOLDS_SEND | PH_HOLDS_RECEIVE | PH_HOLDS_COMPLETED_SEND |
				  PH_HOLDS_POSTED_RECEIVE)) != 0)
		return PH_PATH_MESSAGE;
	return (holds & (PH_HOLDS_UNMATCHED_RECEIVE | PH_HOLDS_UNKNOWN_COLLECTIVE)) != 0
			   ? PH_PATH_WAIT
			   : PH_PATH_COMPUTE;
}

/* ---- pieces ---- */

static PhStatus
add_piece(PhCriticalPath *path, uint32_t leg, int64_t from, int64_t to, PathFrame frame)
{
	if (path->stays != NULL)
		return ph_path_merge_piece(
			path, &(PathPiece){from, to, leg, frame.region, frame.kind, frame.is_inferred});
	if (path->n_pieces > 0)
	{
		PathPiece *last = &path->pieces[path->n_pieces - 1];
		if (last->leg == leg && last->to == from && last->region == frame.region &&
			last->kind == frame.kind && last->is_inferred == frame.is_inferred)
		{
			last->to = to;
			return PH_OK;
		}
	}
	PH_TRY(PH_GROW(path->env, &path->pieces, path->n_pieces, &path->piece_room));
	path->pieces[path->n_pieces++] =
		(PathPiece){from, to, leg, frame.region, frame.kind, frame.is_inferred};
	return PH_OK;
}

/* The innermost open call ran until this time: what of that is on the path? */
static PhStatus
walk_to(PhCriticalPath *path, int64_t time)
{
	PathWalk *walk = &path->walk;
	PathFrame frame = {PH_NONE, PH_PATH_COMPUTE, false};
	uint32_t end = path->first_leg[walk->location + 1];
	if (walk->depth > 0)
		frame = walk->frames[walk->depth - 1];
	while (walk->next_leg < end)
	{
		uint32_t leg = path->by_location[walk->next_leg];
		int64_t from = path->legs[leg].from, to = path->legs[leg].to;
		from = PH_MAX(from, walk->since);
		if (from < PH_MIN(to, time))
			PH_TRY(add_piece(path, leg, from, PH_MIN(to, time), frame));
		if (to > time)
			break;
		walk->next_leg++;
	}
	walk->since = time;
	return PH_OK;
}

static PhStatus
push_frame(PhCriticalPath *path, uint32_t region, uint32_t holds)
{
	PathWalk *walk = &path->walk;
	PH_TRY(PH_GROW(path->env, &walk->frames, walk->depth, &walk->frame_room));
	walk->frames[walk->depth++] =
		(PathFrame){region, ph_path_kind_of(holds), (holds & PH_HOLDS_INFERRED) != 0};
	return PH_OK;
}

static PhStatus
walk_event(PhCriticalPath *path, const PhEvent *event, const PhOpenCall *call)
{
	PathWalk *walk = &path->walk;
	const PhCommLocation *location = &path->skeleton->locations[walk->location];
	PH_TRY(walk_to(path, event->time));
	if (event->kind == PH_EVENT_LEAVE && walk->depth > 0)
		walk->depth--;
	if (event->kind != PH_EVENT_ENTER || call == NULL)
		return PH_OK;
	while (walk->next_call < location->n_calls && location->calls[walk->next_call].seq < call->seq)
		walk->next_call++;
	bool communicates =
		walk->next_call < location->n_calls && location->calls[walk->next_call].seq == call->seq;
	return push_frame(path, event->region, communicates ? location->holds[walk->next_call] : 0);
}

static PhStatus
start_walk(PhCriticalPath *path, uint32_t location, int64_t since, uint64_t seq)
{
	PH_TRY(ph_trace_check_location(path->env, path->skeleton->model, location));
	path->walk.location = location;
	path->walk.since = since;
	path->walk.depth = 0;
	path->walk.next_leg = find_leg(path, location, since);
	path->walk.next_call = find_call(&path->skeleton->locations[location], seq);
	return PH_OK;
}

PhStatus
ph_critical_path_add_event(PhCriticalPath *path, uint32_t location, const PhEvent *event,
						   const PhOpenCall *call)
{
	if (location != path->walk.location)
		PH_TRY(start_walk(path, location, event->time, 0));
	return walk_event(path, event, call);
}

/* A chunk knows the calls that are open at its start. */
static PhStatus
open_stack(PhCriticalPath *path, const PhChunkReader *reader)
{
	const PhCommLocation *location = &path->skeleton->locations[path->walk.location];
	uint32_t depth;
	const PhOpenCall *stack = ph_chunk_stack(reader, &depth);
	for (uint32_t i = 0; i < depth; i++)
	{
		uint32_t at = find_call(location, stack[i].seq);
		bool communicates = at < location->n_calls && location->calls[at].seq == stack[i].seq;
		PH_TRY(push_frame(path, stack[i].region, communicates ? location->holds[at] : 0));
	}
	return PH_OK;
}

PhStatus
ph_critical_path_add_chunk(PhCriticalPath *path, const PhChunk *chunk, PhChunkReader *reader)
{
	PhEvent event;
	PH_TRY(start_walk(path, chunk->location, chunk->t_prev, chunk->first_seq));
	PH_TRY(open_stack(path, reader));
	while (ph_chunk_next(reader, &event))
	{
		const PhOpenCall *call = NULL;
		uint32_t depth;
		PH_TRY(ph_env_poll(path->env));
		if (event.kind == PH_EVENT_ENTER)
		{
			call = ph_chunk_open_calls(reader, &depth);
			call += depth - 1;
		}
		PH_TRY(walk_event(path, &event, call));
	}
	path->walk.location = PH_NONE;
	return PH_OK;
}

/* ---- segments ---- */

static PhStatus
add_segment(PhCriticalPath *path, const PathLeg *leg, const PathPiece *piece)
{
	if (piece->from >= piece->to)
		return PH_OK;
	PH_TRY(PH_GROW(path->env, &path->segments, path->n_segments, &path->segment_room));
	PhPathSegment *segment = &path->segments[path->n_segments++];
	*segment = (PhPathSegment){.from = piece->from,
							   .to = piece->to,
							   .location = leg->location,
							   .region = piece->region,
							   .peer = PH_NONE,
							   .kind = piece->kind,
							   .is_inferred = piece->is_inferred};
	if (piece->from == leg->from)
	{
		segment->peer = leg->peer;
		segment->wait = leg->wait;
		segment->is_inferred |= leg->is_inferred;
	}
	return PH_OK;
}

/* A leg's pieces, with what is between them filled in. */
static PhStatus
add_leg_segments(PhCriticalPath *path, uint32_t index, const uint32_t *pieces, uint32_t n)
{
	const PathLeg *leg = &path->legs[index];
	PathPiece gap = {leg->from, leg->from, index, PH_NONE, PH_PATH_COMPUTE, false};
	for (uint32_t i = 0; i < n; i++)
	{
		const PathPiece *piece = &path->pieces[pieces[i]];
		PH_TRY(ph_env_poll(path->env));
		gap.to = piece->from;
		PH_TRY(add_segment(path, leg, &gap));
		PH_TRY(add_segment(path, leg, piece));
		gap.from = piece->to;
	}
	gap.to = leg->to;
	return add_segment(path, leg, &gap);
}

static PhStatus
join_pieces(PhCriticalPath *path, PhArena *scratch)
{
	uint32_t *items, *keys, *starts, *sorted;
	PH_TRY(PH_NEW(scratch, path->n_pieces, &items));
	PH_TRY(PH_NEW(scratch, path->n_pieces, &keys));
	PH_TRY(PH_NEW(scratch, path->n_pieces, &sorted));
	PH_TRY(PH_NEW(scratch, (size_t) path->n_legs + 1, &starts));
	for (uint32_t i = 0; i < path->n_pieces; i++)
	{
		items[i] = i;
		keys[i] = path->pieces[i].leg;
	}
	PH_TRY(ph_trace_bucket(path->env, items, path->n_pieces, keys, path->n_legs, starts, sorted));
	for (uint32_t leg = 0; leg < path->n_legs; leg++)
		PH_TRY(add_leg_segments(path, leg, sorted + starts[leg], starts[leg + 1] - starts[leg]));
	return PH_OK;
}

PhStatus
ph_critical_path_segments(PhCriticalPath *path, const PhPathSegment **segments, uint32_t *n)
{
	PhArena scratch;
	path->n_segments = 0;
	ph_arena_init(&scratch, path->env);
	PhStatus status =
		path->stays != NULL ? ph_path_merged_segments(path) : join_pieces(path, &scratch);
	ph_arena_drop(&scratch);
	*segments = path->segments;
	*n = path->n_segments;
	return status;
}
