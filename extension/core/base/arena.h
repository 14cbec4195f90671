/*
 * arena.h - bump allocation over PhEnv: everything of one value lives and dies together.
 *
 * Blocks double up to 1 MiB; requests of more than a quarter of the next one get a block of their
 * own. Memory is zeroed unless said otherwise.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_ARENA_H
#define PH_BASE_ARENA_H

#include "base/env.h"

typedef struct PhArenaBlock PhArenaBlock;

typedef struct PhArena
{
	PhEnv *env;
	PhArenaBlock *blocks;
	size_t next_size;
} PhArena;

/* Start an empty arena; allocates nothing yet. */
void ph_arena_init(PhArena *arena, PhEnv *env);

/* count * size zeroed bytes, 16-byte aligned; count or size 0 gives a valid unique pointer. */
PhStatus ph_arena_alloc(PhArena *arena, size_t count, size_t size, void **out) PH_MUST_CHECK;

/*
 * The same with whatever the memory holds, for those who write all of it: zeroing a large array
 * that is overwritten costs as much as writing it.
 */
PhStatus ph_arena_alloc_unset(PhArena *arena, size_t count, size_t size, void **out) PH_MUST_CHECK;

/* NUL-terminated copy of length bytes. */
PhStatus ph_arena_strndup(PhArena *arena, const char *text, size_t length,
						  char **out) PH_MUST_CHECK;

/* Bytes held by the arena's blocks. */
size_t ph_arena_bytes(const PhArena *arena);

/* Free all blocks; the arena may be used again. */
void ph_arena_drop(PhArena *arena);

/* Typed shorthand: PH_NEW(arena, n, &pointer). */
#define PH_NEW(arena, count, pointer_to_pointer)                                                   \
	ph_arena_alloc((arena), (count), sizeof(**(pointer_to_pointer)), (void **) (pointer_to_pointer))

/* The same, not zeroed: for what is written before it is read. */
#define PH_NEW_UNSET(arena, count, pointer_to_pointer)                                             \
	ph_arena_alloc_unset((arena), (count), sizeof(**(pointer_to_pointer)),                         \
						 (void **) (pointer_to_pointer))

#endif
