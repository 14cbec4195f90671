/*
 * api_value.c - are the parameters of an API request of their types? As text for PostgreSQL.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "serve/api.h"
#include "system/memory.h"

#define MOST_ELEMENTS 1000

const PhApiQuery *
ph_api_find(const char *name)
{
	for (const PhApiQuery *query = ph_api_queries; query->name != NULL; query++)
		if (strcmp(query->name, name) == 0)
			return query;
	return NULL;
}

char *
ph_api_names(void)
{
	char *list = ph_strdup("Queries: events");

	for (const PhApiQuery *query = ph_api_queries; query->name != NULL; query++)
	{
		char *longer = ph_format("%s, %s", list, query->name);

		free(list);
		list = longer;
	}
	return list;
}

static bool
is_in_range(const PhApiParameter *parameter, double value)
{
	if (parameter->least == 0 && parameter->most == 0)
		return true;
	return value >= parameter->least && value <= parameter->most;
}

static bool
is_integer(const PhApiParameter *parameter, const char *text)
{
	char *end = NULL;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (strchr("-0123456789", text[0]) == NULL || end == text || *end != '\0' || errno != 0)
		return false;
	if (parameter->type == PH_API_INT && (value < INT32_MIN || value > INT32_MAX))
		return false;
	return is_in_range(parameter, (double) value);
}

static bool
is_number(const PhApiParameter *parameter, const char *text)
{
	char *end = NULL;
	double value = strtod(text, &end);

	if (text[strspn(text, "+-.0123456789eE")] != '\0' || end == text || *end != '\0')
		return false;
	return isfinite(value) && is_in_range(parameter, value);
}

static bool
is_choice(const char *choices, const char *text)
{
	size_t length = strlen(text);

	for (const char *word = choices; *word != '\0'; word += strcspn(word, " "))
	{
		word += strspn(word, " ");
		if (length > 0 && strcspn(word, " ") == length && memcmp(word, text, length) == 0)
			return true;
	}
	return false;
}

static bool
is_true(const char *text)
{
	return strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
}

static bool
is_bool(const char *text)
{
	return is_true(text) || strcmp(text, "false") == 0 || strcmp(text, "0") == 0;
}

/* What a good value looks like, as a hint. */
static char *
describe(const PhApiParameter *parameter)
{
	bool ranged = parameter->least != 0 || parameter->most != 0;

	switch (parameter->type)
	{
		case PH_API_INT:
		case PH_API_BIGINT:
		case PH_API_BIGINTS:
			return ranged ? ph_format("Give a whole number from %.0f to %.0f.", parameter->least,
									  parameter->most)
						  : ph_strdup("Give a whole number.");
		case PH_API_FLOAT:
			return ranged ? ph_format("Give a number from %g to %g.", parameter->least,
									  parameter->most)
						  : ph_strdup("Give a number.");
		case PH_API_BOOL:
			return ph_strdup("Give true or false.");
		case PH_API_CHOICE:
			return ph_format("Use one of: %s.", parameter->choices);
		case PH_API_TEXT:
		case PH_API_TEXTS:
			break;
	}
	return NULL;
}

static bool
is_scalar(const PhApiParameter *parameter, const char *text)
{
	switch (parameter->type)
	{
		case PH_API_INT:
		case PH_API_BIGINT:
		case PH_API_BIGINTS:
			return is_integer(parameter, text);
		case PH_API_FLOAT:
			return is_number(parameter, text);
		case PH_API_BOOL:
			return is_bool(text);
		case PH_API_CHOICE:
			return is_choice(parameter->choices, text);
		case PH_API_TEXT:
		case PH_API_TEXTS:
			break;
	}
	return true;
}

/* Elements of a list: the parameter's repetitions, cut at commas when there is just one. */
typedef struct Elements
{
	char *copy;
	const char *items[MOST_ELEMENTS];
	size_t n;
} Elements;

