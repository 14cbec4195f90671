/*
 * draft.c - from a partition of segments to a finished super graph.
 *
 * Supernodes without segments are dropped, names made unique; levels are longest paths (Kahn's
 * walk, which also finds cycles); supernodes are sorted by (level, name), edges by their ends.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/name_set.h"
#include "base/sort.h"
#include "base/table.h"
#include "base/text.h"
#include "profile/internal.h"
#include "supergraph/internal.h"

/* The quotient of a draft while it is being finished. */
typedef struct Quotient
{
	PhArena *scratch;
	const PhDraft *draft;
	const PhProfile *profile;
	bool *used;			/* per draft supernode */
	const char **names; /* per draft supernode, unique */
	uint32_t *level;
	uint32_t n_kept;
	uint32_t *order;  /* draft supernodes as they will be numbered */
	uint32_t *number; /* per draft supernode */
	uint32_t n_edges;
	PhSuperedge *edges; /* ends are draft supernodes, distinct */
} Quotient;

PhStatus
ph_draft_segments(PhArena *arena, const PhProfile *profile, const uint32_t *atom, PhDraft *draft)
{
	uint32_t n = 0;
	PH_TRY(PH_NEW(arena, profile->n_nodes, &draft->segment_of));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		uint32_t parent = profile->parent[node];
		if (parent == PH_NONE || atom[parent] != atom[node])
			draft->segment_of[node] = n++;
		else
			draft->segment_of[node] = draft->segment_of[parent];
	}
	PH_TRY(PH_NEW(arena, n, &draft->segments));
	draft->n_segments = n;
	n = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		if (draft->segment_of[node] != n)
			continue;
		uint32_t parent = profile->parent[node];
		draft->segments[n].entry = node;
		draft->segments[n].parent = parent == PH_NONE ? PH_NONE : draft->segment_of[parent];
		draft->segments[n++].supernode = PH_NONE;
	}
	return PH_OK;
}

PhStatus
ph_draft_add(PhArena *arena, PhDraft *draft, const PhDraftSupernode *supernode, uint32_t *out)
{
	PH_TRY(PH_GROW(arena, &draft->supernodes, draft->n_supernodes, &draft->capacity));
	draft->supernodes[draft->n_supernodes] = *supernode;
	*out = draft->n_supernodes++;
	return PH_OK;
}

static PhStatus
append_step(PhArena *arena, const PhSupergraph *graph, const PhSupergraphStep *step, PhDraft *out)
{
	PhSupergraphStep *steps;
	PH_TRY(PH_NEW(arena, (size_t) graph->n_steps + 1, &steps));
	if (graph->n_steps > 0)
		memcpy(steps, graph->steps, graph->n_steps * sizeof(*steps));
	out->steps = steps;
	out->n_steps = graph->n_steps;
	if (step != NULL)
		steps[out->n_steps++] = *step;
	return PH_OK;
}

PhStatus
ph_draft_from(PhArena *arena, const PhSupergraph *graph, const PhSupergraphStep *step, PhDraft *out)
{
	PhDraft draft;
	memset(&draft, 0, sizeof(draft));
	draft.group_by = graph->group_by;
	draft.n_segments = graph->n_segments;
	draft.segment_of = graph->segment_of;
	PH_TRY(append_step(arena, graph, step, &draft));
	PH_TRY(PH_NEW(arena, graph->n_segments, &draft.segments));
	memcpy(draft.segments, graph->segments, graph->n_segments * sizeof(PhSegment));
	for (uint32_t i = 0; i < graph->n_supernodes; i++)
	{
		const PhSupernode *from = &graph->supernodes[i];
		PhDraftSupernode to = {from->name, from->label, from->duplicate, from->ambiguous};
		uint32_t index;
		PH_TRY(ph_draft_add(arena, &draft, &to, &index));
	}
	*out = draft;
	return PH_OK;
}

