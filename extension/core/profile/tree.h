/*
 * tree.h - from any forest of regions to the normal form: equal siblings merged, children sorted by
 * identity, numbered in pre-order; regions and strings numbered by first use.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_TREE_H
#define PH_PROFILE_TREE_H

#include "profile/internal.h"

/* Raw nodes in any order; several raw nodes may stand for one. */
typedef struct PhTreeInput
{
	uint32_t n_nodes;
	const uint32_t *parent; /* raw node or PH_NONE */
	const uint32_t *region; /* index into regions */
	uint32_t n_regions;
	const PhRegion *regions;
	const char *const *strings; /* what the regions' strings index */
} PhTreeInput;

/*
 * Fill the profile's regions, nodes and callpath ids; node_of[raw] = node. Links that go in a
 * circle are PH_ERR_FORMAT, a forest without nodes PH_ERR_VALUE. O(nodes + regions log regions).
 */
PhStatus ph_tree_build(PhMaker *maker, const PhTreeInput *input, uint32_t *node_of) PH_MUST_CHECK;

/* The same tree as another profile's, array by array. Must come first of all parts. */
PhStatus ph_tree_copy(PhMaker *maker, const PhProfile *from) PH_MUST_CHECK;

/* Set n_nodes and make the arrays by node. */
PhStatus ph_tree_new_nodes(PhProfile *profile, uint32_t n) PH_MUST_CHECK;

/* depth, subtree_end and callpath_id from parent and region (region_id must be set). */
void ph_tree_derive(PhProfile *profile);
/* The first two alone. */
void ph_tree_derive_shape(PhProfile *profile);

/* Raw node -> its members' list, as offsets: members of node n are items[start[n]..start[n+1]). */
PhStatus ph_tree_members(PhArena *arena, uint32_t n_raw, const uint32_t *node_of, uint32_t n_nodes,
						 uint32_t **start, uint32_t **items) PH_MUST_CHECK;

#endif
