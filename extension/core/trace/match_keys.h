/*
 * match_keys.h - the queues of message matching, by (sender, receiver, communicator, tag).
 *
 * Private to trace/match*.c.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_MATCH_KEYS_H
#define PH_TRACE_MATCH_KEYS_H

#include "base/env.h"

typedef struct MatchKey
{
	uint32_t sender, receiver, comm;
	int32_t tag;
} MatchKey;

/* Keys, numbered in the order in which they come. */
typedef struct MatchKeys
{
	PhEnv *env;
	uint32_t n, room;
	MatchKey *keys;
	uint32_t n_slots; /* a power of two, or 0 */
	uint32_t *slots;  /* number + 1; 0: empty */
} MatchKeys;

void ph_match_keys_init(MatchKeys *keys, PhEnv *env);
void ph_match_keys_free(MatchKeys *keys);

/* The key's number; a new one gets the next. */
PhStatus ph_match_keys_find(MatchKeys *keys, const MatchKey *key, uint32_t *number) PH_MUST_CHECK;

#endif
