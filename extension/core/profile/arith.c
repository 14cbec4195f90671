/*
 * arith.c - a op b, a op number: row by row on the union of the trees.
 *
 * Null is neutral: absent cells and undefined values count 0 in sums and differences; a product or
 * quotient exists only where both operands do, and is undefined (NaN) over 0.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/unit.h"
#include "profile/ops.h"
#include "profile/regroup.h"
#include "profile/tree.h"
#include "profile/unify.h"

static bool
is_linear(PhArithmetic op)
{
	return op == PH_ADD || op == PH_SUBTRACT;
}

static double
null_as_zero(double value)
{
	return isnan(value) ? 0 : value;
}

static double
apply(PhArithmetic op, double x, double y)
{
	switch (op)
	{
		case PH_ADD:
			return isnan(x) && isnan(y) ? x : null_as_zero(x) + null_as_zero(y);
		case PH_SUBTRACT:
			return null_as_zero(x) - null_as_zero(y);
		case PH_MULTIPLY:
			return x * y;
		case PH_DIVIDE:
			break;
	}
	return y == 0 ? NAN : x / y;
}

/* Products may be too large for a double: then they are undefined. */
static void
apply_row(PhArithmetic op, const double *x, const double *y, double *to, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		double value = apply(op, x[i], y[i]) + 0.0;
		to[i] = isinf(value) ? NAN : value;
	}
}

/* Differences are signed; products, quotients and differences of ratios are values. */
static void
settle_metrics(PhProfile *profile, PhArithmetic op)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		PhMetric *metric = &profile->metrics[i];
		if (op == PH_SUBTRACT)
			metric->is_signed = 1;
		if (op == PH_ADD || (op == PH_SUBTRACT && metric->kind != PH_METRIC_RATIO))
			continue;
		metric->kind = PH_METRIC_VALUE;
		metric->combine = PH_COMBINE_MEAN;
		metric->numerator = metric->denominator = 0;
	}
}

static PhStatus
combine_array(PhUnion *whole, PhArithmetic op, uint32_t m, int array, double **to)
{
	PhMaker *maker = whole->maker;
	PhProfile *profile = maker->profile;
	double *x, *y;
	PH_TRY(PH_NEW(&maker->scratch, whole->n_columns, &x));
	PH_TRY(PH_NEW(&maker->scratch, whole->n_columns, &y));
	PH_TRY(PH_NEW(&profile->arena, ph_profile_cells(profile), to));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(maker->env));
		PhRow row = ph_profile_row(profile, node);
		ph_union_values(whole, 0, ph_union_node(whole, 0, node), m, array, &row, x);
		ph_union_values(whole, 1, ph_union_node(whole, 1, node), m, array, &row, y);
		apply_row(op, x, y, *to + row.cell, row.n);
	}
	return PH_OK;
}

static PhStatus
combine_metric(PhUnion *whole, PhArithmetic op, uint32_t m)
{
	PhMetric *metric = &whole->maker->profile->metrics[m];
	if (metric->kind == PH_METRIC_RATIO)
		return PH_OK;
	int n_arrays = metric->kind == PH_METRIC_FLOW ? PH_ARRAY_COUNT : PH_ARRAY_ABSORBED;
	for (int array = 0; array < n_arrays; array++)
		if (ph_union_has_array(whole, m, array))
			PH_TRY(combine_array(whole, op, m, array, ph_metric_array(metric, array)));
	return PH_OK;
}

/* The columns of the union that x and y both say; either is in the order of its profile. */
static PhStatus
add_common(const PhPresence *x, const PhPresence *y, bool *marks, uint32_t node,
		   PhPresence *presence)
{
	for (uint32_t i = 0; i < x->runs.count; i++)
		memset(marks + x->runs.items[i].first, true, x->runs.items[i].n);
	for (uint32_t i = 0; i < y->runs.count; i++)
		for (uint32_t c = y->runs.items[i].first; c < y->runs.items[i].first + y->runs.items[i].n;
			 c++)
			if (marks[c])
				PH_TRY(ph_presence_add(presence, node, c, 1));
	for (uint32_t i = 0; i < x->runs.count; i++)
		memset(marks + x->runs.items[i].first, false, x->runs.items[i].n);
	return PH_OK;
}

