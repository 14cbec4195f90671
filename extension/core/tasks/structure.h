/*
 * structure.h - logical structure of a trace of tasks: phases, their graph, steps.
 *
 * The result has the shape of any logical structure (logical/logical.h, logical/model.h), so
 * whatever works on those works on tasks: timelines are entities, locations are entity numbers of
 * the trace in normal order, regions are entry methods, messages are pairs of a receive and its
 * send. Steps of neighbours differ by at least 1 (logical.stride), as there are no aggregates.
 * Events of a timeline are in *logical* order: steps increase along it, times need not.
 *
 * One trace has one answer: all ties end in numbers of the trace's normal order. Method:
 * docs/design/logical-time.md 2, after Isaacs et al., SC'15.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TASKS_STRUCTURE_H
#define PH_TASKS_STRUCTURE_H

#include "logical/logical.h"
#include "tasks/trace.h"

typedef struct PhTaskOptions
{
	bool compat;			 /* as Ravel does it, where that ends */
	bool reorder;			 /* serial blocks within phases in order of their causes, not by time */
	bool by_coordinates;	 /* of equal causes, by where they are from the chare; else by number */
	bool absorb_when;		 /* the receive right before a serial is part of it */
	bool order_serials;		 /* serial n happened before serial n + 1 of a chare */
	bool repair_blocks;		 /* unite what would be one, were blocks not split at the runtime */
	bool merge_serials;		 /* unite where a phase's serials go on in several parts */
	bool infer_dependencies; /* order parts by the times of their first sources, chare by chare */
	bool leap_merge;		 /* unite what shares chares and cannot be ordered */
	bool use_edges;			 /* take the trace's declared and inferred dependencies */
	const char *break_functions; /* begin a part before entry methods whose names start with one of
								  * these, separated by commas; NULL: none */
} PhTaskOptions;

/* The design's defaults: everything but compat and reorder. */
void ph_task_options_default(PhTaskOptions *options);

typedef struct PhTaskStructure
{
	PhArena arena;
	const PhTaskTrace *trace;
	PhLogicalModel model; /* events in logical order */
	PhLogical logical;	  /* of model */

	/* by event of the model */
	uint32_t *event; /* in the trace; its block tells processor, entry method and times */

	/* by phase */
	uint8_t *is_runtime; /* has an event of runtime chares, or one that has a partner there */

	uint32_t n_initial_parts;
} PhTaskStructure;

/* trace must be finished and outlive the result; out must not be moved: parts of it point to it. */
PhStatus ph_task_structure_build(PhEnv *env, const PhTaskTrace *trace, const PhTaskOptions *options,
								 PhTaskStructure *out) PH_MUST_CHECK;
void ph_task_structure_free(PhTaskStructure *structure);

#endif
