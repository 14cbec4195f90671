/*
 * rank_clocks.c - see rank_clocks.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "devices/rank_clocks.h"

#include <string.h>

#include "base/min_max.h"
#include "base/sort.h"

#define LEAST_FOR_DRIFT 9
#define MOST_DRIFT 1e-3 /* clocks of machines differ by less than a thousandth */

/* The kernels of a key on a rank, by begin. */
typedef struct KernelList
{
	uint64_t key;
	uint32_t rank, first, n;
} KernelList;

/* Ends of the same collective: by the clock of a rank, and how far the reference's is ahead. */
typedef struct EndPair
{
	int64_t end, ahead, length;
} EndPair;

typedef struct Comparing
{
	PhArena *arena;
	const PhClockKernel *kernels;
	KernelList *lists; /* by key, then rank */
	uint32_t n_lists;
	uint32_t *of_rank, *by_rank; /* lists of rank r: by_rank[of_rank[r]] up to of_rank[r + 1] */
	uint32_t *set; /* by rank: the first of those that it shares collectives with; PH_NONE */
	bool *is_seen; /* by list: ranks of its key were compared */
	EndPair *pairs, *others, *spare; /* room for as many as there are kernels */
	int64_t *numbers;
	uint32_t *order, *buffer;
	PhRankClocks *out;
} Comparing;

static int
compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int
compare_kernels(const void *context, uint32_t x, uint32_t y)
{
	const PhClockKernel *a = (const PhClockKernel *) context + x;
	const PhClockKernel *b = (const PhClockKernel *) context + y;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->begin != b->begin ? compare_numbers(a->begin, b->begin)
								: compare_numbers(a->end, b->end);
}

static int
compare_places(const void *context, uint32_t x, uint32_t y)
{
	const int64_t *numbers = context;
	return compare_numbers(numbers[x], numbers[y]);
}

static int
compare_pairs(const void *context, uint32_t x, uint32_t y)
{
	const EndPair *pairs = context;
	return compare_numbers(pairs[x].end, pairs[y].end);
}

/* ---- order ---- */

static PhStatus
sort_kernels(Comparing *comparing, const PhClockKernel *kernels, uint32_t n)
{
	PhClockKernel *sorted;
	uint32_t *order;
	PH_TRY(PH_NEW(comparing->arena, n, &sorted));
	PH_TRY(ph_sort_indices(comparing->arena, n, compare_kernels, kernels, &order));
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = kernels[order[i]];
	comparing->kernels = sorted;
	return PH_OK;
}

static PhStatus
order_places(const Comparing *comparing, uint32_t n, PhCompareFunction compare, const void *context)
{
	for (uint32_t i = 0; i < n; i++)
		comparing->order[i] = i;
	return ph_sort(comparing->arena->env, comparing->order, n, comparing->buffer, compare, context);
}

static PhStatus
sort_pairs(const Comparing *comparing, EndPair *pairs, uint32_t n)
{
	PH_TRY(order_places(comparing, n, compare_pairs, pairs));
	memcpy(comparing->spare, pairs, n * sizeof(*pairs));
	for (uint32_t i = 0; i < n; i++)
		pairs[i] = comparing->spare[comparing->order[i]];
	return PH_OK;
}

/* That which so many of the n numbers are before. */
static PhStatus
find_quantile(const Comparing *comparing, uint32_t n, uint32_t before, int64_t *out)
{
	PH_TRY(order_places(comparing, n, compare_places, comparing->numbers));
	*out = comparing->numbers[comparing->order[before]];
	return PH_OK;
}

/* ---- lists ---- */

