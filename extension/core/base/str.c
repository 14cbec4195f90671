/*
 * str.c - a growing text: room doubles, outgrown room stays in the arena (at most as much again).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
ph_str_init(PhStr *str, PhArena *arena)
{
	*str = (PhStr){.arena = arena};
}

/* Room for more bytes and the final NUL. */
static PhStatus
make_room(PhStr *str, size_t more)
{
	if (more > PH_STR_LIMIT - str->length)
		return ph_fail_hint(str->arena->env, PH_ERR_LIMIT, "Ask for a smaller part.",
							"text is longer than %zu bytes", PH_STR_LIMIT);
	size_t needed = str->length + more + 1;
	if (needed <= str->capacity)
		return PH_OK;
	size_t capacity = str->capacity < 128 ? 256 : str->capacity * 2;
	if (capacity < needed)
		capacity = needed;
	char *text;
	PH_TRY(PH_NEW(str->arena, capacity, &text));
	if (str->length > 0)
		memcpy(text, str->text, str->length);
	str->text = text;
	str->capacity = capacity;
	return PH_OK;
}

PhStatus
ph_str_append_n(PhStr *str, const char *text, size_t length)
{
	PH_TRY(make_room(str, length));
	memcpy(str->text + str->length, text, length);
	str->length += length;
	str->text[str->length] = '\0';
	return PH_OK;
}

PhStatus
ph_str_append(PhStr *str, const char *text)
{
	return ph_str_append_n(str, text, strlen(text));
}

PhStatus
ph_str_printf(PhStr *str, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0)
		return ph_fail(str->arena->env, PH_ERR_INTERNAL, "text cannot be formatted");
	PH_TRY(make_room(str, (size_t) length));
	va_start(arguments, format);
	vsnprintf(str->text + str->length, (size_t) length + 1, format, arguments);
	va_end(arguments);
	str->length += (size_t) length;
	return PH_OK;
}

PhStatus
ph_str_take(PhStr *str, char **out)
{
	PH_TRY(make_room(str, 0));
	str->text[str->length] = '\0';
	*out = str->text;
	return PH_OK;
}
