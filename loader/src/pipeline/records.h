/*
 * records.h - which profiles the records of harnesses belong to, and what becomes of both.
 *
 * A record belongs to the profiles in its folder: where that is "halo/strong/n4", all whose path
 * has these folders in a row, wherever they lie now. One without a folder, but with the number of a
 * job, belongs to profiles below the file it is in that have this number in their path; the only
 * record of a file to all profiles below. Of several records of one folder the last counts.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_RECORDS_H
#define PH_PIPELINE_RECORDS_H

#include "pipeline/load.h"

/*
 * Gives each profile of the plan its record, and drops from the plan the records that describe
 * profiles, those that failed, and those without figures. The results of Ramble's workspace around
 * a profile are looked for, too. Records that are dropped for nothing are listed as not read.
 */
PhStatus ph_load_match_records(PhLoad *load) PH_MUST_CHECK;

/* Adds what the record says to the run: metadata that the run does not say of itself, and, to a
 * profile, its figures as metrics. */
PhStatus ph_record_apply(PhEnv *env, const struct PhRecord *record, PhRunInput *run) PH_MUST_CHECK;

#endif
