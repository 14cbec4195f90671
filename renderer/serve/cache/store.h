/*
 * store.h - a folder that keeps answers, up to a size; those not used for longest go first.
 *
 * An entry is a file whose name is made of a hash of its key. It holds the key, too, and a checksum
 * over everything: what was cut off, damaged or is something else counts as not there and is
 * removed. Files come by rename, so readers see whole ones. Several servers may share a folder;
 * each looks now and then what the others have added, so that the limit holds for all together
 * (up to a sixteenth a server). The folder and its files are the user's alone.
 *
 * All functions may be called by several threads.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_CACHE_STORE_H
#define PH_CACHE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "serve/cache/content.h"

typedef struct PhStore PhStore;

typedef struct PhStoreCounts
{
	uint64_t bytes, entries; /* as last seen, with what was added since */
	uint64_t evicted;		 /* removed to make room */
	uint64_t damaged;		 /* removed because they were not whole */
	uint64_t refused;		 /* could not be written */
} PhStoreCounts;

/* Makes the folder when it is not there. NULL: *why says why it cannot be used. */
PhStore *ph_store_open(const char *folder, uint64_t most_bytes, const char **why);
void ph_store_close(PhStore *store);

/* What is kept under a key, as a new body; NULL: nothing, or no memory for it. */
PhContent *ph_store_get(PhStore *store, const char *key);

/* Keeps it; what cannot be written is not kept, and larger ones than an eighth of the limit are
 * not. */
void ph_store_put(PhStore *store, const char *key, const PhContent *body);

PhStoreCounts ph_store_counts(PhStore *store);

/* Names the running program by the bytes of its file, so that what another one has drawn is not
 * taken for what this one draws. */
void ph_store_program(char out[24]);

/* 32 hexadecimal digits that name a key. */
#define PH_STORE_NAME_SIZE 33
void ph_store_name(const char *key, char out[PH_STORE_NAME_SIZE]);

#endif
