/*
 * match_blocks.c - which nodes meet when there are too many for every pair.
 *
 * A pass sorts the nodes that only one profile has by a key and, within equal keys, by a place;
 * each node of a meets the nearest ones of b with its key. The passes differ in key and place:
 *   caller (the node in both that calls it) by cost, and by name;   name by cost;
 *   core of the name by cost;   source line by cost;   callees by cost;
 *   no key, by core of the name, and by that read from its end.
 * What a node's caller may have become is known only on the way; its callees join then.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "history/match_internal.h"
#include "profile/tree.h"

#define CALLERS 3  /* candidates of the caller whose callees a node meets */
#define CALLEES 16 /* of them, those nearest by name */
#define MET_MAX (PASS_COUNT * PH_MATCH_NEAR + CALLERS * CALLEES)

typedef enum Pass
{
	PASS_CALLER_COST,
	PASS_CALLER_NAME,
	PASS_NAME,
	PASS_CORE,
	PASS_LINE,
	PASS_CALLEES,
	PASS_FORWARD,
	PASS_BACKWARD,
	PASS_COUNT
} Pass;

/* Ranks of all regions of both profiles, a's first: equal exactly when the texts are. */
typedef struct RegionRanks
{
	uint32_t *name, *core, *reversed, *file;
} RegionRanks;

struct PhMatchBlocks
{
	uint32_t *near; /* [(pass * a.n + index) * PH_MATCH_NEAR]: nodes of b or PH_NONE */
	RegionRanks ranks;
	uint32_t *first;   /* per node of b: of its callees, in `callees` */
	uint32_t *callees; /* in the order of kind and name */
	uint32_t *met;	   /* [MET_MAX], or all of b.nodes */
	uint32_t *buffer;  /* [MET_MAX] */
};

/* ---- ranks of texts ---- */

typedef struct Texts
{
	const PhMatch *match;
	enum
	{
		TEXT_NAME,
		TEXT_CORE,
		TEXT_REVERSED,
		TEXT_FILE
	} which;
} Texts;

static const PhMatchSide *
side_of(const PhMatch *match, uint32_t *region)
{
	if (*region < match->a.profile->n_regions)
		return &match->a;
	*region -= match->a.profile->n_regions;
	return &match->b;
}

static int
compare_cores(const PhCoreName *x, const PhCoreName *y, bool reversed)
{
	if (!reversed)
		return memcmp(x->text, y->text, PH_CORE_NAME_MAX);
	uint32_t shorter = PH_MIN(x->length, y->length);
	for (uint32_t i = 1; i <= shorter; i++)
		if (x->text[x->length - i] != y->text[y->length - i])
			return (unsigned char) x->text[x->length - i] < (unsigned char) y->text[y->length - i]
					   ? -1
					   : 1;
	return (x->length > y->length) - (x->length < y->length);
}

static int
compare_texts(const void *context, uint32_t x, uint32_t y)
{
	const Texts *texts = context;
	const PhMatchSide *s = side_of(texts->match, &x), *t = side_of(texts->match, &y);
	const PhRegion *r = &s->profile->regions[x], *q = &t->profile->regions[y];
	if (texts->which == TEXT_NAME)
		return strcmp(s->profile->strings[r->name], t->profile->strings[q->name]);
	if (texts->which == TEXT_FILE)
		return strcmp(s->profile->strings[r->file], t->profile->strings[q->file]);
	return compare_cores(&s->core[x], &t->core[y], texts->which == TEXT_REVERSED);
}

static PhStatus
rank_texts(PhMatch *match, const Texts *texts, uint32_t **out)
{
	uint32_t n = match->a.profile->n_regions + match->b.profile->n_regions, *order, rank = 0;
	PH_TRY(ph_sort_indices(&match->scratch, n, compare_texts, texts, &order));
	PH_TRY(PH_NEW(&match->scratch, n, out));
	for (uint32_t i = 0; i < n; i++)
	{
		rank += i > 0 && compare_texts(texts, order[i - 1], order[i]) != 0 ? 1 : 0;
		(*out)[order[i]] = rank;
	}
	return PH_OK;
}

/* ---- passes ---- */

typedef struct Item
{
	uint64_t key;
	double place;
	uint32_t node;
	uint32_t index; /* in a.nodes; PH_NONE: a node of b */
	uint8_t kind;
} Item;

static int
compare_items(const void *context, uint32_t x, uint32_t y)
{
	const Item *a = (const Item *) context + x, *b = (const Item *) context + y;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	if ((a->index == PH_NONE) != (b->index == PH_NONE))
		return a->index == PH_NONE ? 1 : -1;
	return (a->node > b->node) - (a->node < b->node);
}

static uint64_t
callees_key(const PhProfile *profile, const uint32_t *name_ranks, uint32_t node)
{
	uint64_t key = 0;
	for (uint32_t child = node + 1; child < profile->subtree_end[node];
		 child = profile->subtree_end[child])
		key = ph_hash_mix(key ^ (name_ranks[profile->region[child]] + 1));
	return key;
}

