/*
 * fn_parts.c - what a profile has beside its values, as rows of the warehouse's tables.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "profile/ops.h"
#include "profile/value.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "stored/units.h"

PH_FUNCTION(ph_settled)
{
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	PhValue *out = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PH_CHECK(&out->env, ph_profile_settle(&out->env, profile, &out->profile));
	PG_RETURN_PH_VALUE(out);
}

PH_FUNCTION(ph_profile_paths)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	for (uint32 n = 0; n < profile->n_nodes; n++)
	{
		uint32 parent = profile->parent[n];
		ph_rows_bigint(&rows, "callpath_id", (int64) profile->callpath_id[n]);
		ph_rows_bigint_unless(&rows, "parent_id",
							  parent == PH_NONE ? 0 : (int64) profile->callpath_id[parent], 0);
		ph_rows_bigint(&rows, "region_id", (int64) ph_profile_region(profile, n)->region_id);
		ph_rows_int(&rows, "depth", (int32) profile->depth[n]);
		ph_rows_put(&rows);
	}
	return (Datum) 0;
}

PH_FUNCTION(ph_profile_regions)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	for (uint32 r = 0; r < profile->n_regions; r++)
	{
		const PhRegion *region = &profile->regions[r];
		ph_rows_bigint(&rows, "region_id", (int64) region->region_id);
		ph_rows_int(&rows, "local_id", (int32) r);
		ph_rows_int(&rows, "kind", region->kind);
		ph_rows_text(&rows, "name", ph_profile_string(profile, region->name));
		ph_rows_name(&rows, "library", ph_profile_string(profile, region->library));
		ph_rows_name(&rows, "file", ph_profile_string(profile, region->file));
		ph_rows_known(&rows, "line", region->line);
		ph_rows_bool(&rows, "has_line", ph_kind_has_line(region->kind));
		ph_rows_name(&rows, "module", ph_profile_string(profile, region->module));
		ph_rows_name(&rows, "paradigm", ph_profile_string(profile, region->paradigm));
		ph_rows_put(&rows);
	}
	return (Datum) 0;
}

static bool
has_many_runs(const PhProfile *profile)
{
	for (uint32 c = 1; c < profile->n_columns; c++)
		if (profile->columns[c].run_id != profile->columns[0].run_id)
			return true;
	return false;
}

/* What a column is called must be written down where its run will be another one. */
static const char *
name_of_column(const PhProfile *profile, uint32 c, bool is_told_by_run)
{
	const PhColumn *column = &profile->columns[c];
	char label[256];
	if (column->name != 0 || (column->kind != PH_COLUMN_RUN && !is_told_by_run))
		return ph_profile_string(profile, column->name);
	ph_column_label(profile, c, label, sizeof(label));
	if (column->kind == PH_COLUMN_RUN)
		return pstrdup(label);
	return psprintf("run " INT64_FORMAT " %s", column->run_id, label);
}

PH_FUNCTION(ph_profile_locations)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	bool is_told_by_run = has_many_runs(profile);
	for (uint32 c = 0; c < profile->n_columns; c++)
	{
		const PhColumn *column = &profile->columns[c];
		ph_rows_int(&rows, "location_id", (int32) c);
		ph_rows_int(&rows, "kind", column->kind);
		ph_rows_known(&rows, "rank", column->rank);
		ph_rows_known(&rows, "thread", column->thread);
		ph_rows_name(&rows, "host", ph_profile_string(profile, column->host));
		ph_rows_name(&rows, "name", name_of_column(profile, c, is_told_by_run));
		ph_rows_bigint_unless(&rows, "iteration", column->iteration, PH_NO_ITERATION);
		ph_rows_put(&rows);
	}
	return (Datum) 0;
}

/* Numerator and denominator by their places, from 1. */
PH_FUNCTION(ph_profile_metrics)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	for (uint32 m = 0; m < profile->n_metrics; m++)
	{
		const PhMetric *metric = &profile->metrics[m];
		bool is_ratio = metric->kind == PH_METRIC_RATIO;
		ph_rows_int(&rows, "place", (int32) m + 1);
		ph_rows_text(&rows, "name", ph_profile_string(profile, metric->name));
		ph_rows_text(&rows, "unit", ph_profile_string(profile, metric->unit));
		ph_rows_int(&rows, "kind", metric->kind);
		ph_rows_int(&rows, "combine", metric->combine);
		ph_rows_bool(&rows, "is_signed", metric->is_signed != 0);
		ph_rows_index(&rows, "numerator", is_ratio ? metric->numerator + 1 : PH_NONE);
		ph_rows_index(&rows, "denominator", is_ratio ? metric->denominator + 1 : PH_NONE);
		ph_rows_put(&rows);
	}
	return (Datum) 0;
}

static Datum
sources_of(const PhProfile *profile)
{
	const PhProvenance *provenance = &profile->provenance;
	Datum *ids = palloc(sizeof(Datum) * Max(provenance->n_sources, 1));
	int n = 0;
	for (uint32 i = 0; i < provenance->n_sources; i++)
		if (provenance->sources[i].run_id != 0)
			ids[n++] = Int64GetDatum(provenance->sources[i].run_id);
	return PointerGetDatum(
		construct_array(ids, n, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* One row: what perfhouse.run says of a run's profile. */
PH_FUNCTION(ph_profile_facts)
{
	PhRows rows;
	PhUnits units;
	ph_rows_begin(&rows, fcinfo);
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	PhScratch *scratch = ph_scratch_begin();
	PH_CHECK(&scratch->env, ph_units_find(&scratch->arena, profile, &units));
	ph_rows_datum(&rows, "sources", sources_of(profile));
	ph_rows_int(&rows, "n_nodes", (int32) profile->n_nodes);
	ph_rows_int(&rows, "n_columns", (int32) profile->n_columns);
	ph_rows_int(&rows, "n_units", (int32) units.n_units);
	ph_rows_int(&rows, "n_ranks", (int32) units.n_ranks);
	ph_rows_int(&rows, "n_threads", (int32) units.n_threads);
	ph_rows_int(&rows, "n_hosts", (int32) units.n_hosts);
	ph_rows_number(&rows, "total", profile->n_metrics > 0 ? ph_run_total(profile, &units, 0) : NAN);
	ph_rows_bigint(&rows, "residual_cells", (int64) profile->provenance.residual_cells);
	ph_rows_int(&rows, "missing_columns", (int32) profile->provenance.missing_columns);
	ph_rows_put(&rows);
	ph_scratch_end(scratch);
	return (Datum) 0;
}
