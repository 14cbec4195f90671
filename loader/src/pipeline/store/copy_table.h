/*
 * copy_table.h - rows into one table of the warehouse, by COPY BINARY.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_STORE_COPY_TABLE_H
#define PH_PIPELINE_STORE_COPY_TABLE_H

#include "base/env.h"
#include "database/pq.h"
#include "pipeline/store/copy_binary.h"

/* A PhCopyFlush whose user is the PhConnection in the middle of a COPY. */
bool ph_copy_to_server(void *user, const char *bytes, size_t size);

/* What the server, or the way to it, last refused: PH_ERR_INTERNAL in its words. */
PhStatus ph_refused(PhEnv *env, const PhConnection *db);

/* Puts rows into the copy; may stop early once copy->failed. */
typedef PhStatus (*PhCopyRows)(PhEnv *env, PhCopy *copy, const void *rows);

/* sql: a COPY … FROM STDIN (FORMAT binary). On failure nothing of it is stored. */
PhStatus ph_copy_table(PhEnv *env, PhConnection *db, const char *sql, PhCopyRows put,
					   const void *rows) PH_MUST_CHECK;

#endif
