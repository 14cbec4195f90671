/*
 * id_set.h - 64-bit ids with a check value each: what a loader knows to be in the database.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_STORE_ID_SET_H
#define PH_PIPELINE_STORE_ID_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* False when memory ran out. Adding what is there changes nothing. */
bool ph_id_set_add(PhIdSet *set, uint64_t id, uint64_t check);

void ph_id_set_free(PhIdSet *set);

#endif
