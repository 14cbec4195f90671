/*
 * explain_change.c - the smallest subtree that explains a difference of two profiles.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/explain_change.h"

#include <math.h>
#include <stdlib.h>

static uint32_t dominant_child(const PhProfile *profile, const double *change, uint32_t parent,
							   double direction);
static PhStatus make_parts(PhArena *arena, const PhProfile *profile, const double *change,
						   const double *own, PhExplanation *out);

/* First child in pre-order, or root; PH_NONE when there is none. */
static uint32_t
first_child(const PhProfile *profile, uint32_t parent)
{
	uint32_t child = parent == PH_NONE ? 0 : parent + 1;
	uint32_t end = parent == PH_NONE ? profile->n_nodes : profile->subtree_end[parent];

	return child < end ? child : PH_NONE;
}

static uint32_t
next_sibling(const PhProfile *profile, uint32_t parent, uint32_t child)
{
	uint32_t end = parent == PH_NONE ? profile->n_nodes : profile->subtree_end[parent];

	return profile->subtree_end[child] < end ? profile->subtree_end[child] : PH_NONE;
}

PhStatus
ph_explain_change(PhArena *arena, const PhProfile *difference, uint32_t metric, PhExplanation *out)
{
	PhExplanation result = {0};
	double *change;
	double *own;
	uint32_t top = PH_NONE;

	PH_TRY(PH_NEW(arena, difference->n_nodes, &change));
	PH_TRY(PH_NEW(arena, difference->n_nodes, &own));
	PH_TRY(PH_NEW(arena, difference->n_nodes, &result.path));
	for (uint32_t node = 0; node < difference->n_nodes; node++)
	{
		change[node] = ph_profile_mean(difference, metric, node, PH_COST_INCLUSIVE);
		own[node] = ph_profile_mean(difference, metric, node, PH_COST_OWN);
		if (difference->parent[node] == PH_NONE)
			result.total += change[node];
	}
	result.subtree = result.total;
	for (;;)
	{
		uint32_t child = dominant_child(difference, change, top, result.total);

		if (child == PH_NONE || change[child] / result.subtree < PH_EXPLAIN_OF_PARENT ||
			change[child] / result.total < PH_EXPLAIN_OF_TOTAL)
			break;
		result.path[result.n_path++] = child;
		result.subtree = change[child];
		top = child;
	}
	result.elsewhere = result.total - result.subtree;
	PH_TRY(make_parts(arena, difference, change, own, &result));
	*out = result;
	return PH_OK;
}

/* The child whose change is largest in the total's direction; the first of equals. */
static uint32_t
dominant_child(const PhProfile *profile, const double *change, uint32_t parent, double direction)
{
	uint32_t best = PH_NONE;
	uint32_t child = first_child(profile, parent);

	for (; child != PH_NONE; child = next_sibling(profile, parent, child))
	{
		if (change[child] * direction > 0 &&
			(best == PH_NONE || fabs(change[child]) > fabs(change[best])))
			best = child;
	}
	return best;
}

static int
compare_parts(const void *x, const void *y)
{
	const PhExplainPart *a = x;
	const PhExplainPart *b = y;

	if (fabs(a->change) != fabs(b->change))
		return fabs(a->change) > fabs(b->change) ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

static PhStatus
make_parts(PhArena *arena, const PhProfile *profile, const double *change, const double *own,
		   PhExplanation *out)
{
	uint32_t top = out->n_path > 0 ? out->path[out->n_path - 1] : PH_NONE;
	uint32_t n = top != PH_NONE;
	uint32_t child;

	for (child = first_child(profile, top); child != PH_NONE;
		 child = next_sibling(profile, top, child))
		n++;
	PH_TRY(PH_NEW(arena, n, &out->parts));
	if (top != PH_NONE)
		out->parts[out->n_parts++] = (PhExplainPart){top, own[top]};
	for (child = first_child(profile, top); child != PH_NONE;
		 child = next_sibling(profile, top, child))
		out->parts[out->n_parts++] = (PhExplainPart){child, change[child]};
	qsort(out->parts, out->n_parts, sizeof(*out->parts), compare_parts);
	return PH_OK;
}
