/*
 * reach_order.c - incremental topological order with two-way search.
 *
 * After Haeupler, Kavitha, Mathew, Sen and Tarjan (2012): for a new edge u -> v with v before u,
 * search forward from v and backward from u in turns, never past the other's place. If they meet,
 * the edge would close a cycle. If the forward search ends first, all that it found moves right
 * behind u; if the backward one does, all that it found moves right before v. Either way the order
 * is good again and the work is about twice that of the smaller search.
 *
 * Places are 64-bit labels on a linked list; when a gap is used up all labels are spread anew.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/reach_order.h"

#include <string.h>

#include "base/sort.h"
#include "base/table.h"

#define NO_VERTEX UINT32_MAX

struct PhOrderVertex
{
	uint64_t place;
	uint32_t before, after; /* neighbours in the order, NO_VERTEX at the ends */
	uint32_t first_out;		/* 1 + index of the newest arc, 0: none */
	uint32_t first_in;
	uint32_t seen[2]; /* mark of the last search that found it: backward, forward */
};

struct PhOrderArc
{
	uint32_t source, target;
	uint32_t next_out, next_in; /* 1 + index, 0: none */
};

/* One of the two searches that go on in turns. */
typedef struct Search
{
	bool forward;
	uint64_t bound; /* no path to the other end goes past its place */
	uint32_t *found;
	uint32_t n;	   /* found */
	uint32_t done; /* searched */
	uint32_t arc;  /* 1 + next arc of the one being searched, 0: none left */
} Search;

void
ph_order_init(PhOrder *order, PhArena *arena)
{
	memset(order, 0, sizeof(*order));
	order->arena = arena;
	order->first = order->last = NO_VERTEX;
}

/* Spread the labels evenly. */
static void
spread(PhOrder *order)
{
	uint64_t gap = UINT64_MAX / ((uint64_t) order->n + 2);
	uint64_t place = UINT64_MAX - gap;
	for (uint32_t v = order->last; v != NO_VERTEX; v = order->vertices[v].before)
	{
		order->vertices[v].place = place;
		place -= gap;
	}
}

static uint64_t
place_after(const PhOrder *order, uint32_t vertex)
{
	return vertex == NO_VERTEX ? UINT64_MAX : order->vertices[vertex].place;
}

static uint64_t
place_before(const PhOrder *order, uint32_t vertex)
{
	return vertex == NO_VERTEX ? 0 : order->vertices[vertex].place;
}

static void
link_pair(PhOrder *order, uint32_t before, uint32_t after)
{
	if (before != NO_VERTEX)
		order->vertices[before].after = after;
	else
		order->first = after;
	if (after != NO_VERTEX)
		order->vertices[after].before = before;
	else
		order->last = before;
}

PhStatus
ph_order_add_vertex(PhOrder *order)
{
	PH_TRY(PH_GROW(order->arena, &order->vertices, order->n, &order->capacity));
	uint32_t vertex = order->n++;
	order->vertices[vertex] = (PhOrderVertex){0, NO_VERTEX, NO_VERTEX, 0, 0, {0, 0}};
	uint64_t low = place_before(order, order->last);
	link_pair(order, order->last, vertex);
	link_pair(order, vertex, NO_VERTEX);
	/*
	 * a 2^20th of the free labels behind the last vertex: the rest is for those that are appended
	 * later
	 */
	uint64_t room = UINT64_MAX - low;
	if (room < 2)
		spread(order);
	else
		order->vertices[vertex].place = low + (room >> 20 > 0 ? room >> 20 : 1);
	return PH_OK;
}

static uint32_t
first_arc(const PhOrder *order, const Search *search, uint32_t vertex)
{
	const PhOrderVertex *v = &order->vertices[vertex];
	return search->forward ? v->first_out : v->first_in;
}

static void
find(PhOrder *order, Search *search, uint32_t vertex)
{
	order->vertices[vertex].seen[search->forward] = order->mark;
	search->found[search->n++] = vertex;
}

static bool
is_exhausted(const Search *search)
{
	return search->done == search->n;
}