/* Names become unique in the draft's order: what was there before keeps its name. */
static PhStatus
name_supernodes(Quotient *q)
{
	const PhDraft *draft = q->draft;
	PhNameSet names;
	PH_TRY(ph_name_set_init(&names, q->scratch));
	PH_TRY(PH_NEW(q->scratch, draft->n_supernodes, &q->used));
	PH_TRY(PH_NEW(q->scratch, draft->n_supernodes, &q->names));
	for (uint32_t segment = 0; segment < draft->n_segments; segment++)
		q->used[draft->segments[segment].supernode] = true;
	for (uint32_t i = 0; i < draft->n_supernodes; i++)
	{
		if (!q->used[i])
			continue;
		PH_TRY(ph_name_set_claim(&names, draft->supernodes[i].name, &q->names[i]));
		q->n_kept++;
	}
	return PH_OK;
}

/*
 * The distinct edges between supernodes, from each segment and its parent. A supernode that calls
 * itself can only come from damaged bytes, as neighbouring segments differ in label.
 */
static PhStatus
collect_edges(Quotient *q)
{
	const PhDraft *draft = q->draft;
	PhMap map;
	ph_map_init(&map, q->scratch);
	PH_TRY(PH_NEW(q->scratch, draft->n_segments, &q->edges));
	for (uint32_t segment = 0; segment < draft->n_segments; segment++)
	{
		uint32_t parent = draft->segments[segment].parent;
		PH_TRY(ph_env_poll(q->scratch->env));
		if (parent == PH_NONE)
			continue;
		uint32_t source = draft->segments[parent].supernode;
		uint32_t target = draft->segments[segment].supernode;
		uint32_t *edge;
		if (source == target)
			return ph_fail(q->scratch->env, PH_ERR_FORMAT,
						   "bad super graph: supernode \"%.*s\" calls itself",
						   ph_text_fit(q->names[source], 100), q->names[source]);
		PH_TRY(ph_map_enter(&map, ph_map_key(source, target), q->n_edges, &edge));
		if (*edge == q->n_edges)
			q->edges[q->n_edges++] = (PhSuperedge){source, target};
	}
	return PH_OK;
}

/* Edges by their source, as a list of targets with offsets. */
static PhStatus
group_by_source(const Quotient *q, uint32_t **first, uint32_t **targets)
{
	uint32_t n = q->draft->n_supernodes;
	PH_TRY(PH_NEW(q->scratch, (size_t) n + 2, first));
	PH_TRY(PH_NEW(q->scratch, q->n_edges, targets));
	uint32_t *end = *first + 1; /* where the next target of a source goes */
	for (uint32_t edge = 0; edge < q->n_edges; edge++)
		end[q->edges[edge].source + 1]++;
	for (uint32_t i = 0; i < n; i++)
		end[i + 1] += end[i];
	for (uint32_t edge = 0; edge < q->n_edges; edge++)
		(*targets)[end[q->edges[edge].source]++] = q->edges[edge].target;
	return PH_OK;
}

/*
 * Levels are longest paths from supernodes without callers, found by Kahn's topological walk;
 * supernodes that it does not reach lie on a cycle, which only damaged bytes can have.
 */
static PhStatus
find_levels(Quotient *q)
{
	uint32_t n = q->draft->n_supernodes;
	uint32_t *first, *targets, *callers, *ready;
	uint32_t n_ready = 0;
	PH_TRY(group_by_source(q, &first, &targets));
	PH_TRY(PH_NEW(q->scratch, n, &callers));
	PH_TRY(PH_NEW(q->scratch, n, &ready));
	PH_TRY(PH_NEW(q->scratch, n, &q->level));
	for (uint32_t edge = 0; edge < q->n_edges; edge++)
		callers[q->edges[edge].target]++;
	for (uint32_t i = 0; i < n; i++)
		if (callers[i] == 0)
			ready[n_ready++] = i;
	for (uint32_t done = 0; done < n_ready; done++)
	{
		uint32_t source = ready[done];
		PH_TRY(ph_env_poll(q->scratch->env));
		for (uint32_t at = first[source]; at < first[source + 1]; at++)
		{
			uint32_t target = targets[at];
			if (q->level[target] < q->level[source] + 1)
				q->level[target] = q->level[source] + 1;
			if (--callers[target] == 0)
				ready[n_ready++] = target;
		}
	}
	if (n_ready < n)
		return ph_fail(q->scratch->env, PH_ERR_FORMAT,
					   "bad super graph: its supernodes call each other in a circle");
	return PH_OK;
}

