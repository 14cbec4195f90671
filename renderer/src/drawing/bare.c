/*
 * bare.c - shapes without anything else.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "drawing/bare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "drawing/snap.h"

#define NEW_PATH_BYTES 120 /* an element with its style */
#define MOST_STEPS 4096	   /* of one path, so that merging stays simple for painters */

bool
ph_bare_is_shape(const PhItem *item)
{
	bool is_seen =
		item->style.fill.a > 0 || (item->style.stroke.a > 0 && item->style.stroke_width > 0);

	return is_seen && (item->kind == PH_ITEM_RECT || item->kind == PH_ITEM_CIRCLE ||
					   (item->kind == PH_ITEM_PATH && item->n_steps > 0));
}

bool
ph_bare_is_cell(const PhItem *item)
{
	PhSnapped at;

	return item->kind == PH_ITEM_RECT && item->style.fill.a > 0 && item->style.stroke.a == 0 &&
		   ph_snap(item, 1, &at);
}

/* Where a step ends. False: nowhere. */
static bool
end_of(const PhPathStep *step, double *x, double *y)
{
	int at = step->op == 'C' ? 4 : 0;

	*x = step->x[at];
	*y = step->x[at + 1];
	return step->op != 'Z';
}

/* The area of the polygon through the ends of the steps, or of the line of its stroke. */
static double
path_area(const PhItem *item)
{
	double twice = 0, length = 0;
	double x, y, last_x = 0, last_y = 0, first_x = 0, first_y = 0;

	for (uint32_t i = 0; i < item->n_steps; i++)
	{
		if (!end_of(&item->steps[i], &x, &y))
			continue;
		if (item->steps[i].op == 'M')
		{
			twice += last_x * first_y - first_x * last_y;
			first_x = x;
			first_y = y;
		}
		else
		{
			twice += last_x * y - x * last_y;
			length += hypot(x - last_x, y - last_y);
		}
		last_x = x;
		last_y = y;
	}
	twice += last_x * first_y - first_x * last_y;
	return item->style.fill.a > 0 ? fabs(twice) / 2 : length * item->style.stroke_width;
}

double
ph_bare_area(const PhItem *item)
{
	if (!ph_bare_is_shape(item))
		return 0;
	if (item->kind == PH_ITEM_RECT)
		return fabs(item->width * item->height);
	return item->kind == PH_ITEM_CIRCLE ? 3.14 * item->width * item->width : path_area(item);
}

/* ---- outlines ------------------------------------------------------------------------------ */

static void
add_step(PhBare *out, char op, double x, double y)
{
	PhPathStep *step = &out->steps[out->n_steps++];

	*step = (PhPathStep){.op = op, .x = {x, y}};
}

static void
make_box(PhBare *out, double x, double y, double width, double height)
{
	add_step(out, 'M', x, y);
	add_step(out, 'L', x + width, y);
	add_step(out, 'L', x + width, y + height);
	add_step(out, 'L', x, y + height);
	add_step(out, 'Z', 0, 0);
}

/* A circle as an octagon, a small one as a square. */
static void
make_circle(PhBare *out, double x, double y, double radius)
{
	double corner = radius * 0.41;

	if (radius < 2)
	{
		make_box(out, round(2 * (x - radius)) / 2, round(2 * (y - radius)) / 2,
				 round(4 * radius) / 2, round(4 * radius) / 2);
		return;
	}
	for (int i = 0; i < 8; i++)
	{
		double dx = i < 2 || i > 5 ? (i == 0 || i == 7 ? radius : corner)
								   : (i == 2 || i == 5 ? -corner : -radius);
		double dy =
			i < 4 ? (i == 1 || i == 2 ? radius : corner) : (i == 5 || i == 6 ? -radius : -corner);

		add_step(out, i == 0 ? 'M' : 'L', round(2 * (x + dx)) / 2, round(2 * (y + dy)) / 2);
	}
	add_step(out, 'Z', 0, 0);
}

static double
half(double value)
{
	return round(2 * value) / 2;
}

static uint32_t
operands(char op)
{
	return op == 'C' ? 6 : op == 'Z' ? 0 : 2;
}

/* Steps that end on the same half unit as the one before are one. */
static void
make_path(PhBare *out, const PhItem *item)
{
	double x, y, last_x, last_y;

	for (uint32_t i = 0; i < item->n_steps; i++)
	{
		const PhPathStep *step = &item->steps[i];
		const PhPathStep *before = out->n_steps > 0 ? &out->steps[out->n_steps - 1] : NULL;
		PhPathStep rounded = {.op = step->op};

		if (step->op != 'M' && end_of(step, &x, &y) && before != NULL &&
			end_of(before, &last_x, &last_y) && last_x == half(x) && last_y == half(y) &&
			i + 1 < item->n_steps)
			continue;
		for (uint32_t k = 0; k < operands(step->op); k++)
			rounded.x[k] = half(step->x[k]);
		out->steps[out->n_steps++] = rounded;
	}
}

