/*
 * sankey.c - see sankey.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/sankey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST SANKEY_MOST

/* ---- the plain layout ---- */

static const PhLayoutNode *plain_nodes;
static const PhLayoutEdge *plain_edges;

static int
compare_edges(const void *x, const void *y)
{
	const PhLayoutEdge *a = &plain_edges[*(const uint32_t *) x];
	const PhLayoutEdge *b = &plain_edges[*(const uint32_t *) y];
	int order = strcmp(plain_nodes[a->source].name, plain_nodes[b->source].name);
	return order != 0 ? order : strcmp(plain_nodes[a->target].name, plain_nodes[b->target].name);
}

static uint32_t
layers_between(const PhLayoutNode *nodes, const PhLayoutEdge *edge)
{
	return nodes[edge->target].level - nodes[edge->source].level - 1;
}

static uint32_t
add_dummy(PlainSankey *p, uint32_t layer, double value, double gap)
{
	uint32_t i = p->n_boxes++;
	if (i >= MOST)
		return MOST - 1;
	p->dummy[i] = true;
	p->layer[i] = layer;
	p->value[i] = value;
	p->gap[i] = gap;
	p->name[i] = NULL;
	return i;
}

static void
add_link(PlainSankey *p, uint32_t edge, uint32_t source, uint32_t target, double weight)
{
	if (p->n_links < MOST)
		p->links[p->n_links] = (PlainLink){edge, source, target, weight, 0, 0};
	p->n_links++;
}

/* Every edge with dummies of its own. */
static void
make_chains(const PhLayoutNode *nodes, const PhLayoutEdge *edges, uint32_t n_edges,
			const uint32_t *order, double gap, PlainSankey *p)
{
	for (uint32_t i = 0; i < n_edges; i++)
	{
		const PhLayoutEdge *edge = &edges[order[i]];
		uint32_t at = edge->source;
		for (uint32_t k = layers_between(nodes, edge); k > 0; k--)
		{
			uint32_t next = add_dummy(p, nodes[edge->target].level - k, edge->weight, gap);
			add_link(p, order[i], at, next, edge->weight);
			at = next;
		}
		add_link(p, order[i], at, edge->target, edge->weight);
	}
}

/* Bars by name; a dummy is what all edges to a bar that pass its layer weigh. */
static void
make_shared(const PhLayoutNode *nodes, uint32_t n_nodes, const PhLayoutEdge *edges,
			uint32_t n_edges, const uint32_t *order, double gap, PlainSankey *p)
{
	static uint32_t dummy[MOST][MOST];
	memset(dummy, 0, sizeof(dummy));
	for (uint32_t k = 0; k < n_nodes; k++)
	{
		uint32_t bar = 0;
		for (uint32_t i = 0, before; i < n_nodes; i++)
		{
			before = 0;
			for (uint32_t other = 0; other < n_nodes; other++)
				before += strcmp(nodes[other].name, nodes[i].name) < 0 ? 1 : 0;
			bar = before == k ? i : bar;
		}
		for (uint32_t layer = 0; layer < nodes[bar].level; layer++)
		{
			double value = 0;
			bool passes = false;
			for (uint32_t i = 0; i < n_edges; i++)
				if (edges[i].target == bar && nodes[edges[i].source].level < layer)
				{
					passes = true;
					value += edges[i].weight;
				}
			if (passes)
				dummy[bar][layer] = add_dummy(p, layer, value, gap);
		}
	}
	for (uint32_t i = 0; i < n_edges; i++)
	{
		const PhLayoutEdge *edge = &edges[order[i]];
		uint32_t next = dummy[edge->target][nodes[edge->source].level + 1];
		add_link(p, order[i], edge->source, next != 0 ? next : edge->target, edge->weight);
	}
	for (uint32_t at = n_nodes, end = p->n_boxes; at < end && end <= MOST; at++)
		for (uint32_t bar = 0; bar < n_nodes; bar++)
			if (dummy[bar][p->layer[at]] == at)
			{
				uint32_t next = dummy[bar][p->layer[at] + 1];
				add_link(p, 0, at, next != 0 ? next : bar, p->value[at]);
			}
}

