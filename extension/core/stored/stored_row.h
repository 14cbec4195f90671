/*
 * stored_row.h - both vectors of a stored row, from what is kept and what the children cost.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STORED_STORED_ROW_H
#define PH_STORED_STORED_ROW_H

#include "stored/value_block.h"

/*
 * Unpack a row's n_cells exclusive and inclusive values; children: the children's inclusive values
 * by cell, which are not looked at when the row has both vectors or they are equal. *is_unsure:
 * whether exclusive, inclusive and children may leave a residual. False: the row is damaged.
 */
bool ph_row_unpack(const PhStoredRow *row, bool is_signed, const double *children,
				   double *exclusive, double *inclusive, bool *is_unsure) PH_MUST_CHECK;

/* Whether a row tells its inclusive values without those of its children. */
static inline bool
ph_row_has_inclusive(const PhStoredRow *row)
{
	return (row->stored & PH_STORED_INCLUSIVE) != 0 || row->follows == PH_FOLLOWS_EQUAL;
}

/* Whether a row tells both without its children. */
static inline bool
ph_row_is_complete(const PhStoredRow *row)
{
	return row->follows <= PH_FOLLOWS_EQUAL;
}

#endif
