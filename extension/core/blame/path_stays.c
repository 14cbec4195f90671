/*
 * path_stays.c - the critical path's legs as one segment each: what most of the time was in.
 *
 * The pieces of a leg come one after the other, so that times by region are kept for one leg at a
 * time: memory is by leg, not by call.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/min_max.h"
#include "blame/path_internal.h"
#include "trace/internal.h"

/* Where a leg is to be divided: between its location's start-up, main part and shut-down; else its
 * end. */
static int64_t
end_of_part(const PhCommLocation *location, const PathLeg *leg, int64_t from)
{
	int64_t end = leg->to;
	if (location->main_to < location->last_time && from < location->main_to)
		end = PH_MIN(end, location->main_to);
	if (location->main_from > location->first_time && from < location->main_from)
		end = PH_MIN(end, location->main_from);
	return end;
}

PhStatus
ph_path_divide_legs(PhCriticalPath *path)
{
	uint32_t n = 0, room = 0;
	PathLeg *legs = NULL;
	PhStatus status = PH_OK;
	for (uint32_t i = 0; i < path->n_legs && status == PH_OK; i++)
	{
		PathLeg leg = path->legs[i];
		const PhCommLocation *location = &path->skeleton->locations[leg.location];
		do
		{
			int64_t end = end_of_part(location, &path->legs[i], leg.from);
			status = PH_GROW(path->env, &legs, n, &room);
			if (status != PH_OK)
				break;
			legs[n] = leg;
			legs[n++].to = end;
			/* the rest was not come to from elsewhere */
			leg = (PathLeg){.from = end, .to = leg.to, .location = leg.location, .peer = PH_NONE};
		} while (leg.from < leg.to);
	}
	ph_env_free(path->env, path->legs, path->leg_room, sizeof(PathLeg));
	path->legs = legs;
	path->n_legs = n;
	path->leg_room = room;
	return status;
}

PhStatus
ph_path_merge(PhCriticalPath *path)
{
	path->tally.leg = PH_NONE;
	PH_TRY(PH_NEW(&path->arena, path->n_legs, &path->stays));
	for (uint32_t leg = 0; leg < path->n_legs; leg++)
		path->stays[leg].region = PH_NONE;
	return PH_OK;
}

/* Keeps the leg's region with the most time, of equal ones the lowest. */
static void
end_leg(PhCriticalPath *path)
{
	PathTally *tally = &path->tally;
	if (tally->leg == PH_NONE)
		return;
	PathStay *stay = &path->stays[tally->leg];
	for (uint32_t i = 0; i < tally->n_regions; i++)
	{
		uint32_t region = tally->regions[i];
		int64_t time = tally->time[region];
		if (time > stay->region_time || (time == stay->region_time && region < stay->region))
		{
			stay->region = region;
			stay->region_time = time;
		}
		tally->time[region] = 0;
	}
	tally->n_regions = 0;
	tally->leg = PH_NONE;
}

static PhStatus
add_region_time(PhCriticalPath *path, uint32_t region, int64_t time)
{
	PathTally *tally = &path->tally;
	if (region >= tally->time_room)
	{
		void *grown = tally->time;
		uint32_t room = PH_MAX(region + 1, 2 * tally->time_room);
		PH_TRY(ph_env_resize(path->env, &grown, tally->time_room, room, sizeof(int64_t)));
		tally->time = grown;
		memset(tally->time + tally->time_room, 0, (room - tally->time_room) * sizeof(*tally->time));
		tally->time_room = room;
	}
	if (tally->time[region] == 0)
	{
		PH_TRY(PH_GROW(path->env, &tally->regions, tally->n_regions, &tally->region_room));
		tally->regions[tally->n_regions++] = region;
	}
	tally->time[region] += time;
	return PH_OK;
}

static bool
continues_last(const PathTally *tally, const PathPiece *piece)
{
	return tally->to == piece->from && tally->region == piece->region &&
		   tally->kind == piece->kind && tally->is_inferred == piece->is_inferred;
}

PhStatus
ph_path_merge_piece(PhCriticalPath *path, const PathPiece *piece)
{
	PathTally *tally = &path->tally;
	PathStay *stay = &path->stays[piece->leg];
	int64_t time = piece->to - piece->from;
	bool is_same_leg = tally->leg == piece->leg;
	if (!is_same_leg)
	{
		end_leg(path);
		tally->leg = piece->leg;
	}
	if (!is_same_leg || !continues_last(tally, piece))
		stay->n_merged++;
	tally->to = piece->to;
	tally->region = piece->region;
	tally->kind = piece->kind;
	tally->is_inferred = piece->is_inferred;
	stay->time[piece->kind] += time;
	stay->is_inferred |= piece->is_inferred;
	return piece->region == PH_NONE ? PH_OK : add_region_time(path, piece->region, time);
}

static PhPathKind
longest_kind(const int64_t time[PH_PATH_KIND_COUNT])
{
	PhPathKind longest = PH_PATH_COMPUTE;
	for (uint32_t kind = 0; kind < PH_PATH_KIND_COUNT; kind++)
		if (time[kind] > time[longest])
			longest = (PhPathKind) kind;
	return longest;
}

/* Time of the leg in which nothing is recorded is spent outside of all calls. */
static PhPathSegment
segment_of(const PathLeg *leg, const PathStay *stay)
{
	PhPathSegment segment = {.from = leg->from,
							 .to = leg->to,
							 .wait = leg->wait,
							 .location = leg->location,
							 .peer = leg->peer,
							 .region = stay->region,
							 .is_inferred = leg->is_inferred || stay->is_inferred,
							 .n_merged = PH_MAX(stay->n_merged, 1)};
	int64_t left = leg->to - leg->from;
	for (uint32_t kind = 0; kind < PH_PATH_KIND_COUNT; kind++)
	{
		segment.time[kind] = stay->time[kind];
		left -= stay->time[kind];
	}
	segment.time[PH_PATH_COMPUTE] += left;
	segment.kind = longest_kind(segment.time);
	return segment;
}

PhStatus
ph_path_merged_segments(PhCriticalPath *path)
{
	end_leg(path);
	for (uint32_t leg = 0; leg < path->n_legs; leg++)
	{
		PH_TRY(ph_env_poll(path->env));
		if (path->legs[leg].from >= path->legs[leg].to)
			continue;
		PH_TRY(PH_GROW(path->env, &path->segments, path->n_segments, &path->segment_room));
		path->segments[path->n_segments++] = segment_of(&path->legs[leg], &path->stays[leg]);
	}
	return PH_OK;
}
