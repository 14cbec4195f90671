/*
 * arena.c - blocks in a list, newest first; the newest one is bumped.
 *
 * Under AddressSanitizer what is behind each piece is poisoned, so that a loop that goes one
 * element too far is reported as it would be in memory of malloc.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/arena.h"

#include <string.h>

#define PH_ARENA_ALIGN 16
#define PH_ARENA_FIRST ((size_t) 4 << 10)
#define PH_ARENA_LARGEST ((size_t) 1 << 20)

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PH_ARENA_POISONS
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define PH_ARENA_POISONS
#endif

#ifdef PH_ARENA_POISONS
#include <sanitizer/asan_interface.h>
#define PH_ARENA_GUARD PH_ARENA_ALIGN
#else
#define PH_ARENA_GUARD 0
#define ASAN_POISON_MEMORY_REGION(start, size) ((void) (start), (void) (size))
#define ASAN_UNPOISON_MEMORY_REGION(start, size) ((void) (start), (void) (size))
#endif

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
add_block(PhArena *arena, size_t payload, bool is_zeroed)
{
	size_t capacity = payload + sizeof(PhArenaBlock);
	bool is_big = payload > arena->next_size / 4;
	if (!is_big)
		capacity = arena->next_size;
	void *memory = NULL;
	if (is_zeroed || !is_big)
		PH_TRY(ph_env_alloc(arena->env, capacity, 1, &memory));
	else
		PH_TRY(ph_env_resize(arena->env, &memory, 0, capacity, 1));
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

static char *
bump(PhArenaBlock *block, size_t bytes)
{
	char *memory = (char *) block + block->used;
	block->used += bytes;
	return memory;
}

/* Bytes that a piece takes of its block: multiples of the alignment, and the guard. */
static size_t
taken(size_t bytes)
{
	size_t least = bytes == 0 ? 1 : bytes;
	return ((least + PH_ARENA_ALIGN - 1) & ~(size_t) (PH_ARENA_ALIGN - 1)) + PH_ARENA_GUARD;
}

static bool
has_room(const PhArenaBlock *block, size_t bytes)
{
	return block != NULL && block->capacity - block->used >= bytes;
}

static PhStatus
take_piece(PhArena *arena, size_t count, size_t size, bool is_zeroed, void **out)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
		return ph_fail(arena->env, PH_ERR_LIMIT, "%zu elements of %zu bytes do not fit into memory",
					   count, size);
	size_t room = taken(bytes);
	if (!has_room(arena->blocks, room))
		PH_TRY(add_block(arena, room, is_zeroed));
	PhArenaBlock *block = arena->blocks;
	if (!has_room(block, room))
		block = block->next;
	char *piece = bump(block, room);
	ASAN_POISON_MEMORY_REGION(piece + bytes, room - bytes);
	*out = piece;
	return PH_OK;
}

PhStatus
ph_arena_alloc(PhArena *arena, size_t count, size_t size, void **out)
{
	return take_piece(arena, count, size, true, out);
}

PhStatus
ph_arena_alloc_unset(PhArena *arena, size_t count, size_t size, void **out)
{
	return take_piece(arena, count, size, false, out);
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
		ASAN_UNPOISON_MEMORY_REGION(arena->blocks, arena->blocks->capacity);
		ph_env_free(arena->env, arena->blocks, arena->blocks->capacity, 1);
		arena->blocks = next;
	}
	arena->next_size = PH_ARENA_FIRST;
}
