/*
 * layers_layout.c - a graph in layers from left to right.
 *
 * Cycles are broken where a depth-first walk from the heaviest roots meets its own path. Layers are
 * longest paths; long edges pass the layers between through bends, which take room as boxes do.
 * Orders follow the mean of the neighbours' positions; heights are settled by pooling adjacent
 * violators, so that nothing overlaps.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "views/calls/call_graph.h"

#define SWEEPS 16
#define SETTLE 24
#define BEND_HEIGHT 3.0
#define BEND_GAP 1.0
#define LEAST_BETWEEN 26.0 /* of layers */
#define MOST_BENDS 20000
#define MOST_LAYERS 24 /* of longest paths */

/* Boxes and bends alike. */
typedef struct Item
{
	uint32_t layer;
	bool is_bend;
	double height, y, wanted, key;
	uint32_t place;			/* in its layer */
	uint32_t *left, *right; /* neighbours */
	double *left_weight, *right_weight;
	uint32_t n_left, n_right;
	size_t left_room, right_room, left_weight_room, right_weight_room;
} Item;

typedef struct Work
{
	PhArena *arena;
	PhLayers *layers;
	uint32_t n_items;
	size_t room;
	Item *items;
	uint32_t **order; /* items of every layer */
	uint32_t *n_in;	  /* how many */
	double gap;
} Work;

/* ---- cycles and layers --------------------------------------------------------------------- */

typedef struct Out
{
	uint32_t first, n;
} Out;

/* Edges by their start, heaviest first as they are given. */
static uint32_t *
edges_by_start(PhArena *arena, const PhLayers *layers, Out *out)
{
	uint32_t *list = ph_need(arena, layers->n_edges, sizeof(uint32_t));
	uint32_t at = 0;

	for (uint32_t i = 0; i < layers->n_edges; i++)
		out[layers->edges[i].from].n++;
	for (uint32_t v = 0; v < layers->n; v++)
	{
		out[v].first = at;
		at += out[v].n;
		out[v].n = 0;
	}
	for (uint32_t i = 0; i < layers->n_edges; i++)
	{
		Out *of = &out[layers->edges[i].from];

		list[of->first + of->n++] = i;
	}
	return list;
}

enum
{
	UNSEEN,
	ON_PATH,
	DONE
};

static void
walk_from(PhLayers *layers, uint32_t start, const Out *out, const uint32_t *list, uint8_t *state,
		  uint32_t *stack, uint32_t *next)
{
	uint32_t depth = 0;

	stack[depth++] = start;
	state[start] = ON_PATH;
	while (depth > 0)
	{
		uint32_t v = stack[depth - 1];
		PhLayerEdge *edge;

		if (next[v] == out[v].n)
		{
			state[v] = DONE;
			depth--;
			continue;
		}
		edge = &layers->edges[list[out[v].first + next[v]++]];
		edge->is_back = state[edge->to] == ON_PATH;
		if (state[edge->to] == UNSEEN)
		{
			state[edge->to] = ON_PATH;
			stack[depth++] = edge->to;
		}
	}
}

/*
 * Marks the edges that close a cycle (is_back) by depth-first search: an edge to a box on the
 * current path. Searches start from the boxes that nobody calls, then, for cycles that cannot be
 * reached from there, from the heaviest box not seen yet. Heavy edges are followed first, so that
 * light ones are turned back.
 */
static void
break_cycles(PhArena *arena, PhLayers *layers)
{
	Out *out = ph_need(arena, layers->n, sizeof(Out));
	uint32_t *list = edges_by_start(arena, layers, out);
	uint8_t *state = ph_need(arena, layers->n, 1);
	uint32_t *stack = ph_need(arena, layers->n, sizeof(uint32_t));
	uint32_t *next = ph_need(arena, layers->n, sizeof(uint32_t));
	bool *called = ph_need(arena, layers->n, sizeof(bool));

	for (uint32_t i = 0; i < layers->n_edges; i++)
		if (layers->edges[i].from != layers->edges[i].to)
			called[layers->edges[i].to] = true;
	for (uint32_t v = 0; v < layers->n; v++)
		if (!called[v] && state[v] == UNSEEN)
			walk_from(layers, v, out, list, state, stack, next);
	for (;;)
	{
		uint32_t heaviest = UINT32_MAX;

		for (uint32_t v = 0; v < layers->n; v++)
			if (state[v] == UNSEEN && (heaviest == UINT32_MAX ||
									   layers->boxes[v].weight > layers->boxes[heaviest].weight))
				heaviest = v;
		if (heaviest == UINT32_MAX)
			break;
		walk_from(layers, heaviest, out, list, state, stack, next);
	}
}

