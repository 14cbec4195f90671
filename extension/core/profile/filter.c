/*
 * filter.c - leave out cheap functions, keep their time: filter, passages and splice.
 *
 * docs/design/supergraph.md 1. The total of a function counts its outermost instances only; one
 * pass in pre-order finds them: an instance is outermost unless it lies in the subtree of the last
 * one.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/unit.h"
#include "profile/cells.h"
#include "profile/ops.h"
#include "profile/regroup.h"
#include "profile/tree.h"

#define PH_THRESHOLD_ROUNDING 1e-12 /* a function exactly at the threshold stays */

typedef struct Splice
{
	const bool *keep; /* per node, roots included */
	const char *note;
} Splice;

/*
 * The profile of the kept nodes. Own costs of a removed node go to its nearest kept ancestor and
 * count as absorbed there; inclusives, presence and marks come from the kept nodes alone, so they
 * do not change (docs/design/supergraph.md 1).
 */
static PhStatus
splice_parts(PhMaker *maker, const PhProfile *profile, const Splice *splice)
{
	PhArena *scratch = &maker->scratch;
	uint32_t n = profile->n_nodes, *node_of, *same_of;
	bool *is_absorbed, any = false;
	PhRegroup regroup = {.from = profile, .keep_inclusive = true};
	PH_TRY(PH_NEW(scratch, n, &node_of));
	PH_TRY(PH_NEW(scratch, n, &same_of));
	PH_TRY(PH_NEW(scratch, n, &is_absorbed));
	PH_TRY(ph_regroup_tree(maker, profile, splice->keep, node_of));
	for (uint32_t node = 0; node < n; node++)
	{
		is_absorbed[node] = !splice->keep[node];
		any = any || is_absorbed[node];
		same_of[node] = splice->keep[node] ? node_of[node] : PH_NONE;
	}
	uint32_t n_new = maker->profile->n_nodes;
	PH_TRY(ph_tree_members(scratch, n, node_of, n_new, &regroup.own.start, &regroup.own.items));
	PH_TRY(ph_tree_members(scratch, n, same_of, n_new, &regroup.same.start, &regroup.same.items));
	regroup.is_absorbed = any ? is_absorbed : NULL;
	return ph_regroup(maker, &regroup, splice->note);
}

static PhStatus
splice_one(PhEnv *env, const PhProfile *profile, const void *arguments, PhProfile **out)
{
	PhMaker maker;
	PhStatus status = ph_maker_begin(&maker, env);
	if (status == PH_OK)
		status = splice_parts(&maker, profile, arguments);
	return ph_maker_end(&maker, status, out);
}

static PhStatus
copy_one(PhEnv *env, const PhProfile *profile, const void *arguments, PhProfile **out)
{
	(void) arguments;
	return ph_profile_copy(env, profile, out);
}

/* The profile that repopulate() goes back to: the first one that a filter started from. */
static PhStatus
keep_unfiltered(PhEnv *env, const PhProfile *profile, PhProfile *result)
{
	const PhProfile *whole = profile->unfiltered != NULL ? profile->unfiltered : profile;
	return ph_reduce(env, whole, copy_one, NULL, &result->unfiltered);
}

/* The same with the profile itself, or with what it keeps. */
static void
move_unfiltered(PhEnv *env, PhProfile *profile, PhProfile *result)
{
	result->unfiltered = profile->unfiltered != NULL ? profile->unfiltered : profile;
	if (result->unfiltered == profile)
		return;
	profile->unfiltered = NULL;
	ph_profile_free(env, profile);
}

/* given: the profile, when it goes with the result; else NULL. */
static PhStatus
splice_kept(PhEnv *env, const PhProfile *profile, PhProfile *given, const Splice *splice,
			PhProfile **out)
{
	PhProfile *result;
	PH_TRY(ph_reduce(env, profile, splice_one, splice, &result));
	PhStatus status = PH_OK;
	if (given != NULL)
		move_unfiltered(env, given, result);
	else
		status = keep_unfiltered(env, profile, result);
	if (status != PH_OK)
	{
		ph_profile_free(env, result);
		return status;
	}
	*out = result;
	return PH_OK;
}

static PhStatus
splice_with_roots(PhArena *scratch, const PhProfile *profile, const bool *keep, const char *note,
				  PhProfile **out)
{
	bool *kept;
	PH_TRY(PH_NEW(scratch, profile->n_nodes, &kept));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		kept[node] = keep[node] || profile->parent[node] == PH_NONE;
	Splice splice = {kept, note};
	return splice_kept(scratch->env, profile, NULL, &splice, out);
}

