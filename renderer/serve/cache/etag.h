/*
 * etag.h - tags by which clients name the answers that they have.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_CACHE_ETAG_H
#define PH_CACHE_ETAG_H

#include <stdbool.h>
#include <stddef.h>

#include "serve/cache/coding.h"

#define PH_ETAG_SIZE 56

/* The tag, with quotes, of what has this name (hexadecimal digits), in a coding. */
void ph_etag_make(char out[PH_ETAG_SIZE], const char *name, PhCoding coding);

/* The tag of what has this name, in whichever coding the client has it, by the list of tags that it
 * sent as If-None-Match, whatever that is; NULL: nothing. "*" names every tag; weak tags count as
 * strong ones do (RFC 9110 13.1.2). False: it has it in none. */
bool ph_etag_is_known(const char *list, const char *name, char tag[PH_ETAG_SIZE]);

#endif
