/*
 * gate_runs.c - the runs that the gate judges and judges by, from files and from a warehouse.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "commands/gate_runs.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "database/bundled.h"
#include "pipeline/bundle.h"
#include "reports/profile_fetch.h"
#include "reports/stored_facts.h"
#include "system/log.h"
#include "system/memory.h"
#include "system/paths.h"

static PhGateRun *
add_run(PhGateRuns *runs)
{
	runs->items = ph_must_resize(runs->items, runs->n + 1, sizeof(*runs->items));
	runs->items[runs->n] = (PhGateRun){0};
	return &runs->items[runs->n++];
}

/* ---- files ---- */

static int
compare_texts(const void *x, const void *y)
{
	return strcmp(*(const char *const *) x, *(const char *const *) y);
}

/* The hosts of a profile's columns, each once, as the warehouse's runs have them. */
static void
add_hosts(PhFacts *facts, const PhProfile *profile)
{
	const char **hosts = ph_must_alloc(profile->n_columns + 1, sizeof(*hosts));
	char *list = ph_strdup("");
	size_t n = 0;

	for (uint32_t i = 0; i < profile->n_columns; i++)
		if (profile->columns[i].host != 0)
			hosts[n++] = ph_profile_string(profile, profile->columns[i].host);
	if (n > 0)
		qsort(hosts, n, sizeof(*hosts), compare_texts);
	for (size_t i = 0; i < n; i++)
	{
		char *longer;

		if (i > 0 && strcmp(hosts[i], hosts[i - 1]) == 0)
			continue;
		longer = ph_format("%s%s%s", list, list[0] != '\0' ? " " : "", hosts[i]);
		free(list);
		list = longer;
	}
	ph_facts_add_column(facts, "hosts", list);
	free(list);
	free(hosts);
}

static void
take_read_run(PhGateRun *to, PhReadRun *from, const char *path)
{
	const PhRunRecord *record = &from->record;

	to->path = ph_strdup(path);
	to->profile = from->profile;
	from->profile = NULL;
	ph_facts_add_column(&to->facts, "application", record->application);
	ph_facts_add_column(&to->facts, "cluster", record->cluster);
	ph_facts_add_column(&to->facts, "commit_id", record->commit_id);
	ph_facts_add_column(&to->facts, "branch", record->branch);
	ph_facts_add_column(&to->facts, "user_name", record->user_name);
	if (from->n_ranks > 0)
		ph_facts_add_number(&to->facts, "n_ranks", from->n_ranks);
	if (from->n_threads > 0)
		ph_facts_add_number(&to->facts, "n_threads", from->n_threads);
	if (from->n_hosts > 0)
		ph_facts_add_number(&to->facts, "n_hosts", from->n_hosts);
	add_hosts(&to->facts, to->profile);
	ph_facts_add_meta(&to->facts, record->meta);
}

static bool
has_path(const PhGateRuns *runs, const char *path)
{
	for (size_t i = 0; runs != NULL && i < runs->n; i++)
		if (runs->items[i].path != NULL && strcmp(runs->items[i].path, path) == 0)
			return true;
	return false;
}

static PhStatus
read_experiment(PhEnv *env, const PhExperiment *experiment, const PhMeta *set,
				const PhGateRuns *without, PhGateRuns *runs)
{
	PhReadRunsOptions options = {.set = set};
	char *path = realpath(experiment->path, NULL);
	PhStatus status = PH_OK;
	PhReadRun run;

	if (path == NULL)
		path = ph_strdup(experiment->path);
	if (!has_path(without, path) && !has_path(runs, path))
	{
		status = ph_run_read(env, experiment, &options, &run);
		if (status == PH_OK)
		{
			take_read_run(add_run(runs), &run, path);
			ph_read_run_free(env, &run);
		}
	}
	free(path);
	return status;
}

/* ---- pages of perfhouse bundle: a profile as the warehouse has it, and what it knows of its run
 */

static void
take_facts(PhGateRun *run, PhStoredFacts *known)
{
	run->facts = known->facts;
	known->facts = (PhFacts){0};
	if (!known->is_declared)
		return;
	run->keys = known->keys;
	known->keys = NULL;
}

