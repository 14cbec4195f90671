/*
 * environment_values.c - what runs say of their environment, one key at a time: lists and clocks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/environment_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/memory.h"

/* Clocks that are closer than this are the same. */
#define CLOCK_TOLERANCE 0.02

/* ---- lists ---- */

static void
add_value(const char *text, size_t length, PhEnvironmentValue **values, size_t *n)
{
	*values = ph_must_resize(*values, *n + 1, sizeof(**values));
	(*values)[(*n)++] = (PhEnvironmentValue){ph_strndup(text, length), 1};
}

/* Without blanks and quotes around it, and without the \ of JSON; what is empty is left out. */
static void
add_element(const char *text, size_t length, PhEnvironmentValue **values, size_t *n)
{
	static const char around[] = " \t\n\"'";
	char *kept;
	size_t n_kept = 0;

	while (length > 0 && strchr(around, text[0]) != NULL)
		text++, length--;
	while (length > 0 && strchr(around, text[length - 1]) != NULL)
		length--;
	if (length == 0)
		return;
	kept = ph_must_alloc(length, 1);
	for (size_t i = 0; i < length; i++)
		if (text[i] != '\\')
			kept[n_kept++] = text[i];
	add_value(kept, n_kept, values, n);
	free(kept);
}

static void
split_at(const char *text, size_t length, char separator, PhEnvironmentValue **values, size_t *n)
{
	size_t begin = 0;

	for (size_t i = 0; i <= length; i++)
	{
		if (i < length && text[i] != separator)
			continue;
		add_element(text + begin, i - begin, values, n);
		begin = i + 1;
	}
}

bool
ph_environment_split(const char *value, bool may_be_list, PhEnvironmentValue **values, size_t *n)
{
	size_t length = strlen(value);
	bool is_bracketed =
		length >= 2 && strchr("[{", value[0]) != NULL && strchr("]}", value[length - 1]) != NULL;

	if (may_be_list && is_bracketed)
		split_at(value + 1, length - 2, ',', values, n);
	else if (may_be_list && strchr(value, ':') != NULL && strchr(value, ' ') == NULL)
		split_at(value, length, ':', values, n);
	else
	{
		add_value(value, length, values, n);
		return false;
	}
	return true;
}

static int
compare_values(const void *x, const void *y)
{
	const PhEnvironmentValue *a = x;
	const PhEnvironmentValue *b = y;

	return strcmp(a->text, b->text);
}

size_t
ph_environment_unite(PhEnvironmentValue *values, size_t n)
{
	size_t kept = 0;

	if (n > 0)
		qsort(values, n, sizeof(*values), compare_values);
	for (size_t i = 0; i < n; i++)
	{
		if (kept == 0 || strcmp(values[kept - 1].text, values[i].text) != 0)
			values[kept++] = values[i];
		else
		{
			values[kept - 1].n_runs += values[i].n_runs;
			free(values[i].text);
		}
	}
	return kept;
}

/* ---- clocks ---- */

typedef struct Clocks
{
	double least, most, mean;
} Clocks;

static bool
read_clocks(const PhEnvironmentValue *values, size_t n, Clocks *out)
{
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
	{
		char *end;
		double number = strtod(values[i].text, &end);

		if (end == values[i].text || *end != '\0' || !isfinite(number))
			return false;
		out->least = count == 0 ? number : fmin(out->least, number);
		out->most = count == 0 ? number : fmax(out->most, number);
		sum += number * (double) values[i].n_runs;
		count += values[i].n_runs;
	}
	out->mean = count > 0 ? sum / (double) count : 0;
	return count > 0;
}

static char *
clocks_text(const Clocks *clocks)
{
	char *mean = ph_format("%.5g", clocks->mean);
	char *text = mean;

	if (clocks->most - clocks->least > 0)
	{
		text = ph_format("%s (%.5g to %.5g)", mean, clocks->least, clocks->most);
		free(mean);
	}
	return text;
}

bool
ph_environment_clocks(const PhEnvironmentValue *a, size_t n_a, const PhEnvironmentValue *b,
					  size_t n_b, char **before, char **after, bool *differ)
{
	Clocks sides[2];

	if (!read_clocks(a, n_a, &sides[0]) || !read_clocks(b, n_b, &sides[1]))
		return false;
	*differ = (sides[0].most < sides[1].least || sides[1].most < sides[0].least) &&
			  fabs(sides[1].mean - sides[0].mean) >
				  CLOCK_TOLERANCE * fmax(fabs(sides[0].mean), fabs(sides[1].mean));
	if (*differ)
	{
		*before = clocks_text(&sides[0]);
		*after = clocks_text(&sides[1]);
	}
	return true;
}
