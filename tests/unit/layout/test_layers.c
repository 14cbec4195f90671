/*
 * test_layers.c - layers of graphs with cycles: against slow references, invariants, size, faults.
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

#include "layout/layers.h"
#include "support/fault_env.h"
#include "support/forest.h"
#include "support/rounds.h"

#define MOST 40
#define MOST_EDGES 160
#define N_GRAPHS rounds(1000)

static PhEnv env;

typedef struct Case
{
	uint32_t n, n_edges;
	PhLayersNode nodes[MOST];
	PhLayoutEdge edges[MOST_EDGES];
	PhLayersOptions options;
} Case;

static void
expect(uint64_t seed, bool holds, const char *what)
{
	if (!holds)
		fail_msg("seed %llu: %s", (unsigned long long) seed, what);
}

/* Any edges, among them loops and some that are given twice; weights differ. */
static void
random_case(uint64_t seed, uint32_t most, Case *c)
{
	Random random = {seed * 6151 + 1};
	c->n = 1 + random_below(&random, most);
	c->n_edges = random_below(&random, 3 * c->n);
	c->options = ph_layers_defaults();
	c->options.width = 900;
	c->options.most_layers = MOST;
	for (uint32_t i = 0; i < c->n; i++)
		c->nodes[i] = (PhLayersNode){.width = 5 + random_below(&random, 150),
									 .height = 8 + random_below(&random, 40),
									 .weight = random_below(&random, 1000) + i * 1e-3,
									 .order = NAN};
	for (uint32_t i = 0; i < c->n_edges; i++)
	{
		c->edges[i] = (PhLayoutEdge){random_below(&random, c->n), random_below(&random, c->n),
									 random_below(&random, 1000) + i * 1e-3};
		if (i > 0 && random_below(&random, 8) == 0)
			c->edges[i] = c->edges[i - 1];
	}
}

static void
lay_out(PhArena *arena, const Case *c, PhLayers *layers)
{
	PhStatus status =
		ph_layout_layers(arena, c->nodes, c->n, c->edges, c->n_edges, &c->options, layers);
	if (status != PH_OK)
		fail_msg("%s: %s", ph_status_name(status), env.error.message);
}

/* ---- cycles and layers, slowly ---- */

typedef struct SlowWalk
{
	const Case *c;
	bool done[MOST], on_path[MOST];
	bool is_back[MOST_EDGES], seen[MOST_EDGES];
} SlowWalk;

/* The heaviest edge of a node that has not been followed. */
static uint32_t
heaviest_edge(const SlowWalk *walk, uint32_t node)
{
	const Case *c = walk->c;
	uint32_t best = UINT32_MAX;
	for (uint32_t i = 0; i < c->n_edges; i++)
		if (c->edges[i].source == node && !walk->seen[i] &&
			(best == UINT32_MAX || c->edges[i].weight > c->edges[best].weight))
			best = i;
	return best;
}

static void
slow_walk(SlowWalk *walk, uint32_t node)
{
	walk->on_path[node] = true;
	for (uint32_t edge; (edge = heaviest_edge(walk, node)) != UINT32_MAX;)
	{
		uint32_t target = walk->c->edges[edge].target;
		walk->seen[edge] = true;
		walk->is_back[edge] = walk->on_path[target];
		if (!walk->done[target] && !walk->on_path[target])
			slow_walk(walk, target);
	}
	walk->on_path[node] = false;
	walk->done[node] = true;
}

static bool
is_called(const Case *c, uint32_t node)
{
	for (uint32_t i = 0; i < c->n_edges; i++)
		if (c->edges[i].target == node && c->edges[i].source != node)
			return true;
	return false;
}

static void
slow_cycles(const Case *c, SlowWalk *walk)
{
	*walk = (SlowWalk){.c = c};
	for (int pass = 0; pass < 2; pass++)
		for (;;)
		{
			uint32_t start = UINT32_MAX;
			for (uint32_t i = 0; i < c->n; i++)
				if (!walk->done[i] && (pass == 1 || !is_called(c, i)) &&
					(start == UINT32_MAX || c->nodes[i].weight > c->nodes[start].weight))
					start = i;
			if (start == UINT32_MAX)
				break;
			slow_walk(walk, start);
		}
}

