/*
 * fold.c - see fold.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "supergraph/fold.h"

#include <string.h>

#include "base/text.h"
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

struct PhFold
{
	PhEnv *env;
	PhArena arena;
	const PhSupergraph *graph;
	const PhProfile *tree;
	uint8_t *role;	  /* per node of the tree */
	uint32_t *target; /* per node of the tree: supernode */
	PhProfile *roots; /* the supernodes, sorted by name */
	uint32_t *place;  /* per supernode: its root */
	PhPresence presence;
	PhProfile *profile; /* the roots with values */
};

static PhStatus
find_roles(PhFold *fold)
{
	const PhProfile *whole = fold->tree;
	const PhSupergraph *graph = fold->graph;
	PhImage image;
	PH_TRY(ph_image_find(&fold->arena, whole, graph->profile, &image));
	PH_TRY(PH_NEW(&fold->arena, whole->n_nodes, &fold->role));
	PH_TRY(PH_NEW(&fold->arena, whole->n_nodes, &fold->target));
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
make_roots(PhFold *fold)
{
	PhProfileBuilder *builder;
	PH_TRY(ph_builder_new(fold->env, &builder));
	PhStatus status = add_supernodes(builder, fold->graph);
	if (status == PH_OK)
		status = ph_builder_finish(builder, &fold->roots);
	ph_builder_free(builder);
	return status;
}

static PhStatus
find_places(PhFold *fold)
{
	PhStrings names;
	uint32_t name;
	PH_TRY(ph_strings_init(&names, &fold->arena));
	for (uint32_t node = 0; node < fold->roots->n_nodes; node++)
		PH_TRY(ph_strings_intern(&names, ph_profile_node_name(fold->roots, node), &name));
	PH_TRY(PH_NEW(&fold->arena, fold->graph->n_supernodes, &fold->place));
	for (uint32_t v = 0; v < fold->graph->n_supernodes; v++)
	{
		PH_TRY(ph_strings_intern(&names, fold->graph->supernodes[v].name, &name));
		fold->place[v] = name - 1; /* number 0 is the empty string */
	}
	return PH_OK;
}

static PhStatus
prepare(PhFold *fold)
{
	PH_TRY(find_roles(fold));
	PH_TRY(make_roots(fold));
	return find_places(fold);
}

PhStatus
ph_fold_new(PhEnv *env, const PhSupergraph *graph, const PhProfile *tree, PhFold **out)
{
	void *memory;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhFold), &memory));
	PhFold *fold = memory;
	*fold = (PhFold){.env = env, .graph = graph, .tree = tree};
	ph_arena_init(&fold->arena, env);
	ph_presence_init(&fold->presence, &fold->arena);
	PhStatus status = prepare(fold);
	if (status == PH_OK)
		*out = fold;
	else
		ph_fold_free(fold);
	return status;
}

void
ph_fold_free(PhFold *fold)
{
	if (fold == NULL)
		return;
	PhEnv *env = fold->env;
	ph_profile_free(env, fold->roots);
	ph_profile_free(env, fold->profile);
	ph_arena_drop(&fold->arena);
	ph_env_free(env, fold, 1, sizeof(*fold));
}

/* ---- room and values ---- */

/* A supernode is where any of its nodes is. */
PhStatus
ph_fold_presence(PhFold *fold, uint32_t node, uint32_t first, uint32_t n)
{
	if (fold->role[node] == ROLE_NONE)
		return PH_OK;
	return ph_presence_add(&fold->presence, fold->place[fold->target[node]], first, n);
}

static PhStatus
make_sides(PhProfile *profile, PhMetric *metric)
{
	size_t cells = ph_profile_cells(profile);
	PH_TRY(PH_NEW(&profile->arena, cells, &metric->absorbed));
	return PH_NEW(&profile->arena, cells, &metric->residual);
}

PhStatus
ph_fold_room(PhFold *fold, uint32_t n_columns, const PhColumnSpec *columns, uint32_t n_metrics,
			 const PhMetricSpec *metrics)
{
	for (uint32_t m = 0; m < n_metrics; m++)
		if (metrics[m].kind == PH_METRIC_VALUE)
			return ph_fail(fold->env, PH_ERR_VALUE,
						   "metric \"%.*s\" does not add up over supernodes",
						   ph_text_fit(metrics[m].name, 100), metrics[m].name);
	PH_TRY(ph_profile_with_room(fold->env, fold->roots, n_columns, columns, n_metrics, metrics,
								&fold->presence, &fold->profile));
	for (uint32_t m = 0; m < n_metrics; m++)
		if (metrics[m].kind == PH_METRIC_FLOW)
			PH_TRY(make_sides(fold->profile, &fold->profile->metrics[m]));
	return PH_OK;
}

/* Where the columns of a supernode are; its spans contain those of its nodes. */
static size_t
find_cell(const PhFold *fold, uint32_t node, uint32_t column)
{
	return ph_profile_find_cell(fold->profile, fold->place[fold->target[node]], column);
}