PhStatus
ph_profile_splice(PhEnv *env, const PhProfile *profile, const bool *keep, const char *note,
				  PhProfile **out)
{
	PhArena scratch;
	ph_arena_init(&scratch, env);
	PhStatus status = splice_with_roots(&scratch, profile, keep, note, out);
	ph_arena_drop(&scratch);
	return status;
}

typedef struct Filter
{
	const PhProfile *profile;
	double share;
	PhStat stat;
	uint32_t metric;
	PhCost cost;
	PhProfile *given; /* profile, when it goes with the result; else NULL */
} Filter;

/* One node's weight. Differences count by size, whatever their sign. */
static double
node_weight(const Filter *filter, uint32_t node, PhCost cost)
{
	const PhProfile *profile = filter->profile;
	double weight = 0;
	if (filter->stat == PH_STAT_MEAN)
		weight = ph_profile_mean(profile, filter->metric, node, cost);
	PhRow row = ph_profile_row(profile, node);
	for (size_t i = row.cell; filter->stat == PH_STAT_MAX && i < row.cell + row.n; i++)
		weight = fmax(weight, ph_profile_value(profile, filter->metric, i, cost));
	return profile->metrics[filter->metric].is_signed ? fabs(weight) : weight;
}

/* Totals of functions, by the string of their name; among NULL: of all nodes. */
static PhStatus
function_totals(PhArena *scratch, const Filter *filter, const bool *among, double *totals)
{
	const PhProfile *profile = filter->profile;
	uint32_t *outermost_end;
	PH_TRY(PH_NEW(scratch, profile->n_strings, &outermost_end));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PhString name = ph_profile_region(profile, node)->name;
		PH_TRY(ph_env_poll(scratch->env));
		if ((filter->cost == PH_COST_INCLUSIVE && node < outermost_end[name]) ||
			(among != NULL && !among[node]))
			continue;
		totals[name] += node_weight(filter, node, filter->cost);
		outermost_end[name] = profile->subtree_end[node];
	}
	return PH_OK;
}

static double
forest_weight(const Filter *filter)
{
	const PhProfile *profile = filter->profile;
	double weight = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node = profile->subtree_end[node])
		weight += node_weight(filter, node, PH_COST_INCLUSIVE);
	return weight;
}

/* Roots, and functions of which a total is no less than the share of the whole. */
static void
mark_functions(const Filter *filter, const double *totals, double whole, bool *keep)
{
	const PhProfile *profile = filter->profile;
	double threshold = filter->share * whole * (1 - PH_THRESHOLD_ROUNDING);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		keep[node] = profile->parent[node] == PH_NONE || filter->share <= 0 ||
					 totals[ph_profile_region(profile, node)->name] >= threshold;
}

static bool
is_time(const PhProfile *profile, uint32_t metric)
{
	PhUnitMeaning meaning;
	return ph_unit_meaning(profile->strings[profile->metrics[metric].unit], &meaning) &&
		   strcmp(meaning.dimension, "time") == 0;
}

/* What tells which functions matter: of a ratio the time in it, else what it is divided by. */
static uint32_t
weight_of(const PhProfile *profile, uint32_t metric)
{
	const PhMetric *ratio = metric < profile->n_metrics ? &profile->metrics[metric] : NULL;
	if (ratio == NULL || ratio->kind != PH_METRIC_RATIO)
		return metric;
	return is_time(profile, ratio->numerator) ? ratio->numerator : ratio->denominator;
}

static PhStatus
check_filter(PhEnv *env, const Filter *filter)
{
	if (!(filter->share >= 0 && filter->share <= 1))
		return ph_fail_hint(env, PH_ERR_VALUE, "Give the share as a part of 1, such as 0.001.",
							"share %g is not between 0 and 1", filter->share);
	if (filter->metric >= filter->profile->n_metrics)
		return ph_fail(env, PH_ERR_NOT_FOUND, "metric %u does not exist among %u", filter->metric,
					   filter->profile->n_metrics);
	const PhMetric *metric = &filter->profile->metrics[filter->metric];
	if (metric->kind != PH_METRIC_FLOW)
		return ph_fail_hint(env, PH_ERR_VALUE,
							"Filter by a metric such as time, or by none: a share of 0.",
							"metric \"%.*s\" does not add up over the tree",
							ph_text_fit(filter->profile->strings[metric->name], 100),
							filter->profile->strings[metric->name]);
	if (filter->cost != PH_COST_INCLUSIVE && filter->cost != PH_COST_EXCLUSIVE)
		return ph_fail(env, PH_ERR_VALUE, "a filter takes inclusive or exclusive cost");
	return PH_OK;
}

