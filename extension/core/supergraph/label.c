/*
 * label.c - the label of every node at a level of the hierarchy (docs/design/supergraph.md 2).
 *
 * Labels are found once per region, then inherited down the tree where a region has none. Paths
 * are grouped as a whole and shown by their base name, or by as many more of their last
 * components as it takes to tell them from all other labels.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/min_max.h"
#include "base/name_set.h"
#include "base/sort.h"
#include "supergraph/internal.h"

/*
 * A candidate is a text that may become a label: the profile's strings by their index, then
 * "<unknown>", the names of the kinds, the paradigms that names tell, then the strings of the
 * unfiltered profile.
 */
#define FIXED_CANDIDATES (1 + PH_KIND_COUNT + PH_NAMED_COUNT)

typedef enum CandidateUse
{
	USED_AS_PATH = 1,
	USED_AS_TEXT = 2 /* shown as it is */
} CandidateUse;

typedef struct Labelling
{
	PhArena *arena;
	uint32_t unknown;	/* candidate "<unknown>" */
	uint32_t n;			/* candidates */
	const char **text;	/* per candidate */
	uint8_t *use;		/* per candidate: CandidateUse */
	bool *is_used;		/* per candidate: some node has it */
	const char **shown; /* per candidate in use */
	uint32_t *same_as;	/* per candidate in use: the first one with the same text */
	uint32_t *label;	/* per candidate in use */
	uint32_t n_used;
	uint32_t *used; /* candidates in use */
} Labelling;

/* A tree whose nodes get candidates. */
typedef struct Tree
{
	const PhProfile *profile;
	uint32_t first_string; /* candidate of its string 0 */
	uint32_t *candidate;   /* per region, PH_NONE: null */
} Tree;

static void
set_candidate(Labelling *labelling, const Tree *tree, uint32_t region, PhString string,
			  CandidateUse use)
{
	if (tree->profile->strings[string][0] == '\0')
		return;
	tree->candidate[region] = tree->first_string + string;
	labelling->use[tree->first_string + string] |= (uint8_t) use;
}

/* As measured, else what the name of a function tells. */
static void
label_by_paradigm(Labelling *labelling, const Tree *tree, uint32_t index, bool within)
{
	const PhRegion *region = &tree->profile->regions[index];
	const char *name = tree->profile->strings[region->name];
	if (region->paradigm != 0)
		set_candidate(labelling, tree, index, region->paradigm, USED_AS_TEXT);
	else if (!within)
		tree->candidate[index] =
			labelling->unknown + 1 + PH_KIND_COUNT + (uint32_t) ph_paradigm_by_name(name);
}

/* Loops and statements belong to the function around them. */
static void
label_region(Labelling *labelling, const Tree *tree, uint32_t index, PhGroupBy by)
{
	const PhRegion *region = &tree->profile->regions[index];
	bool within = region->kind == PH_KIND_LOOP || region->kind == PH_KIND_STATEMENT;
	tree->candidate[index] = PH_NONE;
	if (by == PH_GROUP_MODULE || by == PH_GROUP_LIBRARY)
		set_candidate(labelling, tree, index, region->library, USED_AS_PATH);
	if (by == PH_GROUP_MODULE)
		set_candidate(labelling, tree, index, region->module, USED_AS_TEXT);
	if (by == PH_GROUP_FILE)
		set_candidate(labelling, tree, index, region->file, USED_AS_PATH);
	if (by == PH_GROUP_FUNCTION && !within)
		set_candidate(labelling, tree, index, region->name, USED_AS_TEXT);
	if (by == PH_GROUP_KIND)
		tree->candidate[index] = labelling->unknown + 1 + region->kind;
	if (by == PH_GROUP_PARADIGM)
		label_by_paradigm(labelling, tree, index, within);
}

