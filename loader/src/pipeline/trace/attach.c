/*
 * attach.c - metrics of a profile onto the call tree of a trace.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/trace/attach.h"

#include <stdio.h>
#include <string.h>

#include "base/min_max.h"
#include "base/table.h"
#include "profile/cells.h"

#define NAME_MAX_BYTES 256

typedef struct Attaching
{
	PhEnv *env;
	PhArena arena;
	const PhProfile *profile; /* the trace's */
	const PhProfile *beside;
	const char *prefix;
	PhProfileBuilder *builder;
	PhMap nodes;	   /* the trace's, by callpath_id */
	uint32_t *raw;	   /* builder's node by node of the trace */
	uint32_t *columns; /* the trace's by column of beside, PH_NONE: has none */
	uint32_t *metrics; /* builder's by metric of beside, PH_NONE: left out */
	uint32_t *own;	   /* builder's by metric of the trace */
	uint32_t *ends;	   /* of one path of beside: nodes of the trace, the longest end first */
	uint32_t n_ends;
	PhAttachCounts *counts;
} Attaching;

/* ---- the trace's profile, once more ---- */

/* Those of [from, to); ratios come after what they are made of. */
static PhStatus
copy_metrics(Attaching *attaching, uint32_t from, uint32_t to)
{
	const PhProfile *profile = attaching->profile;

	for (uint32_t m = from; m < to; m++)
	{
		const PhMetric *metric = &profile->metrics[m];
		PhMetricSpec spec = {
			.name = ph_profile_string(profile, metric->name),
			.unit = ph_profile_string(profile, metric->unit),
			.kind = metric->kind,
			.combine = metric->combine,
			.given = PH_GIVEN_EXCLUSIVE,
			.numerator = metric->numerator == PH_NONE ? PH_NONE : attaching->own[metric->numerator],
			.denominator =
				metric->denominator == PH_NONE ? PH_NONE : attaching->own[metric->denominator],
			.may_be_negative = metric->is_signed != 0,
		};

		PH_TRY(ph_builder_add_metric(attaching->builder, &spec, &attaching->own[m]));
	}
	return PH_OK;
}

static PhStatus
copy_columns(Attaching *attaching)
{
	const PhProfile *profile = attaching->profile;

	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		const PhColumn *column = &profile->columns[i];
		PhColumnSpec spec = {
			.kind = column->kind,
			.run_id = column->run_id,
			.iteration = column->iteration,
			.rank = column->rank,
			.thread = column->thread,
			.host = ph_profile_string(profile, column->host),
			.name = ph_profile_string(profile, column->name),
		};
		uint32_t index;

		PH_TRY(ph_builder_add_column(attaching->builder, &spec, &index));
	}
	return PH_OK;
}

static PhStatus
copy_nodes(Attaching *attaching)
{
	const PhProfile *profile = attaching->profile;

	PH_TRY(PH_NEW(&attaching->arena, profile->n_nodes, &attaching->raw));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		const PhRegion *region = ph_profile_region(profile, node);
		PhRegionSpec spec = {
			.kind = region->kind,
			.name = ph_profile_string(profile, region->name),
			.library = ph_profile_string(profile, region->library),
			.file = ph_profile_string(profile, region->file),
			.module = ph_profile_string(profile, region->module),
			.paradigm = ph_profile_string(profile, region->paradigm),
			.line = region->line,
		};
		uint32_t parent = profile->parent[node];
		uint32_t index;
		uint32_t *known;

		PH_TRY(ph_builder_add_region(attaching->builder, &spec, &index));
		PH_TRY(ph_builder_child(attaching->builder,
								parent == PH_NONE ? PH_NONE : attaching->raw[parent], index,
								&attaching->raw[node]));
		PH_TRY(ph_map_enter(&attaching->nodes, profile->callpath_id[node], node, &known));
	}
	return PH_OK;
}

