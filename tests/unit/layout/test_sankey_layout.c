/*
 * test_sankey_layout.c - the layout: against a plain one, L1 to L9, old orders, limits, faults.
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

#include "support/fault_env.h"
#include "support/rounds.h"
#include "support/sankey.h"
#include "support/supergraph.h"

#define N_GRAPHS rounds(2000)

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

typedef struct Diagram
{
	uint32_t n_nodes, n_edges;
	PhLayoutNode nodes[400];
	PhLayoutEdge edges[1000];
	char names[400][16];
	PhLayoutOptions options;
} Diagram;

static void
expect(uint64_t seed, const char *wrong)
{
	if (wrong[0] != '\0')
		fail_msg("seed %llu: %s", (unsigned long long) seed, wrong);
}

/* Layers of bars; edges go up by one to three levels. Whole weights, so that sums are exact. */
static void
random_diagram(uint64_t seed, uint32_t most_nodes, Diagram *d)
{
	Random random = {seed * 7919 + 3};
	uint32_t layers = 1 + random_below(&random, 6);
	double out[400] = {0}, in[400] = {0};
	d->n_nodes = layers + random_below(&random, most_nodes);
	d->n_edges = 0;
	d->options = ph_layout_defaults(1000, 600);
	if (seed % 3 == 0)
		d->options.gap = 100;
	if (seed % 2 == 0)
		d->options.most_dummies = 0;
	for (uint32_t i = 0; i < d->n_nodes; i++)
	{
		snprintf(d->names[i], sizeof(d->names[i]), "n%u", (i * 7 + (uint32_t) seed) % 1000);
		uint32_t level = i < layers ? i : random_below(&random, layers);
		d->nodes[i] = (PhLayoutNode){d->names[i], level, 0, NAN};
	}
	for (uint32_t a = 0; a < d->n_nodes; a++)
		for (uint32_t b = 0; b < d->n_nodes; b++)
		{
			uint32_t from = d->nodes[a].level, to = d->nodes[b].level;
			if (to <= from || to > from + 3 || random_below(&random, 3) != 0 || d->n_edges >= 1000)
				continue;
			double weight = random_below(&random, 20);
			d->edges[d->n_edges++] = (PhLayoutEdge){a, b, weight};
			out[a] += weight;
			in[b] += weight;
		}
	for (uint32_t i = 0; i < d->n_nodes; i++)
		d->nodes[i].value = fmax(out[i], in[i]) + random_below(&random, 5);
}

static void
lay_out(PhArena *arena, const Diagram *d, PhLayout *layout)
{
	PhStatus status =
		ph_layout_sankey(arena, d->nodes, d->n_nodes, d->edges, d->n_edges, &d->options, layout);
	if (status != PH_OK)
		fail_msg("%s: %s", ph_status_name(status), env.error.message);
}

static void
compare_layouts(uint64_t seed, const PhLayout *layout, const PlainSankey *plain)
{
	assert_int_equal(layout->n_boxes, plain->n_boxes);
	assert_int_equal(layout->n_bands, plain->n_links);
	if (layout->crossings_first != plain->crossings_first)
		expect(seed, "crossings at the start");
	if (layout->crossings != plain->crossings)
		expect(seed, "crossings");
	if (!nearly(layout->scale, plain->scale) || !nearly(layout->height, plain->height))
		expect(seed, "scale or height");
	for (uint32_t i = 0; i < layout->n_boxes; i++)
	{
		if (layout->boxes[i].order != plain->position[i])
			expect(seed, "order");
		if (fabs(layout->boxes[i].y - plain->y[i]) > 0.02)
			expect(seed, "y");
	}
	if (fabs(layout->objective[layout->n_sweeps] - plain->objective) >
		1e-3 * (1 + plain->objective))
		expect(seed, "objective");
}

