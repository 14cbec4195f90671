/*
 * parameter.c - is a text a value of a parameter, and if not, what would be one?
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "cli/parameter.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/duration.h"

#define MOST_INTEGER 100000000L
/* Few bytes may name many numbers: 0-99999999,0-99999999. */
#define MOST_INTEGERS 4000000L

bool
ph_problem_set(PhProblem *problem, const char *parameter, const char *hint, const char *format, ...)
{
	va_list list;

	problem->parameter = parameter;
	problem->has_form = false;
	snprintf(problem->hint, sizeof(problem->hint), "%s", hint != NULL ? hint : "");
	va_start(list, format);
	vsnprintf(problem->message, sizeof(problem->message), format, list);
	va_end(list);
	return false;
}

/* Is there such a word in a list that NULL ends? NULL: an empty list. */
static bool
word_among(const char *const *words, const char *word)
{
	for (; words != NULL && *words != NULL; words++)
		if (strcmp(*words, word) == 0)
			return true;
	return false;
}

bool
ph_word_is_true(const char *text)
{
	return strcmp(text, "true") == 0 || strcmp(text, "1") == 0 || *text == '\0';
}

static bool
is_flag(const char *text)
{
	static const char *const no[] = {"false", "0", "no", NULL};

	return ph_word_is_true(text) || word_among(no, text);
}

/* ---- numbers ------------------------------------------------------------------------------- */

static bool
is_in_range(const PhParameter *parameter, double value)
{
	if (parameter->least == 0 && parameter->most == 0)
		return true;
	return value >= parameter->least && value <= parameter->most;
}

static bool
is_integer(const PhParameter *parameter, const char *text)
{
	char *end = NULL;
	long long value;

	if (*text == '\0' || strspn(text, "+-0123456789") != strlen(text))
		return false;
	errno = 0;
	value = strtoll(text, &end, 10);
	return errno == 0 && *end == '\0' && is_in_range(parameter, (double) value);
}

static bool
read_number(const char *text, double *out)
{
	char *end = NULL;

	*out = strtod(text, &end); /* one that is too small for a double is nearly nothing */
	return *text != '\0' && text[strspn(text, "+-.0123456789eE")] == '\0' && *end == '\0' &&
		   isfinite(*out);
}

static bool
is_number(const PhParameter *parameter, const char *text)
{
	double value;

	return read_number(text, &value) && is_in_range(parameter, value);
}

bool
ph_text_is_number(const char *text)
{
	char *end = NULL;

	(void) strtod(text, &end);
	return end != text && *end == '\0';
}

const char *
ph_latest_filter(const char *word)
{
	size_t length = strlen(PH_LATEST);

	if (strncmp(word, PH_LATEST, length) != 0)
		return NULL;
	if (word[length] == '\0')
		return "";
	return word[length] == ':' ? word + length + 1 : NULL;
}

bool
ph_word_names_run(const char *word)
{
	const char *at = strrchr(word, '@');

	return ph_latest_filter(word) != NULL || (at != NULL && at != word && at[1] != '\0');
}

static bool
is_run(const char *text)
{
	char *end = NULL;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	return strtoll(text, &end, 10) > 0 && errno == 0 && *end == '\0';
}

/* ---- lists and windows --------------------------------------------------------------------- */

/* A number of up to most at *text. */
static bool
read_long(const char **text, long most, long *out)
{
	char *end = NULL;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*out = strtol(*text, &end, 10);
	*text = end;
	return errno == 0 && *out <= most;
}

/* The next number or range of INTEGERS at *text, which moves on; false at the end, or when there is
 * none. A list is good when *text has come to its end. */
static bool
integers_next(const char **text, long *first, long *last)
{
	const char *at = *text;

	if (!read_long(&at, MOST_INTEGER, first))
		return false;
	*last = *first;
	if (*at == '-' && (at++, !read_long(&at, MOST_INTEGER, last)))
		return false;
	if (*last < *first || (*at != '\0' && *at != ',') || (*at == ',' && at[1] == '\0'))
		return false;
	*text = *at == ',' ? at + 1 : at;
	return true;
}

static bool
is_integers(const char *text)
{
	long first;
	long last;
	long n = 0;

	if (*text == '\0')
		return false;
	while (n <= MOST_INTEGERS && integers_next(&text, &first, &last))
		n += last - first + 1;
	return *text == '\0' && n <= MOST_INTEGERS;
}

