/*
 * cells.h - which cells a profile has, and where their values are.
 *
 * The columns in which a node is present are runs of neighbours. A metric's arrays have one element
 * a cell that exists: those of node 0 by ascending column, then those of node 1, and so on. So
 * whoever reads or writes a node's values goes from span to span, and pays for the cells there are:
 *
 *     PhRowWalk walk = ph_row_walk(profile, node);
 *     for (PhRowSpan span; ph_row_next(&walk, &span);)
 *         use(span.first, metric->inclusive + span.cell, span.n);
 *
 * Of a dense profile, whose nodes are in every column, a row is one span.
 *
 * A node that is present in a column makes its ancestors present there: a parent's row contains
 * those of its children (ph_profile_check). Adding up rows relies on it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_CELLS_H
#define PH_PROFILE_CELLS_H

#include <string.h>

#include "base/vector.h"
#include "profile/profile.h"

/* ---- reading ---- */

/* The cells of one node. */
typedef struct PhRow
{
	size_t cell;			 /* of its first column, in the arrays of metrics */
	const PhColumnRun *runs; /* NULL: the one run [0, n) */
	uint32_t n_runs;
	uint32_t n; /* cells */
} PhRow;

/* Columns [first, first + n), in which a node is present; values[cell] is that of the first. */
typedef struct PhRowSpan
{
	uint32_t first, n;
	size_t cell;
} PhRowSpan;

static inline PhRow
ph_profile_row(const PhProfile *profile, uint32_t node)
{
	uint32_t n = profile->n_columns;
	if (profile->first_cell == NULL)
		return (PhRow){(size_t) node * n, NULL, n > 0, n};
	size_t cell = profile->first_cell[node];
	uint32_t run = profile->first_run[node];
	return (PhRow){cell, profile->runs + run, profile->first_run[node + 1] - run,
				   (uint32_t) (profile->first_cell[node + 1] - cell)};
}

static inline PhRowSpan
ph_row_span(const PhRow *row, uint32_t run)
{
	if (row->runs == NULL)
		return (PhRowSpan){0, row->n, row->cell};
	const PhColumnRun *at = &row->runs[run];
	return (PhRowSpan){at->first, at->n, row->cell + at->before};
}

/* A way through the spans of one node, in ascending order of columns; no two of them touch. */
typedef struct PhRowWalk
{
	PhRow row;
	uint32_t next;
} PhRowWalk;

static inline PhRowWalk
ph_row_walk(const PhProfile *profile, uint32_t node)
{
	return (PhRowWalk){ph_profile_row(profile, node), 0};
}

static inline bool
ph_row_next(PhRowWalk *walk, PhRowSpan *span)
{
	if (walk->next >= walk->row.n_runs)
		return false;
	*span = ph_row_span(&walk->row, walk->next++);
	return true;
}

/* The first run that ends behind the column, from run `from` on; n_runs: none does. O(log runs). */
uint32_t ph_row_find_run(const PhRow *row, uint32_t from, uint32_t column);

static inline bool
ph_same_columns(const PhRow *a, const PhRow *b)
{
	return a->n == b->n && a->n_runs == b->n_runs &&
		   (a->n_runs == 0 || a->runs == b->runs ||
			(a->runs != NULL && b->runs != NULL &&
			 memcmp(a->runs, b->runs, a->n_runs * sizeof(*a->runs)) == 0));
}

/*
 * to[cell] += from[cell] for the cells of row `from`, which row `to` has too. The arrays may be of
 * different profiles of the same columns; each row's cells are counted in its own.
 */
void ph_row_add_cells(const PhRow *to_row, double *to, const PhRow *from_row, const double *from);

/* vector[column] = value for the columns of the row; elements of other columns stay. */
void ph_row_scatter(const PhRow *row, const double *values, double *vector);

/* The elements of the row's columns, one after the other. */
void ph_row_gather(const PhRow *row, const double *vector, double *to);

/* vector[column] = 0 for the columns of the row. */
void ph_row_clear(const PhRow *row, double *vector);

/*
 * Sum of a row's values in a fixed order: four running sums, of the columns that are 0, 1, 2 and 3
 * modulo 4, so that one addition does not wait for another, and absent cells change no bit.
 */
double ph_row_total(const PhRow *row, const double *values);

/* The same piece by piece: n values from column `first` on into the sums; then their total. */
void ph_row_add_lanes(double lanes[4], uint32_t first, const double *values, uint32_t n);

static inline double
ph_lanes_total(const double lanes[4])
{
	return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

/* ---- making ---- */

/*
 * A set of columns that is filled with runs in any order and emptied in ascending order. Costs what
 * is put in, and n_columns / 4096 each time that it is emptied.
 */
typedef struct PhColumnSet
{
	uint32_t n_columns;
	uint64_t *words; /* a bit a column */
	uint64_t *used;	 /* a bit a word that is not 0 */
} PhColumnSet;

typedef PH_VECTOR(PhColumnRun) PhColumnRuns;

PhStatus ph_column_set_init(PhColumnSet *set, PhArena *arena, uint32_t n_columns) PH_MUST_CHECK;
void ph_column_set_add(PhColumnSet *set, uint32_t first, uint32_t n);

/* Append the runs to the list, counting `before` from 0, and empty the set. */
PhStatus ph_column_set_take(PhColumnSet *set, PhArena *arena, PhColumnRuns *out) PH_MUST_CHECK;

/*
 * For whoever makes a profile: the columns in which its nodes are present, in any order and with
 * repeats. What a node has its ancestors have too, whether or not that is said.
 */
typedef struct PhPresentRun
{
	uint32_t node, first, n;
} PhPresentRun;

typedef struct PhPresence
{
	PhArena *arena;
	PH_VECTOR(PhPresentRun) runs;
} PhPresence;

static inline void
ph_presence_init(PhPresence *presence, PhArena *arena)
{
	*presence = (PhPresence){.arena = arena};
}

/* The node is present in columns [first, first + n). */
PhStatus ph_presence_add(PhPresence *presence, uint32_t node, uint32_t first,
						 uint32_t n) PH_MUST_CHECK;

/* The node is present where the row is. */
PhStatus ph_presence_add_row(PhPresence *presence, uint32_t node, const PhRow *row) PH_MUST_CHECK;

/*
 * Give a profile, which has its tree and columns but no values yet, the cells that presence names
 * and those of their ancestors. O(runs + nodes); PH_ERR_VALUE for nodes and columns that it does
 * not have.
 */
PhStatus ph_profile_set_cells(PhProfile *profile, const PhPresence *presence) PH_MUST_CHECK;

/* Give a profile the cells of one with the same nodes and columns. */
PhStatus ph_profile_copy_cells(PhProfile *to, const PhProfile *from) PH_MUST_CHECK;

#endif
