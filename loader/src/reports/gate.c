/*
 * gate.c - did a change make a program slower? What a pull request is judged by.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/gate.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/min_max.h"
#include "base/text.h"
#include "base/unit.h"
#include "reports/run_report.h"
#include "statistics/change_point.h"

#define MOST_WORK_METRICS 8
#define MOST_Q 0.05		   /* of what is named; as everywhere */
#define MOST_Q_ALONE 0.001 /* of what makes a verdict: one unchanged pair of a thousand */
#define LEAST_OF_TOTAL                                                                             \
	4 /* functions that change the whole by less than margin / 4 are left out                      \
	   */
#define LONGEST_NAME 128

/* The runs of both sides, a's first. */
typedef struct Runs
{
	PhProfile *const *a, *const *b;
	uint32_t n_a, n_b;
} Runs;

static const PhProfile *
run_at(const Runs *runs, uint32_t i)
{
	return i < runs->n_a ? runs->a[i] : runs->b[i - runs->n_a];
}

/* ---- metrics ---- */

typedef enum WorkKind
{
	WORK_NONE,
	WORK_OPERATIONS, /* instructions, floating-point operations */
	WORK_CALLS
} WorkKind;

/* Names as profilers and PAPI have them, in lower case; a part of the name is enough. */
static WorkKind
work_kind(const char *name)
{
	static const char *const operations[] = {"tot_ins", "instructions", "inst_retired", "fp_ops",
											 "dp_ops",	"sp_ops",		"flop",			NULL};
	static const char *const calls[] = {"visits", "calls", NULL};
	char lower[LONGEST_NAME];
	size_t n = 0;

	for (; name[n] != '\0' && n + 1 < sizeof(lower); n++)
		lower[n] = (char) tolower((unsigned char) name[n]);
	lower[n] = '\0';
	for (size_t i = 0; operations[i] != NULL; i++)
		if (strstr(lower, operations[i]) != NULL)
			return WORK_OPERATIONS;
	for (size_t i = 0; calls[i] != NULL; i++)
		if (strstr(lower, calls[i]) != NULL)
			return WORK_CALLS;
	return strcmp(lower, "count") == 0 ? WORK_CALLS : WORK_NONE;
}

/* By its exact name; PH_NONE. */
static uint32_t
find_metric(const PhProfile *profile, const char *name)
{
	for (uint32_t m = 0; m < profile->n_metrics; m++)
		if (strcmp(ph_profile_string(profile, profile->metrics[m].name), name) == 0)
			return m;
	return PH_NONE;
}

static bool
all_have_metric(const Runs *runs, const char *name)
{
	for (uint32_t i = 0; i < runs->n_a + runs->n_b; i++)
		if (find_metric(run_at(runs, i), name) == PH_NONE)
			return false;
	return true;
}

static bool
is_time(const PhProfile *profile, uint32_t metric)
{
	PhUnitMeaning meaning;

	return profile->metrics[metric].kind == PH_METRIC_FLOW &&
		   ph_unit_meaning(ph_profile_string(profile, profile->metrics[metric].unit), &meaning) &&
		   strcmp(meaning.dimension, "time") == 0;
}

static PhStatus
choose_time(PhEnv *env, const Runs *runs, const PhGateRules *rules, const char **out)
{
	const PhProfile *first = run_at(runs, 0);
	const char *name = rules->metric;
	uint32_t chosen = 0;

	for (uint32_t m = 0; name == NULL && m < first->n_metrics; m++)
	{
		if (!is_time(first, m))
			continue;
		chosen = m;
		break;
	}
	if (name == NULL)
		name = ph_profile_string(first, first->metrics[chosen].name);
	if (!all_have_metric(runs, name))
		return ph_fail_hint(env, PH_ERR_NOT_FOUND, "Name one that all of them have by --metric.",
							"not all runs have the metric \"%.*s\"", ph_text_fit(name, 100), name);
	if (first->metrics[find_metric(first, name)].kind != PH_METRIC_FLOW)
		return ph_fail_hint(env, PH_ERR_VALUE, "Name a time or a counter by --metric.",
							"metric \"%.*s\" does not add up over call paths",
							ph_text_fit(name, 100), name);
	*out = name;
	return PH_OK;
}

