/*
 * image.c - which node of a filtered profile stands for a node of the unfiltered one.
 *
 * A filter removes a function as a whole, roots excepted; hence a node was kept exactly when its
 * nearest kept ancestor has a child with its identity in the filtered profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/table.h"
#include "supergraph/internal.h"

/* Children of a profile by (parent, identity of the region). */
static PhStatus
index_children(PhArena *arena, const PhProfile *profile, const uint32_t *identity, PhMap *map)
{
	ph_map_init(map, arena);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		uint64_t key = ph_map_key(profile->parent[node], identity[profile->region[node]]);
		uint32_t *found;
		PH_TRY(ph_env_poll(arena->env));
		PH_TRY(ph_map_enter(map, key, node, &found));
	}
	return PH_OK;
}

/* A number for each identity: regions that differ in their labels alone, or are of the other
 * profile, have the same one. */
static PhStatus
number_identities(PhArena *arena, const PhProfile *profile, PhMap *ids, uint32_t **out)
{
	PH_TRY(PH_NEW(arena, profile->n_regions, out));
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		uint32_t *number;
		PH_TRY(ph_map_enter(ids, profile->regions[i].region_id, ids->count, &number));
		(*out)[i] = *number;
	}
	return PH_OK;
}

static PhStatus
make_room(PhArena *arena, const PhProfile *whole, const PhProfile *filtered, PhImage *out)
{
	PH_TRY(PH_NEW(arena, whole->n_nodes, &out->node));
	PH_TRY(PH_NEW(arena, whole->n_nodes, &out->kept));
	PH_TRY(PH_NEW(arena, filtered->n_nodes, &out->origin));
	memset(out->origin, 0xff, filtered->n_nodes * sizeof(uint32_t)); /* PH_NONE */
	return PH_OK;
}

PhStatus
ph_image_find(PhArena *arena, const PhProfile *whole, const PhProfile *filtered, PhImage *out)
{
	PhMap children, ids;
	uint32_t *identity, *region;
	PhImage image;
	ph_map_init(&ids, arena);
	PH_TRY(number_identities(arena, filtered, &ids, &identity));
	PH_TRY(number_identities(arena, whole, &ids, &region));
	PH_TRY(index_children(arena, filtered, identity, &children));
	PH_TRY(make_room(arena, whole, filtered, &image));
	for (uint32_t node = 0; node < whole->n_nodes; node++)
	{
		uint32_t parent = whole->parent[node];
		uint32_t above = parent == PH_NONE ? PH_NONE : image.node[parent];
		uint32_t *child;
		PH_TRY(ph_env_poll(arena->env));
		PH_TRY(ph_map_enter(&children, ph_map_key(above, region[whole->region[node]]), PH_NONE,
							&child));
		image.kept[node] = *child != PH_NONE;
		image.node[node] = image.kept[node] ? *child : above;
		if (image.kept[node] && image.origin[*child] == PH_NONE)
			image.origin[*child] = node;
	}
	*out = image;
	return PH_OK;
}
