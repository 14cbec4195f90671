/*
 * test_fold.c - sums and ensembles part by part have the bytes of those of all profiles at once.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/fold.h"
#include "profile/ops.h"
#include "support/fault_env.h"
#include "support/mixed.h"
#include "support/profile_case.h"
#include "support/rounds.h"

#define MOST 9

static uint32_t state;

static uint32_t
below(uint32_t n)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % n;
}

/* Some of the metrics in another order; ratios bring what they divide. */
static PhProfile *
with_other_metrics(PhProfile *profile)
{
	uint32_t chosen[MIXED_METRICS], n = 0, first = below(MIXED_METRICS);
	PhProfile *out;
	for (uint32_t i = 0; i < MIXED_METRICS; i++)
		if (i == 0 || below(4) > 0)
			chosen[n++] = (first + i * 3) % MIXED_METRICS;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < i; k++)
			if (chosen[i] == chosen[k])
				return profile;
	for (uint32_t i = 0; i < n; i++)
		if (chosen[i] == MIXED_TIME)
		{
			assert_int_equal(ph_profile_select_metrics(&case_env, profile, n, chosen, &out), PH_OK);
			ph_profile_free(&case_env, profile);
			return out;
		}
	return profile;
}

/* Factors whose sums cancel and round. */
static PhProfile *
scaled(PhProfile *profile)
{
	static const double factors[] = {1, -1, 0.1, 1e15, -1e15, 3.7e-9};
	PhProfile *out;
	assert_int_equal(ph_profile_scale(&case_env, profile, factors[below(6)], &out), PH_OK);
	ph_profile_free(&case_env, profile);
	return out;
}

/* One in two sets has the same columns, one in three other metrics. */
static void
draw_profiles(uint64_t seed, uint32_t n, PhProfile **out)
{
	bool alike = below(2) == 0, others = below(3) == 0;
	for (uint32_t i = 0; i < n; i++)
	{
		out[i] = scaled(case_mixed(alike ? seed : seed + i * 101, false));
		if (others)
			out[i] = with_other_metrics(out[i]);
	}
}

static void
free_profiles(uint32_t n, PhProfile **profiles)
{
	for (uint32_t i = 0; i < n; i++)
		ph_profile_free(&case_env, profiles[i]);
}

/* Folds profiles [from, to) one part at a time; every part may be of several. */
static PhPartial
fold_some(PhProfile *const *profiles, uint32_t from, uint32_t to, PhUnionColumns columns)
{
	PhPartial so_far = {0}, next;
	while (from < to)
	{
		uint32_t n = 1 + below(to - from);
		const PhProfile *part[MOST];
		for (uint32_t i = 0; i < n; i++)
			part[i] = profiles[from + i];
		PhSummands in = {1, &so_far, n, part};
		assert_int_equal(ph_profile_fold(&case_env, &in, columns, &next), PH_OK);
		ph_profile_free(&case_env, so_far.profile);
		so_far = next;
		from += n;
		if (so_far.profile == NULL)
			return so_far;
	}
	return so_far;
}

/* The same from its bytes, which cut off anywhere are refused. */
static PhPartial
sent(PhPartial partial)
{
	PhPartial out = {0}, none = {0};
	uint8_t *bytes;
	size_t size;
	if (partial.profile == NULL)
		return partial;
	assert_int_equal(ph_partial_flat_size(&case_env, &partial, &size), PH_OK);
	bytes = malloc(size);
	assert_non_null(bytes);
	assert_int_equal(ph_partial_flatten(&case_env, &partial, bytes), PH_OK);
	assert_int_equal(ph_partial_unflatten(&case_env, bytes, size, &out), PH_OK);
	assert_int_not_equal(ph_partial_unflatten(&case_env, bytes, below((uint32_t) size), &none),
						 PH_OK);
	free(bytes);
	ph_profile_free(&case_env, partial.profile);
	return out;
}

/* Two partial sums, as of two processes, and the rest as it is. *out NULL: columns differ. */
static void
sum_in_parts(PhProfile *const *profiles, uint32_t n, PhUnionColumns columns, bool mean,
			 PhProfile **out)
{
	uint32_t first = below(n + 1), second = first + below(n - first + 1);
	PhPartial parts[2] = {fold_some(profiles, 0, first, columns),
						  sent(fold_some(profiles, first, second, columns))};
	PhPartial both = {0};
	const PhProfile *rest[MOST];
	*out = NULL;
	for (uint32_t i = second; i < n; i++)
		rest[i - second] = profiles[i];
	if (parts[0].n + parts[1].n == second)
	{
		PhSummands in = {2, parts, n - second, rest};
		if (second > 0 && below(2) == 0)
		{
			PhSummands folded = {2, parts, 0, NULL};
			assert_int_equal(ph_profile_fold(&case_env, &folded, columns, &both), PH_OK);
			in = (PhSummands){1, &both, n - second, rest};
		}
		if (second == 0 || in.partials == parts || both.profile != NULL)
			assert_int_equal(ph_profile_fold_end(&case_env, &in, columns, mean, out), PH_OK);
	}
	ph_profile_free(&case_env, both.profile);
	for (int i = 0; i < 2; i++)
		ph_profile_free(&case_env, parts[i].profile);
}

