/*
 * cluster.c - the tree of clusters of a phase: leaves, single linkage, walks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/clusters/cluster.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "logical/clusters/series.h"
#include "logical/graph.h"

typedef struct Linker
{
	PhEnv *env;
	const PhLogicalMetrics *metrics;
	const PhClusterOptions *options;
	PhClusters *out;
	PhArena temporary;
	PhSeriesSet set;
	PhSeries *means; /* by leaf, NULL where leaves are members */
} Linker;

/* -------------------------------------------------------------------------------------------
 * leaves */

/* The greatest value of every leaf's members, and who has it. */
static PhStatus
find_maxima(Linker *linker)
{
	PhClusters *out = linker->out;
	const PhLogical *logical = linker->metrics->logical;
	uint32_t first = logical->first_member[out->phase];
	for (uint32_t leaf = 0; leaf < out->n_leaves; leaf++)
	{
		out->max[leaf] = INT64_MIN;
		out->child[0][leaf] = out->child[1][leaf] = PH_NONE;
	}
	for (uint32_t m = 0; m < out->n_members; m++)
	{
		uint32_t leaf = out->leaf_of[m];
		out->size[leaf]++;
		for (uint32_t e = logical->member_first[first + m]; e <= logical->member_last[first + m];
			 e++)
		{
			int64_t value = ph_logical_value(linker->metrics, linker->options->metric, e);
			PH_TRY(ph_env_poll(linker->env));
			if (value <= out->max[leaf])
				continue;
			out->max[leaf] = value;
			out->latest[leaf] = m;
		}
	}
	return PH_OK;
}

/* A mean series for every leaf of several members. */
static PhStatus
find_means(Linker *linker)
{
	PhClusters *out = linker->out;
	uint32_t *members;
	PH_TRY(PH_NEW(&linker->temporary, out->n_leaves, &linker->means));
	PH_TRY(PH_NEW(&linker->temporary, out->n_members, &members));
	for (uint32_t leaf = 0; leaf < out->n_leaves; leaf++)
	{
		uint32_t n = 0;
		for (uint32_t m = 0; m < out->n_members; m++)
			if (out->leaf_of[m] == leaf)
				members[n++] = m;
		PH_TRY(ph_series_mean(&linker->temporary, &linker->set, members, n, &linker->means[leaf]));
	}
	return PH_OK;
}

static PhStatus
allocate(PhClusters *out, uint32_t n_leaves)
{
	uint32_t n = n_leaves == 0 ? 0 : 2 * n_leaves - 1;
	PH_TRY(PH_NEW(&out->arena, n, &out->child[0]));
	PH_TRY(PH_NEW(&out->arena, n, &out->child[1]));
	PH_TRY(PH_NEW(&out->arena, n, &out->distance));
	PH_TRY(PH_NEW(&out->arena, n, &out->max));
	PH_TRY(PH_NEW(&out->arena, n, &out->latest));
	return PH_NEW(&out->arena, n, &out->size);
}

static PhStatus
make_leaves(Linker *linker)
{
	PhClusters *out = linker->out;
	uint32_t n = out->n_members;
	PH_TRY(PH_NEW(&out->arena, n, &out->leaf_of));
	PH_TRY(PH_NEW(&out->arena, PH_CLUSTER_LEAVES, &out->medoid));
	if (n > PH_CLUSTER_LEAVES)
	{
		PH_TRY(ph_clara(&linker->temporary, &linker->set, linker->options->seed, out->leaf_of,
						out->medoid, &out->n_leaves));
		PH_TRY(find_means(linker));
	}
	else
	{
		out->n_leaves = n;
		for (uint32_t m = 0; m < n; m++)
			out->leaf_of[m] = out->medoid[m] = m;
	}
	PH_TRY(allocate(out, out->n_leaves));
	out->n_nodes = out->n_leaves;
	return find_maxima(linker);
}