static PhStatus
copy_cell(Attaching *attaching, uint32_t node, uint32_t column, size_t cell)
{
	const PhProfile *profile = attaching->profile;

	PH_TRY(ph_env_poll(attaching->env));
	for (uint32_t m = 0; m < profile->n_metrics; m++)
		PH_TRY(ph_builder_add_value(attaching->builder, attaching->own[m], attaching->raw[node],
									column, PH_COST_EXCLUSIVE,
									profile->metrics[m].exclusive[cell]));
	return PH_OK;
}

static PhStatus
copy_values(Attaching *attaching)
{
	const PhProfile *profile = attaching->profile;

	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PhRowWalk walk = ph_row_walk(profile, node);

		for (PhRowSpan span; ph_row_next(&walk, &span);)
			for (uint32_t i = 0; i < span.n; i++)
				PH_TRY(copy_cell(attaching, node, span.first + i, span.cell + i));
	}
	return PH_OK;
}

static PhStatus
copy_notes(Attaching *attaching)
{
	const PhProfile *profile = attaching->profile;

	for (uint32_t i = 0; i < profile->provenance.n_notes; i++)
		PH_TRY(ph_builder_add_note(attaching->builder,
								   ph_profile_string(profile, profile->provenance.notes[i])));
	return PH_OK;
}

/* ---- what is attached ---- */

static PhStatus
add_metrics(Attaching *attaching)
{
	const PhProfile *beside = attaching->beside;

	PH_TRY(PH_NEW(&attaching->arena, beside->n_metrics, &attaching->metrics));
	for (uint32_t m = 0; m < beside->n_metrics; m++)
	{
		const PhMetric *metric = &beside->metrics[m];
		char name[NAME_MAX_BYTES];
		PhMetricSpec spec = {
			.name = name,
			.unit = ph_profile_string(beside, metric->unit),
			.kind = PH_METRIC_FLOW,
			.given = PH_GIVEN_EXCLUSIVE,
			.may_be_negative = metric->is_signed != 0,
		};
		int length = snprintf(name, sizeof(name), "%s%s", attaching->prefix,
							  ph_profile_string(beside, metric->name));

		attaching->metrics[m] = PH_NONE;
		if (metric->kind != PH_METRIC_FLOW || length < 0 || (size_t) length >= sizeof(name))
			continue;
		PH_TRY(ph_builder_add_metric(attaching->builder, &spec, &attaching->metrics[m]));
	}
	return PH_OK;
}

/* By rank and thread: a profile of processes without threads means their first one. */
static PhStatus
match_columns(Attaching *attaching)
{
	const PhProfile *profile = attaching->profile;
	const PhProfile *beside = attaching->beside;
	uint32_t *found;
	PhMap columns;

	ph_map_init(&columns, &attaching->arena);
	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		const PhColumn *column = &profile->columns[i];

		PH_TRY(ph_map_enter(
			&columns, ph_map_key((uint32_t) column->rank, (uint32_t) column->thread), i, &found));
	}
	PH_TRY(PH_NEW(&attaching->arena, beside->n_columns, &attaching->columns));
	for (uint32_t i = 0; i < beside->n_columns; i++)
	{
		const PhColumn *column = &beside->columns[i];
		int32_t thread = column->thread == PH_NO_NUMBER ? 0 : column->thread;

		PH_TRY(ph_map_enter(&columns, ph_map_key((uint32_t) column->rank, (uint32_t) thread),
							PH_NONE, &found));
		attaching->columns[i] = *found;
		attaching->counts->lost_columns += *found == PH_NONE;
	}
	return PH_OK;
}

/*
 * Which nodes of the trace may stand for a node of the profile beside it: tools begin call paths at
 * different depths, so every end of the profile's path (all of it, without the first region,
 * without the first two, …) is looked up among the trace's. The longest match comes first.
 */
