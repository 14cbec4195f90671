/*
 * write_nsight.c - records as Nsight Systems exports them (schema 3.13, the columns that matter).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "program.h"
#include "sqlite_file.h"

typedef struct Nsight
{
	Writer writer;
	sqlite3 *db;
	sqlite3_stmt *statements[7];
	int64_t process; /* globalPid; of its main thread globalTid is it and the number again */
	int64_t thread;
} Nsight;

enum
{
	RANGES,
	CALLS,
	KERNELS,
	COPIES,
	RECORDS,
	WAITS,
	COLLECTIVES,
	STATEMENTS
};

#define NCCL_DOMAIN 3
#define NCCL_SCHEMA 7

static const char *const names[NAME_COUNT] = {
	[NAME_STEP] = "step",
	[NAME_LAUNCH] = "cudaLaunchKernel_v7000",
	[NAME_COPY_ASYNC] = "cudaMemcpyAsync_v3020",
	[NAME_COPY] = "cudaMemcpy_v3020",
	[NAME_WAIT] = "cudaStreamSynchronize_v3020",
	[NAME_RECORD] = "cudaEventRecord_v3020",
	[NAME_STREAM_WAIT] = "cudaStreamWaitEvent_v3020",
	[NAME_COLLECTIVE] = "ncclAllReduce",
	[NAME_KERNEL] = "void gemm<float, 128>(float const*, float*)",
	[NAME_KERNEL + 1] = "void normalise<float>(float*, int)",
	[NAME_KERNEL + 2] = "void relu<float>(float*, int)",
	[NAME_KERNEL + 3] = "ampere_sgemm_128x64_tn",
	[NAME_REDUCE] =
		"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
};

static const char schema[] =
	"CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
	"CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);"
	"CREATE TABLE META_DATA_CAPTURE (name TEXT NOT NULL, value TEXT);"
	"CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);"
	"CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT NOT NULL, value TEXT NOT NULL);"
	"CREATE TABLE TARGET_INFO_GPU (id INTEGER NOT NULL, name TEXT);"
	"CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,"
	" text TEXT, globalTid INTEGER, textId INTEGER, domainId INTEGER,"
	" binaryData BLOB);"
	"CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId INTEGER, idx INTEGER,"
	" type INTEGER, name TEXT, offset INTEGER);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INTEGER NOT NULL,"
	" contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER,"
	" globalPid INTEGER, eventId INTEGER NOT NULL);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL,"
	" end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,"
	" streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"
	" syncType INTEGER NOT NULL, eventId INTEGER NOT NULL);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,"
	" eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER,"
	" nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,"
	" deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,"
	" streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"
	" demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,"
	" launchType INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL,"
	" gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL,"
	" blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL,"
	" dynamicSharedMemory INTEGER NOT NULL, graphNodeId INTEGER);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL,"
	" deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,"
	" streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"
	" bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER);";

static void
describe(Nsight *nsight, const Options *options, int rank)
{
	char *sql = sqlite3_mprintf(
		"INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2024.5.1.0');"
		"INSERT INTO META_DATA_CAPTURE VALUES"
		" ('PROCESS_0:ENVIRONMENT_VARIABLE', 'SLURM_JOB_ID=\"4711\"'),"
		" ('PROCESS_0:ENVIRONMENT_VARIABLE', 'SLURM_NTASKS=\"%d\"'),"
		" ('PROCESS_0:ENVIRONMENT_VARIABLE', 'SLURM_PROCID=\"%d\"');"
		"INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (%lld);"
		"INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', 'node%d');"
		"INSERT INTO TARGET_INFO_GPU VALUES (0, 'Synthetic');"
		"INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES"
		" (3, 7, 0, 11, 'Communicator ID', NULL), (3, 7, 1, 11, 'Message size [bytes]', 8);",
		options->n_ranks, rank, (long long) EPOCH, rank / 4);

	execute(nsight->db, sql);
	sqlite3_free(sql);
	for (int i = 0; i < NAME_COUNT; i++)
	{
		sql = sqlite3_mprintf("INSERT INTO StringIds VALUES (%d, %Q)", i + 1, names[i]);
		execute(nsight->db, sql);
		sqlite3_free(sql);
	}
}

