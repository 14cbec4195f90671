/*
 * plan.c - which experiments there are and what to do with each.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vector.h"
#include "pipeline/internal.h"
#include "pipeline/store/copy_table.h"
#include "queries.h"

static PhStatus ask_known(PhLoad *load, PhEnv *env, PhConnection *db);
static PhStatus find_twins(PhLoad *load, PhEnv *env);
static PhStatus reserve_ids(PhLoad *load, PhEnv *env, PhConnection *db);

void
ph_load_init(PhLoad *load, PhEnv *env, const PhLoadOptions *options)
{
	*load = (PhLoad){.options = *options};
	ph_arena_init(&load->arena, env);
}

static void
free_texts(char **texts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(texts[i]);
	free(texts);
}

void
ph_load_free(PhLoad *load)
{
	for (size_t i = 0; i < load->n_jobs; i++)
	{
		free_texts(load->jobs[i].warnings, load->jobs[i].n_warnings);
		free_texts(load->jobs[i].missing, load->jobs[i].n_missing);
	}
	ph_env_free(load->arena.env, load->jobs, load->capacity, sizeof(*load->jobs));
	ph_arena_drop(&load->arena);
	*load = (PhLoad){0};
}

/* For n more jobs. */
static PhStatus
make_room(PhLoad *load, size_t n)
{
	size_t wanted = load->n_jobs + n;
	void *jobs = load->jobs;

	if (wanted <= load->capacity)
		return PH_OK;
	PH_TRY(ph_env_resize(load->arena.env, &jobs, load->capacity, wanted, sizeof(*load->jobs)));
	load->jobs = jobs;
	load->capacity = wanted;
	return PH_OK;
}

/* All but the manifest, which was read. */
static PhStatus
add_unread(PhLoad *load, const PhUnreadList *more)
{
	const PhManifest *manifest = load->options.given.manifest;
	PhUnreadList *all = &load->unread;

	all->n_unknown += more->n_unknown;
	for (uint32_t i = 0; i < more->n; i++)
	{
		const PhUnread *item = &more->items[i];

		if (manifest != NULL && ph_manifest_is(manifest, item->path))
		{
			all->n_unknown -= item->kind == PH_UNREAD_UNKNOWN && more->n_unknown > 0;
			continue;
		}
		PH_TRY(PH_GROW(&load->arena, &all->items, all->n, &all->capacity));
		all->items[all->n++] = *item;
	}
	return PH_OK;
}

PhStatus
ph_load_add_path(PhLoad *load, const char *path)
{
	PhExperiment *experiments;
	PhUnreadList unread;
	PhStatus status;
	size_t n;

	status = ph_source_expand(&load->arena, path, load->options.format, &experiments, &n, &unread);
	if (status != PH_OK)
		unread.n_unknown = 0; /* the error says it of all of them */
	PH_TRY(add_unread(load, &unread));
	PH_TRY(status);
	PH_TRY(make_room(load, n));
	for (size_t i = 0; i < n; i++)
		load->jobs[load->n_jobs++] = (PhLoadJob){.experiment = &experiments[i]};
	return PH_OK;
}

/* By path; of one path, what was planned first. */
static int
compare_jobs(const void *x, const void *y)
{
	const PhLoadJob *a = *(PhLoadJob *const *) x;
	const PhLoadJob *b = *(PhLoadJob *const *) y;
	int order = strcmp(a->experiment->path, b->experiment->path);

	return order != 0 ? order : (a > b) - (a < b);
}

PhStatus
ph_load_drop_doubles(PhLoad *load, PhEnv *env)
{
	PhLoadJob **sorted;
	size_t n = load->n_jobs;
	size_t kept = 0;
	void *memory;

	PH_TRY(ph_env_alloc(env, n, sizeof(*sorted), &memory));
	sorted = memory;
	for (size_t i = 0; i < load->n_jobs; i++)
		sorted[i] = &load->jobs[i];
	qsort(sorted, load->n_jobs, sizeof(*sorted), compare_jobs);
	for (size_t i = 1; i < load->n_jobs; i++)
		sorted[i]->is_double =
			strcmp(sorted[i - 1]->experiment->path, sorted[i]->experiment->path) == 0;
	ph_env_free(env, sorted, n, sizeof(*sorted));
	for (size_t i = 0; i < load->n_jobs; i++)
	{
		if (!load->jobs[i].is_double)
			load->jobs[kept++] = load->jobs[i];
	}
	load->n_jobs = kept;
	return PH_OK;
}

PhStatus
ph_load_decide(PhLoad *load, PhEnv *env, PhConnection *db)
{
	PH_TRY(ask_known(load, env, db));
	PH_TRY(find_twins(load, env));
	return reserve_ids(load, env, db);
}

static bool
is_open(const PhLoadJob *job)
{
	return job->outcome == PH_OUTCOME_NONE && job->twin == NULL;
}

/* The fingerprints of all open jobs as an array literal. */
static PhStatus
fingerprint_list(const PhLoad *load, PhArena *arena, char **out)
{
	const char *separator = "{";
	PhStr list;

	ph_str_init(&list, arena);
	for (size_t i = 0; i < load->n_jobs; i++)
	{
		if (!is_open(&load->jobs[i]))
			continue;
		PH_TRY(ph_str_append(&list, separator));
		PH_TRY(ph_str_append(&list, load->jobs[i].fingerprint));
		separator = ",";
	}
	PH_TRY(ph_str_append(&list, list.length > 0 ? "}" : "{}"));
	return ph_str_take(&list, out);
}

