/*
 * rename.c - the same costs under other names.
 *
 * Siblings are sorted by what they are called, and so are columns: both may change places.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "profile/ops.h"
#include "profile/regroup.h"
#include "profile/tree.h"

typedef struct Renamed
{
	PhStrings strings; /* those of the profile under their numbers, new ones behind them */
	PhRegion *regions;
	PhColumn *columns;
	PhProfile view; /* the profile with these */
} Renamed;

static PhStatus
name_regions(PhArena *scratch, const PhCodeNames *names, Renamed *renamed)
{
	PhProfile *view = &renamed->view;
	PH_TRY(PH_NEW(scratch, view->n_regions, &renamed->regions));
	for (uint32_t i = 0; i < view->n_regions; i++)
	{
		PhRegion *region = &renamed->regions[i];
		*region = view->regions[i];
		PH_TRY(ph_strings_intern(&renamed->strings, names[i].name, &region->name));
		PH_TRY(ph_strings_intern(&renamed->strings, names[i].library, &region->library));
		PH_TRY(ph_strings_intern(&renamed->strings, names[i].file, &region->file));
	}
	view->regions = renamed->regions;
	return PH_OK;
}

static PhStatus
name_columns(PhArena *scratch, const PhUnitNames *names, Renamed *renamed)
{
	PhProfile *view = &renamed->view;
	PH_TRY(PH_NEW(scratch, view->n_columns, &renamed->columns));
	for (uint32_t i = 0; i < view->n_columns; i++)
	{
		PhColumn *column = &renamed->columns[i];
		*column = view->columns[i];
		PH_TRY(ph_strings_intern(&renamed->strings, names[i].host, &column->host));
		PH_TRY(ph_strings_intern(&renamed->strings, names[i].name, &column->name));
	}
	view->columns = renamed->columns;
	return PH_OK;
}

static PhStatus
make_view(PhArena *scratch, const PhProfile *profile, const PhCodeNames *regions,
		  const PhUnitNames *columns, Renamed *renamed)
{
	uint32_t number;
	renamed->view = *profile;
	PH_TRY(ph_strings_init(&renamed->strings, scratch));
	for (uint32_t i = 0; i < profile->n_strings; i++)
		PH_TRY(ph_strings_intern(&renamed->strings, profile->strings[i], &number));
	PH_TRY(name_regions(scratch, regions, renamed));
	PH_TRY(name_columns(scratch, columns, renamed));
	renamed->view.strings = renamed->strings.text;
	renamed->view.n_strings = renamed->strings.count;
	return PH_OK;
}

/* Nodes where their new names put them; inclusives are not derived anew. */
static PhStatus
rename_parts(PhMaker *maker, const PhProfile *view)
{
	PhRegroup regroup = {.from = view, .keep_inclusive = true};
	uint32_t *node_of;
	bool *keep;
	PH_TRY(PH_NEW(&maker->scratch, view->n_nodes, &node_of));
	PH_TRY(PH_NEW(&maker->scratch, view->n_nodes, &keep));
	memset(keep, true, view->n_nodes);
	PH_TRY(ph_regroup_tree(maker, view, keep, node_of));
	PH_TRY(ph_tree_members(&maker->scratch, view->n_nodes, node_of, maker->profile->n_nodes,
						   &regroup.own.start, &regroup.own.items));
	regroup.same = regroup.own;
	return ph_regroup(maker, &regroup, NULL);
}

static PhStatus
rename_nodes(PhEnv *env, const PhProfile *view, PhProfile **out)
{
	PhMaker maker;
	PhStatus status = ph_maker_begin(&maker, env);
	if (status == PH_OK)
		status = rename_parts(&maker, view);
	return ph_maker_end(&maker, status, out);
}

static int
compare_columns(const void *context, uint32_t x, uint32_t y)
{
	const PhProfile *profile = context;
	return ph_column_compare(profile, &profile->columns[x], profile, &profile->columns[y]);
}

/* *profile is replaced where its columns are not in order. */
static PhStatus
sort_columns(PhArena *scratch, PhProfile **profile)
{
	uint32_t n = (*profile)->n_columns, *order, *place;
	PhColumn *sorted;
	PhProfile *result;
	bool is_sorted = true;
	PH_TRY(ph_sort_indices(scratch, n, compare_columns, *profile, &order));
	PH_TRY(PH_NEW(scratch, n, &place));
	PH_TRY(PH_NEW(scratch, n, &sorted));
	for (uint32_t i = 0; i < n; i++)
	{
		sorted[i] = (*profile)->columns[order[i]];
		place[order[i]] = i;
		is_sorted = is_sorted && order[i] == i;
	}
	if (is_sorted)
		return PH_OK;
	PH_TRY(ph_profile_roll_up(scratch->env, *profile, place, n, sorted, &result));
	ph_profile_free(scratch->env, *profile);
	*profile = result;
	return PH_OK;
}

PhStatus
ph_profile_rename(PhEnv *env, const PhProfile *profile, const PhCodeNames *regions,
				  const PhUnitNames *columns, PhProfile **out)
{
	PhProfile *result = NULL;
	Renamed renamed;
	PhArena scratch;
	ph_arena_init(&scratch, env);
	PhStatus status = make_view(&scratch, profile, regions, columns, &renamed);
	if (status == PH_OK)
		status = rename_nodes(env, &renamed.view, &result);
	if (status == PH_OK)
		status = sort_columns(&scratch, &result);
	ph_arena_drop(&scratch);
	if (status == PH_OK)
		*out = result;
	else
		ph_profile_free(env, result);
	return status;
}
