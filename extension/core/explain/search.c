/*
 * search.c - see search.h.
 *
 * A subtree of two call paths with a cause each would have a better score than either. So most of
 * what a subtree does must have changed by about as much as the whole of it, else its children are
 * looked at one by one.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "explain/search.h"

#include <math.h>

/* A deeper subtree is taken when it holds this share of the effect: a little more than the 0.9 that
 * findings promise, for both are measured with noise. */
#define HELD_BELOW 0.93

/* A call path takes part when its relative change is at least this share of the subtree's, … */
#define TAKES_PART 0.4
/* … and this much of the subtree must take part. Both arbitrary. */
#define LEAST_COVERAGE 0.65

#define SPLIT_ROUNDS 12
#define NORMAL_MAD 1.4826
#define LEAST_REST 6 /* places that are enough to see how places scatter */

typedef struct Room
{
	double *in, *rest; /* by place */
	bool *marks;
} Room;

/* The places of one subtree. Others never were there, such as threads that call no MPI. */
typedef struct Values
{
	const double *before, *change; /* by place */
	uint32_t n;
} Values;

/* What splits the places of one subtree into two. */
typedef struct Split
{
	uint32_t n_in;
	double rest, contrast; /* medians: of the others, and how far above it those that are in are */
} Split;

static PhStatus
make_room(PhArena *arena, uint32_t n_places, Room *out)
{
	PH_TRY(PH_NEW(arena, n_places, &out->in));
	PH_TRY(PH_NEW(arena, n_places, &out->rest));
	return PH_NEW(arena, n_places, &out->marks);
}

static Values
values_of(const PhExplainAxis *axis, uint32_t node)
{
	size_t at = (size_t) node * axis->n_places;

	return (Values){axis->before + at, axis->change + at, axis->n_places};
}

/* Who is not in a subtree is no evidence of how long it takes. */
static bool
is_there(const Values *values, uint32_t place)
{
	return values->before[place] != 0 || values->change[place] != 0;
}

static uint32_t
count_there(const Values *values)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < values->n; i++)
		n += is_there(values, i);
	return n;
}

/* Medians of the places that are marked and of those that are not. */
static Split
measure_split(const Room *room, const Values *values, const bool *is_in)
{
	Split split = {0};
	uint32_t n_rest = 0;

	for (uint32_t i = 0; i < values->n; i++)
	{
		if (is_in[i])
			room->in[split.n_in++] = values->change[i];
		else if (is_there(values, i))
			room->rest[n_rest++] = values->change[i];
	}
	split.rest = ph_explain_median(room->rest, n_rest);
	split.contrast = ph_explain_median(room->in, split.n_in) - split.rest;
	return split;
}

/* Two means with medians, from the greatest value and the middle of the lower ones. */
static Split
split_places(const Room *room, const Values *values, bool *is_in)
{
	Split split = {0};
	double low, high = -INFINITY;
	uint32_t n_there = 0;

	for (uint32_t i = 0; i < values->n; i++)
		if (is_there(values, i))
		{
			room->rest[n_there++] = values->change[i];
			high = fmax(high, values->change[i]);
		}
	low = fmin(ph_explain_median(room->rest, n_there), high);
	for (uint32_t round = 0; round < SPLIT_ROUNDS; round++)
	{
		uint32_t before = split.n_in;

		for (uint32_t i = 0; i < values->n; i++)
			is_in[i] = is_there(values, i) && values->change[i] > (low + high) / 2;
		split = measure_split(room, values, is_in);
		low = split.rest;
		high = split.rest + split.contrast;
		if (split.n_in == before)
			break;
	}
	return split;
}

/* How places that are not in scatter, where they are enough to tell. */
static double
scatter_of_rest(const Room *room, const Values *values, const bool *is_in, const Split *split)
{
	uint32_t n_rest = 0;

	for (uint32_t i = 0; i < values->n; i++)
		if (!is_in[i] && is_there(values, i))
			room->rest[n_rest++] = fabs(values->change[i] - split->rest);
	return n_rest < LEAST_REST ? 0 : NORMAL_MAD * ph_explain_median(room->rest, n_rest);
}

static double
contrast_of(const Room *room, const Values *values, const bool *is_in)
{
	return values->n == 1 ? values->change[0] : measure_split(room, values, is_in).contrast;
}

static double
own_contrast(const PhExplainAxis *axis, const Room *room, uint32_t node, const bool *is_in)
{
	size_t at = (size_t) node * axis->n_places;
	Values own = {axis->own_before + at, axis->own_change + at, axis->n_places};

	return contrast_of(room, &own, is_in);
}

