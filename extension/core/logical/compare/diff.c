/*
 * diff.c - two traces compared: steps of aligned phases by what was called.
 *
 * Keys of steps: who calls what, what is called, at last only whether they send, receive or take
 * part in collectives; of a run of tasks and one of processes, who sends and receives.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/compare/diff.h"

#include <string.h>

#include "base/hash.h"
#include "base/min_max.h"
#include "base/table.h"
#include "logical/compare/align.h"
#include "logical/compare/diff_internal.h"
#include "logical/identity.h"

const char *
ph_trace_diff_status_name(uint32_t status)
{
	static const char *const names[] = {"both", "only a", "only b"};
	return status <= PH_ONLY_IN_B ? names[status] : "unknown";
}

const char *
ph_phase_alignment_name(uint32_t alignment)
{
	static const char *const names[] = {"none", "class", "calls", "callers", "shape"};
	return alignment <= PH_PHASES_BY_SHAPE ? names[alignment] : "unknown";
}

const char *
ph_rank_alignment_name(uint32_t alignment)
{
	static const char *const names[] = {"none", "rank", "position", "role"};
	return alignment <= PH_RANKS_BY_ROLE ? names[alignment] : "unknown";
}

bool
ph_trace_kinds_differ(const PhLogicalMetrics *a, const PhLogicalMetrics *b)
{
	return a->logical->stride != b->logical->stride;
}

/* -------------------------------------------------------------------------------------------- keys
 */

/* What an event calls, from where: equal in all runs of a program. */
static PhStatus
find_event_keys(PhArena *arena, PhDiffSide *side)
{
	const PhLogicalModel *model = side->model;
	uint64_t *call_keys;
	PH_TRY(ph_logical_call_keys(arena, model, &call_keys));
	PH_TRY(PH_NEW(arena, model->n_events, &side->event_key));
	PH_TRY(PH_NEW(arena, model->n_events, &side->caller_key));
	for (uint32_t e = 0; e < model->n_events; e++)
	{
		PH_TRY(ph_env_poll(side->env));
		side->caller_key[e] = ph_event_caller_key(model, call_keys, e);
		side->event_key[e] = ph_event_key(model, call_keys, e);
	}
	return PH_OK;
}

/*
 * Keys for a run of tasks and one of processes, which have no function names in common: whether the
 * event sends. Receives and collectives are one kind, as tasks have no collectives and are told the
 * result of a reduction by a message.
 */
static PhStatus
find_event_kinds(PhArena *arena, PhDiffSide *side)
{
	const PhLogicalModel *model = side->model;
	PH_TRY(PH_NEW(arena, model->n_events, &side->event_key));
	for (uint32_t e = 0; e < model->n_events; e++)
	{
		PH_TRY(ph_env_poll(side->env));
		side->event_key[e] = ph_hash_add(0, model->kind[e] == PH_COMM_SEND);
	}
	return PH_OK;
}

/* Events by bucket, in order of timelines. */
static PhStatus
sort_by_bucket(PhArena *arena, PhDiffSide *side)
{
	uint32_t n = side->model->n_events, n_buckets = side->metrics->n_buckets;
	PH_TRY(PH_NEW(arena, (size_t) n_buckets + 2, &side->first_event));
	PH_TRY(PH_NEW(arena, n, &side->events));
	uint32_t *next = side->first_event + 1;
	for (uint32_t e = 0; e < n; e++)
		next[ph_logical_bucket(side->metrics, e) + 1]++;
	for (uint32_t b = 0; b < n_buckets; b++)
		next[b + 1] += next[b];
	for (uint32_t e = 0; e < n; e++)
	{
		PH_TRY(ph_env_poll(side->env));
		side->events[next[ph_logical_bucket(side->metrics, e)]++] = e;
	}
	return PH_OK;
}

