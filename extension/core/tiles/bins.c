/*
 * bins.c - see bins.h.
 *
 * A cell of sums for each region, and one for the time outside of all calls, as in
 * trace/region_profile.c; a list names those that the open bin has touched.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "tiles/bins.h"

#include <string.h>

#include "base/min_max.h"
#include "base/vector.h"

#define OUTSIDE 0 /* the sum of no region; region r has sum r + 1 */

typedef struct Entry
{
	uint32_t region;
	int64_t ns;
} Entry;

typedef struct Bin
{
	uint32_t first_entry; /* up to that of the next bin */
	uint32_t longest_region;
	int64_t longest;
	uint32_t depth;
	uint32_t n_messages;
} Bin;

typedef struct Frame
{
	uint32_t sum;
	int64_t enter;
	int64_t callees; /* what finished ones took */
} Frame;

struct PhBins
{
	PhEnv *env;
	const uint8_t *activities;
	uint32_t n_regions;
	int64_t *sums;	   /* of the open bin */
	uint32_t *touched; /* sums that are not 0 */
	uint32_t n_touched;
	PH_VECTOR(Frame) stack;
	PH_VECTOR(Entry) entries;
	PH_VECTOR(Bin) bins; /* closed ones */
	Bin open;
	int64_t end;	   /* of the open bin; INT64_MAX: what comes is behind the window */
	int64_t first_bin; /* of bins */
	uint32_t most_bins;
	uint32_t level;
	bool is_window;
	bool is_before; /* what is open is the time before the window */
	bool has_calls;
};

PhStatus
ph_bins_new(PhEnv *env, const uint8_t *activities, uint32_t n_regions, PhBins **out)
{
	PhBins *bins;
	PH_TRY(ph_env_alloc(env, 1, sizeof(*bins), (void **) &bins));
	bins->env = env;
	bins->activities = activities;
	bins->n_regions = n_regions;
	size_t n = (size_t) n_regions + 1;
	PhStatus status = ph_env_alloc(env, n, sizeof(*bins->sums), (void **) &bins->sums);
	if (status == PH_OK)
		status = ph_env_alloc(env, n, sizeof(*bins->touched), (void **) &bins->touched);
	if (status != PH_OK)
		ph_bins_free(bins);
	else
		*out = bins;
	return status;
}

void
ph_bins_free(PhBins *bins)
{
	if (bins == NULL)
		return;
	PhEnv *env = bins->env;
	size_t n = (size_t) bins->n_regions + 1;
	ph_env_free(env, bins->sums, n, sizeof(*bins->sums));
	ph_env_free(env, bins->touched, n, sizeof(*bins->touched));
	PH_VECTOR_FREE(env, &bins->stack);
	PH_VECTOR_FREE(env, &bins->entries);
	PH_VECTOR_FREE(env, &bins->bins);
	ph_env_free(env, bins, 1, sizeof(*bins));
}

/* ---- the open bin ---- */

static void
forget_sums(PhBins *bins)
{
	for (uint32_t i = 0; i < bins->n_touched; i++)
		bins->sums[bins->touched[i]] = 0;
	bins->n_touched = 0;
}

static inline void
add_to_sum(PhBins *bins, uint32_t sum, int64_t ns)
{
	if (bins->sums[sum] == 0)
		bins->touched[bins->n_touched++] = sum;
	bins->sums[sum] += ns;
}

/* Where a bin ends; the last one of all times at INT64_MAX. */
static int64_t
end_of_bin(const PhBins *bins, int64_t bin)
{
	uint64_t next = (uint64_t) bin + 1;
	return next > (uint64_t) INT64_MAX >> bins->level ? INT64_MAX : (int64_t) (next << bins->level);
}

static void
open_bin(PhBins *bins, uint32_t depth)
{
	bins->open = (Bin){.first_entry = bins->entries.count, .depth = depth};
	bins->end = bins->bins.count == bins->most_bins
					? INT64_MAX
					: end_of_bin(bins, bins->first_bin + bins->bins.count);
}

static PhStatus
keep_sums(PhBins *bins)
{
	size_t n = (size_t) bins->entries.count + bins->n_touched;
	if (n > PH_BINS_MOST_ENTRIES)
		return ph_fail(bins->env, PH_ERR_LIMIT, "a location has too many regions in its bins");
	while (bins->entries.capacity < n)
		PH_TRY(ph_grow_in_env(bins->env, (void **) &bins->entries.items, bins->entries.count,
							  &bins->entries.capacity, sizeof(Entry)));
	for (uint32_t i = 0; i < bins->n_touched; i++)
	{
		uint32_t sum = bins->touched[i];
		if (sum != OUTSIDE)
			bins->entries.items[bins->entries.count++] = (Entry){sum - 1, bins->sums[sum]};
		bins->sums[sum] = 0;
	}
	bins->n_touched = 0;
	return PH_OK;
}

