/*
 * records.c - see records.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/records.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vector.h"
#include "profile/numbers.h"
#include "readers/input.h"
#include "readers/record.h"
#include "system/log.h"
#include "system/memory.h"

#define MOST_FOLDERS 8			  /* of a record's place */
#define MOST_CELLS ((size_t) 4e6) /* of the metrics that figures add to a profile */

/* A record by what it is looked up: its place, its job, or the folder of its file. */
typedef struct Entry
{
	PhSlice key;
	const PhRecord *record;
	const char *folder; /* of its file, links resolved */
	size_t job;			/* of the plan; SIZE_MAX: of a workspace that was found */
	size_t order;
} Entry;

typedef struct Index
{
	Entry *entries;
	uint32_t n, room;
} Index;

typedef struct Matching
{
	PhLoad *load;
	PhArena arena;
	Index places, jobs, folders;
	bool *used; /* by job of the plan */
	size_t order;
	const char *workspace; /* the last one that was looked into */
	Index of_workspace;
} Matching;

/* ---- the index ---- */

static int
compare_slices(PhSlice a, PhSlice b)
{
	size_t n = a.size < b.size ? a.size : b.size;
	int order = n > 0 ? memcmp(a.text, b.text, n) : 0;

	return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int
compare_entries(const void *x, const void *y)
{
	const Entry *a = x, *b = y;
	int order = compare_slices(a->key, b->key);

	return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

static PhStatus
add_entry(Matching *matching, Index *index, const char *key, const PhRecord *record,
		  const char *folder, size_t job)
{
	PH_TRY(PH_GROW(&matching->arena, &index->entries, index->n, &index->room));
	index->entries[index->n++] =
		(Entry){{key, strlen(key)}, record, folder, job, matching->order++};
	return PH_OK;
}

static void
sort(Index *index)
{
	if (index->n > 0)
		qsort(index->entries, index->n, sizeof(Entry), compare_entries);
}

/* The last entry with this key; NULL: none. */
static const Entry *
find(const Index *index, PhSlice key)
{
	uint32_t low = 0, high = index->n;

	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;

		if (compare_slices(index->entries[middle].key, key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && compare_slices(index->entries[low - 1].key, key) == 0
			   ? &index->entries[low - 1]
			   : NULL;
}

/* Links resolved; as it is where that is not possible. */
static PhStatus
real_path(Matching *matching, const char *path, char **out)
{
	char *real = realpath(path, NULL);
	const char *text = real != NULL ? real : path;
	PhStatus status = ph_arena_strndup(&matching->arena, text, strlen(text), out);

	free(real);
	return status;
}

static PhStatus
folder_of(Matching *matching, const char *path, char **out)
{
	char *slash;

	PH_TRY(real_path(matching, path, out));
	slash = strrchr(*out, '/');
	if (slash != NULL)
		*slash = '\0';
	return PH_OK;
}

static bool
is_only_record(const PhLoad *load, size_t job)
{
	const char *file = load->jobs[job].experiment->files[0];
	bool before = job > 0 && load->jobs[job - 1].experiment->record != NULL &&
				  strcmp(load->jobs[job - 1].experiment->files[0], file) == 0;
	bool behind = job + 1 < load->n_jobs && load->jobs[job + 1].experiment->record != NULL &&
				  strcmp(load->jobs[job + 1].experiment->files[0], file) == 0;

	return !before && !behind;
}

static PhStatus
index_record(Matching *matching, size_t job)
{
	const PhExperiment *experiment = matching->load->jobs[job].experiment;
	const PhRecord *record = experiment->record;
	char *folder;

	if (record->place != NULL)
		return add_entry(matching, &matching->places, record->place, record, NULL, job);
	PH_TRY(folder_of(matching, experiment->files[0], &folder));
	if (record->job != NULL)
		PH_TRY(add_entry(matching, &matching->jobs, record->job, record, folder, job));
	if (is_only_record(matching->load, job))
		return add_entry(matching, &matching->folders, folder, record, folder, job);
	return PH_OK;
}

static PhStatus
index_records(Matching *matching)
{
	for (size_t i = 0; i < matching->load->n_jobs; i++)
		if (matching->load->jobs[i].experiment->record != NULL)
			PH_TRY(index_record(matching, i));
	sort(&matching->places);
	sort(&matching->jobs);
	sort(&matching->folders);
	return PH_OK;
}

/* ---- looking up ---- */

/* Any number of neighbouring folders of the path, the longest first. */
static const Entry *
find_place(const Index *index, const char *path)
{
	for (uint32_t length = MOST_FOLDERS; index->n > 0 && length > 0; length--)
	{
		for (const char *from = path; (from = strchr(from, '/')) != NULL;)
		{
			const char *to = ++from;
			const Entry *found;

			for (uint32_t i = 0; i < length && to != NULL; i++)
				to = strchr(i > 0 ? to + 1 : to, '/');
			if (to == NULL)
				break;
			found = find(index, (PhSlice){from, (size_t) (to - from)});
			if (found != NULL)
				return found;
		}
	}
	return NULL;
}

static bool
is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 && path[n] == '/';
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A number in the path that is a job's. */
static const Entry *
find_job(const Index *index, const char *path)
{
	for (const char *at = path; index->n > 0 && *at != '\0';)
	{
		size_t n = 0;
		const Entry *found;

		while (is_digit(at[n]))
			n++;
		found = n > 0 ? find(index, (PhSlice){at, n}) : NULL;
		if (found != NULL && is_below(path, found->folder) && at > path + strlen(found->folder))
			return found;
		at += n > 0 ? n : 1;
	}
	return NULL;
}

/* The nearest folder above the path with a file of one record. */
static const Entry *
find_folder(const Index *index, const char *path)
{
	size_t n = strlen(path);

	while (index->n > 0 && n > 0)
	{
		const Entry *found;

		while (n > 0 && path[n - 1] != '/')
			n--;
		n -= n > 0;
		found = find(index, (PhSlice){path, n});
		if (found != NULL)
			return found;
	}
	return NULL;
}

/* ---- Ramble's workspace around a profile ---- */

static PhStatus
index_workspace(Matching *matching, const char *results)
{
	PhRecordList records = {0};
	PhInput input;
	PhStatus status;

	matching->of_workspace.n = 0;
	PH_TRY(ph_input_open(matching->arena.env, results, &input));
	status = ph_reader_ramble.read_records(&matching->load->arena, &input, &records);
	ph_input_close(&input);
	for (uint32_t i = 0; status == PH_OK && i < records.n; i++)
		if (records.list[i].place != NULL)
			status = add_entry(matching, &matching->of_workspace, records.list[i].place,
							   &records.list[i], NULL, SIZE_MAX);
	sort(&matching->of_workspace);
	return status;
}

/* Nobody named the file: where it is malformed, a warning, and profiles without what it notes. */
static PhStatus
read_workspace(Matching *matching, const char *results)
{
	PhEnv *env = matching->arena.env;
	PhStatus status = index_workspace(matching, results);

	if (status == PH_OK || status == PH_ERR_INTERRUPTED || status == PH_ERR_MEMORY)
		return status;
	ph_log_warning("profiles get nothing from the records beside them: %s", env->error.message);
	env->error = (PhError){0};
	matching->of_workspace.n = 0;
	return PH_OK;
}

/* WORKSPACE/experiments/application/workload/experiment/file, where the last has an inventory. */
static PhStatus
find_workspace(Matching *matching, const char *path, const Entry **found)
{
	char name[PATH_MAX], *workspace;
	const char *end = strrchr(path, '/');
	int length = end == NULL ? -1 : (int) (end - path);

	*found = NULL;
	if (length < 0 || (size_t) length + 32 > sizeof(name))
		return PH_OK;
	snprintf(name, sizeof(name), "%.*s/ramble_inventory.json", length, path);
	if (access(name, F_OK) != 0)
		return PH_OK;
	for (int i = 0; i < 4 && length > 0; i++)
		while (length > 0 && path[--length] != '/')
			;
	snprintf(name, sizeof(name), "%.*s/results.latest.json", length, path);
	if (access(name, R_OK) != 0)
		return PH_OK;
	if (matching->workspace == NULL || strcmp(matching->workspace, name) != 0)
	{
		PH_TRY(ph_arena_strndup(&matching->arena, name, strlen(name), &workspace));
		matching->workspace = workspace;
		PH_TRY(read_workspace(matching, name));
	}
	*found = find_place(&matching->of_workspace, path);
	return PH_OK;
}

/* ---- the plan ---- */

static PhStatus
match(Matching *matching, size_t job)
{
	PhLoadJob *profile = &matching->load->jobs[job];
	const Entry *found;
	char *path;

	PH_TRY(real_path(matching, profile->experiment->path, &path));
	found = find_place(&matching->places, path);
	if (found == NULL)
		found = find_job(&matching->jobs, path);
	if (found == NULL)
		found = find_folder(&matching->folders, path);
	if (found == NULL)
		PH_TRY(find_workspace(matching, path, &found));
	if (found == NULL)
		return PH_OK;
	profile->record = found->record;
	if (found->job != SIZE_MAX)
		matching->used[found->job] = true;
	return PH_OK;
}

static PhStatus
list_dropped(PhLoad *load, const PhExperiment *experiment)
{
	PhUnreadList *unread = &load->unread;
	const char *why = experiment->record->is_failed ? "a run that failed" : "it has no figures";
	char *reason;

	PH_TRY(ph_arena_strndup(&load->arena, why, strlen(why), &reason));
	PH_TRY(PH_GROW(&load->arena, &unread->items, unread->n, &unread->capacity));
	unread->items[unread->n++] =
		(PhUnread){.kind = PH_UNREAD_RECORD, .path = experiment->path, .reason = reason};
	return PH_OK;
}

static PhStatus
drop_records(Matching *matching)
{
	PhLoad *load = matching->load;
	size_t kept = 0;

	for (size_t i = 0; i < load->n_jobs; i++)
	{
		const PhRecord *record = load->jobs[i].experiment->record;
		bool is_run = record == NULL || (!record->is_failed && record->n_figures > 0);

		if (is_run && !matching->used[i])
			load->jobs[kept++] = load->jobs[i];
		else if (!matching->used[i])
			PH_TRY(list_dropped(load, load->jobs[i].experiment));
	}
	load->n_jobs = kept;
	return PH_OK;
}

static PhStatus
match_all(Matching *matching)
{
	PH_TRY(PH_NEW(&matching->arena, matching->load->n_jobs + 1, &matching->used));
	PH_TRY(index_records(matching));
	for (size_t i = 0; i < matching->load->n_jobs; i++)
		if (matching->load->jobs[i].experiment->record == NULL)
			PH_TRY(match(matching, i));
	return drop_records(matching);
}

PhStatus
ph_load_match_records(PhLoad *load)
{
	Matching matching = {.load = load};
	PhStatus status;

	ph_arena_init(&matching.arena, load->arena.env);
	status = match_all(&matching);
	ph_arena_drop(&matching.arena);
	return status;
}

/* ---- what becomes of them ---- */

static PhStatus
add_figures(PhEnv *env, const PhRecord *record, PhRunInput *run)
{
	size_t cells = (size_t) run->profile->n_nodes * run->profile->n_columns;
	PhProfileNumber *numbers;
	PhProfile *more;
	PhArena arena;
	PhStatus status;

	if (record->n_figures == 0)
		return PH_OK;
	if (cells > MOST_CELLS / record->n_figures)
		return ph_run_warn(env, run,
						   "The profile is large: figures of the harness are metadata only.");
	ph_arena_init(&arena, env);
	status = PH_NEW(&arena, record->n_figures, &numbers);
	for (uint32_t i = 0; status == PH_OK && i < record->n_figures; i++)
		numbers[i] = (PhProfileNumber){record->figures[i].name, record->figures[i].unit,
									   record->figures[i].value};
	if (status == PH_OK)
		status = ph_profile_with_numbers(env, run->profile, record->n_figures, numbers, &more);
	if (status == PH_OK)
	{
		ph_profile_free(env, run->profile);
		run->profile = more;
	}
	ph_arena_drop(&arena);
	return status;
}

PhStatus
ph_record_apply(PhEnv *env, const PhRecord *record, PhRunInput *run)
{
	if (record == NULL)
		return PH_OK;
	PH_TRY(ph_record_describe(env, record, &run->meta));
	return run->profile != NULL ? add_figures(env, record, run) : PH_OK;
}
