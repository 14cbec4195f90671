/*
 * run_summary.c - statistics over execution units, per node and per region.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/store/run_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/min_max.h"
#include "profile/cells.h"

static PhStatus count_ranks(PhArena *arena, const PhProfile *profile, PhUnits *units);
static PhStatus count_hosts(PhArena *arena, const PhProfile *profile, PhUnits *units);
static PhStatus find_canonical(PhArena *arena, const PhProfile *profile, uint32_t **out);
static PhStatus mark_outermost(PhArena *arena, const PhProfile *profile, const uint32_t *canonical,
							   bool **out);

/* Column numbers sorted so that the columns of one unit are neighbours. */
typedef struct SortColumn
{
	const PhProfile *profile;
	uint32_t column;
} SortColumn;

static int
compare_text(const PhProfile *profile, PhString a, PhString b)
{
	return a == b ? 0 : strcmp(ph_profile_string(profile, a), ph_profile_string(profile, b));
}

static int
compare_unit(const SortColumn *x, const SortColumn *y)
{
	const PhColumn *a = &x->profile->columns[x->column];
	const PhColumn *b = &y->profile->columns[y->column];
	int order;

	if (a->run_id != b->run_id)
		return a->run_id < b->run_id ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	order = compare_text(x->profile, a->host, b->host);
	return order != 0 ? order : compare_text(x->profile, a->name, b->name);
}

static int
compare_sort_columns(const void *x, const void *y)
{
	const SortColumn *a = x;
	const SortColumn *b = y;
	int order = compare_unit(a, b);

	return order != 0 ? order : (a->column > b->column) - (a->column < b->column);
}

PhStatus
ph_units_find(PhArena *arena, const PhProfile *profile, PhUnits *out)
{
	uint32_t n = profile->n_columns;
	PhUnits units = {0};
	SortColumn *sorted;
	uint32_t *leader; /* lowest column of each column's unit */

	PH_TRY(PH_NEW(arena, n, &units.unit));
	PH_TRY(PH_NEW(arena, n, &units.first_column));
	PH_TRY(PH_NEW(arena, n, &sorted));
	PH_TRY(PH_NEW(arena, n, &leader));
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = (SortColumn){profile, i};
	qsort(sorted, n, sizeof(*sorted), compare_sort_columns);
	for (uint32_t i = 0; i < n; i++)
	{
		bool same = i > 0 && compare_unit(&sorted[i - 1], &sorted[i]) == 0;

		leader[sorted[i].column] = same ? leader[sorted[i - 1].column] : sorted[i].column;
	}
	for (uint32_t column = 0; column < n; column++)
	{
		if (leader[column] == column)
		{
			units.first_column[units.n_units] = column;
			units.unit[column] = units.n_units++;
		}
		else
			units.unit[column] = units.unit[leader[column]];
	}
	PH_TRY(count_ranks(arena, profile, &units));
	PH_TRY(count_hosts(arena, profile, &units));
	*out = units;
	return PH_OK;
}

static int
compare_int32(const void *x, const void *y)
{
	int32_t a = *(const int32_t *) x;
	int32_t b = *(const int32_t *) y;

	return (a > b) - (a < b);
}

static PhStatus
count_ranks(PhArena *arena, const PhProfile *profile, PhUnits *units)
{
	int32_t *ranks;
	uint32_t n = 0;
	uint32_t length = 0;

	PH_TRY(PH_NEW(arena, units->n_units, &ranks));
	for (uint32_t unit = 0; unit < units->n_units; unit++)
	{
		int32_t rank = profile->columns[units->first_column[unit]].rank;

		if (rank != PH_NO_NUMBER)
			ranks[n++] = rank;
	}
	qsort(ranks, n, sizeof(*ranks), compare_int32);
	for (uint32_t i = 0; i < n; i++)
	{
		bool is_new = i == 0 || ranks[i] != ranks[i - 1];

		length = is_new ? 1 : length + 1;
		units->n_ranks += is_new;
		if (length > units->n_threads)
			units->n_threads = length;
	}
	return PH_OK;
}

static int
compare_names(const void *x, const void *y)
{
	return strcmp(*(const char *const *) x, *(const char *const *) y);
}

