/*
 * entries.c - the entry functions of a supernode, and who calls them (3.2).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/sort.h"
#include "base/table.h"
#include "supergraph/internal.h"

/* What tells rows apart; strings by their index in the profile. */
typedef struct EntryKey
{
	uint32_t function;
	uint32_t caller; /* PH_NONE: root, or not asked for */
	uint32_t caller_node;
} EntryKey;

static EntryKey
key_of(const PhSupergraph *graph, const PhSegment *segment, bool by_caller)
{
	const PhProfile *profile = graph->profile;
	EntryKey key = {ph_profile_region(profile, segment->entry)->name, PH_NONE, PH_NONE};
	if (!by_caller || segment->parent == PH_NONE)
		return key;
	key.caller = ph_profile_region(profile, profile->parent[segment->entry])->name;
	key.caller_node = graph->segments[segment->parent].supernode;
	return key;
}

static PhStatus
add_row(PhArena *arena, const PhSupergraph *graph, uint32_t node, const EntryKey *key,
		PhEntryRow **rows, uint32_t *n_rows, uint32_t *capacity)
{
	const PhProfile *profile = graph->profile;
	PH_TRY(PH_GROW(arena, rows, *n_rows, capacity));
	PhEntryRow *row = &(*rows)[(*n_rows)++];
	row->node = node;
	row->function = ph_profile_string(profile, key->function);
	row->caller = key->caller == PH_NONE ? NULL : ph_profile_string(profile, key->caller);
	row->caller_node = key->caller_node;
	row->instances = 0;
	row->inclusive = 0;
	return PH_OK;
}

/* Heaviest first, undefined ratios last. */
static int
compare_costs(double a, double b)
{
	if (isnan(a) || isnan(b))
		return (isnan(a) ? 1 : 0) - (isnan(b) ? 1 : 0);
	return a > b ? -1 : a < b;
}

/* By cost, then function, caller, caller's supernode. */
static int
compare_rows(const void *context, uint32_t x, uint32_t y)
{
	const PhEntryRow *a = (const PhEntryRow *) context + x;
	const PhEntryRow *b = (const PhEntryRow *) context + y;
	int order = compare_costs(a->inclusive, b->inclusive);
	if (order == 0)
		order = strcmp(a->function, b->function);
	if (order == 0 && a->caller != NULL && b->caller != NULL)
		order = strcmp(a->caller, b->caller);
	if (order != 0)
		return order;
	return a->caller_node < b->caller_node ? -1 : a->caller_node > b->caller_node;
}

static PhStatus
sort_rows(PhArena *arena, PhEntryRow *rows, uint32_t n, PhEntryRow **out)
{
	uint32_t *order;
	PhEntryRow *sorted;
	PH_TRY(ph_sort_indices(arena, n, compare_rows, rows, &order));
	PH_TRY(PH_NEW(arena, n, &sorted));
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = rows[order[i]];
	*out = sorted;
	return PH_OK;
}

static PhStatus
collect_rows(PhArena *arena, const PhSupergraph *graph, uint32_t node, uint32_t metric,
			 bool by_caller, PhEntryRow **rows, uint32_t *n_rows)
{
	PhRecords keys;
	PhEntryRow *found = NULL;
	uint32_t n = 0;
	uint32_t capacity = 0;
	ph_records_init(&keys, arena, sizeof(EntryKey));
	for (uint32_t at = graph->member_start[node]; at < graph->member_start[node + 1]; at++)
	{
		uint32_t member = graph->members[at];
		const PhSegment *segment = &graph->segments[graph->segment_of[member]];
		uint32_t row;
		PH_TRY(ph_env_poll(arena->env));
		if (segment->entry != member)
			continue;
		EntryKey key = key_of(graph, segment, by_caller);
		PH_TRY(ph_records_intern(&keys, &key, &row));
		if (row == n)
			PH_TRY(add_row(arena, graph, node, &key, &found, &n, &capacity));
		found[row].instances++;
		found[row].inclusive += ph_profile_mean(graph->profile, metric, member, PH_COST_INCLUSIVE);
	}
	*rows = found;
	*n_rows = n;
	return PH_OK;
}

static PhStatus
divide_rows(PhArena *arena, const PhSupergraph *graph, uint32_t node, uint32_t metric,
			bool by_caller, PhEntryRow *rows, uint32_t n_rows)
{
	PhEntryRow *below;
	uint32_t n_below;
	PH_TRY(collect_rows(arena, graph, node, metric, by_caller, &below, &n_below));
	for (uint32_t i = 0; i < n_rows; i++)
		rows[i].inclusive = ph_ratio(rows[i].inclusive, below[i].inclusive);
	return PH_OK;
}

PhStatus
ph_supergraph_entries(PhArena *arena, const PhSupergraph *graph, uint32_t node, uint32_t metric,
					  bool by_caller, PhEntryRow **rows, uint32_t *n_rows)
{
	const PhMetric *definition = &graph->profile->metrics[metric];
	bool is_ratio = definition->kind == PH_METRIC_RATIO;
	uint32_t above = is_ratio ? definition->numerator : metric;
	PhEntryRow *found;
	uint32_t n;
	PH_TRY(collect_rows(arena, graph, node, above, by_caller, &found, &n));
	if (is_ratio)
		PH_TRY(divide_rows(arena, graph, node, definition->denominator, by_caller, found, n));
	PH_TRY(sort_rows(arena, found, n, rows));
	*n_rows = n;
	return PH_OK;
}