static size_t
digits_of(double value)
{
	size_t n = value < 0 ? 2 : 1;

	for (double rest = fabs(value); rest >= 10; rest /= 10)
		n++;
	return value == floor(value) ? n : n + 2;
}

static void
measure(PhBare *out)
{
	double right = -INFINITY, bottom = -INFINITY;

	out->x = out->y = INFINITY;
	out->bytes = out->n_steps;
	for (uint32_t i = 0; i < out->n_steps; i++)
	{
		const PhPathStep *step = &out->steps[i];

		for (uint32_t k = 0; k < operands(step->op); k += 2)
		{
			out->bytes += digits_of(step->x[k]) + digits_of(step->x[k + 1]) + 1 + (k > 0);
			out->x = fmin(out->x, step->x[k]);
			out->y = fmin(out->y, step->x[k + 1]);
			right = fmax(right, step->x[k]);
			bottom = fmax(bottom, step->x[k + 1]);
		}
	}
	out->width = right - out->x;
	out->height = bottom - out->y;
}

void
ph_bare_make(PhArena *arena, const PhItem *item, PhBare *out)
{
	PhSnapped at = {item->x, item->y, item->width, item->height};
	uint32_t room = item->kind == PH_ITEM_PATH ? item->n_steps : 9;

	*out = (PhBare){.style = item->style, .area = ph_bare_area(item)};
	out->steps = ph_need(arena, (size_t) room + 1, sizeof(PhPathStep));
	if (item->kind == PH_ITEM_PATH)
		make_path(out, item);
	else if (item->kind == PH_ITEM_CIRCLE)
		make_circle(out, item->x, item->y, item->width);
	else
	{
		out->is_crisp = ph_bare_is_cell(item) && ph_snap(item, 1, &at);
		make_box(out, at.x, at.y, at.width, at.height);
	}
	measure(out);
}

void
ph_bare_straighten(PhBare *shapes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		for (uint32_t k = 0; k < shapes[i].n_steps; k++)
		{
			PhPathStep *step = &shapes[i].steps[k];

			if (step->op == 'C')
				*step = (PhPathStep){.op = 'L', .x = {step->x[4], step->x[5]}};
		}
		measure(&shapes[i]);
	}
}

/* ---- merging ------------------------------------------------------------------------------- */

static uint32_t
color_of(PhColor color, int bits)
{
	return (uint32_t) (color.r >> bits) << 24 | (uint32_t) (color.g >> bits) << 16 |
		   (uint32_t) (color.b >> bits) << 8 | (uint32_t) (color.a >> bits);
}

static int
compare_numbers(double a, double b)
{
	return (a > b) - (a < b);
}

static int
compare_styles(const PhStyle *a, const PhStyle *b, int bits)
{
	int order = compare_numbers(color_of(a->fill, bits), color_of(b->fill, bits));

	if (order == 0)
		order = compare_numbers(color_of(a->stroke, bits), color_of(b->stroke, bits));
	if (order == 0)
		order = compare_numbers(a->stroke_width, b->stroke_width);
	return order != 0 ? order : compare_numbers(a->dash, b->dash);
}

