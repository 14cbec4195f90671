/*
 * correlations.c - see correlations.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/spans/correlations.h"

#include <string.h>

#include "base/min_max.h"

#define MOST_PLACES_A_CALL 8
#define FIRST_PLACES 512

void
ph_correlations_init(PhCorrelations *correlations, PhArena *arena)
{
	*correlations = (PhCorrelations){.env = arena->env, .least_far = UINT64_MAX};
	ph_map_init(&correlations->far, arena);
}

void
ph_correlations_free(PhCorrelations *correlations)
{
	PH_VECTOR_FREE(correlations->env, &correlations->places);
}

/* ---- the table ---- */

static PhStatus
enter_far(PhCorrelations *correlations, uint64_t correlation, uint32_t number, uint32_t *out)
{
	uint32_t *known;
	PH_TRY(ph_map_enter(&correlations->far, correlation, number, &known));
	correlations->least_far = PH_MIN(correlations->least_far, correlation);
	correlations->most_far = PH_MAX(correlations->most_far, correlation);
	*out = *known;
	return PH_OK;
}

static uint32_t
find_far(const PhCorrelations *correlations, uint64_t correlation)
{
	if (correlation < correlations->least_far || correlation > correlations->most_far)
		return 0;
	const uint32_t *known = ph_map_find(&correlations->far, correlation);
	return known == NULL ? 0 : *known;
}

/* ---- the array ---- */

/* Places up to this one; new ones are empty. */
static PhStatus
reach(PhCorrelations *correlations, uint64_t place)
{
	uint32_t count = correlations->places.count;
	while (correlations->places.capacity <= place)
		PH_TRY(ph_grow_in_env(correlations->env, (void **) &correlations->places.items,
							  correlations->places.capacity, &correlations->places.capacity,
							  sizeof(*correlations->places.items)));
	memset(correlations->places.items + count, 0, (place + 1 - count) * sizeof(uint32_t));
	correlations->places.count = (uint32_t) place + 1;
	return PH_OK;
}

/* What has a place goes to the table. More came meanwhile: each of those pays for one of them. */
static PhStatus
begin_anew(PhCorrelations *correlations, uint64_t correlation)
{
	uint32_t number;
	for (uint32_t i = 0; i < correlations->places.count; i++)
		if (correlations->places.items[i] != 0)
			PH_TRY(enter_far(correlations, correlations->first + i, correlations->places.items[i],
							 &number));
	correlations->places.count = correlations->n_near = correlations->n_passed = 0;
	correlations->first = correlation;
	return PH_OK;
}

/* A correlation that is not known yet. */
static PhStatus
enter_new(PhCorrelations *correlations, uint64_t correlation, uint32_t number)
{
	if (correlations->n_near == 0 || correlations->n_passed > correlations->places.count)
		PH_TRY(begin_anew(correlations, correlation));
	uint64_t most = MOST_PLACES_A_CALL * (uint64_t) correlations->n_near + FIRST_PLACES;
	uint64_t place = correlation - correlations->first; /* huge: it is below the first */
	if (place >= PH_MIN(most, PH_NONE - 1))
	{
		correlations->n_passed++;
		return enter_far(correlations, correlation, number, &number);
	}
	if (place >= correlations->places.count)
		PH_TRY(reach(correlations, place));
	correlations->places.items[place] = number;
	correlations->n_near++;
	return PH_OK;
}

PhStatus
ph_correlations_enter(PhCorrelations *correlations, uint64_t correlation, uint32_t number,
					  uint32_t *out)
{
	uint64_t place = correlation - correlations->first;
	*out = place < correlations->places.count ? correlations->places.items[place] : 0;
	if (*out == 0)
		*out = find_far(correlations, correlation);
	if (*out != 0 || number == 0)
		return PH_OK;
	*out = number;
	return enter_new(correlations, correlation, number);
}