size_t
ph_integers_format(const char *text, char *out, size_t size)
{
	size_t n = 0;
	long first;
	long last;

	while (integers_next(&text, &first, &last))
		for (long number = first; number <= last; number++)
			n += (size_t) snprintf(n < size ? out + n : NULL, n < size ? size - n : 0, "%c%ld",
								   n > 0 ? ',' : '{', number);
	n += (size_t) snprintf(n < size ? out + n : NULL, n < size ? size - n : 0, "}");
	return n;
}

bool
ph_window_parse(const char *text, long *first, long *last)
{
	const char *at = text;
	bool ok;

	*first = 0;
	*last = PH_WINDOW_END;
	ok = *at == '-' || read_long(&at, PH_WINDOW_END, first);
	if (ok && *at == '\0')
		*last = *first;
	else
		ok = ok && *at++ == '-' && (*at == '\0' || read_long(&at, PH_WINDOW_END, last)) &&
			 *at == '\0';
	return ok && *last >= *first && strcmp(text, "-") != 0;
}

bool
ph_bounds_parse(const char *text, double *low, double *high)
{
	char *end = NULL;

	*low = *high = NAN;
	if (*text != ':')
		*low = strtod(text, &end);
	if (end != NULL)
		text = end;
	if (*text != ':')
		return false;
	if (*++text != '\0')
	{
		*high = strtod(text, &end);
		text = end;
	}
	return *text == '\0' && !(isnan(*low) && isnan(*high)) && !isinf(*low) && !isinf(*high) &&
		   !(*low >= *high);
}

static bool
is_duration(const PhParameter *parameter, const char *text)
{
	int64_t ns;

	return ph_duration_parse(text, &ns) && (double) ns >= parameter->least;
}

/* The part behind the first = that no backslash stands before; NULL: there is none. */
static const char *
level_of(const char *text)
{
	for (; *text != '\0'; text++)
		if (*text == '\\' && text[1] != '\0')
			text++;
		else if (*text == '=')
			return text + 1;
	return NULL;
}

/* ---- values -------------------------------------------------------------------------------- */

static bool
fits_type(const PhParameter *parameter, const char *text)
{
	double low;
	double high;
	long first;
	long last;

	switch (parameter->type)
	{
		case PH_PARAMETER_FLAG:
			return is_flag(text);
		case PH_PARAMETER_TEXT:
			return parameter->choices == NULL && (double) strlen(text) >= parameter->least;
		case PH_PARAMETER_INTEGER:
			return is_integer(parameter, text);
		case PH_PARAMETER_NUMBER:
			return is_number(parameter, text);
		case PH_PARAMETER_RUN:
			return is_run(text) || (parameter->may_be_named && ph_word_names_run(text));
		case PH_PARAMETER_INTEGERS:
			return is_integers(text);
		case PH_PARAMETER_DURATION:
			return is_duration(parameter, text);
		case PH_PARAMETER_WINDOW:
			return ph_window_parse(text, &first, &last);
		case PH_PARAMETER_BOUNDS:
			return ph_bounds_parse(text, &low, &high);
		case PH_PARAMETER_FILTER:
			return !ph_text_is_number(text) || is_number(parameter, text);
		case PH_PARAMETER_DRILL:
			return level_of(text) != NULL;
		case PH_PARAMETER_FILE:
			return true;
	}
	return false;
}

bool
ph_parameter_accepts(const PhParameter *parameter, const char *text)
{
	if (parameter->type != PH_PARAMETER_DRILL && word_among(parameter->choices, text))
		return true;
	return fits_type(parameter, text);
}

/* "Use one of: a, b." */
static void
describe_choices(const PhParameter *parameter, char *out, size_t size)
{
	size_t length = (size_t) snprintf(out, size, "Use one of: ");

	for (const char *const *choice = parameter->choices; *choice != NULL && length < size; choice++)
		length += (size_t) snprintf(out + length, size - length, "%s%s", *choice,
									choice[1] != NULL ? ", " : ".");
}

