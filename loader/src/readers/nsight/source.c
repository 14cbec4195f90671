/*
 * source.c - exports of Nsight Systems (nsys export --type sqlite) as event traces.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
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
	PhEnv env;
	PhInput input;
	PhSqlite *db;
	bool found = false;

	ph_env_init_malloc(&env);
	if (ph_input_open(&env, path, &input) != PH_OK)
		return false;
	if (ph_sqlite_open(&env, &input, &db) == PH_OK)
	{
		found =
			ph_sqlite_has_table(db, "StringIds") && (ph_sqlite_has_table(db, "EXPORT_META_DATA") ||
													 ph_sqlite_has_table(db, "META_DATA_EXPORT"));
		ph_sqlite_close(db);
	}
	ph_input_close(&input);
	return found;
}

static bool
detect(const char *path, const uint8_t *bytes, size_t size)
{
	return ph_is_sqlite(bytes, size) && (has_mark(bytes, size) || has_tables(path));
}

static PhStatus
start(PhNsight *nsight)
{
	ph_map_init(&nsight->strings, &nsight->arena);
	ph_map_init(&nsight->thread_names, &nsight->arena);
	ph_map_init(&nsight->ranks, &nsight->arena);
	ph_map_init(&nsight->pids, &nsight->arena);
	ph_map_init(&nsight->domains, &nsight->arena);
	ph_map_init(&nsight->calls, &nsight->arena);
	return ph_span_trace_new(nsight->env, &nsight->trace);
}

static PhStatus
warn(PhNsight *nsight, const PhSpanCounts *counts)
{
	PhEnv *env = nsight->env;

	if (nsight->n_odd > 0)
		PH_TRY(ph_run_warn(env, nsight->run,
						   "%" PRIu64 " rows end before they begin and are left out.",
						   nsight->n_odd));
	if (counts->crossing > 0)
		PH_TRY(ph_run_warn(env, nsight->run,
						   "%" PRIu64 " of %" PRIu64 " calls cross the ends of others of their "
						   "thread; they are in timelines of their own.",
						   counts->crossing, counts->calls));
	return PH_OK;
}

static PhStatus
finish(PhNsight *nsight)
{
	PhSpanCounts counts;
	PhStatus status =
		ph_span_trace_finish(nsight->trace, nsight->epoch, &counts, &nsight->run->trace);

	if (status == PH_ERR_VALUE)
		return ph_fail(nsight->env, PH_ERR_VALUE,
					   "%s: has no calls of threads and no activities of devices", nsight->path);
	PH_TRY(status);
	nsight->trace = NULL;
	return warn(nsight, &counts);
}

static PhStatus
read_all(PhNsight *nsight)
{
	PH_TRY(start(nsight));
	PH_TRY(ph_nsight_read_names(nsight));
	PH_TRY(ph_nsight_read_host(nsight));
	PH_TRY(ph_nsight_read_device(nsight));
	return finish(nsight);
}

static PhStatus
read_file(PhEnv *env, struct PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	PhRunInput run = ph_run_input_new();
	PhNsight nsight = {
		.env = env, .run = &run, .path = input->path, .rank = PH_NO_NUMBER, .epoch = PH_NO_TIME};

	PH_TRY(ph_sqlite_open(env, input, &nsight.db));
	ph_arena_init(&nsight.arena, env);
	ph_arena_init(&nsight.row, env);
	PhStatus status = read_all(&nsight);

	PH_VECTOR_FREE(env, &nsight.taken);
	ph_span_trace_free(nsight.trace);
	ph_sqlite_close(nsight.db);
	ph_arena_drop(&nsight.row);
	ph_arena_drop(&nsight.arena);
	ph_input_passed(input, input->size, options);
	if (status == PH_OK)
		*out = run;
	else
		ph_run_input_free(env, &run);
	return status;
}

const PhReader ph_reader_nsight = {
	.name = "nsight",
	.description = "Nsight Systems exports (nsys export --type sqlite)",
	.proof = "has as many pages as it says",
	.detect_file = detect,
	.read_file = read_file,
};
