/*
 * doctor.c - perfhouse doctor: look for what is wrong, say what to do, repair what is safe.
 *
 * Safe to repair: runs that killed loaders left behind, rows of runs that were deleted by hand,
 * dictionary rows that no run uses, missing roles and grants. Runs in state ready keep every
 * answer: those of older releases are stored as this one does, and what another version of a method
 * made of them, or what was lost of what can be computed, is made again.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "cli/json_out.h"
#include "commands/commands.h"
#include "commands/nodes.h"
#include "commands/upkeep.h"
#include "database/warehouse.h"
#include "queries.h"
#include "system/log.h"
#include "system/memory.h"
#include "texts.h"

#define CHECKED_RUNS 20
#define LEAST_FREE_BYTES 200e6

typedef struct Doctor
{
	PhConnection *connection;
	bool repair;
	bool all;
	bool json;
	bool gives_grants; /* what the caller has the right to */
	bool changes_runs;
	bool cleans_dictionary;
	bool sees_all;	   /* no run is hidden by row-level security */
	unsigned problems; /* still there */
	PhExit code;	   /* a check itself failed */
} Doctor;

/* status: ok, problem or skipped. */
static void
print_finding(const Doctor *doctor, const char *status, const char *what, const char *finding)
{
	PhJsonOut json;

	if (!doctor->json)
	{
		bool is_problem = strcmp(status, "problem") == 0;
		printf("%-8s %-14s %s\n", is_problem ? "PROBLEM" : status, what, finding);
		return;
	}
	ph_json_begin(&json, stdout);
	ph_json_open_object(&json, NULL);
	ph_json_put_text(&json, "status", status);
	ph_json_put_text(&json, "what", what);
	ph_json_put_text(&json, "finding", finding);
	ph_json_close(&json);
	ph_json_done_line(&json);
}

static void
say(Doctor *doctor, bool fine, const char *what, const char *finding)
{
	print_finding(doctor, fine ? "ok" : "problem", what, finding);
	if (!fine)
		doctor->problems++;
}

/* What is neither fine nor a problem: the caller has no right to it, and need not have. */
static void
skip(const Doctor *doctor, const char *what, const char *why)
{
	print_finding(doctor, "skipped", what, why);
}

static PhResult *
ask(Doctor *doctor, const char *sql, const PhParam *params, int n_params, const char *what)
{
	PhResult *rows = ph_pq_query(doctor->connection, sql, params, n_params);
	if (rows == NULL)
		doctor->code = ph_pq_log_error(doctor->connection, what);
	return rows;
}

static void
look_at_roles(Doctor *doctor)
{
	PhResult *row = ask(doctor, ph_sql_doctor_roles, NULL, 0, "roles");
	if (row == NULL)
		return;
	const char *missing = ph_result_text(row, 0, 0);
	if (missing != NULL)
	{
		char *finding = ph_format(
			"missing: %s; let an administrator CREATE ROLE ... NOLOGIN, then --repair", missing);
		say(doctor, false, "roles", finding);
		free(finding);
	}
	else
		say(doctor, true, "roles", "perfhouse_reader, perfhouse_loader, perfhouse_admin");
	if (ph_result_bool(row, 0, 1))
		say(doctor, false, "rights", "PUBLIC may use the schema perfhouse; run --repair");
	else
		say(doctor, true, "rights", "PUBLIC has none");
	ph_result_free(row);
}

static bool
look_at_caller(Doctor *doctor)
{
	PhResult *row = ask(doctor, ph_sql_doctor_rights, NULL, 0, "rights");
	if (row == NULL)
		return false;
	doctor->gives_grants = ph_result_bool(row, 0, 0);
	doctor->changes_runs = ph_result_bool(row, 0, 1);
	doctor->cleans_dictionary = ph_result_bool(row, 0, 2);
	doctor->sees_all = ph_result_bool(row, 0, 3);
	ph_result_free(row);
	return true;
}

/* Grants are given before looking, so that what is repaired does not count as a problem. */
static void
repair_rights(Doctor *doctor)
{
	if (doctor->repair && !doctor->gives_grants)
		skip(doctor, "grants", "only the owner of the warehouse gives them again");
	else if (doctor->repair &&
			 !ph_pq_execute(doctor->connection, "CALL perfhouse.apply_grants()", NULL, 0))
		doctor->code = ph_pq_log_error(doctor->connection, "rights");
}

static void
say_of_nodes(void *user, bool fine, const char *finding)
{
	say(user, fine, "nodes", finding);
}