static void
test_random_diagrams(void **state)
{
	static Diagram d;
	static PlainSankey plain;
	uint32_t compared = 0, improved = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_GRAPHS; seed++)
	{
		PhArena arena;
		PhLayout layout;
		ph_arena_init(&arena, &env);
		random_diagram(seed, seed % 10 == 0 ? 30 : 12, &d);
		lay_out(&arena, &d, &layout);
		expect(seed, check_layout(&layout, d.nodes, d.n_nodes, d.edges, d.n_edges, &d.options));
		if (layout.crossings != count_crossings(&layout, d.edges))
			expect(seed, "crossings are what they are counted to be");
		improved += layout.crossings < layout.crossings_first ? 1 : 0;
		if (layout.n_boxes < 60 &&
			plain_sankey(d.nodes, d.n_nodes, d.edges, d.n_edges, &d.options, &plain))
		{
			compare_layouts(seed, &layout, &plain);
			compared++;
		}
		ph_arena_drop(&arena);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(compared > N_GRAPHS / 2 && improved > N_GRAPHS / 4);
}

/* Edges over up to 40 layers: more than are drawn on their own, and more work than is done in full.
 */
static void
long_edges(uint64_t seed, Diagram *d)
{
	Random random = {seed + 99};
	double out[400] = {0}, in[400] = {0};
	d->n_nodes = 120;
	d->n_edges = 0;
	d->options = ph_layout_defaults(1000, 600);
	for (uint32_t i = 0; i < d->n_nodes; i++)
	{
		snprintf(d->names[i], sizeof(d->names[i]), "n%u", i);
		d->nodes[i] = (PhLayoutNode){d->names[i], i < 40 ? i : random_below(&random, 40), 0, NAN};
	}
	while (d->n_edges < 600)
	{
		uint32_t a = random_below(&random, d->n_nodes), b = random_below(&random, d->n_nodes);
		double weight = random_below(&random, 20);
		if (d->nodes[a].level >= d->nodes[b].level)
			continue;
		d->edges[d->n_edges++] = (PhLayoutEdge){a, b, weight};
		out[a] += weight;
		in[b] += weight;
	}
	for (uint32_t i = 0; i < d->n_nodes; i++)
		d->nodes[i].value = fmax(out[i], in[i]) + random_below(&random, 5);
}

static void
check_long_edges(uint64_t seed, const Diagram *d, bool shared)
{
	PhArena arena;
	PhLayout layout;
	uint32_t n_boxes = d->n_nodes, n_shared = 0;
	ph_arena_init(&arena, &env);
	lay_out(&arena, d, &layout);
	expect(seed, check_layout(&layout, d->nodes, d->n_nodes, d->edges, d->n_edges, &d->options));
	if (layout.crossings != count_crossings(&layout, d->edges))
		expect(seed, "crossings are what they are counted to be");
	for (uint32_t i = 0; i < d->n_edges; i++)
		n_boxes += d->nodes[d->edges[i].target].level - d->nodes[d->edges[i].source].level - 1;
	for (uint32_t i = 0; i < layout.n_bands; i++)
		n_shared += layout.bands[i].edge == PH_LAYOUT_SHARED ? 1 : 0;
	if (shared ? n_shared == 0 || layout.n_boxes >= n_boxes / 2
			   : n_shared > 0 || layout.n_boxes != n_boxes)
		expect(seed, "dummies are shared from the limit on");
	if (!shared && layout.n_sweeps >= 200)
		expect(seed, "a large diagram has fewer sweeps");
	ph_arena_drop(&arena);
}

static void
test_long_edges(void **state)
{
	static Diagram d;
	(void) state;
	for (uint64_t seed = 0; seed < 3; seed++)
	{
		long_edges(seed, &d);
		check_long_edges(seed, &d, true);
		d.options.most_dummies = UINT32_MAX;
		check_long_edges(seed, &d, false);
	}
	assert_int_equal(env.bytes, 0);
}

