/*
 * logical.c - logical structure: phases, steps within them, global steps, canonical numbers.
 *
 * Phases come in topological order, so offsets are one pass: a phase starts after the last of those
 * before it. Method: design logical-time.md 1.6, 1.9, 1.10.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical.h"

#include <string.h>

#include "logical_phases.h"
#include "sort.h"

const char *
ph_merge_reason_name(uint32_t reason)
{
	static const char *const names[] = {"none",		  "wait group", "call", "function", "message",
										"collective", "cycle",		"leap", "global"};
	return reason < PH_MERGE_REASONS ? names[reason] : "unknown";
}

typedef struct Builder
{
	PhEnv *env;
	const PhLogicalModel *model;
	const PhLogicalOptions *options;
	PhLogical *out;
	PhPhasing phasing;
	PhArena temporary;
	int32_t *first, *last; /* by part: its global steps */
} Builder;

/* ------------------------------------------------------------------------------------- global
 * steps */

static PhStatus
step_within(Builder *builder)
{
	const PhLogicalOptions *options = builder->options;
	PhStepping stepping = {
		.env = builder->env,
		.model = builder->model,
		.phase = builder->phasing.part,
		.n_phases = builder->phasing.n_parts,
		.align_sends = options->align_sends,
		.contract = !options->compat || !options->align_sends,
		.step = builder->out->step,
		.binding = builder->out->binding,
	};
	if (options->reorder_receives)
		PH_TRY(ph_stepping_run_reordered(&stepping));
	else
		PH_TRY(ph_stepping_run(&stepping));
	builder->out->split_collectives = stepping.split_collectives;
	builder->out->cut_messages = stepping.cut_messages;
	return PH_OK;
}

/* first and last of every part, and the events' steps from local to global. */
static PhStatus
offset_steps(Builder *builder)
{
	const PhPhasing *phasing = &builder->phasing;
	int32_t *step = builder->out->step;
	PhGraph graph;
	PH_TRY(ph_graph_of_parts(&builder->temporary, builder->model, phasing->part, phasing->n_parts,
							 false, &graph));
	PH_TRY(PH_NEW(&builder->temporary, phasing->n_parts, &builder->first));
	PH_TRY(PH_NEW(&builder->temporary, phasing->n_parts, &builder->last));
	for (uint32_t e = 0; e < builder->model->n_events; e++)
		if (builder->last[phasing->part[e]] < step[e])
			builder->last[phasing->part[e]] = step[e];
	for (uint32_t p = 0; p < phasing->n_parts; p++)
	{
		PH_TRY(ph_env_poll(builder->env));
		builder->last[p] = builder->first[p] + PH_STEP_STRIDE * builder->last[p];
		for (uint32_t i = graph.first[p]; i < graph.first[p + 1]; i++)
			if (builder->first[graph.target[i]] < builder->last[p] + PH_STEP_STRIDE)
				builder->first[graph.target[i]] = builder->last[p] + PH_STEP_STRIDE;
	}
	for (uint32_t e = 0; e < builder->model->n_events; e++)
		step[e] = builder->first[phasing->part[e]] + PH_STEP_STRIDE * step[e];
	return PH_OK;
}

static int
compare_first(const void *context, uint32_t x, uint32_t y)
{
	const int32_t *first = context;
	return first[x] < first[y] ? -1 : first[x] > first[y];
}

/* Phases whose steps overlap become one; numbers then follow the steps. */
static PhStatus
merge_overlapping(Builder *builder)
{
	PhPhasing *phasing = &builder->phasing;
	uint32_t *order, *map, n = 0;
	int32_t end = -1;
	PH_TRY(ph_sort_indices(&builder->temporary, phasing->n_parts, compare_first, builder->first,
						   &order));
	PH_TRY(PH_NEW(&builder->temporary, phasing->n_parts, &map));
	int32_t *first = builder->first, *last = builder->last, *merged_first, *merged_last;
	PH_TRY(PH_NEW(&builder->temporary, phasing->n_parts, &merged_first));
	PH_TRY(PH_NEW(&builder->temporary, phasing->n_parts, &merged_last));
	for (uint32_t i = 0; i < phasing->n_parts; i++)
	{
		uint32_t p = order[i];
		if (first[p] > end)
			merged_first[n++] = first[p];
		if (last[p] > end)
			end = last[p];
		map[p] = n - 1;
		merged_last[n - 1] = end;
	}
	builder->first = merged_first;
	builder->last = merged_last;
	return ph_phasing_regroup(phasing, map, n, PH_MERGE_GLOBAL);
}

/* ------------------------------------------------------------------------------------------
 * numbers */

typedef struct PhaseOrder
{
	const int32_t *first;
	const uint32_t *first_event;
} PhaseOrder;

/* Events are numbered by timeline, so the first event tells the smallest timeline too. */
static int
compare_phases(const void *context, uint32_t x, uint32_t y)
{
	const PhaseOrder *order = context;
	if (order->first[x] != order->first[y])
		return order->first[x] < order->first[y] ? -1 : 1;
	return order->first_event[x] < order->first_event[y]
			   ? -1
			   : order->first_event[x] > order->first_event[y];
}