/* How a profile is filtered: what is made of filter->profile, in the scratch of one call. */
typedef PhStatus (*FilterMethod)(PhArena *scratch, const Filter *filter, PhProfile **out);

static PhStatus
apply_filter(PhEnv *env, const Filter *filter, FilterMethod method, PhProfile **out)
{
	PhArena scratch;
	PH_TRY(check_filter(env, filter));
	ph_arena_init(&scratch, env);
	PhStatus status = method(&scratch, filter, out);
	ph_arena_drop(&scratch);
	return status;
}

/* By the mean of inclusive cost, of a profile that becomes the result's or is freed. */
static PhStatus
apply_given(PhEnv *env, PhProfile *profile, double share, uint32_t metric, FilterMethod method,
			PhProfile **out)
{
	Filter filter = {profile,			share,	PH_STAT_MEAN, weight_of(profile, metric),
					 PH_COST_INCLUSIVE, profile};
	PhStatus status = apply_filter(env, &filter, method, out);
	if (status != PH_OK)
		ph_profile_free(env, profile);
	return status;
}

static PhStatus
filter_parts(PhArena *scratch, const Filter *filter, PhProfile **out)
{
	const PhProfile *profile = filter->profile;
	double *totals;
	bool *keep;
	char note[256];
	PH_TRY(PH_NEW(scratch, profile->n_strings, &totals));
	PH_TRY(PH_NEW(scratch, profile->n_nodes, &keep));
	PH_TRY(function_totals(scratch, filter, NULL, totals));
	mark_functions(filter, totals, forest_weight(filter), keep);
	const char *name = profile->strings[profile->metrics[filter->metric].name];
	snprintf(note, sizeof(note), "filter: share %.6g of %s %.*s (%s)", filter->share,
			 filter->cost == PH_COST_INCLUSIVE ? "inclusive" : "exclusive", ph_text_fit(name, 100),
			 name, filter->stat == PH_STAT_MEAN ? "mean" : "max");
	Splice splice = {keep, note};
	return splice_kept(scratch->env, profile, filter->given, &splice, out);
}

/* The trees whose roots are left out, how many they are and what they cost. */
typedef struct SmallRoots
{
	bool *stays; /* by node: its tree does */
	uint32_t n;
	double cost, whole;
} SmallRoots;

/* Where most of the whole is in small roots, none is left out: they are all there is. */
static PhStatus
find_small_roots(PhArena *scratch, const Filter *filter, SmallRoots *out)
{
	const PhProfile *profile = filter->profile;
	SmallRoots small = {.whole = forest_weight(filter)};
	double threshold = filter->share * small.whole * (1 - PH_THRESHOLD_ROUNDING);
	PH_TRY(PH_NEW(scratch, profile->n_nodes, &small.stays));
	for (uint32_t root = 0; root < profile->n_nodes; root = profile->subtree_end[root])
	{
		double weight = node_weight(filter, root, PH_COST_INCLUSIVE);
		bool stays = weight >= threshold;
		for (uint32_t node = root; node < profile->subtree_end[root]; node++)
			small.stays[node] = stays;
		small.n += !stays;
		small.cost += stays ? 0 : weight;
	}
	if (small.cost > small.whole / 2)
	{
		memset(small.stays, true, profile->n_nodes * sizeof(bool));
		small.n = 0;
		small.cost = 0;
	}
	*out = small;
	return PH_OK;
}

static PhStatus
drop_roots(PhArena *scratch, const Filter *filter, PhProfile **out)
{
	SmallRoots small;
	char note[160];
	PH_TRY(find_small_roots(scratch, filter, &small));
	if (small.n == 0)
		return ph_profile_copy(scratch->env, filter->profile, out);
	snprintf(note, sizeof(note), "%u root%s under %.3g %% left out (%.3g %% of the whole)", small.n,
			 small.n == 1 ? "" : "s", 100 * filter->share,
			 small.whole > 0 ? 100 * small.cost / small.whole : 0);
	return ph_profile_squash(scratch->env, filter->profile, small.stays, note, out);
}

