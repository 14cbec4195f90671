/*
 * fn_sankey.c - layout rows: the Sankey diagram and the nodes of Grafana's node graph panel.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "profile/value.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "supergraph/sankey.h"

/* One row; what an element does not have is NaN, PH_NONE or NULL. */
typedef struct SankeyRow
{
	const char *element;
	const char *node;
	const char *target;
	uint32 level;
	uint32 position;
	double x, y, width, height, x1, y1, thickness, value, own, absorbed;
	const char *label;
	uint32 others;
	double more, less;
} SankeyRow;

/* What is put into rows. */
typedef struct Drawn
{
	PhRows *rows;
	const PhSupergraph *graph;
	PhSupergraphMeans means;
	PhSupergraphOthers others;
	bool with_others; /* in the rows */
	PhLayout layout;
	double thinnest; /* of the pieces of bands in the rows */
} Drawn;

static uint32
n_bars(const Drawn *drawn)
{
	return drawn->graph->n_supernodes + drawn->others.n;
}

static const char *
bar_name(const Drawn *drawn, uint32 bar)
{
	uint32 n = drawn->graph->n_supernodes;
	return bar < n ? drawn->graph->supernodes[bar].name : drawn->others.items[bar - n].name;
}

static SankeyRow
empty_row(const char *element)
{
	return (SankeyRow){.element = element,
					   .level = PH_NONE,
					   .position = PH_NONE,
					   .x = NAN,
					   .y = NAN,
					   .width = NAN,
					   .height = NAN,
					   .x1 = NAN,
					   .y1 = NAN,
					   .thickness = NAN,
					   .value = NAN,
					   .own = NAN,
					   .others = PH_NONE,
					   .more = NAN,
					   .less = NAN,
					   .absorbed = NAN};
}

static void
put_row(const Drawn *drawn, const SankeyRow *row)
{
	PhRows *rows = drawn->rows;
	ph_rows_text(rows, "element", row->element);
	ph_rows_text(rows, "node", row->node);
	ph_rows_text(rows, "target", row->target);
	ph_rows_index(rows, "level", row->level);
	ph_rows_index(rows, "position", row->position);
	ph_rows_number(rows, "x", row->x);
	ph_rows_number(rows, "y", row->y);
	ph_rows_number(rows, "width", row->width);
	ph_rows_number(rows, "height", row->height);
	ph_rows_number(rows, "x1", row->x1);
	ph_rows_number(rows, "y1", row->y1);
	ph_rows_number(rows, "thickness", row->thickness);
	ph_rows_number(rows, "value", row->value);
	ph_rows_number(rows, "own", row->own);
	ph_rows_number(rows, "absorbed", row->absorbed);
	ph_rows_text(rows, "label", row->label);
	if (drawn->with_others)
	{
		ph_rows_index(rows, "others", row->others);
		ph_rows_number(rows, "more", row->more);
		ph_rows_number(rows, "less", row->less);
	}
	ph_rows_put(rows);
}

/* A box and what its place in the output depends on. */
typedef struct Place
{
	uint32 major;
	uint32 minor;
	uint32 index;
} Place;

