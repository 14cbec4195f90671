/*
 * match_keys.c - open addressing with linear probing, at most half full.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/match_keys.h"

#include <string.h>

#include "base/hash.h"
#include "trace/internal.h"

#define PH_MATCH_SLOTS_FIRST 256

void
ph_match_keys_init(MatchKeys *keys, PhEnv *env)
{
	memset(keys, 0, sizeof(*keys));
	keys->env = env;
}

void
ph_match_keys_free(MatchKeys *keys)
{
	ph_env_free(keys->env, keys->keys, keys->room, sizeof(MatchKey));
	ph_env_free(keys->env, keys->slots, keys->n_slots, sizeof(uint32_t));
	ph_match_keys_init(keys, keys->env);
}

static uint32_t
first_slot(const MatchKeys *keys, const MatchKey *key)
{
	uint64_t ranks = (uint64_t) key->sender << 32 | key->receiver;
	uint64_t rest = (uint64_t) key->comm << 32 | (uint32_t) key->tag;
	uint64_t hash = ranks * UINT64_C(0x9e3779b97f4a7c15) + rest * UINT64_C(0xc2b2ae3d27d4eb4f);
	return (uint32_t) ph_hash_mix(hash) & (keys->n_slots - 1);
}

static bool
is_same(const MatchKey *a, const MatchKey *b)
{
	return a->sender == b->sender && a->receiver == b->receiver && a->comm == b->comm &&
		   a->tag == b->tag;
}

/* The slot of the key, or the empty one where it belongs. */
static uint32_t
find_slot(const MatchKeys *keys, const MatchKey *key)
{
	uint32_t at = first_slot(keys, key);
	while (keys->slots[at] != 0 && !is_same(&keys->keys[keys->slots[at] - 1], key))
		at = (at + 1) & (keys->n_slots - 1);
	return at;
}

static PhStatus
grow_slots(MatchKeys *keys)
{
	void *slots;
	uint32_t n_slots = keys->n_slots == 0 ? PH_MATCH_SLOTS_FIRST : keys->n_slots * 2;
	if (keys->n_slots > UINT32_MAX / 2)
		return ph_fail(keys->env, PH_ERR_LIMIT, "messages have more than %u different keys",
					   keys->n);
	PH_TRY(ph_env_alloc(keys->env, n_slots, sizeof(uint32_t), &slots));
	ph_env_free(keys->env, keys->slots, keys->n_slots, sizeof(uint32_t));
	keys->slots = slots;
	keys->n_slots = n_slots;
	for (uint32_t i = 0; i < keys->n; i++)
		keys->slots[find_slot(keys, &keys->keys[i])] = i + 1;
	return PH_OK;
}

PhStatus
ph_match_keys_find(MatchKeys *keys, const MatchKey *key, uint32_t *number)
{
	if (keys->n >= keys->n_slots / 2)
		PH_TRY(grow_slots(keys));
	uint32_t at = find_slot(keys, key);
	if (keys->slots[at] == 0)
	{
		PH_TRY(PH_GROW(keys->env, &keys->keys, keys->n, &keys->room));
		keys->keys[keys->n++] = *key;
		keys->slots[at] = keys->n;
	}
	*number = keys->slots[at] - 1;
	return PH_OK;
}
