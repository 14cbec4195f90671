/*
 * sums.c - see sums.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "stored/sums.h"

#include <string.h>

#include "profile/internal.h"
#include "stored/block_layout.h"
#include "stored/children.h"
#include "stored/numbers.h"

#define IS_EXCLUSIVE 1 /* exclusive = inclusive - children */
#define IS_INCLUSIVE 2 /* inclusive = exclusive + children */

/* Of a node's values; each tries first what its neighbour had. */
typedef struct Forms
{
	PhNumberForm exclusive, inclusive;
} Forms;

typedef struct Children
{
	PhColumnRange all;
	uint32_t *nodes;
	double *sums; /* by column */
} Children;

static PhStatus
new_children(PhArena *arena, const PhProfile *profile, Children *out)
{
	out->all = (PhColumnRange){0, profile->n_columns};
	PH_TRY(PH_NEW(arena, profile->n_nodes, &out->nodes));
	return PH_NEW(arena, profile->n_columns, &out->sums);
}

static bool
same_bits(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

static void
find_span(const PhMetric *metric, PhRowSpan span, const double *children, uint8_t *out)
{
	for (uint32_t i = 0; i < span.n; i++)
	{
		double inclusive = metric->inclusive[span.cell + i];
		double exclusive = metric->exclusive[span.cell + i];
		double rest = ph_follow_sum(PH_STORED_INCLUSIVE, metric->is_signed, inclusive, children[i]);
		bool is_exclusive = same_bits(exclusive, rest);
		bool is_inclusive = same_bits(inclusive, exclusive + children[i]);
		out[span.cell + i] =
			(uint8_t) ((is_exclusive ? IS_EXCLUSIVE : 0) | (is_inclusive ? IS_INCLUSIVE : 0));
	}
}

static PhStatus
find_metric(const PhProfile *profile, const PhMetric *metric, const Children *children,
			uint8_t *out)
{
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PhRowWalk walk = ph_row_walk(profile, node);
		PH_TRY(ph_env_poll(profile->arena.env));
		ph_children_sum(profile, metric, node, children->all, children->nodes, children->sums);
		for (PhRowSpan span; ph_row_next(&walk, &span);)
			find_span(metric, span, children->sums + span.first, out);
	}
	return PH_OK;
}

PhStatus
ph_sums_find(PhArena *arena, const PhProfile *profile, PhSums *out)
{
	Children children;
	PH_TRY(new_children(arena, profile, &children));
	PH_TRY(PH_NEW(arena, profile->n_metrics, out));
	for (uint32_t m = 0; m < profile->n_metrics; m++)
	{
		const PhMetric *metric = &profile->metrics[m];
		if (metric->kind != PH_METRIC_FLOW || metric->absorbed != NULL)
			continue;
		PH_TRY(PH_NEW(arena, ph_profile_cells(profile), &(*out)[m]));
		PH_TRY(find_metric(profile, metric, &children, (*out)[m]));
	}
	return PH_OK;
}

static bool
is_rounded(PhNumberForm form, double value, double about)
{
	return form.mode != PH_NUMBER_BITS && same_bits(value, ph_number_round(form, about));
}

/*
 * One cell. Decimals stay what they are: they were given, and one follows from the other by
 * rounding. Of what is none, the sum is made one again.
 */
static void
restore_cell(double *exclusive, double *inclusive, double children, bool is_signed, uint8_t is,
			 const Forms *forms)
{
	double rest = ph_follow_sum(PH_STORED_INCLUSIVE, is_signed, *inclusive, children);
	double sum = *exclusive + children;
	bool is_given = is_rounded(forms->inclusive, *inclusive, *inclusive);
	if ((is & IS_INCLUSIVE) != 0 && !is_given)
	{
		if (!is_rounded(forms->exclusive, *inclusive, sum))
			*inclusive = sum;
	}
	else if ((is & IS_EXCLUSIVE) != 0 && !is_rounded(forms->inclusive, *exclusive, rest))
		*exclusive = rest;
}

static void
restore_span(PhMetric *metric, PhRowSpan span, const double *children, const uint8_t *sums,
			 Forms *forms)
{
	double *exclusive = metric->exclusive + span.cell, *inclusive = metric->inclusive + span.cell;
	forms->exclusive = ph_numbers_form(exclusive, span.n, forms->exclusive);
	forms->inclusive = ph_numbers_form(inclusive, span.n, forms->inclusive);
	for (uint32_t i = 0; i < span.n; i++)
		restore_cell(&exclusive[i], &inclusive[i], children[i], metric->is_signed,
					 sums[span.cell + i], forms);
}

static PhStatus
restore_metric(PhProfile *profile, PhMetric *metric, const Children *children, const uint8_t *sums)
{
	Forms forms = {0};
	for (uint32_t node = profile->n_nodes; node-- > 0;)
	{
		PhRowWalk walk = ph_row_walk(profile, node);
		PH_TRY(ph_env_poll(profile->arena.env));
		ph_children_sum(profile, metric, node, children->all, children->nodes, children->sums);
		for (PhRowSpan span; ph_row_next(&walk, &span);)
			restore_span(metric, span, children->sums + span.first, sums, &forms);
	}
	return PH_OK;
}

PhStatus
ph_sums_restore(PhArena *arena, PhProfile *profile, PhSums sums)
{
	Children children;
	PH_TRY(new_children(arena, profile, &children));
	for (uint32_t m = 0; m < profile->n_metrics; m++)
		if (sums[m] != NULL)
			PH_TRY(restore_metric(profile, &profile->metrics[m], &children, sums[m]));
	return PH_OK;
}