static int
compare_places(const void *a, const void *b)
{
	const Place *x = a;
	const Place *y = b;
	if (x->major != y->major)
		return x->major < y->major ? -1 : 1;
	if (x->minor != y->minor)
		return x->minor < y->minor ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static void
box_row(SankeyRow *row, const PhLayoutBox *box)
{
	row->level = box->level;
	row->position = box->order;
	row->x = box->x;
	row->y = box->y;
	row->width = box->width;
	row->height = box->height;
	row->value = box->value;
}

static void
supernode_row(SankeyRow *row, const Drawn *drawn, uint32 v)
{
	const PhSupergraphMeans *means = &drawn->means;
	bool is_moved = drawn->others.n > 0 && drawn->others.of[v] != PH_NONE;
	row->label = drawn->graph->supernodes[v].label;
	row->absorbed = is_moved ? 0 : means->absorbed[v]; /* a band of its own */
	row->own = means->exclusive[v] + row->absorbed + means->residual[v];
}

static void
others_row(SankeyRow *row, const PhSupergraphOther *other)
{
	row->label = other->label;
	row->absorbed = 0;
	row->own = other->value;
	row->others = other->n_paths;
	row->more = other->more;
	row->less = other->less;
}

static void
put_bars(const Drawn *drawn)
{
	const PhLayout *layout = &drawn->layout;
	uint32 n = n_bars(drawn), n_supernodes = drawn->graph->n_supernodes;
	Place *places = palloc_extended(sizeof(Place) * Max(n, 1), MCXT_ALLOC_HUGE);
	for (uint32 v = 0; v < n; v++)
		places[v] = (Place){layout->boxes[v].level, layout->boxes[v].order, v};
	qsort(places, n, sizeof(Place), compare_places);
	for (uint32 i = 0; i < n; i++)
	{
		uint32 v = places[i].index;
		SankeyRow row = empty_row("bar");
		box_row(&row, &layout->boxes[v]);
		row.node = bar_name(drawn, v);
		if (v < n_supernodes)
			supernode_row(&row, drawn, v);
		else
			others_row(&row, &drawn->others.items[v - n_supernodes]);
		put_row(drawn, &row);
	}
}

static int
compare_thickest(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;
	return (x < y) - (x > y);
}

/*
 * A picture bears so many pieces of bands: the thinnest are left out, those that are as thin as
 * the first of them, too. Returns how many.
 */
static uint32
leave_out_thin(Drawn *drawn, uint32 most)
{
	const PhLayout *layout = &drawn->layout;
	uint32 n = 0;
	if (layout->n_bands <= most)
		return 0;
	double *thickness = palloc_extended(sizeof(double) * layout->n_bands, MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < layout->n_bands; i++)
		thickness[i] = layout->bands[i].thickness;
	qsort(thickness, layout->n_bands, sizeof(double), compare_thickest);
	drawn->thinnest = nextafter(thickness[most], INFINITY);
	pfree(thickness);
	for (uint32 i = 0; i < layout->n_bands; i++)
		n += layout->bands[i].thickness < drawn->thinnest;
	return n;
}

/* The band that leaves every dummy. */
static const PhLayoutBand **
bands_of_boxes(const PhLayout *layout)
{
	const PhLayoutBand **bands =
		palloc_extended(sizeof(*bands) * Max(layout->n_boxes, 1), MCXT_ALLOC_HUGE);
	for (uint32 b = 0; b < layout->n_bands; b++)
		bands[layout->bands[b].source] = &layout->bands[b];
	return bands;
}

/* The ends of a band's edge; several edges share only the target. */
static void
name_ends(SankeyRow *row, const Drawn *drawn, const PhLayoutBand *band)
{
	const PhSupergraph *graph = drawn->graph;
	if (band->edge != PH_LAYOUT_SHARED && band->edge >= graph->n_edges) /* one level, to others */
		row->node = bar_name(drawn, band->source);
	else if (band->edge != PH_LAYOUT_SHARED)
		row->node = bar_name(drawn, graph->edges[band->edge].source);
	row->target = bar_name(drawn, band->bar);
}

static void
put_dummies(const Drawn *drawn)
{
	const PhLayout *layout = &drawn->layout;
	uint32 first = n_bars(drawn);
	uint32 n = layout->n_boxes - first;
	const PhLayoutBand **bands = bands_of_boxes(layout);
	Place *places = palloc_extended(sizeof(Place) * Max(n, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < n; i++)
		places[i] =
			(Place){layout->boxes[first + i].level, layout->boxes[first + i].order, first + i};
	qsort(places, n, sizeof(Place), compare_places);
	for (uint32 i = 0; i < n; i++)
	{
		SankeyRow row = empty_row("dummy");
		if (bands[places[i].index]->thickness < drawn->thinnest)
			continue;
		box_row(&row, &layout->boxes[places[i].index]);
		name_ends(&row, drawn, bands[places[i].index]);
		put_row(drawn, &row);
	}
}

static double
band_value(const Drawn *drawn, const PhLayoutBand *band)
{
	if (band->edge == PH_LAYOUT_SHARED)
		return drawn->layout.boxes[band->source].value;
	return band->edge < drawn->graph->n_edges ? drawn->means.weight[band->edge]
											  : drawn->means.absorbed[band->source];
}

static void
put_bands(const Drawn *drawn)
{
	const PhLayout *layout = &drawn->layout;
	uint32 piece = 0;
	for (uint32 i = 0; i < layout->n_bands; i++)
	{
		const PhLayoutBand *band = &layout->bands[i];
		SankeyRow row = empty_row("band");
		if (i > 0 && (band[-1].edge != band->edge || band[-1].bar != band->bar))
			piece = 0;
		if (band->thickness < drawn->thinnest)
			continue;
		name_ends(&row, drawn, band);
		row.level = layout->boxes[band->source].level;
		row.position = piece++;
		row.x = band->x0;
		row.y = band->y0;
		row.x1 = band->x1;
		row.y1 = band->y1;
		row.thickness = band->thickness;
		row.value = band_value(drawn, band);
		put_row(drawn, &row);
	}
}

static double
arg_size(FunctionCallInfo fcinfo, int argument, double otherwise, const char *what)
{
	double size = PG_ARGISNULL(argument) ? otherwise : PG_GETARG_FLOAT8(argument);
	if (!(size > 0) || size > 1e6)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s must be more than 0 and at most 1e6", what)));
	return size;
}

/* Others that are so much of the whole get a bar: it is some pixels high. */
#define LEAST_OTHERS 0.005

static void
put_canvas(const Drawn *drawn)
{
	SankeyRow canvas = empty_row("canvas");
	canvas.width = drawn->layout.width;
	canvas.height = drawn->layout.height;
	canvas.value = drawn->layout.scale;
	put_row(drawn, &canvas);
}

static void
put_left_out(const Drawn *drawn, uint32 n)
{
	SankeyRow row = empty_row("thin");
	row.others = n;
	row.thickness = drawn->thinnest;
	put_row(drawn, &row);
}

/* with_others: what a filter took is drawn as supernodes; a column says so. */
static Datum
layout_rows(FunctionCallInfo fcinfo, bool with_others)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	Drawn drawn = {.rows = &rows, .graph = graph, .with_others = with_others};
	PhSankeyOptions options = {.width = arg_size(fcinfo, 1, 1200, "width"),
							   .height = arg_size(fcinfo, 2, 700, "height"),
							   .previous = ph_arg_text(fcinfo, 4)};
	uint32 metric = ph_arg_metric(fcinfo, 3, graph->profile);
	options.scale_limit = PG_ARGISNULL(5) ? 0 : PG_GETARG_FLOAT8(5);
	if (!(options.scale_limit >= 0) || isinf(options.scale_limit))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("scale limit must be a number of pixels per unit")));
	PhScratch *scratch = ph_scratch_begin();
	PH_CHECK(&scratch->env, ph_supergraph_means(&scratch->arena, graph, metric, &drawn.means));
	if (with_others && ph_sankey_can_draw(graph, metric))
		PH_CHECK(&scratch->env,
				 ph_supergraph_others(&scratch->arena, graph, metric, drawn.means.absorbed,
									  LEAST_OTHERS * ph_profile_total(graph->profile, metric),
									  &drawn.others));
	ph_sankey_of(scratch, graph, metric, &drawn.means, &drawn.others, &options, &drawn.layout);
	put_canvas(&drawn);
	if (with_others && !PG_ARGISNULL(6) && PG_GETARG_INT32(6) >= 0)
	{
		uint32 n_thin = leave_out_thin(&drawn, (uint32) PG_GETARG_INT32(6));
		if (n_thin > 0)
			put_left_out(&drawn, n_thin);
	}
	put_bars(&drawn);
	put_dummies(&drawn);
	put_bands(&drawn);
	ph_scratch_end(scratch);
	return (Datum) 0;
}

