/*
 * source.c - reader of TAU profiles: the profile.N.C.T files of a directory are one run.
 *
 * Several metrics lie in directories MULTI__METRIC below it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers/experiment_folder.h"
#include "readers/tau/tau.h"
#include "system/memory.h"

static bool
detect_file(const char *path, const uint8_t *head, size_t size)
{
	int32_t node, context, thread;
	return ph_tau_parse_path(path, &node, &context, &thread) && ph_tau_detect(head, size);
}

static int
is_profile_name(const struct dirent *entry)
{
	int32_t node, context, thread;
	return ph_tau_parse_path(entry->d_name, &node, &context, &thread);
}

static int
is_metric_directory(const struct dirent *entry)
{
	return strncmp(entry->d_name, "MULTI__", 7) == 0;
}

/* True when the directory's first profile begins like one. */
static bool
has_profiles(const char *path)
{
	PhFolder folder;
	uint8_t head[256];
	bool found = false;
	if (ph_folder_list(path, is_profile_name, &folder) && folder.n > 0)
	{
		char *name = ph_format("%s/%s", path, folder.entries[0]->d_name);
		ssize_t size = ph_file_head(name, head, sizeof(head));
		found = size > 0 && ph_tau_detect(head, (size_t) size);
		free(name);
	}
	ph_folder_close(&folder);
	return found;
}

/* Call visit for each MULTI__ directory that has profiles; their number, -1 on failure. */
static int
visit_metric_directories(const char *path, PhStatus (*visit)(PhEnv *, const char *, PhExperiment *),
						 PhEnv *env, PhExperiment *experiment)
{
	PhFolder folder;
	int found = 0;
	ph_folder_list(path, is_metric_directory, &folder);
	for (int i = 0; i < folder.n && found >= 0; i++)
	{
		char *name = ph_format("%s/%s", path, folder.entries[i]->d_name);
		if (has_profiles(name))
			found = visit == NULL || visit(env, name, experiment) == PH_OK ? found + 1 : -1;
		free(name);
	}
	ph_folder_close(&folder);
	return found;
}

static bool
detect_directory(const char *path)
{
	return has_profiles(path) || visit_metric_directories(path, NULL, NULL, NULL) > 0;
}

/* Append the profiles of one directory. */
static PhStatus
list_profiles(PhEnv *env, const char *path, PhExperiment *experiment)
{
	return ph_experiment_add_all(env, experiment, path, is_profile_name);
}

static PhStatus
list_files(PhEnv *env, const char *path, PhExperiment *experiment)
{
	int found = visit_metric_directories(path, list_profiles, env, experiment);
	if (found < 0)
		return env->error.status;
	return found > 0 ? PH_OK : list_profiles(env, path, experiment);
}

static PhStatus
read_experiment(PhEnv *env, const PhExperiment *experiment, const PhReadOptions *options,
				PhRunInput *out)
{
	void *memory;
	PH_TRY(ph_env_alloc(env, experiment->n_files, sizeof(PhInput), &memory));
	PhInput *inputs = memory;
	for (size_t i = 0; i < experiment->n_files; i++)
		inputs[i].path = experiment->files[i];
	PhStatus status = ph_read_tau(env, inputs, experiment->n_files, options, out);
	ph_env_free(env, memory, experiment->n_files, sizeof(PhInput));
	return status;
}

const PhReader ph_reader_tau = {
	.name = "tau",
	.description = "TAU profiles (profile.N.C.T, MULTI__* directories)",
	.mark = "the first line counts templated_functions; folders: profile.N.C.T or MULTI__* in it",
	.detect_file = detect_file,
	.detect_directory = detect_directory,
	.list_files = list_files,
	.read = read_experiment,
};
