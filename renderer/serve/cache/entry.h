/*
 * entry.h - the file of one kept answer: a head with lengths and a checksum, its key, its bytes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_CACHE_ENTRY_H
#define PH_CACHE_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "serve/cache/content.h"

/* More than one answer has (a picture's rows: 192 MB). */
#define PH_ENTRY_MOST_CONTENT ((size_t) 256 << 20)

typedef enum PhEntryStatus
{
	PH_ENTRY_WHOLE,	   /* *body is there */
	PH_ENTRY_OTHER,	   /* a whole one, of another key */
	PH_ENTRY_DAMAGED,  /* nothing that ph_entry_write made, or not all of it */
	PH_ENTRY_NO_MEMORY /* or it could not be read */
} PhEntryStatus;

/* Reads a file of so many bytes from its beginning, whatever is in it. */
PhEntryStatus ph_entry_read(int file, uint64_t size, const char *key, PhContent **body);

/* False: it could not be written. */
bool ph_entry_write(int file, const char *key, const PhContent *body);

#endif
