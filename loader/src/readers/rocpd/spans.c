/*
 * spans.c - regions of threads, dispatches of kernels and copies of rocpd.
 *
 * A call and what it launched have one stack id: an activity's event names it as its parent's, or
 * as its own.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/name_set.h"
#include "readers/rocpd/rocpd.h"
#include "trace/chunk/device_records.h"

/* The columns that all rows of spans have, in the order of the rows here. */
enum
{
	PID,
	TID,
	START,
	END,
	EVENT,
	TRACK,
	START_ID,
	END_ID,
	OWN /* what a table has besides */
};
#define SHARED "pid", "tid", "start", "end", "event_id", "track_id", "start_id", "end_id"

static const char *const region_columns[] = {SHARED, "name_id"};
static const char *const dispatch_columns[] = {SHARED,
											   "agent_id",
											   "queue_id",
											   "stream_id",
											   "kernel_id",
											   "grid_size_x",
											   "grid_size_y",
											   "grid_size_z",
											   "workgroup_size_x",
											   "workgroup_size_y",
											   "workgroup_size_z"};
static const char *const copy_columns[] = {SHARED,		   "queue_id",	   "stream_id", "name_id",
										   "dst_agent_id", "src_agent_id", "size"};

/* Columns of PH_ROCPD_TRACKS behind the id. */
enum
{
	TRACK_NODE,
	TRACK_PROCESS,
	TRACK_THREAD,
	TRACK_AGENT,
	TRACK_QUEUE,
	TRACK_STREAM
};

/* ---- where and when ---- */

/* Of the row, or of its track. */
static int64_t
number_of(const PhSqliteRows *rows, uint32_t column, const int64_t *track, int of_track)
{
	return track != NULL && !ph_sqlite_has(rows, column) ? track[of_track]
														 : ph_sqlite_int(rows, column);
}

static const int64_t *
track_of(const PhRocpd *rocpd, const PhSqliteRows *rows)
{
	return ph_sqlite_has(rows, TRACK)
			   ? ph_rocpd_find(rocpd, PH_ROCPD_TRACKS, ph_sqlite_int(rows, TRACK))
			   : NULL;
}

/* 0 is no time: what began with the machine is long over. */
static int64_t
time_of(const PhRocpd *rocpd, const PhSqliteRows *rows, uint32_t column, uint32_t id_column)
{
	const int64_t *time;

	if (!ph_sqlite_has(rows, id_column))
		return ph_sqlite_int(rows, column);
	time = ph_rocpd_find(rocpd, PH_ROCPD_TIMES, ph_sqlite_int(rows, id_column));
	return time == NULL ? 0 : time[0];
}

/* The process of the trace, made when new. Its host's clock is the file's. */
static PhStatus
find_process(PhRocpd *rocpd, int64_t id, uint32_t *out)
{
	const int64_t *process = ph_rocpd_find(rocpd, PH_ROCPD_PROCESSES, id);
	const int64_t *node;
	const char *host;
	PhRocpdProcess *made;

	if (process == NULL)
		return PH_ERR_NOT_FOUND;
	made = &rocpd->processes.items[process[2]];
	*out = made->process;
	if (made->process != PH_NONE)
		return PH_OK;
	node = ph_rocpd_find(rocpd, PH_ROCPD_NODES, process[0]);
	host = node == NULL ? "" : ph_rocpd_text(rocpd, node[0]);
	if (host[0] != '\0')
		PH_TRY(ph_rank_files_host_clock(rocpd->files, host, process[1]));
	rocpd->files->job = made->job;
	PH_TRY(ph_rank_files_process(rocpd->files,
								 made->job.rank < 0 ? PH_NONE : (uint32_t) made->job.rank, host,
								 &made->process));
	*out = made->process;
	return PH_OK;
}

static PhStatus
process_of(PhRocpd *rocpd, PhSqliteRows *rows, const int64_t *track, uint32_t *out)
{
	int64_t id = number_of(rows, PID, track, TRACK_PROCESS);
	PhStatus status = find_process(rocpd, id, out);

	return status == PH_ERR_NOT_FOUND
			   ? ph_sqlite_fail(rows, "there is no process %lld", (long long) id)
			   : status;
}

static PhStatus
thread_of(PhRocpd *rocpd, PhSqliteRows *rows, const int64_t *track, uint32_t *process,
		  uint32_t *out)
{
	int64_t id = number_of(rows, TID, track, TRACK_THREAD);
	const int64_t *thread = ph_rocpd_find(rocpd, PH_ROCPD_THREADS, id);
	const char *name = thread == NULL ? "" : ph_rocpd_text(rocpd, thread[2]);

	PH_TRY(process_of(rocpd, rows, track, process));
	return ph_span_trace_thread(rocpd->files->trace, *process,
								(uint64_t) (thread == NULL ? id : thread[1]),
								name[0] == '\0' ? NULL : name, out);
}

