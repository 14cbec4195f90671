/*
 * logical_phase_rows.c - what is told of each phase of a computed structure.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "lib/qunique.h"
#include "lib/stringinfo.h"
#include "utils/memutils.h"

#include "logical_pattern.h"
#include "logical_phase_rows.h"

struct PhPhaseLister
{
	PhLogicalRun *run;
	uint32 *seen; /* by region: the last phase that had it, + 1 */
	uint32 *regions;
	PhLogicalSummary *lateness; /* by phase */
	uint8 *patterns;
	MemoryContext texts; /* of one phase */
};

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *) a, *(const char *const *) b);
}

/* The names of the phase's functions, each once, in order. */
static char *
list_regions(PhPhaseLister *lister, uint32 n)
{
	const PhTraceRun *trace = lister->run->trace;
	const char **names = palloc(sizeof(char *) * Max(n, 1));
	StringInfoData list;
	for (uint32 i = 0; i < n; i++)
		names[i] = ph_trace_region_name(trace, lister->regions[i]);
	qsort(names, n, sizeof(char *), compare_names);
	n = (uint32) qunique(names, n, sizeof(char *), compare_names);
	initStringInfo(&list);
	for (uint32 i = 0; i < n; i++)
		appendStringInfo(&list, "%s%s", i > 0 ? ", " : "", names[i]);
	return list.data;
}

/* Notes a region of the phase that was not met in it before. */
static void
meet_region(PhPhaseLister *lister, uint32 phase, uint32 region, uint32 *n)
{
	if (region == PH_NONE || region >= lister->run->trace->model.n_regions ||
		lister->seen[region] == phase + 1)
		return;
	lister->seen[region] = phase + 1;
	lister->regions[(*n)++] = region;
}

/* Looks at all events of a phase: when it was, and which functions it has. */
static uint32
scan_phase(PhPhaseLister *lister, uint32 phase, int64 *first, int64 *last)
{
	const PhLogical *logical = &lister->run->logical;
	const PhLogicalModel *model = &lister->run->model;
	uint32 n = 0;
	*first = PG_INT64_MAX;
	*last = PG_INT64_MIN;
	for (uint32 m = logical->first_member[phase]; m < logical->first_member[phase + 1]; m++)
		for (uint32 e = logical->member_first[m]; e <= logical->member_last[m]; e++)
		{
			*first = Min(*first, model->enter[e]);
			*last = Max(*last, model->exit[e]);
			meet_region(lister, phase, model->region[e], &n);
		}
	return n;
}

static char *
list_reasons(uint32 reasons)
{
	StringInfoData list;
	initStringInfo(&list);
	appendStringInfoChar(&list, '{');
	for (uint32 r = 1; r < PH_MERGE_REASONS; r++)
		if ((reasons >> (r - 1) & 1) != 0)
			appendStringInfo(&list, "%s\"%s\"", list.len > 1 ? "," : "", ph_merge_reason_name(r));
	appendStringInfoChar(&list, '}');
	return list.data;
}

/* "": no exchange */
static const char *
pattern_text(uint32 pattern)
{
	switch (pattern)
	{
		case PH_PATTERN_SRSR:
			return "SRSR";
		case PH_PATTERN_SSRR:
			return "SSRR";
		case PH_PATTERN_SSWA:
			return "SSWA";
		case PH_PATTERN_UNKNOWN:
			return "unknown";
		default:
			return "";
	}
}

PhPhaseLister *
ph_phase_lister(PhLogicalRun *run)
{
	MemoryContext context = run->trace->scratch->context;
	PhEnv *env = &run->trace->scratch->env;
	PhPhaseLister *lister = MemoryContextAllocZero(context, sizeof(PhPhaseLister));
	Size n_regions = Max(run->trace->model.n_regions, 1);
	size_t n_phases = Max(run->logical.n_phases, 1);
	void *lateness, *patterns;
	lister->run = run;
	lister->seen = MemoryContextAllocZero(context, sizeof(uint32) * n_regions);
	lister->regions = MemoryContextAlloc(context, sizeof(uint32) * n_regions);
	lister->texts = AllocSetContextCreate(context, "perfhouse phase", ALLOCSET_DEFAULT_SIZES);
	PH_CHECK(env, ph_env_alloc(env, n_phases, sizeof(PhLogicalSummary), &lateness));
	PH_CHECK(env, ph_env_alloc(env, n_phases, sizeof(uint8), &patterns));
	lister->lateness = lateness;
	lister->patterns = patterns;
	PH_CHECK(env, ph_logical_patterns(env, &run->logical, run->request.options.compat,
									  lister->patterns));
	PH_CHECK(env, ph_logical_summarise_phases(env, &run->metrics, PH_LATENESS, lister->lateness));
	return lister;
}

void
ph_phase_row(PhPhaseLister *lister, uint32 phase, PhPhaseRow *out)
{
	const PhLogical *logical = &lister->run->logical;
	uint32 n_regions = scan_phase(lister, phase, &out->t_first, &out->t_last);
	MemoryContextReset(lister->texts);
	MemoryContext old = MemoryContextSwitchTo(lister->texts);
	out->max_lateness = lister->lateness[phase].max;
	out->pattern = pattern_text(lister->patterns[phase]);
	out->reason = ph_merge_reason_name(logical->reason[phase]);
	out->reasons = list_reasons(logical->reasons[phase]);
	out->regions = list_regions(lister, n_regions);
	out->n_locations = logical->first_member[phase + 1] - logical->first_member[phase];
	MemoryContextSwitchTo(old);
}
