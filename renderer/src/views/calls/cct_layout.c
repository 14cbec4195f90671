/*
 * cct_layout.c - rows of a call tree to boxes, and their places: as a tree or in rings.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "views/calls/cct.h"

#define LARGEST 46.0	  /* side of the largest box */
#define MOST_OTHERS 0.25  /* side of a sum: it stands there, it does not stand out */
#define LEAST 3.0		  /* of the smallest */
#define NAMED_BAND 14.0	  /* height of a leaf's band with room for a name */
#define BARE_BAND 3.0	  /* the same without */
#define MOST_NAMED 6000.0 /* a tree that would be higher with names has none for small leaves */
#define ROOT_GAP 8.0	  /* between trees of a forest */
#define NAME_GAP 110.0	  /* between levels, with room for a name */
#define MOST_GAP 230.0
#define LEAST_GAP 16.0
#define LEAF_NAME 190.0 /* right of the last level */
#define LEAST_RING 34.0
#define RING_AIR 6.0
#define NAME_BESIDE 175.0 /* room for names left and right of the rings */
#define NAME_ABOVE 12.0

bool
ph_cct_color_parse(const char *name, PhCctColor *out)
{
	static const struct
	{
		const char *name;
		PhCctColor color;
	} names[] = {{"max", PH_CCT_MAX},
				 {"min", PH_CCT_MIN},
				 {"mean", PH_CCT_MEAN},
				 {"exclusive", PH_CCT_MEAN},
				 {"imbalance", PH_CCT_IMBALANCE},
				 {"inclusive", PH_CCT_INCLUSIVE},
				 {"module", PH_CCT_MODULE}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i].name) == 0)
		{
			*out = names[i].color;
			return true;
		}
	return false;
}

/* ---- rows to nodes ------------------------------------------------------------------------- */

static double
or_zero(double value)
{
	return isnan(value) ? 0 : value;
}

static double
ratio(double max, double mean)
{
	return mean > 0 ? max / mean : NAN;
}

static double
color_number(const PhCct *cct, const PhTable *table, uint32_t row, const PhCctNode *node,
			 PhCctColor color, bool other)
{
	double min = other ? ph_table_number(table, row, "color_min") : node->min;
	double max = other ? ph_table_number(table, row, "color_max") : node->max;
	double mean = other ? ph_table_number(table, row, "color_mean") : node->mean;

	switch (color)
	{
		case PH_CCT_MAX:
			return max;
		case PH_CCT_MIN:
			return min;
		case PH_CCT_MEAN:
			return mean;
		case PH_CCT_IMBALANCE:
			if (cct->is_one_column)
				return other ? NAN : ph_table_number(table, row, "file_ratio");
			return ratio(max, mean);
		case PH_CCT_INCLUSIVE:
			return node->inclusive;
		case PH_CCT_MODULE:
			break;
	}
	return NAN;
}

/* A parent comes before its children; a row that says otherwise is a root. */
static void
read_node(PhCct *cct, const PhTable *table, uint32_t row, PhCctColor color, bool other)
{
	PhCctNode *node = &cct->nodes[row];
	double parent = ph_table_number(table, row, "parent");

	node->node = ph_table_text(table, row, "node");
	node->name = ph_table_text(table, row, "name");
	node->module = ph_table_text(table, row, "module");
	node->worst = ph_table_text(table, row, "max_column");
	node->min = fmax(or_zero(ph_table_number(table, row, "min")), 0);
	node->max = fmax(or_zero(ph_table_number(table, row, "max")), node->min);
	node->mean = or_zero(ph_table_number(table, row, "mean"));
	node->inclusive = or_zero(ph_table_number(table, row, "inclusive"));
	node->matches = ph_table_true(table, row, "match");
	node->n_others = (uint32_t) or_zero(ph_table_number(table, row, "others"));
	node->others_cost = or_zero(ph_table_number(table, row, "absorbed"));
	node->color = color_number(cct, table, row, node, color, other);
	node->is_leaf = true;
	node->parent = PH_CCT_NO_PARENT;
	if (node->name == NULL)
		node->name = "";
	if (parent >= 0 && parent < row)
	{
		node->parent = (uint32_t) parent;
		node->depth = cct->nodes[node->parent].depth + 1;
		cct->nodes[node->parent].is_leaf = false;
	}
	if (node->depth >= cct->n_levels)
		cct->n_levels = node->depth + 1;
	cct->n_matches += node->matches;
	cct->most = fmax(cct->most, node->max);
}

