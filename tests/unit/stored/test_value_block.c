/*
 * test_value_block.c - blocks of values: random profiles, dense and sparse, come back bit by bit,
 * whole or in some of their columns; damage is found.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "profile/builder.h"
#include "profile/flat.h"
#include "stored/block_stream.h"
#include "stored/node_values.h"
#include "stored/value_block.h"
#include "support/mixed.h"
#include "support/random_profile.h"

#define MOST_BLOCKS 64

/* A stored run: its blocks and where they belong. */
typedef struct Stored
{
	uint32_t n;
	struct
	{
		uint32_t metric, block, stripe;
		uint8_t *data;
		size_t size;
	} blocks[MOST_BLOCKS];
} Stored;

/* What random profiles are made of. */
typedef struct Shape
{
	uint32_t nodes, columns;
	uint32_t present; /* of 1000 cells of leaves */
	PhGiven given;
	uint32_t decimals; /* 0: real numbers */
	bool is_disagreeing;
	bool is_comb; /* deep instead of wide */
} Shape;

static void
store(PhEnv *env, const PhProfile *profile, Stored *out)
{
	PhArena arena;
	PhBlockWriter *writer;
	out->n = 0;
	ph_arena_init(&arena, env);
	assert_int_equal(ph_block_writer_new(&arena, profile, &writer), PH_OK);
	for (uint32_t m = 0; m < profile->n_metrics; m++)
		for (uint32_t s = 0; s < ph_n_stripes(profile->n_columns); s++)
		{
			uint32_t block;
			PhBytes bytes;
			if (profile->metrics[m].kind == PH_METRIC_RATIO)
				continue;
			ph_block_writer_start(writer, m, s);
			for (;;)
			{
				assert_int_equal(ph_block_writer_next(writer, &block, &bytes), PH_OK);
				if (block == PH_NONE)
					break;
				if (bytes.size == 0)
					continue;
				assert_true(out->n < MOST_BLOCKS);
				out->blocks[out->n].metric = m;
				out->blocks[out->n].block = block;
				out->blocks[out->n].stripe = s;
				out->blocks[out->n].size = bytes.size;
				out->blocks[out->n].data = malloc(bytes.size);
				assert_non_null(out->blocks[out->n].data);
				memcpy(out->blocks[out->n++].data, bytes.data, bytes.size);
			}
		}
	ph_block_writer_end(writer);
	ph_arena_drop(&arena);
}

static void
forget(Stored *stored)
{
	for (uint32_t i = 0; i < stored->n; i++)
		free(stored->blocks[i].data);
}

static PhColumnSpec
column_spec(const PhProfile *profile, uint32_t i)
{
	const PhColumn *column = &profile->columns[i];
	return (PhColumnSpec){.kind = (PhColumnKind) column->kind,
						  .run_id = column->run_id,
						  .iteration = column->iteration,
						  .rank = column->rank,
						  .thread = column->thread,
						  .host = ph_profile_string(profile, column->host),
						  .name = ph_profile_string(profile, column->name)};
}

/* The profile without values in some columns, with the presence that the blocks tell. */
static PhStatus
make_room(PhEnv *env, PhArena *arena, const PhProfile *profile, const Stored *stored,
		  PhColumnMap map, PhProfile **out)
{
	PhColumnSpec *columns;
	PhMetricSpec *metrics;
	PhPresence presence;
	PhStoredBlock block;
	uint32_t n = 0;
	PH_TRY(PH_NEW(arena, profile->n_columns, &columns));
	PH_TRY(PH_NEW(arena, profile->n_metrics, &metrics));
	for (uint32_t i = 0; i < profile->n_columns; i++)
		if (map == NULL || map[i] != PH_NONE)
			columns[n++] = column_spec(profile, i);
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		const PhMetric *m = &profile->metrics[i];
		metrics[i] = (PhMetricSpec){.name = ph_profile_string(profile, m->name),
									.unit = ph_profile_string(profile, m->unit),
									.kind = (PhMetricKind) m->kind,
									.combine = (PhCombine) m->combine,
									.numerator = m->numerator,
									.denominator = m->denominator,
									.may_be_negative = m->is_signed};
	}
	ph_presence_init(&presence, arena);
	for (uint32_t i = 0; i < stored->n; i++)
	{
		PhBytes bytes = {stored->blocks[i].data, stored->blocks[i].size};
		PH_TRY(ph_block_open(env, bytes, &block));
		PH_TRY(ph_block_presence(env, &block, stored->blocks[i].block, stored->blocks[i].stripe,
								 map, &presence));
	}
	return ph_profile_with_room(env, profile, n, columns, profile->n_metrics, metrics, &presence,
								out);
}

