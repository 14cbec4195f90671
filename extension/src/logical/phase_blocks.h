/*
 * phase_blocks.h - the stored phases of a run of processes, row by row.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_PHASE_BLOCKS_H
#define PH_LOGICAL_PHASE_BLOCKS_H

#include "logical/reader.h"
#include "logical/store/phases.h"

/* Gets the phases of a row; false: no more of them are wanted. */
typedef bool (*PhPhasesFunction)(void *user, const PhStoredPhases *phases);

/*
 * Gives the phases of perfhouse.phase_block in order; of one phase (-1: all) the row that has it.
 * False: the run's are in phase_chunk, as those of tasks and of release 0.1.0 are. PH001 for bytes
 * that are none.
 */
bool ph_phase_blocks(int64 run_id, PhScratch *scratch, int32 phase, PhPhasesFunction function,
					 void *user);

/* What is wrong with them, in the current memory context, and how many there are of how many
 * events; NULL: nothing. */
char *ph_check_phase_blocks(int64 run_id, PhScratch *scratch, int64 *n_phases, int64 *n_events);

#endif
