/*
 * name_set.c - unique names by counting up behind a tilde.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/name_set.h"

#include <stdarg.h>
#include <stdio.h>

PhStatus
ph_name_set_init(PhNameSet *set, PhArena *arena)
{
	set->arena = arena;
	return ph_strings_init(&set->taken, arena);
}

PhStatus
ph_name_set_claim(PhNameSet *set, const char *text, const char **out)
{
	const char *name = text;
	for (uint32_t k = 2;; k++)
	{
		uint32_t index;
		uint32_t before = set->taken.count;
		PH_TRY(ph_env_poll(set->arena->env));
		PH_TRY(ph_strings_intern(&set->taken, name, &index));
		if (index == before)
		{
			*out = set->taken.text[index];
			return PH_OK;
		}
		PH_TRY(ph_arena_printf(set->arena, &name, "%s~%u", text, k));
	}
}

PhStatus
ph_arena_printf(PhArena *arena, const char **out, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0)
		return ph_fail(arena->env, PH_ERR_LIMIT, "text is too long");
	char *text;
	PH_TRY(PH_NEW(arena, (size_t) length + 1, &text));
	va_start(arguments, format);
	vsnprintf(text, (size_t) length + 1, format, arguments);
	va_end(arguments);
	*out = text;
	return PH_OK;
}
