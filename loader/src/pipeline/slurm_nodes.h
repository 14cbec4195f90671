/*
 * slurm_nodes.h - lists of nodes as SLURM writes them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_SLURM_NODES_H
#define PH_PIPELINE_SLURM_NODES_H

#include <stdbool.h>

/* Is host (its name up to the first dot) in a list of nodes as SLURM writes it: "n[01-03,7],login"?
 * A list that is not understood has every host. */
bool ph_slurm_has_node(const char *nodes, const char *host);

#endif