PH_FUNCTION(ph_sankey_layout_rows)
{
	return layout_rows(fcinfo, false);
}

PH_FUNCTION(ph_sankey_layout_others)
{
	return layout_rows(fcinfo, true);
}

/* White to red. */
static char *
heat_color(double share)
{
	int rest = (int) rint(255 * (1 - fmin(fmax(share, 0), 1)));
	return psprintf("#ff%02x%02x", rest, rest);
}

/* Shares of a bar that are own, absorbed (with residual) and its calls'; they add up to 1. */
static void
put_arcs(PhRows *rows, double inclusive, double exclusive, double absorbed)
{
	double own = inclusive > 0 ? fmin(fmax(exclusive / inclusive, 0), 1) : 0;
	double hidden = inclusive > 0 ? fmin(fmax(absorbed / inclusive, 0), 1 - own) : 0;
	ph_rows_number(rows, "arc__exclusive", own);
	ph_rows_number(rows, "arc__inclusive", 1 - own - hidden);
	ph_rows_number(rows, "arc__absorbed", hidden);
}

static void
put_graph_node(PhRows *rows, const PhSupergraph *graph, uint32 v, const PhSupergraphMeans *means,
			   double total, const PhLayoutBox *box)
{
	const PhSupernode *node = &graph->supernodes[v];
	ph_rows_text(rows, "id", node->name);
	ph_rows_text(rows, "title", node->label);
	ph_rows_text(rows, "subtitle",
				 psprintf("%u node%s, %u entr%s", node->n_members, node->n_members == 1 ? "" : "s",
						  node->n_entries, node->n_entries == 1 ? "y" : "ies"));
	ph_rows_number(rows, "mainstat", means->inclusive[v]);
	ph_rows_number(rows, "secondarystat", means->exclusive[v]);
	put_arcs(rows, means->inclusive[v], means->exclusive[v],
			 means->absorbed[v] + means->residual[v]);
	ph_rows_text(rows, "color", heat_color(total > 0 ? means->exclusive[v] / total : 0));
	ph_rows_number(rows, "fixedx", box != NULL ? box->x + box->width / 2 : NAN);
	ph_rows_number(rows, "fixedy", box != NULL ? box->y + box->height / 2 : NAN);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_node_graph_nodes)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	uint32 metric = ph_arg_metric(fcinfo, 1, graph->profile);
	PhScratch *scratch = ph_scratch_begin();
	PhSupergraphMeans means;
	PhLayout layout;
	PhSankeyOptions options = {.width = 1200, .height = 700};
	bool placed = ph_sankey_can_draw(graph, metric);
	PH_CHECK(&scratch->env, ph_supergraph_means(&scratch->arena, graph, metric, &means));
	if (placed)
		ph_sankey_of(scratch, graph, metric, &means, NULL, &options, &layout);
	double total = ph_profile_total(graph->profile, metric);
	for (uint32 v = 0; v < graph->n_supernodes; v++)
		put_graph_node(&rows, graph, v, &means, total, placed ? &layout.boxes[v] : NULL);
	ph_scratch_end(scratch);
	return (Datum) 0;
}
