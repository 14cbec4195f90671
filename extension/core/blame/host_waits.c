/*
 * host_waits.c - see host_waits.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/host_waits.h"

#include "base/min_max.h"
#include "base/sort.h"

typedef struct Finder
{
	PhArena *arena;
	const PhWaitStates *all;
	PH_VECTOR(PhWait) found;
} Finder;

/* Outer calls first. */
static int
compare_begins(const void *context, uint32_t x, uint32_t y)
{
	const PhWait *a = &((const PhWait *) context)[x], *b = &((const PhWait *) context)[y];
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to > b->to ? -1 : 1;
	return (x > y) - (x < y);
}

static PhStatus
keep_wait(Finder *finder, PhWait wait)
{
	PH_TRY(PH_ROOM(finder->arena, &finder->found));
	finder->found.items[finder->found.count++] = wait;
	return PH_OK;
}

/* By begin: what is left of each beside those before it and beside the other waits. */
static PhStatus
keep_waits(Finder *finder, const PhWait *waits, const uint32_t *order, uint32_t n)
{
	int64_t covered = INT64_MIN;
	PH_TRY(ph_env_poll(finder->arena->env));
	for (uint32_t i = 0; i < n; i++)
	{
		PhWait wait = waits[order[i]];
		int64_t to = wait.to;
		wait.from = PH_MAX(wait.from, covered);
		/* one of another kind, which is within a call of the program or around this one, ends it */
		for (uint32_t next = i + 1; next < n && wait.kind == PH_WAIT_DEVICE; next++)
		{
			const PhWait *other = &waits[order[next]];
			if (other->from >= wait.to)
				break;
			if (other->kind != PH_WAIT_DEVICE)
				wait.to = PH_MIN(wait.to, PH_MAX(other->from, wait.from));
		}
		if (wait.kind == PH_WAIT_DEVICE && wait.from < wait.to)
			PH_TRY(keep_wait(finder, wait));
		covered = PH_MAX(covered, wait.kind == PH_WAIT_DEVICE ? wait.to : to);
	}
	return PH_OK;
}

static PhStatus
find_at_location(Finder *finder, PhArena *scratch, uint32_t at)
{
	uint32_t first = finder->all->first[at], n = finder->all->first[at + 1] - first;
	const PhWait *waits = finder->all->waits + first;
	uint32_t *order, n_device = 0;
	for (uint32_t i = 0; i < n; i++)
		n_device += waits[i].kind == PH_WAIT_DEVICE;
	if (n_device == 0)
		return PH_OK;
	PH_TRY(ph_sort_indices(scratch, n, compare_begins, waits, &order));
	return keep_waits(finder, waits, order, n);
}

PhStatus
ph_device_host_waits(PhArena *arena, const PhWaitStates *all, const PhWait **out, uint32_t *n)
{
	Finder finder = {.arena = arena, .all = all};
	PhStatus status = PH_OK;
	for (uint32_t at = 0; at < all->n_locations && status == PH_OK; at++)
	{
		PhArena scratch;
		ph_arena_init(&scratch, arena->env);
		status = find_at_location(&finder, &scratch, at);
		ph_arena_drop(&scratch);
	}
	*out = finder.found.items;
	*n = finder.found.count;
	return status;
}
