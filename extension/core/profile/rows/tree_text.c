/*
 * tree_text.c - a profile as an indented tree: value, share, name and marks, one line a node.
 *
 *   time [us], inclusive, mean of 1 column
 *            100  100.0%  main
 *             20   20.0%  ├─ setup
 *           75.5   75.5%  └─ solve
 *           25.5   25.5%     ├─ axpy  [libblas.so]
 *             50   50.0%     └─ dot  [libblas.so]
 *
 * Of a deep tree the lines of the nearest MAX_LINES levels are drawn, after the number of those
 * that are not: "⋯52 │  └─ ". Lines of all levels would make the text grow with the square of the
 * depth.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/min_max.h"
#include "base/str.h"
#include "profile/rows/rows.h"

#define MAX_LINES 48	 /* deeper trees are wider than any screen */
#define LEAST_NUMBERS 21 /* bytes of a line before its tree */
#define LEAST_PIECE 3	 /* of a level's piece of it */

typedef struct Tree
{
	PhEnv *env;
	const PhProfile *profile;
	uint32_t metric;
	double total;		/* what shares refer to */
	uint32_t *last;		/* per node: its last visible child, PH_NONE: none */
	bool *visible;		/* per node */
	uint32_t *ancestor; /* per depth: the node on the way to the current one */
	uint32_t n_hidden;
	uint32_t last_root;
	PhStr text;
} Tree;

static double
mean_of(const Tree *tree, uint32_t node, PhCost cost)
{
	return ph_profile_mean(tree->profile, tree->metric, node, cost);
}

/* Shares of a difference refer to what there was before. */
static double
find_total(const PhProfile *profile, uint32_t metric)
{
	const PhProfile *before = profile->before;
	uint32_t index = PH_NONE;
	if (before != NULL)
		index = ph_profile_find_metric(before,
									   ph_profile_string(profile, profile->metrics[metric].name));
	return index != PH_NONE ? ph_profile_total(before, index) : ph_profile_total(profile, metric);
}

/* A metric that does not add up has no shares, so nothing is hidden for a small one. */
static bool
is_large(const Tree *tree, uint32_t node, double min_share)
{
	if (tree->profile->metrics[tree->metric].kind != PH_METRIC_FLOW || !(fabs(tree->total) > 0))
		return true;
	return fabs(mean_of(tree, node, PH_COST_INCLUSIVE)) >= min_share * fabs(tree->total);
}

/*
 * Marks what is printed. Nodes go from last to first, so that children come before their parents: a
 * visible child makes its parent visible, however small or deep that is, and so the whole path to
 * it. Counts the hidden ones.
 */
static PhStatus
choose_visible(Tree *tree, uint32_t max_depth, double min_share)
{
	const PhProfile *profile = tree->profile;
	for (uint32_t node = profile->n_nodes; node-- > 0;)
	{
		PH_TRY(ph_env_poll(tree->env));
		uint32_t parent = profile->parent[node];
		tree->visible[node] |= profile->depth[node] <= max_depth &&
							   (parent == PH_NONE || is_large(tree, node, min_share));
		tree->n_hidden += !tree->visible[node];
		if (!tree->visible[node])
			continue;
		uint32_t *last = parent == PH_NONE ? &tree->last_root : &tree->last[parent];
		if (*last == PH_NONE)
			*last = node;
		if (parent != PH_NONE)
			tree->visible[parent] = true;
	}
	return PH_OK;
}

static bool
is_last(const Tree *tree, uint32_t node)
{
	uint32_t parent = tree->profile->parent[node];
	return node == (parent == PH_NONE ? tree->last_root : tree->last[parent]);
}

/* Lines of the tree: one piece for every near ancestor below the root, one for the node itself. */
static PhStatus
append_lines(Tree *tree, uint32_t node)
{
	uint32_t depth = tree->profile->depth[node];
	uint32_t left_out = depth > MAX_LINES ? depth - MAX_LINES : 0;
	tree->ancestor[depth] = node;
	if (left_out > 0)
		PH_TRY(ph_str_printf(&tree->text, "⋯%u ", left_out));
	for (uint32_t level = left_out + 1; level < depth; level++)
		PH_TRY(ph_str_append(&tree->text, is_last(tree, tree->ancestor[level]) ? "   " : "│  "));
	if (depth == 0)
		return PH_OK;
	return ph_str_append(&tree->text, is_last(tree, node) ? "└─ " : "├─ ");
}

static PhStatus
append_numbers(Tree *tree, uint32_t node)
{
	double value = mean_of(tree, node, PH_COST_INCLUSIVE);
	PH_TRY(ph_str_printf(&tree->text, "%12.6g ", value));
	if (tree->profile->metrics[tree->metric].kind != PH_METRIC_FLOW || !(fabs(tree->total) > 0))
		return ph_str_append(&tree->text, "        ");
	return ph_str_printf(&tree->text, "%6.1f%% ", 100 * value / tree->total);
}

static PhStatus
append_name(Tree *tree, uint32_t node)
{
	const PhProfile *profile = tree->profile;
	const char *module = ph_region_module(profile, ph_profile_region(profile, node));
	PH_TRY(ph_str_append(&tree->text, ph_profile_node_name(profile, node)));
	if (module[0] == '\0')
		return PH_OK;
	return ph_str_printf(&tree->text, "  [%s]", module);
}

