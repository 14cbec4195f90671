/*
 * eval.c - does a condition of a call-path query hold for a node?
 *
 * Comparisons on texts depend on the region alone and are remembered per region, so a regular
 * expression runs once a region, not once a node. Two-valued logic: an unknown number (line, rank)
 * is not-a-number, an unknown text is empty.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "profile/cells.h"
#include "profile/profile.h"
#include "query/internal.h"

enum
{
	MEMO_NO = 1,
	MEMO_YES = 2
};

PhStatus
ph_query_eval_init(PhArena *arena, const PhProfile *profile, uint32_t n_comparisons,
				   PhQueryEval *out)
{
	PhQueryEval eval = {.arena = arena, .profile = profile};
	PH_TRY(PH_NEW(arena, n_comparisons, &eval.memo));
	PH_TRY(PH_NEW(arena, n_comparisons, &eval.metric));
	PH_TRY(PH_NEW(arena, n_comparisons, &eval.totals));
	for (uint32_t i = 0; i < n_comparisons; i++)
		eval.metric[i] = PH_NONE;
	*out = eval;
	return PH_OK;
}

/* ---- texts ---- */

static const char *
region_text(const PhProfile *profile, const PhRegion *region, PhQueryAttribute attribute)
{
	switch (attribute)
	{
		case PH_ATTRIBUTE_NAME:
			return ph_profile_string(profile, region->name);
		case PH_ATTRIBUTE_KIND:
			return ph_kind_name(region->kind);
		case PH_ATTRIBUTE_MODULE:
			return ph_region_module(profile, region);
		case PH_ATTRIBUTE_LIBRARY:
			return ph_profile_string(profile, region->library);
		default:
			return ph_profile_string(profile, region->file);
	}
}

static bool
contains(const char *text, size_t length, const char *part, size_t part_length)
{
	return part_length == 0 || memmem(text, length, part, part_length) != NULL;
}

static PhStatus
compare_text(const PhQueryComparison *compare, const char *text, bool *out)
{
	size_t length = strlen(text), want = compare->length;
	switch (compare->comparator)
	{
		case PH_COMPARE_EQUAL:
		case PH_COMPARE_NOT_EQUAL:
			*out = (length == want && memcmp(text, compare->text, want) == 0) ==
				   (compare->comparator == PH_COMPARE_EQUAL);
			return PH_OK;
		case PH_COMPARE_MATCHES:
			return ph_regex_search(compare->regex, text, length, out);
		case PH_COMPARE_MATCHES_NOT:
			PH_TRY(ph_regex_search(compare->regex, text, length, out));
			*out = !*out;
			return PH_OK;
		case PH_COMPARE_STARTS:
			*out = length >= want && memcmp(text, compare->text, want) == 0;
			return PH_OK;
		case PH_COMPARE_ENDS:
			*out = length >= want && memcmp(text + length - want, compare->text, want) == 0;
			return PH_OK;
		case PH_COMPARE_CONTAINS:
			*out = contains(text, length, compare->text, want);
			return PH_OK;
		default:
			*out = length == 0;
			return PH_OK;
	}
}

static PhStatus
compare_region(PhQueryEval *eval, const PhQueryComparison *compare, uint32_t node, bool *out)
{
	const PhProfile *profile = eval->profile;
	uint8_t **memo = &eval->memo[compare->index];
	if (*memo == NULL)
		PH_TRY(PH_NEW(eval->arena, profile->n_regions, memo));
	uint8_t *known = &(*memo)[profile->region[node]];
	if (*known == 0)
	{
		const PhRegion *region = ph_profile_region(profile, node);
		bool holds;
		PH_TRY(compare_text(compare, region_text(profile, region, compare->attribute), &holds));
		*known = holds ? MEMO_YES : MEMO_NO;
	}
	*out = *known == MEMO_YES;
	return PH_OK;
}

/* ---- numbers ---- */

