/*
 * tree_profile.c - see tree_profile.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "server/compat.h"
#include "server/query_rows.h"
#include "trace/tree_profile.h"

/* Labels are unpacked once, however the planner joins them. */
static const char regions_sql[] =
	"WITH rr AS MATERIALIZED (SELECT region_id, module, line, paradigm FROM perfhouse.run_region"
	" WHERE run_id = $1)"
	" SELECT g.local_id, coalesce(r.kind, 0)::int4, g.name, r.library, r.file, rr.module,"
	" coalesce(rr.line, r.line), coalesce(rr.paradigm, nullif(g.paradigm, ''))"
	" FROM perfhouse.trace_region g LEFT JOIN perfhouse.region r USING (region_id)"
	" LEFT JOIN rr ON rr.region_id = g.region_id"
	" WHERE g.run_id = $1";

static const char label_sql[] = "SELECT coalesce(nullif(application, ''), title)"
								" FROM perfhouse.run WHERE run_id = $1";

static void
receive_region(void *user, TupleTableSlot *slot)
{
	PhTreeProfile *out = user;
	MemoryContext row = CurrentMemoryContext;
	uint32 region = (uint32) ph_slot_int(slot, 0, 0);
	PhRegionSpec spec = {.kind = (PhRegionKind) ph_slot_int(slot, 1, PH_KIND_FUNCTION),
						 .name = ph_slot_text(slot, 2, row),
						 .library = ph_slot_text(slot, 3, row),
						 .file = ph_slot_text(slot, 4, row),
						 .module = ph_slot_text(slot, 5, row),
						 .line = ph_slot_int(slot, 6, PH_NO_NUMBER),
						 .paradigm = ph_slot_text(slot, 7, row)};
	if (region >= out->trace->model.n_regions)
		ph_trace_refuse(out->trace, "it has too many regions");
	PH_CHECK(out->env, ph_builder_add_region(out->builder, &spec, &out->regions[region]));
}

static uint32 *
places(const PhTraceRun *trace, uint32 n)
{
	uint32 *result =
		MemoryContextAllocHuge(trace->scratch->context, sizeof(uint32) * Max((Size) n, 1));
	memset(result, 0xff, sizeof(uint32) * n);
	return result;
}

static void
add_columns(PhTreeProfile *out)
{
	const PhTraceModel *model = &out->trace->model;
	for (uint32 i = 0; i < model->n_locations; i++)
	{
		const PhTraceLocation *location = &model->locations[i];
		PhColumnSpec spec = {.kind = location->kind,
							 .run_id = out->trace->run_id,
							 .iteration = PH_NO_ITERATION,
							 .rank = location->rank,
							 .thread = location->thread,
							 .host = location->host,
							 .name = location->name};
		if (i < out->trace->n_columns || ph_trace_tree_has_calls(out->tree, i))
			PH_CHECK(out->env, ph_builder_add_column(out->builder, &spec, &out->columns[i]));
	}
}

static void
receive_label(void *user, TupleTableSlot *slot)
{
	PhTreeProfile *out = user;
	PH_CHECK(out->env, ph_builder_add_source(out->builder, out->trace->run_id,
											 ph_slot_text(slot, 0, CurrentMemoryContext)));
}

static void
add_provenance(PhTreeProfile *out, ParamListInfo run)
{
	char note[128];
	bool is_open = out->window.from == PG_INT64_MIN && out->window.to == PG_INT64_MAX;
	ph_query_rows(label_sql, run, receive_label, out);
	if (is_open)
		return;
	snprintf(note, sizeof(note), "window: " INT64_FORMAT " to " INT64_FORMAT " ns of the trace",
			 Max(out->window.from, 0), Min(out->window.to, out->trace->duration));
	PH_CHECK(out->env, ph_builder_add_note(out->builder, note));
}

static void
require_calls(const PhTreeProfile *out)
{
	if (ph_trace_tree_n_nodes(out->tree) == 0)
		ereport(ERROR, (errcode(PH_ERRCODE_NOT_FOUND),
						errmsg("run " INT64_FORMAT " has no calls in this window of its trace",
							   out->trace->run_id),
						errhint("The trace lasts " INT64_FORMAT " ns.", out->trace->duration)));
}

/* After the regions were read: do calls know theirs? */
static void
check_regions(const PhTreeProfile *out)
{
	uint32 n = ph_trace_tree_n_nodes(out->tree);
	for (uint32 i = 0; i < n; i++)
	{
		uint32 region = ph_trace_tree_region(out->tree, i);
		if (region >= out->trace->model.n_regions || out->regions[region] == PH_NONE)
			ph_trace_refuse(out->trace, "a call is of a region that does not exist");
	}
}

void
ph_tree_profile_finish(PhTreeProfile *out, PhValue *value)
{
	const PhTraceModel *model = &out->trace->model;
	ParamListInfo run = ph_query_parameters(out->trace->run_id, InvalidOid, (Datum) 0);
	require_calls(out);
	PH_CHECK(out->env, ph_builder_new(out->env, &out->builder));
	out->regions = places(out->trace, model->n_regions);
	out->columns = places(out->trace, model->n_locations);
	ph_query_rows(regions_sql, run, receive_region, out);
	check_regions(out);
	add_columns(out);
	add_provenance(out, run);
	PhTreePlaces where = {.n_regions = model->n_regions,
						  .regions = out->regions,
						  .n_locations = model->n_locations,
						  .columns = out->columns,
						  .n_costs = out->n_costs,
						  .costs = out->costs};
	PH_CHECK(out->env, ph_trace_tree_to_builder(out->tree, &where, out->builder));
	PH_CHECK(out->env, ph_builder_finish(out->builder, &value->profile));
	ph_builder_free(out->builder);
}
