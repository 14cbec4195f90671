/*
 * dot_lines.c - see dot_lines.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/gprof/dot_lines.h"

#include "readers/input.h"

#define MAX_PARTS 8 /* lines of a label */

static const char times_sign[] = "\xc3\x97";

/* The lines of a label, decoded. */
typedef struct Label
{
	PhSlice parts[MAX_PARTS];
	size_t n;
} Label;

static PhSlice
skip_blanks(PhSlice text)
{
	while (text.size > 0 && ph_is_blank(text.text[0]))
		text = ph_slice_behind(text, 1);
	return text;
}

/* Take an id or a value, in quotes or not, with its escapes; false: there is none. */
static bool
take_word(PhSlice *text, PhSlice *out)
{
	size_t n = 0;
	*text = skip_blanks(*text);
	if (ph_slice_begins(*text, "\""))
	{
		for (n = 1; n < text->size && text->text[n] != '"'; n++)
			n += text->text[n] == '\\';
		if (n >= text->size)
			return false;
		*out = (PhSlice){text->text + 1, n - 1};
		*text = skip_blanks(ph_slice_behind(*text, n + 1));
		return true;
	}
	while (n < text->size && !ph_is_blank(text->text[n]) &&
		   memchr("=,;[]\"", text->text[n], 6) == NULL)
		n++;
	*out = ph_slice_first(*text, n);
	*text = skip_blanks(ph_slice_behind(*text, n));
	return n > 0;
}

static bool
take(PhSlice *text, const char *what)
{
	if (!ph_slice_begins(*text, what))
		return false;
	*text = skip_blanks(ph_slice_behind(*text, strlen(what)));
	return true;
}

/* Decode to *room, which moves on; each \n begins a part. False: there are too many. */
static bool
decode(PhSlice text, char **room, Label *label)
{
	char *begin = *room, *at = begin;
	label->n = 0;
	for (size_t i = 0; i <= text.size; i++)
	{
		bool is_escape = i + 1 < text.size && text.text[i] == '\\';
		if (i < text.size && !(is_escape && text.text[i + 1] == 'n'))
		{
			i += is_escape;
			*at++ = text.text[i];
			continue;
		}
		if (label->n == MAX_PARTS)
			return false;
		label->parts[label->n++] = (PhSlice){begin, (size_t) (at - begin)};
		begin = at;
		i++;
	}
	*room = at;
	return true;
}

/* Take the last part when it is a number between these texts. */
static bool
take_number(Label *label, const char *before, const char *behind, double *out)
{
	if (label->n == 0)
		return false;
	PhSlice part = label->parts[label->n - 1];
	size_t around = strlen(before) + strlen(behind);
	if (!ph_slice_begins(part, before) || !ph_slice_ends(part, behind) || part.size <= around ||
		!ph_parse_number(part.text + strlen(before), part.size - around, out) || *out < 0)
		return false;
	label->n--;
	return true;
}

/* From the back, where nothing is of variable number. */
static bool
read_label(Label *label, PhDotLine *line)
{
	line->has_calls = take_number(label, "", times_sign, &line->calls);
	if (line->kind == PH_DOT_EDGE)
	{
		(void) take_number(label, "", "%", &line->total);
		return label->n == 0 || (label->n == 1 && label->parts[0].size == 0);
	}
	(void) take_number(label, "(", "%)", &line->self);
	(void) take_number(label, "", "%", &line->total);
	if (label->n == 0)
		return false;
	line->name = label->parts[label->n - 1];
	if (line->name.size == 0 || ph_slice_ends(line->name, "%") || ph_slice_ends(line->name, "%)"))
		return false;
	line->library = label->n > 1 ? label->parts[label->n - 2] : (PhSlice){"", 0};
	return true;
}

/* [name=value, name="value"]; */
static bool
read_attributes(PhSlice *text, char *room, PhDotLine *line)
{
	Label label;
	bool has_label = false;
	if (!take(text, "["))
		return false;
	while (!take(text, "]"))
	{
		PhSlice key, value;
		if (!take_word(text, &key) || !take(text, "=") || !take_word(text, &value))
			return false;
		(void) take(text, ",");
		if (ph_slice_is(key, "label"))
		{
			has_label = decode(value, &room, &label) && read_label(&label, line);
			if (!has_label)
				return false;
		}
		else if (ph_slice_is(key, "tooltip"))
		{
			if (!decode(value, &room, &label) || label.n != 1)
				return false;
			line->file = label.parts[0];
		}
	}
	return has_label || line->kind == PH_DOT_EDGE;
}

static bool
is_style(PhSlice line)
{
	static const char *const words[] = {"digraph {", "tooltip=", "graph [", "node [", "edge ["};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (ph_slice_begins(line, words[i]))
			return true;
	return line.size == 0;
}

bool
ph_dot_line(PhSlice line, char *room, PhDotLine *out)
{
	*out = (PhDotLine){.kind = PH_DOT_OTHER, .file = {"", 0}};
	line = ph_slice_trim(line);
	if (is_style(line))
		return true;
	if (ph_slice_is(line, "}"))
	{
		out->kind = PH_DOT_END;
		return true;
	}
	if (!take_word(&line, &out->from))
		return false;
	out->kind = take(&line, "->") ? PH_DOT_EDGE : PH_DOT_NODE;
	if (out->kind == PH_DOT_EDGE && !take_word(&line, &out->to))
		return false;
	return read_attributes(&line, room, out) && ph_slice_is(line, ";");
}
