/*
 * stored_row.c - see stored_row.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "stored/stored_row.h"

#include "stored/block_layout.h"
#include "stored/loops.h"

/* The vectors that are there, their form, and for PH_FOLLOWS_EITHER a bit a cell. */
typedef struct Kept
{
	PhNumberForm form;
	const uint8_t *bits;
} Kept;

static bool
unpack(const PhStoredRow *row, double *exclusive, double *inclusive, Kept *kept)
{
	PhBytes bytes = row->vectors;
	PhByteReader reader = {bytes.data, bytes.data, bytes.data + bytes.size, false};
	uint32_t n = row->n_cells;
	if ((row->stored & PH_STORED_EXCLUSIVE) != 0)
		ph_numbers_unpack(&reader, n, exclusive, &kept->form);
	if ((row->stored & PH_STORED_INCLUSIVE) != 0)
		ph_numbers_unpack(&reader, n, inclusive, &kept->form);
	if (row->follows == PH_FOLLOWS_EITHER)
		kept->bits = ph_take(&reader, n / 8 + (n % 8 != 0));
	return !reader.bad && ph_left(&reader) == 0;
}

/* The sums of ph_follow_sum. Tells whether one was cut: then there is a residual. */
static bool
add_children(PhStoredVectors stored, bool is_signed, const double *restrict from,
			 const double *restrict children, double *restrict to, uint32_t n)
{
	bool is_cut = false;
	if (stored == PH_STORED_EXCLUSIVE)
		for (uint32_t i = 0; i < n; i++)
			to[i] = from[i] + children[i];
	else
		ph_loop_subtract(is_signed, from, children, n, to, &is_cut);
	return is_cut;
}

bool
ph_row_unpack(const PhStoredRow *row, bool is_signed, const double *children, double *exclusive,
			  double *inclusive, bool *is_unsure)
{
	Kept kept = {0};
	PhStoredVectors stored = (PhStoredVectors) row->stored;
	const double *from = stored == PH_STORED_EXCLUSIVE ? exclusive : inclusive;
	double *to = stored == PH_STORED_EXCLUSIVE ? inclusive : exclusive;
	*is_unsure = row->follows != PH_FOLLOWS_SUM;
	if (!unpack(row, exclusive, inclusive, &kept))
		return false;
	if (row->follows == PH_FOLLOWS_EQUAL)
		memcpy(to, from, row->n_cells * sizeof(*to));
	if (row->follows <= PH_FOLLOWS_EQUAL)
		return true;
	*is_unsure |= add_children(stored, is_signed, from, children, to, row->n_cells);
	if (row->follows > PH_FOLLOWS_SUM)
		ph_loop_round(kept.form, kept.bits, row->n_cells, to);
	return true;
}
