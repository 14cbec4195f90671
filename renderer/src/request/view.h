/*
 * view.h - the views of `perfhouse render`: what they ask the database and how they are drawn.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REQUEST_VIEW_H
#define PH_REQUEST_VIEW_H

#include "drawing/page.h"
#include "drawing/scene.h"
#include "queries.h"
#include "request/given.h"
#include "request/options.h"
#include "request/rows.h"

/* What a view draws into. */
typedef struct PhDrawing
{
	PhArena *arena;
	const PhOptions *options;
	const PhViewRows *rows;
	PhScene *scene; /* already as wide and high as asked for */
	PhPage page;
	PhBody body;
	const char *too_small; /* words on marks that could not be drawn; a caption's last sentence,
							  which goes on where others are drawn plainly. NULL: none */
} PhDrawing;

typedef struct PhView
{
	const char *name;
	const char *summary; /* one line for help */
	const char *details; /* of help: what the picture shows (docs/help/render) */
	const char *place;	 /* where the web pages show it, among others: a page or a part of one */
	const char *label;	 /* as what */
	const char *options; /* the parameters taken beyond the common ones (ph_parameters_choose) */
	/* Rows (section, JSON object). A row of the section "error" has a message and perhaps a hint:
	 * there is nothing to draw. With word and candidates (an array) the nearest is suggested. */
	const PhQuery *query; /* NULL: it draws rows of --query only, and is not on web pages */
	/* What it draws of --query, column by column; NULL: it draws runs only. Values of the first two
	 * kinds take the place of those of runs in query, as :given and :given_b; plain rows become the
	 * section "given", and their columns "given_columns". */
	const PhGivenColumn *given;
	bool by_iteration; /* of a profile that has iterations as columns */
	/* What is shown of the vectors: "mean over columns", which are called what they are. */
	const char *reduction;
	double width, height; /* default size; height 0: as high as its contents */
	bool needs_ranks;	  /* shows single ranks: not of runs that are rolled up */
	bool many_runs;		  /* --application, --filter or --runs chooses them, not --run */
	/* What a view of many runs is of a single one (--run), or of a query. NULL: there is none. */
	const struct PhView *of_run;
	/* Size that the query lays out for, from the body's. NULL: the body's. */
	void (*layout_size)(const PhOptions *options, PhBody body, double *width, double *height);
	bool has_levels; /* of a super graph: no more than the layout's width has room for */
	/* False: *message says what is wrong with the options. NULL: nothing to check. */
	bool (*check)(const PhOptions *options, const char **message, const char **hint);
	void (*draw)(PhDrawing *drawing);
} PhView;

/* All views, ended by NULL. */
extern const PhView *const ph_views[];

/* NULL when there is no such view. */
const PhView *ph_view_find(const char *name);

/* The part of the picture that is the view's own. */
PhBody ph_view_body(const PhView *view, const PhOptions *options);

/* Draws a view from its rows: as SVG such that browsers can bear it (drawing/lighten.h). */
void ph_view_draw(const PhView *view, const PhOptions *options, const PhViewRows *rows,
				  PhFonts *fonts, PhArena *arena, PhFormat format, PhScene *scene);

extern const PhView ph_view_sankey, ph_view_window_graph, ph_view_sankey_compare, ph_view_flame,
	ph_view_flame_diff, ph_view_histogram, ph_view_scatter, ph_view_box, ph_view_timeline,
	ph_view_comm_matrix, ph_view_message_sizes, ph_view_time_profile, ph_view_logical,
	ph_view_step_overview, ph_view_logical_clusters, ph_view_trace_diff, ph_view_sankey_ensemble,
	ph_view_sankey_diff, ph_view_blame, ph_view_gpu_activity, ph_view_kernels, ph_view_cct,
	ph_view_processes, ph_view_metric;

/* of many runs, and of call graphs */
extern const PhView ph_view_history, ph_view_scaling, ph_view_function_graph,
	ph_view_function_neighbourhood, ph_view_function_arcs;

/* of plain rows */
extern const PhView ph_view_line, ph_view_bar, ph_view_heatmap;

/* of iterations of a run, and of grids of its ranks */
extern const PhView ph_view_iterations, ph_view_grid;

#endif
