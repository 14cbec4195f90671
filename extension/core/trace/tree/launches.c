/*
 * launches.c - see launches.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/tree/launches.h"

#include "base/sort.h"

PhStatus
ph_launches_add(PhEnv *env, PhLaunches *launches, uint32_t location, uint64_t seq)
{
	PH_TRY(PH_ROOM(env, &launches->calls));
	launches->calls.items[launches->calls.count++] = (PhLaunchCall){location, seq};
	return PH_OK;
}

static int
compare_places(const PhLaunchCall *a, uint32_t location, uint64_t seq)
{
	if (a->location != location)
		return a->location < location ? -1 : 1;
	return a->seq < seq ? -1 : a->seq > seq;
}

static int
compare_calls(const void *context, uint32_t x, uint32_t y)
{
	const PhLaunchCall *calls = context;
	return compare_places(&calls[x], calls[y].location, calls[y].seq);
}

/* In order, each once. */
static void
take_in_order(const PhLaunchCall *from, const uint32_t *order, uint32_t n, PhLaunches *launches)
{
	PhLaunchCall *calls = launches->calls.items;
	uint32_t n_kept = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		const PhLaunchCall *call = &from[order[i]];
		if (n_kept == 0 || compare_places(&calls[n_kept - 1], call->location, call->seq) != 0)
			calls[n_kept++] = *call;
	}
	launches->calls.count = n_kept;
}

PhStatus
ph_launches_sort(PhEnv *env, PhLaunches *launches)
{
	PhArena scratch;
	uint32_t *order;
	uint32_t n = launches->calls.count;
	PhLaunchCall *copy = NULL;
	ph_arena_init(&scratch, env);
	PhStatus status = ph_sort_indices(&scratch, n, compare_calls, launches->calls.items, &order);
	if (status == PH_OK)
		status = PH_NEW(&scratch, n, &copy);
	for (uint32_t i = 0; status == PH_OK && i < n; i++)
		copy[i] = launches->calls.items[i];
	if (status == PH_OK)
		take_in_order(copy, order, n, launches);
	ph_arena_drop(&scratch);
	return status;
}

uint32_t
ph_launches_from(const PhLaunches *launches, uint32_t location, uint64_t seq)
{
	uint32_t low = 0, high = launches->calls.count;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		if (compare_places(&launches->calls.items[middle], location, seq) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t
ph_launches_find(const PhLaunches *launches, uint32_t location, uint64_t seq)
{
	uint32_t at = ph_launches_from(launches, location, seq);
	if (at == launches->calls.count ||
		compare_places(&launches->calls.items[at], location, seq) != 0)
		return PH_NONE;
	return at;
}

void
ph_launches_free(PhEnv *env, PhLaunches *launches)
{
	PH_VECTOR_FREE(env, &launches->calls);
}
