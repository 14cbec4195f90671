/*
 * compare.c - perfhouse compare: one page about a change.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands/commands.h"
#include "commands/part.h"
#include "commands/shared_options.h"
#include "database/warehouse.h"
#include "queries.h"
#include "reports/comparable.h"
#include "reports/compare_sides.h"
#include "reports/comparison.h"
#include "reports/comparison_print.h"
#include "reports/known_noise.h"
#include "reports/profile_fetch.h"
#include "reports/stored_facts.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"
#include "texts.h"

static const PhParameter compare_options[] = {
	PH_OPTION_METRIC("compare this metric (default: the primary one)"),
	PH_OPTION_MARGIN,
	PH_OPTION_APPLICATION,
	PH_OPTION_N_RANKS,
	PH_OPTION_RUN_FILTER,
	PH_OPTIONS_PART,
	{.name = "force", .help = "judge runs that cannot be compared, too, and say so"},
	{.name = "json", .help = "print one JSON object"},
	{.name = NULL}};

/* The profiles of both sides. */
typedef struct Profiles
{
	PhProfile **a;
	PhProfile **b;
} Profiles;

static PhExit
fetch_side(PhEnv *env, PhConnection *connection, const PhSide *side, const PhProfilePart *part,
		   PhProfile ***out)
{
	PhExit code = PH_EXIT_OK;

	*out = ph_must_alloc(side->n_runs, sizeof(**out));
	for (size_t i = 0; i < side->n_runs && code == PH_EXIT_OK; i++)
		code = ph_profile_fetch(env, connection, side->runs[i], part, &(*out)[i]);
	return code;
}

static void
free_profiles(PhEnv *env, PhProfile **profiles, size_t n)
{
	for (size_t i = 0; profiles != NULL && i < n; i++)
		ph_profile_free(env, profiles[i]);
	free(profiles);
}

/* In which environment the sides ran differs. */
static PhExit
fetch_environment(PhConnection *connection, const PhSide *a, const PhSide *b, PhEnvironment *out)
{
	PhStoredFacts *before = NULL, *after = NULL;
	PhFacts *facts;
	size_t n_before = 0, n_after = 0;
	PhExit code = ph_stored_facts_fetch(connection, a->runs, a->n_runs, &before, &n_before);

	if (code == PH_EXIT_OK)
		code = ph_stored_facts_fetch(connection, b->runs, b->n_runs, &after, &n_after);
	if (code == PH_EXIT_OK)
	{
		facts = ph_must_alloc(n_before + n_after + 1, sizeof(*facts));
		for (size_t i = 0; i < n_before; i++)
			facts[i] = before[i].facts;
		for (size_t i = 0; i < n_after; i++)
			facts[n_before + i] = after[i].facts;
		ph_environment_compare(facts, n_before, facts + n_before, n_after, out);
		free(facts);
	}
	ph_stored_facts_free(before, n_before);
	ph_stored_facts_free(after, n_after);
	return code;
}

/* How far runs of A's experiment scatter: for sides of one or two runs. Nothing is known of parts.
 */
static PhExit
fetch_noise(PhConnection *connection, const PhSide *a, const PhChosenPart *chosen,
			PhRepeatRule *rule, int64_t *n_known)
{
	PhKnownNoise known;

	if (!chosen->is_whole)
		return PH_EXIT_OK;
	if (!ph_known_noise_fetch(connection, a->runs[0], chosen->part.metric, &known))
		return ph_pq_log_error(connection, "compare");
	rule->known_spread = known.spread;
	rule->known_degrees = known.degrees;
	*n_known = known.n_runs;
	ph_known_noise_free(&known);
	return PH_EXIT_OK;
}

/* What changed and why, of the part that is compared. */
static PhExit
fetch_explanation(PhConnection *connection, const PhSide *a, const PhSide *b,
				  const PhProfilePart *part, double margin, PhResult **out)
{
	char *runs[2] = {ph_array_int(a->runs, a->n_runs), ph_array_int(b->runs, b->n_runs)};
	PhParam params[8] = {ph_param_text(runs[0]),
						 ph_param_text(runs[1]),
						 ph_param_float(margin),
						 ph_param_text(part->metric),
						 ph_param_text(part->ranks),
						 ph_param_text(part->within),
						 part->from,
						 part->to};

	*out = ph_pq_query(connection, ph_sql_compare_explain, params, 8);
	free(runs[0]);
	free(runs[1]);
	return *out != NULL ? PH_EXIT_OK : ph_pq_log_error(connection, "compare");
}

/* With what explains it, where the metric's values add up. */
static PhExit
print_comparison(PhConnection *connection, const PhArguments *arguments, const PhChosenPart *chosen,
				 PhComparedRuns *runs, const PhComparison *comparison)
{
	PhResult *explanation = NULL;
	PhExit code = PH_EXIT_OK;

	if (comparison->adds_up)
		code = fetch_explanation(connection, runs->a, runs->b, &chosen->part, runs->rule->margin,
								 &explanation);
	runs->explanation.rows = explanation;
	if (code == PH_EXIT_OK && ph_cli_flag(arguments, "json"))
		ph_comparison_print_json(stdout, comparison, runs);
	else if (code == PH_EXIT_OK)
		ph_comparison_print(stdout, comparison, runs);
	ph_result_free(explanation);
	return code;
}

