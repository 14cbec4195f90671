/*
 * profile.c - from the call tree of a trace to a profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/trace/profile.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "pipeline/trace/attach.h"
#include "readers/completeness.h"
#include "readers/input.h"

typedef struct Making
{
	PhEnv *env;
	PhArena *arena;
	const PhTraceRead *read;
	const PhTraceSource *source;
	const PhReadOptions *options;
	PhTraceRegions *regions;
	bool *is_used; /* by region */
	PhTreePlaces places;
	uint64_t *region_ids;
	PhProfileBuilder *builder;
} Making;

static PhStatus
mark_used(Making *making)
{
	const PhTraceTree *tree = making->read->tree;

	PH_TRY(PH_NEW(making->arena, making->source->model.n_regions, &making->is_used));
	for (uint32_t node = 0; node < ph_trace_tree_n_nodes(tree); node++)
		making->is_used[ph_trace_tree_region(tree, node)] = true;
	return PH_OK;
}

static PhStatus
add_regions(Making *making)
{
	const PhTraceModel *model = &making->source->model;
	uint32_t *regions;

	PH_TRY(PH_NEW(making->arena, model->n_regions, &regions));
	PH_TRY(PH_NEW(making->arena, model->n_regions, &making->region_ids));
	for (uint32_t i = 0; i < model->n_regions; i++)
	{
		PhRegionSpec spec = ph_trace_region_spec(making->regions, model, i);

		regions[i] = PH_NONE;
		if (!making->is_used[i])
			continue;
		if (making->options->module_map != NULL)
			spec.module = ph_module_map_apply(making->options->module_map, spec.name, spec.file,
											  spec.library);
		PH_TRY(ph_builder_add_region(making->builder, &spec, &regions[i]));
		making->region_ids[i] = making->regions->ids[i];
	}
	making->places.regions = regions;
	making->places.n_regions = model->n_regions;
	return PH_OK;
}

static PhStatus
add_columns(Making *making)
{
	const PhTraceModel *model = &making->source->model;
	uint32_t n = model->n_locations;
	uint32_t *columns;

	PH_TRY(PH_NEW(making->arena, n, &columns));
	for (uint32_t i = 0; i < n; i++)
		columns[i] = PH_NONE;
	while (n > 0 && !ph_trace_tree_has_calls(making->read->tree, n - 1))
		n--;
	for (uint32_t i = 0; i < n; i++)
	{
		const PhTraceLocation *location = &model->locations[i];
		PhColumnSpec spec = {
			.kind = location->kind,
			.iteration = PH_NO_ITERATION,
			.rank = location->rank,
			.thread = location->thread,
			.host = location->host,
			.name = location->rank == PH_NO_NUMBER || location->kind != PH_COLUMN_UNIT
						? location->name
						: NULL,
		};

		PH_TRY(ph_builder_add_column(making->builder, &spec, &columns[i]));
	}
	making->places.columns = columns;
	making->places.n_locations = model->n_locations;
	making->places.n_costs = making->read->n_costs;
	making->places.costs = making->read->costs;
	return PH_OK;
}

/* ---- how far to trust it ---- */

static PhStatus note(Making *making, PhRunInput *run, const char *format, ...) PH_PRINTF(3, 4);

