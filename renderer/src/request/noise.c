/*
 * noise.c - see noise.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "request/noise.h"

#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "drawing/number.h"

#define MOST_SHARE 0.99 /* however much runs vary: what only one side has is a change */

PhNoiseRows
ph_noise_read(const PhViewRows *rows)
{
	const PhTable *table = ph_rows_table(rows, "noise");
	PhNoiseRows noise = {NULL, NAN, ph_table_number(table, 0, "factor"),
						 ph_table_number(table, 0, "least_share")};

	for (uint32_t row = 0; row < ph_rows_count(table); row++)
		if (ph_table_text(table, row, "name") == NULL)
			noise.whole = ph_table_number(table, row, "relative");
	if (noise.whole >= 0 && noise.factor > 0 && noise.least >= 0)
		noise.names = table;
	return noise;
}

/* What varies less than the whole does so by chance, or because it was measured seldom. */
static double
relative_of(const PhNoiseRows *noise, const char *name)
{
	double relative = noise->whole;

	for (uint32_t row = 0; name != NULL && row < ph_rows_count(noise->names); row++)
	{
		const char *known = ph_table_text(noise->names, row, "name");

		if (known != NULL && strcmp(known, name) == 0)
			relative = fmax(relative, ph_table_number(noise->names, row, "relative"));
	}
	return relative;
}

bool
ph_noise_explains(const PhNoiseRows *noise, const char *name, double before, double after,
				  double whole)
{
	double change = fabs(after - before);

	if (noise->names == NULL)
		return false;
	return change <= noise->least * fabs(whole) ||
		   change <= fmin(noise->factor * relative_of(noise, name), MOST_SHARE) *
						 fmax(fabs(before), fabs(after));
}

void
ph_noise_note(PhArena *arena, PhPage *page, const PhNoiseRows *noise)
{
	if (noise->names != NULL)
		ph_page_note(arena, page,
					 ph_need_format(arena,
									"without colour: no more than noise (single runs vary by %s)",
									ph_percent(arena, noise->whole, 1)));
}
