/*
 * internal.h - the inside of PhTraceTree, shared by the files of trace/tree.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_TREE_INTERNAL_H
#define PH_TRACE_TREE_INTERNAL_H

#include "base/table.h"
#include "trace/chunk/codec.h"
#include "trace/tree/launches.h"
#include "trace/tree/teams.h"
#include "trace/tree/tree.h"

/* A member of a metric class, whose growth is attributed (metric) or not (PH_NONE). */
typedef struct PhTreeMember
{
	PhTraceValueType type;
	uint32_t metric;
} PhTreeMember;

/* A metric of the profile. */
typedef struct PhTreeMetric
{
	const char *name, *unit;
	double scale;
	bool is_recorded;
	bool is_ours; /* of devices: no counter of the trace */
} PhTreeMetric;

/* The members of a class are members[first..first + n). */
typedef struct PhTreeClass
{
	uint32_t first, n;
} PhTreeClass;

/* Where the counters of a location stand. */
typedef struct PhTreeCounters
{
	uint64_t *values; /* by member */
	bool *is_known;
} PhTreeCounters;

/*
 * An open call. node and cell (of the node in the location at hand) are known once the call is in
 * the window. fork: the fork path that it hangs below, where a thread team began; PH_NONE: it hangs
 * below the call around it. own_path: its number among the fork paths; PH_NONE: nobody has forked
 * below it yet.
 */
typedef struct PhTreeCall
{
	uint32_t region, node, cell, fork, own_path;
} PhTreeCall;

/* Metrics of devices, behind those of the trace. */
typedef enum PhDeviceMetric
{
	PH_DEVICE_TIME,
	PH_DEVICE_KERNELS,
	PH_DEVICE_BYTES,
	PH_DEVICE_METRICS
} PhDeviceMetric;

/* An activity that has not ended. */
typedef struct PhTreeActivity
{
	uint32_t region, launch; /* PH_NONE: nobody is known to have launched it */
	int64_t ns;				 /* in the chunk at hand and the window */
	uint64_t bytes;
	bool counts;	  /* in the chunk at hand it has begun, in the window */
	bool takes_bytes; /* it began in the window; its record may be in the next chunk */
} PhTreeActivity;

/* What activities of one region took whose launching call has not been met. */
typedef struct PhTreePending
{
	uint32_t location, region, launch;
	uint32_t n;
	int64_t ns;
	uint64_t bytes;
} PhTreePending;

/* Activities on streams of devices (tree.h). */
typedef struct PhTreeDevices
{
	uint32_t n_locations; /* 0: the trace has no streams */
	bool *is_stream;	  /* by location */
	uint32_t *home;		  /* of a stream: the location that has what nobody launched */
	uint32_t n_regions;
	bool *is_kernel; /* by region */
	uint32_t first_metric;
	const PhLaunches *launches; /* NULL: none are known */
	uint32_t *launch_node;		/* by launch; PH_NONE: not met */
	PhMap cells;				/* (location, node) to cell */
	uint32_t location;			/* of the chunk before; PH_NONE */
	PH_VECTOR(PhTreeActivity) open;
	PH_VECTOR(PhTreePending) pending;
} PhTreeDevices;

struct PhTraceTree
{
	PhEnv *env;
	PhArena arena;

	uint32_t n_nodes, node_capacity;
	uint32_t *parent, *region;
	uint32_t *last_child; /* of a node, looked up last; PH_NONE */
	uint32_t *follower;	  /* of a node: the sibling that was looked up after it; PH_NONE */
	uint32_t last_root;
	uint32_t *cell_of; /* of a node in the location at hand, if >= first_cell and of that node */
	PhMap children;	   /* (parent, region) to node */

	/*
	 * The cells of a location are neighbours, from first_cell on, while it is at hand. A location
	 * that comes a second time gets new cells; cells of one (node, location) are added up in the
	 * result.
	 */
	uint32_t location; /* at hand; PH_NONE */
	uint32_t n_cells, cell_capacity, first_cell;
	PhTreeCell *cells;
	double *growth;	 /* by cell and metric */
	bool *has_calls; /* by location */
	uint32_t n_has_calls;

	PhTreeWatch watch; /* NULL: nobody wants to know */
	void *watch_user;