/* A product or quotient exists where both operands do. */
static PhStatus
intersect_presence(PhUnion *whole, PhPresence *presence)
{
	PhArena *scratch = &whole->maker->scratch;
	PhPresence x, y;
	bool *marks;
	ph_presence_init(&x, scratch);
	ph_presence_init(&y, scratch);
	PH_TRY(PH_NEW(scratch, whole->n_columns, &marks));
	for (uint32_t node = 0; node < whole->maker->profile->n_nodes; node++)
	{
		uint32_t first = whole->member_start[node];
		PH_TRY(ph_env_poll(scratch->env));
		if (whole->member_start[node + 1] - first < 2)
			continue;
		x.runs.count = y.runs.count = 0;
		PH_TRY(ph_union_add_presence(whole, 0, whole->members[first].node, &x, node));
		PH_TRY(ph_union_add_presence(whole, 1, whole->members[first + 1].node, &y, node));
		PH_TRY(add_common(&x, &y, marks, node, presence));
	}
	return PH_OK;
}

static PhStatus
combine_presence(PhUnion *whole, PhArithmetic op)
{
	PhMaker *maker = whole->maker;
	PhPresence presence;
	if (is_linear(op))
		return ph_union_set_cells(whole);
	ph_presence_init(&presence, &maker->scratch);
	PH_TRY(intersect_presence(whole, &presence));
	return ph_profile_set_cells(maker->profile, &presence);
}

static PhStatus
combine_parts(PhMaker *maker, const PhProfile *const *operands, PhArithmetic op)
{
	static const char *const notes[] = {"subtract: a - b", "add: a + b", "multiply: a * b",
										"divide: a / b"};
	PhUnion whole;
	PhUnionUnits units = is_linear(op)		 ? PH_UNITS_SAME
						 : op == PH_MULTIPLY ? PH_UNITS_PRODUCT
											 : PH_UNITS_NONE;
	PH_TRY(ph_union_begin(&whole, maker, 2, operands, PH_UNION_MATCH));
	PH_TRY(ph_union_columns(&whole));
	PH_TRY(ph_union_metrics(&whole, units));
	PH_TRY(ph_union_provenance(&whole, op == PH_ADD || op == PH_MULTIPLY, notes[op]));
	PH_TRY(combine_presence(&whole, op));
	settle_metrics(maker->profile, op);
	for (uint32_t m = 0; m < whole.n_metrics; m++)
		PH_TRY(combine_metric(&whole, op, m));
	/* in a - b, a is what came after */
	return op == PH_SUBTRACT ? ph_union_marks(&whole, 1, 0) : PH_OK;
}

PhStatus
ph_profile_arithmetic(PhEnv *env, const PhProfile *a, const PhProfile *b, PhArithmetic op,
					  PhProfile **out)
{
	const PhProfile *operands[] = {a, b};
	PhMaker maker;
	PhStatus status = ph_maker_begin(&maker, env);
	if (status == PH_OK)
		status = combine_parts(&maker, operands, op);
	return ph_maker_end(&maker, status, out);
}

static PhStatus
scale_array(PhEnv *env, PhProfile *profile, const PhMetric *metric, double *values, double factor)
{
	size_t cells = values == NULL ? 0 : ph_profile_cells(profile);
	for (size_t i = 0; i < cells; i++)
	{
		if (i % PH_POLLED_CELLS == 0)
			PH_TRY(ph_env_poll_now(env));
		values[i] = values[i] * factor + 0.0;
		if (isinf(values[i]))
			return ph_fail(env, PH_ERR_VALUE, "metric \"%.*s\" is too large when scaled by %g",
						   ph_text_fit(profile->strings[metric->name], 100),
						   profile->strings[metric->name], factor);
	}
	return PH_OK;
}

