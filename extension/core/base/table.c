/*
 * table.c - open addressing with linear probing, at most half full.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/table.h"

#include <string.h>

#include "base/hash.h"

/* Empty slots for twice the capacity of the table's arrays. */
static PhStatus
new_slots(PhArena *arena, PhSlots *table, uint32_t capacity)
{
	uint32_t *slots;
	PH_TRY(PH_NEW(arena, (size_t) capacity * 2, &slots));
	table->slots = slots;
	table->n_slots = capacity * 2;
	return PH_OK;
}

static void
put_slot(PhSlots *table, uint64_t hash, uint32_t index)
{
	uint32_t mask = table->n_slots - 1;
	uint32_t at = (uint32_t) hash & mask;
	while (table->slots[at] != 0)
		at = (at + 1) & mask;
	table->slots[at] = index + 1;
}

void
ph_map_init(PhMap *map, PhArena *arena)
{
	memset(map, 0, sizeof(*map));
	map->arena = arena;
}

static PhStatus
grow_map(PhMap *map)
{
	uint32_t capacity = map->capacity, again = map->capacity;
	void *keys = map->keys, *values = map->values;
	PH_TRY(ph_grow_in_arena(map->arena, &keys, map->count, &capacity, sizeof(uint64_t)));
	PH_TRY(ph_grow_in_arena(map->arena, &values, map->count, &again, sizeof(uint32_t)));
	PH_TRY(new_slots(map->arena, &map->table, capacity));
	map->keys = keys;
	map->values = values;
	map->capacity = capacity;
	for (uint32_t i = 0; i < map->count; i++)
		put_slot(&map->table, ph_hash_mix(map->keys[i]), i);
	return PH_OK;
}

/* The slot that has the key, or the empty one that would have it; there are slots. */
static inline uint32_t
slot_of(const PhMap *map, uint64_t key)
{
	uint32_t mask = map->table.n_slots - 1;
	uint32_t at = (uint32_t) ph_hash_mix(key) & mask;
	while (map->table.slots[at] != 0 && map->keys[map->table.slots[at] - 1] != key)
		at = (at + 1) & mask;
	return at;
}

PhStatus
ph_map_enter(PhMap *map, uint64_t key, uint32_t value, uint32_t **out)
{
	if (map->count == map->capacity)
		PH_TRY(grow_map(map));
	uint32_t *slot = &map->table.slots[slot_of(map, key)];
	if (*slot == 0)
	{
		map->keys[map->count] = key;
		map->values[map->count] = value;
		*slot = ++map->count;
	}
	*out = &map->values[*slot - 1];
	return PH_OK;
}

const uint32_t *
ph_map_find(const PhMap *map, uint64_t key)
{
	uint32_t slot = map->count == 0 ? 0 : map->table.slots[slot_of(map, key)];
	return slot == 0 ? NULL : &map->values[slot - 1];
}

PhStatus
ph_strings_init(PhStrings *strings, PhArena *arena)
{
	uint32_t empty;
	memset(strings, 0, sizeof(*strings));
	strings->arena = arena;
	return ph_strings_intern_n(strings, "", 0, &empty);
}

static PhStatus
grow_strings(PhStrings *strings)
{
	uint32_t capacity = strings->capacity, again = strings->capacity;
	void *text = strings->text, *hashes = strings->hashes;
	PH_TRY(ph_grow_in_arena(strings->arena, &text, strings->count, &capacity, sizeof(char *)));
	PH_TRY(ph_grow_in_arena(strings->arena, &hashes, strings->count, &again, sizeof(uint64_t)));
	PH_TRY(new_slots(strings->arena, &strings->table, capacity));
	strings->text = text;
	strings->hashes = hashes;
	strings->capacity = capacity;
	for (uint32_t i = 0; i < strings->count; i++)
		put_slot(&strings->table, strings->hashes[i], i);
	return PH_OK;
}

PhStatus
ph_strings_intern_n(PhStrings *strings, const char *text, size_t length, uint32_t *out)
{
	if (strings->count == strings->capacity)
		PH_TRY(grow_strings(strings));
	uint64_t hash = ph_hash_bytes(text, length);
	uint32_t mask = strings->table.n_slots - 1;
	uint32_t at = (uint32_t) hash & mask;
	for (; strings->table.slots[at] != 0; at = (at + 1) & mask)
	{
		uint32_t index = strings->table.slots[at] - 1;
		const char *known = strings->text[index];
		if (strings->hashes[index] != hash || strncmp(known, text, length) != 0 ||
			known[length] != '\0')
			continue;
		*out = index;
		return PH_OK;
	}
	char *copy;
	PH_TRY(ph_arena_strndup(strings->arena, text, length, &copy));
	strings->text[strings->count] = copy;
	strings->hashes[strings->count] = hash;
	*out = strings->count;
	strings->table.slots[at] = ++strings->count;
	return PH_OK;
}

PhStatus
ph_strings_intern(PhStrings *strings, const char *text, uint32_t *out)
{
	if (text == NULL)
		text = "";
	return ph_strings_intern_n(strings, text, strlen(text), out);
}

void
ph_records_init(PhRecords *records, PhArena *arena, size_t size)
{
	memset(records, 0, sizeof(*records));
	records->arena = arena;
	records->size = size;
}

static PhStatus
grow_records(PhRecords *records)
{
	uint32_t capacity = records->capacity;
	void *bytes = records->bytes;
	PH_TRY(ph_grow_in_arena(records->arena, &bytes, records->count, &capacity, records->size));
	PH_TRY(new_slots(records->arena, &records->table, capacity));
	records->bytes = bytes;
	records->capacity = capacity;
	for (uint32_t i = 0; i < records->count; i++)
		put_slot(&records->table, ph_hash_bytes(records->bytes + i * records->size, records->size),
				 i);
	return PH_OK;
}

PhStatus
ph_records_intern(PhRecords *records, const void *record, uint32_t *out)
{
	if (records->count == records->capacity)
		PH_TRY(grow_records(records));
	uint32_t mask = records->table.n_slots - 1;
	uint32_t at = (uint32_t) ph_hash_bytes(record, records->size) & mask;
	for (; records->table.slots[at] != 0; at = (at + 1) & mask)
	{
		uint32_t index = records->table.slots[at] - 1;
		if (memcmp(records->bytes + index * records->size, record, records->size) != 0)
			continue;
		*out = index;
		return PH_OK;
	}
	memcpy(records->bytes + records->count * records->size, record, records->size);
	*out = records->count;
	records->table.slots[at] = ++records->count;
	return PH_OK;
}