void
ph_cct_read(PhArena *arena, const PhViewRows *rows, PhCctColor color, bool other_metric, PhCct *out)
{
	const PhTable *table = ph_rows_table(rows, "tree");

	memset(out, 0, sizeof(*out));
	out->n = ph_rows_count(table);
	out->nodes = ph_need(arena, out->n, sizeof(PhCctNode));
	out->has_highlights = ph_rows_table(rows, "highlight") != NULL;
	/* one column is as balanced as can be and says nothing, but its file may */
	out->is_one_column = ph_table_number(ph_rows_table(rows, "columns"), 0, "n") <= 1;
	for (uint32_t row = 0; row < out->n; row++)
		read_node(out, table, row, color, other_metric);
}

static double
total_cost(const PhCct *cct)
{
	double total = 0;

	for (uint32_t i = 0; i < cct->n; i++)
		if (cct->nodes[i].parent == PH_CCT_NO_PARENT)
			total += cct->nodes[i].inclusive;
	return total;
}

/* A child that is left out, with all below it; its parent may be left out, too. */
static void
count_other(PhCctNode *parent, const PhCctNode *node)
{
	parent->n_others += 1 + node->n_others;
	parent->others_cost += node->inclusive;
}

/*
 * Leaves out nodes whose inclusive cost is under a share of the total. Kept whatever they cost are
 * matches, what leads to a kept node, and roots that have cost. Nodes that stay move to the front
 * of the array in the same order, and those whose children all go become leaves.
 */
void
ph_cct_prune(PhArena *arena, PhCct *cct, double share)
{
	uint32_t *place = ph_need(arena, cct->n, sizeof(uint32_t));
	bool *keep = ph_need(arena, cct->n, sizeof(bool));
	double least = share * total_cost(cct);
	uint32_t n = 0;

	for (uint32_t i = cct->n; i-- > 0;)
	{
		const PhCctNode *node = &cct->nodes[i];

		keep[i] = keep[i] || node->inclusive >= least || node->matches ||
				  (node->parent == PH_CCT_NO_PARENT && node->inclusive > 0);
		if (node->parent == PH_CCT_NO_PARENT)
			continue;
		if (keep[i])
			keep[node->parent] = true;
		else
			count_other(&cct->nodes[node->parent], node);
	}
	for (uint32_t i = 0; i < cct->n; i++)
	{
		PhCctNode node = cct->nodes[i];

		if (!keep[i])
			continue;
		place[i] = n;
		node.is_leaf = true;
		if (node.parent != PH_CCT_NO_PARENT)
		{
			node.parent = place[node.parent];
			cct->nodes[node.parent].is_leaf = false;
		}
		cct->nodes[n++] = node;
	}
	cct->n_pruned = 0;
	cct->n = n;
	cct->n_levels = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		cct->n_pruned += cct->nodes[i].n_others;
		if (cct->nodes[i].depth >= cct->n_levels)
			cct->n_levels = cct->nodes[i].depth + 1;
	}
}

/* The nodes of a tree on their way to a larger one. */
typedef struct Growing
{
	PhCct *cct;
	double least; /* cost of others that get a node */
	PhCctNode *nodes;
	uint32_t n;
	uint32_t *open; /* by depth: the last node, in nodes */
	uint32_t n_open;
} Growing;

/* Ends subtrees at this depth and below: others come behind all children. */
static void
close_subtrees(PhArena *arena, Growing *to, uint32_t depth)
{
	while (to->n_open > depth)
	{
		uint32_t parent = to->open[--to->n_open];
		PhCctNode *above = &to->nodes[parent];
		double side = fmin(above->others_cost, to->cct->most * MOST_OTHERS);

		if (above->n_others == 0 || !(above->others_cost > 0) || above->others_cost < to->least)
			continue;
		above->is_leaf = false;
		to->nodes[to->n++] =
			(PhCctNode){.name = ph_need_format(arena, "%u other%s", above->n_others,
											   above->n_others == 1 ? "" : "s"),
						.parent = parent,
						.depth = above->depth + 1,
						.is_leaf = true,
						.is_others = true,
						.n_others = above->n_others,
						.min = side,
						.max = side,
						.inclusive = above->others_cost,
						.color = NAN};
	}
}

void
ph_cct_add_others(PhArena *arena, PhCct *cct, double share)
{
	uint32_t *place = ph_need(arena, cct->n, sizeof(uint32_t));
	Growing to = {.cct = cct,
				  .least = share * total_cost(cct),
				  .nodes = ph_need(arena, 2 * (size_t) cct->n, sizeof(PhCctNode)),
				  .open = ph_need(arena, cct->n_levels, sizeof(uint32_t))};

	for (uint32_t i = 0; i < cct->n; i++)
	{
		PhCctNode node = cct->nodes[i];

		close_subtrees(arena, &to, node.depth);
		if (node.parent != PH_CCT_NO_PARENT)
			node.parent = place[node.parent];
		place[i] = to.open[to.n_open++] = to.n;
		to.nodes[to.n++] = node;
	}
	close_subtrees(arena, &to, 0);
	cct->nodes = to.nodes;
	cct->n = to.n;
	for (uint32_t i = 0; i < cct->n; i++)
		if (cct->nodes[i].depth >= cct->n_levels)
			cct->n_levels = cct->nodes[i].depth + 1;
}

