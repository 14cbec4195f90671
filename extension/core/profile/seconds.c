/*
 * seconds.c - see seconds.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "profile/seconds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/unit.h"
#include "profile/internal.h"
#include "profile/unify.h"

/* Divides by 1000000 instead of multiplying by its inverse, which is no float: 3 us are 3e-06 s. */
static PhStatus
scale_array(PhEnv *env, double *values, size_t n, double factor)
{
	double divisor = factor < 1 ? round(1 / factor) : 1;
	double multiplier = factor < 1 ? 1 : factor;
	double largest = 0;
	for (size_t i = 0; i < n; i++)
	{
		values[i] = values[i] * multiplier / divisor;
		largest = fmax(largest, fabs(values[i]));
	}
	if (isinf(largest))
		return ph_fail(env, PH_ERR_VALUE, "values are too large in seconds");
	return ph_env_poll(env);
}

PhStatus
ph_metric_scale(PhEnv *env, const PhProfile *profile, uint32_t metric, double factor)
{
	for (int array = 0; factor != 1 && array < PH_ARRAY_COUNT; array++)
	{
		double *values = *ph_metric_array(&profile->metrics[metric], array);
		if (values != NULL)
			PH_TRY(scale_array(env, values, ph_profile_cells(profile), factor));
	}
	return PH_OK;
}

static PhStatus
append(PhProfile *profile, const char *text, PhString *out)
{
	const char **strings;
	char *copy;
	PH_TRY(ph_arena_strndup(&profile->arena, text, strlen(text), &copy));
	PH_TRY(PH_NEW(&profile->arena, (size_t) profile->n_strings + 1, &strings));
	memcpy(strings, profile->strings, profile->n_strings * sizeof(*strings));
	strings[profile->n_strings] = copy;
	profile->strings = strings;
	*out = profile->n_strings++;
	return PH_OK;
}

typedef struct Renumbering
{
	const char *const *from;
	PhString *number; /* by old number; 0: not used yet */
	const char **strings;
	uint32_t n;
} Renumbering;

static void
use(Renumbering *renumbering, PhString *string)
{
	PhString *number = &renumbering->number[*string];
	if (*string != 0 && *number == 0)
	{
		*number = renumbering->n;
		renumbering->strings[renumbering->n++] = renumbering->from[*string];
	}
	*string = *number;
}

static void
use_all(PhProfile *profile, Renumbering *renumbering)
{
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		PhRegion *region = &profile->regions[i];
		use(renumbering, &region->name);
		use(renumbering, &region->library);
		use(renumbering, &region->file);
		use(renumbering, &region->module);
		use(renumbering, &region->paradigm);
	}
	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		use(renumbering, &profile->columns[i].host);
		use(renumbering, &profile->columns[i].name);
	}
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		use(renumbering, &profile->metrics[i].name);
		use(renumbering, &profile->metrics[i].unit);
	}
	for (uint32_t i = 0; i < profile->provenance.n_sources; i++)
		use(renumbering, &profile->provenance.sources[i].label);
	for (uint32_t i = 0; i < profile->provenance.n_notes; i++)
		use(renumbering, &profile->provenance.notes[i]);
}

/* Back to the normal form: strings in the order of their first use. */
static PhStatus
renumber(PhProfile *profile)
{
	Renumbering renumbering = {.from = profile->strings, .n = 1};
	PH_TRY(PH_NEW(&profile->arena, profile->n_strings, &renumbering.number));
	PH_TRY(PH_NEW(&profile->arena, profile->n_strings, &renumbering.strings));
	renumbering.strings[0] = "";
	use_all(profile, &renumbering);
	profile->strings = renumbering.strings;
	profile->n_strings = renumbering.n;
	return PH_OK;
}

static const char *
unit_of(const PhProfile *profile, uint32_t metric)
{
	return ph_profile_string(profile, profile->metrics[metric].unit);
}

/* Seconds in the metric's unit; 0: it is not one of time. */
static double
seconds_in(const PhProfile *profile, uint32_t metric)
{
	PhUnitMeaning meaning;
	if (!ph_unit_meaning(unit_of(profile, metric), &meaning) ||
		strcmp(meaning.dimension, "time") != 0)
		return 0;
	return meaning.factor;
}

/*
 * The unit of a ratio whose parts were multiplied: seconds, where that is what its own unit
 * becomes, else what the units of its parts make. factor: the quotient of what the parts were
 * multiplied by.
 */
static PhStatus
rename_ratio(PhProfile *profile, uint32_t metric, double factor)
{
	PhMetric *ratio = &profile->metrics[metric];
	char unit[160];
	if (factor == 1)
		return PH_OK;
	if (seconds_in(profile, metric) == factor)
		return append(profile, "s", &ratio->unit);
	const char *over = unit_of(profile, ratio->numerator);
	const char *under = unit_of(profile, ratio->denominator);
	snprintf(unit, sizeof(unit), "%.*s/%.*s", ph_text_fit(over, 64), over, ph_text_fit(under, 64),
			 under);
	return append(profile, unit, &ratio->unit);
}

static double
factor_of(double seconds)
{
	return seconds == 0 ? 1 : seconds;
}

static PhStatus
convert_times(PhEnv *env, PhProfile *profile, double *seconds)
{
	PhString unit;
	PH_TRY(append(profile, "s", &unit));
	for (uint32_t m = 0; m < profile->n_metrics; m++)
	{
		PhMetric *metric = &profile->metrics[m];
		seconds[m] = metric->kind == PH_METRIC_RATIO ? 0 : seconds_in(profile, m);
		if (seconds[m] == 0)
			continue;
		PH_TRY(ph_metric_scale(env, profile, m, seconds[m]));
		metric->unit = unit;
	}
	return PH_OK;
}

PhStatus
ph_profile_to_seconds(PhEnv *env, PhProfile *profile)
{
	double *seconds;
	PH_TRY(PH_NEW(&profile->arena, profile->n_metrics, &seconds));
	PH_TRY(convert_times(env, profile, seconds));
	for (uint32_t m = 0; m < profile->n_metrics; m++)
	{
		const PhMetric *metric = &profile->metrics[m];
		if (metric->kind == PH_METRIC_RATIO)
			PH_TRY(rename_ratio(profile, m,
								factor_of(seconds[metric->numerator]) /
									factor_of(seconds[metric->denominator])));
	}
	return renumber(profile);
}
