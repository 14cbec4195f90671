/*
 * watch.c - see watch.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/watch.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/min_max.h"
#include "database/warehouse.h"
#include "pipeline/internal.h"
#include "pipeline/report.h"
#include "pipeline/search.h"
#include "pipeline/spool.h"
#include "queries.h"
#include "system/interrupt.h"
#include "system/log.h"

#define MOST_JOBS 500 /* of one round: others are told about soon */
#define LONGEST_PAUSE_S 60

typedef struct Watcher
{
	const PhWatch *watch;
	PhEnv *env;
	PhSpool spool;
	PhNewRuns new_runs;
	unsigned pause_s; /* before the database is tried again; 0: it answers */
	size_t n_loaded, n_skipped, n_failed;
} Watcher;

/* ---- the database ---- */

static void
disconnect(Watcher *watcher)
{
	ph_pq_close(*watcher->watch->connection);
	*watcher->watch->connection = NULL;
}

static const char *
why_to_wait(const PhPqError *error)
{
	if (error->code == PH_EXIT_DISK_FULL)
		return "the database has no room";
	return strncmp(error->sqlstate, "40", 2) == 0 ? "the database ended a load for another's sake"
												  : "the database is away";
}

/* Twice as long every time. */
static void
pause_for_database(Watcher *watcher, const char *why)
{
	int64_t until;

	disconnect(watcher);
	if (ph_interrupted())
		return;
	watcher->pause_s = watcher->pause_s == 0 ? 1 : watcher->pause_s * 2;
	watcher->pause_s = PH_MIN(LONGEST_PAUSE_S, watcher->pause_s);
	ph_log_warning("%s; trying again in %u s", why, watcher->pause_s);
	until = ph_now_ns() + watcher->pause_s * INT64_C(1000000000);
	while (!ph_interrupted() && ph_now_ns() < until)
		(void) poll(NULL, 0, 100);
}

/* PH_EXIT_OK: connected. */
static PhExit
ensure_connection(Watcher *watcher)
{
	PhConnection **connection = watcher->watch->connection;
	PhExit code = PH_EXIT_OK;

	if (*connection != NULL)
		return code;
	code = ph_warehouse_open(watcher->watch->db, PH_OPEN_READY, connection);
	if (code == PH_EXIT_OK && !ph_pq_execute(*connection, ph_sql_load_mark, NULL, 0))
		code = ph_pq_log_error(*connection, "load");
	if (code != PH_EXIT_OK)
		disconnect(watcher);
	return code;
}

/* ---- one round ---- */

