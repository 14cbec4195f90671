/*
 * test_profile_flat.c - the stored form: round trips, damage, skeletons, room for values.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "profile/cells.h"
#include "profile/flat.h"
#include "profile/ops.h"
#include "support/fault_env.h"
#include "support/mixed.h"
#include "support/rounds.h"

#define N_INPUTS rounds(2000)

static PhEnv
new_env(void)
{
	PhEnv env;
	ph_env_init_malloc(&env);
	return env;
}

static PhProfile *
mixed(PhEnv *env, uint64_t seed)
{
	Mixed input;
	PhProfile *profile;
	mixed_random(seed, false, &input);
	assert_int_equal(mixed_profile(env, &input, NULL, &profile), PH_OK);
	return profile;
}

static void
check_round_trip(PhEnv *env, const PhProfile *profile)
{
	size_t size;
	PhProfile *back;
	uint8_t *bytes = flat_bytes(env, profile, &size);
	if (ph_profile_unflatten(env, bytes, size, &back) != PH_OK)
		fail_msg("%s", env->error.message);
	assert_true(same_bytes(env, profile, back));
	ph_profile_free(env, back);
	free(bytes);
}

/* A filtered difference: nests before, after, and an unfiltered one with its own. */
static PhProfile *
nested(PhEnv *env, uint64_t seed)
{
	PhProfile *a = mixed(env, seed), *b = mixed(env, seed + 1), *diff, *filtered;
	assert_int_equal(ph_profile_diff(env, a, b, &diff), PH_OK);
	assert_int_equal(
		ph_profile_filter(env, diff, 0.3, PH_STAT_MEAN, 0, PH_COST_INCLUSIVE, &filtered), PH_OK);
	ph_profile_free(env, a);
	ph_profile_free(env, b);
	ph_profile_free(env, diff);
	return filtered;
}

static void
random_profiles_survive_a_round_trip(void **state)
{
	(void) state;
	PhEnv env = new_env();
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		PhProfile *profile = seed % 4 == 3 ? nested(&env, seed) : mixed(&env, seed);
		check_round_trip(&env, profile);
		ph_profile_free(&env, profile);
	}
	assert_int_equal(env.bytes, 0);
}

static void
every_truncation_is_refused(void **state)
{
	(void) state;
	PhEnv env = new_env();
	PhProfile *profile = nested(&env, 11), *back = NULL;
	size_t size;
	uint8_t *bytes = flat_bytes(&env, profile, &size);
	for (size_t length = 0; length < size; length++)
	{
		uint8_t *cut = malloc(length + 1); /* its own block, so that reading over the end shows */
		memcpy(cut, bytes, length);
		assert_int_equal(ph_profile_unflatten(&env, cut, length, &back), PH_ERR_FORMAT);
		assert_null(back);
		free(cut);
	}
	ph_profile_free(&env, profile);
	free(bytes);
	assert_int_equal(env.bytes, 0);
}

/* Whatever is accepted must be a profile that gives the same bytes again. */
static void
damage_is_refused_or_harmless(void **state)
{
	(void) state;
	PhEnv env = new_env();
	Random random = {3};
	uint32_t refused = 0;
	for (uint64_t seed = 0; seed < 40; seed++)
	{
		PhProfile *profile = seed % 2 == 0 ? nested(&env, seed) : mixed(&env, seed);
		size_t size;
		uint8_t *bytes = flat_bytes(&env, profile, &size);
		for (int i = 0; i < 100; i++)
		{
			size_t at = random_below(&random, i % 2 == 0 ? 512 : (uint32_t) size) % size;
			uint8_t old = bytes[at];
			PhProfile *back;
			bytes[at] = (uint8_t) (i % 3 == 0 ? 0xff : old ^ (1u << random_below(&random, 8)));
			PhStatus status = ph_profile_unflatten(&env, bytes, size, &back);
			refused += status != PH_OK;
			if (status == PH_OK)
			{
				check_round_trip(&env, back);
				ph_profile_free(&env, back);
			}
			bytes[at] = old;
		}
		ph_profile_free(&env, profile);
		free(bytes);
	}
	assert_true(refused > 1000);
	assert_int_equal(env.bytes, 0);
}

