/*
 * known.c - see known.h: paths are sorted, and those of nodes looked up.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "explain/known.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "explain/axis.h"
#include "explain/sentence.h"

typedef struct Known
{
	uint32_t n, *order;
	const PhKnownPath *paths;
} Known;

static int
compare_paths(const void *context, uint32_t x, uint32_t y)
{
	const PhKnownPath *paths = context;
	int order = strcmp(paths[x].path, paths[y].path);

	return order != 0 ? order : (x > y) - (x < y);
}

/* What is known of a path, or NULL. */
static const PhKnownPath *
find(const Known *known, const char *path)
{
	uint32_t low = 0, high = known->n;

	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;

		if (strcmp(known->paths[known->order[middle]].path, path) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || strcmp(known->paths[known->order[low - 1]].path, path) != 0)
		return NULL;
	return &known->paths[known->order[low - 1]];
}

static PhStatus
check(PhArena *arena, const Known *known)
{
	for (uint32_t i = 0; i < known->n; i++)
	{
		const PhKnownSpread *scatters = &known->paths[i].scatters;

		if (!(scatters->spread >= 0 && scatters->degrees >= 0) || isinf(scatters->spread) ||
			isinf(scatters->degrees))
			return ph_fail(arena->env, PH_ERR_VALUE,
						   "a spread and its degrees of freedom are numbers of 0 or more");
	}
	return PH_OK;
}

PhStatus
ph_explain_know(PhArena *arena, uint32_t n, const PhKnownPath *paths, PhExplainCube *cube)
{
	Known known = {.n = n, .paths = paths};
	double *known_of;

	PH_TRY(check(arena, &known));
	PH_TRY(ph_sort_indices(arena, n, compare_paths, paths, &known.order));
	PH_TRY(PH_NEW(arena, cube->n_nodes, &known_of));
	for (uint32_t node = 0; node < cube->n_nodes && n > 0; node++)
	{
		const PhKnownPath *found;
		char *path;

		PH_TRY(ph_finding_path(arena, cube, node, &path));
		found = find(&known, path);
		if (found != NULL && ph_explain_is_known(&found->scatters))
			known_of[node] = found->scatters.spread;
	}
	cube->known_of = known_of;
	if (find(&known, "") != NULL)
		cube->known = find(&known, "")->scatters;
	return PH_OK;
}
