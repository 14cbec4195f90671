/*
 * fold.h - a super graph made of means, with the columns of the run that it was made of.
 *
 * What is drawn of a run as a whole needs means only, which cost nothing of its columns. Where
 * columns are shown, each supernode is measured in all of them by one pass over the run: nothing of
 * the run is copied, filtered or kept.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SUPERGRAPH_FOLD_H
#define PH_SUPERGRAPH_FOLD_H

#include "supergraph/supergraph.h"

struct PhColumnSpec;
struct PhMetricSpec;

/*
 * The making of a fold, row by row: new; every node's columns; room; every node's values in them;
 * finish. It has the supernodes of graph, each a function of its own and a root, in the columns and
 * metrics of a run: a supernode's vectors are those that graph would have if its profile had been
 * made of the whole run (ph_profile_drop_roots, ph_profile_filter). So supernode_values, histograms
 * and boxes work on it; edges, members and entries are gone.
 */
typedef struct PhFold PhFold;

/* tree: a skeleton or profile of the whole run. Both must outlive the fold. */
PhStatus ph_fold_new(PhEnv *env, const PhSupergraph *graph, const PhProfile *tree,
					 PhFold **out) PH_MUST_CHECK;

/* A node of the tree is in columns [first, first + n). */
PhStatus ph_fold_presence(PhFold *fold, uint32_t node, uint32_t first, uint32_t n) PH_MUST_CHECK;

/* PH_ERR_VALUE for a metric that does not add up. */
PhStatus ph_fold_room(PhFold *fold, uint32_t n_columns, const struct PhColumnSpec *columns,
					  uint32_t n_metrics, const struct PhMetricSpec *metrics) PH_MUST_CHECK;

/*
 * Values of a node in columns [first, first + n), of which presence was told; a node's columns come
 * in ascending order. What a filter had absorbed there may be NULL.
 */
void ph_fold_add(PhFold *fold, uint32_t metric, uint32_t node, uint32_t first, uint32_t n,
				 const double *exclusive, const double *inclusive, const double *absorbed);

/* The graph. The fold stays to be freed. */
PhStatus ph_fold_finish(PhFold *fold, PhSupergraph **out) PH_MUST_CHECK;
void ph_fold_free(PhFold *fold);

/*
 * The fold of a whole profile. Costs the cells of whole, and memory for supernodes × columns.
 */
PhStatus ph_supergraph_fold(PhEnv *env, const PhSupergraph *graph, const PhProfile *whole,
							PhSupergraph **out) PH_MUST_CHECK;

#endif
