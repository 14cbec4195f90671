/*
 * report.c - what load tells: a line or a JSON object a run, warnings, failures, the summary.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json_out.h"
#include "system/interrupt.h"
#include "system/log.h"

#define LINES_SHOWN 40 /* more runs than that are only counted */
#define WARNINGS_SHOWN 5

PhExit
ph_load_exit_code(const PhLoadJob *job)
{
	if (job->failure.db.code != PH_EXIT_OK)
		return job->failure.db.code;
	return ph_exit_from_status(job->failure.status);
}

bool
ph_load_is_away(const PhPqError *error)
{
	return error->code == PH_EXIT_UNREACHABLE || error->code == PH_EXIT_DISK_FULL ||
		   error->code == PH_EXIT_SERVER || strncmp(error->sqlstate, "40", 2) == 0;
}

const PhPqError *
ph_load_lost_database(const PhLoad *load)
{
	for (size_t i = 0; i < load->n_jobs; i++)
		if (load->jobs[i].outcome == PH_OUTCOME_FAILED &&
			ph_load_is_away(&load->jobs[i].failure.db))
			return &load->jobs[i].failure.db;
	return NULL;
}

/* Name of a kind of events; several records may be of it. */
static const char *
kind_label(uint32_t kind)
{
	switch (kind)
	{
		case PH_EVENT_RMA:
			return "RMA";
		case PH_EVENT_THREAD:
			return "THREAD";
		case PH_EVENT_IO:
			return "IO";
		case PH_EVENT_OTHER:
			return "OTHER";
		default:
			return ph_event_name(kind, 0);
	}
}

static bool
is_stored(const PhLoadJob *job)
{
	return job->outcome == PH_OUTCOME_LOADED || job->outcome == PH_OUTCOME_REPLACED ||
		   job->outcome == PH_OUTCOME_APPENDED;
}

/* What a trace held; a dry run tells all of it. */
static void
set_trace(PhJsonOut *json, const PhLoad *load, const PhLoadJob *job)
{
	const PhTraceSummary *trace = &job->trace;

	ph_json_put_integer(json, "n_events", (int64_t) trace->n_events);
	ph_json_put_integer(json, "n_locations", trace->n_locations);
	ph_json_put_integer(json, "n_messages", (int64_t) trace->n_messages);
	if (trace->has_steps)
	{
		ph_json_put_integer(json, "n_communication_events", (int64_t) trace->n_comm_events);
		ph_json_put_integer(json, "n_phases", (int64_t) trace->n_phases);
		ph_json_put_integer(json, "last_step", trace->last_step);
	}
	if (!load->options.dry_run)
		return;
	ph_json_put_integer(json, "n_ranks", trace->n_ranks);
	ph_json_put_integer(json, "n_regions", trace->n_regions);
	ph_json_put_integer(json, "n_collectives", (int64_t) trace->n_collectives);
	ph_json_put_integer(json, "duration_ns", trace->duration);
	ph_json_open_object(json, "events_by_kind");
	for (uint32_t kind = 0; kind < PH_EVENT_KIND_COUNT; kind++)
	{
		if (trace->events[kind] > 0)
			ph_json_put_integer(json, kind_label(kind), (int64_t) trace->events[kind]);
	}
	ph_json_close(json);
}

/* Of what was read to its end, or refused for what it lacks. */
static void
set_completeness(PhJsonOut *json, const PhLoadJob *job)
{
	ph_json_put_text(json, "completeness", ph_completeness_name(job->completeness));
	if (job->n_missing == 0)
		return;
	ph_json_open_array(json, "missing");
	for (size_t i = 0; i < job->n_missing; i++)
		ph_json_put_text(json, NULL, job->missing[i]);
	ph_json_close(json);
}