static PhStatus
append_marks(Tree *tree, uint32_t node)
{
	static const char *const marks[] = {
		[PH_DIFF_BOTH] = "", [PH_DIFF_ONLY_BEFORE] = "  ◀", [PH_DIFF_ONLY_AFTER] = "  ▶"};
	const PhProfile *profile = tree->profile;
	double absorbed = mean_of(tree, node, PH_COST_ABSORBED);
	double residual = mean_of(tree, node, PH_COST_RESIDUAL);
	uint32_t present = ph_profile_n_present(profile, node);
	if (profile->diff_status != NULL && profile->diff_status[node] <= PH_DIFF_ONLY_AFTER)
		PH_TRY(ph_str_append(&tree->text, marks[profile->diff_status[node]]));
	if (profile->diff_status == NULL && present < profile->n_columns)
		PH_TRY(ph_str_printf(&tree->text, "  (%u of %u)", present, profile->n_columns));
	if (absorbed != 0 && !isnan(absorbed))
		PH_TRY(ph_str_printf(&tree->text, "  +%.6g filtered", absorbed));
	if (residual != 0 && !isnan(residual))
		PH_TRY(ph_str_printf(&tree->text, "  ≠%.6g", residual));
	return ph_str_append(&tree->text, "\n");
}

static PhStatus
append_node(Tree *tree, uint32_t node)
{
	PH_TRY(append_numbers(tree, node));
	PH_TRY(ph_str_append(&tree->text, " "));
	PH_TRY(append_lines(tree, node));
	PH_TRY(append_name(tree, node));
	return append_marks(tree, node);
}

static PhStatus
append_head(Tree *tree)
{
	const PhMetric *metric = &tree->profile->metrics[tree->metric];
	const char *unit = ph_profile_string(tree->profile, metric->unit);
	PH_TRY(ph_str_append(&tree->text, ph_profile_string(tree->profile, metric->name)));
	if (unit[0] != '\0')
		PH_TRY(ph_str_printf(&tree->text, " [%s]", unit));
	return ph_str_printf(&tree->text, ", inclusive, mean of %u column%s\n",
						 tree->profile->n_columns, tree->profile->n_columns == 1 ? "" : "s");
}

static PhStatus
append_foot(Tree *tree)
{
	if (tree->profile->diff_status != NULL)
		PH_TRY(ph_str_append(&tree->text, "◀ only before   ▶ only after\n"));
	if (tree->n_hidden == 0)
		return PH_OK;
	return ph_str_printf(&tree->text, "%u node%s too small or too deep not shown\n", tree->n_hidden,
						 tree->n_hidden == 1 ? "" : "s");
}

/* What is certain to be too long is refused before any of it is written. */
static PhStatus
check_length(const Tree *tree)
{
	const PhProfile *profile = tree->profile;
	size_t least = 0;
	for (uint32_t node = 0; node < profile->n_nodes && least <= PH_STR_LIMIT; node++)
	{
		PH_TRY(ph_env_poll(tree->env));
		if (tree->visible[node])
			least += LEAST_NUMBERS + LEAST_PIECE * PH_MIN(profile->depth[node], MAX_LINES) +
					 strlen(ph_profile_node_name(profile, node));
	}
	if (least <= PH_STR_LIMIT)
		return PH_OK;
	return ph_fail_hint(tree->env, PH_ERR_LIMIT,
						"Ask for a smaller part: a lower max_depth, a higher min_share.",
						"the tree is a text of more than %zu bytes", PH_STR_LIMIT);
}

static PhStatus
write_tree(Tree *tree)
{
	PH_TRY(check_length(tree));
	PH_TRY(append_head(tree));
	for (uint32_t node = 0; node < tree->profile->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(tree->env));
		if (tree->visible[node])
			PH_TRY(append_node(tree, node));
	}
	return append_foot(tree);
}

static PhStatus
make_tree(PhArena *scratch, Tree *tree, uint32_t max_depth, double min_share)
{
	uint32_t n = tree->profile->n_nodes;
	PH_TRY(PH_NEW(scratch, n, &tree->last));
	PH_TRY(PH_NEW(scratch, n, &tree->visible));
	PH_TRY(PH_NEW(scratch, n, &tree->ancestor));
	memset(tree->last, 0xFF, n * sizeof(*tree->last));
	ph_str_init(&tree->text, scratch);
	PH_TRY(choose_visible(tree, max_depth, min_share));
	return write_tree(tree);
}

PhStatus
ph_rows_tree_text(PhArena *arena, const PhProfile *profile, uint32_t metric, uint32_t max_depth,
				  double min_share, char **out)
{
	PhArena scratch;
	ph_arena_init(&scratch, arena->env);
	Tree tree = {.env = arena->env,
				 .profile = profile,
				 .metric = metric,
				 .total = find_total(profile, metric),
				 .last_root = PH_NONE};
	PhStatus status = make_tree(&scratch, &tree, max_depth, min_share);
	if (status == PH_OK)
		status = ph_arena_strndup(arena, tree.text.text, tree.text.length, out);
	ph_arena_drop(&scratch);
	return status;
}
