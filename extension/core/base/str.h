/*
 * str.h - a growing text in an arena, with a limit.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_STR_H
#define PH_BASE_STR_H

#include "base/arena.h"

#define PH_STR_LIMIT ((size_t) 512 << 20) /* half of what the server takes as one text */

typedef struct PhStr
{
	PhArena *arena;
	char *text; /* NUL-terminated once something was appended */
	size_t length;
	size_t capacity;
} PhStr;

void ph_str_init(PhStr *str, PhArena *arena);

/* Append length bytes. PH_ERR_LIMIT beyond PH_STR_LIMIT. */
PhStatus ph_str_append_n(PhStr *str, const char *text, size_t length) PH_MUST_CHECK;

PhStatus ph_str_append(PhStr *str, const char *text) PH_MUST_CHECK;

/* Append as printf would. */
PhStatus ph_str_printf(PhStr *str, const char *format, ...) PH_PRINTF(2, 3) PH_MUST_CHECK;

/* The text so far, "" when nothing was appended. */
PhStatus ph_str_take(PhStr *str, char **out) PH_MUST_CHECK;

#endif
