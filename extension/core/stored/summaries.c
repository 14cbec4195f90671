/*
 * summaries.c - see summaries.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "stored/summaries.h"

#include "base/min_max.h"
#include "profile/cells.h"
#include "profile/internal.h"

/* ---- values by unit ---- */

PhStatus
ph_unit_vectors_new(PhArena *arena, const PhUnits *units, PhUnitVectors *out)
{
	PhUnitVectors vectors = {.env = arena->env};
	PH_TRY(PH_NEW(arena, units->n_units, &vectors.inclusive));
	PH_TRY(PH_NEW(arena, units->n_units, &vectors.exclusive));
	PH_TRY(PH_NEW(arena, units->n_units, &vectors.n_cells));
	PH_TRY(PH_NEW(arena, units->n_units, &vectors.touched));
	PH_TRY(PH_NEW(arena, units->n_units, &vectors.buffer));
	*out = vectors;
	return PH_OK;
}

/*
 * Adds a column's value to its unit's. Flow metrics, sums and means are added up (fill_vectors
 * divides the means); minima and maxima keep the smaller or larger value.
 */
static void
fold(double *unit, double value, bool is_first, const PhMetric *metric)
{
	bool adds = metric->kind == PH_METRIC_FLOW || metric->combine == PH_COMBINE_SUM ||
				metric->combine == PH_COMBINE_MEAN;
	if (is_first)
		*unit = value;
	else if (adds)
		*unit += value;
	else if (metric->combine == PH_COMBINE_MIN ? value < *unit : value > *unit)
		*unit = value;
}

/* Back to nothing in any unit. */
static void
clear_vectors(PhUnitVectors *vectors)
{
	for (uint32_t i = 0; i < vectors->n_touched; i++)
	{
		uint32_t unit = vectors->touched[i];
		vectors->inclusive[unit] = vectors->exclusive[unit] = 0;
		vectors->n_cells[unit] = 0;
	}
	vectors->n_touched = 0;
}

static int
compare_units(const void *context, uint32_t a, uint32_t b)
{
	(void) context;
	return (a > b) - (a < b);
}

/*
 * Sums go over units in ascending order. Units are numbered by their first columns, so the list is
 * in order already, unless a unit has several columns.
 */
static PhStatus
sort_touched(PhUnitVectors *vectors)
{
	for (uint32_t i = 1; i < vectors->n_touched; i++)
		if (vectors->touched[i - 1] > vectors->touched[i])
			return ph_sort(vectors->env, vectors->touched, vectors->n_touched, vectors->buffer,
						   compare_units, NULL);
	return PH_OK;
}

static void
divide_means(PhUnitVectors *vectors)
{
	for (uint32_t i = 0; i < vectors->n_touched; i++)
	{
		uint32_t unit = vectors->touched[i];
		if (vectors->n_cells[unit] < 2)
			continue;
		vectors->inclusive[unit] /= vectors->n_cells[unit];
		vectors->exclusive[unit] /= vectors->n_cells[unit];
	}
}

/* Before so many cells of a node: rows of 10^6 columns take as long as 10^5 nodes. */
static PhStatus
poll(PhUnitVectors *vectors, uint32_t n_cells)
{
	vectors->n_done += n_cells + PH_POLLED_CELLS / PH_POLL_EVERY;
	if (vectors->n_done < PH_POLLED_CELLS)
		return PH_OK;
	vectors->n_done = 0;
	return ph_env_poll_now(vectors->env);
}

/* The node's values by unit, and the list of the units that have it, which alone are touched. */
static PhStatus
fill_vectors(const PhProfile *profile, const PhUnits *units, const PhMetric *metric, uint32_t node,
			 PhUnitVectors *vectors)
{
	PhRowWalk walk = ph_row_walk(profile, node);
	PH_TRY(poll(vectors, walk.row.n));
	clear_vectors(vectors);
	for (PhRowSpan span; ph_row_next(&walk, &span);)
		for (uint32_t i = 0; i < span.n; i++)
		{
			uint32_t unit = units->unit[span.first + i];
			bool is_first = vectors->n_cells[unit]++ == 0;
			if (is_first)
				vectors->touched[vectors->n_touched++] = unit;
			fold(&vectors->inclusive[unit], metric->inclusive[span.cell + i], is_first, metric);
			fold(&vectors->exclusive[unit], metric->exclusive[span.cell + i], is_first, metric);
		}
	if (metric->kind == PH_METRIC_VALUE && metric->combine == PH_COMBINE_MEAN)
		divide_means(vectors);
	return sort_touched(vectors);
}

