/*
 * etag.c - tags by which clients name the answers that they have.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/cache/etag.h"

#include <stdio.h>
#include <string.h>

void
ph_etag_make(char out[PH_ETAG_SIZE], const char *name, PhCoding coding)
{
	const char *suffix = ph_coding_name(coding);

	snprintf(out, PH_ETAG_SIZE, "\"%.40s%s%s\"", name, suffix != NULL ? "-" : "",
			 suffix != NULL ? suffix : "");
}

/* Is a tag in a list of them? */
static bool
is_listed(const char *list, const char *tag)
{
	size_t length = strlen(tag);

	while (list != NULL && *list != '\0')
	{
		const char *end;

		list += strspn(list, " \t,");
		if (*list == '*')
			return true;
		if (strncmp(list, "W/", 2) == 0)
			list += 2;
		end = *list == '"' ? strchr(list + 1, '"') : NULL;
		if (end == NULL) /* what follows is no list */
			return false;
		if ((size_t) (end + 1 - list) == length && memcmp(list, tag, length) == 0)
			return true;
		list = end + 1;
	}
	return false;
}

bool
ph_etag_is_known(const char *list, const char *name, char tag[PH_ETAG_SIZE])
{
	for (PhCoding coding = PH_CODING_IDENTITY; list != NULL && coding < PH_N_CODINGS; coding++)
	{
		ph_etag_make(tag, name, coding);
		if (is_listed(list, tag))
			return true;
	}
	return false;
}
