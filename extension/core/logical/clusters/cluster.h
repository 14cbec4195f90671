/*
 * cluster.h - processes of a phase that behave alike, as a tree of clusters.
 *
 * A process is the series of its values over the phase's steps, aggregates' included, filled with
 * the value before where it has no event. The distance of two is the mean of squared differences
 * over the steps where one is active and both have begun (compat: as Ravel counts it). Up to 20
 * processes each is a leaf; more are put into 20 leaves around medoids first (CLARA: PAM on samples
 * of 80, the best of 5). Leaves are joined by single linkage. Method:
 * docs/design/logical-time.md 4.1-4.3; Kaufman and Rousseeuw 1990.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_CLUSTERS_CLUSTER_H
#define PH_LOGICAL_CLUSTERS_CLUSTER_H

#include "logical/metrics.h"

#define PH_CLUSTER_LEAVES 20

typedef struct PhClusterOptions
{
	bool compat;
	PhLogicalMetric metric;
	uint64_t seed; /* of the samples; only used with more than 80 processes */
} PhClusterOptions;

/* A binary tree: leaves 0..n_leaves - 1, then joins in order of distance; the last is the root. */
typedef struct PhClusters
{
	PhArena arena;
	uint32_t phase;
	uint32_t n_members; /* of the phase, as PhLogical lists them */
	uint32_t n_leaves, n_nodes;
	uint32_t *leaf_of; /* by member */
	uint32_t *medoid;  /* by leaf: the member in its middle */

	/* by node */
	uint32_t *child[2]; /* PH_NONE for leaves; the one with the lesser maximum first */
	double *distance;	/* at which its children were joined; 0 for leaves */
	int64_t *max;		/* greatest value of its members' events */
	uint32_t *latest;	/* the member that has it, the first on ties */
	uint32_t *size;		/* members */
} PhClusters;

PhStatus ph_logical_cluster(PhEnv *env, const PhLogicalMetrics *metrics, uint32_t phase,
							const PhClusterOptions *options, PhClusters *out) PH_MUST_CHECK;
void ph_clusters_free(PhClusters *clusters);

/* is_member[m]: member m of the phase is in the node. */
PhStatus ph_clusters_members(PhEnv *env, const PhClusters *clusters, uint32_t node,
							 bool *is_member) PH_MUST_CHECK;

/*
 * The branches of the tree that a picture shows. A join is open when it is among the last that keep
 * n_wanted clusters apart or is to be unfolded, and is not to be folded; a node is shown when all
 * joins above it are open. unfold, fold: marks by node. Fills is_open and is_shown, by node; the
 * nodes that are shown and not open part the members.
 */
void ph_clusters_open(const PhClusters *clusters, uint32_t n_wanted, const bool *unfold,
					  const bool *fold, bool *is_open, bool *is_shown);

/* The member of a node that is nearest to the mean of its members' series, the first on ties. */
PhStatus ph_clusters_centroid(PhEnv *env, const PhLogicalMetrics *metrics,
							  const PhClusterOptions *options, const PhClusters *clusters,
							  uint32_t node, uint32_t *out) PH_MUST_CHECK;

#endif
