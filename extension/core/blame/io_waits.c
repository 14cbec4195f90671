/*
 * io_waits.c - see io_waits.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/io_waits.h"

#include "base/min_max.h"

typedef struct Finder
{
	PhArena *arena;
	uint32_t location, n, room;
	PhWait *waits;
} Finder;

static PhStatus
add_piece(Finder *finder, const PhIoCall *call, int64_t from, int64_t to)
{
	if (from >= to)
		return PH_OK;
	PH_TRY(PH_GROW(finder->arena, &finder->waits, finder->n, &finder->room));
	finder->waits[finder->n++] = (PhWait){.from = from,
										  .to = to,
										  .release = to,
										  .victim = finder->location,
										  .awaited = finder->location,
										  .call = PH_NONE,
										  .end = PH_NONE,
										  .region = call->region,
										  .awaited_region = PH_NONE,
										  .seq = call->seq,
										  .instance = PH_NONE,
										  .kind = PH_WAIT_IO};
	return PH_OK;
}

PhStatus
ph_io_waits_find(PhArena *arena, const PhSkeleton *skeleton, uint32_t location,
				 const PhWait *others, uint32_t n, PhIoWaits *out)
{
	const PhIoCalls *calls = &skeleton->locations[location].io;
	Finder finder = {.arena = arena, .location = location};
	uint32_t next = 0;
	for (uint32_t i = 0; i < calls->count; i++)
	{
		const PhIoCall *call = &calls->items[i];
		int64_t from = call->enter;
		PH_TRY(ph_env_poll(arena->env));
		while (next < n && others[next].to <= from)
			next++;
		for (; next < n && others[next].from < call->leave; next++)
		{
			PH_TRY(add_piece(&finder, call, from, PH_MIN(others[next].from, call->leave)));
			from = PH_MAX(from, others[next].to);
			if (from >= call->leave)
				break;
		}
		PH_TRY(add_piece(&finder, call, from, call->leave));
	}
	*out = (PhIoWaits){finder.n, finder.waits};
	return PH_OK;
}
