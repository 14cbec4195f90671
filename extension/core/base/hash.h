/*
 * hash.h - hashes of bytes for the core's own tables; identities are in profile.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_HASH_H
#define PH_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* XXH3-64 of length bytes: also the id of content that the warehouse stores once (call_tree). */
uint64_t ph_hash_bytes(const void *bytes, size_t length);

/* Spread a 64-bit key over all bits, for tables of integers. */
static inline uint64_t
ph_hash_mix(uint64_t key)
{
	key ^= key >> 32;
	key *= UINT64_C(0xd6e8feb86659fd93);
	key ^= key >> 32;
	key *= UINT64_C(0xd6e8feb86659fd93);
	return key ^ key >> 32;
}

/* The hash of a sequence that goes on with more. */
static inline uint64_t
ph_hash_add(uint64_t hash, uint64_t more)
{
	return ph_hash_mix(hash * UINT64_C(0x9e3779b97f4a7c15) + more);
}

#endif
