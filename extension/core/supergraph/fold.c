/*
 * fold.c - see fold.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "supergraph/fold.h"

#include <string.h>

#include "profile/builder.h"
#include "profile/cells.h"
#include "profile/flat.h"
#include "profile/internal.h"
#include "supergraph/internal.h"

/* What a supernode takes over from a node of the whole run. */
typedef enum Role
{
	ROLE_NONE = 0, /* below a root that was left out */
	ROLE_ABSORBED, /* removed by the filter: its own cost */
	ROLE_MEMBER,   /* its own cost */
	ROLE_ENTRY	   /* its own cost, and with all below what the supernode costs */
} Role;

typedef struct Fold
{
	PhEnv *env;
	PhArena scratch;
	const PhSupergraph *graph;
	const PhProfile *whole;
	uint8_t *role;	  /* per node of whole */
	uint32_t *target; /* per node of whole: supernode */
	uint32_t *place;  /* per supernode: its node in the folded profile */
	PhProfile *profile;
} Fold;

static PhStatus
find_roles(Fold *fold)
{
	const PhProfile *whole = fold->whole;
	const PhSupergraph *graph = fold->graph;
	PhImage image;
	PH_TRY(ph_image_find(&fold->scratch, whole, graph->profile, &image));
	PH_TRY(PH_NEW(&fold->scratch, whole->n_nodes, &fold->role));
	PH_TRY(PH_NEW(&fold->scratch, whole->n_nodes, &fold->target));
	for (uint32_t node = 0; node < whole->n_nodes; node++)
	{
		uint32_t parent = whole->parent[node], shown = image.node[node];
		bool is_out = parent == PH_NONE ? !image.kept[node] : fold->role[parent] == ROLE_NONE;
		if (is_out || shown == PH_NONE)
			continue;
		const PhSegment *segment = &graph->segments[graph->segment_of[shown]];
		fold->target[node] = segment->supernode;
		fold->role[node] = !image.kept[node]		 ? ROLE_ABSORBED
						   : segment->entry == shown ? ROLE_ENTRY
													 : ROLE_MEMBER;
	}
	return PH_OK;
}

/* ---- a profile of supernodes ---- */

static PhStatus
add_supernodes(PhProfileBuilder *builder, const PhSupergraph *graph)
{
	for (uint32_t v = 0; v < graph->n_supernodes; v++)
	{
		PhRegionSpec region = {.name = graph->supernodes[v].name, .line = PH_NO_NUMBER};
		uint32_t index;
		PH_TRY(ph_builder_add_region(builder, &region, &index));
		PH_TRY(ph_builder_add_node(builder, PH_NONE, index, &index));
	}
	return PH_OK;
}

/* The supernodes as roots, which the builder sorts by name. */
static PhStatus
make_roots(Fold *fold, PhProfile **out)
{
	PhProfileBuilder *builder;
	PH_TRY(ph_builder_new(fold->env, &builder));
	PhStatus status = add_supernodes(builder, fold->graph);
	if (status == PH_OK)
		status = ph_builder_finish(builder, out);
	ph_builder_free(builder);
	return status;
}

static PhStatus
find_places(Fold *fold, const PhProfile *roots)
{
	PhStrings names;
	uint32_t name;
	PH_TRY(ph_strings_init(&names, &fold->scratch));
	for (uint32_t node = 0; node < roots->n_nodes; node++)
		PH_TRY(ph_strings_intern(&names, ph_profile_node_name(roots, node), &name));
	PH_TRY(PH_NEW(&fold->scratch, fold->graph->n_supernodes, &fold->place));
	for (uint32_t v = 0; v < fold->graph->n_supernodes; v++)
	{
		PH_TRY(ph_strings_intern(&names, fold->graph->supernodes[v].name, &name));
		fold->place[v] = name - 1; /* number 0 is the empty string */
	}
	return PH_OK;
}

static PhColumnSpec
column_spec(const PhProfile *profile, const PhColumn *column)
{
	return (PhColumnSpec){.kind = (PhColumnKind) column->kind,
						  .run_id = column->run_id,
						  .iteration = column->iteration,
						  .rank = column->rank,
						  .thread = column->thread,
						  .host = ph_profile_string(profile, column->host),
						  .name = ph_profile_string(profile, column->name)};
}

static PhMetricSpec
metric_spec(const PhProfile *profile, const PhMetric *metric)
{
	return (PhMetricSpec){.name = ph_profile_string(profile, metric->name),
						  .unit = ph_profile_string(profile, metric->unit),
						  .kind = (PhMetricKind) metric->kind,
						  .combine = (PhCombine) metric->combine,
						  .numerator = metric->numerator,
						  .denominator = metric->denominator,
						  .may_be_negative = metric->is_signed};
}

/* A supernode is where any of its nodes is. */
static PhStatus
find_presence(const Fold *fold, PhPresence *presence)
{
	for (uint32_t node = 0; node < fold->whole->n_nodes; node++)
	{
		PhRowWalk walk = ph_row_walk(fold->whole, node);
		PH_TRY(ph_env_poll(fold->env));
		for (PhRowSpan span; fold->role[node] != ROLE_NONE && ph_row_next(&walk, &span);)
			PH_TRY(ph_presence_add(presence, fold->place[fold->target[node]], span.first, span.n));
	}
	return PH_OK;
}

