/*
 * waits.h - the waits of a stored trace and what caused them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_WAITS_H
#define PH_BLAME_WAITS_H

#include "blame/device_places.h"
#include "blame/stored_dependences.h"
#include "blame/unit_costs.h"
#include "trace/skeletons.h"

/* Everything is in the scratch memory of the trace. */
typedef struct PhBlamedRun
{
	PhTraceRun *trace;
	PhSkeleton *skeleton;
	const PhStoredWork *work; /* of devices; NULL: it has none */
	PhWaitStates waits;		  /* with those for devices */
	PhWaitStates path_waits;  /* those that the critical path follows */
	PhDevicePlaces *places;	  /* NULL: without devices */
	PhTraceTree *tree;
	const uint32 *wait_nodes; /* of the tree, by wait; PH_NONE */
	PhBlameInput input;
	PhBlame blame;
	const char **paths; /* by node, made when asked for */
	PhOnPath *on_path;	/* NULL: not asked for */
} PhBlamedRun;

/* Waits that end in the window are blamed. The trace was begun with regions and communicators. */
PhBlamedRun *ph_blamed_run(PhTraceRun *trace, const PhTraceWindow *window);

/* All of the trace, and what call paths took of its critical path. */
PhBlamedRun *ph_blamed_run_on_path(PhTraceRun *trace);

/* What costs by call path and location are made of. */
PhUnitCostInput ph_blamed_cost_input(const PhBlamedRun *run);

/* Do its locations wait for each other in any way that is recorded? */
bool ph_blamed_communicates(const PhBlamedRun *run);

/* "main/solve/MPI_Recv" of a node of the tree, as profile/node_path.h cuts it; NULL: PH_NONE. */
const char *ph_blamed_path(PhBlamedRun *run, uint32 node);

/* The name of a node's region; NULL: PH_NONE. */
const char *ph_blamed_region(const PhBlamedRun *run, uint32 node);

#endif