void
ph_fold_add(PhFold *fold, uint32_t metric, uint32_t node, uint32_t first, uint32_t n,
			const double *exclusive, const double *inclusive, const double *absorbed)
{
	PhMetric *to = &fold->profile->metrics[metric];
	Role role = (Role) fold->role[node];
	if (role == ROLE_NONE)
		return;
	size_t cell = find_cell(fold, node, first);
	ph_row_add((role == ROLE_ABSORBED ? to->absorbed : to->exclusive) + cell, exclusive, n);
	if (absorbed != NULL)
		ph_row_add(to->absorbed + cell, absorbed, n);
	if (role == ROLE_ENTRY)
		ph_row_add(to->inclusive + cell, inclusive, n);
}

/* What callees in other supernodes cost stands where a profile has what it cannot explain. */
static void
find_rests(PhProfile *profile)
{
	size_t cells = ph_profile_cells(profile);
	for (uint32_t m = 0; m < profile->n_metrics; m++)
	{
		PhMetric *metric = &profile->metrics[m];
		for (size_t i = 0; i < cells && metric->kind == PH_METRIC_FLOW; i++)
			metric->residual[i] = metric->inclusive[i] - metric->exclusive[i] - metric->absorbed[i];
	}
	ph_profile_tidy(profile);
}

/* ---- the graph ---- */

PhStatus
ph_fold_finish(PhFold *fold, PhSupergraph **out)
{
	PhArena *arena = &fold->arena;
	const PhSupergraph *graph = fold->graph;
	PhDraft draft = {.group_by = graph->group_by};
	uint32_t *atom, index;
	find_rests(fold->profile);
	PH_TRY(PH_NEW(arena, fold->profile->n_nodes, &atom));
	for (uint32_t i = 0; i < fold->profile->n_nodes; i++)
		atom[i] = i;
	PH_TRY(ph_draft_segments(arena, fold->profile, atom, &draft));
	for (uint32_t v = 0; v < graph->n_supernodes; v++)
	{
		const PhSupernode *from = &graph->supernodes[v];
		PhDraftSupernode to = {from->name, from->label, from->duplicate, from->ambiguous};
		PH_TRY(ph_draft_add(arena, &draft, &to, &index));
		draft.segments[draft.segment_of[fold->place[v]]].supernode = index;
	}
	PH_TRY(ph_draft_finish(fold->env, arena, &draft, fold->profile, out));
	fold->profile = NULL; /* the graph's */
	return PH_OK;
}

/* ---- of a whole profile ---- */

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

static PhStatus
make_room(PhFold *fold, const PhProfile *whole)
{
	PhColumnSpec *columns;
	PhMetricSpec *metrics;
	PH_TRY(PH_NEW(&fold->arena, whole->n_columns, &columns));
	PH_TRY(PH_NEW(&fold->arena, whole->n_metrics, &metrics));
	for (uint32_t i = 0; i < whole->n_columns; i++)
		columns[i] = column_spec(whole, &whole->columns[i]);
	for (uint32_t i = 0; i < whole->n_metrics; i++)
		metrics[i] = metric_spec(whole, &whole->metrics[i]);
	for (uint32_t node = 0; node < whole->n_nodes; node++)
	{
		PhRowWalk walk = ph_row_walk(whole, node);
		PH_TRY(ph_env_poll(fold->env));
		for (PhRowSpan span; ph_row_next(&walk, &span);)
			PH_TRY(ph_fold_presence(fold, node, span.first, span.n));
	}
	return ph_fold_room(fold, whole->n_columns, columns, whole->n_metrics, metrics);
}

static PhStatus
add_whole(PhFold *fold, const PhProfile *whole, uint32_t m)
{
	const PhMetric *metric = &whole->metrics[m];
	for (uint32_t node = 0; node < whole->n_nodes && metric->kind == PH_METRIC_FLOW; node++)
	{
		PhRowWalk walk = ph_row_walk(whole, node);
		PH_TRY(ph_env_poll(fold->env));
		for (PhRowSpan span; ph_row_next(&walk, &span);)
			ph_fold_add(fold, m, node, span.first, span.n, metric->exclusive + span.cell,
						metric->inclusive + span.cell,
						metric->absorbed == NULL ? NULL : metric->absorbed + span.cell);
	}
	return PH_OK;
}

PhStatus
ph_supergraph_fold(PhEnv *env, const PhSupergraph *graph, const PhProfile *whole,
				   PhSupergraph **out)
{
	PhFold *fold;
	PH_TRY(ph_fold_new(env, graph, whole, &fold));
	PhStatus status = make_room(fold, whole);
	for (uint32_t m = 0; m < whole->n_metrics && status == PH_OK; m++)
		status = add_whole(fold, whole, m);
	if (status == PH_OK)
		status = ph_fold_finish(fold, out);
	ph_fold_free(fold);
	return status;
}
