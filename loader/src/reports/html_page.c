/*
 * html_page.c - see html_page.h.
 *
 * Nothing in the page may run or be fetched, whatever names of strangers were to get into it: the
 * page says so itself, by a policy that browsers hold it to.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/html_page.h"

#include "cli/markup_out.h"
#include "texts.h"

void
ph_html_begin(FILE *out, const char *kind, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
		  "'unsafe-inline'; img-src data:\">\n"
		  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
		  out);
	ph_markup_put_text(out, title);
	fprintf(out, " - perfhouse %s</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n", kind,
			ph_page_css);
	ph_html_element(out, "h1", NULL, title);
	fputs("</header>\n<main>\n", out);
}

void
ph_html_end(FILE *out)
{
	fputs("</main>\n<footer>Made by perfhouse.</footer>\n</body>\n</html>\n", out);
}

void
ph_html_element(FILE *out, const char *name, const char *class_name, const char *text)
{
	fprintf(out, "<%s", name);
	if (class_name != NULL)
		fprintf(out, " class=\"%s\"", class_name);
	fputc('>', out);
	ph_markup_put_text(out, text);
	fprintf(out, "</%s>\n", name);
}

void
ph_html_code(FILE *out, const char *title, const char *code)
{
	fprintf(out, "<details><summary>%s</summary><pre tabindex=\"0\"><code>", title);
	ph_markup_put_text(out, code);
	fputs("</code></pre></details>\n", out);
}

/* ---- tables ---- */

void
ph_html_table_begin(FILE *out, const char *caption, const PhHtmlColumn *columns, size_t n)
{
	fputs("<div class=\"scroll\" tabindex=\"0\"><table>\n", out);
	ph_html_element(out, "caption", NULL, caption);
	fputs("<thead><tr>", out);
	for (size_t i = 0; i < n; i++)
	{
		fprintf(out, "<th scope=\"col\"%s>", columns[i].is_number ? " class=\"number\"" : "");
		ph_markup_put_text(out, columns[i].title);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n<tbody>\n", out);
}

void
ph_html_table_row(FILE *out, const PhHtmlColumn *columns, const char *const *cells, size_t n)
{
	fputs("<tr>", out);
	for (size_t i = 0; i < n; i++)
	{
		fprintf(out, "<td%s>", columns[i].is_number ? " class=\"number\"" : "");
		ph_markup_put_text(out, cells[i]);
		fputs("</td>", out);
	}
	fputs("</tr>\n", out);
}

void
ph_html_table_end(FILE *out)
{
	fputs("</tbody></table></div>\n", out);
}
