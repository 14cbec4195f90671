/*
 * comparable.h - whether two sets of runs are of one experiment, and what to say when they are not.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_COMPARABLE_H
#define PH_REPORTS_COMPARABLE_H

#include <stdio.h>

#include "cli/json_out.h"
#include "database/pq.h"
#include "reports/compare_sides.h"

/* A row per experiment key, as perfhouse.experiment_differences() judges it. */
typedef struct PhComparable
{
	PhResult *rows;
	size_t n_obstacles; /* keys that differ, or that are not known of every run */
} PhComparable;

/* Logs its own errors. Free it in any case. */
PhExit ph_comparable_fetch(PhConnection *connection, const PhSide *a, const PhSide *b,
						   PhComparable *out);
void ph_comparable_free(PhComparable *comparable);

/* The keys that stand in the way as a table; nothing when there are none. */
void ph_comparable_print(FILE *out, const PhComparable *comparable);

/* "n_hosts, cluster": keys that no run has, "" for none; lives until the next call. */
const char *ph_comparable_not_recorded(const PhComparable *comparable);

/* Members "comparable" and "experiment" of the object that is open. */
void ph_comparable_write(PhJsonOut *json, const PhComparable *comparable);

#endif