static PhStatus
prepare(PhArena *arena, const PhLogicalMetrics *metrics, bool same_ranks, bool by_shape,
		PhDiffSide *side)
{
	memset(side, 0, sizeof(*side));
	side->env = arena->env;
	side->metrics = metrics;
	side->logical = metrics->logical;
	side->model = metrics->logical->model;
	PH_TRY(by_shape ? find_event_kinds(arena, side) : find_event_keys(arena, side));
	PH_TRY(ph_diff_know_phases(arena, side, same_ranks, by_shape));
	return sort_by_bucket(arena, side);
}

/* -------------------------------------------------------------------------------------------
 * phases */

static uint32_t
n_members(const PhDiffSide *side, uint32_t phase)
{
	return side->logical->first_member[phase + 1] - side->logical->first_member[phase];
}

static uint32_t
member_timeline(const PhDiffSide *side, uint32_t phase, uint32_t member)
{
	uint32_t i = side->logical->first_member[phase] + member;
	return side->model->timeline[side->logical->member_first[i]];
}

/* What a member calls, in order, with how many messages each. */
static uint64_t
role_of(const PhDiffSide *side, uint32_t phase, uint32_t member)
{
	const PhLogical *logical = side->logical;
	const PhLogicalModel *model = side->model;
	uint32_t i = logical->first_member[phase] + member;
	uint64_t role = 0;
	for (uint32_t e = logical->member_first[i]; e <= logical->member_last[i]; e++)
		role = ph_hash_add(ph_hash_add(role, side->event_key[e]),
						   model->first_end[e + 1] - model->first_end[e]);
	return role;
}

/* Pair the first member of a role in one phase with the first in the other, and so on. */
static PhStatus
align_roles(PhDiffer *differ, PhArena *arena, const PhDiffPhase *pair, uint32_t *n_pairs)
{
	const PhDiffSide *a = &differ->side[0], *b = &differ->side[1];
	uint32_t n = n_members(b, pair->phase_b), *next, *slot;
	PhMap first; /* role -> 1 + the first member of b that waits, 0: none */
	ph_map_init(&first, arena);
	*n_pairs = 0;
	PH_TRY(PH_NEW(arena, n, &next));
	for (uint32_t m = n; m-- > 0;)
	{
		PH_TRY(ph_env_poll(differ->env));
		PH_TRY(ph_map_enter(&first, role_of(b, pair->phase_b, m), 0, &slot));
		next[m] = *slot;
		*slot = m + 1;
	}
	for (uint32_t m = 0; m < n_members(a, pair->phase_a); m++)
	{
		PH_TRY(ph_env_poll(differ->env));
		PH_TRY(ph_map_enter(&first, role_of(a, pair->phase_a, m), 0, &slot));
		if (*slot == 0)
			continue;
		differ->place[0][member_timeline(a, pair->phase_a, m)] = *n_pairs;
		differ->place[1][member_timeline(b, pair->phase_b, *slot - 1)] = (*n_pairs)++;
		*slot = next[*slot - 1];
	}
	return PH_OK;
}

/*
 * May ranks and chares be aligned by position? Only in exchanges with as many members on both
 * sides: in other phases a run of tasks has chares without a counterpart among ranks (of the run
 * time, of reductions), which would shift the positions.
 */
static bool
is_like_exchange(const PhDiffer *differ, const PhDiffPhase *pair)
{
	const PhDiffSide *a = &differ->side[0], *b = &differ->side[1];
	return a->shape[pair->phase_a].kind == PH_SHAPE_EXCHANGE &&
		   n_members(a, pair->phase_a) == n_members(b, pair->phase_b);
}

