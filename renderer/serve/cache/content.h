/*
 * content.h - the bytes of an answer, shared by all requests that get them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_CACHE_CONTENT_H
#define PH_CACHE_CONTENT_H

#include <stdatomic.h>
#include <stddef.h>

typedef struct PhContent
{
	atomic_uint users;
	void *bytes; /* malloc'ed */
	size_t size;
} PhContent;

/* Takes malloc'ed bytes over, for one user. NULL: there was no memory; the bytes are freed. */
PhContent *ph_content_new(void *bytes, size_t size);

/* One more user, who releases it, too. NULL stays NULL. */
PhContent *ph_content_share(PhContent *body);

/* Takes a PhContent as void, so that libraries can call it; NULL is fine. */
void ph_content_release(void *body);

#endif
