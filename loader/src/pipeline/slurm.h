/*
 * slurm.h - does the batch job that loads fit what the file says of the run?
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_SLURM_H
#define PH_PIPELINE_SLURM_H

#include "pipeline/store/run_record.h"

/*
 * Warns of the run where SLURM's variables and the run differ: requested tasks (n_ranks 0: not
 * known), nodes (of the profile's columns), name and partition of the job. A difference most often
 * means that the run was loaded by another job than measured it.
 */
PhStatus ph_slurm_compare(PhEnv *env, PhGetenv environment, uint32_t n_ranks,
						  PhRunInput *run) PH_MUST_CHECK;

#endif
