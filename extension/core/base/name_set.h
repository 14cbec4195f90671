/*
 * name_set.h - a set of names that hands out unique ones; formatted text in an arena.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_NAME_SET_H
#define PH_BASE_NAME_SET_H

#include "base/table.h"

typedef struct PhNameSet
{
	PhArena *arena;
	PhStrings taken;
} PhNameSet;

PhStatus ph_name_set_init(PhNameSet *set, PhArena *arena) PH_MUST_CHECK;

/* Add text or, when it is taken, the first of text~2, text~3, ... that is free: *out. */
PhStatus ph_name_set_claim(PhNameSet *set, const char *text, const char **out) PH_MUST_CHECK;

/* "printf" into an arena; no limit on the length. */
PhStatus ph_arena_printf(PhArena *arena, const char **out, const char *format, ...)
	PH_PRINTF(3, 4) PH_MUST_CHECK;

#endif
