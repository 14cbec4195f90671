/*
 * test_rows.c - flat profile, flame graphs, hot path and tree text: against slow references on
 * random profiles, on folded stacks of real programs, with faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/builder.h"
#include "profile/cells.h"
#include "profile/ops.h"
#include "profile/rows/rows.h"
#include "supergraph/group_by.h"
#include "support/fault_env.h"
#include "support/random_profile.h"
#include "support/rounds.h"

#define N_PROFILES rounds(2500)
#define MOST_NODES 40

static RandomNumbers numbers;

static bool
close_to(double x, double y)
{
	return x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= 1e-9 * (1 + fabs(x) + fabs(y));
}

#define assert_close(x, y)                                                                         \
	do                                                                                             \
	{                                                                                              \
		if (!close_to(x, y))                                                                       \
			fail_msg("%s = %.17g, expected %.17g", #x, (double) (x), (double) (y));                \
	} while (0)

/* Call check with N_PROFILES random profiles. */
static void
with_random_profiles(uint64_t seed, void (*check)(PhArena *arena, PhProfile *profile))
{
	PhEnv env;
	PhArena arena;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	numbers.state = seed;
	for (uint32_t i = 0; i < N_PROFILES; i++)
	{
		PhProfile *profile;
		assert_int_equal(random_profile(&env, &numbers, MOST_NODES, 4, &profile), PH_OK);
		check(&arena, profile);
		ph_profile_free(&env, profile);
		ph_arena_drop(&arena);
	}
	assert_int_equal(env.bytes, 0);
}

/* ---- flat profile ---- */

static const char *
own_label(const PhProfile *profile, uint32_t node, PhGroupBy by)
{
	static const char *const kinds[] = {"function", "region", "loop", "statement", "root"};
	const PhRegion *region = ph_profile_region(profile, node);
	bool within = region->kind == PH_KIND_LOOP || region->kind == PH_KIND_STATEMENT;
	switch (by)
	{
		case PH_GROUP_MODULE:
			return ph_profile_string(profile,
									 region->module != 0 ? region->module : region->library);
		case PH_GROUP_LIBRARY:
			return ph_profile_string(profile, region->library);
		case PH_GROUP_FILE:
			return ph_profile_string(profile, region->file);
		case PH_GROUP_FUNCTION:
			return within ? "" : ph_profile_string(profile, region->name);
		case PH_GROUP_PARADIGM:
			return ph_region_paradigm(profile, region);
		default:
			return kinds[region->kind];
	}
}

static const char *
label_of(const PhProfile *profile, uint32_t node, PhGroupBy by)
{
	while (node != PH_NONE && own_label(profile, node, by)[0] == '\0')
		node = profile->parent[node];
	return node == PH_NONE ? "" : own_label(profile, node, by);
}

static bool
same_group(const PhProfile *profile, uint32_t x, uint32_t y, PhGroupBy by)
{
	return by == PH_GROUP_NODE ? x == y
							   : strcmp(label_of(profile, x, by), label_of(profile, y, by)) == 0;
}

static bool
is_outermost(const PhProfile *profile, uint32_t node, PhGroupBy by)
{
	for (uint32_t up = profile->parent[node]; up != PH_NONE; up = profile->parent[up])
		if (same_group(profile, up, node, by))
			return false;
	return true;
}

static PhFlatRow
reference_row(const PhProfile *profile, uint32_t metric, uint32_t member, PhGroupBy by)
{
	PhFlatRow row = {.first_node = PH_NONE};
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		if (!same_group(profile, node, member, by))
			continue;
		if (row.n_nodes++ == 0)
			row.first_node = node;
		row.exclusive += ph_profile_mean(profile, metric, node, PH_COST_EXCLUSIVE);
		if (is_outermost(profile, node, by))
			row.inclusive += ph_profile_mean(profile, metric, node, PH_COST_INCLUSIVE);
	}
	return row;
}