/* ---- costs ---- */

/* A node's own cost in one run, or a function's, when cells are added up. */
typedef struct Cell
{
	const char *name;
	uint32_t run, node;
	double cost;
	bool is_mpi;
} Cell;

/* Own costs of functions in all runs: value of function f in run r is values[f * n_runs + r]. */
typedef struct Costs
{
	uint32_t n_functions, n_runs;
	const char **names;
	bool *is_mpi;
	double *values;
	double *totals; /* by run */
} Costs;

static int
compare_cells(const void *x, const void *y)
{
	const Cell *a = x;
	const Cell *b = y;
	int order = strcmp(a->name, b->name);

	if (order != 0)
		return order;
	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

/* MPI_Test, MPI_Iprobe and the like: how often they are called is a matter of luck. */
static bool
is_polling(const char *name)
{
	return strstr(name, "est") != NULL || strstr(name, "robe") != NULL;
}

/* Is this node's cost no work? */
static bool
is_left_out(WorkKind work, const char *name, bool is_mpi)
{
	return is_mpi && (work == WORK_OPERATIONS || (work == WORK_CALLS && is_polling(name)));
}

static PhStatus
collect_run(PhEnv *env, const PhProfile *profile, uint32_t metric, double factor, WorkKind work,
			uint32_t run, Cell *cells, size_t *n)
{
	uint32_t mpi_end = 0; /* what MPI calls is MPI's */

	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		const char *name = ph_profile_node_name(profile, node);
		bool is_mpi;

		PH_TRY(ph_env_poll(env));
		if (node >= mpi_end && ph_is_mpi(profile, node))
			mpi_end = profile->subtree_end[node];
		is_mpi = node < mpi_end;
		if (is_left_out(work, name, is_mpi))
			continue;
		cells[(*n)++] = (Cell){
			name, run, node, factor * ph_profile_mean(profile, metric, node, PH_COST_OWN), is_mpi};
	}
	return PH_OK;
}

static PhStatus
collect_cells(PhArena *arena, const Runs *runs, const char *name, WorkKind work, Cell **out,
			  size_t *n)
{
	const PhProfile *first = run_at(runs, 0);
	const char *unit = ph_profile_string(first, first->metrics[find_metric(first, name)].unit);
	size_t most = 0;

	for (uint32_t i = 0; i < runs->n_a + runs->n_b; i++)
		most += run_at(runs, i)->n_nodes;
	PH_TRY(PH_NEW(arena, most, out));
	*n = 0;
	for (uint32_t i = 0; i < runs->n_a + runs->n_b; i++)
	{
		const PhProfile *profile = run_at(runs, i);
		uint32_t metric = find_metric(profile, name);
		const char *own_unit = ph_profile_string(profile, profile->metrics[metric].unit);
		double factor;

		if (!ph_unit_factor(own_unit, unit, &factor))
			return ph_fail(arena->env, PH_ERR_CONFLICT,
						   "metric \"%.*s\" is in \"%s\" in one run and in \"%s\" in another",
						   ph_text_fit(name, 100), name, unit, own_unit);
		PH_TRY(collect_run(arena->env, profile, metric, factor, work, i, *out, n));
	}
	return PH_OK;
}

