/*
 * report.h - what load tells: a line or a JSON object a run, warnings, failures, the summary.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_REPORT_H
#define PH_PIPELINE_REPORT_H

#include "pipeline/load.h"
#include "system/exit_codes.h"

typedef struct PhLoadSummary
{
	bool json;
	bool quiet; /* nothing on the standard output but JSON */
	bool ignore_unknown;
	size_t n_bad_paths; /* paths that could not be planned; logged already */
	PhExit bad_path_code;
	double seconds;
} PhLoadSummary;

/*
 * True when the database cannot work now, but may do so later: not reached, disk full, an error of
 * the server's own, a deadlock. What failed of it is worth another try.
 */
bool ph_load_is_away(const PhPqError *error);

/* Why it did not work while these were loaded; NULL: it did. */
const PhPqError *ph_load_lost_database(const PhLoad *load);

/* The exit code that one failed job stands for. */
PhExit ph_load_exit_code(const PhLoadJob *job);

/*
 * Print everything; returns the exit code of the command: that of a database that went away,
 * whatever was loaded before.
 */
PhExit ph_load_report(const PhLoad *load, const PhLoadSummary *summary);

/* Print one job: its warnings, why it failed, its line or JSON object. */
void ph_load_report_job(const PhLoad *load, const PhLoadJob *job, bool json);

/* A file below a named folder that cannot be read: the error, and a line of JSON. */
void ph_load_report_unread(const PhUnread *file, bool json);

/* A path of the command line that stands for nothing: the error, and a line of JSON. */
void ph_load_report_bad_path(const char *path, const PhError *error, bool json);

#endif
