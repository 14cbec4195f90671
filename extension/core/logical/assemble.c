/*
 * assemble.c - global steps, canonical numbers, members and graph of phases.
 *
 * Parts come in topological order, so offsets are one pass: a part starts after the last of those
 * before it. Method: docs/design/logical-time.md 1.6, 1.9.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/assemble.h"

#include "base/sort.h"

PhStatus
ph_assembly_offset(PhAssembly *assembly, const PhGraph *graph)
{
	PhLogical *out = assembly->out;
	const uint32_t *part = assembly->part;
	uint32_t n_events = out->model->n_events;
	int32_t *step = out->step, *first, *last;
	PH_TRY(PH_NEW(assembly->temporary, assembly->n_parts, &first));
	PH_TRY(PH_NEW(assembly->temporary, assembly->n_parts, &last));
	for (uint32_t e = 0; e < n_events; e++)
		if (last[part[e]] < step[e])
			last[part[e]] = step[e];
	for (uint32_t p = 0; p < assembly->n_parts; p++)
	{
		PH_TRY(ph_env_poll(assembly->temporary->env));
		last[p] = first[p] + out->stride * last[p];
		for (uint32_t i = graph->first[p]; i < graph->first[p + 1]; i++)
			if (first[graph->target[i]] < last[p] + out->stride)
				first[graph->target[i]] = last[p] + out->stride;
	}
	for (uint32_t e = 0; e < n_events; e++)
		step[e] = first[part[e]] + out->stride * step[e];
	assembly->first = first;
	assembly->last = last;
	return PH_OK;
}

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
number_phases(PhAssembly *assembly)
{
	PhLogical *out = assembly->out;
	PhArena *temporary = assembly->temporary;
	uint32_t n = assembly->n_parts, *first_event, *order;
	PH_TRY(PH_NEW(temporary, n, &first_event));
	PH_TRY(PH_NEW(temporary, n, &assembly->number));
	for (uint32_t e = out->model->n_events; e-- > 0;)
		first_event[assembly->part[e]] = e;
	PhaseOrder context = {assembly->first, first_event};
	PH_TRY(ph_sort_indices(temporary, n, compare_phases, &context, &order));
	out->n_phases = n;
	PH_TRY(PH_NEW(&out->arena, n, &out->first_step));
	PH_TRY(PH_NEW(&out->arena, n, &out->last_step_of));
	PH_TRY(PH_NEW(&out->arena, n, &out->reasons));
	PH_TRY(PH_NEW(&out->arena, n, &out->reason));
	out->last_step = -1;
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t p = order[i];
		assembly->number[p] = i;
		out->first_step[i] = assembly->first[p];
		out->last_step_of[i] = assembly->last[p];
		out->reasons[i] = assembly->reasons[p];
		while (out->reasons[i] >> out->reason[i] != 0)
			out->reason[i]++;
		if (assembly->last[p] > out->last_step)
			out->last_step = assembly->last[p];
	}
	for (uint32_t e = 0; e < out->model->n_events; e++)
		out->phase[e] = assembly->number[assembly->part[e]];
	return PH_OK;
}

/* Each phase's interval on each of its timelines. */
static PhStatus
list_members(PhLogical *out)
{
	const PhLogicalModel *model = out->model;
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
		PH_TRY(ph_env_poll_at(out->arena.env, e));
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

PhStatus
ph_assembly_number(PhAssembly *assembly)
{
	PH_TRY(PH_NEW(&assembly->out->arena, assembly->out->model->n_events, &assembly->out->phase));
	PH_TRY(number_phases(assembly));
	return list_members(assembly->out);
}

PhStatus
ph_assembly_edges(PhLogical *out, const PhGraph *edges)
{
	out->n_edges = edges->n_edges;
	out->first_edge = edges->first;
	out->edge_target = edges->target;
	PH_TRY(PH_NEW(&out->arena, out->n_phases, &out->leap));
	ph_graph_leaps(edges, out->leap);
	return PH_OK;
}
