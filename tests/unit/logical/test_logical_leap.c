/*
 * test_logical_leap.c - the leap merge of random parts against the method as it is written down.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "logical/phases.h"
#include "support/fault_env.h"
#include "support/random_profile.h"
#include "support/rounds.h"

#define MOST_PARTS 12
#define MOST_TIMELINES 5
#define MOST_EVENTS (2 * MOST_PARTS * MOST_TIMELINES)
#define ROUNDS rounds(20000)

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* Parts on timelines, each an interval of events, and what is known of them. */
typedef struct Case
{
	PhLogicalModel model;
	PhLogicalOptions options;
	uint32_t n_parts;
	uint32_t part[MOST_EVENTS], timeline[MOST_EVENTS];
	int64_t enter[MOST_EVENTS], exit[MOST_EVENTS];
} Case;

/* Gaps that are ten times others, or nearly so. */
static int64_t
random_gap(RandomNumbers *numbers)
{
	static const int64_t gaps[] = {0, 1, 2, 9, 10, 11, 19, 20, 21, 100};
	return gaps[numbers_below(numbers, sizeof(gaps) / sizeof(gaps[0]))];
}

static void
add_interval(RandomNumbers *numbers, Case *out, uint32_t part, uint32_t timeline, int64_t *time)
{
	for (uint32_t n = 1 + numbers_below(numbers, 2); n > 0; n--)
	{
		uint32_t e = out->model.n_events++;
		out->part[e] = part;
		out->timeline[e] = timeline;
		out->enter[e] = *time += random_gap(numbers);
		out->exit[e] = *time += numbers_below(numbers, 3);
	}
}

/* Parts follow each other by number on every timeline, so there are no cycles. */
static void
random_case(RandomNumbers *numbers, Case *out)
{
	memset(out, 0, sizeof(*out));
	out->n_parts = 1 + numbers_below(numbers, MOST_PARTS);
	out->model.n_timelines = 1 + numbers_below(numbers, MOST_TIMELINES);
	out->options.leap_skip = numbers_below(numbers, 2) == 0;
	uint32_t home[MOST_PARTS], crowd = 1 + numbers_below(numbers, 4);
	for (uint32_t p = 0; p < out->n_parts; p++)
		home[p] = numbers_below(numbers, out->model.n_timelines);
	for (uint32_t t = 0; t < out->model.n_timelines; t++)
	{
		int64_t time = numbers_below(numbers, 30);
		for (uint32_t p = 0; p < out->n_parts; p++)
			if (home[p] == t || numbers_below(numbers, 5) < crowd)
				add_interval(numbers, out, p, t, &time);
	}
	out->model.timeline = out->timeline;
	out->model.enter = out->enter;
	out->model.exit = out->exit;
}

/* ---------------------------------------------------------------------------- slow reference */

/* Sets have the number of their lowest part. */
typedef struct Reference
{
	const Case *in;
	uint32_t set[MOST_PARTS], leap[MOST_PARTS];
	bool current[MOST_PARTS]; /* by set: it is on the level */
	uint32_t level;
	bool pair[MOST_PARTS][MOST_PARTS]; /* planned unions */
	uint32_t n_pairs, n_backward;
} Reference;

static uint32_t
set_of(const Reference *reference, uint32_t event)
{
	return reference->set[reference->in->part[event]];
}

static bool
is_set(const Reference *reference, uint32_t part)
{
	return reference->set[part] == part;
}

/* Is an event of p followed by one of q on its timeline? */
static bool
leads_to(const Reference *reference, uint32_t p, uint32_t q)
{
	const Case *in = reference->in;
	for (uint32_t e = 1; p != q && e < in->model.n_events; e++)
		if (in->timeline[e] == in->timeline[e - 1] && set_of(reference, e - 1) == p &&
			set_of(reference, e) == q)
			return true;
	return false;
}

/* First and last event of a set on a timeline; false: it has none. */
static bool
find_ends(const Reference *reference, uint32_t set, uint32_t timeline, uint32_t *first,
		  uint32_t *last)
{
	*first = PH_NONE;
	for (uint32_t e = 0; e < reference->in->model.n_events; e++)
		if (reference->in->timeline[e] == timeline && set_of(reference, e) == set)
		{
			*first = *first == PH_NONE ? e : *first;
			*last = e;
		}
	return *first != PH_NONE;
}

static uint64_t
gap_between(const Reference *reference, uint32_t p, uint32_t q)
{
	const Case *in = reference->in;
	uint64_t least = UINT64_MAX;
	for (uint32_t t = 0; t < in->model.n_timelines; t++)
	{
		uint32_t first_p, last_p, first_q, last_q;
		if (!find_ends(reference, p, t, &first_p, &last_p) ||
			!find_ends(reference, q, t, &first_q, &last_q))
			continue;
		int64_t gap = first_p < first_q ? in->enter[first_q] - in->exit[last_p]
										: in->enter[first_p] - in->exit[last_q];
		least = (uint64_t) gap < least ? (uint64_t) gap : least;
	}
	return least;
}

