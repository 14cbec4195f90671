/*
 * origins.c - see origins.h: forwards what each wait is made of, backwards what it costs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/origins.h"

#include <string.h>

#include "base/fetch.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "base/table.h"
#include "trace/internal.h"

/* So much longer was the awaited location in a call path. */
typedef struct Excess
{
	int64_t time;
	uint32_t delay;
} Excess;

/* What a location caused in delays that are not told one by one. */
typedef struct Rest
{
	int64_t time;
	uint32_t location;
} Rest;

/* What a wait is made of. */
typedef struct Parts
{
	int64_t excess, waited;		  /* sums; both 0: nothing explains it */
	uint32_t first, n;			  /* of the excesses */
	uint32_t first_wait, n_waits; /* of the awaited location, in its interval */
} Parts;

/* What an awaited location did in a time: of several waits for it the same. */
typedef struct Awaited
{
	uint32_t location;
	int64_t from, to;
	uint32_t first_wait, n_waits;
	int64_t waited;
	PhPathSum sum;
	PH_VECTOR(Excess) origins; /* of its waits: the largest */
	PH_VECTOR(Rest) rests;	   /* and what else there was, by location */
} Awaited;

/* A delay that was looked up, and its node + 1. */
typedef struct KnownDelay
{
	uint32_t node, delay;
} KnownDelay;

#define KNOWN_DELAYS 4 /* of a location */

typedef struct Finder
{
	PhEnv *env;
	PhArena *arena;
	const PhBlameInput *input;
	const PhWait *waits;
	PhArena scratch;
	uint32_t *order; /* waits by their ends, tiers, victims */
	Parts *parts;	 /* by wait */
	int64_t *passed; /* by wait */
	PhWaitOrigins *origins;
	PH_VECTOR(Excess) excesses;
	PhMap delay_of;		  /* (location, node) */
	KnownDelay *known_of; /* by location and node % KNOWN_DELAYS: the last one */
	PH_VECTOR(PhDelay) delays;
	PhPathSum victim;
	Awaited awaited;
	uint32_t *sort_buffer;		/* as many as there are nodes */
	PH_VECTOR(int64_t) weights; /* by delay: 0 but while origins are added up */
	PhIndices weighted;			/* delays that have one */
	PH_VECTOR(int64_t) rests;	/* the same by location */
	PhIndices with_rest;
	int64_t unexplained, outside, own;
} Finder;

/* ---- order ---- */

/* Waits by tier, then victim. */
static void
fill_by_tier(const Finder *finder, PhKeyed *keyed)
{
	uint32_t n = finder->input->waits->n, next[PH_WAIT_TIERS + 1] = {0};
	for (uint32_t i = 0; i < n; i++)
		next[ph_wait_tier(&finder->waits[i]) + 1]++;
	for (uint32_t tier = 0; tier < PH_WAIT_TIERS; tier++)
		next[tier + 1] += next[tier];
	for (uint32_t i = 0; i < n; i++)
		keyed[next[ph_wait_tier(&finder->waits[i])]++] =
			(PhKeyed){ph_time_key(finder->waits[i].to), i};
}

/* By their ends, those of one end by tier, then victim: the sort is stable. */
static PhStatus
order_waits(Finder *finder)
{
	uint32_t n = finder->input->waits->n;
	PhArena scratch;
	PhKeyed *keyed;
	ph_arena_init(&scratch, finder->env);
	PhStatus status = PH_NEW_UNSET(&scratch, 2 * (size_t) n, &keyed);
	if (status == PH_OK)
		fill_by_tier(finder, keyed);
	if (status == PH_OK)
		status = ph_trace_sort_keys(finder->env, keyed, n, keyed + n);
	if (status == PH_OK)
		status = PH_NEW_UNSET(&finder->scratch, n, &finder->order);
	for (uint32_t i = 0; i < n && status == PH_OK; i++)
		finder->order[i] = keyed[i].item;
	ph_arena_drop(&scratch);
	return status;
}

/* ---- delays ---- */

