/*
 * test_logical_store.c - events of logical time there and back, damaged bytes, faults, limits.
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

#include "logical/store/block.h"
#include "support/fault_env.h"
#include "support/logical_events.h"
#include "support/rounds.h"

#define N_RANDOM rounds(3000)

static RandomNumbers numbers;

/* ---- copies ---- */

typedef struct EventsCopy
{
	PhLogicalEvents events; /* its numbers only */
	LogicalArray arrays[LOGICAL_ARRAYS];
} EventsCopy;

static void
copy_events(const PhLogicalEvents *events, EventsCopy *copy)
{
	copy->events = *events;
	list_logical_arrays(events, copy->arrays);
	for (int a = 0; a < LOGICAL_ARRAYS; a++)
	{
		if (copy->arrays[a].data == NULL)
			continue;
		void *data = malloc(copy->arrays[a].size + 1);
		memcpy(data, copy->arrays[a].data, copy->arrays[a].size);
		copy->arrays[a].data = data;
	}
}

static void
free_copy(EventsCopy *copy)
{
	for (int a = 0; a < LOGICAL_ARRAYS; a++)
		free(copy->arrays[a].data);
}

static void
copy_chunk(const PhLogicalChunk *chunk, PhLogicalChunk *copy)
{
	const PhBytes *from[] = {&chunk->places, &chunk->metrics, &chunk->causes, &chunk->ends,
							 &chunk->counters};
	PhBytes *to[] = {&copy->places, &copy->metrics, &copy->causes, &copy->ends, &copy->counters};
	*copy = *chunk;
	for (int group = 0; group < 5; group++)
	{
		uint8_t *data = malloc(from[group]->size + 1);
		if (from[group]->size > 0)
			memcpy(data, from[group]->data, from[group]->size);
		to[group]->data = data;
	}
}

static void
free_chunk(PhLogicalChunk *copy)
{
	const PhBytes *groups[] = {&copy->places, &copy->metrics, &copy->causes, &copy->ends,
							   &copy->counters};
	for (int group = 0; group < 5; group++)
		free((void *) groups[group]->data);
}

/* ---- round trips ---- */

static void
assert_same(const EventsCopy *copy, const PhLogicalEvents *got, uint32_t want)
{
	LogicalArray arrays[LOGICAL_ARRAYS];
	list_logical_arrays(got, arrays);
	assert_int_equal(got->n_events, copy->events.n_events);
	assert_int_equal(got->n_ends, copy->events.n_ends);
	assert_int_equal(got->location, copy->events.location);
	assert_int_equal(got->first_seq, copy->events.first_seq);
	for (int a = 0; a < LOGICAL_ARRAYS; a++)
	{
		bool wanted = (arrays[a].group & want) == arrays[a].group;
		if (copy->arrays[a].data == NULL || !wanted)
			assert_null(arrays[a].data);
		else
			assert_memory_equal(arrays[a].data, copy->arrays[a].data, copy->arrays[a].size);
	}
}

static void
assert_spans(const EventsCopy *copy, const PhLogicalChunk *chunk)
{
	const uint32_t *step = copy->arrays[5].data;
	const int64_t *enter = copy->arrays[6].data, *leave = copy->arrays[7].data;
	for (uint32_t i = 0; i < copy->events.n_events; i++)
	{
		assert_in_range(step[i], chunk->step_first, chunk->step_last);
		assert_true(enter[i] >= chunk->t_first && leave[i] <= chunk->t_last);
	}
}

static void
test_round_trips(void **state)
{
	(void) state;
	PhEnv env;
	PhLogicalCodec *codec;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_logical_codec_new(&env, &codec), PH_OK);
	numbers.state = 7;
	for (uint32_t i = 0; i < N_RANDOM; i++)
	{
		PhLogicalEvents events;
		EventsCopy copy;
		PhLogicalChunk encoded, chunk;
		uint32_t want = numbers_below(&numbers, PH_LOGICAL_WANT_ALL + 1);
		assert_int_equal(random_logical_events(codec, &numbers, i % 100 == 0 ? 4000 : 40, &events),
						 PH_OK);
		copy_events(&events, &copy);
		assert_int_equal(ph_logical_encode(codec, &events, &encoded), PH_OK);
		copy_chunk(&encoded, &chunk);
		assert_spans(&copy, &chunk);
		assert_int_equal(ph_logical_decode(codec, &chunk, want, &events), PH_OK);
		assert_same(&copy, &events, want);
		free_copy(&copy);
		free_chunk(&chunk);
	}
	ph_logical_codec_free(codec);
	assert_int_equal(env.bytes, 0);
}