static PhStatus
find_block(PhEnv *env, const Stored *stored, uint32_t metric, uint32_t number, uint32_t stripe,
		   PhStoredBlock *room, const PhStoredBlock **out)
{
	*out = NULL;
	for (uint32_t i = 0; i < stored->n; i++)
		if (stored->blocks[i].metric == metric && stored->blocks[i].block == number &&
			stored->blocks[i].stripe == stripe)
		{
			*out = room;
			return ph_block_open(env, (PhBytes){stored->blocks[i].data, stored->blocks[i].size},
								 room);
		}
	return PH_OK;
}

static PhStatus
fill(PhEnv *env, PhBlockFiller *filler, const PhProfile *profile, const Stored *stored)
{
	for (uint32_t m = 0; m < profile->n_metrics; m++)
		for (uint32_t s = 0; s < ph_n_stripes(profile->n_columns); s++)
			for (uint32_t b = ph_n_blocks(profile);
				 b-- > 0 && profile->metrics[m].kind != PH_METRIC_RATIO;)
			{
				PhStoredBlock room;
				const PhStoredBlock *block;
				PH_TRY(find_block(env, stored, m, b, s, &room, &block));
				PH_TRY(ph_block_fill(filler, m, b, s, block));
			}
	return PH_OK;
}

static PhStatus
restore(PhEnv *env, const PhProfile *profile, const Stored *stored, PhColumnMap map,
		PhProfile **out)
{
	PhArena arena;
	PhBlockFiller *filler;
	PhProfile *made = NULL;
	ph_arena_init(&arena, env);
	PhStatus status = make_room(env, &arena, profile, stored, map, &made);
	if (status == PH_OK)
		status = ph_block_filler_new(&arena, made, profile->n_columns, map, &filler);
	if (status == PH_OK)
		status = fill(env, filler, profile, stored);
	ph_arena_drop(&arena);
	*out = made;
	return status;
}

static void
assert_same_bits(const PhProfile *a, const PhProfile *b, uint32_t m, uint32_t node, uint32_t x,
				 uint32_t y)
{
	for (PhCost cost = PH_COST_INCLUSIVE; cost <= PH_COST_RESIDUAL; cost++)
	{
		double p = ph_profile_cell(a, m, node, x, cost), q = ph_profile_cell(b, m, node, y, cost);
		if (cost == PH_COST_ABSORBED || memcmp(&p, &q, sizeof(p)) == 0 || (isnan(p) && isnan(q)))
			continue;
		if (cost == PH_COST_RESIDUAL && agree(p, q, 1e-9))
			continue;
		fail_msg("metric %u node %u column %u cost %d: %.17g, was %.17g", m, node, x, (int) cost, q,
				 p);
	}
}

/* back has the columns of profile that map names. */
static void
assert_same_values(const PhProfile *profile, const PhProfile *back, PhColumnMap map)
{
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		for (uint32_t x = 0; x < profile->n_columns; x++)
		{
			uint32_t y = map == NULL ? x : map[x];
			if (y == PH_NONE)
				continue;
			assert_int_equal(ph_profile_is_present(profile, node, x),
							 ph_profile_is_present(back, node, y));
			for (uint32_t m = 0; m < profile->n_metrics; m++)
				assert_same_bits(profile, back, m, node, x, y);
		}
}

static void
check_restored(PhEnv *env, const PhProfile *profile, const Stored *stored, PhColumnMap map)
{
	PhProfile *back;
	if (restore(env, profile, stored, map, &back) != PH_OK)
		fail_msg("%s", env->error.message);
	assert_same_values(profile, back, map);
	ph_profile_free(env, back);
}