/* Longest paths by relaxing until nothing moves. */
static uint32_t
slow_layers(const Case *c, const bool *is_back, uint32_t *layer)
{
	uint32_t most = 0;
	memset(layer, 0, MOST * sizeof(*layer));
	for (bool moved = true; moved;)
	{
		moved = false;
		for (uint32_t i = 0; i < c->n_edges; i++)
		{
			uint32_t least = layer[c->edges[i].source] + 1;
			if (is_back[i] || layer[c->edges[i].target] >= least)
				continue;
			layer[c->edges[i].target] = least;
			moved = true;
			most = least > most ? least : most;
			assert_true(most < c->n); /* else edges that do not go back have a cycle */
		}
	}
	return most + 1;
}

/* Fewest edges from where the longest paths begin, step by step over all edges. */
static void
slow_distances(const Case *c, uint32_t *layer)
{
	for (uint32_t i = 0; i < c->n; i++)
		layer[i] = layer[i] == 0 ? 0 : UINT32_MAX;
	for (uint32_t distance = 0; distance < c->n; distance++)
		for (uint32_t i = 0; i < c->n_edges; i++)
			if (layer[c->edges[i].source] == distance && layer[c->edges[i].target] == UINT32_MAX)
				layer[c->edges[i].target] = distance + 1;
}

static void
check_layering(uint64_t seed, const Case *c, const PhLayers *layers)
{
	static SlowWalk walk;
	uint32_t layer[MOST];
	slow_cycles(c, &walk);
	uint32_t n_layers = slow_layers(c, walk.is_back, layer);
	expect(seed, layers->by_distance == (n_layers > c->options.most_layers), "when to fold");
	if (layers->by_distance)
		slow_distances(c, layer);
	for (uint32_t i = 0; i < c->n; i++)
		expect(seed, layers->boxes[i].layer == layer[i], "layer");
	for (uint32_t i = 0; i < c->n_edges; i++)
	{
		bool back = layer[c->edges[i].target] <= layer[c->edges[i].source];
		expect(seed, layers->edges[i].is_back == back, "an edge that does not go right is back");
		expect(seed, layers->by_distance || back == walk.is_back[i], "edges that close a cycle");
	}
}

/* ---- order, slowly ---- */

/* A piece of a line between neighbouring layers; shared pieces once. */
typedef struct Piece
{
	uint32_t from, to;
	double y0, y1;
} Piece;

typedef struct Pieces
{
	uint32_t n;
	Piece pieces[MOST_EDGES + MOST * MOST];
} Pieces;

static void
collect_pieces(uint64_t seed, const Case *c, const PhLayers *layers, Pieces *out)
{
	out->n = 0;
	for (uint32_t i = 0; i < c->n_edges; i++)
	{
		const PhLayersLine *line = &layers->edges[i].line;
		uint32_t at = c->edges[i].target;
		if (layers->edges[i].is_back)
			continue;
		expect(seed, layers->boxes[line->to].is_bend || line->to == at, "a line leads to its end");
		out->pieces[out->n++] = (Piece){c->edges[i].source, line->to, line->y0, line->y1};
		for (at = line->to; layers->boxes[at].is_bend; at = layers->boxes[at].line.to)
			continue;
		expect(seed, at == c->edges[i].target, "bends lead to the target");
	}
	for (uint32_t i = c->n; i < layers->n_boxes; i++)
		out->pieces[out->n++] = (Piece){i, layers->boxes[i].line.to, layers->boxes[i].line.y0,
										layers->boxes[i].line.y1};
	for (uint32_t i = 0; i < out->n; i++)
		expect(seed,
			   layers->boxes[out->pieces[i].to].layer ==
				   layers->boxes[out->pieces[i].from].layer + 1,
			   "lines join neighbouring layers");
}

static uint32_t
slow_crossings(const PhLayers *layers, const Pieces *pieces, const uint32_t *order)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < pieces->n; i++)
		for (uint32_t k = 0; k < pieces->n; k++)
		{
			const Piece *a = &pieces->pieces[i], *b = &pieces->pieces[k];
			n += layers->boxes[a->from].layer == layers->boxes[b->from].layer &&
				 order[a->from] < order[b->from] && order[a->to] > order[b->to];
		}
	return n;
}

