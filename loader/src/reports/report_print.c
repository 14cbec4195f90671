/*
 * report_print.c - small things that the pages for people have in common.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/report_print.h"

#include <math.h>
#include <string.h>

#include "base/unit.h"

#define BUFFERS 16
#define BUFFER_SIZE 1024

static char *
next_buffer(void)
{
	static _Thread_local char buffers[BUFFERS][BUFFER_SIZE];
	static _Thread_local unsigned turn;

	return buffers[turn++ % BUFFERS];
}

const char *
ph_show_value(double value, const char *unit)
{
	char *text = next_buffer();
	double factor;
	const char *readable = ph_unit_readable(unit, value, &factor);

	value *= factor;
	unit = readable;
	double size = fabs(value);
	int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4;

	if (isnan(value))
		snprintf(text, BUFFER_SIZE, "-");
	else if ((size >= 1e7 || size < 1e-3) && size > 0)
		snprintf(text, BUFFER_SIZE, "%.3g%s%s", value, unit[0] != '\0' ? " " : "", unit);
	else
		snprintf(text, BUFFER_SIZE, "%.*f%s%s", decimals, value, unit[0] != '\0' ? " " : "", unit);
	return text;
}

const char *
ph_show_share(double share)
{
	char *text = next_buffer();

	if (isnan(share))
		snprintf(text, BUFFER_SIZE, "-");
	else
		snprintf(text, BUFFER_SIZE, "%.1f %%", share * 100);
	return text;
}

const char *
ph_show_change(double share)
{
	char *text = next_buffer();

	if (isnan(share))
		snprintf(text, BUFFER_SIZE, "-");
	else
		snprintf(text, BUFFER_SIZE, "%+.1f %%", share * 100);
	return text;
}

const char *
ph_show_small_change(double share)
{
	char *text = next_buffer();

	snprintf(text, BUFFER_SIZE, "%+.3f %%", share * 100);
	return text;
}

/* Written from the back, so that a deep path costs no more than what is shown. */
const char *
ph_show_path(const PhProfile *profile, uint32_t node, size_t width)
{
	char *text = next_buffer();
	size_t at = BUFFER_SIZE - 1;
	size_t limit = width < BUFFER_SIZE - 8 ? width : BUFFER_SIZE - 8;

	text[at] = '\0';
	for (uint32_t n = node; n != PH_NONE; n = profile->parent[n])
	{
		const char *name = ph_profile_node_name(profile, n);
		size_t length = strlen(name);
		size_t used = BUFFER_SIZE - 1 - at;

		if (n == node && length > limit)
			return name;
		if (used + length + 1 > limit)
		{
			at -= 4;
			memcpy(text + at, "…/", 4); /* three bytes and the slash */
			break;
		}
		if (n != node)
			text[--at] = '/';
		at -= length;
		memcpy(text + at, name, length);
	}
	return text + at;
}

void
ph_show_section(FILE *out, const char *title)
{
	fprintf(out, "\n%s\n", title);
}
