/*
 * html_picture.c - see html_picture.h.
 *
 * The renderer is a program of its own, with fonts and Cairo, that a login node can do without. Its
 * SVG has no more than a megabyte, names no other thing by an id, and escapes what comes from data.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/html_picture.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/markup_out.h"
#include "system/log.h"
#include "system/memory.h"
#include "system/paths.h"
#include "system/process.h"

#define MOST_BYTES ((size_t) 8 << 20) /* of a page: what browsers open at once, and mails carry */
#define MOST_SVG ((size_t) 2 << 20)	  /* of a picture: twice what the renderer makes */
#define MOST_WORDS 32
#define WIDTH "1200"

/* The words of a command without "perfhouse render" and without where it is written to. */
static size_t
split_words(char *command, const char **words, size_t most)
{
	char *rest = command;
	size_t n = 0, n_read = 0;

	for (char *word = strtok_r(rest, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
	{
		if (strcmp(word, "-o") == 0)
			break;
		if (n_read++ >= 2 && n < most)
			words[n++] = word;
	}
	return n;
}

/* All that a program prints; NULL: it fails, or it is too much. */
static char *
read_output(const char *const *argv)
{
	char *text = ph_must_alloc(MOST_SVG + 1, 1);
	pid_t child;
	FILE *stream = ph_process_open(argv, &child);
	size_t size = stream != NULL ? fread(text, 1, MOST_SVG, stream) : 0;

	text[size] = '\0';
	if (stream != NULL && ph_process_close(stream, child) == 0 && size < MOST_SVG)
		return text;
	free(text);
	return NULL;
}

/* The picture of a command, from <svg to </svg>; NULL: there is none. To be freed. */
static char *
draw_svg(const PhHtmlPictures *pictures, const char *command)
{
	char *program = ph_path_sibling_program("perfhouse-render");
	char *words = ph_strdup(command);
	const char *argv[MOST_WORDS + 12] = {program};
	size_t n = 1 + split_words(words, argv + 1, MOST_WORDS);
	char *text = NULL, *svg;

	argv[n++] = "--width";
	argv[n++] = WIDTH;
	argv[n++] = "--type";
	argv[n++] = "svg";
	argv[n++] = "--output";
	argv[n++] = "-";
	if (pictures->db != NULL)
	{
		argv[n++] = "--db";
		argv[n++] = pictures->db;
	}
	argv[n] = NULL;
	if (program != NULL)
		text = read_output(argv);
	svg = text != NULL ? strstr(text, "<svg") : NULL;
	svg = svg != NULL ? ph_strdup(svg) : NULL; /* without the head of a document */
	free(text);
	free(words);
	free(program);
	return svg;
}

static void
put_command(FILE *out, const char *title, const char *command)
{
	fprintf(out, "<p class=\"soft\">%s: <code>", title);
	ph_markup_put_text(out, command);
	fputs("</code></p>\n", out);
}

static void
put_figure(FILE *out, PhHtmlPictures *pictures, const char *command, const char *svg)
{
	pictures->bytes += strlen(svg);
	pictures->commands =
		ph_must_resize(pictures->commands, pictures->n + 1, sizeof(*pictures->commands));
	pictures->commands[pictures->n++] = ph_strdup(command);
	fprintf(out, "<figure id=\"picture-%zu\">\n%s<figcaption>Drawn by <code>", pictures->n, svg);
	ph_markup_put_text(out, command);
	fputs("</code></figcaption>\n</figure>\n", out);
}

void
ph_html_picture(FILE *out, PhHtmlPictures *pictures, const char *command)
{
	char *svg;

	for (size_t i = 0; i < pictures->n; i++)
		if (strcmp(pictures->commands[i], command) == 0)
		{
			fprintf(out, "<p><a href=\"#picture-%zu\">The picture above</a> draws it.</p>\n",
					i + 1);
			return;
		}
	svg = pictures->bytes < MOST_BYTES ? draw_svg(pictures, command) : NULL;
	if (svg != NULL)
		put_figure(out, pictures, command, svg);
	else
	{
		if (pictures->bytes < MOST_BYTES)
			ph_log_warning("a picture is left out of the page: %s", command);
		put_command(out, "Left out is the picture of", command);
	}
	free(svg);
}

void
ph_html_pictures_free(PhHtmlPictures *pictures)
{
	for (size_t i = 0; i < pictures->n; i++)
		free(pictures->commands[i]);
	free(pictures->commands);
	*pictures = (PhHtmlPictures){0};
}
