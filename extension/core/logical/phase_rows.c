/*
 * phase_rows.c - when phases were, their functions, reasons and patterns, as rows of texts.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/phase_rows.h"

#include <inttypes.h>
#include <string.h>

#include "base/min_max.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/table.h"
#include "logical/identity.h"
#include "logical/pattern.h"

struct PhPhaseLister
{
	PhEnv *env;
	const PhLogicalMetrics *metrics;
	const PhTraceModel *trace;
	PhArena arena;	/* what follows */
	PhArena texts;	/* of one phase */
	uint32_t *seen; /* by region: the last phase that had it, + 1 */
	uint32_t *regions;
	PhPhaseSpan *spans; /* by phase */
	uint8_t *patterns;
	uint64_t *identities;
	PhStrings names;				/* lists of functions; 0 is none */
	uint32_t last_n, *last_regions; /* of the phase before, in the order in which they were met */
	uint32_t last_names;
};

/* ---------------------------------------------------------------------------------------- texts */

static int
compare_names(const void *context, uint32_t x, uint32_t y)
{
	const PhPhaseLister *lister = context;
	const PhTraceRegion *regions = lister->trace->regions;
	return strcmp(regions[lister->regions[x]].name, regions[lister->regions[y]].name);
}

/* The names of the phase's functions, each once, in order. */
static PhStatus
list_regions(PhPhaseLister *lister, uint32_t n, const char **out)
{
	PhStr list;
	uint32_t *order;
	const char *before = NULL;
	char *text;
	ph_str_init(&list, &lister->texts);
	PH_TRY(ph_sort_indices(&lister->texts, n, compare_names, lister, &order));
	for (uint32_t i = 0; i < n; i++)
	{
		const char *name = lister->trace->regions[lister->regions[order[i]]].name;
		if (before != NULL && strcmp(name, before) == 0)
			continue;
		if (before != NULL)
			PH_TRY(ph_str_append(&list, ", "));
		PH_TRY(ph_str_append(&list, name));
		before = name;
	}
	PH_TRY(ph_str_take(&list, &text));
	*out = text;
	return PH_OK;
}

PhStatus
ph_phase_reasons_text(PhArena *arena, uint32_t reasons, const char **out)
{
	PhStr list;
	char *text;
	ph_str_init(&list, arena);
	PH_TRY(ph_str_append(&list, "{"));
	for (uint32_t r = 1; r < PH_MERGE_REASONS; r++)
		if ((reasons >> (r - 1) & 1) != 0)
			PH_TRY(ph_str_printf(&list, "%s\"%s\"", list.length > 1 ? "," : "",
								 ph_merge_reason_name(r)));
	PH_TRY(ph_str_append(&list, "}"));
	PH_TRY(ph_str_take(&list, &text));
	*out = text;
	return PH_OK;
}

static PhStatus
list_followers(PhPhaseLister *lister, uint32_t phase, const char **out)
{
	const PhLogical *logical = lister->metrics->logical;
	PhStr list;
	char *text;
	ph_str_init(&list, &lister->texts);
	PH_TRY(ph_str_append(&list, "{"));
	for (uint32_t i = logical->first_edge[phase]; i < logical->first_edge[phase + 1]; i++)
		PH_TRY(ph_str_printf(&list, "%s%u", list.length > 1 ? "," : "", logical->edge_target[i]));
	PH_TRY(ph_str_append(&list, "}"));
	PH_TRY(ph_str_take(&list, &text));
	*out = text;
	return PH_OK;
}

const char *
ph_phase_pattern_text(uint32_t pattern)
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

/* ---------------------------------------------------------------------------------------- phases
 */

/* Notes a region of the phase that was not met in it before. */
static void
meet_region(PhPhaseLister *lister, uint32_t phase, uint32_t region, uint32_t *n)
{
	if (region >= lister->trace->n_regions || lister->seen[region] == phase + 1)
		return;
	lister->seen[region] = phase + 1;
	lister->regions[(*n)++] = region;
}

/* The functions of a phase, in the order in which they are met; how many. */
static uint32_t
scan_phase(PhPhaseLister *lister, uint32_t phase)
{
	const PhLogical *logical = lister->metrics->logical;
	const PhLogicalModel *model = logical->model;
	uint32_t n = 0, region = PH_NONE;
	for (uint32_t m = logical->first_member[phase]; m < logical->first_member[phase + 1]; m++)
		for (uint32_t e = logical->member_first[m]; e <= logical->member_last[m]; e++)
			if (model->region[e] != region)
				meet_region(lister, phase, region = model->region[e], &n);
	return n;
}

