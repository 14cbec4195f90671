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

/* ---- texts ---- */

static PhStatus
add_string(void *user, PhSqliteRows *rows)
{
	PhNsight *nsight = user;
	uint32_t *index;

	PH_TRY(PH_GROW(&nsight->arena, &nsight->text, nsight->n_strings, &nsight->string_room));
	PH_TRY(ph_map_enter(&nsight->strings, (uint64_t) ph_sqlite_int(rows, 0), nsight->n_strings,
						&index));
	PH_TRY(ph_sqlite_text(rows, &nsight->arena, 1, &nsight->text[*index]));
	nsight->n_strings += *index == nsight->n_strings;
	return PH_OK;
}

PhStatus
ph_nsight_string(PhNsight *nsight, int64_t id, const char **out)
{
	uint32_t *index;

	PH_TRY(ph_map_enter(&nsight->strings, (uint64_t) id, PH_NONE, &index));
	*out = *index == PH_NONE ? NULL : nsight->text[*index];
	return PH_OK;
}

PhStatus
ph_nsight_region(PhNsight *nsight, uint32_t kind, int64_t id, uint32_t **known)
{
	return ph_map_enter(&nsight->regions, (uint64_t) id << 4 | kind, PH_NONE, known);
}

/* ---- ranks ---- */

static PhStatus
note_rank(PhNsight *nsight, int64_t global, int64_t rank)
{
	uint32_t *known;

	if (rank < 0 || rank >= PH_SPAN_MOST_RANKS)
		return PH_OK;
	return ph_map_enter(&nsight->ranks, ph_nsight_pid(global), (uint32_t) rank, &known);
}

static PhStatus
read_mpi_rank(void *user, PhSqliteRows *rows)
{
	PhNsight *nsight = user;
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
read_thread_name(void *user, PhSqliteRows *rows)
{
	PhNsight *nsight = user;
	const char *name;

	PH_TRY(ph_nsight_string(nsight, ph_sqlite_int(rows, 0), &name));
	return name_thread(nsight, ph_sqlite_int(rows, 1), name);
}

static PhStatus
read_nvtx_name(void *user, PhSqliteRows *rows)
{
	PhNsight *nsight = user;
	const char *name;

	if (ph_sqlite_int(rows, 0) != NVTX_THREAD_NAME)
		return PH_OK;
	PH_TRY(ph_sqlite_text(rows, &nsight->arena, 1, &name));
	if (name == NULL)
		PH_TRY(ph_nsight_string(nsight, ph_sqlite_int(rows, 2), &name));
	return name_thread(nsight, ph_sqlite_int(rows, 3), name);
}

/* ---- the environment ---- */

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
		PH_TRY(ph_rank_files_variable(nsight->files, &nsight->files->job, item, value));
	}
	return PH_OK;
}

static PhStatus
read_system(void *user, PhSqliteRows *rows)
{
	PhNsight *nsight = user;
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
read_capture(void *user, PhSqliteRows *rows)
{
	PhNsight *nsight = user;
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
	return ph_rank_files_variable(nsight->files, &nsight->files->job, variable, content);
}

static PhStatus
read_gpu(void *user, PhSqliteRows *rows)
{
	PhNsight *nsight = user;
	const char *name;

	PH_TRY(ph_sqlite_text(rows, &nsight->row, 0, &name));
	return name == NULL ? PH_OK : ph_meta_set(nsight->env, &nsight->run->meta, "gpu", name, false);
}

static PhStatus
read_version(void *user, PhSqliteRows *rows)
{
	PhNsight *nsight = user;
	const char *name;
	const char *value;

	PH_TRY(ph_sqlite_text(rows, &nsight->row, 0, &name));
	PH_TRY(ph_sqlite_text(rows, &nsight->row, 1, &value));
	if (name == NULL || value == NULL || strcmp(name, "EXPORT_PRODUCT_VERSION") != 0)
		return PH_OK;
	return ph_meta_set(nsight->env, &nsight->run->meta, "nsight.version", value, false);
}

static PhStatus
read_epoch(void *user, PhSqliteRows *rows)
{
	PhNsight *nsight = user;
	if (ph_sqlite_has(rows, 0) && ph_sqlite_int(rows, 0) > 0)
		nsight->epoch = ph_sqlite_int(rows, 0);
	return PH_OK;
}

#define READ(table, read, ...)                                                                     \
	do                                                                                             \
	{                                                                                              \
		static const char *const columns[] = {__VA_ARGS__};                                        \
		PH_TRY(ph_sqlite_each(nsight->db, table, columns, sizeof(columns) / sizeof(columns[0]),    \
							  &nsight->row, read, nsight));                                        \
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

static PhStatus
find_process(PhNsight *nsight, int64_t global, uint32_t *out)
{
	uint32_t pid = ph_nsight_pid(global);
	uint32_t *index;
	uint32_t *rank;

	PH_TRY(PH_GROW(&nsight->arena, &nsight->processes, nsight->n_processes, &nsight->process_room));
	PH_TRY(ph_map_enter(&nsight->pids, pid, nsight->n_processes, &index));
	if (*index == nsight->n_processes)
	{
		PhNsightProcess *made = &nsight->processes[*index];

		PH_TRY(ph_map_enter(&nsight->ranks, pid, PH_NONE, &rank));
		*made = (PhNsightProcess){.pid = pid};
		PH_TRY(ph_rank_files_process(nsight->files, *rank, nsight->host, &made->process));
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
	PhStatus status = ph_rank_files_add(nsight->files, span);

	return status == PH_ERR_VALUE ? ph_sqlite_fail(rows, "its time is impossible") : status;
}
