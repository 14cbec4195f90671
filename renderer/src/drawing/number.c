/*
 * number.c - numbers for people: units that suit the size, three digits, round axis ticks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "drawing/number.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/unit.h"
#include "drawing/arena_must.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool
is_time(const char *name)
{
	PhUnitMeaning meaning;

	return name != NULL && ph_unit_meaning(name, &meaning) && strcmp(meaning.base, "s") == 0;
}

PhUnit
ph_unit_choose(PhArena *arena, const char *name, double magnitude)
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
	size_t prefix = 0;
	double size;

	magnitude = isfinite(magnitude) ? fabs(magnitude) : 0;
	if (is_time(name))
	{
		const char *readable = ph_unit_readable(name, magnitude, &size);

		return (PhUnit){size, readable};
	}
	if (name != NULL && (strcasecmp(name, "bytes") == 0 || strcmp(name, "byte") == 0))
		name = "B";
	for (size = magnitude; size >= 1e4 && prefix + 1 < COUNT(prefixes); size /= 1000)
		prefix++;
	/* a sign such as % takes no prefix and no space of its own */
	if (name == NULL || name[0] == '\0')
		return (PhUnit){pow(1000, -(double) prefix), prefixes[prefix]};
	if (strcmp(name, "%") == 0)
		return (PhUnit){1, "%"};
	return (PhUnit){pow(1000, -(double) prefix),
					ph_need_format(arena, "%s%s", prefixes[prefix], name)};
}

bool
ph_unit_same(const char *a, const char *b)
{
	double factor;

	return strcasecmp(a, b) == 0 || (ph_unit_factor(a, b, &factor) && factor == 1);
}

const char *
ph_number(PhArena *arena, double value)
{
	double size = fabs(value);
	int decimals;
	char *text;

	if (!isfinite(value))
		return "\xe2\x80\x93";
	if (value == 0)
		return "0";
	if (size < 1e-6 || size >= 1e9)
		return ph_need_format(arena, "%.3g", value);
	decimals = 2 - (int) floor(log10(size) + 1e-12);
	text = ph_need_format(arena, "%.*f", decimals > 0 ? decimals : 0, value);
	if (strchr(text, '.') != NULL)
	{
		size_t end = strlen(text);

		while (text[end - 1] == '0')
			end--;
		text[text[end - 1] == '.' ? end - 1 : end] = '\0';
	}
	return text;
}

const char *
ph_quantity(PhArena *arena, PhUnit unit, double value)
{
	const char *number = ph_number(arena, value * unit.factor);

	if (unit.suffix[0] == '\0')
		return number;
	return ph_need_format(arena, "%s %s", number, unit.suffix);
}

const char *
ph_percent(PhArena *arena, double part, double of)
{
	double share = 100 * part / of;

	if (!(of > 0) || !isfinite(share))
		return "";
	if (share > 0 && share < 0.05)
		return "< 0.1 %";
	return ph_need_format(arena, share >= 99.95 ? "%.0f %%" : "%.1f %%", share);
}

const char *
ph_value(PhArena *arena, const char *unit_name, double value)
{
	return ph_quantity(arena, ph_unit_choose(arena, unit_name, value), value);
}

const char *
ph_signed_value(PhArena *arena, const char *unit_name, double value)
{
	const char *size = ph_value(arena, unit_name, fabs(value));

	if (value == 0)
		return ph_need_format(arena, "\xc2\xb1%s", size);
	return ph_need_format(arena, "%s%s", value < 0 ? "\xe2\x88\x92" : "+", size);
}

const char *
ph_moment(PhArena *arena, double ns, double resolution)
{
	PhUnit unit = ph_unit_choose(arena, "ns", ns);
	double finest = fmax(resolution, 1) * unit.factor;
	int decimals = (int) fmin(fmax(ceil(-log10(finest) - 1e-9), 0), 9);

	return ph_need_format(arena, "%.*f %s", decimals, ns * unit.factor, unit.suffix);
}

/* 1, 2 or 5 times a power of ten, the least that is not under rough. */
static double
round_step(double rough, int *exponent)
{
	double power;

	*exponent = (int) floor(log10(rough) + 1e-9);
	power = pow(10, *exponent);
	if (rough <= power * (1 + 1e-9))
		return power;
	if (rough <= 2 * power)
		return 2 * power;
	if (rough <= 5 * power)
		return 5 * power;
	++*exponent;
	return 10 * power;
}

PhAxisTicks
ph_axis_ticks(double low, double high, uint32_t max)
{
	PhAxisTicks ticks = {low, 0, 1, 0};
	int exponent = 0;

	if (!(high > low) || !isfinite(high - low) || max < 2)
		return ticks;
	ticks.step = round_step((high - low) / (max - 1), &exponent);
	ticks.first = ceil(low / ticks.step - 1e-9) * ticks.step;
	ticks.n = (uint32_t) floor((high - ticks.first) / ticks.step + 1e-9) + 1;
	ticks.decimals = exponent < 0 ? -exponent : 0;
	return ticks;
}

double
ph_tick_at(const PhAxisTicks *ticks, uint32_t i)
{
	double at = ticks->first + ticks->step * i;

	return fabs(at) < ticks->step * 1e-9 ? 0 : at;
}

const char *
ph_tick_text(PhArena *arena, const PhAxisTicks *ticks, uint32_t i)
{
	if (ticks->step == 0)
		return ph_number(arena, ticks->first);
	return ph_need_format(arena, "%.*f", ticks->decimals, ph_tick_at(ticks, i));
}
