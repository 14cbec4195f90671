/*
 * host_calls.c - see host_calls.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "devices/host_calls.h"
#include "trace/reader.h"

typedef struct Collecting
{
	const bool *wanted; /* by region */
	PhHostCalls *out;
} Collecting;

static void
add_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	Collecting *collecting = user;
	PH_CHECK(&trace->scratch->env,
			 ph_host_calls_add_chunk(&trace->scratch->env, collecting->out, collecting->wanted,
									 trace->model.n_regions, &chunk->chunk, trace->reader));
}

static void
collect(PhTraceRun *trace, const bool *wanted, bool any, PhHostCalls *out)
{
	const PhTraceModel *model = &trace->model;
	Collecting collecting = {wanted, out};
	bool *threads = MemoryContextAllocZero(trace->scratch->context, Max(model->n_locations, 1));
	PhChunkQuery query = {.window = ph_window_all(), .want = PH_WANT_CALLS};
	for (uint32 i = 0; i < model->n_locations; i++)
		threads[i] = !ph_location_is_stream(&model->locations[i]);
	query.window.locations = threads;
	query.window.n_locations = model->n_locations;
	*out = (PhHostCalls){{NULL, 0, 0}};
	if (any)
		ph_trace_chunks(trace, &query, add_chunk, &collecting);
}

void
ph_stored_host_calls(PhTraceRun *trace, bool (*is_wanted)(const char *name), PhHostCalls *out)
{
	const PhTraceModel *model = &trace->model;
	bool *wanted = MemoryContextAllocZero(trace->scratch->context, Max(model->n_regions, 1));
	bool any = false;
	for (uint32 i = 0; i < model->n_regions; i++)
	{
		wanted[i] = is_wanted(model->regions[i].name);
		any |= wanted[i];
	}
	collect(trace, wanted, any, out);
}

void
ph_stored_calls_of(PhTraceRun *trace, const char *function, PhHostCalls *out)
{
	const PhTraceModel *model = &trace->model;
	bool *wanted = MemoryContextAllocZero(trace->scratch->context, Max(model->n_regions, 1));
	bool any = false;
	for (uint32 i = 0; i < model->n_regions; i++)
	{
		wanted[i] = strcmp(model->regions[i].name, function) == 0;
		any |= wanted[i];
	}
	collect(trace, wanted, any, out);
}
