/*
 * draw.h - painting a scene: SVG text, PNG and PDF.
 *
 * The same scene gives the same bytes: numbers have a fixed format, attributes are sorted, and
 * nothing depends on the clock or the machine (given the same fonts).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DRAWING_DRAW_H
#define PH_DRAWING_DRAW_H

#include "drawing/scene.h"

typedef enum PhFormat
{
	PH_FORMAT_SVG,
	PH_FORMAT_PNG,
	PH_FORMAT_PDF
} PhFormat;

/* A picture in memory; the caller frees bytes with free(). */
typedef struct PhPicture
{
	unsigned char *bytes;
	size_t size;
	bool no_memory; /* that is why there is none */
} PhPicture;

/* "svg", "png" or "pdf", in any case. */
bool ph_format_parse(const char *name, PhFormat *out);

/* zoom: PNG pixels per picture unit. False: *message says why (a picture too large, no memory). */
bool ph_draw(const PhScene *scene, PhFormat format, double zoom, PhPicture *out,
			 const char **message);

/* How many bytes of SVG every item of a scene is. False: out of memory. */
bool ph_svg_item_bytes(const PhScene *scene, uint32_t *out);
bool ph_draw_svg(const PhScene *scene, PhPicture *out);
bool ph_draw_png(const PhScene *scene, double zoom, PhPicture *out, const char **message);
bool ph_draw_pdf(const PhScene *scene, PhPicture *out, const char **message);

/* The Pango context that both measuring and painting use, as an opaque pointer to own. */
void *ph_draw_font_context(void);

#endif