/* What ph_node_values fetches from. */
typedef struct Source
{
	PhEnv *env;
	const Stored *stored;
	uint32_t metric;
	uint32_t n_fetched;
	PhStoredBlock room;
} Source;

static PhStatus
fetch(void *user, uint32_t number, uint32_t stripe, const PhStoredBlock **out)
{
	Source *source = user;
	source->n_fetched++;
	return find_block(source->env, source->stored, source->metric, number, stripe, &source->room,
					  out);
}

/* One node at a time, without the rest; of hubs and their relatives few rows are looked at. */
static void
check_nodes(PhEnv *env, const PhProfile *profile, const Stored *stored)
{
	static double exclusive[70000], inclusive[70000];
	static bool present[70000];
	uint32_t step = profile->n_nodes * profile->n_columns / 20000 + 1;
	for (uint32_t m = 0; m < profile->n_metrics; m++)
		for (uint32_t node = 0; node < profile->n_nodes && profile->metrics[m].exclusive != NULL;
			 node += step)
		{
			static Source source;
			PhArena arena;
			source = (Source){.env = env, .stored = stored, .metric = m};
			PhNodeRequest request = {profile,
									 node,
									 profile->n_columns,
									 profile->metrics[m].kind == PH_METRIC_FLOW,
									 profile->metrics[m].is_signed,
									 fetch,
									 &source};
			ph_arena_init(&arena, env);
			memset(present, 0, profile->n_columns);
			assert_int_equal(ph_node_values(&arena, &request, exclusive, inclusive, present),
							 PH_OK);
			for (uint32_t x = 0; x < profile->n_columns; x++)
			{
				double own = ph_profile_cell(profile, m, node, x, PH_COST_EXCLUSIVE);
				double all = ph_profile_cell(profile, m, node, x, PH_COST_INCLUSIVE);
				assert_memory_equal(&own, &exclusive[x], sizeof(own));
				assert_memory_equal(&all, &inclusive[x], sizeof(all));
				assert_int_equal(present[x], ph_profile_is_present(profile, node, x));
			}
			if (profile->first_cell == NULL)
				assert_true(source.n_fetched <= 3 * 66 * ph_n_stripes(profile->n_columns));
			ph_arena_drop(&arena);
		}
}

/* The rows of a stream, each with the values that the profile has. */
typedef struct Expected
{
	const PhProfile *profile;
	const PhProfile *back; /* what the filler makes of the same blocks */
	uint32_t metric, last;
	uint64_t n_cells;
} Expected;

static PhStatus
expect_row(void *user, const PhStreamedRow *row)
{
	Expected *expected = user;
	PhRunWalk walk = {0};
	uint32_t first, n, cell = 0;
	assert_true(row->node < expected->last);
	expected->last = row->node;
	while (ph_block_next_run(row->block, row->row, &walk, &first, &n))
		for (uint32_t i = 0; i < n; i++, cell++)
		{
			uint32_t column = row->stripe * PH_STRIPE_COLUMNS + first + i;
			double own = ph_profile_cell(expected->profile, expected->metric, row->node, column,
										 PH_COST_EXCLUSIVE);
			double all = ph_profile_cell(expected->profile, expected->metric, row->node, column,
										 PH_COST_INCLUSIVE);
			assert_true(ph_profile_is_present(expected->profile, row->node, column));
			assert_memory_equal(&own, &row->exclusive[cell], sizeof(own));
			assert_memory_equal(&all, &row->inclusive[cell], sizeof(all));
			double rest = ph_profile_cell(expected->back, expected->metric, row->node, column,
										  PH_COST_RESIDUAL);
			double found = row->residual == NULL ? 0 : row->residual[cell];
			assert_memory_equal(&rest, &found, sizeof(rest));
			expected->n_cells++;
		}
	return PH_OK;
}

