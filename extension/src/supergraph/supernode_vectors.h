/*
 * supernode_vectors.h - vectors over columns of supernodes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SUPERGRAPH_SUPERNODE_VECTORS_H
#define PH_SUPERGRAPH_SUPERNODE_VECTORS_H

#include "postgres.h"

#include "server/pgenv.h"
#include "supergraph/supergraph.h"

/* A supernode's vector, n_columns numbers in the arena. */
double *ph_supernode_vector(PhScratch *scratch, const PhSupergraph *graph, uint32 node,
							uint32 metric, PhCost cost);

/* Room for the columns that a supernode has, to be filled for one after the other. */
PhSupergraphRow ph_supernode_row(PhScratch *scratch, const PhSupergraph *graph);

/*
 * Least and greatest of every supernode's vector over columns, absent = 0. Rows that are packed
 * stay so where there are many for each supernode.
 */
typedef struct PhExtremes
{
	double *inclusive_min;
	double *inclusive_max;
	double *exclusive_max;
} PhExtremes;

PhExtremes ph_supernode_extremes(PhScratch *scratch, PhValue *value, uint32 metric);

#endif