static PhStatus
label_regions(Labelling *labelling, const PhProfile *profile, uint32_t first_string, PhGroupBy by,
			  Tree *tree)
{
	tree->profile = profile;
	tree->first_string = first_string;
	PH_TRY(PH_NEW(labelling->arena, profile->n_regions, &tree->candidate));
	memcpy(labelling->text + first_string, profile->strings, profile->n_strings * sizeof(char *));
	for (uint32_t region = 0; region < profile->n_regions; region++)
		label_region(labelling, tree, region, by);
	return PH_OK;
}

/* Candidates of the nodes inside, inherited where the region has none; *has_null: some had none. */
static PhStatus
label_nodes(const Labelling *labelling, const Tree *tree, const bool *inside, uint32_t *out,
			bool *has_null)
{
	const PhProfile *profile = tree->profile;
	*has_null = false;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		uint32_t parent = profile->parent[node];
		PH_TRY(ph_env_poll(labelling->arena->env));
		out[node] = PH_NONE;
		if (inside != NULL && !inside[node])
			continue;
		out[node] = tree->candidate[profile->region[node]];
		if (out[node] != PH_NONE)
			continue;
		*has_null = true;
		out[node] = parent != PH_NONE && out[parent] != PH_NONE ? out[parent] : labelling->unknown;
	}
	return PH_OK;
}

/* Where a region has no label, what the node inherited before a filter removed nodes above it. */
static PhStatus
inherit_unfiltered(Labelling *labelling, const Tree *tree, PhGroupBy by, const bool *inside,
				   uint32_t *out)
{
	const PhProfile *whole = tree->profile->unfiltered;
	Tree unfiltered;
	PhImage image;
	uint32_t *inherited;
	bool *whole_inside, has_null;
	PH_TRY(label_regions(labelling, whole, labelling->unknown + FIXED_CANDIDATES, by, &unfiltered));
	PH_TRY(ph_image_find(labelling->arena, whole, tree->profile, &image));
	PH_TRY(PH_NEW(labelling->arena, whole->n_nodes, &inherited));
	PH_TRY(PH_NEW(labelling->arena, whole->n_nodes, &whole_inside));
	for (uint32_t node = 0; node < whole->n_nodes; node++)
		whole_inside[node] = inside == NULL || !image.kept[node] || inside[image.node[node]];
	PH_TRY(label_nodes(labelling, &unfiltered, whole_inside, inherited, &has_null));
	for (uint32_t node = 0; node < tree->profile->n_nodes; node++)
		if (out[node] != PH_NONE && tree->candidate[tree->profile->region[node]] == PH_NONE &&
			image.origin[node] != PH_NONE)
			out[node] = inherited[image.origin[node]];
	return PH_OK;
}

/* How many bytes of x and y agree from the end. */
static size_t
common_end(const char *x, size_t x_length, const char *y, size_t y_length)
{
	size_t common = 0;
	while (common < x_length && common < y_length &&
		   x[x_length - 1 - common] == y[y_length - 1 - common])
		common++;
	return common;
}

/* From the last component to the first, components as bytes from their end. */
static int
compare_from_end(const void *context, uint32_t x, uint32_t y)
{
	const Labelling *labelling = context;
	const char *a = labelling->text[x];
	const char *b = labelling->text[y];
	size_t a_length = strlen(a);
	size_t b_length = strlen(b);
	size_t common = common_end(a, a_length, b, b_length);
	if (common == a_length || common == b_length)
	{
		if (a_length == b_length)
			return x < y ? -1 : x > y;
		return a_length < b_length ? -1 : 1;
	}
	unsigned char a_byte = (unsigned char) a[a_length - 1 - common];
	unsigned char b_byte = (unsigned char) b[b_length - 1 - common];
	if (a_byte == '/' || b_byte == '/') /* a component that ends here is before a longer one */
		return a_byte == '/' ? -1 : 1;
	return a_byte < b_byte ? -1 : 1;
}

