/*
 * caliper.h - what the Caliper readers share: roles and metrics of attributes, rows, context trees.
 *
 * A Caliper file is a table of rows. Each row refers to nodes of a context tree (its call path is
 * the nested part of the way to the root) and holds immediate values (rank, iteration, metrics).
 *
 * Choices: cost outside any region is not in the tree; its sums are in the metadata
 * ("outside_regions:METRIC") and in a note. Cost that was measured before the rank was known
 * (rows without a rank in a file that has ranks) is spread evenly over the ranks. In files that
 * are aggregated over ranks, flow metrics are divided by mpi.world.size, so that values are means
 * per rank like everywhere else.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_CALIPER_CALIPER_H
#define PH_READERS_CALIPER_CALIPER_H

#include "base/table.h"
#include "readers/input.h"

typedef enum PhCaliperRole
{
	PH_CALIPER_SKIP = 0, /* structure, identifiers, helpers */
	PH_CALIPER_METRIC,
	PH_CALIPER_RANK,
	PH_CALIPER_THREAD,
	PH_CALIPER_ITERATION
} PhCaliperRole;

/* An attribute or column as the file names it. */
typedef struct PhCaliperField
{
	const char *name;
	const char *alias; /* attribute.alias or NULL */
	const char *unit;  /* attribute.unit or NULL */
	uint64_t n_uses;   /* rows that have it, as far as the reader knows */
	PhCaliperRole role;

	/* set by ph_caliper_add_metrics for metrics */
	uint32_t metric;
	const char *metric_name;
	PhCost cost;
	bool flow;
	bool has_partner; /* exclusive and inclusive values are both given */
	double scale;	  /* from the file's values to the metric's */
	bool of_kernels;  /* counts activities, of which kernels are taken alone */
} PhCaliperField;

/* The name of how long activities of devices took; true when each value is of one activity. */
bool ph_caliper_is_activity_time(const char *name, bool *is_single);

PhCaliperRole ph_caliper_role(const char *name, const char *alias);

/* Kind of the region that a path label stands for: the same from every Caliper format. */
PhRegionKind ph_caliper_region_kind(const char *label);

/*
 * Add the metrics of the fields with role METRIC, the primary time first, exclusive and inclusive
 * partners as one, and keep one iteration field, the others become SKIP. version:
 * cali.caliper.version or NULL, it tells the unit of times that do not name one; in files that are
 * not Caliper's (is_caliper false) such a unit stays unknown.
 */
PhStatus ph_caliper_add_metrics(PhArena *arena, PhProfileBuilder *builder, PhCaliperField *fields,
								uint32_t n_fields, const char *version,
								bool is_caliper) PH_MUST_CHECK;

/* ---- rows ---- */

/* A value that waits until all ranks are known. */
typedef struct PhCaliperWaiting
{
	uint32_t field, node;
	int32_t thread;
	int64_t iteration;
	double value;
} PhCaliperWaiting;

typedef struct PhCaliperRows
{
	PhArena *arena;
	PhProfileBuilder *builder;
	const PhCaliperField *fields;
	bool has_ranks;	   /* rows without a rank belong to all ranks */
	bool has_threads;  /* rows without a thread belong to thread 0 */
	uint32_t world;	   /* processes that one column stands for, 1: one */
	double *outside;   /* per field: cost outside any region */
	bool *has_outside; /* per field */
	PhRecords ranks;   /* distinct ranks */
	PhCaliperWaiting *waiting;
	uint32_t n_waiting, waiting_capacity;

	/* the current row */
	uint32_t node, column;
	int32_t rank, thread;
	int64_t iteration;
	bool column_known;
	bool is_kernel; /* set by the reader, before values */
} PhCaliperRows;

PhStatus ph_caliper_rows_init(PhCaliperRows *rows, PhArena *arena, PhProfileBuilder *builder,
							  const PhCaliperField *fields, uint32_t n_fields) PH_MUST_CHECK;

/* Begin a row: node PH_NONE = outside any region; PH_NO_NUMBER, PH_NO_ITERATION = not given. */
PhStatus ph_caliper_row(PhCaliperRows *rows, uint32_t node, int32_t rank, int32_t thread,
						int64_t iteration) PH_MUST_CHECK;

/* A metric value of the current row. */
PhStatus ph_caliper_value(PhCaliperRows *rows, uint32_t field, double value) PH_MUST_CHECK;

/* All rows are in: place what waits, note what lies outside, count ranks. */
PhStatus ph_caliper_rows_finish(PhCaliperRows *rows, PhEnv *env, uint32_t n_fields,
								PhRunInput *run) PH_MUST_CHECK;

/* ---- activities of devices ---- */

/* What attributes beside the call path say of an activity. */
typedef enum PhCaliperPart
{
	PH_CALIPER_ACTIVITY, /* "kernel", "memcpy", "KernelExecution" */
	PH_CALIPER_KERNEL,	 /* its name */
	PH_CALIPER_DIRECTION,
	PH_CALIPER_PARTS,
	PH_CALIPER_NO_PART = PH_CALIPER_PARTS
} PhCaliperPart;

typedef struct PhCaliperParts
{
	const char *text[PH_CALIPER_PARTS]; /* NULL: not given */
} PhCaliperParts;

PhCaliperPart ph_caliper_part(const char *attribute);

bool ph_caliper_is_kernel(const PhCaliperParts *parts);

/* From the path of a row to its activity, which lies below the call that launched it; a kernel
 * without a name is no node: its cost is that call's. */
PhStatus ph_caliper_add_activity(PhProfileBuilder *builder, const PhCaliperParts *parts,
								 uint32_t *path) PH_MUST_CHECK;

/* ---- context tree ---- */

typedef struct PhContextTree
{
	PhArena *arena;
	PhProfileBuilder *builder;
	uint32_t n_nodes;
	const uint32_t *parent; /* PH_NONE: a root */
	uint32_t *path;			/* builder's node of the way from the root, once visited */
	bool *visited;
	uint32_t *stack; /* scratch */
	/* Region of one node (PH_NONE: not part of the path); called once, parents first. */
	PhStatus (*region)(void *user, uint32_t node, uint32_t *region);
	void *user;
} PhContextTree;

/* Arrays for n_nodes; PH_ERR_FORMAT with the node on a cycle in *bad. */
PhStatus ph_context_init(PhContextTree *tree, PhArena *arena, uint32_t n_nodes,
						 const uint32_t *parent, uint32_t *bad) PH_MUST_CHECK;

/* Builder's node for the path that ends at node; PH_NONE when no nested node is on it. */
PhStatus ph_context_path(PhContextTree *tree, uint32_t node, uint32_t *out) PH_MUST_CHECK;

/* Application and title from the metadata, ranks from mpi.world.size and the like. */
int32_t ph_caliper_world_size(const PhMeta *meta);

#endif
