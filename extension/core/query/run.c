/*
 * run.c - the nodes that a call-path query selects: set operations on the nodes of its paths.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "query/internal.h"

#include <string.h>

static PhStatus match_query(PhQueryEval *eval, const PhQuery *query, bool *matches);

static void
combine(PhQueryOp op, bool *result, const bool *operand, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		if (op == PH_QUERY_AND)
			result[i] = result[i] && operand[i];
		else if (op == PH_QUERY_OR)
			result[i] = result[i] || operand[i];
		else
			result[i] = result[i] != operand[i];
	}
}

static PhStatus
fold(PhQueryEval *eval, const PhQuery *query, bool *operand, bool *matches)
{
	PH_TRY(match_query(eval, query->first, matches));
	for (const PhQuery *next = query->first->next; next != NULL; next = next->next)
	{
		PH_TRY(match_query(eval, next, operand));
		combine(query->op, matches, operand, eval->profile->n_nodes);
	}
	return PH_OK;
}

/* Fold the operands into matches one by one; one spare set serves them all. */
static PhStatus
run_operands(PhQueryEval *eval, const PhQuery *query, bool *matches)
{
	PhEnv *env = eval->arena->env;
	uint32_t n = eval->profile->n_nodes;
	void *operand;
	PH_TRY(ph_env_alloc(env, n, sizeof(*matches), &operand));
	PhStatus status = fold(eval, query, operand, matches);
	ph_env_free(env, operand, n, sizeof(*matches));
	return status;
}

static PhStatus
match_query(PhQueryEval *eval, const PhQuery *query, bool *matches)
{
	if (query->op == PH_QUERY_PATH)
		return ph_query_match_path(eval, query, matches);
	if (query->op != PH_QUERY_NOT)
		return run_operands(eval, query, matches);
	PH_TRY(match_query(eval, query->first, matches));
	for (uint32_t i = 0; i < eval->profile->n_nodes; i++)
		matches[i] = !matches[i];
	return PH_OK;
}

PhStatus
ph_query_run(PhArena *arena, const PhQuery *query, const PhProfile *profile, bool *matches)
{
	PhQueryEval eval;
	PH_TRY(ph_query_eval_init(arena, profile, query->n_comparisons, &eval));
	bool *found;
	PH_TRY(PH_NEW(arena, profile->n_nodes, &found));
	PH_TRY(match_query(&eval, query, found));
	memcpy(matches, found, profile->n_nodes * sizeof(*matches));
	return PH_OK;
}