static PhStatus
find_delay(Finder *finder, uint32_t location, uint32_t node, uint32_t *out)
{
	uint32_t *found;
	PH_TRY(
		ph_map_enter(&finder->delay_of, ph_map_key(location, node), finder->delays.count, &found));
	*out = *found;
	if (*out < finder->delays.count)
		return PH_OK;
	PH_TRY(PH_ROOM(finder->env, &finder->delays));
	PH_TRY(PH_ROOM(finder->env, &finder->weights));
	finder->delays.items[finder->delays.count++] = (PhDelay){node, location, 0, 0};
	finder->weights.items[finder->weights.count++] = 0;
	while (finder->rests.count <= location)
	{
		PH_TRY(PH_ROOM(finder->env, &finder->rests));
		finder->rests.items[finder->rests.count++] = 0;
	}
	return PH_OK;
}

/* Mostly a few call paths of each location are slower than others. */
static inline PhStatus
delay_of(Finder *finder, uint32_t location, uint32_t node, uint32_t *out)
{
	KnownDelay *known = &finder->known_of[(size_t) location * KNOWN_DELAYS + node % KNOWN_DELAYS];
	if (known->node != node + 1)
	{
		PH_TRY(find_delay(finder, location, node, &known->delay));
		known->node = node + 1;
	}
	*out = known->delay;
	return PH_OK;
}

/* An order of call paths and locations that does not depend on how they are numbered. */
static int
excess_order(const Finder *finder, const Excess *x, const Excess *y)
{
	const PhDelay *a = &finder->delays.items[x->delay], *b = &finder->delays.items[y->delay];
	uint64_t key_a = finder->input->node_keys[a->node], key_b = finder->input->node_keys[b->node];
	if (key_a != key_b)
		return key_a < key_b ? -1 : 1;
	return a->location < b->location ? -1 : a->location > b->location;
}

/* ---- what a wait is made of ---- */

/* What of a wait is after a time, before its end. */
static int64_t
length_after(const PhWait *wait, int64_t from)
{
	return wait->to - PH_MAX(wait->from, from);
}

static void
add_weight(Finder *finder, uint32_t delay, int64_t weight)
{
	if (weight <= 0)
		return;
	if (finder->weights.items[delay] == 0)
		finder->weighted.items[finder->weighted.count++] = delay;
	finder->weights.items[delay] += weight;
}

static void
add_rest(Finder *finder, uint32_t location, int64_t time)
{
	if (time <= 0)
		return;
	if (finder->rests.items[location] == 0)
		finder->with_rest.items[finder->with_rest.count++] = location;
	finder->rests.items[location] += time;
}

/* Room for the marks of all delays and locations. */
static PhStatus
reserve_marks(Finder *finder)
{
	PH_TRY(PH_RESERVE(finder->env, &finder->weighted, finder->delays.count));
	return PH_RESERVE(finder->env, &finder->with_rest, finder->rests.count);
}

static bool
is_larger(const Finder *finder, const Excess *x, const Excess *y)
{
	return x->time != y->time ? x->time > y->time : excess_order(finder, x, y) < 0;
}

/* The largest of the weights, at most n of them, in order; the others are added to the rests of
 * their locations. The weights are 0 then. */
static uint32_t
take_largest(Finder *finder, Excess *out, uint32_t n)
{
	uint32_t found = 0;
	for (uint32_t i = 0; i < finder->weighted.count; i++)
	{
		Excess excess = {finder->weights.items[finder->weighted.items[i]],
						 finder->weighted.items[i]};
		Excess lost = excess;
		finder->weights.items[excess.delay] = 0;
		if (found == n && is_larger(finder, &excess, &out[n - 1]))
			lost = out[n - 1];
		if (found == n)
			add_rest(finder, finder->delays.items[lost.delay].location, lost.time);
		if (found == n && lost.delay == excess.delay)
			continue;
		uint32_t at = found < n ? found++ : n - 1;
		for (; at > 0 && is_larger(finder, &excess, &out[at - 1]); at--)
			out[at] = out[at - 1];
		out[at] = excess;
	}
	finder->weighted.count = 0;
	return found;
}

static bool
is_larger_rest(const Rest *x, const Rest *y)
{
	return x->time != y->time ? x->time > y->time : x->location < y->location;
}

/* The largest of the rests, at most n of them, in order; they are 0 then. */
static uint32_t
take_rests(Finder *finder, Rest *out, uint32_t n)
{
	uint32_t found = 0;
	for (uint32_t i = 0; i < finder->with_rest.count; i++)
	{
		uint32_t location = finder->with_rest.items[i];
		Rest rest = {finder->rests.items[location], location};
		finder->rests.items[location] = 0;
		if (found == n && !is_larger_rest(&rest, &out[n - 1]))
			continue;
		uint32_t at = found < n ? found++ : n - 1;
		for (; at > 0 && is_larger_rest(&rest, &out[at - 1]); at--)
			out[at] = out[at - 1];
		out[at] = rest;
	}
	finder->with_rest.count = 0;
	return found;
}

