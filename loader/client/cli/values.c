/*
 * values.c - what was given for parameters, by a command line, the environment or a request.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "cli/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const PhParameter *
ph_values_declared(const PhValues *values, const char *name, size_t length)
{
	for (size_t t = 0; t < values->n_tables; t++)
		for (const PhParameter *p = values->tables[t]; p->name != NULL; p++)
			if (strlen(p->name) == length && strncmp(p->name, name, length) == 0)
				return p;
	return NULL;
}

void
ph_values_add(PhValues *values, const PhParameter *parameter, const char *text)
{
	values->given[values->n_given++] = (PhGivenText){parameter, text};
}

/* ---- reading ------------------------------------------------------------------------------- */

static const PhParameter *
declaration(const PhValues *values, const char *name)
{
	const PhParameter *found = ph_values_declared(values, name, strlen(name));

	if (found == NULL)
		found = ph_parameter_find(name, strlen(name));
	if (found == NULL)
		abort();
	return found;
}

static bool
is_named(const PhGivenText *given, const char *name)
{
	const char *own = given->parameter->same_as;

	return strcmp(own != NULL ? own : given->parameter->name, name) == 0;
}

static const PhGivenText *
last_given(const PhValues *values, const char *name)
{
	for (size_t i = values->n_given; i > 0; i--)
		if (is_named(&values->given[i - 1], name))
			return &values->given[i - 1];
	return NULL;
}

bool
ph_values_given(const PhValues *values, const char *name)
{
	(void) declaration(values, name);
	return last_given(values, name) != NULL;
}

bool
ph_values_flag(const PhValues *values, const char *name)
{
	return ph_values_given(values, name);
}

const char *
ph_values_text(const PhValues *values, const char *name)
{
	const PhParameter *declared = declaration(values, name);
	const PhGivenText *given = last_given(values, name);

	return given != NULL ? given->text : declared->fallback;
}

double
ph_values_number(const PhValues *values, const char *name)
{
	const char *text = ph_values_text(values, name);

	return text != NULL ? strtod(text, NULL) : NAN;
}

const char *
ph_values_next(const PhValues *values, const char *name, size_t *at)
{
	while (*at < values->n_given)
	{
		const PhGivenText *given = &values->given[(*at)++];

		if (is_named(given, name))
			return given->text;
	}
	return NULL;
}

/* ---- requests ------------------------------------------------------------------------------ */

/* Is "group_by" the name of "group-by" in requests? */
static bool
is_request_name(const PhParameter *parameter, const char *text)
{
	const char *name = parameter->name;

	while (*name != '\0' && *text == (*name == '-' ? '_' : *name))
	{
		name++;
		text++;
	}
	return *name == '\0' && *text == '\0' && !parameter->is_local;
}

static const PhParameter *
find_in_request(const PhValues *values, const char *name)
{
	for (size_t t = 0; t < values->n_tables; t++)
		for (const PhParameter *p = values->tables[t]; p->name != NULL; p++)
			if (is_request_name(p, name))
				return p;
	return NULL;
}

/* "Parameters of this view: run, group_by." */
static void
list_parameters(const PhValues *values, const char *whose, char *out, size_t size)
{
	const char *separator = ": ";
	size_t length = (size_t) snprintf(out, size, "Parameters of %s", whose);

	for (size_t t = 0; t < values->n_tables; t++)
		for (const PhParameter *p = values->tables[t]; p->name != NULL && length < size; p++)
		{
			size_t start = length + strlen(separator);

			if (p->is_local)
				continue;
			length += (size_t) snprintf(out + length, size - length, "%s%s", separator, p->name);
			for (size_t i = start; i < length && i < size; i++)
				out[i] = out[i] == '-' ? '_' : out[i];
			separator = ", ";
		}
	if (*separator == ':')
		snprintf(out, size, "There are no parameters of %s.", whose);
	else if (length + 1 < size)
		snprintf(out + length, size - length, ".");
}

static bool
read_one(PhValues *values, const char *whose, const char *name, const char *text,
		 PhProblem *problem)
{
	const PhParameter *parameter = find_in_request(values, name);
	char list[sizeof(problem->hint)];
	char origin[100];

	if (parameter == NULL)
	{
		list_parameters(values, whose, list, sizeof(list));
		return ph_problem_set(problem, name, list, "unknown parameter \"%.200s\"", name);
	}
	if (parameter->type != PH_PARAMETER_FLAG && *text == '\0')
		return true;
	snprintf(origin, sizeof(origin), "parameter %s", name);
	if (!ph_parameter_check(parameter, origin, text, problem))
	{
		problem->parameter = name;
		return false;
	}
	if (parameter->type != PH_PARAMETER_FLAG)
		ph_values_add(values, parameter, text);
	else if (ph_word_is_true(text))
		ph_values_add(values, parameter, NULL);
	return true;
}

bool
ph_values_read_request(PhValues *values, const char *whose, const char *const *names,
					   const char *const *texts, size_t n, PhProblem *problem)
{
	for (size_t i = 0; i < n; i++)
		if (!read_one(values, whose, names[i], texts[i], problem))
			return false;
	return true;
}

bool
ph_values_demand(const PhValues *values, PhProblem *problem)
{
	for (size_t t = 0; t < values->n_tables; t++)
		for (const PhParameter *p = values->tables[t]; p->name != NULL; p++)
			if (p->required && !ph_values_given(values, p->name))
				return ph_problem_set(problem, p->name, p->hint, "parameter %s is missing: %s",
									  p->name, p->help);
	return true;
}
