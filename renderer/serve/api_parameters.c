/*
 * api_parameters.c - /api/parameters: what every view and query can be told. The pages build their
 * menus from it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>

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

static const char *
offer_name(PhOffer offer)
{
	static const char *const names[] = {[PH_OFFER_RUNS] = "runs",
										[PH_OFFER_TAGS] = "tags",
										[PH_OFFER_METRICS] = "metrics",
										[PH_OFFER_APPLICATIONS] = "applications",
										[PH_OFFER_ALIASES] = NULL};

	return names[offer];
}

void
ph_api_put_name(PhJsonOut *json, const char *name)
{
	char text[64];

	snprintf(text, sizeof(text), "%s", name);
	for (char *p = text; *p != '\0'; p++)
		*p = *p == '-' ? '_' : *p;
	ph_json_put_text(json, "name", text);
}

/* What pages make a control of. */
static void
write_control(PhJsonOut *json, const PhParameter *parameter)
{
	if (parameter->web == PH_WEB_NONE)
		return;
	ph_json_put_text(json, "web", parameter->web == PH_WEB_SHOWN ? "shown" : "folded");
	ph_json_put_text(json, "label", parameter->label != NULL ? parameter->label : parameter->name);
}

static void
write_choices(PhJsonOut *json, const PhParameter *parameter)
{
	if (parameter->choices == NULL)
		return;
	ph_json_open_array(json, "choices");
	for (const char *const *choice = parameter->choices; *choice != NULL; choice++)
		ph_json_put_text(json, NULL, *choice);
	ph_json_close(json);
}

static void
write_parameter(PhJsonOut *json, const PhParameter *parameter)
{
	ph_json_new_line(json);
	ph_json_open_object(json, NULL);
	ph_api_put_name(json, parameter->name);
	ph_json_put_text(json, "type", type_name(parameter->type));
	ph_json_put_text(json, "help", parameter->help);
	write_control(json, parameter);
	write_choices(json, parameter);
	if (offer_name(parameter->offer) != NULL)
		ph_json_put_text(json, "offer", offer_name(parameter->offer));
	if (parameter->fallback != NULL)
		ph_json_put_text(json, "default", parameter->fallback);
	if (parameter->least != 0 || parameter->most != 0)
	{
		ph_json_put_number(json, "least", parameter->least);
		ph_json_put_number(json, "most", parameter->most);
	}
	if (parameter->unit != NULL)
		ph_json_put_text(json, "unit", parameter->unit);
	ph_json_put_bool(json, "required", parameter->required);
	ph_json_put_bool(json, "repeats", parameter->repeats);
	ph_json_close(json);
}

static void
write_parameters(PhJsonOut *json, const char *words)
{
	PhParameterSet set;

	ph_parameters_choose(words, &set);
	for (const PhParameter *parameter = set.items; parameter->name != NULL; parameter++)
		if (!parameter->is_local)
			write_parameter(json, parameter);
}

static void
write_views(PhJsonOut *json)
{
	ph_json_open_object(json, "views");
	for (const PhView *const *view = ph_views; *view != NULL; view++)
	{
		if ((*view)->query == NULL)
			continue;
		ph_json_new_line(json);
		ph_json_open_object(json, (*view)->name);
		ph_json_put_text(json, "help", (*view)->summary);
		ph_json_put_text(json, "place", (*view)->place);
		ph_json_put_text(json, "label", (*view)->label);
		ph_json_open_array(json, "parameters");
		write_parameters(json, (*view)->options);
		write_parameters(json, ph_view_common);
		ph_json_close(json);
		ph_json_close(json);
	}
	ph_json_close(json);
}

static void
write_queries(PhJsonOut *json)
{
	ph_json_open_object(json, "queries");
	for (const PhApiQuery *query = ph_api_queries; query->name != NULL; query++)
	{
		ph_json_new_line(json);
		ph_json_open_object(json, query->name);
		ph_json_open_array(json, "parameters");
		write_parameters(json, query->parameters);
		ph_json_close(json);
		ph_json_close(json);
	}
	ph_json_close(json);
}

void
ph_api_parameters(bool takes_sql, bool has_sources, PhAnswer *answer)
{
	PhTextStream stream;
	PhJsonOut json;

	if (!ph_text_stream_open(&stream))
	{
		ph_answer_memory(answer);
		return;
	}
	ph_json_begin(&json, stream.file);
	ph_json_open_object(&json, NULL);
	write_views(&json);
	write_queries(&json);
	ph_json_put_bool(&json, "sql", takes_sql);
	ph_json_put_bool(&json, "sources", has_sources);
	ph_json_close(&json);
	ph_answer_stream(answer, "application/json", &stream, ph_json_done_line(&json));
	if (answer->status == 200)
		ph_answer_tag(answer);
}