static PhStatus
read_bundled(PhEnv *env, const char *path, const PhMeta *set, PhGateRuns *runs)
{
	size_t stem = strlen(path) - strlen(PH_BUNDLED_PROFILE);
	char *name = ph_format("%.*s" PH_BUNDLED_FACTS, (int) stem, path);
	PhStoredFacts *known;
	PhStatus status = ph_stored_facts_read(env, name, &known);
	PhProfile *profile = NULL;

	if (status == PH_OK)
		status = ph_bundled_profile_read(env, path, &profile);
	if (status == PH_OK)
	{
		PhGateRun *run = add_run(runs);

		run->path = ph_strdup(path);
		run->profile = profile;
		take_facts(run, known);
		for (size_t i = 0; i < set->n_items; i++)
			ph_facts_add_column(&run->facts, set->items[i].key, set->items[i].value);
	}
	ph_stored_facts_free(known, 1);
	free(name);
	return status;
}

static PhStatus
read_pages(PhEnv *env, const glob_t *profiles, const PhMeta *set, const PhGateRuns *without,
		   PhGateRuns *runs)
{
	PhStatus status = PH_OK;

	for (size_t i = 0; i < profiles->gl_pathc && status == PH_OK; i++)
	{
		char *path = realpath(profiles->gl_pathv[i], NULL);

		if (path != NULL && !has_path(without, path) && !has_path(runs, path))
			status = read_bundled(env, path, set, runs);
		free(path);
	}
	return status;
}

/* ---- what a path has */

/* What is left out may be the slow run, or one that failed: each kind is told once. */
static void
warn_of_unread(const PhUnreadList *unread)
{
	for (PhUnreadKind kind = 0; kind < PH_UNREAD_PASSED_OVER; kind++)
	{
		const PhUnread *first = NULL;
		size_t n = 0;

		for (uint32_t i = 0; i < unread->n; i++)
		{
			if (unread->items[i].kind != kind)
				continue;
			first = first == NULL ? &unread->items[i] : first;
			n++;
		}
		if (n == 1)
			ph_log_warning("%s is left out: %s", first->path, first->reason);
		else if (n > 1)
			ph_log_warning("%s and %zu more are left out: %s", first->path, n - 1, first->reason);
	}
}

static PhStatus
read_files(PhEnv *env, const char *path, const PhMeta *set, const PhGateRuns *without,
		   PhGateRuns *runs)
{
	PhExperiment *experiments = NULL;
	PhUnreadList unread = {0};
	PhStatus status;
	PhArena arena;
	size_t n = 0;

	ph_arena_init(&arena, env);
	status = ph_source_expand(&arena, path, NULL, &experiments, &n, &unread);
	if (status == PH_OK) /* the slow run may be in the file that is left out */
		status = ph_unread_check(env, &unread);
	if (status == PH_OK)
		warn_of_unread(&unread);
	for (size_t i = 0; i < n && status == PH_OK; i++)
		status = read_experiment(env, &experiments[i], set, without, runs);
	ph_arena_drop(&arena);
	return status;
}

/* An archive of pages has their folder in it. */
static PhStatus
read_path(PhEnv *env, const char *path, const PhMeta *set, const PhGateRuns *without,
		  PhGateRuns *runs)
{
	static const char any[] = "*";
	glob_t found = {0};
	PhStatus status;

	for (int depth = 0; depth < 2 && found.gl_pathc == 0; depth++)
	{
		char *pattern = ph_format("%s%s%s/%s/%s%s", path, depth > 0 ? "/" : "",
								  depth > 0 ? any : "", PH_BUNDLED_RUNS, any, PH_BUNDLED_PROFILE);

		globfree(&found);
		(void) glob(pattern, 0, NULL, &found);
		free(pattern);
	}
	status = found.gl_pathc > 0 ? read_pages(env, &found, set, without, runs)
								: read_files(env, path, set, without, runs);
	globfree(&found);
	return status;
}

static PhStatus
read_bundle(PhEnv *env, const char *path, const PhMeta *set, const PhGateRuns *without,
			PhGateRuns *runs)
{
	char *folder;
	PhStatus status;

	PH_TRY(ph_bundle_unpack(env, path, &folder));
	status = read_path(env, folder, set, without, runs);
	ph_path_remove_folder(folder);
	free(folder);
	return status;
}

