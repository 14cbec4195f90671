/*
 * small_multiples.h - panels in rows and columns, one per call path, and their titles.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DRAWING_SMALL_MULTIPLES_H
#define PH_DRAWING_SMALL_MULTIPLES_H

#include "drawing/page.h"

#define PH_PANEL_LEFT 62.0 /* room for the vertical axis of a panel */
#define PH_PANEL_RIGHT 14.0
#define PH_PANEL_TITLE 30.0

typedef struct PhGrid
{
	uint32_t columns, rows;
	double width, height; /* of a cell */
} PhGrid;

/* n cells in a body; below: room under the lowest for their common axis. */
PhGrid ph_grid(uint32_t n, double width, double height, double below);
PhBody ph_grid_cell(const PhGrid *grid, uint32_t i, PhBody where);
/* Height of a body of this width in which n panels are this high; one alone is more than twice as
 * high. */
double ph_grid_height(uint32_t n, double width, double panel_height, double below);

/* Last name of a path joined by '/': leaf, which may have a '/' itself, else what is behind the
 * last one. */
const char *ph_path_name(const char *path, const char *leaf);

/* The path's last name, and its callers below, cut at their beginning to fit; beside: right of it.
 */
void ph_panel_title(PhScene *scene, PhBody cell, const char *path, const char *name,
					const char *beside);

/* Entries of a legend: a sign, 16 wide around y, and its word. A second line when one is full. */
typedef struct PhKey
{
	double x, y;
} PhKey;

PhKey ph_key(void);
/* Writes the word; returns the x of the sign, which the caller draws around key->y. */
double ph_key_word(PhScene *scene, PhKey *key, const char *word);

#endif
