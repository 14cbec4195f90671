/*
 * outcome.h - what became of a run that was to be loaded.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_STORE_OUTCOME_H
#define PH_PIPELINE_STORE_OUTCOME_H

typedef enum PhOutcome
{
	PH_OUTCOME_NONE, /* not decided yet */
	PH_OUTCOME_LOADED,
	PH_OUTCOME_REPLACED,
	PH_OUTCOME_APPENDED,
	PH_OUTCOME_SKIPPED,
	PH_OUTCOME_FAILED
} PhOutcome;

const char *ph_outcome_name(PhOutcome outcome);

#endif