/* How the processes of two phases correspond: place[side][timeline] is what both share. */
static PhStatus
align_ranks(PhDiffer *differ, PhArena *arena, PhDiffPhase *pair)
{
	const PhDiffSide *a = &differ->side[0], *b = &differ->side[1];
	uint32_t phases[2] = {pair->phase_a, pair->phase_b}, n_pairs;
	bool by_rank = !differ->by_shape && a->model->n_timelines == b->model->n_timelines;
	if (differ->by_shape && !is_like_exchange(differ, pair))
	{
		pair->ranks = PH_RANKS_NONE;
		return PH_OK;
	}
	pair->ranks = by_rank ? PH_RANKS_BY_RANK : PH_RANKS_BY_POSITION;
	if (!by_rank && n_members(a, phases[0]) != n_members(b, phases[1]))
	{
		PH_TRY(align_roles(differ, arena, pair, &n_pairs));
		pair->ranks = n_pairs > 0 ? PH_RANKS_BY_ROLE : PH_RANKS_NONE;
		return PH_OK;
	}
	for (int s = 0; s < 2; s++)
		for (uint32_t m = 0; m < n_members(&differ->side[s], phases[s]); m++)
		{
			uint32_t timeline = member_timeline(&differ->side[s], phases[s], m);
			differ->place[s][timeline] = by_rank ? timeline : m;
		}
	return PH_OK;
}

static void
forget_ranks(PhDiffer *differ, const PhDiffPhase *pair)
{
	uint32_t phases[2] = {pair->phase_a, pair->phase_b};
	for (int s = 0; s < 2; s++)
		for (uint32_t m = 0; m < n_members(&differ->side[s], phases[s]); m++)
			differ->place[s][member_timeline(&differ->side[s], phases[s], m)] = PH_NONE;
}

/*
 * Keys of a step, most exact first: who calls what (a sum, so that the order of events does not
 * matter); what is called how often; one of what is called, the least hash; how many events of
 * which kinds there are; and which kinds.
 */
static void
step_keys(const PhDiffer *differ, int s, uint32_t bucket, bool with_ranks, uint64_t *out)
{
	const PhDiffSide *side = &differ->side[s];
	uint64_t who = 0, what = 0, least = UINT64_MAX, kinds = 0;
	for (uint32_t i = side->first_event[bucket]; i < side->first_event[bucket + 1]; i++)
	{
		uint32_t e = side->events[i];
		uint64_t place = with_ranks ? differ->place[s][side->model->timeline[e]] + UINT64_C(1) : 0;
		uint64_t value = ph_hash_add(side->event_key[e], 0);
		who += ph_hash_add(side->event_key[e], place);
		what += value;
		least = PH_MIN(value, least);
		kinds |= UINT64_C(1) << (differ->by_shape ? side->model->kind[e] == PH_COMM_SEND
												  : side->model->kind[e]);
	}
	out[0] = who;
	out[1] = what;
	out[2] = least;
	out[3] = ph_hash_add(kinds, side->first_event[bucket + 1] - side->first_event[bucket]);
	out[4] = kinds;
}

static PhStatus
sequence_of_steps(PhDiffer *differ, PhArena *arena, int s, uint32_t phase, bool with_ranks,
				  PhSequence *out)
{
	const PhLogicalMetrics *metrics = differ->side[s].metrics;
	uint32_t first = metrics->first_bucket[phase];
	uint64_t *keys[PH_ALIGN_KEYS], one[PH_ALIGN_KEYS];
	out->n = metrics->first_bucket[phase + 1] - first;
	for (int k = 0; k < PH_ALIGN_KEYS; k++)
	{
		PH_TRY(PH_NEW(arena, out->n, &keys[k]));
		out->key[k] = keys[k];
	}
	for (uint32_t i = 0; i < out->n; i++)
	{
		PH_TRY(ph_env_poll(differ->env));
		step_keys(differ, s, first + i, with_ranks, one);
		for (int k = 0; k < PH_ALIGN_KEYS; k++)
			keys[k][i] = one[k];
	}
	return PH_OK;
}

/*
 * Rows of the aligned steps: in the order of a's steps; steps that only b has stand before the pair
 * that follows them in b.
 */
