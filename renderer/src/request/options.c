/*
 * options.c - command lines of `perfhouse render VIEW`, and their help.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "request/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "request/options_internal.h"

bool
ph_option_fail(PhOptionParser *parser, const char *message, const char *hint)
{
	parser->message = message;
	parser->hint = hint;
	return false;
}

/* Options that every view takes. */
static const char common[] =
	" palette title width height scale output type rows save-rows db quiet verbose help ";

bool
ph_option_among(const char *words, const char *word)
{
	size_t length = strlen(word);

	for (const char *p = strstr(words, word); p; p = strstr(p + 1, word))
		if ((p == words || p[-1] == ' ') && (p[length] == ' ' || p[length] == '\0'))
			return true;
	return false;
}

static bool
takes(const char *accepted, const PhRenderOption *option)
{
	return ph_option_among(common, option->name) || ph_option_among(accepted, option->name);
}

const PhRenderOption *
ph_option_find(const char *name, size_t length)
{
	for (const PhRenderOption *option = ph_render_options; option->name; option++)
		if (strlen(option->name) == length && strncmp(option->name, name, length) == 0)
			return option;
	return NULL;
}

static const PhRenderOption *
find_short(char letter)
{
	for (const PhRenderOption *option = ph_render_options; option->name; option++)
		if (option->letter == letter)
			return option;
	return NULL;
}

/* argv[i] and perhaps argv[i + 1]; returns how many were used, 0 on failure. */
static int
parse_one(PhOptionParser *p, int argc, char **argv, int i)
{
	const char *text = argv[i];
	const char *value = NULL;
	const PhRenderOption *option = NULL;
	int used = 1;

	if (strncmp(text, "--", 2) == 0)
	{
		value = strchr(text, '=');
		option = ph_option_find(text + 2, value ? (size_t) (value - text) - 2 : strlen(text + 2));
		value = value ? value + 1 : NULL;
	}
	else if (text[0] == '-' && text[1] != '\0')
	{
		option = find_short(text[1]);
		value = text[2] != '\0' ? text + 2 : NULL;
	}
	if (option == NULL || !takes(p->accepted, option) || (value && !option->argument))
	{
		ph_option_fail(p, ph_need_format(p->arena, "unknown option or argument \"%s\"", text),
					   "Use --help for the options of this view.");
		return 0;
	}
	if (option->argument && value == NULL)
	{
		if (i + 1 >= argc)
		{
			ph_option_fail(p, ph_need_format(p->arena, "option --%s needs a value", option->name),
						   "Use --help for the options of this view.");
			return 0;
		}
		value = argv[i + 1];
		used = 2;
	}
	return option->set(p, option->name, value) ? used : 0;
}

/* The format comes from the file's name; a conflicting or missing one from --type. */
static bool
settle_format(PhOptionParser *p, bool typed)
{
	PhOptions *options = p->options;
	const char *dot = options->output ? strrchr(options->output, '.') : NULL;

	if (options->help)
		return true;
	if (options->output == NULL)
		return ph_option_fail(p, "no picture to write",
							  "Use -o FILE.svg, -o FILE.png or -o FILE.pdf.");
	if (typed || (dot && ph_format_parse(dot + 1, &options->format)))
		return true;
	return ph_option_fail(
		p, ph_need_format(p->arena, "cannot tell the type of picture from \"%s\"", options->output),
		"Use a name that ends in .svg, .png or .pdf, or --type.");
}

void
ph_options_default(PhOptions *options, PhArena *arena)
{
	memset(options, 0, sizeof(*options));
	options->arena = arena;
	options->filter = options->color_low = options->color_high = NAN;
	options->scale = 1;
	options->bins = 20;
	options->top = 16;
	options->group_by = "module";
	options->order = "rank";
	options->mode = "default";
	options->parameter = "n_ranks";
	options->scaling = "strong";
}

bool
ph_options_parse(PhOptions *options, PhArena *arena, const char *accepted, int argc, char **argv,
				 const char **message, const char **hint)
{
	PhOptionParser parser = {.options = options, .arena = arena, .accepted = accepted};
	bool typed = false;
	bool ok = true;

	ph_options_default(options, arena);
	options->database = getenv("PERFHOUSE_DB");
	if (options->database && options->database[0] == '\0')
		options->database = NULL;
	for (int i = 0; ok && i < argc;)
	{
		int used = parse_one(&parser, argc, argv, i);

		typed = typed || strncmp(argv[i], "--type", 6) == 0;
		ok = used > 0;
		i += used;
	}
	ok = ok && settle_format(&parser, typed);
	*message = parser.message;
	*hint = parser.hint;
	return ok;
}

void
ph_options_help(FILE *file, const char *accepted)
{
	char left[64];

	for (const PhRenderOption *option = ph_render_options; option->name; option++)
	{
		if (!takes(accepted, option))
			continue;
		snprintf(left, sizeof(left), "%c%c%c --%s%s%s", option->letter ? '-' : ' ',
				 option->letter ? option->letter : ' ', option->letter ? ',' : ' ', option->name,
				 option->argument ? " " : "", option->argument ? option->argument : "");
		fprintf(file, "  %-32s %s\n", left, option->help);
	}
}
