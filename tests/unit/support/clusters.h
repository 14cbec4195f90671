/*
 * clusters.h - the nodes of a cluster tree in pre-order.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_CLUSTERS_H
#define SUPPORT_CLUSTERS_H

#include "logical/clusters/cluster.h"

/* Nodes and their depths; both have n_nodes elements. */
void clusters_preorder(const PhClusters *clusters, uint32_t *nodes, uint32_t *depths);

#endif
