/*
 * cmd_runs.h - the commands about runs: load, list, show, annotate, remove, export, report,
 * compare.
 *
 * The table of commands in main.c refers to these.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_CMD_RUNS_H
#define PH_CMD_RUNS_H

#include "cli.h"

PhExit ph_cmd_load(PhArguments *arguments);
extern const PhOption ph_load_options[];
extern const char ph_load_details[];

PhExit ph_cmd_runs(PhArguments *arguments);
extern const PhOption ph_runs_options[];
extern const char ph_runs_details[];

PhExit ph_cmd_show(PhArguments *arguments);
extern const PhOption ph_show_options[];

PhExit ph_cmd_rm(PhArguments *arguments);
extern const PhOption ph_rm_options[];

PhExit ph_cmd_tag(PhArguments *arguments);
extern const char ph_tag_details[];

PhExit ph_cmd_exclude(PhArguments *arguments);
extern const PhOption ph_exclude_options[];
extern const char ph_exclude_details[];

PhExit ph_cmd_export(PhArguments *arguments);
extern const PhOption ph_export_options[];
extern const char ph_export_details[];

PhExit ph_cmd_report(PhArguments *arguments);
extern const PhOption ph_report_options[];
extern const char ph_report_details[];

PhExit ph_cmd_compare(PhArguments *arguments);
extern const PhOption ph_compare_options[];
extern const char ph_compare_details[];

#endif
