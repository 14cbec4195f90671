/*
 * source.c - reader of HPCToolkit version 3 databases: a directory is one run.
 *
 * Without metric-db files the summary values of experiment.xml are taken: one column, the sum over
 * all threads.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/min_max.h"
#include "readers/completeness.h"
#include "readers/experiment_folder.h"
#include "readers/hpctoolkit/hpctoolkit.h"
#include "system/memory.h"

/* Ranks and threads of the metric-dbs. */
typedef struct Units
{
	int32_t *ranks, *threads;
	char (*hosts)[64];
} Units;

static PhStatus
name_units(PhHpcExperiment *experiment, const PhInput *dbs, size_t n_dbs, Units *units)
{
	bool threaded = false;
	PH_TRY(PH_NEW(&experiment->arena, n_dbs, &units->ranks));
	PH_TRY(PH_NEW(&experiment->arena, n_dbs, &units->threads));
	PH_TRY(PH_NEW(&experiment->arena, n_dbs, &units->hosts));
	for (size_t i = 0; i < n_dbs; i++)
	{
		if (!ph_hpc_parse_name(dbs[i].path, &units->ranks[i], &units->threads[i], units->hosts[i]))
			return ph_fail_hint(experiment->env, PH_ERR_FORMAT,
								"Metric-dbs are named 1.APP-RANK-THREAD-HOST-PID-0.metric-db.",
								"%s: the file's name tells no rank and thread", dbs[i].path);
		if (!ph_utf8_valid(units->hosts[i], strlen(units->hosts[i])))
			units->hosts[i][0] = '\0';
		threaded |= units->threads[i] != 0;
	}
	for (size_t i = 0; i < n_dbs && !threaded; i++)
		units->threads[i] = PH_NO_NUMBER;
	return PH_OK;
}

/* Nothing says how many ranks there were, but those between others must have been. */
static PhStatus
check_ranks(PhHpcExperiment *experiment, const Units *units, size_t n_dbs)
{
	PhMap ranks;
	uint32_t *entry;
	int32_t most = 0;
	ph_map_init(&ranks, &experiment->arena);
	for (size_t i = 0; i < n_dbs; i++)
	{
		PH_TRY(ph_map_enter(&ranks, (uint64_t) units->ranks[i], 0, &entry));
		most = PH_MAX(units->ranks[i], most);
	}
	if (n_dbs < 2 || ranks.count > (uint32_t) most)
		return PH_OK;
	uint32_t missing = (uint32_t) most + 1 - ranks.count;
	ph_builder_set_missing_columns(experiment->builder, missing);
	return ph_run_missing(experiment->env, experiment->run, "%u of %u ranks have no metric-db",
						  missing, (uint32_t) most + 1);
}

static PhStatus
read_dbs(PhHpcExperiment *experiment, PhInput *dbs, size_t n_dbs)
{
	Units units;
	PH_TRY(name_units(experiment, dbs, n_dbs, &units));
	PH_TRY(check_ranks(experiment, &units, n_dbs));
	for (size_t i = 0; i < n_dbs; i++)
	{
		PhColumnSpec spec = {.kind = PH_COLUMN_UNIT,
							 .iteration = PH_NO_ITERATION,
							 .rank = units.ranks[i],
							 .thread = units.threads[i],
							 .host = units.hosts[i]};
		uint32_t column;
		PH_TRY(ph_builder_add_column(experiment->builder, &spec, &column));
		if (column != i)
			return ph_fail(experiment->env, PH_ERR_CONFLICT,
						   "%s: a second metric-db for rank %d, thread %d", dbs[i].path,
						   units.ranks[i], PH_MAX(0, units.threads[i]));
		PH_TRY(ph_hpc_read_db(experiment, &dbs[i], column));
	}
	return PH_OK;
}

