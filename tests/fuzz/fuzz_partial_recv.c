/*
 * fuzz_partial_recv.c - a partial sum of profiles, as one process sends it to another, from
 * arbitrary bytes: an error, or one that gives the same bytes again and can be added to itself.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "profile/fold.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *
flatten(PhEnv *env, const PhPartial *partial, size_t *size)
{
	uint8_t *bytes;

	if (ph_partial_flat_size(env, partial, size) != PH_OK)
		abort();
	bytes = malloc(*size);
	if (bytes == NULL || ph_partial_flatten(env, partial, bytes) != PH_OK)
		abort();
	return bytes;
}

static void
must_come_back(PhEnv *env, const PhPartial *partial)
{
	PhPartial back;
	size_t size, same;
	uint8_t *bytes = flatten(env, partial, &size);
	uint8_t *again;

	if (ph_partial_unflatten(env, bytes, size, &back) != PH_OK)
		abort();
	again = flatten(env, &back, &same);
	if (same != size || memcmp(bytes, again, size) != 0)
		abort();
	ph_profile_free(env, back.profile);
	free(again);
	free(bytes);
}

static void
try_sum(PhEnv *env, const PhPartial *partial, PhUnionColumns columns, bool mean)
{
	PhPartial both[] = {*partial, *partial};
	PhSummands in = {.n_partials = 2, .partials = both};
	PhProfile *sum = NULL;

	if (ph_profile_fold_end(env, &in, columns, mean, &sum) == PH_OK)
		ph_profile_free(env, sum);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhPartial partial;

	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 256 << 20;
	if (ph_partial_unflatten(&env, data, size, &partial) == PH_OK)
	{
		must_come_back(&env, &partial);
		try_sum(&env, &partial, PH_UNION_MATCH, size % 2 == 0);
		try_sum(&env, &partial, PH_UNION_MEANS, size % 2 == 0);
		ph_profile_free(&env, partial.profile);
	}
	if (env.bytes != 0)
		abort(); /* something was not given back */
	return 0;
}