static void
check_flat_by(PhArena *arena, const PhProfile *profile, PhGroupBy by)
{
	PhFlatRow *rows;
	uint32_t n_rows, n_nodes = 0;
	assert_int_equal(ph_rows_flat(arena, profile, 0, by, &rows, &n_rows), PH_OK);
	for (uint32_t i = 0; i < n_rows; i++)
	{
		PhFlatRow expected = reference_row(profile, 0, rows[i].first_node, by);
		assert_int_equal(rows[i].first_node, expected.first_node);
		assert_int_equal(rows[i].n_nodes, expected.n_nodes);
		assert_close(rows[i].inclusive, expected.inclusive);
		assert_close(rows[i].exclusive, expected.exclusive);
		n_nodes += rows[i].n_nodes;
		if (i > 0)
			assert_true(rows[i - 1].exclusive > rows[i].exclusive ||
						(rows[i - 1].exclusive == rows[i].exclusive &&
						 strcmp(rows[i - 1].name, rows[i].name) <= 0));
	}
	assert_int_equal(n_nodes, profile->n_nodes);
}

/* The ratio of a group is the ratio of its sums. */
static void
check_flat_ratio(PhArena *arena, const PhProfile *profile)
{
	PhFlatRow *rows;
	uint32_t n_rows;
	assert_int_equal(ph_rows_flat(arena, profile, 2, PH_GROUP_LIBRARY, &rows, &n_rows), PH_OK);
	for (uint32_t i = 0; i < n_rows; i++)
	{
		PhFlatRow time = reference_row(profile, 0, rows[i].first_node, PH_GROUP_LIBRARY);
		PhFlatRow visits = reference_row(profile, 1, rows[i].first_node, PH_GROUP_LIBRARY);
		assert_close(rows[i].exclusive,
					 visits.exclusive == 0 ? (double) NAN : time.exclusive / visits.exclusive);
		assert_close(rows[i].inclusive,
					 visits.inclusive == 0 ? (double) NAN : time.inclusive / visits.inclusive);
	}
}

static void
check_flat(PhArena *arena, PhProfile *profile)
{
	for (PhGroupBy by = PH_GROUP_MODULE; by < PH_GROUP_COUNT; by++)
		check_flat_by(arena, profile, by);
	check_flat_ratio(arena, profile);
}

static void
test_flat(void **unused)
{
	(void) unused;
	with_random_profiles(1, check_flat);
}

/* Costs that a filter absorbed are kept apart and add up. */
static void
check_absorbed(PhArena *arena, PhProfile *profile)
{
	PhFlatRow *rows;
	PhProfile *filtered;
	uint32_t n_rows;
	double sum = 0;
	assert_int_equal(
		ph_profile_filter(arena->env, profile, 0.2, PH_STAT_MEAN, 0, PH_COST_INCLUSIVE, &filtered),
		PH_OK);
	assert_int_equal(ph_rows_flat(arena, filtered, 0, PH_GROUP_FUNCTION, &rows, &n_rows), PH_OK);
	for (uint32_t i = 0; i < n_rows; i++)
		sum += rows[i].exclusive + rows[i].absorbed;
	assert_close(sum, ph_profile_total(profile, 0));
	ph_profile_free(arena->env, filtered);
}

static void
test_flat_of_filtered_profiles(void **unused)
{
	(void) unused;
	with_random_profiles(2, check_absorbed);
}

/* ---- flame graph ---- */

/* Depth-first, one root, and every box as wide as itself and what stands on it. */
static void
check_boxes(const PhFlameRow *rows, uint32_t n_rows)
{
	assert_int_equal(rows[0].level, 0);
	for (uint32_t i = 0; i < n_rows; i++)
	{
		double sum = rows[i].self, before = rows[i].self_before;
		assert_true(rows[i].value >= 0 && rows[i].self >= 0);
		assert_true(i == 0 || (rows[i].level >= 1 && rows[i].level <= rows[i - 1].level + 1));
		for (uint32_t j = i + 1; j < n_rows && rows[j].level > rows[i].level; j++)
			if (rows[j].level == rows[i].level + 1)
			{
				sum += rows[j].value;
				before += rows[j].value_before;
			}
		assert_close(sum, rows[i].value);
		assert_close(before, rows[i].value_before);
	}
}