static PhStatus
make_lists(Comparing *comparing, uint32_t n, uint32_t n_ranks)
{
	const PhClockKernel *kernels = comparing->kernels;
	uint32_t *next;
	PH_TRY(PH_NEW(comparing->arena, n, &comparing->lists));
	for (uint32_t i = 0; i < n; i++)
	{
		KernelList *last =
			comparing->n_lists == 0 ? NULL : &comparing->lists[comparing->n_lists - 1];
		if (last == NULL || last->key != kernels[i].key || last->rank != kernels[i].rank)
			comparing->lists[comparing->n_lists++] =
				(KernelList){kernels[i].key, kernels[i].rank, i, 1};
		else
			last->n++;
	}
	PH_TRY(PH_NEW(comparing->arena, (size_t) n_ranks + 1, &comparing->of_rank));
	PH_TRY(PH_NEW(comparing->arena, (size_t) n_ranks + 1, &next));
	PH_TRY(PH_NEW(comparing->arena, comparing->n_lists, &comparing->by_rank));
	PH_TRY(PH_NEW(comparing->arena, comparing->n_lists, &comparing->is_seen));
	for (uint32_t i = 0; i < comparing->n_lists; i++)
		comparing->of_rank[comparing->lists[i].rank + 1]++;
	for (uint32_t r = 0; r < n_ranks; r++)
		comparing->of_rank[r + 1] += comparing->of_rank[r];
	memcpy(next, comparing->of_rank, ((size_t) n_ranks + 1) * sizeof(*next));
	for (uint32_t i = 0; i < comparing->n_lists; i++)
		comparing->by_rank[next[comparing->lists[i].rank]++] = i;
	return PH_OK;
}

/* Where the lists of a list's key begin and end. */
static void
lists_of_key(const Comparing *comparing, uint32_t list, uint32_t *first, uint32_t *end)
{
	uint64_t key = comparing->lists[list].key;
	*first = *end = list;
	while (*first > 0 && comparing->lists[*first - 1].key == key)
		--*first;
	while (*end < comparing->n_lists && comparing->lists[*end].key == key)
		++*end;
}

/* ---- two ranks ---- */

/* The k-th with the k-th, from the first or from the last. */
static uint32_t
pair_lists(const Comparing *comparing, const KernelList *known, const KernelList *list,
		   bool from_last, EndPair *out)
{
	const PhRankClock *clock = &comparing->out->ranks[known->rank];
	uint32_t n = PH_MIN(known->n, list->n);
	const PhClockKernel *a = comparing->kernels + known->first + (from_last ? known->n - n : 0);
	const PhClockKernel *b = comparing->kernels + list->first + (from_last ? list->n - n : 0);
	for (uint32_t i = 0; i < n; i++)
		out[i] = (EndPair){b[i].end, ph_rank_clock_time(clock, a[i].end) - b[i].end,
						   PH_MIN(a[i].end - a[i].begin, b[i].end - b[i].begin)};
	return n;
}

/* What a clock leaves between ends: a quantile, and the most. */
static PhStatus
find_error(const Comparing *comparing, const EndPair *pairs, uint32_t n, uint32_t before,
		   PhRankClock *clock)
{
	clock->worst = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		int64_t left = pairs[i].end + pairs[i].ahead - ph_rank_clock_time(clock, pairs[i].end);
		comparing->numbers[i] = left < 0 ? -left : left;
		clock->worst = PH_MAX(clock->worst, comparing->numbers[i]);
	}
	return find_quantile(comparing, n, before, &clock->error);
}

/* Medians of a stretch of the pairs. */
static PhStatus
middle_of(const Comparing *comparing, const EndPair *pairs, uint32_t n, int64_t *end,
		  int64_t *ahead)
{
	for (uint32_t i = 0; i < n; i++)
		comparing->numbers[i] = pairs[i].ahead;
	*end = pairs[n / 2].end;
	return find_quantile(comparing, n, n / 2, ahead);
}

/* A line that keeps its promise: it must leave clearly less than an offset alone does. */
static PhStatus
try_drift(const Comparing *comparing, const EndPair *pairs, uint32_t n, PhRankClock *clock)
{
	int64_t first_end, first_ahead, last_end, last_ahead, left;
	PhRankClock line = *clock;
	PH_TRY(middle_of(comparing, pairs, n / 3, &first_end, &first_ahead));
	PH_TRY(middle_of(comparing, pairs + (n - n / 3), n / 3, &last_end, &last_ahead));
	if (last_end <= first_end)
		return PH_OK;
	line.origin = first_end;
	line.offset = first_ahead;
	line.drift = (double) (last_ahead - first_ahead) / (double) (last_end - first_end);
	if (fabs(line.drift) > MOST_DRIFT)
		return PH_OK;
	for (uint32_t i = 0; i < n; i++)
		comparing->numbers[i] =
			pairs[i].end + pairs[i].ahead - ph_rank_clock_time(&line, pairs[i].end);
	PH_TRY(find_quantile(comparing, n, n / 2, &left));
	line.offset += left;
	PH_TRY(find_error(comparing, pairs, n, n / 2, &line));
	if (line.error < clock->error - clock->error / 4)
		*clock = line;
	return PH_OK;
}

