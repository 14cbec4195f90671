/*
 * reach.c - incremental transitive closure over ancestor sets in copy-on-write chunks.
 *
 * When u -> v is new, v and what v reaches inherit the ancestors of u and u itself. A vertex that
 * has u among its ancestors already has them all, and so has everything below it: the walk stops
 * there. Hence every visit sets at least one bit, and the total work is bounded by the closure.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reach.h"

#include <string.h>

#define PH_CHUNK_WORDS 16
#define PH_CHUNK_BITS (PH_CHUNK_WORDS * 64)

typedef struct PhReachChunk
{
	uint32_t owner; /* the vertex that may change it in place */
	bool shared;	/* other vertices point here too: copy before changing */
	uint64_t words[PH_CHUNK_WORDS];
} PhReachChunk;

struct PhReachRow
{
	PhReachChunk **chunks; /* NULL: no bits */
	uint32_t n_chunks;
	uint32_t first_arc; /* 1 + index of the newest arc, 0: none */
};

struct PhReachArc
{
	uint32_t target;
	uint32_t next; /* 1 + index, 0: none */
};

void
ph_reach_init(PhReach *reach, PhArena *arena)
{
	memset(reach, 0, sizeof(*reach));
	reach->arena = arena;
}

/* Room for one more element: doubles, copying within the arena. */
static PhStatus
make_room(PhArena *arena, void **items, uint32_t count, uint32_t *capacity, size_t size)
{
	if (count < *capacity)
		return PH_OK;
	if (*capacity > UINT32_MAX / 2)
		return ph_fail(arena->env, PH_ERR_LIMIT, "more than %u elements in one graph", UINT32_MAX);
	uint32_t larger = *capacity == 0 ? 32 : *capacity * 2;
	void *moved;
	PH_TRY(ph_arena_alloc(arena, larger, size, &moved));
	if (count > 0)
		memcpy(moved, *items, count * size);
	*items = moved;
	*capacity = larger;
	return PH_OK;
}

PhStatus
ph_reach_add_vertex(PhReach *reach)
{
	PH_TRY(make_room(reach->arena, (void **) &reach->rows, reach->n, &reach->capacity,
					 sizeof(*reach->rows)));
	memset(&reach->rows[reach->n], 0, sizeof(*reach->rows));
	reach->n++;
	return PH_OK;
}

static bool
has_ancestor(const PhReachRow *row, uint32_t vertex)
{
	uint32_t at = vertex / PH_CHUNK_BITS;
	if (at >= row->n_chunks || row->chunks[at] == NULL)
		return false;
	uint32_t bit = vertex % PH_CHUNK_BITS;
	return (row->chunks[at]->words[bit / 64] >> (bit % 64) & 1) != 0;
}

bool
ph_reach_test(const PhReach *reach, uint32_t from, uint32_t to)
{
	return from == to || has_ancestor(&reach->rows[to], from);
}

static PhStatus
widen(PhReach *reach, PhReachRow *row, uint32_t n_chunks)
{
	if (n_chunks <= row->n_chunks)
		return PH_OK;
	PhReachChunk **chunks;
	PH_TRY(PH_NEW(reach->arena, n_chunks, &chunks));
	if (row->n_chunks > 0)
		memcpy(chunks, row->chunks, row->n_chunks * sizeof(*chunks));
	row->chunks = chunks;
	row->n_chunks = n_chunks;
	return PH_OK;
}

/* Make chunk `at` of the vertex one that it may change in place. */
static PhStatus
own_chunk(PhReach *reach, uint32_t vertex, uint32_t at)
{
	PhReachRow *row = &reach->rows[vertex];
	PhReachChunk *old = row->chunks[at];
	if (old != NULL && old->owner == vertex && !old->shared)
		return PH_OK;
	PhReachChunk *chunk;
	PH_TRY(PH_NEW(reach->arena, 1, &chunk));
	if (old != NULL)
		memcpy(chunk->words, old->words, sizeof(chunk->words));
	chunk->owner = vertex;
	row->chunks[at] = chunk;
	return PH_OK;
}