static PhStatus
set_up(PhPhaseLister *lister, bool compat)
{
	const PhLogical *logical = lister->metrics->logical;
	PH_TRY(PH_NEW(&lister->arena, lister->trace->n_regions, &lister->seen));
	PH_TRY(PH_NEW(&lister->arena, lister->trace->n_regions, &lister->regions));
	PH_TRY(PH_NEW(&lister->arena, lister->trace->n_regions, &lister->last_regions));
	PH_TRY(ph_strings_init(&lister->names, &lister->arena));
	PH_TRY(PH_NEW(&lister->arena, logical->n_phases, &lister->spans));
	PH_TRY(PH_NEW(&lister->arena, logical->n_phases, &lister->patterns));
	PH_TRY(PH_NEW(&lister->arena, logical->n_phases, &lister->identities));
	PH_TRY(ph_logical_patterns(lister->env, logical, compat, lister->patterns));
	PH_TRY(ph_phase_identities(lister->env, logical, lister->patterns, lister->identities));
	return ph_logical_phase_spans(lister->env, lister->metrics, lister->spans);
}

PhStatus
ph_phase_lister_new(PhEnv *env, const PhLogicalMetrics *metrics, const PhTraceModel *trace,
					bool compat, PhPhaseLister **out)
{
	void *memory;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhPhaseLister), &memory));
	PhPhaseLister *lister = memory;
	lister->env = env;
	lister->metrics = metrics;
	lister->trace = trace;
	ph_arena_init(&lister->arena, env);
	ph_arena_init(&lister->texts, env);
	PhStatus status = set_up(lister, compat);
	if (status != PH_OK)
		ph_phase_lister_free(lister);
	else
		*out = lister;
	return status;
}

void
ph_phase_lister_free(PhPhaseLister *lister)
{
	if (lister == NULL)
		return;
	PhEnv *env = lister->env;
	ph_arena_drop(&lister->arena);
	ph_arena_drop(&lister->texts);
	ph_env_free(env, lister, 1, sizeof(PhPhaseLister));
}

PhStatus
ph_phase_lister_row(PhPhaseLister *lister, uint32_t phase, PhPhaseRow *out)
{
	const PhLogical *logical = lister->metrics->logical;
	const PhPhaseSpan *span = &lister->spans[phase];
	uint32_t n_regions = scan_phase(lister, phase);
	ph_arena_drop(&lister->texts);
	out->t_first = span->first_enter;
	out->t_last = span->last_exit;
	out->max_lateness = span->max_lateness;
	out->n_locations = logical->first_member[phase + 1] - logical->first_member[phase];
	out->pattern = ph_phase_pattern_text(lister->patterns[phase]);
	out->identity = lister->identities[phase];
	out->reason = ph_merge_reason_name(logical->reason[phase]);
	PH_TRY(ph_phase_reasons_text(&lister->texts, logical->reasons[phase], &out->reasons));
	PH_TRY(list_followers(lister, phase, &out->followed_by));
	return list_regions(lister, n_regions, &out->regions);
}

/* Most phases have the functions of the one before, met in the same order. */
static PhStatus
find_names(PhPhaseLister *lister, uint32_t n_regions, uint32_t *out)
{
	const char *text;
	size_t size = n_regions * sizeof(*lister->regions);
	if (n_regions != lister->last_n || memcmp(lister->regions, lister->last_regions, size) != 0)
	{
		ph_arena_drop(&lister->texts);
		lister->last_n = n_regions;
		memcpy(lister->last_regions, lister->regions, size);
		PH_TRY(list_regions(lister, n_regions, &text));
		PH_TRY(ph_strings_intern(&lister->names, text, &lister->last_names));
	}
	*out = lister->last_names;
	return PH_OK;
}

PhStatus
ph_phase_lister_numbers(PhPhaseLister *lister, uint32_t phase, PhPhaseNumbers *out)
{
	const PhLogical *logical = lister->metrics->logical;
	const PhPhaseSpan *span = &lister->spans[phase];
	uint32_t n_regions = scan_phase(lister, phase);
	out->t_first = span->first_enter;
	out->t_last = span->last_exit;
	out->max_lateness = span->max_lateness;
	out->n_locations = logical->first_member[phase + 1] - logical->first_member[phase];
	out->pattern = lister->patterns[phase];
	out->identity = lister->identities[phase];
	return find_names(lister, n_regions, &out->names);
}

const char *
ph_phase_lister_names(const PhPhaseLister *lister, uint32_t names)
{
	return lister->names.text[names];
}

PhStatus
ph_logical_notes_text(PhArena *arena, const PhLogical *logical, char **out)
{
	const PhLogicalNotes *notes = &logical->model->notes;
	const struct
	{
		const char *name;
		uint64_t count;
	} counts[] = {{"unmatched_sends", notes->unmatched_sends},
				  {"unmatched_receives", notes->unmatched_receives},
				  {"unpaired_collectives", notes->unpaired_collectives},
				  {"calls_without_region", notes->calls_without_region},
				  {"inferred_collectives", notes->inferred_collectives},
				  {"unknown_collectives", notes->unknown_collectives},
				  {"split_collectives", logical->split_collectives},
				  {"cut_messages", logical->cut_messages}};
	PhStr text;
	ph_str_init(&text, arena);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		PH_TRY(ph_str_printf(&text, "%s\"%s\": %" PRIu64, i == 0 ? "{" : ", ", counts[i].name,
							 counts[i].count));
	PH_TRY(ph_str_append(&text, "}"));
	return ph_str_take(&text, out);
}
