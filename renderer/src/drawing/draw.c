/*
 * draw.c - painting a scene in the format asked for.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "drawing/draw.h"

#include <strings.h>

bool
ph_format_parse(const char *name, PhFormat *out)
{
	static const char *const names[] = {"svg", "png", "pdf"};

	for (int i = 0; i < 3; i++)
		if (strcasecmp(name, names[i]) == 0)
		{
			*out = (PhFormat) i;
			return true;
		}
	return false;
}

bool
ph_draw(const PhScene *scene, PhFormat format, double zoom, PhPicture *out, const char **message)
{
	switch (format)
	{
		case PH_FORMAT_PNG:
			return ph_draw_png(scene, zoom, out, message);
		case PH_FORMAT_PDF:
			return ph_draw_pdf(scene, out, message);
		case PH_FORMAT_SVG:
			break;
	}
	*message = "out of memory";
	return ph_draw_svg(scene, out);
}