/* ---- nodes ---- */

/* Sums in the order of ph_row_total: of units of one column each they are the same to the bit. */
static PhMoments
moments(const PhUnits *units, const PhUnitVectors *vectors, const double *values)
{
	PhMoments m = {.argmin = -1, .argmax = -1};
	double lanes[4] = {0};
	for (uint32_t i = 0; i < vectors->n_touched; i++)
	{
		uint32_t unit = vectors->touched[i];
		double value = values[unit];
		lanes[unit % 4] += value;
		m.sumsq += value * value;
		if (m.argmin < 0 || value < m.min)
		{
			m.min = value;
			m.argmin = (int32_t) units->first_column[unit];
		}
		if (m.argmax < 0 || value > m.max)
		{
			m.max = value;
			m.argmax = (int32_t) units->first_column[unit];
		}
	}
	m.sum = ph_lanes_total(lanes);
	return m;
}

static PhSummarySums
kind_of_sums(const PhProfile *profile, const PhUnits *units, uint32_t metric)
{
	bool is_exact =
		units->n_units == profile->n_columns && profile->metrics[metric].residual == NULL;
	return is_exact ? PH_SUMS_EXACT : PH_SUMS_ROUNDED;
}

static PhStatus
summarise_node(const PhProfile *profile, const PhUnits *units, uint32_t metric, uint32_t node,
			   PhUnitVectors *vectors, PhNodeSummary *out)
{
	PH_TRY(fill_vectors(profile, units, &profile->metrics[metric], node, vectors));
	out->n = vectors->n_touched;
	out->inclusive = moments(units, vectors, vectors->inclusive);
	out->exclusive = moments(units, vectors, vectors->exclusive);
	return PH_OK;
}

PhStatus
ph_summary_block_make(const PhProfile *profile, const PhUnits *units, uint32_t metric,
					  uint32_t block, PhUnitVectors *vectors, uint8_t *bytes, size_t *size)
{
	PhNodeSummary nodes[PH_BLOCK_NODES];
	uint32_t first = block * PH_BLOCK_NODES;
	uint32_t n = PH_MIN(profile->n_nodes - first, PH_BLOCK_NODES);
	for (uint32_t i = 0; i < n; i++)
		PH_TRY(summarise_node(profile, units, metric, first + i, vectors, &nodes[i]));
	*size = ph_summary_pack(nodes, n, kind_of_sums(profile, units, metric), bytes);
	return PH_OK;
}

/* ---- regions ---- */

/* The regions of a profile by id, and their nodes. */
typedef struct RegionNodes
{
	PhRegionSummary *regions; /* in the order of ids; labels do not make regions different */
	uint32_t n_regions;
	uint32_t *place;	/* in the list, by region of the profile */
	uint32_t *first;	/* nodes of region r are nodes[first[r]] up to nodes[first[r + 1]] */
	uint32_t *nodes;	/* in pre-order */
	bool *is_outermost; /* by node: no node above it has its region */
} RegionNodes;

static int
compare_regions(const void *context, uint32_t x, uint32_t y)
{
	const PhProfile *profile = context;
	int64_t a = (int64_t) profile->regions[x].region_id;
	int64_t b = (int64_t) profile->regions[y].region_id;
	return (a > b) - (a < b);
}

static PhStatus
list_regions(PhArena *arena, const PhProfile *profile, RegionNodes *out)
{
	uint32_t *sorted;
	PH_TRY(PH_NEW(arena, profile->n_regions, &out->regions));
	PH_TRY(PH_NEW(arena, profile->n_regions, &out->place));
	PH_TRY(ph_sort_indices(arena, profile->n_regions, compare_regions, profile, &sorted));
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		if (i == 0 || compare_regions(profile, sorted[i - 1], sorted[i]) != 0)
			out->regions[out->n_regions++].region_id =
				(int64_t) profile->regions[sorted[i]].region_id;
		out->place[sorted[i]] = out->n_regions - 1;
	}
	return PH_OK;
}

