/*
 * tree.c - normal form of a forest in linear time after one sort of the regions.
 *
 * 1. Regions get two ranks: `identity` (equal for equal siblings) and `full` (labels and line too).
 * 2. Going down from the roots, a raw node joins the merged node (merged parent, identity); the
 *    least full rank among the members gives the merged node's region.
 * 3. Merged nodes are bucketed by identity, which sorts every list of children at once.
 * 4. A walk over the lists numbers nodes, regions and strings.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "profile/tree.h"

#include <string.h>

#include "base/text.h"

typedef struct RegionRanks
{
	const PhTreeInput *input;
	uint64_t *prefix;	/* per region: kind and the first bytes of the name, to compare fast */
	uint32_t *identity; /* per region */
	uint32_t *full;		/* per region */
	uint32_t *example;	/* per full rank: a region */
	uint32_t n_identities;
} RegionRanks;

typedef struct Merged
{
	uint32_t n;
	uint32_t *parent;	/* merged node */
	uint32_t *identity; /* rank */
	uint32_t *full;		/* least rank of the members */
	uint32_t *of_raw;	/* raw -> merged */
} Merged;

/* Lists of children, sorted by identity. */
typedef struct Lists
{
	uint32_t *child;   /* first child per merged node */
	uint32_t *sibling; /* next */
	uint32_t root;	   /* first root */
} Lists;

static uint64_t
region_prefix(const PhTreeInput *input, const PhRegion *region)
{
	const unsigned char *name = (const unsigned char *) input->strings[region->name];
	uint64_t prefix = region->kind;
	for (int i = 0; i < 7; i++)
	{
		prefix = prefix << 8 | *name;
		if (*name != '\0')
			name++;
	}
	return prefix;
}

static int
compare_text(const PhTreeInput *input, PhString x, PhString y)
{
	return x == y ? 0 : strcmp(input->strings[x], input->strings[y]);
}

static int
compare_line(int32_t x, int32_t y)
{
	return (x > y) - (x < y);
}

static int
compare_identity(const RegionRanks *ranks, uint32_t a, uint32_t b)
{
	if (ranks->prefix[a] != ranks->prefix[b])
		return ranks->prefix[a] < ranks->prefix[b] ? -1 : 1;
	const PhRegion *x = &ranks->input->regions[a], *y = &ranks->input->regions[b];
	int order = compare_text(ranks->input, x->name, y->name);
	if (order == 0)
		order = compare_text(ranks->input, x->library, y->library);
	if (order == 0)
		order = compare_text(ranks->input, x->file, y->file);
	if (order == 0 && ph_kind_has_line(x->kind))
		order = compare_line(x->line, y->line);
	return order;
}

/* Known labels first. */
static int
compare_label(const PhTreeInput *input, PhString x, PhString y)
{
	bool no_x = input->strings[x][0] == '\0';
	bool no_y = input->strings[y][0] == '\0';
	if (no_x != no_y)
		return no_x ? 1 : -1;
	return compare_text(input, x, y);
}

/* Identity, then labels and line, known ones first. */
static int
compare_full(const void *context, uint32_t a, uint32_t b)
{
	const RegionRanks *ranks = context;
	int order = compare_identity(ranks, a, b);
	if (order != 0)
		return order;
	const PhRegion *x = &ranks->input->regions[a], *y = &ranks->input->regions[b];
	order = compare_label(ranks->input, x->module, y->module);
	if (order == 0)
		order = compare_label(ranks->input, x->paradigm, y->paradigm);
	if (order == 0 && (x->line < 0) != (y->line < 0))
		return x->line < 0 ? 1 : -1;
	return order != 0 ? order : compare_line(x->line, y->line);
}

/*
 * Ranks regions so that nodes are compared by numbers: identity (equal for regions that are one by
 * docs/design/supergraph.md 0) and full (also labels and line, known ones first). Nodes of one
 * identity that merge take the label of the least full rank, whatever order they came in.
 */
