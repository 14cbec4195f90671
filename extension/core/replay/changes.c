/*
 * changes.c - see changes.h: other times between operations.
 *
 * A call of a function overlaps the times between operations: what it takes besides communication.
 * A change gives each of those its part of what the call takes more or less, in proportion.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "replay/changes.h"

#include "base/min_max.h"
#include "base/vector.h"
#include "replay/orders.h"

/* Of the times between operations of one location, those that overlap one of its spans. */
typedef struct Overlaps
{
	const PhReplayProgram *program;
	uint32_t at; /* the location */
	PhCallSpans list;
	uint32_t slot, span; /* to be looked at next */
} Overlaps;

typedef struct Overlap
{
	uint32_t slot, span;
	int64_t time;
} Overlap;

/* The next one, empty ones included that have their span begin in them; false: no more. */
static bool
next_overlap(Overlaps *overlaps, Overlap *out)
{
	uint32_t n_ops = overlaps->program->locations[overlaps->at].n_ops;
	while (overlaps->slot <= n_ops && overlaps->span < overlaps->list.n)
	{
		PhCallSpan gap = ph_replay_gap_at(overlaps->program, overlaps->at, overlaps->slot);
		PhCallSpan span = overlaps->list.spans[overlaps->span];
		int64_t from = PH_MAX(gap.from, span.from), to = PH_MIN(gap.to, span.to);
		*out = (Overlap){overlaps->slot, overlaps->span, to - from};
		if (span.to <= gap.to)
			overlaps->span++;
		else
			overlaps->slot++;
		if (from <= to)
			return true;
	}
	return false;
}

static Overlaps
overlaps_of(const PhReplayProgram *program, PhCallSpans list, uint32_t at)
{
	return (Overlaps){.program = program, .at = at, .list = list};
}

/* The plan's times to add, of all locations. */
static PhStatus
take_extra(PhArena *arena, const PhReplayProgram *program, PhReplayPlan *plan)
{
	uint32_t n = program->skeleton->n_locations;
	if (plan->extra != NULL)
		return PH_OK;
	PH_TRY(PH_NEW(arena, n, &plan->extra));
	for (uint32_t at = 0; at < n; at++)
		PH_TRY(PH_NEW(arena, (size_t) program->locations[at].n_ops + 1, &plan->extra[at]));
	return PH_OK;
}

/* The location that stands for its rank: the first one. */
static bool
is_of_rank(const PhReplayProgram *program, uint32_t at)
{
	const PhTraceModel *model = program->skeleton->model;
	int32_t rank = model->locations[at].rank;
	return rank >= 0 && (uint32_t) rank < model->n_ranks && model->rank_location[rank] == at;
}

/* ---- scale ---- */

static PhStatus
scale_calls(const PhReplayProgram *program, const PhSpans *spans, const PhChange *change,
			PhReplayPlan *plan, uint64_t *n_changed)
{
	const PhTraceModel *model = program->skeleton->model;
	for (uint32_t at = 0; at < model->n_locations; at++)
	{
		Overlaps overlaps = overlaps_of(program, ph_spans_of(spans, change->target, at), at);
		Overlap overlap;
		bool is = false;
		if (model->locations[at].rank >= 0)
			PH_TRY(ph_rank_is_one_of(program->skeleton->env, change->ranks,
									 (uint32_t) model->locations[at].rank, 1, &is));
		while (is && next_overlap(&overlaps, &overlap))
		{
			PH_TRY(ph_env_poll(program->skeleton->env));
			plan->extra[at][overlap.slot] += (int64_t) ((double) overlap.time * (change->by - 1.0));
			*n_changed += overlap.time > 0;
		}
	}
	return PH_OK;
}

/* ---- balance ---- */

/* Of the k-th calls of a function: what they take besides communication. */
typedef struct Means
{
	PH_VECTOR(int64_t) sums; /* by k */
	uint32_t *counts;		 /* by k: ranks that have one */
} Means;

