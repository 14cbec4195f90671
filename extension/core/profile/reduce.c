/*
 * reduce.c - reductions of the tree: squash, subtree, select_metrics.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "profile/ops.h"
#include "profile/regroup.h"
#include "profile/tree.h"

/* Regroup with one list for costs and identity: nodes map to one node or to none. */
static PhStatus
regroup_by(PhMaker *maker, const PhProfile *profile, const uint32_t *node_of, const char *note)
{
	PhRegroup regroup = {.from = profile};
	PH_TRY(ph_tree_members(&maker->scratch, profile->n_nodes, node_of, maker->profile->n_nodes,
						   &regroup.own.start, &regroup.own.items));
	regroup.same = regroup.own;
	return ph_regroup(maker, &regroup, note);
}

typedef struct Squash
{
	const bool *keep;
	const char *note;
} Squash;

static PhStatus
squash_parts(PhMaker *maker, const PhProfile *profile, const Squash *squash)
{
	uint32_t *node_of;
	PH_TRY(PH_NEW(&maker->scratch, profile->n_nodes, &node_of));
	PH_TRY(ph_regroup_tree(maker, profile, squash->keep, node_of));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		if (!squash->keep[node])
			node_of[node] = PH_NONE;
	return regroup_by(maker, profile, node_of, squash->note);
}

static PhStatus
squash_one(PhEnv *env, const PhProfile *profile, const void *arguments, PhProfile **out)
{
	PhMaker maker;
	PhStatus status = ph_maker_begin(&maker, env);
	if (status == PH_OK)
		status = squash_parts(&maker, profile, arguments);
	return ph_maker_end(&maker, status, out);
}

PhStatus
ph_profile_squash(PhEnv *env, const PhProfile *profile, const bool *keep, const char *note,
				  PhProfile **out)
{
	Squash squash = {keep, note};
	return ph_reduce(env, profile, squash_one, &squash, out);
}

typedef struct Subtree
{
	uint32_t node;
	bool reroot;
	const char *note;
} Subtree;

static PhStatus
subtree_parts(PhMaker *maker, const PhProfile *profile, const Subtree *subtree)
{
	uint32_t *node_of;
	bool *keep;
	PH_TRY(PH_NEW(&maker->scratch, profile->n_nodes, &node_of));
	PH_TRY(PH_NEW(&maker->scratch, profile->n_nodes, &keep));
	uint32_t end = profile->subtree_end[subtree->node];
	memset(keep + subtree->node, true, end - subtree->node);
	uint32_t above = subtree->reroot ? PH_NONE : profile->parent[subtree->node];
	for (; above != PH_NONE; above = profile->parent[above])
		keep[above] = true;
	PH_TRY(ph_regroup_tree(maker, profile, keep, node_of));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		if (node < subtree->node || node >= end)
			node_of[node] = PH_NONE; /* ancestors stay, without costs of their own */
	return regroup_by(maker, profile, node_of, subtree->note);
}

static PhStatus
subtree_one(PhEnv *env, const PhProfile *profile, const void *arguments, PhProfile **out)
{
	PhMaker maker;
	PhStatus status = ph_maker_begin(&maker, env);
	if (status == PH_OK)
		status = subtree_parts(&maker, profile, arguments);
	return ph_maker_end(&maker, status, out);
}

PhStatus
ph_profile_subtree(PhEnv *env, const PhProfile *profile, uint32_t node, bool reroot,
				   PhProfile **out)
{
	char note[256];
	if (node >= profile->n_nodes)
		return ph_fail(env, PH_ERR_NOT_FOUND, "node %u does not exist among %u nodes", node,
					   profile->n_nodes);
	const char *name = ph_profile_node_name(profile, node);
	snprintf(note, sizeof(note), "subtree: node %u, %.*s%s", node, ph_text_fit(name, 150), name,
			 reroot ? ", as root" : "");
	Subtree subtree = {node, reroot, note};
	return ph_reduce(env, profile, subtree_one, &subtree, out);
}

typedef struct Selection
{
	uint32_t n;
	const uint32_t *metrics;
	const uint32_t *new_index; /* per old metric, PH_NONE when dropped */
	const char *note;
} Selection;

static PhStatus
copy_values(PhProfile *profile, const double *from, double **to)
{
	size_t cells = ph_profile_cells(profile);
	if (from == NULL)
		return PH_OK;
	PH_TRY(PH_NEW(&profile->arena, cells, to));
	memcpy(*to, from, cells * sizeof(double));
	return PH_OK;
}

