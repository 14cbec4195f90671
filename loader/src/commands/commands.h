/*
 * commands.h - the subcommands of perfhouse; each is defined in NAME.c.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_COMMANDS_COMMANDS_H
#define PH_COMMANDS_COMMANDS_H

#include "cli/cli.h"

/* The warehouse. */
extern const PhCommand ph_command_init;
extern const PhCommand ph_command_up;
extern const PhCommand ph_command_down;
extern const PhCommand ph_command_status;
extern const PhCommand ph_command_doctor;
extern const PhCommand ph_command_projects;
extern const PhCommand ph_command_psql;
extern const PhCommand ph_command_view;
extern const PhCommand ph_command_conninfo;
extern const PhCommand ph_command_mcp;

/* Runs. */
extern const PhCommand ph_command_load;
extern const PhCommand ph_command_copy;
extern const PhCommand ph_command_spool;
extern const PhCommand ph_command_run;
extern const PhCommand ph_command_jobs;
extern const PhCommand ph_command_measure_next;
extern const PhCommand ph_command_runs;
extern const PhCommand ph_command_show;
extern const PhCommand ph_command_set;
extern const PhCommand ph_command_tag;
extern const PhCommand ph_command_exclude;
extern const PhCommand ph_command_rm;
extern const PhCommand ph_command_retention;
extern const PhCommand ph_command_alias;
extern const PhCommand ph_command_query;
extern const PhCommand ph_command_application;
extern const PhCommand ph_command_metric;
extern const PhCommand ph_command_export;
extern const PhCommand ph_command_report;
extern const PhCommand ph_command_compare;
extern const PhCommand ph_command_explain;
extern const PhCommand ph_command_gate;
extern const PhCommand ph_command_trace;

/* History. */
extern const PhCommand ph_command_commits;
extern const PhCommand ph_command_regressions;

/* Handed over to perfhouse-render. */
extern const PhCommand ph_command_render;
extern const PhCommand ph_command_serve;
extern const PhCommand ph_command_bundle;

#endif
