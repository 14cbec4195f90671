/*
 * legible.c - see legible.h.
 *
 * A graph has a supernode at least for each label that is left, so most shares are found too small
 * by counting labels, without a graph.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "supergraph/legible.h"

#include "profile/internal.h"
#include "profile/ops.h"
#include "supergraph/internal.h"

/* Steps that people would choose. Of inclusive cost up to 0.2: beyond, little is left. */
static const double shares[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2};
#define N_SHARES (sizeof(shares) / sizeof(shares[0]))

/* Finer, for levels go fast where functions call each other in many orders. */
static const double passings[] = {0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06,
								  0.08,	 0.1,	0.12,  0.15, 0.2,	0.25, 0.3,	0.4,  0.5,	1};
#define N_PASSINGS (sizeof(passings) / sizeof(passings[0]))

typedef struct Choice
{
	PhEnv *env;
	PhArena *scratch;
	const PhProfile *profile;
	uint32_t metric;
	PhGroupBy by;
	const PhModuleMap *map;
	const PhLegibleLimits *limits;
	PhLabels labels;
	bool has_labels; /* a module map changes them when the graph is made */
	bool *keep;		 /* by node */
	bool *is_seen;	 /* by label */
} Choice;

static PhStatus
begin(Choice *choice)
{
	uint32_t n = choice->profile->n_nodes;
	choice->has_labels = choice->map == NULL || choice->by != PH_GROUP_MODULE;
	if (!choice->has_labels)
		return PH_OK;
	PH_TRY(ph_labels_make(choice->scratch, choice->profile, choice->by, NULL, &choice->labels));
	PH_TRY(PH_NEW(choice->scratch, n, &choice->keep));
	return PH_NEW(choice->scratch, choice->labels.n_labels, &choice->is_seen);
}

/* Labels of what a share leaves; 0: not known. */
static PhStatus
count_labels(Choice *choice, double share, uint32_t *out)
{
	uint32_t n = 0;
	*out = 0;
	if (!choice->has_labels)
		return PH_OK;
	PH_TRY(ph_profile_filter_marks(choice->scratch, choice->profile, share, choice->metric,
								   choice->keep));
	for (uint32_t label = 0; label < choice->labels.n_labels; label++)
		choice->is_seen[label] = false;
	for (uint32_t node = 0; node < choice->profile->n_nodes; node++)
	{
		uint32_t label = choice->labels.of_node[node];
		if (!choice->keep[node] || choice->is_seen[label])
			continue;
		choice->is_seen[label] = true;
		n++;
	}
	*out = n;
	return PH_OK;
}

static PhStatus
drop_chosen(PhEnv *env, const PhProfile *profile, uint32_t metric, double share, PhProfile **out)
{
	PhProfile *rooted;
	PH_TRY(ph_profile_drop_roots(env, profile, share, metric, &rooted));
	return ph_profile_filter_given(env, rooted, share, metric, out);
}

PhStatus
ph_legible_apply(PhEnv *env, const PhProfile *profile, uint32_t metric, const PhLegible *chosen,
				 PhProfile **out)
{
	PhProfile *filtered;
	if (!(chosen->passing > 0))
		return chosen->share > 0 ? drop_chosen(env, profile, metric, chosen->share, out)
								 : ph_profile_copy(env, profile, out);
	if (!(chosen->share > 0))
		return ph_profile_drop_passages(env, profile, chosen->passing, metric, out);
	PH_TRY(drop_chosen(env, profile, metric, chosen->share, &filtered));
	return ph_profile_drop_passages_given(env, filtered, chosen->passing, metric, out);
}

/* Size of the graph that is drawn. */
static PhStatus
measure_graph(const Choice *choice, const PhLegible *chosen, uint32_t *n_supernodes,
			  uint32_t *n_levels)
{
	PhProfile *profile;
	PhSupergraph *graph;
	PH_TRY(ph_legible_apply(choice->env, choice->profile, choice->metric, chosen, &profile));
	PhStatus status = ph_supergraph_build(choice->env, profile, choice->by, choice->map, &graph);
	if (status != PH_OK)
	{
		ph_profile_free(choice->env, profile);
		return status;
	}
	*n_supernodes = graph->n_supernodes;
	*n_levels = graph->n_supernodes > 0 ? graph->supernodes[graph->n_supernodes - 1].level + 1 : 0;
	ph_supergraph_free(choice->env, graph);
	return PH_OK;
}

static PhStatus
choose_share(Choice *choice, PhLegible *chosen, uint32_t *n_supernodes, uint32_t *n_levels)
{
	for (uint32_t i = 0; i < N_SHARES; i++)
	{
		uint32_t n_labels;
		chosen->share = shares[i];
		PH_TRY(count_labels(choice, shares[i], &n_labels));
		if (n_labels > choice->limits->supernodes && i + 1 < N_SHARES)
			continue;
		PH_TRY(measure_graph(choice, chosen, n_supernodes, n_levels));
		if (*n_supernodes <= choice->limits->supernodes)
			break;
	}
	return PH_OK;
}

static PhStatus
choose(Choice *choice, PhLegible *out)
{
	const PhLegibleLimits *limits = choice->limits;
	PhLegible chosen = {.share = limits->share};
	uint32_t n_supernodes, n_levels;
	PH_TRY(begin(choice));
	if (isnan(limits->share))
		PH_TRY(choose_share(choice, &chosen, &n_supernodes, &n_levels));
	else if (limits->levels > 0)
		PH_TRY(measure_graph(choice, &chosen, &n_supernodes, &n_levels));
	for (uint32_t i = 0; limits->levels > 0 && n_levels > limits->levels && i < N_PASSINGS; i++)
	{
		chosen.passing = passings[i];
		PH_TRY(measure_graph(choice, &chosen, &n_supernodes, &n_levels));
	}
	*out = chosen;
	return PH_OK;
}

PhStatus
ph_legible_choose(PhEnv *env, const PhProfile *profile, uint32_t metric, PhGroupBy by,
				  const PhModuleMap *map, const PhLegibleLimits *limits, PhLegible *out)
{
	PhArena scratch;
	Choice choice = {.env = env,
					 .scratch = &scratch,
					 .profile = profile,
					 .metric = metric,
					 .by = by,
					 .map = map,
					 .limits = limits};
	ph_arena_init(&scratch, env);
	PhStatus status = choose(&choice, out);
	ph_arena_drop(&scratch);
	return status;
}
