/*
 * test_trace_comm.c - tallies as bytes; matrix, sizes, time bins and processes against plain loops.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/comm.h"
#include "support/fault_env.h"
#include "support/rounds.h"
#include "trace/comm.h"
#include "trace/skeleton.h"

#define N_TRACES rounds(2000)

static PhEnv env;
static CommTrace trace;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* ---- tallies ---- */

/* Rows in a list that is searched. */
static PhTallyRow plain[4000];
static uint32_t n_plain;

static void
add_plain(uint64_t key, uint64_t messages, uint64_t bytes)
{
	uint32_t at = n_plain;
	for (uint32_t i = 0; i < n_plain; i++)
		if (plain[i].key == key)
		{
			plain[i].messages += messages;
			plain[i].bytes += bytes;
			return;
		}
	for (; at > 0 && plain[at - 1].key > key; at--)
		plain[at] = plain[at - 1];
	plain[at] = (PhTallyRow){key, messages, bytes};
	n_plain++;
}

static void
compare_plain(PhArena *arena, const void *tally)
{
	const PhTallyRow *rows;
	uint32_t n;
	must(ph_tally_rows(arena, tally, &rows, &n));
	assert_int_equal(n, n_plain);
	assert_int_equal(ph_tally_count(tally), n_plain);
	for (uint32_t i = 0; i < n; i++)
		assert_memory_equal(&rows[i], &plain[i], sizeof(rows[i]));
}

/* Shared out among several tallies, moved to odd addresses, merged in any order. */
static void
test_tallies(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < N_TRACES; seed++)
	{
		PhArena arena;
		Random random = {seed};
		void *parts[4] = {NULL, NULL, NULL, NULL};
		uint32_t n = random_below(&random, seed % 20 == 0 ? 3000 : 80);
		uint32_t n_keys = 1 + random_below(&random, 200);
		n_plain = 0;
		ph_arena_init(&arena, &env);
		for (uint32_t i = 0; i < 4; i++)
			must(ph_tally_grow(&arena, &parts[i], random_below(&random, 40)));
		for (uint32_t i = 0; i < n; i++)
		{
			uint32_t part = random_below(&random, 4);
			uint64_t key = (uint64_t) random_below(&random, n_keys)
						   << random_below(&random, 2) * 40;
			uint64_t messages = 1 + random_below(&random, 3), bytes = random_below(&random, 100);
			must(ph_tally_grow(&arena, &parts[part], 1));
			ph_tally_add(parts[part], key, messages, bytes);
			ph_tally_add(parts[part], key + 1, 0, 5);
			add_plain(key, messages, bytes);
		}
		for (uint32_t width = 1; width < 4; width *= 2)
			for (uint32_t i = 0; i + width < 4; i += 2 * width)
			{
				size_t size =
					ph_tally_size(ph_tally_count(parts[i]) + ph_tally_count(parts[i + width]));
				char *memory = malloc(size + 1);
				ph_tally_init(memory + 1, size);
				must(ph_tally_merge(&env, memory + 1, parts[i + width]));
				must(ph_tally_merge(&env, memory + 1, parts[i]));
				must(ph_tally_check(&env, memory + 1, size));
				parts[i] = NULL;
				must(ph_tally_grow(&arena, &parts[i], ph_tally_count(memory + 1)));
				must(ph_tally_merge(&env, parts[i], memory + 1));
				free(memory);
			}
		compare_plain(&arena, parts[0]);
		ph_arena_drop(&arena);
	}
	assert_int_equal(env.bytes, 0);
}

/* Any bytes: refused, or used without harm. */
static void
test_foreign_bytes(void **state)
{
	uint32_t n_bad = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_TRACES; seed++)
	{
		PhArena arena;
		Random random = {seed};
		const PhTallyRow *rows;
		uint32_t n;
		size_t size = ph_tally_size(30);
		char *bytes = malloc(size);
		ph_tally_init(bytes, size);
		for (uint32_t i = 0; i < 30; i++)
			ph_tally_add(bytes, i, 1, i);
		uint32_t first = seed % 2 == 0 ? 0 : 16;
		for (uint32_t i = 0; i < 1 + seed % 5; i++)
			bytes[first + random_below(&random, (uint32_t) size - first)] =
				(char) random_below(&random, 256);
		if (seed % 7 == 0)
			memset(bytes + 16, 1, size - 16);
		size_t seen = seed % 3 == 0 ? random_below(&random, (uint32_t) size + 1) : size;
		ph_arena_init(&arena, &env);
		if (ph_tally_check(&env, bytes, seen) == PH_OK)
		{
			void *other = NULL;
			must(ph_tally_rows(&arena, bytes, &rows, &n));
			must(ph_tally_grow(&arena, &other, n));
			must(ph_tally_merge(&env, other, bytes));
			ph_tally_add(bytes, 1000000, 1, 1);
		}
		else
			n_bad++;
		ph_arena_drop(&arena);
		free(bytes);
	}
	assert_true(n_bad > N_TRACES / 4 && n_bad < N_TRACES);
	assert_int_equal(ph_tally_size(UINT64_MAX), 0);
	assert_int_equal(ph_tally_size((uint64_t) 1 << 40), 0);
	assert_int_equal(env.bytes, 0);
}

