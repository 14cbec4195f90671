/*
 * source.c - reader of HPCToolkit 4 databases: a folder is one run.
 *
 * meta.db has the tree, profile.db the values. cct.db has the same values by context and is not
 * read, but that it ends as it should is looked at, as a copy of the folder may have been cut off
 * anywhere.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>

#include "readers/completeness.h"
#include "readers/experiment_folder.h"
#include "readers/hpctoolkit4/database.h"
#include "system/memory.h"

#define META "meta.db"
#define PROFILE "profile.db"

static PhStatus
check_footer(PhHpc4 *database, const PhHpc4File *file, const PhHpc4Kind *kind)
{
	if (ph_hpc4_is_ended(file->input, kind))
		return PH_OK;
	return ph_run_missing(database->env, database->run, "%s does not end with its end mark",
						  ph_path_base(file->input->path));
}

PhStatus
ph_hpc4_read_tree(PhHpc4 *database, PhInput *meta, PhInput *profile)
{
	const char *root = database->options != NULL ? database->options->source_root : NULL;
	PH_TRY(ph_paths_init(&database->paths, &database->arena, root));
	PH_TRY(ph_builder_new(database->env, &database->builder));
	PH_TRY(ph_hpc4_open(database->env, meta, &ph_hpc4_meta, &database->meta));
	PH_TRY(ph_hpc4_open(database->env, profile, &ph_hpc4_profile, &database->profile));
	PH_TRY(check_footer(database, &database->meta, &ph_hpc4_meta));
	PH_TRY(check_footer(database, &database->profile, &ph_hpc4_profile));
	PH_TRY(ph_hpc4_read_names(database));
	PH_TRY(ph_hpc4_read_metrics(database));
	PH_TRY(ph_hpc4_check_profiles(database));
	PH_TRY(ph_hpc4_add_metrics(database));
	return ph_hpc4_read_contexts(database);
}

static PhStatus
read_all(PhHpc4 *database, PhInput *meta, PhInput *profile)
{
	PH_TRY(ph_hpc4_read_tree(database, meta, profile));
	PH_TRY(ph_hpc4_read_profiles(database));
	PH_TRY(ph_builder_finish(database->builder, &database->run->profile));
	return ph_paths_raw_regions(&database->paths, database->env, database->run);
}

PhStatus
ph_read_hpctoolkit4(PhEnv *env, PhInput *meta, PhInput *profile, const PhReadOptions *options,
					PhRunInput *out)
{
	*out = ph_run_input_new();
	PhHpc4 database = {.env = env, .options = options, .run = out};
	ph_arena_init(&database.arena, env);
	PhStatus status = read_all(&database, meta, profile);
	ph_builder_free(database.builder);
	ph_arena_drop(&database.arena);
	if (status != PH_OK)
		ph_run_input_free(env, out);
	return status;
}

/* ---- files ---- */

/* Files beside meta.db and profile.db, with what they end with. */
static const struct
{
	const char *name, *footer;
} companions[] = {{"cct.db", "__ctx.db"}, {"trace.db", "trace.db"}};

#define N_COMPANIONS (sizeof(companions) / sizeof(companions[0]))

static bool
detect_file(const char *path, const uint8_t *head, size_t size)
{
	size_t magic = strlen(ph_hpc4_meta.magic);
	return strcmp(ph_path_base(path), META) == 0 && size >= magic &&
		   memcmp(head, ph_hpc4_meta.magic, magic) == 0;
}

static bool
detect_directory(const char *path)
{
	uint8_t head[16];
	char *name = ph_format("%s/" META, path);
	ssize_t size = ph_file_head(name, head, sizeof(head));
	bool is_database = size > 0 && detect_file(name, head, (size_t) size);
	free(name);
	return is_database;
}

static int
is_meta(const struct dirent *entry)
{
	return strcmp(entry->d_name, META) == 0;
}

static PhStatus
list_database(const char *meta, PhExperiment *experiment)
{
	int length = (int) (strlen(meta) - strlen(META));
	char *folder = ph_format("%.*s", length, meta);
	PhStatus status = ph_experiment_add(experiment, "%s", meta);
	if (status == PH_OK)
		status = ph_experiment_add(experiment, "%s" PROFILE, folder);
	for (size_t i = 0; i < N_COMPANIONS && status == PH_OK; i++)
		if (ph_folder_has_file(folder, companions[i].name))
			status = ph_experiment_add(experiment, "%s%s", folder, companions[i].name);
	ph_experiment_sort(experiment);
	free(folder);
	return status;
}

static PhStatus
list_files(PhEnv *env, const char *path, PhExperiment *experiment)
{
	char *meta;
	PH_TRY(ph_folder_anchor(env, path, is_meta, "database has", &meta));
	PhStatus status = list_database(meta, experiment);
	free(meta);
	return status;
}

/* Does the file end with these bytes? */
static bool
ends_with(const char *path, const char *footer)
{
	char end[PH_HPC4_FOOTER_SIZE];
	FILE *file = fopen(path, "rb");
	bool is_ended = file != NULL && fseek(file, -(long) sizeof(end), SEEK_END) == 0 &&
					fread(end, sizeof(end), 1, file) == 1 && memcmp(end, footer, sizeof(end)) == 0;
	if (file != NULL)
		fclose(file);
	return is_ended;
}

const char *
ph_hpc4_find_file(const PhExperiment *experiment, const char *name)
{
	for (size_t i = 0; i < experiment->n_files; i++)
		if (strcmp(ph_path_base(experiment->files[i]), name) == 0)
			return experiment->files[i];
	return NULL;
}

static PhStatus
check_companions(PhEnv *env, const PhExperiment *experiment, PhRunInput *run)
{
	for (size_t i = 0; i < N_COMPANIONS; i++)
	{
		const char *path = ph_hpc4_find_file(experiment, companions[i].name);
		if (path != NULL && !ends_with(path, companions[i].footer))
			PH_TRY(
				ph_run_missing(env, run, "%s does not end with its end mark", companions[i].name));
	}
	return PH_OK;
}

static PhStatus
read_files(PhEnv *env, const PhExperiment *experiment, const PhReadOptions *options,
		   PhRunInput *out)
{
	PhInput meta, profile;
	PH_TRY(ph_input_open(env, ph_hpc4_find_file(experiment, META), &meta));
	PhStatus status = ph_input_open(env, ph_hpc4_find_file(experiment, PROFILE), &profile);
	if (status == PH_OK)
	{
		status = ph_read_hpctoolkit4(env, &meta, &profile, options, out);
		ph_input_close(&profile);
	}
	ph_input_close(&meta);
	return status;
}

static PhStatus
read_experiment(PhEnv *env, const PhExperiment *experiment, const PhReadOptions *options,
				PhRunInput *out)
{
	PH_TRY(read_files(env, experiment, options, out));
	PhStatus status = check_companions(env, experiment, out);
	if (status != PH_OK)
		ph_run_input_free(env, out);
	return status;
}

const PhReader ph_reader_hpctoolkit4 = {
	.name = "hpctoolkit4",
	.description = "HPCToolkit version 4 database (meta.db and profile.db)",
	.mark = "meta.db, with its first bytes; folders: such a file in it",
	.proof =
		"its files end with their end marks, all that they declare is in them, and all ranks up "
		"to the last are there",
	.detect_file = detect_file,
	.detect_directory = detect_directory,
	.is_anchor = true,
	.list_files = list_files,
	.read = read_experiment,
};
