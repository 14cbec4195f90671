/*
 * answer.c - answers and error messages in every form.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/answer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cli/json_out.h"
#include "system/memory.h"
#include "system/utf8_text.h"

#define SVG_TYPE "image/svg+xml; charset=utf-8"

void
ph_answer_free(PhAnswer *answer)
{
	free(answer->owned);
	free(answer->location);
	free(answer->set_cookie);
	*answer = (PhAnswer){0};
}

void
ph_answer_take(PhAnswer *answer, int status, const char *type, void *body, size_t size)
{
	free(answer->owned);
	answer->status = status;
	answer->type = type;
	answer->owned = body;
	answer->body = body;
	answer->size = size;
}

void
ph_answer_constant(PhAnswer *answer, const char *type, const void *body, size_t size,
				   const char *etag)
{
	ph_answer_take(answer, 200, type, NULL, size);
	answer->body = body;
	snprintf(answer->etag, sizeof(answer->etag), "\"%s\"", etag);
}

void
ph_answer_tag(PhAnswer *answer)
{
	snprintf(answer->etag, sizeof(answer->etag), "\"%016llx-%zx\"",
			 (unsigned long long) ph_hash_bytes(answer->body, answer->size), answer->size);
}

void
ph_answer_redirect(PhAnswer *answer, char *location)
{
	ph_answer_take(answer, 303, "text/plain; charset=utf-8", NULL, 0);
	free(answer->location);
	answer->location = location;
}

/* Text as content of XML and HTML, also inside quotes; control characters become spaces. */
static void
write_escaped(FILE *file, const char *text)
{
	char *valid = ph_text_valid(text);

	for (const char *p = valid; *p != '\0'; p++)
	{
		const char *entity = *p == '&'	  ? "&amp;"
							 : *p == '<'  ? "&lt;"
							 : *p == '>'  ? "&gt;"
							 : *p == '"'  ? "&quot;"
							 : *p == '\'' ? "&#39;"
										  : NULL;

		if (entity != NULL)
			fputs(entity, file);
		else
			fputc((unsigned char) *p < 0x20 || *p == 0x7f ? ' ' : *p, file);
	}
	free(valid);
}

static void
write_json(FILE *file, const char *message, const char *hint, const char *parameter)
{
	PhJson *error = ph_json_object();
	PhJson *object = ph_json_object();

	ph_json_set_text(error, "message", message);
	if (hint != NULL && *hint != '\0')
		ph_json_set_text(error, "hint", hint);
	if (parameter != NULL)
		ph_json_set_text(error, "parameter", parameter);
	ph_json_set(object, "error", error);
	ph_json_print_line(file, object);
}

/* One line of an SVG text, cut when it is too long to be read anyway. */
static void
write_svg_line(FILE *file, int y, const char *color, const char *text)
{
	char line[160];

	snprintf(line, sizeof(line), "%s", text);
	fprintf(file, "<text x=\"16\" y=\"%d\" fill=\"%s\">", y, color);
	write_escaped(file, line);
	fputs("</text>\n", file);
}

static void
write_svg(FILE *file, const char *message, const char *hint)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"80\" "
		  "viewBox=\"0 0 900 80\" font-family=\"'DejaVu Sans', Verdana, sans-serif\" "
		  "font-size=\"13\" role=\"img\">\n"
		  "<rect width=\"100%\" height=\"100%\" fill=\"#fff7f5\" stroke=\"#b3261e\"/>\n",
		  file);
	write_svg_line(file, 32, "#b3261e", message);
	if (hint != NULL)
		write_svg_line(file, 56, "#444444", hint);
	fputs("</svg>\n", file);
}

static void
write_page(FILE *file, const char *message, const char *hint)
{
	fputs("<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
		  "<title>perfhouse</title></head>\n<body>\n<h1>",
		  file);
	write_escaped(file, message);
	fputs("</h1>\n<p>", file);
	write_escaped(file, hint != NULL ? hint : "");
	fputs("</p>\n<p><a href=\"/\">All runs</a></p>\n</body>\n</html>\n", file);
}

static const char *
write_error(const PhAnswer *answer, FILE *file, const char *message, const char *hint,
			const char *parameter)
{
	if (answer->for_script || answer->kind == PH_ANSWER_DATA || answer->kind == PH_ANSWER_EVENTS)
	{
		write_json(file, message, hint, parameter);
		return "application/json";
	}
	if (answer->kind == PH_ANSWER_PAGE)
	{
		write_page(file, message, hint);
		return "text/html; charset=utf-8";
	}
	if (answer->type != NULL && strcmp(answer->type, SVG_TYPE) == 0)
	{
		write_svg(file, message, hint);
		return SVG_TYPE;
	}
	fprintf(file, "%s\n%s%s", message, hint != NULL ? hint : "", hint != NULL ? "\n" : "");
	return "text/plain; charset=utf-8";
}

void
ph_answer_error(PhAnswer *answer, int status, const char *message, const char *hint,
				const char *parameter)
{
	char *bytes = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&bytes, &size);
	const char *type = "text/plain; charset=utf-8";

	if (file != NULL)
	{
		type = write_error(answer, file, message, hint, parameter);
		if (fclose(file) != 0)
			size = 0;
	}
	answer->etag[0] = '\0';
	ph_answer_take(answer, status, type, bytes, size);
}
