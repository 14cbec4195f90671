/*
 * packed.c - the values of a profile as columns of bytes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "profile/packed.h"

#include "profile/cells.h"

PhNodeBlock
ph_profile_block(const PhProfile *profile, uint32_t first, size_t most_cells)
{
	PhNodeBlock block = {first, first, 0};
	while (block.end < profile->n_nodes)
	{
		uint32_t cells = ph_profile_n_present(profile, block.end);
		if (block.end > first && block.n + cells > most_cells)
			break;
		block.n += cells;
		block.end++;
	}
	return block;
}

void
ph_pack_places(const PhProfile *profile, const PhNodeBlock *block, PhByteWriter *nodes,
			   PhByteWriter *columns)
{
	for (uint32_t node = block->first; node < block->end; node++)
	{
		PhRowWalk walk = ph_row_walk(profile, node);
		for (PhRowSpan span; ph_row_next(&walk, &span);)
			for (uint32_t i = 0; i < span.n; i++)
			{
				ph_put(nodes, node, 4);
				ph_put(columns, span.first + i, 4);
			}
	}
}

/* The array that holds a cost as it is; NULL: it has to be computed. */
static const double *
stored_cost(const PhMetric *metric, PhCost cost)
{
	if (metric->kind == PH_METRIC_RATIO)
		return NULL;
	switch (cost)
	{
		case PH_COST_INCLUSIVE:
			return metric->inclusive;
		case PH_COST_EXCLUSIVE:
			return metric->exclusive;
		case PH_COST_ABSORBED:
			return metric->absorbed;
		case PH_COST_RESIDUAL:
			return metric->residual;
		case PH_COST_OWN:
			break;
	}
	return NULL;
}

void
ph_pack_cost(const PhProfile *profile, uint32_t metric, PhCost cost, const PhNodeBlock *block,
			 PhByteWriter *values)
{
	const double *stored = stored_cost(&profile->metrics[metric], cost);
	if (block->n == 0)
		return;
	size_t cell = ph_profile_row(profile, block->first).cell;
	if (stored != NULL)
		ph_put_doubles(values, stored + cell, block->n);
	else
		for (size_t i = 0; i < block->n; i++)
			ph_put_double(values, ph_profile_value(profile, metric, cell + i, cost));
}

bool
ph_profile_has_absorbed(const PhProfile *profile, uint32_t metric)
{
	const PhMetric *m = &profile->metrics[metric];
	const PhMetric *least = m->kind == PH_METRIC_RATIO ? &profile->metrics[m->denominator] : m;
	return least->absorbed != NULL;
}
