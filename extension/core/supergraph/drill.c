/*
 * drill.c - replace the label by a finer one inside one supernode (docs/design/supergraph.md 4).
 *
 * The supernode's nodes are cut into segments again and placed among themselves; nothing outside
 * changes. A call path enters a supernode at most once, so what is acyclic inside is acyclic
 * together with the rest.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/name_set.h"
#include "supergraph/internal.h"

/* The new segments that lie inside, as a forest of their own. */
typedef struct Inside
{
	PhSegmentForest forest;
	uint32_t *number;  /* per segment of the draft: its number in the forest, PH_NONE: outside */
	uint32_t *segment; /* per number */
} Inside;

static PhStatus
mark_inside(PhArena *arena, const PhSupergraph *graph, uint32_t node, bool **inside)
{
	PH_TRY(PH_NEW(arena, graph->profile->n_nodes, inside));
	for (uint32_t i = graph->member_start[node]; i < graph->member_start[node + 1]; i++)
		(*inside)[graph->members[i]] = true;
	return PH_OK;
}

/* Cut: outside by the old segments, inside by label. */
static PhStatus
cut_segments(PhArena *arena, const PhSupergraph *graph, const PhLabels *labels, PhDraft *draft)
{
	const PhProfile *profile = graph->profile;
	uint32_t *atom;
	PH_TRY(PH_NEW(arena, profile->n_nodes, &atom));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		uint32_t label = labels->of_node[node];
		atom[node] = label == PH_NONE ? graph->segment_of[node] : graph->n_segments + label;
	}
	return ph_draft_segments(arena, profile, atom, draft);
}

/*
 * The segments that lie inside the supernode as a forest of their own; a segment whose parent lies
 * outside becomes a root. Segments come in pre-order, so parents have their numbers before their
 * children.
 */
static PhStatus
collect_inside(PhArena *arena, const PhProfile *profile, const PhLabels *labels,
			   const PhDraft *draft, Inside *out)
{
	PhSegmentForest *forest = &out->forest;
	forest->n = 0;
	forest->n_labels = labels->n_labels;
	PH_TRY(PH_NEW(arena, draft->n_segments, &out->number));
	PH_TRY(PH_NEW(arena, draft->n_segments, &out->segment));
	PH_TRY(PH_NEW(arena, draft->n_segments, &forest->parent));
	PH_TRY(PH_NEW(arena, draft->n_segments, &forest->label));
	PH_TRY(PH_NEW(arena, draft->n_segments, &forest->weight));
	for (uint32_t segment = 0; segment < draft->n_segments; segment++)
	{
		uint32_t entry = draft->segments[segment].entry;
		uint32_t parent = draft->segments[segment].parent;
		uint32_t n = forest->n;
		PH_TRY(ph_env_poll(arena->env));
		out->number[segment] = PH_NONE;
		if (labels->of_node[entry] == PH_NONE)
			continue;
		forest->parent[n] = parent == PH_NONE ? PH_NONE : out->number[parent];
		forest->label[n] = labels->of_node[entry];
		forest->weight[n] = ph_supergraph_weight(profile, entry);
		out->segment[n] = segment;
		out->number[segment] = forest->n++;
	}
	return PH_OK;
}

/* Supernodes "node/label", "node/label#k". */
static PhStatus
add_parts(PhArena *arena, const PhLabels *labels, const PhPlacement *placement,
		  const Inside *inside, const char *whole, PhDraft *draft)
{
	uint32_t first = draft->n_supernodes;
	for (uint32_t i = 0; i < placement->n_supernodes; i++)
	{
		PhDraftSupernode part = {NULL, labels->names[placement->label[i]], placement->duplicate[i],
								 false};
		uint32_t index;
		PH_TRY(ph_arena_printf(arena, &part.name, "%s/%s", whole, part.label));
		if (part.duplicate > 0)
			PH_TRY(ph_arena_printf(arena, &part.name, "%s#%u", part.name, part.duplicate));
		PH_TRY(ph_draft_add(arena, draft, &part, &index));
	}
	for (uint32_t i = 0; i < inside->forest.n; i++)
		draft->segments[inside->segment[i]].supernode = first + placement->of_segment[i];
	return PH_OK;
}

PhStatus
ph_drill_draft(PhArena *arena, const PhSupergraph *graph, uint32_t node,
			   const PhSupergraphStep *step, PhDraft *out)
{
	bool *inside;
	PhLabels labels;
	PhDraft draft;
	Inside members;
	PhPlacement placement;
	PH_TRY(mark_inside(arena, graph, node, &inside));
	PH_TRY(ph_labels_make(arena, graph->profile, (PhGroupBy) step->by, inside, &labels));
	PH_TRY(ph_draft_from(arena, graph, step, &draft));
	PH_TRY(cut_segments(arena, graph, &labels, &draft));
	for (uint32_t segment = 0; segment < draft.n_segments; segment++)
		draft.segments[segment].supernode =
			graph->segments[graph->segment_of[draft.segments[segment].entry]].supernode;
	PH_TRY(collect_inside(arena, graph->profile, &labels, &draft, &members));
	PH_TRY(ph_place_segments(arena, &members.forest, &placement));
	PH_TRY(add_parts(arena, &labels, &placement, &members, graph->supernodes[node].name, &draft));
	*out = draft;
	return PH_OK;
}