	PH_VECTOR(PhStretch) stretches;	  /* of the chunk at hand, if somebody does */
	PH_VECTOR(PhTreeCall) open_calls; /* likewise */
	PH_VECTOR(PhTreeCell) merged;	  /* what ph_trace_tree_cells answered */
	PhTreeTeams teams;
	PhTreeDevices devices;

	uint32_t n_classes, n_members, n_metrics;
	PhTreeClass *classes;
	PhTreeMember *members;
	PhTreeMetric *metrics;
	PhMap counter_of; /* location to counters */
	uint32_t n_counters, counter_capacity;
	PhTreeCounters *counters;
	uint64_t n_resets;
};

/* The accumulated metrics of a model. */
PhStatus ph_tree_add_metrics(PhTraceTree *tree, const PhTraceModel *model) PH_MUST_CHECK;

/* The counters of a location, all unknown at first. */
PhStatus ph_tree_find_counters(PhTraceTree *tree, uint32_t location,
							   PhTreeCounters **out) PH_MUST_CHECK;

/* Where the counters of a location stand in another tree. */
PhStatus ph_tree_move_counters(PhTraceTree *tree, PhTraceTree *other,
							   uint32_t location) PH_MUST_CHECK;

/*
 * A record of a metric class: move the counters, and add what they grew to the metrics of a cell
 * (PH_NONE: to none).
 */
void ph_tree_record(PhTraceTree *tree, PhTreeCounters *counters, uint32_t metric_class,
					const uint64_t *values, uint32_t n_values, uint32_t cell);

/* What is to be unpacked of chunks. */
static inline uint32_t
ph_tree_wants(const PhTraceTree *tree)
{
	return tree->n_metrics > 0 || tree->teams.has_threads ? PH_WANT_CALLS | PH_WANT_EXTRA
														  : PH_WANT_CALLS;
}

/* The child of a node (PH_NONE: the root) with this region, made when new, by the table. */
PhStatus ph_tree_find_child(PhTraceTree *tree, uint32_t parent, uint32_t region,
							uint32_t *out) PH_MUST_CHECK;

/*
 * The child of a node with this region, made when new. Programs repeat their calls in loops, so the
 * child that was looked up last is tried first, then the sibling that was looked up after that one
 * the last time; only then the table is asked. Both guesses are updated.
 */
static inline PhStatus
ph_tree_child(PhTraceTree *tree, uint32_t parent, uint32_t region, uint32_t *out)
{
	uint32_t last = parent == PH_NONE ? tree->last_root : tree->last_child[parent];
	uint32_t node = last;
	if (last != PH_NONE && tree->region[last] != region)
		node = tree->follower[last];
	if (node == PH_NONE || tree->region[node] != region)
		PH_TRY(ph_tree_find_child(tree, parent, region, &node));
	if (last != PH_NONE && last != node)
		tree->follower[last] = node;
	*(parent == PH_NONE ? &tree->last_root : &tree->last_child[parent]) = node;
	*out = node;
	return PH_OK;
}

/* Add a chunk whose forks are known, as far as they ever will be. */
PhStatus ph_tree_walk(PhTraceTree *tree, const PhChunk *chunk, const PhChunkReader *reader,
					  int64_t from, int64_t to) PH_MUST_CHECK;

/* ---- trace/tree/devices.c ---- */

/* What the tree needs to know of a model's streams; metrics of devices when it has some. */
PhStatus ph_tree_devices_init(PhTraceTree *tree, const PhTraceModel *model) PH_MUST_CHECK;

static inline bool
ph_tree_is_stream(const PhTraceTree *tree, uint32_t location)
{
	return location < tree->devices.n_locations && tree->devices.is_stream[location];
}

/* Take in what another tree knows of activities; node_of: by its nodes. */
PhStatus ph_tree_devices_merge(PhTraceTree *tree, const PhTraceTree *other,
							   const uint32_t *node_of) PH_MUST_CHECK;

/* Everything was added. */
PhStatus ph_tree_devices_settle(PhTraceTree *tree) PH_MUST_CHECK;

void ph_tree_devices_free(PhTraceTree *tree);

/* One more cell. */
PhStatus ph_tree_add_cell(PhTraceTree *tree, uint32_t node, uint32_t location,
						  uint32_t *out) PH_MUST_CHECK;

#endif
