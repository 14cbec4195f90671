/*
 * ids.c - positions of definitions by the numbers that the archive gave them.
 *
 * Numbers mostly count from 0: then an array serves. They may be any, however.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>

#include "base/min_max.h"
#include "readers/otf2/archive.h"

typedef struct PhOtf2Id
{
	uint32_t id;
	uint32_t position;
} PhOtf2Id;

static int
compare_ids(const void *x, const void *y)
{
	const PhOtf2Id *a = x;
	const PhOtf2Id *b = y;

	return (a->id > b->id) - (a->id < b->id);
}

uint32_t
ph_otf2_find_sparse(const PhOtf2Ids *ids, uint32_t id)
{
	PhOtf2Id key = {.id = id};
	const PhOtf2Id *found = bsearch(&key, ids->sorted, ids->n, sizeof(key), compare_ids);

	return found == NULL ? PH_NONE : found->position;
}

static PhStatus
defined_twice(PhArena *arena, const char *what, uint32_t id)
{
	return ph_fail(arena->env, PH_ERR_FORMAT, "%s %u is defined twice", what, id);
}

static PhStatus
make_direct(PhArena *arena, const uint32_t *ids, uint32_t n, const char *what, PhOtf2Ids *out)
{
	PH_TRY(PH_NEW(arena, out->n_direct, &out->direct));
	for (uint32_t i = 0; i < out->n_direct; i++)
		out->direct[i] = PH_NONE;
	for (uint32_t i = 0; i < n; i++)
	{
		if (out->direct[ids[i]] != PH_NONE)
			return defined_twice(arena, what, ids[i]);
		out->direct[ids[i]] = i;
	}
	return PH_OK;
}

static PhStatus
make_sorted(PhArena *arena, const uint32_t *ids, uint32_t n, const char *what, PhOtf2Ids *out)
{
	PH_TRY(PH_NEW(arena, n, &out->sorted));
	for (uint32_t i = 0; i < n; i++)
		out->sorted[i] = (PhOtf2Id){ids[i], i};
	qsort(out->sorted, n, sizeof(*out->sorted), compare_ids);
	for (uint32_t i = 1; i < n; i++)
	{
		if (out->sorted[i].id == out->sorted[i - 1].id)
			return defined_twice(arena, what, out->sorted[i].id);
	}
	return PH_OK;
}

PhStatus
ph_otf2_ids_make(PhArena *arena, const uint32_t *ids, uint32_t n, const char *what, PhOtf2Ids *out)
{
	uint32_t highest = 0;

	*out = (PhOtf2Ids){.n = n};
	for (uint32_t i = 0; i < n; i++)
		highest = PH_MAX(ids[i], highest);
	if (n == 0)
		return PH_OK;
	if (highest / 4 > n + 4096)
		return make_sorted(arena, ids, n, what, out);
	out->n_direct = highest + 1;
	return make_direct(arena, ids, n, what, out);
}
