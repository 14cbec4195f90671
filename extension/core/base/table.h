/*
 * table.h - hash tables of the core: integers, strings and plain records to dense indices.
 *
 * Entries are never removed; memory is the arena's. Indices count up from 0 in order of first
 * insertion, so no result depends on the order of slots.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_TABLE_H
#define PH_BASE_TABLE_H

#include "base/vector.h"

/* Slots of an open-addressing table: an index + 1, 0 when empty. */
typedef struct PhSlots
{
	uint32_t n_slots; /* a power of two, or 0 */
	uint32_t *slots;
} PhSlots;

/* 64-bit keys to 32-bit values. */
typedef struct PhMap
{
	PhArena *arena;
	uint32_t count, capacity;
	uint64_t *keys;
	uint32_t *values;
	PhSlots table;
} PhMap;

void ph_map_init(PhMap *map, PhArena *arena);
/* Where the value of key is; a new key gets value. The pointer holds until the next call. */
PhStatus ph_map_enter(PhMap *map, uint64_t key, uint32_t value, uint32_t **out) PH_MUST_CHECK;
/* The same, but NULL when it is not there. */
const uint32_t *ph_map_find(const PhMap *map, uint64_t key);

static inline uint64_t
ph_map_key(uint32_t high, uint32_t low)
{
	return (uint64_t) high << 32 | low;
}

/* Strings by content; index 0 is the empty string. */
typedef struct PhStrings
{
	PhArena *arena;
	uint32_t count, capacity;
	const char **text;
	uint64_t *hashes;
	PhSlots table;
} PhStrings;

PhStatus ph_strings_init(PhStrings *strings, PhArena *arena) PH_MUST_CHECK;
/* Index of text (NULL: the empty string), copied when new. */
PhStatus ph_strings_intern(PhStrings *strings, const char *text, uint32_t *out) PH_MUST_CHECK;
PhStatus ph_strings_intern_n(PhStrings *strings, const char *text, size_t length,
							 uint32_t *out) PH_MUST_CHECK;

/* Records of one size by their bytes; padding must be zero. */
typedef struct PhRecords
{
	PhArena *arena;
	size_t size;
	uint32_t count, capacity;
	char *bytes;
	PhSlots table;
} PhRecords;

void ph_records_init(PhRecords *records, PhArena *arena, size_t size);
PhStatus ph_records_intern(PhRecords *records, const void *record, uint32_t *out) PH_MUST_CHECK;

#endif
