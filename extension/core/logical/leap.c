/*
 * leap.c - merging phases until every leap of their graph has all timelines.
 *
 * Level by level: where timelines are missing, a set of parts joins its nearer neighbours, those
 * before it when they are ten times nearer, else those after it that bring new timelines. Merging
 * can only go on while parts remain, so it ends; cycles that it makes are merged afterwards by the
 * caller. Method: docs/design/logical-time.md 1.7.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/min_max.h"
#include "logical/internal.h"
#include "logical/phases.h"

#define TIMES_NEARER 10	  /* as in Ravel */
#define NO_GAP UINT64_MAX /* sets without a timeline in common, or no neighbour at all */

/* A part's events on one of its timelines: [first, last]. */
typedef struct Extent
{
	uint32_t first, last;
} Extent;

/* Where a set begins and ends on each timeline. */
typedef struct Outline
{
	uint32_t stamp;
	uint32_t *stamps; /* by timeline: the set outlined last has it when equal to stamp */
	Extent *extents;  /* by timeline */
	uint32_t n, *timelines;
} Outline;

typedef struct Leaper
{
	PhPhasing *phasing;
	PhArena *arena;
	PhGraph children, parents; /* of the parts as they were */
	uint32_t *first_extent;	   /* by part, + 1 */
	Extent *extents;
	uint32_t *set;		   /* part -> the set it is in */
	uint32_t *next, *tail; /* parts of a set: from the set's own on */
	uint32_t *leap;		   /* by set */
	uint32_t *on_level;	   /* by timeline: stamp of the level that has it */
	uint32_t *listed;	   /* by set: stamp of the list that has it */
	uint32_t *passed;	   /* by set: the walk that came by */
	uint32_t stamp, n_walks;
	Outline own, other;
	PhIndices current, coming, fresh, pairs;
	uint32_t level;
} Leaper;

static uint32_t
timeline_of(const Leaper *leaper, const Extent *extent)
{
	return leaper->phasing->model->timeline[extent->first];
}

/*
 * Fills the outline of a set: on each timeline that one of its parts touches, the first and the
 * last of its events.
 */
static void
outline_set(const Leaper *leaper, uint32_t set, Outline *outline)
{
	outline->stamp++;
	outline->n = 0;
	for (uint32_t part = set; part != PH_NONE; part = leaper->next[part])
		for (uint32_t i = leaper->first_extent[part]; i < leaper->first_extent[part + 1]; i++)
		{
			const Extent *extent = &leaper->extents[i];
			uint32_t t = timeline_of(leaper, extent);
			Extent *at = &outline->extents[t];
			if (outline->stamps[t] != outline->stamp)
			{
				outline->stamps[t] = outline->stamp;
				outline->timelines[outline->n++] = t;
				*at = *extent;
			}
			at->first = PH_MIN(extent->first, at->first);
			at->last = PH_MAX(extent->last, at->last);
		}
}

/*
 * The least time between the set whose outline is `own` and another one, over timelines that both
 * have: from the last event of the earlier to the first of the later; NO_GAP when they have none in
 * common. Sets that overlap are farther than any others: their gap is negative, as unsigned.
 */
static uint64_t
gap_to(Leaper *leaper, uint32_t set)
{
	const PhLogicalModel *model = leaper->phasing->model;
	uint64_t least = NO_GAP;
	outline_set(leaper, set, &leaper->other);
	for (uint32_t i = 0; i < leaper->other.n; i++)
	{
		uint32_t t = leaper->other.timelines[i];
		if (leaper->own.stamps[t] != leaper->own.stamp)
			continue;
		const Extent *a = &leaper->own.extents[t], *b = &leaper->other.extents[t];
		uint32_t later = PH_MAX(b->first, a->first);
		uint32_t earlier = a->first < b->first ? a->last : b->last;
		uint64_t between = (uint64_t) (model->enter[later] - model->exit[earlier]);
		least = PH_MIN(between, least);
	}
	return least;
}

