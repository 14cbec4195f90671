/*
 * source.c - reader of Projections logs: which files are a run, and reading it.
 *
 * Definitions NAME.sts are the anchor. Logs are NAME.<processor>.log or .log.gz beside it, or in
 * folders NAME.projdir.<k>; NAME.projrc may tell when the run began and ended.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "readers/experiment_folder.h"
#include "readers/input.h"
#include "readers/projections/projections.h"
#include "readers/source_paths.h"
#include "system/memory.h"

#define STS_SUFFIX ".sts"
#define FOLDER ".projdir."

/* ---- which files ---- */

static bool
is_sts_name(const char *name)
{
	return name[0] != '.' && ph_has_suffix(name, STS_SUFFIX) &&
		   !ph_has_suffix(name, ".sum" STS_SUFFIX);
}

static bool
detect_file(const char *path, const uint8_t *head, size_t size)
{
	static const char first[] = "PROJECTIONS_ID";

	if (size >= sizeof(first) - 1 && memcmp(head, first, sizeof(first) - 1) == 0)
		return true;
	return is_sts_name(ph_path_base(path)) && size >= 8 && memcmp(head, "VERSION ", 8) == 0;
}

static int
is_anchor(const struct dirent *entry)
{
	return is_sts_name(entry->d_name);
}

/* The only definitions in it. */
static bool
detect_directory(const char *path)
{
	return ph_folder_has_only(path, is_anchor);
}

/* NAME.<processor>.log[.gz] of this name: its processor; -1: it is not one. */
static int64_t
processor_of(const char *file, const char *name)
{
	size_t length = strlen(name);
	const char *digits = file + length + 1;
	size_t n_digits;
	int64_t processor;

	if (strncmp(file, name, length) != 0 || file[length] != '.')
		return -1;
	n_digits = strspn(digits, "0123456789");
	if (n_digits == 0 || n_digits > 9 || !ph_parse_int64(digits, n_digits, &processor))
		return -1;
	digits += n_digits;
	return strcmp(digits, ".log") == 0 || strcmp(digits, ".log.gz") == 0 ? processor : -1;
}

/* The name that all files of the run begin with, malloc'ed. */
static char *
run_name(const char *sts)
{
	const char *base = ph_path_base(sts);

	return ph_has_suffix(base, STS_SUFFIX) ? ph_strndup(base, strlen(base) - strlen(STS_SUFFIX))
										   : ph_strdup(base);
}

static PhStatus
add_file(PhExperiment *experiment, const char *folder, const char *file)
{
	return ph_experiment_add(experiment, "%s%s%s", folder, folder[0] == '\0' ? "" : "/", file);
}

/* A run's name may make its files hidden ones. */
static int
is_any(const struct dirent *entry)
{
	(void) entry;
	return 1;
}

static bool
is_log_folder(const char *file, const char *name)
{
	size_t length = strlen(name);

	return strncmp(file, name, length) == 0 && strncmp(file + length, FOLDER, strlen(FOLDER)) == 0;
}

/* Logs in a folder, which need not be there; folder "": here. */
static PhStatus
add_logs(PhExperiment *experiment, const char *folder, const char *name)
{
	PhFolder found;
	PhStatus status = PH_OK;

	ph_folder_list(folder[0] == '\0' ? "." : folder, is_any, &found);
	for (int i = 0; i < found.n && status == PH_OK; i++)
	{
		if (processor_of(found.entries[i]->d_name, name) >= 0)
			status = add_file(experiment, folder, found.entries[i]->d_name);
	}
	ph_folder_close(&found);
	return status;
}

/* Those in folders of logs. */
static PhStatus
add_nested_logs(PhExperiment *experiment, const char *folder, const char *name)
{
	PhFolder found;
	PhStatus status = PH_OK;

	ph_folder_list(folder[0] == '\0' ? "." : folder, is_any, &found);
	for (int i = 0; i < found.n && status == PH_OK; i++)
	{
		const char *file = found.entries[i]->d_name;
		char *path;

		if (!is_log_folder(file, name))
			continue;
		path = ph_format("%s%s%s", folder, folder[0] == '\0' ? "" : "/", file);
		status = add_logs(experiment, path, name);
		free(path);
	}
	ph_folder_close(&found);
	return status;
}

