/*
 * tally.h - counts and bytes of messages by a 64-bit key, as one piece of memory.
 *
 * A tally is a hash table without pointers in a byte string, so that it can be the state of an SQL
 * aggregate: it is changed in place, copied, sent to another worker and merged there. Foreign bytes
 * are checked before use. Order of keys and of merges do not show in the sorted rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_TALLY_H
#define PH_TRACE_TALLY_H

#include "base/arena.h"

typedef struct PhTallyRow
{
	uint64_t key;
	uint64_t messages, bytes;
} PhTallyRow;

/* Bytes of a tally with room for n_keys keys; 0: too many. */
size_t ph_tally_size(uint64_t n_keys);

/* Make an empty tally of size (of ph_tally_size) bytes. No alignment is asked for. */
void ph_tally_init(void *tally, size_t size);

/* PH_ERR_FORMAT unless the bytes are a tally that the functions below can work on; O(1). */
PhStatus ph_tally_check(PhEnv *env, const void *tally, size_t size) PH_MUST_CHECK;

uint64_t ph_tally_count(const void *tally);

/* May n_keys more keys come in? */
bool ph_tally_has_room(const void *tally, uint64_t n_keys);

/* Add to a key. The tally has room; 0 messages add nothing. */
void ph_tally_add(void *tally, uint64_t key, uint64_t messages, uint64_t bytes);

/* Add all rows of another tally; into has room for ph_tally_count(from) keys. */
PhStatus ph_tally_merge(PhEnv *env, void *into, const void *from) PH_MUST_CHECK;

/* Rows by key. */
PhStatus ph_tally_rows(PhArena *arena, const void *tally, const PhTallyRow **rows,
					   uint32_t *n) PH_MUST_CHECK;

/*
 * A tally that grows, in an arena: *tally (NULL at first) is replaced by a larger one when needed.
 */
PhStatus ph_tally_grow(PhArena *arena, void **tally, uint64_t n_keys) PH_MUST_CHECK;

#endif