/* ---- blocks ---- */

/* Random events as those of several locations; some share a bucket, which has one phase and step.
 */
static PhStatus
random_block(PhLogicalCodec *codec, uint32_t max_events, PhLogicalBlock *out)
{
	uint32_t n_members = 1 + numbers_below(&numbers, 6);
	PhLogicalEvents events;
	*out = (PhLogicalBlock){0};
	PH_TRY(random_logical_events(codec, &numbers, max_events, &events));
	PH_TRY(ph_logical_make_members(codec, n_members, events.n_events, out));
	out->location = events.location;
	out->events = events;
	for (uint32_t m = 0; m < n_members; m++)
	{
		uint32_t left = events.n_events - out->first_event[m];
		uint32_t n = m + 1 == n_members ? left : numbers_below(&numbers, left + 1);
		out->first_event[m + 1] = out->first_event[m] + n;
		out->first_end[m + 1] = out->first_end[m];
		for (uint32_t i = out->first_event[m]; i < out->first_event[m + 1]; i++)
			out->first_end[m + 1] += events.ends_of[i];
		out->first_seq[m] = numbers_below(&numbers, 100000);
	}
	for (uint32_t i = 0; i < events.n_events; i++)
	{
		uint32_t like = numbers_below(&numbers, i + 1);
		bool shares = like < i && numbers_below(&numbers, 2) == 0;
		out->bucket[i] = shares ? out->bucket[like] : out->n_buckets++;
		events.phase[i] = shares ? events.phase[like] : events.phase[i];
		events.step[i] = shares ? events.step[like] : events.step[i];
	}
	return PH_OK;
}

static void
assert_same_members(const PhLogicalBlock *got, const PhLogicalBlock *expected)
{
	size_t n = got->n_members + 1;
	assert_int_equal(got->n_members, expected->n_members);
	assert_int_equal(got->location, expected->location);
	assert_memory_equal(got->first_event, expected->first_event, n * sizeof(uint32_t));
	assert_memory_equal(got->first_end, expected->first_end, n * sizeof(uint32_t));
	assert_memory_equal(got->first_seq, expected->first_seq, (n - 1) * sizeof(uint32_t));
}

static void
test_blocks_round_trip(void **state)
{
	(void) state;
	PhEnv env;
	PhLogicalCodec *codec, *other;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_logical_codec_new(&env, &codec), PH_OK);
	assert_int_equal(ph_logical_codec_new(&env, &other), PH_OK);
	numbers.state = 17;
	for (uint32_t i = 0; i < N_RANDOM / 4; i++)
	{
		PhLogicalBlock block, got;
		EventsCopy copy;
		PhLogicalChunk chunk;
		uint32_t want = numbers_below(&numbers, PH_LOGICAL_WANT_ALL + 1);
		assert_int_equal(random_block(codec, i % 100 == 0 ? 4000 : 40, &block), PH_OK);
		copy_events(&block.events, &copy);
		assert_int_equal(ph_logical_encode_block(codec, &block, &chunk), PH_OK);
		assert_spans(&copy, &chunk);
		assert_int_equal(ph_logical_decode_block(other, &chunk, want, &got), PH_OK);
		assert_same_members(&got, &block);
		copy.events.location = got.events.location;
		copy.events.first_seq = got.events.first_seq;
		if ((want & PH_LOGICAL_WANT_CAUSES) != 0)
			want |= PH_LOGICAL_WANT_ENDS;
		assert_same(&copy, &got.events, want);
		free_copy(&copy);
	}
	ph_logical_codec_free(other);
	ph_logical_codec_free(codec);
	assert_int_equal(env.bytes, 0);
}

