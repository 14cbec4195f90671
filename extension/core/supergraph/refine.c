/*
 * refine.c - refinements as operations from super graph to super graph.
 *
 * Every refinement is recorded as a step, so that repopulate can do it again on a richer tree.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/text.h"
#include "profile/internal.h"
#include "profile/ops.h"
#include "supergraph/internal.h"

static PhStatus
refine_draft(PhArena *scratch, const PhSupergraph *graph, const PhSupergraphStep *step,
			 PhDraft *out)
{
	uint32_t node = ph_supergraph_find(graph, step->node);
	if (node == PH_NONE)
		return ph_fail(scratch->env, PH_ERR_NOT_FOUND, "there is no supernode \"%.*s\"",
					   ph_text_fit(step->node, 100), step->node);
	if (step->kind == PH_STEP_DRILL_DOWN)
		return ph_drill_draft(scratch, graph, node, step, out);
	return ph_split_draft(scratch, graph, node, step, out);
}

static PhStatus
copy_nested(PhEnv *env, const PhProfile *from, PhProfile **to)
{
	return from == NULL ? PH_OK : ph_profile_copy(env, from, to);
}

/* A copy of a profile and, where it is a difference, of its two operands. */
static PhStatus
copy_with_operands(PhEnv *env, const PhProfile *from, PhProfile **out)
{
	PhProfile *copy;
	PH_TRY(ph_profile_copy(env, from, &copy));
	PhStatus status = copy_nested(env, from->before, &copy->before);
	if (status == PH_OK)
		status = copy_nested(env, from->after, &copy->after);
	if (status == PH_OK)
		*out = copy;
	else
		ph_profile_free(env, copy);
	return status;
}

/* A copy of a profile with the profiles that it carries */
static PhStatus
profile_copy_whole(PhEnv *env, const PhProfile *profile, PhProfile **out)
{
	PhProfile *copy;
	PhStatus status = PH_OK;
	PH_TRY(copy_with_operands(env, profile, &copy));
	if (profile->unfiltered != NULL)
		status = copy_with_operands(env, profile->unfiltered, &copy->unfiltered);
	if (status == PH_OK)
		*out = copy;
	else
		ph_profile_free(env, copy);
	return status;
}

/* Finish a draft over the profile, which is freed when that fails. */
static PhStatus
finish_owned(PhEnv *env, PhArena *scratch, const PhDraft *draft, PhProfile *profile,
			 PhSupergraph **out)
{
	PhStatus status = ph_draft_finish(env, scratch, draft, profile, out);
	if (status != PH_OK)
		ph_profile_free(env, profile);
	return status;
}

/* step NULL: the same graph. */
static PhStatus
refine_in(PhEnv *env, PhArena *scratch, const PhSupergraph *graph, const PhSupergraphStep *step,
		  PhSupergraph **out)
{
	PhDraft draft;
	PhProfile *profile;
	if (step == NULL)
		PH_TRY(ph_draft_from(scratch, graph, NULL, &draft));
	else
		PH_TRY(refine_draft(scratch, graph, step, &draft));
	PH_TRY(profile_copy_whole(env, graph->profile, &profile));
	return finish_owned(env, scratch, &draft, profile, out);
}

static PhStatus
refine(PhEnv *env, const PhSupergraph *graph, const PhSupergraphStep *step, PhSupergraph **out)
{
	PhArena scratch;
	ph_arena_init(&scratch, env);
	PhStatus status = refine_in(env, &scratch, graph, step, out);
	ph_arena_drop(&scratch);
	return status;
}

PhStatus
ph_supergraph_copy(PhEnv *env, const PhSupergraph *graph, PhSupergraph **out)
{
	return refine(env, graph, NULL, out);
}

PhStatus
ph_supergraph_split_entry(PhEnv *env, const PhSupergraph *graph, uint32_t node, uint32_t n,
						  const char *const *functions, PhSupergraph **out)
{
	PhSupergraphStep step = {PH_STEP_SPLIT_ENTRY, 0, graph->supernodes[node].name, n, functions};
	return refine(env, graph, &step, out);
}

PhStatus
ph_supergraph_split_caller(PhEnv *env, const PhSupergraph *graph, uint32_t node, bool by_function,
						   PhSupergraph **out)
{
	PhSupergraphStep step = {PH_STEP_SPLIT_CALLER, by_function ? 1 : 0,
							 graph->supernodes[node].name, 0, NULL};
	return refine(env, graph, &step, out);
}

