/*
 * metrics.c - Cube's metrics and data types in the builder's terms.
 *
 * Derived metrics are CubePL programs over stored ones. The quotient of two stored metrics becomes
 * a ratio; other formulas are left out, and the run's metadata names them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "readers/cube/cube.h"

void
ph_cube_set_type(PhCubeMetric *metric)
{
	static const struct
	{
		const char *name;
		PhCubeType type;
		uint32_t width;
	} types[] = {
		{"DOUBLE", PH_CUBE_DOUBLE, 8},
		{"FLOAT", PH_CUBE_DOUBLE, 8}, /* Cube's FLOAT is a double */
		{"MINDOUBLE", PH_CUBE_MINIMUM, 8},
		{"MAXDOUBLE", PH_CUBE_MAXIMUM, 8},
		{"UINT64", PH_CUBE_UNSIGNED, 8},
		{"UNSIGNED INTEGER", PH_CUBE_UNSIGNED, 8},
		{"INT64", PH_CUBE_SIGNED, 8},
		{"INTEGER", PH_CUBE_SIGNED, 8},
		{"SIGNED INTEGER", PH_CUBE_SIGNED, 8},
		{"UINT32", PH_CUBE_UNSIGNED, 4},
		{"UNSIGNED INT", PH_CUBE_UNSIGNED, 4},
		{"INT32", PH_CUBE_SIGNED, 4},
		{"INT", PH_CUBE_SIGNED, 4},
		{"SIGNED INT", PH_CUBE_SIGNED, 4},
		{"UINT16", PH_CUBE_UNSIGNED, 2},
		{"UNSIGNED SHORT INT", PH_CUBE_UNSIGNED, 2},
		{"INT16", PH_CUBE_SIGNED, 2},
		{"SHORT INT", PH_CUBE_SIGNED, 2},
		{"SIGNED SHORT INT", PH_CUBE_SIGNED, 2},
		{"UINT8", PH_CUBE_UNSIGNED, 1},
		{"INT8", PH_CUBE_SIGNED, 1},
		{"CHAR", PH_CUBE_SIGNED, 1},
		{"TAU_ATOMIC", PH_CUBE_TAU_ATOMIC, 36},
	};
	metric->type = PH_CUBE_UNSUPPORTED;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcasecmp(types[i].name, metric->type_name) == 0)
		{
			metric->type = types[i].type;
			metric->width = types[i].width;
		}
}

/* Cube's words for units in perfhouse's. */
static const char *
unit_name(const char *unit)
{
	static const char *const pairs[][2] = {{"sec", "s"},   {"msec", "ms"},	 {"usec", "us"},
										   {"nsec", "ns"}, {"occ", "count"}, {"#", "count"}};
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (strcmp(pairs[i][0], unit) == 0)
			return pairs[i][1];
	return unit;
}

/* ---- declaration ---- */

static PhStatus
add_part(PhCube *cube, PhCubeMetric *metric, PhCubePart part, const char *suffix,
		 const PhMetricSpec *model)
{
	char name[256];
	PhMetricSpec spec = *model;
	const char *own = metric->name[0] != '\0' ? metric->name : "unnamed";
	snprintf(name, sizeof(name), "%.200s%s", own, suffix);
	if (strlen(own) > 200 || !ph_utf8_valid(name, strlen(name)))
		return ph_fail(cube->env, PH_ERR_LIMIT,
					   "%s: anchor.xml: a metric's name is longer than 200 bytes: \"%.60s\"",
					   cube->input->path, own);
	spec.name = name;
	return ph_builder_add_metric(cube->builder, &spec, &metric->part[part]);
}

static PhStatus
add_tau_atomic(PhCube *cube, PhCubeMetric *metric)
{
	const char *unit = unit_name(metric->unit);
	PhMetricSpec sum = {.unit = unit, .kind = PH_METRIC_FLOW, .given = PH_GIVEN_EXCLUSIVE};
	PhMetricSpec count = {.unit = "count", .kind = PH_METRIC_FLOW, .given = PH_GIVEN_EXCLUSIVE};
	PhMetricSpec value = {.unit = unit,
						  .kind = PH_METRIC_VALUE,
						  .combine = PH_COMBINE_MIN,
						  .given = PH_GIVEN_EXCLUSIVE,
						  .may_be_negative = true};
	PH_TRY(add_part(cube, metric, PH_CUBE_SUM, "", &sum));
	PH_TRY(add_part(cube, metric, PH_CUBE_COUNT, " (count)", &count));
	PH_TRY(add_part(cube, metric, PH_CUBE_MIN, " (min)", &value));
	value.combine = PH_COMBINE_MAX;
	return add_part(cube, metric, PH_CUBE_MAX, " (max)", &value);
}