static void
check_stream(PhEnv *env, const PhProfile *profile, const Stored *stored)
{
	PhArena arena;
	PhBlockStream *stream;
	PhProfile *back;
	uint64_t n_present = 0;
	assert_int_equal(restore(env, profile, stored, NULL, &back), PH_OK);
	Expected expected = {.profile = profile, .back = back};
	ph_arena_init(&arena, env);
	assert_int_equal(
		ph_block_stream_new(&arena, profile, profile->n_columns, expect_row, &expected, &stream),
		PH_OK);
	for (uint32_t i = 0; i < stored->n; i++)
	{
		PhStoredBlock block;
		bool is_first = i == 0 || stored->blocks[i].metric != stored->blocks[i - 1].metric ||
						stored->blocks[i].stripe != stored->blocks[i - 1].stripe;
		expected.metric = stored->blocks[i].metric;
		if (is_first)
		{
			expected.last = PH_NONE;
			ph_block_stream_start(stream, profile->metrics[expected.metric].is_signed,
								  stored->blocks[i].stripe);
			bool is_flow = profile->metrics[expected.metric].kind == PH_METRIC_FLOW;
			assert_int_equal(ph_block_stream_with_residuals(stream, is_flow), PH_OK);
		}
		PhBytes bytes = {stored->blocks[i].data, stored->blocks[i].size};
		assert_int_equal(ph_block_open(env, bytes, &block), PH_OK);
		assert_int_equal(ph_block_stream_next(stream, stored->blocks[i].block, &block), PH_OK);
	}
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		for (uint32_t m = 0; m < profile->n_metrics; m++)
			n_present +=
				profile->metrics[m].exclusive == NULL ? 0 : ph_profile_n_present(profile, node);
	assert_true(expected.n_cells == n_present);
	ph_profile_free(env, back);
	ph_arena_drop(&arena);
}

/* Whole, and in a third of the columns. */
static void
check_profile(PhEnv *env, const PhProfile *profile)
{
	static uint32_t map[70000];
	Stored stored;
	uint32_t kept = 0;
	store(env, profile, &stored);
	check_restored(env, profile, &stored, NULL);
	for (uint32_t i = 0; i < profile->n_columns; i++)
		map[i] = i * 7 % 3 == 1 ? kept++ : PH_NONE;
	if (kept > 0)
		check_restored(env, profile, &stored, map);
	check_nodes(env, profile, &stored);
	check_stream(env, profile, &stored);
	forget(&stored);
}

static double
draw(RandomNumbers *numbers, uint32_t decimals)
{
	double whole = (double) numbers_below(numbers, 1000000);
	return decimals == 0 ? sqrt(whole) / 7 : whole / pow(10, decimals);
}

static void
give(PhProfileBuilder *builder, const Shape *shape, RandomNumbers *numbers, uint32_t node,
	 uint32_t column)
{
	double own = draw(numbers, shape->decimals);
	if (numbers_below(numbers, 1000) >= shape->present)
		return;
	if ((shape->given & PH_GIVEN_EXCLUSIVE) != 0)
		assert_int_equal(ph_builder_add_value(builder, 0, node, column, PH_COST_EXCLUSIVE, own),
						 PH_OK);
	if ((shape->given & PH_GIVEN_INCLUSIVE) != 0)
		assert_int_equal(ph_builder_add_value(builder, 0, node, column, PH_COST_INCLUSIVE,
											  (shape->nodes - node) * 2e6 + own),
						 PH_OK);
	if (shape->is_disagreeing || numbers_below(numbers, 2) == 0)
		assert_int_equal(ph_builder_add_value(builder, 1, node, column, PH_COST_EXCLUSIVE,
											  (double) numbers_below(numbers, 9)),
						 PH_OK);
}

