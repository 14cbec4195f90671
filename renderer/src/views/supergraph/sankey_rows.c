/*
 * sankey_rows.c - the rows of a super graph joined into bars and bands.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "views/supergraph/sankey.h"

#define TOOLTIP_LINES 5

static const PhTable *
section(PhArena *arena, const PhViewRows *rows, const char *name, const char *suffix)
{
	return ph_rows_table(rows, ph_need_format(arena, "%s%s", name, suffix));
}

static double
or_zero(double value)
{
	return isnan(value) ? 0 : value;
}

static bool
is(const PhTable *table, uint32_t row, const char *column, const char *value)
{
	const char *text = ph_table_text(table, row, column);

	return text != NULL && value != NULL && strcmp(text, value) == 0;
}

static void
read_bar(PhSankey *graph, const PhTable *layout, uint32_t row)
{
	PhSankeyBar *bar = &graph->bars[graph->n_bars++];

	bar->node = ph_table_text(layout, row, "node");
	bar->label = ph_table_text(layout, row, "label");
	bar->level = (uint32_t) or_zero(ph_table_number(layout, row, "level"));
	bar->x = or_zero(ph_table_number(layout, row, "x"));
	bar->y = or_zero(ph_table_number(layout, row, "y"));
	bar->width = or_zero(ph_table_number(layout, row, "width"));
	bar->height = or_zero(ph_table_number(layout, row, "height"));
	bar->value = or_zero(ph_table_number(layout, row, "value"));
	bar->own = or_zero(ph_table_number(layout, row, "own"));
	bar->absorbed = or_zero(ph_table_number(layout, row, "absorbed"));
	bar->exclusive = bar->own - bar->absorbed;
	bar->n_others = (uint32_t) or_zero(ph_table_number(layout, row, "others"));
	bar->more = ph_table_number(layout, row, "more");
	bar->less = ph_table_number(layout, row, "less");
	bar->imbalance = NAN;
	bar->difference = NAN;
	if (bar->node == NULL)
		bar->node = "";
	if (bar->label == NULL)
		bar->label = bar->node;
}

static void
read_dummy(PhSankey *graph, const PhTable *layout, uint32_t row)
{
	graph->blocked[graph->n_blocked++] = (PhBody){or_zero(ph_table_number(layout, row, "x")),
												  or_zero(ph_table_number(layout, row, "y")),
												  or_zero(ph_table_number(layout, row, "width")),
												  or_zero(ph_table_number(layout, row, "height"))};
}

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static void
add_piece(PhArena *arena, PhSankeyBand *band, PhSankeyPiece piece)
{
	band->pieces =
		ph_need_room(arena, band->pieces, band->n_pieces, &band->capacity, sizeof(PhSankeyPiece));
	band->pieces[band->n_pieces++] = piece;
}

/*
 * Begins a new band. One without a source is shared by several edges from the dummy where they
 * join: it begins at that dummy's left side, so that no gap shows.
 */
static PhSankeyBand *
start_band(PhArena *arena, PhSankey *graph, const PhSankeyBand *band, PhSankeyPiece piece)
{
	PhSankeyBand *started = &graph->bands[graph->n_bands++];
	double width = graph->n_blocked ? graph->blocked[0].width : 0;

	*started = *band;
	if (band->source == NULL)
		add_piece(arena, started, (PhSankeyPiece){piece.x0 - width, piece.y0, piece.x0, piece.y0});
	return started;
}

/*
 * Pieces of one edge follow each other; the first one starts a band. Pieces that several edges
 * share have no source; they are one band from where one edge joins to where the next one does.
 */
static void
read_piece(PhArena *arena, PhSankey *graph, const PhTable *layout, uint32_t row)
{
	PhSankeyBand *last = graph->n_bands ? &graph->bands[graph->n_bands - 1] : NULL;
	PhSankeyBand band = {.source = ph_table_text(layout, row, "node"),
						 .target = ph_table_text(layout, row, "target"),
						 .thickness = or_zero(ph_table_number(layout, row, "thickness")),
						 .value = or_zero(ph_table_number(layout, row, "value"))};
	PhSankeyPiece piece = {
		or_zero(ph_table_number(layout, row, "x")), or_zero(ph_table_number(layout, row, "y")),
		or_zero(ph_table_number(layout, row, "x1")), or_zero(ph_table_number(layout, row, "y1"))};

	if (band.target == NULL)
		return;
	if (last == NULL || !same_text(last->source, band.source) ||
		strcmp(last->target, band.target) != 0 ||
		(band.source == NULL && last->thickness != band.thickness))
		last = start_band(arena, graph, &band, piece);
	add_piece(arena, last, piece);
}

