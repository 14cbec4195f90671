/*
 * source.c - exports of Nsight Systems (nsys export --type sqlite) as event traces.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "readers/nsight/nsight.h"
#include "readers/source.h"

static bool
has_mark(const uint8_t *head, size_t size)
{
	return memmem(head, size, "CUPTI_ACTIVITY_KIND", 19) != NULL ||
		   memmem(head, size, "TARGET_INFO_", 12) != NULL ||
		   memmem(head, size, "NVTX_EVENTS", 11) != NULL;
}

/* The list of tables is on the first page, unless it is long. */
static bool
has_tables(const char *path)
{
	return ph_sqlite_path_has(path, "StringIds") && (ph_sqlite_path_has(path, "EXPORT_META_DATA") ||
													 ph_sqlite_path_has(path, "META_DATA_EXPORT"));
}

static bool
detect(const char *path, const uint8_t *bytes, size_t size)
{
	return ph_is_sqlite(bytes, size) && (has_mark(bytes, size) || has_tables(path));
}

static void
start(PhNsight *nsight)
{
	ph_arena_init(&nsight->arena, nsight->env);
	ph_arena_init(&nsight->row, nsight->env);
	ph_map_init(&nsight->strings, &nsight->arena);
	ph_map_init(&nsight->thread_names, &nsight->arena);
	ph_map_init(&nsight->ranks, &nsight->arena);
	ph_map_init(&nsight->pids, &nsight->arena);
	ph_map_init(&nsight->domains, &nsight->arena);
	ph_map_init(&nsight->calls, &nsight->arena);
	ph_map_init(&nsight->communicator_at, &nsight->arena);
	ph_map_init(&nsight->bytes_at, &nsight->arena);
	ph_map_init(&nsight->regions, &nsight->arena);
}

static PhStatus
read_all(PhNsight *nsight)
{
	PH_TRY(ph_nsight_read_names(nsight));
	ph_rank_files_epoch(nsight->files, nsight->epoch);
	PH_TRY(ph_nsight_read_layouts(nsight));
	PH_TRY(ph_nsight_read_host(nsight));
	PH_TRY(ph_nsight_read_device(nsight));
	return nsight->files->only_times ? PH_OK : ph_nsight_read_waits(nsight);
}

static PhStatus
read_rank(PhRankFiles *files, PhInput *input)
{
	PhNsight nsight = {.env = files->env,
					   .files = files,
					   .run = files->run,
					   .trace = files->trace,
					   .epoch = PH_NO_TIME};

	PH_TRY(ph_sqlite_open(files->env, input, &nsight.db));
	start(&nsight);
	PhStatus status = read_all(&nsight);

	ph_sqlite_close(nsight.db);
	ph_arena_drop(&nsight.row);
	ph_arena_drop(&nsight.arena);
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

const PhReader ph_reader_nsight = {
	.name = "nsight",
	.description = "Nsight Systems exports (nsys export --type sqlite)",
	.mark = "SQLite with tables of Nsight Systems",
	.proof = "has as many pages as it says",
	.detect_file = detect,
	.read = read_experiment,
	.read_file = read_file,
	.find_job = find_job,
};
