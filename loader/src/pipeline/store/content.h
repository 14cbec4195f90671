/*
 * content.h - what runs share besides the dictionary: their call tree, and what they say of
 * regions.
 *
 * Both are stored once under a hash of their content; the run's row has the hashes. A loader
 * remembers for an hour what it has seen in the database; what it does not know it looks for, and
 * makes, in a short transaction before the run's. The database keeps for a day what was asked for,
 * so that a run may rely on it (sql/schema/definitions/029-trees.sql).
 *
 * One PhContents serves all connections of a loader; it locks itself.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_STORE_CONTENT_H
#define PH_PIPELINE_STORE_CONTENT_H

#include "database/pq.h"
#include "readers/source.h"

typedef struct PhContents PhContents;

PhContents *ph_contents_new(void);
void ph_contents_free(PhContents *contents);

typedef struct PhContentIds
{
	int64_t tree_id;
	int64_t labels_id;
} PhContentIds;

/*
 * Make sure that the trees and labels of n runs are in the database. Outside a transaction.
 * PH_ERR_CONFLICT: a hash stands for something else.
 */
PhStatus ph_contents_intern(PhContents *contents, PhEnv *env, PhConnection *db,
							const PhRunInput *const *inputs, uint32_t n,
							PhContentIds *ids) PH_MUST_CHECK;

#endif