static PhStatus
read_all(PhHpcExperiment *experiment, PhInput *xml, PhInput *dbs, size_t n_dbs)
{
	const PhReadOptions *options = experiment->options;
	const char *root = options != NULL ? options->source_root : NULL;
	PH_TRY(ph_paths_init(&experiment->paths, &experiment->arena, root));
	ph_map_init(&experiment->nodes, &experiment->arena);
	PH_TRY(ph_builder_new(experiment->env, &experiment->builder));
	PH_TRY(ph_hpc_read_xml(experiment, xml));
	if (n_dbs > 0)
		PH_TRY(read_dbs(experiment, dbs, n_dbs));
	else
	{
		const char *note = "no metric-db files: values are sums over all threads";
		PH_TRY(ph_builder_add_note(experiment->builder, note));
		PH_TRY(ph_run_warn(experiment->env, experiment->run, "%s: %s.", xml->path, note));
	}
	PH_TRY(ph_builder_finish(experiment->builder, &experiment->run->profile));
	return ph_paths_raw_regions(&experiment->paths, experiment->env, experiment->run);
}

PhStatus
ph_read_hpctoolkit(PhEnv *env, PhInput *xml, PhInput *dbs, size_t n_dbs,
				   const PhReadOptions *options, PhRunInput *out)
{
	*out = ph_run_input_new();
	void *memory;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhHpcExperiment), &memory));
	PhHpcExperiment *experiment = memory;
	experiment->env = env;
	experiment->options = options;
	experiment->run = out;
	experiment->use_db = n_dbs > 0;
	ph_arena_init(&experiment->arena, env);
	PhStatus status = read_all(experiment, xml, dbs, n_dbs);
	ph_builder_free(experiment->builder);
	ph_arena_drop(&experiment->arena);
	ph_env_free(env, experiment, 1, sizeof(PhHpcExperiment));
	if (status != PH_OK)
		ph_run_input_free(env, out);
	return status;
}

/* ---- files ---- */

static bool
detect_file(const char *path, const uint8_t *head, size_t size)
{
	(void) path;
	return memmem(head, size, "HPCToolkitExperiment", 20) != NULL &&
		   memmem(head, size, "<?xml", 5) != NULL;
}

static bool
detect_directory(const char *path)
{
	uint8_t head[4096];
	char *name = ph_format("%s/experiment.xml", path);
	ssize_t size = ph_file_head(name, head, sizeof(head));
	free(name);
	return size > 0 && detect_file(path, head, (size_t) size);
}

static int
consumed(const struct dirent *entry)
{
	return strcmp(entry->d_name, "experiment.xml") == 0 ||
		   ph_has_suffix(entry->d_name, ".metric-db");
}

static PhStatus
list_files(PhEnv *env, const char *path, PhExperiment *experiment)
{
	return ph_experiment_add_all(env, experiment, path, consumed);
}

/* Map all files: experiment.xml apart from the metric-dbs. */
static PhStatus
open_files(PhEnv *env, const PhExperiment *experiment, PhInput *xml, PhInput *dbs, size_t *n_dbs)
{
	for (size_t i = 0; i < experiment->n_files; i++)
	{
		bool is_db = ph_has_suffix(experiment->files[i], ".metric-db");
		PH_TRY(ph_input_open(env, experiment->files[i], is_db ? &dbs[*n_dbs] : xml));
		*n_dbs += is_db;
	}
	if (xml->data == NULL)
		return ph_fail(env, PH_ERR_NOT_FOUND, "%s: no experiment.xml", experiment->path);
	return PH_OK;
}

static PhStatus
read_experiment(PhEnv *env, const PhExperiment *experiment, const PhReadOptions *options,
				PhRunInput *out)
{
	PhInput xml = {0};
	size_t n_dbs = 0;
	void *memory;
	PH_TRY(ph_env_alloc(env, experiment->n_files + 1, sizeof(PhInput), &memory));
	PhInput *dbs = memory;
	PhStatus status = open_files(env, experiment, &xml, dbs, &n_dbs);
	if (status == PH_OK)
		status = ph_read_hpctoolkit(env, &xml, dbs, n_dbs, options, out);
	ph_input_close(&xml);
	for (size_t i = 0; i < n_dbs; i++)
		ph_input_close(&dbs[i]);
	ph_env_free(env, dbs, experiment->n_files + 1, sizeof(PhInput));
	return status;
}

const PhReader ph_reader_hpctoolkit = {
	.name = "hpctoolkit",
	.description = "HPCToolkit version 3 database (experiment.xml and metric-db files)",
	.mark = "XML with HPCToolkitExperiment; folders: such an experiment.xml in it",
	.detect_file = detect_file,
	.detect_directory = detect_directory,
	.list_files = list_files,
	.read = read_experiment,
};