PhExit
ph_gate_runs_read(PhEnv *env, const char *path, const PhMeta *set, const PhGateRuns *without,
				  PhGateRuns *runs)
{
	bool is_bundle = ph_is_bundle(path) && !ph_path_is_folder(path);
	PhStatus status = is_bundle ? read_bundle(env, path, set, without, runs)
								: read_path(env, path, set, without, runs);

	if (status == PH_OK)
		return PH_EXIT_OK;
	ph_log_core_error(NULL, &env->error);
	return ph_exit_from_status(status);
}

/* ---- stored runs ---- */

PhExit
ph_gate_runs_fetch(PhEnv *env, PhConnection *connection, const int64_t *ids, size_t n,
				   PhGateRuns *runs)
{
	const PhProfilePart everything = {.metric = PH_ALL_METRICS, .is_aliased = true};
	PhStoredFacts *known;
	size_t n_known;
	PhExit code = ph_stored_facts_fetch(connection, ids, n, &known, &n_known);

	for (size_t i = 0; i < n_known && code == PH_EXIT_OK; i++)
	{
		PhGateRun *run = add_run(runs);

		code = ph_profile_fetch(env, connection, known[i].run_id, &everything, &run->profile);
		run->run_id = known[i].run_id;
		take_facts(run, &known[i]);
	}
	ph_stored_facts_free(known, n_known);
	return code;
}

/* ---- experiments ---- */

static bool
is_same_application(const PhGateRun *a, const PhGateRun *b)
{
	const char *name = ph_facts_get(&a->facts, "application");
	const char *other = ph_facts_get(&b->facts, "application");

	return name != NULL && other != NULL && strcmp(name, other) == 0;
}

/* What people set for the application of a run; NULL: nothing is known of that. */
static char **
keys_of(const PhGateRun *run, const PhGateRuns *runs)
{
	for (size_t i = 0; i < runs->n; i++)
		if (runs->items[i].keys != NULL && is_same_application(run, &runs->items[i]))
			return runs->items[i].keys;
	return NULL;
}

/* A run that lacks a key that was set is like no other, so its text is its own. */
static void
find_experiment(PhGateRun *run, size_t number, const PhGateRuns *runs, const PhGateRuns *others)
{
	char **set = keys_of(run, runs);
	const char *const *keys;
	char *text;

	if (set == NULL)
		set = keys_of(run, others);
	keys = set != NULL ? (const char *const *) set : ph_default_keys;
	free(run->experiment);
	run->experiment = ph_facts_experiment(&run->facts, keys);
	if (set == NULL || ph_facts_are_known(&run->facts, keys))
		return;
	text = ph_format("%s (%zu: a key that was set is not known)", run->experiment, number + 1);
	free(run->experiment);
	run->experiment = text;
}

static int
compare_experiments(const void *x, const void *y)
{
	const PhGateRun *a = x;
	const PhGateRun *b = y;

	return strcmp(a->experiment, b->experiment);
}

void
ph_gate_runs_sort(PhGateRuns *runs, const PhGateRuns *others)
{
	for (size_t i = 0; i < runs->n; i++)
		find_experiment(&runs->items[i], i, runs, others);
	if (runs->n > 0)
		qsort(runs->items, runs->n, sizeof(*runs->items), compare_experiments);
}

size_t
ph_gate_runs_end(const PhGateRuns *runs, size_t first)
{
	size_t end = first;

	while (end < runs->n && strcmp(runs->items[end].experiment, runs->items[first].experiment) == 0)
		end++;
	return end;
}

void
ph_gate_runs_free(PhEnv *env, PhGateRuns *runs)
{
	for (size_t i = 0; i < runs->n; i++)
	{
		PhGateRun *run = &runs->items[i];

		ph_profile_free(env, run->profile);
		ph_facts_free(&run->facts);
		for (char **key = run->keys; key != NULL && *key != NULL; key++)
			free(*key);
		free(run->keys);
		free(run->experiment);
		free(run->path);
	}
	free(runs->items);
	*runs = (PhGateRuns){0};
}