static PhStatus
count_hosts(PhArena *arena, const PhProfile *profile, PhUnits *units)
{
	const char **hosts;
	uint32_t n = 0;

	PH_TRY(PH_NEW(arena, units->n_units, &hosts));
	for (uint32_t unit = 0; unit < units->n_units; unit++)
	{
		PhString host = profile->columns[units->first_column[unit]].host;

		if (host != 0)
			hosts[n++] = ph_profile_string(profile, host);
	}
	qsort(hosts, n, sizeof(*hosts), compare_names);
	for (uint32_t i = 0; i < n; i++)
		units->n_hosts += i == 0 || strcmp(hosts[i - 1], hosts[i]) != 0;
	return PH_OK;
}

double
ph_run_total(const PhProfile *profile, const PhUnits *units, uint32_t metric)
{
	double total = 0;

	if (metric >= profile->n_metrics || profile->metrics[metric].kind != PH_METRIC_FLOW ||
		units->n_units == 0)
		return NAN;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		if (profile->parent[node] != PH_NONE)
			continue;
		PhRowWalk walk = ph_row_walk(profile, node);
		for (PhRowSpan span; ph_row_next(&walk, &span);)
			for (uint32_t i = 0; i < span.n; i++)
				total += profile->metrics[metric].inclusive[span.cell + i];
	}
	return total / units->n_units;
}

PhStatus
ph_unit_vectors_new(PhArena *arena, const PhUnits *units, PhUnitVectors *out)
{
	PH_TRY(PH_NEW(arena, units->n_units, &out->inclusive));
	PH_TRY(PH_NEW(arena, units->n_units, &out->exclusive));
	PH_TRY(PH_NEW(arena, units->n_units, &out->n_cells));
	PH_TRY(PH_NEW(arena, units->n_units, &out->touched));
	out->n_touched = 0;
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
compare_units(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *) x;
	uint32_t b = *(const uint32_t *) y;

	return (a > b) - (a < b);
}

/*
 * Sums go over units in ascending order. Units are numbered by their first columns, so the list is
 * in order already, unless a unit has several columns.
 */
static void
sort_touched(PhUnitVectors *vectors)
{
	for (uint32_t i = 1; i < vectors->n_touched; i++)
		if (vectors->touched[i - 1] > vectors->touched[i])
		{
			qsort(vectors->touched, vectors->n_touched, sizeof(uint32_t), compare_units);
			return;
		}
}

/* The node's values by unit, and the list of the units that have it, which alone are touched. */
static void
fill_vectors(const PhProfile *profile, const PhUnits *units, const PhMetric *metric, uint32_t node,
			 PhUnitVectors *vectors)
{
	PhRowWalk walk = ph_row_walk(profile, node);

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
	sort_touched(vectors);
	for (uint32_t i = 0; i < vectors->n_touched; i++)
	{
		uint32_t unit = vectors->touched[i];

		if (metric->kind != PH_METRIC_VALUE || metric->combine != PH_COMBINE_MEAN ||
			vectors->n_cells[unit] < 2)
			continue;
		vectors->inclusive[unit] /= vectors->n_cells[unit];
		vectors->exclusive[unit] /= vectors->n_cells[unit];
	}
}

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

PhSummarySums
ph_summary_sums_of(const PhProfile *profile, const PhUnits *units, uint32_t metric)
{
	bool is_exact =
		units->n_units == profile->n_columns && profile->metrics[metric].residual == NULL;

	return is_exact ? PH_SUMS_EXACT : PH_SUMS_ROUNDED;
}

