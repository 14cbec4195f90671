/*
 * merge.c - see merge.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "tiles/merge.h"

#include "base/min_max.h"

#define MOST_COUNTERS (PH_TILE_ROWS * PH_CELL_COUNTERS)

struct PhMerger
{
	PhEnv *env;
	uint32_t n_regions;
	uint32_t *sums; /* by region: of shares; 0 between calls */
	uint32_t touched[MOST_COUNTERS];
	uint32_t n_touched;
	uint64_t total; /* of sums */
};

PhStatus
ph_merger_new(PhEnv *env, uint32_t n_regions, PhMerger **out)
{
	PhMerger *merger;
	PH_TRY(ph_env_alloc(env, 1, sizeof(*merger), (void **) &merger));
	merger->env = env;
	merger->n_regions = n_regions;
	PhStatus status =
		ph_env_alloc(env, (size_t) n_regions + 1, sizeof(*merger->sums), (void **) &merger->sums);
	if (status != PH_OK)
		ph_merger_free(merger);
	else
		*out = merger;
	return status;
}

void
ph_merger_free(PhMerger *merger)
{
	if (merger == NULL)
		return;
	ph_env_free(merger->env, merger->sums, (size_t) merger->n_regions + 1, sizeof(*merger->sums));
	ph_env_free(merger->env, merger, 1, sizeof(*merger));
}

/* ---- sums ---- */

static void
add_counters(PhMerger *merger, const PhBinCell *cell)
{
	for (uint32_t i = 0; i < PH_CELL_COUNTERS && cell->share[i] > cell->ninth; i++)
	{
		uint32_t region = cell->region[i], share = cell->share[i] - cell->ninth;
		if (merger->sums[region] == 0)
			merger->touched[merger->n_touched++] = region;
		merger->sums[region] += share;
		merger->total += share;
	}
}

static void
add_rest(const PhBinCell *cell, PhBinCell *out)
{
	for (uint32_t i = 0; i < PH_ACTIVITIES; i++)
		out->activity[i] += cell->activity[i];
	out->depth = PH_MAX(out->depth, cell->depth);
	out->n_messages += PH_MIN(cell->n_messages, UINT32_MAX - out->n_messages);
	out->n_present += cell->n_present;
	if (cell->longest.ns > out->longest.ns)
		out->longest = cell->longest;
}

/* The nine largest sums, in order; returns how many there are. */
static uint32_t
take_largest(const PhMerger *merger, uint32_t *regions, uint32_t *shares)
{
	uint32_t taken = 0;
	for (uint32_t i = 0; i < merger->n_touched; i++)
	{
		uint32_t region = merger->touched[i], share = merger->sums[region];
		uint32_t at = taken;
		while (at > 0 &&
			   (share > shares[at - 1] || (share == shares[at - 1] && region < regions[at - 1])))
			at--;
		if (at > PH_CELL_COUNTERS)
			continue;
		taken = PH_MIN(taken + 1, PH_CELL_COUNTERS + 1);
		for (uint32_t j = taken - 1; j > at; j--)
		{
			regions[j] = regions[j - 1];
			shares[j] = shares[j - 1];
		}
		regions[at] = region;
		shares[at] = share;
	}
	return taken;
}

static void
take_counters(const PhMerger *merger, PhBinCell *out)
{
	uint32_t regions[PH_CELL_COUNTERS + 1], shares[PH_CELL_COUNTERS + 1];
	uint32_t taken = take_largest(merger, regions, shares);
	uint32_t ninth = taken > PH_CELL_COUNTERS ? shares[PH_CELL_COUNTERS] : 0;
	for (uint32_t i = 0; i < taken && i < PH_CELL_COUNTERS && shares[i] > ninth; i++)
	{
		out->region[i] = regions[i];
		out->share[i] = shares[i] - ninth;
	}
}

/* ---- the deviant ---- */

static PhBinDeviant
candidate_of(const PhMergePart *part)
{
	const PhBinCell *cell = part->cell;
	PhBinDeviant candidate = {.location = part->location};
	if (cell == NULL)
		return candidate;
	if (part->is_group)
		return cell->deviant;
	for (uint32_t i = 0; i < PH_ACTIVITIES; i++)
		candidate.activity[i] = (uint16_t) cell->activity[i];
	for (uint32_t i = 0; i < PH_CELL_SHOWN; i++)
	{
		candidate.region[i] = cell->region[i];
		candidate.share[i] = (uint16_t) cell->share[i];
	}
	candidate.longest = cell->longest;
	return candidate;
}

static uint64_t
difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/*
 * The L1 distance of a candidate's shares from the mean of n locations, times n. Of regions, all
 * that were added count with their means but for the candidate's own three.
 */
static uint64_t
distance(const PhMerger *merger, const PhBinCell *merged, uint32_t n, const PhBinDeviant *candidate)
{
	uint64_t sum = merger->total;
	for (uint32_t i = 0; i < PH_ACTIVITIES; i++)
		sum += difference((uint64_t) candidate->activity[i] * n, merged->activity[i]);
	for (uint32_t i = 0; i < PH_CELL_SHOWN && candidate->share[i] > 0; i++)
	{
		uint64_t mean = merger->sums[candidate->region[i]];
		sum += difference((uint64_t) candidate->share[i] * n, mean) - mean;
	}
	return sum;
}

static void
find_deviant(const PhMerger *merger, const PhMergePart *parts, uint32_t n, uint32_t n_locations,
			 PhBinCell *out)
{
	uint64_t most = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		PhBinDeviant candidate = candidate_of(&parts[i]);
		uint64_t far = distance(merger, out, n_locations, &candidate);
		if (i > 0 && far <= most)
			continue;
		most = far;
		out->deviant = candidate;
	}
}

void
ph_merge_cells(PhMerger *merger, const PhMergePart *parts, uint32_t n, PhBinCell *out)
{
	uint32_t n_locations = 0;
	*out = (PhBinCell){0};
	merger->n_touched = 0;
	merger->total = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		n_locations += parts[i].n_locations;
		if (parts[i].cell == NULL)
			continue;
		add_counters(merger, parts[i].cell);
		add_rest(parts[i].cell, out);
	}
	take_counters(merger, out);
	find_deviant(merger, parts, n, n_locations, out);
	for (uint32_t i = 0; i < merger->n_touched; i++)
		merger->sums[merger->touched[i]] = 0;
}
