/*
 * regroup.c - rows of moved nodes added, combined and derived.
 *
 * Members of a new node are taken in ascending order of old node, so sums are deterministic.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "profile/regroup.h"

#include <math.h>
#include <string.h>

#include "profile/cells.h"
#include "profile/tree.h"

void
ph_combine(PhCombined *to, PhCombine how, double value)
{
	if (to->n == 0)
		to->value = value;
	else if (how == PH_COMBINE_MIN || how == PH_COMBINE_MAX)
		to->value = (how == PH_COMBINE_MIN) == (value < to->value) ? value : to->value;
	else
		to->value += value;
	to->n++;
}

double
ph_combined(const PhCombined *from, PhCombine how)
{
	return from->n > 1 && how == PH_COMBINE_MEAN ? from->value / from->n : from->value;
}

static PhStatus
room_for_rest(PhMaker *maker, const PhRegroup *regroup, const PhMetric *old, PhMetric *metric)
{
	PhProfile *profile = maker->profile;
	size_t cells = ph_profile_cells(profile);
	if (old->absorbed != NULL || regroup->is_absorbed != NULL)
		PH_TRY(PH_NEW(&profile->arena, cells, &metric->absorbed));
	if (old->residual != NULL)
		PH_TRY(PH_NEW(&profile->arena, cells, &metric->residual));
	return PH_OK;
}

/* Add an old node's own costs to the row of its new node. */
static void
add_own(const PhRegroup *regroup, const PhMetric *old, PhMetric *metric, uint32_t member,
		const PhRow *row)
{
	PhRow own = ph_profile_row(regroup->from, member);
	bool absorbed = regroup->is_absorbed != NULL && regroup->is_absorbed[member];
	ph_row_add_cells(row, absorbed ? metric->absorbed : metric->exclusive, &own, old->exclusive);
	if (old->absorbed != NULL)
		ph_row_add_cells(row, metric->absorbed, &own, old->absorbed);
	if (old->residual != NULL)
		ph_row_add_cells(row, metric->residual, &own, old->residual);
}

/*
 * Values of a flow metric in the new tree: own costs are summed over the members that `own` lists;
 * inclusives are summed over those that `same` lists, or derived anew from the bottom up.
 */
static PhStatus
regroup_flow(PhMaker *maker, const PhRegroup *regroup, const PhMetric *old, PhMetric *metric)
{
	PhProfile *profile = maker->profile;
	PH_TRY(room_for_rest(maker, regroup, old, metric));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PhRow row = ph_profile_row(profile, node);
		PH_TRY(ph_env_poll(maker->env));
		for (uint32_t i = regroup->own.start[node]; i < regroup->own.start[node + 1]; i++)
			add_own(regroup, old, metric, regroup->own.items[i], &row);
		if (!regroup->keep_inclusive)
			continue;
		for (uint32_t i = regroup->same.start[node]; i < regroup->same.start[node + 1]; i++)
		{
			PhRow member = ph_profile_row(regroup->from, regroup->same.items[i]);
			ph_row_add_cells(&row, metric->inclusive, &member, old->inclusive);
		}
	}
	if (regroup->keep_inclusive)
		return PH_OK;
	return ph_metric_derive_inclusive(maker->env, profile, metric);
}

/* Combines the values of the nodes that a new one stands for; combined holds nothing in between. */
static void
combine_row(const PhRegroup *regroup, const PhMetric *old, const double *values, uint32_t node,
			const PhRow *row, PhCombined *combined, double *to)
{
	size_t n = 0;
	for (uint32_t i = regroup->same.start[node]; i < regroup->same.start[node + 1]; i++)
	{
		PhRowWalk walk = ph_row_walk(regroup->from, regroup->same.items[i]);
		for (PhRowSpan span; ph_row_next(&walk, &span);)
			for (uint32_t c = 0; c < span.n; c++)
				ph_combine(&combined[span.first + c], old->combine, values[span.cell + c]);
	}
	for (uint32_t i = 0; i < row->n_runs; i++)
	{
		PhRowSpan span = ph_row_span(row, i);
		for (uint32_t c = span.first; c < span.first + span.n; c++)
		{
			to[n++] = ph_combined(&combined[c], old->combine);
			combined[c] = (PhCombined){0};
		}
	}
}

static PhStatus
regroup_value(PhMaker *maker, const PhRegroup *regroup, const PhMetric *old, PhMetric *metric)
{
	PhProfile *profile = maker->profile;
	PhCombined *combined;
	PH_TRY(PH_NEW(&maker->scratch, profile->n_columns, &combined));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PhRow row = ph_profile_row(profile, node);
		PH_TRY(ph_env_poll(maker->env));
		combine_row(regroup, old, old->exclusive, node, &row, combined,
					metric->exclusive + row.cell);
		combine_row(regroup, old, old->inclusive, node, &row, combined,
					metric->inclusive + row.cell);
	}
	return PH_OK;
}