static bool
make_boxes(const PhLayoutNode *nodes, uint32_t n_nodes, const PhLayoutEdge *edges, uint32_t n_edges,
		   const PhLayoutOptions *options, PlainSankey *p)
{
	uint32_t order[MOST], n_dummies = 0;
	p->n_boxes = n_nodes;
	p->n_links = p->n_layers = 0;
	for (uint32_t i = 0; i < n_nodes; i++)
	{
		p->dummy[i] = false;
		p->layer[i] = nodes[i].level;
		p->value[i] = nodes[i].value;
		p->gap[i] = options->gap;
		p->name[i] = nodes[i].name;
		p->n_layers = nodes[i].level >= p->n_layers ? nodes[i].level + 1 : p->n_layers;
	}
	for (uint32_t i = 0; i < n_edges; i++)
	{
		order[i] = i;
		n_dummies += layers_between(nodes, &edges[i]);
	}
	plain_nodes = nodes;
	plain_edges = edges;
	qsort(order, n_edges, sizeof(order[0]), compare_edges);
	p->is_shared = n_dummies > options->most_dummies;
	if (p->is_shared)
		make_shared(nodes, n_nodes, edges, n_edges, order, options->dummy_gap, p);
	else
		make_chains(nodes, edges, n_edges, order, options->dummy_gap, p);
	return p->n_boxes <= MOST && p->n_links <= MOST;
}

static double
all_crossings(const PlainSankey *p)
{
	double sum = 0;
	for (uint32_t i = 0; i < p->n_links; i++)
		for (uint32_t k = 0; k < p->n_links; k++)
		{
			const PlainLink *a = &p->links[i], *b = &p->links[k];
			if (p->layer[a->source] == p->layer[b->source] &&
				p->position[a->source] < p->position[b->source] &&
				p->position[a->target] > p->position[b->target])
				sum += a->weight * b->weight;
		}
	return sum;
}

/* Position = how many boxes of the layer come before. */
typedef bool (*Before)(const PlainSankey *p, const double *centre, uint32_t x, uint32_t y);

static bool
starts_before(const PlainSankey *p, const double *centre, uint32_t x, uint32_t y)
{
	(void) centre;
	if (p->value[x] != p->value[y])
		return p->value[x] > p->value[y];
	if (p->dummy[x] != p->dummy[y])
		return p->dummy[y];
	return p->dummy[x] ? x < y : strcmp(p->name[x], p->name[y]) < 0;
}

static bool
centred_before(const PlainSankey *p, const double *centre, uint32_t x, uint32_t y)
{
	return centre[x] != centre[y] ? centre[x] < centre[y] : p->position[x] < p->position[y];
}

static void
rank_layer(PlainSankey *p, uint32_t layer, Before before, const double *centre)
{
	uint32_t position[MOST];
	for (uint32_t x = 0; x < p->n_boxes; x++)
	{
		position[x] = 0;
		for (uint32_t y = 0; y < p->n_boxes; y++)
			if (y != x && p->layer[y] == p->layer[x] && before(p, centre, y, x))
				position[x]++;
	}
	for (uint32_t x = 0; x < p->n_boxes; x++)
		if (p->layer[x] == layer)
			p->position[x] = position[x];
}

static void
sweep(PlainSankey *p, bool forward)
{
	for (uint32_t i = 1; i < p->n_layers; i++)
	{
		uint32_t layer = forward ? i : p->n_layers - 1 - i;
		double centre[MOST];
		for (uint32_t x = 0; x < p->n_boxes; x++)
		{
			double weight = 0, sum = 0;
			for (uint32_t k = 0; k < p->n_links; k++)
			{
				const PlainLink *l = &p->links[k];
				if ((forward ? l->target : l->source) != x)
					continue;
				weight += l->weight;
				sum += l->weight * p->position[forward ? l->source : l->target];
			}
			centre[x] = weight > 0 ? sum / weight : p->position[x];
		}
		rank_layer(p, layer, centred_before, centre);
	}
}

static uint32_t
box_at(const PlainSankey *p, uint32_t layer, uint32_t position)
{
	for (uint32_t x = 0; x < p->n_boxes; x++)
		if (p->layer[x] == layer && p->position[x] == position)
			return x;
	return UINT32_MAX;
}