/* What each call of a location takes; in scratch, zeroed before. */
static PhStatus
measure_calls(PhArena *scratch, const PhReplayProgram *program, PhCallSpans list, uint32_t at,
			  int64_t **times)
{
	Overlaps overlaps = overlaps_of(program, list, at);
	Overlap overlap;
	PH_TRY(PH_NEW(scratch, list.n, times));
	while (next_overlap(&overlaps, &overlap))
	{
		PH_TRY(ph_env_poll(scratch->env));
		(*times)[overlap.span] += overlap.time;
	}
	return PH_OK;
}

static PhStatus
sum_calls(PhArena *scratch, const PhReplayProgram *program, const PhSpans *spans, uint32_t target,
		  Means *means)
{
	uint32_t n_locations = program->skeleton->n_locations, most = 0;
	for (uint32_t at = 0; at < n_locations; at++)
		most = PH_MAX(most, ph_spans_of(spans, target, at).n);
	PH_TRY(PH_NEW(scratch, most, &means->sums.items));
	PH_TRY(PH_NEW(scratch, most, &means->counts));
	means->sums.count = most;
	for (uint32_t at = 0; at < n_locations; at++)
	{
		PhCallSpans list = ph_spans_of(spans, target, at);
		int64_t *times;
		if (!is_of_rank(program, at) || list.n == 0)
			continue;
		PH_TRY(measure_calls(scratch, program, list, at, &times));
		for (uint32_t i = 0; i < list.n; i++)
		{
			means->sums.items[i] += times[i];
			means->counts[i]++;
		}
	}
	return PH_OK;
}

static PhStatus
balance_location(PhArena *scratch, const PhReplayProgram *program, PhCallSpans list, uint32_t at,
				 const Means *means, PhReplayPlan *plan)
{
	Overlaps overlaps = overlaps_of(program, list, at);
	Overlap overlap;
	int64_t *times;
	bool *is_given;
	PH_TRY(measure_calls(scratch, program, list, at, &times));
	PH_TRY(PH_NEW(scratch, list.n, &is_given));
	while (next_overlap(&overlaps, &overlap))
	{
		PH_TRY(ph_env_poll(scratch->env));
		uint32_t k = overlap.span;
		double mean = (double) means->sums.items[k] / means->counts[k];
		int64_t *extra = &plan->extra[at][overlap.slot];
		if (times[k] > 0)
			*extra += (int64_t) ((double) overlap.time * (mean / (double) times[k] - 1.0));
		else if (!is_given[k])
			*extra += (int64_t) mean; /* a call that took nothing: where it begins */
		is_given[k] = true;
	}
	return PH_OK;
}

static PhStatus
balance_calls(PhArena *scratch, const PhReplayProgram *program, const PhSpans *spans,
			  const PhChange *change, PhReplayPlan *plan, uint64_t *n_changed)
{
	Means means = {.counts = NULL};
	PH_TRY(sum_calls(scratch, program, spans, change->target, &means));
	for (uint32_t at = 0; at < program->skeleton->n_locations; at++)
	{
		PhCallSpans list = ph_spans_of(spans, change->target, at);
		if (!is_of_rank(program, at) || list.n == 0)
			continue;
		PH_TRY(balance_location(scratch, program, list, at, &means, plan));
		*n_changed += list.n;
	}
	return PH_OK;
}

/* ---- a rank to the mean ---- */

/* What a location takes between operations once MPI was initialised. */
static PhCallSpan
main_part(const PhReplayProgram *program, uint32_t at)
{
	return (PhCallSpan){program->skeleton->locations[at].main_from, program->locations[at].to};
}

static PhStatus
compute_time(const PhReplayProgram *program, uint32_t at, int64_t *time)
{
	PhCallSpan part = main_part(program, at);
	Overlaps overlaps = overlaps_of(program, (PhCallSpans){&part, 1}, at);
	Overlap overlap;
	*time = 0;
	while (next_overlap(&overlaps, &overlap))
	{
		PH_TRY(ph_env_poll(program->skeleton->env));
		*time += overlap.time;
	}
	return PH_OK;
}

