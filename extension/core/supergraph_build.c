/*
 * supergraph_build.c - from a profile to its super graph: label, cut into segments, place, finish.
 *
 * A module map is applied to the profile's own regions first (and to those of the unfiltered
 * profile it carries), so that the value needs no map later, in no drill-down or repopulation.
 *
 * Complexity: O(nodes + strings log strings) for segments and labels, O(segments log segments) for
 * the placement, plus the closure within sets of labels that call each other.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "name_set.h"
#include "supergraph_internal.h"
#include "table.h"

/* What a module map replaces in one profile, to be put back when the build fails. */
typedef struct Relabelled
{
	PhProfile *profile;
	uint32_t n_strings;
	const char **strings;
	PhRegion *regions;
} Relabelled;

static PhStatus
make_forest(PhArena *arena, const PhProfile *profile, const PhLabels *labels, const PhDraft *draft,
			PhSegmentForest *forest)
{
	forest->n = draft->n_segments;
	forest->n_labels = labels->n_labels;
	PH_TRY(PH_NEW(arena, forest->n, &forest->parent));
	PH_TRY(PH_NEW(arena, forest->n, &forest->label));
	PH_TRY(PH_NEW(arena, forest->n, &forest->weight));
	for (uint32_t segment = 0; segment < forest->n; segment++)
	{
		uint32_t entry = draft->segments[segment].entry;
		PH_TRY(ph_env_poll(arena->env));
		forest->parent[segment] = draft->segments[segment].parent;
		forest->label[segment] = labels->of_node[entry];
		forest->weight[segment] = ph_supergraph_weight(profile, entry);
	}
	return PH_OK;
}

static PhStatus
add_supernodes(PhArena *arena, const PhLabels *labels, const PhPlacement *placement, PhDraft *draft)
{
	PH_TRY(PH_NEW(arena, placement->n_supernodes, &draft->supernodes));
	draft->n_supernodes = draft->capacity = placement->n_supernodes;
	for (uint32_t i = 0; i < placement->n_supernodes; i++)
	{
		PhDraftSupernode *supernode = &draft->supernodes[i];
		supernode->label = supernode->name = labels->names[placement->label[i]];
		supernode->duplicate = placement->duplicate[i];
		if (supernode->duplicate > 0)
			PH_TRY(ph_arena_printf(arena, &supernode->name, "%s#%u", supernode->label,
								   supernode->duplicate));
	}
	for (uint32_t segment = 0; segment < draft->n_segments; segment++)
		draft->segments[segment].supernode = placement->of_segment[segment];
	return PH_OK;
}

static PhStatus
build(PhEnv *env, PhArena *scratch, PhProfile *profile, PhGroupBy by, PhSupergraph **out)
{
	PhLabels labels;
	PhDraft draft;
	PhSegmentForest forest;
	PhPlacement placement;
	memset(&draft, 0, sizeof(draft));
	draft.group_by = ph_group_by_name(by);
	PH_TRY(ph_labels_make(scratch, profile, by, NULL, &labels));
	PH_TRY(ph_draft_segments(scratch, profile, labels.of_node, &draft));
	PH_TRY(make_forest(scratch, profile, &labels, &draft, &forest));
	PH_TRY(ph_place_segments(scratch, &forest, &placement));
	PH_TRY(add_supernodes(scratch, &labels, &placement, &draft));
	return ph_draft_finish(env, scratch, &draft, profile, out);
}

/* The module of every region as the map has it, where it has one. Strings grow in the arena. */
static PhStatus
map_regions(PhArena *scratch, PhProfile *profile, const PhModuleMap *map, PhRegion *regions,
			PhStrings *modules)
{
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		const PhRegion *region = &profile->regions[i];
		uint32_t index;
		PH_TRY(ph_env_poll(scratch->env));
		const char *module = ph_module_map_apply(map, ph_profile_string(profile, region->name),
												 ph_profile_string(profile, region->file),
												 ph_profile_string(profile, region->library));
		regions[i] = *region;
		if (module == NULL)
			continue;
		PH_TRY(ph_strings_intern(modules, module, &index));
		regions[i].module = index;
	}
	return PH_OK;
}

static PhStatus
relabel(PhArena *scratch, PhProfile *profile, const PhModuleMap *map)
{
	PhStrings strings;
	PhRegion *regions;
	const char **texts;
	PH_TRY(ph_strings_init(&strings, scratch));
	for (uint32_t i = 0; i < profile->n_strings; i++)
	{
		uint32_t index;
		PH_TRY(ph_strings_intern(&strings, profile->strings[i], &index));
		if (index != i)
			return ph_fail(scratch->env, PH_ERR_FORMAT, "bad profile: string %u occurs twice", i);
	}
	PH_TRY(PH_NEW(&profile->arena, profile->n_regions, &regions));
	PH_TRY(map_regions(scratch, profile, map, regions, &strings));
	PH_TRY(PH_NEW(&profile->arena, strings.count, &texts));
	memcpy(texts, profile->strings, profile->n_strings * sizeof(char *));
	for (uint32_t i = profile->n_strings; i < strings.count; i++)
	{
		char *copy;
		PH_TRY(ph_arena_strndup(&profile->arena, strings.text[i], strlen(strings.text[i]), &copy));
		texts[i] = copy;
	}
	profile->regions = regions;
	profile->strings = texts;
	profile->n_strings = strings.count;
	return PH_OK;
}

static Relabelled
remember(PhProfile *profile)
{
	return (Relabelled){profile, profile->n_strings, profile->strings, profile->regions};
}

static void
put_back(const Relabelled *was)
{
	was->profile->n_strings = was->n_strings;
	was->profile->strings = was->strings;
	was->profile->regions = was->regions;
}

static PhStatus
build_mapped(PhEnv *env, PhArena *scratch, PhProfile *profile, PhGroupBy by, const PhModuleMap *map,
			 PhSupergraph **out)
{
	PhProfile *unfiltered = profile->unfiltered;
	Relabelled was = remember(profile);
	Relabelled unfiltered_was = remember(unfiltered == NULL ? profile : unfiltered);
	PhStatus status = relabel(scratch, profile, map);
	if (status == PH_OK && unfiltered != NULL)
		status = relabel(scratch, unfiltered, map);
	if (status == PH_OK)
		status = build(env, scratch, profile, by, out);
	if (status != PH_OK)
	{
		put_back(&unfiltered_was);
		put_back(&was);
	}
	return status;
}

PhStatus
ph_supergraph_build(PhEnv *env, PhProfile *profile, PhGroupBy by, const PhModuleMap *map,
					PhSupergraph **out)
{
	PhArena scratch;
	PhStatus status;
	ph_arena_init(&scratch, env);
	if (map != NULL && by == PH_GROUP_MODULE)
		status = build_mapped(env, &scratch, profile, by, map, out);
	else
		status = build(env, &scratch, profile, by, out);
	ph_arena_drop(&scratch);
	return status;
}

uint32_t
ph_supergraph_find(const PhSupergraph *graph, const char *name)
{
	for (uint32_t i = 0; i < graph->n_supernodes; i++)
		if (strcmp(graph->supernodes[i].name, name) == 0)
			return i;
	return PH_NONE;
}