/* ----------------------------------------------------------------------------------------
 * neighbours */

/*
 * A walk over the sets that are neighbours of a set by the graph's edges. number: the walk's, by
 * which sets passed are marked so that each comes once; 0: nothing is marked, and a set comes as
 * often as it has edges.
 */
typedef struct Neighbours
{
	Leaper *leaper;
	const PhGraph *graph;
	uint32_t of, part, edge, number;
} Neighbours;

static Neighbours
neighbours(Leaper *leaper, const PhGraph *graph, uint32_t of)
{
	return (Neighbours){leaper, graph, of, of, graph->first[of], ++leaper->n_walks};
}

static bool
next_neighbour(Neighbours *walk, uint32_t *out)
{
	while (walk->part != PH_NONE)
	{
		while (walk->edge < walk->graph->first[walk->part + 1])
		{
			*out = ph_set_find(walk->leaper->set, walk->graph->target[walk->edge++]);
			if (*out == walk->of ||
				(walk->number > 0 && walk->leaper->passed[*out] == walk->number))
				continue;
			if (walk->number > 0)
				walk->leaper->passed[*out] = walk->number;
			return true;
		}
		walk->part = walk->leaper->next[walk->part];
		if (walk->part != PH_NONE)
			walk->edge = walk->graph->first[walk->part];
	}
	return false;
}

static void
recompute_leap(Leaper *leaper, uint32_t set)
{
	Neighbours walk = neighbours(leaper, &leaper->parents, set);
	uint32_t parent, leap = 0;
	walk.number = 0; /* this walk runs inside others and must not overwrite their marks */
	while (next_neighbour(&walk, &parent))
		if (leaper->leap[parent] + 1 > leap)
			leap = leaper->leap[parent] + 1;
	leaper->leap[set] = leap;
}

static PhStatus
enlist(Leaper *leaper, PhIndices *vector, uint32_t set)
{
	if (leaper->listed[set] == leaper->stamp)
		return PH_OK;
	leaper->listed[set] = leaper->stamp;
	return ph_indices_add(leaper->phasing->env, vector, set);
}

/* Children of the sets of a list, at a level once their leaps are recomputed. */
static PhStatus
list_children(Leaper *leaper, const PhIndices *of, uint32_t level, PhIndices *out)
{
	for (uint32_t i = 0; i < of->count; i++)
	{
		uint32_t child;
		Neighbours walk = neighbours(leaper, &leaper->children, of->items[i]);
		PH_TRY(ph_env_poll(leaper->phasing->env));
		while (next_neighbour(&walk, &child))
		{
			recompute_leap(leaper, child);
			if (leaper->leap[child] == level)
				PH_TRY(enlist(leaper, out, child));
		}
	}
	return PH_OK;
}

/* ------------------------------------------------------------------------------------------ a
 * level */

/* Mark the level's timelines; true when it has all. */
static bool
is_complete(Leaper *leaper)
{
	uint32_t n = 0;
	leaper->stamp++;
	for (uint32_t i = 0; i < leaper->current.count; i++)
		for (uint32_t part = leaper->current.items[i]; part != PH_NONE; part = leaper->next[part])
			for (uint32_t k = leaper->first_extent[part]; k < leaper->first_extent[part + 1]; k++)
			{
				uint32_t t = timeline_of(leaper, &leaper->extents[k]);
				n += leaper->on_level[t] != leaper->stamp;
				leaper->on_level[t] = leaper->stamp;
			}
	return n == leaper->phasing->model->n_timelines;
}

static bool
brings_timelines(const Leaper *leaper, uint32_t set)
{
	for (uint32_t part = set; part != PH_NONE; part = leaper->next[part])
		for (uint32_t k = leaper->first_extent[part]; k < leaper->first_extent[part + 1]; k++)
			if (leaper->on_level[timeline_of(leaper, &leaper->extents[k])] != leaper->stamp)
				return true;
	return false;
}