static PhStatus
group_nodes(PhArena *arena, const PhProfile *profile, RegionNodes *out)
{
	uint32_t *first; /* two places further on until it is filled */
	PH_TRY(PH_NEW(arena, (size_t) out->n_regions + 2, &first));
	PH_TRY(PH_NEW(arena, profile->n_nodes, &out->nodes));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		first[out->place[profile->region[node]] + 2]++;
	PH_TRY(ph_env_poll(arena->env));
	for (uint32_t r = 2; r <= out->n_regions; r++)
		first[r] += first[r - 1];
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(arena->env));
		out->nodes[first[out->place[profile->region[node]] + 1]++] = node;
	}
	out->first = first;
	return PH_OK;
}

/*
 * Inclusive values of outermost nodes can be summed over a recursive region without counting
 * anything twice. Nodes come in pre-order, and end[r] is the end of the subtree of the last
 * outermost node of region r: a node before it is below that one.
 */
static PhStatus
mark_outermost(PhArena *arena, const PhProfile *profile, RegionNodes *out)
{
	uint32_t *end;
	PH_TRY(PH_NEW(arena, out->n_regions, &end));
	PH_TRY(PH_NEW(arena, profile->n_nodes, &out->is_outermost));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		uint32_t region = out->place[profile->region[node]];
		PH_TRY(ph_env_poll(arena->env));
		out->is_outermost[node] = node >= end[region];
		if (out->is_outermost[node])
			end[region] = profile->subtree_end[node];
	}
	return PH_OK;
}

/* Over the units that are touched; the others hold 0. */
static double
sum_of(const PhUnitVectors *vectors, const double *values)
{
	double sum = 0;
	for (uint32_t i = 0; i < vectors->n_touched; i++)
		sum += values[vectors->touched[i]];
	return sum;
}

/* A region's exclusive values by unit, gathered as a node's are; n_cells counts its nodes. */
static void
add_exclusive(const PhUnitVectors *node, PhUnitVectors *region)
{
	for (uint32_t i = 0; i < node->n_touched; i++)
	{
		uint32_t unit = node->touched[i];
		if (region->n_cells[unit]++ == 0)
			region->touched[region->n_touched++] = unit;
		region->exclusive[unit] += node->exclusive[unit];
	}
}

/* Means and range over units, of the exclusive values that were gathered. */
static void
measure_exclusive(const PhUnitVectors *region, uint32_t n_units, PhRegionSummary *out)
{
	out->exclusive = sum_of(region, region->exclusive) / n_units;
	out->min = out->max = region->n_touched < n_units ? 0 : region->exclusive[0];
	for (uint32_t i = 0; i < region->n_touched; i++)
	{
		double value = region->exclusive[region->touched[i]];
		out->min = PH_MIN(value, out->min);
		out->max = PH_MAX(value, out->max);
	}
}

static PhStatus
summarise_region(const PhProfile *profile, const PhUnits *units, uint32_t metric,
				 const RegionNodes *tree, uint32_t r, PhUnitVectors *vectors, PhUnitVectors *region)
{
	PhRegionSummary *out = &tree->regions[r];
	out->n_nodes = tree->first[r + 1] - tree->first[r];
	clear_vectors(region);
	for (uint32_t i = tree->first[r]; i < tree->first[r + 1]; i++)
	{
		uint32_t node = tree->nodes[i];
		PH_TRY(fill_vectors(profile, units, &profile->metrics[metric], node, vectors));
		if (tree->is_outermost[node])
			out->inclusive += sum_of(vectors, vectors->inclusive) / units->n_units;
		add_exclusive(vectors, region);
	}
	PH_TRY(sort_touched(region));
	measure_exclusive(region, units->n_units, out);
	return PH_OK;
}

PhStatus
ph_region_summaries(PhArena *arena, const PhProfile *profile, const PhUnits *units, uint32_t metric,
					PhRegionSummary **out, uint32_t *n)
{
	RegionNodes tree = {0};
	PhUnitVectors vectors;
	PhUnitVectors region;
	PH_TRY(ph_unit_vectors_new(arena, units, &vectors));
	PH_TRY(ph_unit_vectors_new(arena, units, &region));
	PH_TRY(list_regions(arena, profile, &tree));
	PH_TRY(mark_outermost(arena, profile, &tree));
	PH_TRY(group_nodes(arena, profile, &tree));
	for (uint32_t r = 0; r < tree.n_regions; r++)
		if (tree.first[r + 1] > tree.first[r])
			PH_TRY(summarise_region(profile, units, metric, &tree, r, &vectors, &region));
	*out = tree.regions;
	*n = tree.n_regions;
	return PH_OK;
}