static PhStatus
add_stored(PhCube *cube, PhCubeMetric *metric)
{
	if (metric->type == PH_CUBE_TAU_ATOMIC)
		return add_tau_atomic(cube, metric);
	bool flow = metric->type != PH_CUBE_MINIMUM && metric->type != PH_CUBE_MAXIMUM;
	bool inclusive = flow && metric->layout == PH_CUBE_INCLUSIVE;
	PhMetricSpec spec = {.unit = unit_name(metric->unit),
						 .kind = flow ? PH_METRIC_FLOW : PH_METRIC_VALUE,
						 .combine =
							 metric->type == PH_CUBE_MINIMUM ? PH_COMBINE_MIN : PH_COMBINE_MAX,
						 .given = inclusive ? PH_GIVEN_INCLUSIVE : PH_GIVEN_EXCLUSIVE,
						 .may_be_negative = !flow};
	return add_part(cube, metric, PH_CUBE_SUM, "", &spec);
}

/* The stored metric that "metric::NAME(...)" at *text means; *text moves behind it. */
static const PhCubeMetric *
operand(const PhCube *cube, const char **text)
{
	*text += strspn(*text, " \t\r\n");
	if (strncmp(*text, "metric::", 8) != 0)
		return NULL;
	const char *name = *text + 8;
	size_t length = strcspn(name, "( \t\r\n");
	const char *close = name[length] == '(' ? strchr(name + length, ')') : NULL;
	if (close == NULL)
		return NULL;
	*text = close + 1 + strspn(close + 1, " \t\r\n");
	for (uint32_t i = 0; i < cube->n_metrics; i++)
		if (strlen(cube->metrics[i].name) == length &&
			memcmp(cube->metrics[i].name, name, length) == 0)
			return &cube->metrics[i];
	return NULL;
}

/* "metric::a() / metric::b()" as a ratio; else the metric is left out. */
static PhStatus
add_derived(PhCube *cube, PhCubeMetric *metric)
{
	const char *at = metric->expression;
	const PhCubeMetric *above = operand(cube, &at);
	bool divides = above != NULL && *at++ == '/';
	const PhCubeMetric *below = divides ? operand(cube, &at) : NULL;
	if (below == NULL || *at != '\0' || above->part[PH_CUBE_SUM] == PH_NONE ||
		below->part[PH_CUBE_SUM] == PH_NONE)
		return PH_OK;
	PhMetricSpec spec = {.unit = unit_name(metric->unit),
						 .kind = PH_METRIC_RATIO,
						 .numerator = above->part[PH_CUBE_SUM],
						 .denominator = below->part[PH_CUBE_SUM]};
	return add_part(cube, metric, PH_CUBE_SUM, "", &spec);
}

static bool
is_stored(const PhCubeMetric *metric)
{
	return metric->layout != PH_CUBE_DERIVED && metric->has_values &&
		   metric->type != PH_CUBE_UNSUPPORTED;
}

/* The metric that stands for time: "time", else the first one in seconds. */
static PhCubeMetric *
find_primary(PhCube *cube)
{
	PhCubeMetric *best = NULL;
	for (uint32_t i = 0; i < cube->n_metrics; i++)
	{
		PhCubeMetric *metric = &cube->metrics[i];
		bool additive = metric->type != PH_CUBE_MINIMUM && metric->type != PH_CUBE_MAXIMUM;
		if (!is_stored(metric) || !additive)
			continue;
		if (strcmp(metric->name, "time") == 0)
			return metric;
		if (best == NULL && strcmp(unit_name(metric->unit), "s") == 0)
			best = metric;
	}
	return best;
}

/* Metadata "left_out_metrics": derived ones and those of types that are no numbers. */
static PhStatus
note_left_out(PhCube *cube)
{
	char names[1024] = "";
	size_t used = 0;
	for (uint32_t i = 0; i < cube->n_metrics; i++)
	{
		const PhCubeMetric *metric = &cube->metrics[i];
		bool without_values = metric->layout != PH_CUBE_DERIVED && !metric->has_values;
		if (metric->part[PH_CUBE_SUM] != PH_NONE || without_values)
			continue;
		if (metric->layout != PH_CUBE_DERIVED)
			PH_TRY(ph_run_warn(cube->env, cube->run,
							   "%s: metric \"%s\" is left out: its type %s is not supported.",
							   cube->input->path, metric->name, metric->type_name));
		size_t length = strlen(metric->name);
		if (used + length + 3 > sizeof(names))
			continue;
		used += (size_t) snprintf(names + used, sizeof(names) - used, "%s%s", used > 0 ? ", " : "",
								  metric->name);
	}
	if (used == 0)
		return PH_OK;
	return ph_meta_set(cube->env, &cube->run->meta, "left_out_metrics", names, false);
}

