/*
 * hide.h - a run that was read and is to be stored without what is hidden of it.
 *
 * Before it is stored, and before a trace's events are read: names of functions, hosts and files,
 * then metadata, by the warehouse's rules. What goes into the database is what copying a run with
 * the same salt would have left of it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_HIDE_H
#define PH_PIPELINE_HIDE_H

#include "database/pq.h"
#include "hiding/hiding.h"
#include "pipeline/store/run_record.h"

/* Names in profiles and definitions become the arena's, which must stay until the run is stored. */
PhStatus ph_hide_input(PhEnv *env, PhArena *arena, const PhHiding *hiding,
					   PhRunInput *input) PH_MUST_CHECK;

/*
 * The record and what the input lacks, hidden by the server; before the input's own names are.
 * PH_ERR_INTERNAL: the server refused, as db says.
 */
PhStatus ph_hide_record(PhEnv *env, PhConnection *db, const PhHiding *hiding, PhRunInput *input,
						PhRunRecord *record) PH_MUST_CHECK;

#endif