static int
by_style(const void *a, const void *b)
{
	const PhBare *x = a, *y = b;
	int order = compare_styles(&x->style, &y->style, 0);

	if (order == 0)
		order = x->is_crisp - y->is_crisp;
	return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

/* A shape with the cell that it is in. */
typedef struct Cell
{
	PhBare shape;
	double x, y, width, height;
	int bits; /* of colours that do not count */
} Cell;

static int
compare_steps(const PhBare *a, const PhBare *b)
{
	if (a->n_steps != b->n_steps)
		return a->n_steps < b->n_steps ? -1 : 1;
	for (uint32_t i = 0; i < a->n_steps; i++)
	{
		if (a->steps[i].op != b->steps[i].op)
			return a->steps[i].op < b->steps[i].op ? -1 : 1;
		for (uint32_t k = 0; k < operands(a->steps[i].op); k++)
			if (a->steps[i].x[k] != b->steps[i].x[k])
				return compare_numbers(a->steps[i].x[k], b->steps[i].x[k]);
	}
	return 0;
}

/* 0: they are to be one. */
static int
compare_cells(const Cell *a, const Cell *b)
{
	int order = compare_styles(&a->shape.style, &b->shape.style, a->bits);

	if (order == 0)
		order = compare_numbers(a->x, b->x);
	if (order == 0)
		order = compare_numbers(a->y, b->y);
	if (order == 0)
		order = compare_numbers(a->width, b->width);
	if (order == 0)
		order = compare_numbers(a->height, b->height);
	return order != 0 || a->bits > 0 ? order : compare_steps(&a->shape, &b->shape);
}

/* The one that stays comes first. */
static int
by_cell(const void *a, const void *b)
{
	const Cell *x = a, *y = b;
	int order = compare_cells(x, y);

	if (order == 0)
		order = -compare_numbers(x->shape.area, y->shape.area);
	return order != 0 ? order
					  : (x->shape.place > y->shape.place) - (x->shape.place < y->shape.place);
}

static Cell
make_cell(const PhBare *shape, double grid)
{
	if (grid == 0)
		return (Cell){*shape, shape->x, shape->y, shape->width, shape->height, 0};
	return (Cell){*shape,
				  floor(shape->x / grid),
				  floor(shape->y / grid),
				  floor(shape->width / grid),
				  floor(shape->height / grid),
				  4};
}

uint32_t
ph_bare_merge(PhArena *arena, PhBare *shapes, uint32_t n, double grid)
{
	Cell *cells;
	uint32_t left = 0;

	if (n == 0)
		return 0;
	cells = ph_need(arena, n, sizeof(*cells));
	for (uint32_t i = 0; i < n; i++)
	{
		if (grid == 0)
			shapes[i].place = i;
		cells[i] = make_cell(&shapes[i], grid);
	}
	qsort(cells, n, sizeof(*cells), by_cell);
	for (uint32_t i = 0; i < n; i++)
		if (i == 0 || compare_cells(&cells[i - 1], &cells[i]) != 0)
			shapes[left++] = cells[i].shape;
	qsort(shapes, left, sizeof(*shapes), by_style);
	return left;
}

/* ---- cutting ------------------------------------------------------------------------------- */

/* A shape with the number of those that have its colour. */
typedef struct Ranked
{
	PhBare shape;
	uint32_t n_alike;
} Ranked;

static int
by_worth(const void *a, const void *b)
{
	const Ranked *x = a, *y = b;

	if (x->n_alike != y->n_alike)
		return x->n_alike < y->n_alike ? -1 : 1;
	if (x->shape.area != y->shape.area)
		return x->shape.area > y->shape.area ? -1 : 1;
	return (x->shape.place > y->shape.place) - (x->shape.place < y->shape.place);
}

/* Takes the most worthy ones into so many bytes; in the order of their styles. */
static uint32_t
take_best(const Ranked *ranked, uint32_t n, size_t bytes, PhBare *out)
{
	uint32_t left = 0;

	for (; left < n && ranked[left].shape.bytes <= bytes; left++)
	{
		out[left] = ranked[left].shape;
		bytes -= ranked[left].shape.bytes;
	}
	qsort(out, left, sizeof(*out), by_style);
	return left;
}

uint32_t
ph_bare_cut(PhArena *arena, PhBare *shapes, uint32_t n, size_t bytes)
{
	Ranked *ranked;
	uint32_t left;
	uint32_t end;

	if (n == 0)
		return 0;
	ranked = ph_need(arena, n, sizeof(*ranked));
	for (uint32_t i = 0; i < n; i = end)
	{
		for (end = i; end < n && compare_styles(&shapes[i].style, &shapes[end].style, 0) == 0;)
			end++;
		for (uint32_t k = i; k < end; k++)
			ranked[k] = (Ranked){shapes[k], end - i};
	}
	qsort(ranked, n, sizeof(*ranked), by_worth);
	/* how many paths it takes is known only afterwards */
	for (size_t room = bytes;; room -= room / 8 + 1)
	{
		left = take_best(ranked, n, room, shapes);
		if (left == 0 || room <= 1 || ph_bare_bytes(shapes, left) <= bytes)
			return left;
	}
}

/* ---- drawing ------------------------------------------------------------------------------- */

static bool
is_alike(const PhBare *a, const PhBare *b)
{
	return a->is_crisp == b->is_crisp && compare_styles(&a->style, &b->style, 0) == 0;
}

size_t
ph_bare_bytes(const PhBare *shapes, uint32_t n)
{
	size_t bytes = n > 0 ? NEW_PATH_BYTES : 0;

	for (uint32_t i = 0; i < n; i++)
		bytes +=
			shapes[i].bytes + (i > 0 && !is_alike(&shapes[i - 1], &shapes[i]) ? NEW_PATH_BYTES : 0);
	return bytes + bytes / 100;
}

uint32_t
ph_bare_draw(PhScene *scene, const PhBare *shapes, uint32_t from, uint32_t n)
{
	PhPath path = ph_path(scene);
	uint32_t i = from;

	for (; i < n && is_alike(&shapes[from], &shapes[i]) && (i == from || path.n < MOST_STEPS); i++)
		for (uint32_t k = 0; k < shapes[i].n_steps; k++)
		{
			const double *x = shapes[i].steps[k].x;
			char op = shapes[i].steps[k].op;

			if (op == 'Z')
				ph_path_close(&path);
			else if (op == 'M')
				ph_path_move(&path, x[0], x[1]);
			else if (op == 'C')
				ph_path_curve(&path, x[0], x[1], x[2], x[3], x[4], x[5]);
			else
				ph_path_line(&path, x[0], x[1]);
		}
	ph_scene_path(scene, &path, shapes[from].style);
	scene->items[scene->n_items - 1].is_crisp = shapes[from].is_crisp;
	return i;
}