static double
mean_in(const double *values, uint32_t n, const bool *is_in)
{
	double sum = 0;
	uint32_t n_in = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		sum += is_in[i] ? values[i] : 0;
		n_in += is_in[i];
	}
	return n_in > 0 ? sum / n_in : 0;
}

/* The share of what the subtree does at its places that changed about as much as all of it. */
static double
coverage_of(const PhExplainAxis *axis, const Room *room, const PhExplainCandidate *candidate)
{
	uint32_t n = axis->n_places;
	double base = mean_in(axis->before + (size_t) candidate->node * n, n, candidate->is_in);
	double relative = base > 0 ? candidate->contrast / base : 1;
	double covered = 0, all = 0;

	for (uint32_t node = candidate->node; node < axis->nodes[candidate->node].subtree_end; node++)
	{
		size_t at = (size_t) node * n;
		double own = mean_in(axis->own_before + at, n, candidate->is_in);
		double change = own_contrast(axis, room, node, candidate->is_in);
		double noise = axis->own_noise[node] / sqrt(candidate->n_in);
		double weight = fmax(fmax(own, change), 0);

		all += weight;
		if (change >= TAKES_PART * relative * own - noise)
			covered += weight;
	}
	return all > 0 ? covered / all : 0;
}

static double
contrast_at(const PhExplainAxis *axis, const Room *room, uint32_t node, const bool *is_in)
{
	Values values = values_of(axis, node);

	return contrast_of(room, &values, is_in);
}

/* The deepest subtree that holds nearly all of the candidate's contrast. */
static uint32_t
descend(const PhExplainAxis *axis, const Room *room, const PhExplainCandidate *candidate)
{
	uint32_t node = candidate->node;

	for (uint32_t child = node + 1; child < axis->nodes[node].subtree_end;)
	{
		if (contrast_at(axis, room, child, candidate->is_in) >= HELD_BELOW * candidate->contrast)
		{
			node = child;
			child = node + 1;
		}
		else
			child = axis->nodes[child].subtree_end;
	}
	return node;
}

static double
effect_of(const PhSearch *search, double contrast, uint32_t n_in)
{
	return search->adds_up ? contrast * n_in : contrast;
}

/* Score of one subtree, 0 where it is none; sets its places in room->marks. */
static double
score_places(const PhSearch *search, const Room *room, uint32_t node, PhExplainCandidate *out)
{
	const PhExplainAxis *axis = search->axis;
	Values values = values_of(axis, node);
	Split split = split_places(room, &values, room->marks);
	double noise = fmax(axis->noise[node], scatter_of_rest(room, &values, room->marks, &split));

	if (split.n_in == 0 || split.n_in * 2 > count_there(&values) ||
		effect_of(search, split.contrast, split.n_in) < search->least)
		return 0;
	out->node = node;
	out->n_in = split.n_in;
	out->contrast = split.contrast;
	out->effect = effect_of(search, split.contrast, split.n_in);
	out->score = noise > 0 ? split.contrast / noise : INFINITY;
	return out->score;
}

static double
score_whole(const PhSearch *search, uint32_t node, PhExplainCandidate *out)
{
	double change = search->axis->change[node];
	double noise = search->axis->noise[node];

	if (!(change > 0) || change < search->least)
		return 0;
	out->node = node;
	out->n_in = 1;
	out->contrast = out->effect = change;
	out->score = noise > 0 ? change / noise : INFINITY;
	return out->score;
}

static double
score_node(const PhSearch *search, const Room *room, uint32_t node, PhExplainCandidate *out)
{
	if (search->axis->n_places > 1)
		return score_places(search, room, node, out);
	room->marks[0] = true;
	return score_whole(search, node, out);
}

static void
copy_marks(const Room *room, uint32_t n, PhExplainCandidate *out)
{
	for (uint32_t i = 0; i < n; i++)
		out->is_in[i] = room->marks[i];
}

/* The candidate with the largest effect that is clear and covered. Nodes that were refused have a
 * mark in is_refused. */
static PhStatus
find_best(PhArena *arena, const PhSearch *search, const Room *room, bool *is_refused,
		  PhExplainCandidate *out)
{
	const PhExplainAxis *axis = search->axis;

	for (;;)
	{
		PhExplainCandidate best = {.node = PH_NONE, .is_in = out->is_in};

		for (uint32_t node = 0; node < axis->n_nodes; node++)
		{
			PhExplainCandidate candidate = {.node = PH_NONE, .is_in = out->is_in};

			PH_TRY(ph_env_poll(arena->env));
			if (is_refused[node])
				continue;
			is_refused[node] = score_node(search, room, node, &candidate) < search->least_score;
			if (is_refused[node] || (best.node != PH_NONE && candidate.effect <= best.effect))
				continue;
			best = candidate;
			copy_marks(room, axis->n_places, &best);
		}
		*out = best;
		if (best.node == PH_NONE || coverage_of(axis, room, &best) >= LEAST_COVERAGE)
			return PH_OK;
		is_refused[best.node] = true;
	}
}