static PhStatus
find_metric(PhQueryEval *eval, const PhQueryComparison *compare, uint32_t *out)
{
	uint32_t *metric = &eval->metric[compare->index];
	if (*metric == PH_NONE)
		*metric =
			compare->metric == NULL ? 0 : ph_profile_find_metric(eval->profile, compare->metric);
	if (*metric >= eval->profile->n_metrics)
		return ph_fail_hint(eval->arena->env, PH_ERR_NOT_FOUND,
							"perfhouse.metrics(profile) lists the metrics of a profile.",
							"call-path query: the profile has no metric \"%.*s\"",
							ph_text_fit(compare->metric == NULL ? "" : compare->metric, 200),
							compare->metric == NULL ? "" : compare->metric);
	*out = *metric;
	return PH_OK;
}

/* Sum over the roots of a metric's inclusive value, per column and (last) as mean. */
static PhStatus
find_totals(PhQueryEval *eval, const PhQueryComparison *compare, uint32_t metric, double **out)
{
	const PhProfile *profile = eval->profile;
	double **totals = &eval->totals[compare->index];
	if (*totals == NULL)
	{
		double *sums;
		PH_TRY(PH_NEW(eval->arena, (size_t) profile->n_columns + 1, &sums));
		for (uint32_t root = 0; root < profile->n_nodes; root = profile->subtree_end[root])
		{
			PhRowWalk walk = ph_row_walk(profile, root);
			for (PhRowSpan span; ph_row_next(&walk, &span);)
				for (uint32_t i = 0; i < span.n; i++)
					sums[span.first + i] +=
						ph_profile_value(profile, metric, span.cell + i, PH_COST_INCLUSIVE);
		}
		sums[profile->n_columns] = ph_profile_total(profile, metric);
		*totals = sums;
	}
	*out = *totals;
	return PH_OK;
}

static PhStatus
cost_value(PhQueryEval *eval, const PhQueryComparison *compare, uint32_t node, uint32_t column,
		   double *out)
{
	const PhProfile *profile = eval->profile;
	PhCost cost = compare->attribute == PH_ATTRIBUTE_EXCLUSIVE	? PH_COST_EXCLUSIVE
				  : compare->attribute == PH_ATTRIBUTE_ABSORBED ? PH_COST_ABSORBED
																: PH_COST_INCLUSIVE;
	uint32_t metric = PH_NONE;
	PH_TRY(find_metric(eval, compare, &metric));
	*out = column == PH_NONE ? ph_profile_mean(profile, metric, node, cost)
							 : ph_profile_cell(profile, metric, node, column, cost);
	if (compare->attribute != PH_ATTRIBUTE_SHARE)
		return PH_OK;
	double *totals;
	PH_TRY(find_totals(eval, compare, metric, &totals));
	*out /= totals[column == PH_NONE ? profile->n_columns : column];
	return PH_OK;
}

static double
known_or_nan(int64_t number, int64_t unknown)
{
	return number == unknown ? (double) NAN : (double) number;
}

static PhStatus
number_value(PhQueryEval *eval, const PhQueryComparison *compare, uint32_t node, uint32_t column,
			 double *out)
{
	const PhProfile *profile = eval->profile;
	const PhColumn *unit = column == PH_NONE ? NULL : &profile->columns[column];
	switch (compare->attribute)
	{
		case PH_ATTRIBUTE_LINE:
			*out = known_or_nan(ph_profile_region(profile, node)->line, PH_NO_NUMBER);
			return PH_OK;
		case PH_ATTRIBUTE_DEPTH:
			*out = profile->depth[node];
			return PH_OK;
		case PH_ATTRIBUTE_NODE:
			*out = node;
			return PH_OK;
		case PH_ATTRIBUTE_N_PRESENT:
			*out = ph_profile_n_present(profile, node);
			return PH_OK;
		case PH_ATTRIBUTE_RANK:
			*out = unit == NULL ? (double) NAN : known_or_nan(unit->rank, PH_NO_NUMBER);
			return PH_OK;
		case PH_ATTRIBUTE_THREAD:
			*out = unit == NULL ? (double) NAN : known_or_nan(unit->thread, PH_NO_NUMBER);
			return PH_OK;
		case PH_ATTRIBUTE_ITERATION:
			*out = unit == NULL ? (double) NAN : known_or_nan(unit->iteration, PH_NO_ITERATION);
			return PH_OK;
		default:
			return cost_value(eval, compare, node, column, out);
	}
}

