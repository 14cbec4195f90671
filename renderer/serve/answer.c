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
#include "system/utf8_text.h"

#define SVG_TYPE "image/svg+xml; charset=utf-8"

void
ph_answer_free(PhAnswer *answer)
{
	ph_content_release(answer->owned);
	free(answer->location);
	free(answer->set_cookie);
	*answer = (PhAnswer){0};
}

void
ph_answer_share(PhAnswer *answer, const char *type, PhCoding coding, PhContent *body)
{
	ph_content_release(answer->owned);
	answer->status = 200;
	answer->type = type;
	answer->owned = body;
	answer->coding = coding;
	answer->body = body != NULL ? body->bytes : NULL;
	answer->size = body != NULL ? body->size : 0;
}

void
ph_answer_take(PhAnswer *answer, int status, const char *type, void *body, size_t size)
{
	PhContent *owned = body != NULL ? ph_content_new(body, size) : NULL;

	if (body != NULL && owned == NULL)
	{
		ph_answer_memory(answer);
		return;
	}
	ph_answer_share(answer, type, PH_CODING_IDENTITY, owned);
	answer->status = status;
}

void
ph_answer_constant(PhAnswer *answer, const char *type, const void *body, size_t size,
				   const char *name)
{
	ph_answer_share(answer, type, PH_CODING_IDENTITY, NULL);
	answer->body = body;
	answer->size = size;
	snprintf(answer->name, sizeof(answer->name), "%s", name);
}

void
ph_answer_tag(PhAnswer *answer)
{
	snprintf(answer->name, sizeof(answer->name), "%016llx-%zx",
			 (unsigned long long) ph_hash_bytes(answer->body, answer->size), answer->size);
}

void
ph_answer_memory(PhAnswer *answer)
{
	static const char body[] = "{\"error\":{\"message\":\"the server is out of memory\","
							   "\"hint\":\"Try again in a few seconds, or ask for less.\"}}\n";

	ph_answer_constant(answer, "application/json", body, sizeof(body) - 1, "");
	answer->status = 503;
	answer->retry_after = 5;
}

void
ph_answer_stream(PhAnswer *answer, const char *type, PhTextStream *stream, bool ok)
{
	size_t size = 0;
	char *bytes = ph_text_stream_take(stream, &size);

	if (ok && bytes != NULL)
	{
		ph_answer_take(answer, 200, type, bytes, size);
		return;
	}
	free(bytes);
	ph_answer_memory(answer);
}

void
ph_answer_redirect(PhAnswer *answer, char *location)
{
	if (location == NULL)
	{
		ph_answer_memory(answer);
		return;
	}
	ph_answer_take(answer, 303, "text/plain; charset=utf-8", NULL, 0);
	free(answer->location);
	answer->location = location;
}

/* Text as content of XML and HTML, also inside quotes; control characters become spaces, bytes that
 * are no UTF-8 U+FFFD. */
static void
write_escaped(FILE *file, const char *text)
{
	while (*text != '\0')
	{
		const char *start = text;
		uint32_t character = ph_utf8_next(&text);
		const char *entity = character == '&'						 ? "&amp;"
							 : character == '<'						 ? "&lt;"
							 : character == '>'						 ? "&gt;"
							 : character == '"'						 ? "&quot;"
							 : character == '\''					 ? "&#39;"
							 : character == PH_BAD_CHARACTER		 ? "\xef\xbf\xbd"
							 : character < 0x20 || character == 0x7f ? " "
																	 : NULL;

		if (entity != NULL)
			fputs(entity, file);
		else
			fwrite(start, 1, (size_t) (text - start), file);
	}
}

static void
write_json(FILE *file, const char *message, const char *hint, const char *parameter)
{
	PhJsonOut writer, *json = &writer;

	ph_json_begin(json, file);
	json->hides_markup = true;
	ph_json_open_object(json, NULL);
	ph_json_open_object(json, "error");
	ph_json_put_text(json, "message", message);
	if (hint != NULL && *hint != '\0')
		ph_json_put_text(json, "hint", hint);
	if (parameter != NULL)
		ph_json_put_text(json, "parameter", parameter);
	ph_json_close(json);
	ph_json_close(json);
	(void) ph_json_done_line(json);
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
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		  "<title>perfhouse</title>\n"
		  "<link rel=\"stylesheet\" href=\"/static/base.css\">\n"
		  "<script type=\"module\" src=\"/static/theme.js\"></script>\n</head>\n<body>\n"
		  "<header class=\"top\"><a class=\"brand\" href=\"/\">perfhouse</a></header>\n"
		  "<main id=\"main\">\n<div class=\"problem\" role=\"alert\"><h1>",
		  file);
	write_escaped(file, message);
	fputs("</h1><p class=\"hint\">", file);
	write_escaped(file, hint != NULL ? hint : "");
	fputs("</p></div>\n<p><a href=\"/\">All runs</a></p>\n</main>\n</body>\n</html>\n", file);
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
	PhTextStream stream;
	const char *type;

	answer->name[0] = '\0';
	if (!ph_text_stream_open(&stream))
	{
		ph_answer_memory(answer);
		return;
	}
	type = write_error(answer, stream.file, message, hint, parameter);
	ph_answer_stream(answer, type, &stream, true);
	if (answer->status == 200)
		answer->status = status;
}