static void
recompute(Reference *reference, uint32_t set)
{
	uint32_t leap = 0;
	for (uint32_t p = 0; p < reference->in->n_parts; p++)
		if (is_set(reference, p) && leads_to(reference, p, set) && reference->leap[p] + 1 > leap)
			leap = reference->leap[p] + 1;
	reference->leap[set] = leap;
}

/* Children of sets, at a level once recomputed, are added. */
static void
add_children(Reference *reference, const bool *of, uint32_t level, bool *out)
{
	for (uint32_t p = 0; p < reference->in->n_parts; p++)
		for (uint32_t q = 0; of[p] && q < reference->in->n_parts; q++)
			if (is_set(reference, q) && leads_to(reference, p, q))
			{
				recompute(reference, q);
				out[q] = out[q] || reference->leap[q] == level;
			}
}

static bool
is_on_level(const Reference *reference, uint32_t timeline)
{
	uint32_t first, last;
	for (uint32_t p = 0; p < reference->in->n_parts; p++)
		if (reference->current[p] && find_ends(reference, p, timeline, &first, &last))
			return true;
	return false;
}

static bool
has_all_timelines(const Reference *reference)
{
	for (uint32_t t = 0; t < reference->in->model.n_timelines; t++)
		if (!is_on_level(reference, t))
			return false;
	return true;
}

static bool
is_new(const Reference *reference, uint32_t set)
{
	uint32_t first, last;
	for (uint32_t t = 0; t < reference->in->model.n_timelines; t++)
		if (find_ends(reference, set, t, &first, &last) && !is_on_level(reference, t))
			return true;
	return false;
}

static void
plan_pair(Reference *reference, uint32_t p, uint32_t q)
{
	reference->pair[p][q] = true;
	reference->n_pairs++;
}

static void
plan_children(Reference *reference, uint32_t p, bool all)
{
	for (uint32_t q = 0; q < reference->in->n_parts; q++)
		if (is_set(reference, q) && leads_to(reference, p, q) &&
			reference->leap[q] == reference->leap[p] + 1 && (all || is_new(reference, q)))
			plan_pair(reference, p, q);
}

static bool
is_parent_of(const Reference *reference, uint32_t q, uint32_t p)
{
	return is_set(reference, q) && leads_to(reference, q, p) &&
		   reference->leap[q] + 1 == reference->leap[p];
}

static uint64_t
gap_before(const Reference *reference, uint32_t p)
{
	uint64_t least = UINT64_MAX;
	for (uint32_t q = 0; q < reference->in->n_parts; q++)
		if (is_parent_of(reference, q, p) && gap_between(reference, p, q) < least)
			least = gap_between(reference, p, q);
	return least;
}

static uint64_t
gap_after(Reference *reference, uint32_t p)
{
	uint64_t least = UINT64_MAX;
	for (uint32_t q = 0; q < reference->in->n_parts; q++)
	{
		if (!is_set(reference, q) || !leads_to(reference, p, q))
			continue;
		recompute(reference, q);
		if (reference->leap[q] == reference->leap[p] + 1 && gap_between(reference, p, q) < least)
			least = gap_between(reference, p, q);
	}
	return least;
}

/* Ten times an infinite gap wraps, as the method has it. */
static void
plan_one(Reference *reference, uint32_t p)
{
	uint64_t before = gap_before(reference, p), after = gap_after(reference, p);
	if (after <= 10 * before)
		plan_children(reference, p, false);
	else
		for (uint32_t q = 0; q < reference->in->n_parts; q++)
			if (is_parent_of(reference, q, p))
			{
				plan_pair(reference, p, q);
				reference->n_backward++;
			}
}

static void
unite_pair(Reference *reference, uint32_t p, uint32_t q)
{
	uint32_t a = reference->set[p], b = reference->set[q];
	uint32_t low = a < b ? a : b, high = a < b ? b : a;
	if (reference->leap[high] < reference->leap[low])
		reference->leap[low] = reference->leap[high];
	for (uint32_t i = 0; i < reference->in->n_parts; i++)
		if (reference->set[i] == high)
			reference->set[i] = low;
}

static void
next_level(Reference *reference)
{
	bool coming[MOST_PARTS] = {false};
	reference->level++;
	add_children(reference, reference->current, reference->level, coming);
	memcpy(reference->current, coming, sizeof(coming));
}

/* Unite what is planned; then what is on the level now, else the next one. */
static void
carry_out(Reference *reference)
{
	bool fresh[MOST_PARTS] = {false}, lower[MOST_PARTS] = {false}, coming[MOST_PARTS] = {false};
	bool any = false;
	for (uint32_t p = 0; p < reference->in->n_parts; p++)
		for (uint32_t q = 0; q < reference->in->n_parts; q++)
			if (reference->pair[p][q])
				unite_pair(reference, p, q);
	for (uint32_t p = 0; p < reference->in->n_parts; p++)
		if (reference->current[p])
		{
			uint32_t set = reference->set[p];
			fresh[set] = true;
			lower[set] = reference->leap[set] < reference->level;
			coming[set] = !lower[set];
		}
	add_children(reference, lower, reference->level, coming);
	for (uint32_t p = 0; p < reference->in->n_parts; p++)
		any = any || coming[p];
	memcpy(reference->current, any ? coming : fresh, sizeof(coming));
	if (!any)
		next_level(reference);
}

