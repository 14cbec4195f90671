/*
 * others.c - what a filter left out of a super graph, as supernodes of its own.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/min_max.h"
#include "base/str.h"
#include "supergraph/internal.h"

PhStatus
ph_profile_absorbed_paths(PhArena *arena, const PhProfile *profile, uint32_t *counts)
{
	const PhProfile *whole = profile->unfiltered;
	PhImage image;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		counts[node] = 0;
	if (whole == NULL)
		return PH_OK;
	PH_TRY(ph_image_find(arena, whole, profile, &image));
	for (uint32_t node = 0; node < whole->n_nodes; node++)
		if (!image.kept[node] && image.node[node] != PH_NONE)
			counts[image.node[node]]++;
	return PH_OK;
}

/* What the second column has more than the first of a call path's own cost. */
static double
own_difference(const PhProfile *profile, uint32_t metric, uint32_t node)
{
	return ph_profile_cell(profile, metric, node, 1, PH_COST_OWN) -
		   ph_profile_cell(profile, metric, node, 0, PH_COST_OWN);
}

/* Counts the call paths of the unfiltered profile by the level of what absorbed their costs. */
static PhStatus
count_absorbed(PhArena *arena, const PhSupergraph *graph, uint32_t metric,
			   PhSupergraphOther *levels)
{
	const PhProfile *whole = graph->profile->unfiltered;
	PhImage image;
	if (whole == NULL)
		return PH_OK;
	PH_TRY(ph_image_find(arena, whole, graph->profile, &image));
	for (uint32_t node = 0; node < whole->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(arena->env));
		if (image.kept[node] || image.node[node] == PH_NONE)
			continue;
		uint32_t v = graph->segments[graph->segment_of[image.node[node]]].supernode;
		PhSupergraphOther *level = &levels[graph->supernodes[v].level];
		level->n_paths++;
		if (whole->n_columns != 2)
			continue;
		double difference = own_difference(whole, metric, node);
		level->more += PH_MAX(difference, 0);
		level->less += PH_MAX(-difference, 0);
	}
	return PH_OK;
}

static PhStatus
name_others(PhArena *arena, PhSupergraphOther *other)
{
	PhStr name, label;
	char *text;
	ph_str_init(&name, arena);
	ph_str_init(&label, arena);
	PH_TRY(ph_str_printf(&name, "<others %u>", other->level));
	PH_TRY(ph_str_take(&name, &text));
	other->name = text;
	PH_TRY(ph_str_printf(&label, "%u other%s", other->n_paths, other->n_paths == 1 ? "" : "s"));
	PH_TRY(ph_str_take(&label, &text));
	other->label = text;
	return PH_OK;
}

/* Adds up by the level of the supernodes; others of these are one level further. */
static PhStatus
add_up(PhArena *arena, const PhSupergraph *graph, uint32_t metric, const double *absorbed,
	   PhSupergraphOther *levels)
{
	for (uint32_t v = 0; v < graph->n_supernodes; v++)
	{
		PhSupergraphOther *level = &levels[graph->supernodes[v].level];
		level->level = graph->supernodes[v].level + 1;
		level->value += absorbed[v];
		level->more = level->less = graph->profile->n_columns == 2 ? 0 : NAN;
	}
	return count_absorbed(arena, graph, metric, levels);
}

PhStatus
ph_supergraph_others(PhArena *arena, const PhSupergraph *graph, uint32_t metric,
					 const double *absorbed, double least, PhSupergraphOthers *out)
{
	uint32_t n = graph->n_supernodes;
	PhSupergraphOther *levels;
	PhSupergraphOthers others = {0};
	PH_TRY(PH_NEW(arena, n, &levels)); /* a level has a supernode */
	PH_TRY(PH_NEW(arena, n, &others.items));
	PH_TRY(PH_NEW(arena, n, &others.of));
	PH_TRY(add_up(arena, graph, metric, absorbed, levels));
	for (uint32_t v = 0; v < n; v++) /* by level */
	{
		PhSupergraphOther *level = &levels[graph->supernodes[v].level];
		others.of[v] = PH_NONE;
		if (level->n_paths == 0 || !(level->value > 0) || level->value < least)
			continue;
		if (others.n == 0 || others.items[others.n - 1].level != level->level)
		{
			others.items[others.n] = *level;
			PH_TRY(name_others(arena, &others.items[others.n++]));
		}
		if (absorbed[v] > 0)
			others.of[v] = others.n - 1;
	}
	*out = others;
	return PH_OK;
}
