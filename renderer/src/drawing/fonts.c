/*
 * fonts.c - measuring, shortening and wrapping of text with Pango.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "drawing/fonts.h"

#include <pango/pango.h>
#include <string.h>

#include "base/short_name.h"
#include "drawing/arena_must.h"
#include "drawing/draw.h"

#define ELLIPSIS "\xe2\x80\xa6"

struct PhFonts
{
	PangoContext *context;
	PangoLayout *layout;
	PangoFontDescription *description;
};

PhFonts *
ph_fonts_open(void)
{
	PhFonts *fonts = g_new0(PhFonts, 1);

	fonts->context = ph_draw_font_context();
	fonts->layout = pango_layout_new(fonts->context);
	pango_layout_set_single_paragraph_mode(fonts->layout, TRUE);
	fonts->description = pango_font_description_from_string(PH_FONT_FAMILY);
	return fonts;
}

void
ph_fonts_close(PhFonts *fonts)
{
	pango_font_description_free(fonts->description);
	g_object_unref(fonts->layout);
	g_object_unref(fonts->context);
	g_free(fonts);
}

static void
set_text(PhFonts *fonts, const char *text, int length, double size, PhWeight weight)
{
	pango_font_description_set_absolute_size(fonts->description, size * PANGO_SCALE);
	pango_font_description_set_weight(fonts->description,
									  weight == PH_BOLD ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
	pango_layout_set_font_description(fonts->layout, fonts->description);
	pango_layout_set_text(fonts->layout, text, length);
}

static double
measured(PhFonts *fonts)
{
	PangoRectangle logical;

	pango_layout_get_extents(fonts->layout, NULL, &logical);
	return (double) logical.width / PANGO_SCALE;
}

double
ph_fonts_width(PhFonts *fonts, const char *text, double size, PhWeight weight)
{
	set_text(fonts, text, -1, size, weight);
	return measured(fonts);
}

static bool
is_start(char byte)
{
	return ((unsigned char) byte & 0xc0) != 0x80;
}

/* Bytes of text that fit into width, at a character's start. */
static size_t
bytes_within(PhFonts *fonts, double width)
{
	int index = 0;
	int trailing = 0;

	if (width <= 0)
		return 0;
	pango_layout_xy_to_index(fonts->layout, (int) (width * PANGO_SCALE), 0, &index, &trailing);
	return index > 0 ? (size_t) index : 0;
}

/* Its start with an ellipsis, not wider than width. */
static const char *
cut_text(PhFonts *fonts, PhArena *arena, const char *text, double size, PhWeight weight,
		 double width)
{
	double ellipsis = ph_fonts_width(fonts, ELLIPSIS, size, weight);
	size_t cut;

	set_text(fonts, text, -1, size, weight);
	cut = bytes_within(fonts, width - ellipsis);
	while (cut > 0)
	{
		char *shorter;

		while (cut > 0 && !is_start(text[cut]))
			cut--;
		if (g_utf8_strlen(text, (gssize) cut) < 3)
			return NULL;
		shorter = ph_need_format(arena, "%.*s" ELLIPSIS, (int) cut, text);
		if (ph_fonts_width(fonts, shorter, size, weight) <= width)
			return shorter;
		cut--;
	}
	return NULL;
}

const char *
ph_fonts_fit(PhFonts *fonts, PhArena *arena, const char *text, double size, PhWeight weight,
			 double width)
{
	if (width < size)
		return NULL;
	if (ph_fonts_width(fonts, text, size, weight) <= width)
		return text;
	return cut_text(fonts, arena, text, size, weight, width);
}

const char *
ph_fonts_fit_name(PhFonts *fonts, PhArena *arena, const char *text, double size, PhWeight weight,
				  double width)
{
	size_t (*const shorten[])(const char *, size_t, char *) = {ph_without_parameters,
															   ph_without_namespaces};
	size_t length = strlen(text);
	char *name = ph_need(arena, 2 * length + 1, 1);

	name[ph_demangled(text, length, name)] = '\0';
	for (size_t i = 0; i < sizeof(shorten) / sizeof(shorten[0]) &&
					   ph_fonts_width(fonts, name, size, weight) > width;
		 i++)
		name[shorten[i](name, strlen(name), name)] = '\0';
	return ph_fonts_fit(fonts, arena, name, size, weight, width);
}

/* Length of the longest start of text, ending before a space, that fits; at least one word. */
static size_t
line_length(PhFonts *fonts, const char *text, double size, double width)
{
	size_t best = 0;

	for (size_t i = 0;; i++)
		if (text[i] == ' ' || text[i] == '\0')
		{
			set_text(fonts, text, (int) i, size, PH_REGULAR);
			if (best > 0 && measured(fonts) > width)
				return best;
			best = i;
			if (text[i] == '\0')
				return best;
		}
}

const char **
ph_fonts_wrap(PhFonts *fonts, PhArena *arena, const char *text, double size, double width,
			  uint32_t *n_lines)
{
	const char **lines = NULL;
	size_t capacity = 0;
	uint32_t n = 0;

	while (*text)
	{
		size_t length = line_length(fonts, text, size, width);
		const char *line = ph_need_format(arena, "%.*s", (int) length, text);
		const char *fitted = ph_fonts_fit(fonts, arena, line, size, PH_REGULAR, width);

		lines = ph_need_room(arena, lines, n, &capacity, sizeof(*lines));
		lines[n++] = fitted ? fitted : "";
		text += length;
		text += strspn(text, " ");
	}
	*n_lines = n;
	return lines;
}

/*
 * Noncharacters (U+FFFE and U+FFFF of every plane, U+FDD0 to U+FDEF) are refused by XML or Cairo
 * with all of the document; U+202A to U+202E and U+2066 to U+2069 reverse text beyond the end of
 * the name that holds them.
 */
static bool
is_unfit(gunichar character)
{
	return (character & 0xfffe) == 0xfffe || (character >= 0xfdd0 && character <= 0xfdef) ||
		   (character >= 0x202a && character <= 0x202e) ||
		   (character >= 0x2066 && character <= 0x2069);
}

/* Of ASCII, as nearly all texts are, nothing is unfit but control characters. */
static bool
is_clean(const char *text, bool keep_newlines)
{
	for (; *text != '\0'; text++)
		if ((*text < 0x20 && !(keep_newlines && *text == '\n')) || *text >= 0x7f)
			return false;
	return true;
}

static char *
clean(PhArena *arena, const char *text, bool keep_newlines)
{
	gchar *valid;
	char *copy;
	char *end;

	if (is_clean(text, keep_newlines))
		return ph_need_copy(arena, text);
	valid = g_utf8_make_valid(text, -1);
	ph_need_hold(valid, g_free);
	copy = ph_need_copy(arena, valid);
	ph_need_let_go();
	end = copy;
	for (const char *next = copy; *next != '\0';)
	{
		gunichar character = g_utf8_get_char(next);

		next = g_utf8_next_char(next);
		if ((character < 0x20 && !(keep_newlines && character == '\n')) || character == 0x7f)
			character = ' ';
		else if (is_unfit(character))
			character = 0xfffd; /* its three bytes are not more than those it stands for */
		end += g_unichar_to_utf8(character, end);
	}
	*end = '\0';
	return copy;
}

char *
ph_text_clean(PhArena *arena, const char *text)
{
	return clean(arena, text, false);
}

char *
ph_text_clean_lines(PhArena *arena, const char *text)
{
	return clean(arena, text, true);
}
