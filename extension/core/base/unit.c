/*
 * unit.c - see unit.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/unit.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef struct Spelling
{
	const char *name;
	PhUnitMeaning meaning;
} Spelling;

#define TIME(factor)                                                                               \
	{                                                                                              \
		"time", "s", factor                                                                        \
	}
#define DATA(factor)                                                                               \
	{                                                                                              \
		"data", "bytes", factor                                                                    \
	}
#define TALLY                                                                                      \
	{                                                                                              \
		"count", "count", 1                                                                        \
	}
#define FREQUENCY(factor)                                                                          \
	{                                                                                              \
		"frequency", "Hz", factor                                                                  \
	}
#define ENERGY(factor)                                                                             \
	{                                                                                              \
		"energy", "J", factor                                                                      \
	}
#define POWER(factor)                                                                              \
	{                                                                                              \
		"power", "W", factor                                                                       \
	}

static const Spelling spellings[] = {
	{"s", TIME(1)},
	{"sec", TIME(1)},
	{"secs", TIME(1)},
	{"second", TIME(1)},
	{"seconds", TIME(1)},
	{"ms", TIME(1e-3)},
	{"msec", TIME(1e-3)},
	{"millisecond", TIME(1e-3)},
	{"milliseconds", TIME(1e-3)},
	{"us", TIME(1e-6)},
	{"usec", TIME(1e-6)},
	{"\xc2\xb5s", TIME(1e-6)},
	{"microsecond", TIME(1e-6)},
	{"microseconds", TIME(1e-6)},
	{"ns", TIME(1e-9)},
	{"nsec", TIME(1e-9)},
	{"nanosecond", TIME(1e-9)},
	{"nanoseconds", TIME(1e-9)},
	{"min", TIME(60)},
	{"minutes", TIME(60)},
	{"h", TIME(3600)},
	{"hours", TIME(3600)},
	{"bytes", DATA(1)},
	{"byte", DATA(1)},
	{"B", DATA(1)},
	{"KiB", DATA(1024.0)},
	{"MiB", DATA(1048576.0)},
	{"GiB", DATA(1073741824.0)},
	{"count", TALLY},
	{"counts", TALLY},
	{"occ", TALLY},
	{"#", TALLY},
	{"Hz", FREQUENCY(1)},
	{"kHz", FREQUENCY(1e3)},
	{"MHz", FREQUENCY(1e6)},
	{"GHz", FREQUENCY(1e9)},
	{"J", ENERGY(1)},
	{"Joules", ENERGY(1)},
	{"mJ", ENERGY(1e-3)},
	{"uJ", ENERGY(1e-6)},
	{"W", POWER(1)},
	{"Watts", POWER(1)},
	{"mW", POWER(1e-3)},
};

/* "S" is siemens and "mW" is not "MW"; words may be written either way. */
static bool
is_spelled(const char *unit, const char *name)
{
	return strlen(name) > 2 ? strcasecmp(unit, name) == 0 : strcmp(unit, name) == 0;
}

bool
ph_unit_meaning(const char *unit, PhUnitMeaning *out)
{
	for (size_t i = 0; i < COUNT(spellings); i++)
		if (is_spelled(unit, spellings[i].name))
		{
			*out = spellings[i].meaning;
			return true;
		}
	return false;
}

bool
ph_unit_factor(const char *from, const char *to, double *factor)
{
	PhUnitMeaning x, y;
	*factor = 1;
	if (strcmp(from, to) == 0)
		return true;
	if (!ph_unit_meaning(from, &x) || !ph_unit_meaning(to, &y) || strcmp(x.base, y.base) != 0)
		return false;
	*factor = x.factor / y.factor;
	return true;
}

typedef struct Step
{
	double least; /* in base units */
	const char *name;
	double factor; /* shown units in a base unit */
} Step;

/* The first step that is not above the size. */
static const char *
choose_step(const Step *steps, size_t n, double size, double *factor)
{
	size_t i = 0;
	while (i + 1 < n && size < steps[i].least)
		i++;
	*factor = steps[i].factor;
	return steps[i].name;
}

const char *
ph_unit_readable(const char *unit, double value, double *factor)
{
	static const Step times[] = {{36000, "h", 1.0 / 3600},
								 {1, "s", 1},
								 {1e-3, "ms", 1e3},
								 {1e-6, "\xc2\xb5s", 1e6},
								 {0, "ns", 1e9}};
	static const Step data[] = {{1073741824.0, "GiB", 1 / 1073741824.0},
								{1048576.0, "MiB", 1 / 1048576.0},
								{10240.0, "KiB", 1 / 1024.0},
								{0, "bytes", 1}};
	PhUnitMeaning meaning;
	*factor = 1;
	if (!ph_unit_meaning(unit, &meaning) || !isfinite(value))
		return unit;
	double size = fabs(value) * meaning.factor, step;
	const char *shown = unit;
	if (strcmp(meaning.base, "s") == 0)
		shown = size == 0 ? (step = 1, "s") : choose_step(times, COUNT(times), size, &step);
	else if (strcmp(meaning.base, "bytes") == 0)
		shown = choose_step(data, COUNT(data), size, &step);
	else
		return unit;
	*factor = meaning.factor * step;
	return shown;
}