static void
exchange(PlainSankey *p)
{
	double now = all_crossings(p);
	for (bool again = true; again;)
	{
		again = false;
		for (uint32_t layer = 0; layer < p->n_layers; layer++)
			for (uint32_t at = 0; box_at(p, layer, at + 1) != UINT32_MAX; at++)
			{
				uint32_t above = box_at(p, layer, at), below = box_at(p, layer, at + 1);
				p->position[above] = at + 1;
				p->position[below] = at;
				double then = all_crossings(p);
				if (then < now)
				{
					now = then;
					again = true;
					continue;
				}
				p->position[above] = at;
				p->position[below] = at + 1;
			}
	}
	p->crossings = now;
}

static void
order_boxes(PlainSankey *p, uint32_t sweeps)
{
	uint32_t best[MOST];
	for (uint32_t layer = 0; layer < p->n_layers; layer++)
		rank_layer(p, layer, starts_before, NULL);
	double least = p->crossings_first = all_crossings(p);
	memcpy(best, p->position, sizeof(best));
	for (uint32_t i = 0; i < sweeps; i++)
	{
		sweep(p, i % 2 == 0);
		if (all_crossings(p) >= least)
			continue;
		least = all_crossings(p);
		memcpy(best, p->position, sizeof(best));
	}
	memcpy(p->position, best, sizeof(best));
	exchange(p);
}

static void
set_scale(PlainSankey *p, const PhLayoutOptions *options)
{
	p->scale = INFINITY;
	p->height = options->height;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t layer = 0; layer < p->n_layers; layer++)
		{
			double gaps = 0, values = 0;
			for (uint32_t x = 0; x < p->n_boxes; x++)
				if (p->layer[x] == layer)
				{
					gaps += p->gap[x];
					values += p->value[x];
				}
			if (pass == 0)
				p->height = fmax(p->height, gaps + options->height / 10);
			else if (values > 0)
				p->scale = fmin(p->scale, (p->height - gaps) / values);
		}
	if (!isfinite(p->scale))
		p->scale = 1;
}

static void
set_ports(PlainSankey *p)
{
	for (uint32_t i = 0; i < p->n_links; i++)
	{
		PlainLink *a = &p->links[i];
		for (uint32_t k = 0; k < p->n_links; k++)
		{
			const PlainLink *b = &p->links[k];
			uint32_t a_to = p->position[a->target], b_to = p->position[b->target];
			uint32_t a_from = p->position[a->source], b_from = p->position[b->source];
			if (b->source == a->source && (b_to < a_to || (b_to == a_to && k < i)))
				a->source_port += b->weight * p->scale;
			if (b->target == a->target && (b_from < a_from || (b_from == a_from && k < i)))
				a->target_port += b->weight * p->scale;
		}
	}
}

static double
plain_objective(const PlainSankey *p)
{
	double sum = 0;
	for (uint32_t i = 0; i < p->n_links; i++)
	{
		const PlainLink *l = &p->links[i];
		double dy = p->y[l->source] + l->source_port - p->y[l->target] - l->target_port;
		sum += l->weight * dy * dy;
	}
	return sum;
}

/* Isotonic regression as max over starts of min over ends of the mean between (all weigh > 0). */
static void
settle_layer(PlainSankey *p, uint32_t layer)
{
	double wanted[MOST], weight[MOST], offset[MOST], taken = 0, z[MOST];
	uint32_t box[MOST], n = 0;
	for (uint32_t x; (x = box_at(p, layer, n)) != UINT32_MAX; n++)
	{
		double sum = 0;
		taken += p->gap[x];
		offset[n] = taken;
		taken += p->value[x] * p->scale;
		weight[n] = 0;
		for (uint32_t i = 0; i < p->n_links; i++)
		{
			const PlainLink *l = &p->links[i];
			if (l->source == x)
				sum += l->weight * (p->y[l->target] + l->target_port - l->source_port - offset[n]);
			if (l->target == x)
				sum += l->weight * (p->y[l->source] + l->source_port - l->target_port - offset[n]);
			weight[n] += l->source == x || l->target == x ? l->weight : 0;
		}
		box[n] = x;
		wanted[n] = weight[n] > 0 ? sum / weight[n] : p->y[x] - offset[n];
		weight[n] = weight[n] > 0 ? weight[n] : 1e-13;
	}
	for (uint32_t i = 0; i < n; i++)
	{
		z[i] = -INFINITY;
		for (uint32_t from = 0; from <= i; from++)
		{
			double least = INFINITY, w = 0, sum = 0;
			for (uint32_t to = from; to < n; to++)
			{
				w += weight[to];
				sum += weight[to] * wanted[to];
				least = to >= i ? fmin(least, sum / w) : least;
			}
			z[i] = fmax(z[i], least);
		}
	}
	for (uint32_t i = 0; i < n; i++)
		p->y[box[i]] = offset[i] + fmin(fmax(z[i], 0), fmax(p->height - taken, 0));
}

