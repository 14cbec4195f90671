/*
 * units.c - see units.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "stored/units.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "profile/cells.h"

static int
compare_text(const PhProfile *profile, PhString a, PhString b)
{
	return a == b ? 0 : strcmp(ph_profile_string(profile, a), ph_profile_string(profile, b));
}

int
ph_unit_compare(const PhProfile *profile, const PhColumn *a, const PhColumn *b)
{
	if (a->run_id != b->run_id)
		return a->run_id < b->run_id ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	int order = compare_text(profile, a->host, b->host);
	return order != 0 || a->rank != PH_NO_NUMBER ? order : compare_text(profile, a->name, b->name);
}

static int
compare_columns(const void *context, uint32_t x, uint32_t y)
{
	const PhProfile *profile = context;
	return ph_unit_compare(profile, &profile->columns[x], &profile->columns[y]);
}

/* Numbers units by their lowest columns, given all columns sorted by unit and number. */
static PhStatus
number_units(PhArena *arena, const PhProfile *profile, const uint32_t *sorted, PhUnits *units)
{
	uint32_t *leader; /* lowest column of each column's unit */
	PH_TRY(PH_NEW(arena, profile->n_columns, &leader));
	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		bool same = i > 0 && compare_columns(profile, sorted[i - 1], sorted[i]) == 0;
		leader[sorted[i]] = same ? leader[sorted[i - 1]] : sorted[i];
	}
	for (uint32_t column = 0; column < profile->n_columns; column++)
	{
		PH_TRY(ph_env_poll(arena->env));
		if (leader[column] == column)
		{
			units->first_column[units->n_units] = column;
			units->unit[column] = units->n_units++;
		}
		else
			units->unit[column] = units->unit[leader[column]];
	}
	return PH_OK;
}

/* Units, of a profile. */
typedef struct UnitList
{
	const PhProfile *profile;
	const PhUnits *units;
} UnitList;

static const PhColumn *
column_of(const UnitList *list, uint32_t unit)
{
	return &list->profile->columns[list->units->first_column[unit]];
}

static int
compare_ranks(const void *context, uint32_t x, uint32_t y)
{
	int32_t a = column_of(context, x)->rank;
	int32_t b = column_of(context, y)->rank;
	return (a > b) - (a < b);
}

static PhStatus
count_ranks(PhArena *arena, const PhProfile *profile, PhUnits *units)
{
	UnitList list = {profile, units};
	uint32_t *sorted;
	uint32_t length = 0;
	PH_TRY(ph_sort_indices(arena, units->n_units, compare_ranks, &list, &sorted));
	for (uint32_t i = 0; i < units->n_units; i++)
	{
		bool is_new = i == 0 || compare_ranks(&list, sorted[i - 1], sorted[i]) != 0;
		if (column_of(&list, sorted[i])->rank == PH_NO_NUMBER)
			continue;
		length = is_new ? 1 : length + 1;
		units->n_ranks += is_new;
		if (length > units->n_threads)
			units->n_threads = length;
	}
	return PH_OK;
}

static int
compare_hosts(const void *context, uint32_t x, uint32_t y)
{
	const UnitList *list = context;
	return compare_text(list->profile, column_of(list, x)->host, column_of(list, y)->host);
}

static PhStatus
count_hosts(PhArena *arena, const PhProfile *profile, PhUnits *units)
{
	UnitList list = {profile, units};
	uint32_t *sorted;
	PH_TRY(ph_sort_indices(arena, units->n_units, compare_hosts, &list, &sorted));
	for (uint32_t i = 0; i < units->n_units; i++)
		units->n_hosts += column_of(&list, sorted[i])->host != 0 &&
						  (i == 0 || compare_hosts(&list, sorted[i - 1], sorted[i]) != 0);
	return PH_OK;
}

PhStatus
ph_units_find(PhArena *arena, const PhProfile *profile, PhUnits *out)
{
	uint32_t *sorted;
	PhUnits units = {0};
	PH_TRY(PH_NEW(arena, profile->n_columns, &units.unit));
	PH_TRY(PH_NEW(arena, profile->n_columns, &units.first_column));
	PH_TRY(ph_sort_indices(arena, profile->n_columns, compare_columns, profile, &sorted));
	PH_TRY(number_units(arena, profile, sorted, &units));
	PH_TRY(count_ranks(arena, profile, &units));
	PH_TRY(count_hosts(arena, profile, &units));
	*out = units;
	return PH_OK;
}

double
ph_run_total(const PhProfile *profile, const PhUnits *units, uint32_t metric)
{
	double total = 0;
	if (metric >= profile->n_metrics || profile->metrics[metric].kind != PH_METRIC_FLOW ||
		units->n_units == 0)
		return NAN;
	for (uint32_t node = 0; node < profile->n_nodes; node = profile->subtree_end[node])
	{
		PhRowWalk walk = ph_row_walk(profile, node);
		for (PhRowSpan span; ph_row_next(&walk, &span);)
			for (uint32_t i = 0; i < span.n; i++)
				total += profile->metrics[metric].inclusive[span.cell + i];
	}
	return total / units->n_units;
}