static void
check_flame(PhArena *arena, PhProfile *profile)
{
	PhFlameRow *rows;
	uint32_t n_rows, extra = profile->subtree_end[0] != profile->n_nodes;
	uint64_t n_clamped;
	assert_int_equal(ph_rows_flame(arena, profile, 0, &rows, &n_rows, &n_clamped), PH_OK);
	assert_int_equal(n_rows, profile->n_nodes + extra);
	assert_int_equal(n_clamped, 0);
	check_boxes(rows, n_rows);
	assert_close(rows[0].value, ph_profile_total(profile, 0));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		const PhFlameRow *row = &rows[node + extra];
		assert_int_equal(row->node, node);
		assert_string_equal(row->label, ph_profile_node_name(profile, node));
		assert_close(row->value, ph_profile_mean(profile, 0, node, PH_COST_INCLUSIVE));
		assert_close(row->self, ph_profile_mean(profile, 0, node, PH_COST_OWN));
	}
	if (extra == 1)
		assert_string_equal(rows[0].label, "all");
}

static void
test_flame(void **unused)
{
	(void) unused;
	with_random_profiles(3, check_flame);
}

/* What is too narrow for a picture is added up by its parent: no cost and no call path is lost. */
static void
check_flame_boxes(PhArena *arena, PhProfile *profile)
{
	PhFlameRow *whole, *rows;
	uint32_t n_whole, n_rows, n_paths = 0, n_large = 0, n_kept = 0;
	uint64_t n_clamped;
	double least = numbers_below(&numbers, 4) == 0 ? 0 : numbers_below(&numbers, 300) / 1000.0;
	assert_int_equal(ph_rows_flame(arena, profile, 0, &whole, &n_whole, &n_clamped), PH_OK);
	assert_int_equal(ph_rows_flame_boxes(arena, profile, 0, least, &rows, &n_rows), PH_OK);
	check_boxes(rows, n_rows);
	assert_true(rows[0].value == whole[0].value && rows[0].n_others == 0);
	for (uint32_t i = 0; i < n_whole; i++)
		n_large += i == 0 || whole[i].value >= least * whole[0].value;
	for (uint32_t i = 0; i < n_rows; i++)
	{
		n_paths += rows[i].n_others > 0 ? rows[i].n_others : 1;
		n_kept += rows[i].n_others == 0;
		assert_true((rows[i].label == NULL) == (rows[i].n_others > 0));
		if (rows[i].n_others > 0) /* the last above its parent */
			assert_true(i + 1 == n_rows || rows[i + 1].level < rows[i].level);
	}
	assert_int_equal(n_paths, n_whole);
	assert_int_equal(n_kept, n_large);
	assert_true(n_rows <= 2 * n_large);
}

static void
test_flame_boxes(void **unused)
{
	(void) unused;
	with_random_profiles(17, check_flame_boxes);
}

/* Numbers that disagree: children that cost more than their parent. */
static void
check_clamped(PhArena *arena, PhProfile *profile)
{
	PhFlameRow *rows;
	uint32_t n_rows;
	uint64_t n_clamped;
	uint32_t node = numbers_below(&numbers, profile->n_nodes);
	PhRow row = ph_profile_row(profile, node);
	double *cells = profile->metrics[0].inclusive + row.cell;
	for (uint32_t i = 0; i < row.n; i++)
		cells[i] = profile->parent[node] != PH_NONE ? cells[i] + 1e5 : cells[i] / 2;
	assert_int_equal(ph_rows_flame(arena, profile, 0, &rows, &n_rows, &n_clamped), PH_OK);
	if (profile->parent[node] != PH_NONE && row.n > 0)
		assert_true(n_clamped > 0);
	check_boxes(rows, n_rows);
}

static void
test_flame_clamps(void **unused)
{
	(void) unused;
	with_random_profiles(4, check_clamped);
}

static void
check_flame_diff(PhArena *arena, PhProfile *before)
{
	PhFlameRow *rows;
	uint32_t n_rows;
	PhProfile *after;
	assert_int_equal(random_profile(arena->env, &numbers, MOST_NODES, 3, &after), PH_OK);
	assert_int_equal(ph_rows_flame_diff(arena, before, after, "time", &rows, &n_rows), PH_OK);
	check_boxes(rows, n_rows);
	assert_close(rows[0].value, ph_profile_total(after, 0));
	assert_close(rows[0].value_before, ph_profile_total(before, 0));
	double self = 0;
	for (uint32_t i = 0; i < n_rows; i++)
		self += rows[i].self;
	assert_close(self, rows[0].value);
	ph_profile_free(arena->env, after);
}

