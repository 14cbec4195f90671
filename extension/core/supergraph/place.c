/*
 * place.c - segments into supernodes so that no cycle arises (docs/design/supergraph.md 3.3 C).
 *
 * Segments are taken by (back pairs above, weight descending, pre-order), each after its parent.
 * A segment joins the supernode of its label that its caller's supernode already calls, else the
 * first of its label, by index, that does not reach the caller, else a new one.
 *
 * Two facts keep this near-linear. A supernode can only reach the caller when their labels are in
 * one strongly connected set, so all other edges cannot close a cycle. And every supernode of the
 * label up to that of the nearest segment with this label above reaches the caller, so the search
 * for the first that does not begins behind it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/table.h"
#include "supergraph/internal.h"

typedef struct Placer
{
	PhArena *arena;
	const PhSegmentForest *forest;
	PhForward forward;
	PhPlacement out;
	uint32_t capacity;

	uint32_t *same_above;  /* per segment: nearest segment with its label above, PH_NONE */
	uint32_t *first_child; /* per segment: children as a list */
	uint32_t *next_sibling;
	uint32_t *queue; /* binary heap of segments whose parent is placed */
	uint32_t n_queue;

	uint32_t *first_of_label; /* per label: its supernode with index 0 */
	uint32_t *last_of_label;
	uint32_t *next_of_label; /* per supernode: the one with the next index */
	PhMap successor;		 /* (supernode, label) -> supernode called */
	PhReach reach;			 /* over supernodes; edges within one set of labels only */
} Placer;

double
ph_supergraph_weight(const PhProfile *profile, uint32_t node)
{
	if (profile->n_metrics == 0)
		return 0;
	const PhProfile *before = profile->before;
	const PhProfile *after = profile->after;
	double weight;
	/*
	 * differences may be negative or cancel, so they cannot weigh nodes: a diff is partitioned by
	 * the mean of its two runs
	 */
	if (before != NULL && after != NULL && before->n_nodes == profile->n_nodes &&
		after->n_nodes == profile->n_nodes && before->n_metrics > 0 && after->n_metrics > 0)
		weight = (ph_profile_mean(before, 0, node, PH_COST_INCLUSIVE) +
				  ph_profile_mean(after, 0, node, PH_COST_INCLUSIVE)) /
				 2;
	else
		weight = ph_profile_mean(profile, 0, node, PH_COST_INCLUSIVE);
	return isfinite(weight) ? weight : 0;
}

/* Whether segment x is taken before y. */
static bool
is_before(const Placer *placer, uint32_t x, uint32_t y)
{
	const uint32_t *n_back = placer->forward.n_back;
	const double *weight = placer->forest->weight;
	if (n_back[x] != n_back[y])
		return n_back[x] < n_back[y];
	if (weight[x] != weight[y])
		return weight[x] > weight[y];
	return x < y;
}

