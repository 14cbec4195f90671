/*
 * api_parameters.c - /api/parameters: what every view and query can be told. The pages build their
 * menus from it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json_out.h"
#include "request/view.h"
#include "serve/api.h"

static const char *
type_name(PhParameterType type)
{
	static const char *const names[] = {
		[PH_PARAMETER_FLAG] = "flag",		  [PH_PARAMETER_TEXT] = "text",
		[PH_PARAMETER_INTEGER] = "integer",	  [PH_PARAMETER_NUMBER] = "number",
		[PH_PARAMETER_RUN] = "run",			  [PH_PARAMETER_INTEGERS] = "integers",
		[PH_PARAMETER_DURATION] = "duration", [PH_PARAMETER_WINDOW] = "window",
		[PH_PARAMETER_BOUNDS] = "bounds",	  [PH_PARAMETER_FILTER] = "filter",
		[PH_PARAMETER_DRILL] = "drill",		  [PH_PARAMETER_FILE] = "file"};

	return names[type];
}

/* "group_by" of "group-by". */
static void
set_name(PhJson *object, const char *name)
{
	char text[64];

	snprintf(text, sizeof(text), "%s", name);
	for (char *p = text; *p != '\0'; p++)
		*p = *p == '-' ? '_' : *p;
	ph_json_set_text(object, "name", text);
}

static PhJson *
parameter_json(const PhParameter *parameter)
{
	PhJson *object = ph_json_object();

	set_name(object, parameter->name);
	ph_json_set_text(object, "type", type_name(parameter->type));
	ph_json_set_text(object, "help", parameter->help);
	if (parameter->choices != NULL)
	{
		PhJson *choices = ph_json_array();

		for (const char *const *choice = parameter->choices; *choice != NULL; choice++)
			ph_json_add_text(choices, *choice);
		ph_json_set(object, "choices", choices);
	}
	if (parameter->fallback != NULL)
		ph_json_set_text(object, "default", parameter->fallback);
	if (parameter->least != 0 || parameter->most != 0)
	{
		ph_json_set_number(object, "least", parameter->least);
		ph_json_set_number(object, "most", parameter->most);
	}
	if (parameter->unit != NULL)
		ph_json_set_text(object, "unit", parameter->unit);
	ph_json_set_bool(object, "required", parameter->required);
	ph_json_set_bool(object, "repeats", parameter->repeats);
	return object;
}

static void
add_parameters(PhJson *list, const char *words)
{
	PhParameterSet set;

	ph_parameters_choose(words, &set);
	for (const PhParameter *parameter = set.items; parameter->name != NULL; parameter++)
		if (!parameter->is_local)
			ph_json_add(list, parameter_json(parameter));
}

static PhJson *
views_json(void)
{
	PhJson *views = ph_json_object();

	for (const PhView *const *view = ph_views; *view != NULL; view++)
	{
		PhJson *list = ph_json_array();

		add_parameters(list, (*view)->options);
		add_parameters(list, ph_view_common);
		ph_json_set(views, (*view)->name, list);
	}
	return views;
}

static PhJson *
queries_json(void)
{
	PhJson *queries = ph_json_object();

	for (const PhApiQuery *query = ph_api_queries; query->name != NULL; query++)
	{
		PhJson *list = ph_json_array();

		add_parameters(list, query->parameters);
		ph_json_set(queries, query->name, list);
	}
	return queries;
}

void
ph_api_parameters(PhAnswer *answer)
{
	char *bytes = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&bytes, &size);
	PhJson *all;

	if (file != NULL)
	{
		all = ph_json_object();
		ph_json_set(all, "views", views_json());
		ph_json_set(all, "queries", queries_json());
		ph_json_print_line(file, all);
		if (fclose(file) == 0)
		{
			ph_answer_take(answer, 200, "application/json", bytes, size);
			ph_answer_tag(answer);
			return;
		}
	}
	free(bytes);
	ph_answer_error(answer, 500, "out of memory", NULL, NULL);
}