/* Numbers just beyond what there is. */
static void
what_does_not_exist_is_refused(void **state)
{
	(void) state;
	PhEnv env = new_env();
	PhProfile *profile = mixed(&env, 4), *back = NULL;
	uint32_t last = profile->n_nodes - 1;
	uint32_t *const numbers[] = {&profile->region[last], &profile->parent[last],
								 &profile->metrics[0].name};
	const uint32_t beyond[] = {profile->n_regions, last, profile->n_strings};
	for (int i = 0; i < 3; i++)
	{
		uint32_t old = *numbers[i];
		size_t size;
		*numbers[i] = beyond[i];
		uint8_t *bytes = flat_bytes(&env, profile, &size);
		*numbers[i] = old;
		assert_int_equal(ph_profile_unflatten(&env, bytes, size, &back), PH_ERR_FORMAT);
		assert_null(back);
		free(bytes);
	}
	ph_profile_free(&env, profile);
	assert_int_equal(env.bytes, 0);
}

static void
huge_counts_allocate_nothing(void **state)
{
	(void) state;
	PhEnv env = new_env();
	PhProfile *profile = mixed(&env, 5), *back;
	size_t size;
	uint8_t *bytes = flat_bytes(&env, profile, &size);
	ph_profile_free(&env, profile);
	env.byte_limit = 1 << 20;
	for (size_t field = 16; field < 48; field += 4)
	{
		uint8_t old[4];
		memcpy(old, bytes + field, 4);
		memset(bytes + field, 0xff, 4);
		PhStatus status = ph_profile_unflatten(&env, bytes, size, &back);
		/* the number of missing columns is only a number */
		assert_int_equal(status, field == 44 ? PH_OK : PH_ERR_FORMAT);
		if (status == PH_OK)
			ph_profile_free(&env, back);
		memcpy(bytes + field, old, 4);
	}
	free(bytes);
	assert_int_equal(env.bytes, 0);
}

/* One node of a region that was met twice, with and without labels. */
static PhProfile *
labelled(PhEnv *env, const char *paradigm)
{
	PhProfileBuilder *builder;
	PhProfile *profile;
	const char *const paradigms[] = {NULL, paradigm};
	PhColumnSpec column = {.iteration = PH_NO_ITERATION, .rank = 0, .thread = PH_NO_NUMBER};
	uint32_t index;
	assert_int_equal(ph_builder_new(env, &builder), PH_OK);
	assert_int_equal(ph_builder_add_column(builder, &column, &index), PH_OK);
	for (int i = 0; i < 2; i++)
	{
		PhRegionSpec spec = {.name = "f", .line = PH_NO_NUMBER, .paradigm = paradigms[i]};
		assert_int_equal(ph_builder_add_region(builder, &spec, &index), PH_OK);
		assert_int_equal(ph_builder_add_node(builder, PH_NONE, index, &index), PH_OK);
		assert_int_equal(ph_builder_mark_present(builder, index, 0), PH_OK);
	}
	assert_int_equal(ph_builder_finish(builder, &profile), PH_OK);
	ph_builder_free(builder);
	return profile;
}

/* A profile without paradigms has the bytes that it had before there were any. */
static void
paradigms_need_version_2(void **state)
{
	(void) state;
	PhEnv env = new_env();
	static const char *const paradigms[] = {"", "mpi"};
	for (int i = 0; i < 2; i++)
	{
		PhProfile *profile = labelled(&env, paradigms[i]), *back;
		size_t size;
		uint8_t *bytes = flat_bytes(&env, profile, &size);
		assert_int_equal(bytes[4], 1 + i);
		assert_int_equal(profile->n_nodes, 1);
		assert_int_equal(ph_profile_unflatten(&env, bytes, size, &back), PH_OK);
		assert_string_equal(back->strings[back->regions[0].paradigm], paradigms[i]);
		bytes[4] = (uint8_t) (2 - i);
		ph_profile_free(&env, back);
		assert_int_equal(ph_profile_unflatten(&env, bytes, size, &back), PH_ERR_FORMAT);
		ph_profile_free(&env, profile);
		free(bytes);
	}
	assert_int_equal(env.bytes, 0);
}

static void
newer_versions_are_named(void **state)
{
	(void) state;
	PhEnv env = new_env();
	PhProfile *profile = mixed(&env, 5), *back;
	size_t size;
	uint8_t *bytes = flat_bytes(&env, profile, &size);
	bytes[4] = 9;
	assert_int_equal(ph_profile_unflatten(&env, bytes, size, &back), PH_ERR_UNSUPPORTED);
	assert_non_null(strstr(env.error.message, "version 9"));
	ph_profile_free(&env, profile);
	free(bytes);
}

