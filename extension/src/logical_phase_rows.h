/*
 * logical_phase_rows.h - what is told of each phase of a computed structure.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_PHASE_ROWS_H
#define PH_LOGICAL_PHASE_ROWS_H

#include "logical_compute.h"

/* Texts live until the next row. */
typedef struct PhPhaseRow
{
	int64 t_first, t_last; /* first enter and last leave, ns */
	int64 max_lateness;
	const char *pattern; /* "": no exchange */
	const char *reason;	 /* the last kind of merge */
	char *reasons;		 /* all kinds, as an array literal */
	char *regions;		 /* names of its functions, each once, in order */
	uint32 n_locations;
} PhPhaseRow;

typedef struct PhPhaseLister PhPhaseLister;

/* Looks at all phases; lives in the trace's scratch memory. */
PhPhaseLister *ph_phase_lister(PhLogicalRun *run);

void ph_phase_row(PhPhaseLister *lister, uint32 phase, PhPhaseRow *out);

#endif
