/*
 * known_colors.h - colours that the warehouse keeps for the names of an application.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REQUEST_KNOWN_COLORS_H
#define PH_REQUEST_KNOWN_COLORS_H

#include "drawing/color.h"
#include "request/rows.h"

/*
 * Section "colors": gives the names that it has their colours, which are the same in all pictures
 * of the application; names in angle brackets and those that it lacks (of module maps) keep theirs.
 */
void ph_known_colors_apply(PhArena *arena, const PhViewRows *rows, PhPalette palette,
						   PhCategories *categories);

#endif
