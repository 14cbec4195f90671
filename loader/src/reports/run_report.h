/*
 * run_report.h - what one page says about a profile: hot path, imbalance, MPI, worst ranks and
 * hosts.
 *
 * Pure: from a profile to numbers. Printing is in report_print.c and commands/report.c.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_RUN_REPORT_H
#define PH_REPORTS_RUN_REPORT_H

#include "profile/profile.h"

#define PH_REPORT_ROWS 5

/* A node whose own cost differs over the columns. What MPI calls is left out: it waits. */
typedef struct PhImbalanceRow
{
	uint32_t node;
	double mean, max;
	double imbalance_ratio; /* max / mean */
	double lost;			/* (max - mean) * columns */
	uint32_t worst;			/* column of max; PH_NONE: the file does not say */
} PhImbalanceRow;

/* A column, or a host (mean over its columns), by its cost outside MPI. */
typedef struct PhWorkRow
{
	uint32_t column; /* first column of the host */
	uint32_t n_columns;
	double outside_mpi;
	double above_mean; /* relative to the mean over all columns */
} PhWorkRow;

typedef struct PhRunReport
{
	const PhProfile *profile;
	uint32_t metric;
	const char *unit;
	double seconds;	 /* per unit of the metric; 0: it is no time */
	double total;	 /* mean over columns */
	double residual; /* what own costs lack of the total: ph_profile_residual */
	uint32_t *hot_path;
	uint32_t n_hot_path;
	PhImbalanceRow imbalance[PH_REPORT_ROWS];
	uint32_t n_imbalance;
	bool imbalance_of_file; /* one column, with the file's own extremes over ranks */
	bool has_mpi;
	double mpi;			  /* mean over columns, inclusive */
	uint32_t dearest_mpi; /* node with the largest MPI cost; PH_NONE */
	double dearest_mpi_cost;
	PhWorkRow ranks[PH_REPORT_ROWS];
	uint32_t n_ranks;
	PhWorkRow hosts[PH_REPORT_ROWS];
	uint32_t n_hosts; /* 0: hosts are not known, or there is one */
} PhRunReport;

PhStatus ph_run_report(PhArena *arena, const PhProfile *profile, uint32_t metric,
					   PhRunReport *out) PH_MUST_CHECK;

/* Is this region an MPI function (MPI_, PMPI_, Fortran spellings, or in an MPI library)? */
bool ph_is_mpi(const PhProfile *profile, uint32_t node);

#endif
