/*
 * test_layout_cct.c - call trees of boxes: nothing overlaps, bands and rings nest, pruning is fair.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/rounds.h"
#include "support/scene.h"
#include "views/calls/cct.h"

#define ROUNDS rounds(2000)
#define SLACK 1e-6

/* A random forest in pre-order; inclusives are those of its self costs. */
static void
random_rows(Studio *studio, uint32_t n, bool highlight)
{
	uint32_t *parent = ph_need(&studio->arena, n, sizeof(uint32_t));
	double *self = ph_need(&studio->arena, n, sizeof(double));
	double *inclusive = ph_need(&studio->arena, n, sizeof(double));
	int roots = 1 + rand() % 3;

	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t up = i == 0 || rand() % 40 < roots - 1 ? UINT32_MAX : i - 1;

		/* a parent is the last node or one of its ancestors: pre-order */
		while (up != UINT32_MAX && parent[up] != UINT32_MAX && rand() % 3 == 0)
			up = parent[up];
		parent[i] = up;
		self[i] = rand() % 4 ? rand() % 1000 / 100.0 : 0;
		inclusive[i] = self[i];
	}
	for (uint32_t i = n; i-- > 0;)
		if (parent[i] != UINT32_MAX)
			inclusive[parent[i]] += inclusive[i];
	if (highlight)
		studio_row(studio, "highlight", "{\"query\":\"/f1/\"}");
	for (uint32_t i = 0; i < n; i++)
	{
		char up[16] = "null";

		if (parent[i] != UINT32_MAX)
			snprintf(up, sizeof(up), "%u", parent[i]);
		studio_row(
			studio, "tree",
			"{\"node\":%u,\"parent\":%s,\"name\":\"f%d\",\"module\":\"m%d\",\"inclusive\":%.9g,"
			"\"min\":%.9g,\"max\":%.9g,\"mean\":%.9g,\"max_column\":\"rank 1\",\"match\":%s}",
			i, up, rand() % 40, rand() % 5, inclusive[i], self[i] * (rand() % 100) / 100,
			self[i] * 1.5, self[i], highlight && rand() % 9 == 0 ? "true" : "false");
	}
}

/* Memory only: places need no fonts. */
static void
open_bare(Studio *studio)
{
	ph_env_init_malloc(&studio->env);
	ph_arena_init(&studio->arena, &studio->env);
	ph_rows_init(&studio->rows, &studio->arena);
}

static void
random_cct(Studio *studio, PhCct *cct, bool highlight)
{
	random_rows(studio, 1 + (uint32_t) rand() % 24, highlight);
	ph_cct_read(&studio->arena, &studio->rows, PH_CCT_MAX, false, cct);
}

static bool
overlap(const PhCctNode *a, const PhCctNode *b)
{
	return a->x < b->x + b->width - SLACK && b->x < a->x + a->width - SLACK &&
		   a->y < b->y + b->height - SLACK && b->y < a->y + a->height - SLACK;
}

static void
check_boxes(const PhCct *cct)
{
	for (uint32_t i = 0; i < cct->n; i++)
	{
		const PhCctNode *node = &cct->nodes[i];

		assert_true(node->x >= -SLACK && node->x + node->width <= cct->width + SLACK);
		assert_true(node->y >= -SLACK && node->y + node->height <= cct->height + SLACK);
		assert_true(node->width >= node->height - SLACK);
		for (uint32_t k = 0; k < i; k++)
			assert_false(overlap(node, &cct->nodes[k]));
	}
}

/* Width and height are the greatest and the least on one scale, unless they are the least drawn. */
static void
check_sizes(const PhCct *cct)
{
	double least = INFINITY;

	for (uint32_t i = 0; i < cct->n; i++)
		least = fmin(least, cct->nodes[i].height);
	for (uint32_t i = 0; i < cct->n; i++)
	{
		const PhCctNode *node = &cct->nodes[i];

		if (node->width > least + SLACK)
			assert_true(fabs(node->width - node->max * cct->scale) < 1e-3);
		if (node->height > least + SLACK)
			assert_true(fabs(node->height - node->min * cct->scale) < 1e-3);
	}
}

