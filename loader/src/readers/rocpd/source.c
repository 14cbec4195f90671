/*
 * source.c - databases of ROCm's profilers (rocprofv3, rocprof-sys) as event traces.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "readers/rocpd/rocpd.h"
#include "readers/source.h"

static const char mark[] = "rocpd_metadata";

/* The list of tables is on the first page, unless it is long. */
static bool
detect(const char *path, const uint8_t *bytes, size_t size)
{
	return ph_is_sqlite(bytes, size) &&
		   (memmem(bytes, size, mark, sizeof(mark) - 1) != NULL || ph_sqlite_path_has(path, mark));
}

static void
end_set(PhRocpd *rocpd)
{
	for (int i = 0; i < PH_ROCPD_TABLES; i++)
		PH_VECTOR_FREE(rocpd->env, &rocpd->ids[i].values);
	PH_VECTOR_FREE(rocpd->env, &rocpd->texts);
	PH_VECTOR_FREE(rocpd->env, &rocpd->processes);
	PH_VECTOR_FREE(rocpd->env, &rocpd->arguments);
	ph_arena_drop(&rocpd->row);
	ph_arena_drop(&rocpd->arena);
}

static PhStatus
begin_set(PhRocpd *rocpd)
{
	ph_arena_init(&rocpd->arena, rocpd->env);
	ph_arena_init(&rocpd->row, rocpd->env);
	ph_map_init(&rocpd->arguments_of, &rocpd->arena);
	ph_map_init(&rocpd->communicators, &rocpd->arena);
	ph_map_init(&rocpd->n_communicators, &rocpd->arena);
	ph_map_init(&rocpd->ids_of_communicators, &rocpd->arena);
	ph_map_init(&rocpd->n_ids, &rocpd->arena);
	ph_map_init(&rocpd->stream_of_stack, &rocpd->arena);
	ph_map_init(&rocpd->track_of_stream, &rocpd->arena);
	return ph_strings_init(&rocpd->handles, &rocpd->arena);
}

/* The tables whose names end so. */
static PhStatus
read_set(PhRankFiles *files, PhSqlite *db, const char *suffix)
{
	PhRocpd rocpd = {.env = files->env, .db = db, .files = files, .suffix = suffix};

	PhStatus status = begin_set(&rocpd);

	if (status == PH_OK)
		status = ph_rocpd_read_names(&rocpd);
	if (status == PH_OK && !files->only_times)
		status = ph_rocpd_read_arguments(&rocpd);
	if (status == PH_OK)
		status = ph_rocpd_read_spans(&rocpd);
	end_set(&rocpd);
	return status;
}

static PhStatus
read_rank(PhRankFiles *files, PhInput *input)
{
	PhSqlite *db;
	const char *table;
	uint32_t next = 0;
	PhStatus status = PH_OK;

	PH_TRY(ph_sqlite_open(files->env, input, &db));
	while (status == PH_OK && (table = ph_sqlite_next_table(db, mark, &next)) != NULL)
		status = read_set(files, db, table + sizeof(mark) - 1);
	ph_sqlite_close(db);
	return status;
}

static PhStatus
read_file(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	return ph_rank_files_read(env, input, NULL, options, read_rank, out);
}

static PhStatus
read_experiment(PhEnv *env, const PhExperiment *experiment, const PhReadOptions *options,
				PhRunInput *out)
{
	return ph_rank_files_read(env, NULL, experiment, options, read_rank, out);
}

static PhStatus
find_job(PhArena *arena, const char *path, PhFileJob *out)
{
	return ph_rank_files_job(arena, path, read_rank, out);
}

const PhReader ph_reader_rocpd = {
	.name = "rocpd",
	.description = "rocpd databases of ROCm's profilers (rocprofv3, rocprof-sys)",
	.mark = "SQLite with tables rocpd_*",
	.proof = "has as many pages as it says",
	.detect_file = detect,
	.read = read_experiment,
	.read_file = read_file,
	.find_job = find_job,
};
