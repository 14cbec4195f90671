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
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhProfile *profile;
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 256 << 20;
	if (ph_profile_unflatten(&env, data, size, &profile) == PH_OK)
	{
		must_give_the_same_bytes(&env, profile, data, size);
		try_operations(&env, profile);
		ph_profile_free(&env, profile);
	}
	if (env.bytes != 0)
		abort(); /* something was not given back */
	return 0;
}