/* What an application does all the time takes a few bytes an event. */
static void
test_regular_events_are_small(void **state)
{
	(void) state;
	PhEnv env;
	PhLogicalCodec *codec;
	PhLogicalEvents events;
	PhLogicalChunk chunk;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_logical_codec_new(&env, &codec), PH_OK);
	assert_int_equal(ph_logical_room(codec, 1024, 512, false, &events), PH_OK);
	numbers.state = 3;
	for (uint32_t i = 0; i < 1024; i++)
	{
		events.kind[i] = i % 2;
		events.ends_of[i] = i % 2;
		events.step[i] = 2 * i;
		events.enter[i] = (int64_t) i * 10000 + numbers_below(&numbers, 100);
		events.leave[i] = events.enter[i] + 500 + numbers_below(&numbers, 100);
		events.value[PH_LATENESS][i] = numbers_below(&numbers, 3000);
		events.value[PH_GLOBAL_LATENESS][i] = events.value[PH_LATENESS][i];
		events.value[PH_DIFFERENTIAL][i] = events.value[PH_LATENESS][i];
		events.value[PH_GLOBAL_DIFFERENTIAL][i] = events.value[PH_LATENESS][i];
		events.n_peers[i] = 64;
	}
	for (uint32_t e = 0; e < 512; e++)
	{
		events.peer_seq[e] = 2 * e;
		events.peer_step[e] = 4 * e;
		events.bytes[e] = 8192;
	}
	assert_int_equal(ph_logical_encode(codec, &events, &chunk), PH_OK);
	assert_true(chunk.places.size + chunk.metrics.size + chunk.causes.size + chunk.ends.size <
				12 * 1024);
	ph_logical_codec_free(codec);
}

/* ---- damage ---- */

static PhBytes *
random_group(PhLogicalChunk *chunk)
{
	PhBytes *groups[] = {&chunk->places, &chunk->metrics, &chunk->causes, &chunk->ends,
						 &chunk->counters};
	return groups[numbers_below(&numbers, 5)];
}

static void
damage(PhLogicalChunk *chunk)
{
	PhBytes *group = random_group(chunk);
	uint8_t *bytes = (uint8_t *) group->data;
	switch (numbers_below(&numbers, 5))
	{
		case 0:
			chunk->n_events = numbers_below(&numbers, UINT32_MAX) >> numbers_below(&numbers, 31);
			break;
		case 1:
			chunk->n_ends = numbers_below(&numbers, UINT32_MAX) >> numbers_below(&numbers, 31);
			break;
		case 2:
			group->size = numbers_below(&numbers, (uint32_t) group->size + 1);
			break;
		default:
			for (uint32_t i = 0; i < 3 && group->size > 0; i++)
				bytes[numbers_below(&numbers, (uint32_t) group->size)] ^=
					(uint8_t) (1 << numbers_below(&numbers, 8));
	}
}

static void
assert_sound(const PhLogicalEvents *events)
{
	uint64_t ends = 0;
	for (uint32_t i = 0; i < events->n_events; i++)
	{
		ends += events->ends_of[i];
		assert_in_range(events->kind[i], 0, PH_COMM_COLLECTIVE);
		assert_true(events->enter[i] >= 0 && events->leave[i] >= 0);
		assert_true(events->step[i] <= INT32_MAX);
	}
	assert_int_equal(ends, events->n_ends);
}

static void
test_damaged_bytes(void **state)
{
	(void) state;
	PhEnv env;
	PhLogicalCodec *codec;
	uint32_t n_refused = 0;
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 64 << 20;
	assert_int_equal(ph_logical_codec_new(&env, &codec), PH_OK);
	numbers.state = 11;
	for (uint32_t i = 0; i < N_RANDOM; i++)
	{
		PhLogicalEvents events;
		PhLogicalChunk encoded, chunk;
		assert_int_equal(random_logical_events(codec, &numbers, 60, &events), PH_OK);
		assert_int_equal(ph_logical_encode(codec, &events, &encoded), PH_OK);
		copy_chunk(&encoded, &chunk);
		damage(&chunk);
		PhStatus status = ph_logical_decode(codec, &chunk, PH_LOGICAL_WANT_ALL, &events);
		assert_true(status == PH_OK || status == PH_ERR_FORMAT);
		n_refused += status != PH_OK;
		if (status == PH_OK)
			assert_sound(&events);
		free_chunk(&chunk);
	}
	assert_true(n_refused > N_RANDOM / 4);
	ph_logical_codec_free(codec);
}

static void
test_damaged_blocks(void **state)
{
	(void) state;
	PhEnv env;
	PhLogicalCodec *codec;
	uint32_t n_refused = 0;
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 64 << 20;
	assert_int_equal(ph_logical_codec_new(&env, &codec), PH_OK);
	numbers.state = 13;
	for (uint32_t i = 0; i < N_RANDOM / 2; i++)
	{
		PhLogicalBlock block;
		PhLogicalChunk encoded, chunk;
		assert_int_equal(random_block(codec, 60, &block), PH_OK);
		assert_int_equal(ph_logical_encode_block(codec, &block, &encoded), PH_OK);
		copy_chunk(&encoded, &chunk);
		damage(&chunk);
		if (i % 9 == 0)
			chunk.n_members = numbers_below(&numbers, UINT32_MAX) >> numbers_below(&numbers, 31);
		PhStatus status = ph_logical_decode_block(codec, &chunk, PH_LOGICAL_WANT_ALL, &block);
		assert_true(status == PH_OK || status == PH_ERR_FORMAT);
		n_refused += status != PH_OK;
		if (status == PH_OK)
			assert_sound(&block.events);
		free_chunk(&chunk);
	}
	assert_true(n_refused > N_RANDOM / 8);
	ph_logical_codec_free(codec);
}

