/*
 * supergraph.h - the value `supergraph`: a partition of a profile's segments into supernodes.
 *
 * Method: docs/design/supergraph.md 2-4 (after CallFlow): segments are the atoms; every supernode
 * is a set of segments with one label; the quotient is acyclic; splits are refinements.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SUPERGRAPH_SUPERGRAPH_H
#define PH_SUPERGRAPH_SUPERGRAPH_H

#include "profile/cells.h"
#include "profile/profile.h"
#include "supergraph/group_by.h"

/* Maximal connected set of nodes with one label. */
typedef struct PhSegment
{
	uint32_t entry;		/* top node */
	uint32_t parent;	/* segment, PH_NONE for roots */
	uint32_t supernode; /* index into supernodes */
} PhSegment;

typedef struct PhSupernode
{
	const char *name;	  /* unique: "lib", "lib#1", "lib-entry", "lib/file" */
	const char *label;	  /* group label, e.g. the module's base name */
	uint32_t duplicate;	  /* k of lib#k, else 0 */
	uint32_t level;		  /* longest path from a source */
	uint32_t n_members;	  /* nodes */
	uint32_t n_entries;	  /* entry functions (distinct) */
	uint32_t n_instances; /* segments */
	bool ambiguous;		  /* split by callee had to choose the heaviest */
} PhSupernode;

typedef struct PhSuperedge
{
	uint32_t source;
	uint32_t target;
} PhSuperedge;

typedef enum PhSupergraphStepKind
{
	PH_STEP_SPLIT_ENTRY = 0,
	PH_STEP_SPLIT_CALLER = 1,
	PH_STEP_SPLIT_CALLEE = 2,
	PH_STEP_DRILL_DOWN = 3,
	PH_STEP_COUNT
} PhSupergraphStepKind;

/* A refinement as it was asked for, so that repopulate can do it again. */
typedef struct PhSupergraphStep
{
	uint8_t kind;				  /* PhSupergraphStepKind */
	uint8_t by;					  /* drill down: PhGroupBy; split by caller: 1 = by function */
	const char *node;			  /* name of the supernode that was refined */
	uint32_t n_functions;		  /* split by entry; 0: all */
	const char *const *functions; /* NULL when n_functions is 0 */
} PhSupergraphStep;

typedef struct PhSupergraph
{
	PhArena arena;
	PhProfile *profile;	  /* owned; carries unfiltered for repopulate */
	const char *group_by; /* as asked for, for captions and the next drill-down */
	uint32_t n_steps;	  /* refinements since ph_supergraph_build */
	PhSupergraphStep *steps;

	uint32_t *segment_of; /* node -> segment */
	uint32_t n_segments;
	PhSegment *segments; /* by entry node */

	uint32_t n_supernodes;
	PhSupernode *supernodes; /* by (level, name) */
	uint32_t *member_start;	 /* members of v: members[member_start[v]..member_start[v + 1]) */
	uint32_t *members;		 /* nodes, ascending within a supernode */
	uint32_t n_edges;
	PhSuperedge *edges; /* by (source, target) */
} PhSupergraph;

/* Maps a file, library or function name to a module: lines "regex<TAB or = >module", first match
 * wins. */
typedef struct PhModuleMap PhModuleMap;
PhStatus ph_module_map_parse(PhArena *arena, const char *text, PhModuleMap **out) PH_MUST_CHECK;
/* NULL when no pattern matches name, file or library. */
const char *ph_module_map_apply(const PhModuleMap *map, const char *name, const char *file,
								const char *library);

/* Takes ownership of profile on success. map may be NULL. */
PhStatus ph_supergraph_build(PhEnv *env, PhProfile *profile, PhGroupBy by, const PhModuleMap *map,
							 PhSupergraph **out) PH_MUST_CHECK;
void ph_supergraph_free(PhEnv *env, PhSupergraph *graph);