static PhStatus
add_ancestor(PhReach *reach, uint32_t vertex, uint32_t ancestor)
{
	uint32_t at = ancestor / PH_CHUNK_BITS;
	uint32_t bit = ancestor % PH_CHUNK_BITS;
	PH_TRY(widen(reach, &reach->rows[vertex], at + 1));
	PH_TRY(own_chunk(reach, vertex, at));
	reach->rows[vertex].chunks[at]->words[bit / 64] |= UINT64_C(1) << (bit % 64);
	return PH_OK;
}

/* How the bits of `to` compare with those of `from`. */
static void
compare_chunks(const PhReachChunk *to, const PhReachChunk *from, bool *has_all, bool *adds_none)
{
	uint64_t lacking = 0;
	uint64_t own = 0;
	for (int i = 0; i < PH_CHUNK_WORDS; i++)
	{
		lacking |= from->words[i] & ~to->words[i];
		own |= to->words[i] & ~from->words[i];
	}
	*has_all = lacking == 0;
	*adds_none = own == 0;
}

static PhStatus
inherit_chunk(PhReach *reach, uint32_t vertex, uint32_t at, PhReachChunk *from)
{
	PhReachChunk **to = &reach->rows[vertex].chunks[at];
	if (from == NULL || *to == from)
		return PH_OK;
	bool has_all = false;
	bool adds_none = true;
	if (*to != NULL)
		compare_chunks(*to, from, &has_all, &adds_none);
	if (has_all)
		return PH_OK;
	bool in_place = *to != NULL && (*to)->owner == vertex && !(*to)->shared;
	if (adds_none && !in_place)
	{
		from->shared = true;
		*to = from;
		return PH_OK;
	}
	PH_TRY(own_chunk(reach, vertex, at));
	for (int i = 0; i < PH_CHUNK_WORDS; i++)
		(*to)->words[i] |= from->words[i];
	return PH_OK;
}

/* Give vertex the ancestors of source and source itself. */
static PhStatus
inherit(PhReach *reach, uint32_t vertex, uint32_t source)
{
	const PhReachRow *from = &reach->rows[source];
	PH_TRY(widen(reach, &reach->rows[vertex], from->n_chunks));
	for (uint32_t at = 0; at < from->n_chunks; at++)
		PH_TRY(inherit_chunk(reach, vertex, at, from->chunks[at]));
	return add_ancestor(reach, vertex, source);
}

static PhStatus
push(PhReach *reach, uint32_t *depth, uint32_t vertex)
{
	PH_TRY(make_room(reach->arena, (void **) &reach->stack, *depth, &reach->stack_capacity,
					 sizeof(*reach->stack)));
	reach->stack[(*depth)++] = vertex;
	return PH_OK;
}

PhStatus
ph_reach_add_edge(PhReach *reach, uint32_t source, uint32_t target)
{
	PH_TRY(make_room(reach->arena, (void **) &reach->arcs, reach->n_arcs, &reach->arc_capacity,
					 sizeof(*reach->arcs)));
	reach->arcs[reach->n_arcs++] = (PhReachArc){target, reach->rows[source].first_arc};
	reach->rows[source].first_arc = reach->n_arcs;
	uint32_t depth = 0;
	PH_TRY(push(reach, &depth, target));
	while (depth > 0)
	{
		uint32_t vertex = reach->stack[--depth];
		PH_TRY(ph_env_poll(reach->arena->env));
		if (has_ancestor(&reach->rows[vertex], source))
			continue;
		PH_TRY(inherit(reach, vertex, source));
		for (uint32_t arc = reach->rows[vertex].first_arc; arc != 0;
			 arc = reach->arcs[arc - 1].next)
			PH_TRY(push(reach, &depth, reach->arcs[arc - 1].target));
	}
	return PH_OK;
}