/* L8: the order in which nodes and edges are given does not matter. */
static void
test_any_order_of_input(void **state)
{
	static Diagram d, shuffled;
	(void) state;
	for (uint64_t seed = 0; seed < rounds(300); seed++)
	{
		Random random = {seed};
		uint32_t moved[400];
		PhArena arena;
		PhLayout a, b;
		ph_arena_init(&arena, &env);
		random_diagram(seed, 20, &d);
		shuffled = d;
		for (uint32_t i = 0; i < d.n_nodes; i++)
			moved[i] = i;
		for (uint32_t i = d.n_nodes; i > 1; i--)
		{
			uint32_t other = random_below(&random, i), swap = moved[i - 1];
			moved[i - 1] = moved[other];
			moved[other] = swap;
		}
		for (uint32_t i = 0; i < d.n_nodes; i++)
			shuffled.nodes[moved[i]] = d.nodes[i];
		for (uint32_t i = 0; i < d.n_edges; i++)
		{
			const PhLayoutEdge *edge = &d.edges[d.n_edges - 1 - i];
			shuffled.edges[i] =
				(PhLayoutEdge){moved[edge->source], moved[edge->target], edge->weight};
		}
		lay_out(&arena, &d, &a);
		lay_out(&arena, &shuffled, &b);
		for (uint32_t i = 0; i < d.n_nodes; i++)
			if (memcmp(&a.boxes[i].y, &b.boxes[moved[i]].y, sizeof(double)) != 0 ||
				a.boxes[i].order != b.boxes[moved[i]].order)
				expect(seed, "L8: deterministic");
		ph_arena_drop(&arena);
	}
}

/* The diagram of a super graph, with the order of an older one. */
static void
diagram_of(PhArena *arena, const PhSupergraph *graph, const PhSupergraph *older,
		   const PhLayout *layout, Diagram *d)
{
	PhSupergraphMeans means;
	const char *names[400];
	double orders[400];
	must(ph_supergraph_means(arena, graph, 0, &means));
	d->options = ph_layout_defaults(1200, 700);
	d->n_nodes = graph->n_supernodes;
	d->n_edges = graph->n_edges;
	for (uint32_t i = 0; older != NULL && i < older->n_supernodes; i++)
	{
		names[i] = older->supernodes[i].name;
		orders[i] = layout->boxes[i].order;
	}
	for (uint32_t i = 0; i < graph->n_supernodes; i++)
	{
		const PhSupernode *v = &graph->supernodes[i];
		double previous = NAN;
		if (older != NULL)
			previous = ph_layout_previous(v->name, older->n_supernodes, names, orders);
		d->nodes[i] = (PhLayoutNode){v->name, v->level, means.inclusive[i], previous};
	}
	for (uint32_t i = 0; i < graph->n_edges; i++)
		d->edges[i] =
			(PhLayoutEdge){graph->edges[i].source, graph->edges[i].target, means.weight[i]};
}

/* L9: bars that stay in one layer keep their order, and parts are where the whole was. */
static void
check_order(uint64_t seed, const Diagram *d, const PhLayout *layout)
{
	for (uint32_t a = 0; a < d->n_nodes; a++)
		for (uint32_t b = 0; b < d->n_nodes; b++)
			if (d->nodes[a].level == d->nodes[b].level &&
				d->nodes[a].previous_order < d->nodes[b].previous_order &&
				layout->boxes[a].order > layout->boxes[b].order)
				expect(seed, "L9: the order of the other bars");
}

static void
test_super_graphs(void **state)
{
	static Forest forest;
	static Diagram d;
	(void) state;
	for (uint64_t seed = 0; seed < N_GRAPHS; seed++)
	{
		PhArena arena;
		PhProfile *profile;
		PhSupergraph *graph, *split;
		PhLayout layout, after;
		ph_arena_init(&arena, &env);
		forest_random(seed, &forest);
		must(forest_profile(&env, &forest, NULL, &profile));
		must(ph_supergraph_build(&env, profile, PH_GROUP_MODULE, NULL, &graph));
		diagram_of(&arena, graph, NULL, NULL, &d);
		lay_out(&arena, &d, &layout);
		expect(seed, check_layout(&layout, d.nodes, d.n_nodes, d.edges, d.n_edges, &d.options));
		uint32_t node = (uint32_t) (seed % graph->n_supernodes);
		must(ph_supergraph_split_caller(&env, graph, node, true, &split));
		diagram_of(&arena, split, graph, &layout, &d);
		for (uint32_t i = 0; i < d.n_nodes; i++)
			assert_false(isnan(d.nodes[i].previous_order));
		lay_out(&arena, &d, &after);
		expect(seed, check_layout(&after, d.nodes, d.n_nodes, d.edges, d.n_edges, &d.options));
		check_order(seed, &d, &after);
		ph_supergraph_free(&env, graph);
		ph_supergraph_free(&env, split);
		ph_arena_drop(&arena);
	}
	assert_int_equal(env.bytes, 0);
}

