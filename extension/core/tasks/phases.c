/*
 * phases.c - from initial parts of tasks to phases: merging along the graph of parts.
 *
 * Messages unite parts; circles of the graph do; split serial blocks and neighbouring serials are
 * repaired; order is inferred from the times of first sources; what cannot be ordered within a leap
 * is united. Method: docs/design/logical-time.md 2.5; SC'15 algorithms 1 to 4.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/table.h"
#include "tasks/parts.h"

/* ---------------------------------------------------------------------------------------- graph
 */

/*
 * May the graph have an edge from e's part to that of the serial after it? Only where the parts'
 * ranges of serial numbers leave no doubt which comes first. The mark PH_TE_NEXT that follows from
 * it is never taken back: merging widens ranges, and an edge that was there must remain.
 */
static bool
is_before_next_serial(const PhTaskParts *parts, uint32_t e)
{
	return ph_task_serial_goes_on(parts, e) &&
		   (parts->most_serial[parts->part[e]] < parts->serial[e + 1] ||
			parts->least_serial[parts->part[e + 1]] > parts->serial[e]);
}

static void
mark_serials(PhTaskParts *parts)
{
	for (uint32_t e = 0; e < parts->n_events; e++)
		if (is_before_next_serial(parts, e))
			parts->flags[e] |= PH_TE_NEXT;
}

static void
tell_edge(const PhTaskParts *parts, PhGraphBuilder *builder, uint32_t from, uint32_t to)
{
	if (parts->part[from] != parts->part[to])
		ph_graph_edge(builder, parts->part[from], parts->part[to]);
}

static PhStatus
tell_edges(const PhTaskParts *parts, PhGraphBuilder *builder)
{
	const uint32_t *from = parts->edge_from.items;
	const uint32_t *to = parts->edge_to.items;
	for (uint32_t e = 0; e < parts->n_events; e++)
	{
		PH_TRY(ph_env_poll(parts->env));
		if (parts->link_next[e] != PH_NONE)
			tell_edge(parts, builder, e, parts->link_next[e]);
		if ((parts->flags[e] & PH_TE_NEXT) != 0)
			tell_edge(parts, builder, e, e + 1);
	}
	for (uint32_t d = 0; d < parts->edge_from.count; d++)
		tell_edge(parts, builder, from[d], to[d]);
	return PH_OK;
}

PhStatus
ph_task_parts_graph(PhTaskParts *parts, PhArena *arena, PhGraph *out)
{
	PhGraphBuilder builder;
	mark_serials(parts);
	PhStatus status = ph_graph_begin(arena, parts->n_parts, &builder);
	if (status == PH_OK)
		status = tell_edges(parts, &builder);
	if (status == PH_OK)
		status = ph_graph_fill(&builder);
	if (status == PH_OK)
		status = tell_edges(parts, &builder);
	if (status == PH_OK)
		status = ph_graph_end(&builder, true, out);
	ph_graph_builder_free(&builder);
	return status;
}

/* -------------------------------------------------------------------------------------- merging
 */

static PhStatus
merge_cycles(PhTaskParts *parts, PhMergeReason reason)
{
	PhArena temporary;
	PhGraph graph;
	uint32_t *component = NULL, n;
	ph_arena_init(&temporary, parts->env);
	PhStatus status = ph_task_parts_graph(parts, &temporary, &graph);
	if (status == PH_OK)
		status = PH_NEW(&temporary, parts->n_parts, &component);
	if (status == PH_OK)
		status = ph_graph_components(parts->env, &graph, component, &n);
	if (status == PH_OK)
		status = ph_task_parts_regroup(parts, component, n, reason);
	ph_arena_drop(&temporary);
	return status;
}

static PhStatus
merge_parts(PhTaskParts *parts, PhStatus (*tell)(PhTaskParts *, PhArena *, uint32_t *),
			PhMergeReason reason)
{
	PhArena temporary;
	uint32_t *set;
	ph_arena_init(&temporary, parts->env);
	PhStatus status = PH_NEW(&temporary, parts->n_parts, &set);
	for (uint32_t p = 0; status == PH_OK && p < parts->n_parts; p++)
		set[p] = p;
	if (status == PH_OK)
		status = tell(parts, &temporary, set);
	if (status == PH_OK)
		status = ph_task_parts_regroup(parts, set, ph_set_number(set, parts->n_parts), reason);
	ph_arena_drop(&temporary);
	return status;
}

static PhStatus
unite_messages(PhTaskParts *parts, PhArena *temporary, uint32_t *set)
{
	(void) temporary;
	for (uint32_t e = 0; e < parts->n_events; e++)
	{
		PH_TRY(ph_env_poll(parts->env));
		if (parts->partner[e] != PH_NONE)
			ph_set_unite(set, parts->part[parts->partner[e]], parts->part[e]);
	}
	return PH_OK;
}

/* ----------------------------------------------------------------------------- inferring order
 */

static PhStatus
add_edge(PhTaskParts *parts, uint32_t from, uint32_t to)
{
	PH_TRY(ph_indices_add(parts->env, &parts->edge_from, from));
	return ph_indices_add(parts->env, &parts->edge_to, to);
}

/*
 * Can a source of another part be ordered before this event? It must be a source itself that starts
 * its part (compat: its block).
 */
static bool
is_target(const PhTaskParts *parts, uint32_t e)
{
	if (!ph_task_is_source(parts, e))
		return false;
	return parts->options->compat ? parts->link_prev[e] == PH_NONE : ph_task_starts_part(parts, e);
}

/*
 * Adds an edge, on each entity, from the source that starts a part to the next target after it, if
 * that is in another part.
 */