/* Are nine tenths of the ends nearer to each other than a kernel is long? */
static PhStatus
check_fit(const Comparing *comparing, const EndPair *pairs, uint32_t n, PhRankClock *clock)
{
	PhRankClock most = *clock;
	int64_t length;
	PH_TRY(find_error(comparing, pairs, n, (uint32_t) ((uint64_t) n * 9 / 10), &most));
	for (uint32_t i = 0; i < n; i++)
		comparing->numbers[i] = pairs[i].length;
	PH_TRY(find_quantile(comparing, n, n / 2, &length));
	if (most.error > length)
		*clock = (PhRankClock){.reference = PH_NONE};
	return PH_OK;
}

static PhStatus
fit(const Comparing *comparing, EndPair *pairs, uint32_t n, uint32_t reference, PhRankClock *out)
{
	int64_t end;
	*out = (PhRankClock){.reference = n == 0 ? PH_NONE : reference, .n = n};
	if (n == 0)
		return PH_OK;
	PH_TRY(sort_pairs(comparing, pairs, n));
	PH_TRY(middle_of(comparing, pairs, n, &end, &out->offset));
	PH_TRY(find_error(comparing, pairs, n, n / 2, out));
	if (n >= LEAST_FOR_DRIFT)
		PH_TRY(try_drift(comparing, pairs, n, out));
	return check_fit(comparing, pairs, n, out);
}

