/*
 * compare_sides.h - which runs the two arguments of compare stand for.
 *
 * An argument is a run, a comma-separated list of runs, or the beginning of a commit's hash: then
 * all ready runs of that commit that are not excluded. Of commits the runs of the experiment that
 * both sides have are compared; when they have none in common, all of their runs are the sides.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_COMPARE_SIDES_H
#define PH_REPORTS_COMPARE_SIDES_H

#include "database/pq.h"

typedef struct PhSide
{
	const char *argument;
	int64_t *runs; /* by id */
	size_t n_runs;
	char *label; /* "run 3" or "commit 3e01c40b3 (3 runs)" */
	bool is_commit;
	size_t n_repeats; /* of a single run: others of the same commit and conditions */
	char *commit;	  /* of a single run; may be NULL */
} PhSide;

typedef struct PhSideOptions
{
	const char *application; /* NULL: the one that both sides have */
	int64_t n_ranks;		 /* 0: the number that both sides have */
	const char *filter;		 /* run filter for a commit's runs; NULL: all of them */
} PhSideOptions;

/* Logs its own errors. Free both sides in any case. */
PhExit ph_sides_resolve(PhConnection *connection, const PhSideOptions *options, PhSide *a,
						PhSide *b);
void ph_side_free(PhSide *side);

#endif