static void
count_layers(PhLayers *layers)
{
	layers->n_layers = 0;
	for (uint32_t v = 0; v < layers->n; v++)
		if (layers->boxes[v].layer >= layers->n_layers)
			layers->n_layers = layers->boxes[v].layer + 1;
}

/*
 * A box's layer is the length of the longest path to it over edges that do not go back. Every round
 * moves ends of edges right of their starts until nothing moves; without back edges there is no
 * cycle, so n rounds suffice.
 */
static void
assign_layers(PhLayers *layers)
{
	bool moved = true;

	for (uint32_t round = 0; moved && round <= layers->n; round++)
	{
		moved = false;
		for (uint32_t i = 0; i < layers->n_edges; i++)
		{
			const PhLayerEdge *edge = &layers->edges[i];

			if (edge->is_back || layers->boxes[edge->to].layer > layers->boxes[edge->from].layer)
				continue;
			layers->boxes[edge->to].layer = layers->boxes[edge->from].layer + 1;
			moved = true;
		}
	}
	count_layers(layers);
}

/* One step further from the first layer; false: all that can be reached are placed. */
static bool
spread(PhLayers *layers, uint32_t distance)
{
	bool any = false;

	for (uint32_t i = 0; i < layers->n_edges; i++)
	{
		const PhLayerEdge *edge = &layers->edges[i];

		if (layers->boxes[edge->from].layer != distance ||
			layers->boxes[edge->to].layer != UINT32_MAX)
			continue;
		layers->boxes[edge->to].layer = distance + 1;
		any = true;
	}
	return any;
}

/*
 * Layers by the fewest calls from the first layer, whose boxes stay as longest paths have put them.
 * For graphs with dense cycles: what is left of them without back edges still has paths through
 * most boxes, and longest paths would make a layer of each. Edges that then do not go right are
 * drawn as going back.
 */
static void
assign_by_distance(PhLayers *layers)
{
	for (uint32_t v = 0; v < layers->n; v++)
		if (layers->boxes[v].layer > 0)
			layers->boxes[v].layer = UINT32_MAX;
	for (uint32_t distance = 0; spread(layers, distance); distance++)
		continue;
	for (uint32_t i = 0; i < layers->n_edges; i++)
		layers->edges[i].is_back =
			layers->boxes[layers->edges[i].to].layer <= layers->boxes[layers->edges[i].from].layer;
	count_layers(layers);
	layers->by_distance = true;
}

/* ---- items --------------------------------------------------------------------------------- */

static uint32_t
add_item(Work *work, uint32_t layer, double height)
{
	work->items = ph_need_room(work->arena, work->items, work->n_items, &work->room, sizeof(Item));
	work->items[work->n_items] = (Item){.layer = layer, .height = height};
	return work->n_items++;
}

static void
link_items(Work *work, uint32_t left, uint32_t right, double weight)
{
	Item *a = &work->items[left];
	Item *b = &work->items[right];

	a->right = ph_need_room(work->arena, a->right, a->n_right, &a->right_room, sizeof(uint32_t));
	a->right_weight = ph_need_room(work->arena, a->right_weight, a->n_right, &a->right_weight_room,
								   sizeof(double));
	a->right[a->n_right] = right;
	a->right_weight[a->n_right++] = weight;
	b->left = ph_need_room(work->arena, b->left, b->n_left, &b->left_room, sizeof(uint32_t));
	b->left_weight =
		ph_need_room(work->arena, b->left_weight, b->n_left, &b->left_weight_room, sizeof(double));
	b->left[b->n_left] = left;
	b->left_weight[b->n_left++] = weight;
}