static bool
compare_number(PhComparator comparator, double value, double limit)
{
	switch (comparator)
	{
		case PH_COMPARE_EQUAL:
			return value == limit;
		case PH_COMPARE_NOT_EQUAL:
			return value != limit;
		case PH_COMPARE_LESS:
			return value < limit;
		case PH_COMPARE_LESS_EQUAL:
			return value <= limit;
		case PH_COMPARE_GREATER:
			return value > limit;
		case PH_COMPARE_GREATER_EQUAL:
			return value >= limit;
		case PH_COMPARE_IS_INF:
			return isinf(value) != 0;
		default:
			return isnan(value) != 0;
	}
}

static PhStatus
compare_node(PhQueryEval *eval, const PhQueryComparison *compare, uint32_t node, uint32_t column,
			 bool *out)
{
	if (compare->attribute == PH_ATTRIBUTE_HOST)
	{
		PhString host = column == PH_NONE ? 0 : eval->profile->columns[column].host;
		return compare_text(compare, ph_profile_string(eval->profile, host), out);
	}
	if (compare->attribute < PH_ATTRIBUTE_HOST)
		return compare_region(eval, compare, node, out);
	double value;
	PH_TRY(number_value(eval, compare, node, column, &value));
	*out = compare_number(compare->comparator, value, compare->number);
	return PH_OK;
}

/* ---- conditions; nesting is bounded by the parser ---- */

static PhStatus eval_at(PhQueryEval *eval, const PhCondition *condition, uint32_t node,
						uint32_t column, bool *out);

static PhStatus
eval_operands(PhQueryEval *eval, const PhCondition *condition, uint32_t node, uint32_t column,
			  bool *out)
{
	bool result = condition->op == PH_CONDITION_AND;
	for (const PhCondition *operand = condition->first; operand != NULL; operand = operand->next)
	{
		bool holds;
		PH_TRY(eval_at(eval, operand, node, column, &holds));
		if (condition->op == PH_CONDITION_XOR)
			result = result != holds;
		else if (holds != result)
		{
			result = holds;
			break;
		}
	}
	*out = result;
	return PH_OK;
}

/* any: some column where the node is present; all: every such column, and there is one. */
static PhStatus
eval_columns(PhQueryEval *eval, const PhCondition *condition, uint32_t node, bool *out)
{
	bool any = condition->op == PH_CONDITION_ANY, holds = false;
	PhRowWalk walk = ph_row_walk(eval->profile, node);
	bool goes_on = true;
	for (PhRowSpan span; goes_on && ph_row_next(&walk, &span);)
		for (uint32_t i = 0; goes_on && i < span.n; i++)
		{
			PH_TRY(ph_env_poll(eval->arena->env));
			PH_TRY(eval_at(eval, condition->first, node, span.first + i, &holds));
			goes_on = holds != any;
		}
	*out = holds;
	return PH_OK;
}

static PhStatus
eval_at(PhQueryEval *eval, const PhCondition *condition, uint32_t node, uint32_t column, bool *out)
{
	switch (condition->op)
	{
		case PH_CONDITION_NOT:
			PH_TRY(eval_at(eval, condition->first, node, column, out));
			*out = !*out;
			return PH_OK;
		case PH_CONDITION_ANY:
		case PH_CONDITION_ALL:
			return eval_columns(eval, condition, node, out);
		case PH_CONDITION_LEAF:
			*out = eval->profile->subtree_end[node] == node + 1;
			return PH_OK;
		case PH_CONDITION_ROOT:
			*out = eval->profile->parent[node] == PH_NONE;
			return PH_OK;
		case PH_CONDITION_COMPARE:
			return compare_node(eval, condition->compare, node, column, out);
		default:
			return eval_operands(eval, condition, node, column, out);
	}
}

PhStatus
ph_query_eval(PhQueryEval *eval, const PhCondition *condition, uint32_t node, bool *out)
{
	*out = true;
	if (condition == NULL)
		return PH_OK;
	return eval_at(eval, condition, node, PH_NONE, out);
}
