/*
 * source_units.c - see source_units.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/source_units.h"

#include <stdio.h>
#include <string.h>

#include "base/unit.h"
#include "pipeline/trace/profile.h"
#include "profile/seconds.h"
#include "stored/sums.h"

#define LONGEST_KEY 512 /* bytes; names of metrics have 200 at most in most formats */

static bool
is_converted(const PhProfile *profile, const PhMetric *metric)
{
	const char *unit = ph_profile_string(profile, metric->unit);
	PhUnitMeaning meaning;

	return metric->kind != PH_METRIC_RATIO && ph_unit_meaning(unit, &meaning) &&
		   strcmp(meaning.dimension, "time") == 0 && strcmp(unit, "s") != 0;
}

/* Values that are sums of others stay so to the bit, and need not be stored. */
static PhStatus
convert_values(PhEnv *env, PhProfile *profile)
{
	PhArena scratch;
	PhSums sums;

	ph_arena_init(&scratch, env);
	PhStatus status = ph_sums_find(&scratch, profile, &sums);
	if (status == PH_OK)
		status = ph_profile_to_seconds(env, profile);
	if (status == PH_OK)
		status = ph_sums_restore(&scratch, profile, sums);
	ph_arena_drop(&scratch);
	return status;
}

static PhStatus
convert(PhEnv *env, PhMeta *meta, PhProfile *profile, const char *prefix)
{
	char key[LONGEST_KEY];
	bool any = false;

	for (uint32_t m = 0; profile != NULL && m < profile->n_metrics; m++)
	{
		const PhMetric *metric = &profile->metrics[m];
		const char *name = ph_profile_string(profile, metric->name);

		if (!is_converted(profile, metric))
			continue;
		any = true;
		if (snprintf(key, sizeof(key), "source_unit.%s%s", prefix, name) < (int) sizeof(key))
			PH_TRY(ph_meta_set(env, meta, key, ph_profile_string(profile, metric->unit), false));
	}
	return any ? convert_values(env, profile) : PH_OK;
}

PhStatus
ph_source_units_convert(PhEnv *env, PhRunInput *input)
{
	PH_TRY(convert(env, &input->meta, input->profile, ""));
	return convert(env, &input->meta, input->beside, PH_BESIDE_PREFIX);
}