#define AWAITED_ORIGINS 16
#define AWAITED_RESTS 16

static int64_t
share_of(const PhWait *wait, float share)
{
	return (int64_t) ((double) (wait->to - wait->from) * (double) share);
}

/* What the awaited location's own waits came from, weighed by their length. */
static PhStatus
add_up_origins(Finder *finder)
{
	Awaited *awaited = &finder->awaited;
	PH_TRY(reserve_marks(finder));
	PH_TRY(PH_RESERVE(finder->env, &awaited->origins, AWAITED_ORIGINS));
	PH_TRY(PH_RESERVE(finder->env, &awaited->rests, AWAITED_RESTS));
	for (uint32_t i = 0; i < awaited->n_waits; i++)
	{
		const PhWait *wait = &finder->waits[awaited->first_wait + i];
		const PhWaitOrigins *origins = &finder->origins[awaited->first_wait + i];
		for (uint32_t k = 0; k < PH_WAIT_ORIGINS && origins->largest[k].delay != PH_NONE; k++)
			add_weight(finder, origins->largest[k].delay,
					   share_of(wait, origins->largest[k].share));
		for (uint32_t k = 0; k < PH_WAIT_RESTS && origins->rests[k].location != PH_NONE; k++)
			add_rest(finder, origins->rests[k].location, share_of(wait, origins->rests[k].share));
	}
	awaited->origins.count = take_largest(finder, awaited->origins.items, AWAITED_ORIGINS);
	awaited->rests.count = take_rests(finder, awaited->rests.items, AWAITED_RESTS);
	return PH_OK;
}

/* So few that it takes less to put in order what they exceed the victim's times by. */
#define FEW_NODES 8

static int
compare_nodes(const void *context, uint32_t x, uint32_t y)
{
	const uint64_t *keys = context;
	return keys[x] < keys[y] ? -1 : keys[x] > keys[y];
}

/* What the awaited location did in the time that counts, unless the last wait asked the same. */
static PhStatus
look_at_awaited(Finder *finder, uint32_t index)
{
	const PhWait *wait = &finder->waits[index];
	Awaited *awaited = &finder->awaited;
	int64_t from = finder->input->intervals[index].awaited_from;
	if (awaited->location == wait->awaited && awaited->from == from && awaited->to == wait->release)
		return PH_OK;
	awaited->location = wait->awaited;
	awaited->from = from;
	awaited->to = wait->release;
	ph_path_sum_clear(&awaited->sum);
	ph_path_times_of_awaited(finder->input->times, index, &awaited->sum);
	if (awaited->sum.n > FEW_NODES)
		PH_TRY(ph_sort(finder->env, awaited->sum.nodes, awaited->sum.n, finder->sort_buffer,
					   compare_nodes, finder->input->node_keys));
	awaited->n_waits =
		ph_path_times_waits_of_awaited(finder->input->times, index, &awaited->first_wait);
	awaited->waited = 0;
	for (uint32_t i = 0; i < awaited->n_waits; i++)
		awaited->waited += length_after(&finder->waits[awaited->first_wait + i], from);
	return finder->input->sums_only ? PH_OK : add_up_origins(finder);
}

/* Adds an excess to those from the first one on, in the order of their call paths. */
static PhStatus
add_excess(Finder *finder, uint32_t first, const Excess *excess)
{
	PH_TRY(PH_ROOM(finder->env, &finder->excesses));
	Excess *excesses = finder->excesses.items;
	uint32_t at = finder->excesses.count++;
	for (; at > first && excess_order(finder, &excesses[at - 1], excess) > 0; at--)
		excesses[at] = excesses[at - 1];
	excesses[at] = *excess;
	return PH_OK;
}

