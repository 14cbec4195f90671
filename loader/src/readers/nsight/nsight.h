/*
 * nsight.h - an export of Nsight Systems on its way into a trace; private to the reader.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_NSIGHT_NSIGHT_H
#define PH_READERS_NSIGHT_NSIGHT_H

#include "base/table.h"
#include "readers/spans/rank_files.h"
#include "readers/sqlite.h"

/* A process that has calls or activities. */
typedef struct PhNsightProcess
{
	uint32_t pid;
	uint32_t process; /* of the span trace */
} PhNsightProcess;

typedef struct PhNsight
{
	PhEnv *env;
	PhSqlite *db;
	PhRankFiles *files;
	PhRunInput *run;
	PhSpanTrace *trace;
	PhArena arena; /* of all of it */
	PhArena row;   /* of a row */
	PhMap strings; /* StringIds.id to index */
	uint32_t n_strings, string_room;
	const char **text;
	PhMap thread_names; /* globalTid to string */
	PhMap ranks;		/* process id to rank, where a table says it */
	PhMap pids;			/* process id to index */
	uint32_t n_processes, process_room;
	PhNsightProcess *processes;
	PhMap regions;					 /* by kind of row and StringIds.id */
	const char *host;				 /* NULL: unknown */
	int64_t epoch;					 /* of time 0; PH_NO_TIME */
	PhMap communicator_at, bytes_at; /* by domain and schema of payloads: where in them it is */
	PhMap domains, calls;			 /* NVTX's (thread's process, domain) to string; see host.c */
} PhNsight;

/* ---- names.c: what rows refer to ---- */

/* Texts, hosts, environment, names of threads, ranks: before anything else. */
PhStatus ph_nsight_read_names(PhNsight *nsight) PH_MUST_CHECK;

/* The text of a number, NULL: it has none. */
PhStatus ph_nsight_string(PhNsight *nsight, int64_t id, const char **out) PH_MUST_CHECK;

/* The region of rows of one kind and name, where it is remembered; *known is PH_NONE, to be set, at
 * the first of them. kind: below 16. */
PhStatus ph_nsight_region(PhNsight *nsight, uint32_t kind, int64_t id,
						  uint32_t **known) PH_MUST_CHECK;

/* Tracks of rows: globalTid, or a stream of globalPid. */
PhStatus ph_nsight_thread(PhNsight *nsight, int64_t global, uint32_t *out) PH_MUST_CHECK;
PhStatus ph_nsight_stream(PhNsight *nsight, int64_t global, PhDeviceStream stream,
						  uint32_t *out) PH_MUST_CHECK;

/* Bits of globalTid: hardware 8, virtual machine 8, process 24, thread 24. */
static inline uint32_t
ph_nsight_pid(int64_t global)
{
	return (uint32_t) ((uint64_t) global >> 24) & 0xffffff;
}

static inline uint32_t
ph_nsight_tid(int64_t global)
{
	return (uint32_t) ((uint64_t) global & 0xffffff);
}

/* Add a row's span. */
PhStatus ph_nsight_add(PhNsight *nsight, const PhSqliteRows *rows,
					   const PhTraceSpan *span) PH_MUST_CHECK;

/* ---- host.c, device.c, nccl.c, waits.c ---- */

/* Layouts of payloads of NCCL's ranges: before the ranges. */
PhStatus ph_nsight_read_layouts(PhNsight *nsight) PH_MUST_CHECK;

/* A range of NVTX that may be of a collective, with its payload. */
PhStatus ph_nsight_note_collective(PhNsight *nsight, const char *name, const PhTraceSpan *span,
								   const uint8_t *payload, size_t size) PH_MUST_CHECK;
PhStatus ph_nsight_read_waits(PhNsight *nsight) PH_MUST_CHECK;
PhStatus ph_nsight_read_host(PhNsight *nsight) PH_MUST_CHECK;
PhStatus ph_nsight_read_device(PhNsight *nsight) PH_MUST_CHECK;

#endif
