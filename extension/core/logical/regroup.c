/*
 * regroup.c - parts of events become fewer and greater ones: their numbers, and why they merged.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/phases.h"

PhStatus
ph_merge_reasons(PhEnv *env, uint16_t *reasons, const uint32_t *map, uint32_t n_parts,
				 uint32_t n_new, PhMergeReason reason)
{
	PhArena temporary;
	uint16_t *merged;
	bool *used;
	ph_arena_init(&temporary, env);
	PhStatus status = PH_NEW(&temporary, n_new, &merged);
	if (status == PH_OK)
		status = PH_NEW(&temporary, n_new, &used);
	for (uint32_t p = 0; status == PH_OK && p < n_parts; p++)
	{
		merged[map[p]] |= reasons[p];
		if (used[map[p]] && reason != PH_MERGE_NONE)
			merged[map[p]] |= PH_REASON_BIT(reason);
		used[map[p]] = true;
	}
	for (uint32_t p = 0; status == PH_OK && p < n_new; p++)
		reasons[p] = merged[p];
	ph_arena_drop(&temporary);
	return status;
}

PhStatus
ph_phasing_regroup(PhPhasing *phasing, const uint32_t *map, uint32_t n_new, PhMergeReason reason)
{
	PH_TRY(ph_merge_reasons(phasing->env, phasing->reasons, map, phasing->n_parts, n_new, reason));
	for (uint32_t e = 0; e < phasing->model->n_events; e++)
		phasing->part[e] = map[phasing->part[e]];
	phasing->n_parts = n_new;
	return PH_OK;
}

uint32_t
ph_set_number(uint32_t *set, uint32_t n)
{
	uint32_t n_sets = 0;
	for (uint32_t p = 0; p < n; p++)
		set[p] = set[p] == p ? n_sets++ : set[set[p]];
	return n_sets;
}
