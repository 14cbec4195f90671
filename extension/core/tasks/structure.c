/*
 * structure.c - logical structure of tasks: parts, leaps, order, steps, phases.
 *
 * Steps within phases are longest ways, found as for processes whose sends are not aligned. Method:
 * docs/design/logical-time.md 2.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "tasks/structure.h"

#include <string.h>

#include "logical/assemble.h"
#include "tasks/model.h"

typedef struct Builder
{
	PhTaskStructure *out;
	PhTaskParts parts;
	PhArena temporary;
	uint32_t *place; /* by event of the parts: its number in the model */
	uint32_t *part;	 /* by event of the model */
	PhGraph graph;	 /* of parts */
} Builder;

static PhStatus
make_model(Builder *builder)
{
	PhTaskStructure *out = builder->out;
	const PhTaskParts *parts = &builder->parts;
	PH_TRY(PH_NEW(&out->arena, parts->n_events, &out->event));
	PH_TRY(PH_NEW(&builder->temporary, parts->n_events, &builder->place));
	PH_TRY(PH_NEW(&builder->temporary, parts->n_events, &builder->part));
	PH_TRY(ph_task_model_build(parts, builder->place, out->event, &out->model));
	for (uint32_t e = 0; e < parts->n_events; e++)
		builder->part[builder->place[e]] = parts->part[e];
	return ph_task_link_model(parts, builder->place, parts->n_given_edges > 0, &out->model);
}

static PhStatus
make_steps(Builder *builder)
{
	PhTaskStructure *out = builder->out;
	PhLogical *logical = &out->logical;
	PH_TRY(PH_NEW(&logical->arena, out->model.n_events, &logical->step));
	PH_TRY(PH_NEW(&logical->arena, out->model.n_events, &logical->binding));
	PhStepping stepping = {.env = builder->parts.env,
						   .model = &out->model,
						   .phase = builder->part,
						   .n_phases = builder->parts.n_parts,
						   .contract = true,
						   .step = logical->step,
						   .binding = logical->binding};
	PH_TRY(ph_stepping_run(&stepping));
	logical->cut_messages = stepping.cut_messages;
	if (builder->parts.n_given_edges > 0)
		PH_TRY(ph_task_link_model(&builder->parts, builder->place, false, &out->model));
	return ph_task_count_bytes(out->trace, out->event, &out->model);
}

/* The graph of parts as one of phases. */
static PhStatus
number_edges(const Builder *builder, const uint32_t *number)
{
	const PhGraph *graph = &builder->graph;
	PhLogical *logical = &builder->out->logical;
	PhGraphBuilder edges;
	PhGraph result;
	PhStatus status = ph_graph_begin(&logical->arena, graph->n_nodes, &edges);
	for (int pass = 0; pass < 2 && status == PH_OK; pass++)
	{
		for (uint32_t p = 0; p < graph->n_nodes; p++)
			for (uint32_t i = graph->first[p]; i < graph->first[p + 1]; i++)
				ph_graph_edge(&edges, number[p], number[graph->target[i]]);
		status = pass == 0 ? ph_graph_fill(&edges) : ph_graph_end(&edges, true, &result);
	}
	ph_graph_builder_free(&edges);
	PH_TRY(status);
	return ph_assembly_edges(logical, &result);
}

static PhStatus
make_phases(Builder *builder)
{
	PhTaskStructure *out = builder->out;
	const PhTaskParts *parts = &builder->parts;
	PhAssembly assembly = {.out = &out->logical,
						   .temporary = &builder->temporary,
						   .part = builder->part,
						   .n_parts = parts->n_parts,
						   .reasons = parts->reasons};
	PH_TRY(ph_assembly_offset(&assembly, &builder->graph));
	PH_TRY(ph_assembly_number(&assembly));
	PH_TRY(PH_NEW(&out->arena, parts->n_parts, &out->is_runtime));
	for (uint32_t p = 0; p < parts->n_parts; p++)
		out->is_runtime[assembly.number[p]] = parts->runtime[p];
	return number_edges(builder, assembly.number);
}

static PhStatus
build(Builder *builder)
{
	uint32_t *leap;
	PH_TRY(ph_task_parts_init(&builder->parts));
	PH_TRY(ph_task_parts_merge(&builder->parts));
	PH_TRY(ph_task_parts_enforce(&builder->parts, &builder->temporary, &builder->graph, &leap));
	PH_TRY(make_model(builder));
	PH_TRY(make_steps(builder));
	builder->out->n_initial_parts = builder->parts.n_initial_parts;
	return make_phases(builder);
}

PhStatus
ph_task_structure_build(PhEnv *env, const PhTaskTrace *trace, const PhTaskOptions *options,
						PhTaskStructure *out)
{
	Builder builder;
	if (!trace->is_finished)
		return ph_fail(env, PH_ERR_INTERNAL, "a trace of tasks was not finished");
	memset(&builder, 0, sizeof(builder));
	memset(out, 0, sizeof(*out));
	builder.out = out;
	builder.parts = (PhTaskParts){.env = env, .trace = trace, .options = options};
	out->trace = trace;
	out->logical.model = &out->model;
	out->logical.stride = 1;
	ph_arena_init(&out->arena, env);
	ph_arena_init(&out->logical.arena, env);
	ph_arena_init(&builder.temporary, env);
	PhStatus status = build(&builder);
	ph_task_parts_free(&builder.parts);
	ph_arena_drop(&builder.temporary);
	if (status != PH_OK)
		ph_task_structure_free(out);
	return status;
}

void
ph_task_structure_free(PhTaskStructure *structure)
{
	ph_logical_free(&structure->logical);
	ph_logical_model_free(&structure->model);
	ph_arena_drop(&structure->arena);
	memset(structure, 0, sizeof(*structure));
}
