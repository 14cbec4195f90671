/*
 * utf8_text.h - UTF-8 as it meets terminals and JSON: decoding, width, replacement of bad bytes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SYSTEM_UTF8_TEXT_H
#define PH_SYSTEM_UTF8_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define PH_BAD_CHARACTER UINT32_MAX

/* Decode the character at *text (not at its end) and move on; bad bytes give PH_BAD_CHARACTER one
 * by one. */
uint32_t ph_utf8_next(const char **text);

/* Terminal columns of a character: 0 for combining marks, 2 for wide ones, else 1. */
size_t ph_utf8_width(uint32_t character);

/* malloc'ed copy in which bad bytes are U+FFFD. */
char *ph_text_valid(const char *text);

/* malloc'ed copy for a terminal's line: valid, with spaces instead of control characters; NULL is
 * empty. */
char *ph_text_line(const char *text);

#endif
