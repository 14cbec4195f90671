/*
 * source_match.c - see source_match.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/source_match.h"

#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789abcdef"
#define LEAST_HASH 7

bool
ph_is_commit_hash(const char *text)
{
	size_t length = strlen(text);

	return length >= LEAST_HASH && length < PH_OBJECT_SIZE && strspn(text, DIGITS) == length;
}

void
ph_source_match_begin(PhSourceMatch *match, const char *wanted)
{
	*match = (PhSourceMatch){.wanted = wanted};
}

void
ph_source_match_free(PhSourceMatch *match)
{
	free(match->path);
	match->path = NULL;
}

/* "./src" is "src". */
static const char *
without_dot(const char *path)
{
	while (strncmp(path, "./", 2) == 0)
		path += 2;
	return path;
}

/* Is one of both paths the end of the other, behind a slash or from its start? *n: components. */
static bool
is_end_of(const char *end, const char *whole, size_t *n)
{
	size_t a = strlen(end), b = strlen(whole);

	*n = 1;
	if (a == 0 || a > b || strcmp(whole + b - a, end) != 0 || (a < b && whole[b - a - 1] != '/'))
		return false;
	for (const char *at = end; *at != '\0'; at++)
		*n += *at == '/' && at > end;
	return true;
}

/* The object of a plain file in out, and its path; NULL: the entry is none of those. */
static const char *
read_entry(const char *entry, char out[PH_OBJECT_SIZE])
{
	const char *object = entry + strlen("100644 blob ");
	size_t length;

	if (strncmp(entry, "100644 blob ", strlen("100644 blob ")) != 0 &&
		strncmp(entry, "100755 blob ", strlen("100755 blob ")) != 0)
		return NULL;
	length = strspn(object, DIGITS);
	if (length < LEAST_HASH || length >= PH_OBJECT_SIZE || object[length] != '\t')
		return NULL;
	memcpy(out, object, length);
	out[length] = '\0';
	return object + length + 1;
}

void
ph_source_match_add(PhSourceMatch *match, const char *entry)
{
	const char *wanted = without_dot(match->wanted);
	char object[PH_OBJECT_SIZE];
	const char *path = read_entry(entry, object);
	size_t n = 0;
	bool is_whole = path != NULL && is_end_of(path, wanted, &n);

	if (path == NULL || (!is_whole && !is_end_of(wanted, path, &n)))
		return;
	if (match->path != NULL && (n < match->n_common || (n == match->n_common && match->is_whole)))
		return; /* as good only where both are longer than what is wanted */
	match->is_doubtful = match->path != NULL && n == match->n_common && !is_whole;
	free(match->path);
	match->path = strdup(path);
	match->has_failed |= match->path == NULL;
	memcpy(match->object, object, sizeof(object));
	match->n_common = n;
	match->is_whole = is_whole;
}