static PhStatus
rank_regions(PhArena *arena, const PhTreeInput *input, RegionRanks *ranks)
{
	uint32_t n = input->n_regions, *order;
	ranks->input = input;
	PH_TRY(PH_NEW(arena, n, &ranks->prefix));
	PH_TRY(PH_NEW(arena, n, &ranks->identity));
	PH_TRY(PH_NEW(arena, n, &ranks->full));
	PH_TRY(PH_NEW(arena, n, &ranks->example));
	for (uint32_t i = 0; i < n; i++)
		ranks->prefix[i] = region_prefix(input, &input->regions[i]);
	PH_TRY(ph_sort_indices(arena, n, compare_full, ranks, &order));
	uint32_t identity = 0, full = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		if (i > 0 && compare_identity(ranks, order[i - 1], order[i]) != 0)
			identity++;
		if (i > 0 && compare_full(ranks, order[i - 1], order[i]) != 0)
			full++;
		ranks->identity[order[i]] = identity;
		ranks->full[order[i]] = full;
		ranks->example[full] = order[i];
	}
	ranks->n_identities = n == 0 ? 0 : identity + 1;
	return PH_OK;
}

static PhStatus
fail_cycle(PhEnv *env, const PhTreeInput *input, const uint32_t *order_of)
{
	uint32_t node = 0;
	while (order_of[node] != PH_NONE)
		node++;
	return ph_fail(env, PH_ERR_FORMAT, "the parents of node %u (\"%.*s\") go in a circle", node,
				   ph_text_fit(input->strings[input->regions[input->region[node]].name], 100),
				   input->strings[input->regions[input->region[node]].name]);
}

/* Breadth first from the roots over lists of raw children. */
static PhStatus
order_from_roots(PhArena *arena, const PhTreeInput *input, uint32_t *order)
{
	uint32_t n = input->n_nodes, *child, *sibling, *place;
	PH_TRY(PH_NEW(arena, n, &child));
	PH_TRY(PH_NEW(arena, n, &sibling));
	PH_TRY(PH_NEW(arena, n, &place));
	memset(child, 0xff, n * sizeof(*child));
	memset(place, 0xff, n * sizeof(*place));
	uint32_t end = 0;
	for (uint32_t i = n; i-- > 0;)
	{
		uint32_t parent = input->parent[i];
		if (parent == PH_NONE)
		{
			place[i] = end;
			order[end++] = i;
			continue;
		}
		sibling[i] = child[parent];
		child[parent] = i;
	}
	for (uint32_t at = 0; at < end; at++)
		for (uint32_t i = child[order[at]]; i != PH_NONE; i = sibling[i])
		{
			place[i] = end;
			order[end++] = i;
		}
	return end == n ? PH_OK : fail_cycle(arena->env, input, place);
}

/* An order with every parent before its children; most inputs have it already. */
static PhStatus
order_raw(PhArena *arena, const PhTreeInput *input, uint32_t **order)
{
	PH_TRY(PH_NEW(arena, input->n_nodes, order));
	bool sorted = true;
	for (uint32_t i = 0; i < input->n_nodes; i++)
	{
		(*order)[i] = i;
		sorted = sorted && (input->parent[i] == PH_NONE || input->parent[i] < i);
	}
	return sorted ? PH_OK : order_from_roots(arena, input, *order);
}

/*
 * Merges equal siblings: each raw node, parents first, becomes the merged node of (its parent's
 * merged node, its identity). Expected O(nodes).
 */
static PhStatus
merge_siblings(PhArena *arena, const PhTreeInput *input, const RegionRanks *ranks, Merged *merged)
{
	uint32_t *order;
	PhMap places;
	ph_map_init(&places, arena);
	PH_TRY(order_raw(arena, input, &order));
	PH_TRY(PH_NEW(arena, input->n_nodes, &merged->parent));
	PH_TRY(PH_NEW(arena, input->n_nodes, &merged->identity));
	PH_TRY(PH_NEW(arena, input->n_nodes, &merged->full));
	PH_TRY(PH_NEW(arena, input->n_nodes, &merged->of_raw));
	for (uint32_t i = 0; i < input->n_nodes; i++)
	{
		PH_TRY(ph_env_poll(arena->env));
		uint32_t raw = order[i], *place;
		uint32_t above = input->parent[raw], full = ranks->full[input->region[raw]];
		uint32_t parent = above == PH_NONE ? PH_NONE : merged->of_raw[above];
		uint32_t identity = ranks->identity[input->region[raw]];
		PH_TRY(ph_map_enter(&places, ph_map_key(parent, identity), merged->n, &place));
		if (*place == merged->n)
		{
			merged->parent[merged->n] = parent;
			merged->identity[merged->n] = identity;
			merged->full[merged->n++] = full;
		}
		else if (full < merged->full[*place])
			merged->full[*place] = full;
		merged->of_raw[raw] = *place;
	}
	return PH_OK;
}

