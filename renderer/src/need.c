/*
 * need.c - arena allocation that cannot fail, for the renderer.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "need.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
ph_need_ok(const PhArena *arena, PhStatus status)
{
	if (status == PH_OK)
		return;
	fprintf(stderr, "perfhouse-render: error: %s\n",
			arena->env->error.message[0] ? arena->env->error.message : ph_status_name(status));
	exit(EXIT_FAILURE);
}

void *
ph_need(PhArena *arena, size_t count, size_t size)
{
	void *memory = NULL;

	ph_need_ok(arena, ph_arena_alloc(arena, count, size, &memory));
	return memory;
}

char *
ph_need_copy(PhArena *arena, const char *text)
{
	char *copy = NULL;

	if (text == NULL)
		return NULL;
	ph_need_ok(arena, ph_arena_strndup(arena, text, strlen(text), &copy));
	return copy;
}

char *
ph_need_format(PhArena *arena, const char *format, ...)
{
	va_list arguments;
	char *formatted = NULL;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&formatted, format, arguments) < 0)
		formatted = NULL;
	va_end(arguments);
	if (formatted == NULL)
	{
		fputs("perfhouse-render: error: out of memory\n", stderr);
		exit(EXIT_FAILURE);
	}
	text = ph_need_copy(arena, formatted);
	free(formatted);
	return text;
}

void *
ph_need_room(PhArena *arena, void *array, size_t count, size_t *capacity, size_t size)
{
	size_t wanted = *capacity < 16 ? 16 : *capacity * 2;
	void *grown;

	if (count < *capacity)
		return array;
	grown = ph_need(arena, wanted, size);
	if (count > 0)
		memcpy(grown, array, count * size);
	*capacity = wanted;
	return grown;
}