static void
queue_push(Placer *placer, uint32_t segment)
{
	uint32_t at = placer->n_queue++;
	while (at > 0 && is_before(placer, segment, placer->queue[(at - 1) / 2]))
	{
		placer->queue[at] = placer->queue[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	placer->queue[at] = segment;
}

static uint32_t
queue_pop(Placer *placer)
{
	uint32_t top = placer->queue[0];
	uint32_t moved = placer->queue[--placer->n_queue];
	size_t n = placer->n_queue;
	size_t at = 0;
	for (size_t child = 1; child < n; child = 2 * at + 1)
	{
		if (child + 1 < n && is_before(placer, placer->queue[child + 1], placer->queue[child]))
			child++;
		if (!is_before(placer, placer->queue[child], moved))
			break;
		placer->queue[at] = placer->queue[child];
		at = child;
	}
	placer->queue[at] = moved;
	return top;
}

/* Children lists, and the nearest segment with the same label above, by a walk in pre-order. */
static PhStatus
relate_segments(Placer *placer)
{
	const PhSegmentForest *forest = placer->forest;
	uint32_t *path, *lowest; /* segments above; per label the lowest of them */
	uint32_t depth = 0;
	PH_TRY(PH_NEW(placer->arena, forest->n, &path));
	PH_TRY(PH_NEW(placer->arena, forest->n_labels, &lowest));
	memset(lowest, 0xff, forest->n_labels * sizeof(*lowest));
	memset(placer->first_child, 0xff, forest->n * sizeof(uint32_t));
	for (uint32_t segment = 0; segment < forest->n; segment++)
	{
		uint32_t parent = forest->parent[segment];
		PH_TRY(ph_env_poll(placer->arena->env));
		while (depth > 0 && path[depth - 1] != parent)
		{
			uint32_t left = path[--depth];
			lowest[forest->label[left]] = placer->same_above[left];
		}
		placer->same_above[segment] = lowest[forest->label[segment]];
		lowest[forest->label[segment]] = segment;
		path[depth++] = segment;
		if (parent == PH_NONE)
			continue;
		placer->next_sibling[segment] = placer->first_child[parent];
		placer->first_child[parent] = segment;
	}
	return PH_OK;
}

static PhStatus
prepare(Placer *placer, PhArena *arena, const PhSegmentForest *forest)
{
	memset(placer, 0, sizeof(*placer));
	placer->arena = arena;
	placer->forest = forest;
	PH_TRY(ph_forward_labels(arena, forest, &placer->forward));
	PH_TRY(PH_NEW(arena, forest->n, &placer->out.of_segment));
	PH_TRY(PH_NEW(arena, forest->n, &placer->out.label));
	PH_TRY(PH_NEW(arena, forest->n, &placer->out.duplicate));
	PH_TRY(PH_NEW(arena, forest->n, &placer->next_of_label));
	PH_TRY(PH_NEW(arena, forest->n, &placer->same_above));
	PH_TRY(PH_NEW(arena, forest->n, &placer->first_child));
	PH_TRY(PH_NEW(arena, forest->n, &placer->next_sibling));
	PH_TRY(PH_NEW(arena, forest->n, &placer->queue));
	PH_TRY(PH_NEW(arena, forest->n_labels, &placer->first_of_label));
	PH_TRY(PH_NEW(arena, forest->n_labels, &placer->last_of_label));
	memset(placer->first_of_label, 0xff, forest->n_labels * sizeof(uint32_t));
	memset(placer->last_of_label, 0xff, forest->n_labels * sizeof(uint32_t));
	ph_map_init(&placer->successor, arena);
	ph_reach_init(&placer->reach, arena, placer->forward.method);
	return relate_segments(placer);
}

static PhStatus
new_supernode(Placer *placer, uint32_t label, uint32_t *out)
{
	uint32_t supernode = placer->out.n_supernodes++;
	uint32_t last = placer->last_of_label[label];
	placer->out.label[supernode] = label;
	placer->next_of_label[supernode] = PH_NONE;
	if (last == PH_NONE)
		placer->first_of_label[label] = supernode;
	else
	{
		placer->next_of_label[last] = supernode;
		placer->out.duplicate[supernode] = placer->out.duplicate[last] + 1;
	}
	placer->last_of_label[label] = supernode;
	*out = supernode;
	return ph_reach_add_vertex(&placer->reach);
}

/* The first supernode of the segment's label that does not reach the caller. */
static PhStatus
choose_supernode(Placer *placer, uint32_t segment, uint32_t caller, uint32_t *out)
{
	uint32_t label = placer->forest->label[segment];
	uint32_t above = placer->same_above[segment];
	uint32_t *cycle_of = placer->forward.cycle_of;
	uint32_t chosen = above == PH_NONE ? placer->first_of_label[label]
									   : placer->next_of_label[placer->out.of_segment[above]];
	bool may_cycle = cycle_of[label] == cycle_of[placer->out.label[caller]];
	for (bool added = !may_cycle; !added && chosen != PH_NONE;)
	{
		PH_TRY(ph_reach_add_edge(&placer->reach, caller, chosen, &added));
		if (!added)
			chosen = placer->next_of_label[chosen];
	}
	*out = chosen;
	if (chosen != PH_NONE)
		return PH_OK;
	PH_TRY(new_supernode(placer, label, out));
	bool added;
	return may_cycle ? ph_reach_add_edge(&placer->reach, caller, *out, &added) : PH_OK;
}

/*
 * Puts a segment, whose parent is placed, into a supernode: a root into its label's first; any
 * other into the successor that its caller's supernode has for the label, which is chosen when
 * there is none yet (docs/design/supergraph.md 3.3 C).
 */
static PhStatus
place(Placer *placer, uint32_t segment)
{
	uint32_t label = placer->forest->label[segment];
	uint32_t parent = placer->forest->parent[segment];
	uint32_t *place = &placer->out.of_segment[segment];
	if (parent == PH_NONE)
	{
		*place = placer->first_of_label[label];
		return *place == PH_NONE ? new_supernode(placer, label, place) : PH_OK;
	}
	uint32_t caller = placer->out.of_segment[parent];
	uint32_t *successor;
	PH_TRY(ph_map_enter(&placer->successor, ph_map_key(caller, label), PH_NONE, &successor));
	if (*successor == PH_NONE)
		PH_TRY(choose_supernode(placer, segment, caller, successor));
	*place = *successor;
	return PH_OK;
}

PhStatus
ph_place_segments(PhArena *arena, const PhSegmentForest *forest, PhPlacement *out)
{
	Placer placer;
	PH_TRY(prepare(&placer, arena, forest));
	for (uint32_t segment = 0; segment < forest->n; segment++)
		if (forest->parent[segment] == PH_NONE)
			queue_push(&placer, segment);
	while (placer.n_queue > 0)
	{
		uint32_t segment = queue_pop(&placer);
		PH_TRY(ph_env_poll(arena->env));
		PH_TRY(place(&placer, segment));
		uint32_t child = placer.first_child[segment];
		for (; child != PH_NONE; child = placer.next_sibling[child])
			queue_push(&placer, child);
	}
	*out = placer.out;
	return PH_OK;
}
