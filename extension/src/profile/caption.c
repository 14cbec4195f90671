/*
 * caption.c - the line under pictures and tables that says how far to trust them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "profile/caption.h"
#include "profile/names.h"

#define SEPARATOR " · "
#define SOURCES_MAX 3

char *
ph_percent(double part)
{
	return psprintf("%.3g %%", part * 100);
}

char *
ph_amount(const PhProfile *profile, uint32 metric, double value)
{
	const char *unit = ph_profile_string(profile, profile->metrics[metric].unit);
	return psprintf("%.9g%s%s", value, unit[0] != '\0' ? " " : "", unit);
}

static int
compare_int64(const void *a, const void *b)
{
	int64 x = *(const int64 *) a;
	int64 y = *(const int64 *) b;
	return (x > y) - (x < y);
}

/* Number of distinct values, leaving out `unknown`; sorts the array. */
static uint32
count_distinct(int64 *values, uint32 n, int64 unknown)
{
	uint32 count = 0;
	qsort(values, n, sizeof(int64), compare_int64);
	for (uint32 i = 0; i < n; i++)
		if (values[i] != unknown && (i == 0 || values[i] != values[i - 1]))
			count++;
	return count;
}

static const char *
plural(uint32 count)
{
	return count == 1 ? "" : "s";
}

char *
ph_units_in_words(uint8 kind, uint32 n_units, uint32 n_ranks)
{
	const char *name = kind == PH_COLUMN_RUN	 ? "run"
					   : kind == PH_COLUMN_GROUP ? "group"
					   : kind == PH_COLUMN_PE	 ? "PE"
					   : kind == PH_COLUMN_CHARE ? "chare"
												 : "column";
	if (kind != PH_COLUMN_UNIT || n_ranks == 0)
		return psprintf("%u %s%s", n_units, name, plural(n_units));
	if (n_units > n_ranks)
		return psprintf("%u threads of %u rank%s", n_units, n_ranks, plural(n_ranks));
	return psprintf("%u rank%s", n_ranks, plural(n_ranks));
}

static char *
units_in_words(const PhProfile *profile)
{
	uint32 n = profile->n_columns;
	int64 *ranks = palloc_extended(sizeof(int64) * n, MCXT_ALLOC_HUGE);
	int64 *units = palloc_extended(sizeof(int64) * n, MCXT_ALLOC_HUGE);
	int64 *iterations = palloc_extended(sizeof(int64) * n, MCXT_ALLOC_HUGE);
	for (uint32 c = 0; c < n; c++)
	{
		const PhColumn *column = &profile->columns[c];
		ranks[c] = column->rank;
		units[c] = (int64) column->rank * ((int64) 1 << 32) + column->thread;
		iterations[c] = column->iteration;
	}
	uint32 n_ranks = count_distinct(ranks, n, PH_NO_NUMBER);
	uint32 n_units = count_distinct(units, n, PG_INT64_MIN);
	uint32 n_iterations = count_distinct(iterations, n, PH_NO_ITERATION);
	char *words = ph_units_in_words(PH_COLUMN_UNIT, n_ranks == 0 ? n : n_units, n_ranks);
	if (n_ranks == 0 || n_iterations == 0)
		return words;
	return psprintf("%s, %u iteration%s", words, n_iterations, plural(n_iterations));
}

char *
ph_columns_in_words(const PhProfile *profile)
{
	uint32 n = profile->n_columns;
	if (n == 0)
		return pstrdup("no columns");
	uint8 kind = profile->columns[0].kind;
	for (uint32 c = 1; c < n; c++)
		if (profile->columns[c].kind != kind)
			return psprintf("%u columns", n);
	switch (kind)
	{
		case PH_COLUMN_UNIT:
			return units_in_words(profile);
		case PH_COLUMN_MEAN:
			return n == 1 ? pstrdup(ph_profile_string(profile, profile->columns[0].name))
						  : psprintf("%u means of runs", n);
		default:
			return ph_units_in_words(kind, n, 0);
	}
}

static void
add_sources(StringInfo line, const PhProfile *profile)
{
	const PhProvenance *provenance = &profile->provenance;
	uint32 shown = Min(provenance->n_sources, SOURCES_MAX);
	for (uint32 i = 0; i < shown; i++)
		appendStringInfo(line, "%s%s", i > 0 ? ", " : "",
						 ph_source_label(profile, &provenance->sources[i]));
	if (provenance->n_sources > shown)
		appendStringInfo(line, " and %u more", provenance->n_sources - shown);
	if (provenance->n_sources == 0)
		appendStringInfoString(line, "no source");
}

static void
add_metric(StringInfo line, const PhProfile *profile)
{
	if (profile->n_metrics == 0)
		return;
	const char *unit = ph_profile_string(profile, profile->metrics[0].unit);
	appendStringInfo(line, SEPARATOR "%s", ph_profile_string(profile, profile->metrics[0].name));
	if (unit[0] != '\0')
		appendStringInfo(line, " [%s]", unit);
}

/* The core notes a filter as "filter: share 0.001 of …"; people read per cent. */
static void
add_note(StringInfo line, const char *note)
{
	static const char filter[] = "filter: share ";
	if (strcmp(note, PH_NOTE_UNPROVEN) == 0 ||
		strncmp(note, PH_NOTE_SOURCE_UNIT, strlen(PH_NOTE_SOURCE_UNIT)) == 0)
		return; /* of most formats, and of many metrics: provenance() tells */
	if (strncmp(note, filter, strlen(filter)) == 0)
		appendStringInfo(line, SEPARATOR "filter %s",
						 ph_percent(strtod(note + strlen(filter), NULL)));
	else
		appendStringInfo(line, SEPARATOR "%s", note);
}

/* How much of the total no call path explains. */
static void
add_residual(StringInfo line, const PhProfile *profile)
{
	uint64 cells = profile->provenance.residual_cells;
	bool adds_up = profile->n_metrics > 0 && profile->metrics[0].kind == PH_METRIC_FLOW;
	double residual = adds_up ? ph_profile_residual(profile, 0) : 0;
	if (residual == 0)
	{
		if (cells > 0)
			appendStringInfo(line, SEPARATOR UINT64_FORMAT " residual cell%s", cells,
							 cells == 1 ? "" : "s");
		return;
	}
	double total = ph_profile_total(profile, 0);
	appendStringInfo(line, SEPARATOR "residual %s",
					 ph_amount(profile, 0, strtod(psprintf("%.3g", residual), NULL)));
	if (total != 0)
		appendStringInfo(line, " (%s)", ph_percent(residual / total));
	if (cells > 0)
		appendStringInfo(line, " in " UINT64_FORMAT " cell%s", cells, cells == 1 ? "" : "s");
}

void
ph_caption(StringInfo line, const PhProfile *profile)
{
	const PhProvenance *provenance = &profile->provenance;
	add_sources(line, profile);
	appendStringInfo(line, SEPARATOR "%s", ph_columns_in_words(profile));
	add_metric(line, profile);
	for (uint32 i = 0; i < provenance->n_notes; i++)
		add_note(line, ph_profile_string(profile, provenance->notes[i]));
	if (provenance->share_filtered > 0)
		appendStringInfo(line, " (absorbed %s)", ph_percent(provenance->share_filtered));
	add_residual(line, profile);
	if (provenance->missing_columns > 0)
		appendStringInfo(line, SEPARATOR "%u rank%s missing", provenance->missing_columns,
						 plural(provenance->missing_columns));
}