void
ph_node_summary(const PhProfile *profile, const PhUnits *units, uint32_t metric, uint32_t node,
				PhUnitVectors *vectors, PhNodeSummary *out)
{
	fill_vectors(profile, units, &profile->metrics[metric], node, vectors);
	out->n = vectors->n_touched;
	out->inclusive = moments(units, vectors, vectors->inclusive);
	out->exclusive = moments(units, vectors, vectors->exclusive);
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

/* Nodes by region: region r has nodes[start[r]] up to nodes[start[r + 1]], in pre-order. */
static PhStatus
group_nodes(PhArena *arena, const PhProfile *profile, const uint32_t *canonical, uint32_t **start,
			uint32_t **nodes)
{
	uint32_t *first;

	PH_TRY(PH_NEW(arena, (size_t) profile->n_regions + 2, &first));
	PH_TRY(PH_NEW(arena, profile->n_nodes, nodes));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		first[canonical[profile->region[node]] + 2]++;
	for (uint32_t r = 2; r <= profile->n_regions; r++)
		first[r] += first[r - 1];
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		(*nodes)[first[canonical[profile->region[node]] + 1]++] = node;
	*start = first;
	return PH_OK;
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

static void
summarise_region(const PhProfile *profile, const PhUnits *units, uint32_t metric,
				 const uint32_t *nodes, uint32_t n_nodes, const bool *is_outermost,
				 PhUnitVectors *vectors, PhUnitVectors *region, PhRegionSummary *out)
{
	uint32_t n_units = units->n_units;

	*out = (PhRegionSummary){.n_nodes = n_nodes};
	clear_vectors(region);
	for (uint32_t i = 0; i < n_nodes; i++)
	{
		fill_vectors(profile, units, &profile->metrics[metric], nodes[i], vectors);
		if (is_outermost[nodes[i]])
			out->inclusive += sum_of(vectors, vectors->inclusive) / n_units;
		add_exclusive(vectors, region);
	}
	sort_touched(region);
	out->exclusive = sum_of(region, region->exclusive) / n_units;
	out->min = out->max = region->n_touched < n_units ? 0 : region->exclusive[0];
	for (uint32_t i = 0; i < region->n_touched; i++)
	{
		double value = region->exclusive[region->touched[i]];

		out->min = PH_MIN(value, out->min);
		out->max = PH_MAX(value, out->max);
	}
}

PhStatus
ph_region_summaries(PhArena *arena, const PhProfile *profile, const PhUnits *units, uint32_t metric,
					PhRegionSummary **out)
{
	PhRegionSummary *regions;
	PhUnitVectors vectors;
	PhUnitVectors region;
	uint32_t *canonical;
	uint32_t *start;
	uint32_t *nodes;
	bool *is_outermost;

	PH_TRY(PH_NEW(arena, profile->n_regions, &regions));
	PH_TRY(ph_unit_vectors_new(arena, units, &vectors));
	PH_TRY(ph_unit_vectors_new(arena, units, &region));
	PH_TRY(find_canonical(arena, profile, &canonical));
	PH_TRY(mark_outermost(arena, profile, canonical, &is_outermost));
	PH_TRY(group_nodes(arena, profile, canonical, &start, &nodes));
	for (uint32_t r = 0; r < profile->n_regions; r++)
	{
		PH_TRY(ph_env_poll(arena->env));
		if (start[r + 1] > start[r])
			summarise_region(profile, units, metric, nodes + start[r], start[r + 1] - start[r],
							 is_outermost, &vectors, &region, &regions[r]);
	}
	*out = regions;
	return PH_OK;
}

typedef struct RegionKey
{
	uint64_t region_id;
	uint32_t index;
} RegionKey;

static int
compare_region_keys(const void *x, const void *y)
{
	const RegionKey *a = x;
	const RegionKey *b = y;

	if (a->region_id != b->region_id)
		return a->region_id < b->region_id ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* First region with the same id: regions that differ in their module label alone count as one. */
static PhStatus
find_canonical(PhArena *arena, const PhProfile *profile, uint32_t **out)
{
	RegionKey *keys;
	uint32_t first = 0;

	PH_TRY(PH_NEW(arena, profile->n_regions, &keys));
	PH_TRY(PH_NEW(arena, profile->n_regions, out));
	for (uint32_t r = 0; r < profile->n_regions; r++)
		keys[r] = (RegionKey){profile->regions[r].region_id, r};
	qsort(keys, profile->n_regions, sizeof(*keys), compare_region_keys);
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		if (i == 0 || keys[i].region_id != keys[i - 1].region_id)
			first = keys[i].index;
		(*out)[keys[i].index] = first;
	}
	return PH_OK;
}

/*
 * outermost[n]: no proper ancestor of n has n's region, so that inclusive values of these nodes can
 * be summed over a recursive region without counting anything twice. Nodes come in pre-order, and
 * end[r] is the end of the subtree of the last outermost node of region r: a node before it is
 * below that one.
 */
static PhStatus
mark_outermost(PhArena *arena, const PhProfile *profile, const uint32_t *canonical, bool **out)
{
	uint32_t *end;
	bool *is_outermost;

	PH_TRY(PH_NEW(arena, profile->n_regions, &end));
	PH_TRY(PH_NEW(arena, profile->n_nodes, &is_outermost));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		uint32_t region = canonical[profile->region[node]];

		is_outermost[node] = node >= end[region];
		if (is_outermost[node])
			end[region] = profile->subtree_end[node];
	}
	*out = is_outermost;
	return PH_OK;
}
