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

/*
 * Text within a line or a table's cell of GitHub's and GitLab's Markdown, which shows it as it is:
 * no markup, no link, no mention. Escaped is what would be one where it stands, so that the source
 * can be read, too: the colons of std::vector and the parentheses of f(x) stay. The text has to
 * begin at a blank or at the begin of a line, and to end at the like. NULL is empty.
 */
void ph_markdown_put_text(FILE *out, const char *text);

#endif
