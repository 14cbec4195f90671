/*
 * markup_out.h - data as text of XML, HTML and Markdown: what it holds is never markup.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_CLI_MARKUP_OUT_H
#define PH_CLI_MARKUP_OUT_H

#include <stdio.h>

/*
 * Text or the value of a quoted attribute, of XML and HTML alike. Bytes that are not UTF-8 and
 * characters that XML cannot hold become U+FFFD. NULL is empty.
 */
void ph_markup_put_text(FILE *out, const char *text);

/* Text within a line or a table's cell of GitHub's and GitLab's Markdown. NULL is empty. */
void ph_markdown_put_text(FILE *out, const char *text);

#endif
