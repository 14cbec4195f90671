/*
 * lines.c - see perf.h. Names of threads and functions may hold blanks, so that first lines are
 * split at the time in them, and frames from their ends.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/perf/perf.h"

#include "readers/decimal.h"
#include "readers/input.h"

#define FRACTION_DIGITS 6 /* of a time, at least: microseconds, or nanoseconds */

static bool
is_digit(char byte)
{
	return ph_is_digit((uint8_t) byte);
}

/* A time ends at this colon: where it begins, or 0 for none. */
static size_t
time_before(PhSlice line, size_t colon)
{
	size_t at = colon;
	while (at > 0 && is_digit(line.text[at - 1]))
		at--;
	if (colon - at < FRACTION_DIGITS || at == 0 || line.text[at - 1] != '.')
		return 0;
	size_t whole = --at;
	while (at > 0 && is_digit(line.text[at - 1]))
		at--;
	return at < whole && at > 0 && ph_is_blank(line.text[at - 1]) ? at : 0;
}

/* What is before the time and what is behind it. */
static bool
split_at_time(PhSlice line, PhSlice *before, PhSlice *behind)
{
	for (size_t at = 0; at < line.size; at++)
	{
		const char *colon = memchr(line.text + at, ':', line.size - at);
		if (colon == NULL)
			return false;
		at = (size_t) (colon - line.text);
		size_t begin = time_before(line, at);
		if (begin == 0)
			continue;
		*before = ph_slice_trim(ph_slice_first(line, begin));
		*behind = ph_slice_trim(ph_slice_behind(line, at + 1));
		return true;
	}
	return false;
}

/* Without a time the event ends the line, and the thread is before it. */
static bool
split_at_event(PhSlice line, PhSlice *before, PhSlice *behind)
{
	line = ph_slice_trim(line);
	size_t at = ph_slice_last_word(line);
	*behind = ph_slice_behind(line, at);
	*before = ph_slice_trim(ph_slice_first(line, at));
	return ph_slice_ends(line, ":");
}

/* "[003]" at the end, if it is there. */
static void
drop_processor(PhSlice *text)
{
	size_t at = ph_slice_last_word(*text);
	PhSlice word = ph_slice_behind(*text, at);
	if (word.size > 2 && word.text[0] == '[' && ph_slice_ends(word, "]"))
		*text = ph_slice_trim(ph_slice_first(*text, at));
}

/* "4712" or "4711/4712" at the end. */
static bool
take_thread(PhSlice *text, PhPerfSample *out)
{
	size_t at = ph_slice_last_word(*text);
	PhSlice word = ph_slice_behind(*text, at);
	const char *slash = memchr(word.text, '/', word.size);
	size_t n = slash != NULL ? (size_t) (slash - word.text) : 0;
	out->pid = -1;
	if (slash != NULL && !ph_parse_int64(word.text, n, &out->pid))
		return false;
	if (slash != NULL)
		word = ph_slice_behind(word, n + 1);
	*text = ph_slice_trim(ph_slice_first(*text, at));
	return ph_parse_int64(word.text, word.size, &out->tid);
}

/* "2004008 cpu-clock:" or "sched:sched_switch:" at the begin. */
static bool
take_event(PhSlice *text, PhPerfSample *out)
{
	size_t n = ph_slice_word(*text);
	out->has_period = ph_parse_number(text->text, n, &out->period) && out->period >= 0;
	if (out->has_period)
		*text = ph_slice_trim(ph_slice_behind(*text, n));
	n = ph_slice_word(*text);
	if (n < 2 || text->text[n - 1] != ':')
		return false;
	out->event = ph_slice_first(*text, n - 1);
	*text = ph_slice_trim(ph_slice_behind(*text, n));
	return true;
}

bool
ph_perf_sample(PhSlice line, PhPerfSample *out)
{
	PhSlice who, what;
	out->has_time = split_at_time(line, &who, &what);
	if (!out->has_time && !split_at_event(line, &who, &what))
		return false;
	drop_processor(&who);
	if (!take_thread(&who, out) || who.size == 0 || !take_event(&what, out))
		return false;
	if (!out->has_time && ph_slice_ends(who, ":"))
		return false; /* it was no time, nor a name */
	out->comm = who;
	out->rest = what;
	return true;
}

/* ---- frames ---- */

/* Code that was made at run time has a file of its process, whose name differs from run to run. */
static bool
is_made_at_run_time(PhSlice base)
{
	return ph_slice_begins(base, "perf-") && ph_slice_ends(base, ".map");
}

static PhSlice
library_of(PhSlice mapping)
{
	static const char deleted[] = " (deleted)";
	if (ph_slice_is(mapping, "[unknown]"))
		return (PhSlice){"", 0};
	if (ph_slice_ends(mapping, deleted))
		mapping.size -= sizeof(deleted) - 1;
	PhSlice base = ph_slice_base(mapping);
	return is_made_at_run_time(base) ? (PhSlice){"[jit]", 5} : base;
}

/* Split "NAME (MAPPING)"; a mapping may end with "(deleted)". */
static bool
split_mapping(PhSlice text, PhSlice *name, PhSlice *mapping)
{
	if (text.size == 0 || text.text[text.size - 1] != ')')
		return false;
	size_t at = text.size - 1;
	bool is_deleted = ph_slice_ends(text, " (deleted))");
	for (int groups = is_deleted ? 2 : 1; groups > 0; groups--)
	{
		do
		{
			if (at < 2)
				return false;
			at--;
		} while (text.text[at] != '(' || !ph_is_blank(text.text[at - 1]));
	}
	*name = ph_slice_trim(ph_slice_first(text, at));
	*mapping = (PhSlice){text.text + at + 1, text.size - at - 2};
	return true;
}

/* Without "+0x1f" at its end. */
static PhSlice
without_offset(PhSlice name)
{
	size_t at = name.size;
	while (at > 0 &&
		   ((name.text[at - 1] >= 'a' && name.text[at - 1] <= 'f') || is_digit(name.text[at - 1])))
		at--;
	bool is_offset = at < name.size && ph_slice_ends(ph_slice_first(name, at), "+0x");
	return is_offset ? ph_slice_first(name, at - 3) : name;
}

static bool
is_address(PhSlice word)
{
	for (size_t i = 0; i < word.size; i++)
		if (!is_digit(word.text[i]) && !(word.text[i] >= 'a' && word.text[i] <= 'f'))
			return false;
	return word.size > 0;
}

bool
ph_perf_frame(PhSlice line, PhPerfFrame *out)
{
	PhSlice text = ph_slice_trim(line), name, mapping;
	size_t n = ph_slice_word(text);
	if (!is_address(ph_slice_first(text, n)) ||
		!split_mapping(ph_slice_behind(text, n), &name, &mapping))
		return false;
	out->is_inlined = ph_slice_is(mapping, "inlined");
	out->library = out->is_inlined ? (PhSlice){"", 0} : library_of(mapping);
	out->name = without_offset(name);
	if (out->name.size == 0 || ph_slice_is(out->name, "[unknown]"))
		out->name = out->library.size > 0 ? out->library : (PhSlice){"[unknown]", 9};
	return true;
}
