/*
 * matrix_layout.c - a communication matrix: senders down, receivers across, sums at the sides.
 *
 * More ranks than units of the picture share cells: a cell has the colour of its sum, and a mark
 * where one of its pairs sent far more than pairs do. Colours are logarithmic when values differ
 * by more than a factor of 1000. Empty cells are not drawn.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "drawing/range.h"
#include "views/traces/matrix.h"

#define LEFT 58.0
#define TOP 30.0
#define LEFT_GROUPS 140.0 /* with brackets of planes, boundaries or hosts */
#define TOP_GROUPS 48.0
#define SUMS 64.0
#define GAP 8.0
#define LEAST_CELL 2.0
#define LOGARITHMIC 1000.0
#define LEAST_MARK 4.0

typedef struct Cell
{
	uint32_t line, column;
	double messages, bytes;
	uint32_t top; /* its pair with the greatest amount */
} Cell;

typedef struct Square
{
	double x, y, side; /* of the picture */
	uint32_t n;		   /* cells along a side */
	uint32_t per_cell; /* ranks in a cell */
	uint32_t n_cells;
	Cell *cells; /* that are not empty, by line and column */
	double least, most;
	bool logarithmic;
	double outlying; /* pairs that sent more are marked; infinite: none */
	uint32_t n_marks;
} Square;

static double
amount(const PhMatrix *matrix, const Cell *cell)
{
	return matrix->by_messages ? cell->messages : cell->bytes;
}

static const double *
amounts(const PhMatrix *matrix)
{
	return matrix->by_messages ? matrix->messages : matrix->bytes;
}

static int
compare_cells(const void *a, const void *b)
{
	const Cell *x = a;
	const Cell *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->column > y->column) - (x->column < y->column);
}

typedef struct Line
{
	double rank;
	uint32_t at;
} Line;

