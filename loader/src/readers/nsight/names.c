/*
 * names.c - texts, processes, threads and ranks of an Nsight Systems export.
 *
 * A process's rank is what a table of MPI says, else the name of its main thread ("MPI Rank 3"),
 * else, of an export of one process, the environment, else a number at the end of the file's name;
 * else the first that is free.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers/nsight/nsight.h"

#define NVTX_THREAD_NAME 39
#define MOST_RANK (INT32_MAX / 4)

/* ---- texts ---- */

static PhStatus
add_string(PhNsight *nsight, PhSqliteRows *rows)
{
	uint32_t *index;

	PH_TRY(PH_GROW(&nsight->arena, &nsight->text, nsight->n_strings, &nsight->string_room));
	PH_TRY(ph_map_enter(&nsight->strings, (uint64_t) ph_sqlite_int(rows, 0), nsight->n_strings,
						&index));
	PH_TRY(ph_sqlite_text(rows, &nsight->arena, 1, &nsight->text[*index]));
	nsight->n_strings += *index == nsight->n_strings;
	return PH_OK;
}

/* Calls read on each row of a table; a row's arena ends with it. */
typedef PhStatus (*RowFunction)(PhNsight *nsight, PhSqliteRows *rows);

static PhStatus
read_table(PhNsight *nsight, const char *table, const char *const *columns, uint32_t n,
		   RowFunction read)
{
	PhSqliteRows rows;
	bool more = false;

	PH_TRY(ph_sqlite_rows(nsight->db, table, columns, n, &rows));
	PhStatus status = ph_sqlite_next(&rows, &more);

	while (status == PH_OK && more)
	{
		status = read(nsight, &rows);
		ph_arena_drop(&nsight->row);
		if (status == PH_OK)
			status = ph_sqlite_next(&rows, &more);
	}
	ph_sqlite_end(&rows);
	return status;
}

PhStatus
ph_nsight_string(PhNsight *nsight, int64_t id, const char **out)
{
	uint32_t *index;

	PH_TRY(ph_map_enter(&nsight->strings, (uint64_t) id, PH_NONE, &index));
	*out = *index == PH_NONE ? NULL : nsight->text[*index];
	return PH_OK;
}

/* ---- ranks ---- */

static PhStatus
note_rank(PhNsight *nsight, int64_t global, int64_t rank)
{
	uint32_t *known;

	if (rank < 0 || rank > MOST_RANK)
		return PH_OK;
	return ph_map_enter(&nsight->ranks, ph_nsight_pid(global), (uint32_t) rank, &known);
}

static PhStatus
read_mpi_rank(PhNsight *nsight, PhSqliteRows *rows)
{
	return ph_sqlite_has(rows, 1)
			   ? note_rank(nsight, ph_sqlite_int(rows, 0), ph_sqlite_int(rows, 1))
			   : PH_OK;
}

/* "MPI Rank 3" names a process's rank, too. */
static PhStatus
name_thread(PhNsight *nsight, int64_t global, const char *name)
{
	static const char mark[] = "MPI Rank ";
	uint32_t *index;

	if (name == NULL)
		return PH_OK;
	PH_TRY(PH_GROW(&nsight->arena, &nsight->text, nsight->n_strings, &nsight->string_room));
	PH_TRY(ph_map_enter(&nsight->thread_names, (uint64_t) global, nsight->n_strings, &index));
	if (*index == nsight->n_strings)
		nsight->text[nsight->n_strings++] = name;
	if (strncmp(name, mark, sizeof(mark) - 1) != 0)
		return PH_OK;
	return note_rank(nsight, global, strtol(name + sizeof(mark) - 1, NULL, 10));
}

static PhStatus
read_thread_name(PhNsight *nsight, PhSqliteRows *rows)
{
	const char *name;

	PH_TRY(ph_nsight_string(nsight, ph_sqlite_int(rows, 0), &name));
	return name_thread(nsight, ph_sqlite_int(rows, 1), name);
}

static PhStatus
read_nvtx_name(PhNsight *nsight, PhSqliteRows *rows)
{
	const char *name;

	if (ph_sqlite_int(rows, 0) != NVTX_THREAD_NAME)
		return PH_OK;
	PH_TRY(ph_sqlite_text(rows, &nsight->arena, 1, &name));
	if (name == NULL)
		PH_TRY(ph_nsight_string(nsight, ph_sqlite_int(rows, 2), &name));
	return name_thread(nsight, ph_sqlite_int(rows, 3), name);
}

/* ---- the environment ---- */

