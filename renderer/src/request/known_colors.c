/*
 * known_colors.c - colours that the warehouse keeps for the names of an application.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "request/known_colors.h"

#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"

typedef struct Known
{
	const char *name, *family;
	double place;
} Known;

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const Known *) a)->name, ((const Known *) b)->name);
}

static Known *
read_known(PhArena *arena, const PhTable *table, uint32_t *n)
{
	const char **names = ph_table_texts(arena, table, 0, "name", n);
	const char **families = ph_table_text_column(arena, table, 0, "family", *n);
	const double *places = ph_table_number_column(arena, table, 0, "place", *n);
	Known *known = ph_need(arena, (size_t) *n + 1, sizeof(*known));
	uint32_t kept = 0;

	for (uint32_t i = 0; i < *n; i++)
		if (names[i] != NULL && families[i] != NULL && places[i] >= 0 && places[i] < UINT32_MAX)
			known[kept++] = (Known){names[i], families[i], places[i]};
	*n = kept;
	qsort(known, kept, sizeof(*known), by_name);
	return known;
}

void
ph_known_colors_apply(PhArena *arena, const PhViewRows *rows, PhPalette palette,
					  PhCategories *categories)
{
	const PhTable *table = ph_rows_table(rows, "colors");
	uint32_t n;
	Known *known;

	if (table == NULL)
		return;
	known = read_known(arena, table, &n);
	for (uint32_t i = 0; i < categories->n; i++)
	{
		PhCategory *entry = &categories->entries[i];
		Known key = {entry->name, NULL, 0};
		const Known *found = bsearch(&key, known, n, sizeof(*known), by_name);

		if (found != NULL && entry->name[0] != '<')
			entry->color = ph_color_of_family(palette, found->family, (uint32_t) found->place);
	}
}
