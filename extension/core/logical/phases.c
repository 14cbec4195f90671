/*
 * phases.c - from events to phases by merging: groups, messages, collectives, cycles.
 *
 * Events start in runs (wait groups, calls); union-find unites what exchanges messages or takes
 * part in one collective; strongly connected components make the graph of parts acyclic, after
 * which each part is one interval of every timeline that it touches. Method:
 * docs/design/logical-time.md 1.5, 1.6.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/phases.h"

/* --------------------------------------------------------------------------------- groups of runs
 */

/* Which calls make runs of the events below them. */
typedef struct Groups
{
	uint32_t *call; /* by call: the innermost heavy one from it outwards, PH_NONE: none */
	uint32_t *root; /* by call: the outermost one around it */
	uint32_t *only; /* by timeline: the outermost call of all its events, PH_NONE: there is none */
	bool *heavy;	/* by region */
} Groups;

/*
 * A region is heavy when it communicates more than once in some call. By region, as Ravel counts:
 * one heavy call makes all calls of it groups.
 */
static PhStatus
find_group_calls(PhArena *arena, const PhLogicalModel *model, Groups *out)
{
	PH_TRY(PH_NEW(arena, model->n_regions, &out->heavy));
	PH_TRY(PH_NEW(arena, model->n_calls, &out->call));
	PH_TRY(PH_NEW(arena, model->n_calls, &out->root));
	for (uint32_t c = 0; c < model->n_calls; c++)
		if (!model->call_is_event[c] && model->call_comms[c] > 1)
			out->heavy[model->call_region[c]] = true;
	for (uint32_t c = 0; c < model->n_calls; c++)
	{
		uint32_t parent = model->call_parent[c];
		PH_TRY(ph_env_poll_at(model->env, c));
		out->root[c] = parent == PH_NONE ? c : out->root[parent];
		if (out->heavy[model->call_region[c]])
			out->call[c] = c;
		else
			out->call[c] = parent == PH_NONE ? PH_NONE : out->call[parent];
	}
	return PH_OK;
}

static PhStatus
find_only_roots(PhArena *arena, const PhLogicalModel *model, Groups *groups)
{
	PH_TRY(PH_NEW(arena, model->n_timelines, &groups->only));
	for (uint32_t e = 0; e < model->n_events; e++)
	{
		uint32_t t = model->timeline[e], caller = model->caller[e];
		uint32_t root = caller == PH_NONE ? PH_NONE : groups->root[caller];
		PH_TRY(ph_env_poll_at(model->env, e));
		if (e == model->timeline_first[t])
			groups->only[t] = root;
		else if (groups->only[t] != root)
			groups->only[t] = PH_NONE;
	}
	return PH_OK;
}

/* The group call of an event. Coalesced sends have none in Ravel; nor has an event that is heavy.
 */
static uint32_t
group_call(const PhPhasing *phasing, const Groups *groups, uint32_t e)
{
	const PhLogicalModel *model = phasing->model;
	uint32_t region = model->region[e];
	if (phasing->options->compat && (model->flags[e] & PH_COMM_COALESCED) != 0)
		return PH_NONE;
	if (region != PH_NONE && groups->heavy[region] && (model->flags[e] & PH_COMM_NO_CALL) == 0)
		return PH_NONE;
	return model->caller[e] == PH_NONE ? PH_NONE : groups->call[model->caller[e]];
}

/* Does a call hold all events of the timeline, as main and what it only wraps do? */
static bool
holds_timeline(const PhLogicalModel *model, const Groups *groups, uint32_t call, uint32_t timeline)
{
	uint32_t root = groups->root[call];
	return root == groups->only[timeline] && model->call_comms[call] == model->call_comms[root];
}

/*
 * Is event e in one run with the one before it, which has the same group call? The whole program
 * is one call, too, which says nothing about what belongs together: a collective, which everybody
 * reaches at one time, is not joined with what happens to be before and after it there.
 */
static bool
joins_before(const PhPhasing *phasing, const Groups *groups, uint32_t call, uint32_t e)
{
	const PhLogicalModel *model = phasing->model;
	if (phasing->options->compat ||
		(model->kind[e] != PH_COMM_COLLECTIVE && model->kind[e - 1] != PH_COMM_COLLECTIVE))
		return true;
	return !holds_timeline(model, groups, call, model->timeline[e]);
}