static void
test_flame_diff(void **unused)
{
	(void) unused;
	with_random_profiles(5, check_flame_diff);
}

static void
test_flame_refusals(void **unused)
{
	(void) unused;
	PhEnv env;
	PhArena arena;
	PhProfile *profile, *diff;
	PhFlameRow *rows;
	uint32_t n_rows;
	uint64_t n_clamped;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	numbers.state = 6;
	assert_int_equal(random_profile(&env, &numbers, 10, 2, &profile), PH_OK);
	assert_int_equal(ph_rows_flame(&arena, profile, 2, &rows, &n_rows, &n_clamped), PH_ERR_VALUE);
	assert_non_null(strstr(env.error.message, "\"per visit\" does not add up"));
	assert_int_equal(ph_profile_diff(&env, profile, profile, &diff), PH_OK);
	assert_int_equal(ph_rows_flame(&arena, diff, 0, &rows, &n_rows, &n_clamped), PH_ERR_VALUE);
	assert_non_null(strstr(env.error.hint, "flame_diff"));
	assert_int_equal(ph_rows_flame_diff(&arena, profile, profile, "nothing", &rows, &n_rows),
					 PH_ERR_NOT_FOUND);
	ph_profile_free(&env, diff);
	ph_profile_free(&env, profile);
	ph_arena_drop(&arena);
}

/* ---- hot path ---- */

static uint32_t
heaviest_child(const PhProfile *profile, uint32_t parent)
{
	uint32_t best = PH_NONE;
	double most = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		double value = ph_profile_mean(profile, 0, node, PH_COST_INCLUSIVE);
		if (profile->parent[node] != parent || (best != PH_NONE && value <= most))
			continue;
		best = node;
		most = value;
	}
	return best;
}

static void
check_hot_path(PhArena *arena, PhProfile *profile)
{
	uint32_t *path, length, at = 0;
	double share = numbers_below(&numbers, 11) / 10.0;
	uint32_t start =
		numbers_below(&numbers, 2) == 0 ? PH_NONE : numbers_below(&numbers, profile->n_nodes);
	assert_int_equal(ph_rows_hot_path(arena, profile, 0, share, start, &path, &length), PH_OK);
	uint32_t node = start == PH_NONE ? heaviest_child(profile, PH_NONE) : start;
	while (node != PH_NONE)
	{
		assert_true(at < length && path[at++] == node);
		uint32_t child = heaviest_child(profile, node);
		double cost = child == PH_NONE ? 0 : ph_profile_mean(profile, 0, child, PH_COST_INCLUSIVE);
		bool hot = cost > 0 && cost >= share * ph_profile_mean(profile, 0, node, PH_COST_INCLUSIVE);
		node = hot ? child : PH_NONE;
	}
	assert_int_equal(at, length);
}

static void
test_hot_path(void **unused)
{
	(void) unused;
	with_random_profiles(7, check_hot_path);
}

static void
test_hot_path_arguments(void **unused)
{
	(void) unused;
	PhEnv env;
	PhArena arena;
	PhProfile *profile;
	uint32_t *path, length;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	numbers.state = 8;
	assert_int_equal(random_profile(&env, &numbers, 10, 2, &profile), PH_OK);
	assert_int_equal(ph_rows_hot_path(&arena, profile, 0, 1.5, PH_NONE, &path, &length),
					 PH_ERR_VALUE);
	assert_int_equal(ph_rows_hot_path(&arena, profile, 0, (double) NAN, PH_NONE, &path, &length),
					 PH_ERR_VALUE);
	assert_int_equal(ph_rows_hot_path(&arena, profile, 0, 0.5, 1000, &path, &length),
					 PH_ERR_NOT_FOUND);
	ph_profile_free(&env, profile);
	ph_arena_drop(&arena);
}

/* ---- folded stacks: "a; b; c 5" or, with two runs, "a; b; c 5 7" ---- */

typedef struct Folded
{
	char *stack;
	double value[2];
} Folded;