static void
do_level(Reference *reference)
{
	memset(reference->pair, 0, sizeof(reference->pair));
	reference->n_pairs = 0;
	if (has_all_timelines(reference))
	{
		next_level(reference);
		return;
	}
	for (uint32_t p = 0; p < reference->in->n_parts; p++)
		if (reference->current[p])
			plan_one(reference, p);
	if (reference->n_pairs == 0 && !reference->in->options.leap_skip)
		for (uint32_t p = 0; p < reference->in->n_parts; p++)
			if (reference->current[p])
				plan_children(reference, p, true);
	if (reference->n_pairs == 0)
		next_level(reference);
	else
		carry_out(reference);
}

static void
refer(Reference *reference, const Case *in)
{
	memset(reference, 0, sizeof(*reference));
	reference->in = in;
	bool any = true;
	for (uint32_t p = 0; p < in->n_parts; p++)
		reference->set[p] = p;
	for (uint32_t p = 0; p < in->n_parts; p++)
	{
		recompute(reference, p);
		reference->current[p] = reference->leap[p] == 0;
	}
	while (any)
	{
		do_level(reference);
		any = false;
		for (uint32_t p = 0; p < in->n_parts; p++)
			any = any || reference->current[p];
	}
}

/* ------------------------------------------------------------------------------------- checks */

/* Events are in one part exactly when their sets are one, and parts of several sets say why. */
static void
compare(const Reference *reference, const PhPhasing *phasing, uint64_t seed)
{
	uint32_t n_sets = 0, size[MOST_PARTS] = {0};
	for (uint32_t p = 0; p < reference->in->n_parts; p++)
	{
		n_sets += is_set(reference, p);
		size[reference->set[p]]++;
	}
	if (phasing->n_parts != n_sets)
		fail_msg("seed %lu: %u sets, not %u", (unsigned long) seed, phasing->n_parts, n_sets);
	for (uint32_t e = 0; e < reference->in->model.n_events; e++)
	{
		for (uint32_t i = 0; i < e; i++)
			if ((phasing->part[e] == phasing->part[i]) !=
				(set_of(reference, e) == set_of(reference, i)))
				fail_msg("seed %lu: events %u and %u", (unsigned long) seed, i, e);
		assert_int_equal(phasing->reasons[phasing->part[e]],
						 size[set_of(reference, e)] > 1 ? PH_REASON_BIT(PH_MERGE_LEAP) : 0);
	}
}

static PhStatus
merge(PhEnv *faulty, void *user)
{
	const Case *in = user;
	uint16_t reasons[MOST_PARTS] = {0};
	uint32_t part[MOST_EVENTS];
	memcpy(part, in->part, sizeof(part));
	PhPhasing phasing = {.env = faulty,
						 .model = &in->model,
						 .options = &in->options,
						 .part = part,
						 .n_parts = in->n_parts,
						 .reasons = reasons};
	ph_arena_init(&phasing.arena, faulty);
	PhStatus status = ph_phasing_leap_merge(&phasing);
	ph_arena_drop(&phasing.arena);
	return status;
}

static void
stops_cleanly(void **state)
{
	static Case in;
	(void) state;
	for (uint64_t seed = 1; seed <= 200; seed++)
	{
		RandomNumbers numbers = {seed * UINT64_C(104729)};
		random_case(&numbers, &in);
		assert_string_equal(fault_env_try_allocations(merge, &in, 0), "");
	}
}

static void
merges_as_the_method_says(void **state)
{
	static Case in;
	static Reference reference;
	uint32_t n_merged = 0, n_backward = 0;
	(void) state;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++)
	{
		RandomNumbers numbers = {seed * UINT64_C(7919)};
		uint16_t reasons[MOST_PARTS] = {0};
		uint32_t part[MOST_EVENTS];
		random_case(&numbers, &in);
		memcpy(part, in.part, sizeof(part));
		PhPhasing phasing = {.env = &env,
							 .model = &in.model,
							 .options = &in.options,
							 .part = part,
							 .n_parts = in.n_parts,
							 .reasons = reasons};
		ph_arena_init(&phasing.arena, &env);
		must(ph_phasing_leap_merge(&phasing));
		refer(&reference, &in);
		compare(&reference, &phasing, seed);
		n_merged += in.n_parts - phasing.n_parts;
		n_backward += reference.n_backward;
		ph_arena_drop(&phasing.arena);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_merged > ROUNDS && n_backward > ROUNDS / 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(merges_as_the_method_says),
									   cmocka_unit_test(stops_cleanly)};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
