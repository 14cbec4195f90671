/*
 * hash.c - XXH3-64 of bytes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t
ph_hash_bytes(const void *bytes, size_t length)
{
	return XXH3_64bits(bytes, length);
}