/* Profiles that cannot be compared are refused before anything is asked about them. */
static PhExit
compare_profiles(PhEnv *env, PhConnection *connection, const PhArguments *arguments,
				 const PhChosenPart *chosen, PhComparedRuns *runs, const Profiles *profiles)
{
	PhComparison comparison = {0};
	PhArena arena;
	PhStatus status;
	PhExit code;

	ph_arena_init(&arena, env);
	status = ph_compare(&arena, profiles->a, (uint32_t) runs->a->n_runs, profiles->b,
						(uint32_t) runs->b->n_runs, runs->rule, &comparison);
	code = status == PH_OK ? print_comparison(connection, arguments, chosen, runs, &comparison)
						   : ph_exit_from_status(status);
	if (status != PH_OK)
		ph_log_core_error("compare", &env->error);
	ph_comparison_free(env, &comparison);
	ph_arena_drop(&arena);
	return code;
}

/* Says in what the sides differ, without a judgement. */
static PhExit
refuse(const PhArguments *arguments, const PhComparable *comparable, const PhSide *a,
	   const PhSide *b)
{
	if (ph_cli_flag(arguments, "json"))
		ph_incomparable_print_json(stdout, comparable, a, b);
	else
		ph_incomparable_print(stdout, comparable, a, b);
	ph_log_hint("--force compares them nevertheless. What makes runs of an application one "
				"experiment is said by perfhouse application set.");
	return PH_EXIT_INCOMPARABLE;
}

static PhExit
judge_part(PhConnection *connection, const PhArguments *arguments, PhComparedRuns *runs,
		   PhRepeatRule *rule, const PhChosenPart *chosen)
{
	const PhSide *a = runs->a, *b = runs->b;
	Profiles profiles = {0};
	PhEnv env;
	PhExit code;

	ph_env_init_malloc(&env);
	env.interrupt = ph_interrupt_poll;
	code = fetch_side(&env, connection, a, &chosen->part, &profiles.a);
	if (code == PH_EXIT_OK)
		code = fetch_side(&env, connection, b, &chosen->part, &profiles.b);
	if (code == PH_EXIT_OK)
		code = fetch_noise(connection, a, chosen, rule, &runs->n_known);
	if (code == PH_EXIT_OK)
		code = compare_profiles(&env, connection, arguments, chosen, runs, &profiles);
	free_profiles(&env, profiles.a, a->n_runs);
	free_profiles(&env, profiles.b, b->n_runs);
	return code;
}

static PhExit
judge(PhConnection *connection, const PhArguments *arguments, const PhComparable *comparable,
	  const PhSide *a, const PhSide *b)
{
	PhEnvironment environment = {0};
	PhRepeatRule rule = {.margin = ph_cli_number(arguments, "margin", PH_DEFAULT_MARGIN) / 100,
						 .pools = true};
	PhComparedRuns runs = {
		.a = a, .b = b, .comparable = comparable, .environment = &environment, .rule = &rule};
	PhChosenPart chosen;
	PhExit code = fetch_environment(connection, a, b, &environment);

	ph_option_part(arguments, &chosen);
	chosen.part.is_aliased = true;
	if (code == PH_EXIT_OK)
		code = judge_part(connection, arguments, &runs, &rule, &chosen);
	ph_environment_free(&environment);
	ph_option_part_free(&chosen);
	return code;
}

static PhExit
compare(PhConnection *connection, const PhArguments *arguments, PhSide *a, PhSide *b)
{
	PhSideOptions options = {ph_cli_text(arguments, "application", NULL),
							 ph_cli_integer(arguments, "n-ranks", 0),
							 ph_cli_text(arguments, "filter", NULL)};
	PhComparable comparable = {0};
	PhExit code = ph_sides_resolve(connection, &options, a, b);

	if (code == PH_EXIT_OK)
		code = ph_comparable_fetch(connection, a, b, &comparable);
	if (code == PH_EXIT_OK && comparable.n_obstacles > 0 && !ph_cli_flag(arguments, "force"))
		code = refuse(arguments, &comparable, a, b);
	else if (code == PH_EXIT_OK)
		code = judge(connection, arguments, &comparable, a, b);
	ph_comparable_free(&comparable);
	return code;
}

static PhExit
cmd_compare(PhArguments *arguments)
{
	PhSide a = {.argument = ph_cli_argument(arguments, 0)};
	PhSide b = {.argument = ph_cli_argument(arguments, 1)};
	PhConnection *connection;
	PhExit code;

	code = ph_warehouse_open(ph_cli_db(arguments), PH_OPEN_READY, &connection);
	if (code != PH_EXIT_OK)
		return code;
	code = compare(connection, arguments, &a, &b);
	ph_side_free(&a);
	ph_side_free(&b);
	ph_pq_close(connection);
	return code;
}

static const PhParameter compare_arguments[] = {
	{.name = "a", .type = PH_PARAMETER_RUN, .offer = PH_OFFER_RUNS},
	{.name = "b", .type = PH_PARAMETER_RUN, .offer = PH_OFFER_RUNS},
	{.name = NULL}};

const PhCommand ph_command_compare = {
	.name = "compare",
	.help = "one page about a change: verdict and where it comes from",
	.usage = "A B [OPTION]...",
	.details = ph_help_compare,
	.options = compare_options,
	.min_arguments = 2,
	.max_arguments = 2,
	.uses_database = true,
	.arguments = compare_arguments,
	.run = cmd_compare,
};
