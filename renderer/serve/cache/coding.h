/*
 * coding.h - content codings: which one a client takes, and bytes in it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_CACHE_CODING_H
#define PH_CACHE_CODING_H

#include <stdbool.h>
#include <stddef.h>

#include "serve/cache/content.h"

typedef enum PhCoding
{
	PH_CODING_IDENTITY,
	PH_CODING_GZIP,
	PH_CODING_ZSTD,
	PH_N_CODINGS
} PhCoding;

/* What text is kept in: zstd, or gzip where the program was built without its library. */
extern const PhCoding ph_coding_packed;

/* The coding that the client likes best, of those it likes alike the one that is smallest. accept:
 * what it sent as Accept-Encoding, whatever that is; NULL: nothing. */
PhCoding ph_coding_choose(const char *accept);

/* As in Content-Encoding; NULL for identity. */
const char *ph_coding_name(PhCoding coding);

/* Are bytes of this content type, so many of them, worth compressing? */
bool ph_coding_pays(const char *type, size_t size);

/* Content type of what is text, or tables of numbers: compressible, whatever its size. */
bool ph_coding_is_text(const char *type);

/* The bytes in gzip or zstd. NULL: out of memory. */
PhContent *ph_coding_encode(PhCoding coding, const void *bytes, size_t size);

/* What ph_coding_encode made into these bytes. NULL: it is no such thing, more than `most`
 * bytes, or there is no memory. */
PhContent *ph_coding_decode(PhCoding coding, const void *bytes, size_t size, size_t most);

#endif