/* ---- bins ---- */

static void
test_bins(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < rounds(20000); seed++)
	{
		Random random = {seed};
		PhTimeBins bins = {(int64_t) random_below(&random, 1000) - 500, 0, 0};
		bins.to = bins.from + 1 + random_below(&random, seed % 2 == 0 ? 20 : 100000);
		bins.n = 1 + random_below(&random, 50);
		if (seed % 10 == 0)
			bins.from = INT64_MIN, bins.to = INT64_MAX;
		int64_t time =
			seed % 10 == 0 ? (int64_t) random.state : bins.from - 3 + random_below(&random, 30);
		uint32_t bin = ph_bin_of(&bins, time), expected = PH_NONE;
		for (uint32_t i = 0; i < bins.n; i++)
			if (ph_bin_start(&bins, i) <= time && time < ph_bin_start(&bins, i + 1))
				expected = i;
		assert_int_equal(bin, expected);
		assert_int_equal(ph_bin_start(&bins, 0), bins.from);
		assert_int_equal(ph_bin_start(&bins, bins.n), bins.to);
	}
}

/* ---- answers ---- */

typedef struct Tallying
{
	PhArena *arena;
	PhCommTally what;
	void *tally;
} Tallying;

static PhStatus
visit_tally(void *user, uint32_t location, uint64_t seq, const PhEvent *event,
			const PhOpenCall *call)
{
	Tallying *tallying = user;
	(void) seq;
	(void) call;
	tallying->what.rank = (uint32_t) trace.locations[location].rank;
	return ph_comm_tally_event(tallying->arena, &tallying->what, event, &tallying->tally);
}

static PhStatus
visit_chunk(void *user, const PhChunk *chunk, PhChunkReader *reader)
{
	Tallying *tallying = user;
	tallying->what.rank = (uint32_t) trace.locations[chunk->location].rank;
	return ph_comm_tally_chunk(tallying->arena, &tallying->what, chunk, reader, &tallying->tally);
}

/* By events, or by chunks. */
static void *
tally_all(PhArena *arena, uint64_t seed, PhCommKey key, PhTimeBins bins)
{
	Tallying tallying = {arena, {key, 0, bins}, NULL};
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		if (seed % 2 == 0)
			must(comm_visit(&trace, at, visit_tally, &tallying));
		else
			must(comm_visit_chunks(&env, &trace, at, 70, visit_chunk, &tallying));
	return tallying.tally;
}

/* Visit what counts in plain loops. */
#define EACH_EVENT(at, event)                                                                      \
	for (uint32_t at = 0; at < trace.model.n_locations; at++)                                      \
		for (const PhEvent *event = trace.events[at];                                              \
			 event < trace.events[at] + trace.n_events[at]; event++)                               \
			if ((ph_is_send(event->kind) || ph_is_receive(event->kind)) &&                         \
				event->time >= bins.from && event->time < bins.to)

static void
check_matrix(PhArena *arena, uint64_t seed, PhTimeBins bins)
{
	const PhCommPair *pairs;
	uint32_t n, n_pairs = 0;
	must(ph_comm_matrix(arena, tally_all(arena, seed, PH_COMM_PAIR, bins), &pairs, &n));
	for (uint32_t from = 0; from < trace.model.n_ranks; from++)
		for (uint32_t to = 0; to < trace.model.n_ranks; to++)
		{
			PhCommPair sum = {from, to, 0, 0};
			EACH_EVENT(at, event)
			if (ph_is_send(event->kind) && trace.locations[at].rank == (int32_t) from &&
				event->peer == to)
				sum.messages++, sum.bytes += event->bytes;
			if (sum.messages == 0)
				continue;
			assert_true(n_pairs < n);
			assert_memory_equal(&pairs[n_pairs++], &sum, sizeof(sum));
		}
	assert_int_equal(n, n_pairs);
}

