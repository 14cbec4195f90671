/*
 * numbers.c - see numbers.h. A draft shares everything with the profile but its lists of metrics
 * and strings, which are longer; its copy is the result.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "profile/numbers.h"

#include <string.h>

#include "profile/cells.h"
#include "profile/internal.h"

typedef struct Draft
{
	PhArena *scratch;
	PhProfile profile;
	const char **strings;
	uint32_t root;
} Draft;

static PhStatus
begin(Draft *draft, const PhProfile *profile, uint32_t n)
{
	PhMetric *metrics;

	draft->profile = *profile;
	PH_TRY(PH_NEW(draft->scratch, (size_t) profile->n_metrics + n, &metrics));
	PH_TRY(PH_NEW(draft->scratch, (size_t) profile->n_strings + 2 * (size_t) n, &draft->strings));
	memcpy(metrics, profile->metrics, profile->n_metrics * sizeof(*metrics));
	memcpy(draft->strings, profile->strings, profile->n_strings * sizeof(*draft->strings));
	draft->profile.metrics = metrics;
	draft->profile.strings = draft->strings;
	return PH_OK;
}

/* Of equal ones the first. */
static uint32_t
dearest_root(const PhProfile *profile)
{
	const PhMetric *primary = &profile->metrics[0];
	uint32_t dearest = 0;
	double most = 0;

	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PhRow row;
		double sum = 0;

		if (profile->parent[node] != PH_NONE)
			continue;
		row = ph_profile_row(profile, node);
		for (uint32_t i = 0; primary->inclusive != NULL && i < row.n; i++)
			sum += primary->inclusive[row.cell + i];
		if (sum > most)
		{
			most = sum;
			dearest = node;
		}
	}
	return dearest;
}

static PhString
append_string(Draft *draft, const char *text)
{
	draft->strings[draft->profile.n_strings] = text;
	return draft->profile.n_strings++;
}

static PhStatus
append_number(Draft *draft, const PhProfileNumber *number)
{
	PhProfile *profile = &draft->profile;
	PhRow row = ph_profile_row(profile, draft->root);
	PhMetric metric = {.kind = PH_METRIC_VALUE, .combine = PH_COMBINE_MEAN};

	metric.is_signed = number->value < 0;
	PH_TRY(PH_NEW(draft->scratch, ph_profile_cells(profile), &metric.exclusive));
	for (uint32_t i = 0; i < row.n; i++)
		metric.exclusive[row.cell + i] = number->value;
	metric.inclusive = metric.exclusive;
	metric.name = append_string(draft, number->name);
	metric.unit = append_string(draft, number->unit);
	profile->metrics[profile->n_metrics++] = metric;
	return ph_env_poll(draft->scratch->env);
}

PhStatus
ph_profile_with_numbers(PhEnv *env, const PhProfile *profile, uint32_t n,
						const PhProfileNumber *numbers, PhProfile **out)
{
	PhArena scratch;
	Draft draft = {.scratch = &scratch};
	PhStatus status;

	ph_arena_init(&scratch, env);
	status = begin(&draft, profile, n);
	if (status == PH_OK)
		draft.root = dearest_root(profile);
	for (uint32_t i = 0; status == PH_OK && i < n; i++)
		if (ph_profile_find_metric(&draft.profile, numbers[i].name) == PH_NONE)
			status = append_number(&draft, &numbers[i]);
	if (status == PH_OK)
		status = ph_profile_copy(env, &draft.profile, out);
	ph_arena_drop(&scratch);
	return status;
}
