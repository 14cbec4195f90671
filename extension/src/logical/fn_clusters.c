/*
 * fn_clusters.c - processes of a phase that behave alike, and whom to look at first.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/clusters/focus.h"
#include "postgres.h"

#include "logical/args.h"
#include "logical/clusters/cluster.h"
#include "logical/load.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"

#define MOST_NAMES 200 /* of a cluster's members */

/* The run of the first argument and the phase of the second, by the metric of this one. */
static PhLogicalRun *
load_by_metric(FunctionCallInfo fcinfo, int argument, PhLogicalMetric *metric)
{
	PhLogicalStored stored = ph_logical_begin(PG_GETARG_INT64(0), PH_TRACE_LOCATIONS);
	PhLogicalMeasure measure = ph_arg_event_measure(fcinfo, argument, stored.timelines != NULL);
	*metric = stored.timelines != NULL ? PH_DURATION : measure.metric;
	return ph_logical_load(&stored, PG_GETARG_INT32(1), &measure);
}

static uint32
timeline_of_member(const PhLogicalRun *run, uint32 phase, uint32 member)
{
	return run->model
		.timeline[run->logical.member_first[run->logical.first_member[phase] + member]];
}

static uint32
location_of_member(const PhLogicalRun *run, uint32 phase, uint32 member)
{
	return run->model.timeline_location[timeline_of_member(run, phase, member)];
}

/* ---- clusters ---- */

typedef struct ClusterRows
{
	PhRows rows;
	PhLogicalRun *run;
	PhClusterOptions options;
	PhClusters clusters;
	uint32 phase;
	uint32 *parent;	   /* by node; PH_NONE: the root */
	uint32 first_join; /* nodes from here on are joins that are shown */
	bool *is_member;
	int32 *locations;
} ClusterRows;

static void
find_parents(ClusterRows *out)
{
	PhArena *arena = &out->run->trace->scratch->arena;
	PH_CHECK(arena->env, PH_NEW(arena, out->clusters.n_nodes, &out->parent));
	memset(out->parent, 0xff, sizeof(uint32) * out->clusters.n_nodes);
	for (uint32 node = out->clusters.n_leaves; node < out->clusters.n_nodes; node++)
		for (int side = 0; side < 2; side++)
			out->parent[out->clusters.child[side][node]] = node;
}

/*
 * Sets first_join. Joins come in order of distance and each leaves one cluster less, so the last k
 * - 1 joins undone leave k clusters. Without k, or with one that is not less than the leaves, the
 * whole tree is listed.
 */