/* Crossings are what they are said to be, and no exchange of two neighbours makes them fewer. */
static void
check_order(uint64_t seed, const Case *c, const PhLayers *layers)
{
	static Pieces pieces;
	static uint32_t order[MOST + MOST * MOST_EDGES];
	collect_pieces(seed, c, layers, &pieces);
	for (uint32_t i = 0; i < layers->n_boxes; i++)
		order[i] = layers->boxes[i].order;
	uint32_t crossings = slow_crossings(layers, &pieces, order);
	expect(seed, layers->crossings == crossings, "crossings");
	expect(seed, layers->crossings <= layers->crossings_first, "ordering does no harm");
	if (pieces.n > 60)
		return;
	for (uint32_t a = 0; a < layers->n_boxes; a++)
		for (uint32_t b = 0; b < layers->n_boxes; b++)
		{
			if (layers->boxes[a].layer != layers->boxes[b].layer || order[b] != order[a] + 1)
				continue;
			order[a]++;
			order[b]--;
			expect(seed, slow_crossings(layers, &pieces, order) >= crossings,
				   "an exchange of neighbours would save a crossing");
			order[a]--;
			order[b]++;
		}
}

/* ---- places ---- */

static double
gap_of(const Case *c, const PhLayersBox *box)
{
	return box->is_bend ? c->options.bend_gap : c->options.gap;
}

static void
check_places(uint64_t seed, const Case *c, const PhLayers *layers)
{
	for (uint32_t i = 0; i < layers->n_boxes; i++)
	{
		const PhLayersBox *a = &layers->boxes[i];
		expect(seed, a->is_bend == (i >= c->n), "boxes are the nodes, then the bends");
		expect(seed,
			   a->is_bend || (a->width == c->nodes[i].width && a->height == c->nodes[i].height),
			   "nodes keep their size");
		expect(seed,
			   a->x >= 0 && a->x + a->width <= layers->width + 1e-6 && a->y >= -1e-6 &&
				   a->y + a->height <= layers->height + 1e-6,
			   "inside the picture");
		expect(seed,
			   a->x == layers->columns[a->layer].x && a->width <= layers->columns[a->layer].width,
			   "in its column");
		for (uint32_t k = 0; k < layers->n_boxes; k++)
		{
			const PhLayersBox *b = &layers->boxes[k];
			if (a->layer == b->layer && b->order > a->order)
				expect(seed, b->y >= a->y + a->height + gap_of(c, b) - 1e-6, "apart");
			if (a->layer < b->layer)
				expect(seed, b->x >= a->x + a->width + c->options.column_gap - 1e-6,
					   "columns apart");
		}
	}
	for (uint32_t i = 1; i <= layers->n_sweeps; i++)
		expect(seed, layers->objective[i] <= layers->objective[i - 1], "the objective never rises");
}

static double
pull_of(const Case *c, double weight)
{
	double most = 0;
	for (uint32_t i = 0; i < c->n_edges; i++)
		most = fmax(most, c->edges[i].weight);
	return weight + c->options.least_pull * (most > 0 ? most : 1);
}

/* Where the lines of a box want it to be, and how much; bends that are not shared. */
static double
wanted_y(const Case *c, const PhLayers *layers, uint32_t box, double *weight)
{
	double sum = 0;
	*weight = 0;
	for (uint32_t i = 0; i < c->n_edges; i++)
	{
		uint32_t from = c->edges[i].source;
		if (layers->edges[i].is_back)
			continue;
		for (const PhLayersLine *line = &layers->edges[i].line;; line = &layers->boxes[from].line)
		{
			double pull = pull_of(c, c->edges[i].weight);
			if (from == box || line->to == box)
			{
				double slope = line->y1 - line->y0;
				sum += pull * (layers->boxes[box].y + (from == box ? slope : -slope));
				*weight += pull;
			}
			from = line->to;
			if (!layers->boxes[from].is_bend)
				break;
		}
	}
	return *weight > 0 ? sum / *weight : layers->boxes[box].y;
}

/* The boxes of a layer from the top. */
static uint32_t
boxes_of(const PhLayers *layers, uint32_t layer, uint32_t *out)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < layers->n_boxes; i++)
		if (layers->boxes[i].layer == layer)
		{
			out[layers->boxes[i].order] = i;
			n++;
		}
	return n;
}