static void
check_sizes(PhArena *arena, uint64_t seed, PhTimeBins bins)
{
	const PhSizeBin *out;
	uint32_t n, n_bins = 1 + (uint32_t) seed % 9;
	uint64_t least = UINT64_MAX, largest = 0, messages = 0;
	must(ph_comm_histogram(arena, tally_all(arena, seed, PH_COMM_SIZE, bins), n_bins, &out, &n));
	EACH_EVENT(at, event)
	if (ph_is_send(event->kind))
	{
		least = event->bytes < least ? event->bytes : least;
		largest = event->bytes > largest ? event->bytes : largest;
		messages++;
	}
	uint64_t sizes = messages == 0 ? 0 : largest > least ? largest - least : 1;
	assert_int_equal(n, sizes < n_bins ? sizes : n_bins);
	for (uint32_t i = 0; i < n; i++)
	{
		PhSizeBin sum = {0};
		assert_true(out[i].low < out[i].high || n == 1);
		long double width = (long double) (largest - least) / n;
		sum.low = least + (uint64_t) (width * i);
		sum.high = i + 1 == n ? largest : least + (uint64_t) (width * (i + 1));
		EACH_EVENT(at, event)
		if (ph_is_send(event->kind) && event->bytes * n >= least * n + (largest - least) * i &&
			(event->bytes * n < least * n + (largest - least) * (i + 1) || i + 1 == n))
			sum.messages++, sum.bytes += event->bytes;
		assert_memory_equal(&out[i], &sum, sizeof(sum));
	}
}

/* Classes of sizes against a search for each size, and which of the two is taken. */
static void
check_classes(PhArena *arena, uint64_t seed, PhTimeBins bins)
{
	const PhSizeBin *out;
	uint32_t n, n_bins = 1 + (uint32_t) seed % 9;
	uint64_t messages = 0, counted = 0, least = UINT64_MAX, largest = 0;
	bool wide;
	const void *tally = tally_all(arena, seed, PH_COMM_SIZE, bins);
	must(ph_comm_size_classes(arena, tally, n_bins, &out, &n));
	assert_true(n <= n_bins);
	for (uint32_t i = 0; i < n; i++)
	{
		PhSizeBin sum = {out[i].low, out[i].high, 0, 0};
		assert_true((sum.low & (sum.low - 1)) == 0 && (sum.high & (sum.high - 1)) == 0);
		assert_true(sum.low < sum.high && (i == 0 || sum.low == out[i - 1].high));
		EACH_EVENT(at, event)
		if (ph_is_send(event->kind) && event->bytes >= sum.low && event->bytes < sum.high)
			sum.messages++, sum.bytes += event->bytes;
		assert_memory_equal(&out[i], &sum, sizeof(sum));
		assert_true(sum.messages > 0 || (i > 0 && i + 1 < n));
		counted += sum.messages;
	}
	EACH_EVENT(at, event)
	if (ph_is_send(event->kind))
	{
		least = event->bytes < least ? event->bytes : least;
		largest = event->bytes > largest ? event->bytes : largest;
		messages++;
	}
	assert_int_equal(counted, messages);
	must(ph_comm_sizes_are_wide(arena, tally, &wide));
	assert_int_equal(wide, messages > 0 && largest >= 100 * (least == 0 ? 1 : least));
}

static void
check_times(PhArena *arena, uint64_t seed, PhTimeBins bins)
{
	const PhTimeBin *out;
	must(ph_comm_over_time(arena, tally_all(arena, seed, PH_COMM_TIME, bins), &bins, &out));
	for (uint32_t i = 0; i < bins.n; i++)
	{
		PhTimeBin sum = {ph_bin_start(&bins, i), ph_bin_start(&bins, i + 1), 0, 0};
		EACH_EVENT(at, event)
		if (ph_is_send(event->kind) && event->time >= sum.start && event->time < sum.end)
			sum.messages++, sum.bytes += event->bytes;
		assert_memory_equal(&out[i], &sum, sizeof(sum));
	}
}

static void
check_processes(PhArena *arena, uint64_t seed, PhTimeBins bins)
{
	const PhProcessComm *out;
	uint32_t n, n_ranks = 0;
	must(ph_comm_by_process(arena, tally_all(arena, seed, PH_COMM_PROCESS, bins), &out, &n));
	for (uint32_t rank = 0; rank < trace.model.n_ranks; rank++)
	{
		PhProcessComm sum;
		memset(&sum, 0, sizeof(sum));
		sum.rank = rank;
		EACH_EVENT(at, event)
		if (trace.locations[at].rank == (int32_t) rank)
		{
			*(ph_is_send(event->kind) ? &sum.messages_sent : &sum.messages_received) += 1;
			*(ph_is_send(event->kind) ? &sum.bytes_sent : &sum.bytes_received) += event->bytes;
		}
		if (sum.messages_sent + sum.messages_received == 0)
			continue;
		assert_true(n_ranks < n);
		assert_memory_equal(&out[n_ranks++], &sum, sizeof(sum));
	}
	assert_int_equal(n, n_ranks);
}

