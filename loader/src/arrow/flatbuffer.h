/*
 * flatbuffer.h - a builder of FlatBuffers, as far as the metadata of Arrow needs them.
 *
 * A buffer grows from its end to its beginning: what is referred to is written before what refers
 * to it, and a position is a distance from the end, so that nothing moves. Strings and tables
 * first, then the table that has them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_ARROW_FLATBUFFER_H
#define PH_ARROW_FLATBUFFER_H

#include <stddef.h>
#include <stdint.h>

#define PH_FLAT_MOST_SLOTS 8

typedef struct PhFlat
{
	uint8_t *bytes; /* the last `used` of capacity */
	size_t capacity, used;
	size_t table;						/* where the open table ends */
	uint32_t slots[PH_FLAT_MOST_SLOTS]; /* of the open table: where a field is; 0: absent */
	uint32_t n_slots;
} PhFlat;

/* Begins anew; what was allocated is kept. */
void ph_flat_begin(PhFlat *flat);
void ph_flat_free(PhFlat *flat);

/* Each returns its position. */
uint32_t ph_flat_text(PhFlat *flat, const char *text);
uint32_t ph_flat_offsets(PhFlat *flat, const uint32_t *positions, size_t n);
/* Structs of `width` bytes, of 64-bit members, as they lie in memory. */
uint32_t ph_flat_structs(PhFlat *flat, const void *items, size_t width, size_t n);

/* One table is open at a time; a field that is not added has its default. */
void ph_flat_open(PhFlat *flat, uint32_t n_slots);
void ph_flat_put(PhFlat *flat, uint32_t slot, uint64_t value, size_t width);
void ph_flat_refer(PhFlat *flat, uint32_t slot, uint32_t position);
uint32_t ph_flat_close(PhFlat *flat);

/* The whole buffer, a multiple of 8 bytes; it belongs to flat. */
const uint8_t *ph_flat_finish(PhFlat *flat, uint32_t root, size_t *size);

#endif