/* True when all answer: the rest asks each of them. */
static bool
look_at_nodes(Doctor *doctor)
{
	PhNodeCount count;
	PhExit code = ph_nodes_look(doctor->connection, &count, say_of_nodes, doctor);
	doctor->code = doctor->code == PH_EXIT_OK ? code : doctor->code;
	if (count.n_silent > 0)
		skip(doctor, "the rest", "is looked at when all workers answer");
	return count.n_silent == 0;
}

/* Of runs: how to mend what was found, for who may and for who may not. */
static const char *
cure_of(const Doctor *doctor)
{
	return doctor->changes_runs ? "--repair mends it" : "--repair by a perfhouse_loader mends it";
}

/* How many are gone. */
static size_t
remove_leftovers(Doctor *doctor, const PhResult *rows)
{
	size_t n = ph_result_count(rows);
	for (size_t row = 0; row < n; row++)
	{
		PhParam run = ph_param_int(ph_result_int(rows, row, 0));
		if (!ph_pq_execute(doctor->connection, "SELECT perfhouse.drop_run($1::bigint)", &run, 1))
		{
			doctor->code = ph_pq_log_error(doctor->connection, "unfinished loads");
			return row;
		}
	}
	return n;
}

static void
look_at_leftovers(Doctor *doctor)
{
	PhResult *rows = ask(doctor, ph_sql_doctor_leftovers, NULL, 0, "unfinished loads");
	if (rows == NULL)
		return;
	size_t n = ph_result_count(rows);
	bool repair = doctor->repair && doctor->changes_runs;
	size_t n_removed = repair ? remove_leftovers(doctor, rows) : 0;
	char *finding;
	if (n == 0)
		finding = ph_strdup("none");
	else if (repair && n_removed == n)
		finding = ph_format("removed %zu that killed loaders left behind", n);
	else if (repair)
		finding = ph_format("removed %zu of %zu that killed loaders left behind", n_removed, n);
	else
		finding = ph_format("%zu that killed loaders left behind (invisible, harmless); %s", n,
							cure_of(doctor));
	say(doctor, n_removed == n, "loads", finding);
	free(finding);
	ph_result_free(rows);
}

/* A plain DELETE FROM perfhouse.run leaves the run's other rows behind. */
static void
look_at_rows_without_run(Doctor *doctor)
{
	bool repair = doctor->repair && doctor->changes_runs;
	PhParam param = ph_param_bool(repair);
	if (!doctor->sees_all)
	{
		skip(doctor, "deleted runs", "who does not see every run cannot tell");
		return;
	}
	PhResult *rows = ask(doctor, ph_sql_doctor_rows_without_run, &param, 1, "deleted runs");
	if (rows == NULL)
		return;
	size_t n = ph_result_count(rows);
	for (size_t row = 0; row < n; row++)
	{
		char *finding = ph_format("%s rows of run %s, which is gone, %s %s%s%s",
								  repair ? "removed" : "there are", ph_result_text(rows, row, 0),
								  repair ? "from" : "in", ph_result_text(rows, row, 1),
								  repair ? "" : "; ", repair ? "" : cure_of(doctor));
		say(doctor, repair, "deleted runs", finding);
		free(finding);
	}
	if (n == 0)
		say(doctor, true, "deleted runs", "none left rows behind");
	ph_result_free(rows);
}

/* Of trees and labels that runs share; before orphans, whose call paths they have. */
static void
look_at_unused_trees(Doctor *doctor)
{
	bool repair = doctor->repair && doctor->cleans_dictionary;
	PhParam param = ph_param_bool(repair);
	PhResult *row = ask(doctor, ph_sql_doctor_unused_trees, &param, 1, "call trees");
	if (row == NULL)
		return;
	char *finding = ph_format("%s that no run has used for a day%s", ph_result_text(row, 0, 0),
							  repair ? ", removed" : " (harmless)");
	say(doctor, true, "call trees", finding);
	free(finding);
	ph_result_free(row);
}

static void
say_orphans(Doctor *doctor, const PhResult *row, const char *remark)
{
	char *finding = ph_format("%s call paths and %s regions that no run uses%s",
							  ph_result_text(row, 0, 0), ph_result_text(row, 0, 1), remark);
	say(doctor, true, "dictionary", finding);
	free(finding);
}

/* NULL: it failed, and that is told. */
static PhResult *
ask_orphans(Doctor *doctor, bool remove)
{
	PhParam param = ph_param_bool(remove);
	return ask(doctor, ph_sql_doctor_orphans, &param, 1, "dictionary");
}

/* A loader may just have interned rows that no run uses yet: they are removed only when none is at
 * work, and loaders that start meanwhile wait. What was removed is told when it is gone for good.
 */