static void
print_json(const PhLoad *load, const PhLoadJob *job)
{
	PhJsonOut line, *json = &line;
	bool failed = job->outcome == PH_OUTCOME_FAILED;
	bool was_read = is_stored(job) || load->options.dry_run;

	ph_json_begin(json, stdout);
	ph_json_open_object(json, NULL);
	if (job->stored_id != 0)
		ph_json_put_integer(json, "run_id", job->stored_id);
	else
		ph_json_put_null(json, "run_id");
	ph_json_put_text(json, "state", failed ? "failed" : load->options.dry_run ? "read" : "ready");
	ph_json_put_text(json, "fingerprint", job->fingerprint[0] != '\0' ? job->fingerprint : NULL);
	ph_json_put_bool(json, "already_loaded", job->outcome == PH_OUTCOME_SKIPPED);
	if (was_read && !failed)
	{
		ph_json_put_integer(json, "n_nodes", job->n_nodes);
		ph_json_put_integer(json, "n_columns", job->n_columns);
		ph_json_put_integer(json, "n_metrics", job->n_metrics);
		if (job->trace.is_trace)
			set_trace(json, load, job);
	}
	if ((was_read && !failed) || job->n_missing > 0)
		set_completeness(json, job);
	ph_json_put_text(json, "source", job->experiment->path);
	ph_json_put_text(json, "format", job->experiment->reader->name);
	ph_json_put_text(json, "outcome",
					 load->options.dry_run && !failed ? "read" : ph_outcome_name(job->outcome));
	if (failed)
		ph_json_put_text(json, "error", job->failure.message);
	ph_json_close(json);
	(void) ph_json_done_line(json);
}

static const char *
plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static void
print_trace(const PhTraceSummary *trace, bool all)
{
	printf("  trace: %llu events in %u location%s, %llu messages, %llu collectives, %.6f s\n",
		   (unsigned long long) trace->n_events, trace->n_locations, plural(trace->n_locations),
		   (unsigned long long) trace->n_messages, (unsigned long long) trace->n_collectives,
		   (double) trace->duration * 1e-9);
	if (trace->has_steps && trace->n_comm_events == 0)
		puts("  logical time: no communication events");
	else if (trace->has_steps)
		printf("  logical time: %llu communication events in %llu phase%s, last step %lld\n",
			   (unsigned long long) trace->n_comm_events, (unsigned long long) trace->n_phases,
			   plural((size_t) trace->n_phases), (long long) trace->last_step);
	if (trace->n_inferred + trace->n_not_inferred > 0)
		printf("  collectives without records: %llu call%s, with whom inferred of %llu\n",
			   (unsigned long long) (trace->n_inferred + trace->n_not_inferred),
			   plural(trace->n_inferred + trace->n_not_inferred),
			   (unsigned long long) trace->n_inferred);
	if (!all)
		return;
	printf("  %u rank%s, %u regions defined; events by kind:\n", trace->n_ranks,
		   plural(trace->n_ranks), trace->n_regions);
	for (uint32_t kind = 0; kind < PH_EVENT_KIND_COUNT; kind++)
	{
		if (trace->events[kind] > 0)
			printf("  %14llu %s\n", (unsigned long long) trace->events[kind], kind_label(kind));
	}
}

static void
print_line(const PhLoad *load, const PhLoadJob *job)
{
	const char *path = job->experiment->path;
	const char *mark = job->n_missing > 0 ? " (incomplete)" : "";

	if (job->outcome == PH_OUTCOME_FAILED)
		return;
	if (job->outcome == PH_OUTCOME_SKIPPED)
		printf("%s: already loaded as run %lld\n", path, (long long) job->stored_id);
	else if (load->options.dry_run)
		printf("%s: %s%s, ", path, job->experiment->reader->name, mark);
	else
		printf("%s: run %lld%s%s, ", path, (long long) job->stored_id,
			   job->outcome == PH_OUTCOME_REPLACED	 ? " replaced"
			   : job->outcome == PH_OUTCOME_APPENDED ? " (a repeat)"
													 : "",
			   mark);
	if (job->outcome != PH_OUTCOME_SKIPPED)
		printf("%u node%s, %u column%s, %u metric%s\n", job->n_nodes, plural(job->n_nodes),
			   job->n_columns, plural(job->n_columns), job->n_metrics, plural(job->n_metrics));
	if (job->trace.is_trace && job->outcome != PH_OUTCOME_SKIPPED)
		print_trace(&job->trace, load->options.dry_run);
}

static void
log_warnings(const PhLoadJob *job)
{
	if (job->n_missing > 0 && job->outcome != PH_OUTCOME_FAILED)
	{
		char *list = ph_job_missing_list(job);

		ph_log_warning("%s: incomplete: %s", job->experiment->path, list);
		free(list);
	}
	for (size_t i = 0; i < job->n_warnings && i < WARNINGS_SHOWN; i++)
		ph_log_warning("%s: %s", job->experiment->path, job->warnings[i]);
	if (job->n_warnings > WARNINGS_SHOWN)
		ph_log_warning("%s: %zu more warnings", job->experiment->path,
					   job->n_warnings - WARNINGS_SHOWN);
}

