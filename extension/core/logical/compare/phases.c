/*
 * phases.c - phases of two traces aligned: by class, by what is called, by shape.
 *
 * Keys, most exact first: the class with processes and numbers of events; the class with processes;
 * the class; what is called (least hashes of call paths, so that sets are compared and not
 * numbers); from where. Shapes align what is left between two aligned neighbours, and all phases of
 * runs that have no names in common: a program that another tool traced, a run of tasks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/hash.h"
#include "base/min_max.h"
#include "logical/compare/diff_internal.h"
#include "logical/identity.h"
#include "logical/pattern.h"

#define PH_LEAST_HASHES 4  /* of a min-hash: phases with mostly the same events mostly agree */
#define PH_PHASE_WINDOW 64 /* concurrent phases may be numbered in another order */

/* Which of the keys are what. */
enum
{
	KEY_EXACT,
	KEY_MEMBERS,
	KEY_CLASS,
	KEY_CALLS,
	KEY_CALLERS
};

/* ---- what phases are ---- */

/*
 * A hash of the set of keys of a phase's events, the same whatever their order and however often
 * each occurs: by PH_LEAST_HASHES hash functions, the least hash of all keys (minwise hashing).
 */
static uint64_t
hash_of_set(const PhDiffSide *side, const uint64_t *keys, uint32_t phase)
{
	const PhLogical *logical = side->logical;
	uint64_t least[PH_LEAST_HASHES], hash = 0;
	memset(least, 0xff, sizeof(least));
	for (uint32_t i = logical->first_member[phase]; i < logical->first_member[phase + 1]; i++)
		for (uint32_t e = logical->member_first[i]; e <= logical->member_last[i]; e++)
			for (uint64_t k = 0; k < PH_LEAST_HASHES; k++)
			{
				uint64_t value = ph_hash_add(keys[e], k);
				least[k] = PH_MIN(value, least[k]);
			}
	for (int k = 0; k < PH_LEAST_HASHES; k++)
		hash = ph_hash_add(hash, least[k]);
	return hash;
}

static uint64_t
hash_of_members(const PhDiffSide *side, uint32_t phase)
{
	const PhLogical *logical = side->logical;
	uint64_t hash = 0;
	for (uint32_t i = logical->first_member[phase]; i < logical->first_member[phase + 1]; i++)
		hash = ph_hash_add(hash, side->model->timeline[logical->member_first[i]]);
	return hash;
}

static PhStatus
find_identities(PhArena *arena, PhDiffSide *side)
{
	uint32_t n = side->logical->n_phases;
	uint8_t *patterns;
	PH_TRY(PH_NEW(arena, n, &patterns));
	PH_TRY(PH_NEW(arena, n, &side->identity));
	PH_TRY(ph_logical_patterns(side->env, side->logical, false, patterns));
	return ph_phase_identities(side->env, side->logical, patterns, side->identity);
}

static PhStatus
find_keys(PhArena *arena, PhDiffSide *side, bool same_ranks)
{
	const PhLogical *logical = side->logical;
	uint64_t **key = side->phase_key;
	for (int k = 0; k < PH_ALIGN_KEYS; k++)
		PH_TRY(PH_NEW(arena, logical->n_phases, &key[k]));
	for (uint32_t p = 0; p < logical->n_phases; p++)
	{
		uint64_t members = same_ranks ? hash_of_members(side, p) : 0;
		PH_TRY(ph_env_poll(side->env));
		key[KEY_CALLERS][p] = hash_of_set(side, side->caller_key, p);
		key[KEY_CALLS][p] = hash_of_set(side, side->event_key, p);
		key[KEY_CLASS][p] = side->identity[p];
		key[KEY_MEMBERS][p] = ph_hash_add(side->identity[p], members);
		key[KEY_EXACT][p] =
			ph_hash_add(key[KEY_MEMBERS][p], same_ranks ? logical->n_events_of[p] : 0);
	}
	return PH_OK;
}

PhStatus
ph_diff_know_phases(PhArena *arena, PhDiffSide *side, bool same_ranks, bool by_shape)
{
	uint32_t n = side->logical->n_phases;
	PH_TRY(find_identities(arena, side));
	PH_TRY(PH_NEW(arena, n, &side->shape));
	PH_TRY(ph_phase_shapes(side->env, side->logical, side->shape));
	PH_TRY(ph_shapes_of_classes(side->env, n, side->identity, side->shape));
	return by_shape ? PH_OK : find_keys(arena, side, same_ranks);
}

