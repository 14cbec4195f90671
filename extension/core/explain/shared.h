/*
 * shared.h - what units that changed have in common: hosts, parities of ranks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_EXPLAIN_SHARED_H
#define PH_EXPLAIN_SHARED_H

#include "explain/explain.h"

/* Which units are on one host, in blocks or spread. */
typedef struct PhHosts
{
	const PhExplainUnit *units; /* by rank and thread */
	uint32_t n_units, n_hosts;	/* no hosts: unknown of some units, or all on one */
	uint32_t *of_unit;
} PhHosts;

/* What changed on each unit, and the medians of those who are in and of the others. */
typedef struct PhUnitChanges
{
	const double *of_unit;
	double rest, contrast; /* contrast: by how much those who are in lie above the rest */
} PhUnitChanges;

/* The units stay the caller's. */
PhStatus ph_hosts_find(PhArena *arena, const PhExplainUnit *units, uint32_t n,
					   PhHosts *out) PH_MUST_CHECK;

/*
 * Add the units that a whole host, or all even or odd ranks, lack, and leave out single ones, where
 * their changes speak for that.
 */
PhStatus ph_units_complete(PhArena *arena, const PhHosts *hosts, const PhUnitChanges *changes,
						   bool *is_in) PH_MUST_CHECK;

/*
 * Of the units that are in those on hosts all of whose ranks, two at least, are in. All of them
 * where there are no others or no such hosts, where they are neighbours, and where drawing as many
 * ranks would make more than `most` hosts whole.
 */
PhStatus ph_units_on_whole_hosts(PhArena *arena, const PhHosts *hosts, double most,
								 const bool *is_in, bool *on_whole) PH_MUST_CHECK;

/* What those who are in have in common and nobody else has. */
PhStatus ph_units_shared(PhArena *arena, const PhHosts *hosts, const bool *is_in,
						 PhShared *out) PH_MUST_CHECK;

#endif