PhStatus
ph_cube_add_metrics(PhCube *cube)
{
	PhCubeMetric *primary = find_primary(cube);
	bool any = primary != NULL;
	if (primary != NULL)
		PH_TRY(add_stored(cube, primary));
	for (uint32_t i = 0; i < cube->n_metrics; i++)
		if (&cube->metrics[i] != primary && is_stored(&cube->metrics[i]))
		{
			PH_TRY(add_stored(cube, &cube->metrics[i]));
			any = true;
		}
	if (!any)
		return ph_fail_hint(cube->env, PH_ERR_VALUE,
							"Check that the measurement wrote a profile with values.",
							"%s: no metric has values", cube->input->path);
	for (uint32_t i = 0; i < cube->n_metrics; i++)
		if (cube->metrics[i].layout == PH_CUBE_DERIVED)
			PH_TRY(add_derived(cube, &cube->metrics[i]));
	return note_left_out(cube);
}

/* ---- values ---- */

/* An unsigned integer of width bytes in the file's order. */
static uint64_t
get_bits(const uint8_t *bytes, uint32_t width, bool is_swapped)
{
	uint64_t bits = 0;
	for (uint32_t i = 0; i < width; i++)
		bits = bits << 8 | bytes[is_swapped ? i : width - 1 - i];
	return bits;
}

static double
get_double(const uint8_t *bytes, bool is_swapped)
{
	uint64_t bits = get_bits(bytes, 8, is_swapped);
	double value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static double
get_number(const PhCubeMetric *metric, const uint8_t *bytes)
{
	uint64_t bits = get_bits(bytes, metric->width, metric->is_swapped);
	switch (metric->type)
	{
		case PH_CUBE_UNSIGNED:
			return (double) bits;
		case PH_CUBE_SIGNED:
		{
			unsigned unused = 64 - 8 * metric->width;
			return (double) ((int64_t) (bits << unused) >> unused);
		}
		default:
			return get_double(bytes, metric->is_swapped);
	}
}

static PhStatus
impossible(const PhCubeMember *member, const PhCubeMetric *metric, double value, uint64_t offset)
{
	PhError *error = &member->cube->env->error;
	bool negative = isfinite(value);
	PhStatus status = ph_cube_fail(member, PH_ERR_VALUE, offset, "metric \"%.100s\": value %g %s",
								   metric->name, value, negative ? "is negative" : "is not finite");
	if (negative)
		snprintf(error->hint, sizeof(error->hint),
				 "A difference of two profiles is none: load both and subtract them in SQL.");
	return status;
}

static PhStatus
add_number(const PhCubeMember *member, const PhCubeMetric *metric, PhCubePart part, uint32_t node,
		   uint32_t column, double value, uint64_t offset)
{
	bool is_flow =
		part == PH_CUBE_COUNT ||
		(part == PH_CUBE_SUM && metric->type != PH_CUBE_MINIMUM && metric->type != PH_CUBE_MAXIMUM);
	bool inclusive =
		is_flow && metric->type != PH_CUBE_TAU_ATOMIC && metric->layout == PH_CUBE_INCLUSIVE;
	if (value == 0)
		return PH_OK;
	if (!is_flow && fabs(value) >= DBL_MAX)
		return PH_OK; /* the minimum or maximum of nothing */
	if (!isfinite(value) || (value < 0 && is_flow))
		return impossible(member, metric, value, offset);
	return ph_builder_add_value(member->cube->builder, metric->part[part], node, column,
								inclusive ? PH_COST_INCLUSIVE : PH_COST_EXCLUSIVE, value);
}

PhStatus
ph_cube_add_value(const PhCubeMember *member, const PhCubeMetric *metric, uint32_t node,
				  uint32_t column, const uint8_t *bytes, uint64_t offset)
{
	bool swapped = metric->is_swapped;
	if (metric->type != PH_CUBE_TAU_ATOMIC)
		return add_number(member, metric, PH_CUBE_SUM, node, column, get_number(metric, bytes),
						  offset);
	double count = (double) get_bits(bytes, 4, swapped);
	const uint8_t *rest = bytes + metric->width - 32;
	if (count == 0)
		return PH_OK;
	PH_TRY(add_number(member, metric, PH_CUBE_COUNT, node, column, count, offset));
	PH_TRY(
		add_number(member, metric, PH_CUBE_MIN, node, column, get_double(rest, swapped), offset));
	PH_TRY(add_number(member, metric, PH_CUBE_MAX, node, column, get_double(rest + 8, swapped),
					  offset));
	return add_number(member, metric, PH_CUBE_SUM, node, column, get_double(rest + 16, swapped),
					  offset);
}
