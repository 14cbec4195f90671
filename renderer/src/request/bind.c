/*
 * bind.c - the arguments of a query by the names that it gives its parameters.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "request/bind.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json_out.h"
#include "drawing/arena_must.h"
#include "system/duration.h"
#include "system/text_stream.h"
#include "views/logical/logical.h"

typedef struct Request
{
	const PhView *view;
	const PhOptions *options;
} Request;

/* ---- refinement ---------------------------------------------------------------------------- */

/* The part of text up to the first unescaped separator, without its backslashes; *rest behind it,
 * NULL when there is no separator. */
static const char *
cut(PhArena *arena, const char *text, char separator, const char **rest)
{
	char *part = ph_need_copy(arena, text);
	char *to = part;

	*rest = NULL;
	for (; *text; text++)
	{
		if (text[0] == '\\' && text[1] != '\0')
			text++;
		else if (*text == separator)
		{
			*rest = text + 1;
			break;
		}
		*to++ = *text;
	}
	*to = '\0';
	return part;
}

static void
write_step(PhJsonOut *json, PhArena *arena, const PhGivenText *given)
{
	bool has_more = strcmp(given->parameter->name, "split-caller") != 0;
	bool is_drill = given->parameter->type == PH_PARAMETER_DRILL;
	const char *more = NULL;
	const char *node = has_more ? cut(arena, given->text, '=', &more) : given->text;

	ph_json_open_object(json, NULL);
	ph_json_put_text(json, "op", given->parameter->name);
	ph_json_put_text(json, "node", node);
	if (is_drill)
		ph_json_put_text(json, "level", more);
	ph_json_open_array(json, "functions");
	while (!is_drill && more != NULL)
		ph_json_put_text(json, NULL, cut(arena, more, ',', &more));
	ph_json_close(json);
	ph_json_close(json);
}

/* A list made by write(), as a parameter. */
static PhParam
list_param(const Request *request, void (*write)(PhJsonOut *json, const Request *request))
{
	PhArena *arena = request->options->arena;
	PhTextStream stream;
	PhJsonOut json;
	char *text;
	const char *copy;

	ph_need_memory(ph_text_stream_open(&stream));
	ph_need_hold(&stream, ph_text_stream_drop);
	ph_json_begin(&json, stream.file);
	ph_json_open_array(&json, NULL);
	write(&json, request);
	ph_json_close(&json);
	text = ph_json_done(&json) ? ph_text_stream_take(&stream, NULL) : NULL;
	ph_need_let_go();
	ph_need_memory(text != NULL);
	ph_need_hold(text, free);
	copy = ph_need_copy(arena, text);
	ph_need_let_go();
	return ph_param_text(copy);
}

/* The splits, in the order given, for refine(). */
static void
write_refinement(PhJsonOut *json, const Request *request)
{
	const PhValues *values = &request->options->values;

	for (size_t i = 0; i < values->n_given; i++)
	{
		const char *name = values->given[i].parameter->name;

		if (strcmp(name, "split-entry") == 0 || strcmp(name, "split-caller") == 0 ||
			strcmp(name, "drill") == 0)
			write_step(json, request->options->arena, &values->given[i]);
	}
}

static PhParam
refinement(const Request *request)
{
	return list_param(request, write_refinement);
}

static void
write_paths(PhJsonOut *json, const Request *request)
{
	const char *path;

	for (size_t at = 0; (path = ph_values_next(&request->options->values, "path", &at)) != NULL;)
		ph_json_put_text(json, NULL, path);
}

static PhParam
paths(const Request *request)
{
	return list_param(request, write_paths);
}

/* ---- what follows from others -------------------------------------------------------------- */

/* The size that the query lays out for. */
static void
layout_size(const Request *request, double *width, double *height)
{
	const PhView *view = request->view;
	const PhOptions *options = request->options;
	PhBody body = ph_view_body(view, options);

	*width = body.width;
	*height = body.height;
	if (view->layout_size)
		view->layout_size(options, body, width, height);
	*width = fmax(*width, 100);
	*height = fmax(*height, 60);
}

static PhParam
width(const Request *request)
{
	double across;
	double down;

	layout_size(request, &across, &down);
	return ph_param_float(across);
}

static PhParam
height(const Request *request)
{
	double across;
	double down;

	layout_size(request, &across, &down);
	return ph_param_float(down);
}

static PhParam
share(const Request *request)
{
	double given;

	return ph_option_share_given(request->options, &given) ? ph_param_float(given)
														   : ph_param_null();
}

/* A bar, and beside it the beginning of a name. */
#define LEVEL_WIDTH 80.0
#define BAR_WIDTH 24.0

