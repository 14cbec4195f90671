/*
 * units.h - the execution units of a profile: columns that differ in their iteration alone are one.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STORED_UNITS_H
#define PH_STORED_UNITS_H

#include "profile/profile.h"

/* Which unit a column belongs to; units are numbered by their first column. */
typedef struct PhUnits
{
	uint32_t n_units;
	uint32_t *unit;			/* per column */
	uint32_t *first_column; /* per unit */
	uint32_t n_ranks;		/* distinct known ranks */
	uint32_t n_threads;		/* most units in one rank */
	uint32_t n_hosts;		/* distinct known hosts */
} PhUnits;

/* < 0, 0: of one unit, > 0. Names tell units apart that have no rank. */
int ph_unit_compare(const PhProfile *profile, const PhColumn *a, const PhColumn *b);

PhStatus ph_units_find(PhArena *arena, const PhProfile *profile, PhUnits *out) PH_MUST_CHECK;

/* The whole of a flow metric: its roots' inclusive values, mean over units. NAN: no flow metric, no
 * units. */
double ph_run_total(const PhProfile *profile, const PhUnits *units, uint32_t metric);

#endif