static int
compare_supernodes(const void *context, uint32_t x, uint32_t y)
{
	const Quotient *q = context;
	if (q->level[x] != q->level[y])
		return q->level[x] < q->level[y] ? -1 : 1;
	return strcmp(q->names[x], q->names[y]);
}

static int
compare_edges(const void *context, uint32_t x, uint32_t y)
{
	const Quotient *q = context;
	const PhSuperedge *a = &q->edges[x];
	const PhSuperedge *b = &q->edges[y];
	if (a->source != b->source)
		return q->number[a->source] < q->number[b->source] ? -1 : 1;
	return q->number[a->target] < q->number[b->target] ? -1 : a->target != b->target;
}

static PhStatus
number_supernodes(Quotient *q)
{
	uint32_t n = 0;
	uint32_t *buffer;
	PH_TRY(PH_NEW(q->scratch, q->n_kept, &q->order));
	PH_TRY(PH_NEW(q->scratch, q->n_kept, &buffer));
	PH_TRY(PH_NEW(q->scratch, q->draft->n_supernodes, &q->number));
	for (uint32_t i = 0; i < q->draft->n_supernodes; i++)
		if (q->used[i])
			q->order[n++] = i;
	PH_TRY(ph_sort(q->scratch->env, q->order, n, buffer, compare_supernodes, q));
	for (uint32_t i = 0; i < n; i++)
		q->number[q->order[i]] = i;
	return PH_OK;
}

static PhStatus
copy_text(PhArena *arena, const char *from, const char **to)
{
	char *copy;
	PH_TRY(ph_arena_strndup(arena, from, strlen(from), &copy));
	*to = copy;
	return PH_OK;
}

static PhStatus
fill_supernodes(const Quotient *q, PhSupergraph *graph)
{
	PH_TRY(PH_NEW(&graph->arena, q->n_kept, &graph->supernodes));
	graph->n_supernodes = q->n_kept;
	for (uint32_t i = 0; i < q->n_kept; i++)
	{
		uint32_t from = q->order[i];
		PhSupernode *to = &graph->supernodes[i];
		PH_TRY(ph_env_poll(q->scratch->env));
		PH_TRY(copy_text(&graph->arena, q->names[from], &to->name));
		PH_TRY(copy_text(&graph->arena, q->draft->supernodes[from].label, &to->label));
		to->duplicate = q->draft->supernodes[from].duplicate;
		to->ambiguous = q->draft->supernodes[from].ambiguous;
		to->level = q->level[from];
	}
	return PH_OK;
}

static PhStatus
fill_segments(const Quotient *q, PhSupergraph *graph)
{
	const PhDraft *draft = q->draft;
	PhMap entries;
	ph_map_init(&entries, q->scratch);
	PH_TRY(PH_NEW(&graph->arena, q->profile->n_nodes, &graph->segment_of));
	PH_TRY(PH_NEW(&graph->arena, draft->n_segments, &graph->segments));
	graph->n_segments = draft->n_segments;
	for (uint32_t i = 0; i < draft->n_segments; i++)
	{
		PhSegment *segment = &graph->segments[i];
		*segment = draft->segments[i];
		segment->supernode = q->number[segment->supernode];
		PhSupernode *supernode = &graph->supernodes[segment->supernode];
		PhString name = ph_profile_region(q->profile, segment->entry)->name;
		uint32_t *entry;
		uint32_t known = entries.count;
		PH_TRY(ph_env_poll(q->scratch->env));
		PH_TRY(ph_map_enter(&entries, ph_map_key(segment->supernode, name), 0, &entry));
		supernode->n_entries += entries.count - known;
		supernode->n_instances++;
	}
	memcpy(graph->segment_of, draft->segment_of, q->profile->n_nodes * sizeof(uint32_t));
	return PH_OK;
}