/*
 * Every layer is where it would settle anew: isotonic regression as the greatest over starts of the
 * least over ends of the mean between. Only layers that do not touch the ends of the picture.
 */
static uint32_t
check_settled(uint64_t seed, const Case *c, const PhLayers *layers)
{
	static uint32_t box[MOST + MOST * MOST_EDGES];
	double wish[200], weight[200], offset[200];
	uint32_t n_checked = 0;
	for (uint32_t layer = 0; layer < layers->n_layers; layer++)
	{
		double taken = 0;
		uint32_t n = boxes_of(layers, layer, box);
		const PhLayersBox *last = &layers->boxes[box[n - 1]];
		if (n > 200 || layers->boxes[box[0]].y < 12 || last->y + last->height > layers->height - 12)
			continue;
		for (uint32_t i = 0; i < n; i++)
		{
			taken += gap_of(c, &layers->boxes[box[i]]);
			offset[i] = taken;
			taken += layers->boxes[box[i]].height;
			wish[i] = wanted_y(c, layers, box[i], &weight[i]) - offset[i];
			weight[i] = weight[i] > 0 ? weight[i] : 1e-12;
		}
		for (uint32_t i = 0; i < n; i++)
		{
			double z = -INFINITY;
			for (uint32_t from = 0; from <= i; from++)
			{
				double least = INFINITY, w = 0, sum = 0;
				for (uint32_t to = from; to < n; to++)
				{
					w += weight[to];
					sum += weight[to] * wish[to];
					least = to >= i ? fmin(least, sum / w) : least;
				}
				z = fmax(z, least);
			}
			expect(seed, fabs(layers->boxes[box[i]].y - offset[i] - z) < 0.05, "settled");
			n_checked++;
		}
	}
	return n_checked;
}

static void
test_random_graphs(void **state)
{
	static Case c;
	uint32_t n_settled = 0, n_improved = 0, n_back = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_GRAPHS; seed++)
	{
		PhArena arena;
		PhLayers layers;
		ph_arena_init(&arena, &env);
		random_case(seed, seed % 5 == 0 ? MOST : 14, &c);
		c.options.height = seed % 2 == 0 ? 3000 : 0;
		c.options.most_layers = seed % 3 == 0 ? 5 : MOST;
		lay_out(&arena, &c, &layers);
		check_layering(seed, &c, &layers);
		check_order(seed, &c, &layers);
		check_places(seed, &c, &layers);
		if (layers.n_sweeps < 200 && seed % 2 == 0)
			n_settled += check_settled(seed, &c, &layers);
		n_improved += layers.crossings < layers.crossings_first ? 1 : 0;
		for (uint32_t i = 0; i < c.n_edges; i++)
			n_back += layers.edges[i].is_back ? 1 : 0;
		ph_arena_drop(&arena);
	}
	assert_true(n_settled > N_GRAPHS && n_improved > N_GRAPHS / 4 && n_back > N_GRAPHS);
	assert_int_equal(env.bytes, 0);
}

/* Edges to one node that share their bends still lead there, and take less room. */
static void
test_shared_bends(void **state)
{
	static Case c;
	uint32_t n_fewer = 0;
	(void) state;
	for (uint64_t seed = 0; seed < rounds(500); seed++)
	{
		PhArena arena;
		PhLayers own, shared;
		ph_arena_init(&arena, &env);
		random_case(seed, 25, &c);
		lay_out(&arena, &c, &own);
		c.options.most_bends = 0;
		lay_out(&arena, &c, &shared);
		check_order(seed, &c, &shared);
		check_places(seed, &c, &shared);
		expect(seed, shared.n_boxes <= own.n_boxes, "shared bends are not more");
		n_fewer += shared.n_boxes < own.n_boxes ? 1 : 0;
		ph_arena_drop(&arena);
	}
	assert_true(n_fewer > met_in_rounds(100));
}

