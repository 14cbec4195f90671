/*
 * cost_finder.h - what waiting means for each call path of each location, while a trace is read.
 *
 * What the server computes of a stored trace (unit_costs.h), without reading it twice: each thread
 * that reads locations has a finder, which keeps their events as compressed as they are (2 to 4
 * bytes an event), because only all of the communication tells between which times the call paths
 * are to be measured. When all is read, and what else was made of it has given its memory back, the
 * finder collects the communication; when the waits are known it feeds the calls to the call tree
 * of the trace and is told what they took: they are looked at once, with and without a finder. Of a
 * trace of one location nothing is kept.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_COST_FINDER_H
#define PH_BLAME_COST_FINDER_H

#include "blame/unit_costs.h"

typedef struct PhCostFinder PhCostFinder;

/* model must outlive it. wants: what a chunk must have for the tree (ph_trace_tree_wants). */
PhStatus ph_cost_finder_new(PhEnv *env, const PhTraceModel *model, uint32_t wants,
							PhCostFinder **out) PH_MUST_CHECK;
void ph_cost_finder_free(PhCostFinder *finder);

/* Does it keep chunks, which it will feed to the tree? Else who adds them does. */
bool ph_cost_finder_feeds(const PhCostFinder *finder);

/*
 * Add all of a location's chunks in order, locations in any order; reader was opened with
 * PH_WANT_ALL, its cursor does not move. A chunk that was not added is not kept.
 */
PhStatus ph_cost_finder_add_chunk(PhCostFinder *finder, const PhChunk *chunk,
								  const PhChunkReader *reader) PH_MUST_CHECK;

/* Who launched what: to be said before the first chunk; must outlive the finder. */
PhStatus ph_cost_finder_launches(PhCostFinder *finder, const PhLaunches *launches) PH_MUST_CHECK;

/*
 * The same as ph_cost_finder_add_chunk for a chunk of a stream. links: of its ENTERs the calls that
 * launched them; NULL: not known.
 */
PhStatus ph_cost_finder_add_activities(PhCostFinder *finder, const PhChunk *chunk,
									   const PhChunkReader *reader,
									   const PhLink *links) PH_MUST_CHECK;

/* Add another thread's, of other locations of the same model; free it afterwards. */
PhStatus ph_cost_finder_merge(PhCostFinder *finder, PhCostFinder *other) PH_MUST_CHECK;

/* Finds the communication, when all was added and merged. */
PhStatus ph_cost_finder_collect(PhCostFinder *finder) PH_MUST_CHECK;

/* After that all links of a location's receives, as ph_matcher_links gives them. */
PhStatus ph_cost_finder_link(PhCostFinder *finder, uint32_t location, const PhLink *links,
							 uint64_t count) PH_MUST_CHECK;

/*
 * Feeds the tree what was kept and not fed yet: for who gives up. It is not settled, as it may be
 * one of several that are merged. What fails is the tree, which is of no use then.
 */
PhStatus ph_cost_finder_feed(PhCostFinder *finder, PhTraceTree *tree) PH_MUST_CHECK;

/*
 * Once, after everything else. tree: that of all locations, with what this finder did not keep; it
 * is fed and settled, and costs are told by its nodes. If this fails it is still to be fed.
 * region_ids: as ph_node_keys needs them. *n: PH_UNIT_COST_KINDS, or 0 where nothing communicates
 * and no device works. In arena.
 */
PhStatus ph_cost_finder_find(PhCostFinder *finder, PhTraceTree *tree, const uint64_t *region_ids,
							 PhArena *arena, PhTreeCosts out[PH_UNIT_COST_KINDS],
							 uint32_t *n) PH_MUST_CHECK;

#endif