static uint32_t
read_folded(const char *name, Folded *lines, uint32_t most)
{
	char path[4096], line[4096];
	snprintf(path, sizeof(path), "%s/../shared/oracle/flamegraph/%s", PH_SOURCE_DIR, name);
	FILE *file = fopen(path, "r");
	uint32_t n = 0;
	if (file == NULL)
		return 0;
	while (n < most && fgets(line, sizeof(line), file) != NULL)
	{
		char *end = line + strcspn(line, "\n");
		for (int i = 0; i < 2; i++)
		{
			*end = '\0';
			char *space = strrchr(line, ' ');
			char *rest;
			if (space == NULL)
				break;
			double value = strtod(space + 1, &rest);
			if (*rest != '\0' || rest == space + 1)
				break;
			lines[n].value[1] = i == 0 ? value : lines[n].value[1];
			lines[n].value[0] = value;
			end = space;
		}
		*end = '\0';
		lines[n++].stack = strdup(line);
	}
	fclose(file);
	return n;
}

static void
add_stack(PhProfileBuilder *builder, const char *stack, double value)
{
	uint32_t node = PH_NONE, region;
	for (const char *frame = stack; frame != NULL;)
	{
		const char *end = strstr(frame, "; ");
		char *name = end == NULL ? strdup(frame) : strndup(frame, (size_t) (end - frame));
		PhRegionSpec spec = {.name = name, .line = PH_NO_NUMBER};
		assert_int_equal(ph_builder_add_region(builder, &spec, &region), PH_OK);
		assert_int_equal(ph_builder_child(builder, node, region, &node), PH_OK);
		free(name);
		frame = end == NULL ? NULL : end + 2;
	}
	assert_int_equal(ph_builder_add_value(builder, 0, node, 0, PH_COST_EXCLUSIVE, value), PH_OK);
}

/* Stacks of one run; those that cost nothing are left out when there are two runs. */
static void
build_folded(PhEnv *env, const Folded *lines, uint32_t n, int run, bool both, PhProfile **out)
{
	PhProfileBuilder *builder;
	uint32_t index;
	PhMetricSpec time = {.name = "time", .unit = "us", .given = PH_GIVEN_EXCLUSIVE};
	PhColumnSpec column = {.iteration = PH_NO_ITERATION, .thread = PH_NO_NUMBER};
	assert_int_equal(ph_builder_new(env, &builder), PH_OK);
	assert_int_equal(ph_builder_add_metric(builder, &time, &index), PH_OK);
	assert_int_equal(ph_builder_add_column(builder, &column, &index), PH_OK);
	for (uint32_t i = 0; i < n; i++)
		if (!both || lines[i].value[run] != 0)
			add_stack(builder, lines[i].stack, lines[i].value[run]);
	assert_int_equal(ph_builder_finish(builder, out), PH_OK);
	ph_builder_free(builder);
}

/* The stack of a row, made from the rows above it. */
static void
stack_of(const PhFlameRow *rows, uint32_t row, char *out, size_t size)
{
	uint32_t way[64], depth = 0, level = rows[row].level + 1;
	for (uint32_t i = row + 1; i-- > 0 && level > 0;)
		if (rows[i].level + 1 == level)
		{
			way[depth++] = i;
			level--;
		}
	out[0] = '\0';
	while (depth-- > 0)
	{
		size_t length = strlen(out);
		snprintf(out + length, size - length, "%s%s", length == 0 ? "" : "; ",
				 rows[way[depth]].label);
	}
}

/* Every line is in a row, which has the own costs of its lines; rows without a line cost nothing
 * themselves. */
static void
check_folded(const PhFlameRow *rows, uint32_t n_rows, const Folded *lines, uint32_t n, bool both)
{
	uint32_t found = 0;
	for (uint32_t row = 0; row < n_rows; row++)
	{
		char stack[8192];
		stack_of(rows, row, stack, sizeof(stack));
		double expected[2] = {0, 0};
		for (uint32_t i = 0; i < n; i++)
			if (strcmp(lines[i].stack, stack) == 0)
			{
				expected[0] += lines[i].value[0];
				expected[1] += lines[i].value[1];
				found++;
			}
		assert_close(rows[row].self, expected[1]);
		if (both)
			assert_close(rows[row].self_before, expected[0]);
	}
	assert_int_equal(found, n);
}