static void
size_boxes(PhCct *cct, double largest, double least)
{
	cct->scale = cct->most > 0 ? largest / cct->most : 0;
	for (uint32_t i = 0; i < cct->n; i++)
	{
		cct->nodes[i].width = fmax(cct->nodes[i].max * cct->scale, least);
		cct->nodes[i].height = fmax(cct->nodes[i].min * cct->scale, least);
	}
}

/* ---- tree ---------------------------------------------------------------------------------- */

/*
 * The height of the horizontal band that each subtree gets: that of its children's bands together,
 * but not less than its own box or a leaf's band needs. Children come before parents. Returns the
 * height of all roots' bands with the gaps between them.
 */
static double
stack_bands(PhCct *cct, double leaf_band)
{
	double total = 0;

	for (uint32_t i = 0; i < cct->n; i++)
		cct->nodes[i].band_height = 0;
	for (uint32_t i = cct->n; i-- > 0;)
	{
		PhCctNode *node = &cct->nodes[i];

		node->band_height = fmax(fmax(node->band_height, leaf_band), node->height + 2);
		if (node->parent == PH_CCT_NO_PARENT)
			total += node->band_height + ROOT_GAP;
		else
			cct->nodes[node->parent].band_height += node->band_height;
	}
	return total - ROOT_GAP;
}

/* Bands inside their parents', in order; what a parent needs beyond its children is around them. */
static void
place_bands(PhArena *arena, PhCct *cct)
{
	double *next = ph_need(arena, cct->n, sizeof(double));
	double *inside = ph_need(arena, cct->n, sizeof(double)); /* sum of the children's heights */
	double bottom = 0;

	for (uint32_t i = 0; i < cct->n; i++)
		if (cct->nodes[i].parent != PH_CCT_NO_PARENT)
			inside[cct->nodes[i].parent] += cct->nodes[i].band_height;
	for (uint32_t i = 0; i < cct->n; i++)
	{
		PhCctNode *node = &cct->nodes[i];
		double *y = node->parent == PH_CCT_NO_PARENT ? &bottom : &next[node->parent];

		node->band_y = *y;
		*y += node->band_height + (node->parent == PH_CCT_NO_PARENT ? ROOT_GAP : 0);
		next[i] = node->band_y + (node->band_height - inside[i]) / 2;
		node->y = node->band_y + (node->band_height - node->height) / 2;
	}
}

/* Left sides of the levels; returns the right end with names. */
static double
place_levels(PhArena *arena, PhCct *cct, double wanted_width, bool fixed)
{
	double *widest = ph_need(arena, cct->n_levels, sizeof(double));
	double boxes = 0;
	double gap = MOST_GAP;
	double x = 0;

	for (uint32_t i = 0; i < cct->n; i++)
		widest[cct->nodes[i].depth] = fmax(widest[cct->nodes[i].depth], cct->nodes[i].width);
	for (uint32_t level = 0; level < cct->n_levels; level++)
		boxes += widest[level];
	if (cct->n_levels > 1)
		gap = (wanted_width - LEAF_NAME - boxes) / (cct->n_levels - 1);
	gap = fmin(fmax(gap, fixed ? LEAST_GAP : NAME_GAP), MOST_GAP);
	cct->column_x = ph_need(arena, (size_t) cct->n_levels + 1, sizeof(double));
	for (uint32_t level = 0; level < cct->n_levels; level++)
	{
		cct->column_x[level] = x;
		x += widest[level] + gap;
	}
	for (uint32_t i = 0; i < cct->n; i++)
		cct->nodes[i].x = cct->column_x[cct->nodes[i].depth];
	return x - gap + LEAF_NAME;
}

void
ph_cct_place_tree(PhArena *arena, PhCct *cct, double wanted_width, bool fixed)
{
	double height;

	size_boxes(cct, LARGEST, LEAST);
	height = stack_bands(cct, NAMED_BAND);
	if (height > MOST_NAMED)
		height = stack_bands(cct, BARE_BAND);
	place_bands(arena, cct);
	cct->width = fmax(place_levels(arena, cct, wanted_width, fixed), wanted_width);
	cct->column_x[cct->n_levels] = cct->width;
	cct->height = fmax(height, 0);
}

/* ---- rings --------------------------------------------------------------------------------- */

static double
diagonal(const PhCctNode *node)
{
	return hypot(node->width, node->height) + RING_AIR;
}

