/*
 * steps.c - steps within phases: strides share a step, receives are squeezed in between.
 *
 * Strides are put into buckets by (phase, length of the longest way). Bucket by bucket, the
 * receives right before its events get the step after what they wait for; then all its events get
 * the step after the latest so far. Method: docs/design/logical-time.md 1.8.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/fetch.h"
#include "logical/phases.h"

#define PH_NO_STEP (-1)

/* Members of a collective get the length and binding of their node. */
static void
spread_to_members(PhWays *ways)
{
	PhStepping *stepping = ways->stepping;
	const PhLogicalModel *model = stepping->model;
	for (uint32_t e = 0; e < model->n_events; e++)
		if (ph_ways_is_contracted(ways, e))
		{
			stepping->step[e] = ways->collective_length[model->collective[e]];
			stepping->binding[e] = ways->collective_binding[model->collective[e]];
		}
}

/* Strides sorted by (phase, stride): bucket b of phase p is first_bucket[p] + stride. */
typedef struct Buckets
{
	uint32_t *first_bucket; /* n_phases + 1 */
	uint32_t *first;		/* by bucket, + 1: events order[first..next first) */
	uint32_t *order;
	uint32_t n; /* events in it */
} Buckets;

/*
 * Sorts stride events by (phase, stride) with counting sorts, O(events). order: room for all
 * events.
 */
static PhStatus
sort_strides(PhArena *arena, const PhStepping *stepping, uint32_t *order, Buckets *out)
{
	const PhLogicalModel *model = stepping->model;
	const int32_t *stride = stepping->step;
	uint32_t *base, *next;
	PH_TRY(PH_NEW(arena, (size_t) stepping->n_phases + 1, &base));
	for (uint32_t e = 0; e < model->n_events; e++)
		if (model->kind[e] != PH_COMM_RECEIVE &&
			base[stepping->phase[e] + 1] < (uint32_t) stride[e] + 1)
			base[stepping->phase[e] + 1] = (uint32_t) stride[e] + 1;
	for (uint32_t p = 0; p < stepping->n_phases; p++)
		base[p + 1] += base[p];
	uint32_t n_buckets = base[stepping->n_phases];
	PH_TRY(PH_NEW(arena, (size_t) n_buckets + 2, &out->first));
	next = out->first + 1;
	for (uint32_t e = 0; e < model->n_events; e++)
		if (model->kind[e] != PH_COMM_RECEIVE)
			next[base[stepping->phase[e]] + (uint32_t) stride[e] + 1]++;
	for (uint32_t b = 0; b < n_buckets; b++)
		next[b + 1] += next[b];
	for (uint32_t e = 0; e < model->n_events; e++)
	{
		PH_TRY(ph_env_poll_at(stepping->env, e));
		if (model->kind[e] != PH_COMM_RECEIVE)
			order[next[base[stepping->phase[e]] + (uint32_t) stride[e]]++] = e;
	}
	out->first_bucket = base;
	out->order = order;
	out->n = out->first[n_buckets];
	return PH_OK;
}

/* The step after the event before and after its senders, whichever is latest (the first of equals).
 */
static void
place_receive(const PhWays *ways, uint32_t e)
{
	PhStepping *stepping = ways->stepping;
	const PhLogicalModel *model = stepping->model;
	int32_t latest = PH_NO_STEP;
	uint32_t binding = PH_NONE;
	if (ph_phase_came_before(stepping, e))
	{
		binding = e - 1;
		latest = stepping->step[e - 1];
	}
	for (uint32_t i = model->first_end[e]; i < model->first_end[e + 1]; i++)
	{
		uint32_t m = model->message_of_end[i], from = model->send_event[m];
		if (from == PH_NONE || (ways->cut != NULL && ways->cut[m]) ||
			stepping->step[from] <= latest)
			continue;
		latest = stepping->step[from];
		binding = from;
	}
	stepping->step[e] = latest + 1;
	stepping->binding[e] = binding;
}

