/*
 * named_run.h - the run that an argument names: by its number, as the latest one, or by its commit.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_RUNS_NAMED_RUN_H
#define PH_RUNS_NAMED_RUN_H

#include "cli/cli.h"
#include "database/pq.h"

/* Choices of an argument that names one run: the words beside its number. */
extern const char *const ph_named_runs[];

/* latest, latest:FILTER, APPLICATION@COMMIT, or a run's number. False and an error message
 * otherwise. */
bool ph_names_run(const char *word);

/* The number of such a run: the one that was loaded last, of those for which the filter holds, or
 * of the application and commit (its hash, or how it begins). PH_EXIT_NOT_FOUND, logged, where
 * there is none. */
PhExit ph_find_named_run(PhConnection *connection, const char *word, int64_t *out);

/* A word of digits, and commas between them, which names runs by their numbers. */
bool ph_names_runs(const char *word);

/* These numbers, malloc'ed; NULL: one is none of a run (logged). */
int64_t *ph_run_numbers(const char *word, size_t *n);

/* Opens the warehouse and finds the run that the first argument names. */
PhExit ph_open_run(const PhArguments *arguments, PhConnection **connection, int64_t *run_id);

#endif
