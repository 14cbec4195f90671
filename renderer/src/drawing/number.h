/*
 * number.h - numbers for people: units that suit the size, three digits, round axis ticks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DRAWING_NUMBER_H
#define PH_DRAWING_NUMBER_H

#include "base/arena.h"

/* How values of a metric are shown in one picture: value * factor, then suffix. */
typedef struct PhUnit
{
	double factor;
	const char *suffix; /* "s", "ms", "MB", "M" ...; may be empty */
} PhUnit;

/* The unit for values up to magnitude: times become s, ms, us or ns; bytes and counts get SI
 * prefixes. name is the metric's own unit, such as "usec", "sec", "B", or NULL. */
PhUnit ph_unit_choose(PhArena *arena, const char *name, double magnitude);

/* Do two names mean one unit, such as "usec" and "us"? */
bool ph_unit_same(const char *a, const char *b);

/* A time in ns among others of a picture, with digits enough that two times a unit of resolution
 * apart differ: "500.012 34 ms" without the blank. */
const char *ph_moment(PhArena *arena, double ns, double resolution);

/* Three significant digits without exponent, e.g. "12.3", "0.0042", "1230". */
const char *ph_number(PhArena *arena, double value);
/* "12.3 s"; each value in the unit that suits it when unit is chosen for it alone. */
const char *ph_quantity(PhArena *arena, PhUnit unit, double value);
/* "45.1 %"; "" when of is not above 0. */
const char *ph_percent(PhArena *arena, double part, double of);
/* A value of a metric in the unit that suits this value. */
const char *ph_value(PhArena *arena, const char *unit_name, double value);
/* The same with a sign, for differences. */
const char *ph_signed_value(PhArena *arena, const char *unit_name, double value);

/* Round tick positions first, first + step, ... (n of them) inside [low, high], at most max. */
typedef struct PhAxisTicks
{
	double first, step;
	uint32_t n;
	int decimals;
} PhAxisTicks;

PhAxisTicks ph_axis_ticks(double low, double high, uint32_t max);
double ph_tick_at(const PhAxisTicks *ticks, uint32_t i);
const char *ph_tick_text(PhArena *arena, const PhAxisTicks *ticks, uint32_t i);

#endif