/* What is open becomes the next bin of the list. */
static PhStatus
close_bin(PhBins *bins)
{
	PH_TRY(PH_ROOM(bins->env, &bins->bins));
	PH_TRY(keep_sums(bins));
	bins->bins.items[bins->bins.count++] = bins->open;
	return PH_OK;
}

/* Nothing is stored of what is behind the window. */
static bool
is_behind(const PhBins *bins)
{
	return bins->bins.count == bins->most_bins && !bins->is_before;
}

/*
 * A stay in a region from `from` to `to` that does not end in the open bin: close that and those
 * that it fills, and open the one that it ends in. depth: calls that are open meanwhile.
 */
static PhStatus
cross_bins(PhBins *bins, uint32_t sum, int64_t from, int64_t to, uint32_t depth)
{
	while (to >= bins->end && !is_behind(bins))
	{
		PH_TRY(ph_env_poll(bins->env));
		if (bins->end > from)
			add_to_sum(bins, sum, bins->end - from);
		from = PH_MAX(from, bins->end);
		if (bins->is_before)
			forget_sums(bins);
		else
			PH_TRY(close_bin(bins));
		bins->is_before = false;
		open_bin(bins, depth);
	}
	if (to > from)
		add_to_sum(bins, sum, to - from);
	return PH_OK;
}

/* ---- levels ---- */

/* The sums and the rest of a bin into what is open. */
static void
join_bin(PhBins *bins, uint32_t i)
{
	const Bin *bin = &bins->bins.items[i];
	uint32_t end =
		i + 1 < bins->bins.count ? bins->bins.items[i + 1].first_entry : bins->entries.count;
	for (uint32_t e = bin->first_entry; e < end; e++)
		add_to_sum(bins, bins->entries.items[e].region + 1, bins->entries.items[e].ns);
	if (bin->longest > bins->open.longest)
	{
		bins->open.longest = bin->longest;
		bins->open.longest_region = bin->longest_region;
	}
	bins->open.depth = PH_MAX(bins->open.depth, bin->depth);
	bins->open.n_messages += bin->n_messages;
}

/*
 * Joins closed bins in pairs, in place: a pair has no more entries than its bins, and both have
 * been read when it is written.
 */
PhStatus
ph_bins_join(PhBins *bins)
{
	uint32_t n = bins->bins.count, n_entries = 0;
	for (uint32_t i = 0; i < n; i += 2)
	{
		PH_TRY(ph_env_poll(bins->env));
		bins->open = (Bin){.first_entry = n_entries};
		join_bin(bins, i);
		if (i + 1 < n)
			join_bin(bins, i + 1);
		for (uint32_t t = 0; t < bins->n_touched; t++)
		{
			uint32_t sum = bins->touched[t];
			bins->entries.items[n_entries++] = (Entry){sum - 1, bins->sums[sum]};
			bins->sums[sum] = 0;
		}
		bins->n_touched = 0;
		bins->bins.items[i / 2] = bins->open;
	}
	bins->bins.count = (n + 1) / 2;
	bins->entries.count = n_entries;
	bins->level++;
	return PH_OK;
}

/* Open the last closed bin again. */
static void
reopen_bin(PhBins *bins)
{
	uint32_t last = bins->bins.count - 1;
	Bin bin = bins->bins.items[last];
	bins->open = (Bin){.first_entry = bin.first_entry};
	join_bin(bins, last);
	bins->entries.count = bin.first_entry;
	bins->bins.count = last;
	bins->end = end_of_bin(bins, last);
}

/* Levels up until there is room for an event at this time. */
static PhStatus
reach(PhBins *bins, int64_t time)
{
	while ((uint64_t) time >> bins->level >= bins->most_bins)
	{
		PH_TRY(close_bin(bins));
		PH_TRY(ph_bins_join(bins));
		reopen_bin(bins);
	}
	return PH_OK;
}

/* ---- chunks ---- */

/* Calls that are open at the start of the chunk; returns the innermost. */
static Frame *
begin_stack(Frame *stack, const PhOpenCall *open, uint32_t depth)
{
	stack[0] = (Frame){.sum = OUTSIDE};
	for (uint32_t i = 0; i < depth; i++)
		stack[i + 1] = (Frame){open[i].region + 1, open[i].enter, open[i].callee_time};
	return stack + depth;
}