static void
skeletons_have_the_tree_alone(void **state)
{
	(void) state;
	PhEnv env = new_env();
	for (uint64_t seed = 0; seed < 50; seed++)
	{
		PhProfile *profile = mixed(&env, seed), *skeleton;
		assert_int_equal(ph_profile_skeleton(&env, profile, &skeleton), PH_OK);
		assert_int_equal(ph_profile_check(&env, skeleton), PH_OK);
		check_round_trip(&env, skeleton);
		assert_int_equal(skeleton->n_metrics + skeleton->n_columns, 0);
		assert_int_equal(skeleton->provenance.n_sources + skeleton->provenance.n_notes, 0);
		assert_int_equal(skeleton->n_nodes, profile->n_nodes);
		assert_memory_equal(skeleton->callpath_id, profile->callpath_id,
							profile->n_nodes * sizeof(uint64_t));
		ph_profile_free(&env, skeleton);
		ph_profile_free(&env, profile);
	}
	assert_int_equal(env.bytes, 0);
}

/* Columns and metrics of a profile as specifications. */
static void
describe(const PhProfile *profile, PhColumnSpec *columns, PhMetricSpec *metrics)
{
	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		const PhColumn *c = &profile->columns[i];
		columns[i] = (PhColumnSpec){c->kind,
									c->run_id,
									c->iteration,
									c->rank,
									c->thread,
									profile->strings[c->host],
									profile->strings[c->name]};
	}
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		const PhMetric *m = &profile->metrics[i];
		metrics[i] = (PhMetricSpec){.name = profile->strings[m->name],
									.unit = profile->strings[m->unit],
									.kind = m->kind,
									.combine = m->combine,
									.numerator = m->numerator,
									.denominator = m->denominator,
									.may_be_negative = m->is_signed};
	}
}

/* The profile's presence, node by node. */
static PhPresence
presence_of(PhArena *arena, const PhProfile *profile)
{
	PhPresence presence;
	ph_presence_init(&presence, arena);
	for (uint32_t i = 0; i < profile->n_nodes; i++)
	{
		uint32_t node = profile->n_nodes - 1 - i;
		PhRowWalk walk = ph_row_walk(profile, node);
		for (PhRowSpan span; ph_row_next(&walk, &span);)
			assert_int_equal(ph_presence_add(&presence, node, span.first, span.n), PH_OK);
	}
	return presence;
}

/* Fill room with a profile's own numbers, as the server does from its tables. */
static void
fill_room(PhProfile *room, const PhProfile *profile)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		const PhMetric *from = &profile->metrics[i], *to = &room->metrics[i];
		for (uint32_t node = 0; from->kind != PH_METRIC_RATIO && node < profile->n_nodes; node++)
		{
			PhRowWalk walk = ph_row_walk(profile, node), there = ph_row_walk(room, node);
			for (PhRowSpan span, own; ph_row_next(&walk, &span);)
			{
				assert_true(ph_row_next(&there, &own));
				assert_int_equal(own.first, span.first);
				assert_int_equal(own.n, span.n);
				memcpy(to->exclusive + own.cell, from->exclusive + span.cell, span.n * 8);
				memcpy(to->inclusive + own.cell, from->inclusive + span.cell, span.n * 8);
			}
		}
	}
}

/* Which node is below which, and nothing that leads out of the tree when bytes are damaged. */
static void
check_shape(PhEnv *env, const PhProfile *profile, Random *random)
{
	size_t size;
	PhProfile shape;
	PhArena arena;
	uint8_t *bytes = flat_bytes(env, profile, &size);
	size_t n = profile->n_nodes * sizeof(uint32_t);
	ph_arena_init(&arena, env);
	assert_int_equal(ph_profile_unflatten_shape(&arena, bytes, size, &shape), PH_OK);
	assert_int_equal(shape.n_nodes, profile->n_nodes);
	assert_memory_equal(shape.parent, profile->parent, n);
	assert_memory_equal(shape.subtree_end, profile->subtree_end, n);
	assert_memory_equal(shape.depth, profile->depth, n);
	for (uint32_t round = 0; round < 50; round++)
	{
		size_t cut = random_below(random, (uint32_t) size);
		uint8_t *damaged = malloc(cut + 1);
		assert_non_null(damaged);
		memcpy(damaged, bytes, cut + 1);
		damaged[random_below(random, (uint32_t) cut + 1)] ^= (uint8_t) (1 + round);
		if (ph_profile_unflatten_shape(&arena, damaged, cut + 1, &shape) == PH_OK)
			for (uint32_t node = 0; node < shape.n_nodes; node++)
				for (uint32_t below = node + 1; below < shape.subtree_end[node]; below++)
					assert_true(below < shape.n_nodes && shape.depth[below] > shape.depth[node]);
		free(damaged);
	}
	ph_arena_drop(&arena);
	free(bytes);
}

