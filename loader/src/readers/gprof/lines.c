/*
 * lines.c - see lines.h. Names may hold blanks and brackets, so lines are taken from both ends.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/gprof/lines.h"

#include "readers/input.h"

/* The next word, if it is a number, with a point or without one. */
static bool
take_number(PhSlice *line, bool has_point, double *out)
{
	PhSlice word = ph_slice_first(*line, ph_slice_word(*line));
	bool is_decimal = word.size > 0 && memchr(word.text, '.', word.size) != NULL;
	if (is_decimal != has_point || !ph_parse_number(word.text, word.size, out) || *out < 0)
		return false;
	*line = ph_slice_trim(ph_slice_behind(*line, word.size));
	return true;
}

/* "40", "40/80933" (the first counts) or "1+286"; false where the word is none of them. */
static bool
take_calls(PhSlice *line, PhGprofLine *out)
{
	PhSlice word = ph_slice_first(*line, ph_slice_word(*line));
	double second = 0;
	size_t n = 0;
	while (n < word.size && word.text[n] != '/' && word.text[n] != '+')
		n++;
	if (!ph_parse_number(word.text, n, &out->calls) || out->calls < 0)
		return false;
	if (n < word.size &&
		(!ph_parse_number(word.text + n + 1, word.size - n - 1, &second) || second < 0))
		return false;
	out->recursive = n < word.size && word.text[n] == '+' ? second : 0;
	*line = ph_slice_trim(ph_slice_behind(*line, word.size));
	return true;
}

/* "[12]" at the end of the line. */
static bool
take_index(PhSlice *line, uint32_t *out)
{
	size_t at = ph_slice_last_word(*line);
	PhSlice word = ph_slice_behind(*line, at);
	int64_t number;
	if (word.size < 3 || word.text[0] != '[' || word.text[word.size - 1] != ']' ||
		!ph_parse_int64(word.text + 1, word.size - 2, &number) || number < 0 || number > INT32_MAX)
		return false;
	*out = (uint32_t) number;
	*line = ph_slice_trim(ph_slice_first(*line, at));
	return true;
}

/* Without " <cycle 3>" at its end. */
static PhSlice
without_cycle(PhSlice name)
{
	size_t at = ph_slice_last_word(name);
	PhSlice before = ph_slice_trim(ph_slice_first(name, at));
	bool is_last = at < name.size && name.text[name.size - 1] == '>' &&
				   (ph_slice_ends(before, " <cycle") || ph_slice_is(before, "<cycle"));
	return is_last ? ph_slice_trim(ph_slice_first(before, before.size - strlen("<cycle"))) : name;
}

/* "[3]     86.7" at the begin of an own line. */
static bool
take_begin(PhSlice *line)
{
	double share;
	*line = ph_slice_trim(ph_slice_behind(*line, ph_slice_word(*line)));
	return take_number(line, true, &share);
}

bool
ph_gprof_line(PhSlice line, PhGprofLine *out)
{
	*out = (PhGprofLine){.is_own = ph_slice_begins(line, "[")};
	line = ph_slice_trim(line);
	if (!take_index(&line, &out->index) || (out->is_own && !take_begin(&line)))
		return false;
	out->has_times = take_number(&line, true, &out->self);
	if (out->has_times && !take_number(&line, true, &out->children))
		return false;
	bool has_calls = take_calls(&line, out);
	out->is_cycle = ph_slice_begins(line, "<cycle ") && ph_slice_ends(line, " as a whole>");
	out->name = without_cycle(line);
	return out->is_own ? out->has_times : has_calls;
}
