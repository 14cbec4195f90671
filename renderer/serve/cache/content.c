/*
 * content.c - the bytes of an answer, shared by all requests that get them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/cache/content.h"

#include <stdlib.h>

PhContent *
ph_content_new(void *bytes, size_t size)
{
	PhContent *body = malloc(sizeof(PhContent));

	if (body == NULL)
	{
		free(bytes);
		return NULL;
	}
	atomic_init(&body->users, 1);
	body->bytes = bytes;
	body->size = size;
	return body;
}

PhContent *
ph_content_share(PhContent *body)
{
	if (body != NULL)
		atomic_fetch_add(&body->users, 1);
	return body;
}

void
ph_content_release(void *user)
{
	PhContent *body = user;

	if (body == NULL || atomic_fetch_sub(&body->users, 1) != 1)
		return;
	free(body->bytes);
	free(body);
}