/* sts: a file in the folder, which is "" when it is here; name: of the run. */
static PhStatus
add_files(PhExperiment *experiment, const char *sts, const char *folder, const char *name)
{
	char *settings = ph_format("%s.projrc", name);
	char *directory = ph_strndup(sts, (size_t) (ph_path_base(sts) - sts));
	PhStatus status = PH_OK;

	if (ph_folder_has_file(directory, settings))
		status = add_file(experiment, folder, settings);
	free(directory);
	free(settings);
	PH_TRY(status);
	PH_TRY(add_file(experiment, folder, ph_path_base(sts)));
	PH_TRY(add_logs(experiment, folder, name));
	PH_TRY(add_nested_logs(experiment, folder, name));
	ph_experiment_sort(experiment);
	return PH_OK;
}

static PhStatus
add_all(PhExperiment *experiment, const char *sts)
{
	size_t length = (size_t) (ph_path_base(sts) - sts);
	char *folder = ph_strndup(sts, length > 1 ? length - 1 : length);
	char *name = run_name(sts);
	PhStatus status = add_files(experiment, sts, folder, name);

	free(name);
	free(folder);
	return status;
}

static PhStatus
list_files(PhEnv *env, const char *path, PhExperiment *experiment)
{
	char *anchor;
	PhStatus status;

	PH_TRY(ph_folder_anchor(env, path, is_anchor, "definitions have", &anchor));
	status = add_all(experiment, anchor);
	free(anchor);
	return status;
}

/* ---- logs of processors ---- */

static PhStatus
missing_log(PhEnv *env, const PhProjections *projections, uint32_t processor)
{
	return ph_fail_hint(env, PH_ERR_FORMAT,
						"Copy the logs of all processors beside the definitions.",
						"%s: the run has %u processors, but there is no log of processor %u",
						projections->sts, projections->n_processors, processor);
}

static PhStatus
add_log(PhEnv *env, PhProjections *projections, int64_t processor, const char *path)
{
	if (processor >= projections->n_processors)
		return ph_fail(env, PH_ERR_VALUE, "%s: is of processor %lld, but %s has %u processors",
					   path, (long long) processor, projections->sts, projections->n_processors);
	if (projections->log_paths[processor] != NULL)
		return ph_fail_hint(env, PH_ERR_CONFLICT, "Remove one of them.",
							"%s and %s are both the log of processor %lld",
							projections->log_paths[processor], path, (long long) processor);
	return ph_arena_strndup(&projections->tasks.arena, path, strlen(path),
							(char **) &projections->log_paths[processor]);
}

static PhStatus
find_logs(PhEnv *env, PhProjections *projections, const PhExperiment *experiment)
{
	char *name = run_name(projections->sts);
	PhStatus status =
		PH_NEW(&projections->tasks.arena, projections->n_processors, &projections->log_paths);

	for (size_t i = 0; i < experiment->n_files && status == PH_OK; i++)
	{
		int64_t processor = processor_of(ph_path_base(experiment->files[i]), name);

		if (processor >= 0)
			status = add_log(env, projections, processor, experiment->files[i]);
	}
	free(name);
	PH_TRY(status);
	for (uint32_t i = 0; i < projections->n_processors; i++)
	{
		if (projections->log_paths[i] == NULL)
			return missing_log(env, projections, i);
	}
	return PH_OK;
}

static PhStatus
lend_logs(PhEnv *env, PhProjections *projections, const PhInput *logs, uint32_t n_logs)
{
	PH_TRY(PH_NEW(&projections->tasks.arena, projections->n_processors, &projections->log_paths));
	for (uint32_t i = 0; i < projections->n_processors; i++)
	{
		if (i >= n_logs)
			return missing_log(env, projections, i);
		projections->log_paths[i] = logs[i].path;
	}
	projections->lent = logs;
	return PH_OK;
}

/* ---- reading ---- */

