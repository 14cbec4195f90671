/*
 * derived_metric.c - a metric made of others by a formula.
 *
 * A sum of multiples is a metric that adds up, with values of its own. A quotient is a ratio of
 * two metrics: of ones that the profile has, or of such sums, which are appended before it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "metrics/derived_metric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/unit.h"
#include "metrics/formula.h"
#include "profile/ops.h"
#include "profile/regroup.h"
#include "profile/tree.h"
#include "profile/unify.h"

#define PH_ADDED_MAX 3 /* numerator, denominator, ratio */
#define PH_NAME_MAX 200

typedef struct Definition
{
	const char *name;
	const char *unit; /* NULL: by the operands */
	const PhFormula *formula;
} Definition;

/* A draft of the result: the profile's parts, with strings and metrics appended. */
typedef struct Draft
{
	PhArena *scratch;
	PhProfile profile;
	const Definition *definition;
	uint32_t *metrics; /* of the formula's names */
} Draft;

static const char *
unit_of(const Draft *draft, uint32_t metric)
{
	return draft->profile.strings[draft->profile.metrics[metric].unit];
}

/* Arrays with room for what is appended. */
static PhStatus
begin(Draft *draft, const PhProfile *profile)
{
	PH_TRY(PH_NEW(draft->scratch, (size_t) profile->n_strings + 2 * PH_ADDED_MAX,
				  &draft->profile.strings));
	PH_TRY(PH_NEW(draft->scratch, (size_t) profile->n_metrics + PH_ADDED_MAX,
				  &draft->profile.metrics));
	memcpy(draft->profile.strings, profile->strings,
		   profile->n_strings * sizeof(*profile->strings));
	memcpy(draft->profile.metrics, profile->metrics,
		   profile->n_metrics * sizeof(*profile->metrics));
	return PH_NEW(draft->scratch, draft->definition->formula->n_names, &draft->metrics);
}

static PhStatus
find_metrics(Draft *draft, const PhProfile *profile)
{
	const PhFormula *formula = draft->definition->formula;
	PhEnv *env = draft->scratch->env;
	for (uint32_t i = 0; i < formula->n_names; i++)
	{
		const char *name = formula->names[i];
		uint32_t metric = ph_profile_find_metric(profile, name);
		if (metric == PH_NONE)
			return ph_fail_hint(env, PH_ERR_NOT_FOUND,
								"Read it with the profile: profile(run, ARRAY[...]) takes several "
								"metrics, and NULL for all.",
								"the profile has no metric \"%.*s\"", ph_text_fit(name, 100), name);
		if (profile->metrics[metric].kind != PH_METRIC_FLOW)
			return ph_fail_hint(env, PH_ERR_VALUE,
								"Formulas are of metrics that add up, such as times and counts.",
								"metric \"%.*s\" does not add up", ph_text_fit(name, 100), name);
		draft->metrics[i] = metric;
	}
	return PH_OK;
}

static PhString
append_string(Draft *draft, const char *text)
{
	draft->profile.strings[draft->profile.n_strings] = text;
	return draft->profile.n_strings++;
}

static PhStatus
sum_array(const Draft *draft, const double *coefficients, int array, double **out)
{
	size_t cells = ph_profile_cells(&draft->profile);
	PhEnv *env = draft->scratch->env;
	*out = NULL;
	for (uint32_t i = 0; i < draft->definition->formula->n_names; i++)
	{
		PhMetric *metric = &draft->profile.metrics[draft->metrics[i]];
		const double *values = *ph_metric_array(metric, array);
		if (coefficients[i] == 0 || values == NULL)
			continue;
		if (*out == NULL)
			PH_TRY(PH_NEW(draft->scratch, cells, out));
		for (size_t cell = 0; cell < cells; cell++)
			(*out)[cell] += values[cell] * coefficients[i];
		PH_TRY(ph_env_poll(env));
	}
	for (size_t cell = 0; *out != NULL && cell < cells; cell++)
		if (!isfinite((*out)[cell]))
			return ph_fail(env, PH_ERR_VALUE, "values of the formula are too large");
	return PH_OK;
}