static PhStatus
give_rank_mean(const PhReplayProgram *program, const PhChange *change, PhReplayPlan *plan,
			   uint64_t *n_changed)
{
	const PhTraceModel *model = program->skeleton->model;
	int64_t time, sum = 0, own = 0;
	uint32_t n = 0, chosen = PH_NONE;
	Overlap overlap;
	for (uint32_t at = 0; at < model->n_locations; at++)
	{
		if (!is_of_rank(program, at))
			continue;
		PH_TRY(compute_time(program, at, &time));
		sum += time;
		n++;
		if ((uint32_t) model->locations[at].rank == change->rank)
		{
			chosen = at;
			own = time;
		}
	}
	if (chosen == PH_NONE || own <= 0)
		return PH_OK;
	PhCallSpan part = main_part(program, chosen);
	Overlaps overlaps = overlaps_of(program, (PhCallSpans){&part, 1}, chosen);
	double factor = (double) sum / n / (double) own;
	while (next_overlap(&overlaps, &overlap))
	{
		PH_TRY(ph_env_poll(program->skeleton->env));
		plan->extra[chosen][overlap.slot] += (int64_t) ((double) overlap.time * (factor - 1.0));
		*n_changed += overlap.time > 0;
	}
	return PH_OK;
}

/* ---- sends that do not wait ---- */

static PhStatus
post_sends(PhArena *arena, const PhReplayProgram *program, const PhChange *change,
		   PhReplayPlan *plan, uint64_t *n_changed)
{
	const PhSkeleton *skeleton = program->skeleton;
	bool *posted;
	PH_TRY(PH_NEW(arena, skeleton->model->n_regions, &posted));
	for (uint32_t i = 0; i < skeleton->model->n_regions; i++)
		posted[i] = change->regions[i] || (plan->posted != NULL && plan->posted[i]);
	plan->posted = posted;
	for (uint32_t at = 0; at < skeleton->n_locations; at++)
		for (uint32_t i = 0; i < program->locations[at].n_ops; i++)
		{
			const PhReplayOp *op = &program->locations[at].ops[i];
			PH_TRY(ph_env_poll(arena->env));
			uint32_t region = ph_replay_region(program, at, op);
			if (region != PH_NONE && change->regions[region])
				for (uint32_t end = op->first_end; end < op[1].first_end; end++)
					*n_changed +=
						ph_replay_is_rendezvous(program, at, &skeleton->locations[at].ends[end]);
		}
	return PH_OK;
}

/* ---- all ---- */

static PhStatus
change_times(PhArena *arena, const PhReplayProgram *program, const PhSpans *spans,
			 const PhChange *change, PhReplayPlan *plan, uint64_t *n_changed)
{
	PhArena scratch;
	PH_TRY(take_extra(arena, program, plan));
	if (change->kind == PH_CHANGE_SCALE)
		return scale_calls(program, spans, change, plan, n_changed);
	if (change->kind == PH_CHANGE_RANK_TO_MEAN)
		return give_rank_mean(program, change, plan, n_changed);
	ph_arena_init(&scratch, arena->env);
	PhStatus status = balance_calls(&scratch, program, spans, change, plan, n_changed);
	ph_arena_drop(&scratch);
	return status;
}

PhStatus
ph_plan_change(PhArena *arena, const PhReplayProgram *program, const PhSpans *spans,
			   const PhChange *change, PhReplayPlan *plan, uint64_t *n_changed)
{
	*n_changed = 0;
	switch (change->kind)
	{
		case PH_CHANGE_IDEAL_NETWORK:
			plan->is_ideal = true;
			*n_changed = program->n_ops;
			return PH_OK;
		case PH_CHANGE_POST:
			return post_sends(arena, program, change, plan, n_changed);
		case PH_CHANGE_RECEIVE_FIRST:
		case PH_CHANGE_SEND_FIRST:
		case PH_CHANGE_SORT_SENDS:
			return ph_plan_order(arena, program, spans, change, plan, n_changed);
		default:
			return change_times(arena, program, spans, change, plan, n_changed);
	}
}