static void
trees_do_not_overlap(void **state)
{
	(void) state;
	srand(20260501);
	for (uint32_t round = 0; round < ROUNDS; round++)
	{
		Studio studio;
		PhCct cct;
		double *bottom;

		open_bare(&studio);
		random_cct(&studio, &cct, false);
		ph_cct_place_tree(&studio.arena, &cct, 900, round % 2);
		check_boxes(&cct);
		check_sizes(&cct);
		/* bands: inside the parent's, below the sibling before; levels go right */
		bottom = ph_need(&studio.arena, cct.n, sizeof(double));
		for (uint32_t i = 0; i < cct.n; i++)
		{
			const PhCctNode *node = &cct.nodes[i];
			const PhCctNode *parent = &cct.nodes[node->parent];

			assert_true(node->y >= node->band_y - SLACK);
			assert_true(node->y + node->height <= node->band_y + node->band_height + SLACK);
			bottom[i] = node->band_y;
			if (node->parent == PH_CCT_NO_PARENT)
				continue;
			parent = &cct.nodes[node->parent];
			assert_true(parent->x + parent->width < node->x);
			assert_true(node->band_y >= bottom[node->parent] - SLACK);
			bottom[node->parent] = node->band_y + node->band_height;
			assert_true(bottom[node->parent] <= parent->band_y + parent->band_height + SLACK);
		}
		ph_arena_drop(&studio.arena);
	}
}

static void
rings_do_not_overlap(void **state)
{
	(void) state;
	srand(20260502);
	for (uint32_t round = 0; round < ROUNDS; round++)
	{
		Studio studio;
		PhCct cct;
		double first = 0;

		open_bare(&studio);
		random_cct(&studio, &cct, false);
		ph_cct_place_radial(&studio.arena, &cct, round % 3 ? 2000 : 400);
		check_boxes(&cct);
		check_sizes(&cct);
		for (uint32_t i = 1; i < cct.n; i++)
			if (cct.nodes[i].parent == PH_CCT_NO_PARENT)
				first = 1;
		for (uint32_t i = 0; i < cct.n; i++)
		{
			const PhCctNode *node = &cct.nodes[i];
			double r = hypot(node->x + node->width / 2 - cct.center_x,
							 node->y + node->height / 2 - cct.center_y);

			assert_true(fabs(r - (node->depth + first) * cct.ring) < 1e-6 * (1 + r));
		}
		ph_arena_drop(&studio.arena);
	}
}

/* What is missing below a node, if it costs the share, is its last child. */
static void
check_others(Studio *studio, PhCct *cct, double share, double total)
{
	uint32_t n_kept = cct->n, n_pruned = 0;
	double *below;

	ph_cct_add_others(&studio->arena, cct, share);
	below = ph_need(&studio->arena, cct->n, sizeof(double));
	for (uint32_t i = cct->n; i-- > 0;)
	{
		const PhCctNode *node = &cct->nodes[i];

		if (node->parent != PH_CCT_NO_PARENT)
		{
			assert_true(node->parent < i && cct->nodes[node->parent].depth + 1 == node->depth);
			assert_false(cct->nodes[node->parent].is_leaf);
			below[node->parent] += node->inclusive;
		}
		n_kept -= !node->is_others;
		n_pruned += node->is_others ? node->n_others : 0;
		assert_true(!node->is_others || (node->is_leaf && node->inclusive >= share * total &&
										 node->max <= cct->most && node->n_others > 0));
		assert_true(!node->is_others || i + 1 == cct->n || cct->nodes[i + 1].depth < node->depth);
	}
	for (uint32_t i = 0; i < cct->n; i++)
		if (!cct->nodes[i].is_others)
		{
			double missing = cct->nodes[i].inclusive - cct->nodes[i].mean - below[i];

			assert_true(missing > -1e-6 && (missing < 1e-6 || missing < share * total + 1e-6));
		}
	assert_int_equal(n_kept, 0);
	assert_true(n_pruned <= cct->n_pruned);
}