/* What the logs cannot say: readers of the run are told, not left to guess. */
static PhStatus
say_what_is_absent(PhEnv *env, PhRunInput *run)
{
	return ph_meta_set(env, &run->meta, "projections.absent",
					   "which array a chare is of; calls of contribute(); the inside of reductions",
					   false);
}

static PhStatus
read_logs(PhEnv *env, PhProjections *projections, const PhReadOptions *options, PhRunInput *run)
{
	PhTaskSource *tasks = &projections->tasks;
	char version[16];

	run->n_ranks = (int32_t) projections->n_processors;
	run->n_threads = 1;
	snprintf(version, sizeof(version), "%u.%u", projections->version / 10,
			 projections->version % 10);
	PH_TRY(ph_meta_set(env, &run->meta, "projections.version", version, false));
	PH_TRY(ph_projections_make_model(projections));
	PH_TRY(ph_task_scan(env, tasks, options->n_threads));
	PH_TRY(ph_task_join(env, tasks));
	PH_TRY(ph_task_report(env, tasks, "projections", run));
	return say_what_is_absent(env, run);
}

static const char *
find_sts(const PhExperiment *experiment)
{
	for (size_t i = 0; i < experiment->n_files; i++)
	{
		if (processor_of(ph_path_base(experiment->files[i]), "") < 0 &&
			!ph_has_suffix(experiment->files[i], ".projrc") &&
			!ph_has_suffix(experiment->files[i], ".log") &&
			!ph_has_suffix(experiment->files[i], ".log.gz"))
			return experiment->files[i];
	}
	return NULL;
}

static PhStatus
read_all(PhEnv *env, const PhExperiment *experiment, const PhReadOptions *options, PhRunInput *run)
{
	const char *sts = find_sts(experiment);
	PhProjections *projections;
	PhInput input;
	char *name;
	PhStatus status;

	if (sts == NULL)
		return ph_fail(env, PH_ERR_NOT_FOUND, "%s: has no definitions", experiment->path);
	PH_TRY(ph_input_open(env, sts, &input));
	status = ph_projections_read_sts(env, &input, run, &projections);
	ph_input_close(&input);
	PH_TRY(status);
	run->trace = &projections->tasks.source;
	PH_TRY(find_logs(env, projections, experiment));
	name = run_name(sts);
	if (ph_has_suffix(name, ".prj"))
		name[strlen(name) - strlen(".prj")] = '\0';
	status = ph_utf8_valid(name, strlen(name))
				 ? ph_meta_set(env, &run->meta, "application", name, false)
				 : PH_OK;
	free(name);
	PH_TRY(status);
	return read_logs(env, projections, options, run);
}

static PhStatus
read_experiment(PhEnv *env, const PhExperiment *experiment, const PhReadOptions *options,
				PhRunInput *out)
{
	PhStatus status;

	*out = ph_run_input_new();
	status = read_all(env, experiment, options, out);
	if (status != PH_OK)
		ph_run_input_free(env, out);
	return status;
}

PhStatus
ph_read_projections(PhEnv *env, PhInput *sts, const PhInput *logs, uint32_t n_logs,
					const PhReadOptions *options, PhRunInput *out)
{
	PhProjections *projections;
	PhStatus status;

	*out = ph_run_input_new();
	status = ph_projections_read_sts(env, sts, out, &projections);
	if (status == PH_OK)
	{
		out->trace = &projections->tasks.source;
		status = lend_logs(env, projections, logs, n_logs);
	}
	if (status == PH_OK)
		status = read_logs(env, projections, options, out);
	if (status != PH_OK)
		ph_run_input_free(env, out);
	return status;
}

const PhReader ph_reader_projections = {
	.name = "projections",
	.description = "Projections logs of a Charm++ program: NAME.sts or the directory with it",
	.mark = "the first line begins with PROJECTIONS_ID, or VERSION in *.sts; folders: one such "
			"file in it",
	.proof = "the definitions end with END, each processor has a log, which ends with the end of "
			 "the computation",
	.detect_file = detect_file,
	.detect_directory = detect_directory,
	.is_anchor = true,
	.list_files = list_files,
	.read = read_experiment,
};