/* Merged nodes by identity, greatest first. */
static PhStatus
bucket_by_identity(PhArena *arena, const Merged *merged, uint32_t n_identities, uint32_t **out)
{
	uint32_t *start;
	PH_TRY(PH_NEW(arena, (size_t) n_identities + 1, &start));
	PH_TRY(PH_NEW(arena, merged->n, out));
	for (uint32_t i = 0; i < merged->n; i++)
		start[n_identities - 1 - merged->identity[i] + 1]++;
	for (uint32_t i = 0; i < n_identities; i++)
		start[i + 1] += start[i];
	for (uint32_t i = 0; i < merged->n; i++)
		(*out)[start[n_identities - 1 - merged->identity[i]]++] = i;
	return PH_OK;
}

static PhStatus
list_children(PhArena *arena, const Merged *merged, uint32_t n_identities, Lists *lists)
{
	uint32_t *descending;
	PH_TRY(bucket_by_identity(arena, merged, n_identities, &descending));
	PH_TRY(PH_NEW(arena, merged->n, &lists->child));
	PH_TRY(PH_NEW(arena, merged->n, &lists->sibling));
	memset(lists->child, 0xff, merged->n * sizeof(*lists->child));
	lists->root = PH_NONE;
	for (uint32_t i = 0; i < merged->n; i++)
	{
		uint32_t node = descending[i];
		uint32_t *head =
			merged->parent[node] == PH_NONE ? &lists->root : &lists->child[merged->parent[node]];
		lists->sibling[node] = *head;
		*head = node;
	}
	return PH_OK;
}

PhStatus
ph_tree_new_nodes(PhProfile *profile, uint32_t n)
{
	profile->n_nodes = n;
	PH_TRY(PH_NEW(&profile->arena, n, &profile->parent));
	PH_TRY(PH_NEW(&profile->arena, n, &profile->region));
	PH_TRY(PH_NEW(&profile->arena, n, &profile->subtree_end));
	PH_TRY(PH_NEW(&profile->arena, n, &profile->depth));
	return PH_NEW(&profile->arena, n, &profile->callpath_id);
}

/* Pre-order walk; region[] holds full ranks for now. */
static void
number_nodes(PhProfile *profile, const Merged *merged, const Lists *lists, uint32_t *number)
{
	uint32_t next = 0, node = lists->root;
	while (node != PH_NONE)
	{
		number[node] = next;
		profile->parent[next] =
			merged->parent[node] == PH_NONE ? PH_NONE : number[merged->parent[node]];
		profile->region[next++] = merged->full[node];
		if (lists->child[node] != PH_NONE)
		{
			node = lists->child[node];
			continue;
		}
		while (node != PH_NONE && lists->sibling[node] == PH_NONE)
			node = merged->parent[node];
		if (node != PH_NONE)
			node = lists->sibling[node];
	}
}

static PhStatus
copy_region(PhMaker *maker, const PhTreeInput *input, const PhRegion *from, PhRegion *to)
{
	const char *name = input->strings[from->name], *library = input->strings[from->library];
	const char *file = input->strings[from->file];
	to->kind = from->kind;
	to->line = from->line < 0 ? PH_NO_NUMBER : from->line;
	to->region_id = ph_hash_region(from->kind, name, library, file, to->line);
	PH_TRY(ph_strings_intern(&maker->strings, name, &to->name));
	PH_TRY(ph_strings_intern(&maker->strings, library, &to->library));
	PH_TRY(ph_strings_intern(&maker->strings, file, &to->file));
	PH_TRY(ph_strings_intern(&maker->strings, input->strings[from->module], &to->module));
	return ph_strings_intern(&maker->strings, input->strings[from->paradigm], &to->paradigm);
}

/* Replace the full ranks in region[] by indices in order of first use. */
static PhStatus
number_regions(PhMaker *maker, const RegionRanks *ranks)
{
	PhProfile *profile = maker->profile;
	const PhTreeInput *input = ranks->input;
	uint32_t *index, *used, n = 0;
	PH_TRY(PH_NEW(&maker->scratch, input->n_regions, &index));
	PH_TRY(PH_NEW(&maker->scratch, input->n_regions, &used));
	memset(index, 0xff, input->n_regions * sizeof(*index));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		uint32_t full = profile->region[node];
		if (index[full] == PH_NONE)
		{
			index[full] = n;
			used[n++] = full;
		}
		profile->region[node] = index[full];
	}
	profile->n_regions = n;
	PH_TRY(PH_NEW(&profile->arena, n, &profile->regions));
	for (uint32_t i = 0; i < n; i++)
		PH_TRY(copy_region(maker, input, &input->regions[ranks->example[used[i]]],
						   &profile->regions[i]));
	return PH_OK;
}