static PhStatus
find_costs(PhArena *arena, const Runs *runs, const char *name, WorkKind work, Costs *out)
{
	Costs costs = {.n_runs = runs->n_a + runs->n_b};
	uint32_t at = 0;
	Cell *cells;
	size_t n;

	PH_TRY(collect_cells(arena, runs, name, work, &cells, &n));
	if (n > 0)
		qsort(cells, n, sizeof(*cells), compare_cells);
	for (size_t i = 0; i < n; i++)
		costs.n_functions += i == 0 || strcmp(cells[i].name, cells[i - 1].name) != 0;
	PH_TRY(PH_NEW(arena, costs.n_functions, &costs.names));
	PH_TRY(PH_NEW(arena, costs.n_functions, &costs.is_mpi));
	PH_TRY(PH_NEW(arena, (size_t) costs.n_functions * costs.n_runs, &costs.values));
	PH_TRY(PH_NEW(arena, costs.n_runs, &costs.totals));
	for (size_t i = 0; i < n; i++)
	{
		at += i > 0 && strcmp(cells[i].name, cells[i - 1].name) != 0;
		costs.names[at] = cells[i].name;
		costs.is_mpi[at] = costs.is_mpi[at] || cells[i].is_mpi;
		costs.values[(size_t) at * costs.n_runs + cells[i].run] += cells[i].cost;
		costs.totals[cells[i].run] += cells[i].cost;
	}
	*out = costs;
	return PH_OK;
}

/* ---- judging ---- */

static PhRepeatRule
rule_of(const PhGateRules *rules, bool is_work)
{
	return (PhRepeatRule){.margin = is_work ? rules->work_margin : rules->margin,
						  .confidence = rules->confidence,
						  .is_strict = is_work,
						  .pools = true};
}

