/*
 * write_rocpd.c - records as ROCm's profilers write them (rocpd, schema 3: the tables and columns
 * that matter), by their schema alone.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "program.h"
#include "sqlite_file.h"

#define SUFFIX "_0000a7b2_1c3d_7e4f_8a9b_0c1d2e3f4a5b"
#define GUID "0000a7b2-1c3d-7e4f-8a9b-0c1d2e3f4a5b"
#define HOST_TIME INT64_C(900000000000) /* ns since the machine began, of time 0 */

typedef struct Rocpd
{
	Writer writer;
	sqlite3 *db;
	sqlite3_stmt *statements[5];
	bool has_arguments;
	int64_t pid, n_events;
} Rocpd;

enum
{
	EVENTS,
	CALLS,
	KERNELS,
	COPIES,
	ARGUMENTS,
	STATEMENTS
};

/* Of rocpd_string, by id - 1; categories and directions behind the names. */
static const char *const names[] = {
	[NAME_STEP] = "step",
	[NAME_LAUNCH] = "hipLaunchKernel",
	[NAME_COPY_ASYNC] = "hipMemcpyAsync",
	[NAME_COPY] = "hipMemcpy",
	[NAME_WAIT] = "hipStreamSynchronize",
	[NAME_RECORD] = "hipEventRecord",
	[NAME_STREAM_WAIT] = "hipStreamWaitEvent",
	[NAME_COLLECTIVE] = "ncclAllReduce",
	[NAME_KERNEL] = "void gemm<float, 128>(float const*, float*)",
	[NAME_KERNEL + 1] = "void normalise<float>(float*, int)",
	[NAME_KERNEL + 2] = "void relu<float>(float*, int)",
	[NAME_KERNEL + 3] = "Cijk_Ailk_Bljk_SB_MT64x64x16",
	[NAME_REDUCE] = "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)",
	[NAME_COUNT] = "MARKER_CORE_API",
	[NAME_COUNT + 1] = "HIP_RUNTIME_API",
	[NAME_COUNT + 2] = "KERNEL_DISPATCH",
	[NAME_COUNT + 3] = "MEMORY_COPY",
	[NAME_COUNT + 4] = "MEMORY_COPY_HOST_TO_DEVICE",
	[NAME_COUNT + 5] = "MEMORY_COPY_DEVICE_TO_HOST",
	[NAME_COUNT + 6] = "RCCL_API",
	[NAME_COUNT + 7] = "ncclCommInitRank",
};
#define N_NAMES (NAME_COUNT + 8)
#define MAKES_COMMUNICATOR (NAME_COUNT + 8)
#define RCCL (NAME_COUNT + 7)
#define MARKER (NAME_COUNT + 1)
#define API (NAME_COUNT + 2)
#define DISPATCH (NAME_COUNT + 3)
#define COPY (NAME_COUNT + 4)