/* Kept: what costs the share, what matches, and what is above; nothing else. */
static void
pruning_keeps_what_costs_or_matches(void **state)
{
	(void) state;
	srand(20260503);
	for (uint32_t round = 0; round < ROUNDS; round++)
	{
		double share = rand() % 30 / 100.0;
		double total = 0;
		uint32_t expected = 0;
		Studio studio;
		PhCct whole;
		PhCct cct;
		bool *keep;

		open_bare(&studio);
		random_cct(&studio, &whole, round % 2);
		ph_cct_read(&studio.arena, &studio.rows, PH_CCT_MAX, false, &cct);
		ph_cct_prune(&studio.arena, &cct, share);
		keep = ph_need(&studio.arena, whole.n, sizeof(bool));
		for (uint32_t i = 0; i < whole.n; i++)
			total += whole.nodes[i].parent == PH_CCT_NO_PARENT ? whole.nodes[i].inclusive : 0;
		for (uint32_t i = 0; i < whole.n; i++)
			if (whole.nodes[i].inclusive >= share * total || whole.nodes[i].matches ||
				(whole.nodes[i].parent == PH_CCT_NO_PARENT && whole.nodes[i].inclusive > 0))
				for (uint32_t up = i; up != PH_CCT_NO_PARENT; up = whole.nodes[up].parent)
					keep[up] = true;
		for (uint32_t i = 0; i < whole.n; i++)
		{
			if (!keep[i])
				continue;
			assert_string_equal(cct.nodes[expected].node, whole.nodes[i].node);
			assert_int_equal(cct.nodes[expected].depth, whole.nodes[i].depth);
			if (whole.nodes[i].parent != PH_CCT_NO_PARENT)
				assert_string_equal(cct.nodes[cct.nodes[expected].parent].node,
									whole.nodes[whole.nodes[i].parent].node);
			expected++;
		}
		assert_int_equal(cct.n, expected);
		assert_true(cct.n_pruned <= whole.n - expected); /* trees without cost are below none */
		check_others(&studio, &cct, share, total);
		ph_arena_drop(&studio.arena);
	}
}

/* Whole pictures: texts and boxes are inside and texts do not touch. */
static void
pictures_are_sound(void **state)
{
	static const char *const options[] = {
		"--filter 0", "--filter 0 --layout radial", "--filter 0.05 --color module",
		"--filter 0 --color imbalance --palette colour-blind",
		"--filter 0.02 --color min --color-range 1:5 --width 700"};

	(void) state;
	srand(20260504);
	for (int round = 0; round < 60; round++)
	{
		Studio studio;
		PhScene scene;

		studio_open(&studio);
		studio_row(&studio, "run", "{\"run_id\":3,\"application\":\"random\"}");
		studio_row(&studio, "metric", "{\"metric\":\"time\",\"unit\":\"sec\"}");
		studio_row(&studio, "columns", "{\"n\":4,\"ranks\":4,\"threads\":0}");
		random_rows(&studio, 2 + (uint32_t) rand() % 60, round % 2);
		studio_draw(&studio, "cct", options[round % 5], &scene);
		scene_check(&scene);
		assert_true(scene_says(&scene, "4 ranks") || scene_count(&scene, "empty") == 1);
		studio_close(&studio);
	}
}

static void
rows_out_of_order_become_roots(void **state)
{
	Studio studio;
	PhCct cct;

	(void) state;
	studio_open(&studio);
	studio_row(&studio, "tree", "{\"node\":0,\"parent\":1,\"name\":\"a\",\"max\":1,\"min\":2}");
	studio_row(&studio, "tree", "{\"node\":1,\"parent\":1,\"name\":null,\"max\":-3}");
	studio_row(&studio, "tree", "{\"node\":2,\"parent\":0,\"name\":\"c\",\"max\":\"x\"}");
	ph_cct_read(&studio.arena, &studio.rows, PH_CCT_IMBALANCE, true, &cct);
	assert_int_equal(cct.nodes[0].parent, PH_CCT_NO_PARENT);
	assert_int_equal(cct.nodes[1].parent, PH_CCT_NO_PARENT);
	assert_int_equal(cct.nodes[2].parent, 0);
	assert_true(cct.nodes[0].max >= cct.nodes[0].min && cct.nodes[1].max == 0);
	assert_true(isnan(cct.nodes[2].color));
	ph_cct_place_tree(&studio.arena, &cct, 500, false);
	check_boxes(&cct);
	studio_close(&studio);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees_do_not_overlap),
		cmocka_unit_test(rings_do_not_overlap),
		cmocka_unit_test(pruning_keeps_what_costs_or_matches),
		cmocka_unit_test(pictures_are_sound),
		cmocka_unit_test(rows_out_of_order_become_roots),
	};

	studio_pin_fonts();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
