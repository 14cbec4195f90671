/*
 * flat_layout.h - constants of the flat form, shared by its writer and its reader.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_FLAT_LAYOUT_H
#define PH_PROFILE_FLAT_LAYOUT_H

#include <stddef.h>

#define PH_FLAT_MAGIC "PHPF"
#define PH_FLAT_HEADER 88 /* bytes of the header and of one element of each section */
#define PH_FLAT_REGION 24
#define PH_FLAT_REGION_PARADIGM 4 /* from version 2, after all regions */
#define PH_FLAT_COLUMN 40
#define PH_FLAT_METRIC 24
#define PH_FLAT_SOURCE 16
#define PH_FLAT_ROW 4 /* from version 3: runs of a node, and a run */
#define PH_FLAT_RUN 8

/* Header flags. */
#define PH_FLAT_PRESENCE 1u
#define PH_FLAT_MARKS 2u
#define PH_FLAT_OPERANDS 4u
#define PH_FLAT_UNFILTERED 8u
#define PH_FLAT_ALL_FLAGS 15u

/* Arrays of a metric. */
#define PH_FLAT_COSTS 1u
#define PH_FLAT_ABSORBED 2u
#define PH_FLAT_RESIDUAL 4u
#define PH_FLAT_ALL_ARRAYS 7u

static inline size_t
ph_flat_n_arrays(unsigned arrays)
{
	return (arrays & PH_FLAT_COSTS ? 2u : 0u) + (arrays & PH_FLAT_ABSORBED ? 1u : 0u) +
		   (arrays & PH_FLAT_RESIDUAL ? 1u : 0u);
}

#endif