/* Tables and their columns, behind id and guid. */
static const char *const tables[][2] = {
	{"metadata", "tag TEXT NOT NULL, value TEXT NOT NULL"},
	{"string", "string TEXT NOT NULL"},
	{"info_node", "hash BIGINT NOT NULL, machine_id TEXT, hostname TEXT"},
	{"info_process", "nid INTEGER NOT NULL, ppid INTEGER, pid INTEGER NOT NULL, init BIGINT,"
					 " fini BIGINT, command TEXT, environment JSONB DEFAULT '{}' NOT NULL"},
	{"info_thread", "nid INTEGER NOT NULL, ppid INTEGER, pid INTEGER NOT NULL,"
					" tid INTEGER NOT NULL, name TEXT"},
	{"info_agent", "nid INTEGER NOT NULL, pid INTEGER NOT NULL, type TEXT, absolute_index INTEGER,"
				   " logical_index INTEGER, type_index INTEGER, name TEXT, product_name TEXT"},
	{"info_queue", "nid INTEGER NOT NULL, pid INTEGER NOT NULL, name TEXT"},
	{"info_stream", "nid INTEGER NOT NULL, pid INTEGER NOT NULL, name TEXT"},
	{"info_kernel_symbol", "nid INTEGER NOT NULL, pid INTEGER NOT NULL, code_object_id INTEGER,"
						   " kernel_name TEXT, display_name TEXT, group_segment_size INTEGER,"
						   " arch_vgpr_count INTEGER"},
	{"event", "category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER,"
			  " correlation_id INTEGER, call_stack JSONB DEFAULT '{}' NOT NULL,"
			  " line_info JSONB DEFAULT '{}' NOT NULL, extdata JSONB DEFAULT '{}' NOT NULL"},
	{"arg", "event_id INTEGER NOT NULL, position INTEGER NOT NULL, type TEXT NOT NULL,"
			" name TEXT NOT NULL, value TEXT, extdata JSONB DEFAULT '{}' NOT NULL"},
	{"region", "nid INTEGER NOT NULL, pid INTEGER NOT NULL, tid INTEGER NOT NULL,"
			   " start BIGINT NOT NULL, end BIGINT NOT NULL, name_id INTEGER NOT NULL,"
			   " event_id INTEGER, extdata JSONB DEFAULT '{}' NOT NULL"},
	{"kernel_dispatch",
	 "nid INTEGER NOT NULL, pid INTEGER NOT NULL, tid INTEGER, agent_id INTEGER NOT NULL,"
	 " kernel_id INTEGER NOT NULL, dispatch_id INTEGER NOT NULL, queue_id INTEGER NOT NULL,"
	 " stream_id INTEGER NOT NULL, start BIGINT NOT NULL, end BIGINT NOT NULL,"
	 " group_segment_size INTEGER, workgroup_size_x INTEGER NOT NULL,"
	 " workgroup_size_y INTEGER NOT NULL, workgroup_size_z INTEGER NOT NULL,"
	 " grid_size_x INTEGER NOT NULL, grid_size_y INTEGER NOT NULL, grid_size_z INTEGER NOT NULL,"
	 " event_id INTEGER, extdata JSONB DEFAULT '{}' NOT NULL"},
	{"memory_copy", "nid INTEGER NOT NULL, pid INTEGER NOT NULL, tid INTEGER,"
					" start BIGINT NOT NULL, end BIGINT NOT NULL, name_id INTEGER NOT NULL,"
					" dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER NOT NULL,"
					" queue_id INTEGER, stream_id INTEGER, event_id INTEGER"},
};

/* "SQL" with %s for the tables' suffix. */
static void
execute_named(sqlite3 *db, const char *format)
{
	char *sql = sqlite3_mprintf(format, SUFFIX);

	execute(db, sql);
	sqlite3_free(sql);
}

static void
create_tables(sqlite3 *db)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
	{
		char *sql = sqlite3_mprintf(
			"CREATE TABLE rocpd_%s%s (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,"
			" guid TEXT DEFAULT '%s' NOT NULL, %s)",
			tables[i][0], SUFFIX, GUID, tables[i][1]);

		execute(db, sql);
		sqlite3_free(sql);
	}
}

static void
describe_process(Rocpd *rocpd, const Options *options, int rank)
{
	char *sql = sqlite3_mprintf(
		"INSERT INTO rocpd_info_node%s (hash, machine_id, hostname) VALUES (%d, 'm%d', 'node%d');"
		"INSERT INTO rocpd_info_process%s (nid, pid, init, command, environment) VALUES"
		" (1, %lld, %lld, './program', '{\"SLURM_JOB_ID\":\"4711\",\"SLURM_NTASKS\":\"%d\","
		"\"SLURM_PROCID\":\"%d\"}');"
		"INSERT INTO rocpd_info_thread%s (id, nid, pid, tid) VALUES (%lld, 1, 1, %lld);",
		SUFFIX, 100 + rank / 4, rank / 4, rank / 4, SUFFIX, (long long) rocpd->pid,
		(long long) HOST_TIME, options->n_ranks, rank, SUFFIX, (long long) rocpd->pid,
		(long long) rocpd->pid);

	execute(rocpd->db, sql);
	sqlite3_free(sql);
}

static void
describe_names(sqlite3 *db)
{
	for (int i = 0; i < N_NAMES; i++)
	{
		char *sql = sqlite3_mprintf("INSERT INTO rocpd_string%s (id, string) VALUES (%d, %Q)",
									SUFFIX, i + 1, names[i]);

		execute(db, sql);
		sqlite3_free(sql);
	}
	for (int i = NAME_KERNEL; i <= NAME_REDUCE; i++)
	{
		char *sql = sqlite3_mprintf("INSERT INTO rocpd_info_kernel_symbol%s (id, nid, pid,"
									" kernel_name, display_name, arch_vgpr_count)"
									" VALUES (%d, 1, 1, 'mangled', %Q, 32)",
									SUFFIX, i + 1, names[i]);

		execute(db, sql);
		sqlite3_free(sql);
	}
}