/* Length of the whole components that x shares with y at its end. */
static size_t
shared_components(const char *x, const char *y)
{
	size_t x_length = strlen(x);
	size_t y_length = strlen(y);
	size_t common = common_end(x, x_length, y, y_length);
	bool x_whole = common == x_length || x[x_length - 1 - common] == '/';
	bool y_whole = common == y_length || y[y_length - 1 - common] == '/';
	if (x_whole && y_whole)
		return common;
	while (common > 0 && x[x_length - common] != '/')
		common--;
	return common == 0 ? 0 : common - 1;
}

/* The shortest tail of whole components that is longer than `shared` bytes. */
static const char *
tail_beyond(const char *path, size_t shared)
{
	const char *end = path + strlen(path);
	const char *tail = end;
	while (tail > path && (tail[-1] != '/' || (size_t) (end - tail) <= shared || tail == end))
		tail--;
	return tail;
}

/* Neighbours in the order from the end share the most; used[] is in that order here. */
static void
show_candidates(Labelling *labelling)
{
	uint32_t last = PH_NONE; /* the text before the current one */
	for (uint32_t i = 0, next; i < labelling->n_used; i = next)
	{
		uint32_t first = labelling->used[i];
		const char *text = labelling->text[first];
		unsigned use = 0;
		for (next = i; next < labelling->n_used; next++)
		{
			uint32_t candidate = labelling->used[next];
			if (strcmp(labelling->text[candidate], text) != 0)
				break;
			labelling->same_as[candidate] = first;
			use |= labelling->use[candidate];
		}
		size_t shared = last == PH_NONE ? 0 : shared_components(text, labelling->text[last]);
		if (next < labelling->n_used)
			shared =
				PH_MAX(shared, shared_components(text, labelling->text[labelling->used[next]]));
		bool as_it_is = (use & USED_AS_TEXT) != 0;
		labelling->shown[first] = as_it_is ? text : tail_beyond(text, shared);
		last = first;
	}
}

static int
compare_shown(const void *context, uint32_t x, uint32_t y)
{
	const Labelling *labelling = context;
	int order = strcmp(labelling->shown[x], labelling->shown[y]);
	if (order == 0)
		order = strcmp(labelling->text[x], labelling->text[y]);
	return order != 0 ? order : (x < y ? -1 : x > y);
}

/* Number the distinct texts in the byte order of what is shown; make what is shown unique. */
static PhStatus
number_labels(Labelling *labelling, PhLabels *out)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < labelling->n_used; i++)
		if (labelling->same_as[labelling->used[i]] == labelling->used[i])
			labelling->used[n++] = labelling->used[i];
	uint32_t *buffer;
	PH_TRY(PH_NEW(labelling->arena, n, &buffer));
	PH_TRY(ph_sort(labelling->arena->env, labelling->used, n, buffer, compare_shown, labelling));
	PhNameSet names;
	PH_TRY(ph_name_set_init(&names, labelling->arena));
	PH_TRY(PH_NEW(labelling->arena, n, &out->names));
	for (uint32_t label = 0; label < n; label++)
	{
		uint32_t candidate = labelling->used[label];
		labelling->label[candidate] = label;
		PH_TRY(ph_name_set_claim(&names, labelling->shown[candidate], &out->names[label]));
	}
	out->n_labels = n;
	return PH_OK;
}

static PhStatus
prepare(Labelling *labelling, PhArena *arena, const PhProfile *profile)
{
	uint64_t n = (uint64_t) profile->n_strings + FIXED_CANDIDATES;
	if (profile->unfiltered != NULL)
		n += profile->unfiltered->n_strings;
	if (n >= PH_NONE)
		return ph_fail(arena->env, PH_ERR_LIMIT, "the profile has too many strings");
	memset(labelling, 0, sizeof(*labelling));
	labelling->arena = arena;
	labelling->n = (uint32_t) n;
	labelling->unknown = profile->n_strings;
	PH_TRY(PH_NEW(arena, n, &labelling->text));
	PH_TRY(PH_NEW(arena, n, &labelling->use));
	PH_TRY(PH_NEW(arena, n, &labelling->is_used));
	PH_TRY(PH_NEW(arena, n, &labelling->shown));
	PH_TRY(PH_NEW(arena, n, &labelling->same_as));
	PH_TRY(PH_NEW(arena, n, &labelling->label));
	PH_TRY(PH_NEW(arena, n, &labelling->used));
	labelling->text[labelling->unknown] = "<unknown>";
	for (uint8_t kind = 0; kind < PH_KIND_COUNT; kind++)
		labelling->text[labelling->unknown + 1 + kind] = ph_kind_name(kind);
	memcpy(labelling->text + labelling->unknown + 1 + PH_KIND_COUNT, ph_named_paradigms,
		   sizeof(ph_named_paradigms));
	memset(labelling->use + labelling->unknown, USED_AS_TEXT, FIXED_CANDIDATES);
	return PH_OK;
}

