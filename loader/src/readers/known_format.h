/*
 * known_format.h - formats of performance tools that no reader reads, recognised to say so by name.
 *
 * By content where it has a mark, by name otherwise; what could be anything is not recognised.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_KNOWN_FORMAT_H
#define PH_READERS_KNOWN_FORMAT_H

#include <stddef.h>
#include <stdint.h>

typedef struct PhKnownFormat
{
	const char *name;	/* "Linux perf data (perf.data)" */
	const char *advice; /* a sentence: what can be done with it; NULL: nothing */
} PhKnownFormat;

/* Of a file with these first bytes; compressed ones are looked into. NULL: not recognised. */
const PhKnownFormat *ph_known_format(const char *path, const uint8_t *head, size_t size);

#endif