/* Sends and receives alone have a tag. */
static inline bool
is_message(uint32_t kind)
{
	return (ph_event_operands(kind) & PH_OPERAND_TAG) != 0;
}

static inline void
note_call(Bin *bin, const Frame *frame, int64_t own)
{
	if (own > bin->longest)
	{
		bin->longest = own;
		bin->longest_region = frame->sum - 1;
	}
}

static PhStatus
walk_events(PhBins *bins, const PhChunk *chunk, const PhChunkReader *reader, Frame *top)
{
	const int64_t *times = ph_chunk_times(reader);
	const uint8_t *kinds = ph_chunk_kinds(reader);
	const uint32_t *region = ph_chunk_enter_regions(reader);
	const Frame *bottom = bins->stack.items;
	int64_t before = chunk->t_prev;
	for (uint32_t i = 0; i < chunk->n_events; i++)
	{
		int64_t time = times[i];
		if (time >= bins->end)
			PH_TRY(cross_bins(bins, top->sum, before, time, (uint32_t) (top - bottom)));
		else if (time > before)
			add_to_sum(bins, top->sum, time - before);
		before = time;
		if (kinds[i] == PH_EVENT_ENTER)
		{
			*++top = (Frame){*region++ + 1, time, 0};
			bins->open.depth = PH_MAX(bins->open.depth, (uint32_t) (top - bottom));
		}
		else if (kinds[i] == PH_EVENT_LEAVE)
		{
			int64_t took = time - top->enter;
			note_call(&bins->open, top, took - top->callees);
			(--top)->callees += took;
		}
		else
			bins->open.n_messages += is_message(kinds[i]);
	}
	return PH_OK;
}

static PhStatus
check_regions(const PhBins *bins, const PhChunk *chunk, const PhChunkReader *reader,
			  const PhOpenCall *open, uint32_t depth)
{
	const uint32_t *regions = ph_chunk_enter_regions(reader);
	uint32_t highest = 0;
	if (ph_chunk_region_bits(reader) < bins->n_regions || chunk->n_enter + depth == 0)
		return PH_OK;
	for (uint32_t i = 0; i < chunk->n_enter; i++)
		highest = PH_MAX(highest, regions[i]);
	for (uint32_t i = 0; i < depth; i++)
		highest = PH_MAX(highest, open[i].region);
	return highest < bins->n_regions
			   ? PH_OK
			   : ph_fail(bins->env, PH_ERR_FORMAT, "a call is of a region that does not exist");
}

PhStatus
ph_bins_add_chunk(PhBins *bins, const PhChunk *chunk, const PhChunkReader *reader)
{
	uint32_t depth;
	const PhOpenCall *open = ph_chunk_stack(reader, &depth);
	PH_TRY(check_regions(bins, chunk, reader, open, depth));
	PH_TRY(PH_RESERVE(bins->env, &bins->stack, (size_t) depth + chunk->n_enter + 1));
	if (!bins->is_window)
		PH_TRY(reach(bins, chunk->t_last));
	/* nothing is kept of the time in which nobody calls, but the bins that it fills */
	PH_TRY(cross_bins(bins, OUTSIDE, chunk->t_prev, chunk->t_prev, 0));
	bins->open.depth = PH_MAX(bins->open.depth, depth);
	bins->has_calls = bins->has_calls || depth + chunk->n_enter > 0;
	return walk_events(bins, chunk, reader, begin_stack(bins->stack.items, open, depth));
}

static void
begin(PhBins *bins)
{
	forget_sums(bins);
	bins->entries.count = bins->bins.count = 0;
	bins->has_calls = false;
}

void
ph_bins_begin(PhBins *bins, uint32_t most_bins)
{
	begin(bins);
	bins->is_window = bins->is_before = false;
	bins->level = 0;
	bins->first_bin = 0;
	bins->most_bins = most_bins;
	open_bin(bins, 0);
}

void
ph_bins_begin_window(PhBins *bins, uint32_t level, int64_t first_bin, uint32_t n_bins)
{
	begin(bins);
	bins->is_window = true;
	bins->level = level;
	bins->first_bin = first_bin;
	bins->most_bins = n_bins;
	open_bin(bins, 0);
	bins->is_before = first_bin > 0;
	if (bins->is_before)
		bins->end = end_of_bin(bins, first_bin - 1);
}

PhStatus
ph_bins_end(PhBins *bins)
{
	if (bins->is_before || is_behind(bins))
		forget_sums(bins);
	else
		PH_TRY(close_bin(bins));
	return PH_OK;
}