/* The row for a fingerprint; rows come sorted by it (as bytes: hexadecimal digits). */
static int
find_row(const PhResult *rows, const char *fingerprint)
{
	int low = 0;
	int high = (int) ph_result_count(rows) - 1;

	while (low <= high)
	{
		int middle = low + (high - low) / 2;
		int order = strcmp(ph_result_text(rows, (size_t) middle, 0), fingerprint);

		if (order == 0)
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle - 1;
	}
	return -1;
}

static void
decide_known(const PhLoad *load, PhLoadJob *job, int64_t run_id, int32_t last_repeat)
{
	switch (load->options.if_exists)
	{
		case PH_IF_EXISTS_SKIP:
			job->outcome = PH_OUTCOME_SKIPPED;
			job->stored_id = run_id;
			break;
		case PH_IF_EXISTS_REPLACE:
			job->replace_id = run_id;
			break;
		case PH_IF_EXISTS_APPEND:
			job->repeat = last_repeat + 1;
			break;
	}
}

/* The row of each open job's fingerprint, where there is one. */
static PhStatus
query_known(const PhLoad *load, PhEnv *env, PhConnection *db, PhResult **rows)
{
	PhArena arena;
	char *fingerprints;
	PhStatus status;
	PhParam param;

	*rows = NULL;
	ph_arena_init(&arena, env);
	status = fingerprint_list(load, &arena, &fingerprints);
	if (status == PH_OK)
	{
		param = ph_param_text(fingerprints);
		if (ph_pq_execute(db, ph_sql_run_leftover, &param, 1))
			*rows = ph_pq_query(db, ph_sql_run_known, &param, 1);
		status = *rows != NULL ? PH_OK : ph_refused(env, db);
	}
	ph_arena_drop(&arena);
	return status;
}

static PhStatus
ask_known(PhLoad *load, PhEnv *env, PhConnection *db)
{
	PhResult *rows;

	PH_TRY(query_known(load, env, db, &rows));
	for (size_t i = 0; i < load->n_jobs; i++)
	{
		PhLoadJob *job = &load->jobs[i];
		int row = is_open(job) ? find_row(rows, job->fingerprint) : -1;

		if (row >= 0)
			decide_known(load, job, ph_result_int(rows, (size_t) row, 1),
						 (int32_t) ph_result_int(rows, (size_t) row, 2));
	}
	ph_result_free(rows);
	return PH_OK;
}

static int
compare_fingerprints(const void *x, const void *y)
{
	const PhLoadJob *a = *(PhLoadJob *const *) x;
	const PhLoadJob *b = *(PhLoadJob *const *) y;
	int order = strcmp(a->fingerprint, b->fingerprint);

	return order != 0 ? order : (a > b) - (a < b);
}

/* Jobs of one command with the same content: load the first, or number the repeats. */
static PhStatus
find_twins(PhLoad *load, PhEnv *env)
{
	PhLoadJob **sorted;
	void *memory;
	size_t n = 0;

	PH_TRY(ph_env_alloc(env, load->n_jobs, sizeof(*sorted), &memory));
	sorted = memory;
	for (size_t i = 0; i < load->n_jobs; i++)
	{
		if (is_open(&load->jobs[i]))
			sorted[n++] = &load->jobs[i];
	}
	qsort(sorted, n, sizeof(*sorted), compare_fingerprints);
	for (size_t i = 1; i < n; i++)
	{
		PhLoadJob *before = sorted[i - 1];

		if (strcmp(before->fingerprint, sorted[i]->fingerprint) != 0)
			continue;
		if (load->options.if_exists == PH_IF_EXISTS_APPEND)
			sorted[i]->repeat = before->repeat + 1;
		else
			sorted[i]->twin = before->twin != NULL ? before->twin : before;
	}
	ph_env_free(env, sorted, load->n_jobs, sizeof(*sorted));
	return PH_OK;
}

/*
 * One query numbers all new runs in the order of the plan. A run that then fails, or that another
 * loader stores first, leaves its number unused. What is known already, and a second file with the
 * same content, takes none.
 */
static PhStatus
reserve_ids(PhLoad *load, PhEnv *env, PhConnection *db)
{
	PhParam param;
	PhResult *rows;
	size_t n = 0;

	for (size_t i = 0; i < load->n_jobs; i++)
		n += is_open(&load->jobs[i]) && load->jobs[i].replace_id == 0;
	if (n == 0)
		return PH_OK;
	param = ph_param_int((int64_t) n);
	rows = ph_pq_query(db, ph_sql_run_reserve, &param, 1);
	if (rows == NULL)
		return ph_refused(env, db);
	n = 0;
	for (size_t i = 0; i < load->n_jobs; i++)
	{
		PhLoadJob *job = &load->jobs[i];

		if (is_open(job) && job->replace_id == 0)
			job->run_id = ph_result_int(rows, n++, 0);
	}
	ph_result_free(rows);
	return PH_OK;
}