static void
cut_tree(FunctionCallInfo fcinfo, int argument, ClusterRows *out)
{
	uint32 n_leaves = out->clusters.n_leaves;
	out->first_join = n_leaves;
	if (PG_ARGISNULL(argument))
		return;
	int32 k = PG_GETARG_INT32(argument);
	if (k < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the number of clusters must be at least 1, not %d", k)));
	if ((uint32) k < n_leaves)
		out->first_join = out->clusters.n_nodes - (uint32) k + 1;
}

/*
 * The result lists the joins from first_join on, and of the nodes below the cut the topmost ones:
 * those whose parent is a join that is listed, or that have none. These are the clusters.
 */
static bool
is_shown(const ClusterRows *out, uint32 node)
{
	return node >= out->first_join || out->parent[node] == PH_NONE ||
		   out->parent[node] >= out->first_join;
}

static uint32
list_locations(ClusterRows *out, uint32 node)
{
	PhEnv *env = &out->run->trace->scratch->env;
	uint32 n = 0;
	PH_CHECK(env, ph_clusters_members(env, &out->clusters, node, out->is_member));
	for (uint32 m = 0; m < out->clusters.n_members; m++)
		if (out->is_member[m])
			out->locations[n++] = (int32) location_of_member(out->run, out->phase, m);
	return n;
}

/* The columns of step_clusters; returns the member in the middle. */
static uint32
fill_cluster(ClusterRows *out, uint32 node)
{
	PhEnv *env = &out->run->trace->scratch->env;
	const PhClusters *clusters = &out->clusters;
	PhRows *rows = &out->rows;
	uint32_t centroid;
	uint32 n = list_locations(out, node);
	PH_CHECK(env, ph_clusters_centroid(env, &out->run->metrics, &out->options, clusters, node,
									   &centroid));
	ph_rows_int(rows, "cluster", (int32) node);
	ph_rows_index(rows, "parent", out->parent[node]);
	ph_rows_number(rows, "distance", clusters->distance[node]);
	ph_rows_int(rows, "n_members", (int32) n);
	ph_rows_ints(rows, "locations", out->locations, (int) n);
	ph_rows_bigint(rows, "max_metric", clusters->max[node]);
	ph_rows_int(rows, "centroid", (int32) location_of_member(out->run, out->phase, centroid));
	ph_rows_int(rows, "latest",
				(int32) location_of_member(out->run, out->phase, clusters->latest[node]));
	for (int side = 0; side < 2; side++)
		ph_rows_index(rows, side == 0 ? "child_left" : "child_right",
					  node < out->first_join ? PH_NONE : clusters->child[side][node]);
	return centroid;
}

/* What every node needs to become a row. */
static void
prepare_rows(ClusterRows *out)
{
	PhArena *arena = &out->run->trace->scratch->arena;
	find_parents(out);
	PH_CHECK(arena->env, PH_NEW(arena, out->clusters.n_members, &out->is_member));
	PH_CHECK(arena->env, PH_NEW(arena, out->clusters.n_members, &out->locations));
}

static void
put_clusters(FunctionCallInfo fcinfo, ClusterRows *out)
{
	if (out->clusters.n_nodes == 0)
		return;
	prepare_rows(out);
	cut_tree(fcinfo, 2, out);
	for (uint32 node = 0; node < out->clusters.n_nodes; node++)
		if (is_shown(out, node))
		{
			fill_cluster(out, node);
			ph_rows_put(&out->rows);
		}
}

/* Load the phase of the second argument by the metric of this one, and cluster it. */
static void
find_clusters(FunctionCallInfo fcinfo, int metric, ClusterRows *out)
{
	out->run = load_by_metric(fcinfo, metric, &out->options.metric);
	out->options.compat = out->run->request.options.compat;
	out->phase = (uint32) PG_GETARG_INT32(1);
	PhEnv *env = &out->run->trace->scratch->env;
	PH_CHECK(env, ph_logical_cluster(env, &out->run->metrics, out->phase, &out->options,
									 &out->clusters));
}

PH_FUNCTION(ph_step_clusters)
{
	ClusterRows out = {0};
	ph_rows_begin(&out.rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	out.options.seed = PG_ARGISNULL(4) ? 0 : (uint64) PG_GETARG_INT64(4);
	find_clusters(fcinfo, 3, &out);
	put_clusters(fcinfo, &out);
	ph_trace_end(out.run->trace);
	return (Datum) 0;
}

/* Marks for the nodes that an int4[] argument names; others are passed over. */
static bool *
arg_nodes(FunctionCallInfo fcinfo, int argument, const ClusterRows *out)
{
	PhArena *arena = &out->run->trace->scratch->arena;
	bool *marks;
	int n = 0;
	int32 *nodes = PG_ARGISNULL(argument) ? NULL : ph_arg_ints(fcinfo, argument, &n);
	PH_CHECK(arena->env, PH_NEW(arena, out->clusters.n_nodes, &marks));
	for (int i = 0; i < n; i++)
		if (nodes[i] >= 0 && (uint32) nodes[i] < out->clusters.n_nodes)
			marks[nodes[i]] = true;
	return marks;
}

/* Which branches of the tree are drawn, by node. */
typedef struct Branches
{
	bool *is_open, *is_shown;
	uint32 centre; /* whose process is in focus */
} Branches;

/* The node of an argument; null: the root. */
static uint32
arg_node(FunctionCallInfo fcinfo, int argument, const ClusterRows *out)
{
	uint32 n_nodes = out->clusters.n_nodes;
	if (PG_ARGISNULL(argument))
		return n_nodes - 1;
	int32 node = PG_GETARG_INT32(argument);
	if (node < 0 || (uint32) node >= n_nodes)
		ereport(ERROR, (errcode(PH_ERRCODE_NOT_FOUND),
						errmsg("phase %u of run " INT64_FORMAT " has no cluster %d", out->phase,
							   out->run->trace->run_id, node),
						errhint("Clusters are numbered as perfhouse.step_clusters does; tooltips "
								"of the picture name them.")));
	return (uint32) node;
}

/* The rank of a process, or the name of a chare, in columns of these names. */
static void
put_process(ClusterRows *out, const char *rank, const char *name, uint32 member)
{
	uint32 location = location_of_member(out->run, out->phase, member);
	const PhTimelines *timelines = out->run->timelines;
	if (timelines == NULL)
		ph_rows_known(&out->rows, rank, out->run->trace->model.locations[location].rank);
	else
		ph_rows_null(&out->rows, rank);
	ph_rows_text(&out->rows, name, timelines == NULL ? NULL : timelines->name[location]);
}

static int
compare_ranks(const void *a, const void *b)
{
	int32 x = *(const int32 *) a;
	int32 y = *(const int32 *) b;
	return (x > y) - (x < y);
}

/* All ranks of the members, or the names of the first. */
static void
put_members(ClusterRows *out, uint32 n)
{
	const PhTimelines *timelines = out->run->timelines;
	const char *names[MOST_NAMES];
	uint32 n_names = timelines == NULL ? 0 : Min(n, MOST_NAMES);
	for (uint32 m = 0; m < n_names; m++)
		names[m] = timelines->name[out->locations[m]];
	int n_ranks = 0;
	for (uint32 m = 0; m < n && timelines == NULL; m++)
	{
		int32 rank = out->run->trace->model.locations[out->locations[m]].rank;
		if (rank != PH_NO_NUMBER)
			out->locations[n_ranks++] = rank;
	}
	qsort(out->locations, n_ranks, sizeof(int32), compare_ranks);
	if (n_ranks > 0)
		ph_rows_ints(&out->rows, "ranks", out->locations, n_ranks);
	else
		ph_rows_null(&out->rows, "ranks");
	if (n_names > 0)
		ph_rows_texts(&out->rows, "names", names, (int) n_names);
	else
		ph_rows_null(&out->rows, "names");
}

static void
put_branch(ClusterRows *out, const Branches *branches, uint32 node, uint32 centroid)
{
	bool is_part = branches->is_shown[node] && !branches->is_open[node];
	ph_rows_bool(&out->rows, "is_shown", branches->is_shown[node]);
	ph_rows_bool(&out->rows, "is_open", branches->is_open[node]);
	ph_rows_bool(&out->rows, "is_centre", node == branches->centre);
	put_process(out, "latest_rank", "latest_name", out->clusters.latest[node]);
	put_process(out, "centroid_rank", "centroid_name", centroid);
	put_members(out, is_part ? out->clusters.size[node] : 0);
	ph_rows_put(&out->rows);
}

PH_FUNCTION(ph_open_clusters)
{
	ClusterRows out = {0};
	Branches branches;
	ph_rows_begin(&out.rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	find_clusters(fcinfo, 2, &out);
	PhArena *arena = &out.run->trace->scratch->arena;
	uint32 n_wanted = PG_ARGISNULL(3) ? 6 : (uint32) Max(PG_GETARG_INT32(3), 1);
	prepare_rows(&out);
	out.first_join = out.clusters.n_leaves;
	branches.centre = arg_node(fcinfo, 6, &out);
	PH_CHECK(arena->env, PH_NEW(arena, out.clusters.n_nodes, &branches.is_open));
	PH_CHECK(arena->env, PH_NEW(arena, out.clusters.n_nodes, &branches.is_shown));
	ph_clusters_open(&out.clusters, n_wanted, arg_nodes(fcinfo, 4, &out),
					 arg_nodes(fcinfo, 5, &out), branches.is_open, branches.is_shown);
	for (uint32 node = 0; node < out.clusters.n_nodes; node++)
		put_branch(&out, &branches, node, fill_cluster(&out, node));
	ph_trace_end(out.run->trace);
	return (Datum) 0;
}

/* ---- focus ---- */

typedef struct Focus
{
	PhLogicalRun *run;
	PhLogicalMetric metric;
	uint32 phase, centre, n_members;
	bool *in_focus;
	uint32 *hops; /* by member; PH_NONE: not in focus */
} Focus;

/* The member of a location; PH_NONE when the argument is null. */
static uint32
arg_centre(FunctionCallInfo fcinfo, int argument, const Focus *focus)
{
	if (PG_ARGISNULL(argument))
		return PH_NONE;
	int32 location = PG_GETARG_INT32(argument);
	for (uint32 m = 0; m < focus->n_members; m++)
		if ((int32) location_of_member(focus->run, focus->phase, m) == location)
			return m;
	ereport(ERROR, (errcode(PH_ERRCODE_NOT_FOUND),
					errmsg("location %d has no events in phase %u of run " INT64_FORMAT, location,
						   focus->phase, focus->run->trace->run_id),
					errhint("phase_members lists those that have.")));
}

static uint32
arg_radius(FunctionCallInfo fcinfo, int argument, const Focus *focus)
{
	PhEnv *env = &focus->run->trace->scratch->env;
	uint32_t radius;
	if (PG_ARGISNULL(argument))
	{
		PH_CHECK(env, ph_logical_focus_radius(env, &focus->run->metrics, focus->phase,
											  focus->metric, focus->centre, &radius));
		return radius;
	}
	if (PG_GETARG_INT32(argument) < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the radius must not be negative")));
	return (uint32) PG_GETARG_INT32(argument);
}

/* Members that come into focus with this radius; how many. */
static uint32
widen(Focus *focus, uint32 radius)
{
	PhEnv *env = &focus->run->trace->scratch->env;
	uint32 n = 0;
	PH_CHECK(env, ph_logical_focus(env, &focus->run->metrics, focus->phase, focus->metric,
								   focus->centre, radius, focus->in_focus));
	for (uint32 m = 0; m < focus->n_members; m++)
		if (focus->in_focus[m] && focus->hops[m] == PH_NONE)
		{
			focus->hops[m] = radius;
			n++;
		}
	return n;
}

static void
put_focus(PhRows *rows, const Focus *focus, uint32 member)
{
	const PhLogicalRun *run = focus->run;
	uint32 location = location_of_member(run, focus->phase, member);
	if (focus->hops[member] == PH_NONE)
		return;
	ph_rows_int(rows, "location", (int32) location);
	ph_rows_known(rows, "rank", run->trace->model.locations[location].rank);
	ph_rows_int(rows, "hops", (int32) focus->hops[member]);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_focus_processes)
{
	PhRows rows;
	Focus focus = {0};
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	focus.run = load_by_metric(fcinfo, 4, &focus.metric);
	focus.phase = (uint32) PG_GETARG_INT32(1);
	const uint32_t *first = focus.run->logical.first_member + focus.phase;
	focus.n_members = first[1] - first[0];
	focus.centre = arg_centre(fcinfo, 3, &focus);
	uint32 radius = arg_radius(fcinfo, 2, &focus);
	PhArena *arena = &focus.run->trace->scratch->arena;
	PH_CHECK(arena->env, PH_NEW(arena, focus.n_members, &focus.in_focus));
	PH_CHECK(arena->env, PH_NEW(arena, focus.n_members, &focus.hops));
	memset(focus.hops, 0xff, sizeof(uint32) * focus.n_members);
	for (uint32 r = 0; r <= radius; r++)
		if (widen(&focus, r) == 0)
			break;
	for (uint32 m = 0; m < focus.n_members; m++)
		put_focus(&rows, &focus, m);
	ph_trace_end(focus.run->trace);
	return (Datum) 0;
}
