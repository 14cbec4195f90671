/*
 * build.c - from a profile to its super graph: label, cut into segments, place, finish.
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

#include "base/name_set.h"
#include "base/table.h"
#include "supergraph/internal.h"

/* What a module map replaces in one profile, to be put back when the build fails. */
typedef struct Relabelled
{
	PhProfile *profile;
	uint32_t n_strings;
	const char **strings;
	PhRegion *regions;
	PhColumn *columns;
	PhMetric *metrics;
	PhSource *sources;
	PhString *notes;
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

/* Number a string anew: strings of a profile are numbered by first use. */
static PhStatus
renumber(PhStrings *strings, const PhProfile *profile, PhString *string)
{
	return ph_strings_intern(strings, ph_profile_string(profile, *string), string);
}

/* Regions with the module that the map has for them, where it has one. */
static PhStatus
map_regions(const PhProfile *profile, const PhModuleMap *map, const Relabelled *to,
			PhStrings *strings)
{
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		const PhRegion *region = &profile->regions[i];
		PhRegion *mapped = &to->regions[i];
		PH_TRY(ph_env_poll(strings->arena->env));
		const char *module = ph_module_map_apply(map, ph_profile_string(profile, region->name),
												 ph_profile_string(profile, region->file),
												 ph_profile_string(profile, region->library));
		*mapped = *region;
		PH_TRY(renumber(strings, profile, &mapped->name));
		PH_TRY(renumber(strings, profile, &mapped->library));
		PH_TRY(renumber(strings, profile, &mapped->file));
		if (module == NULL)
			PH_TRY(renumber(strings, profile, &mapped->module));
		else
			PH_TRY(ph_strings_intern(strings, module, &mapped->module));
		PH_TRY(renumber(strings, profile, &mapped->paradigm));
	}
	return PH_OK;
}

static PhStatus
renumber_rest(const PhProfile *profile, const Relabelled *to, PhStrings *strings)
{
	const PhProvenance *provenance = &profile->provenance;
	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		PH_TRY(ph_env_poll(strings->arena->env));
		to->columns[i] = profile->columns[i];
		PH_TRY(renumber(strings, profile, &to->columns[i].host));
		PH_TRY(renumber(strings, profile, &to->columns[i].name));
	}
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		to->metrics[i] = profile->metrics[i];
		PH_TRY(renumber(strings, profile, &to->metrics[i].name));
		PH_TRY(renumber(strings, profile, &to->metrics[i].unit));
	}
	for (uint32_t i = 0; i < provenance->n_sources; i++)
	{
		to->sources[i] = provenance->sources[i];
		PH_TRY(renumber(strings, profile, &to->sources[i].label));
	}
	for (uint32_t i = 0; i < provenance->n_notes; i++)
	{
		to->notes[i] = provenance->notes[i];
		PH_TRY(renumber(strings, profile, &to->notes[i]));
	}
	return PH_OK;
}

static void
put_in(const Relabelled *labels)
{
	labels->profile->n_strings = labels->n_strings;
	labels->profile->strings = labels->strings;
	labels->profile->regions = labels->regions;
	labels->profile->columns = labels->columns;
	labels->profile->metrics = labels->metrics;
	labels->profile->provenance.sources = labels->sources;
	labels->profile->provenance.notes = labels->notes;
}

static PhStatus
relabel(PhProfile *profile, const PhModuleMap *map)
{
	PhArena *arena = &profile->arena;
	Relabelled to = {.profile = profile};
	PhStrings strings;
	PhString empty;
	PH_TRY(ph_strings_init(&strings, arena));
	PH_TRY(ph_strings_intern(&strings, "", &empty));
	PH_TRY(PH_NEW(arena, profile->n_regions, &to.regions));
	PH_TRY(PH_NEW(arena, profile->n_columns, &to.columns));
	PH_TRY(PH_NEW(arena, profile->n_metrics, &to.metrics));
	PH_TRY(PH_NEW(arena, profile->provenance.n_sources, &to.sources));
	PH_TRY(PH_NEW(arena, profile->provenance.n_notes, &to.notes));
	PH_TRY(map_regions(profile, map, &to, &strings));
	PH_TRY(renumber_rest(profile, &to, &strings));
	to.n_strings = strings.count;
	to.strings = strings.text;
	put_in(&to);
	return PH_OK;
}

static Relabelled
remember(PhProfile *profile)
{
	return (Relabelled){profile,
						profile->n_strings,
						profile->strings,
						profile->regions,
						profile->columns,
						profile->metrics,
						profile->provenance.sources,
						profile->provenance.notes};
}

static PhStatus
build_mapped(PhEnv *env, PhArena *scratch, PhProfile *profile, PhGroupBy by, const PhModuleMap *map,
			 PhSupergraph **out)
{
	PhProfile *unfiltered = profile->unfiltered;
	Relabelled was = remember(profile);
	Relabelled unfiltered_was = remember(unfiltered == NULL ? profile : unfiltered);
	PhStatus status = relabel(profile, map);
	if (status == PH_OK && unfiltered != NULL)
		status = relabel(unfiltered, map);
	if (status == PH_OK)
		status = build(env, scratch, profile, by, out);
	if (status != PH_OK)
	{
		put_in(&unfiltered_was);
		put_in(&was);
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