/* The run of receives right before a stride; latest: of all receives placed so far, if any is. */
static void
place_run(const PhWays *ways, uint32_t stride, uint32_t *latest)
{
	const PhStepping *stepping = ways->stepping;
	uint32_t first = stride;
	while (ph_phase_came_before(stepping, first) &&
		   stepping->model->kind[first - 1] == PH_COMM_RECEIVE)
		first--;
	for (uint32_t r = first; r < stride; r++)
	{
		place_receive(ways, r);
		if (*latest == PH_NONE || stepping->step[r] > stepping->step[*latest])
			*latest = r;
	}
}

/* Strides of a bucket are on all timelines: begin to read one that comes. */
static void
fetch_ahead(const PhStepping *stepping, const Buckets *buckets, uint32_t i)
{
	if (buckets->n - i <= PH_FETCH_AHEAD)
		return;
	uint32_t soon = buckets->order[i + PH_FETCH_AHEAD];
	ph_fetch(&stepping->phase[soon]);
	ph_fetch(&stepping->step[soon]);
	ph_fetch(&stepping->binding[soon]);
	ph_fetch(&stepping->model->timeline[soon]);
}

/*
 * Gives the receives right before the bucket's strides their steps, then all strides of the bucket
 * the next step after everything so far. A stride that no way leads to (binding PH_NONE) is bound
 * to the latest of those receives, which decided the step.
 */
static PhStatus
place_bucket(const PhWays *ways, const Buckets *buckets, uint32_t bucket, int32_t *step)
{
	PhStepping *stepping = ways->stepping;
	uint32_t latest = PH_NONE;
	for (uint32_t i = buckets->first[bucket]; i < buckets->first[bucket + 1]; i++)
	{
		PH_TRY(ph_env_poll(stepping->env));
		fetch_ahead(stepping, buckets, i);
		place_run(ways, buckets->order[i], &latest);
	}
	if (latest != PH_NONE && stepping->step[latest] > *step)
		*step = stepping->step[latest];
	(*step)++;
	for (uint32_t i = buckets->first[bucket]; i < buckets->first[bucket + 1]; i++)
	{
		uint32_t e = buckets->order[i];
		stepping->step[e] = *step;
		if (stepping->binding[e] == PH_NONE)
			stepping->binding[e] = latest;
	}
	return PH_OK;
}

/*
 * Steps with aligned sends (docs/design/logical-time.md 1.8): bucket by bucket, each phase from its
 * least stride on; then the receives that no stride follows, in order of timelines.
 */
static PhStatus
place_all(PhWays *ways)
{
	PhStepping *stepping = ways->stepping;
	const PhLogicalModel *model = stepping->model;
	Buckets buckets;
	PH_TRY(sort_strides(ways->arena, stepping, ways->queue, &buckets));
	for (uint32_t e = 0; e < model->n_events; e++)
		stepping->step[e] = PH_NO_STEP;
	for (uint32_t p = 0; p < stepping->n_phases; p++)
	{
		int32_t latest = PH_NO_STEP;
		for (uint32_t b = buckets.first_bucket[p]; b < buckets.first_bucket[p + 1]; b++)
			PH_TRY(place_bucket(ways, &buckets, b, &latest));
	}
	for (uint32_t e = 0; e < model->n_events; e++)
	{
		PH_TRY(ph_env_poll_at(stepping->env, e));
		if (stepping->step[e] == PH_NO_STEP)
			place_receive(ways, e);
	}
	return PH_OK;
}

PhStatus
ph_stepping_run(PhStepping *stepping)
{
	PhArena arena;
	PhWays ways = {.stepping = stepping, .arena = &arena};
	ph_arena_init(&arena, stepping->env);
	PhStatus status = ph_ways_find(&ways);
	if (status == PH_OK)
	{
		spread_to_members(&ways);
		if (stepping->align_sends)
			status = place_all(&ways);
	}
	ph_arena_drop(&arena);
	return status;
}