static void
remove_orphans(Doctor *doctor)
{
	bool begun = ph_pq_begin(doctor->connection);
	PhResult *row = begun ? ask(doctor, ph_sql_doctor_alone, NULL, 0, "dictionary") : NULL;
	bool alone = row != NULL && ph_result_bool(row, 0, 0);
	PhResult *orphans = row != NULL ? ask_orphans(doctor, alone) : NULL;
	bool done = orphans != NULL && ph_pq_commit(doctor->connection);
	if (done)
		say_orphans(doctor, orphans, alone ? ", removed" : ", not removed: loaders are at work");
	else
	{
		if (!begun || orphans != NULL)
			doctor->code = ph_pq_log_error(doctor->connection, "dictionary");
		ph_pq_rollback(doctor->connection);
	}
	ph_result_free(orphans);
	ph_result_free(row);
}

static void
look_at_orphans(Doctor *doctor)
{
	if (doctor->repair && doctor->cleans_dictionary)
	{
		remove_orphans(doctor);
		return;
	}
	PhResult *row = ask_orphans(doctor, false);
	if (row != NULL)
		say_orphans(doctor, row, " (harmless)");
	ph_result_free(row);
}

/* False: they could not be listed, and that is told. */
static bool
count_runs(Doctor *doctor, const PhUpkeepTask *task, PhUpkeepCount *count)
{
	PhResult *rows = ask(doctor, task->list_sql, NULL, 0, task->label);
	count->n_found = rows == NULL ? 0 : ph_result_count(rows);
	ph_result_free(rows);
	return rows != NULL;
}

/* False: what is to be done could not be listed, and that is told. */
static bool
do_upkeep(Doctor *doctor, const PhUpkeepTask *task, PhUpkeepCount *count)
{
	PhExit code = ph_upkeep(doctor->connection, task, count);
	doctor->code = doctor->code == PH_EXIT_OK ? code : doctor->code;
	return code == PH_EXIT_OK || count->n_found > 0;
}

/* Does the task when it is to repair; remark: of runs that are left as they are. */
static void
look_at_upkeep(Doctor *doctor, const PhUpkeepTask *task, const char *what, bool harmless,
			   const char *remark)
{
	PhUpkeepCount count = {0};
	bool repair = doctor->repair && doctor->changes_runs;
	char *finding;
	if (!(repair ? do_upkeep(doctor, task, &count) : count_runs(doctor, task, &count)))
		return;
	size_t n_left = count.n_found - count.n_done;
	if (count.n_found == 0)
		finding = ph_strdup("none");
	else if (repair && n_left == 0)
		finding = ph_format("%zu, done", count.n_done);
	else if (repair)
		finding = ph_format("%zu of %zu done", count.n_done, count.n_found);
	else
		finding = ph_format("%zu %s; %s", count.n_found, remark, cure_of(doctor));
	say(doctor, n_left == 0 || (harmless && !repair), what, finding);
	free(finding);
}

/* Only of the embedded server: another machine's disk cannot be seen from here. */
static void
look_at_disk(Doctor *doctor, const char *db)
{
	PhEmbedded *embedded;
	struct statvfs disk;
	if (!ph_warehouse_is_embedded(db) || ph_embedded_find(&embedded) != PH_EXIT_OK)
		return;
	if (statvfs(ph_embedded_cluster(embedded), &disk) == 0)
	{
		double free_bytes = (double) disk.f_bavail * (double) disk.f_frsize;
		char *finding =
			ph_format("%.1f GB free below %s", free_bytes / 1e9, ph_embedded_cluster(embedded));
		say(doctor, free_bytes >= LEAST_FREE_BYTES, "disk", finding);
		free(finding);
	}
	ph_embedded_free(embedded);
}

/* Only the newest runs are checked, unless all are. */
static void
say_how_many(Doctor *doctor, bool sound)
{
	PhResult *row = ask(doctor, "SELECT count(*) FROM perfhouse.run_overview", NULL, 0, "runs");
	char *finding;

	if (row == NULL)
		return;
	if (doctor->all || ph_result_int(row, 0, 0) <= CHECKED_RUNS)
		finding =
			ph_format("%sall %s runs checked", sound ? "sound, " : "", ph_result_text(row, 0, 0));
	else
		finding = ph_format("%sonly the newest %d of %s runs checked (--all: every run)",
							sound ? "sound, " : "", CHECKED_RUNS, ph_result_text(row, 0, 0));
	say(doctor, true, "stored data", finding);
	free(finding);
	ph_result_free(row);
}

