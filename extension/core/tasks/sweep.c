/*
 * sweep.c - unite the parts that follow one part, and what follows those in turn.
 *
 * Parts are swept in topological order. A set of parts keeps one part that stands for what follows
 * it; when two sets are united, so are their followers, and so on over a stack. Every event is
 * looked at once, every union done once: O(events + parts). Method: docs/design/logical-time.md 2.5
 * A2; SC'15 algorithm 2.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/min_max.h"
#include "tasks/parts.h"

/*
 * All arrays are by part. Those of sets (key, follower, highest, pending) hold at the root of the
 * set; pend_next, first and order are of single parts.
 */
typedef struct Sweep
{
	PhTaskParts *parts;
	PhTaskSweep kind;
	PhArena arena;
	uint32_t *set;				   /* union-find over parts */
	int32_t *key;				   /* the greatest serial; followers of lesser ones do not count */
	uint32_t *follower;			   /* PH_NONE: none */
	uint32_t *highest;			   /* its part that comes last */
	uint32_t *pending, *pend_next; /* parts not swept yet */
	uint32_t *first, *order;	   /* events by part */
	uint32_t *stack;			   /* pairs still to be united */
	uint32_t n_stack;
} Sweep;

/*
 * The event that e leads to in another part, PH_NONE: none that matters for this sweep. Repair: the
 * next event of e's block, when that is on the other side. Serials: the event after e, when that is
 * of the next serial. key: the number of e's serial (0 in the repair); only followers of a set's
 * greatest key count.
 */
static uint32_t
follower_of(const Sweep *sweep, uint32_t e, int32_t *key)
{
	const PhTaskParts *parts = sweep->parts;
	uint32_t next = e + 1;
	*key = 0;
	if (sweep->kind == PH_SWEEP_SERIALS)
	{
		*key = parts->serial[e];
		return ph_task_serial_goes_on(parts, e) && parts->part[e] != parts->part[next] ? next
																					   : PH_NONE;
	}
	next = parts->link_next[e];
	if (next == PH_NONE || parts->part[next] == parts->part[e] ||
		parts->runtime[parts->part[next]] == parts->runtime[parts->part[e]])
		return PH_NONE;
	return next;
}

static void
push_pair(Sweep *sweep, uint32_t x, uint32_t y)
{
	sweep->stack[sweep->n_stack++] = x;
	sweep->stack[sweep->n_stack++] = y;
}

/*
 * The set of `root` is followed by a part, found with a key. Followers of a lesser key than the
 * set's do not count. The first one is kept; each further one is put on the stack to be united with
 * it, as parts that follow one set belong together.
 */
static void
add_follower(Sweep *sweep, uint32_t root, int32_t key, uint32_t follower)
{
	if (follower == PH_NONE || key < sweep->key[root])
		return;
	if (sweep->follower[root] == PH_NONE)
		sweep->follower[root] = follower;
	else
		push_pair(sweep, sweep->follower[root], follower);
}

static void
join_pending(Sweep *sweep, uint32_t root, uint32_t other)
{
	uint32_t last = sweep->pending[other];
	if (last == PH_NONE)
		return;
	if (sweep->pending[root] == PH_NONE)
	{
		sweep->pending[root] = last;
		return;
	}
	/* circular lists, told by their last element */
	uint32_t first = sweep->pend_next[last];
	sweep->pend_next[last] = sweep->pend_next[sweep->pending[root]];
	sweep->pend_next[sweep->pending[root]] = first;
	sweep->pending[root] = last;
}

/*
 * Unites the sets of two parts. Where both have followers of one key, these are put on the stack to
 * be united as well; followers of the lesser key are forgotten.
 */
static void
unite_two(Sweep *sweep, uint32_t x, uint32_t y)
{
	x = ph_set_find(sweep->set, x);
	y = ph_set_find(sweep->set, y);
	if (!ph_set_unite(sweep->set, x, y))
		return;
	uint32_t root = PH_MIN(x, y), other = PH_MAX(y, x), follower = sweep->follower[other];
	int32_t other_key = sweep->key[other];
	join_pending(sweep, root, other);
	if (sweep->highest[root] < sweep->highest[other])
		sweep->highest[root] = sweep->highest[other];
	if (other_key > sweep->key[root])
	{
		sweep->key[root] = other_key;
		sweep->follower[root] = PH_NONE;
	}
	add_follower(sweep, root, other_key, follower);
}

/*
 * Unites the pairs on the stack, and those that this puts there. Each union lessens the number of
 * sets by one, so all calls together do fewer unions than there are parts.
 */