PhStatus
ph_profile_drop_roots(PhEnv *env, const PhProfile *profile, double share, uint32_t metric,
					  PhProfile **out)
{
	Filter filter = {profile,			share, PH_STAT_MEAN, weight_of(profile, metric),
					 PH_COST_INCLUSIVE, NULL};
	return apply_filter(env, &filter, drop_roots, out);
}

PhStatus
ph_profile_filter(PhEnv *env, const PhProfile *profile, double share, PhStat stat, uint32_t metric,
				  PhCost cost, PhProfile **out)
{
	Filter filter = {profile, share, stat, weight_of(profile, metric), cost, NULL};
	return apply_filter(env, &filter, filter_parts, out);
}

PhStatus
ph_profile_filter_given(PhEnv *env, PhProfile *profile, double share, uint32_t metric,
						PhProfile **out)
{
	return apply_given(env, profile, share, metric, filter_parts, out);
}

/* ---- functions that only pass cost on ---- */

/* Per function, by the string of its name: cost that does not go on to the heaviest callee. */
static PhStatus
retained_totals(PhArena *scratch, const Filter *filter, double *totals)
{
	const PhProfile *profile = filter->profile;
	double *weight, *heaviest;
	PH_TRY(PH_NEW(scratch, profile->n_nodes, &weight));
	PH_TRY(PH_NEW(scratch, profile->n_nodes, &heaviest));
	for (uint32_t node = profile->n_nodes; node-- > 0;) /* children before their parents */
	{
		uint32_t parent = profile->parent[node];
		PH_TRY(ph_env_poll(scratch->env));
		weight[node] = node_weight(filter, node, PH_COST_INCLUSIVE);
		totals[ph_profile_region(profile, node)->name] += fmax(weight[node] - heaviest[node], 0);
		if (parent != PH_NONE)
			heaviest[parent] = fmax(heaviest[parent], weight[node]);
	}
	return PH_OK;
}

static PhStatus
drop_passages(PhArena *scratch, const Filter *filter, PhProfile **out)
{
	const PhProfile *profile = filter->profile;
	double *totals;
	bool *keep;
	char note[160];
	uint32_t n = 0;
	PH_TRY(PH_NEW(scratch, profile->n_strings, &totals));
	PH_TRY(PH_NEW(scratch, profile->n_nodes, &keep));
	PH_TRY(retained_totals(scratch, filter, totals));
	mark_functions(filter, totals, forest_weight(filter), keep);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		n += !keep[node];
	if (n == 0 && filter->given == NULL)
		return ph_profile_copy(scratch->env, profile, out);
	if (n == 0)
	{
		*out = filter->given;
		return PH_OK;
	}
	snprintf(note, sizeof(note), "functions that keep under %.3g %% left out", 100 * filter->share);
	Splice splice = {keep, note};
	return splice_kept(scratch->env, profile, filter->given, &splice, out);
}

PhStatus
ph_profile_drop_passages(PhEnv *env, const PhProfile *profile, double share, uint32_t metric,
						 PhProfile **out)
{
	Filter filter = {profile,			share, PH_STAT_MEAN, weight_of(profile, metric),
					 PH_COST_INCLUSIVE, NULL};
	return apply_filter(env, &filter, drop_passages, out);
}

PhStatus
ph_profile_drop_passages_given(PhEnv *env, PhProfile *profile, double share, uint32_t metric,
							   PhProfile **out)
{
	return apply_given(env, profile, share, metric, drop_passages, out);
}

PhStatus
ph_profile_filter_marks(PhArena *arena, const PhProfile *profile, double share, uint32_t metric,
						bool *keep)
{
	Filter filter = {profile,			share, PH_STAT_MEAN, weight_of(profile, metric),
					 PH_COST_INCLUSIVE, NULL};
	SmallRoots small;
	double *totals;
	PH_TRY(check_filter(arena->env, &filter));
	PH_TRY(PH_NEW(arena, profile->n_strings, &totals));
	PH_TRY(find_small_roots(arena, &filter, &small));
	PH_TRY(function_totals(arena, &filter, small.stays, totals));
	mark_functions(&filter, totals, small.whole - small.cost, keep);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		keep[node] = keep[node] && small.stays[node];
	return PH_OK;
}