void
ph_tree_derive(PhProfile *profile)
{
	ph_tree_derive_shape(profile);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		uint32_t parent = profile->parent[node];
		profile->callpath_id[node] =
			ph_hash_callpath(parent == PH_NONE ? 0 : profile->callpath_id[parent],
							 ph_profile_region(profile, node)->region_id);
	}
}

void
ph_tree_derive_shape(PhProfile *profile)
{
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		uint32_t parent = profile->parent[node];
		profile->subtree_end[node] = node + 1;
		profile->depth[node] = parent == PH_NONE ? 0 : profile->depth[parent] + 1;
	}
	for (uint32_t node = profile->n_nodes; node-- > 0;)
	{
		uint32_t parent = profile->parent[node];
		if (parent != PH_NONE && profile->subtree_end[parent] < profile->subtree_end[node])
			profile->subtree_end[parent] = profile->subtree_end[node];
	}
}

PhStatus
ph_tree_build(PhMaker *maker, const PhTreeInput *input, uint32_t *node_of)
{
	PhArena *arena = &maker->scratch;
	RegionRanks ranks = {0};
	Merged merged = {0};
	Lists lists;
	uint32_t *number;
	if (input->n_nodes == 0)
		return ph_fail(maker->env, PH_ERR_VALUE, "no node is left: a profile needs at least one");
	PH_TRY(rank_regions(arena, input, &ranks));
	PH_TRY(merge_siblings(arena, input, &ranks, &merged));
	PH_TRY(list_children(arena, &merged, ranks.n_identities, &lists));
	PH_TRY(ph_tree_new_nodes(maker->profile, merged.n));
	PH_TRY(PH_NEW(arena, merged.n, &number));
	number_nodes(maker->profile, &merged, &lists, number);
	PH_TRY(number_regions(maker, &ranks));
	for (uint32_t i = 0; i < input->n_nodes; i++)
		node_of[i] = number[merged.of_raw[i]];
	ph_tree_derive(maker->profile);
	return PH_OK;
}

PhStatus
ph_tree_copy(PhMaker *maker, const PhProfile *from)
{
	PhProfile *to = maker->profile;
	PhTreeInput input = {.strings = from->strings};
	PH_TRY(ph_tree_new_nodes(to, from->n_nodes));
	to->n_regions = from->n_regions;
	PH_TRY(PH_NEW(&to->arena, from->n_regions, &to->regions));
	for (uint32_t i = 0; i < from->n_regions; i++)
	{
		PH_TRY(ph_env_poll(to->arena.env));
		PH_TRY(copy_region(maker, &input, &from->regions[i], &to->regions[i]));
	}
	PH_TRY(ph_env_poll_now(to->arena.env)); /* once: what is left are copies of bytes */
	memcpy(to->parent, from->parent, from->n_nodes * sizeof(*to->parent));
	memcpy(to->region, from->region, from->n_nodes * sizeof(*to->region));
	memcpy(to->subtree_end, from->subtree_end, from->n_nodes * sizeof(*to->subtree_end));
	memcpy(to->depth, from->depth, from->n_nodes * sizeof(*to->depth));
	memcpy(to->callpath_id, from->callpath_id, from->n_nodes * sizeof(*to->callpath_id));
	return PH_OK;
}

PhStatus
ph_tree_members(PhArena *arena, uint32_t n_raw, const uint32_t *node_of, uint32_t n_nodes,
				uint32_t **start, uint32_t **items)
{
	uint32_t *next;
	PH_TRY(PH_NEW(arena, (size_t) n_nodes + 1, start));
	PH_TRY(PH_NEW(arena, n_nodes, &next));
	PH_TRY(PH_NEW(arena, n_raw, items));
	for (uint32_t raw = 0; raw < n_raw; raw++)
		if (node_of[raw] != PH_NONE)
			(*start)[node_of[raw] + 1]++;
	for (uint32_t node = 0; node < n_nodes; node++)
	{
		(*start)[node + 1] += (*start)[node];
		next[node] = (*start)[node];
	}
	for (uint32_t raw = 0; raw < n_raw; raw++)
		if (node_of[raw] != PH_NONE)
			(*items)[next[node_of[raw]]++] = raw;
	return PH_OK;
}