/* Items 0 .. n-1 are the boxes; the bends of an edge follow one another. first: of every edge. */
static uint32_t *
make_items(Work *work)
{
	PhLayers *layers = work->layers;
	uint32_t *first = ph_need(work->arena, layers->n_edges, sizeof(uint32_t));
	uint32_t n_bends = 0;
	double most = 0;

	for (uint32_t v = 0; v < layers->n; v++)
		add_item(work, layers->boxes[v].layer, layers->boxes[v].height);
	for (uint32_t i = 0; i < layers->n_edges; i++)
		most = fmax(most, layers->edges[i].weight);
	for (uint32_t i = 0; i < layers->n_edges; i++)
	{
		PhLayerEdge *edge = &layers->edges[i];
		uint32_t to = layers->boxes[edge->to].layer;
		uint32_t before = edge->from;
		double weight = 0.02 + (most > 0 ? edge->weight / most : 0);

		first[i] = work->n_items;
		if (edge->is_back)
			continue;
		for (uint32_t l = layers->boxes[edge->from].layer + 1; l < to && n_bends < MOST_BENDS; l++)
		{
			uint32_t bend = add_item(work, l, BEND_HEIGHT);

			work->items[bend].is_bend = true;
			link_items(work, before, bend, weight);
			before = bend;
			edge->n_bends++;
			n_bends++;
		}
		link_items(work, before, edge->to, weight);
	}
	return first;
}

static void
make_orders(Work *work)
{
	uint32_t n = work->layers->n_layers;

	work->order = ph_need(work->arena, n, sizeof(uint32_t *));
	work->n_in = ph_need(work->arena, n, sizeof(uint32_t));
	for (uint32_t i = 0; i < work->n_items; i++)
		work->n_in[work->items[i].layer]++;
	for (uint32_t l = 0; l < n; l++)
	{
		work->order[l] = ph_need(work->arena, work->n_in[l], sizeof(uint32_t));
		work->n_in[l] = 0;
	}
	for (uint32_t i = 0; i < work->n_items; i++)
	{
		Item *item = &work->items[i];

		item->place = work->n_in[item->layer];
		work->order[item->layer][work->n_in[item->layer]++] = i;
	}
}

/* ---- orders -------------------------------------------------------------------------------- */

typedef struct Keyed
{
	double key;
	uint32_t place, item;
} Keyed;

static int
compare_keyed(const void *a, const void *b)
{
	const Keyed *left = a;
	const Keyed *right = b;

	if (left->key != right->key)
		return left->key < right->key ? -1 : 1;
	return left->place < right->place ? -1 : left->place > right->place;
}

static double
mean_place(const Work *work, const Item *item, bool from_left)
{
	uint32_t n = from_left ? item->n_left : item->n_right;
	const uint32_t *near = from_left ? item->left : item->right;
	const double *weight = from_left ? item->left_weight : item->right_weight;
	double sum = 0;
	double weights = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		const Item *other = &work->items[near[i]];

		sum += weight[i] * (other->place + 0.5) / work->n_in[other->layer];
		weights += weight[i];
	}
	return n > 0 ? sum / weights : (item->place + 0.5) / work->n_in[item->layer];
}

static void
order_layer(Work *work, uint32_t layer, bool from_left, Keyed *keyed)
{
	uint32_t n = work->n_in[layer];

	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t item = work->order[layer][i];

		keyed[i] = (Keyed){mean_place(work, &work->items[item], from_left), i, item};
	}
	qsort(keyed, n, sizeof(Keyed), compare_keyed);
	for (uint32_t i = 0; i < n; i++)
	{
		work->order[layer][i] = keyed[i].item;
		work->items[keyed[i].item].place = i;
	}
}

