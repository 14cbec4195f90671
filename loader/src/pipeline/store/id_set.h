/*
 * id_set.h - 64-bit ids with a check value each: what a loader knows to be in the database.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_STORE_ID_SET_H
#define PH_PIPELINE_STORE_ID_SET_H

#include "base/env.h"

typedef struct PhIdEntry
{
	uint64_t id;
	uint64_t check; /* 0: free slot */
} PhIdEntry;

typedef struct PhIdSet
{
	PhIdEntry *slots;
	size_t n_slots; /* a power of two, or 0 */
	size_t n_used;
} PhIdSet;

typedef enum PhIdAnswer
{
	PH_ID_NEW,
	PH_ID_KNOWN,
	PH_ID_COLLISION /* the id is there with another check value */
} PhIdAnswer;

PhIdAnswer ph_id_set_find(const PhIdSet *set, uint64_t id, uint64_t check);

/* Adding what is there changes nothing. One environment for all calls with a set. */
PhStatus ph_id_set_add(PhEnv *env, PhIdSet *set, uint64_t id, uint64_t check) PH_MUST_CHECK;
void ph_id_set_free(PhEnv *env, PhIdSet *set);

#endif
