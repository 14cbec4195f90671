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

/*
 * A super graph with the supernodes of graph, each a function of its own and a root, in the columns
 * and metrics of whole: a supernode's vectors are those that graph would have if its profile had
 * been made of whole (ph_profile_drop_roots, ph_profile_filter). So supernode_vectors, histograms
 * and boxes work on it; edges, members and entries are gone. PH_ERR_VALUE for a metric that does
 * not add up. Costs the cells of whole, and memory for supernodes × columns.
 */
PhStatus ph_supergraph_fold(PhEnv *env, const PhSupergraph *graph, const PhProfile *whole,
							PhSupergraph **out) PH_MUST_CHECK;

#endif
