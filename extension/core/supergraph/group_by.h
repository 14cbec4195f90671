/*
 * group_by.h - levels by which the nodes of a profile are grouped, and its flat profile at a level.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SUPERGRAPH_GROUP_BY_H
#define PH_SUPERGRAPH_GROUP_BY_H

#include "profile/profile.h"

typedef enum PhGroupBy
{
	PH_GROUP_MODULE, /* module label, else library's base name */
	PH_GROUP_LIBRARY,
	PH_GROUP_FILE,
	PH_GROUP_FUNCTION, /* region name */
	PH_GROUP_KIND,
	PH_GROUP_NODE,	   /* every node its own group */
	PH_GROUP_PARADIGM, /* of the region, else derived from its name */
	PH_GROUP_COUNT	   /* stored in super graphs: never renumber */
} PhGroupBy;

/* The words for the levels, which options, menus and SQL offer; NULL ends them. */
extern const char *const ph_group_by_names[PH_GROUP_COUNT + 1];

/*
 * "paradigm", "module", "library", "file", "function"/"name", "kind", "node", coarse before fine;
 * PH_ERR_VALUE lists them otherwise.
 */
PhStatus ph_group_by_parse(PhEnv *env, const char *text, PhGroupBy *out) PH_MUST_CHECK;

/* The word that ph_group_by_parse reads. */
const char *ph_group_by_name(PhGroupBy by);

/*
 * The paradigm as measured, else what the name tells: "mpi", "openmp" or "user". Loops and
 * statements without one have "": they belong to the function around them.
 */
const char *ph_name_paradigm(const char *name);
const char *ph_region_paradigm(const PhProfile *profile, const PhRegion *region);

/* One line of a flat profile; sums are means over columns. Sorted by exclusive descending, then
 * name. */
typedef struct PhFlatRow
{
	const char *name;	 /* label as of ph_labels_make; by node: the region's name */
	uint32_t first_node; /* first member, for attributes */
	uint32_t n_nodes;	 /* members */
	double inclusive;	 /* recursion-safe: outermost instances only */
	double exclusive;
	double absorbed;
	double residual; /* over all rows exclusive + absorbed + residual is the profile's total */
} PhFlatRow;

/*
 * Groups are the labels that super graphs use: a node without one belongs to its parent's, loops
 * and statements to the function around them. Ratios divide sums; other metrics that do not add up
 * are combined as they say. Names are copied into the arena. O(nodes * columns).
 */
PhStatus ph_rows_flat(PhArena *arena, const PhProfile *profile, uint32_t metric, PhGroupBy by,
					  PhFlatRow **rows, uint32_t *n_rows) PH_MUST_CHECK;

#endif