static void
describe(const PhParameter *parameter, char *out, size_t size)
{
	bool is_whole = parameter->type == PH_PARAMETER_INTEGER;

	*out = '\0';
	if (parameter->hint != NULL)
		snprintf(out, size, "%s", parameter->hint);
	else if (parameter->choices != NULL)
		describe_choices(parameter, out, size);
	else if (parameter->type == PH_PARAMETER_FLAG)
		snprintf(out, size, "Give true or false.");
	else if (parameter->type == PH_PARAMETER_RUN)
		snprintf(out, size, "Give the number of a run; \"perfhouse runs\" lists them.");
	else if (parameter->least != 0 || parameter->most != 0)
		snprintf(out, size,
				 is_whole ? "Give a whole number from %.0f to %.0f."
						  : "Give a number from %g to %g.",
				 parameter->least, parameter->most);
	else if (is_whole || parameter->type == PH_PARAMETER_NUMBER)
		snprintf(out, size, "Give a %snumber.", is_whole ? "whole " : "");
}

/* Is it of the right characters? Then its numbers are in the wrong order, too small or too large.
 */
static bool
has_form(const PhParameter *parameter, const char *text)
{
	int64_t ns;

	switch (parameter->type)
	{
		case PH_PARAMETER_INTEGERS:
		case PH_PARAMETER_WINDOW:
			return text[strspn(text, "0123456789-,")] == '\0';
		case PH_PARAMETER_BOUNDS:
			return text[strspn(text, "0123456789.+-:")] == '\0';
		case PH_PARAMETER_DURATION:
			return ph_duration_parse(text, &ns);
		case PH_PARAMETER_FILTER:
			return true;
		default:
			return false;
	}
}

bool
ph_parameter_check(const PhParameter *parameter, const char *origin, const char *text,
				   PhProblem *problem)
{
	char hint[sizeof(problem->hint)];
	int before;

	if (ph_parameter_accepts(parameter, text))
		return true;
	describe(parameter, hint, sizeof(hint));
	if (parameter->refusal == NULL)
		ph_problem_set(problem, parameter->name, hint, "invalid value \"%.200s\" of %s", text,
					   origin);
	else
	{
		before = (int) strcspn(parameter->refusal, "%");
		ph_problem_set(problem, parameter->name, hint, "%.*s%.200s%s", before, parameter->refusal,
					   text, parameter->refusal + before + 1);
	}
	problem->has_form = has_form(parameter, text);
	return false;
}

/* ---- the table ----------------------------------------------------------------------------- */

const PhParameter *
ph_parameter_find(const char *name, size_t length)
{
	for (const PhParameter *parameter = ph_parameters; parameter->name != NULL; parameter++)
		if (strlen(parameter->name) == length && strncmp(parameter->name, name, length) == 0)
			return parameter;
	return NULL;
}

static const PhParameter *
find_variant(const char *name, size_t length, const char *variant, size_t variant_length)
{
	for (const PhParameter *parameter = ph_parameters; parameter->name != NULL; parameter++)
	{
		const char *own = parameter->variant != NULL ? parameter->variant : "";

		if (strlen(parameter->name) == length && strncmp(parameter->name, name, length) == 0 &&
			strlen(own) == variant_length && strncmp(own, variant, variant_length) == 0)
			return parameter;
	}
	abort();
}

/* The default of a word, kept in the set. */
static const char *
keep_default(PhParameterSet *set, size_t *used, const char *text, size_t length)
{
	char *to = set->defaults + *used;

	*used += length + 1;
	if (*used > sizeof(set->defaults))
		abort();
	memcpy(to, text, length);
	to[length] = '\0';
	return to;
}

static void
choose_word(PhParameterSet *set, size_t *used, PhParameter *out, const char *word, size_t length)
{
	size_t name = strcspn(word, ":=! ");
	const char *rest = word + name;
	size_t variant = *rest == ':' ? strcspn(rest + 1, "=! ") : 0;

	*out = *find_variant(word, name, rest + 1, variant);
	rest += *rest == ':' ? variant + 1 : 0;
	out->required = *rest == '!';
	if (*rest == '=')
		out->fallback = keep_default(set, used, rest + 1, length - (size_t) (rest + 1 - word));
}

void
ph_parameters_choose(const char *words, PhParameterSet *out)
{
	size_t used = 0;
	size_t n = 0;

	while (*(words += strspn(words, " ")) != '\0')
	{
		size_t length = strcspn(words, " ");

		if (n == PH_MOST_CHOSEN)
			abort();
		choose_word(out, &used, &out->items[n++], words, length);
		words += length;
	}
	out->items[n] = (PhParameter){.name = NULL};
}