/* The order in which nodes and edges are given does not matter while weights tell them apart. */
static void
test_any_order_of_input(void **state)
{
	static Case c, shuffled;
	(void) state;
	for (uint64_t seed = 0; seed < rounds(500); seed++)
	{
		Random random = {seed};
		uint32_t moved[MOST];
		PhArena arena;
		PhLayers a, b;
		ph_arena_init(&arena, &env);
		random_case(seed, 20, &c);
		shuffled = c;
		for (uint32_t i = 0; i < c.n; i++)
			moved[i] = i;
		for (uint32_t i = c.n; i > 1; i--)
		{
			uint32_t other = random_below(&random, i), swap = moved[i - 1];
			moved[i - 1] = moved[other];
			moved[other] = swap;
		}
		for (uint32_t i = 0; i < c.n; i++)
			shuffled.nodes[moved[i]] = c.nodes[i];
		for (uint32_t i = 0; i < c.n_edges; i++)
		{
			const PhLayoutEdge *edge = &c.edges[c.n_edges - 1 - i];
			shuffled.edges[i] =
				(PhLayoutEdge){moved[edge->source], moved[edge->target], edge->weight};
		}
		lay_out(&arena, &c, &a);
		lay_out(&arena, &shuffled, &b);
		for (uint32_t i = 0; i < c.n; i++)
			expect(seed,
				   memcmp(&a.boxes[i].y, &b.boxes[moved[i]].y, sizeof(double)) == 0 &&
					   a.boxes[i].x == b.boxes[moved[i]].x &&
					   a.boxes[i].order == b.boxes[moved[i]].order,
				   "the same picture");
		ph_arena_drop(&arena);
	}
}

/* A graph without a cycle has no back edges; a cycle of n nodes has one, and a loop is one. */
static void
test_cycles(void **state)
{
	static Case c;
	PhArena arena;
	PhLayers layers;
	(void) state;
	ph_arena_init(&arena, &env);
	for (uint64_t seed = 0; seed < rounds(300); seed++)
	{
		random_case(seed, 20, &c);
		for (uint32_t i = 0; i < c.n_edges; i++)
			if (c.edges[i].source > c.edges[i].target)
			{
				uint32_t swap = c.edges[i].source;
				c.edges[i].source = c.edges[i].target;
				c.edges[i].target = swap;
			}
		lay_out(&arena, &c, &layers);
		for (uint32_t i = 0; i < c.n_edges; i++)
			expect(seed, layers.edges[i].is_back == (c.edges[i].source == c.edges[i].target),
				   "only loops go back");
	}
	random_case(1, 20, &c);
	c.n = c.n_edges = 9;
	for (uint32_t i = 0; i < 9; i++)
	{
		c.nodes[i] = (PhLayersNode){10, 10, i == 4 ? 7 : 1, 0, NAN};
		c.edges[i] = (PhLayoutEdge){i, (i + 1) % 9, 1};
	}
	lay_out(&arena, &c, &layers);
	assert_int_equal(layers.n_layers, 9);
	for (uint32_t i = 0; i < 9; i++) /* it is cut before its heaviest node */
		assert_int_equal(layers.edges[i].is_back, i == 3);
	ph_arena_drop(&arena);
}

/* Callers, a node, callees: bands side by side around the middle, each layer in the order given. */
/* A bend is as high as the line that passes it, but at least bend_height. */
static void
test_heights_of_bends(void **state)
{
	static Case c;
	(void) state;
	for (int weight = 1; weight <= 1000; weight *= 10)
	{
		PhArena arena;
		PhLayers layers;
		ph_arena_init(&arena, &env);
		c = (Case){.n = 3, .n_edges = 3, .options = ph_layers_defaults()};
		c.options.thickness = 0.25;
		c.options.least_pull = 0;
		for (uint32_t i = 0; i < c.n; i++)
			c.nodes[i] = (PhLayersNode){20, 10, 1, 0, NAN};
		c.edges[0] = (PhLayoutEdge){0, 1, 5};
		c.edges[1] = (PhLayoutEdge){1, 2, 5};
		c.edges[2] = (PhLayoutEdge){0, 2, weight};
		lay_out(&arena, &c, &layers);
		assert_int_equal(layers.n_boxes, 4);
		assert_true(layers.boxes[3].is_bend);
		assert_float_equal(layers.boxes[3].height, fmax(0.25 * weight, c.options.bend_height),
						   1e-9);
		ph_arena_drop(&arena);
	}
}