static void
test_answers(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < N_TRACES; seed++)
	{
		PhArena arena;
		PhTimeBins bins = {seed % 700, 1000 + seed * 3, 1 + seed % 13};
		ph_arena_init(&arena, &env);
		comm_random(seed, 20 + (uint32_t) seed % 150, &trace);
		check_matrix(&arena, seed, seed % 3 == 0 ? ph_bins_all() : bins);
		check_sizes(&arena, seed, seed % 3 == 0 ? ph_bins_all() : bins);
		check_classes(&arena, seed, seed % 3 == 0 ? ph_bins_all() : bins);
		check_times(&arena, seed, bins);
		check_processes(&arena, seed, seed % 3 == 0 ? ph_bins_all() : bins);
		ph_arena_drop(&arena);
	}
	assert_int_equal(env.bytes, 0);
}

/* Sizes at both ends of what can be stored. */
static void
test_large_sizes(void **state)
{
	PhArena arena;
	void *tally = NULL;
	const PhSizeBin *bins;
	uint32_t n;
	(void) state;
	ph_arena_init(&arena, &env);
	must(ph_tally_grow(&arena, &tally, 3));
	ph_tally_add(tally, 0, 1, 0);
	ph_tally_add(tally, UINT64_MAX, 2, 7);
	must(ph_comm_histogram(&arena, tally, PH_MOST_BINS, &bins, &n));
	assert_int_equal(n, PH_MOST_BINS);
	assert_int_equal(bins[0].messages, 1);
	assert_int_equal(bins[n - 1].messages, 2);
	assert_true(bins[n - 1].high == UINT64_MAX);
	must(ph_comm_size_classes(&arena, tally, PH_MOST_BINS, &bins, &n));
	assert_int_equal(n, 65); /* 0, and 64 powers */
	assert_true(bins[0].low == 0 && bins[0].high == 1 && bins[0].messages == 1);
	assert_true(bins[64].low == (uint64_t) 1 << 63 && bins[64].high == UINT64_MAX);
	assert_int_equal(bins[64].messages, 2);
	must(ph_comm_size_classes(&arena, tally, 3, &bins, &n));
	assert_int_equal(n, 3); /* 22 classes each, and the rest */
	assert_true(bins[1].low == (uint64_t) 1 << 21 && bins[2].low == (uint64_t) 1 << 43);
	assert_int_equal(ph_comm_size_classes(&arena, tally, 0, &bins, &n), PH_ERR_VALUE);
	assert_int_equal(ph_comm_histogram(&arena, tally, 0, &bins, &n), PH_ERR_VALUE);
	assert_int_equal(ph_comm_histogram(&arena, tally, PH_MOST_BINS + 1, &bins, &n), PH_ERR_VALUE);
	ph_arena_drop(&arena);
	assert_int_equal(env.bytes, 0);
}

static PhStatus
answer_in(PhEnv *in, void *user)
{
	PhArena arena;
	const PhCommPair *pairs;
	const PhSizeBin *sizes;
	uint32_t n;
	(void) user;
	ph_arena_init(&arena, in);
	Tallying tallying = {&arena, {PH_COMM_PAIR, 0, ph_bins_all()}, NULL};
	PhStatus status = comm_visit_chunks(in, &trace, 0, 50, visit_chunk, &tallying);
	if (status == PH_OK)
		status = ph_comm_matrix(&arena, tallying.tally, &pairs, &n);
	tallying.tally = NULL;
	tallying.what.key = PH_COMM_SIZE;
	for (uint32_t at = 0; at < trace.model.n_locations && status == PH_OK; at++)
		status = comm_visit(&trace, at, visit_tally, &tallying);
	if (status == PH_OK)
		status = ph_comm_histogram(&arena, tallying.tally, 5, &sizes, &n);
	ph_arena_drop(&arena);
	return status;
}

static void
test_faults(void **state)
{
	(void) state;
	comm_random(4, 2000, &trace);
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
			trace.events[at][i].bytes = at * 10000 + i;
	assert_string_equal(fault_env_try_allocations(answer_in, NULL, 0), "");
	assert_string_equal(fault_env_try_interrupts(answer_in, NULL, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tallies),		cmocka_unit_test(test_foreign_bytes),
		cmocka_unit_test(test_bins),		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_large_sizes), cmocka_unit_test(test_faults),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
