/*
 * device.c - kernels, copies and memsets of an Nsight Systems export.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>

#include "readers/nsight/nsight.h"
#include "trace/chunk/device_records.h"

/* The columns that all activities have, in the order of the rows here. */
enum
{
	START,
	END,
	DEVICE,
	CONTEXT,
	STREAM,
	CORRELATION,
	GLOBAL_PID,
	OWN /* what a kind of activity has besides */
};
#define SHARED "start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid"

/* Kernels among the kinds of rows whose regions are remembered, behind all tables of calls. */
#define SHORT_KERNELS 14
#define KERNELS 15

static const char *const kernel_columns[] = {SHARED,
											 "demangledName",
											 "shortName",
											 "gridX",
											 "gridY",
											 "gridZ",
											 "blockX",
											 "blockY",
											 "blockZ",
											 "registersPerThread",
											 "staticSharedMemory",
											 "dynamicSharedMemory"};
static const char *const copy_columns[] = {SHARED, "copyKind", "bytes"};
static const char *const set_columns[] = {SHARED, "bytes"};

/* CUPTI's kinds of copies. */
static const char *const copy_names[] = {
	[1] = "memcpy HtoD",  [2] = "memcpy DtoH",	[3] = "memcpy HtoA",   [4] = "memcpy AtoH",
	[5] = "memcpy AtoA",  [6] = "memcpy AtoD",	[7] = "memcpy DtoA",   [8] = "memcpy DtoD",
	[9] = "memcpy HtoH",  [10] = "memcpy PtoP", [11] = "memcpy UHtoD", [12] = "memcpy UDtoH",
	[13] = "memcpy UDtoD"};

typedef PhStatus (*ActivityFunction)(PhNsight *nsight, PhSqliteRows *rows, PhTraceSpan *span);

static uint32_t
number(const PhSqliteRows *rows, uint32_t column)
{
	int64_t value = ph_sqlite_int(rows, column);

	return value < 0 || value > INT32_MAX ? 0 : (uint32_t) value;
}

static PhStatus
find_region(PhNsight *nsight, const char *name, const char *role, uint32_t *out)
{
	PhTraceRegion region = {.kind = PH_KIND_FUNCTION,
							.name = name,
							.line = PH_NO_NUMBER,
							.paradigm = "cuda",
							.role = role};

	return ph_span_trace_region(nsight->trace, &region, out);
}

static PhStatus
find_kernel(PhNsight *nsight, const PhSqliteRows *rows, uint32_t *out)
{
	bool is_demangled = ph_sqlite_has(rows, OWN);
	int64_t id = ph_sqlite_int(rows, is_demangled ? OWN : OWN + 1);
	const char *name;
	uint32_t *known;

	PH_TRY(ph_nsight_region(nsight, is_demangled ? KERNELS : SHORT_KERNELS, id, &known));
	if (*known == PH_NONE)
	{
		PH_TRY(ph_nsight_string(nsight, id, &name));
		PH_TRY(find_region(nsight, name == NULL ? "kernel" : name, PH_ROLE_KERNEL, known));
	}
	*out = *known;
	return PH_OK;
}

static PhStatus
take_kernel(PhNsight *nsight, PhSqliteRows *rows, PhTraceSpan *span)
{
	PhLaunchConfiguration configuration = {.registers = number(rows, OWN + 8),
										   .static_memory = number(rows, OWN + 9),
										   .dynamic_memory = number(rows, OWN + 10)};

	for (uint32_t i = 0; i < 3; i++)
	{
		configuration.grid[i] = number(rows, OWN + 2 + i);
		configuration.block[i] = number(rows, OWN + 5 + i);
	}
	PH_TRY(find_kernel(nsight, rows, &span->region));
	PH_TRY(ph_span_trace_configuration(nsight->trace, &configuration, &span->configuration));
	span->configuration++;
	return PH_OK;
}

static PhStatus
take_copy(PhNsight *nsight, PhSqliteRows *rows, PhTraceSpan *span)
{
	int64_t kind = ph_sqlite_int(rows, OWN);
	bool is_known = kind > 0 && kind < (int64_t) (sizeof(copy_names) / sizeof(copy_names[0]));

	if (ph_sqlite_int(rows, OWN + 1) > 0)
		span->bytes = (uint64_t) ph_sqlite_int(rows, OWN + 1);
	return find_region(nsight, is_known ? copy_names[kind] : "memcpy", PH_ROLE_COPY, &span->region);
}

static PhStatus
take_set(PhNsight *nsight, PhSqliteRows *rows, PhTraceSpan *span)
{
	if (ph_sqlite_int(rows, OWN) > 0)
		span->bytes = (uint64_t) ph_sqlite_int(rows, OWN);
	return find_region(nsight, "memset", PH_ROLE_SET, &span->region);
}

/* Which activities are read. */
typedef struct Reading
{
	PhNsight *nsight;
	ActivityFunction take;
} Reading;

static PhStatus
read_activity(void *user, PhSqliteRows *rows)
{
	const Reading *reading = user;
	PhNsight *nsight = reading->nsight;
	PhDeviceStream stream = {.device = (int32_t) number(rows, DEVICE),
							 .context = ph_sqlite_int(rows, CONTEXT),
							 .stream = ph_sqlite_int(rows, STREAM)};
	PhTraceSpan span = {.start = ph_sqlite_int(rows, START),
						.end = ph_sqlite_has(rows, END) ? ph_sqlite_int(rows, END) : PH_SPAN_OPEN,
						.correlation = (uint64_t) ph_sqlite_int(rows, CORRELATION)};

	PH_TRY(ph_nsight_stream(nsight, ph_sqlite_int(rows, GLOBAL_PID), stream, &span.track));
	PH_TRY(reading->take(nsight, rows, &span));
	return ph_nsight_add(nsight, rows, &span);
}

static PhStatus
read_activities(PhNsight *nsight, const char *table, const char *const *columns, uint32_t n,
				ActivityFunction take)
{
	Reading reading = {nsight, take};

	return ph_sqlite_each(nsight->db, table, columns, n, NULL, read_activity, &reading);
}

#define COUNT(columns) (uint32_t)(sizeof(columns) / sizeof((columns)[0]))

PhStatus
ph_nsight_read_device(PhNsight *nsight)
{
	PH_TRY(read_activities(nsight, "CUPTI_ACTIVITY_KIND_KERNEL", kernel_columns,
						   COUNT(kernel_columns), take_kernel));
	PH_TRY(read_activities(nsight, "CUPTI_ACTIVITY_KIND_MEMCPY", copy_columns, COUNT(copy_columns),
						   take_copy));
	return read_activities(nsight, "CUPTI_ACTIVITY_KIND_MEMSET", set_columns, COUNT(set_columns),
						   take_set);
}