static void
test_given_layers(void **state)
{
	static Case c;
	(void) state;
	for (uint64_t seed = 0; seed < rounds(200); seed++)
	{
		PhArena arena;
		PhLayers layers;
		double at[2] = {-INFINITY, -INFINITY}, first[2] = {INFINITY, INFINITY};
		ph_arena_init(&arena, &env);
		random_case(seed, 20, &c);
		c.options.layers_are_given = true;
		c.options.thickness = 0.02;
		c.options.least_pull = 0;
		c.n_edges = c.n - 1;
		uint32_t middle = c.n > 2 ? 1 : 0; /* node 2 is the first caller */
		c.nodes[0] = (PhLayersNode){100, 500, 1, middle, 0};
		for (uint32_t i = 1; i < c.n; i++)
		{
			c.nodes[i].layer = i % 2 == 0 ? 0 : middle + 1;
			c.nodes[i].order = i;
			c.nodes[i].height += 20;
			c.edges[i - 1] =
				(PhLayoutEdge){i % 2 == 0 ? i : 0, i % 2 == 0 ? 0 : i, c.edges[i - 1].weight};
		}
		lay_out(&arena, &c, &layers);
		check_places(seed, &c, &layers);
		assert_true(layers.crossings == 0);
		for (uint32_t i = 1; i < c.n; i++)
		{
			const PhLayersEdge *edge = &layers.edges[i - 1];
			const PhLayersBox *box = &layers.boxes[i];
			double beside = i % 2 == 0 ? edge->line.y0 : edge->line.y1;
			double port = i % 2 == 0 ? edge->line.y1 : edge->line.y0;
			expect(seed, box->order == (i % 2 == 0 ? i / 2 - 1 : i / 2), "the order that is given");
			assert_float_equal(edge->thickness, 0.02 * c.edges[i - 1].weight, 1e-9);
			assert_float_equal(beside + edge->thickness / 2, box->y + box->height / 2, 1e-6);
			first[i % 2] = fmin(first[i % 2], port);
			expect(seed, isinf(at[i % 2]) || fabs(port - at[i % 2]) < 1e-6, "bands touch in order");
			at[i % 2] = port + edge->thickness;
		}
		for (int side = 0; side < 2; side++)
			if (!isinf(first[side]))
				assert_float_equal((first[side] + at[side]) / 2, layers.boxes[0].y + 250, 1e-6);
		ph_arena_drop(&arena);
	}
}

/* ---- size ---- */

typedef enum Shape
{
	SHAPE_RANDOM, /* cycles everywhere */
	SHAPE_PATH,	  /* as many layers as nodes, and loops */
	SHAPE_STAR,	  /* all in one layer */
	SHAPE_COMB,	  /* a path of 20, each followed by many, and long edges to all */
	N_SHAPES
} Shape;

static PhLayoutEdge
edge_of(Shape shape, Random *random, uint32_t n, uint32_t i)
{
	uint32_t node = i % n;
	switch (shape)
	{
		case SHAPE_RANDOM:
			return (PhLayoutEdge){random_below(random, n), random_below(random, n), i % 97};
		case SHAPE_PATH:
			return (PhLayoutEdge){node, i < n && node + 1 < n ? node + 1 : node, 1};
		case SHAPE_STAR:
			return (PhLayoutEdge){0, node, i};
		default:
			break;
	}
	if (node < 20)
		return (PhLayoutEdge){node, (node + 1) % 20, 5};
	return (PhLayoutEdge){i < n ? node % 20 : 0, node, i % 89};
}

