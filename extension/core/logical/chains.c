/*
 * chains.c - chains of small phases become one, so that lateness has peers.
 *
 * In a sweep (a wavefront, a tree, a pipeline) few processes hand on to few others: each hand-over
 * is a phase of its own, with hardly anybody to compare with. Where one follows the other, does the
 * same and reaches others, they are united; steps then tell who is how far in the sweep. What is
 * united only with what has the same processes is an iteration, and stays by itself. Method:
 * docs/design/logical-time.md 1.6.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/hash.h"
#include "base/table.h"
#include "logical/identity.h"
#include "logical/phases.h"

typedef struct Chains
{
	const PhPhasing *phasing;
	PhArena *arena;
	uint32_t *first_member; /* by part, + 1 */
	uint32_t *member;		/* timelines of a part, ascending */
	bool *hands_on;			/* by part: messages only, on no timeline a receive after a send */
	uint64_t *does;			/* by part: a hash of the set of what its events do, and from where */
} Chains;

static bool
begins_member(const PhPhasing *phasing, uint32_t e)
{
	const PhLogicalModel *model = phasing->model;
	return e == model->timeline_first[model->timeline[e]] ||
		   phasing->part[e] != phasing->part[e - 1];
}

/* A part is one interval of each timeline, so events tell members in order of timelines. */
static PhStatus
list_members(Chains *chains)
{
	const PhPhasing *phasing = chains->phasing;
	uint32_t *next, n_events = phasing->model->n_events, n = 0;
	PH_TRY(PH_NEW(chains->arena, (size_t) phasing->n_parts + 1, &chains->first_member));
	PH_TRY(PH_NEW(chains->arena, phasing->n_parts, &next));
	for (uint32_t e = 0; e < n_events; e++)
		if (begins_member(phasing, e))
		{
			chains->first_member[phasing->part[e] + 1]++;
			n++;
		}
	for (uint32_t p = 0; p < phasing->n_parts; p++)
	{
		next[p] = chains->first_member[p];
		chains->first_member[p + 1] += next[p];
	}
	PH_TRY(PH_NEW(chains->arena, n, &chains->member));
	for (uint32_t e = 0; e < n_events; e++)
		if (begins_member(phasing, e))
			chains->member[next[phasing->part[e]]++] = phasing->model->timeline[e];
	return ph_env_poll(phasing->env);
}

static uint32_t
n_members(const Chains *chains, uint32_t part)
{
	return chains->first_member[part + 1] - chains->first_member[part];
}

/* Parts of several timelines, but not of all, in which everybody receives before he sends. */
static PhStatus
find_small(Chains *chains, uint32_t *n)
{
	const PhLogicalModel *model = chains->phasing->model;
	const uint32_t *part = chains->phasing->part;
	bool *hands_on;
	*n = 0;
	PH_TRY(PH_NEW(chains->arena, chains->phasing->n_parts, &hands_on));
	for (uint32_t p = 0; p < chains->phasing->n_parts; p++)
		hands_on[p] = n_members(chains, p) > 1 && n_members(chains, p) < model->n_timelines;
	for (uint32_t e = 0; e < model->n_events; e++)
	{
		PH_TRY(ph_env_poll_at(model->env, e));
		if (model->kind[e] == PH_COMM_COLLECTIVE ||
			(model->kind[e] == PH_COMM_RECEIVE && !begins_member(chains->phasing, e) &&
			 model->kind[e - 1] == PH_COMM_SEND))
			hands_on[part[e]] = false;
	}
	for (uint32_t p = 0; p < chains->phasing->n_parts; p++)
		*n += hands_on[p];
	chains->hands_on = hands_on;
	return PH_OK;
}

/* A sum does not depend on the order of events, and each kind counts once. */
static PhStatus
find_what_they_do(Chains *chains)
{
	const PhPhasing *phasing = chains->phasing;
	uint64_t *call_keys;
	PhMap known;
	ph_map_init(&known, chains->arena);
	PH_TRY(PH_NEW(chains->arena, phasing->n_parts, &chains->does));
	PH_TRY(ph_logical_call_keys(chains->arena, phasing->model, &call_keys));
	for (uint32_t e = 0; e < phasing->model->n_events; e++)
	{
		uint32_t p = phasing->part[e], count = known.count, *place;
		PH_TRY(ph_env_poll_at(phasing->env, e));
		if (!chains->hands_on[p])
			continue;
		uint64_t key = ph_role_key(phasing->model, call_keys, e);
		PH_TRY(ph_map_enter(&known, ph_hash_add(key, p), 0, &place));
		if (known.count > count)
			chains->does[p] += ph_hash_mix(key);
	}
	return PH_OK;
}

static bool
is_member(const Chains *chains, uint32_t part, uint32_t timeline)
{
	uint32_t low = chains->first_member[part], high = chains->first_member[part + 1];
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		if (chains->member[middle] < timeline)
			low = middle + 1;
		else
			high = middle;
	}
	return low < chains->first_member[part + 1] && chains->member[low] == timeline;
}

/* Has each of the two a timeline that the other has not? O(the smaller one, log of the other). */
static bool
reaches_others(const Chains *chains, uint32_t p, uint32_t q)
{
	uint32_t less = n_members(chains, p) <= n_members(chains, q) ? p : q, more = p + q - less;
	for (uint32_t i = chains->first_member[less]; i < chains->first_member[less + 1]; i++)
		if (!is_member(chains, more, chains->member[i]))
			return true;
	return false;
}

static PhStatus
unite_neighbours(const Chains *chains, uint32_t *set)
{
	const PhPhasing *phasing = chains->phasing;
	PhGraph graph;
	PH_TRY(ph_graph_of_parts(chains->arena, phasing->model, phasing->part, phasing->n_parts, false,
							 &graph));
	for (uint32_t p = 0; p < phasing->n_parts; p++)
		for (uint32_t i = graph.first[p]; chains->hands_on[p] && i < graph.first[p + 1]; i++)
		{
			uint32_t q = graph.target[i];
			PH_TRY(ph_env_poll(phasing->env));
			if (chains->hands_on[q] && chains->does[p] == chains->does[q] &&
				reaches_others(chains, p, q))
				ph_set_unite(set, p, q);
		}
	return PH_OK;
}

PhStatus
ph_phasing_unite_chains(PhPhasing *phasing, uint32_t *set)
{
	PhArena temporary;
	Chains chains = {.phasing = phasing, .arena = &temporary};
	uint32_t n_small = 0;
	ph_arena_init(&temporary, phasing->env);
	PhStatus status = list_members(&chains);
	if (status == PH_OK)
		status = find_small(&chains, &n_small);
	if (status == PH_OK && n_small > 1)
		status = find_what_they_do(&chains);
	if (status == PH_OK && n_small > 1)
		status = unite_neighbours(&chains, set);
	ph_arena_drop(&temporary);
	return status;
}