static void
describe_agent(sqlite3 *db, int device)
{
	char *sql =
		sqlite3_mprintf("INSERT INTO rocpd_info_agent%s (id, nid, pid, type, absolute_index,"
						" type_index, name, product_name)"
						" VALUES (%d, 1, 1, 'GPU', %d, %d, 'gfx90a', 'Synthetic')",
						SUFFIX, device + 2, device + 1, device);

	execute(db, sql);
	sqlite3_free(sql);
}

static void
describe(Rocpd *rocpd, const Options *options, int rank)
{
	sqlite3 *db = rocpd->db;

	execute_named(db, "INSERT INTO rocpd_metadata%s (tag, value) VALUES ('schema_version', '3')");
	execute_named(db,
				  "INSERT INTO rocpd_info_agent%s (id, nid, pid, type, absolute_index,"
				  " type_index, name, product_name) VALUES (1, 1, 1, 'CPU', 0, 0, 'host', 'host'),"
				  " (2, 1, 1, 'GPU', 1, 0, 'gfx90a', 'Synthetic')");
	for (int i = 1; i < options->devices; i++)
		describe_agent(db, i);
	execute_named(db, "INSERT INTO rocpd_info_queue%s (id, nid, pid, name)"
					  " VALUES (1, 1, 1, 'Queue 1')");
	execute_named(db,
				  "INSERT INTO rocpd_info_stream%s (id, nid, pid, name) VALUES"
				  " (0, 1, 1, 'Default Stream'), (7, 1, 1, 'Stream 7'), (13, 1, 1, 'Stream 13'),"
				  " (20, 1, 1, 'Stream 20')");
	describe_process(rocpd, options, rank);
	describe_names(db);
}

static sqlite3_stmt *
prepare_named(sqlite3 *db, const char *format)
{
	char *sql = sqlite3_mprintf(format, SUFFIX);
	sqlite3_stmt *statement = prepare(db, sql);

	sqlite3_free(sql);
	return statement;
}

/* Calls are numbered as their correlation says; the step, which has none, behind all. */
static int64_t
write_event(Rocpd *rocpd, int category, int64_t stack, int64_t parent)
{
	INSERT(rocpd->db, rocpd->statements[EVENTS], ++rocpd->n_events, category, stack, parent);
	return rocpd->n_events;
}

/* A handle of a call's event: of a stream, of an event, of a communicator. */
enum
{
	OF_STREAM,
	OF_EVENT,
	OF_COMMUNICATOR,
	OF_ID,
	OF_COUNT,
	OF_TYPE
};

static void
write_argument(Rocpd *rocpd, int64_t event, int what, int64_t handle)
{
	if (rocpd->has_arguments)
		INSERT(rocpd->db, rocpd->statements[ARGUMENTS], event, what, handle);
}

/* A rank of a group is told its number, and gives its communicator a handle of its own. */
static void
make_communicator(Rocpd *rocpd, int group)
{
	int64_t event = write_event(rocpd, RCCL, 1000000000, 0);

	INSERT(rocpd->db, rocpd->statements[CALLS], rocpd->pid, HOST_TIME + 100, HOST_TIME + 900,
		   MAKES_COMMUNICATOR, event);
	write_argument(rocpd, event, OF_ID, 1000 + group);
}

