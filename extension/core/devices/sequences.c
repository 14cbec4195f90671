/*
 * sequences.c - see sequences.h.
 *
 * A sequence is a path in a tree of kernels: its number is found kernel by kernel, so that equal
 * sequences have one number and nothing is hashed that could collide.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "devices/sequences.h"

#include "base/min_max.h"
#include "base/sort.h"
#include "base/table.h"

typedef struct Search
{
	PhArena *arena;
	const PhDeviceActivity *list;
	const PhActivityKind *kinds;
	const uint32_t *order, *group;
	uint32_t length, n_nodes;
	PhMap nodes; /* (node, region): the node below; 0 is the root */
	PhMap found; /* node: its sequence */
	PH_VECTOR(PhKernelSequence) sequences;
	PhIndices ends; /* by sequence: where the one that was counted last ended */
} Search;

/* May the kernel at this place of the order follow the one before it? */
static bool
is_wanted(const Search *search, uint32_t at)
{
	uint32_t activity = search->order[at];
	return search->kinds[search->list[activity].region] == PH_ACTIVITY_COMPUTE &&
		   (search->group == NULL || search->group[activity] != PH_NONE);
}

static bool
goes_on(const Search *search, uint32_t at, uint32_t from)
{
	return is_wanted(search, at) &&
		   (search->group == NULL ||
			search->group[search->order[at]] == search->group[search->order[from]]);
}

static PhStatus
number_of(Search *search, uint32_t from, uint32_t *out)
{
	uint32_t node = 0, *below;
	for (uint32_t i = from; i < from + search->length; i++)
	{
		uint32_t region = search->list[search->order[i]].region;
		PH_TRY(ph_map_enter(&search->nodes, ph_map_key(node, region), search->n_nodes, &below));
		if (*below == search->n_nodes)
			search->n_nodes++;
		node = *below;
	}
	*out = node;
	return PH_OK;
}

static PhStatus
count_at(Search *search, uint32_t from)
{
	uint32_t node, *at, end = from + search->length;
	PH_TRY(number_of(search, from, &node));
	PH_TRY(ph_map_enter(&search->found, node, search->sequences.count, &at));
	if (*at == search->sequences.count)
	{
		PH_TRY(PH_ROOM(search->arena, &search->sequences));
		PH_TRY(PH_ROOM(search->arena, &search->ends));
		search->sequences.items[search->sequences.count++] = (PhKernelSequence){.first = from};
		search->ends.items[search->ends.count++] = from;
	}
	if (search->ends.items[*at] > from)
		return PH_OK;
	PhKernelSequence *sequence = &search->sequences.items[*at];
	search->ends.items[*at] = end;
	sequence->count++;
	for (uint32_t i = from; i < end; i++)
	{
		const PhDeviceActivity *kernel = &search->list[search->order[i]];
		sequence->busy += kernel->end - kernel->start;
		if (i + 1 < end)
			sequence->gaps += PH_MAX(search->list[search->order[i + 1]].start - kernel->end, 0);
	}
	return PH_OK;
}

static PhStatus
search_stream(Search *search, uint32_t first, uint32_t end)
{
	uint32_t from = first;
	for (uint32_t at = first; at < end; at++)
	{
		PH_TRY(ph_env_poll(search->arena->env));
		if (!goes_on(search, at, from))
			from = is_wanted(search, at) ? at : at + 1;
		if (at + 1 >= from + search->length)
			PH_TRY(count_at(search, at + 1 - search->length));
	}
	return PH_OK;
}

/* The dearest first, then as they were met. */
static int
compare_sequences(const void *context, uint32_t x, uint32_t y)
{
	const PhKernelSequence *a = &((const PhKernelSequence *) context)[x],
						   *b = &((const PhKernelSequence *) context)[y];
	int64_t total_a = a->busy + a->gaps, total_b = b->busy + b->gaps;
	if (total_a != total_b)
		return total_a > total_b ? -1 : 1;
	return (x > y) - (x < y);
}

PhStatus
ph_kernel_sequences(PhArena *arena, const PhActivities *activities, const PhActivityKind *kinds,
					const uint32_t *order, const uint32_t *first, uint32_t n_streams,
					const uint32_t *group, uint32_t length, PhKernelSequence **out, uint32_t *n)
{
	Search search = {.arena = arena,
					 .list = activities->list.items,
					 .kinds = kinds,
					 .order = order,
					 .group = group,
					 .length = length,
					 .n_nodes = 1};
	uint32_t *sorted;
	ph_map_init(&search.nodes, arena);
	ph_map_init(&search.found, arena);
	for (uint32_t i = 0; i < n_streams; i++)
		PH_TRY(search_stream(&search, first[i], first[i + 1]));
	*n = search.sequences.count;
	PH_TRY(PH_NEW(arena, *n, out));
	PH_TRY(ph_sort_indices(arena, *n, compare_sequences, search.sequences.items, &sorted));
	for (uint32_t i = 0; i < *n; i++)
		(*out)[i] = search.sequences.items[sorted[i]];
	return PH_OK;
}