/* Nodes by supernode, by counting. */
static PhStatus
fill_members(const Quotient *q, PhSupergraph *graph)
{
	uint32_t *next;
	uint32_t start = 0;
	PH_TRY(PH_NEW(&graph->arena, (size_t) graph->n_supernodes + 1, &graph->member_start));
	PH_TRY(PH_NEW(&graph->arena, q->profile->n_nodes, &graph->members));
	PH_TRY(PH_NEW(q->scratch, graph->n_supernodes, &next));
	for (uint32_t node = 0; node < q->profile->n_nodes; node++)
		graph->supernodes[graph->segments[graph->segment_of[node]].supernode].n_members++;
	for (uint32_t i = 0; i < graph->n_supernodes; i++)
	{
		graph->member_start[i] = next[i] = start;
		start += graph->supernodes[i].n_members;
	}
	graph->member_start[graph->n_supernodes] = start;
	for (uint32_t node = 0; node < q->profile->n_nodes; node++)
		graph->members[next[graph->segments[graph->segment_of[node]].supernode]++] = node;
	return PH_OK;
}

static PhStatus
fill_edges(const Quotient *q, PhSupergraph *graph)
{
	uint32_t *order;
	PH_TRY(ph_sort_indices(q->scratch, q->n_edges, compare_edges, q, &order));
	PH_TRY(PH_NEW(&graph->arena, q->n_edges, &graph->edges));
	graph->n_edges = q->n_edges;
	for (uint32_t i = 0; i < q->n_edges; i++)
	{
		const PhSuperedge *edge = &q->edges[order[i]];
		graph->edges[i].source = q->number[edge->source];
		graph->edges[i].target = q->number[edge->target];
	}
	return PH_OK;
}

static PhStatus
copy_step(PhArena *arena, const PhSupergraphStep *from, PhSupergraphStep *to)
{
	const char **functions = NULL;
	if (from->n_functions > 0)
		PH_TRY(PH_NEW(arena, from->n_functions, &functions));
	for (uint32_t i = 0; i < from->n_functions; i++)
		PH_TRY(copy_text(arena, from->functions[i], &functions[i]));
	*to = *from;
	to->functions = functions;
	return copy_text(arena, from->node, &to->node);
}

static PhStatus
fill(const Quotient *q, PhSupergraph *graph)
{
	const PhDraft *draft = q->draft;
	PH_TRY(copy_text(&graph->arena, draft->group_by, &graph->group_by));
	PH_TRY(PH_NEW(&graph->arena, draft->n_steps, &graph->steps));
	graph->n_steps = draft->n_steps;
	for (uint32_t i = 0; i < draft->n_steps; i++)
		PH_TRY(copy_step(&graph->arena, &draft->steps[i], &graph->steps[i]));
	PH_TRY(fill_supernodes(q, graph));
	PH_TRY(fill_segments(q, graph));
	PH_TRY(fill_members(q, graph));
	return fill_edges(q, graph);
}

PhStatus
ph_draft_finish(PhEnv *env, PhArena *scratch, const PhDraft *draft, PhProfile *profile,
				PhSupergraph **out)
{
	Quotient q;
	memset(&q, 0, sizeof(q));
	q.scratch = scratch;
	q.draft = draft;
	q.profile = profile;
	PH_TRY(name_supernodes(&q));
	PH_TRY(collect_edges(&q));
	PH_TRY(find_levels(&q));
	PH_TRY(number_supernodes(&q));
	void *memory;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhSupergraph), &memory));
	PhSupergraph *graph = memory;
	ph_arena_init(&graph->arena, env);
	PhStatus status = fill(&q, graph);
	if (status != PH_OK)
	{
		ph_supergraph_free(env, graph);
		return status;
	}
	graph->profile = profile;
	*out = graph;
	return PH_OK;
}

void
ph_supergraph_free(PhEnv *env, PhSupergraph *graph)
{
	if (graph == NULL)
		return;
	ph_profile_free(env, graph->profile);
	ph_arena_drop(&graph->arena);
	ph_env_free(env, graph, 1, sizeof(*graph));
}