/* Runs of events that are one part from the start: wait groups and calls. */
static PhStatus
start_with_runs(PhPhasing *phasing, PhArena *temporary)
{
	const PhLogicalModel *model = phasing->model;
	Groups groups = {NULL, NULL, NULL, NULL};
	uint32_t before = PH_NONE, n = 0;
	bool by_call = phasing->options->call_tree_merge, compat = phasing->options->compat;
	PH_TRY(PH_NEW(&phasing->arena, model->n_events, &phasing->reasons));
	if (by_call)
		PH_TRY(find_group_calls(temporary, model, &groups));
	if (by_call && !compat)
		PH_TRY(find_only_roots(temporary, model, &groups));
	for (uint32_t e = 0; e < model->n_events; e++)
	{
		uint32_t call = by_call ? group_call(phasing, &groups, e) : PH_NONE;
		bool waited = (model->flags[e] & PH_COMM_WAITED) != 0;
		bool called = !compat && (model->flags[e] & PH_COMM_SAME_CALL) != 0;
		PH_TRY(ph_env_poll_at(phasing->env, e));
		if (call != PH_NONE && call == before)
			called = called || joins_before(phasing, &groups, call, e);
		n += e == 0 || !(waited || called) ? 1 : 0;
		phasing->part[e] = n - 1;
		if (waited)
			phasing->reasons[n - 1] |= PH_REASON_BIT(PH_MERGE_WAIT_GROUP);
		if (called)
			phasing->reasons[n - 1] |= PH_REASON_BIT(PH_MERGE_CALL);
		before = call;
	}
	phasing->n_parts = n;
	return PH_OK;
}

/* ---------------------------------------------------------------------------------- by a function
 */

static void
raise(uint32_t *count, uint32_t to)
{
	if (*count < to)
		*count = to;
}

/* Both ends of e's messages get the greater count; a collective's members their greatest, once. */
static void
level_counts(const PhLogicalModel *model, uint32_t *count, bool *met, uint32_t e)
{
	for (uint32_t i = model->first_end[e]; i < model->first_end[e + 1]; i++)
	{
		uint32_t m = model->message_of_end[i];
		uint32_t from = model->send_event[m], to = model->receive_event[m];
		if (from == PH_NONE || to == PH_NONE)
			continue;
		raise(&count[from], count[to]);
		raise(&count[to], count[from]);
	}
	uint32_t c = model->collective[e];
	if (c == PH_NONE || met[c])
		return;
	uint32_t most = 0;
	met[c] = true;
	for (uint32_t i = model->first_member[c]; i < model->first_member[c + 1]; i++)
		raise(&most, count[model->member_event[i]]);
	for (uint32_t i = model->first_member[c]; i < model->first_member[c + 1]; i++)
		raise(&count[model->member_event[i]], most);
}

/* Ravel's repair: one pass in order of timelines, later raises do not go back. */
static PhStatus
repair_counts(PhArena *temporary, const PhLogicalModel *model, uint32_t *count)
{
	bool *met;
	PH_TRY(PH_NEW(temporary, model->n_collectives, &met));
	for (uint32_t e = 0; e < model->n_events; e++)
	{
		PH_TRY(ph_env_poll(model->env));
		if (e > model->timeline_first[model->timeline[e]])
			raise(&count[e], count[e - 1]);
		level_counts(model, count, met, e);
	}
	return PH_OK;
}

/* Parts are the calls of a function, the k-th of every timeline together. */
static PhStatus
start_with_function(PhPhasing *phasing, PhArena *temporary)
{
	const PhLogicalModel *model = phasing->model;
	uint32_t *count, *number, most = 0, n = 0;
	PH_TRY(PH_NEW(temporary, model->n_events, &count));
	for (uint32_t e = 0; e < model->n_events; e++)
		count[e] = model->function_count[e];
	if (phasing->options->compat)
		PH_TRY(repair_counts(temporary, model, count));
	for (uint32_t e = 0; e < model->n_events; e++)
		raise(&most, count[e]);
	PH_TRY(PH_NEW(temporary, (size_t) most + 1, &number));
	for (uint32_t e = 0; e < model->n_events; e++)
		number[count[e]] = 1;
	for (uint32_t k = 0; k <= most && model->n_events > 0; k++)
		number[k] = number[k] == 0 ? 0 : n++;
	for (uint32_t e = 0; e < model->n_events; e++)
		phasing->part[e] = number[count[e]];
	phasing->n_parts = n;
	PH_TRY(PH_NEW(&phasing->arena, n, &phasing->reasons));
	for (uint32_t p = 0; p < n; p++)
		phasing->reasons[p] = PH_REASON_BIT(PH_MERGE_FUNCTION);
	return PH_OK;
}

