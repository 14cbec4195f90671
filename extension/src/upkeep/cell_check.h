/*
 * cell_check.h - do the stored cells of a run hold what they should?
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_UPKEEP_CELL_CHECK_H
#define PH_UPKEEP_CELL_CHECK_H

#include "postgres.h"

#include "profile/profile.h"
#include "server/pgenv.h"

/* What is wrong, NULL where nothing is. */
typedef struct PhCellFindings
{
	char *vectors;	  /* a vector belongs to no node or metric, has a wrong length or bad numbers */
	char *summaries;  /* those that are not the sums of the vectors */
	char *additivity; /* cells of flow metrics that are not exclusive + children + residual */
} PhCellFindings;

/*
 * Under SPI_connect: read every vector of the run, in strips of columns so that memory stays
 * bounded. tree: the run's, sound; n_columns: locations of the run; wrong_summaries: why they
 * cannot be read, else NULL. Texts are in the current context, everything else in scratch.
 */
PhCellFindings ph_check_cells(int64 run_id, const PhProfile *tree, uint32 n_columns,
							  char *wrong_summaries, PhScratch *scratch);

#endif
