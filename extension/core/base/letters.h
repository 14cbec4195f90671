/*
 * letters.h - what a byte of a query or filter is, whatever the locale.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_LETTERS_H
#define PH_BASE_LETTERS_H

#include <stdbool.h>

/* Of names: ASCII, and the underscore. */
static inline bool
ph_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool
ph_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool
ph_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline char
ph_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
}

#endif