/* True: what does not hold is a result that could be made again, and was. */
static bool
remake(Doctor *doctor, const PhResult *rows, size_t row)
{
	PhParam run = ph_param_int(ph_result_int(rows, row, 0));
	if (!doctor->repair || !doctor->changes_runs || !ph_result_bool(rows, row, 3))
		return false;
	if (ph_pq_execute(doctor->connection, ph_sql_upkeep_remake, &run, 1))
		return true;
	doctor->code = ph_pq_log_error(doctor->connection, "stored data");
	return false;
}

static const char *
remark_of(const Doctor *doctor, const PhResult *rows, size_t row, bool done)
{
	if (done)
		return "; computed anew";
	return !doctor->repair && ph_result_bool(rows, row, 3) ? "; --repair computes them anew" : "";
}

static void
look_at_runs(Doctor *doctor)
{
	PhParam limit = doctor->all ? ph_param_null() : ph_param_int(CHECKED_RUNS);
	PhResult *rows = ask(doctor, ph_sql_doctor_checks, &limit, 1, "runs");
	size_t n_lost = 0;
	if (rows == NULL)
		return;
	size_t n = ph_result_count(rows);
	for (size_t row = 0; row < n; row++)
	{
		bool done = remake(doctor, rows, row);
		char *finding = ph_format("run %s, %s: %s%s", ph_result_text(rows, row, 0),
								  ph_result_text(rows, row, 1), ph_result_text(rows, row, 2),
								  remark_of(doctor, rows, row, done));
		say(doctor, done, "stored data", finding);
		free(finding);
		n_lost += !ph_result_bool(rows, row, 3);
	}
	if (n_lost > 0)
		ph_log_hint("Load such runs again with --if-exists replace.");
	if (n == 0 || !doctor->all)
		say_how_many(doctor, n == 0);
	ph_result_free(rows);
}

static void
look_at_server(Doctor *doctor)
{
	char *where = ph_pq_describe(doctor->connection);
	say(doctor, true, "server", where);
	free(where);
	say(doctor, true, "versions", "extension and tables are this program's");
}

static void
look_at_warehouse(Doctor *doctor)
{
	repair_rights(doctor);
	look_at_roles(doctor);
	look_at_leftovers(doctor);
	look_at_rows_without_run(doctor);
	look_at_unused_trees(doctor);
	look_at_orphans(doctor);
	look_at_upkeep(doctor, &ph_upkeep_convert, "older runs", true,
				   "as an older release stored them (readable, but larger and slower)");
	look_at_upkeep(
		doctor, &ph_upkeep_remake, "stale results", false,
		"with results that are lost, or of another version of their method, which are refused");
	look_at_upkeep(
		doctor, &ph_upkeep_pyramids, "pyramids", true,
		"large traces without one of this version (their pictures are made of all events, "
		"and slower)");
	look_at_upkeep(doctor, &ph_upkeep_blame, "blame", true,
				   "traces whose profiles do not say who waited and who caused it");
	look_at_upkeep(doctor, &ph_upkeep_efficiencies, "efficiencies", true,
				   "runs of which lists and histories tell no efficiency");
	look_at_runs(doctor);
}

static PhExit
run_doctor(PhArguments *arguments)
{
	Doctor doctor = {.repair = ph_cli_flag(arguments, "repair"),
					 .all = ph_cli_flag(arguments, "all"),
					 .json = ph_cli_flag(arguments, "json")};
	PhExit code = ph_warehouse_open(ph_cli_db(arguments), PH_OPEN_READY, &doctor.connection);
	if (code != PH_EXIT_OK)
		return code;
	look_at_server(&doctor);
	look_at_disk(&doctor, ph_cli_db(arguments));
	if (look_at_nodes(&doctor) && look_at_caller(&doctor))
		look_at_warehouse(&doctor);
	ph_pq_close(doctor.connection);
	if (doctor.code != PH_EXIT_OK)
		return doctor.code;
	return doctor.problems > 0 ? PH_EXIT_UNHEALTHY : PH_EXIT_OK;
}

static const PhParameter options[] = {
	{.name = "repair",
	 .help = "remove leftovers of killed loaders, rows of deleted runs and unused dictionary rows, "
			 "convert runs of older releases, compute stale, lost and damaged results anew, give "
			 "grants"},
	{.name = "all", .help = "check the stored data of every run"},
	{.name = "json",
	 .help = "print one JSON object a line: status (ok, problem or skipped), what, finding"},
	{.name = NULL}};

const PhCommand ph_command_doctor = {
	.name = "doctor",
	.help = "check server, roles, leftovers and stored data; --repair mends what is safe",
	.usage = "[OPTION]...",
	.details = ph_help_doctor,
	.options = options,
	.uses_database = true,
	.run = run_doctor};
