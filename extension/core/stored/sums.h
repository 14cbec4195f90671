/*
 * sums.h - which exclusive and inclusive values follow from each other, kept while units change.
 *
 * Multiplying by a factor rounds each value on its own, after which exclusive = inclusive -
 * children holds but for rounding. Where it held to the bit it is made to hold again: such values
 * need not be stored (value_block.h).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STORED_SUMS_H
#define PH_STORED_SUMS_H

#include "profile/profile.h"

/* By metric and cell: what holds there; NULL for metrics that do not add up. */
typedef uint8_t **PhSums;

/* Which values are sums; children as in value_block.h. Memory: a byte a cell. */
PhStatus ph_sums_find(PhArena *arena, const PhProfile *profile, PhSums *out) PH_MUST_CHECK;

/* Make them sums again, from the leaves up. */
PhStatus ph_sums_restore(PhArena *arena, PhProfile *profile, PhSums sums) PH_MUST_CHECK;

#endif