PhStatus ph_supergraph_copy(PhEnv *env, const PhSupergraph *graph,
							PhSupergraph **out) PH_MUST_CHECK;

/* Index by name, or PH_NONE. */
uint32_t ph_supergraph_find(const PhSupergraph *graph, const char *name);

/*
 * Vector over columns of a supernode or an edge for a metric; out has profile->n_columns elements.
 * O(cells of members + columns): whoever wants those of many supernodes takes rows.
 * Supernode: PH_COST_INCLUSIVE = I_r(v), _EXCLUSIVE = E_r(v) without absorbed, _ABSORBED,
 * _RESIDUAL, _OWN = exclusive + absorbed + residual. Edge: w_r. Source flow: S_r(v).
 */
void ph_supergraph_node_vector(const PhSupergraph *graph, uint32_t node, uint32_t metric,
							   PhCost cost, double *out);
void ph_supergraph_edge_vector(const PhSupergraph *graph, uint32_t edge, uint32_t metric,
							   double *out);
void ph_supergraph_source_vector(const PhSupergraph *graph, uint32_t node, uint32_t metric,
								 double *out);

/*
 * The same for the columns that the supernode or edge has at all: those of `runs` (with `before`
 * cells of the row before them), at values[column]. Elsewhere a vector is 0, of a ratio NaN. A row
 * is filled again and again; each time it costs the cells that are added up.
 */
typedef struct PhSupergraphRow
{
	PhArena *arena;
	uint32_t n; /* columns that there are */
	PhColumnRuns runs;
	double *values;
	double *below; /* denominators; as counts, and set between the calls, all 0 elsewhere */
	uint32_t *counts;
	PhColumnSet set;
} PhSupergraphRow;

PhStatus ph_supergraph_row_init(PhSupergraphRow *row, PhArena *arena,
								uint32_t n_columns) PH_MUST_CHECK;
PhStatus ph_supergraph_node_row(PhSupergraphRow *row, const PhSupergraph *graph, uint32_t node,
								uint32_t metric, PhCost cost) PH_MUST_CHECK;
PhStatus ph_supergraph_edge_row(PhSupergraphRow *row, const PhSupergraph *graph, uint32_t edge,
								uint32_t metric) PH_MUST_CHECK;
PhStatus ph_supergraph_source_row(PhSupergraphRow *row, const PhSupergraph *graph, uint32_t node,
								  uint32_t metric) PH_MUST_CHECK;

/*
 * Means over columns of every supernode and edge in one pass: O(nodes + cells). Ratios are
 * quotients of means (NaN where the denominator is 0).
 */
typedef struct PhSupergraphMeans
{
	double *inclusive, *exclusive, *absorbed, *residual, *source; /* per supernode */
	double *weight;												  /* per edge */
} PhSupergraphMeans;
PhStatus ph_supergraph_means(PhArena *arena, const PhSupergraph *graph, uint32_t metric,
							 PhSupergraphMeans *out) PH_MUST_CHECK;

/*
 * What a filter took from supernodes, for pictures: all of one level as one more supernode of the
 * next level, with an edge from each that lost something. Its value is the sum of what they
 * absorbed, n_paths of how many call paths of the unfiltered profile. Levels that lost less than
 * `least`, or nothing that can be counted, have none. Of a profile of two columns (two sides of a
 * comparison) more and less are the sums over these call paths of what the second column has more
 * and less than the first of their own cost, less as a positive number: a difference of sums would
 * hide what cancels out. NaN of others.
 */
typedef struct PhSupergraphOther
{
	const char *name, *label; /* "<others 3>" by its level, "41 others" */
	uint32_t level, n_paths;
	double value, more, less;
} PhSupergraphOther;

typedef struct PhSupergraphOthers
{
	uint32_t n;
	PhSupergraphOther *items; /* by level */
	uint32_t *of;			  /* per supernode: where its loss is, or PH_NONE */
} PhSupergraphOthers;

