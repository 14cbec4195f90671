/*
 * completeness.h - is an input all that its writer wrote?
 *
 * Every reader says in PhReader.proof how an input of its format proves that it is whole, and while
 * it reads notes by ph_run_missing what is not there: a terminal record, declared numbers of
 * records, files of ranks that the others know of. What nothing was noted of is complete. A format
 * without such a proof has no PhReader.proof: its inputs are of unknown completeness, but for those
 * that prove it by means of their own (PhRunInput.is_proven).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_COMPLETENESS_H
#define PH_READERS_COMPLETENESS_H

#include "readers/source.h"

typedef enum PhCompleteness
{
	PH_COMPLETENESS_UNKNOWN,
	PH_COMPLETENESS_COMPLETE,
	PH_COMPLETENESS_INCOMPLETE
} PhCompleteness;

/* What the input lacks, as a sentence without its final dot. Reading goes on with what is there. */
PhStatus ph_run_missing(PhEnv *env, PhRunInput *run, const char *format, ...)
	PH_PRINTF(3, 4) PH_MUST_CHECK;

/* The status of a reader that failed. Where something had been found missing before, its message
 * begins with that: what else was wrong follows from it as a rule. */
PhStatus ph_run_failed(PhEnv *env, const PhRunInput *run, PhStatus status);

/* Of an input that was read to its end. */
PhCompleteness ph_run_completeness(const PhReader *reader, const PhRunInput *run);

/* "complete", "incomplete", "unknown": as the warehouse has it. */
const char *ph_completeness_name(PhCompleteness completeness);

#endif