/* A caller in both profiles as one number: its node in a, + 2; 1 for roots. 0: it is not in both.
 */
static uint64_t
caller_key(const PhMatch *match, bool is_b, uint32_t node)
{
	const PhMatchSide *side = is_b ? &match->b : &match->a;
	uint32_t above = side->profile->parent[node];
	if (above == PH_NONE)
		return 1;
	if (side->partner[above] == PH_NONE)
		return 0;
	return (uint64_t) (is_b ? side->partner[above] : above) + 2;
}

/* Key and place of a node in a pass; false: the node has no such key. */
static bool
fill_item(const PhMatch *match, const RegionRanks *ranks, Pass pass, bool is_b, Item *item)
{
	const PhMatchSide *side = is_b ? &match->b : &match->a;
	const PhProfile *profile = side->profile;
	const PhRegion *region = ph_profile_region(profile, item->node);
	uint32_t first = is_b ? match->a.profile->n_regions : 0;
	uint32_t rank = first + profile->region[item->node];
	item->kind = region->kind;
	item->place = isnan(side->share[item->node]) ? 0 : side->share[item->node];
	item->key = 1;
	if (pass == PASS_CALLER_COST || pass == PASS_CALLER_NAME)
		item->key = caller_key(match, is_b, item->node);
	else if (pass == PASS_NAME)
		item->key = ranks->name[rank] + UINT64_C(1);
	else if (pass == PASS_CORE)
		item->key = ranks->core[rank] + UINT64_C(1);
	else if (pass == PASS_LINE)
		item->key = region->file == 0 || region->line < 0
						? 0
						: ((uint64_t) ranks->file[rank] << 32 | (uint32_t) region->line) + 1;
	else if (pass == PASS_CALLEES)
		item->key = callees_key(profile, ranks->name + first, item->node);
	if (pass == PASS_CALLER_NAME || pass == PASS_FORWARD)
		item->place = ranks->core[rank];
	else if (pass == PASS_BACKWARD)
		item->place = ranks->reversed[rank];
	return item->key != 0;
}

static uint32_t
fill_side(const PhMatch *match, const RegionRanks *ranks, Pass pass, bool is_b, Item *items)
{
	const PhMatchSide *side = is_b ? &match->b : &match->a;
	uint32_t n = 0;
	for (uint32_t i = 0; i < side->n; i++)
	{
		items[n].node = side->nodes[i];
		items[n].index = is_b ? PH_NONE : i;
		n += fill_item(match, ranks, pass, is_b, &items[n]) ? 1 : 0;
	}
	return n;
}

/* The nearest nodes of b for one of a, whose place among those of b is `at`. */
static void
take_near(const Item *items, const uint32_t *of_b, uint32_t n_b, uint32_t at, const Item *item,
		  uint32_t *near)
{
	uint32_t first = at > PH_MATCH_NEAR / 2 ? at - PH_MATCH_NEAR / 2 : 0;
	for (uint32_t i = first, n = 0; i < n_b && i < first + PH_MATCH_NEAR; i++)
	{
		const Item *other = &items[of_b[i]];
		if (other->kind == item->kind && other->key == item->key)
			near[n++] = other->node;
	}
}

/*
 * One pass: sorts the unmatched nodes of both profiles by the pass's key and place; each node of a
 * gets the PH_MATCH_NEAR nodes of b with its key that are nearest to it in that order.
 */
static PhStatus
run_pass(PhMatch *match, PhArena *arena, const RegionRanks *ranks, Pass pass, uint32_t *near)
{
	uint32_t room = match->a.n + match->b.n, *order, *of_b, n_b = 0;
	Item *items;
	PH_TRY(PH_NEW(arena, room, &items));
	PH_TRY(PH_NEW(arena, room, &of_b));
	uint32_t n = fill_side(match, ranks, pass, false, items);
	n += fill_side(match, ranks, pass, true, items + n);
	PH_TRY(ph_sort_indices(arena, n, compare_items, items, &order));
	for (uint32_t i = 0; i < n; i++)
		if (items[order[i]].index == PH_NONE)
			of_b[n_b++] = order[i];
	for (uint32_t i = 0, at = 0; i < n; i++)
	{
		const Item *item = &items[order[i]];
		PH_TRY(ph_env_poll(arena->env));
		if (item->index == PH_NONE)
			at++;
		else
			take_near(items, of_b, n_b, at, item, near + (size_t) item->index * PH_MATCH_NEAR);
	}
	return PH_OK;
}

static PhStatus
rank_regions(PhMatch *match, RegionRanks *ranks)
{
	Texts name = {match, TEXT_NAME}, core = {match, TEXT_CORE};
	Texts reversed = {match, TEXT_REVERSED}, file = {match, TEXT_FILE};
	PH_TRY(rank_texts(match, &name, &ranks->name));
	PH_TRY(rank_texts(match, &core, &ranks->core));
	PH_TRY(rank_texts(match, &reversed, &ranks->reversed));
	return rank_texts(match, &file, &ranks->file);
}