/* A new metric that adds up; one metric as it is needs none when it may be taken itself. */
static PhStatus
append_sum(Draft *draft, const double *coefficients, const char *name, const char *unit,
		   bool take_itself, uint32_t *out)
{
	PhMetric sum = {.kind = PH_METRIC_FLOW};
	uint32_t n = 0, only = 0;
	for (uint32_t i = 0; i < draft->definition->formula->n_names; i++)
	{
		if (coefficients[i] == 0)
			continue;
		n++;
		only = i;
		sum.is_signed |= coefficients[i] < 0 || draft->profile.metrics[draft->metrics[i]].is_signed;
	}
	*out = draft->metrics[only];
	if (take_itself && n == 1 && coefficients[only] == 1)
		return PH_OK;
	for (int array = 0; array < PH_ARRAY_COUNT; array++)
		PH_TRY(sum_array(draft, coefficients, array, ph_metric_array(&sum, array)));
	sum.name = append_string(draft, name);
	sum.unit = append_string(draft, unit);
	*out = draft->profile.n_metrics;
	draft->profile.metrics[draft->profile.n_metrics++] = sum;
	return PH_OK;
}

static PhStatus
part_name(const Draft *draft, const char *part, const char **out)
{
	char *text;
	size_t size = strlen(draft->definition->name) + strlen(part) + 4;
	PH_TRY(PH_NEW(draft->scratch, size, &text));
	snprintf(text, size, "%s (%s)", draft->definition->name, part);
	*out = text;
	return PH_OK;
}

static PhStatus
append_ratio(Draft *draft, const PhFormulaTerms *terms)
{
	const char *name;
	PhMetric ratio = {.kind = PH_METRIC_RATIO};
	PH_TRY(part_name(draft, "numerator", &name));
	PH_TRY(append_sum(draft, terms->over, name, terms->over_unit, true, &ratio.numerator));
	PH_TRY(part_name(draft, "denominator", &name));
	PH_TRY(append_sum(draft, terms->under, name, terms->under_unit, true, &ratio.denominator));
	ratio.is_signed = draft->profile.metrics[ratio.numerator].is_signed |
					  draft->profile.metrics[ratio.denominator].is_signed;
	ratio.name = append_string(draft, draft->definition->name);
	ratio.unit = append_string(draft, terms->unit);
	draft->profile.metrics[draft->profile.n_metrics++] = ratio;
	return PH_OK;
}

static PhStatus
append_all(Draft *draft)
{
	const Definition *definition = draft->definition;
	const PhFormula *formula = definition->formula;
	const char **units;
	PhFormulaTerms terms;
	uint32_t ignored;
	PH_TRY(PH_NEW(draft->scratch, formula->n_names, &units));
	for (uint32_t i = 0; i < formula->n_names; i++)
		units[i] = unit_of(draft, draft->metrics[i]);
	PH_TRY(ph_formula_settle(draft->scratch, formula, units, definition->unit, &terms));
	if (formula->is_ratio)
		return append_ratio(draft, &terms);
	return append_sum(draft, terms.over, definition->name, terms.unit, false, &ignored);
}

static PhStatus
derive_one(PhEnv *env, const PhProfile *profile, const void *arguments, PhProfile **out)
{
	PhArena scratch;
	Draft draft = {.scratch = &scratch, .profile = *profile, .definition = arguments};
	ph_arena_init(&scratch, env);
	PhStatus status = begin(&draft, profile);
	if (status == PH_OK)
		status = find_metrics(&draft, profile);
	if (status == PH_OK)
		status = append_all(&draft);
	if (status == PH_OK)
		status = ph_profile_copy(env, &draft.profile, out);
	ph_arena_drop(&scratch);
	return status;
}

static PhStatus
check_name(PhEnv *env, const PhProfile *profile, const char *name, const char *unit)
{
	if (name[0] == '\0' || strlen(name) > PH_NAME_MAX)
		return ph_fail(env, PH_ERR_VALUE, "a metric needs a name of 1 to %d bytes", PH_NAME_MAX);
	if (unit != NULL && strlen(unit) > PH_UNIT_MAX)
		return ph_fail(env, PH_ERR_VALUE, "a unit of more than %d bytes", PH_UNIT_MAX);
	for (uint32_t m = 0; m < profile->n_metrics; m++)
		if (strcmp(ph_profile_string(profile, profile->metrics[m].name), name) == 0)
			return ph_fail(env, PH_ERR_CONFLICT, "the profile has a metric \"%s\" already", name);
	return PH_OK;
}

PhStatus
ph_profile_derive(PhEnv *env, const PhProfile *profile, const char *name, const char *formula,
				  const char *unit, PhProfile **out)
{
	PhArena arena;
	PhFormula parsed;
	PH_TRY(check_name(env, profile, name, unit));
	ph_arena_init(&arena, env);
	PhStatus status = ph_formula_parse(&arena, formula, &parsed);
	if (status == PH_OK)
	{
		const Definition definition = {name, unit, &parsed};
		status = ph_reduce_deep(env, profile, derive_one, &definition, out);
	}
	ph_arena_drop(&arena);
	return status;
}