/* Where no streams are known, queues are what works one after the other. */
static PhStatus
stream_of(PhRocpd *rocpd, PhSqliteRows *rows, const int64_t *track, int64_t agent, uint32_t queue,
		  PhTraceSpan *span)
{
	const int64_t *device = ph_rocpd_find(rocpd, PH_ROCPD_AGENTS, agent);
	PhDeviceStream stream = {.device = device == NULL ? 0 : (int32_t) device[1]};
	const char *name = NULL;
	uint32_t process;

	PH_TRY(process_of(rocpd, rows, track, &process));
	stream.stream = number_of(rows, queue + 1, track, TRACK_STREAM);
	if (!rocpd->has_streams)
	{
		stream.stream = number_of(rows, queue, track, TRACK_QUEUE);
		PH_TRY(ph_arena_printf(&rocpd->row, &name, "GPU %d queue %lld", stream.device,
							   (long long) stream.stream));
	}
	PH_TRY(ph_span_trace_stream(rocpd->files->trace, process, stream, name, &span->track));
	return ph_rocpd_note_stream(rocpd, process, span->correlation, span->track);
}

/* ---- spans ---- */

static PhTraceSpan
begin_span(const PhRocpd *rocpd, const PhSqliteRows *rows)
{
	PhTraceSpan span = {.start = time_of(rocpd, rows, START, START_ID),
						.end = time_of(rocpd, rows, END, END_ID)};

	if (span.end == 0)
		span.end = PH_SPAN_OPEN;
	return span;
}

static PhStatus
add_span(PhRocpd *rocpd, const PhSqliteRows *rows, const PhTraceSpan *span)
{
	PhStatus status = ph_rank_files_add(rocpd->files, span);

	return status == PH_ERR_VALUE ? ph_sqlite_fail(rows, "its time is impossible") : status;
}

/* What calls of a category are. */
static void
describe_category(const char *category, PhTraceRegion *region)
{
	static const struct
	{
		const char *begin, *paradigm, *library;
	} known[] = {{"HIP", "hip", "HIP"},	   {"HSA", "hip", "HSA"},  {"RCCL", "hip", "RCCL"},
				 {"ROCDECODE", "hip", ""}, {"ROCJPEG", "hip", ""}, {"OMPT", "openmp", ""},
				 {"MPI", "mpi", "MPI"},	   {"MARKER", "user", ""}};

	region->paradigm = "user";
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strncmp(category, known[i].begin, strlen(known[i].begin)) == 0)
		{
			region->paradigm = known[i].paradigm;
			region->library = known[i].library;
		}
	if (strcmp(region->paradigm, "user") == 0)
		region->kind = PH_KIND_REGION;
}

static PhStatus
begin_call(PhRocpd *rocpd, PhSqliteRows *rows, PhRocpdCall *out)
{
	const int64_t *event = ph_rocpd_find(rocpd, PH_ROCPD_EVENTS, ph_sqlite_int(rows, EVENT));
	PhTraceSpan span = begin_span(rocpd, rows);

	*out = (PhRocpdCall){.name = ph_rocpd_string(rocpd, ph_sqlite_int(rows, OWN)),
						 .event = ph_sqlite_int(rows, EVENT),
						 .stack = event == NULL ? 0 : event[1],
						 .start = span.start,
						 .end = span.end};
	return thread_of(rocpd, rows, track_of(rocpd, rows), &out->process, &out->track);
}

static PhStatus
read_region(void *user, PhSqliteRows *rows)
{
	PhRocpd *rocpd = user;
	const int64_t *event = ph_rocpd_find(rocpd, PH_ROCPD_EVENTS, ph_sqlite_int(rows, EVENT));
	PhRocpdCall call;

	PH_TRY(begin_call(rocpd, rows, &call));
	PhTraceSpan span = {.start = call.start, .end = call.end, .track = call.track};
	PhTraceRegion region = {
		.kind = PH_KIND_FUNCTION, .name = call.name, .line = PH_NO_NUMBER, .role = "function"};

	describe_category(event == NULL ? "" : ph_rocpd_string(rocpd, event[0]), &region);
	if (region.name[0] == '\0')
		region.name = "<unknown>";
	if (event != NULL)
		span.correlation = (uint64_t) event[1];
	PH_TRY(ph_rocpd_note_collective(rocpd, &call));
	PH_TRY(ph_rocpd_note_call(rocpd, &call));
	PH_TRY(ph_span_trace_region(rocpd->files->trace, &region, &span.region));
	return add_span(rocpd, rows, &span);
}

static PhStatus
begin_activity(PhRocpd *rocpd, const PhSqliteRows *rows, const char *name, const char *role,
			   PhTraceSpan *out)
{
	const int64_t *event = ph_rocpd_find(rocpd, PH_ROCPD_EVENTS, ph_sqlite_int(rows, EVENT));
	PhTraceRegion region = {.kind = PH_KIND_FUNCTION,
							.name = name,
							.line = PH_NO_NUMBER,
							.paradigm = "hip",
							.role = role};

	*out = begin_span(rocpd, rows);
	if (event != NULL)
		out->correlation = (uint64_t) (event[2] != 0 ? event[2] : event[1]);
	return ph_span_trace_region(rocpd->files->trace, &region, &out->region);
}

