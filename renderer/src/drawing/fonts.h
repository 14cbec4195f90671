/*
 * fonts.h - measuring, shortening and wrapping of text with Pango, for layouts.
 *
 * Sizes are in picture units (CSS pixels). Widths are unhinted, so they do not depend on the
 * output and scale with it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DRAWING_FONTS_H
#define PH_DRAWING_FONTS_H

#include "base/arena.h"

#define PH_FONT_FAMILY "DejaVu Sans"

typedef struct PhFonts PhFonts;

typedef enum PhWeight
{
	PH_REGULAR,
	PH_BOLD
} PhWeight;

PhFonts *ph_fonts_open(void);
void ph_fonts_close(PhFonts *fonts);

double ph_fonts_width(PhFonts *fonts, const char *text, double size, PhWeight weight);

/* The text, or its start with an ellipsis, not wider than width; NULL when under three characters
 * would be left. */
const char *ph_fonts_fit(PhFonts *fonts, PhArena *arena, const char *text, double size,
						 PhWeight weight, double width);

/* The same of a text with names of functions: mangled ones are said as in C++; parameter lists,
 * then namespaces are left out before it is cut. */
const char *ph_fonts_fit_name(PhFonts *fonts, PhArena *arena, const char *text, double size,
							  PhWeight weight, double width);

/* Lines not wider than width, broken at spaces. */
const char **ph_fonts_wrap(PhFonts *fonts, PhArena *arena, const char *text, double size,
						   double width, uint32_t *n_lines);

/* Valid UTF-8 without control characters: bad bytes become U+FFFD, controls a space. */
char *ph_text_clean(PhArena *arena, const char *text);
/* The same, but newlines stay: for tooltips. */
char *ph_text_clean_lines(PhArena *arena, const char *text);

#endif