/* -------------------------------------------------------------------------------------------
 * linkage */

typedef struct Pair
{
	double distance;
	uint32_t a, b;
} Pair;

static int
compare_pairs(const void *context, uint32_t x, uint32_t y)
{
	const Pair *pairs = context;
	if (pairs[x].distance != pairs[y].distance)
		return pairs[x].distance < pairs[y].distance ? -1 : 1;
	return x < y ? -1 : x > y;
}

static double
leaf_distance(const Linker *linker, uint32_t a, uint32_t b)
{
	const PhSeries *series = linker->means == NULL ? linker->set.series : linker->means;
	if (!linker->options->compat)
		return ph_series_distance(&linker->set, &series[a], &series[b]);
	if (linker->means == NULL)
		return floor(ph_series_distance(&linker->set, &series[a], &series[b]));
	return floor(ph_series_distance_by_index(&linker->set, &series[a], &series[b]));
}

/* Join two nodes into the next one. */
static void
join_nodes(PhClusters *out, uint32_t x, uint32_t y, double distance)
{
	uint32_t node = out->n_nodes++;
	uint32_t low = out->max[y] < out->max[x] ? y : x, high = low == x ? y : x;
	bool from_low = out->max[low] == out->max[high] && out->latest[low] < out->latest[high];
	out->child[0][node] = low;
	out->child[1][node] = high;
	out->distance[node] = distance;
	out->max[node] = out->max[high];
	out->latest[node] = from_low ? out->latest[low] : out->latest[high];
	out->size[node] = out->size[low] + out->size[high];
}

/*
 * Single linkage of the leaves by Kruskal's algorithm: pairs in order of (distance, a, b), each
 * joining two clusters that are not one yet.
 */
static PhStatus
link_leaves(Linker *linker)
{
	PhClusters *out = linker->out;
	uint32_t leaves = out->n_leaves, n = 0, *order, set[PH_CLUSTER_LEAVES];
	uint32_t node[PH_CLUSTER_LEAVES];
	Pair *pairs;
	PH_TRY(PH_NEW(&linker->temporary, (size_t) leaves * leaves, &pairs));
	for (uint32_t a = 0; a < leaves; a++)
	{
		set[a] = node[a] = a;
		for (uint32_t b = a + 1; b < leaves; b++)
		{
			PH_TRY(ph_env_poll(linker->env));
			pairs[n++] = (Pair){leaf_distance(linker, a, b), a, b};
		}
	}
	PH_TRY(ph_sort_indices(&linker->temporary, n, compare_pairs, pairs, &order));
	for (uint32_t i = 0; i < n; i++)
	{
		const Pair *pair = &pairs[order[i]];
		uint32_t x = ph_set_find(set, pair->a), y = ph_set_find(set, pair->b);
		if (!ph_set_unite(set, x, y))
			continue;
		join_nodes(out, node[x], node[y], pair->distance);
		node[ph_set_find(set, x)] = out->n_nodes - 1;
	}
	return PH_OK;
}

static PhStatus
cluster(Linker *linker)
{
	const PhLogical *logical = linker->metrics->logical;
	PhClusters *out = linker->out;
	if (out->phase >= logical->n_phases)
		return ph_fail(linker->env, PH_ERR_NOT_FOUND, "there is no phase %u: the last is %d",
					   out->phase, (int) logical->n_phases - 1);
	out->n_members = logical->first_member[out->phase + 1] - logical->first_member[out->phase];
	PH_TRY(ph_series_of_phase(&linker->temporary, linker->metrics, out->phase, linker->options,
							  &linker->set));
	PH_TRY(make_leaves(linker));
	return link_leaves(linker);
}

