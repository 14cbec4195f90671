/*
 * dictionary.h - interning: regions, call paths and metrics that several runs share.
 *
 * Ids are hashes, so a loader knows them without asking. What a loader has seen in the database
 * once it remembers, so that of many small runs only the first ones cost a round trip. New entries
 * go in through a short transaction of their own, committed before the bulk load: staged,
 * anti-joined, ordered by id, tables always in the order region, call path, metric. That order and
 * shortness are what keeps concurrent loaders free of deadlocks. Entries without a run are
 * harmless.
 *
 * An id that stands for something else already is a collision: PH_ERR_CONFLICT, nothing is stored.
 * One dictionary serves all connections of a loader; it locks itself.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_STORE_DICTIONARY_H
#define PH_PIPELINE_STORE_DICTIONARY_H

#include "database/pq.h"
#include "pipeline/store/content.h"
#include "profile/profile.h"

typedef struct PhDictionary PhDictionary;

PhDictionary *ph_dictionary_new(void);
void ph_dictionary_free(PhDictionary *dictionary);

/* What runs share besides; the dictionary owns it. */
PhContents *ph_dictionary_contents(PhDictionary *dictionary);

/*
 * Make sure that everything in these profiles is in the database. metric_ids[p][m] becomes the id
 * of metric m of profile p; the caller provides the arrays. Must be called outside a transaction.
 * On failure env->error says why; PH_ERR_INTERNAL with db->error set: the database refused.
 */
PhStatus ph_dictionary_intern(PhDictionary *dictionary, PhEnv *env, PhConnection *db,
							  const PhProfile *const *profiles, uint32_t n,
							  int32_t *const *metric_ids) PH_MUST_CHECK;

#endif