/* What to do about a file that its reader found malformed, unless the reader knew better. */
static const char *
remedy(const PhLoadJob *job)
{
	PhStatus status = job->failure.status;

	if (job->failure.hint[0] != '\0')
		return job->failure.hint;
	if (status == PH_ERR_FORMAT || status == PH_ERR_VALUE)
		return "Nothing of it was stored. Copy or write the file again, then load it again.";
	return NULL;
}

static void
log_failure(const PhLoadJob *job)
{
	const char *hint = remedy(job);

	/* how the server words it does not matter then */
	if (job->failure.db.code == PH_EXIT_INTERRUPTED)
	{
		ph_log_error("%s: interrupted", job->experiment->path);
		return;
	}
	ph_log_error("%s", job->failure.message);
	if (job->failure.db.detail[0] != '\0')
		ph_log_detail("%s", job->failure.db.detail);
	if (hint != NULL)
		ph_log_hint("%s", hint);
}

/* Jobs that were not tried because the load stopped have no story of their own. */
static bool
was_tried(const PhLoadJob *job)
{
	return job->outcome != PH_OUTCOME_FAILED || job->failure.status != PH_ERR_INTERRUPTED;
}

typedef struct Counts
{
	size_t n[PH_OUTCOME_FAILED + 1];
	size_t untried;
	size_t n_failed;
	PhExit code; /* of the failures, when they agree; else PH_EXIT_ERROR */
	PhExit away; /* of the database that went away meanwhile; PH_EXIT_OK: it did not */
} Counts;

static void
add_failure(Counts *counts, PhExit code)
{
	counts->code = counts->n_failed == 0 || counts->code == code ? code : PH_EXIT_ERROR;
	counts->n_failed++;
}

static Counts
count(const PhLoad *load, const PhLoadSummary *summary)
{
	Counts counts = {0};

	for (size_t i = 0; i < summary->n_bad_paths; i++)
		add_failure(&counts, summary->bad_path_code);
	for (uint32_t i = 0; i < load->unread.n; i++)
		if (load->unread.items[i].kind == PH_UNREAD_ERROR)
			add_failure(&counts, ph_exit_from_status(load->unread.items[i].status));
	for (size_t i = 0; i < load->n_jobs; i++)
	{
		const PhLoadJob *job = &load->jobs[i];

		counts.n[job->outcome]++;
		if (!was_tried(job))
			counts.untried++;
		else if (job->outcome == PH_OUTCOME_FAILED)
			add_failure(&counts, ph_load_exit_code(job));
		if (job->outcome == PH_OUTCOME_FAILED && ph_load_is_away(&job->failure.db))
			counts.away = job->failure.db.code;
	}
	return counts;
}

static void
print_summary(const PhLoad *load, const PhLoadSummary *summary, const Counts *counts)
{
	const size_t *n = counts->n;
	size_t n_new = n[PH_OUTCOME_LOADED] + n[PH_OUTCOME_APPENDED];

	if (load->options.dry_run)
		n_new = load->n_jobs - n[PH_OUTCOME_FAILED] - n[PH_OUTCOME_SKIPPED];
	printf("%zu run%s %s", n_new, plural(n_new), load->options.dry_run ? "read" : "loaded");
	if (n[PH_OUTCOME_REPLACED] > 0)
		printf(", %zu replaced", n[PH_OUTCOME_REPLACED]);
	if (n[PH_OUTCOME_SKIPPED] > 0)
		printf(", %zu already there", n[PH_OUTCOME_SKIPPED]);
	if (counts->n_failed > 0)
		printf(", %zu failed", counts->n_failed);
	if (counts->untried > 0)
		printf(", %zu not tried", counts->untried);
	printf(", in %.1f s\n", summary->seconds);
}

void
ph_load_report_job(const PhLoad *load, const PhLoadJob *job, bool json)
{
	log_warnings(job);
	if (job->outcome == PH_OUTCOME_FAILED && was_tried(job))
		log_failure(job);
	if (json)
		print_json(load, job);
	else
		print_line(load, job);
}

/* ---- what is not read ---- */