/* ----------------------------------------------------------------------------------------- merging
 */

static PhStatus
unite_messages(PhPhasing *phasing, uint32_t *set)
{
	const PhLogicalModel *model = phasing->model;
	for (uint32_t m = 0; m < model->n_messages; m++)
	{
		uint32_t from = model->send_event[m], to = model->receive_event[m];
		PH_TRY(ph_env_poll_at(phasing->env, m));
		if (from != PH_NONE && to != PH_NONE)
			ph_set_unite(set, phasing->part[from], phasing->part[to]);
	}
	return PH_OK;
}

static PhStatus
unite_collectives(PhPhasing *phasing, uint32_t *set)
{
	const PhLogicalModel *model = phasing->model;
	for (uint32_t c = 0; c < model->n_collectives; c++)
		for (uint32_t i = model->first_member[c] + 1; i < model->first_member[c + 1]; i++)
		{
			PH_TRY(ph_env_poll_at(phasing->env, i));
			ph_set_unite(set, phasing->part[model->member_event[i - 1]],
						 phasing->part[model->member_event[i]]);
		}
	return PH_OK;
}

static PhStatus
merge_with(PhPhasing *phasing, PhStatus (*unite)(PhPhasing *, uint32_t *), PhMergeReason reason)
{
	PhArena temporary;
	uint32_t *set;
	ph_arena_init(&temporary, phasing->env);
	PhStatus status = PH_NEW(&temporary, phasing->n_parts, &set);
	if (status == PH_OK)
	{
		for (uint32_t p = 0; p < phasing->n_parts; p++)
			set[p] = p;
		status = unite(phasing, set);
	}
	if (status == PH_OK)
		status = ph_phasing_regroup(phasing, set, ph_set_number(set, phasing->n_parts), reason);
	ph_arena_drop(&temporary);
	return status;
}

static PhStatus
merge_cycles(PhPhasing *phasing)
{
	PhArena temporary;
	PhGraph graph;
	uint32_t *component = NULL, n;
	ph_arena_init(&temporary, phasing->env);
	PhStatus status = ph_graph_of_parts(&temporary, phasing->model, phasing->part, phasing->n_parts,
										false, &graph);
	if (status == PH_OK)
		status = PH_NEW(&temporary, phasing->n_parts, &component);
	if (status == PH_OK)
		status = ph_graph_components(phasing->env, &graph, component, &n);
	if (status == PH_OK)
		status = ph_phasing_regroup(phasing, component, n, PH_MERGE_CYCLE);
	ph_arena_drop(&temporary);
	return status;
}

/* Where users say which function a phase is, that is not undone. */
static PhStatus
merge_chains(PhPhasing *phasing)
{
	const PhLogicalOptions *options = phasing->options;
	uint32_t n_parts = phasing->n_parts;
	if (!options->super_phases || options->compat || options->phase_function != NULL)
		return PH_OK;
	PH_TRY(merge_with(phasing, ph_phasing_unite_chains, PH_MERGE_CHAIN));
	return phasing->n_parts == n_parts ? PH_OK : merge_cycles(phasing);
}

static PhStatus
start_parts(PhPhasing *phasing)
{
	PhArena temporary;
	bool by_function =
		phasing->options->phase_function != NULL && phasing->model->function_count != NULL;
	PH_TRY(PH_NEW(&phasing->arena, phasing->model->n_events, &phasing->part));
	ph_arena_init(&temporary, phasing->env);
	PhStatus status = by_function ? start_with_function(phasing, &temporary)
								  : start_with_runs(phasing, &temporary);
	ph_arena_drop(&temporary);
	return status;
}

PhStatus
ph_phasing_run(PhPhasing *phasing)
{
	PH_TRY(start_parts(phasing));
	PH_TRY(merge_with(phasing, unite_messages, PH_MERGE_MESSAGE));
	PH_TRY(merge_with(phasing, unite_collectives, PH_MERGE_COLLECTIVE));
	PH_TRY(merge_cycles(phasing));
	PH_TRY(merge_chains(phasing));
	if (!phasing->options->leap_merge)
		return PH_OK;
	PH_TRY(ph_phasing_leap_merge(phasing));
	return merge_cycles(phasing);
}
