/*
 * options.c - what a view, or a query of the API, was told.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "request/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "system/duration.h"
#include "system/paths.h"

const char ph_view_common[] = "palette theme title width height everything scale query query-file "
							  "variable output type rows save-rows";

static bool
read_file(PhArena *arena, PhGivenText *given, PhProblem *problem)
{
	char *text = ph_path_read_text(given->text);

	if (text == NULL)
		return ph_problem_set(problem, given->parameter->name, given->parameter->hint, "%s: %s",
							  given->text, strerror(errno));
	given->text = ph_need_copy(arena, text);
	free(text);
	return true;
}

bool
ph_options_init(PhOptions *options, PhArena *arena, const PhValues *values, PhProblem *problem)
{
	*options = (PhOptions){.arena = arena, .values = *values};
	for (size_t i = 0; i < values->n_given; i++)
		if (values->given[i].parameter->type == PH_PARAMETER_FILE &&
			!read_file(arena, &values->given[i], problem))
			return false;
	return true;
}

bool
ph_options_request(PhOptions *options, PhArena *arena, const char *words, const char *more,
				   const char *whose, const char *const *names, const char *const *texts, size_t n,
				   PhProblem *problem)
{
	PhParameterSet *set = ph_need(arena, 1, sizeof(*set));

	ph_parameters_choose(ph_need_format(arena, "%s %s", words, more ? more : ""), set);
	*options = (PhOptions){.arena = arena};
	options->values.tables[0] = set->items;
	options->values.n_tables = 1;
	options->values.given = ph_need(arena, n + 1, sizeof(PhGivenText));
	return ph_values_read_request(&options->values, whose, names, texts, n, problem);
}

/* ---- words --------------------------------------------------------------------------------- */

/* The name of an option at text, its dashes taken off, with _ for -; returns what is behind it. */
static const char *
copy_name(const char *text, char **to)
{
	for (; (*text >= 'a' && *text <= 'z') || *text == '-'; text++)
		*(*to)++ = *text == '-' ? '_' : *text;
	return text;
}

const char *
ph_options_request_words(PhArena *arena, const char *text)
{
	static const char option[] = "option --";
	static const char parameter[] = "parameter ";
	char *out = text ? ph_need(arena, 2 * strlen(text) + 1, 1) : NULL;
	char *to = out;

	while (text && *text)
	{
		if (strncmp(text, option, sizeof(option) - 1) == 0)
		{
			memcpy(to, parameter, sizeof(parameter) - 1);
			to += sizeof(parameter) - 1;
			text = copy_name(text + sizeof(option) - 1, &to);
		}
		else if (strncmp(text, "--", 2) == 0 && text[2] >= 'a' && text[2] <= 'z')
			text = copy_name(text + 2, &to);
		else
			*to++ = *text++;
	}
	return out;
}

/* ---- values -------------------------------------------------------------------------------- */

bool
ph_option_given(const PhOptions *options, const char *name)
{
	return ph_values_given(&options->values, name);
}

bool
ph_option_flag(const PhOptions *options, const char *name)
{
	return ph_values_flag(&options->values, name);
}

const char *
ph_option_text(const PhOptions *options, const char *name)
{
	return ph_values_text(&options->values, name);
}

bool
ph_option_is(const PhOptions *options, const char *name, const char *word)
{
	const char *text = ph_option_text(options, name);

	return text != NULL && strcmp(text, word) == 0;
}

double
ph_option_number(const PhOptions *options, const char *name)
{
	return ph_values_number(&options->values, name);
}

uint32_t
ph_option_count(const PhOptions *options, const char *name)
{
	double number = ph_option_number(options, name);

	return number > 0 ? (uint32_t) number : 0;
}

PhPalette
ph_option_palette(const PhOptions *options)
{
	PhPalette palette = PH_PALETTE_DEFAULT;

	ph_palette_parse(ph_option_text(options, "palette"), &palette);
	return ph_option_is(options, "theme", "dark") ? palette | PH_PALETTE_DARK : palette;
}

bool
ph_option_range(const PhOptions *options, double *ns)
{
	int64_t duration;

	if (!ph_duration_parse(ph_option_text(options, "range"), &duration))
		return false;
	*ns = (double) duration;
	return true;
}

void
ph_option_bounds(const PhOptions *options, double *low, double *high)
{
	const char *text = ph_option_text(options, "color-range");

	*low = *high = NAN;
	if (text != NULL)
		(void) ph_bounds_parse(text, low, high);
}

double
ph_option_share(const PhOptions *options)
{
	double share;

	return ph_option_share_given(options, &share) ? share : 0;
}

bool
ph_option_share_given(const PhOptions *options, double *out)
{
	const PhParameter *declared = ph_values_declared(&options->values, "filter", strlen("filter"));
	const char *share = declared != NULL ? declared->fallback : NULL;
	const char *text;

	for (size_t at = 0; (text = ph_values_next(&options->values, "filter", &at)) != NULL;)
		share = ph_text_is_number(text) ? text : share;
	if (share != NULL)
		*out = strtod(share, NULL);
	return share != NULL;
}

const char *
ph_option_condition(const PhOptions *options)
{
	const char *condition = NULL;
	const char *text;

	for (size_t at = 0; (text = ph_values_next(&options->values, "filter", &at)) != NULL;)
		condition = ph_text_is_number(text) ? condition : text;
	return condition;
}

bool
ph_option_taken(const PhOptions *options, const char *name)
{
	return ph_values_declared(&options->values, name, strlen(name)) != NULL;
}

/* As --type says, else the end of the output's name; NULL: neither does. */
static const char *
type_of(const PhOptions *options)
{
	const char *type = ph_option_text(options, "type");
	const char *output = ph_option_text(options, "output");
	const char *dot = output ? strrchr(output, '.') : NULL;

	return type != NULL || dot == NULL ? type : dot + 1;
}

bool
ph_option_is_sql(const PhOptions *options)
{
	const char *type = type_of(options);

	return type != NULL && strcmp(type, "sql") == 0;
}

bool
ph_option_format(const PhOptions *options, PhFormat *format, PhProblem *problem)
{
	const char *type = type_of(options);
	const char *output = ph_option_text(options, "output");

	if (output == NULL)
		return ph_problem_set(problem, "output", "Use -o FILE.svg, -o FILE.png or -o FILE.pdf.",
							  "no picture to write");
	if (type != NULL && ph_format_parse(type, format))
		return true;
	return ph_problem_set(problem, "output",
						  "Use a name that ends in .svg, .png or .pdf, or --type.",
						  "cannot tell the type of picture from \"%.200s\"", output);
}
