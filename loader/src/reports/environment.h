/*
 * environment.h - in which compiler, MPI, libraries, kernel, hosts and clocks two sets of runs
 * differ.
 *
 * What runs were built with and ran on goes with a change that nobody made in the code. Profilers
 * name such metadata as they like, so keys are told by words in them (compiler, mpi_version,
 * OMP_PROC_BIND, cpu.governor). What belongs to one job alone (ids, dates, times) is left out.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_ENVIRONMENT_H
#define PH_REPORTS_ENVIRONMENT_H

#include <stdio.h>

#include "cli/json_out.h"
#include "reports/run_facts.h"

typedef struct PhEnvironmentChange
{
	const char *kind; /* "compiler", "MPI", "library", "threads", "kernel", "host", "clock" */
	char *key;
	char *before; /* the values of a side, joined by commas; NULL: no run of it says */
	char *after;
} PhEnvironmentChange;

typedef struct PhEnvironment
{
	PhEnvironmentChange *changes; /* by kind, then key */
	size_t n_changes;
	size_t n_same; /* keys of the environment that both sides have alike */
} PhEnvironment;

/* A key differs when no value of one side is one of the other's. */
void ph_environment_compare(const PhFacts *a, size_t n_a, const PhFacts *b, size_t n_b,
							PhEnvironment *out);
void ph_environment_free(PhEnvironment *environment);

/* A table, or that nothing differs. Nothing when neither side says anything of its environment. */
void ph_environment_print(FILE *out, const PhEnvironment *environment);

/* Member "environment" of the object that is open. */
void ph_environment_write(PhJsonOut *json, const PhEnvironment *environment);

#endif
