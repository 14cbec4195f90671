/*
 * placement.c - see placement.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "base/sort.h"
#include "trace/placement.h"

static void *
room_for(PhTraceRun *trace, size_t n)
{
	return MemoryContextAllocHuge(trace->scratch->context, sizeof(uint32) * Max(n, 1));
}

static bool
is_stream(const PhTraceRun *trace, const PhTimelineRows *placement, uint32 place)
{
	return ph_location_is_stream(&trace->model.locations[placement->shown[place]]);
}

static uint32
rows_for(uint32 n, uint32 a_row)
{
	return (n + a_row - 1) / a_row;
}

/* Rows of a_row locations each; with one row only, threads and streams share it. */
static void
cut_rows(PhTraceRun *trace, PhTimelineRows *placement, uint32 max_rows)
{
	uint32 n = placement->n_shown, n_threads = 0;
	while (n_threads < n && !is_stream(trace, placement, n_threads))
		n_threads++;
	if (max_rows == 1)
		n_threads = n;
	uint32 a_row = Max(rows_for(n, max_rows), 1);
	while (rows_for(n_threads, a_row) + rows_for(n - n_threads, a_row) > max_rows)
		a_row++;
	uint32 most = rows_for(n_threads, a_row) + rows_for(n - n_threads, a_row);
	placement->first = room_for(trace, (size_t) most + 1);
	for (uint32 at = 0; at < n;)
	{
		placement->first[placement->n_rows++] = at;
		at = at < n_threads ? Min(at + a_row, n_threads) : Min(at + a_row, n);
	}
	placement->first[placement->n_rows] = n;
	placement->is_shared = placement->n_rows < n;
}

typedef struct Sorting
{
	const PhTraceRun *trace;
	const PhTimelineRows *placement;
	const uint32 *last_of_rank; /* by rank: the last row with a thread of it; PH_NONE */
} Sorting;

/* Below which row of threads a row is, or itself. */
static uint32
anchor_of(const Sorting *sorting, uint32 row)
{
	uint32 first = sorting->placement->first[row];
	const PhTraceModel *model = &sorting->trace->model;
	int32 rank = model->locations[sorting->placement->shown[first]].rank;
	if (!is_stream(sorting->trace, sorting->placement, first))
		return row;
	return rank >= 0 && (uint32) rank < model->n_ranks ? sorting->last_of_rank[rank] : PH_NONE;
}

static int
compare_rows(const void *context, uint32_t x, uint32_t y)
{
	uint32 a = anchor_of(context, x), b = anchor_of(context, y);
	return a != b ? (a < b ? -1 : 1) : (x > y) - (x < y);
}

/* The last row, in order of locations, with a thread of each rank. */
static const uint32 *
find_last_rows(PhTraceRun *trace, const PhTimelineRows *placement)
{
	const PhTraceModel *model = &trace->model;
	uint32 *last = room_for(trace, model->n_ranks);
	for (uint32 rank = 0; rank < model->n_ranks; rank++)
		last[rank] = PH_NONE;
	for (uint32 row = 0; row < placement->n_rows; row++)
		for (uint32 at = placement->first[row]; at < placement->first[row + 1]; at++)
		{
			int32 rank = model->locations[placement->shown[at]].rank;
			if (rank >= 0 && (uint32) rank < model->n_ranks && !is_stream(trace, placement, at))
				last[rank] = row;
		}
	return last;
}

static void
number_rows(PhTraceRun *trace, PhTimelineRows *placement)
{
	Sorting sorting = {trace, placement, find_last_rows(trace, placement)};
	PH_CHECK(&trace->scratch->env, ph_sort_indices(&trace->scratch->arena, placement->n_rows,
												   compare_rows, &sorting, &placement->order));
	placement->number = room_for(trace, placement->n_rows);
	for (uint32 i = 0; i < placement->n_rows; i++)
		placement->number[placement->order[i]] = i;
}

PhTimelineRows
ph_place_locations(PhTraceRun *trace, const bool *wanted, uint32 max_rows)
{
	uint32 n = trace->model.n_locations;
	PhTimelineRows placement = {0};
	placement.shown = room_for(trace, n);
	placement.place_of = room_for(trace, n);
	for (uint32 i = 0; i < n; i++)
	{
		bool is_shown = wanted == NULL || wanted[i];
		placement.place_of[i] = is_shown ? placement.n_shown : PH_NONE;
		if (is_shown)
			placement.shown[placement.n_shown++] = i;
	}
	cut_rows(trace, &placement, max_rows);
	number_rows(trace, &placement);
	return placement;
}

uint32
ph_row_of_place(const PhTimelineRows *placement, uint32 place)
{
	uint32 low = 0, high = placement->n_rows;
	while (high - low > 1)
	{
		uint32 middle = low + (high - low) / 2;
		if (placement->first[middle] <= place)
			low = middle;
		else
			high = middle;
	}
	return low;
}
