/*
 * arena_must.c - arena allocation that cannot fail, for the renderer.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "drawing/arena_must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_HELD 8
#define MOST_FORMATTED 512 /* of nearly all texts */

typedef struct Held
{
	void *object;
	void (*release)(void *object);
} Held;

/* A picture is drawn by one thread from start to end. */
static _Thread_local jmp_buf *guard;
static _Thread_local Held held[MOST_HELD];
static _Thread_local size_t n_held;
static _Thread_local char why[160];

static _Noreturn void
give_up(const char *message)
{
	if (guard != NULL)
	{
		snprintf(why, sizeof(why), "%s", message);
		longjmp(*guard, 1);
	}
	fprintf(stderr, "perfhouse-render: error: %s\n", message);
	exit(EXIT_FAILURE);
}

bool
ph_need_guarded(void (*work)(void *user), void *user, char *message, size_t size)
{
	jmp_buf here;

	guard = &here;
	if (setjmp(here) == 0)
	{
		work(user);
		guard = NULL;
		return true;
	}
	guard = NULL;
	while (n_held > 0)
		ph_need_let_go();
	snprintf(message, size, "%s", why);
	return false;
}

void
ph_need_hold(void *object, void (*release)(void *object))
{
	if (n_held == MOST_HELD)
		abort();
	held[n_held++] = (Held){object, release};
}

void
ph_need_let_go(void)
{
	n_held--;
	held[n_held].release(held[n_held].object);
}

void
ph_need_ok(const PhArena *arena, PhStatus status)
{
	if (status != PH_OK)
		give_up(arena->env->error.message[0] ? arena->env->error.message : ph_status_name(status));
}

void
ph_need_memory(bool there)
{
	if (!there)
		give_up("out of memory");
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
	char most[MOST_FORMATTED];
	char *text;
	int length;

	va_start(arguments, format);
	length = vsnprintf(most, sizeof(most), format, arguments);
	va_end(arguments);
	ph_need_memory(length >= 0);
	text = ph_need(arena, (size_t) length + 1, 1);
	if ((size_t) length < sizeof(most))
	{
		memcpy(text, most, (size_t) length + 1);
		return text;
	}
	va_start(arguments, format);
	ph_need_memory(vsnprintf(text, (size_t) length + 1, format, arguments) == length);
	va_end(arguments);
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