/* After its places have changed. */
static void
measure_candidate(const PhSearch *search, const Room *room, PhExplainCandidate *candidate)
{
	Values values = values_of(search->axis, candidate->node);
	Split split = measure_split(room, &values, candidate->is_in);

	candidate->score *= candidate->contrast > 0 ? split.contrast / candidate->contrast : 1;
	candidate->n_in = split.n_in;
	candidate->contrast = split.contrast;
	candidate->effect = effect_of(search, split.contrast, split.n_in);
}

/* The places again, of the call path that was found: less of others' noise is in it. */
static PhStatus
settle_places(PhArena *arena, const PhSearch *search, const Room *room,
			  PhExplainCandidate *candidate)
{
	const PhExplainAxis *axis = search->axis;
	Values values = values_of(axis, candidate->node);
	PhExplainCandidate again = *candidate;
	PhUnitChanges changes = {.of_unit = values.change};
	Split split;

	if (score_places(search, room, candidate->node, &again) >= search->least_score)
	{
		*candidate = again;
		copy_marks(room, axis->n_places, candidate);
	}
	if (search->hosts == NULL)
		return PH_OK;
	split = measure_split(room, &values, candidate->is_in);
	changes.rest = split.rest;
	changes.contrast = split.contrast;
	PH_TRY(ph_units_complete(arena, search->hosts, &changes, candidate->is_in));
	measure_candidate(search, room, candidate);
	return PH_OK;
}

/* Whether it is half of those who are there, or fewer: who enters it at all may be in, all of them.
 */
static bool
is_of_some(const PhExplainAxis *axis, const PhExplainCandidate *candidate)
{
	Values values = values_of(axis, candidate->node);

	return axis->n_places == 1 || candidate->n_in * 2 <= count_there(&values);
}

/* The best whose deepest subtree is on some places only. */
static PhStatus
find_smallest(PhArena *arena, const PhSearch *search, const Room *room, bool *is_refused,
			  PhExplainCandidate *out)
{
	for (;;)
	{
		uint32_t found;

		PH_TRY(find_best(arena, search, room, is_refused, out));
		if (out->node == PH_NONE)
			return PH_OK;
		found = out->node;
		out->node = descend(search->axis, room, out);
		if (is_of_some(search->axis, out))
			return PH_OK;
		is_refused[found] = true;
	}
}

PhStatus
ph_search_axis(PhArena *arena, const PhSearch *search, PhExplainCandidate *out)
{
	PhExplainCandidate best = {.node = PH_NONE};
	bool *is_refused;
	Room room;

	PH_TRY(make_room(arena, search->axis->n_places, &room));
	PH_TRY(PH_NEW(arena, search->axis->n_nodes, &is_refused));
	PH_TRY(PH_NEW(arena, search->axis->n_places, &best.is_in));
	PH_TRY(find_smallest(arena, search, &room, is_refused, &best));
	if (best.node != PH_NONE && search->axis->n_places > 1)
		PH_TRY(settle_places(arena, search, &room, &best));
	*out = best;
	return PH_OK;
}

PhStatus
ph_candidate_measure(PhArena *arena, const PhSearch *search, PhExplainCandidate *candidate)
{
	Room room;

	PH_TRY(make_room(arena, search->axis->n_places, &room));
	measure_candidate(search, &room, candidate);
	candidate->node = descend(search->axis, &room, candidate);
	measure_candidate(search, &room, candidate);
	return PH_OK;
}

PhStatus
ph_candidate_parts(PhArena *arena, const PhExplainAxis *axis, const PhExplainCandidate *candidate,
				   double **out)
{
	double *parts;
	Room room;

	PH_TRY(make_room(arena, axis->n_places, &room));
	PH_TRY(PH_NEW(arena, axis->n_nodes, &parts));
	for (uint32_t node = candidate->node; node < axis->nodes[candidate->node].subtree_end; node++)
		parts[node] = own_contrast(axis, &room, node, candidate->is_in);
	*out = parts;
	return PH_OK;
}

void
ph_candidate_take_out(PhExplainAxis *axis, const PhExplainCandidate *candidate, const double *parts)
{
	for (uint32_t run = 0; run < axis->n_runs; run++)
		for (uint32_t node = candidate->node;
			 axis->is_after[run] && node < axis->nodes[candidate->node].subtree_end; node++)
		{
			double *own = ph_axis_own(axis, run, node);

			for (uint32_t place = 0; place < axis->n_places; place++)
				own[place] -= candidate->is_in[place] ? parts[node] : 0;
		}
}