static PhStatus
plan_union(Leaper *leaper, uint32_t x, uint32_t y)
{
	PH_TRY(ph_indices_add(leaper->phasing->env, &leaper->pairs, x));
	return ph_indices_add(leaper->phasing->env, &leaper->pairs, y);
}

/* Plan to unite set with its children one level further; all, or those with new timelines. */
static PhStatus
plan_forward(Leaper *leaper, uint32_t set, bool all)
{
	uint32_t child;
	Neighbours walk = neighbours(leaper, &leaper->children, set);
	while (next_neighbour(&walk, &child))
		if (leaper->leap[child] == leaper->leap[set] + 1 &&
			(all || brings_timelines(leaper, child)))
			PH_TRY(plan_union(leaper, set, child));
	return PH_OK;
}

/*
 * The rule of docs/design/logical-time.md 1.7: forward, unless what is before is ten times nearer.
 * A side without a gap is not chosen while the other one has one; when neither has, backward. Gaps
 * of sets that overlap are negative.
 */
static bool
goes_forward(uint64_t before, uint64_t after)
{
	int64_t back = (int64_t) before, forth = (int64_t) after, limit;
	if (before == NO_GAP || after == NO_GAP)
		return after != NO_GAP;
	if ((back < 0) != (forth < 0))
		return back < 0;
	if (__builtin_mul_overflow(back, (int64_t) TIMES_NEARER, &limit))
		return back > 0;
	return forth <= limit;
}

/*
 * Plans what one set of an incomplete level is united with: its parents of the level before when
 * they are ten times nearer in time than its children of the level after, else those children that
 * bring timelines which the level lacks (docs/design/logical-time.md 1.7).
 */
static PhStatus
plan_set(Leaper *leaper, uint32_t set)
{
	uint64_t before = NO_GAP, after = NO_GAP;
	uint32_t other;
	outline_set(leaper, set, &leaper->own);
	Neighbours walk = neighbours(leaper, &leaper->parents, set);
	while (next_neighbour(&walk, &other))
		if (leaper->leap[other] + 1 == leaper->leap[set])
		{
			uint64_t distance = gap_to(leaper, other);
			before = PH_MIN(distance, before);
		}
	walk = neighbours(leaper, &leaper->children, set);
	while (next_neighbour(&walk, &other))
	{
		recompute_leap(leaper, other);
		if (leaper->leap[other] != leaper->leap[set] + 1)
			continue;
		uint64_t distance = gap_to(leaper, other);
		after = PH_MIN(distance, after);
	}
	if (goes_forward(before, after))
		return plan_forward(leaper, set, false);
	walk = neighbours(leaper, &leaper->parents, set);
	while (next_neighbour(&walk, &other))
		if (leaper->leap[other] + 1 == leaper->leap[set])
			PH_TRY(plan_union(leaper, set, other));
	return PH_OK;
}

static void
unite_sets(Leaper *leaper, uint32_t x, uint32_t y, bool *changed)
{
	x = ph_set_find(leaper->set, x);
	y = ph_set_find(leaper->set, y);
	if (x == y)
		return;
	uint32_t low = PH_MIN(x, y), high = PH_MAX(y, x);
	leaper->set[high] = low;
	leaper->next[leaper->tail[low]] = high;
	leaper->tail[low] = leaper->tail[high];
	if (leaper->leap[high] < leaper->leap[low])
		leaper->leap[low] = leaper->leap[high];
	*changed = true;
}

/* Unites the planned pairs; fresh lists what the sets of the level have become, each once. */
static PhStatus
carry_out(Leaper *leaper, bool *changed)
{
	*changed = false;
	for (uint32_t i = 0; i < leaper->pairs.count; i += 2)
	{
		const uint32_t *pair = leaper->pairs.items + i;
		PH_TRY(ph_env_poll(leaper->phasing->env));
		unite_sets(leaper, pair[0], pair[1], changed);
	}
	leaper->stamp++;
	leaper->fresh.count = 0;
	for (uint32_t i = 0; i < leaper->current.count; i++)
		PH_TRY(enlist(leaper, &leaper->fresh, ph_set_find(leaper->set, leaper->current.items[i])));
	return PH_OK;
}