static PhStatus
emit_steps(PhDiffer *differ, const PhDiffPhase *pair, const uint32_t *partner, uint32_t n,
		   uint32_t m)
{
	uint32_t done = 0;
	bool *taken;
	PhArena arena;
	ph_arena_init(&arena, differ->env);
	PhStatus status = PH_NEW(&arena, m, &taken);
	for (uint32_t i = 0; status == PH_OK && i < n; i++)
		if (partner[i] != PH_NONE)
			taken[partner[i]] = true;
	for (uint32_t i = 0; status == PH_OK && i <= n; i++)
	{
		uint32_t until = i == n ? m : partner[i] == PH_NONE ? done : partner[i];
		for (; status == PH_OK && done < until; done++)
			if (!taken[done])
				status = ph_diff_add_row(differ, pair, PH_NONE, done);
		if (status == PH_OK && i < n)
			status = ph_diff_add_row(differ, pair, i, partner[i]);
	}
	ph_arena_drop(&arena);
	return status;
}

static PhStatus
diff_steps(PhDiffer *differ, PhArena *arena, const PhDiffPhase *pair)
{
	PhSequence a, b;
	uint32_t *partner;
	bool with_ranks = pair->ranks != PH_RANKS_NONE;
	PH_TRY(sequence_of_steps(differ, arena, 0, pair->phase_a, with_ranks, &a));
	PH_TRY(sequence_of_steps(differ, arena, 1, pair->phase_b, with_ranks, &b));
	PH_TRY(PH_NEW(arena, a.n, &partner));
	PH_TRY(ph_align(differ->env, &a, &b, 0, partner));
	return emit_steps(differ, pair, partner, a.n, b.n);
}

/*
 * Adds the rows of an aligned pair of phases, or of a phase that only one side has; aligned
 * processes are set for the pair and forgotten behind it.
 */
static PhStatus
diff_phase(PhDiffer *differ, PhDiffPhase *pair)
{
	PhArena arena;
	PhStatus status = PH_OK;
	pair->first_row = differ->n_rows;
	ph_arena_init(&arena, differ->env);
	if (pair->status == PH_IN_BOTH)
	{
		status = align_ranks(differ, &arena, pair);
		if (status == PH_OK)
			status = diff_steps(differ, &arena, pair);
		forget_ranks(differ, pair);
	}
	else
	{
		int s = pair->status == PH_ONLY_IN_B;
		uint32_t phase = s == 0 ? pair->phase_a : pair->phase_b;
		const uint32_t *first = differ->side[s].metrics->first_bucket;
		for (uint32_t i = 0; status == PH_OK && i < first[phase + 1] - first[phase]; i++)
			status = ph_diff_add_row(differ, pair, s == 0 ? i : PH_NONE, s == 0 ? PH_NONE : i);
	}
	ph_arena_drop(&arena);
	pair->n_rows = differ->n_rows - pair->first_row;
	return status;
}

static PhDiffPhase
pair_of(const PhDiffer *differ, uint32_t phase_a, uint32_t phase_b)
{
	PhDiffPhase pair = {.phase_a = phase_a, .phase_b = phase_b};
	bool in_a = phase_a != PH_NONE, in_b = phase_b != PH_NONE;
	pair.status = in_a && in_b ? PH_IN_BOTH : in_a ? PH_ONLY_IN_A : PH_ONLY_IN_B;
	pair.class_a = in_a ? differ->side[0].identity[phase_a] : 0;
	pair.class_b = in_b ? differ->side[1].identity[phase_b] : 0;
	if (in_a && in_b)
		pair.aligned_by = (uint8_t) ph_diff_alignment_of(differ, phase_a, phase_b);
	return pair;
}

