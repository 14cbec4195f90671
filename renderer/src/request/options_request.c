/*
 * options_request.c - options of a view as parameters of a request over the network.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "drawing/arena_must.h"
#include "request/options_internal.h"

#define MOST_NAME 64

/* A request names no file, no database and no format: those are its address's or nobody's. */
static const char refused[] = " module-map output type rows save-rows db quiet verbose help ";
static const char shared[] = " palette title width height scale ";

/* "group_by" as "group-by". False: no option has such a name. */
static bool
option_name(const char *parameter, char *out)
{
	size_t length = strlen(parameter);

	if (length == 0 || length >= MOST_NAME || strchr(parameter, '-') || strchr(parameter, ' '))
		return false;
	for (size_t i = 0; i <= length; i++)
		out[i] = parameter[i] == '_' ? '-' : parameter[i];
	return true;
}

static const PhRenderOption *
find_option(const char *accepted, const char *parameter)
{
	char name[MOST_NAME];

	if (!option_name(parameter, name) || ph_option_among(refused, name) ||
		!(ph_option_among(shared, name) || ph_option_among(accepted, name)))
		return NULL;
	return ph_option_find(name, strlen(name));
}

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

static bool
fail(PhOptionError *error, const char *parameter, const char *message, const char *hint)
{
	*error = (PhOptionError){parameter, message, hint};
	return false;
}

static const char *
list_parameters(PhArena *arena, const char *accepted)
{
	const char *list = "";
	char name[MOST_NAME];

	for (const PhRenderOption *option = ph_render_options; option->name; option++)
	{
		strncpy(name, option->name, MOST_NAME - 1);
		name[MOST_NAME - 1] = '\0';
		for (char *p = name; *p; p++)
			*p = *p == '-' ? '_' : *p;
		if (find_option(accepted, name))
			list = ph_need_format(arena, "%s%s%s", list, *list ? ", " : "", name);
	}
	return ph_need_format(arena, "Parameters of this view: %s.", list);
}

static bool
is_word(const char *value, const char *a, const char *b, const char *c)
{
	return strcmp(value, a) == 0 || strcmp(value, b) == 0 || strcmp(value, c) == 0;
}

/* A flag is set, left alone, or wrong. */
static bool
set_flag(PhOptionParser *parser, const PhRenderOption *option, const char *name, const char *value)
{
	if (is_word(value, "true", "1", ""))
		return option->set(parser, option->name, NULL);
	if (is_word(value, "false", "0", "no"))
		return true;
	return ph_option_bad_value(parser, name, value, "Give true or false.");
}

bool
ph_options_parse_request(PhOptions *options, PhArena *arena, const char *accepted,
						 const char *const *names, const char *const *values, size_t n,
						 PhOptionError *error)
{
	PhOptionParser parser = {.options = options, .arena = arena, .accepted = accepted};

	ph_options_default(options, arena);
	for (size_t i = 0; i < n; i++)
	{
		const PhRenderOption *option = find_option(accepted, names[i]);
		bool ok;

		if (option == NULL)
			return fail(error, names[i],
						ph_need_format(arena, "unknown parameter \"%.200s\"", names[i]),
						list_parameters(arena, accepted));
		/* an empty value is one that a form was not filled in with */
		if (option->argument && *values[i] == '\0')
			continue;
		ok = option->argument ? option->set(&parser, option->name, values[i])
							  : set_flag(&parser, option, option->name, values[i]);
		if (!ok)
			return fail(error, names[i], ph_options_request_words(arena, parser.message),
						ph_options_request_words(arena, parser.hint));
	}
	return true;
}
