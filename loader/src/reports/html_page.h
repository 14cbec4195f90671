/*
 * html_page.h - a report as one HTML file, which needs nothing beside it: no server, no script, no
 * other file. Light or dark as the reader's system is.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_HTML_PAGE_H
#define PH_REPORTS_HTML_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Down to the begin of the page's main part; kind is of perfhouse, such as "gate". */
void ph_html_begin(FILE *out, const char *kind, const char *title);
void ph_html_end(FILE *out);

/* "<name class="...">text</name>\n", the text being data. class_name NULL: none. */
void ph_html_element(FILE *out, const char *name, const char *class_name, const char *text);

/* Code behind a title, which opens it. */
void ph_html_code(FILE *out, const char *title, const char *code);

/* A column of a table. */
typedef struct PhHtmlColumn
{
	const char *title;
	bool is_number;
} PhHtmlColumn;

void ph_html_table_begin(FILE *out, const char *caption, const PhHtmlColumn *columns, size_t n);
void ph_html_table_row(FILE *out, const PhHtmlColumn *columns, const char *const *cells, size_t n);
void ph_html_table_end(FILE *out);

#endif
