/*
 * nearest.c - see nearest.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/nearest.h"

#include <string.h>

#define MAX_WORD 64

static size_t
smallest_of(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

/* Edit distance (insert, delete, replace); words longer than MAX_WORD are far from everything. */
static size_t
distance(const char *a, const char *b)
{
	size_t row[MAX_WORD + 1];
	size_t length_a = strlen(a);
	size_t length_b = strlen(b);

	if (length_a > MAX_WORD || length_b > MAX_WORD)
		return MAX_WORD;
	for (size_t j = 0; j <= length_b; j++)
		row[j] = j;
	for (size_t i = 1; i <= length_a; i++)
	{
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= length_b; j++)
		{
			size_t above = row[j];

			row[j] = smallest_of(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[length_b];
}

const char *
ph_nearest_word(const char *word, const char *const *names, size_t n)
{
	size_t nearest = strlen(word) / 3 + 2; /* farther is no typing error */
	const char *found = NULL;

	for (size_t i = 0; i < n; i++)
	{
		size_t far = distance(word, names[i]);

		if (far < nearest)
		{
			nearest = far;
			found = names[i];
		}
	}
	return found;
}