/* A node is where the nodes that it stands for are. */
static PhStatus
regroup_cells(PhMaker *maker, const PhRegroup *regroup)
{
	const PhProfile *from = regroup->from;
	PhPresence presence;
	if (from->first_cell == NULL)
		return PH_OK;
	ph_presence_init(&presence, &maker->scratch);
	for (uint32_t node = 0; node < maker->profile->n_nodes; node++)
		for (uint32_t i = regroup->same.start[node]; i < regroup->same.start[node + 1]; i++)
		{
			PhRow row = ph_profile_row(from, regroup->same.items[i]);
			PH_TRY(ph_env_poll(maker->env));
			PH_TRY(ph_presence_add_row(&presence, node, &row));
		}
	return ph_profile_set_cells(maker->profile, &presence);
}

/*
 * A node of the new tree is only in A, or only in B, when all old nodes that it stands for are;
 * else it is in both.
 */
static PhStatus
regroup_marks(PhMaker *maker, const PhRegroup *regroup)
{
	const PhProfile *from = regroup->from;
	PhProfile *profile = maker->profile;
	if (from->diff_status == NULL)
		return PH_OK;
	PH_TRY(PH_NEW(&profile->arena, profile->n_nodes, &profile->diff_status));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		uint32_t first = regroup->same.start[node], end = regroup->same.start[node + 1];
		uint8_t mark = first < end ? from->diff_status[regroup->same.items[first]] : PH_DIFF_BOTH;
		for (uint32_t i = first; i < end; i++)
			if (from->diff_status[regroup->same.items[i]] != mark)
				mark = PH_DIFF_BOTH;
		profile->diff_status[node] = mark;
	}
	return PH_OK;
}

PhStatus
ph_regroup(PhMaker *maker, const PhRegroup *regroup, const char *note)
{
	const PhProfile *from = regroup->from;
	PhProfile *profile = maker->profile;
	PH_TRY(ph_maker_columns(maker, from));
	PH_TRY(ph_maker_metrics(maker, from));
	PH_TRY(ph_maker_provenance(maker, from, note));
	PH_TRY(regroup_cells(maker, regroup));
	PH_TRY(regroup_marks(maker, regroup));
	for (uint32_t i = 0; i < from->n_metrics; i++)
	{
		const PhMetric *old = &from->metrics[i];
		PhMetric *metric = &profile->metrics[i];
		if (old->kind == PH_METRIC_RATIO)
			continue;
		PH_TRY(ph_metric_make_room(profile, metric));
		PH_TRY(old->kind == PH_METRIC_FLOW ? regroup_flow(maker, regroup, old, metric)
										   : regroup_value(maker, regroup, old, metric));
	}
	profile->provenance.share_filtered = ph_profile_share_absorbed(profile);
	return PH_OK;
}

PhStatus
ph_regroup_tree(PhMaker *maker, const PhProfile *from, const bool *keep, uint32_t *node_of)
{
	uint32_t n_kept = 0, *parent, *region, *place, *raw_of;
	PH_TRY(PH_NEW(&maker->scratch, from->n_nodes, &parent));
	PH_TRY(PH_NEW(&maker->scratch, from->n_nodes, &region));
	PH_TRY(PH_NEW(&maker->scratch, from->n_nodes, &place));
	PH_TRY(PH_NEW(&maker->scratch, from->n_nodes, &raw_of));
	for (uint32_t node = 0; node < from->n_nodes; node++)
	{
		uint32_t above = from->parent[node] == PH_NONE ? PH_NONE : raw_of[from->parent[node]];
		raw_of[node] = above;
		if (!keep[node])
			continue;
		parent[n_kept] = above;
		region[n_kept] = from->region[node];
		raw_of[node] = n_kept++;
	}
	PhTreeInput input = {n_kept, parent, region, from->n_regions, from->regions, from->strings};
	PH_TRY(ph_tree_build(maker, &input, place));
	for (uint32_t node = 0; node < from->n_nodes; node++)
		node_of[node] = raw_of[node] == PH_NONE ? PH_NONE : place[raw_of[node]];
	return PH_OK;
}

PhStatus
ph_reduce(PhEnv *env, const PhProfile *profile, PhReduceFunction function, const void *arguments,
		  PhProfile **out)
{
	PhProfile *result = NULL;
	PhStatus status = function(env, profile, arguments, &result);
	if (status == PH_OK && profile->before != NULL)
		status = function(env, profile->before, arguments, &result->before);
	if (status == PH_OK && profile->after != NULL)
		status = function(env, profile->after, arguments, &result->after);
	if (status != PH_OK)
	{
		ph_profile_free(env, result);
		return status;
	}
	*out = result;
	return PH_OK;
}

PhStatus
ph_reduce_deep(PhEnv *env, const PhProfile *profile, PhReduceFunction function,
			   const void *arguments, PhProfile **out)
{
	PhProfile *result;
	PH_TRY(ph_reduce(env, profile, function, arguments, &result));
	if (profile->unfiltered != NULL)
	{
		PhStatus status =
			ph_reduce(env, profile->unfiltered, function, arguments, &result->unfiltered);
		if (status != PH_OK)
		{
			ph_profile_free(env, result);
			return status;
		}
	}
	*out = result;
	return PH_OK;
}