PhPhaseAlignment
ph_diff_alignment_of(const PhDiffer *differ, uint32_t phase_a, uint32_t phase_b)
{
	const PhDiffSide *a = &differ->side[0], *b = &differ->side[1];
	if (differ->by_shape)
		return PH_PHASES_BY_SHAPE;
	for (int k = KEY_CLASS; k <= KEY_CALLERS; k++)
		if (a->phase_key[k][phase_a] == b->phase_key[k][phase_b])
			return (PhPhaseAlignment) (PH_PHASES_BY_CLASS + (k - KEY_CLASS));
	return PH_PHASES_BY_SHAPE;
}

/* ---- gaps between aligned phases ---- */

/* Phases without a partner between two pairs, and their shapes. */
typedef struct Gap
{
	uint32_t n[2];
	uint32_t *phase[2];
	PhPhaseShape *shape[2];
	uint32_t *partner; /* by phases of a in the gap */
	bool *taken;	   /* by phase of b */
} Gap;

static PhStatus
make_gap(PhDiffer *differ, PhArena *arena, const uint32_t *partner, Gap *gap)
{
	uint32_t n = differ->side[0].logical->n_phases;
	for (int s = 0; s < 2; s++)
	{
		PH_TRY(PH_NEW(arena, differ->side[s].logical->n_phases, &gap->phase[s]));
		PH_TRY(PH_NEW(arena, differ->side[s].logical->n_phases, &gap->shape[s]));
	}
	PH_TRY(PH_NEW(arena, n, &gap->partner));
	PH_TRY(PH_NEW(arena, differ->side[1].logical->n_phases, &gap->taken));
	for (uint32_t p = 0; p < n; p++)
		if (partner[p] != PH_NONE)
			gap->taken[partner[p]] = true;
	return PH_OK;
}

static void
add_to_gap(const PhDiffer *differ, Gap *gap, int side, uint32_t phase)
{
	gap->shape[side][gap->n[side]] = differ->side[side].shape[phase];
	gap->phase[side][gap->n[side]++] = phase;
}

/* Align what is in the gap and begin the next one. */
static PhStatus
close_gap(PhDiffer *differ, Gap *gap, uint32_t first_b, uint32_t end_b, uint32_t *partner)
{
	for (uint32_t q = first_b; gap->n[0] > 0 && q < end_b; q++)
		if (!gap->taken[q])
			add_to_gap(differ, gap, 1, q);
	if (gap->n[0] > 0 && gap->n[1] > 0)
		PH_TRY(ph_align_shapes(differ->env, gap->shape[0], gap->n[0], gap->shape[1], gap->n[1],
							   gap->partner));
	for (uint32_t i = 0; gap->n[1] > 0 && i < gap->n[0]; i++)
		if (gap->partner[i] != PH_NONE)
			partner[gap->phase[0][i]] = gap->phase[1][gap->partner[i]];
	gap->n[0] = gap->n[1] = 0;
	return PH_OK;
}

/* Phases that changed places with others, so that partners descend, are no ends of gaps. */
static PhStatus
fill_gaps(PhDiffer *differ, PhArena *arena, uint32_t *partner)
{
	uint32_t n = differ->side[0].logical->n_phases, first_b = 0;
	Gap gap = {.n = {0, 0}};
	PH_TRY(make_gap(differ, arena, partner, &gap));
	for (uint32_t p = 0; p < n; p++)
	{
		PH_TRY(ph_env_poll_at(differ->env, p));
		if (partner[p] == PH_NONE)
			add_to_gap(differ, &gap, 0, p);
		else if (partner[p] >= first_b)
		{
			PH_TRY(close_gap(differ, &gap, first_b, partner[p], partner));
			first_b = partner[p] + 1;
		}
	}
	return close_gap(differ, &gap, first_b, differ->side[1].logical->n_phases, partner);
}

PhStatus
ph_diff_align_phases(PhDiffer *differ, uint32_t *partner)
{
	const PhDiffSide *a = &differ->side[0], *b = &differ->side[1];
	PhSequence sequence[2];
	if (differ->by_shape)
		return ph_align_shapes(differ->env, a->shape, a->logical->n_phases, b->shape,
							   b->logical->n_phases, partner);
	for (int s = 0; s < 2; s++)
	{
		sequence[s].n = differ->side[s].logical->n_phases;
		for (int k = 0; k < PH_ALIGN_KEYS; k++)
			sequence[s].key[k] = differ->side[s].phase_key[k];
	}
	PH_TRY(ph_align(differ->env, &sequence[0], &sequence[1], PH_PHASE_WINDOW, partner));
	return fill_gaps(differ, &differ->arena, partner);
}