static void
order_all(Work *work)
{
	uint32_t n = work->layers->n_layers;
	Keyed *keyed = ph_need(work->arena, work->n_items, sizeof(Keyed));

	for (uint32_t sweep = 0; sweep < SWEEPS; sweep++)
		for (uint32_t i = 1; i < n; i++)
			order_layer(work, sweep % 2 ? n - 1 - i : i, sweep % 2 == 0, keyed);
}

/* ---- heights ------------------------------------------------------------------------------- */

/* A run of items that touch: they move together. */
typedef struct Pool
{
	double sum; /* of wanted tops, without what is above in the pool */
	uint32_t n;
} Pool;

/*
 * Places the items of a layer, in their order and with gaps, so that the squared distances from the
 * wanted places are least. With the room that items above take subtracted, this is isotonic
 * regression, solved by pooling adjacent violators: neighbours that would overlap become one pool
 * at the mean of their wishes, which is joined with the pool above as long as these two would
 * overlap. Linear in the number of items.
 */
static void
settle_layer(Work *work, uint32_t layer, Pool *pools)
{
	uint32_t n_pools = 0;
	uint32_t at = 0;
	double above = 0;

	for (uint32_t i = 0; i < work->n_in[layer]; i++)
	{
		Item *item = &work->items[work->order[layer][i]];

		item->key = above; /* room that those above it take */
		pools[n_pools++] = (Pool){item->wanted - item->height / 2 - above, 1};
		above += item->height + (item->is_bend ? BEND_GAP : work->gap);
		while (n_pools > 1 && pools[n_pools - 2].sum / pools[n_pools - 2].n >
								  pools[n_pools - 1].sum / pools[n_pools - 1].n)
		{
			n_pools--;
			pools[n_pools - 1].sum += pools[n_pools].sum;
			pools[n_pools - 1].n += pools[n_pools].n;
		}
	}
	for (uint32_t p = 0; p < n_pools; p++)
		for (uint32_t k = 0; k < pools[p].n; k++)
		{
			Item *item = &work->items[work->order[layer][at++]];

			item->y = pools[p].sum / pools[p].n + item->key + item->height / 2;
		}
}

static void
wish(Work *work, Item *item, bool from_left, bool from_right)
{
	double sum = 0;
	double weights = 0;

	for (uint32_t i = 0; from_left && i < item->n_left; i++)
	{
		sum += item->left_weight[i] * work->items[item->left[i]].y;
		weights += item->left_weight[i];
	}
	for (uint32_t i = 0; from_right && i < item->n_right; i++)
	{
		sum += item->right_weight[i] * work->items[item->right[i]].y;
		weights += item->right_weight[i];
	}
	item->wanted = weights > 0 ? sum / weights : item->y;
}

static void
settle_all(Work *work)
{
	uint32_t n = work->layers->n_layers;
	Pool *pools = ph_need(work->arena, work->n_items, sizeof(Pool));

	for (uint32_t l = 0; l < n; l++)
		settle_layer(work, l, pools);
	for (uint32_t sweep = 0; sweep < SETTLE; sweep++)
		for (uint32_t i = 0; i < n; i++)
		{
			uint32_t layer = sweep % 2 ? n - 1 - i : i;
			bool last = sweep + 2 >= SETTLE;

			for (uint32_t k = 0; k < work->n_in[layer]; k++)
				wish(work, &work->items[work->order[layer][k]], last || sweep % 2 == 0,
					 last || sweep % 2 == 1);
			settle_layer(work, layer, pools);
		}
}

/* ---- result -------------------------------------------------------------------------------- */

static void
place_columns(Work *work, double least, double *left, double *width)
{
	PhLayers *layers = work->layers;
	double sum = 0;
	double between;

	memset(width, 0, layers->n_layers * sizeof(double));
	for (uint32_t v = 0; v < layers->n; v++)
		width[layers->boxes[v].layer] = fmax(width[layers->boxes[v].layer], layers->boxes[v].width);
	for (uint32_t l = 0; l < layers->n_layers; l++)
		sum += width[l];
	between = layers->n_layers > 1 ? (least - sum) / (layers->n_layers - 1) : 0;
	between = fmax(between, LEAST_BETWEEN);
	layers->width = 0;
	for (uint32_t l = 0; l < layers->n_layers; l++)
	{
		left[l] = layers->width;
		layers->width += width[l] + (l + 1 < layers->n_layers ? between : 0);
	}
}