uint32_t
ph_bins_level(const PhBins *bins)
{
	return bins->level;
}

bool
ph_bins_is_window(const PhBins *bins)
{
	return bins->is_window;
}

int64_t
ph_bins_first(const PhBins *bins)
{
	return bins->first_bin;
}

bool
ph_bins_has_calls(const PhBins *bins)
{
	return bins->has_calls;
}

uint32_t
ph_bins_count(const PhBins *bins)
{
	return bins->bins.count;
}

/* ---- cells ---- */

static uint32_t
share_of(int64_t ns, uint32_t level)
{
	uint64_t time = (uint64_t) ns;
	if (level <= 12)
		return (uint32_t) (time << (12 - level));
	return (uint32_t) ((time + (UINT64_C(1) << (level - 13))) >> (level - 12));
}

static inline bool
is_before(const Entry *a, const Entry *b)
{
	return a->ns > b->ns || (a->ns == b->ns && a->region < b->region);
}

/* The nine largest of n entries, in order; returns how many there are. */
static uint32_t
take_largest(const Entry *entries, uint32_t n, Entry *largest)
{
	uint32_t taken = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		if (taken == PH_CELL_COUNTERS + 1 && !is_before(&entries[i], &largest[taken - 1]))
			continue;
		uint32_t at = taken <= PH_CELL_COUNTERS ? taken++ : PH_CELL_COUNTERS;
		for (; at > 0 && is_before(&entries[i], &largest[at - 1]); at--)
			largest[at] = largest[at - 1];
		largest[at] = entries[i];
	}
	return taken;
}

static void
sum_activities(const PhBins *bins, const Entry *entries, uint32_t n, PhOwnCell *cell)
{
	int64_t activity[PH_ACTIVITIES] = {0};
	for (uint32_t i = 0; i < n; i++)
		activity[bins->activities[entries[i].region]] += entries[i].ns;
	for (uint32_t i = 0; i < PH_ACTIVITIES; i++)
		cell->activity[i] = (uint16_t) share_of(activity[i], bins->level);
}

static void
fill_shares(const PhBins *bins, const Entry *entries, uint32_t n, PhOwnCell *cell,
			PhCounter *counters)
{
	Entry largest[PH_CELL_COUNTERS + 1];
	uint32_t taken = take_largest(entries, n, largest);
	sum_activities(bins, entries, n, cell);
	for (uint32_t i = 0; i < taken && i < PH_CELL_COUNTERS; i++)
	{
		uint32_t share = share_of(largest[i].ns, bins->level);
		if (share > 0)
			counters[cell->n++] = (PhCounter){largest[i].region, share};
	}
	if (taken > PH_CELL_COUNTERS)
		cell->ninth = (uint16_t) share_of(largest[PH_CELL_COUNTERS].ns, bins->level);
	cell->is_present = n > 0;
}

uint32_t
ph_bins_most_counters(const PhBins *bins)
{
	return bins->entries.count;
}

PhStatus
ph_bins_cells(const PhBins *bins, PhOwnCell *cells, PhCounter *counters, uint32_t *n_counters)
{
	uint32_t n = bins->bins.count;
	for (uint32_t i = 0; i < n; i++)
	{
		const Bin *bin = &bins->bins.items[i];
		uint32_t end = i + 1 < n ? bin[1].first_entry : bins->entries.count;
		PH_TRY(ph_env_poll(bins->env));
		cells[i] = (PhOwnCell){.first = *n_counters,
							   .depth = bin->depth,
							   .n_messages = bin->n_messages,
							   .longest = bin->longest,
							   .longest_region = bin->longest_region};
		fill_shares(bins, bins->entries.items + bin->first_entry, end - bin->first_entry, &cells[i],
					counters + *n_counters);
		*n_counters += cells[i].n;
	}
	return PH_OK;
}

void
ph_cell_widen(const PhOwnCell *own, const PhCounter *counters, uint32_t location, PhBinCell *out)
{
	uint32_t i = 0;
	counters += own->first;
	for (; i < own->n; i++)
	{
		out->region[i] = counters[i].region;
		out->share[i] = counters[i].share;
	}
	for (; i < PH_CELL_COUNTERS; i++)
		out->region[i] = out->share[i] = 0;
	out->ninth = own->ninth;
	for (i = 0; i < PH_ACTIVITIES; i++)
		out->activity[i] = own->activity[i];
	out->depth = own->depth;
	out->n_messages = own->n_messages;
	out->n_present = own->is_present;
	out->longest = (PhLongestCall){0};
	if (own->longest != 0)
		out->longest = (PhLongestCall){own->longest, own->longest_region, location};
}