/*
 * weight[i]: the angle that the subtree of node i needs, in units of length on a ring of radius 1
 * when rings are one unit apart. A box needs its diagonal (so that it may be turned any way)
 * divided by its ring's radius; a parent needs as much as its children together.
 */
static void
weigh(PhCct *cct, double *weight, double first_ring)
{
	for (uint32_t i = cct->n; i-- > 0;)
	{
		const PhCctNode *node = &cct->nodes[i];
		double ring = node->depth + first_ring;

		if (ring > 0) /* the middle has room for any box */
			weight[i] = fmax(weight[i], diagonal(node) / ring);
		if (node->parent != PH_CCT_NO_PARENT)
			weight[node->parent] += weight[i];
	}
}

static void
place_angles(PhArena *arena, PhCct *cct, const double *weight, double total)
{
	double *next = ph_need(arena, cct->n, sizeof(double));
	double *inside = ph_need(arena, cct->n, sizeof(double));
	double end = 0;

	for (uint32_t i = 0; i < cct->n; i++)
		if (cct->nodes[i].parent != PH_CCT_NO_PARENT)
			inside[cct->nodes[i].parent] += weight[i];
	for (uint32_t i = 0; i < cct->n; i++)
	{
		PhCctNode *node = &cct->nodes[i];
		double *from = node->parent == PH_CCT_NO_PARENT ? &end : &next[node->parent];

		node->angle = 2 * M_PI * (*from + weight[i] / 2) / total;
		next[i] = *from + (weight[i] - inside[i]) / 2;
		*from += weight[i];
	}
}

/*
 * The distance of rings at which no boxes touch. A node on ring r gets the share weight / total of
 * the circle, so an arc of at least 2 pi * distance * diagonal / total; the chord of an arc is at
 * least 2 / pi of it. That is no less than the diagonal when the distance is total / 4. The
 * distance is not under any diagonal either, which keeps boxes of neighbouring rings apart.
 */
static double
ring_distance(const PhCct *cct, double total)
{
	double distance = fmax(LEAST_RING, total / 4);

	for (uint32_t i = 0; i < cct->n; i++)
		distance = fmax(distance, diagonal(&cct->nodes[i]));
	return distance;
}

/* Cuts off what is empty around the boxes. */
static void
crop(PhCct *cct)
{
	double left = INFINITY;
	double right = -INFINITY;
	double top = INFINITY;
	double bottom = -INFINITY;

	for (uint32_t i = 0; i < cct->n; i++)
	{
		const PhCctNode *node = &cct->nodes[i];

		left = fmin(left, node->x);
		right = fmax(right, node->x + node->width);
		top = fmin(top, node->y);
		bottom = fmax(bottom, node->y + node->height);
	}
	for (uint32_t i = 0; i < cct->n; i++)
	{
		cct->nodes[i].x += NAME_BESIDE - left;
		cct->nodes[i].y += NAME_ABOVE - top;
	}
	cct->center_x = NAME_BESIDE - left;
	cct->center_y = NAME_ABOVE - top;
	cct->width = cct->n > 0 ? right - left + 2 * NAME_BESIDE : 0;
	cct->height = cct->n > 0 ? bottom - top + 2 * NAME_ABOVE : 0;
}

/* The middle is at 0, 0 before cutting. */
static void
place_rings(PhCct *cct, double first_ring, double shrink)
{
	cct->ring *= shrink;
	cct->scale *= shrink;
	for (uint32_t i = 0; i < cct->n; i++)
	{
		PhCctNode *node = &cct->nodes[i];
		double r = cct->ring * (node->depth + first_ring);

		node->width *= shrink;
		node->height *= shrink;
		node->x = r * sin(node->angle) - node->width / 2;
		node->y = -r * cos(node->angle) - node->height / 2;
	}
	crop(cct);
}

void
ph_cct_place_radial(PhArena *arena, PhCct *cct, double most)
{
	double *weight = ph_need(arena, cct->n, sizeof(double));
	double first_ring = 0;
	double total = 0;
	double radius;
	uint32_t n_roots = 0;

	size_boxes(cct, LARGEST, LEAST);
	for (uint32_t i = 0; i < cct->n; i++)
		n_roots += cct->nodes[i].parent == PH_CCT_NO_PARENT;
	first_ring = n_roots > 1 ? 1 : 0;
	weigh(cct, weight, first_ring);
	for (uint32_t i = 0; i < cct->n; i++)
		total += cct->nodes[i].parent == PH_CCT_NO_PARENT ? weight[i] : 0;
	place_angles(arena, cct, weight, total > 0 ? total : 1);
	cct->ring = ring_distance(cct, total);
	radius = cct->ring * (cct->n_levels > 0 ? cct->n_levels - 1 + first_ring : 0) + LARGEST;
	place_rings(cct, first_ring, fmin(1, most / (2 * radius)));
}