static bool
collect_elements(const PhTarget *target, const char *name, const char *first, Elements *out)
{
	out->n = 0;
	out->copy = ph_strdup(first);
	for (size_t i = 0; i < target->n_parameters && out->n < MOST_ELEMENTS; i++)
		if (strcmp(target->parameters[i].name, name) == 0)
			out->items[out->n++] = target->parameters[i].value;
	if (out->n > 1)
		return out->n < MOST_ELEMENTS;
	out->n = 0;
	for (char *item = out->copy; item != NULL && *item != '\0' && out->n < MOST_ELEMENTS;)
	{
		char *next = strchr(item, ',');

		if (next != NULL)
			*next++ = '\0';
		out->items[out->n++] = item;
		item = next;
	}
	return out->n < MOST_ELEMENTS;
}

static bool
is_list(const PhApiParameter *parameter)
{
	return parameter->type == PH_API_TEXTS || parameter->type == PH_API_BIGINTS;
}

/* The value as text of its PostgreSQL type; NULL: it is not of the type. */
static char *
convert(const PhApiParameter *parameter, const PhTarget *target, const char *text)
{
	Elements *elements;
	char *array = NULL;
	bool ok;

	if (!is_list(parameter))
		return is_scalar(parameter, text) ? ph_strdup(text) : NULL;
	elements = ph_must_alloc(1, sizeof(Elements));
	ok = collect_elements(target, parameter->name, text, elements);
	for (size_t i = 0; ok && i < elements->n; i++)
		ok = is_scalar(parameter, elements->items[i]);
	if (ok)
		array = ph_array_text(elements->items, elements->n);
	free(elements->copy);
	free(elements);
	return array;
}

static bool
refuse(const PhApiParameter *declared, const char **parameter, char **message, char **hint,
	   const char *value)
{
	*parameter = declared->name;
	*message = value != NULL
				   ? ph_format("invalid value \"%.200s\" of parameter %s", value, declared->name)
				   : ph_format("parameter %s is missing", declared->name);
	*hint = describe(declared);
	return false;
}

/* Parameters that the query does not have are errors, so that a misspelt one is not ignored. */
static bool
knows_all(const PhApiQuery *query, const PhTarget *target, const char **parameter, char **message,
		  char **hint)
{
	char *list = NULL;

	for (size_t i = 0; i < target->n_parameters; i++)
	{
		const char *name = target->parameters[i].name;
		bool known = false;

		for (const PhApiParameter *p = query->parameters; p->name != NULL && !known; p++)
			known = strcmp(p->name, name) == 0;
		if (known)
			continue;
		list = ph_strdup("");
		for (const PhApiParameter *p = query->parameters; p->name != NULL; p++)
		{
			char *longer = ph_format("%s%s%s", list, *list ? ", " : "", p->name);

			free(list);
			list = longer;
		}
		*parameter = name;
		*message = ph_format("unknown parameter \"%.200s\"", name);
		*hint = *list ? ph_format("Parameters of %s: %s.", query->name, list)
					  : ph_format("%s takes no parameters.", query->name);
		free(list);
		return false;
	}
	return true;
}

bool
ph_api_values(const PhApiQuery *query, const PhTarget *target, PhApiValues *out,
			  const char **parameter, char **message, char **hint)
{
	*out = (PhApiValues){.query = query};
	if (!knows_all(query, target, parameter, message, hint))
		return false;
	for (const PhApiParameter *p = query->parameters; p->name != NULL; p++)
	{
		const char *given = ph_target_value(target, p->name);
		const char *text = given != NULL && *given != '\0' ? given : p->fallback;

		if (text == NULL && p->required)
			return refuse(p, parameter, message, hint, NULL);
		if (text != NULL)
		{
			out->texts[out->n] = convert(p, target, text);
			if (out->texts[out->n] == NULL)
				return refuse(p, parameter, message, hint, text);
		}
		out->n++;
	}
	return true;
}

void
ph_api_values_free(PhApiValues *values)
{
	for (size_t i = 0; i < values->n || i < PH_API_MOST_PARAMETERS; i++)
		free(values->texts[i]);
	*values = (PhApiValues){0};
}