static void
settle(PlainSankey *p)
{
	double was[MOST], moved = INFINITY;
	for (uint32_t layer = 0; layer < p->n_layers; layer++)
	{
		double y = 0;
		for (uint32_t at = 0, x; (x = box_at(p, layer, at)) != UINT32_MAX; at++)
		{
			p->y[x] = y + p->gap[x];
			y = p->y[x] + p->value[x] * p->scale;
		}
		for (uint32_t x = 0; p->is_shared && x < p->n_boxes; x++)
			p->y[x] += p->layer[x] == layer ? (p->height - y) / 2 : 0;
	}
	for (int i = 0; i < 200 && moved >= 0.01; i++)
	{
		memcpy(was, p->y, sizeof(was));
		for (uint32_t layer = 0; layer < p->n_layers; layer++)
			settle_layer(p, i % 2 == 0 ? layer : p->n_layers - 1 - layer);
		moved = 0;
		for (uint32_t x = 0; x < p->n_boxes; x++)
			moved = fmax(moved, fabs(p->y[x] - was[x]));
	}
	p->objective = plain_objective(p);
}

bool
plain_sankey(const PhLayoutNode *nodes, uint32_t n_nodes, const PhLayoutEdge *edges,
			 uint32_t n_edges, const PhLayoutOptions *options, PlainSankey *out)
{
	if (n_nodes > MOST || n_edges > MOST)
		return false;
	memset(out, 0, sizeof(*out));
	if (!make_boxes(nodes, n_nodes, edges, n_edges, options, out))
		return false;
	order_boxes(out, options->sweeps);
	set_scale(out, options);
	set_ports(out);
	settle(out);
	return true;
}

/* ---- invariants ---- */

static double
weight_of(const PhLayout *layout, const PhLayoutBand *band, const PhLayoutEdge *edges)
{
	bool shared = band->edge == PH_LAYOUT_SHARED;
	return shared ? layout->boxes[band->source].value : edges[band->edge].weight;
}

double
count_crossings(const PhLayout *layout, const PhLayoutEdge *edges)
{
	double sum = 0;
	for (uint32_t i = 0; i < layout->n_bands; i++)
		for (uint32_t k = 0; k < layout->n_bands; k++)
		{
			const PhLayoutBand *a = &layout->bands[i], *b = &layout->bands[k];
			const PhLayoutBox *boxes = layout->boxes;
			if (boxes[a->source].level == boxes[b->source].level &&
				boxes[a->source].order < boxes[b->source].order &&
				boxes[a->target].order > boxes[b->target].order)
				sum += weight_of(layout, a, edges) * weight_of(layout, b, edges);
		}
	return sum;
}

static bool
is_close(double x, double y, double scale)
{
	return fabs(x - y) <= 1e-6 * fmax(1, scale);
}