static void
sums_in_parts_are_sums(void **unused)
{
	uint32_t n_matched = 0, n_means = 0;
	(void) unused;
	state = 1;
	for (uint64_t seed = 0; seed < rounds(500); seed++)
	{
		uint32_t n = 1 + below(MOST);
		bool mean = below(2) == 0;
		PhProfile *profiles[MOST], *whole, *parts;
		draw_profiles(seed, n, profiles);
		assert_int_equal(
			ph_profile_sum(&case_env, n, (const PhProfile *const *) profiles, mean, &whole), PH_OK);
		sum_in_parts(profiles, n, PH_UNION_MATCH, mean, &parts);
		n_matched += parts != NULL;
		if (parts == NULL)
		{
			n_means++;
			sum_in_parts(profiles, n, PH_UNION_MEANS, mean, &parts);
		}
		assert_true(same_bytes(&case_env, whole, parts));
		ph_profile_free(&case_env, whole);
		ph_profile_free(&case_env, parts);
		free_profiles(n, profiles);
	}
	assert_true(n_matched > met_in_rounds(100) && n_means > met_in_rounds(100));
}

static void
ensembles_in_parts_are_ensembles(void **unused)
{
	static const char *const labels[MOST] = {"a", "b", NULL, "d", "", "f", "g", "h", "i"};
	(void) unused;
	state = 2;
	for (uint64_t seed = 0; seed < rounds(300); seed++)
	{
		uint32_t n = 1 + below(MOST);
		PhProfile *profiles[MOST], *whole;
		PhPartial so_far = {0}, next;
		draw_profiles(seed, n, profiles);
		assert_int_equal(
			ph_profile_ensemble(&case_env, n, (const PhProfile *const *) profiles, labels, &whole),
			PH_OK);
		bool is_last = false;
		for (uint32_t from = 0; !is_last;)
		{
			uint32_t count = from == n ? 0 : 1 + below(n - from);
			is_last = from + count == n && below(2) == 0;
			is_last = is_last || from == n;
			assert_int_equal(ph_ensemble_fold(&case_env, &so_far, count,
											  (const PhProfile *const *) profiles + from,
											  labels + from, is_last, &next),
							 PH_OK);
			ph_profile_free(&case_env, so_far.profile);
			so_far = next;
			from += count;
		}
		assert_true(same_bytes(&case_env, whole, so_far.profile));
		ph_profile_free(&case_env, whole);
		ph_profile_free(&case_env, so_far.profile);
		free_profiles(n, profiles);
	}
}

/* ---- faults ---- */

static PhStatus
fold_all(PhEnv *fault, void *user)
{
	const PhProfile *const *pair = user;
	PhPartial sum = {0}, next = {0}, ensemble = {0};
	PhProfile *out = NULL;
	PhSummands first = {0, NULL, 2, pair}, second = {1, &sum, 1, pair};
	PhStatus status = ph_profile_fold(fault, &first, PH_UNION_MEANS, &sum);
	if (status == PH_OK)
		status = ph_profile_fold_end(fault, &second, PH_UNION_MEANS, true, &out);
	ph_profile_free(fault, out);
	if (status == PH_OK)
		status = ph_ensemble_fold(fault, &next, 2, pair, NULL, false, &ensemble);
	if (status == PH_OK)
		status = ph_ensemble_fold(fault, &ensemble, 1, pair, NULL, true, &next);
	ph_profile_free(fault, sum.profile);
	ph_profile_free(fault, ensemble.profile);
	ph_profile_free(fault, next.profile);
	return status;
}

static void
folds_may_run_out_of_memory(void **unused)
{
	(void) unused;
	PhProfile *pair[] = {case_mixed(31, false), case_mixed(32, false)};
	assert_string_equal(fault_env_try_allocations(fold_all, pair, 0), "");
	free_profiles(2, pair);
}

int
main(void)
{
#define FOLD_TEST(f) cmocka_unit_test_setup_teardown(f, case_begin, case_end)
	const struct CMUnitTest tests[] = {
		FOLD_TEST(sums_in_parts_are_sums),
		FOLD_TEST(ensembles_in_parts_are_ensembles),
		FOLD_TEST(folds_may_run_out_of_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
