/*
 * join.c - see join.h. Files are sorted by folder, format, job and begin; what overlaps with the
 * files before it is of their run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/join.h"

#include <stdlib.h>
#include <string.h>

#include "base/min_max.h"
#include "pipeline/internal.h"
#include "readers/experiment_folder.h"
#include "readers/source_paths.h"

/* A file that may be of a job of several. */
typedef struct Part
{
	PhLoadJob *load; /* its run, as planned */
	size_t n_folder; /* length of its folder's name in its path */
	PhFileJob file;
} Part;

static int
compare_folders(const Part *a, const Part *b)
{
	size_t n = PH_MIN(a->n_folder, b->n_folder);
	int order = memcmp(a->load->experiment->path, b->load->experiment->path, n);

	if (order == 0 && a->n_folder != b->n_folder)
		order = a->n_folder < b->n_folder ? -1 : 1;
	return order != 0
			   ? order
			   : strcmp(a->load->experiment->reader->name, b->load->experiment->reader->name);
}

/* Files of one job lie together; those of which nothing is known first. */
static int
compare_jobs(const Part *a, const Part *b)
{
	int order = compare_folders(a, b);

	if (order != 0)
		return order;
	if (a->file.job == NULL || b->file.job == NULL)
		return (a->file.job != NULL) - (b->file.job != NULL);
	return strcmp(a->file.job, b->file.job);
}

static int
compare_parts(const void *x, const void *y)
{
	const Part *a = x;
	const Part *b = y;
	int order = compare_jobs(a, b);

	if (order == 0 && a->file.begin != b->file.begin)
		order = a->file.begin < b->file.begin ? -1 : 1;
	return order != 0 ? order : strcmp(a->load->experiment->path, b->load->experiment->path);
}

/* Where compare says that parts are alike, from first on: the end of that stretch. */
static size_t
end_of_alike(const Part *parts, size_t first, size_t n, int (*compare)(const Part *, const Part *))
{
	size_t end = first + 1;

	while (end < n && compare(&parts[first], &parts[end]) == 0)
		end++;
	return end;
}

/* ---- whose files they are ---- */

static size_t
list_parts(PhLoad *load, Part *parts)
{
	size_t n = 0;

	for (size_t i = 0; i < load->n_jobs; i++)
	{
		const PhExperiment *experiment = load->jobs[i].experiment;

		if (experiment->reader->find_job == NULL || experiment->n_files != 1)
			continue;
		parts[n++] =
			(Part){.load = &load->jobs[i],
				   .n_folder = (size_t) (ph_path_base(experiment->path) - experiment->path)};
	}
	qsort(parts, n, sizeof(*parts), compare_parts);
	return n;
}

static PhStatus
ask_reader(PhLoad *load, PhEnv *env, Part *part)
{
	const PhExperiment *experiment = part->load->experiment;
	PhArena arena;
	PhStatus status;

	ph_arena_init(&arena, env);
	status = experiment->reader->find_job(&arena, experiment->files[0], &part->file);
	if (status == PH_OK && part->file.job != NULL)
		status =
			ph_arena_strndup(&load->arena, part->file.job, strlen(part->file.job), &part->file.job);
	ph_arena_drop(&arena);
	if (status == PH_OK || status == PH_ERR_INTERRUPTED || status == PH_ERR_MEMORY)
		return status;
	env->error = (PhError){0};
	part->file = (PhFileJob){0};
	return PH_OK;
}

static PhStatus
ask_readers(PhLoad *load, PhEnv *env, Part *parts, size_t n)
{
	size_t end;

	for (size_t first = 0; first < n; first = end)
	{
		end = end_of_alike(parts, first, n, compare_folders);
		for (size_t i = first; end > first + 1 && i < end; i++)
			PH_TRY(ask_reader(load, env, &parts[i]));
	}
	qsort(parts, n, sizeof(*parts), compare_parts);
	return PH_OK;
}

/* ---- runs ---- */

/* Of files of one job from first on, how many are of one run: they overlap with those before. */
static size_t
end_of_run(const Part *parts, size_t first, size_t end)
{
	int64_t last = parts[first].file.end;
	size_t i = first + 1;

	for (; i < end; i++)
	{
		const PhFileJob *file = &parts[i].file;
		int64_t shorter = PH_MIN(file->end - file->begin, last - parts[first].file.begin);

		if ((PH_MIN(last, file->end) - file->begin) < shorter - shorter / 2)
			break;
		last = PH_MAX(last, file->end);
	}
	return i;
}