/* absorbed: as ph_supergraph_means has it of the metric. */
PhStatus ph_supergraph_others(PhArena *arena, const PhSupergraph *graph, uint32_t metric,
							  const double *absorbed, double least,
							  PhSupergraphOthers *out) PH_MUST_CHECK;

/*
 * By node of a filtered profile: the call paths that the filter left out and whose cost it
 * absorbed. All 0 when nothing was filtered. counts has profile->n_nodes elements.
 */
PhStatus ph_profile_absorbed_paths(PhArena *arena, const PhProfile *profile,
								   uint32_t *counts) PH_MUST_CHECK;

typedef struct PhEntryRow
{
	uint32_t node;		  /* supernode */
	const char *function; /* entry function */
	const char *caller;	  /* caller function, NULL in entry rows summed over callers or for roots */
	uint32_t caller_node; /* supernode of the caller, PH_NONE for roots */
	uint32_t instances;
	double inclusive; /* mean over columns */
} PhEntryRow;

/* Entry functions of a supernode, heaviest first; by_caller: one row per (function, caller, node).
 */
PhStatus ph_supergraph_entries(PhArena *arena, const PhSupergraph *graph, uint32_t node,
							   uint32_t metric, bool by_caller, PhEntryRow **rows,
							   uint32_t *n_rows) PH_MUST_CHECK;

/* ---- refinements; all make a new graph with its own copy of the profile ---- */

/* Names, or patterns "/regex/", or named groups "mpi-collective", "mpi-p2p"; n 0 = all functions.
 */
PhStatus ph_supergraph_split_entry(PhEnv *env, const PhSupergraph *graph, uint32_t node, uint32_t n,
								   const char *const *functions, PhSupergraph **out) PH_MUST_CHECK;
/* by_function: granularity is the caller function instead of the caller's supernode. */
PhStatus ph_supergraph_split_caller(PhEnv *env, const PhSupergraph *graph, uint32_t node,
									bool by_function, PhSupergraph **out) PH_MUST_CHECK;
PhStatus ph_supergraph_split_callee(PhEnv *env, const PhSupergraph *graph, uint32_t node,
									PhSupergraph **out) PH_MUST_CHECK;
/* Replace the label by a finer one inside node only; names "node/file". */
PhStatus ph_supergraph_drill_down(PhEnv *env, const PhSupergraph *graph, uint32_t node,
								  PhGroupBy by, PhSupergraph **out) PH_MUST_CHECK;
/*
 * Same partition, costs of the kept columns only, so that two parts of the columns can be compared
 * bar by bar. (repopulate builds anew from the kept columns: repopulate first.)
 */
PhStatus ph_supergraph_restrict(PhEnv *env, const PhSupergraph *graph, const bool *keep_column,
								PhSupergraph **out) PH_MUST_CHECK;
/* Same partition of how much changed, whatever its sign: ph_profile_gross. */
PhStatus ph_supergraph_gross(PhEnv *env, const PhSupergraph *graph,
							 PhSupergraph **out) PH_MUST_CHECK;
/*
 * Bring back what a filter removed: the functions whose total reaches share, of what node absorbed
 * (PH_NONE: everywhere). The graph is built anew and its refinements are done again by name. A
 * graph that carries nothing filtered comes back as a copy.
 */
PhStatus ph_supergraph_repopulate(PhEnv *env, const PhSupergraph *graph, uint32_t node,
								  double share, PhSupergraph **out) PH_MUST_CHECK;

/* ---- stored form: the profile's flat form plus labels and partition; checked like it ---- */
PhStatus ph_supergraph_flat_size(PhEnv *env, const PhSupergraph *graph, size_t *out) PH_MUST_CHECK;
PhStatus ph_supergraph_flatten(PhEnv *env, const PhSupergraph *graph, uint8_t *out) PH_MUST_CHECK;
PhStatus ph_supergraph_unflatten(PhEnv *env, const uint8_t *bytes, size_t size,
								 PhSupergraph **out) PH_MUST_CHECK;

#endif