static void
advance(Leaper *leaper)
{
	PhIndices swap = leaper->current;
	leaper->current = leaper->coming;
	leaper->coming = swap;
}

/* The level is done: go to the next one. */
static PhStatus
accept(Leaper *leaper)
{
	leaper->stamp++;
	leaper->coming.count = 0;
	PH_TRY(list_children(leaper, &leaper->current, leaper->level + 1, &leaper->coming));
	leaper->level++;
	advance(leaper);
	return PH_OK;
}

/*
 * Finds what is to be looked at after a merge: the fresh sets that are still on this level, and
 * children at this level of those that have moved to lower ones; when there are none, the level
 * after it.
 */
static PhStatus
look_again(Leaper *leaper)
{
	PhIndices *fresh = &leaper->fresh;
	PhIndices lower = {NULL, 0, 0};
	PhStatus status = PH_OK;
	leaper->stamp++;
	leaper->coming.count = 0;
	for (uint32_t i = 0; i < fresh->count && status == PH_OK; i++)
	{
		uint32_t set = fresh->items[i];
		if (leaper->leap[set] < leaper->level)
			status = ph_indices_add(leaper->phasing->env, &lower, set);
		else
			status = enlist(leaper, &leaper->coming, set);
	}
	if (status == PH_OK)
		status = list_children(leaper, &lower, leaper->level, &leaper->coming);
	PH_VECTOR_FREE(leaper->phasing->env, &lower);
	PH_TRY(status);
	if (leaper->coming.count == 0)
	{
		leaper->stamp++;
		PH_TRY(list_children(leaper, fresh, leaper->level + 1, &leaper->coming));
		leaper->level++;
	}
	advance(leaper);
	return PH_OK;
}

/*
 * One look at a level: accepted when it has all timelines; else its sets are united with neighbours
 * as planned, and it is looked at again. A look that can change nothing accepts it, so every look
 * unites sets or goes on.
 */
static PhStatus
do_level(Leaper *leaper)
{
	bool changed;
	if (is_complete(leaper))
		return accept(leaper);
	leaper->pairs.count = 0;
	for (uint32_t i = 0; i < leaper->current.count; i++)
		PH_TRY(plan_set(leaper, leaper->current.items[i]));
	if (leaper->pairs.count == 0)
	{
		if (leaper->phasing->options->leap_skip)
			return accept(leaper);
		for (uint32_t i = 0; i < leaper->current.count; i++)
			PH_TRY(plan_forward(leaper, leaper->current.items[i], true));
	}
	PH_TRY(carry_out(leaper, &changed));
	return changed ? look_again(leaper) : accept(leaper);
}

/* ------------------------------------------------------------------------------------------- frame
 */

/* Does a part's run of events on a timeline start with e? Parts are intervals of timelines now. */
static bool
starts_run(const PhPhasing *phasing, uint32_t e)
{
	const PhLogicalModel *model = phasing->model;
	return e == 0 || model->timeline[e] != model->timeline[e - 1] ||
		   phasing->part[e] != phasing->part[e - 1];
}

/*
 * The first and last event of each part on each of its timelines, by part. Parts are intervals of
 * timelines here, so an extent begins wherever the part changes.
 */
