/*
 * flatbuffer.c - a builder of FlatBuffers, as far as the metadata of Arrow needs them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "arrow/flatbuffer.h"

#include <stdlib.h>
#include <string.h>

#include "system/memory.h"

static uint8_t *
reserve(PhFlat *flat, size_t n)
{
	if (flat->used + n > flat->capacity)
	{
		size_t capacity = 2 * flat->capacity + n + 256;
		uint8_t *bytes = ph_must_alloc(capacity, 1);

		if (flat->used > 0)
			memcpy(bytes + capacity - flat->used, flat->bytes + flat->capacity - flat->used,
				   flat->used);
		free(flat->bytes);
		flat->bytes = bytes;
		flat->capacity = capacity;
	}
	flat->used += n;
	return flat->bytes + flat->capacity - flat->used;
}

static void
put(PhFlat *flat, uint64_t value, size_t width)
{
	uint8_t *to = reserve(flat, width);

	for (size_t i = 0; i < width; i++)
		to[i] = (uint8_t) (value >> (8 * i));
}

/* Zeros, so that after `more` bytes the position is a multiple of `alignment`. */
static void
align(PhFlat *flat, size_t alignment, size_t more)
{
	size_t rest = (flat->used + more) % alignment;

	if (rest > 0)
		memset(reserve(flat, alignment - rest), 0, alignment - rest);
}

void
ph_flat_begin(PhFlat *flat)
{
	flat->used = 0;
}

void
ph_flat_free(PhFlat *flat)
{
	free(flat->bytes);
	*flat = (PhFlat){0};
}

uint32_t
ph_flat_text(PhFlat *flat, const char *text)
{
	size_t size = strlen(text);

	align(flat, 4, size + 1);
	memcpy(reserve(flat, size + 1), text, size + 1);
	put(flat, size, 4);
	return (uint32_t) flat->used;
}

uint32_t
ph_flat_offsets(PhFlat *flat, const uint32_t *positions, size_t n)
{
	align(flat, 4, 0);
	for (size_t i = n; i-- > 0;)
		put(flat, flat->used + 4 - positions[i], 4);
	put(flat, n, 4);
	return (uint32_t) flat->used;
}

uint32_t
ph_flat_structs(PhFlat *flat, const void *items, size_t width, size_t n)
{
	align(flat, 8, n * width);
	if (n > 0)
		memcpy(reserve(flat, n * width), items, n * width);
	put(flat, n, 4);
	return (uint32_t) flat->used;
}

void
ph_flat_open(PhFlat *flat, uint32_t n_slots)
{
	if (n_slots > PH_FLAT_MOST_SLOTS)
		abort();
	memset(flat->slots, 0, sizeof(flat->slots));
	flat->n_slots = n_slots;
	flat->table = flat->used;
}

void
ph_flat_put(PhFlat *flat, uint32_t slot, uint64_t value, size_t width)
{
	align(flat, width, width);
	put(flat, value, width);
	flat->slots[slot] = (uint32_t) flat->used;
}

void
ph_flat_refer(PhFlat *flat, uint32_t slot, uint32_t position)
{
	align(flat, 4, 4);
	put(flat, flat->used + 4 - position, 4);
	flat->slots[slot] = (uint32_t) flat->used;
}

/* In front of the fields stands how far before the table its list of places is. */
uint32_t
ph_flat_close(PhFlat *flat)
{
	size_t list = 4 + 2 * (size_t) flat->n_slots;
	size_t table;

	align(flat, 4, 4);
	put(flat, 0, 4);
	table = flat->used;
	align(flat, 2, 0);
	for (uint32_t i = flat->n_slots; i-- > 0;)
		put(flat, flat->slots[i] > 0 ? table - flat->slots[i] : 0, 2);
	put(flat, table - flat->table, 2);
	put(flat, list, 2);
	{
		uint8_t *to = flat->bytes + flat->capacity - table;
		size_t distance = flat->used - table;

		for (size_t i = 0; i < 4; i++)
			to[i] = (uint8_t) (distance >> (8 * i));
	}
	return (uint32_t) table;
}

const uint8_t *
ph_flat_finish(PhFlat *flat, uint32_t root, size_t *size)
{
	align(flat, 8, 4);
	put(flat, flat->used + 4 - root, 4);
	*size = flat->used;
	return flat->bytes + flat->capacity - flat->used;
}
