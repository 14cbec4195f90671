/*
 * fuzz_profile_recv.c - the stored form of a profile from arbitrary bytes: an error, or a sound
 * profile that gives the same bytes again and bears the operations.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "profile/flat.h"
#include "profile/ops.h"

#include "flat_forms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *
flatten(PhEnv *env, const PhProfile *profile, size_t *size)
{
	if (ph_profile_flat_size(env, profile, size) != PH_OK)
		abort();
	uint8_t *bytes = malloc(*size);
	if (ph_profile_flatten(env, profile, bytes) != PH_OK)
		abort();
	return bytes;
}

/* What is written is read back as the same, and is what was read unless that had bitmaps. */
static void
must_give_the_same_bytes(PhEnv *env, const PhProfile *profile, const uint8_t *data, size_t size)
{
	size_t written, rewritten;
	PhProfile *copy;
	uint8_t *again = flatten(env, profile, &written);
	if (!may_have_bitmap(data, size) && (written != size || memcmp(again, data, size) != 0))
		abort();
	if (ph_profile_unflatten(env, again, written, &copy) != PH_OK)
		abort();
	uint8_t *third = flatten(env, copy, &rewritten);
	if (rewritten != written || memcmp(third, again, written) != 0)
		abort();
	ph_profile_free(env, copy);
	free(third);
	free(again);
}

/* What an operation makes of a sound profile is sound. */
static void
must_be_sound(PhEnv *env, PhStatus status, PhProfile *result)
{
	if (status != PH_OK)
		return;
	if (ph_profile_check(env, result) != PH_OK)
		abort();
	ph_profile_free(env, result);
}

/* Half of the columns, and the tree below its middle. */
static void
try_parts(PhEnv *env, const PhProfile *profile)
{
	PhProfile *result = NULL;
	bool *keep = calloc(profile->n_columns + 1, sizeof(*keep));
	for (uint32_t i = 0; i < profile->n_columns; i += 2)
		keep[i] = true;
	PhStatus status = ph_profile_subset(env, profile, keep, &result);
	must_be_sound(env, status, result);
	if (profile->n_nodes > 0)
	{
		status = ph_profile_subtree(env, profile, profile->n_nodes / 2, true, &result);
		must_be_sound(env, status, result);
	}
	free(keep);
}

static void
try_operations(PhEnv *env, const PhProfile *profile)
{
	PhProfile *result = NULL;
	PhStatus status =
		ph_profile_filter(env, profile, 0.1, PH_STAT_MEAN, 0, PH_COST_INCLUSIVE, &result);
	must_be_sound(env, status, result);
	status = ph_profile_roll_up_by(env, profile, "rank", &result);
	must_be_sound(env, status, result);
	status = ph_profile_diff(env, profile, profile, &result);
	must_be_sound(env, status, result);
	status = ph_profile_invert(env, profile, &result);
	must_be_sound(env, status, result);
	status = ph_profile_drop_roots(env, profile, 0.1, 0, &result);
	must_be_sound(env, status, result);
	status = ph_profile_drop_passages(env, profile, 0.1, 0, &result);
	must_be_sound(env, status, result);
	status = ph_profile_settle(env, profile, &result);
	must_be_sound(env, status, result);
	status = ph_profile_ensemble(env, 2, (const PhProfile *[]){profile, profile},
								 (const char *[]){"a", "b"}, &result);
	must_be_sound(env, status, result);
	try_parts(env, profile);
}

/* The tree alone, as the server reads it of stored bytes, is that of a profile that nests none. */
static void
try_shape(PhEnv *env, const PhProfile *profile, const uint8_t *data, size_t size)
{
	PhArena arena;
	PhProfile shape;
	ph_arena_init(&arena, env);
	PhStatus status = ph_profile_unflatten_shape(&arena, data, size, &shape);
	if (profile != NULL && status != PH_OK)
		abort();
	if (profile != NULL &&
		(shape.n_nodes != profile->n_nodes ||
		 memcmp(shape.parent, profile->parent, profile->n_nodes * sizeof(*shape.parent)) != 0))
		abort();
	ph_arena_drop(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhProfile *profile;
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 256 << 20;
	try_shape(&env, NULL, data, size);
	if (ph_profile_unflatten(&env, data, size, &profile) == PH_OK)
	{
		must_give_the_same_bytes(&env, profile, data, size);
		if (profile->before == NULL && profile->unfiltered == NULL)
			try_shape(&env, profile, data, size);
		try_operations(&env, profile);
		ph_profile_free(&env, profile);
	}
	if (env.bytes != 0)
		abort(); /* something was not given back */
	return 0;
}