static void
shapes_have_the_tree(void **state)
{
	(void) state;
	PhEnv env = new_env();
	Random random = {.state = 15};
	for (uint64_t seed = 0; seed < N_INPUTS / 10; seed++)
	{
		PhProfile *profile = mixed(&env, seed), *skeleton;
		assert_int_equal(ph_profile_skeleton(&env, profile, &skeleton), PH_OK);
		check_shape(&env, skeleton, &random);
		check_shape(&env, profile, &random);
		ph_profile_free(&env, skeleton);
		ph_profile_free(&env, profile);
	}
	assert_int_equal(env.bytes, 0);
}

static void
skeleton_and_values_make_the_profile(void **state)
{
	(void) state;
	PhEnv env = new_env();
	for (uint64_t seed = 0; seed < rounds(300); seed++)
	{
		PhProfile *profile = mixed(&env, seed), *skeleton, *room;
		PhColumnSpec columns[MIXED_MOST_COLUMNS];
		PhMetricSpec metrics[MIXED_METRICS];
		PhArena arena;
		describe(profile, columns, metrics);
		ph_arena_init(&arena, &env);
		PhPresence presence = presence_of(&arena, profile);
		assert_int_equal(ph_profile_skeleton(&env, profile, &skeleton), PH_OK);
		assert_int_equal(ph_profile_with_room(&env, skeleton, profile->n_columns, columns,
											  profile->n_metrics, metrics, &presence, &room),
						 PH_OK);
		ph_arena_drop(&arena);
		fill_room(room, profile);
		assert_int_equal(ph_profile_complete(&env, room), PH_OK);
		assert_int_equal(ph_profile_add_source(&env, room, 7, "mixed"), PH_OK);
		assert_int_equal(ph_profile_add_note(&env, room, "load: mixed"), PH_OK);
		assert_int_equal(ph_profile_add_source(&env, room, 8, NULL), PH_ERR_INTERNAL);
		if (ph_profile_check(&env, room) != PH_OK)
			fail_msg("%s", env.error.message);
		/* completing counts residual cells, the builder also those that it could mend */
		assert_true(room->provenance.residual_cells <= profile->provenance.residual_cells);
		room->provenance.residual_cells = profile->provenance.residual_cells;
		for (uint32_t node = 0; node < profile->n_nodes; node++)
			for (uint32_t column = 0; column < profile->n_columns; column++)
				assert_true(agree(ph_profile_cell(profile, 0, node, column, PH_COST_RESIDUAL),
								  ph_profile_cell(room, 0, node, column, PH_COST_RESIDUAL), 1e-7));
		if (profile->metrics[0].residual == NULL)
			assert_true(same_bytes(&env, room, profile));
		ph_profile_free(&env, room);
		ph_profile_free(&env, skeleton);
		ph_profile_free(&env, profile);
	}
	assert_int_equal(env.bytes, 0);
}

typedef struct Flat
{
	uint8_t *bytes;
	size_t size;
} Flat;

static PhStatus
read_back(PhEnv *env, void *user)
{
	const Flat *flat = user;
	PhProfile *back;
	PH_TRY(ph_profile_unflatten(env, flat->bytes, flat->size, &back));
	ph_profile_free(env, back);
	return PH_OK;
}

static void
reading_may_run_out_of_memory(void **state)
{
	(void) state;
	PhEnv env = new_env();
	PhProfile *profile = nested(&env, 23);
	Flat flat;
	flat.bytes = flat_bytes(&env, profile, &flat.size);
	assert_string_equal(fault_env_try_allocations(read_back, &flat, 0), "");
	ph_profile_free(&env, profile);
	free(flat.bytes);
}

static void
reading_may_be_interrupted(void **state)
{
	(void) state;
	PhEnv env = new_env();
	PhProfile *profile;
	Flat flat;
	BigForest shape = {9000, 10, 300, 2, 50};
	assert_int_equal(forest_big(&env, &shape, &profile), PH_OK);
	flat.bytes = flat_bytes(&env, profile, &flat.size);
	assert_string_equal(fault_env_try_interrupts(read_back, &flat, 0), "");
	ph_profile_free(&env, profile);
	free(flat.bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_profiles_survive_a_round_trip),
		cmocka_unit_test(every_truncation_is_refused),
		cmocka_unit_test(damage_is_refused_or_harmless),
		cmocka_unit_test(what_does_not_exist_is_refused),
		cmocka_unit_test(huge_counts_allocate_nothing),
		cmocka_unit_test(paradigms_need_version_2),
		cmocka_unit_test(newer_versions_are_named),
		cmocka_unit_test(skeletons_have_the_tree_alone),
		cmocka_unit_test(shapes_have_the_tree),
		cmocka_unit_test(skeleton_and_values_make_the_profile),
		cmocka_unit_test(reading_may_run_out_of_memory),
		cmocka_unit_test(reading_may_be_interrupted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
