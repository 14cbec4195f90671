/*
 * query.h - call-path queries: patterns over paths from root to node.
 *
 * A pattern is a sequence of steps; a step is a quantifier ("." one, "*" any number, "+" one or
 * more, a number n, "{m,n}") with an optional predicate on the node: name =~ /regex/, name =
 * "text", kind, module, library, file, line, depth, inclusive, exclusive, share, and any(...) /
 * all(...) over ranks; predicates and whole patterns combine with AND, OR, XOR, NOT. The grammar is
 * in query/parse.c and query/condition.c. A node matches when it lies on some path that the pattern
 * matches.
 *
 * Matching is a set-of-states simulation down the tree: O(nodes * steps) time, no backtracking, no
 * recursion on depth.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_QUERY_QUERY_H
#define PH_QUERY_QUERY_H

#include "profile/profile.h"

typedef struct PhQuery PhQuery;

/* Parse; PH_ERR_VALUE names the position and what was expected. Lives in the arena. */
PhStatus ph_query_parse(PhArena *arena, const char *text, PhQuery **out) PH_MUST_CHECK;

/* matches[node] = true for every node on a matching path; matches has profile->n_nodes elements. */
PhStatus ph_query_run(PhArena *arena, const PhQuery *query, const PhProfile *profile,
					  bool *matches) PH_MUST_CHECK;

#endif