PhStatus
ph_supergraph_split_callee(PhEnv *env, const PhSupergraph *graph, uint32_t node, PhSupergraph **out)
{
	PhSupergraphStep step = {PH_STEP_SPLIT_CALLEE, 0, graph->supernodes[node].name, 0, NULL};
	return refine(env, graph, &step, out);
}

PhStatus
ph_supergraph_drill_down(PhEnv *env, const PhSupergraph *graph, uint32_t node, PhGroupBy by,
						 PhSupergraph **out)
{
	PhSupergraphStep step = {PH_STEP_DRILL_DOWN, (uint8_t) by, graph->supernodes[node].name, 0,
							 NULL};
	return refine(env, graph, &step, out);
}

static PhStatus
replay_in(PhEnv *env, PhArena *scratch, const PhSupergraphStep *step, PhSupergraph **graph)
{
	PhSupergraph *refined;
	PhDraft draft;
	PH_TRY(refine_draft(scratch, *graph, step, &draft));
	PH_TRY(ph_draft_finish(env, scratch, &draft, (*graph)->profile, &refined));
	(*graph)->profile = NULL;
	ph_supergraph_free(env, *graph);
	*graph = refined;
	return PH_OK;
}

PhStatus
ph_supergraph_replay(PhEnv *env, const PhSupergraphStep *step, PhSupergraph **graph)
{
	PhArena scratch;
	ph_arena_init(&scratch, env);
	PhStatus status = replay_in(env, &scratch, step, graph);
	ph_arena_drop(&scratch);
	return status == PH_ERR_NOT_FOUND ? PH_OK : status;
}

/* ---- column sets ---- */

/* The carried profiles that have the same columns lose the same ones. */
static PhStatus
subset_nested(PhEnv *env, const PhProfile *whole, const bool *keep, PhProfile *part)
{
	const PhProfile *unfiltered = whole->unfiltered;
	if (unfiltered == NULL || part->unfiltered != NULL || unfiltered->n_columns != whole->n_columns)
		return PH_OK;
	return ph_profile_subset(env, unfiltered, keep, &part->unfiltered);
}

static PhStatus
restrict_in(PhEnv *env, PhArena *scratch, const PhSupergraph *graph, const bool *keep_column,
			PhSupergraph **out)
{
	PhDraft draft;
	PhProfile *profile;
	PH_TRY(ph_draft_from(scratch, graph, NULL, &draft));
	PH_TRY(ph_profile_subset(env, graph->profile, keep_column, &profile));
	PhStatus status = subset_nested(env, graph->profile, keep_column, profile);
	if (status == PH_OK && profile->n_nodes != graph->profile->n_nodes)
		status = ph_fail(env, PH_ERR_INTERNAL, "a subset of columns changed the tree");
	if (status == PH_OK)
		return finish_owned(env, scratch, &draft, profile, out);
	ph_profile_free(env, profile);
	return status;
}

PhStatus
ph_supergraph_restrict(PhEnv *env, const PhSupergraph *graph, const bool *keep_column,
					   PhSupergraph **out)
{
	PhArena scratch;
	ph_arena_init(&scratch, env);
	PhStatus status = restrict_in(env, &scratch, graph, keep_column, out);
	ph_arena_drop(&scratch);
	return status;
}

/* ---- changes ---- */

static PhStatus
gross_in(PhEnv *env, PhArena *scratch, const PhSupergraph *graph, PhSupergraph **out)
{
	PhDraft draft;
	PhProfile *profile;
	PH_TRY(ph_draft_from(scratch, graph, NULL, &draft));
	PH_TRY(ph_profile_gross(env, graph->profile, &profile));
	if (profile->n_nodes == graph->profile->n_nodes)
		return finish_owned(env, scratch, &draft, profile, out);
	ph_profile_free(env, profile);
	return ph_fail(env, PH_ERR_INTERNAL, "means over columns changed the tree");
}

PhStatus
ph_supergraph_gross(PhEnv *env, const PhSupergraph *graph, PhSupergraph **out)
{
	PhArena scratch;
	ph_arena_init(&scratch, env);
	PhStatus status = gross_in(env, &scratch, graph, out);
	ph_arena_drop(&scratch);
	return status;
}