static void
test_previous_names(void **state)
{
	static const char *const names[] = {"lib", "lib-a", "x"};
	static const double orders[] = {3, 5, 7};
	(void) state;
	assert_true(ph_layout_previous("lib", 3, names, orders) == 3);
	assert_true(ph_layout_previous("lib-a", 3, names, orders) == 5);
	assert_true(ph_layout_previous("lib-a/file", 3, names, orders) == 5);
	assert_true(ph_layout_previous("lib-b", 3, names, orders) == 3);
	assert_true(isnan(ph_layout_previous("library", 3, names, orders)));
	assert_true(isnan(ph_layout_previous("li", 3, names, orders)));
	/* the longest whole counts, wherever it stands */
	static const char *const longest_first[] = {"lib-a", "lib", "x"};
	assert_true(ph_layout_previous("lib-a/file", 3, longest_first, orders) == 3);
}

/* Two panels: with other weights, bars and dummies that were there stay in their places. */
static void
test_previous_dummies(void **state)
{
	static Diagram d;
	static double orders[10000];
	static PhLayoutOrders dummies[1000];
	uint32_t n_kept = 0;
	(void) state;
	for (uint64_t seed = 1; seed < 600; seed += 2)
	{
		PhArena arena;
		PhLayout before, after;
		uint32_t n_orders = 0;
		ph_arena_init(&arena, &env);
		random_diagram(seed, 20, &d);
		lay_out(&arena, &d, &before);
		memset(dummies, 0, sizeof(dummies));
		for (uint32_t i = 0; i < before.n_bands; i++)
		{
			const PhLayoutBand *band = &before.bands[i];
			if (!before.boxes[band->target].dummy)
				continue;
			orders[n_orders] = before.boxes[band->target].order;
			if (dummies[band->edge].n++ == 0)
				dummies[band->edge].orders = &orders[n_orders];
			n_orders++;
		}
		for (uint32_t i = 0; i < d.n_nodes; i++)
			d.nodes[i].previous_order = before.boxes[i].order;
		for (uint32_t i = 0; i < d.n_edges; i++)
			d.edges[i].weight = (double) ((seed + i * 7) % 11);
		d.options.previous_dummies = dummies;
		lay_out(&arena, &d, &after);
		for (uint32_t i = 0; i < after.n_boxes; i++)
			if (after.boxes[i].order != before.boxes[i].order)
				expect(seed, "the order of an older layout");
		n_kept += n_orders;
		ph_arena_drop(&arena);
	}
	assert_true(n_kept > 1000);
	assert_int_equal(env.bytes, 0);
}

/* Edges heavier than their bar are drawn to fit it; a shared scale is an upper limit. */
static void
test_fit_and_limit(void **state)
{
	static Diagram d;
	PhArena arena;
	PhLayout layout;
	(void) state;
	ph_arena_init(&arena, &env);
	d.n_nodes = 3;
	d.n_edges = 3;
	d.options = ph_layout_defaults(400, 300);
	d.nodes[0] = (PhLayoutNode){"a", 0, 10, NAN};
	d.nodes[1] = (PhLayoutNode){"b", 1, 8, NAN};
	d.nodes[2] = (PhLayoutNode){"c", 2, 20, NAN};
	d.edges[0] = (PhLayoutEdge){0, 1, 8};
	d.edges[1] = (PhLayoutEdge){0, 2, 8};
	d.edges[2] = (PhLayoutEdge){1, 2, 8};
	lay_out(&arena, &d, &layout);
	expect(0, check_layout(&layout, d.nodes, 3, d.edges, 3, &d.options));
	assert_true(nearly(layout.bands[0].thickness, 5 * layout.scale));
	assert_true(nearly(layout.bands[3].thickness, 8 * layout.scale));
	d.options.scale_limit = layout.scale / 2;
	lay_out(&arena, &d, &layout);
	assert_true(layout.scale == d.options.scale_limit);
	ph_arena_drop(&arena);
}

