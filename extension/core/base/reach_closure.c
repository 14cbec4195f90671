/*
 * reach_closure.c - incremental transitive closure over ancestor sets in copy-on-write chunks.
 *
 * When u -> v is new, v and what v reaches inherit the ancestors of u and u itself. A vertex that
 * has u among its ancestors already has them all, and so has everything below it: the walk stops
 * there. Hence every visit sets at least one bit, and the total work is bounded by the closure.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/reach_closure.h"

#include <string.h>

#include "base/table.h"

#define PH_CHUNK_WORDS 16
#define PH_CHUNK_BITS (PH_CHUNK_WORDS * 64)

typedef struct PhClosureChunk
{
	uint32_t owner; /* the vertex that may change it in place */
	bool shared;	/* other vertices point here too: copy before changing */
	uint64_t words[PH_CHUNK_WORDS];
} PhClosureChunk;

struct PhClosureRow
{
	PhClosureChunk **chunks; /* NULL: no bits */
	uint32_t n_chunks;
	uint32_t first_arc; /* 1 + index of the newest arc, 0: none */
};

struct PhClosureArc
{
	uint32_t target;
	uint32_t next; /* 1 + index, 0: none */
};

void
ph_closure_init(PhClosure *closure, PhArena *arena)
{
	memset(closure, 0, sizeof(*closure));
	closure->arena = arena;
}

PhStatus
ph_closure_add_vertex(PhClosure *closure)
{
	PH_TRY(PH_GROW(closure->arena, &closure->rows, closure->n, &closure->capacity));
	memset(&closure->rows[closure->n], 0, sizeof(*closure->rows));
	closure->n++;
	return PH_OK;
}

static bool
has_ancestor(const PhClosureRow *row, uint32_t vertex)
{
	uint32_t at = vertex / PH_CHUNK_BITS;
	if (at >= row->n_chunks || row->chunks[at] == NULL)
		return false;
	uint32_t bit = vertex % PH_CHUNK_BITS;
	return (row->chunks[at]->words[bit / 64] >> (bit % 64) & 1) != 0;
}

static PhStatus
widen(PhClosure *closure, PhClosureRow *row, uint32_t n_chunks)
{
	if (n_chunks <= row->n_chunks)
		return PH_OK;
	PhClosureChunk **chunks;
	PH_TRY(PH_NEW(closure->arena, n_chunks, &chunks));
	if (row->n_chunks > 0)
		memcpy(chunks, row->chunks, row->n_chunks * sizeof(*chunks));
	row->chunks = chunks;
	row->n_chunks = n_chunks;
	return PH_OK;
}

/* Make chunk `at` of the vertex one that it may change in place. */
static PhStatus
own_chunk(PhClosure *closure, uint32_t vertex, uint32_t at)
{
	PhClosureRow *row = &closure->rows[vertex];
	PhClosureChunk *old = row->chunks[at];
	if (old != NULL && old->owner == vertex && !old->shared)
		return PH_OK;
	PhClosureChunk *chunk;
	PH_TRY(PH_NEW(closure->arena, 1, &chunk));
	if (old != NULL)
		memcpy(chunk->words, old->words, sizeof(chunk->words));
	chunk->owner = vertex;
	row->chunks[at] = chunk;
	return PH_OK;
}

static PhStatus
add_ancestor(PhClosure *closure, uint32_t vertex, uint32_t ancestor)
{
	uint32_t at = ancestor / PH_CHUNK_BITS;
	uint32_t bit = ancestor % PH_CHUNK_BITS;
	PH_TRY(widen(closure, &closure->rows[vertex], at + 1));
	PH_TRY(own_chunk(closure, vertex, at));
	closure->rows[vertex].chunks[at]->words[bit / 64] |= UINT64_C(1) << (bit % 64);
	return PH_OK;
}

/* How the bits of `to` compare with those of `from`. */
static void
compare_chunks(const PhClosureChunk *to, const PhClosureChunk *from, bool *has_all, bool *adds_none)
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

/*
 * Adds the ancestors in `from` to chunk `at` of the vertex. Where the vertex has none of its own
 * there yet, it shares the chunk instead of copying it; a chunk that others share is copied before
 * it changes.
 */
static PhStatus
inherit_chunk(PhClosure *closure, uint32_t vertex, uint32_t at, PhClosureChunk *from)
{
	PhClosureChunk **to = &closure->rows[vertex].chunks[at];
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
	PH_TRY(own_chunk(closure, vertex, at));
	for (int i = 0; i < PH_CHUNK_WORDS; i++)
		(*to)->words[i] |= from->words[i];
	return PH_OK;
}

/* Give vertex the ancestors of source and source itself. */
static PhStatus
inherit(PhClosure *closure, uint32_t vertex, uint32_t source)
{
	const PhClosureRow *from = &closure->rows[source];
	PH_TRY(widen(closure, &closure->rows[vertex], from->n_chunks));
	for (uint32_t at = 0; at < from->n_chunks; at++)
		PH_TRY(inherit_chunk(closure, vertex, at, from->chunks[at]));
	return add_ancestor(closure, vertex, source);
}

static PhStatus
push_vertex(PhClosure *closure, uint32_t *depth, uint32_t vertex)
{
	PH_TRY(PH_GROW(closure->arena, &closure->stack, *depth, &closure->stack_capacity));
	closure->stack[(*depth)++] = vertex;
	return PH_OK;
}

static PhStatus
add_arc(PhClosure *closure, uint32_t source, uint32_t target)
{
	PH_TRY(PH_GROW(closure->arena, &closure->arcs, closure->n_arcs, &closure->arc_capacity));
	closure->arcs[closure->n_arcs++] = (PhClosureArc){target, closure->rows[source].first_arc};
	closure->rows[source].first_arc = closure->n_arcs;
	return PH_OK;
}

PhStatus
ph_closure_add_edge(PhClosure *closure, uint32_t source, uint32_t target, bool *added)
{
	uint32_t depth = 0;
	*added = source != target && !has_ancestor(&closure->rows[source], target);
	if (!*added)
		return PH_OK;
	PH_TRY(add_arc(closure, source, target));
	PH_TRY(push_vertex(closure, &depth, target));
	while (depth > 0)
	{
		uint32_t vertex = closure->stack[--depth];
		uint32_t arc = closure->rows[vertex].first_arc;
		PH_TRY(ph_env_poll(closure->arena->env));
		if (has_ancestor(&closure->rows[vertex], source))
			continue;
		PH_TRY(inherit(closure, vertex, source));
		for (; arc != 0; arc = closure->arcs[arc - 1].next)
			PH_TRY(push_vertex(closure, &depth, closure->arcs[arc - 1].target));
	}
	return PH_OK;
}