static PhStatus
select_metric(PhMaker *maker, const PhProfile *from, const Selection *selection, uint32_t index)
{
	const PhMetric *old = &from->metrics[selection->metrics[index]];
	PhProfile *profile = maker->profile;
	PhMetric *metric = &profile->metrics[index];
	*metric = (PhMetric){.kind = old->kind, .combine = old->combine, .is_signed = old->is_signed};
	if (old->kind == PH_METRIC_RATIO)
	{
		metric->numerator = selection->new_index[old->numerator];
		metric->denominator = selection->new_index[old->denominator];
	}
	PH_TRY(ph_strings_intern(&maker->strings, from->strings[old->name], &metric->name));
	PH_TRY(ph_strings_intern(&maker->strings, from->strings[old->unit], &metric->unit));
	PH_TRY(copy_values(profile, old->exclusive, &metric->exclusive));
	PH_TRY(copy_values(profile, old->inclusive, &metric->inclusive));
	PH_TRY(copy_values(profile, old->absorbed, &metric->absorbed));
	return copy_values(profile, old->residual, &metric->residual);
}

static PhStatus
select_parts(PhMaker *maker, const PhProfile *from, const Selection *selection)
{
	PhProfile *profile = maker->profile;
	PH_TRY(ph_tree_copy(maker, from));
	PH_TRY(ph_maker_columns(maker, from));
	PH_TRY(ph_maker_marks(maker, from));
	PH_TRY(PH_NEW(&profile->arena, selection->n, &profile->metrics));
	profile->n_metrics = selection->n;
	for (uint32_t i = 0; i < selection->n; i++)
		PH_TRY(select_metric(maker, from, selection, i));
	PH_TRY(ph_maker_provenance(maker, from, selection->note));
	profile->provenance.share_filtered = ph_profile_share_absorbed(profile);
	return PH_OK;
}

static PhStatus
select_one(PhEnv *env, const PhProfile *profile, const void *arguments, PhProfile **out)
{
	PhMaker maker;
	PhStatus status = ph_maker_begin(&maker, env);
	if (status == PH_OK)
		status = select_parts(&maker, profile, arguments);
	return ph_maker_end(&maker, status, out);
}

/* Put a metric on the list unless it is there. */
static void
select_also(uint32_t metric, uint32_t *list, uint32_t *n, uint32_t *new_index)
{
	if (new_index[metric] != PH_NONE)
		return;
	new_index[metric] = *n;
	list[(*n)++] = metric;
}

/* What the selected ratios are ratios of, at the end of the list. */
static void
select_operands(const PhProfile *profile, uint32_t *list, uint32_t *n, uint32_t *new_index)
{
	for (uint32_t i = 0; profile != NULL && i < *n; i++)
	{
		const PhMetric *metric = &profile->metrics[list[i]];
		if (metric->kind != PH_METRIC_RATIO)
			continue;
		select_also(metric->numerator, list, n, new_index);
		select_also(metric->denominator, list, n, new_index);
	}
}

static PhStatus
select_list(PhArena *scratch, const PhProfile *profile, uint32_t n, const uint32_t *metrics,
			PhProfile **out)
{
	uint32_t *list, *new_index, n_list = 0;
	PH_TRY(PH_NEW(scratch, profile->n_metrics, &list));
	PH_TRY(PH_NEW(scratch, profile->n_metrics, &new_index));
	memset(new_index, 0xff, profile->n_metrics * sizeof(*new_index));
	for (uint32_t i = 0; i < n; i++)
	{
		if (metrics[i] >= profile->n_metrics)
			return ph_fail(scratch->env, PH_ERR_NOT_FOUND, "metric %u does not exist among %u",
						   metrics[i], profile->n_metrics);
		select_also(metrics[i], list, &n_list, new_index);
	}
	/* a difference holds numbers where its operands may have ratios; all keep the same metrics */
	select_operands(profile, list, &n_list, new_index);
	select_operands(profile->before, list, &n_list, new_index);
	select_operands(profile->unfiltered, list, &n_list, new_index);
	char note[64];
	snprintf(note, sizeof(note), "metrics: %u of %u", n_list, profile->n_metrics);
	Selection selection = {n_list, list, new_index, note};
	return ph_reduce_deep(scratch->env, profile, select_one, &selection, out);
}

PhStatus
ph_profile_select_metrics(PhEnv *env, const PhProfile *profile, uint32_t n, const uint32_t *metrics,
						  PhProfile **out)
{
	PhArena scratch;
	if (n == 0)
		return ph_fail(env, PH_ERR_VALUE, "no metric is selected");
	ph_arena_init(&scratch, env);
	PhStatus status = select_list(&scratch, profile, n, metrics, out);
	ph_arena_drop(&scratch);
	return status;
}
