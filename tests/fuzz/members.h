/*
 * members.h - inputs that are several files, each behind a line "%%NAME".
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_FUZZ_MEMBERS_H
#define PH_FUZZ_MEMBERS_H

#include <stdbool.h>
#include <string.h>

#include "support/tar.h"

#define MAX_MEMBERS 16
#define NAME_SIZE 40

static inline bool
has_members(const uint8_t *data, size_t size)
{
	return size >= 2 && memcmp(data, "%%", 2) == 0;
}

/* Cut an input that has members; their number. */
static inline size_t
cut_members(const uint8_t *data, size_t size, TarMember *members, char names[][NAME_SIZE])
{
	size_t n = 0;
	const uint8_t *end = data + size;
	for (const uint8_t *at = data; at != NULL && n < MAX_MEMBERS; n++)
	{
		const uint8_t *line = memchr(at, '\n', (size_t) (end - at));
		const uint8_t *name_end = line != NULL ? line : end;
		const uint8_t *bytes = line != NULL ? line + 1 : end;
		const uint8_t *next = memmem(bytes, (size_t) (end - bytes), "\n%%", 3);
		size_t length = (size_t) (name_end - at) - 2;
		length = length < NAME_SIZE - 1 ? length : NAME_SIZE - 1;
		memcpy(names[n], at + 2, length);
		names[n][length] = '\0';
		members[n].name = names[n];
		members[n].bytes = bytes;
		members[n].size = (size_t) ((next != NULL ? next : end) - bytes);
		at = next != NULL ? next + 1 : NULL;
	}
	return n;
}

#endif