static const KernelList *
list_of(const Comparing *comparing, uint64_t key, uint32_t rank)
{
	uint32_t low = comparing->of_rank[rank], high = comparing->of_rank[rank + 1];
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		const KernelList *list = &comparing->lists[comparing->by_rank[middle]];
		if (list->key == key)
			return list;
		if (list->key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* All that two ranks share; both ways of counting are tried. */
static PhStatus
compare_ranks(const Comparing *comparing, uint32_t known, uint32_t rank, PhRankClock *out)
{
	uint32_t n_first = 0, n_last = 0;
	PhRankClock from_last;
	for (uint32_t i = comparing->of_rank[known]; i < comparing->of_rank[known + 1]; i++)
	{
		const KernelList *list = &comparing->lists[comparing->by_rank[i]];
		const KernelList *other = list_of(comparing, list->key, rank);
		if (other == NULL)
			continue;
		n_first += pair_lists(comparing, list, other, false, comparing->pairs + n_first);
		n_last += pair_lists(comparing, list, other, true, comparing->others + n_last);
	}
	PH_TRY(fit(comparing, comparing->pairs, n_first, known, out));
	PH_TRY(fit(comparing, comparing->others, n_last, known, &from_last));
	if (from_last.reference != PH_NONE &&
		(out->reference == PH_NONE || from_last.error < out->error))
		*out = from_last;
	return PH_OK;
}

/* ---- all ranks ---- */

/* Ranks that share a key with this one and are not known yet. */
static PhStatus
reach_from(Comparing *comparing, uint32_t known, uint32_t *queue, uint32_t *n_queued)
{
	for (uint32_t i = comparing->of_rank[known]; i < comparing->of_rank[known + 1]; i++)
	{
		uint32_t first, end;
		if (comparing->is_seen[comparing->by_rank[i]])
			continue;
		lists_of_key(comparing, comparing->by_rank[i], &first, &end);
		for (uint32_t k = first; k < end; k++)
		{
			comparing->is_seen[k] = true;
			uint32_t rank = comparing->lists[k].rank;
			PhRankClock *clock = &comparing->out->ranks[rank];
			if (clock->reference != PH_NONE)
				continue;
			PH_TRY(ph_env_poll(comparing->arena->env));
			PH_TRY(compare_ranks(comparing, known, rank, clock));
			if (clock->reference == PH_NONE)
				continue;
			comparing->set[rank] = comparing->set[known];
			queue[(*n_queued)++] = rank;
		}
	}
	return PH_OK;
}

/* Each set of ranks that share collectives has a reference of its own, which is not moved; of a
 * rank that is alone nothing is known. */
static PhStatus
find_clocks(Comparing *comparing, uint32_t n_ranks)
{
	uint32_t *queue, n_queued = 0, done = 0;
	PH_TRY(PH_NEW(comparing->arena, n_ranks, &queue));
	for (uint32_t r = 0; r < n_ranks; r++)
	{
		uint32_t begin = comparing->of_rank[r], end = comparing->of_rank[r + 1];
		if (begin == end || comparing->out->ranks[r].reference != PH_NONE)
			continue;
		comparing->out->ranks[r].reference = comparing->set[r] = r;
		queue[n_queued++] = r;
		while (done < n_queued)
			PH_TRY(reach_from(comparing, queue[done++], queue, &n_queued));
		if (queue[n_queued - 1] == r)
			comparing->out->ranks[r].reference = PH_NONE;
	}
	return PH_OK;
}

/* ---- what is early ---- */

static int64_t
time_by(const Comparing *comparing, uint32_t rank, int64_t time, bool corrected)
{
	return corrected ? ph_rank_clock_time(&comparing->out->ranks[rank], time) : time;
}

/* Counts the k-th collective of these lists if a member of it ends before another one begins. */
static PhStatus
count_if_early(Comparing *comparing, uint32_t first, uint32_t end, uint32_t k, bool corrected)
{
	int64_t last_begin = INT64_MIN;
	bool early = false;
	for (uint32_t i = first; i < end; i++)
	{
		const KernelList *list = &comparing->lists[i];
		int64_t begin = comparing->kernels[list->first + k].begin;
		PH_TRY(ph_env_poll(comparing->arena->env));
		last_begin = PH_MAX(last_begin, time_by(comparing, list->rank, begin, corrected));
	}
	for (uint32_t i = first; i < end; i++)
	{
		const KernelList *list = &comparing->lists[i];
		int64_t stop = comparing->kernels[list->first + k].end;
		if (time_by(comparing, list->rank, stop, corrected) >= last_begin)
			continue;
		early = true;
		comparing->out->ranks[list->rank].n_early += !corrected;
	}
	*(corrected ? &comparing->out->n_early_after : &comparing->out->n_early) += early;
	return PH_OK;
}

static bool
are_comparable(const Comparing *comparing, const KernelList *x, const KernelList *y)
{
	return x->n == y->n && comparing->set[x->rank] == comparing->set[y->rank] &&
		   comparing->out->ranks[y->rank].reference != PH_NONE;
}

/* Of keys that all of their ranks have as often, which are of one set. */
static PhStatus
count_early(Comparing *comparing)
{
	for (uint32_t first = 0, end; first < comparing->n_lists; first = end)
	{
		uint32_t n = comparing->lists[first].n;
		bool are_equal = true;
		for (end = first;
			 end < comparing->n_lists && comparing->lists[end].key == comparing->lists[first].key;
			 end++)
			are_equal &=
				are_comparable(comparing, &comparing->lists[first], &comparing->lists[end]);
		for (uint32_t k = 0; k < n && are_equal; k++)
		{
			PH_TRY(count_if_early(comparing, first, end, k, false));
			PH_TRY(count_if_early(comparing, first, end, k, true));
		}
	}
	return PH_OK;
}

PhStatus
ph_rank_clocks_find(PhArena *arena, const PhClockKernel *kernels, uint32_t n, uint32_t n_ranks,
					PhRankClocks *out)
{
	Comparing comparing = {.arena = arena, .out = out};
	*out = (PhRankClocks){.n_ranks = n_ranks};
	PH_TRY(PH_NEW(arena, n_ranks, &out->ranks));
	for (uint32_t r = 0; r < n_ranks; r++)
		out->ranks[r].reference = PH_NONE;
	if (n == 0)
		return PH_OK;
	PH_TRY(PH_NEW(arena, n_ranks, &comparing.set));
	PH_TRY(sort_kernels(&comparing, kernels, n));
	PH_TRY(make_lists(&comparing, n, n_ranks));
	PH_TRY(PH_NEW(arena, n, &comparing.pairs));
	PH_TRY(PH_NEW(arena, n, &comparing.others));
	PH_TRY(PH_NEW(arena, n, &comparing.spare));
	PH_TRY(PH_NEW(arena, n, &comparing.numbers));
	PH_TRY(PH_NEW(arena, n, &comparing.order));
	PH_TRY(PH_NEW(arena, n, &comparing.buffer));
	PH_TRY(find_clocks(&comparing, n_ranks));
	return count_early(&comparing);
}