/* The path is the unit's or below it. */
static bool
is_of(const PhSpoolUnit *unit, const char *path)
{
	size_t length = strlen(unit->path);

	return strncmp(path, unit->path, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static PhSpoolUnit *
unit_of(const Watcher *watcher, const PhLoadJob *job)
{
	for (size_t i = 0; i < watcher->spool.n_units; i++)
		if (is_of(&watcher->spool.units[i], job->experiment->path))
			return &watcher->spool.units[i];
	return NULL;
}

/* Leave out jobs of inputs that were handled as they are. */
static void
drop_known_jobs(const PhSpoolUnit *unit, PhLoad *load, size_t first)
{
	size_t kept = first;

	for (size_t i = first; i < load->n_jobs; i++)
	{
		uint64_t stamp = ph_experiment_stamp(load->jobs[i].experiment);

		if (!ph_spool_knows(unit, load->jobs[i].experiment->path, stamp))
			load->jobs[kept++] = load->jobs[i];
	}
	load->n_jobs = kept;
}

/* The unit may not be all that will be there: it waits. */
static bool
may_come(const Watcher *watcher, PhSpoolUnit *unit, const char *path)
{
	if (!ph_spool_wait_for(unit, watcher->watch->patience_ns))
		return false;
	ph_log_debug("%s: not whole yet", path);
	return true;
}

/* A unit in which nothing can be loaded is a failed input, unless unknown files do not matter. */
static void
refuse_unit(Watcher *watcher, PhSpoolUnit *unit, PhStatus status)
{
	bool is_unknown = status == PH_ERR_UNSUPPORTED || status == PH_ERR_FORMAT;

	unit->is_handled = true;
	if (is_unknown && may_come(watcher, unit, unit->path))
		return;
	if ((watcher->watch->ignore_unknown && is_unknown) ||
		ph_spool_knows(unit, unit->path, unit->stamp))
		return;
	ph_spool_remember(unit, unit->path, unit->stamp);
	ph_load_report_bad_path(unit->path, &watcher->env->error, watcher->watch->json);
	watcher->n_failed++;
	if (watcher->watch->failed != NULL)
		(void) ph_spool_move(&watcher->spool, unit, watcher->watch->failed);
}

/* Has the unit a file that cannot be read? */
static bool
lacks_file(const PhLoad *load, const PhSpoolUnit *unit)
{
	for (uint32_t i = 0; i < load->unread.n; i++)
		if (load->unread.items[i].kind == PH_UNREAD_ERROR &&
			is_of(unit, load->unread.items[i].path))
			return true;
	return false;
}

/* Move a unit, all of whose jobs have ended, where it belongs. */
static void
put_away(const Watcher *watcher, const PhSpoolUnit *unit, const PhLoad *load)
{
	bool any_failed = lacks_file(load, unit);
	const char *folder;

	for (size_t i = 0; i < load->n_jobs; i++)
		any_failed = any_failed || (unit_of(watcher, &load->jobs[i]) == unit &&
									load->jobs[i].outcome == PH_OUTCOME_FAILED);
	folder = any_failed ? watcher->watch->failed : watcher->watch->done;
	if (folder != NULL)
		(void) ph_spool_move(&watcher->spool, unit, folder);
}

/* Tell, once, about the unit's files that cannot be read. False: they may still be mended. */
static bool
tell_of_unread(Watcher *watcher, PhSpoolUnit *unit, const PhLoad *load)
{
	for (uint32_t i = 0; i < load->unread.n; i++)
	{
		const PhUnread *item = &load->unread.items[i];

		if (item->kind != PH_UNREAD_ERROR || !is_of(unit, item->path) ||
			ph_spool_knows(unit, item->path, unit->stamp))
			continue;
		if (may_come(watcher, unit, item->path))
			return false;
		ph_spool_remember(unit, item->path, unit->stamp);
		ph_load_report_unread(item, watcher->watch->json);
		watcher->n_failed++;
	}
	return true;
}

/* What is to be loaded of a unit that is there. */
static void
plan_unit(Watcher *watcher, PhSpoolUnit *unit, PhLoad *load, size_t first)
{
	if (!tell_of_unread(watcher, unit, load))
	{
		load->n_jobs = first;
		return;
	}
	drop_known_jobs(unit, load, first);
	unit->is_handled = load->n_jobs == first;
	if (unit->is_handled && lacks_file(load, unit))
		put_away(watcher, unit, load);
}

static void
plan_loads(Watcher *watcher, PhLoad *load)
{
	for (size_t i = 0; i < watcher->spool.n_units && load->n_jobs < MOST_JOBS; i++)
	{
		PhSpoolUnit *unit = &watcher->spool.units[i];
		size_t first = load->n_jobs;
		PhStatus status;

		if (!ph_spool_is_due(&watcher->spool, unit))
			continue;
		status = ph_load_add_path(load, unit->path);
		if (status == PH_ERR_INTERRUPTED || status == PH_ERR_MEMORY)
			return;
		if (status == PH_OK)
			plan_unit(watcher, unit, load, first);
		else if (status != PH_ERR_NOT_FOUND) /* else it went meanwhile */
			refuse_unit(watcher, unit, status);
	}
}

/*
 * True when the job did not fail by its own fault: it was not tried, or the database's absence or
 * an interrupt stopped it. Its unit stays where it is and is taken again in a later round.
 */
static bool
is_to_repeat(const PhLoadJob *job)
{
	return job->outcome == PH_OUTCOME_NONE ||
		   (job->outcome == PH_OUTCOME_FAILED &&
			(job->failure.status == PH_ERR_INTERRUPTED || ph_load_is_away(&job->failure.db) ||
			 job->failure.db.code == PH_EXIT_INTERRUPTED));
}

/* It was refused for what it lacks, or for bytes that more of them may make sense of. */
static bool
is_not_whole(const PhLoadJob *job)
{
	return job->outcome == PH_OUTCOME_FAILED && job->failure.db.code == PH_EXIT_OK &&
		   (job->failure.status == PH_ERR_FORMAT || job->failure.status == PH_ERR_VALUE ||
			job->failure.status == PH_ERR_NOT_FOUND);
}

static void
count(Watcher *watcher, const PhLoadJob *job)
{
	watcher->n_failed += job->outcome == PH_OUTCOME_FAILED;
	watcher->n_skipped += job->outcome == PH_OUTCOME_SKIPPED;
	watcher->n_loaded += job->outcome != PH_OUTCOME_FAILED && job->outcome != PH_OUTCOME_SKIPPED;
}

/* Tell about a job and remember it. True: it is done with. */
static bool
settle_job(Watcher *watcher, const PhLoad *load, const PhLoadJob *job)
{
	PhSpoolUnit *unit = unit_of(watcher, job);

	if (is_to_repeat(job))
		return false;
	if (unit != NULL && is_not_whole(job) && may_come(watcher, unit, job->experiment->path))
		return false;
	ph_load_report_job(load, job, watcher->watch->json);
	count(watcher, job);
	if (unit != NULL)
		ph_spool_remember(unit, job->experiment->path, job->stamp);
	return unit != NULL;
}

static void
settle_round(Watcher *watcher, PhLoad *load)
{
	for (size_t i = 0; i < load->n_jobs; i++)
	{
		PhSpoolUnit *unit = unit_of(watcher, &load->jobs[i]);

		if (unit != NULL)
			unit->is_handled = true;
	}
	for (size_t i = 0; i < load->n_jobs; i++)
	{
		PhSpoolUnit *unit = unit_of(watcher, &load->jobs[i]);
		bool settled = settle_job(watcher, load, &load->jobs[i]);

		load->jobs[i].comes_again = !settled && unit != NULL;
		if (!settled && unit != NULL)
			unit->is_handled = false;
	}
	fflush(stdout);
	for (size_t i = 0, last = SIZE_MAX; i < load->n_jobs; i++)
	{
		PhSpoolUnit *unit = unit_of(watcher, &load->jobs[i]);
		size_t place = unit == NULL ? SIZE_MAX : (size_t) (unit - watcher->spool.units);

		if (unit != NULL && unit->is_handled && place != last)
			put_away(watcher, unit, load);
		last = place;
	}
}

/* What is to be loaded and which runs it becomes. False in *go: the round ends here, with code. */
static PhExit
decide(Watcher *watcher, PhLoad *load, PhConnection *db, bool *go)
{
	PhStatus status = ph_load_fingerprint(load, watcher->env);

	*go = false;
	if (status == PH_OK && ph_load_decide(load, watcher->env, db) == PH_OK)
	{
		*go = true;
		return PH_EXIT_OK;
	}
	if (ph_interrupted())
		return PH_EXIT_OK;
	if (status != PH_OK)
	{
		ph_log_core_error("load", &watcher->env->error);
		return ph_exit_from_status(status);
	}
	if (!ph_load_is_away(&db->error))
		return ph_pq_log_error(db, "load");
	pause_for_database(watcher, why_to_wait(&db->error));
	return PH_EXIT_OK;
}

/* PH_EXIT_OK: done, or to be repeated when the database is back. */
static PhExit
load_round(Watcher *watcher, PhLoad *load)
{
	PhConnection *db;
	const PhPqError *lost;
	PhExit code = ensure_connection(watcher);
	bool go;

	if (code == PH_EXIT_UNREACHABLE || code == PH_EXIT_SERVER)
	{
		pause_for_database(watcher, "the database is away");
		return PH_EXIT_OK;
	}
	if (code != PH_EXIT_OK)
		return code;
	db = *watcher->watch->connection;
	code = decide(watcher, load, db, &go);
	if (!go)
		return code;
	ph_load_run(load);
	settle_round(watcher, load);
	ph_new_runs_add(&watcher->new_runs, load);
	lost = ph_load_lost_database(load);
	if (lost != NULL)
		pause_for_database(watcher, why_to_wait(lost));
	else
	{
		watcher->pause_s = 0;
		if (!ph_interrupted())
			ph_load_finish(load, db);
	}
	return PH_EXIT_OK;
}

/* When there is time: a history is searched once for many runs that come one by one. */
static void
search(Watcher *watcher)
{
	PhNewRuns *runs = &watcher->new_runs;

	if (runs->n == 0 || !watcher->watch->search || ensure_connection(watcher) != PH_EXIT_OK)
		return;
	ph_new_runs_search(runs, *watcher->watch->connection, watcher->watch->json);
}

static PhExit
watch_round(Watcher *watcher)
{
	PhLoad load;
	PhExit code = PH_EXIT_OK;
	PhStatus status = ph_spool_scan(&watcher->spool);

	if (status != PH_OK)
	{
		ph_log_core_error(NULL, &watcher->env->error);
		return ph_exit_from_status(status);
	}
	ph_load_init(&load, watcher->env, watcher->watch->options);
	plan_loads(watcher, &load);
	if (load.n_jobs > 0)
		code = load_round(watcher, &load);
	else
	{
		search(watcher);
		ph_spool_wait(&watcher->spool);
	}
	ph_load_free(&load);
	return code;
}

static void
print_summary(const Watcher *watcher, double seconds)
{
	printf("watched for %.0f s: %zu loaded, %zu already there, %zu failed\n", seconds,
		   watcher->n_loaded, watcher->n_skipped, watcher->n_failed);
}

PhExit
ph_load_watch(PhEnv *env, const PhWatch *watch)
{
	Watcher watcher = {.watch = watch, .env = env};
	int64_t started = ph_now_ns();
	PhExit code = ensure_connection(&watcher);

	if (code != PH_EXIT_OK)
		return code;
	ph_spool_init(&watcher.spool, env, watch->folders, watch->n_folders, watch->settle_ns);
	watcher.spool.skipped[0] = watch->done;
	watcher.spool.skipped[1] = watch->failed;
	if (watch->options->given.manifest != NULL)
		watcher.spool.skipped[2] = ph_manifest_path(watch->options->given.manifest);
	while (code == PH_EXIT_OK && !ph_interrupted())
		code = watch_round(&watcher);
	if (!watch->json)
		print_summary(&watcher, (double) (ph_now_ns() - started) * 1e-9);
	ph_spool_free(&watcher.spool);
	ph_new_runs_free(&watcher.new_runs);
	return code == PH_EXIT_OK && watcher.n_failed > 0 ? PH_EXIT_ERROR : code;
}
