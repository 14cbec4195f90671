/*
 * tree.h - the call tree of a trace: what each call path took in each location.
 *
 * Fed chunk by chunk. A chunk's calls need no other chunk, so that chunks may come in any order and
 * from any thread's tree; only metrics and thread teams need the chunks of a location in order, in
 * one tree. Locations come in any order.
 * Method: every stretch of time between two events belongs to the call path that is open; so calls
 * that are never left end with their location's last event. O(events), one hash table of (parent,
 * region), one cell for each (node, location) that occurs.
 * Threads: what a worker calls between THREAD_TEAM_BEGIN and THREAD_TEAM_END belongs below the call
 * path at which the master of the team, whose THREAD_TEAM_BEGIN follows its THREAD_FORK, forked;
 * the worker's j-th beginning of a team is the master's j-th. One or two bytes a fork, of the
 * master alone. Chunks of a worker that come before the fork wait in memory, compressed as they
 * are: feed masters first. Without the fork calls are roots, as they are outside of teams.
 *
 * Devices: an activity of a stream is a node below the call that launched it, in the location of
 * that call, with metrics of its own: gpu time, gpu kernels, gpu copy bytes. Device time runs
 * beside the host's and is no part of its time. What nobody launched, or a call outside of the
 * window, is a root, in the first location of the stream's rank. Needs the chunks of a stream in
 * order.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_TREE_TREE_H
#define PH_TRACE_TREE_TREE_H

#include "profile/builder.h"
#include "trace/chunk/chunk.h"
#include "trace/tree/launches.h"

typedef struct PhTraceTree PhTraceTree;

/*
 * model: its accumulated metrics are attributed to call paths; NULL: none are. The tree keeps
 * what it needs of it. Metrics of one name are one metric, whatever class they are in; the values
 * of those whose units differ are not attributed, but for the first's.
 */
PhStatus ph_trace_tree_new(PhEnv *env, const PhTraceModel *model, PhTraceTree **out) PH_MUST_CHECK;
void ph_trace_tree_free(PhTraceTree *tree);

/* What a chunk must be opened with for this tree. */
uint32_t ph_trace_tree_wants(const PhTraceTree *tree);

/*
 * The times whose chunks must be fed for a window: as they are, or with threads all, since forks
 * are counted from the first on and a worker may begin before its master does.
 */
void ph_trace_tree_feed(const PhTraceTree *tree, int64_t *from, int64_t *to);

/*
 * Add what happened in [from, to) (INT64_MIN, INT64_MAX: all): of calls that overlap the window,
 * the overlap. Visits: calls that overlap it, that is enter < to and leave >= from. Feed every
 * chunk that has an event at or after from and t_prev < to, with from and to of ph_trace_tree_feed.
 *
 * A metric's growth between two of its records goes to the call path that is open at the second
 * one, when that is in [from, to); the first record of a location only says where it starts. A
 * counter that went backwards was reset: nothing is added, and it is counted.
 */
PhStatus ph_trace_tree_add_chunk(PhTraceTree *tree, const PhChunk *chunk,
								 const PhChunkReader *reader, int64_t from,
								 int64_t to) PH_MUST_CHECK;

/* Time that went to a call path, from < to. */
typedef struct PhStretch
{
	int64_t from, to;
	uint32_t node;
} PhStretch;

/*
 * Somebody wants to know each stretch of time that goes to a call path in the window, those of a
 * chunk at once. Those of a location come by time, a call path's time is mostly in many of them. To
 * be said before the first chunk.
 */
typedef PhStatus (*PhTreeWatch)(void *user, uint32_t location, const PhStretch *stretches,
								uint32_t n);
void ph_trace_tree_watch(PhTraceTree *tree, PhTreeWatch watch, void *user);

/* Who launched what: to be said before the first chunk; must outlive the tree's last one. */
PhStatus ph_trace_tree_launches(PhTraceTree *tree, const PhLaunches *launches) PH_MUST_CHECK;

/*
 * The same as ph_trace_tree_add_chunk for a chunk of a stream, of which it is known who launched
 * its calls. launched: by ENTER, the number of the call in the launches; PH_NONE: nobody.
 */
PhStatus ph_trace_tree_add_activities(PhTraceTree *tree, const PhChunk *chunk,
									  const PhChunkReader *reader, const uint32_t *launched,
									  int64_t from, int64_t to) PH_MUST_CHECK;

/* Add another thread's tree of the same model; other is used up (free it). */
PhStatus ph_trace_tree_merge(PhTraceTree *tree, PhTraceTree *other) PH_MUST_CHECK;

/* Everything was added: what still waits for a fork has none. Before anything below is asked. */
PhStatus ph_trace_tree_settle(PhTraceTree *tree) PH_MUST_CHECK;

/*
 * Where the tree has an activity of a stream: its node, and the location in which that counts. To
 * be asked when everything was added.
 */
PhStatus ph_trace_tree_place_activity(PhTraceTree *tree, uint32_t stream, uint32_t launch,
									  uint32_t region, uint32_t *node,
									  uint32_t *location) PH_MUST_CHECK;

/* Nodes count from 0, a parent before its children; in order of meeting. */
uint32_t ph_trace_tree_n_nodes(const PhTraceTree *tree);
uint32_t ph_trace_tree_parent(const PhTraceTree *tree, uint32_t node); /* PH_NONE: a root */
uint32_t ph_trace_tree_region(const PhTraceTree *tree, uint32_t node);

/* Of one node in one location. */
typedef struct PhTreeCell
{
	uint32_t node, location;
	uint64_t visits;
	int64_t exclusive; /* ns, without what its callees took */
} PhTreeCell;

/* All cells by (location, node), one each; valid until the tree changes. */
PhStatus ph_trace_tree_cells(PhTraceTree *tree, const PhTreeCell **cells, size_t *n) PH_MUST_CHECK;

/* True when the location has a call in what was added. */
bool ph_trace_tree_has_calls(const PhTraceTree *tree, uint32_t location);

/* Times that a counter went backwards. */
uint64_t ph_trace_tree_resets(const PhTraceTree *tree);

/* Nanoseconds that somebody found for a node in a location. */
typedef struct PhTreeCost
{
	uint32_t node, location;
	int64_t ns;
} PhTreeCost;

/* A metric of such, one a (node, location). */
typedef struct PhTreeCosts
{
	const char *name;
	uint32_t n;
	const PhTreeCost *items;
} PhTreeCosts;

/*
 * Where regions and locations of the trace are in a builder; PH_NONE: not there. And what else is
 * to become metrics [s] of its profile.
 */
typedef struct PhTreePlaces
{
	uint32_t n_regions;
	const uint32_t *regions; /* builder's region by region of the trace */
	uint32_t n_locations;
	const uint32_t *columns; /* builder's column by location; needed for those with calls */
	uint32_t n_costs;
	const PhTreeCosts *costs; /* nodes and locations that have calls */
} PhTreePlaces;

/*
 * Put metrics (time [s], visits [count], then the trace's own by name, those of devices, if it has
 * streams with activities, and those of places), nodes
 * and exclusive values into a builder that has its regions and columns, but no metrics yet.
 * PH_ERR_VALUE when a region or location that is used has no place.
 */
PhStatus ph_trace_tree_to_builder(PhTraceTree *tree, const PhTreePlaces *places,
								  PhProfileBuilder *builder) PH_MUST_CHECK;

#endif
