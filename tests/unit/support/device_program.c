/*
 * device_program.c - see device_program.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/device_program.h"

#include "base/min_max.h"
#include "trace/chunk/device_records.h"

RandomNumbers device_numbers;
static PhTraceLocation locations[DEVICE_LOCATIONS];
static PhTraceRegion regions[] = {{.name = "gemm", .role = PH_ROLE_KERNEL},
								  {.name = "ncclKernel_AllReduce", .role = PH_ROLE_KERNEL},
								  {.name = "memcpy HtoD", .role = PH_ROLE_COPY},
								  {.name = "cudaLaunchKernel", .role = "function"}};
const PhActivityKind device_kinds[] = {PH_ACTIVITY_COMPUTE, PH_ACTIVITY_COMMUNICATION,
									   PH_ACTIVITY_COPY, PH_ACTIVITY_COMPUTE};
static uint32_t rank_location[DEVICE_RANKS] = {0, 1, 2};
const PhTraceModel device_model = {.n_locations = DEVICE_LOCATIONS,
								   .locations = locations,
								   .n_regions = 4,
								   .regions = regions,
								   .n_ranks = DEVICE_RANKS,
								   .rank_location = rank_location};

uint32_t
device_stream(uint32_t rank, uint32_t stream)
{
	return DEVICE_RANKS + rank * DEVICE_STREAMS + stream;
}

uint32_t
device_rank(uint32_t location)
{
	return location < DEVICE_RANKS ? location : (location - DEVICE_RANKS) / DEVICE_STREAMS;
}

void
device_make_model(void)
{
	for (uint32_t r = 0; r < DEVICE_RANKS; r++)
	{
		locations[r] =
			(PhTraceLocation){.rank = (int32_t) r, .kind = PH_COLUMN_UNIT, .name = "", .host = ""};
		for (uint32_t s = 0; s < DEVICE_STREAMS; s++)
			locations[device_stream(r, s)] = (PhTraceLocation){.rank = (int32_t) r,
															   .kind = PH_COLUMN_STREAM,
															   .name = "",
															   .host = "",
															   .stream = {s == 2, 1, s, 0}};
	}
}

/* What is launched next waits for what the other stream has done so far. */
static PhStatus
note_wait(DeviceProgram *program)
{
	uint32_t other = program->waits_for;
	program->waits_for = 0;
	if (other == 0 || program->free_at[other] == 0)
		return PH_OK;
	PH_TRY(PH_ROOM(program->env, &program->activities.awaited));
	program->activities.awaited.items[program->activities.awaited.count++] =
		(PhAwaitedActivity){program->activities.list.count, other, program->free_at[other]};
	return PH_OK;
}

PhStatus
device_launch(DeviceProgram *program, uint32_t rank, uint32_t stream, uint32_t region,
			  bool is_blocking, uint32_t instance)
{
	uint32_t location = device_stream(rank, stream);
	int64_t enter = program->host[rank];
	int64_t leave = enter + 1 + numbers_below(&device_numbers, 4);
	int64_t start = PH_MAX(is_blocking ? enter : leave, program->free_at[location]);
	if (program->waits_for != 0)
		start = PH_MAX(start, program->free_at[program->waits_for]);
	int64_t end =
		start + (program->takes > 0 ? program->takes : 1 + numbers_below(&device_numbers, 12));
	if (is_blocking)
		leave = end;
	program->host[rank] = leave;
	PH_TRY(note_wait(program));
	program->free_at[location] = end;
	PH_TRY(PH_ROOM(program->env, &program->activities.list));
	program->activities.list.items[program->activities.list.count++] = (PhDeviceActivity){
		.location = location, .region = region, .start = start, .end = end, .call = enter};
	PH_TRY(ph_indices_add(program->env, &program->instances, instance));
	PH_TRY(PH_ROOM(program->env, &program->made));
	program->made.items[program->made.count++] = (PhLaunchCall){rank, program->n_calls[rank]++};
	PH_TRY(PH_ROOM(program->env, &program->called));
	program->called.items[program->called.count++] = (PhLaunchingCall){DEVICE_CALL, enter, leave};
	return PH_OK;
}

/* Without an end of its own, so that a call which waited returns when what it waited for is done.
 */
