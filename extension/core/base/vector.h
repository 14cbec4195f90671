/*
 * vector.h - arrays that grow element by element, in memory of an environment or of an arena.
 *
 * An array is three things: items, how many there are, and for how many there is room. They are
 * fields of their own, or a PH_VECTOR. Growing is a step of its own, after which the element is
 * written by assignment, so that no type is lost on the way:
 *
 *     PH_TRY(PH_ROOM(env, &list));
 *     list.items[list.count++] = value;
 *
 * In an environment's memory an array is resized by a share of its size and freed by its owner; in
 * an arena it is copied to twice the room, what it leaves behind stays there until the arena goes.
 * A failure changes nothing. New elements are zeroed in an arena only.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_VECTOR_H
#define PH_BASE_VECTOR_H

#include "base/arena.h"

/* Zeroed: empty. Two of them have two types, unless one typedef is used for both. */
#define PH_VECTOR(type)                                                                            \
	struct                                                                                         \
	{                                                                                              \
		type *items;                                                                               \
		uint32_t count, capacity;                                                                  \
	}

/* Numbers of events, nodes, sets. */
typedef PH_VECTOR(uint32_t) PhIndices;

/*
 * More room, whether there is some left or not. PH_ERR_LIMIT where the array would have more
 * elements than indices can tell, or more bytes than memory has.
 */
PhStatus ph_grow_in_env(PhEnv *env, void **items, uint32_t count, uint32_t *capacity,
						size_t size) PH_MUST_CHECK;
PhStatus ph_grow_in_arena(PhArena *arena, void **items, uint32_t count, uint32_t *capacity,
						  size_t size) PH_MUST_CHECK;

/* Room for element `count` of *items; memory is a PhEnv or a PhArena. Looks first, which is fast.
 */
#ifdef __cppcheck__ /* it cannot parse _Generic; either function is as good to it */
#define PH_GROW(memory, items, count, capacity)                                                    \
	ph_grow_in_env((void *) (memory), (void **) (items), (count), (capacity), sizeof(**(items)))
#else
#define PH_GROW(memory, items, count, capacity)                                                    \
	((count) < *(capacity) ? PH_OK                                                                 \
						   : _Generic((memory), PhArena *                                          \
									  : ph_grow_in_arena, PhEnv *                                  \
									  : ph_grow_in_env)((memory), (void **) (items), (count),      \
														(capacity), sizeof(**(items))))
#endif

/* Room for one more element of a PH_VECTOR. */
#define PH_ROOM(memory, vector)                                                                    \
	PH_GROW(memory, &(vector)->items, (vector)->count, &(vector)->capacity)

/*
 * Room for n elements of a PH_VECTOR in an environment's memory, for whoever fills an array anew:
 * what was in it is lost where it has to grow, and the count is left alone.
 */
PhStatus ph_reserve_in_env(PhEnv *env, void **items, uint32_t *capacity, size_t n,
						   size_t size) PH_MUST_CHECK;
#define PH_RESERVE(env, vector, n)                                                                 \
	ph_reserve_in_env((env), (void **) &(vector)->items, &(vector)->capacity, (n),                 \
					  sizeof(*(vector)->items))

/* Free a PH_VECTOR in an environment's memory; it is empty then. */
#define PH_VECTOR_FREE(env, vector)                                                                \
	(ph_env_free((env), (vector)->items, (vector)->capacity, sizeof(*(vector)->items)),            \
	 (vector)->items = NULL, (vector)->count = (vector)->capacity = 0)

PH_MUST_CHECK static inline PhStatus ph_indices_add(PhEnv *env, PhIndices *indices, uint32_t index);

static inline PhStatus
ph_indices_add(PhEnv *env, PhIndices *indices, uint32_t index)
{
	PH_TRY(PH_ROOM(env, indices));
	indices->items[indices->count++] = index;
	return PH_OK;
}

/*
 * How long a list gets of which n elements are there and are about this share of all, which is not
 * 0. A hint: n times a limit where the share is wrong.
 */
double ph_expected_length(uint32_t n, double share);

#endif