static int
compare_regions(const void *x, const void *y)
{
	const PhGateRegion *a = x;
	const PhGateRegion *b = y;

	if (fabs(a->of_total) != fabs(b->of_total))
		return fabs(a->of_total) > fabs(b->of_total) ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Tests of all functions, and the false discovery rate of each. */
static PhStatus
test_functions(PhArena *arena, const Runs *runs, const Costs *costs, const PhRepeatRule *rule,
			   PhRepeatTest *tests, double *rates)
{
	double *chances;

	PH_TRY(PH_NEW(arena, costs->n_functions, &chances));
	for (uint32_t f = 0; f < costs->n_functions; f++)
	{
		const double *values = &costs->values[(size_t) f * costs->n_runs];

		ph_repeat_test_by(values, runs->n_a, values + runs->n_a, runs->n_b, rule, &tests[f]);
		chances[f] = isnan(tests[f].p) ? 1 : tests[f].p;
	}
	return ph_false_discovery_rates(arena, chances, costs->n_functions, costs->n_functions, rates);
}

static PhStatus
find_regions(PhArena *arena, const Runs *runs, const Costs *costs, const PhRepeatRule *rule,
			 PhGateMetric *out)
{
	double whole = fabs(out->test.mean_a);
	PhRepeatTest *tests;
	double *rates;

	PH_TRY(PH_NEW(arena, costs->n_functions, &tests));
	PH_TRY(PH_NEW(arena, costs->n_functions, &rates));
	PH_TRY(PH_NEW(arena, costs->n_functions, &out->regions));
	PH_TRY(test_functions(arena, runs, costs, rule, tests, rates));
	for (uint32_t f = 0; f < costs->n_functions; f++)
	{
		double of_total = tests[f].difference / whole;

		if ((tests[f].verdict != PH_VERDICT_SLOWER && tests[f].verdict != PH_VERDICT_FASTER) ||
			rates[f] > MOST_Q || !(fabs(of_total) >= rule->margin / LEAST_OF_TOTAL))
			continue;
		out->regions[out->n_regions++] =
			(PhGateRegion){costs->names[f], tests[f].mean_a, tests[f].mean_b,
						   of_total,		rates[f],		 costs->is_mpi[f]};
	}
	if (out->n_regions > 0)
		qsort(out->regions, out->n_regions, sizeof(*out->regions), compare_regions);
	out->n_functions = costs->n_functions;
	return PH_OK;
}

static PhStatus
judge_metric(PhArena *arena, const Runs *runs, const PhGateRules *rules, const char *name,
			 WorkKind work, PhGateMetric *out)
{
	const PhProfile *first = run_at(runs, 0);
	PhRepeatRule rule = rule_of(rules, work != WORK_NONE);
	PhRepeatRule of_functions = rule;
	Costs costs;

	PH_TRY(find_costs(arena, runs, name, work, &costs));
	*out = (PhGateMetric){
		.name = name,
		.unit = ph_profile_string(first, first->metrics[find_metric(first, name)].unit),
		.is_work = work != WORK_NONE,
		.totals = costs.totals,
		.without_mpi = work == WORK_OPERATIONS};
	if (rules->known_metric != NULL && strcmp(rules->known_metric, name) == 0)
	{
		rule.known_spread = out->known_spread = rules->known_spread;
		rule.known_degrees = rules->known_degrees;
		if (PH_MIN(runs->n_a, runs->n_b) < PH_MIN_REPEATS)
			out->n_known = rules->n_known;
	}
	ph_repeat_test_by(costs.totals, runs->n_a, costs.totals + runs->n_a, runs->n_b, &rule,
					  &out->test);
	return find_regions(arena, runs, &costs, &of_functions, out);
}

/* A function of the program that is slower by the margin of the whole. */
static bool
has_slow_region(const PhGateMetric *time, double margin)
{
	for (uint32_t i = 0; i < time->n_regions; i++)
		if (!time->regions[i].is_mpi && time->regions[i].of_total >= margin &&
			time->regions[i].q <= MOST_Q_ALONE)
			return true;
	return false;
}

static PhGateVerdict
judge_all(const PhGate *gate, const PhGateRules *rules)
{
	const PhGateMetric *time = &gate->metrics[0];

	if (time->test.verdict == PH_VERDICT_SLOWER ||
		(time->test.verdict == PH_VERDICT_UNKNOWN && has_slow_region(time, rules->margin)))
		return PH_GATE_SLOWER;
	if (time->test.verdict == PH_VERDICT_FASTER)
		return PH_GATE_FASTER;
	for (uint32_t i = 1; i < gate->n_metrics; i++)
		if (gate->metrics[i].test.verdict == PH_VERDICT_SLOWER)
			return PH_GATE_MORE_WORK;
	return time->test.verdict == PH_VERDICT_UNKNOWN ? PH_GATE_UNKNOWN : PH_GATE_SAME;
}

PhStatus
ph_gate_judge(PhArena *arena, PhProfile *const *a, uint32_t n_a, PhProfile *const *b, uint32_t n_b,
			  const PhGateRules *rules, PhGate *out)
{
	Runs runs = {a, b, n_a, n_b};
	const PhProfile *first = a[0];
	PhGate gate = {0};
	const char *time = NULL;

	PH_TRY(choose_time(arena->env, &runs, rules, &time));
	PH_TRY(PH_NEW(arena, 1 + MOST_WORK_METRICS, &gate.metrics));
	PH_TRY(judge_metric(arena, &runs, rules, time, WORK_NONE, &gate.metrics[gate.n_metrics++]));
	for (uint32_t m = 0; m < first->n_metrics && gate.n_metrics <= MOST_WORK_METRICS; m++)
	{
		const char *name = ph_profile_string(first, first->metrics[m].name);
		WorkKind work = work_kind(name);

		if (first->metrics[m].kind != PH_METRIC_FLOW || work == WORK_NONE ||
			strcmp(name, time) == 0 || !all_have_metric(&runs, name))
			continue;
		PH_TRY(judge_metric(arena, &runs, rules, name, work, &gate.metrics[gate.n_metrics++]));
	}
	gate.verdict = judge_all(&gate, rules);
	*out = gate;
	return PH_OK;
}

const char *
ph_gate_verdict_name(PhGateVerdict verdict)
{
	static const char *const names[] = {"same", "faster", "unknown", "more work", "slower"};

	return names[verdict];
}

const char *
ph_gate_metric_verdict(const PhGateMetric *metric)
{
	if (metric->is_work && metric->test.verdict == PH_VERDICT_SLOWER)
		return "more";
	if (metric->is_work && metric->test.verdict == PH_VERDICT_FASTER)
		return "less";
	return ph_verdict_name(metric->test.verdict);
}