PhStatus
device_synchronise(DeviceProgram *program, uint32_t rank, bool all)
{
	uint32_t one = numbers_below(&device_numbers, DEVICE_STREAMS);
	int64_t enter = program->host[rank];
	for (uint32_t s = 0; s < DEVICE_STREAMS; s++)
		if (all || s == one)
			program->host[rank] =
				PH_MAX(program->host[rank], program->free_at[device_stream(rank, s)]);
	PH_TRY(PH_ROOM(program->env, &program->syncs.list));
	program->syncs.list.items[program->syncs.list.count++] =
		(PhHostCall){rank, DEVICE_CALL, enter, program->host[rank], program->n_calls[rank]++};
	return PH_OK;
}

static PhStatus
work(DeviceProgram *program, uint32_t rank)
{
	uint32_t n = numbers_below(&device_numbers, 6);
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t stream = numbers_below(&device_numbers, DEVICE_STREAMS);
		uint32_t other = numbers_below(&device_numbers, 2 * DEVICE_STREAMS);
		if (other < DEVICE_STREAMS && other != stream)
			program->waits_for = device_stream(rank, other);
		switch (numbers_below(&device_numbers, 5))
		{
			case 0:
				program->host[rank] += 1 + numbers_below(&device_numbers, 10);
				break;
			case 1:
				PH_TRY(device_synchronise(program, rank, numbers_below(&device_numbers, 2) == 0));
				break;
			case 2:
				PH_TRY(device_launch(program, rank, stream, PH_ACTIVITY_COPY, true, PH_NONE));
				break;
			default:
				PH_TRY(device_launch(program, rank, stream, PH_ACTIVITY_COMPUTE, false, PH_NONE));
		}
	}
	return PH_OK;
}

/* All ranks communicate: nobody is done before the last one has begun. */
PhStatus
device_meet(DeviceProgram *program, uint32_t instance)
{
	program->waits_for = 0;
	uint32_t first = program->activities.list.count;
	int64_t last = 0, took = 1 + numbers_below(&device_numbers, 9);
	for (uint32_t rank = 0; rank < DEVICE_RANKS; rank++)
	{
		PH_TRY(device_launch(program, rank, DEVICE_COMMUNICATES, PH_ACTIVITY_COMMUNICATION, false,
							 instance));
		last = PH_MAX(last, program->activities.list.items[first + rank].start);
	}
	for (uint32_t rank = 0; rank < DEVICE_RANKS; rank++)
	{
		program->activities.list.items[first + rank].end = last + took;
		program->free_at[device_stream(rank, DEVICE_COMMUNICATES)] = last + took;
	}
	return PH_OK;
}

PhStatus
device_note_launches(DeviceProgram *program, PhArena *arena)
{
	for (uint32_t i = 0; i < program->made.count; i++)
		PH_TRY(ph_launches_add(program->env, &program->launches, program->made.items[i].location,
							   program->made.items[i].seq));
	PH_TRY(ph_launches_sort(program->env, &program->launches));
	PH_TRY(PH_NEW(arena, program->launches.calls.count, &program->calls));
	for (uint32_t i = 0; i < program->made.count; i++)
	{
		uint32_t found = ph_launches_find(&program->launches, program->made.items[i].location,
										  program->made.items[i].seq);
		program->activities.list.items[i].launch = found;
		program->calls[found] = program->called.items[i];
	}
	return PH_OK;
}

PhStatus
device_run(DeviceProgram *program, PhArena *arena)
{
	uint32_t n_rounds = 1 + numbers_below(&device_numbers, 5);
	for (uint32_t round = 0; round < n_rounds; round++)
	{
		for (uint32_t rank = 0; rank < DEVICE_RANKS; rank++)
			PH_TRY(work(program, rank));
		PH_TRY(device_meet(program, round));
	}
	return device_note_launches(program, arena);
}

void
device_free(DeviceProgram *program)
{
	ph_activities_free(program->env, &program->activities);
	PH_VECTOR_FREE(program->env, &program->instances);
	PH_VECTOR_FREE(program->env, &program->made);
	PH_VECTOR_FREE(program->env, &program->called);
	ph_host_calls_free(program->env, &program->syncs);
	ph_launches_free(program->env, &program->launches);
}
