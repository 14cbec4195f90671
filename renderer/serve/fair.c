/*
 * fair.c - see fair.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/fair.h"

#include <string.h>

static size_t
count_busy(uint64_t client, const uint64_t *busy, size_t n_workers)
{
	size_t n = 0;

	for (size_t i = 0; i < n_workers; i++)
		n += busy[i] == client;
	return n;
}

size_t
ph_fair_choose(const uint64_t *waiting, size_t n, const uint64_t *busy, size_t n_workers)
{
	size_t limit = n_workers > 1 ? n_workers - 1 : 1;
	size_t best = n, least = limit;

	for (size_t i = 0; i < n && least > 0; i++)
	{
		size_t under_way = count_busy(waiting[i], busy, n_workers);

		if (under_way < least)
		{
			best = i;
			least = under_way;
		}
	}
	return best;
}

/* FNV-1a */
static uint64_t
mix(uint64_t hash, const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
	return hash;
}

uint64_t
ph_fair_client(const void *address, size_t size, const char *name)
{
	uint64_t hash = mix(UINT64_C(14695981039346656037), address, size);

	if (name != NULL)
		hash = mix(hash, (const unsigned char *) name, strlen(name));
	return hash != 0 ? hash : 1;
}