static PhStatus
find_excesses(Finder *finder, uint32_t index, Parts *parts)
{
	const PhWait *wait = &finder->waits[index];
	const PhPathSum *sum = &finder->awaited.sum;
	ph_path_sum_clear(&finder->victim);
	ph_path_times_of_victim(finder->input->times, index, &finder->victim);
	parts->first = finder->excesses.count;
	for (uint32_t i = 0; i < sum->n; i++)
	{
		uint32_t node = sum->nodes[i];
		Excess excess = {sum->time[node] - finder->victim.time[node], 0};
		if (excess.time <= 0)
			continue;
		PH_TRY(delay_of(finder, wait->awaited, node, &excess.delay));
		PH_TRY(add_excess(finder, parts->first, &excess));
		parts->excess += excess.time;
	}
	parts->n = finder->excesses.count - parts->first;
	return PH_OK;
}

static void
note_origins(const Excess *largest, uint32_t n, const Rest *rests, uint32_t n_rests, double whole,
			 PhWaitOrigins *out)
{
	for (uint32_t i = 0; i < PH_WAIT_ORIGINS; i++)
		out->largest[i] =
			i < n ? (PhWaitOrigin){largest[i].delay, (float) ((double) largest[i].time / whole)}
				  : (PhWaitOrigin){PH_NONE, 0};
	for (uint32_t i = 0; i < PH_WAIT_RESTS; i++)
		out->rests[i] =
			i < n_rests ? (PhWaitRest){rests[i].location, (float) ((double) rests[i].time / whole)}
						: (PhWaitRest){PH_NONE, 0};
}

static PhStatus
find_origins(Finder *finder, uint32_t index)
{
	const Parts *parts = &finder->parts[index];
	const Awaited *awaited = &finder->awaited;
	Excess largest[PH_WAIT_ORIGINS];
	Rest rests[PH_WAIT_RESTS];
	PH_TRY(reserve_marks(finder));
	for (uint32_t i = 0; i < parts->n; i++)
		add_weight(finder, finder->excesses.items[parts->first + i].delay,
				   finder->excesses.items[parts->first + i].time);
	for (uint32_t i = 0; i < awaited->origins.count; i++)
		add_weight(finder, awaited->origins.items[i].delay, awaited->origins.items[i].time);
	for (uint32_t i = 0; i < awaited->rests.count; i++)
		add_rest(finder, awaited->rests.items[i].location, awaited->rests.items[i].time);
	uint32_t n = take_largest(finder, largest, PH_WAIT_ORIGINS);
	uint32_t n_rests = take_rests(finder, rests, PH_WAIT_RESTS);
	note_origins(largest, n, rests, n_rests, (double) (parts->excess + parts->waited),
				 &finder->origins[index]);
	return PH_OK;
}

/* Who waits for files waits for its own call path. */
static PhStatus
blame_itself(Finder *finder, uint32_t index, Parts *parts)
{
	const PhWait *wait = &finder->waits[index];
	uint32_t node = ph_path_times_wait_nodes(finder->input->times)[index];
	Excess excess = {wait->to - wait->from, 0};
	if (node == PH_NONE)
		return PH_OK;
	PH_TRY(delay_of(finder, wait->victim, node, &excess.delay));
	PH_TRY(PH_ROOM(finder->env, &finder->excesses));
	parts->first = finder->excesses.count;
	parts->n = 1;
	parts->excess = excess.time;
	finder->excesses.items[finder->excesses.count++] = excess;
	if (!finder->input->sums_only)
		finder->origins[index].largest[0] = (PhWaitOrigin){excess.delay, 1};
	return PH_OK;
}

/* Forwards: the waits that one is passed to are known before. */
static PhStatus
take_apart(Finder *finder, uint32_t index)
{
	Parts *parts = &finder->parts[index];
	PH_TRY(ph_env_poll(finder->env));
	if (finder->waits[index].kind == PH_WAIT_IO)
		return blame_itself(finder, index, parts);
	PH_TRY(look_at_awaited(finder, index));
	PH_TRY(find_excesses(finder, index, parts));
	parts->waited = finder->awaited.waited;
	parts->first_wait = finder->awaited.first_wait;
	parts->n_waits = finder->awaited.n_waits;
	return finder->input->sums_only ? PH_OK : find_origins(finder, index);
}

/* ---- what it costs ---- */

/*
 * The part of an amount up to `sum` of `whole`, rounded down: parts that follow each other add up
 * to the amount.
 */
static int64_t
part_of(int64_t amount, int64_t sum, int64_t whole)
{
	int64_t product;
	if (__builtin_mul_overflow(amount, sum, &product))
		return (int64_t) ((__int128) amount * sum / whole);
	return product / whole;
}

