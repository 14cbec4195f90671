/*
 * children.c - see children.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "stored/children.h"

#include <string.h>

#include "profile/internal.h"

uint32_t
ph_list_children(const PhProfile *profile, uint32_t node, uint32_t *children)
{
	uint32_t n = 0;
	for (uint32_t child = node + 1; child < profile->subtree_end[node];
		 child = profile->subtree_end[child])
		children[n++] = child;
	return n;
}

static void
clear_columns(const PhProfile *profile, uint32_t node, PhColumnRange range, double *sums)
{
	PhRowWalk walk = ph_row_walk(profile, node);
	for (PhRowSpan span; ph_row_next(&walk, &span);)
	{
		PhRowSpan part = ph_span_within(span, range);
		memset(sums + (part.first - range.first), 0, part.n * sizeof(*sums));
	}
}

void
ph_children_sum(const PhProfile *profile, const PhMetric *metric, uint32_t node,
				PhColumnRange range, uint32_t *children, double *sums)
{
	clear_columns(profile, node, range, sums);
	for (uint32_t i = ph_list_children(profile, node, children); i-- > 0;)
	{
		PhRowWalk walk = ph_row_walk(profile, children[i]);
		for (PhRowSpan span; ph_row_next(&walk, &span);)
		{
			PhRowSpan part = ph_span_within(span, range);
			ph_row_add(sums + (part.first - range.first), metric->inclusive + part.cell, part.n);
		}
	}
}
