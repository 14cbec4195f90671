/*
 * fn_kernels.c - kernels and copies of devices by name.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "base/sort.h"
#include "base/table.h"
#include "devices/stored.h"
#include "server/compat.h"
#include "server/rowio.h"

/* What calls of a region took, of all ranks or of one. */
typedef struct Total
{
	uint32 region;
	int64 calls, total, min, max;
	double squares; /* of differences from the mean */
	uint64 bytes;
	uint32 n_ranks;
	int64 rank_min, rank_max; /* totals of the ranks that took least and most */
} Total;

typedef struct Totals
{
	const PhStoredActivities *stored;
	bool of_kernels;
	Total *by_region;
	int64 all;
} Totals;

static bool
is_wanted(const Totals *totals, uint32 region)
{
	return totals->of_kernels == ph_activity_kind_is_kernel(totals->stored->kinds[region]);
}

static void
add_duration(Total *total, const PhDeviceActivity *activity)
{
	int64 duration = activity->end - activity->start;
	total->min = total->calls == 0 ? duration : Min(total->min, duration);
	total->max = Max(total->max, duration);
	total->calls++;
	total->total += duration;
	total->bytes += activity->bytes;
}

static void
add_rank(Total *total, int64 of_rank)
{
	total->rank_min = total->n_ranks == 0 ? of_rank : Min(total->rank_min, of_rank);
	total->rank_max = Max(total->rank_max, of_rank);
	total->n_ranks++;
}

/* Totals by region and rank, and what they are over ranks. */
static void
add_ranks(Totals *totals)
{
	const PhStoredActivities *stored = totals->stored;
	const PhTraceModel *model = &stored->trace->model;
	PhMap cells;
	uint32_t n = 0, capacity = 0, *cell;
	int64 *of_cell = NULL;
	ph_map_init(&cells, stored->arena);
	for (uint32 i = 0; i < stored->activities.list.count; i++)
	{
		const PhDeviceActivity *activity = &stored->activities.list.items[i];
		uint32 rank = (uint32) model->locations[activity->location].rank;
		if (!is_wanted(totals, activity->region))
			continue;
		PH_CHECK(stored->env, PH_GROW(stored->arena, &of_cell, n, &capacity));
		PH_CHECK(stored->env, ph_map_enter(&cells, ph_map_key(activity->region, rank), n, &cell));
		if (*cell == n)
			of_cell[n++] = 0;
		of_cell[*cell] += activity->end - activity->start;
	}
	for (uint32 i = 0; i < n; i++)
		add_rank(&totals->by_region[cells.keys[i] >> 32], of_cell[cells.values[i]]);
}

static void
add_up(Totals *totals)
{
	const PhStoredActivities *stored = totals->stored;
	const PhDeviceActivity *list = stored->activities.list.items;
	PH_CHECK(stored->env,
			 PH_NEW(stored->arena, stored->trace->model.n_regions, &totals->by_region));
	for (uint32 i = 0; i < stored->activities.list.count; i++)
	{
		if (!is_wanted(totals, list[i].region))
			continue;
		add_duration(&totals->by_region[list[i].region], &list[i]);
		totals->all += list[i].end - list[i].start;
	}
	for (uint32 i = 0; i < stored->activities.list.count; i++)
	{
		Total *total = &totals->by_region[list[i].region];
		double mean = total->calls == 0 ? 0 : (double) total->total / (double) total->calls;
		double difference = (double) (list[i].end - list[i].start) - mean;
		total->squares += difference * difference;
	}
	add_ranks(totals);
}

/* The dearest first, then by name. */
static int
compare_totals(const void *context, uint32_t x, uint32_t y)
{
	const Totals *totals = context;
	const PhTraceRegion *regions = totals->stored->trace->model.regions;
	const Total *a = &totals->by_region[x], *b = &totals->by_region[y];
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return strcmp(regions[x].name, regions[y].name);
}

static void
put_shared(PhRows *rows, const Totals *totals, uint32 region)
{
	const Total *total = &totals->by_region[region];
	ph_rows_text(rows, "name", totals->stored->trace->model.regions[region].name);
	ph_rows_bigint(rows, "calls", total->calls);
	ph_rows_bigint(rows, "total", total->total);
	ph_rows_number(rows, "share",
				   totals->all > 0 ? (double) total->total / (double) totals->all : NAN);
}

static void
put_kernel(PhRows *rows, const Totals *totals, uint32 region)
{
	const Total *total = &totals->by_region[region];
	double n = (double) total->calls;
	put_shared(rows, totals, region);
	ph_rows_number(rows, "mean", (double) total->total / n);
	ph_rows_bigint(rows, "min", total->min);
	ph_rows_bigint(rows, "max", total->max);
	ph_rows_number(rows, "deviation", total->calls > 1 ? sqrt(total->squares / (n - 1)) : NAN);
	ph_rows_int(rows, "n_ranks", (int32) total->n_ranks);
	ph_rows_bigint(rows, "rank_min", total->rank_min);
	ph_rows_bigint(rows, "rank_max", total->rank_max);
	ph_rows_bool(rows, "communicates", totals->stored->kinds[region] == PH_ACTIVITY_COMMUNICATION);
	ph_rows_put(rows);
}

static void
put_copy(PhRows *rows, const Totals *totals, uint32 region)
{
	const Total *total = &totals->by_region[region];
	put_shared(rows, totals, region);
	ph_rows_bigint(rows, "bytes", (int64) total->bytes);
	ph_rows_number(rows, "bandwidth",
				   total->total > 0 ? (double) total->bytes * 1e9 / (double) total->total : NAN);
	ph_rows_put(rows);
}

static Datum
rows_by_name(FunctionCallInfo fcinfo, bool of_kernels)
{
	PhRows rows;
	PhStoredActivities stored;
	uint32_t *order;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	ph_stored_activities_begin(fcinfo, of_kernels ? 0 : PH_ACTIVITY_WANT_BYTES, &stored);
	Totals totals = {.stored = &stored, .of_kernels = of_kernels};
	add_up(&totals);
	uint32 n = stored.trace->model.n_regions;
	PH_CHECK(stored.env, ph_sort_indices(stored.arena, n, compare_totals, &totals, &order));
	for (uint32 i = 0; i < n; i++)
	{
		if (totals.by_region[order[i]].calls == 0)
			continue;
		if (of_kernels)
			put_kernel(&rows, &totals, order[i]);
		else
			put_copy(&rows, &totals, order[i]);
	}
	ph_stored_activities_end(&stored);
	return (Datum) 0;
}

PH_FUNCTION(ph_kernels)
{
	return rows_by_name(fcinfo, true);
}

PH_FUNCTION(ph_copies)
{
	return rows_by_name(fcinfo, false);
}
