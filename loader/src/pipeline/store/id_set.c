/*
 * id_set.c - open addressing with linear probing; ids are hashes already.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/store/id_set.h"

#include <stdlib.h>

/* 0 marks a free slot, so a check value of 0 is stored as 1. */
static inline uint64_t
nonzero(uint64_t check)
{
	return check == 0 ? 1 : check;
}

static PhIdEntry *
slot_of(const PhIdSet *set, uint64_t id)
{
	size_t mask = set->n_slots - 1;
	size_t at = (size_t) id & mask;

	while (set->slots[at].check != 0 && set->slots[at].id != id)
		at = (at + 1) & mask;
	return &set->slots[at];
}

PhIdAnswer
ph_id_set_find(const PhIdSet *set, uint64_t id, uint64_t check)
{
	const PhIdEntry *slot;

	if (set->n_slots == 0)
		return PH_ID_NEW;
	slot = slot_of(set, id);
	if (slot->check == 0)
		return PH_ID_NEW;
	return slot->check == nonzero(check) ? PH_ID_KNOWN : PH_ID_COLLISION;
}

static PhStatus
grow(PhEnv *env, PhIdSet *set)
{
	PhIdSet larger = {.n_slots = set->n_slots == 0 ? 1024 : set->n_slots * 2,
					  .n_used = set->n_used};
	void *slots;

	PH_TRY(ph_env_alloc(env, larger.n_slots, sizeof(*larger.slots), &slots));
	larger.slots = slots;
	for (size_t i = 0; i < set->n_slots; i++)
	{
		if (set->slots[i].check != 0)
			*slot_of(&larger, set->slots[i].id) = set->slots[i];
	}
	ph_env_free(env, set->slots, set->n_slots, sizeof(*set->slots));
	*set = larger;
	return PH_OK;
}

PhStatus
ph_id_set_add(PhEnv *env, PhIdSet *set, uint64_t id, uint64_t check)
{
	PhIdEntry *slot;

	if (set->n_used * 2 >= set->n_slots)
		PH_TRY(grow(env, set));
	slot = slot_of(set, id);
	if (slot->check == 0)
	{
		*slot = (PhIdEntry){id, nonzero(check)};
		set->n_used++;
	}
	return PH_OK;
}

void
ph_id_set_free(PhEnv *env, PhIdSet *set)
{
	ph_env_free(env, set->slots, set->n_slots, sizeof(*set->slots));
	*set = (PhIdSet){0};
}