/* Parts to their canonical numbers; phases, first and last step are written. */
static PhStatus
number_phases(Builder *builder)
{
	PhLogical *out = builder->out;
	const PhPhasing *phasing = &builder->phasing;
	uint32_t n = phasing->n_parts, *first_event, *order, *number;
	PH_TRY(PH_NEW(&builder->temporary, n, &first_event));
	PH_TRY(PH_NEW(&builder->temporary, n, &number));
	for (uint32_t e = builder->model->n_events; e-- > 0;)
		first_event[phasing->part[e]] = e;
	PhaseOrder context = {builder->first, first_event};
	PH_TRY(ph_sort_indices(&builder->temporary, n, compare_phases, &context, &order));
	out->n_phases = n;
	PH_TRY(PH_NEW(&out->arena, n, &out->first_step));
	PH_TRY(PH_NEW(&out->arena, n, &out->last_step_of));
	PH_TRY(PH_NEW(&out->arena, n, &out->reasons));
	PH_TRY(PH_NEW(&out->arena, n, &out->reason));
	out->last_step = -1;
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t p = order[i];
		number[p] = i;
		out->first_step[i] = builder->first[p];
		out->last_step_of[i] = builder->last[p];
		out->reasons[i] = phasing->reasons[p];
		while (out->reasons[i] >> out->reason[i] != 0)
			out->reason[i]++;
		if (builder->last[p] > out->last_step)
			out->last_step = builder->last[p];
	}
	for (uint32_t e = 0; e < builder->model->n_events; e++)
		out->phase[e] = number[phasing->part[e]];
	return PH_OK;
}

/* Each phase's interval on each of its timelines. */
static PhStatus
list_members(const Builder *builder)
{
	PhLogical *out = builder->out;
	const PhLogicalModel *model = builder->model;
	uint32_t n = 0;
	PH_TRY(PH_NEW(&out->arena, (size_t) out->n_phases + 2, &out->first_member));
	PH_TRY(PH_NEW(&out->arena, out->n_phases, &out->n_events_of));
	uint32_t *next = out->first_member + 1;
	for (uint32_t e = 0; e < model->n_events; e++)
	{
		out->n_events_of[out->phase[e]]++;
		if (e > 0 && model->timeline[e] == model->timeline[e - 1] &&
			out->phase[e] == out->phase[e - 1])
			continue;
		next[out->phase[e] + 1]++;
		n++;
	}
	for (uint32_t p = 0; p < out->n_phases; p++)
		next[p + 1] += next[p];
	out->n_members = n;
	PH_TRY(PH_NEW(&out->arena, n, &out->member_first));
	PH_TRY(PH_NEW(&out->arena, n, &out->member_last));
	for (uint32_t e = 0, member = 0; e < model->n_events; e++)
	{
		PH_TRY(ph_env_poll(builder->env));
		if (e == 0 || model->timeline[e] != model->timeline[e - 1] ||
			out->phase[e] != out->phase[e - 1])
		{
			member = next[out->phase[e]]++;
			out->member_first[member] = e;
		}
		out->member_last[member] = e;
	}
	return PH_OK;
}

static PhStatus
list_edges(const Builder *builder)
{
	PhLogical *out = builder->out;
	PhGraph graph;
	PH_TRY(ph_graph_of_parts(&out->arena, builder->model, out->phase, out->n_phases, true, &graph));
	out->n_edges = graph.n_edges;
	out->first_edge = graph.first;
	out->edge_target = graph.target;
	PH_TRY(PH_NEW(&out->arena, out->n_phases, &out->leap));
	ph_graph_leaps(&graph, out->leap);
	return PH_OK;
}

static PhStatus
build(Builder *builder)
{
	PhLogical *out = builder->out;
	uint32_t n = builder->model->n_events;
	PH_TRY(ph_phasing_run(&builder->phasing));
	PH_TRY(PH_NEW(&out->arena, n, &out->step));
	PH_TRY(PH_NEW(&out->arena, n, &out->binding));
	PH_TRY(step_within(builder));
	PH_TRY(offset_steps(builder));
	if (builder->options->global_merge)
		PH_TRY(merge_overlapping(builder));
	PH_TRY(PH_NEW(&out->arena, n, &out->phase));
	PH_TRY(number_phases(builder));
	PH_TRY(list_members(builder));
	return list_edges(builder);
}

PhStatus
ph_logical_build(PhEnv *env, const PhLogicalModel *model, const PhLogicalOptions *options,
				 PhLogical *out)
{
	PhLogical logical;
	memset(&logical, 0, sizeof(logical));
	logical.model = model;
	ph_arena_init(&logical.arena, env);
	Builder builder = {.env = env, .model = model, .options = options, .out = &logical};
	builder.phasing = (PhPhasing){.env = env, .model = model, .options = options};
	ph_arena_init(&builder.phasing.arena, env);
	ph_arena_init(&builder.temporary, env);
	PhStatus status = build(&builder);
	ph_arena_drop(&builder.temporary);
	ph_arena_drop(&builder.phasing.arena);
	if (status == PH_OK)
		*out = logical;
	else
		ph_logical_free(&logical);
	return status;
}

void
ph_logical_free(PhLogical *logical)
{
	ph_arena_drop(&logical->arena);
	memset(logical, 0, sizeof(*logical));
}