static bool
ends_before(const PhWait *wait, const PhWait *other)
{
	return wait->to < other->to ||
		   (wait->to == other->to && ph_wait_tier(wait) < ph_wait_tier(other));
}

/* Passes an amount to the waits of the awaited location, if they ended before. */
static void
pass_on(Finder *finder, uint32_t index, int64_t amount)
{
	const Parts *parts = &finder->parts[index];
	int64_t sum = 0, given = 0;
	for (uint32_t i = parts->first_wait; i < parts->first_wait + parts->n_waits; i++)
	{
		sum += length_after(&finder->waits[i], finder->input->intervals[index].awaited_from);
		int64_t share = part_of(amount, sum, parts->waited) - given;
		given += share;
		if (!ends_before(&finder->waits[i], &finder->waits[index]))
			finder->unexplained += share;
		else if (finder->waits[i].to <= finder->input->from)
			finder->outside += share;
		else
			finder->passed[i] += share;
	}
}

/* The short-term costs of a wait and the long-term ones that were passed to it. */
static void
blame(Finder *finder, uint32_t index, int64_t amount, bool is_long_term, int64_t *to_pass)
{
	const Parts *parts = &finder->parts[index];
	int64_t whole = parts->excess + parts->waited, sum = 0, given = 0;
	if (whole == 0)
	{
		finder->unexplained += amount;
		return;
	}
	for (uint32_t i = parts->first; i < parts->first + parts->n; i++)
	{
		PhDelay *delay = &finder->delays.items[finder->excesses.items[i].delay];
		sum += finder->excesses.items[i].time;
		int64_t share = part_of(amount, sum, whole) - given;
		given += share;
		*(is_long_term ? &delay->long_term : &delay->short_term) += share;
	}
	*to_pass += amount - given;
}

/* Waits are met by time, which is anywhere in memory: the i-th and what is known of it are soon
 * read. */
static void
fetch_ahead(const Finder *finder, uint32_t i)
{
	uint32_t index = finder->order[i];
	ph_fetch(&finder->waits[index]);
	ph_fetch(&finder->input->intervals[index]);
	ph_fetch(&finder->parts[index]);
	ph_fetch(&finder->passed[index]);
}

/* What is known of it was read before. */
static void
fetch_excesses(const Finder *finder, uint32_t i)
{
	const Parts *parts = &finder->parts[finder->order[i]];
	if (parts->n > 0)
		ph_fetch(&finder->excesses.items[parts->first]);
	if (parts->n_waits > 0)
		ph_fetch(&finder->waits[parts->first_wait]);
}

/*
 * Backwards: what was passed to a wait is known before it is passed on. Waits for one member of a
 * collective follow each other, and what they pass goes to the same waits at once.
 */
static PhStatus
blame_all(Finder *finder)
{
	int64_t to_pass = 0;
	uint32_t last = PH_NONE;
	for (uint32_t i = finder->input->waits->n; i-- > 0;)
	{
		uint32_t index = finder->order[i];
		const PhWait *wait = &finder->waits[index];
		PH_TRY(ph_env_poll(finder->env));
		if (i >= 2 * PH_FETCH_AHEAD)
			fetch_ahead(finder, i - 2 * PH_FETCH_AHEAD);
		if (i >= PH_FETCH_AHEAD)
			fetch_excesses(finder, i - PH_FETCH_AHEAD);
		if (wait->to <= finder->input->from || wait->to > finder->input->to)
			continue;
		bool is_same = last != PH_NONE && finder->waits[last].to == wait->to &&
					   finder->waits[last].awaited == wait->awaited &&
					   finder->parts[last].n_waits == finder->parts[index].n_waits &&
					   finder->input->intervals[last].awaited_from ==
						   finder->input->intervals[index].awaited_from;
		if (last != PH_NONE && !is_same)
		{
			pass_on(finder, last, to_pass);
			to_pass = 0;
		}
		if (wait->kind == PH_WAIT_IO)
			finder->own += wait->to - wait->from;
		else if (wait->passage == PH_NO_PASSAGE)
			blame(finder, index, wait->to - wait->from, false, &to_pass);
		blame(finder, index, finder->passed[index], true, &to_pass);
		last = index;
	}
	if (last != PH_NONE)
		pass_on(finder, last, to_pass);
	return PH_OK;
}

