/*
 * fn_aggregates.c - what a location did in the time before a communication event.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "logical/args.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "trace/names.h"
#include "trace/time_profile.h"

typedef struct Gap
{
	int64 seq; /* of the event after it */
	int64 from, to;
	bool found;
} Gap;

/*
 * The time between event gap->seq and the event before it on its timeline: from the latter's end,
 * or from 0 (the start of the trace) when the event is the first, to the event's begin.
 */
static void
find_gap(void *user, PhTraceRun *trace, const PhLogicalEvents *events)
{
	Gap *gap = user;
	for (uint32 i = 0; i < events->n_events; i++)
	{
		int64 seq = (int64) events->first_seq + i;
		if (seq + 1 == gap->seq)
			gap->from = events->leave[i];
		if (seq == gap->seq)
		{
			gap->to = events->enter[i];
			gap->found = true;
		}
	}
}

typedef struct RegionTime
{
	const char *name;
	int64 time;
} RegionTime;

static void
add_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	PH_CHECK(&trace->scratch->env, ph_time_profile_add_chunk(user, &chunk->chunk, trace->reader));
}

/* Most time first, then by name. */
static int
compare_times(const void *a, const void *b)
{
	const RegionTime *x = a, *y = b;
	if (x->time != y->time)
		return x->time > y->time ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Sums by name: regions of one name are one. Returns how many. */
static size_t
sum_by_name(PhTraceRun *trace, PhTimeProfile *profile, RegionTime **out)
{
	PhArena *arena = &trace->scratch->arena;
	const PhTimeProfileRow *cells;
	const uint32 *names = ph_trace_regions_by_name(trace);
	int64 *sums;
	size_t n_cells, n = 0;
	PH_CHECK(arena->env, ph_time_profile_rows(profile, &cells, &n_cells));
	PH_CHECK(arena->env, PH_NEW(arena, trace->model.n_regions, &sums));
	PH_CHECK(arena->env, PH_NEW(arena, n_cells, out));
	for (size_t i = 0; i < n_cells; i++)
	{
		if (cells[i].region >= trace->model.n_regions)
			ph_trace_refuse(trace, "a call is of a region that does not exist");
		sums[names[cells[i].region]] += cells[i].exclusive;
	}
	for (uint32 r = 0; r < trace->model.n_regions; r++)
		if (sums[r] != 0)
			(*out)[n++] = (RegionTime){trace->model.regions[r].name, sums[r]};
	qsort(*out, n, sizeof(RegionTime), compare_times);
	return n;
}

static void
put_composition(PhRows *rows, PhTraceRun *trace, const bool *locations, const Gap *gap)
{
	PhEnv *env = &trace->scratch->env;
	PhTimeBins bins = {gap->from, gap->to, 1};
	PhChunkQuery query = {.window = {.from = gap->from,
									 .to = gap->to,
									 .locations = locations,
									 .n_locations = trace->model.n_locations},
						  .want = PH_WANT_CALLS,
						  .from_before = true};
	PhTimeProfile *profile;
	RegionTime *times;
	if (gap->to <= gap->from)
		return;
	PH_CHECK(env, ph_time_profile_new(env, &bins, &profile));
	ph_trace_chunks(trace, &query, add_chunk, profile);
	size_t n = sum_by_name(trace, profile, &times);
	for (size_t i = 0; i < n; i++)
	{
		ph_rows_text(rows, "region", times[i].name);
		ph_rows_bigint(rows, "time", times[i].time);
		ph_rows_put(rows);
	}
}

PH_FUNCTION(ph_logical_aggregates)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		return (Datum) 0;
	Gap gap = {.seq = PG_GETARG_INT64(2)};
	int32 location = PG_GETARG_INT32(1);
	PhLogicalStored stored = ph_logical_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS);
	PhTraceRun *trace = stored.trace;
	if (stored.timelines != NULL)
		ereport(ERROR, (errcode(PH_ERRCODE_UNSUPPORTED),
						errmsg("run " INT64_FORMAT " is of tasks: between their events is no time "
							   "of their own",
							   trace->run_id),
						errhint("serial_blocks shows what processors executed.")));
	uint32 n_locations = trace->model.n_locations;
	bool *locations = MemoryContextAllocZero(trace->scratch->context, Max(n_locations, 1));
	PhStepWindow window = {.to = (int64) PG_INT32_MAX + 1, .locations = locations};
	if (location >= 0 && (uint32) location < n_locations)
	{
		locations[location] = true;
		ph_logical_chunks(&stored, &window, PH_LOGICAL_WANT_PLACES, find_gap, &gap);
	}
	if (!gap.found)
		ereport(ERROR, (errcode(PH_ERRCODE_NOT_FOUND),
						errmsg("location %d of run " INT64_FORMAT
							   " has no communication event " INT64_FORMAT,
							   location, trace->run_id, gap.seq),
						errhint("logical_steps lists them.")));
	put_composition(&rows, trace, locations, &gap);
	ph_trace_end(trace);
	return (Datum) 0;
}
