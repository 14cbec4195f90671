/*
 * numbers.c - what the numbers in a log stand for in the model.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/projections/projections.h"

static uint32_t
first_class(const PhProjections *projections)
{
	return projections->n_counters > 0 ? 0 : 1; /* PH_CLASS_COUNTERS is not there */
}

uint32_t
ph_projections_metric_class(const PhProjections *projections, uint32_t record, uint32_t stat)
{
	uint32_t first = first_class(projections);

	switch (record)
	{
		case 2:
		case 3:
			return PH_CLASS_COUNTERS;
		case 26:
			return PH_CLASS_SUPPLIED - first;
		case 27:
			return PH_CLASS_MEMORY - first;
		default:
			return PH_CLASS_STATS - first + stat;
	}
}

uint32_t
ph_projections_find(const PhMap *map, const uint32_t *order, int64_t number)
{
	uint32_t low = 0;
	uint32_t high = map->count;

	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;

		if (map->keys[order[middle]] < (uint64_t) number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < map->count && map->keys[order[low]] == (uint64_t) number ? map->values[order[low]]
																		  : PH_NONE;
}
