/*
 * totals.c - see totals.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "devices/totals.h"

#include <math.h>

#include "base/min_max.h"
#include "trace/chunk/device_records.h"

PhStatus
ph_totals_begin(PhArena *arena, const PhTraceModel *model, int64_t from, int64_t to,
				PhActivityTotals *out)
{
	*out = (PhActivityTotals){
		.arena = arena, .model = model, .from = from, .to = to, .location = PH_NONE};
	ph_map_init(&out->cells, arena);
	return PH_NEW(arena, model->n_regions, &out->by_region);
}

/* ---- one activity ---- */

/* The power of two, and the four bits behind the highest one. */
static uint32_t
class_of(int64_t duration)
{
	uint64_t value = (uint64_t) PH_MAX(duration, 0);
	if (value < 16)
		return (uint32_t) value;
	uint32_t power = 63 - (uint32_t) __builtin_clzll(value);
	return (power - 3) * 16 + (uint32_t) (value >> (power - 4) & 15);
}

/* The middle of a class. */
static double
duration_of(uint32_t class)
{
	if (class < 16)
		return class;
	uint32_t power = class / 16 + 3;
	double width = ldexp(1, (int) power - 4);
	return (16 + class % 16) * width + (width - 1) / 2;
}

static PhStatus
first_of_region(PhActivityTotals *totals, PhActivityTotal *total, int64_t duration)
{
	total->min = total->max = total->shift = duration;
	return PH_NEW(totals->arena, PH_DURATION_CLASSES, &total->classes);
}

static inline PhStatus
take(PhActivityTotals *totals, PhOpenActivity activity, int64_t end)
{
	PhActivityTotal *total = &totals->by_region[activity.region];
	int64_t duration = end - activity.start;
	double difference;
	if (activity.start >= totals->to || end < totals->from)
		return PH_OK;
	if (total->n == 0)
		PH_TRY(first_of_region(totals, total, duration));
	difference = (double) (duration - total->shift);
	total->n++;
	total->total += duration;
	if (activity.bytes != 0)
		total->bytes += activity.bytes;
	if (duration < total->min)
		total->min = duration;
	if (duration > total->max)
		total->max = duration;
	total->sum += difference;
	total->squares += difference * difference;
	total->classes[class_of(duration)]++;
	return PH_OK;
}

/* ---- locations ---- */

static PhStatus
end_location(PhActivityTotals *totals)
{
	if (totals->location == PH_NONE)
		return PH_OK;
	while (totals->open.count > 0)
		PH_TRY(take(totals, totals->open.items[--totals->open.count], totals->last));
	uint32_t rank = (uint32_t) totals->model->locations[totals->location].rank, *cell;
	for (uint32_t region = 0; region < totals->model->n_regions; region++)
	{
		PhActivityTotal *total = &totals->by_region[region];
		if (total->total == total->before_location)
			continue;
		PH_TRY(
			ph_map_enter(&totals->cells, ph_map_key(region, rank), totals->of_cell.count, &cell));
		if (*cell == totals->of_cell.count)
		{
			PH_TRY(PH_ROOM(totals->arena, &totals->of_cell));
			totals->of_cell.items[totals->of_cell.count++] = 0;
		}
		totals->of_cell.items[*cell] += total->total - total->before_location;
		total->before_location = total->total;
	}
	return PH_OK;
}

/* Room for n more that are open, so that a chunk's events need not look. */
static PhStatus
make_room(PhActivityTotals *totals, uint32_t n)
{
	uint64_t needed = (uint64_t) totals->open.count + n;
	while (totals->open.capacity < needed)
		PH_TRY(ph_grow_in_arena(totals->arena, (void **) &totals->open.items, totals->open.count,
								&totals->open.capacity, sizeof(*totals->open.items)));
	return PH_OK;
}