/* Into the profile's provenance, and a warning to who loads it. */
static PhStatus
note(Making *making, PhRunInput *run, const char *format, ...)
{
	char text[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	PH_TRY(ph_builder_add_note(making->builder, text));
	return ph_run_warn(making->env, run, "%s.", text);
}

static PhStatus
add_notes(Making *making, PhRunInput *run)
{
	const PhMatchCounts *matches = &making->read->matches;
	const PhTraceCounts *counts = &making->read->counts;
	const PhLaunchCounts *launched = &making->source->launched;

	if (matches->reversed > 0)
		PH_TRY(note(making, run,
					"%" PRIu64 " of %" PRIu64 " messages are received before they are sent, by "
					"up to %.1f us",
					matches->reversed, matches->messages, (double) matches->worst_reversal * 1e-3));
	if (matches->unmatched_sends > 0)
		PH_TRY(note(making, run, "%" PRIu64 " sends have no receive", matches->unmatched_sends));
	if (matches->unmatched_receives > 0)
		PH_TRY(note(making, run, "%" PRIu64 " receives have no send", matches->unmatched_receives));
	/* of programs that lack one side only, one side is left over */
	if (making->source->links == NULL && matches->unmatched_sends > 0 &&
		matches->unmatched_receives > 0)
		PH_TRY(ph_run_missing(making->env, run,
							  "%" PRIu64 " sends have no receive and %" PRIu64
							  " receives no send: files of locations are missing parts, or swapped",
							  matches->unmatched_sends, matches->unmatched_receives));
	if (launched->unmatched > 0)
		PH_TRY(note(
			making, run, "%" PRIu64 " of %" PRIu64 " activities of devices %s no launching call",
			launched->unmatched, launched->activities, launched->unmatched == 1 ? "has" : "have"));
	if (launched->reversed > 0)
		PH_TRY(note(making, run,
					"%" PRIu64 " of %" PRIu64 " activities of devices begin%s before %s launch",
					launched->reversed, launched->activities, launched->reversed == 1 ? "s" : "",
					launched->reversed == 1 ? "its" : "their"));
	if (making->read->open_calls > 0)
		PH_TRY(note(making, run, "the trace was cut off: %" PRIu64 " calls do not end",
					making->read->open_calls));
	if (counts->unknown_records > 0)
		PH_TRY(
			note(making, run, "%" PRIu64 " records are of unknown kinds", counts->unknown_records));
	if (counts->foreign_metrics > 0)
		PH_TRY(note(making, run, "%" PRIu64 " metric records do not fit their definition",
					counts->foreign_metrics));
	return PH_OK;
}

/* The profile measured beside the trace: its metrics are called after the tool. */
static PhStatus
attach(Making *making, PhRunInput *run)
{
	PhAttachCounts counts;
	PhProfile *joined;

	if (run->beside == NULL)
		return PH_OK;
	PH_TRY(ph_trace_attach(making->env, run->profile, run->beside, PH_BESIDE_PREFIX,
						   making->read->n_costs, &joined, &counts));
	ph_profile_free(making->env, run->profile);
	run->profile = joined;
	ph_profile_free(making->env, run->beside);
	run->beside = NULL;
	if (counts.lost_columns == 0)
		return PH_OK;
	return ph_run_warn(
		making->env, run,
		"The profile beside the trace has %u execution units that the trace does not "
		"have; they are left out.",
		counts.lost_columns);
}

static PhStatus
make(Making *making, PhRunInput *run)
{
	PH_TRY(mark_used(making));
	PH_TRY(add_regions(making));
	PH_TRY(add_columns(making));
	PH_TRY(add_notes(making, run));
	PH_TRY(ph_trace_tree_to_builder(making->read->tree, &making->places, making->builder));
	PH_TRY(ph_builder_finish(making->builder, &run->profile));
	PH_TRY(attach(making, run));
	return ph_paths_raw_regions(&making->regions->paths, making->env, run);
}

PhStatus
ph_trace_profile_make(const PhTraceRead *read, const PhTraceSource *source, PhTraceRegions *regions,
					  const PhReadOptions *options, PhArena *arena, PhRunInput *run,
					  uint64_t **region_ids)
{
	Making making = {.env = read->env,
					 .arena = arena,
					 .read = read,
					 .source = source,
					 .options = options,
					 .regions = regions};
	PhStatus status;

	if (ph_trace_tree_n_nodes(read->tree) == 0)
		return ph_fail(read->env, PH_ERR_VALUE,
					   "the trace has no calls: no location enters a region");
	PH_TRY(ph_builder_new(read->env, &making.builder));
	status = make(&making, run);
	ph_builder_free(making.builder);
	*region_ids = making.region_ids;
	return status;
}