/* Null: as many as a super graph of usual width has; 0: any number. */
static PhParam
levels(const Request *request)
{
	const PhOptions *options = request->options;
	double share_given = NAN;
	double across;
	double down;

	if (ph_option_given(options, "levels"))
		return ph_param_int(ph_option_count(options, "levels"));
	if (!request->view->has_levels)
		return ph_param_null();
	ph_option_share_given(options, &share_given);
	if (options->given != NULL || share_given == 0 || ph_option_flag(options, "everything"))
		return ph_param_int(0);
	layout_size(request, &across, &down);
	return ph_param_int(1 + (int64_t) ((across - BAR_WIDTH) / LEVEL_WIDTH));
}

static PhParam
run_filter(const Request *request)
{
	return ph_param_text(ph_option_condition(request->options));
}

/* [first, last] as given; the queries' windows are half open. */
static PhParam
step_end(const Request *request, bool is_last)
{
	const char *text = ph_option_text(request->options, "steps");
	long first;
	long last;

	if (text == NULL || !ph_window_parse(text, &first, &last))
		return ph_param_null();
	return ph_param_int(is_last ? last + 1 : first);
}

static PhParam
step_from(const Request *request)
{
	return step_end(request, false);
}

static PhParam
step_to(const Request *request)
{
	return step_end(request, true);
}

/* What --color means in logical time. */
static PhParam
step_metric(const Request *request)
{
	return ph_param_text(ph_step_metric(request->options)->column);
}

/* The same; null without --color. */
static PhParam
step_color(const Request *request)
{
	return ph_option_given(request->options, "color") ? step_metric(request) : ph_param_null();
}

static PhParam
given(const Request *request)
{
	return request->options->given ? request->options->given[0] : ph_param_null();
}

static PhParam
given_b(const Request *request)
{
	return request->options->given ? request->options->given[1] : ph_param_null();
}

static const struct
{
	const char *name;
	PhParam (*value)(const Request *request);
} derived[] = {
	{"refinement", refinement}, {"paths", paths},	  {"width", width},
	{"height", height},			{"filter", share},	  {"run_filter", run_filter},
	{"step_from", step_from},	{"step_to", step_to}, {"step_metric", step_metric},
	{"step_color", step_color}, {"levels", levels},	  {"given", given},
	{"given_b", given_b},
};

/* ---- by type ------------------------------------------------------------------------------- */

const char *
ph_integers_array(PhArena *arena, const char *text)
{
	size_t size = ph_integers_format(text, NULL, 0) + 1;
	char *out = ph_need(arena, size, 1);

	ph_integers_format(text, out, size);
	return out;
}

static PhParam
by_type(const Request *request, const PhParameter *declared, const char *text)
{
	PhArena *arena = request->options->arena;
	int64_t ns;

	if (text == NULL)
		return ph_param_null();
	switch (declared->type)
	{
		case PH_PARAMETER_INTEGERS:
			return ph_param_text(ph_integers_array(arena, text));
		case PH_PARAMETER_DURATION:
			return ph_duration_parse(text, &ns) ? ph_param_int(ns) : ph_param_text(text);
		case PH_PARAMETER_NUMBER:
			return ph_param_float(strtod(text, NULL));
		default:
			return ph_param_text(text);
	}
}

/* The declaration of a query's name; *is_opposite: it is the flag "no-name". */
static const PhParameter *
declaration(const PhOptions *options, const char *name, bool *is_opposite)
{
	char option[64];
	const PhParameter *found;

	snprintf(option, sizeof(option), "no-%s", name);
	for (char *p = option; *p; p++)
		*p = *p == '_' ? '-' : *p;
	*is_opposite = false;
	found = ph_values_declared(&options->values, option + 3, strlen(option + 3));
	if (found != NULL)
		return found;
	*is_opposite = true;
	found = ph_values_declared(&options->values, option, strlen(option));
	if (found != NULL)
		return found;
	*is_opposite = false;
	return ph_parameter_find(option + 3, strlen(option + 3));
}

static PhParam
value_of(void *user, const char *name)
{
	const Request *request = user;
	const PhParameter *declared;
	bool is_opposite;

	for (size_t i = 0; request->view != NULL && i < sizeof(derived) / sizeof(derived[0]); i++)
		if (strcmp(derived[i].name, name) == 0)
			return derived[i].value(request);
	declared = declaration(request->options, name, &is_opposite);
	if (declared == NULL)
		abort();
	if (declared->type == PH_PARAMETER_FLAG)
		return ph_param_bool(ph_option_flag(request->options, declared->name) != is_opposite);
	return by_type(request, declared, ph_option_text(request->options, declared->name));
}

int
ph_bind(const PhQuery *query, const PhView *view, const PhOptions *options,
		PhParam params[PH_PQ_MAX_PARAMS])
{
	Request request = {view, options};

	return ph_pq_bind(query->names, value_of, &request, params);
}
