/*
 * slice.h - a part of a text that stays where it is, and what readers of lines do with one.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_SLICE_H
#define PH_READERS_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct PhSlice
{
	const char *text; /* not NUL-terminated */
	size_t size;
} PhSlice;

static inline bool
ph_slice_is(PhSlice slice, const char *word)
{
	return slice.size == strlen(word) && memcmp(slice.text, word, slice.size) == 0;
}

static inline bool
ph_slice_begins(PhSlice slice, const char *word)
{
	size_t size = strlen(word);
	return slice.size >= size && memcmp(slice.text, word, size) == 0;
}

static inline bool
ph_slice_ends(PhSlice slice, const char *word)
{
	size_t size = strlen(word);
	return slice.size >= size && memcmp(slice.text + slice.size - size, word, size) == 0;
}

/* The first n bytes, and what is behind them. */
static inline PhSlice
ph_slice_first(PhSlice slice, size_t n)
{
	return (PhSlice){slice.text, n};
}

static inline PhSlice
ph_slice_behind(PhSlice slice, size_t n)
{
	return (PhSlice){slice.text + n, slice.size - n};
}

static inline bool
ph_is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r';
}

/* Without blanks at its ends. */
static inline PhSlice
ph_slice_trim(PhSlice slice)
{
	while (slice.size > 0 && ph_is_blank(slice.text[0]))
		slice = ph_slice_behind(slice, 1);
	while (slice.size > 0 && ph_is_blank(slice.text[slice.size - 1]))
		slice.size--;
	return slice;
}

/* How many of its first bytes are none of blanks. */
static inline size_t
ph_slice_word(PhSlice slice)
{
	size_t n = 0;
	while (n < slice.size && !ph_is_blank(slice.text[n]))
		n++;
	return n;
}

/* Where the last word begins. */
static inline size_t
ph_slice_last_word(PhSlice slice)
{
	size_t n = slice.size;
	while (n > 0 && !ph_is_blank(slice.text[n - 1]))
		n--;
	return n;
}

/* What follows the last slash. */
static inline PhSlice
ph_slice_base(PhSlice path)
{
	const char *slash = path.size > 0 ? memrchr(path.text, '/', path.size) : NULL;
	return slash == NULL ? path : ph_slice_behind(path, (size_t) (slash + 1 - path.text));
}

#endif