static void
unite_all(Sweep *sweep)
{
	while (sweep->n_stack > 0)
	{
		uint32_t y = sweep->stack[--sweep->n_stack], x = sweep->stack[--sweep->n_stack];
		unite_two(sweep, x, y);
	}
}

/*
 * Adds what the part's events lead to as followers of its set, uniting at once what that brings
 * together.
 */
static PhStatus
sweep_part(Sweep *sweep, uint32_t p)
{
	const PhTaskParts *parts = sweep->parts;
	for (uint32_t i = sweep->first[p]; i < sweep->first[p + 1]; i++)
	{
		int32_t key;
		uint32_t next = follower_of(sweep, sweep->order[i], &key);
		PH_TRY(ph_env_poll(parts->env));
		if (next == PH_NONE)
			continue;
		add_follower(sweep, ph_set_find(sweep->set, p), key, parts->part[next]);
		unite_all(sweep);
	}
	return PH_OK;
}

/*
 * Sweeps all parts of p's set that have not been swept, once p is the set's last part in
 * topological order: only then all of the set's members are known that earlier unions can have
 * added.
 */
static PhStatus
sweep_set(Sweep *sweep, uint32_t p)
{
	uint32_t root = ph_set_find(sweep->set, p), last = sweep->pending[root];
	if (sweep->highest[root] != p || last == PH_NONE)
		return PH_OK;
	uint32_t part = sweep->pend_next[last], stop = part;
	sweep->pending[root] = PH_NONE;
	do
	{
		uint32_t next = sweep->pend_next[part];
		sweep->pend_next[part] = part;
		PH_TRY(sweep_part(sweep, part));
		part = next;
	} while (part != stop);
	return PH_OK;
}

static PhStatus
sort_events(Sweep *sweep)
{
	const PhTaskParts *parts = sweep->parts;
	PH_TRY(PH_NEW(&sweep->arena, (size_t) parts->n_parts + 2, &sweep->first));
	PH_TRY(PH_NEW(&sweep->arena, parts->n_events, &sweep->order));
	uint32_t *next = sweep->first + 1;
	for (uint32_t e = 0; e < parts->n_events; e++)
		next[parts->part[e] + 1]++;
	for (uint32_t p = 0; p < parts->n_parts; p++)
		next[p + 1] += next[p];
	for (uint32_t e = 0; e < parts->n_events; e++)
		sweep->order[next[parts->part[e]]++] = e;
	return PH_OK;
}

static PhStatus
prepare(Sweep *sweep)
{
	const PhTaskParts *parts = sweep->parts;
	PhArena *arena = &sweep->arena;
	uint32_t n = parts->n_parts;
	PH_TRY(PH_NEW(arena, n, &sweep->set));
	PH_TRY(PH_NEW(arena, n, &sweep->key));
	PH_TRY(PH_NEW(arena, n, &sweep->follower));
	PH_TRY(PH_NEW(arena, n, &sweep->highest));
	PH_TRY(PH_NEW(arena, n, &sweep->pending));
	PH_TRY(PH_NEW(arena, n, &sweep->pend_next));
	PH_TRY(PH_NEW(arena, 2 * (size_t) n + 2, &sweep->stack));
	for (uint32_t p = 0; p < n; p++)
	{
		sweep->set[p] = sweep->highest[p] = sweep->pending[p] = sweep->pend_next[p] = p;
		sweep->key[p] = sweep->kind == PH_SWEEP_SERIALS ? parts->most_serial[p] : 0;
		sweep->follower[p] = PH_NONE;
	}
	return sort_events(sweep);
}

static PhStatus
sweep_all_sets(Sweep *sweep)
{
	PhTaskParts *parts = sweep->parts;
	PH_TRY(prepare(sweep));
	for (uint32_t p = 0; p < parts->n_parts; p++)
		PH_TRY(sweep_set(sweep, p));
	return ph_task_parts_regroup(parts, sweep->set, ph_set_number(sweep->set, parts->n_parts),
								 sweep->kind == PH_SWEEP_REPAIR ? PH_MERGE_SPLIT_BLOCK
																: PH_MERGE_SERIALS);
}

PhStatus
ph_task_parts_sweep(PhTaskParts *parts, PhTaskSweep kind)
{
	Sweep sweep;
	memset(&sweep, 0, sizeof(sweep));
	sweep.parts = parts;
	sweep.kind = kind;
	ph_arena_init(&sweep.arena, parts->env);
	PhStatus status = sweep_all_sets(&sweep);
	ph_arena_drop(&sweep.arena);
	return status;
}