static void
begin(Writer *writer, const char *path, const Options *options, int rank)
{
	Nsight *nsight = (Nsight *) writer;
	int64_t number = 1000 + rank;

	nsight->db = create_file(path);
	nsight->process = number << 24;
	nsight->thread = nsight->process | number;
	execute(nsight->db, schema);
	describe(nsight, options, rank);
	nsight->statements[RANGES] = prepare(nsight->db, "INSERT INTO NVTX_EVENTS (start, end,"
													 " eventType, globalTid, textId, domainId)"
													 " VALUES (?, ?, 59, ?, ?, 0)");
	nsight->statements[CALLS] = prepare(nsight->db, "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME"
													" VALUES (?, ?, 0, ?, ?, ?, 0, NULL)");
	nsight->statements[KERNELS] =
		prepare(nsight->db, "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, 1, NULL, ?,"
							" ?, ?, ?, ?, NULL, 1, 32, ?, 1, 1, ?, 1, 1, 0, 256, NULL)");
	nsight->statements[COPIES] =
		prepare(nsight->db, "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?, ?, 0, 1, NULL, ?,"
							" ?, ?, ?, ?, 1, 2)");
	nsight->statements[RECORDS] =
		prepare(nsight->db, "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 1, ?, ?, ?, ?)");
	nsight->statements[WAITS] =
		prepare(nsight->db, "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"
							" VALUES (?, ?, 0, 1, ?, ?, ?, 2, ?)");
	nsight->statements[COLLECTIVES] =
		prepare(nsight->db, "INSERT INTO NVTX_EVENTS (start, end, globalTid, binaryData, eventType,"
							" text, domainId) VALUES (?, ?, ?, ?, 59, 'ncclAllReduce', 3)");
}

static void
write_call(Writer *writer, const Call *call)
{
	Nsight *nsight = (Nsight *) writer;
	int64_t start = shown(writer, call->begin);
	int64_t stop = shown(writer, call->end);

	if (call->correlation == 0)
		INSERT(nsight->db, nsight->statements[RANGES], start, stop, nsight->thread, call->name + 1);
	else
		INSERT(nsight->db, nsight->statements[CALLS], start, stop, nsight->thread,
			   (int64_t) call->correlation, call->name + 1);
}

static void
write_activity(Writer *writer, const Activity *activity)
{
	Nsight *nsight = (Nsight *) writer;
	int64_t start = shown(writer, activity->begin);
	int64_t stop = shown(writer, activity->end);

	if (activity->kind == KERNEL)
		INSERT(nsight->db, nsight->statements[KERNELS], start, stop, activity->device,
			   activity->stream, (int64_t) activity->correlation, nsight->process,
			   activity->name + 1, activity->name + 1, GRID, BLOCK);
	else
		INSERT(nsight->db, nsight->statements[COPIES], start, stop, activity->stream,
			   (int64_t) activity->correlation, nsight->process, (int64_t) activity->bytes,
			   activity->kind == COPY_TO_DEVICE ? 1 : 2);
}

static void
write_wait(Writer *writer, const StreamWait *wait)
{
	Nsight *nsight = (Nsight *) writer;

	INSERT(nsight->db, nsight->statements[RECORDS], wait->recorded_on, (int64_t) wait->record,
		   nsight->process, wait->event);
	INSERT(nsight->db, nsight->statements[WAITS], shown(writer, wait->begin),
		   shown(writer, wait->end), wait->waiting, (int64_t) wait->wait, nsight->process,
		   wait->event);
}

/* A range with a payload: domain, schema, its size, where it begins; communicator, bytes. */
static void
write_collective(Writer *writer, const Collective *collective)
{
	Nsight *nsight = (Nsight *) writer;
	sqlite3_stmt *statement = nsight->statements[COLLECTIVES];
	const uint64_t payload[] = {NCCL_DOMAIN, NCCL_SCHEMA, 16, 32, collective->communicator,
								MESSAGE};

	must(nsight->db,
		 sqlite3_bind_blob(statement, 4, payload, (int) sizeof(payload), SQLITE_TRANSIENT));
	INSERT(nsight->db, statement, shown(writer, collective->begin), shown(writer, collective->end),
		   nsight->thread);
}

static void
end(Writer *writer)
{
	Nsight *nsight = (Nsight *) writer;

	close_file(nsight->db, nsight->statements, STATEMENTS);
}

Writer *
nsight_writer(void)
{
	static Nsight nsight = {.writer = {.begin = begin,
									   .call = write_call,
									   .activity = write_activity,
									   .wait = write_wait,
									   .collective = write_collective,
									   .end = end}};

	return &nsight.writer;
}
