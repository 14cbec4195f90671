/*
 * svg_text.h - the growing text of an SVG: a picture may have 10^5 numbers and names.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DRAWING_SVG_TEXT_H
#define PH_DRAWING_SVG_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define PH_SVG_NUMBER_SIZE 24

/* Begins as all zero. */
typedef struct PhSvgText
{
	char *bytes; /* malloc'ed */
	size_t size, capacity;
	bool no_memory; /* from then on nothing is added */
} PhSvgText;

void ph_svg_put(PhSvgText *text, const char *bytes, size_t n);
void ph_svg_puts(PhSvgText *text, const char *string);
void ph_svg_putc(PhSvgText *text, char byte);

/* For content and attributes. */
void ph_svg_put_escaped(PhSvgText *text, const char *string);

/* At most two decimals, no trailing zeros, no negative zero, independent of the locale. Returns its
 * length. */
size_t ph_svg_number(char out[PH_SVG_NUMBER_SIZE], double value);

#endif
