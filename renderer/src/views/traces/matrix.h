/*
 * matrix.h - a square of cells: who sent how much to whom.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_TRACES_MATRIX_H
#define PH_VIEWS_TRACES_MATRIX_H

#include "drawing/page.h"

typedef struct PhMatrix
{
	uint32_t n_pairs;
	const double *sender, *receiver; /* ranks */
	const double *messages, *bytes;
	bool by_messages; /* colour by number, else by bytes */
	PhPalette palette;
	const char *run;
	uint32_t n_ranks;	   /* lines and columns: */
	const double *ranks;   /* their ranks */
	const char **labels;   /* what they are ordered by: planes, boundaries, hosts; NULL: ranks */
	const char *order;	   /* what labels are */
	uint32_t *by_rank;	   /* set by drawing: lines in the order of ranks */
	uint32_t ranks_a_cell; /* set by drawing: more than one when there are more ranks than units */
} PhMatrix;

/* Draws matrix, axes, sums at the sides and the legend; the body must be about square. */
void ph_matrix_draw(PhScene *scene, PhMatrix *matrix, PhBody body);

#endif