/* Two files of one rank; false: there are none. Without a job the rank is not known either. */
static bool
find_rank_twice(const Part *parts, size_t n, size_t *a, size_t *b)
{
	for (*b = 1; *b < n; ++*b)
		for (*a = 0; *a < *b; ++*a)
			if (parts[*a].file.rank == parts[*b].file.rank && parts[*a].file.job != NULL &&
				parts[*b].file.job != NULL)
				return true;
	return false;
}

/* Where the run ends that begins with the first of the parts. */
static size_t
find_end(const PhLoad *load, const Part *parts, size_t first, size_t n)
{
	if (load->options.one_run)
		return end_of_alike(parts, first, n, compare_folders);
	size_t end_of_job = end_of_alike(parts, first, n, compare_jobs);

	return parts[first].file.job == NULL ? end_of_job : end_of_run(parts, first, end_of_job);
}

static void
refuse_run(PhEnv *env, Part *parts, size_t n, size_t a, size_t b)
{
	for (size_t i = 0; i < n; i++)
	{
		(void) ph_fail_hint(
			env, PH_ERR_CONFLICT, "Remove one of them, or load each file as a run by --each-file.",
			"%s and %s are both of rank %d of one job", parts[a].load->experiment->path,
			parts[b].load->experiment->path, parts[a].file.rank);
		ph_job_fail(parts[i].load, env, NULL);
	}
}

/* The files go to the run that was planned first; it is called by the folder where it is all that
 * the folder holds. */
static PhStatus
join_run(PhLoad *load, const Part *parts, size_t n, bool is_whole_folder)
{
	const Part *first = &parts[0];
	PhExperiment *experiment;

	for (size_t i = 1; i < n; i++)
		first = parts[i].load < first->load ? &parts[i] : first;
	PH_TRY(PH_NEW(&load->arena, 1, &experiment));
	*experiment = *first->load->experiment;
	first->load->experiment = experiment;
	for (size_t i = 0; i < n; i++)
	{
		if (&parts[i] == first)
			continue;
		PH_TRY(ph_experiment_add(experiment, "%s", parts[i].load->experiment->files[0]));
		parts[i].load->is_double = true;
	}
	ph_experiment_sort(experiment);
	if (!is_whole_folder || first->n_folder < 2)
		return PH_OK;
	return ph_arena_strndup(&load->arena, experiment->path, first->n_folder - 1, &experiment->path);
}

static PhStatus
join_jobs(PhLoad *load, PhEnv *env, Part *parts, size_t n)
{
	size_t end;

	for (size_t first = 0; first < n; first = end)
	{
		size_t a, b;
		bool is_folder;

		end = find_end(load, parts, first, n);
		if (end == first + 1 || (parts[first].file.job == NULL && !load->options.one_run))
			continue;
		is_folder = (first == 0 || compare_folders(&parts[first - 1], &parts[first]) != 0) &&
					(end == n || compare_folders(&parts[end], &parts[first]) != 0);
		if (find_rank_twice(parts + first, end - first, &a, &b))
			refuse_run(env, parts + first, end - first, a, b);
		else
			PH_TRY(join_run(load, parts + first, end - first, is_folder));
	}
	return PH_OK;
}

static void
drop_joined(PhLoad *load)
{
	size_t kept = 0;

	for (size_t i = 0; i < load->n_jobs; i++)
	{
		if (!load->jobs[i].is_double)
			load->jobs[kept++] = load->jobs[i];
	}
	load->n_jobs = kept;
}

PhStatus
ph_load_join_ranks(PhLoad *load, PhEnv *env)
{
	void *memory;
	Part *parts;
	size_t n;
	PhStatus status;

	PH_TRY(ph_env_alloc(env, load->n_jobs + 1, sizeof(Part), &memory));
	parts = memory;
	n = list_parts(load, parts);
	status = ask_readers(load, env, parts, n);
	if (status == PH_OK)
		status = join_jobs(load, env, parts, n);
	ph_env_free(env, memory, load->n_jobs + 1, sizeof(Part));
	drop_joined(load);
	return status;
}
