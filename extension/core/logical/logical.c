/*
 * logical.c - logical structure of processes: phases, steps within them, global steps.
 *
 * Method: docs/design/logical-time.md 1.5-1.10.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/logical.h"

#include <string.h>

#include "base/sort.h"
#include "logical/assemble.h"

const char *
ph_merge_reason_name(uint32_t reason)
{
	static const char *const names[] = {
		"none",	 "serial block", "wait group", "call",	   "function", "message", "collective",
		"cycle", "split block",	 "serials",	   "inferred", "leap",	   "global",  "chain"};
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
	PhAssembly assembly;
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

static PhStatus
offset_steps(Builder *builder)
{
	const PhPhasing *phasing = &builder->phasing;
	PhGraph graph;
	builder->assembly = (PhAssembly){.out = builder->out,
									 .temporary = &builder->temporary,
									 .part = phasing->part,
									 .n_parts = phasing->n_parts,
									 .reasons = phasing->reasons};
	PH_TRY(ph_graph_of_parts(&builder->temporary, builder->model, phasing->part, phasing->n_parts,
							 false, &graph));
	return ph_assembly_offset(&builder->assembly, &graph);
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
	PhAssembly *assembly = &builder->assembly;
	uint32_t *order, *map, n = 0;
	int32_t end = -1;
	PH_TRY(ph_sort_indices(&builder->temporary, phasing->n_parts, compare_first, assembly->first,
						   &order));
	PH_TRY(PH_NEW(&builder->temporary, phasing->n_parts, &map));
	int32_t *first = assembly->first, *last = assembly->last, *merged_first, *merged_last;
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
	assembly->first = merged_first;
	assembly->last = merged_last;
	assembly->n_parts = n;
	return ph_phasing_regroup(phasing, map, n, PH_MERGE_GLOBAL);
}

static PhStatus
list_edges(const Builder *builder)
{
	PhLogical *out = builder->out;
	PhGraph graph;
	PH_TRY(ph_graph_of_parts(&out->arena, builder->model, out->phase, out->n_phases, true, &graph));
	return ph_assembly_edges(out, &graph);
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
	PH_TRY(ph_assembly_number(&builder->assembly));
	return list_edges(builder);
}

PhStatus
ph_logical_build(PhEnv *env, const PhLogicalModel *model, const PhLogicalOptions *options,
				 PhLogical *out)
{
	PhLogical logical;
	memset(&logical, 0, sizeof(logical));
	logical.model = model;
	logical.stride = PH_STEP_STRIDE;
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