static PhStatus
make_room(Fold *fold, const PhProfile *roots)
{
	const PhProfile *whole = fold->whole;
	PhColumnSpec *columns;
	PhMetricSpec *metrics;
	PhPresence presence;
	ph_presence_init(&presence, &fold->scratch);
	PH_TRY(find_places(fold, roots));
	PH_TRY(find_presence(fold, &presence));
	PH_TRY(PH_NEW(&fold->scratch, whole->n_columns, &columns));
	PH_TRY(PH_NEW(&fold->scratch, whole->n_metrics, &metrics));
	for (uint32_t i = 0; i < whole->n_columns; i++)
		columns[i] = column_spec(whole, &whole->columns[i]);
	for (uint32_t i = 0; i < whole->n_metrics; i++)
		metrics[i] = metric_spec(whole, &whole->metrics[i]);
	return ph_profile_with_room(fold->env, roots, whole->n_columns, columns, whole->n_metrics,
								metrics, &presence, &fold->profile);
}

/* ---- values ---- */

/* Adds a node's vector to that of its supernode, whose columns contain the node's. */
static void
add_row(const Fold *fold, uint32_t node, const double *from, double *to)
{
	PhRowWalk there = ph_row_walk(fold->profile, fold->place[fold->target[node]]);
	PhRowWalk walk = ph_row_walk(fold->whole, node);
	PhRowSpan room = {0};
	for (PhRowSpan span; ph_row_next(&walk, &span);)
	{
		while (span.first >= room.first + room.n && ph_row_next(&there, &room))
			continue;
		ph_row_add(to + room.cell + (span.first - room.first), from + span.cell, span.n);
	}
}

static PhStatus
fold_metric(const Fold *fold, const PhMetric *from, PhMetric *to)
{
	size_t cells = ph_profile_cells(fold->profile);
	PH_TRY(PH_NEW(&fold->profile->arena, cells, &to->absorbed));
	PH_TRY(PH_NEW(&fold->profile->arena, cells, &to->residual));
	for (uint32_t node = 0; node < fold->whole->n_nodes; node++)
	{
		Role role = (Role) fold->role[node];
		PH_TRY(ph_env_poll(fold->env));
		if (role == ROLE_NONE)
			continue;
		add_row(fold, node, from->exclusive, role == ROLE_ABSORBED ? to->absorbed : to->exclusive);
		if (from->absorbed != NULL)
			add_row(fold, node, from->absorbed, to->absorbed);
		if (role == ROLE_ENTRY)
			add_row(fold, node, from->inclusive, to->inclusive);
	}
	/* what callees in other supernodes cost stands where a profile has what it cannot explain */
	for (size_t i = 0; i < cells; i++)
		to->residual[i] = to->inclusive[i] - to->exclusive[i] - to->absorbed[i];
	return PH_OK;
}

static PhStatus
fold_values(const Fold *fold)
{
	for (uint32_t m = 0; m < fold->whole->n_metrics; m++)
	{
		const PhMetric *metric = &fold->whole->metrics[m];
		if (metric->kind == PH_METRIC_VALUE)
			return ph_fail(fold->env, PH_ERR_VALUE,
						   "metric \"%.100s\" does not add up over supernodes",
						   ph_profile_string(fold->whole, metric->name));
		if (metric->kind == PH_METRIC_FLOW)
			PH_TRY(fold_metric(fold, metric, &fold->profile->metrics[m]));
	}
	ph_profile_tidy(fold->profile);
	return PH_OK;
}

/* ---- the graph ---- */

static PhStatus
make_graph(Fold *fold, PhSupergraph **out)
{
	PhArena *scratch = &fold->scratch;
	const PhSupergraph *graph = fold->graph;
	PhDraft draft = {.group_by = graph->group_by};
	uint32_t *atom;
	PH_TRY(PH_NEW(scratch, fold->profile->n_nodes, &atom));
	for (uint32_t i = 0; i < fold->profile->n_nodes; i++)
		atom[i] = i;
	PH_TRY(ph_draft_segments(scratch, fold->profile, atom, &draft));
	for (uint32_t v = 0; v < graph->n_supernodes; v++)
	{
		const PhSupernode *from = &graph->supernodes[v];
		PhDraftSupernode to = {from->name, from->label, from->duplicate, from->ambiguous};
		uint32_t index;
		PH_TRY(ph_draft_add(scratch, &draft, &to, &index));
		draft.segments[draft.segment_of[fold->place[v]]].supernode = index;
	}
	return ph_draft_finish(fold->env, scratch, &draft, fold->profile, out);
}

static PhStatus
make_all(Fold *fold, PhSupergraph **out)
{
	PhProfile *roots;
	PH_TRY(find_roles(fold));
	PH_TRY(make_roots(fold, &roots));
	PhStatus status = make_room(fold, roots);
	ph_profile_free(fold->env, roots);
	if (status == PH_OK)
		status = fold_values(fold);
	if (status == PH_OK)
		status = make_graph(fold, out);
	return status;
}

PhStatus
ph_supergraph_fold(PhEnv *env, const PhSupergraph *graph, const PhProfile *whole,
				   PhSupergraph **out)
{
	Fold fold = {.env = env, .graph = graph, .whole = whole};
	ph_arena_init(&fold.scratch, env);
	PhStatus status = make_all(&fold, out);
	if (status != PH_OK)
		ph_profile_free(env, fold.profile);
	ph_arena_drop(&fold.scratch);
	return status;
}
