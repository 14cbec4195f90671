/*
 * children.h - what a node's children cost in some columns: the sum from which one of its own two
 * vectors follows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STORED_CHILDREN_H
#define PH_STORED_CHILDREN_H

#include "profile/cells.h"

/* Columns [first, end). */
typedef struct PhColumnRange
{
	uint32_t first, end;
} PhColumnRange;

/* A span cut to the range; n 0: nothing of it is in the range. */
static inline PhRowSpan
ph_span_within(PhRowSpan span, PhColumnRange range)
{
	uint32_t first = span.first > range.first ? span.first : range.first;
	uint32_t end = span.first + span.n < range.end ? span.first + span.n : range.end;
	if (first >= end)
		return (PhRowSpan){range.first, 0, span.cell};
	return (PhRowSpan){first, end - first, span.cell + (first - span.first)};
}

/*
 * The children's inclusive values, added from the last child to the first, as derive.c does, so
 * that the bits are the same. sums[column - range.first] is set in the node's own columns only.
 * children has room for as many nodes as the profile has. Costs the cells of node and children.
 */
void ph_children_sum(const PhProfile *profile, const PhMetric *metric, uint32_t node,
					 PhColumnRange range, uint32_t *children, double *sums);

/* The node's children in ascending order; returns how many. */
uint32_t ph_list_children(const PhProfile *profile, uint32_t node, uint32_t *children);

#endif
