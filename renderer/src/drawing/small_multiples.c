/*
 * small_multiples.c - panels in rows and columns, one per call path, and their titles.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "drawing/small_multiples.h"

#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"

#define NAME_SIZE 11.0
#define CALLERS_SIZE 9.5
#define KEY_SIZE 10.5
#define KEY_TOP 76.0
#define KEY_LINE 18.0

static uint32_t
columns_for(uint32_t n, double width)
{
	uint32_t most = (uint32_t) fmax(floor(width / 270), 1);
	uint32_t columns = n <= 1 ? 1 : n <= 4 ? 2 : n <= 9 ? 3 : 4;

	return columns < most ? columns : most;
}

PhGrid
ph_grid(uint32_t n, double width, double height, double below)
{
	PhGrid grid = {.columns = columns_for(n, width)};

	grid.rows = n > 0 ? (n + grid.columns - 1) / grid.columns : 0;
	grid.width = width / grid.columns;
	grid.height = grid.rows > 0 ? (height - below) / grid.rows : 0;
	return grid;
}

PhBody
ph_grid_cell(const PhGrid *grid, uint32_t i, PhBody where)
{
	return (PhBody){where.x + i % grid->columns * grid->width,
					where.y + i / grid->columns * grid->height, grid->width, grid->height};
}

double
ph_grid_height(uint32_t n, double width, double panel_height, double below)
{
	PhGrid grid = ph_grid(n, width, 0, 0);

	return below + (n == 1 ? 2.2 * panel_height : grid.rows * panel_height);
}

const char *
ph_path_name(const char *path, const char *leaf)
{
	const char *slash = strrchr(path, '/');
	size_t above = leaf && strlen(leaf) <= strlen(path) ? strlen(path) - strlen(leaf) : 0;

	if (leaf && strlen(leaf) <= strlen(path) && strcmp(path + above, leaf) == 0 &&
		(above == 0 || path[above - 1] == '/'))
		return path + above;
	return slash && slash[1] != '\0' ? slash + 1 : path;
}

/* What is above the last name, without its beginning when that does not fit. */
static const char *
callers_text(PhScene *scene, const char *path, const char *name, double width)
{
	const char *rest = ph_need_format(scene->arena, "%.*s", (int) fmax(name - path - 1, 0), path);

	for (bool whole = true; rest && *rest; whole = false)
	{
		const char *text = whole ? rest : ph_need_format(scene->arena, "\xe2\x80\xa6%s", rest);

		if (ph_fonts_width(scene->fonts, ph_text_clean(scene->arena, text), CALLERS_SIZE,
						   PH_REGULAR) <= width)
			return text;
		rest = strchr(rest + 1, '/');
	}
	return rest ? "" : "\xe2\x80\xa6";
}

void
ph_panel_title(PhScene *scene, PhBody cell, const char *path, const char *name, const char *beside)
{
	PhTextStyle bold = ph_text_style(NAME_SIZE, ph_ink());
	PhTextStyle faint = ph_text_style(CALLERS_SIZE, ph_faint());
	double left = cell.x + 12;
	double right = cell.x + cell.width - PH_PANEL_RIGHT;
	double taken = *beside ? ph_fonts_width(scene->fonts, beside, CALLERS_SIZE, PH_REGULAR) + 8 : 0;

	bold.weight = PH_BOLD;
	ph_scene_text_fit(scene, left, cell.y + 10, right - taken - left, name, bold);
	ph_scene_text(scene, left, cell.y + 22, callers_text(scene, path, name, right - left), faint);
	faint.anchor = PH_END;
	ph_scene_text(scene, right, cell.y + 10, beside, faint);
}

PhKey
ph_key(void)
{
	return (PhKey){PH_MARGIN, KEY_TOP};
}

double
ph_key_word(PhScene *scene, PhKey *key, const char *word)
{
	double width = 21 + ph_fonts_width(scene->fonts, word, KEY_SIZE, PH_REGULAR);
	double x;

	if (key->x + width > scene->width - PH_MARGIN)
		*key = (PhKey){PH_MARGIN, key->y + KEY_LINE};
	x = key->x;
	ph_scene_text(scene, x + 21, key->y + 3.5, word, ph_text_style(KEY_SIZE, ph_ink()));
	key->x += width + 18;
	return x;
}