static void
check_folded_file(const char *name, bool both)
{
	Folded lines[128];
	PhEnv env;
	PhArena arena;
	PhProfile *before, *after;
	PhFlameRow *rows;
	uint32_t n_rows, n = read_folded(name, lines, 128);
	uint64_t n_clamped;
	if (n == 0)
		skip();
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	build_folded(&env, lines, n, 0, both, &before);
	build_folded(&env, lines, n, 1, both, &after);
	if (both)
		assert_int_equal(ph_rows_flame_diff(&arena, before, after, NULL, &rows, &n_rows), PH_OK);
	else
		assert_int_equal(ph_rows_flame(&arena, after, 0, &rows, &n_rows, &n_clamped), PH_OK);
	check_boxes(rows, n_rows);
	check_folded(rows, n_rows, lines, n, both);
	ph_arena_drop(&arena);
	ph_profile_free(&env, before);
	ph_profile_free(&env, after);
	for (uint32_t i = 0; i < n; i++)
		free(lines[i].stack);
}

static void
test_folded_lulesh(void **unused)
{
	(void) unused;
	check_folded_file("lulesh.folded", false);
}

static void
test_folded_cpi(void **unused)
{
	(void) unused;
	check_folded_file("cpi.folded", false);
}

static void
test_folded_difference(void **unused)
{
	(void) unused;
	check_folded_file("lit-A-B.diff.folded", true);
}

/* ---- tree text ---- */

static void
check_tree(PhArena *arena, PhProfile *profile)
{
	char *text;
	uint32_t max_depth = numbers_below(&numbers, 6), shown = 0, lines = 0;
	double min_share = numbers_below(&numbers, 5) * 0.05, total = ph_profile_total(profile, 0);
	assert_int_equal(ph_rows_tree_text(arena, profile, 0, max_depth, min_share, &text), PH_OK);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		double share = ph_profile_mean(profile, 0, node, PH_COST_INCLUSIVE) / total;
		shown += profile->depth[node] <= max_depth &&
				 (profile->parent[node] == PH_NONE || total == 0 || share >= min_share);
	}
	for (const char *c = text; *c != '\0'; c++)
		lines += *c == '\n';
	assert_int_equal(lines, 1 + shown + (shown < profile->n_nodes));
}

static void
test_tree_text_shows_what_it_should(void **unused)
{
	(void) unused;
	with_random_profiles(9, check_tree);
}

static void
test_tree_text(void **unused)
{
	static const Folded lines[] = {{(char *) "main; solve; dot", {0, 50}},
								   {(char *) "main; solve; axpy", {0, 25.5}},
								   {(char *) "main; setup", {0, 20}},
								   {(char *) "main; exit; tiny", {0, 0.25}},
								   {(char *) "main", {0, 4.25}}};
	static const char expected[] = "time [us], inclusive, mean of 1 column\n"
								   "         100  100.0%  main\n"
								   "          20   20.0%  ├─ setup\n"
								   "        75.5   75.5%  └─ solve\n"
								   "        25.5   25.5%     ├─ axpy\n"
								   "          50   50.0%     └─ dot\n"
								   "2 nodes too small or too deep not shown\n";
	(void) unused;
	PhEnv env;
	PhArena arena;
	PhProfile *profile, *other, *diff;
	char *text;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	build_folded(&env, lines, 5, 1, false, &profile);
	build_folded(&env, lines, 3, 1, false, &other);
	assert_int_equal(ph_rows_tree_text(&arena, profile, 0, UINT32_MAX, 0.01, &text), PH_OK);
	assert_string_equal(text, expected);
	assert_int_equal(ph_profile_diff(&env, profile, other, &diff), PH_OK);
	assert_int_equal(ph_rows_tree_text(&arena, diff, 0, UINT32_MAX, 0, &text), PH_OK);
	assert_non_null(strstr(text, "       -0.25   -0.2%  │  └─ tiny  ◀\n"));
	assert_non_null(strstr(text, "◀ only before"));
	ph_profile_free(&env, profile);
	ph_profile_free(&env, other);
	ph_profile_free(&env, diff);
	ph_arena_drop(&arena);
}

#define DEEP 5000

/* One call path, a function a level: the text grows with the nodes, not with the square of the
 * depth. */