/* ---- all ---- */

static PhStatus
start_origins(Finder *finder)
{
	uint32_t n = finder->input->waits->n;
	PH_TRY(PH_NEW(finder->arena, n, &finder->origins));
	const Excess none = {0, PH_NONE};
	const Rest no_rest = {0, PH_NONE};
	for (uint32_t i = 0; i < n; i++)
		note_origins(&none, 0, &no_rest, 0, 1, &finder->origins[i]);
	return PH_OK;
}

static PhStatus
prepare(Finder *finder)
{
	const PhWaitStates *waits = finder->input->waits;
	finder->waits = waits->waits;
	finder->awaited.location = PH_NONE;
	ph_map_init(&finder->delay_of, &finder->scratch);
	PH_TRY(PH_NEW(&finder->scratch, (size_t) waits->n_locations * KNOWN_DELAYS, &finder->known_of));
	PH_TRY(order_waits(finder));
	PH_TRY(PH_NEW(&finder->scratch, waits->n, &finder->parts));
	PH_TRY(PH_NEW(&finder->scratch, waits->n, &finder->passed));
	if (!finder->input->sums_only)
		PH_TRY(start_origins(finder));
	PH_TRY(ph_path_sum_new(&finder->scratch, finder->input->n_nodes, &finder->victim));
	PH_TRY(PH_NEW(&finder->scratch, finder->input->n_nodes, &finder->sort_buffer));
	return ph_path_sum_new(&finder->scratch, finder->input->n_nodes, &finder->awaited.sum);
}

/* In the order of the waits' ends, which is anywhere in memory: what it takes is soon read. */
static PhStatus
take_all_apart(Finder *finder)
{
	uint32_t n = finder->input->waits->n;
	for (uint32_t i = 0; i < n; i++)
	{
		if (i + PH_FETCH_STEPS * PH_FETCH_AHEAD < n)
			fetch_ahead(finder, i + PH_FETCH_STEPS * PH_FETCH_AHEAD);
		for (uint32_t step = 0; step < PH_FETCH_STEPS; step++)
		{
			uint64_t at = (uint64_t) i + (PH_FETCH_STEPS - step) * PH_FETCH_AHEAD;
			if (at < n)
				ph_path_times_fetch(finder->input->times, finder->order[at], (PhPathFetch) step);
		}
		PH_TRY(take_apart(finder, finder->order[i]));
	}
	return PH_OK;
}

static PhStatus
find(Finder *finder, PhBlame *out)
{
	const PhWaitStates *waits = finder->input->waits;
	PhDelay *delays;
	PH_TRY(prepare(finder));
	PH_TRY(take_all_apart(finder));
	PH_TRY(blame_all(finder));
	PH_TRY(PH_NEW(finder->arena, finder->delays.count, &delays));
	for (uint32_t i = 0; i < finder->delays.count; i++)
		delays[i] = finder->delays.items[i];
	*out = (PhBlame){.n_delays = finder->delays.count,
					 .delays = delays,
					 .origins = finder->origins,
					 .unexplained = finder->unexplained,
					 .outside = finder->outside,
					 .own = finder->own};
	for (uint32_t i = 0; i < waits->n; i++)
		if (waits->waits[i].passage == PH_NO_PASSAGE && waits->waits[i].to > finder->input->from &&
			waits->waits[i].to <= finder->input->to)
			out->waited += waits->waits[i].to - waits->waits[i].from;
	return PH_OK;
}

PhStatus
ph_blame_find(PhArena *arena, const PhBlameInput *input, PhBlame *out)
{
	Finder finder = {.env = arena->env, .arena = arena, .input = input};
	ph_arena_init(&finder.scratch, arena->env);
	PhStatus status = find(&finder, out);
	ph_arena_drop(&finder.scratch);
	PH_VECTOR_FREE(arena->env, &finder.excesses);
	PH_VECTOR_FREE(arena->env, &finder.delays);
	PH_VECTOR_FREE(arena->env, &finder.weights);
	PH_VECTOR_FREE(arena->env, &finder.weighted);
	PH_VECTOR_FREE(arena->env, &finder.awaited.origins);
	PH_VECTOR_FREE(arena->env, &finder.awaited.rests);
	PH_VECTOR_FREE(arena->env, &finder.rests);
	PH_VECTOR_FREE(arena->env, &finder.with_rest);
	return status;
}
