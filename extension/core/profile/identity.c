/*
 * identity.c - identities of regions and call paths: XXH3-64, seed 0, over fixed bytes.
 *
 * These numbers are stored in warehouses and compared between them, so the layout is pinned for
 * ever (tests/unit/profile/test_identity.c has golden values). All integers are little-endian.
 *
 *   region:    'R', kind (1 byte), then for name, library and file each: length (4 bytes), bytes;
 *              then line (4 bytes, two's complement), -1 unless kind is loop or statement
 *   call path: 'C', parent's id (8 bytes, 0 for a root), region's id (8 bytes)
 *
 * Neither is ever 0: a hash of 0 becomes 1.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "profile/profile.h"

static void
put_u32(uint8_t *out, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		out[i] = (uint8_t) (value >> (8 * i));
}

static void
put_u64(uint8_t *out, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		out[i] = (uint8_t) (value >> (8 * i));
}

static void
feed_text(XXH3_state_t *state, const char *text)
{
	size_t length = text == NULL ? 0 : strlen(text);
	uint8_t prefix[4];
	put_u32(prefix, (uint32_t) length);
	XXH3_64bits_update(state, prefix, sizeof(prefix));
	if (length > 0)
		XXH3_64bits_update(state, text, length);
}

uint64_t
ph_hash_region(PhRegionKind kind, const char *name, const char *library, const char *file,
			   int32_t line)
{
	XXH3_state_t state;
	XXH3_INITSTATE(&state);
	XXH3_64bits_reset(&state);
	uint8_t head[2] = {'R', (uint8_t) kind};
	XXH3_64bits_update(&state, head, sizeof(head));
	feed_text(&state, name);
	feed_text(&state, library);
	feed_text(&state, file);
	uint8_t tail[4];
	put_u32(tail, (uint32_t) (ph_kind_has_line(kind) ? line : PH_NO_NUMBER));
	XXH3_64bits_update(&state, tail, sizeof(tail));
	uint64_t hash = XXH3_64bits_digest(&state);
	return hash == 0 ? 1 : hash;
}

uint64_t
ph_hash_callpath(uint64_t parent_id, uint64_t region_id)
{
	uint8_t bytes[17];
	bytes[0] = 'C';
	put_u64(bytes + 1, parent_id);
	put_u64(bytes + 9, region_id);
	uint64_t hash = XXH3_64bits(bytes, sizeof(bytes));
	return hash == 0 ? 1 : hash;
}
