/*
 * join.h - a run is a job: files of its ranks become one experiment.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_JOIN_H
#define PH_PIPELINE_JOIN_H

#include "pipeline/load.h"

/*
 * Joins experiments of the plan that are files of one folder, one format and one job, and that
 * overlap in time by half of the shorter at least; the others stay as they are. Of two files of one
 * rank that overlap so, all of that job fail. Files that cannot be read stay, to fail on their own.
 * Only folders with several files of such a format are looked at; those files are read once more.
 * Option one_run: neither jobs nor times are asked; ranks that are not known are no reason to fail.
 */
PhStatus ph_load_join_ranks(PhLoad *load, PhEnv *env) PH_MUST_CHECK;

#endif