/* The candidates that nodes have, in the order from their ends. */
static PhStatus
collect_used(Labelling *labelling, const uint32_t *of_node, uint32_t n_nodes)
{
	uint32_t *buffer;
	for (uint32_t node = 0; node < n_nodes; node++)
		if (of_node[node] != PH_NONE)
			labelling->is_used[of_node[node]] = true;
	for (uint32_t candidate = 0; candidate < labelling->n; candidate++)
		if (labelling->is_used[candidate])
			labelling->used[labelling->n_used++] = candidate;
	PH_TRY(PH_NEW(labelling->arena, labelling->n_used, &buffer));
	return ph_sort(labelling->arena->env, labelling->used, labelling->n_used, buffer,
				   compare_from_end, labelling);
}

static PhStatus
make_attribute_labels(PhArena *arena, const PhProfile *profile, PhGroupBy by, const bool *inside,
					  PhLabels *out)
{
	Labelling labelling;
	Tree tree;
	bool has_null;
	PH_TRY(prepare(&labelling, arena, profile));
	PH_TRY(label_regions(&labelling, profile, 0, by, &tree));
	PH_TRY(label_nodes(&labelling, &tree, inside, out->of_node, &has_null));
	if (has_null && profile->unfiltered != NULL)
		PH_TRY(inherit_unfiltered(&labelling, &tree, by, inside, out->of_node));
	PH_TRY(collect_used(&labelling, out->of_node, profile->n_nodes));
	show_candidates(&labelling);
	PH_TRY(number_labels(&labelling, out));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		if (out->of_node[node] != PH_NONE)
			out->of_node[node] = labelling.label[labelling.same_as[out->of_node[node]]];
	return PH_OK;
}

/* Every node a label of its own: its name, with the node's number where names repeat. */
static PhStatus
make_node_labels(PhArena *arena, const PhProfile *profile, const bool *inside, PhLabels *out)
{
	uint32_t *times; /* per string: nodes with this name */
	PH_TRY(PH_NEW(arena, profile->n_strings, &times));
	PH_TRY(PH_NEW(arena, profile->n_nodes, &out->names));
	out->n_labels = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		if (inside == NULL || inside[node])
			times[ph_profile_region(profile, node)->name]++;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(arena->env));
		out->of_node[node] = PH_NONE;
		if (inside != NULL && !inside[node])
			continue;
		const char *name = ph_profile_node_name(profile, node);
		uint32_t label = out->n_labels++;
		out->of_node[node] = label;
		out->names[label] = name;
		if (times[ph_profile_region(profile, node)->name] > 1)
			PH_TRY(ph_arena_printf(arena, &out->names[label], "%s@%u", name, node));
	}
	return PH_OK;
}

PhStatus
ph_labels_make(PhArena *arena, const PhProfile *profile, PhGroupBy by, const bool *inside,
			   PhLabels *out)
{
	PhLabels labels;
	PH_TRY(PH_NEW(arena, profile->n_nodes, &labels.of_node));
	if (by == PH_GROUP_NODE)
		PH_TRY(make_node_labels(arena, profile, inside, &labels));
	else
		PH_TRY(make_attribute_labels(arena, profile, by, inside, &labels));
	*out = labels;
	return PH_OK;
}