/* Pairs in order of a; what is only in b comes before what follows it there. */
static PhStatus
list_pairs(PhDiffer *differ, const uint32_t *partner, PhTraceDiff *out)
{
	uint32_t n = differ->side[0].logical->n_phases, m = differ->side[1].logical->n_phases;
	uint32_t done = 0;
	bool *taken;
	PH_TRY(PH_NEW(&out->arena, (size_t) n + m, &out->phases));
	PH_TRY(PH_NEW(&differ->arena, m, &taken));
	for (uint32_t p = 0; p < n; p++)
		if (partner[p] != PH_NONE)
			taken[partner[p]] = true;
	for (uint32_t p = 0; p <= n; p++)
	{
		uint32_t until = p == n ? m : partner[p] == PH_NONE ? done : partner[p];
		for (; done < until; done++)
			if (!taken[done])
				out->phases[out->n_phases++] = pair_of(differ, PH_NONE, done);
		if (p < n)
			out->phases[out->n_phases++] = pair_of(differ, p, partner[p]);
	}
	return PH_OK;
}

/* At most one row per bucket of either side; as many messages at a step as it has ends. */
static PhStatus
make_room(PhDiffer *differ, PhTraceDiff *out)
{
	const PhDiffSide *a = &differ->side[0], *b = &differ->side[1];
	size_t n = (size_t) a->metrics->n_buckets + b->metrics->n_buckets;
	PH_TRY(PH_NEW(&out->arena, n, &out->rows));
	differ->rows = out->rows;
	for (int s = 0; s < 2; s++)
	{
		const PhDiffSide *side = &differ->side[s];
		PH_TRY(PH_NEW(&differ->arena, side->model->n_timelines, &differ->place[s]));
		PH_TRY(PH_NEW(&differ->arena, side->model->n_messages, &differ->message_key[s]));
		PH_TRY(PH_NEW(&differ->arena, side->model->n_messages, &differ->order[s]));
		for (uint32_t t = 0; t < side->model->n_timelines; t++)
			differ->place[s][t] = PH_NONE;
	}
	uint32_t most = PH_MAX(a->model->n_messages, b->model->n_messages);
	PH_TRY(PH_NEW(&differ->arena, most, &differ->buffer));
	uint32_t places = a->model->n_timelines > b->model->n_timelines ? a->model->n_timelines
																	: b->model->n_timelines;
	PH_TRY(PH_NEW(&differ->arena, places, &differ->event_at));
	for (uint32_t p = 0; p < places; p++)
		differ->event_at[p] = PH_NONE;
	return PH_OK;
}

static PhStatus
diff(PhDiffer *differ, const PhLogicalMetrics *a, const PhLogicalMetrics *b, PhTraceDiff *out)
{
	bool same_ranks = a->logical->model->n_timelines == b->logical->model->n_timelines;
	uint32_t *partner;
	differ->by_shape = ph_trace_kinds_differ(a, b);
	PH_TRY(prepare(&differ->arena, a, same_ranks, differ->by_shape, &differ->side[0]));
	PH_TRY(prepare(&differ->arena, b, same_ranks, differ->by_shape, &differ->side[1]));
	PH_TRY(make_room(differ, out));
	PH_TRY(PH_NEW(&differ->arena, a->logical->n_phases, &partner));
	PH_TRY(ph_diff_align_phases(differ, partner));
	PH_TRY(list_pairs(differ, partner, out));
	for (uint32_t i = 0; i < out->n_phases; i++)
		PH_TRY(diff_phase(differ, &out->phases[i]));
	out->n_rows = differ->n_rows;
	return PH_OK;
}

PhStatus
ph_trace_diff(PhEnv *env, const PhLogicalMetrics *a, const PhLogicalMetrics *b, PhTraceDiff *out)
{
	PhTraceDiff result;
	PhDiffer differ;
	memset(&result, 0, sizeof(result));
	memset(&differ, 0, sizeof(differ));
	differ.env = env;
	ph_arena_init(&result.arena, env);
	ph_arena_init(&differ.arena, env);
	PhStatus status = diff(&differ, a, b, &result);
	ph_arena_drop(&differ.arena);
	if (status == PH_OK)
		*out = result;
	else
		ph_trace_diff_free(&result);
	return status;
}

void
ph_trace_diff_free(PhTraceDiff *diff_of_traces)
{
	ph_arena_drop(&diff_of_traces->arena);
	memset(diff_of_traces, 0, sizeof(*diff_of_traces));
}