static PhStatus
keep_variable(PhNsight *nsight, const char *name, const char *value)
{
	static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
										"MV2_COMM_WORLD_RANK", "SLURM_PROCID"};
	static const char *const kept[][2] = {{"SLURM_JOB_ID", "slurm_job_id"},
										  {"PBS_JOBID", "pbs_job_id"},
										  {"SLURM_NTASKS", "nsight.tasks"}};
	int64_t rank;

	for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
		if (strcmp(name, ranks[i]) == 0 && nsight->rank == PH_NO_NUMBER &&
			ph_parse_int64(value, strlen(value), &rank) && rank >= 0 && rank <= MOST_RANK)
			nsight->rank = (int32_t) rank;
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (strcmp(name, kept[i][0]) == 0)
			return ph_meta_set(nsight->env, &nsight->run->meta, kept[i][1], value, false);
	return PH_OK;
}

/* NAME=VALUE parted by NUL (made semicolons) or semicolons. */
static PhStatus
read_variables(PhNsight *nsight, char *text)
{
	char *rest = NULL;

	for (char *item = strtok_r(text, ";", &rest); item != NULL; item = strtok_r(NULL, ";", &rest))
	{
		char *value = strchr(item, '=');

		if (value == NULL)
			continue;
		*value++ = '\0';
		PH_TRY(keep_variable(nsight, item, value));
	}
	return PH_OK;
}

static PhStatus
read_system(PhNsight *nsight, PhSqliteRows *rows)
{
	const char *name;
	const char *value;
	char *copy;

	PH_TRY(ph_sqlite_text(rows, &nsight->row, 0, &name));
	PH_TRY(ph_sqlite_text(rows, &nsight->row, 1, &value));
	if (name == NULL || value == NULL)
		return PH_OK;
	PH_TRY(ph_arena_strndup(&nsight->arena, value, strlen(value), &copy));
	if (strcmp(name, "Hostname") == 0)
		nsight->host = copy;
	return strcmp(name, "DeviceEnvironment") == 0 ? read_variables(nsight, copy) : PH_OK;
}

/* Newer exports: a row a variable, NAME="VALUE". */
static PhStatus
read_capture(PhNsight *nsight, PhSqliteRows *rows)
{
	const char *name;
	const char *value;

	PH_TRY(ph_sqlite_text(rows, &nsight->row, 0, &name));
	PH_TRY(ph_sqlite_text(rows, &nsight->row, 1, &value));
	const char *equals = value == NULL ? NULL : strchr(value, '=');

	if (name == NULL || strcmp(name, "PROCESS_0:ENVIRONMENT_VARIABLE") != 0 || equals == NULL)
		return PH_OK;
	size_t skip = equals[1] == '"';
	size_t length = strlen(equals + 1 + skip);
	char *variable;
	char *content;

	length -= skip > 0 && length > 0;
	PH_TRY(ph_arena_strndup(&nsight->row, value, (size_t) (equals - value), &variable));
	PH_TRY(ph_arena_strndup(&nsight->row, equals + 1 + skip, length, &content));
	return keep_variable(nsight, variable, content);
}

static PhStatus
read_gpu(PhNsight *nsight, PhSqliteRows *rows)
{
	const char *name;

	PH_TRY(ph_sqlite_text(rows, &nsight->row, 0, &name));
	return name == NULL ? PH_OK : ph_meta_set(nsight->env, &nsight->run->meta, "gpu", name, false);
}

static PhStatus
read_version(PhNsight *nsight, PhSqliteRows *rows)
{
	const char *name;
	const char *value;

	PH_TRY(ph_sqlite_text(rows, &nsight->row, 0, &name));
	PH_TRY(ph_sqlite_text(rows, &nsight->row, 1, &value));
	if (name == NULL || value == NULL || strcmp(name, "EXPORT_PRODUCT_VERSION") != 0)
		return PH_OK;
	return ph_meta_set(nsight->env, &nsight->run->meta, "nsight.version", value, false);
}

static PhStatus
read_epoch(PhNsight *nsight, PhSqliteRows *rows)
{
	if (ph_sqlite_has(rows, 0) && ph_sqlite_int(rows, 0) > 0)
		nsight->epoch = ph_sqlite_int(rows, 0);
	return PH_OK;
}

#define READ(table, read, ...)                                                                     \
	do                                                                                             \
	{                                                                                              \
		static const char *const columns[] = {__VA_ARGS__};                                        \
		PH_TRY(read_table(nsight, table, columns, sizeof(columns) / sizeof(columns[0]), read));    \
	} while (0)