static PhStatus
find_extents(Leaper *leaper)
{
	const PhPhasing *phasing = leaper->phasing;
	uint32_t n = 0, at = 0;
	PH_TRY(PH_NEW(leaper->arena, (size_t) phasing->n_parts + 2, &leaper->first_extent));
	uint32_t *next = leaper->first_extent + 1;
	for (uint32_t e = 0; e < phasing->model->n_events; e++)
		if (starts_run(phasing, e))
		{
			next[phasing->part[e] + 1]++;
			n++;
		}
	for (uint32_t p = 0; p < phasing->n_parts; p++)
		next[p + 1] += next[p];
	PH_TRY(PH_NEW(leaper->arena, n, &leaper->extents));
	for (uint32_t e = 0; e < phasing->model->n_events; e++)
	{
		PH_TRY(ph_env_poll_at(phasing->env, e));
		if (starts_run(phasing, e))
		{
			at = next[phasing->part[e]]++;
			leaper->extents[at].first = e;
		}
		leaper->extents[at].last = e;
	}
	return PH_OK;
}

static PhStatus
new_outline(const Leaper *leaper, Outline *out)
{
	uint32_t n = leaper->phasing->model->n_timelines;
	PH_TRY(PH_NEW(leaper->arena, n, &out->stamps));
	PH_TRY(PH_NEW(leaper->arena, n, &out->extents));
	return PH_NEW(leaper->arena, n, &out->timelines);
}

static PhStatus
prepare(Leaper *leaper)
{
	PhPhasing *phasing = leaper->phasing;
	uint32_t n = phasing->n_parts;
	PH_TRY(find_extents(leaper));
	PH_TRY(ph_graph_of_parts(leaper->arena, phasing->model, phasing->part, n, true,
							 &leaper->children));
	PH_TRY(ph_graph_transpose(leaper->arena, &leaper->children, &leaper->parents));
	PH_TRY(PH_NEW(leaper->arena, n, &leaper->set));
	PH_TRY(PH_NEW(leaper->arena, n, &leaper->next));
	PH_TRY(PH_NEW(leaper->arena, n, &leaper->tail));
	PH_TRY(PH_NEW(leaper->arena, n, &leaper->leap));
	PH_TRY(PH_NEW(leaper->arena, n, &leaper->listed));
	PH_TRY(PH_NEW(leaper->arena, n, &leaper->passed));
	PH_TRY(new_outline(leaper, &leaper->own));
	PH_TRY(new_outline(leaper, &leaper->other));
	PH_TRY(PH_NEW(leaper->arena, phasing->model->n_timelines, &leaper->on_level));
	ph_graph_leaps(&leaper->children, leaper->leap);
	for (uint32_t p = 0; p < n; p++)
	{
		leaper->set[p] = leaper->tail[p] = p;
		leaper->next[p] = PH_NONE;
		if (leaper->leap[p] == 0)
			PH_TRY(ph_indices_add(phasing->env, &leaper->current, p));
	}
	return PH_OK;
}

static PhStatus
merge_leaps(Leaper *leaper)
{
	uint32_t n = 0;
	PH_TRY(prepare(leaper));
	while (leaper->current.count > 0)
	{
		PH_TRY(ph_env_poll(leaper->phasing->env));
		PH_TRY(do_level(leaper));
	}
	uint32_t *number = leaper->listed;
	for (uint32_t p = 0; p < leaper->phasing->n_parts; p++)
		number[p] = leaper->set[p] == p ? n++ : number[ph_set_find(leaper->set, p)];
	return ph_phasing_regroup(leaper->phasing, number, n, PH_MERGE_LEAP);
}

PhStatus
ph_phasing_leap_merge(PhPhasing *phasing)
{
	PhArena arena;
	Leaper leaper = {.phasing = phasing, .arena = &arena};
	ph_arena_init(&arena, phasing->env);
	PhStatus status = merge_leaps(&leaper);
	PH_VECTOR_FREE(phasing->env, &leaper.current);
	PH_VECTOR_FREE(phasing->env, &leaper.coming);
	PH_VECTOR_FREE(phasing->env, &leaper.fresh);
	PH_VECTOR_FREE(phasing->env, &leaper.pairs);
	ph_arena_drop(&arena);
	return status;
}
