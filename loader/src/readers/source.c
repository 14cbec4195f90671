/*
 * source.c - from what the user names to experiments: expansion of paths, detection by content.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/vector.h"
#include "readers/experiment_folder.h"
#include "readers/input.h"
#include "system/memory.h"

#define PH_HEAD_SIZE 4096 /* bytes that detection looks at */
#define PH_MAX_DEPTH 32	  /* levels of folders below what the user named */

const PhReader *const ph_readers[] = {&ph_reader_otf2,		   &ph_reader_tasks,
									  &ph_reader_hpctoolkit,   &ph_reader_caliper_cali,
									  &ph_reader_caliper_json, &ph_reader_hatchet_json,
									  &ph_reader_cube,		   &ph_reader_tau,
									  &ph_reader_projections,  NULL};

/* What ph_source_expand collects. */
typedef struct Expansion
{
	PhArena *arena;
	PhEnv *env; /* the arena's */
	const PhReader *forced;
	PhExperiment *list;
	uint32_t n, capacity;
	size_t n_unknown;
} Expansion;

static PhStatus
find_format(PhEnv *env, const char *format, const PhReader **out)
{
	char known[256] = "";
	for (size_t i = 0; ph_readers[i] != NULL; i++)
	{
		if (strcmp(ph_readers[i]->name, format) == 0)
		{
			*out = ph_readers[i];
			return PH_OK;
		}
		size_t used = strlen(known);
		snprintf(known + used, sizeof(known) - used, "%s%s",
				 i > 0 ? ", " : "Known formats: ", ph_readers[i]->name);
	}
	strncat(known, ".", sizeof(known) - strlen(known) - 1);
	return ph_fail_hint(env, PH_ERR_NOT_FOUND, known, "unknown format \"%s\"", format);
}

static const PhReader *
detect_file(const char *path, const uint8_t *head, size_t size)
{
	for (size_t i = 0; ph_readers[i] != NULL; i++)
		if (ph_readers[i]->detect_file != NULL && ph_readers[i]->detect_file(path, head, size))
			return ph_readers[i];
	return NULL;
}

static const PhReader *
detect_directory(const Expansion *expansion, const char *path)
{
	for (size_t i = 0; ph_readers[i] != NULL; i++)
	{
		const PhReader *reader = ph_readers[i];
		bool wanted = expansion->forced == NULL || expansion->forced == reader;
		if (wanted && reader->detect_directory != NULL && reader->detect_directory(path))
			return reader;
	}
	return NULL;
}

static PhStatus
add_experiment(Expansion *expansion, const PhReader *reader, const char *path, bool directory)
{
	PH_TRY(PH_GROW(expansion->arena, &expansion->list, expansion->n, &expansion->capacity));
	PhExperiment *experiment = &expansion->list[expansion->n];
	*experiment = (PhExperiment){.reader = reader, .arena = expansion->arena};
	PH_TRY(ph_arena_strndup(expansion->arena, path, strlen(path), &experiment->path));
	expansion->n++;
	if (directory || reader->is_anchor)
		return reader->list_files(expansion->env, path, experiment);
	return ph_experiment_add(experiment, "%s", path);
}

static PhStatus
named_file_unknown(PhEnv *env, const char *path, ssize_t size)
{
	if (size < 0)
		return ph_fail_hint(env, ph_input_errno_status(errno),
							"Check the path and that this user may read it.", "%s: cannot read: %s",
							path, strerror(errno));
	if (size == 0)
		return ph_fail(env, PH_ERR_FORMAT, "%s: file is empty", path);
	return ph_fail_hint(env, PH_ERR_UNSUPPORTED,
						"See perfhouse load --help for the formats; --format forces one.",
						"%s: no reader knows this format", path);
}

/* named: the user gave this very path, so that not knowing it is an error. */
static PhStatus
expand_file(Expansion *expansion, const char *path, bool named)
{
	uint8_t head[PH_HEAD_SIZE];
	ssize_t size = ph_file_head(path, head, sizeof(head));
	const PhReader *reader = size > 0 ? detect_file(path, head, (size_t) size) : NULL;
	if (expansion->forced != NULL)
	{
		bool usable = size > 0 && (named || reader == expansion->forced);
		reader = usable && expansion->forced->detect_file != NULL ? expansion->forced : NULL;
	}
	if (reader != NULL)
		return add_experiment(expansion, reader, path, false);
	if (named)
		return named_file_unknown(expansion->env, path, size);
	if (size < 0)
		return named_file_unknown(expansion->env, path, size);
	expansion->n_unknown++;
	return PH_OK;
}