static void
test_tree_text_of_a_deep_tree(void **unused)
{
	(void) unused;
	PhEnv env;
	PhArena arena;
	PhProfile *profile;
	char *path, *text, *line;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	assert_int_equal(PH_NEW(&arena, DEEP * 8, &path), PH_OK);
	for (size_t i = 0, used = 0; i < DEEP; i++)
		used += (size_t) sprintf(path + used, i == 0 ? "f%zu" : "; f%zu", i);
	Folded deepest = {path, {0, 1}};
	build_folded(&env, &deepest, 1, 1, false, &profile);
	assert_int_equal(profile->n_nodes, DEEP);
	assert_int_equal(ph_rows_tree_text(&arena, profile, 0, UINT32_MAX, 0, &text), PH_OK);
	assert_in_range(strlen(text), DEEP * 150, DEEP * 200);
	line = strstr(text, "f48\n");
	assert_null(memmem(text, (size_t) (line - text), "⋯", 3));
	assert_non_null(strstr(text, "  100.0%  ⋯1    "));
	assert_non_null(strstr(text, "  100.0%  ⋯4951    "));
	ph_profile_free(&env, profile);
	ph_arena_drop(&arena);
}

static void
test_group_by_words(void **unused)
{
	(void) unused;
	PhEnv env;
	PhGroupBy by;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_group_by_parse(&env, "name", &by), PH_OK);
	assert_int_equal(by, PH_GROUP_FUNCTION);
	assert_int_equal(ph_group_by_parse(&env, "colour", &by), PH_ERR_VALUE);
	assert_non_null(strstr(env.error.hint, "module, library, file"));
}

/* ---- faults ---- */

static PhStatus
all_rows(PhArena *arena, const PhProfile *profile)
{
	PhFlatRow *flat;
	PhFlameRow *flame;
	uint32_t n, *path;
	uint64_t n_clamped;
	char *text;
	PH_TRY(ph_rows_flat(arena, profile, 0, PH_GROUP_MODULE, &flat, &n));
	PH_TRY(ph_rows_flame(arena, profile, 0, &flame, &n, &n_clamped));
	PH_TRY(ph_rows_flame_boxes(arena, profile, 0, 0.01, &flame, &n));
	PH_TRY(ph_rows_flame_diff(arena, profile, profile, NULL, &flame, &n));
	PH_TRY(ph_rows_hot_path(arena, profile, 0, 0.1, PH_NONE, &path, &n));
	return ph_rows_tree_text(arena, profile, 0, 12, 0, &text);
}

static PhStatus
make_all_rows(PhEnv *env, void *user)
{
	PhArena arena;
	ph_arena_init(&arena, env);
	PhStatus status = all_rows(&arena, user);
	ph_arena_drop(&arena);
	return status;
}

static void
test_faults(void **unused)
{
	(void) unused;
	PhEnv env;
	PhProfile *profile;
	ph_env_init_malloc(&env);
	numbers.state = 99;
	assert_int_equal(random_profile(&env, &numbers, 12000, 1, &profile), PH_OK);
	assert_in_range(profile->n_nodes, 3000, 12000);
	assert_string_equal(fault_env_try_allocations(make_all_rows, profile, 150), "");
	assert_string_equal(fault_env_try_interrupts(make_all_rows, profile, 0), "");
	ph_profile_free(&env, profile);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flat),
		cmocka_unit_test(test_flat_of_filtered_profiles),
		cmocka_unit_test(test_flame),
		cmocka_unit_test(test_flame_boxes),
		cmocka_unit_test(test_flame_clamps),
		cmocka_unit_test(test_flame_diff),
		cmocka_unit_test(test_flame_refusals),
		cmocka_unit_test(test_hot_path),
		cmocka_unit_test(test_hot_path_arguments),
		cmocka_unit_test(test_folded_lulesh),
		cmocka_unit_test(test_folded_cpi),
		cmocka_unit_test(test_folded_difference),
		cmocka_unit_test(test_tree_text_shows_what_it_should),
		cmocka_unit_test(test_tree_text),
		cmocka_unit_test(test_tree_text_of_a_deep_tree),
		cmocka_unit_test(test_group_by_words),
		cmocka_unit_test(test_faults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