/* Callees of every node of b, as ph_tree_members lists them: in pre-order, so by kind and name. */
static PhStatus
list_callees(PhMatch *match, PhMatchBlocks *blocks)
{
	const PhProfile *b = match->b.profile;
	return ph_tree_members(&match->scratch, b->n_nodes, b->parent, b->n_nodes, &blocks->first,
						   &blocks->callees);
}

PhStatus
ph_match_blocks(PhMatch *match, PhMatchBlocks **out)
{
	PhMatchBlocks *blocks;
	size_t places = (size_t) match->a.n * PH_MATCH_NEAR;
	*out = NULL;
	if ((uint64_t) match->a.n * match->b.n <= PH_MATCH_ALL_PAIRS)
		return PH_OK;
	PH_TRY(PH_NEW(&match->scratch, 1, &blocks));
	PH_TRY(PH_NEW(&match->scratch, PASS_COUNT * places, &blocks->near));
	PH_TRY(PH_NEW(&match->scratch, MET_MAX, &blocks->met));
	PH_TRY(PH_NEW(&match->scratch, MET_MAX, &blocks->buffer));
	memset(blocks->near, 0xff, PASS_COUNT * places * sizeof(*blocks->near));
	PH_TRY(rank_regions(match, &blocks->ranks));
	PH_TRY(list_callees(match, blocks));
	for (int pass = 0; pass < PASS_COUNT; pass++)
	{
		PhArena arena;
		ph_arena_init(&arena, match->scratch.env);
		PhStatus status = run_pass(match, &arena, &blocks->ranks, (Pass) pass,
								   blocks->near + (size_t) pass * places);
		ph_arena_drop(&arena);
		PH_TRY(status);
	}
	*out = blocks;
	return PH_OK;
}

/* ---- who a node meets ---- */

static int
compare_callee(const PhMatch *match, const uint32_t *names, uint32_t callee, uint32_t x)
{
	const PhProfile *a = match->a.profile, *b = match->b.profile;
	uint32_t region = b->region[callee], other = a->region[x];
	if (b->regions[region].kind != a->regions[other].kind)
		return b->regions[region].kind < a->regions[other].kind ? -1 : 1;
	uint32_t rank = names[a->n_regions + region], wanted = names[other];
	return (rank > wanted) - (rank < wanted);
}

/*
 * x is a node of a, y what its caller may have become in b. Lists the callees of y around the place
 * where x would stand among them in the order of kind and name. All of them are candidates: as only
 * b has y, only b has its callees.
 */
static uint32_t
meet_callees(const PhMatch *match, const PhMatchBlocks *blocks, uint32_t x, uint32_t y,
			 uint32_t *met)
{
	uint32_t first = blocks->first[y], end = blocks->first[y + 1], low = first, high = end;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		if (compare_callee(match, blocks->ranks.name, blocks->callees[middle], x) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	low = low - first > CALLEES / 2 ? low - CALLEES / 2 : first;
	uint32_t n = end - low < CALLEES ? end - low : CALLEES;
	memcpy(met, blocks->callees + low, n * sizeof(*met));
	return n;
}

static int
compare_numbers(const void *context, uint32_t x, uint32_t y)
{
	(void) context;
	return (x > y) - (x < y);
}

PhStatus
ph_match_meet(PhMatch *match, PhMatchBlocks *blocks, uint32_t index, const uint32_t **nodes,
			  uint32_t *n)
{
	uint32_t count = 0, distinct = 0, above;
	*nodes = match->b.nodes;
	*n = match->b.n;
	if (blocks == NULL)
		return PH_OK;
	for (int pass = 0; pass < PASS_COUNT; pass++)
		for (int i = 0; i < PH_MATCH_NEAR; i++)
		{
			size_t at = ((size_t) pass * match->a.n + index) * PH_MATCH_NEAR + (size_t) i;
			if (blocks->near[at] != PH_NONE)
				blocks->met[count++] = blocks->near[at];
		}
	above = match->a.profile->parent[match->a.nodes[index]];
	if (above != PH_NONE && match->a.partner[above] == PH_NONE)
	{
		uint32_t caller = match->index_a[above];
		const PhCandidate *kept = match->kept + (size_t) caller * PH_MATCH_KEPT;
		for (uint32_t i = 0; i < match->n_kept[caller] && i < CALLERS; i++)
			count += meet_callees(match, blocks, match->a.nodes[index], kept[i].candidate,
								  blocks->met + count);
	}
	PH_TRY(ph_sort(match->scratch.env, blocks->met, count, blocks->buffer, compare_numbers, NULL));
	for (uint32_t i = 0; i < count; i++)
		if (i == 0 || blocks->met[i] != blocks->met[i - 1])
			blocks->met[distinct++] = blocks->met[i];
	*nodes = blocks->met;
	*n = distinct;
	return PH_OK;
}