static void
begin(Writer *writer, const char *path, const Options *options, int rank)
{
	Rocpd *rocpd = (Rocpd *) writer;

	rocpd->db = create_file(path);
	rocpd->pid = 1000 + rank;
	rocpd->n_events = 0;
	create_tables(rocpd->db);
	describe(rocpd, options, rank);
	rocpd->statements[EVENTS] =
		prepare_named(rocpd->db, "INSERT INTO rocpd_event%s (id, category_id, stack_id,"
								 " parent_stack_id, correlation_id) VALUES (?, ?, ?, ?, 0)");
	rocpd->statements[CALLS] =
		prepare_named(rocpd->db, "INSERT INTO rocpd_region%s (nid, pid, tid, start, end, name_id,"
								 " event_id) VALUES (1, 1, ?, ?, ?, ?, ?)");
	rocpd->statements[KERNELS] = prepare_named(
		rocpd->db, "INSERT INTO rocpd_kernel_dispatch%s (nid, pid, tid, agent_id, kernel_id,"
				   " dispatch_id, queue_id, stream_id, start, end, workgroup_size_x,"
				   " workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, grid_size_z,"
				   " event_id) VALUES (1, 1, ?, ?, ?, ?, 1, ?, ?, ?, ?, 1, 1, ?, 1, 1, ?)");
	rocpd->statements[COPIES] = prepare_named(
		rocpd->db, "INSERT INTO rocpd_memory_copy%s (nid, pid, tid, start, end, name_id,"
				   " dst_agent_id, src_agent_id, size, stream_id, event_id)"
				   " VALUES (1, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	rocpd->has_arguments = options->waits || options->group > 0;
	rocpd->statements[ARGUMENTS] = prepare_named(
		rocpd->db, "INSERT INTO rocpd_arg%s (event_id, position, type, name, value)"
				   " VALUES (?1, 0, 'handle', CASE ?2 WHEN 0 THEN 'stream' WHEN 1 THEN 'event'"
				   " WHEN 2 THEN 'comm' WHEN 3 THEN 'commId' WHEN 4 THEN 'count'"
				   " ELSE 'datatype' END, CASE WHEN ?2 < 4 THEN printf('0x%%x', 4096 + ?3)"
				   " ELSE ?3 END)");
	if (options->group > 0)
		make_communicator(rocpd, rank / options->group);
}

static void
write_call(Writer *writer, const Call *call)
{
	Rocpd *rocpd = (Rocpd *) writer;
	bool is_step = call->correlation == 0;
	int64_t event = write_event(rocpd, is_step ? MARKER : API, (int64_t) call->correlation, 0);

	INSERT(rocpd->db, rocpd->statements[CALLS], rocpd->pid, shown(writer, call->begin) + HOST_TIME,
		   shown(writer, call->end) + HOST_TIME, call->name + 1, event);
}

/* Its two calls were the last two. */
static void
write_wait(Writer *writer, const StreamWait *wait)
{
	Rocpd *rocpd = (Rocpd *) writer;
	int64_t event = rocpd->n_events;

	write_argument(rocpd, event - 1, OF_STREAM, wait->recorded_on);
	write_argument(rocpd, event - 1, OF_EVENT, wait->event);
	write_argument(rocpd, event, OF_STREAM, wait->waiting);
	write_argument(rocpd, event, OF_EVENT, wait->event);
}

static void
write_collective(Writer *writer, const Collective *collective)
{
	Rocpd *rocpd = (Rocpd *) writer;
	int64_t event = write_event(rocpd, RCCL, (int64_t) collective->correlation, 0);

	INSERT(rocpd->db, rocpd->statements[CALLS], rocpd->pid,
		   shown(writer, collective->begin) + HOST_TIME, shown(writer, collective->end) + HOST_TIME,
		   NAME_COLLECTIVE + 1, event);
	write_argument(rocpd, event, OF_COMMUNICATOR, rocpd->pid);
	write_argument(rocpd, event, OF_COUNT, MESSAGE / 4);
	write_argument(rocpd, event, OF_TYPE, 7); /* ncclFloat32 */
}

static void
write_activity(Writer *writer, const Activity *activity)
{
	Rocpd *rocpd = (Rocpd *) writer;
	int64_t correlation = (int64_t) activity->correlation;
	int64_t start = shown(writer, activity->begin) + HOST_TIME;
	int64_t stop = shown(writer, activity->end) + HOST_TIME;
	bool is_in = activity->kind == COPY_TO_DEVICE;

	write_argument(rocpd, rocpd->n_events, OF_STREAM, activity->stream);
	int64_t event =
		write_event(rocpd, activity->kind == KERNEL ? DISPATCH : COPY, correlation, correlation);

	if (activity->kind == KERNEL)
		INSERT(rocpd->db, rocpd->statements[KERNELS], rocpd->pid, activity->device + 2,
			   activity->name + 1, event, activity->stream, start, stop, BLOCK,
			   (int64_t) GRID * BLOCK, event);
	else
		INSERT(rocpd->db, rocpd->statements[COPIES], rocpd->pid, start, stop,
			   is_in ? NAME_COUNT + 5 : NAME_COUNT + 6, is_in ? 2 : 1, is_in ? 1 : 2,
			   (int64_t) activity->bytes, activity->stream, event);
}

static void
end(Writer *writer)
{
	Rocpd *rocpd = (Rocpd *) writer;

	close_file(rocpd->db, rocpd->statements, STATEMENTS);
}

Writer *
rocpd_writer(void)
{
	static Rocpd rocpd = {.writer = {.begin = begin,
									 .call = write_call,
									 .activity = write_activity,
									 .wait = write_wait,
									 .collective = write_collective,
									 .end = end}};

	return &rocpd.writer;
}