static void
random_shape(PhEnv *env, uint64_t seed, const Shape *shape, PhProfile **out)
{
	RandomNumbers numbers = {seed};
	PhProfileBuilder *builder;
	uint32_t metric, region, node, column;
	char name[32];
	PhMetricSpec time = {.name = "time", .unit = "s", .given = shape->given};
	PhMetricSpec calls = {.name = "calls", .unit = "count", .given = PH_GIVEN_EXCLUSIVE};
	assert_int_equal(ph_builder_new(env, &builder), PH_OK);
	assert_int_equal(ph_builder_add_metric(builder, &time, &metric), PH_OK);
	assert_int_equal(ph_builder_add_metric(builder, &calls, &metric), PH_OK);
	for (uint32_t i = 0; i < shape->columns; i++)
	{
		PhColumnSpec spec = {.rank = (int32_t) i, .thread = -1, .iteration = PH_NO_ITERATION};
		assert_int_equal(ph_builder_add_column(builder, &spec, &column), PH_OK);
	}
	for (uint32_t i = 0; i < shape->nodes; i++)
	{
		uint32_t parent = i == 0 ? PH_NONE : shape->is_comb ? i - 1 : numbers_below(&numbers, i);
		PhRegionSpec spec = {.name = name, .line = -1};
		snprintf(name, sizeof(name), "f%u", i);
		assert_int_equal(ph_builder_add_region(builder, &spec, &region), PH_OK);
		assert_int_equal(ph_builder_add_node(builder, parent, region, &node), PH_OK);
		for (uint32_t c = 0; c < shape->columns; c++)
			give(builder, shape, &numbers, node, c);
	}
	assert_int_equal(ph_builder_mark_present(builder, 0, 0), PH_OK);
	assert_int_equal(ph_builder_finish(builder, out), PH_OK);
	ph_builder_free(builder);
}

static void
shapes_come_back(void **state)
{
	static const Shape shapes[] = {
		{1, 1, 1000, PH_GIVEN_EXCLUSIVE, 6, false, false},
		{60, 4, 1000, PH_GIVEN_EXCLUSIVE, 6, false, false},
		{60, 4, 1000, PH_GIVEN_BOTH, 6, true, false},
		{255, 7, 900, PH_GIVEN_INCLUSIVE, 3, false, false},
		{256, 33, 500, PH_GIVEN_BOTH, 0, true, false},
		{257, 33, 30, PH_GIVEN_EXCLUSIVE, 0, false, false},
		{600, 300, 1000, PH_GIVEN_EXCLUSIVE, 6, false, false},
		{600, 17, 5, PH_GIVEN_BOTH, 6, true, true},
		{520, 40, 1000, PH_GIVEN_INCLUSIVE, 2, true, true},
		{3, 16385, 600, PH_GIVEN_BOTH, 6, true, false},
		{5, 33000, 1000, PH_GIVEN_EXCLUSIVE, 4, false, false},
		{300, 2000, 1, PH_GIVEN_EXCLUSIVE, 6, false, false},
	};
	(void) state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
	{
		PhEnv env;
		PhProfile *profile;
		ph_env_init_malloc(&env);
		random_shape(&env, i + 1, &shapes[i], &profile);
		check_profile(&env, profile);
		ph_profile_free(&env, profile);
		assert_int_equal(env.bytes, 0);
	}
}

/* Every kind of metric, several roots, threads and iterations. */
static void
mixed_profiles_come_back(void **state)
{
	static Mixed mixed;
	PhEnv env;
	(void) state;
	ph_env_init_malloc(&env);
	for (uint64_t seed = 1; seed <= 400; seed++)
	{
		PhProfile *profile;
		mixed_random(seed, seed % 2 == 0, &mixed);
		assert_int_equal(mixed_profile(&env, &mixed, NULL, &profile), PH_OK);
		check_profile(&env, profile);
		ph_profile_free(&env, profile);
	}
	assert_int_equal(env.bytes, 0);
}

/* Printed seconds of 200 nodes in 1,000 columns, whichever of the two vectors is decimal. */
static void
decimals_are_small(void **state)
{
	static const PhGiven given[] = {PH_GIVEN_EXCLUSIVE, PH_GIVEN_INCLUSIVE};
	(void) state;
	for (uint32_t i = 0; i < 2; i++)
	{
		PhEnv env;
		PhProfile *profile;
		Stored stored;
		size_t bytes = 0;
		Shape shape = {200, 1000, 1000, given[i], 6, false, false};
		ph_env_init_malloc(&env);
		random_shape(&env, 5, &shape, &profile);
		store(&env, profile, &stored);
		for (uint32_t b = 0; b < stored.n; b++)
			bytes += stored.blocks[b].metric == 0 ? stored.blocks[b].size : 0;
		if ((double) bytes > 2.8 * 200 * 1000)
			fail_msg("%zu bytes for 200,000 cells", bytes);
		forget(&stored);
		ph_profile_free(&env, profile);
	}
}

/*
 * Where the inclusive cost of the parent is the sum with what binary fractions leave of it, in
 * every third column, and the decimal that it stands for in the others: either must come back.
 */