/* Follow one arc; true when it leads to a vertex that the other search has found. */
static bool
step(PhOrder *order, Search *search)
{
	if (search->arc == 0)
	{
		if (++search->done < search->n)
			search->arc = first_arc(order, search, search->found[search->done]);
		return false;
	}
	const PhOrderArc *arc = &order->arcs[search->arc - 1];
	uint32_t next = search->forward ? arc->target : arc->source;
	const PhOrderVertex *v = &order->vertices[next];
	search->arc = search->forward ? arc->next_out : arc->next_in;
	if (search->forward ? v->place > search->bound : v->place < search->bound)
		return false;
	if (v->seen[!search->forward] == order->mark)
		return true;
	if (v->seen[search->forward] != order->mark)
		find(order, search, next);
	return false;
}

static Search
begin(PhOrder *order, bool forward, uint32_t vertex, uint32_t other, uint32_t *found)
{
	Search search = {forward, order->vertices[other].place, found, 0, 0, 0};
	find(order, &search, vertex);
	search.arc = first_arc(order, &search, vertex);
	return search;
}

static int
compare_places(const void *context, uint32_t x, uint32_t y)
{
	const PhOrderVertex *vertices = context;
	return vertices[x].place < vertices[y].place ? -1 : vertices[x].place > vertices[y].place;
}

/* Take the vertices out of the order and put them, as they were ordered, behind `before`. */
static PhStatus
move_behind(PhOrder *order, Search *search, uint32_t before, uint32_t *buffer)
{
	PH_TRY(ph_sort(order->arena->env, search->found, search->n, buffer, compare_places,
				   order->vertices));
	for (uint32_t i = 0; i < search->n; i++)
	{
		const PhOrderVertex *v = &order->vertices[search->found[i]];
		link_pair(order, v->before, v->after);
	}
	uint32_t after = before == NO_VERTEX ? order->first : order->vertices[before].after;
	uint64_t low = place_before(order, before);
	uint64_t gap = (place_after(order, after) - low) / ((uint64_t) search->n + 1);
	for (uint32_t i = 0; i < search->n; i++)
	{
		uint32_t vertex = search->found[i];
		link_pair(order, before, vertex);
		order->vertices[vertex].place = low += gap;
		before = vertex;
	}
	link_pair(order, before, after);
	if (gap == 0)
		spread(order);
	return PH_OK;
}

/* Put the order right for source -> target, or find that target reaches source. */
static PhStatus
reorder(PhOrder *order, uint32_t source, uint32_t target, bool *closes)
{
	if (order->work_capacity < order->n)
	{
		order->work_capacity = order->capacity;
		PH_TRY(PH_NEW(order->arena, (size_t) order->work_capacity * 3, &order->work));
	}
	uint32_t *buffer = order->work + 2 * (size_t) order->work_capacity;
	order->mark++;
	Search down = begin(order, true, target, source, order->work);
	Search up = begin(order, false, source, target, order->work + order->work_capacity);
	*closes = false;
	while (!*closes && !is_exhausted(&down) && !is_exhausted(&up))
	{
		PH_TRY(ph_env_poll(order->arena->env));
		*closes = step(order, &down) || step(order, &up);
	}
	if (*closes)
		return PH_OK;
	if (is_exhausted(&down))
		return move_behind(order, &down, source, buffer);
	return move_behind(order, &up, order->vertices[target].before, buffer);
}

PhStatus
ph_order_add_edge(PhOrder *order, uint32_t source, uint32_t target, bool *added)
{
	bool closes = source == target;
	if (!closes && order->vertices[source].place > order->vertices[target].place)
		PH_TRY(reorder(order, source, target, &closes));
	*added = !closes;
	if (closes)
		return PH_OK;
	PH_TRY(PH_GROW(order->arena, &order->arcs, order->n_arcs, &order->arc_capacity));
	order->arcs[order->n_arcs++] = (PhOrderArc){source, target, order->vertices[source].first_out,
												order->vertices[target].first_in};
	order->vertices[source].first_out = order->vertices[target].first_in = order->n_arcs;
	return PH_OK;
}