/* A folder whose entries are being visited. */
typedef struct Visit
{
	char *path;
	PhFolder folder;
	int next;
} Visit;

static PhStatus
begin_visit(PhEnv *env, const char *path, Visit *out)
{
	*out = (Visit){.path = ph_strdup(path)};
	PhStatus status = ph_folder_open(env, path, NULL, &out->folder);
	if (status != PH_OK)
		free(out->path);
	return status;
}

static void
end_visit(Visit *visit)
{
	ph_folder_close(&visit->folder);
	free(visit->path);
}

/* Open the folder at path on top of the stack, or take it as one experiment. */
static PhStatus
enter_folder(Expansion *expansion, const char *path, Visit *stack, size_t *depth)
{
	const PhReader *reader = detect_directory(expansion, path);
	if (reader != NULL)
		return add_experiment(expansion, reader, path, true);
	if (*depth == PH_MAX_DEPTH)
		return ph_fail(expansion->env, PH_ERR_LIMIT, "%s: directories are nested deeper than %d",
					   path, PH_MAX_DEPTH);
	PH_TRY(begin_visit(expansion->env, path, &stack[*depth]));
	(*depth)++;
	return PH_OK;
}

static PhStatus
visit_entry(Expansion *expansion, const char *path, Visit *stack, size_t *depth)
{
	struct stat status;
	if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode) && stat(path, &status) == 0 &&
		S_ISDIR(status.st_mode))
		return PH_OK; /* links to directories could be circular */
	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return enter_folder(expansion, path, stack, depth);
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
		return PH_OK;
	return expand_file(expansion, path, false);
}

static PhStatus
expand_folder(Expansion *expansion, const char *path)
{
	Visit stack[PH_MAX_DEPTH];
	size_t depth = 0;
	PhStatus status = enter_folder(expansion, path, stack, &depth);
	while (status == PH_OK && depth > 0)
	{
		Visit *visit = &stack[depth - 1];
		if (visit->next == visit->folder.n)
		{
			end_visit(visit);
			depth--;
			continue;
		}
		const char *name = visit->folder.entries[visit->next++]->d_name;
		char *child = ph_format("%s/%s", visit->path, name);
		status = visit_entry(expansion, child, stack, &depth);
		free(child);
	}
	while (depth > 0)
		end_visit(&stack[--depth]);
	return status;
}

static PhStatus
nothing_found(const Expansion *expansion, const char *path)
{
	return ph_fail_hint(
		expansion->env, PH_ERR_UNSUPPORTED, "See perfhouse load --help for the formats.",
		"%s: no file below it is in a known format (%zu looked at)", path, expansion->n_unknown);
}

static int
compare_experiments(const void *a, const void *b)
{
	return strcmp(((const PhExperiment *) a)->path, ((const PhExperiment *) b)->path);
}

static PhStatus
expand(Expansion *expansion, const char *path)
{
	struct stat status;
	if (stat(path, &status) != 0)
		return ph_fail_hint(expansion->env, ph_input_errno_status(errno), "Check the path.",
							"%s: %s", path, strerror(errno));
	if (!S_ISDIR(status.st_mode))
		return expand_file(expansion, path, true);
	PH_TRY(expand_folder(expansion, path));
	if (expansion->n == 0)
		return nothing_found(expansion, path);
	qsort(expansion->list, expansion->n, sizeof(PhExperiment), compare_experiments);
	return PH_OK;
}

PhStatus
ph_source_expand(PhArena *arena, const char *path, const char *format, PhExperiment **experiments,
				 size_t *n_experiments, size_t *n_unknown)
{
	Expansion expansion = {.arena = arena, .env = arena->env};
	if (format != NULL)
		PH_TRY(find_format(arena->env, format, &expansion.forced));
	PH_TRY(expand(&expansion, path));
	*experiments = expansion.list;
	*n_experiments = expansion.n;
	*n_unknown = expansion.n_unknown;
	return PH_OK;
}

PhStatus
ph_experiment_read(PhEnv *env, const PhExperiment *experiment, const PhReadOptions *options,
				   PhRunInput *out)
{
	const PhReader *reader = experiment->reader;
	if (reader->read_file == NULL)
		return reader->read(env, experiment, options, out);
	PhInput input;
	PH_TRY(ph_input_open(env, experiment->files[0], &input));
	PhStatus status = reader->read_file(env, &input, options, out);
	ph_input_close(&input);
	return status;
}
