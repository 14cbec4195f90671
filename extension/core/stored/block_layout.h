/*
 * block_layout.h - what the writer and the reader of value blocks agree upon.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STORED_BLOCK_LAYOUT_H
#define PH_STORED_BLOCK_LAYOUT_H

#include "stored/value_block.h"

#define BLOCK_VERSION 1
#define BLOCK_HEADER 12

/* Flags of a row: two bits PhStoredVectors, three bits PhFollows, whole. */
#define ROW_STORED 3u
#define ROW_FOLLOWS_SHIFT 2
#define ROW_FOLLOWS 7u
#define ROW_WHOLE 32u
#define ROW_FLAGS_END 64u

/* What one vector's value and the children give of the other's cell, before rounding. */
static inline double
ph_follow_sum(PhStoredVectors stored, bool is_signed, double from, double children)
{
	if (stored == PH_STORED_EXCLUSIVE)
		return from + children;
	return from < children && !is_signed ? 0 : from - children;
}

#endif