static int
compare_lines(const void *a, const void *b)
{
	const Line *x = a;
	const Line *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static uint32_t *
order_by_rank(PhArena *arena, const PhMatrix *matrix)
{
	Line *lines = ph_need(arena, matrix->n_ranks + 1, sizeof(*lines));
	uint32_t *order = ph_need(arena, matrix->n_ranks + 1, sizeof(*order));

	for (uint32_t i = 0; i < matrix->n_ranks; i++)
		lines[i] = (Line){matrix->ranks[i], i};
	qsort(lines, matrix->n_ranks, sizeof(*lines), compare_lines);
	for (uint32_t i = 0; i < matrix->n_ranks; i++)
		order[i] = lines[i].at;
	return order;
}

/* Line of a rank of those shown. */
static uint32_t
index_of(const PhMatrix *matrix, double rank)
{
	uint32_t low = 0;
	uint32_t high = matrix->n_ranks;

	while (low + 1 < high)
	{
		uint32_t middle = low + (high - low) / 2;

		if (matrix->ranks[matrix->by_rank[middle]] <= rank)
			low = middle;
		else
			high = middle;
	}
	return matrix->by_rank[low];
}

static void
gather_cells(PhArena *arena, const PhMatrix *matrix, Square *square)
{
	Cell *cells = ph_need(arena, matrix->n_pairs + 1, sizeof(*cells));
	uint32_t n = 0;

	for (uint32_t i = 0; i < matrix->n_pairs; i++)
		cells[i] = (Cell){index_of(matrix, matrix->sender[i]) / square->per_cell,
						  index_of(matrix, matrix->receiver[i]) / square->per_cell,
						  matrix->messages[i], matrix->bytes[i], i};
	qsort(cells, matrix->n_pairs, sizeof(*cells), compare_cells);
	for (uint32_t i = 0; i < matrix->n_pairs; i++)
	{
		if (n > 0 && compare_cells(&cells[n - 1], &cells[i]) == 0)
		{
			cells[n - 1].messages += cells[i].messages;
			cells[n - 1].bytes += cells[i].bytes;
			if (amounts(matrix)[cells[i].top] > amounts(matrix)[cells[n - 1].top])
				cells[n - 1].top = cells[i].top;
		}
		else
			cells[n++] = cells[i];
	}
	square->cells = cells;
	square->n_cells = n;
}

static void
find_range(const PhMatrix *matrix, Square *square)
{
	square->least = INFINITY;
	square->most = 0;
	for (uint32_t i = 0; i < square->n_cells; i++)
	{
		double value = amount(matrix, &square->cells[i]);

		if (value > 0)
			square->least = fmin(square->least, value);
		square->most = fmax(square->most, value);
	}
	if (!(square->least <= square->most))
		square->least = square->most;
	square->logarithmic = square->least > 0 && square->most / square->least > LOGARITHMIC;
}

static PhColor
cell_color(const PhMatrix *matrix, const Square *square, double value)
{
	double share = square->most > 0 ? value / square->most : 0;

	if (square->logarithmic)
		share = value > 0 ? log(value / square->least) / log(square->most / square->least) : 0;
	return ph_color_sequential(matrix->palette, 0.08 + 0.92 * share);
}

static const char *
label_of(const PhMatrix *matrix, uint32_t rank)
{
	return matrix->labels[rank] != NULL ? matrix->labels[rank] : "unknown host";
}

static const char *
ranks_text(PhArena *arena, const PhMatrix *matrix, const Square *square, uint32_t index)
{
	uint32_t first = index * square->per_cell;
	uint32_t last = first + square->per_cell - 1;

	last = last < matrix->n_ranks ? last : matrix->n_ranks - 1;
	if (first == last && matrix->labels != NULL)
		return ph_need_format(arena, "rank %.0f (%s)", matrix->ranks[first],
							  label_of(matrix, first));
	if (first == last)
		return ph_need_format(arena, "rank %.0f", matrix->ranks[first]);
	if (matrix->labels != NULL)
		return ph_need_format(arena, "%u ranks from %.0f (%s)", last + 1 - first,
							  matrix->ranks[first], label_of(matrix, first));
	return ph_need_format(arena, "ranks %.0f\xe2\x80\x93%.0f", matrix->ranks[first],
						  matrix->ranks[last]);
}

static int
compare_amounts(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return (x > y) - (x < y);
}

/*
 * Pairs that sent more than this are marked: more than the end of the robust range, or, where
 * nearly all send the same, more than twice what 98 % of them do.
 */
static double
outlying_amount(PhArena *arena, const PhMatrix *matrix, uint32_t per_cell)
{
	uint32_t n = matrix->n_pairs;
	PhRange range = ph_range_robust(arena, amounts(matrix), n);
	double *sorted;

	if (per_cell == 1 || n == 0)
		return INFINITY;
	if (range.above > 0)
		return range.high;
	sorted = ph_need(arena, n, sizeof(*sorted));
	memcpy(sorted, amounts(matrix), n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_amounts);
	return sorted[n - 1] > 2 * sorted[(size_t) (0.98 * (n - 1))]
			   ? 2 * sorted[(size_t) (0.98 * (n - 1))]
			   : INFINITY;
}

static bool
is_marked(const PhMatrix *matrix, const Square *square, const Cell *cell)
{
	return amounts(matrix)[cell->top] > square->outlying;
}

/* After the cells, and larger than they may be: what one pair sent must not drown in a sum. */
static void
draw_mark(PhScene *scene, const PhMatrix *matrix, const Square *square, const Cell *cell)
{
	double size = square->side / square->n;
	double side = fmax(size, LEAST_MARK);
	PhArena *arena = scene->arena;

	ph_scene_open(scene, "outlier",
				  ph_need_format(arena, "rank %.0f to rank %.0f\n%.0f messages, %s\nof %s to %s",
								 matrix->sender[cell->top], matrix->receiver[cell->top],
								 matrix->messages[cell->top],
								 ph_value(arena, "bytes", matrix->bytes[cell->top]),
								 ranks_text(arena, matrix, square, cell->line),
								 ranks_text(arena, matrix, square, cell->column)));
	ph_scene_data(scene, "run", matrix->run);
	ph_scene_data_number(scene, "sender", matrix->sender[cell->top]);
	ph_scene_data_number(scene, "receiver", matrix->receiver[cell->top]);
	ph_scene_data_number(scene, "value", amounts(matrix)[cell->top]);
	ph_scene_rect(scene, square->x + (cell->column + 0.5) * size - side / 2,
				  square->y + (cell->line + 0.5) * size - side / 2, side, side,
				  ph_fill(ph_color_beyond(matrix->palette)));
	ph_scene_close(scene);
}

static void
draw_cell(PhScene *scene, const PhMatrix *matrix, const Square *square, const Cell *cell)
{
	PhArena *arena = scene->arena;
	double size = square->side / square->n;
	double inset = size > 6 ? 0.5 : 0;

	ph_scene_open(scene, "cell",
				  ph_need_format(arena, "%s to %s\n%.0f messages, %s",
								 ranks_text(arena, matrix, square, cell->line),
								 ranks_text(arena, matrix, square, cell->column), cell->messages,
								 ph_value(arena, "bytes", cell->bytes)));
	ph_scene_data(scene, "run", matrix->run);
	ph_scene_data_number(scene, "sender", matrix->ranks[cell->line * square->per_cell]);
	ph_scene_data_number(scene, "receiver", matrix->ranks[cell->column * square->per_cell]);
	ph_scene_data_number(scene, "value", amount(matrix, cell));
	ph_scene_rect(scene, square->x + cell->column * size + inset,
				  square->y + cell->line * size + inset, size - 2 * inset, size - 2 * inset,
				  ph_fill(cell_color(matrix, square, amount(matrix, cell))));
	ph_scene_close(scene);
}

/* Sums of lines at the right and of columns below, as bars of one scale. */
static void
draw_sums(PhScene *scene, const PhMatrix *matrix, const Square *square)
{
	double *sent = ph_need(scene->arena, square->n, sizeof(double));
	double *received = ph_need(scene->arena, square->n, sizeof(double));
	double size = square->side / square->n;
	double gap = size > 4 ? 1 : 0;
	double most = 0;
	PhStyle bar = ph_fill(ph_color_hex(0x8a94a3));

	for (uint32_t i = 0; i < square->n_cells; i++)
	{
		sent[square->cells[i].line] += amount(matrix, &square->cells[i]);
		received[square->cells[i].column] += amount(matrix, &square->cells[i]);
	}
	for (uint32_t i = 0; i < square->n; i++)
		most = fmax(most, fmax(sent[i], received[i]));
	ph_scene_open(scene, "sums", "sums by sender (right) and by receiver (below)");
	for (uint32_t i = 0; i < square->n && most > 0; i++)
	{
		ph_scene_rect(scene, square->x + square->side + GAP, square->y + i * size + gap / 2,
					  sent[i] / most * SUMS, size - gap, bar);
		ph_scene_rect(scene, square->x + i * size + gap / 2, square->y + square->side + GAP,
					  size - gap, received[i] / most * SUMS, bar);
	}
	ph_scene_close(scene);
}

/* A bracket and a name above and beside the ranks of each plane, boundary or host, names where
 * they have room; lines between them across the cells. */
static void
draw_group(PhScene *scene, const PhMatrix *matrix, const Square *square, uint32_t first,
		   uint32_t end)
{
	double unit = square->side / square->n / square->per_cell;
	double from = first * unit;
	double to = fmin(end * unit, square->side);
	PhTextStyle style = ph_text_style(9.5, ph_faint());
	PhStyle line = ph_stroke(ph_faint(), 1);

	if (first > 0)
	{
		ph_scene_line(scene, square->x, square->y + from, square->x + square->side,
					  square->y + from, ph_stroke(ph_rule(), 0.6));
		ph_scene_line(scene, square->x + from, square->y, square->x + from,
					  square->y + square->side, ph_stroke(ph_rule(), 0.6));
	}
	ph_scene_line(scene, square->x + from + 0.5, square->y - 18, square->x + to - 0.5,
				  square->y - 18, line);
	ph_scene_line(scene, square->x - 30, square->y + from + 0.5, square->x - 30,
				  square->y + to - 0.5, line);
	style.anchor = PH_MIDDLE;
	if (to - from > 24)
		ph_scene_text_fit(scene, square->x + (from + to) / 2, square->y - 22, to - from - 4,
						  label_of(matrix, first), style);
	style.anchor = PH_END;
	if (to - from > 10)
		ph_scene_text_fit(scene, square->x - 34, square->y + (from + to) / 2 + 3.5,
						  LEFT_GROUPS - LEFT + 4, label_of(matrix, first), style);
}

static void
draw_groups(PhScene *scene, const PhMatrix *matrix, const Square *square)
{
	for (uint32_t first = 0, end = 0; matrix->labels != NULL && first < matrix->n_ranks;
		 first = end)
	{
		for (end = first + 1; end < matrix->n_ranks; end++)
			if (strcmp(label_of(matrix, first), label_of(matrix, end)) != 0)
				break;
		draw_group(scene, matrix, square, first, end);
	}
}

static void
draw_titles(PhScene *scene, const PhMatrix *matrix, const Square *square)
{
	PhArena *arena = scene->arena;
	PhTextStyle title = ph_text_style(11, ph_ink());
	bool by_rank = matrix->labels == NULL;
	const char *ranks = by_rank ? "rank" : ph_need_format(arena, "ranks by %s", matrix->order);

	title.anchor = PH_MIDDLE;
	ph_scene_text(scene, square->x + square->side / 2, square->y - (by_rank ? 19 : 36),
				  ph_need_format(arena, "receiver (%s)", ranks), title);
	title.vertical = true;
	ph_scene_text(scene, square->x - (by_rank ? 44 : LEFT_GROUPS - 12),
				  square->y + square->side / 2, ph_need_format(arena, "sender (%s)", ranks), title);
}

/* Round ranks where they are in their order, else round places; so far apart that the widest has
 * room. */
static void
draw_ranks(PhScene *scene, const PhMatrix *matrix, const Square *square)
{
	PhTextStyle style = ph_text_style(10, ph_faint());
	double unit = square->side / square->n / square->per_cell;
	const char *last = ph_need_format(scene->arena, "%.0f", matrix->ranks[matrix->n_ranks - 1]);
	double room = fmax(26, ph_fonts_width(scene->fonts, last, style.size, PH_REGULAR) + 10);
	uint32_t most = (uint32_t) fmax(2, square->side / room);
	double step = fmax(1, ph_axis_ticks(0, fmax(1, matrix->n_ranks - 1), most).step);
	double end = -INFINITY;

	for (uint32_t i = 0; i < matrix->n_ranks; i++)
	{
		double at = (i + 0.5) * unit;
		double round = matrix->labels == NULL ? matrix->ranks[i] : i;
		const char *text;

		if (fmod(round, step) != 0 || at < end)
			continue;
		text = ph_need_format(scene->arena, "%.0f", matrix->ranks[i]);
		style.anchor = PH_END;
		ph_scene_text(scene, square->x - 5, square->y + at + 3.5, text, style);
		style.anchor = PH_MIDDLE;
		ph_scene_text(scene, square->x + at, square->y - 5, text, style);
		end = at + room * 0.9;
	}
}

static void
draw_axes(PhScene *scene, const PhMatrix *matrix, const Square *square)
{
	ph_scene_open(scene, "axis", NULL);
	draw_groups(scene, matrix, square);
	draw_ranks(scene, matrix, square);
	draw_titles(scene, matrix, square);
	ph_scene_rect(scene, square->x, square->y, square->side, square->side, ph_stroke(ph_rule(), 1));
	ph_scene_close(scene);
}

static void
draw_legend(PhScene *scene, const PhMatrix *matrix, const Square *square)
{
	PhArena *arena = scene->arena;
	const char *unit = matrix->by_messages ? NULL : "bytes";
	double low = square->logarithmic ? square->least : 0;
	double middle = square->logarithmic ? sqrt(square->least * square->most) : square->most / 2;
	PhRamp ramp = {.title = matrix->by_messages ? "messages" : "bytes",
				   .map = ph_color_sequential,
				   .palette = matrix->palette,
				   .low = ph_value(arena, unit, low),
				   .middle = square->logarithmic
								 ? ph_need_format(arena, "%s (log)", ph_value(arena, unit, middle))
								 : ph_value(arena, unit, middle),
				   .high = ph_value(arena, unit, square->most)};
	double x = ph_legend_ramp(scene, PH_MARGIN, &ramp);

	if (square->n_marks > 0)
		ph_legend_swatch(
			scene, x, ph_color_beyond(matrix->palette), false,
			ph_need_format(arena, "with a pair of more than %s: %u cell%s",
						   matrix->by_messages
							   ? ph_need_format(arena, "%.0f messages", square->outlying)
							   : ph_value(arena, "bytes", square->outlying),
						   square->n_marks, square->n_marks == 1 ? "" : "s"));
}

void
ph_matrix_draw(PhScene *scene, PhMatrix *matrix, PhBody body)
{
	double left = matrix->labels != NULL ? LEFT_GROUPS : LEFT;
	double top = matrix->labels != NULL ? TOP_GROUPS : TOP;
	double room = fmin(body.width - left, body.height - top) - SUMS - GAP;
	Square square = {.x = body.x + left, .y = body.y + top, .side = room};

	square.per_cell = (uint32_t) ceil(matrix->n_ranks * LEAST_CELL / room);
	if (square.per_cell < 1)
		square.per_cell = 1;
	square.n = (matrix->n_ranks + square.per_cell - 1) / square.per_cell;
	matrix->ranks_a_cell = square.per_cell;
	matrix->by_rank = order_by_rank(scene->arena, matrix);
	gather_cells(scene->arena, matrix, &square);
	find_range(matrix, &square);
	square.outlying = outlying_amount(scene->arena, matrix, square.per_cell);
	for (uint32_t i = 0; i < square.n_cells; i++)
		square.n_marks += is_marked(matrix, &square, &square.cells[i]);
	draw_legend(scene, matrix, &square);
	ph_scene_open(scene, "matrix", NULL);
	for (uint32_t i = 0; i < square.n_cells; i++)
		draw_cell(scene, matrix, &square, &square.cells[i]);
	for (uint32_t i = 0; i < square.n_cells; i++)
		if (is_marked(matrix, &square, &square.cells[i]))
			draw_mark(scene, matrix, &square, &square.cells[i]);
	ph_scene_close(scene);
	draw_sums(scene, matrix, &square);
	draw_axes(scene, matrix, &square);
}