PhStatus
ph_nsight_read_names(PhNsight *nsight)
{
	READ("StringIds", add_string, "id", "value");
	READ("TARGET_INFO_SYSTEM_ENV", read_system, "name", "value");
	READ("META_DATA_CAPTURE", read_capture, "name", "value");
	READ("META_DATA_EXPORT", read_version, "name", "value");
	READ("EXPORT_META_DATA", read_version, "name", "value");
	READ("TARGET_INFO_SESSION_START_TIME", read_epoch, "utcEpochNs");
	READ("TARGET_INFO_GPU", read_gpu, "name");
	READ("MPI_RANKS", read_mpi_rank, "globalTid", "rank");
	READ("ThreadNames", read_thread_name, "nameId", "globalTid");
	READ("NVTX_EVENTS", read_nvtx_name, "eventType", "text", "textId", "globalTid");
	return PH_OK;
}

/* ---- tracks ---- */

static bool
is_taken(const PhNsight *nsight, uint32_t rank)
{
	for (uint32_t i = 0; i < nsight->taken.count; i++)
		if (nsight->taken.items[i] == rank)
			return true;
	return false;
}

/* The number that the file's name ends with, before its first dot: "rank-3.sqlite". */
static int32_t
rank_of_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash == NULL ? path : slash + 1;
	size_t end = strcspn(name, ".");
	size_t start = end;
	int64_t rank;

	while (start > 0 && name[start - 1] >= '0' && name[start - 1] <= '9')
		start--;
	if (!ph_parse_int64(name + start, end - start, &rank) || rank > MOST_RANK)
		return PH_NO_NUMBER;
	return (int32_t) rank;
}

static PhStatus
choose_rank(PhNsight *nsight, uint32_t pid, uint32_t *out)
{
	uint32_t *known;
	uint32_t rank = PH_NONE;

	PH_TRY(ph_map_enter(&nsight->ranks, pid, PH_NONE, &known));
	rank = *known;
	if (rank == PH_NONE && nsight->n_processes == 0 && nsight->rank >= 0)
		rank = (uint32_t) nsight->rank;
	if (rank == PH_NONE && nsight->n_processes == 0 && rank_of_name(nsight->path) >= 0)
		rank = (uint32_t) rank_of_name(nsight->path);
	if (rank == PH_NONE || is_taken(nsight, rank))
		for (rank = 0; is_taken(nsight, rank);)
			rank++;
	*out = rank;
	return ph_indices_add(nsight->env, &nsight->taken, rank);
}

static PhStatus
find_process(PhNsight *nsight, int64_t global, uint32_t *out)
{
	uint32_t pid = ph_nsight_pid(global);
	uint32_t *index;
	uint32_t rank;

	PH_TRY(PH_GROW(&nsight->arena, &nsight->processes, nsight->n_processes, &nsight->process_room));
	PH_TRY(ph_map_enter(&nsight->pids, pid, nsight->n_processes, &index));
	if (*index == nsight->n_processes)
	{
		PhNsightProcess *made = &nsight->processes[*index];

		PH_TRY(choose_rank(nsight, pid, &rank));
		*made = (PhNsightProcess){.pid = pid};
		PH_TRY(ph_span_trace_process(nsight->trace, (int32_t) rank, nsight->host, &made->process));
		nsight->n_processes++;
	}
	*out = nsight->processes[*index].process;
	return PH_OK;
}

/* The main thread comes first. */
PhStatus
ph_nsight_thread(PhNsight *nsight, int64_t global, uint32_t *out)
{
	uint32_t process;
	uint32_t *name;
	uint32_t tid = ph_nsight_tid(global);

	PH_TRY(find_process(nsight, global, &process));
	PH_TRY(ph_map_enter(&nsight->thread_names, (uint64_t) global, PH_NONE, &name));
	return ph_span_trace_thread(nsight->trace, process, tid == ph_nsight_pid(global) ? 0 : tid,
								*name == PH_NONE ? NULL : nsight->text[*name], out);
}

PhStatus
ph_nsight_stream(PhNsight *nsight, int64_t global, PhDeviceStream stream, uint32_t *out)
{
	uint32_t process;

	PH_TRY(find_process(nsight, global, &process));
	return ph_span_trace_stream(nsight->trace, process, stream, NULL, out);
}

PhStatus
ph_nsight_add(PhNsight *nsight, const PhSqliteRows *rows, const PhTraceSpan *span)
{
	if (span->end < span->start)
	{
		nsight->n_odd++;
		return PH_OK;
	}
	nsight->n_open += span->end == PH_SPAN_OPEN;
	PhStatus status = ph_span_trace_add(nsight->trace, span);

	return status == PH_ERR_VALUE ? ph_sqlite_fail(rows, "its time is impossible") : status;
}
