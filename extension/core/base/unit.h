/*
 * unit.h - what units of metrics mean: their dimension, and how much of its base unit they are.
 *
 * Only spellings that mean one thing are known: "KB" is 1000 bytes to some tools and 1024 to
 * others, so it has no meaning here, and equals only itself.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_UNIT_H
#define PH_BASE_UNIT_H

#include <stdbool.h>

typedef struct PhUnitMeaning
{
	const char *dimension; /* "time", "data", "count", "frequency", "energy", "power" */
	const char *base;	   /* "s", "bytes", "count", "Hz", "J", "W" */
	double factor;		   /* base units in one of it */
} PhUnitMeaning;

/* False for a unit that is not known, and for none (""). Case matters only in single letters. */
bool ph_unit_meaning(const char *unit, PhUnitMeaning *out);

/*
 * What a value in `from` is multiplied by to be one in `to`: 1 for equal names. False when they are
 * of different dimensions, or one is not known.
 */
bool ph_unit_factor(const char *from, const char *to, double *factor);

/*
 * The unit of the same dimension in which a value is best read: ms for 0.02 s, MiB for 3e7 bytes.
 * Other units come back as they are. *factor: what the value is multiplied by.
 */
const char *ph_unit_readable(const char *unit, double value, double *factor);

#endif