static void
test_limits(void **state)
{
	(void) state;
	PhEnv env;
	PhLogicalCodec *codec;
	PhLogicalEvents events = {.n_events = PH_LOGICAL_MAX_EVENTS + 1};
	PhLogicalChunk chunk = {.format = PH_LOGICAL_FORMAT + 1};
	ph_env_init_malloc(&env);
	assert_int_equal(ph_logical_codec_new(&env, &codec), PH_OK);
	assert_int_equal(ph_logical_encode(codec, &events, &chunk), PH_ERR_LIMIT);
	chunk = (PhLogicalChunk){.format = PH_LOGICAL_FORMAT + 1};
	assert_int_equal(ph_logical_decode(codec, &chunk, 0, &events), PH_ERR_FORMAT);
	assert_non_null(strstr(env.error.message, "unknown format 2"));
	PhLogicalBlock block = {.events.n_events = PH_LOGICAL_MAX_EVENTS + 1};
	assert_int_equal(ph_logical_encode_block(codec, &block, &chunk), PH_ERR_LIMIT);
	chunk = (PhLogicalChunk){.format = PH_LOGICAL_BLOCK_FORMAT + 1, .n_members = 1};
	assert_int_equal(ph_logical_decode_block(codec, &chunk, 0, &block), PH_ERR_FORMAT);
	assert_non_null(strstr(env.error.message, "unknown format 3"));
	chunk = (PhLogicalChunk){.format = PH_LOGICAL_FORMAT, .n_ends = PH_LOGICAL_MAX_ENDS};
	assert_int_equal(ph_logical_decode(codec, &chunk, PH_LOGICAL_WANT_ENDS, &events),
					 PH_ERR_FORMAT);
	ph_logical_codec_free(codec);
}

/* ---- faults ---- */

static PhStatus
there_and_back(PhLogicalCodec *codec)
{
	PhLogicalEvents events;
	PhLogicalChunk encoded, chunk;
	numbers.state = 5;
	PH_TRY(random_logical_events(codec, &numbers, 50, &events));
	PH_TRY(ph_logical_encode(codec, &events, &encoded));
	copy_chunk(&encoded, &chunk);
	PhStatus status = ph_logical_decode(codec, &chunk, PH_LOGICAL_WANT_ALL, &events);
	free_chunk(&chunk);
	return status;
}

static PhStatus
block_there_and_back(PhLogicalCodec *codec)
{
	PhLogicalBlock block;
	PhLogicalChunk encoded, chunk;
	PH_TRY(random_block(codec, 60, &block));
	PH_TRY(ph_logical_encode_block(codec, &block, &encoded));
	copy_chunk(&encoded, &chunk);
	PhStatus status = ph_logical_decode_block(codec, &chunk, PH_LOGICAL_WANT_ALL, &block);
	free_chunk(&chunk);
	return status;
}

static PhStatus
work(PhEnv *env, void *user)
{
	PhLogicalCodec *codec;
	(void) user;
	PH_TRY(ph_logical_codec_new(env, &codec));
	PhStatus status = there_and_back(codec);
	if (status == PH_OK)
		status = block_there_and_back(codec);
	ph_logical_codec_free(codec);
	return status;
}

static void
test_allocations_fail(void **state)
{
	(void) state;
	FaultEnv fault;
	size_t n = 1;
	for (;; n++)
	{
		fault_env_init(&fault);
		fault.fail_at = n;
		PhStatus status = work(&fault.env, NULL);
		size_t left = fault.n_blocks;
		fault_env_drop(&fault);
		if (status == PH_OK)
			break;
		assert_int_equal(status, PH_ERR_MEMORY);
		assert_int_equal(left, 0);
	}
	assert_true(n > 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks_round_trip), cmocka_unit_test(test_damaged_blocks),
		cmocka_unit_test(test_round_trips),		  cmocka_unit_test(test_regular_events_are_small),
		cmocka_unit_test(test_damaged_bytes),	  cmocka_unit_test(test_limits),
		cmocka_unit_test(test_allocations_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
