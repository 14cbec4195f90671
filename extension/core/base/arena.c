/*
 * arena.c - blocks in a list, newest first; the newest one is bumped.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/arena.h"

#include <string.h>

#define PH_ARENA_ALIGN 16
#define PH_ARENA_FIRST ((size_t) 4 << 10)
#define PH_ARENA_LARGEST ((size_t) 1 << 20)

struct PhArenaBlock
{
	PhArenaBlock *next;
	size_t capacity; /* bytes of the whole block, this header included */
	size_t used;
	size_t padding; /* keeps the payload 16-byte aligned */
};

void
ph_arena_init(PhArena *arena, PhEnv *env)
{
	arena->env = env;
	arena->blocks = NULL;
	arena->next_size = PH_ARENA_FIRST;
}

/*
 * A big request gets a block of just its size, behind the current one, so that the rest of that one
 * is still used; what is small shares blocks that double.
 */
static PhStatus
add_block(PhArena *arena, size_t payload)
{
	size_t capacity = payload + sizeof(PhArenaBlock);
	bool is_big = payload > arena->next_size / 4;
	if (!is_big)
		capacity = arena->next_size;
	void *memory;
	PH_TRY(ph_env_alloc(arena->env, capacity, 1, &memory));
	PhArenaBlock *block = memory;
	block->capacity = capacity;
	block->used = sizeof(PhArenaBlock);
	PhArenaBlock **link = is_big && arena->blocks != NULL ? &arena->blocks->next : &arena->blocks;
	block->next = *link;
	*link = block;
	if (payload < arena->next_size && arena->next_size < PH_ARENA_LARGEST)
		arena->next_size *= 2;
	return PH_OK;
}

static void *
bump(PhArenaBlock *block, size_t bytes)
{
	void *memory = (char *) block + block->used;
	block->used += bytes;
	return memory;
}

static bool
has_room(const PhArenaBlock *block, size_t bytes)
{
	return block != NULL && block->capacity - block->used >= bytes;
}

PhStatus
ph_arena_alloc(PhArena *arena, size_t count, size_t size, void **out)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
		return ph_fail(arena->env, PH_ERR_LIMIT, "%zu elements of %zu bytes do not fit into memory",
					   count, size);
	bytes =
		bytes == 0 ? PH_ARENA_ALIGN : (bytes + PH_ARENA_ALIGN - 1) & ~(size_t) (PH_ARENA_ALIGN - 1);
	if (!has_room(arena->blocks, bytes))
		PH_TRY(add_block(arena, bytes));
	PhArenaBlock *block = arena->blocks;
	if (!has_room(block, bytes))
		block = block->next;
	*out = bump(block, bytes);
	return PH_OK;
}

PhStatus
ph_arena_strndup(PhArena *arena, const char *text, size_t length, char **out)
{
	void *copy = NULL;
	if (length == SIZE_MAX)
		return ph_fail(arena->env, PH_ERR_LIMIT, "string is too long");
	PH_TRY(ph_arena_alloc(arena, length + 1, 1, &copy));
	memcpy(copy, text, length);
	*out = copy;
	return PH_OK;
}

size_t
ph_arena_bytes(const PhArena *arena)
{
	size_t bytes = 0;
	for (const PhArenaBlock *block = arena->blocks; block != NULL; block = block->next)
		bytes += block->capacity;
	return bytes;
}

void
ph_arena_drop(PhArena *arena)
{
	while (arena->blocks != NULL)
	{
		PhArenaBlock *next = arena->blocks->next;
		ph_env_free(arena->env, arena->blocks, arena->blocks->capacity, 1);
		arena->blocks = next;
	}
	arena->next_size = PH_ARENA_FIRST;
}