static void
take_over(Work *work, const uint32_t *first, const double *left, const double *width)
{
	PhLayers *layers = work->layers;
	double top = INFINITY;
	double bottom = -INFINITY;

	for (uint32_t i = 0; i < work->n_items; i++)
	{
		top = fmin(top, work->items[i].y - work->items[i].height / 2);
		bottom = fmax(bottom, work->items[i].y + work->items[i].height / 2);
	}
	layers->height = work->n_items > 0 ? bottom - top : 0;
	for (uint32_t v = 0; v < layers->n; v++)
	{
		layers->boxes[v].x = left[layers->boxes[v].layer];
		layers->boxes[v].column = width[layers->boxes[v].layer];
		layers->boxes[v].y = work->items[v].y - top;
	}
	for (uint32_t i = 0; i < layers->n_edges; i++)
	{
		PhLayerEdge *edge = &layers->edges[i];

		edge->bends = ph_need(work->arena, (size_t) edge->n_bends * 4 + 1, sizeof(double));
		for (uint32_t k = 0; k < edge->n_bends; k++)
		{
			const Item *bend = &work->items[first[i] + k];

			edge->bends[4 * k] = left[bend->layer];
			edge->bends[4 * k + 2] = left[bend->layer] + width[bend->layer];
			edge->bends[4 * k + 1] = edge->bends[4 * k + 3] = bend->y - top;
		}
		edge->n_bends *= 2;
	}
}

void
ph_layers_place(PhArena *arena, PhLayers *layers, double gap, double least)
{
	Work work = {.arena = arena, .layers = layers, .gap = gap};
	uint32_t *first;
	double *left;
	double *width;

	break_cycles(arena, layers);
	assign_layers(layers);
	if (layers->n_layers > MOST_LAYERS)
		assign_by_distance(layers);
	first = make_items(&work);
	make_orders(&work);
	order_all(&work);
	settle_all(&work);
	left = ph_need(arena, layers->n_layers, sizeof(double));
	width = ph_need(arena, layers->n_layers, sizeof(double));
	place_columns(&work, least, left, width);
	take_over(&work, first, left, width);
}

void
ph_edge_path(PhPath *path, const PhLayers *layers, const PhLayerEdge *edge, double offset,
			 PhBody where)
{
	const PhLayerBox *from = &layers->boxes[edge->from];
	const PhLayerBox *to = &layers->boxes[edge->to];
	double x = where.x + from->x + from->width;
	double y = where.y + from->y;
	double end_x = where.x + to->x;
	double end_y = where.y + to->y;

	ph_path_move(path, x, y);
	if (edge->is_back)
	{
		/* below the boxes and back to the left side of the target */
		double low = fmax(y + from->height / 2, end_y + to->height / 2) + 8;
		double bow = edge->from == edge->to ? 12 : 30;

		ph_path_curve(path, x + bow, y + 4, x + bow, low, (x + end_x) / 2, low);
		ph_path_curve(path, end_x - bow, low, end_x - bow, end_y + 4, end_x, end_y);
		return;
	}
	x = where.x + from->x + from->column; /* past the longer labels of the layer */
	ph_path_line(path, x, y);
	for (uint32_t i = 0; i <= edge->n_bends; i++)
	{
		bool last = i == edge->n_bends;
		double to_x = last ? end_x : where.x + edge->bends[2 * i];
		double to_y = last ? end_y : where.y + edge->bends[2 * i + 1] + offset;
		double half = (to_x - x) / 2;

		if (i % 2 == 1)
			ph_path_line(path, to_x, to_y); /* along a layer */
		else
			ph_path_curve(path, x + half, y + (i == 0 ? offset : 0), to_x - half,
						  to_y + (last ? offset : 0), to_x, to_y);
		x = to_x;
		y = to_y;
	}
}