/* A gap is as wide as its level's power times the bars on its fuller side ask for. */
static void
test_gaps(void **state)
{
	static Diagram d;
	PhArena arena;
	PhLayout layout;
	(void) state;
	ph_arena_init(&arena, &env);
	memset(&d, 0, sizeof(d));
	d.options = ph_layout_defaults(4000, 300);
	d.n_nodes = 6;
	for (uint32_t i = 0; i < 6; i++)
	{
		snprintf(d.names[i], 16, "n%u", i);
		d.nodes[i] = (PhLayoutNode){d.names[i], i < 4 ? 0 : i - 3, 10, NAN};
	}
	lay_out(&arena, &d, &layout);
	double bar = d.options.bar_width, first = layout.boxes[4].x - layout.boxes[0].x - bar;
	double second = layout.boxes[5].x - layout.boxes[4].x - bar;
	assert_true(second > d.options.min_gap_x);
	assert_true(nearly(first * pow(2, d.options.exponent), 4 * second));
	ph_arena_drop(&arena);
}

static void
test_growing_canvas(void **state)
{
	static Diagram d;
	PhArena arena;
	PhLayout layout;
	(void) state;
	ph_arena_init(&arena, &env);
	memset(&d, 0, sizeof(d));
	d.options = ph_layout_defaults(100, 100);
	lay_out(&arena, &d, &layout); /* nothing at all */
	assert_int_equal(layout.n_boxes, 0);
	for (d.n_nodes = 0; d.n_nodes < 50; d.n_nodes++)
	{
		snprintf(d.names[d.n_nodes], 16, "n%u", d.n_nodes);
		d.nodes[d.n_nodes] = (PhLayoutNode){d.names[d.n_nodes], d.n_nodes % 10, 0, NAN};
	}
	lay_out(&arena, &d, &layout); /* no values */
	expect(0, check_layout(&layout, d.nodes, 50, d.edges, 0, &d.options));
	assert_true(layout.width == 10 * 24 + 9 * 40 && layout.height == 5 * 36 + 10);
	ph_arena_drop(&arena);
}

static void
test_bad_input(void **state)
{
	static Diagram d;
	PhArena arena;
	PhLayout layout;
	(void) state;
	ph_arena_init(&arena, &env);
	for (int wrong = 0; wrong < 7; wrong++)
	{
		random_diagram(5, 12, &d);
		assert_true(d.n_edges > 2);
		if (wrong == 0)
			d.nodes[1].value = NAN;
		if (wrong == 1)
			d.nodes[1].value = -1;
		if (wrong == 2)
			d.nodes[1].level = 1000000;
		if (wrong == 3)
			d.edges[1].target = d.edges[1].source;
		if (wrong == 4)
			d.edges[1].weight = INFINITY;
		if (wrong == 5)
			d.edges[1].target = d.n_nodes;
		if (wrong == 6)
			d.options.height = 0;
		assert_int_equal(
			ph_layout_sankey(&arena, d.nodes, d.n_nodes, d.edges, d.n_edges, &d.options, &layout),
			PH_ERR_VALUE);
	}
	ph_arena_drop(&arena);
	assert_int_equal(env.bytes, 0);
}

static PhStatus
work(PhEnv *faulty, void *user)
{
	const Diagram *d = user;
	PhArena arena;
	PhLayout layout;
	ph_arena_init(&arena, faulty);
	PhStatus status =
		ph_layout_sankey(&arena, d->nodes, d->n_nodes, d->edges, d->n_edges, &d->options, &layout);
	ph_arena_drop(&arena);
	return status;
}

static void
test_faults(void **state)
{
	static Diagram d;
	(void) state;
	random_diagram(20, 25, &d);
	assert_string_equal(fault_env_try_allocations(work, &d, 0), "");
	random_diagram(21, 25, &d);
	assert_string_equal(fault_env_try_allocations(work, &d, 0), "");
	for (uint64_t seed = 0; d.n_edges < 900; seed++)
		random_diagram(seed, 300, &d);
	assert_string_equal(fault_env_try_interrupts(work, &d, 0), "");
}

static int
set_up(void **state)
{
	(void) state;
	ph_env_init_malloc(&env);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_diagrams),
		cmocka_unit_test(test_long_edges),
		cmocka_unit_test(test_any_order_of_input),
		cmocka_unit_test(test_super_graphs),
		cmocka_unit_test(test_previous_names),
		cmocka_unit_test(test_fit_and_limit),
		cmocka_unit_test(test_previous_dummies),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_growing_canvas),
		cmocka_unit_test(test_bad_input),
		cmocka_unit_test(test_faults),
	};
	return cmocka_run_group_tests(tests, set_up, NULL);
}