static void
sums_follow_either_way(void **state)
{
	PhEnv env;
	PhProfileBuilder *builder;
	PhProfile *profile;
	PhMetricSpec time = {.name = "time", .unit = "s", .given = PH_GIVEN_BOTH};
	PhRegionSpec regions[] = {{.name = "main", .line = -1}, {.name = "leaf", .line = -1}};
	uint32_t index, nodes[2];
	(void) state;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_builder_new(&env, &builder), PH_OK);
	assert_int_equal(ph_builder_add_metric(builder, &time, &index), PH_OK);
	for (uint32_t i = 0; i < 2; i++)
	{
		assert_int_equal(ph_builder_add_region(builder, &regions[i], &index), PH_OK);
		assert_int_equal(
			ph_builder_add_node(builder, i == 0 ? PH_NONE : nodes[0], index, &nodes[i]), PH_OK);
	}
	for (uint32_t c = 0; c < 200; c++)
	{
		PhColumnSpec spec = {.rank = (int32_t) c, .thread = -1, .iteration = PH_NO_ITERATION};
		double whole[] = {c % 3 == 0 ? 0.1 + 0.2 : 0.3, 0.2}, own[] = {0.1, 0.2};
		assert_true(0.1 + 0.2 != 0.3);
		assert_int_equal(ph_builder_add_column(builder, &spec, &index), PH_OK);
		for (uint32_t i = 0; i < 2; i++)
		{
			assert_int_equal(
				ph_builder_add_value(builder, 0, nodes[i], index, PH_COST_EXCLUSIVE, own[i]),
				PH_OK);
			assert_int_equal(
				ph_builder_add_value(builder, 0, nodes[i], index, PH_COST_INCLUSIVE, whole[i]),
				PH_OK);
		}
	}
	assert_int_equal(ph_builder_finish(builder, &profile), PH_OK);
	ph_builder_free(builder);
	check_profile(&env, profile);
	ph_profile_free(&env, profile);
}

/* Any changed bit is found by the checksum; with a right one bytes are still not trusted. */
static void
damage_is_found(void **state)
{
	static const Shape shape = {40, 9, 700, PH_GIVEN_BOTH, 6, true, false};
	RandomNumbers numbers = {3};
	PhEnv env;
	PhProfile *profile, *back;
	PhStoredBlock block;
	Stored stored;
	(void) state;
	ph_env_init_malloc(&env);
	random_shape(&env, 9, &shape, &profile);
	store(&env, profile, &stored);
	uint8_t *data = stored.blocks[0].data;
	size_t size = stored.blocks[0].size;
	for (size_t bit = 0; bit < 8 * size; bit++)
	{
		data[bit / 8] ^= (uint8_t) (1u << (bit % 8));
		assert_int_equal(ph_block_open(&env, (PhBytes){data, size}, &block), PH_ERR_FORMAT);
		data[bit / 8] ^= (uint8_t) (1u << (bit % 8));
	}
	for (size_t cut = 0; cut < size; cut++)
		assert_int_equal(ph_block_open(&env, (PhBytes){data, cut}, &block), PH_ERR_FORMAT);
	for (uint32_t round = 0; round < 3000; round++)
	{
		size_t at = 4 + numbers_below(&numbers, round % 2 == 0 ? 60 : (uint32_t) size - 4);
		uint8_t was = data[at];
		data[at] = (uint8_t) numbers_below(&numbers, 256);
		uint32_t crc = ph_crc32c(0, data + 4, size - 4);
		for (uint32_t i = 0; i < 4; i++)
			data[i] = (uint8_t) (crc >> (8 * i));
		PhStatus status = restore(&env, profile, &stored, NULL, &back);
		assert_true(status == PH_OK || status == PH_ERR_FORMAT || status == PH_ERR_VALUE);
		ph_profile_free(&env, back);
		data[at] = was;
	}
	forget(&stored);
	ph_profile_free(&env, profile);
	assert_int_equal(env.bytes, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes_come_back),	  cmocka_unit_test(mixed_profiles_come_back),
		cmocka_unit_test(decimals_are_small), cmocka_unit_test(sums_follow_either_way),
		cmocka_unit_test(damage_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