static void
read_layout(PhArena *arena, PhSankey *graph, const PhTable *layout)
{
	uint32_t n = ph_rows_count(layout);

	graph->bars = ph_need(arena, n, sizeof(PhSankeyBar));
	graph->bands = ph_need(arena, n, sizeof(PhSankeyBand));
	graph->blocked = ph_need(arena, n, sizeof(PhBody));
	for (uint32_t row = 0; row < n; row++)
	{
		if (is(layout, row, "element", "canvas"))
		{
			graph->width = or_zero(ph_table_number(layout, row, "width"));
			graph->height = or_zero(ph_table_number(layout, row, "height"));
			graph->scale = or_zero(ph_table_number(layout, row, "value"));
		}
		else if (is(layout, row, "element", "thin"))
		{
			graph->n_thin = (uint32_t) or_zero(ph_table_number(layout, row, "others"));
			graph->thinnest = or_zero(ph_table_number(layout, row, "thickness"));
		}
		else if (is(layout, row, "element", "bar"))
			read_bar(graph, layout, row);
		else if (is(layout, row, "element", "dummy"))
			read_dummy(graph, layout, row);
		else if (is(layout, row, "element", "band"))
			read_piece(arena, graph, layout, row);
	}
}

static int
compare_bars(const void *a, const void *b)
{
	const PhSankeyBar *left = a;
	const PhSankeyBar *right = b;

	if (left->level != right->level)
		return left->level < right->level ? -1 : 1;
	if (left->y != right->y)
		return left->y < right->y ? -1 : 1;
	return strcmp(left->node, right->node);
}

static int
compare_bands(const void *a, const void *b)
{
	const PhSankeyBand *left = a;
	const PhSankeyBand *right = b;
	int order;

	if (left->thickness != right->thickness)
		return left->thickness > right->thickness ? -1 : 1;
	if (left->source == NULL || right->source == NULL)
		order = (left->source != NULL) - (right->source != NULL);
	else
		order = strcmp(left->source, right->source);
	return order ? order : strcmp(left->target, right->target);
}

/* Bars by name, for joining; a map would be no faster for some hundreds. */
static int
compare_names(const void *a, const void *b)
{
	return strcmp((*(PhSankeyBar *const *) a)->node, (*(PhSankeyBar *const *) b)->node);
}

typedef struct Index
{
	PhSankeyBar **bars;
	uint32_t n;
} Index;

static Index
index_bars(PhArena *arena, PhSankey *graph)
{
	Index names = {ph_need(arena, graph->n_bars, sizeof(PhSankeyBar *)), graph->n_bars};

	for (uint32_t i = 0; i < names.n; i++)
		names.bars[i] = &graph->bars[i];
	qsort(names.bars, names.n, sizeof(*names.bars), compare_names);
	return names;
}

static PhSankeyBar *
find(const Index *names, const char *node)
{
	PhSankeyBar key = {.node = node};
	PhSankeyBar *pointer = &key;
	PhSankeyBar **found;

	if (node == NULL || names->n == 0)
		return NULL;
	found = bsearch(&pointer, names->bars, names->n, sizeof(*names->bars), compare_names);
	return found ? *found : NULL;
}

static void
read_supernodes(PhSankey *graph, const Index *names, const PhTable *supernodes)
{
	for (uint32_t row = 0; row < ph_rows_count(supernodes); row++)
	{
		PhSankeyBar *bar = find(names, ph_table_text(supernodes, row, "node"));

		graph->total += or_zero(ph_table_number(supernodes, row, "source"));
		if (bar == NULL)
			continue;
		bar->exclusive = or_zero(ph_table_number(supernodes, row, "exclusive"));
		bar->residual = or_zero(ph_table_number(supernodes, row, "residual"));
		bar->imbalance = ph_table_number(supernodes, row, "imbalance_ratio");
		bar->members = ph_table_number(supernodes, row, "n_members");
		bar->entries = ph_table_number(supernodes, row, "n_entries");
	}
}