static PhStatus
order_sources(PhTaskParts *parts)
{
	uint32_t target = PH_NONE;
	for (uint32_t e = parts->n_events; e-- > 0;)
	{
		PH_TRY(ph_env_poll(parts->env));
		if (!ph_task_has_next(parts, e))
			target = PH_NONE;
		if (target != PH_NONE && ph_task_is_source(parts, e) && ph_task_starts_part(parts, e) &&
			parts->part[e] != parts->part[target])
			PH_TRY(add_edge(parts, e, target));
		if (is_target(parts, e))
			target = e;
	}
	return PH_OK;
}

/*
 * Did e set off the event after it on its entity, which is in another part? So it is when the
 * serial after the last one of e's part follows, and when a receive is followed by a serial that
 * nothing else has caused.
 */
static bool
sets_off_next(const PhTaskParts *parts, uint32_t e)
{
	uint32_t next = e + 1;
	if (ph_task_serial_goes_on(parts, e) && parts->serial[e] == parts->most_serial[parts->part[e]])
		return true;
	return (parts->flags[e] & PH_TE_RECEIVE) != 0 && (parts->flags[next] & PH_TE_RECEIVE) == 0 &&
		   parts->options->order_serials && parts->serial[next] >= 0 &&
		   parts->link_prev[next] == PH_NONE;
}

static PhStatus
infer_order(PhTaskParts *parts)
{
	for (uint32_t e = 0; e < parts->n_events; e++)
		if (ph_task_has_next(parts, e) && parts->part[e] != parts->part[e + 1] &&
			sets_off_next(parts, e))
			parts->flags[e] |= PH_TE_NEXT;
	return order_sources(parts);
}

/* ----------------------------------------------------------------------------------- leap merge
 */

/* Parts of one leap, of one side, that share an entity. */
static PhStatus
unite_shared(PhTaskParts *parts, PhArena *temporary, const uint32_t *leap, uint32_t *set)
{
	uint32_t *seen_by, *seen;
	size_t n = 2 * (size_t) parts->n_parts;
	PH_TRY(PH_NEW(temporary, n, &seen_by));
	PH_TRY(PH_NEW(temporary, n, &seen));
	for (uint32_t e = 0; e < parts->n_events; e++)
	{
		uint32_t p = parts->part[e];
		size_t key = 2 * (size_t) leap[p] + parts->runtime[p];
		PH_TRY(ph_env_poll(parts->env));
		if (seen_by[key] == parts->entity[e] + 1)
			ph_set_unite(set, seen[key], p);
		seen_by[key] = parts->entity[e] + 1;
		seen[key] = p;
	}
	return PH_OK;
}

/* By part: has it a message with both ends? Its lowest event. */
static PhStatus
find_lone(const PhTaskParts *parts, PhArena *temporary, bool **matched, uint32_t **lowest)
{
	PH_TRY(PH_NEW(temporary, parts->n_parts, matched));
	PH_TRY(PH_NEW(temporary, parts->n_parts, lowest));
	for (uint32_t e = parts->n_events; e-- > 0;)
	{
		(*lowest)[parts->part[e]] = e;
		if (parts->partner[e] != PH_NONE)
			(*matched)[parts->part[e]] = true;
	}
	return PH_OK;
}

/* Parts without messages, of one leap, side and entry method: likely one broadcast, not recorded.
 */
static PhStatus
unite_lone(PhTaskParts *parts, PhArena *temporary, const uint32_t *leap, uint32_t *set)
{
	PhMap first;
	bool *matched;
	uint32_t *lowest, *other;
	PH_TRY(find_lone(parts, temporary, &matched, &lowest));
	ph_map_init(&first, temporary);
	for (uint32_t p = 0; p < parts->n_parts; p++)
	{
		uint32_t entry = parts->trace->block_entry[ph_task_block(parts, lowest[p])];
		uint32_t place = 2 * leap[p] + parts->runtime[p];
		PH_TRY(ph_env_poll(parts->env));
		if (matched[p])
			continue;
		PH_TRY(ph_map_enter(&first, ph_map_key(place, entry), p, &other));
		ph_set_unite(set, *other, p);
	}
	return PH_OK;
}

static PhStatus
unite_leaps(PhTaskParts *parts, PhArena *temporary, uint32_t *set)
{
	PhGraph graph;
	uint32_t *leap;
	PH_TRY(ph_task_parts_graph(parts, temporary, &graph));
	PH_TRY(PH_NEW(temporary, parts->n_parts, &leap));
	ph_graph_leaps(&graph, leap);
	if (!parts->options->compat)
		PH_TRY(unite_lone(parts, temporary, leap, set));
	return unite_shared(parts, temporary, leap, set);
}

PhStatus
ph_task_parts_merge(PhTaskParts *parts)
{
	const PhTaskOptions *options = parts->options;
	PH_TRY(merge_parts(parts, unite_messages, PH_MERGE_MESSAGE));
	PH_TRY(merge_cycles(parts, PH_MERGE_CYCLE));
	if (options->repair_blocks)
	{
		PH_TRY(ph_task_parts_sweep(parts, PH_SWEEP_REPAIR));
		PH_TRY(merge_cycles(parts, PH_MERGE_CYCLE));
	}
	if (options->merge_serials)
	{
		PH_TRY(ph_task_parts_sweep(parts, PH_SWEEP_SERIALS));
		PH_TRY(merge_cycles(parts, PH_MERGE_CYCLE));
	}
	if (options->infer_dependencies)
	{
		PH_TRY(infer_order(parts));
		PH_TRY(merge_cycles(parts, PH_MERGE_INFERRED));
	}
	if (options->leap_merge)
	{
		PH_TRY(merge_parts(parts, unite_leaps, PH_MERGE_LEAP));
		PH_TRY(merge_cycles(parts, PH_MERGE_CYCLE));
	}
	return PH_OK;
}