static uint32_t
small(int64_t number)
{
	return number < 0 || number > INT32_MAX ? 0 : (uint32_t) number;
}

/* Grids count work-items; blocks are work-groups. */
static PhStatus
configure(PhRocpd *rocpd, const PhSqliteRows *rows, const int64_t *kernel, uint32_t *out)
{
	PhLaunchConfiguration configuration = {0};

	for (uint32_t i = 0; i < 3; i++)
	{
		uint32_t grid = small(ph_sqlite_int(rows, OWN + 4 + i));
		uint32_t group = small(ph_sqlite_int(rows, OWN + 7 + i));

		configuration.block[i] = group;
		configuration.grid[i] = group == 0 ? grid : (grid + group - 1) / group;
	}
	if (kernel != NULL)
	{
		configuration.registers = small(kernel[1]);
		configuration.static_memory = small(kernel[2]);
	}
	PH_TRY(ph_span_trace_configuration(rocpd->files->trace, &configuration, out));
	++*out;
	return PH_OK;
}

static PhStatus
read_dispatch(void *user, PhSqliteRows *rows)
{
	PhRocpd *rocpd = user;
	const int64_t *kernel = ph_rocpd_find(rocpd, PH_ROCPD_KERNELS, ph_sqlite_int(rows, OWN + 3));
	const char *name = kernel == NULL ? "" : ph_rocpd_text(rocpd, kernel[0]);
	const int64_t *track = track_of(rocpd, rows);
	PhTraceSpan span;

	PH_TRY(begin_activity(rocpd, rows, name[0] == '\0' ? "kernel" : name, PH_ROLE_KERNEL, &span));
	PH_TRY(configure(rocpd, rows, kernel, &span.configuration));
	PH_TRY(stream_of(rocpd, rows, track, number_of(rows, OWN, track, TRACK_AGENT), OWN + 1, &span));
	return add_span(rocpd, rows, &span);
}

/* "MEMORY_COPY_HOST_TO_DEVICE" is memcpy HtoD. */
static const char *
name_copy(const char *name)
{
	static const char *const known[][2] = {{"HOST_TO_DEVICE", "memcpy HtoD"},
										   {"DEVICE_TO_HOST", "memcpy DtoH"},
										   {"DEVICE_TO_DEVICE", "memcpy DtoD"},
										   {"HOST_TO_HOST", "memcpy HtoH"}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strstr(name, known[i][0]) != NULL)
			return known[i][1];
	return "memcpy";
}

/* Of the device that is written to, else read. */
static int64_t
agent_of_copy(const PhRocpd *rocpd, const PhSqliteRows *rows)
{
	int64_t to = ph_sqlite_int(rows, OWN + 3);
	const int64_t *agent = ph_rocpd_find(rocpd, PH_ROCPD_AGENTS, to);

	return agent != NULL && agent[0] != 0 ? to : ph_sqlite_int(rows, OWN + 4);
}

static PhStatus
read_copy(void *user, PhSqliteRows *rows)
{
	PhRocpd *rocpd = user;
	int64_t bytes = ph_sqlite_int(rows, OWN + 5);
	PhTraceSpan span;

	PH_TRY(begin_activity(rocpd, rows,
						  name_copy(ph_rocpd_string(rocpd, ph_sqlite_int(rows, OWN + 2))),
						  PH_ROLE_COPY, &span));
	span.bytes = bytes > 0 ? (uint64_t) bytes : 0;
	PH_TRY(stream_of(rocpd, rows, track_of(rocpd, rows), agent_of_copy(rocpd, rows), OWN, &span));
	return add_span(rocpd, rows, &span);
}

static PhStatus
read_table(PhRocpd *rocpd, const char *name, const char *const *columns, size_t n,
		   PhSqliteRead read)
{
	const char *table;

	PH_TRY(ph_rocpd_table(rocpd, name, &table));
	return ph_sqlite_each(rocpd->db, table, columns, (uint32_t) n, &rocpd->row, read, rocpd);
}

#define COUNT(columns) (sizeof(columns) / sizeof((columns)[0]))

PhStatus
ph_rocpd_read_spans(PhRocpd *rocpd)
{
	PH_TRY(read_table(rocpd, "rocpd_region", region_columns, COUNT(region_columns), read_region));
	PH_TRY(ph_rocpd_add_collectives(rocpd));
	PH_TRY(read_table(rocpd, "rocpd_kernel_dispatch", dispatch_columns, COUNT(dispatch_columns),
					  read_dispatch));
	PH_TRY(read_table(rocpd, "rocpd_memory_copy", copy_columns, COUNT(copy_columns), read_copy));
	return ph_rocpd_add_waits(rocpd);
}
