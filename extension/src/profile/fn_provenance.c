/*
 * fn_provenance.c - provenance rows and captions of profiles and super graphs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "profile/caption.h"
#include "profile/names.h"
#include "profile/value.h"
#include "server/compat.h"
#include "server/rowio.h"

static void
put_item(PhRows *rows, const char *item, const char *value)
{
	ph_rows_text(rows, "item", item);
	ph_rows_text(rows, "value", value);
	ph_rows_put(rows);
}

static void
put_metrics(PhRows *rows, const PhProfile *profile)
{
	for (uint32 m = 0; m < profile->n_metrics; m++)
	{
		const PhMetric *metric = &profile->metrics[m];
		const char *unit = ph_profile_string(profile, metric->unit);
		put_item(rows, "metric",
				 psprintf("%s%s%s%s (%s)", ph_profile_string(profile, metric->name),
						  unit[0] != '\0' ? " [" : "", unit, unit[0] != '\0' ? "]" : "",
						  ph_metric_kind_name(metric->kind)));
	}
}

/* What every output of the profile adds up to, and what of it no call path explains. */
static void
put_total(PhRows *rows, const PhProfile *profile)
{
	if (profile->n_metrics == 0 || profile->metrics[0].kind != PH_METRIC_FLOW)
		return;
	double total = ph_profile_total(profile, 0);
	double residual = ph_profile_residual(profile, 0);
	put_item(rows, "total", ph_amount(profile, 0, total));
	put_item(rows, "residual",
			 residual == 0 || total == 0 ? ph_amount(profile, 0, residual)
										 : psprintf("%s (%s)", ph_amount(profile, 0, residual),
													ph_percent(residual / total)));
}

static bool
has_note(const PhProvenance *provenance, const PhProfile *profile, const char *note)
{
	for (uint32 i = 0; i < provenance->n_notes; i++)
		if (strcmp(ph_profile_string(profile, provenance->notes[i]), note) == 0)
			return true;
	return false;
}

/* Of all sources: as little as the least of them proves. */
static const char *
completeness(const PhProfile *profile)
{
	const PhProvenance *provenance = &profile->provenance;
	if (has_note(provenance, profile, PH_NOTE_INCOMPLETE))
		return "incomplete";
	return provenance->n_sources == 0 || has_note(provenance, profile, PH_NOTE_UNPROVEN)
			   ? "unknown"
			   : "complete";
}

static void
put_notes(PhRows *rows, const PhProfile *profile)
{
	const PhProvenance *provenance = &profile->provenance;
	for (uint32 i = 0; i < provenance->n_notes; i++)
	{
		const char *note = ph_profile_string(profile, provenance->notes[i]);
		if (strncmp(note, PH_NOTE_SOURCE_UNIT, strlen(PH_NOTE_SOURCE_UNIT)) == 0)
			put_item(rows, "source unit", note + strlen(PH_NOTE_SOURCE_UNIT));
		else if (strcmp(note, PH_NOTE_INCOMPLETE) != 0 && strcmp(note, PH_NOTE_UNPROVEN) != 0)
			put_item(rows, "operation", note);
	}
}

static void
put_provenance(PhRows *rows, const PhProfile *profile)
{
	const PhProvenance *provenance = &profile->provenance;
	for (uint32 i = 0; i < provenance->n_sources; i++)
		put_item(rows, "source", ph_source_label(profile, &provenance->sources[i]));
	put_item(rows, "nodes", psprintf("%u", profile->n_nodes));
	put_item(rows, "columns", ph_columns_in_words(profile));
	put_metrics(rows, profile);
	put_notes(rows, profile);
	put_item(rows, "completeness", completeness(profile));
	put_item(rows, "absorbed by filters", ph_percent(provenance->share_filtered));
	put_total(rows, profile);
	put_item(rows, "residual cells", psprintf(UINT64_FORMAT, provenance->residual_cells));
	put_item(rows, "missing ranks", psprintf("%u", provenance->missing_columns));
}

PH_FUNCTION(ph_provenance)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	put_provenance(&rows, ph_arg_profile(fcinfo, 0));
	return (Datum) 0;
}

PH_FUNCTION(ph_caption_line)
{
	StringInfoData line;
	initStringInfo(&line);
	ph_caption(&line, ph_arg_profile(fcinfo, 0));
	PG_RETURN_TEXT_P(cstring_to_text_with_len(line.data, line.len));
}

static uint32
count_duplicates(const PhSupergraph *graph)
{
	uint32 count = 0;
	for (uint32 v = 0; v < graph->n_supernodes; v++)
		count += graph->supernodes[v].duplicate > 0;
	return count;
}

PH_FUNCTION(ph_supergraph_provenance)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	put_provenance(&rows, graph->profile);
	put_item(&rows, "grouped by", graph->group_by);
	put_item(&rows, "supernodes", psprintf("%u", graph->n_supernodes));
	put_item(&rows, "duplicates", psprintf("%u", count_duplicates(graph)));
	put_item(&rows, "edges", psprintf("%u", graph->n_edges));
	return (Datum) 0;
}

PH_FUNCTION(ph_supergraph_caption)
{
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	StringInfoData line;
	initStringInfo(&line);
	ph_caption(&line, graph->profile);
	appendStringInfo(&line, " · by %s", graph->group_by);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(line.data, line.len));
}