static void
read_histograms(PhArena *arena, const Index *names, const PhTable *histograms)
{
	for (uint32_t row = 0; row < ph_rows_count(histograms); row++)
	{
		PhSankeyBar *bar = find(names, ph_table_text(histograms, row, "node"));

		if (bar != NULL)
			bar->counts = ph_table_numbers(arena, histograms, row, "counts", &bar->n_counts);
	}
}

/* Appends "function  12 s" lines under a heading; at most TOOLTIP_LINES a bar. column: where the
 * functions are; roots have no callers. */
static void
read_functions(PhArena *arena, const Index *names, const PhTable *table, const char *column,
			   const char *heading, const char *unit_name)
{
	const char *previous = "";
	uint32_t n = 0;

	for (uint32_t row = 0; row < ph_rows_count(table); row++)
	{
		PhSankeyBar *bar = find(names, ph_table_text(table, row, "node"));
		const char *function = ph_table_text(table, row, column);
		const char *caller_node = ph_table_text(table, row, "caller_node");

		if (bar == NULL || function == NULL)
			continue;
		n = strcmp(previous, bar->node) == 0 ? n + 1 : 0;
		previous = bar->node;
		if (n == TOOLTIP_LINES)
			bar->tooltip_tail = ph_need_format(arena, "%s\n  \xe2\x80\xa6", bar->tooltip_tail);
		if (n >= TOOLTIP_LINES)
			continue;
		bar->tooltip_tail = ph_need_format(
			arena, "%s%s%s\n  %s%s%s%s  %s", bar->tooltip_tail ? bar->tooltip_tail : "",
			n == 0 ? "\n" : "", n == 0 ? heading : "", function, caller_node ? " (" : "",
			caller_node ? caller_node : "", caller_node ? ")" : "",
			ph_value(arena, unit_name, ph_table_number(table, row, "inclusive")));
	}
}

void
ph_sankey_read(PhArena *arena, const PhViewRows *rows, const char *suffix, const char *unit_name,
			   PhSankey *out)
{
	Index names;

	memset(out, 0, sizeof(*out));
	read_layout(arena, out, section(arena, rows, "layout", suffix));
	qsort(out->bars, out->n_bars, sizeof(*out->bars), compare_bars);
	qsort(out->bands, out->n_bands, sizeof(*out->bands), compare_bands);
	names = index_bars(arena, out);
	for (uint32_t i = 0; i < out->n_bands; i++)
		out->bands[i].bar = find(&names, out->bands[i].target);
	read_supernodes(out, &names, section(arena, rows, "supernodes", suffix));
	read_histograms(arena, &names, section(arena, rows, "histograms", suffix));
	read_functions(arena, &names, section(arena, rows, "entries", suffix), "function",
				   "entered through", unit_name);
	read_functions(arena, &names, section(arena, rows, "callers", suffix), "caller", "called from",
				   unit_name);
}

PhSankeyBar *
ph_sankey_find(const PhSankey *graph, const char *node)
{
	for (uint32_t i = 0; i < graph->n_bars; i++)
		if (strcmp(graph->bars[i].node, node) == 0)
			return &graph->bars[i];
	return NULL;
}

static double
compared_value(const PhSankeyBar *bar, bool inclusive)
{
	if (bar == NULL)
		return 0;
	return inclusive ? bar->value : bar->exclusive;
}

static void
compare_to(PhSankey *graph, const PhSankey *other, double sign, bool inclusive,
		   const PhNoiseRows *noise)
{
	for (uint32_t i = 0; i < graph->n_bars; i++)
	{
		PhSankeyBar *bar = &graph->bars[i];
		const PhSankeyBar *twin = ph_sankey_find(other, bar->node);
		double own = compared_value(bar, inclusive), others = compared_value(twin, inclusive);

		if (bar->n_others > 0) /* of other call paths, whose differences would cancel out */
			continue;
		bar->difference = sign * (own - others);
		bar->is_noise = ph_noise_explains(noise, bar->label, own, others, graph->total);
		bar->status = twin ? "both" : sign < 0 ? "only in A" : "only in B";
	}
}

void
ph_sankey_compare(PhSankey *a, PhSankey *b, bool inclusive, const PhNoiseRows *noise)
{
	compare_to(a, b, -1, inclusive, noise);
	compare_to(b, a, 1, inclusive, noise);
}
