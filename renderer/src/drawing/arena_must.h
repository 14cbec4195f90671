/*
 * arena_must.h - arena allocation that cannot fail, for the renderer.
 *
 * Everything that one picture needs lives in one arena and is dropped with it. Running out of
 * memory ends the program, or inside ph_need_guarded the picture.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DRAWING_ARENA_MUST_H
#define PH_DRAWING_ARENA_MUST_H

#include "base/arena.h"

/* count * size zeroed bytes. */
void *ph_need(PhArena *arena, size_t count, size_t size);

/* Copy of a text; NULL stays NULL. */
char *ph_need_copy(PhArena *arena, const char *text);

/* printf into the arena. */
char *ph_need_format(PhArena *arena, const char *format, ...) PH_PRINTF(2, 3);

/* Grow an arena array so that index count fits; returns the (moved) array. capacity is updated. */
void *ph_need_room(PhArena *arena, void *array, size_t count, size_t *capacity, size_t size);

/* Ends the program with a message when status is not PH_OK: for core calls that only allocate. */
void ph_need_ok(const PhArena *arena, PhStatus status);

/* Gives up when memory was not there. */
void ph_need_memory(bool there);

/* Does the work; false when it ran out of memory half way: *message says so. The arena is then to
 * be dropped; what was held is released. Guards do not nest. */
bool ph_need_guarded(void (*work)(void *user), void *user, char *message, size_t size);

/* Around allocations from the arena while something else is owned: it is released when they fail.
 * Let go of in reverse order, which releases it, too. */
void ph_need_hold(void *object, void (*release)(void *object));
void ph_need_let_go(void);

#endif