/* Times that the layout asked for an interrupt: what it does, counted. */
static uint32_t
work_of(Shape shape, uint32_t n)
{
	PhLayersNode *nodes = calloc(n, sizeof(*nodes));
	PhLayoutEdge *edges = calloc(2 * (size_t) n, sizeof(*edges));
	PhLayersOptions options = ph_layers_defaults();
	Random random = {n + (uint64_t) shape};
	PhArena arena;
	PhLayers layers;
	ph_arena_init(&arena, &env);
	for (uint32_t i = 0; i < n; i++)
		nodes[i] = (PhLayersNode){20, 10, i % 1009, 0, NAN};
	for (uint32_t i = 0; i < 2 * n; i++)
		edges[i] = edge_of(shape, &random, n, i);
	uint32_t before = env.ticks;
	assert_int_equal(ph_layout_layers(&arena, nodes, n, edges, 2 * n, &options, &layers), PH_OK);
	uint32_t ticks = env.ticks - before;
	assert_true(layers.n_boxes <= n * (options.most_layers + 1));
	assert_int_equal(layers.n_layers > options.most_layers, shape == SHAPE_PATH);
	for (uint32_t i = 0; i < 2 * n; i++)
		assert_true(layers.edges[i].is_back ==
					(layers.boxes[edges[i].target].layer <= layers.boxes[edges[i].source].layer));
	ph_arena_drop(&arena);
	free(nodes);
	free(edges);
	return ticks;
}

static void
test_near_linear(void **state)
{
	(void) state;
	uint32_t n = takes_all_rounds() ? 10000 : 5000;
	for (Shape shape = 0; shape < N_SHAPES; shape++)
	{
		uint32_t small = work_of(shape, n);
		uint32_t large = work_of(shape, 10 * n);
		if (large > 13 * (uint64_t) small) /* 10 times the graph, with a logarithm */
			fail_msg("shape %d: work %u for %u nodes, %u for %u", (int) shape, small, n, large,
					 10 * n);
	}
	assert_int_equal(env.bytes, 0);
}

/* ---- what is refused, faults ---- */

static void
test_bad_input(void **state)
{
	static Case c;
	PhArena arena;
	PhLayers layers;
	(void) state;
	ph_arena_init(&arena, &env);
	for (int wrong = 0; wrong < 8; wrong++)
	{
		random_case(7, 20, &c);
		assert_true(c.n > 2 && c.n_edges > 2);
		if (wrong == 0)
			c.nodes[1].weight = NAN;
		if (wrong == 1)
			c.nodes[1].height = -1;
		if (wrong == 2)
			c.nodes[1].width = INFINITY;
		if (wrong == 3)
			c.edges[1].target = c.n;
		if (wrong == 4)
			c.edges[1].weight = -1;
		if (wrong == 5)
			c.options.gap = NAN;
		if (wrong == 6)
			c.options.thickness = INFINITY;
		if (wrong == 7)
		{
			c.options.layers_are_given = true;
			c.nodes[1].layer = c.n;
		}
		assert_int_equal(
			ph_layout_layers(&arena, c.nodes, c.n, c.edges, c.n_edges, &c.options, &layers),
			PH_ERR_VALUE);
	}
	random_case(7, 20, &c);
	c.n = c.n_edges = 0;
	lay_out(&arena, &c, &layers);
	assert_true(layers.n_boxes == 0 && layers.n_layers == 0 && layers.height == 0);
	ph_arena_drop(&arena);
	assert_int_equal(env.bytes, 0);
}

static PhStatus
work(PhEnv *faulty, void *user)
{
	const Case *c = user;
	PhArena arena;
	PhLayers layers;
	ph_arena_init(&arena, faulty);
	PhStatus status =
		ph_layout_layers(&arena, c->nodes, c->n, c->edges, c->n_edges, &c->options, &layers);
	ph_arena_drop(&arena);
	return status;
}

static void
test_faults(void **state)
{
	static Case c;
	(void) state;
	random_case(20, MOST, &c);
	assert_string_equal(fault_env_try_allocations(work, &c, 0), "");
	c.options.most_layers = 3; /* by distance */
	c.options.most_bends = 0;
	assert_string_equal(fault_env_try_allocations(work, &c, 0), "");
	for (uint64_t seed = 0; c.n_edges < 100; seed++)
		random_case(seed, MOST, &c);
	assert_string_equal(fault_env_try_interrupts(work, &c, 0), "");
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
		cmocka_unit_test(test_random_graphs),
		cmocka_unit_test(test_shared_bends),
		cmocka_unit_test(test_any_order_of_input),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_heights_of_bends),
		cmocka_unit_test(test_given_layers),
		cmocka_unit_test(test_near_linear),
		cmocka_unit_test(test_bad_input),
		cmocka_unit_test(test_faults),
	};
	return cmocka_run_group_tests(tests, set_up, NULL);
}