static PhStatus
scale_values(PhEnv *env, PhProfile *profile, double factor)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		PhMetric *metric = &profile->metrics[i];
		if (factor < 0)
			metric->is_signed = 1;
		for (int array = 0; array < PH_ARRAY_COUNT; array++)
			PH_TRY(scale_array(env, profile, metric, *ph_metric_array(metric, array), factor));
	}
	return PH_OK;
}

static PhStatus
scale_one(PhEnv *env, const PhProfile *profile, const void *arguments, PhProfile **out)
{
	const double *factor = arguments;
	PhProfile *result;
	char note[64];
	snprintf(note, sizeof(note), "scale: times %.10g", *factor);
	PH_TRY(ph_profile_copy(env, profile, &result));
	PhStatus status = scale_values(env, result, *factor);
	if (status == PH_OK)
		status = ph_profile_add_note(env, result, note);
	if (status != PH_OK)
	{
		ph_profile_free(env, result);
		return status;
	}
	*out = result;
	return PH_OK;
}

PhStatus
ph_profile_scale(PhEnv *env, const PhProfile *profile, double factor, PhProfile **out)
{
	if (!isfinite(factor))
		return ph_fail(env, PH_ERR_VALUE, "a profile cannot be scaled by %g", factor);
	return ph_reduce_deep(env, profile, scale_one, &factor, out);
}

typedef struct UnitChange
{
	uint32_t metric;
	const char *unit;
	double factor;
} UnitChange;

/* A draft with one more string shares all else with the profile; its copy is in normal form. */
static PhStatus
copy_with_unit(PhArena *scratch, const PhProfile *profile, const UnitChange *change,
			   PhProfile **out)
{
	PhProfile draft = *profile;
	PH_TRY(PH_NEW(scratch, (size_t) profile->n_strings + 1, &draft.strings));
	PH_TRY(PH_NEW(scratch, profile->n_metrics, &draft.metrics));
	memcpy(draft.strings, profile->strings, profile->n_strings * sizeof(*draft.strings));
	memcpy(draft.metrics, profile->metrics, profile->n_metrics * sizeof(*draft.metrics));
	draft.strings[draft.n_strings] = change->unit;
	draft.metrics[change->metric].unit = draft.n_strings++;
	return ph_profile_copy(scratch->env, &draft, out);
}

static PhStatus
change_unit_one(PhEnv *env, const PhProfile *profile, const void *arguments, PhProfile **out)
{
	const UnitChange *change = arguments;
	PhArena scratch;
	PhProfile *result = NULL;
	ph_arena_init(&scratch, env);
	PhStatus status = copy_with_unit(&scratch, profile, change, &result);
	ph_arena_drop(&scratch);
	for (int array = 0; status == PH_OK && change->factor != 1 && array < PH_ARRAY_COUNT; array++)
	{
		PhMetric *metric = &result->metrics[change->metric];
		status = scale_array(env, result, metric, *ph_metric_array(metric, array), change->factor);
	}
	if (status != PH_OK)
	{
		ph_profile_free(env, result);
		return status;
	}
	*out = result;
	return PH_OK;
}

PhStatus
ph_profile_with_unit(PhEnv *env, const PhProfile *profile, uint32_t metric, const char *unit,
					 PhProfile **out)
{
	const PhMetric *m = &profile->metrics[metric];
	const char *now = ph_profile_string(profile, m->unit);
	UnitChange change = {metric, unit, 1};
	PhUnitMeaning meaning;
	if (strlen(unit) > PH_UNIT_MAX)
		return ph_fail(env, PH_ERR_VALUE, "a unit of more than %d bytes", PH_UNIT_MAX);
	if (!ph_unit_factor(now, unit, &change.factor) && ph_unit_meaning(now, &meaning) &&
		ph_unit_meaning(unit, &meaning))
		return ph_fail_hint(
			env, PH_ERR_CONFLICT, "Select another metric: profile(run, metric).",
			"metric \"%.*s\" is in \"%.*s\", which is not of the dimension of \"%s\"",
			ph_text_fit(ph_profile_string(profile, m->name), 100),
			ph_profile_string(profile, m->name), ph_text_fit(now, 30), now, unit);
	return ph_reduce_deep(env, profile, change_unit_one, &change, out);
}