/* What is open at the chunk's start is known from the chunk before, if it was added. */
static PhStatus
resume(PhActivityTotals *totals, const PhChunk *chunk, const PhChunkReader *reader)
{
	uint32_t depth;
	const PhOpenCall *stack = ph_chunk_stack(reader, &depth);
	bool follows = totals->location == chunk->location && totals->open.count == depth;
	if (!follows)
		PH_TRY(end_location(totals));
	PH_TRY(make_room(totals, chunk->n_enter + (follows ? 0 : depth)));
	if (follows)
		return PH_OK;
	totals->location = chunk->location;
	for (uint32_t i = 0; i < depth; i++)
		totals->open.items[i] = (PhOpenActivity){stack[i].region, stack[i].enter, 0};
	totals->open.count = depth;
	return PH_OK;
}

/* The bytes of a record are those of the innermost activity. */
static inline void
take_record(PhOpenActivity *open, uint32_t depth, const PhOperandArrays *extras, uint32_t extra,
			uint32_t value)
{
	if (extras->operation[extra] == PH_RECORD_ACTIVITY &&
		extras->n_values[extra] > PH_ACTIVITY_BYTES && depth > 0)
		open[depth - 1].bytes = extras->values[value + PH_ACTIVITY_BYTES];
}

/*
 * There is room. Nearly all activities call nothing: without records to be looked at they are taken
 * as a whole.
 */
static PhStatus
take_events(PhActivityTotals *totals, const PhChunk *chunk, const PhChunkReader *reader)
{
	const uint8_t *kinds = ph_chunk_kinds(reader);
	const int64_t *times = ph_chunk_times(reader);
	const uint32_t *region = ph_chunk_enter_regions(reader);
	const PhOperandArrays *extras = ph_chunk_extras(reader);
	PhOpenActivity *open = totals->open.items;
	uint32_t depth = totals->open.count, n = chunk->n_events, extra = 0, value = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		if (kinds[i] == PH_EVENT_ENTER)
		{
			PhOpenActivity activity = {*region++, times[i], 0};
			uint32_t end = extras == NULL ? ph_leaf_end(kinds, i, n) : n;
			if (end == n)
				open[depth++] = activity;
			else
			{
				PH_TRY(take(totals, activity, times[end]));
				i = end;
			}
		}
		else if (kinds[i] == PH_EVENT_LEAVE)
			PH_TRY(take(totals, open[--depth], times[i]));
		else if (kinds[i] >= PH_EVENT_METRIC && extras != NULL)
		{
			take_record(open, depth, extras, extra, value);
			value += extras->n_values[extra++];
		}
	}
	totals->open.count = depth;
	return PH_OK;
}

PhStatus
ph_totals_add_chunk(PhActivityTotals *totals, const PhChunk *chunk, const PhChunkReader *reader)
{
	PH_TRY(ph_env_poll(totals->arena->env));
	PH_TRY(ph_chunk_check_regions(totals->arena->env, chunk, reader, totals->model->n_regions));
	PH_TRY(resume(totals, chunk, reader));
	PH_TRY(take_events(totals, chunk, reader));
	totals->last = chunk->t_last;
	return PH_OK;
}

/* ---- the result ---- */

PhStatus
ph_totals_finish(PhActivityTotals *totals)
{
	PH_TRY(end_location(totals));
	totals->location = PH_NONE;
	for (uint32_t i = 0; i < totals->cells.count; i++)
	{
		PhActivityTotal *total = &totals->by_region[totals->cells.keys[i] >> 32];
		int64_t of_rank = totals->of_cell.items[totals->cells.values[i]];
		total->rank_min = total->n_ranks == 0 ? of_rank : PH_MIN(total->rank_min, of_rank);
		total->rank_max = total->n_ranks == 0 ? of_rank : PH_MAX(total->rank_max, of_rank);
		total->n_ranks++;
	}
	return PH_OK;
}

double
ph_total_quantile(const PhActivityTotal *total, double share)
{
	uint64_t wanted = (uint64_t) ceil(share * (double) total->n), n = 0;
	uint32_t class = 0;
	for (; class + 1 < PH_DURATION_CLASSES; class ++)
	{
		n += total->classes[class];
		if (n >= wanted && n > 0)
			break;
	}
	return fmin(fmax(duration_of(class), (double) total->min), (double) total->max);
}

double
ph_total_deviation(const PhActivityTotal *total)
{
	double n = (double) total->n;
	if (total->n < 2)
		return NAN;
	return sqrt(fmax(total->squares - total->sum * total->sum / n, 0) / (n - 1));
}
