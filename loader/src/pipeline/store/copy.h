/*
 * copy.h - the rows of claimed runs, sent by COPY BINARY, one COPY a table for all of them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_STORE_COPY_H
#define PH_PIPELINE_STORE_COPY_H

#include "pipeline/store/store.h"

/* Runs whose outcome is PH_OUTCOME_SKIPPED are left out. Inside a transaction. */
PhStatus ph_store_copy(PhEnv *env, PhConnection *db, PhArena *arena, const PhStoreRun *runs,
					   uint32_t n) PH_MUST_CHECK;

#endif