static void
print_unread_json(const char *path, const char *format, const char *state, const char *why)
{
	PhJsonOut line, *json = &line;

	ph_json_begin(json, stdout);
	ph_json_open_object(json, NULL);
	ph_json_put_null(json, "run_id");
	ph_json_put_text(json, "state", state);
	ph_json_put_text(json, "source", path);
	ph_json_put_text(json, "format", format);
	ph_json_put_text(json, "outcome", state);
	ph_json_put_text(json, "error", why);
	ph_json_close(json);
	(void) ph_json_done_line(json);
}

void
ph_load_report_bad_path(const char *path, const PhError *error, bool json)
{
	ph_log_core_error(NULL, error);
	if (json)
		print_unread_json(path, NULL, "failed", error->message);
}

void
ph_load_report_unread(const PhUnread *file, bool json)
{
	ph_log_error("%s: %s", file->path, file->reason);
	if (json)
		print_unread_json(file->path, file->format, "failed", file->reason);
}

static bool
is_first_of_format(const PhUnreadList *list, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (list->items[k].kind == PH_UNREAD_KNOWN &&
			list->items[k].format == list->items[i].format)
			return false;
	return true;
}

/* One warning a format that is known, as its files are many. */
static void
warn_of_format(const PhUnreadList *list, uint32_t first)
{
	size_t n = 0;

	for (uint32_t i = first; i < list->n; i++)
		n += list->items[i].kind == PH_UNREAD_KNOWN &&
			 list->items[i].format == list->items[first].format;
	if (n == 1)
		ph_log_warning("%s: %s", list->items[first].path, list->items[first].reason);
	else
		ph_log_warning("%s (and %zu more): %s", list->items[first].path, n - 1,
					   list->items[first].reason);
}

/* Files of folders: known formats by name, all of them in detail (-v). */
static void
report_unread(const PhUnreadList *list, bool json)
{
	for (uint32_t i = 0; i < list->n; i++)
	{
		const PhUnread *item = &list->items[i];
		bool failed = item->kind == PH_UNREAD_ERROR;

		if (failed)
			ph_load_report_unread(item, json);
		else if (item->kind == PH_UNREAD_KNOWN && is_first_of_format(list, i))
			warn_of_format(list, i);
		else
			ph_log_debug("%s: not read: %s", item->path, item->reason);
		if (json && !failed && item->kind != PH_UNREAD_PASSED_OVER)
			print_unread_json(item->path, item->format, "unread", item->reason);
	}
}

static void
print_jobs(const PhLoad *load, const PhLoadSummary *summary)
{
	for (size_t i = 0; i < load->n_jobs; i++)
	{
		const PhLoadJob *job = &load->jobs[i];

		log_warnings(job);
		if (job->outcome == PH_OUTCOME_FAILED && was_tried(job))
			log_failure(job);
		if (summary->json)
			print_json(load, job);
		else if (load->n_jobs <= LINES_SHOWN && !summary->quiet)
			print_line(load, job);
	}
}

static void
warn_of_records(const PhUnreadList *list)
{
	size_t n = 0;

	for (uint32_t i = 0; i < list->n; i++)
		n += list->items[i].kind == PH_UNREAD_RECORD;
	if (n == 0)
		return;
	ph_log_warning("%zu record%s of runs that failed or have no figures left out", n, plural(n));
	ph_log_hint("-v names them.");
}

PhExit
ph_load_report(const PhLoad *load, const PhLoadSummary *summary)
{
	Counts counts = count(load, summary);
	size_t n_unknown = load->unread.n_unknown;
	bool unknown_fails = n_unknown > 0 && !summary->ignore_unknown;
	size_t n_good = load->n_jobs - counts.n[PH_OUTCOME_FAILED];

	print_jobs(load, summary);
	report_unread(&load->unread, summary->json);
	warn_of_records(&load->unread);
	if (unknown_fails)
	{
		ph_log_warning("%zu file%s of no format that is read left out", n_unknown,
					   plural(n_unknown));
		ph_log_hint("-v names them. Name the files to load, or say --ignore-unknown.");
	}
	if (!summary->json && !summary->quiet)
		print_summary(load, summary, &counts);
	if (counts.away != PH_EXIT_OK)
		return counts.away;
	if (counts.n_failed == 0)
		return counts.untried > 0 || unknown_fails ? PH_EXIT_ERROR : PH_EXIT_OK;
	return n_good == 0 && !unknown_fails ? counts.code : PH_EXIT_ERROR;
}