PhStatus
ph_logical_cluster(PhEnv *env, const PhLogicalMetrics *metrics, uint32_t phase,
				   const PhClusterOptions *options, PhClusters *out)
{
	PhClusters clusters;
	memset(&clusters, 0, sizeof(clusters));
	clusters.phase = phase;
	ph_arena_init(&clusters.arena, env);
	Linker linker = {.env = env, .metrics = metrics, .options = options, .out = &clusters};
	ph_arena_init(&linker.temporary, env);
	PhStatus status = cluster(&linker);
	ph_arena_drop(&linker.temporary);
	if (status == PH_OK)
		*out = clusters;
	else
		ph_clusters_free(&clusters);
	return status;
}

void
ph_clusters_free(PhClusters *clusters)
{
	ph_arena_drop(&clusters->arena);
	memset(clusters, 0, sizeof(*clusters));
}

/* ----------------------------------------------------------------------------------------------
 * walks */

PhStatus
ph_clusters_members(PhEnv *env, const PhClusters *clusters, uint32_t node, bool *is_member)
{
	bool within[2 * PH_CLUSTER_LEAVES] = {false};
	if (node >= clusters->n_nodes)
		return ph_fail(env, PH_ERR_NOT_FOUND, "there is no cluster %u: phase %u has %u", node,
					   clusters->phase, clusters->n_nodes);
	within[node] = true;
	for (uint32_t i = node + 1; i-- > 0;)
		for (int side = 0; within[i] && side < 2 && clusters->child[0][i] != PH_NONE; side++)
			within[clusters->child[side][i]] = true;
	for (uint32_t m = 0; m < clusters->n_members; m++)
		is_member[m] = within[clusters->leaf_of[m]];
	return PH_OK;
}

/*
 * The member of the cluster whose series is nearest to the mean of its members' series, the first
 * of equals.
 */
static PhStatus
find_centroid(PhArena *arena, const PhLogicalMetrics *metrics, const PhClusterOptions *options,
			  const PhClusters *clusters, uint32_t node, uint32_t *out)
{
	PhSeriesSet set;
	PhSeries mean;
	bool *is_member;
	uint32_t *members, n = 0;
	double least = 0;
	PH_TRY(PH_NEW(arena, clusters->n_members, &is_member));
	PH_TRY(PH_NEW(arena, clusters->n_members, &members));
	PH_TRY(ph_clusters_members(arena->env, clusters, node, is_member));
	for (uint32_t m = 0; m < clusters->n_members; m++)
		if (is_member[m])
			members[n++] = m;
	PH_TRY(ph_series_of_phase(arena, metrics, clusters->phase, options, &set));
	PH_TRY(ph_series_mean(arena, &set, members, n, &mean));
	for (uint32_t i = 0; i < n; i++)
	{
		double distance = ph_series_distance(&set, &set.series[members[i]], &mean);
		if (i > 0 && distance >= least)
			continue;
		least = distance;
		*out = members[i];
	}
	return PH_OK;
}

PhStatus
ph_clusters_centroid(PhEnv *env, const PhLogicalMetrics *metrics, const PhClusterOptions *options,
					 const PhClusters *clusters, uint32_t node, uint32_t *out)
{
	PhArena arena;
	ph_arena_init(&arena, env);
	PhStatus status = find_centroid(&arena, metrics, options, clusters, node, out);
	ph_arena_drop(&arena);
	return status;
}

/* Children have lesser numbers than the join that they are of. */
void
ph_clusters_open(const PhClusters *clusters, uint32_t n_wanted, const bool *unfold,
				 const bool *fold, bool *is_open, bool *is_shown)
{
	uint32_t n = clusters->n_nodes;
	for (uint32_t node = 0; node < n; node++)
	{
		bool is_join = clusters->child[0][node] != PH_NONE;
		is_open[node] = is_join && ((uint64_t) node + n_wanted > n || unfold[node]) && !fold[node];
		is_shown[node] = node + 1 == n;
	}
	for (uint32_t node = n; node-- > 0;)
		for (int side = 0; side < 2 && is_open[node] && is_shown[node]; side++)
			is_shown[clusters->child[side][node]] = true;
}