static const char *
check_boxes(const PhLayout *l, const PhLayoutNode *nodes, uint32_t n_nodes,
			const PhLayoutOptions *options)
{
	for (uint32_t i = 0; i < l->n_boxes; i++)
	{
		const PhLayoutBox *a = &l->boxes[i];
		if (a->dummy != (i >= n_nodes) ||
			(!a->dummy && (a->level != nodes[i].level || a->value != nodes[i].value)))
			return "boxes are the nodes, then the dummies";
		if (!is_close(a->height, a->value * l->scale, l->height))
			return "L3: height = scale * value";
		if (a->y < -1e-6 || a->y + a->height > l->height * (1 + 1e-9) + 1e-6 || a->x < 0 ||
			a->x + a->width > l->width * (1 + 1e-9))
			return "L6: inside the canvas";
		if (a->order == 0 && a->y + 1e-6 < (a->dummy ? options->dummy_gap : options->gap))
			return "L2: gap above the first";
		for (uint32_t k = 0; k < l->n_boxes; k++)
		{
			const PhLayoutBox *b = &l->boxes[k];
			double gap = b->dummy ? options->dummy_gap : options->gap;
			if (b->level == a->level + 1 &&
				b->x < a->x + options->bar_width + options->min_gap_x - 1e-6)
				return "L1: layers rise in x";
			if (b->level == a->level && k != i && b->order == a->order)
				return "two boxes in one place";
			if (b->level == a->level && b->order == a->order + 1 &&
				b->y + 1e-6 < a->y + a->height + gap)
				return "L2: no overlap, gaps kept";
		}
	}
	return "";
}

/* Band by band from the caller to the callee, or to where other edges to the callee join. */
static const char *
check_chains(const PhLayout *l, const PhLayoutEdge *edges, uint32_t n_edges)
{
	static bool joined[100000];
	uint32_t edge = 0;
	memset(joined, 0, l->n_boxes * sizeof(joined[0]));
	for (uint32_t i = 0; i < l->n_bands; i++)
		if (l->bands[i].edge == PH_LAYOUT_SHARED)
			joined[l->bands[i].source] = true;
	for (uint32_t i = 0; i < l->n_bands; i++)
	{
		const PhLayoutBand *band = &l->bands[i];
		bool shared = band->edge == PH_LAYOUT_SHARED;
		bool first = i == 0 || band[-1].edge != band->edge;
		bool last = shared || i + 1 == l->n_bands || band[1].edge != band->edge;
		if (!shared && (band->edge != edge || band->bar != edges[edge].target ||
						(first && band->source != edges[edge].source) ||
						(!first && band[-1].target != band->source)))
			return "bands follow their edges";
		if (last && band->target != band->bar && !joined[band->target])
			return "bands end at their bar, or where they join";
		edge += last && !shared ? 1 : 0;
	}
	return edge == n_edges ? "" : "every edge has bands";
}

static const char *
check_bands(const PhLayout *l)
{
	static double in[100000], out[100000];
	memset(in, 0, l->n_boxes * sizeof(double));
	memset(out, 0, l->n_boxes * sizeof(double));
	for (uint32_t i = 0; i < l->n_bands; i++)
	{
		const PhLayoutBand *band = &l->bands[i];
		const PhLayoutBox *source = &l->boxes[band->source], *target = &l->boxes[band->target];
		if (target->level != source->level + 1 || band->x0 != source->x + source->width ||
			band->x1 != target->x)
			return "bands join neighbouring layers";
		if (band->y0 < source->y - 1e-6 ||
			band->y0 + band->thickness > source->y + source->height + 1e-6 ||
			band->y1 < target->y - 1e-6 ||
			band->y1 + band->thickness > target->y + target->height + 1e-6)
			return "L4: bands end within the bars";
		out[band->source] += band->thickness;
		in[band->target] += band->thickness;
	}
	for (uint32_t i = 0; i < l->n_boxes; i++)
		if (l->boxes[i].dummy && (!is_close(in[i], l->boxes[i].height, l->height) ||
								  !is_close(out[i], l->boxes[i].height, l->height)))
			return "L5: a dummy's in = out = height";
	return "";
}

const char *
check_layout(const PhLayout *layout, const PhLayoutNode *nodes, uint32_t n_nodes,
			 const PhLayoutEdge *edges, uint32_t n_edges, const PhLayoutOptions *options)
{
	const char *wrong = check_boxes(layout, nodes, n_nodes, options);
	if (wrong[0] == '\0')
		wrong = check_chains(layout, edges, n_edges);
	if (wrong[0] == '\0')
		wrong = check_bands(layout);
	if (wrong[0] != '\0')
		return wrong;
	for (uint32_t i = 0; i < layout->n_sweeps; i++)
		if (layout->objective[i + 1] > layout->objective[i])
			return "L7: the objective never rises";
	if (layout->crossings > layout->crossings_first)
		return "L7: crossings never above the start";
	return "";
}
