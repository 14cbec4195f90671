/*
 * call_graph.h - functions and who calls whom, from rows; and layouts of them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_CALLS_CALL_GRAPH_H
#define PH_VIEWS_CALLS_CALL_GRAPH_H

#include "drawing/page.h"
#include "layout/layers.h"
#include "request/rows.h"

typedef struct PhFunction
{
	const char *name, *module; /* module NULL: unknown */
	uint32_t n_nodes;		   /* of the call tree */
	double inclusive, exclusive;
	double calls; /* NaN: not counted */
	bool selected, is_caller, is_callee;
} PhFunction;

typedef struct PhCall
{
	uint32_t caller, callee; /* functions */
	uint32_t n_nodes;
	double inclusive, calls;
	double *values; /* inclusive of every node, n_nodes of them, greatest first: a sample, of no
					   place */
} PhCall;

/* A node of the selected function or of one around it. */
typedef struct PhContext
{
	const char *node;
	uint32_t function;
	const char *caller;
	double inclusive, exclusive, calls;
} PhContext;

typedef struct PhCallGraph
{
	uint32_t n, n_calls, n_contexts;
	PhFunction *functions;
	PhCall *calls; /* heaviest first */
	PhContext *contexts;
	uint32_t selected; /* UINT32_MAX: none */
	bool given;		   /* the caller chose the selected one */
	bool counted;	   /* numbers of calls are known */
	double total;	   /* of all inclusive cost */
	const char *unit_name, *run;
	double n_others, others_nodes, others_exclusive;
} PhCallGraph;

/* Sections functions, calls, contexts, selected, others. */
void ph_call_graph_read(PhArena *arena, const PhViewRows *rows, PhCallGraph *out);

/* ---- layered layout ---- */

/* Functions as nodes of given sizes and weights, calls as edges. Edge i: call i. */
void ph_call_graph_layers(PhArena *arena, const PhCallGraph *graph, const PhLayersNode *nodes,
						  double gap, double least_width, PhLayers *out);

/* The line of a call through its bends; offset: how far below its place, for lines side by side. */
void ph_call_path(PhPath *path, const PhCallGraph *graph, const PhLayers *layers, uint32_t call,
				  double offset, PhBody where);

/* ---- neighbourhood ---- */

#define PH_INNER 12.0 /* a box per node, with its distance */
#define PH_INNER_ACROSS 12
#define PH_INNER_MOST 48 /* boxes drawn per function */
#define PH_OUTER_WIDTH 176.0
#define PH_OUTER_HEAD 34.0

/* A function of the neighbourhood; several of the least ones may be added up. */
typedef struct PhNeighbour
{
	uint32_t function; /* UINT32_MAX: others added up */
	uint32_t n_functions, n_nodes;
	double inclusive, calls; /* of the calls between it and the function in the middle */
	double x, y, height;	 /* box: left, top */
	double thickness, port;	 /* band: thickness, and top of its end at the middle box */
} PhNeighbour;

typedef struct PhNeighbourhood
{
	uint32_t n_callers, n_callees;
	PhNeighbour *callers, *callees;
	PhNeighbour middle;
	double self_inclusive, self_calls; /* recursion */
	uint32_t self_nodes;
	double width, height;
} PhNeighbourhood;

/* At most most functions a side, the others added up. Heights fit; thickness is by calls, by
 * inclusive cost when calls are not counted. */
void ph_neighbourhood_place(PhArena *arena, const PhCallGraph *graph, uint32_t most, double width,
							PhNeighbourhood *out);

/* ---- shared drawing ---- */

/* The name without a beginning that says nothing: "0x1a2b [libm.so]". */
const char *ph_function_label(const PhFunction *function);

/* "main\n12 nodes ..." */
const char *ph_function_tooltip(PhArena *arena, const PhCallGraph *graph, uint32_t function);
/* Attributes of the open group of a function. */
void ph_function_data(PhScene *scene, const PhCallGraph *graph, uint32_t function);
/* "54 more functions with 1.2 s of their own are not drawn". NULL: none. */
const char *ph_others_text(PhArena *arena, const PhCallGraph *graph);

#endif