static PhStatus
find_ends(Attaching *attaching, uint32_t node)
{
	const PhProfile *beside = attaching->beside;
	uint32_t depth = beside->depth[node];
	uint64_t *regions;
	PhArena arena;
	PhStatus status;

	ph_arena_init(&arena, attaching->env);
	attaching->n_ends = 0;
	status = PH_NEW(&arena, (size_t) depth + 1, &regions);
	for (uint32_t at = node, d = depth + 1; status == PH_OK && d-- > 0; at = beside->parent[at])
		regions[d] = ph_profile_region(beside, at)->region_id;
	for (uint32_t first = 0; status == PH_OK && first <= depth; first++)
	{
		uint64_t id = 0;
		uint32_t *found;

		for (uint32_t d = first; d <= depth; d++)
			id = ph_hash_callpath(id, regions[d]);
		status = ph_map_enter(&attaching->nodes, id, PH_NONE, &found);
		if (status == PH_OK && *found != PH_NONE)
			attaching->ends[attaching->n_ends++] = *found;
	}
	ph_arena_drop(&arena);
	return status;
}

static uint32_t
end_in(const Attaching *attaching, uint32_t column)
{
	for (uint32_t i = 0; i < attaching->n_ends; i++)
	{
		if (ph_profile_is_present(attaching->profile, attaching->ends[i], column))
			return attaching->ends[i];
	}
	return PH_NONE;
}

static PhStatus
add_cell(Attaching *attaching, uint32_t column, size_t cell)
{
	const PhProfile *beside = attaching->beside;
	uint32_t to_column = attaching->columns[column];
	uint32_t to = to_column == PH_NONE ? PH_NONE : end_in(attaching, to_column);

	if (to == PH_NONE)
	{
		attaching->counts->lost_cells++;
		return PH_OK;
	}
	for (uint32_t m = 0; m < beside->n_metrics; m++)
	{
		if (attaching->metrics[m] != PH_NONE)
			PH_TRY(ph_builder_add_value(attaching->builder, attaching->metrics[m],
										attaching->raw[to], to_column, PH_COST_EXCLUSIVE,
										beside->metrics[m].exclusive[cell]));
	}
	return PH_OK;
}

static PhStatus
add_values(Attaching *attaching)
{
	const PhProfile *beside = attaching->beside;
	uint32_t deepest = 0;

	for (uint32_t node = 0; node < beside->n_nodes; node++)
		deepest = PH_MAX(beside->depth[node], deepest);
	PH_TRY(PH_NEW(&attaching->arena, (size_t) deepest + 1, &attaching->ends));
	for (uint32_t node = 0; node < beside->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(attaching->env));
		PH_TRY(find_ends(attaching, node));
		PhRowWalk walk = ph_row_walk(beside, node);
		for (PhRowSpan span; ph_row_next(&walk, &span);)
			for (uint32_t i = 0; i < span.n; i++)
				PH_TRY(add_cell(attaching, span.first + i, span.cell + i));
	}
	return PH_OK;
}

static PhStatus
attach(Attaching *attaching, uint32_t n_last, PhProfile **out)
{
	uint32_t n = attaching->profile->n_metrics;

	PH_TRY(ph_builder_new(attaching->env, &attaching->builder));
	PH_TRY(PH_NEW(&attaching->arena, n, &attaching->own));
	PH_TRY(copy_metrics(attaching, 0, n - n_last));
	PH_TRY(add_metrics(attaching));
	PH_TRY(copy_metrics(attaching, n - n_last, n));
	PH_TRY(copy_columns(attaching));
	PH_TRY(copy_nodes(attaching));
	PH_TRY(copy_values(attaching));
	PH_TRY(copy_notes(attaching));
	PH_TRY(match_columns(attaching));
	PH_TRY(add_values(attaching));
	return ph_builder_finish(attaching->builder, out);
}

PhStatus
ph_trace_attach(PhEnv *env, const PhProfile *profile, const PhProfile *beside, const char *prefix,
				uint32_t n_last, PhProfile **out, PhAttachCounts *counts)
{
	Attaching attaching = {
		.env = env, .profile = profile, .beside = beside, .prefix = prefix, .counts = counts};
	PhStatus status;

	*counts = (PhAttachCounts){0};
	ph_arena_init(&attaching.arena, env);
	ph_map_init(&attaching.nodes, &attaching.arena);
	status = attach(&attaching, n_last, out);
	ph_builder_free(attaching.builder);
	ph_arena_drop(&attaching.arena);
	return status;
}
