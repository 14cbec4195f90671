/*
 * joining.c - see joining.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "explain/joining.h"

#include <math.h>
#include <string.h>

#include "explain/axis.h"
#include "explain/cause.h"
#include "explain/sentence.h"

/* The time of a subtree before, of calls of one kind, as a mean over units. */
static PhStatus
time_before(PhArena *arena, const PhExplainCube *cube, const bool *is_after, uint32_t node,
			double *out)
{
	uint32_t n = 0, end = cube->nodes[node].subtree_end;
	double *runs;

	PH_TRY(PH_NEW(arena, cube->n_runs, &runs));
	for (uint32_t run = 0; run < cube->n_runs; run++)
	{
		if (is_after[run])
			continue;
		for (uint32_t below = node; below < end; below++)
			for (uint32_t unit = 0;
				 cube->nodes[below].kind == cube->nodes[node].kind && unit < cube->n_units; unit++)
				runs[n] += cube->time[ph_explain_cell(cube, run, below, unit)] / cube->n_units;
		n++;
	}
	*out = ph_explain_median(runs, n);
	return PH_OK;
}

/* What has no count of its own and is below the call path with more work. */
static bool
may_be_of_input(const PhExplainCube *cube, const PhFinding *input, const PhFinding *other)
{
	return input->shape == PH_SHAPE_UNIFORM && input->cause == PH_CAUSE_MORE_WORK &&
		   cube->nodes[input->node].kind == PH_EXPLAIN_WORK && other->shape == PH_SHAPE_UNIFORM &&
		   (other->cause == PH_CAUSE_SLOWER_COMMUNICATION ||
			other->cause == PH_CAUSE_SLOWER_DEVICE || other->cause == PH_CAUSE_SLOWER_IO) &&
		   other->node >= input->node && other->node < cube->nodes[input->node].subtree_end;
}

static PhStatus
is_of_input(PhArena *arena, const PhExplainCube *cube, const bool *is_after, const PhFinding *input,
			const PhFinding *other, bool *out)
{
	double before;

	*out = false;
	if (!may_be_of_input(cube, input, other))
		return PH_OK;
	PH_TRY(time_before(arena, cube, is_after, other->node, &before));
	*out = ph_work_explains(exp(fabs(log(input->work))), before, fabs(other->effect));
	return PH_OK;
}

static bool
is_of_units(const PhFinding *one, const PhFinding *other)
{
	return one->shape == PH_SHAPE_SOME_UNITS && other->shape == PH_SHAPE_SOME_UNITS &&
		   one->cause == PH_CAUSE_MORE_WORK && other->cause == PH_CAUSE_MORE_WORK &&
		   one->node == other->node;
}

/* Both are ascending, and no unit is in both more than once. */
static PhStatus
join_places(PhArena *arena, PhFinding *to, const PhFinding *from)
{
	uint32_t *places, n = 0, i = 0, j = 0;

	PH_TRY(PH_NEW(arena, to->n_places + from->n_places, &places));
	while (i < to->n_places || j < from->n_places)
	{
		uint32_t left = i < to->n_places ? to->places[i] : PH_NONE;
		uint32_t right = j < from->n_places ? from->places[j] : PH_NONE;

		i += left <= right;
		j += right <= left;
		places[n++] = left < right ? left : right;
	}
	to->places = places;
	to->n_places = n;
	to->shared = PH_SHARED_NOTHING;
	return PH_OK;
}

static PhStatus
join_two(PhArena *arena, const PhExplainCube *cube, const bool *is_after, PhFinding *to,
		 const PhFinding *from, bool *is_one)
{
	*is_one = is_of_units(to, from);
	if (*is_one)
		return join_places(arena, to, from);
	PH_TRY(is_of_input(arena, cube, is_after, to, from, is_one));
	if (*is_one)
	{
		to->effect += from->effect;
		to->share += from->share;
	}
	return PH_OK;
}

/* Are they told in the same words, but for the amount? */
static bool
is_told_alike(const PhFinding *one, const PhFinding *other, const char *path, const char *others)
{
	bool is_counted = !isnan(one->work) || !isnan(other->work);

	return one->shape == other->shape && one->cause == other->cause &&
		   one->confidence == other->confidence && one->n_places == other->n_places &&
		   (one->cause == PH_CAUSE_UNKNOWN || !is_counted) &&
		   (one->n_places == 0 ||
			memcmp(one->places, other->places, one->n_places * sizeof(*one->places)) == 0) &&
		   strcmp(path, others) == 0;
}

/* nodes: those that were added before. */
static void
add_alike(PhFinding *to, const PhFinding *from, uint32_t *nodes)
{
	bool is_new = from->node != to->node;

	for (uint32_t i = 0; i < to->n_alike; i++)
		is_new = is_new && nodes[i] != from->node;
	if (is_new)
		nodes[to->n_alike++] = from->node;
	to->effect += from->effect;
	to->share += from->share;
	to->score = fmax(to->score, from->score);
}

static PhStatus
fold_alike(PhArena *arena, const PhExplainCube *cube, PhFinding *findings, uint32_t *n_findings)
{
	uint32_t *nodes;
	char **paths;

	PH_TRY(PH_NEW(arena, *n_findings, &paths));
	PH_TRY(PH_NEW(arena, *n_findings, &nodes));
	for (uint32_t i = 0; i < *n_findings; i++)
		PH_TRY(ph_finding_path(arena, cube, findings[i].node, &paths[i]));
	for (uint32_t to = 0; to < *n_findings; to++)
	{
		uint32_t kept = to + 1;

		for (uint32_t from = to + 1; from < *n_findings; from++)
		{
			if (is_told_alike(&findings[to], &findings[from], paths[to], paths[from]))
			{
				add_alike(&findings[to], &findings[from], nodes);
				continue;
			}
			paths[kept] = paths[from];
			findings[kept++] = findings[from];
		}
		*n_findings = kept;
	}
	return PH_OK;
}

PhStatus
ph_findings_join(PhArena *arena, const PhExplainCube *cube, const bool *is_after,
				 PhFinding *findings, uint32_t *n_findings)
{
	for (uint32_t to = 0; to < *n_findings; to++)
	{
		uint32_t kept = to + 1;

		for (uint32_t from = to + 1; from < *n_findings; from++)
		{
			bool is_one;

			PH_TRY(join_two(arena, cube, is_after, &findings[to], &findings[from], &is_one));
			if (!is_one)
				findings[kept++] = findings[from];
		}
		*n_findings = kept;
	}
	return fold_alike(arena, cube, findings, n_findings);
}
