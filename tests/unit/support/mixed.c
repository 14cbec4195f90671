/*
 * mixed.c - see mixed.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/mixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/flat.h"

static const PhRegionSpec regions[MIXED_REGIONS] = {
	{PH_KIND_FUNCTION, "main", "/app/run", "main.c", NULL, PH_NO_NUMBER, NULL},
	{PH_KIND_FUNCTION, "solve", "/app/run", "solve.c", "solver", PH_NO_NUMBER, NULL},
	{PH_KIND_FUNCTION, "solve", "/app/run", "solve.c", NULL, 12,
	 "user"}, /* the same, known otherwise */
	{PH_KIND_FUNCTION, "solve", "/lib/other.so", NULL, NULL, PH_NO_NUMBER, NULL},
	{PH_KIND_FUNCTION, "exchange", "/app/run", "halo.c", NULL, PH_NO_NUMBER, NULL},
	{PH_KIND_FUNCTION, "MPI_Send", "/lib/libmpi.so", NULL, "mpi", PH_NO_NUMBER, "mpi"},
	{PH_KIND_FUNCTION, "MPI_Recv", "/lib/libmpi.so", NULL, "mpi", PH_NO_NUMBER, NULL},
	{PH_KIND_REGION, "phase", NULL, NULL, NULL, PH_NO_NUMBER, "user"},
	{PH_KIND_LOOP, "loop", NULL, "solve.c", NULL, 30, NULL},
	{PH_KIND_LOOP, "loop", NULL, "solve.c", NULL, 4, NULL},
	{PH_KIND_STATEMENT, "statement", NULL, "halo.c", NULL, 7, NULL},
	{PH_KIND_FUNCTION, "memcpy \xc3\xbc", "/lib/libc.so", NULL, NULL, PH_NO_NUMBER, NULL},
};

const PhRegionSpec *
mixed_region(uint32_t region)
{
	return &regions[region];
}

static void
random_columns(Random *random, Mixed *out)
{
	static const char *const hosts[] = {"node01", "node02", NULL};
	uint32_t threads = 1 + random_below(random, 3), iterated = random_below(random, 4) == 0;
	out->n_columns = 1 + random_below(random, MIXED_MOST_COLUMNS);
	for (uint32_t i = 0; i < out->n_columns; i++)
	{
		PhColumnSpec spec = {
			PH_COLUMN_UNIT, 7, PH_NO_ITERATION, (int32_t) (i / threads), PH_NO_NUMBER, NULL, NULL};
		spec.thread = threads > 1 ? (int32_t) (i % threads) : PH_NO_NUMBER;
		spec.host = hosts[(i / threads) % 3];
		if (iterated)
		{
			spec.rank = (int32_t) (i / 2);
			spec.thread = PH_NO_NUMBER;
			spec.host = hosts[(i / 2) % 3];
			spec.iteration = (int64_t) (i % 2) * 10;
		}
		out->columns[i] = spec;
	}
}

static void
add_value(Mixed *out, uint32_t metric, uint32_t node, uint32_t column, PhCost cost, double value)
{
	if (out->n_values == MIXED_MOST_VALUES)
		abort();
	out->values[out->n_values++] = (MixedValue){metric, node, column, cost, value};
}

static double
random_value(Random *random, bool whole)
{
	double unit = random_unit(random);
	return whole ? (double) random_below(random, 20) : unit * unit * 1e3 / 7;
}

/* Time of one cell: exclusive in one or two parts. Returns the sum. */
static double
random_time(Random *random, Mixed *out, uint32_t node, uint32_t column, bool whole)
{
	double sum = 0;
	uint32_t parts = 1 + random_below(random, 3) / 2;
	for (uint32_t i = 0; i < parts; i++)
	{
		double value = random_value(random, whole);
		if (((unsigned) out->given & PH_GIVEN_EXCLUSIVE) != 0)
			add_value(out, MIXED_TIME, node, column, PH_COST_EXCLUSIVE, value);
		sum += value;
	}
	return sum;
}

/* Inclusive times of one column, of which some are missing and some are wrong. */
static void
random_inclusives(Random *random, Mixed *out, uint32_t column, const double *own, bool whole)
{
	double inclusive[MIXED_MOST_NODES];
	bool sloppy = random_below(random, 2) == 0;
	memcpy(inclusive, own, out->n_nodes * sizeof(double));
	for (uint32_t node = out->n_nodes; node-- > 1;)
		if (out->parent[node] != PH_NONE)
			inclusive[out->parent[node]] += inclusive[node];
	for (uint32_t node = 0; node < out->n_nodes; node++)
	{
		double value = inclusive[node];
		if (sloppy && random_below(random, 8) == 0)
			value = random_value(random, whole);
		if (random_below(random, 8) != 0)
			add_value(out, MIXED_TIME, node, column, PH_COST_INCLUSIVE, value);
	}
}

static void
random_values(Random *random, Mixed *out, bool whole)
{
	double holes = random_below(random, 2) == 0 ? 0 : random_unit(random);
	for (uint32_t column = 0; column < out->n_columns; column++)
	{
		double own[MIXED_MOST_NODES] = {0};
		for (uint32_t node = 0; node < out->n_nodes; node++)
		{
			if (random_unit(random) < holes)
				continue;
			own[node] = random_time(random, out, node, column, whole);
			add_value(out, MIXED_COUNT, node, column, PH_COST_EXCLUSIVE, random_below(random, 9));
			if (random_below(random, 2) == 0)
				add_value(out, MIXED_PEAK, node, column, PH_COST_EXCLUSIVE,
						  random_value(random, whole));
			add_value(out, MIXED_HEAT, node, column, PH_COST_EXCLUSIVE,
					  random_value(random, whole) - 5);
		}
		if (((unsigned) out->given & PH_GIVEN_INCLUSIVE) != 0)
			random_inclusives(random, out, column, own, whole);
	}
}

void
mixed_random(uint64_t seed, bool whole_numbers, Mixed *out)
{
	Random random = {seed * 2654435761u + 99};
	uint32_t roots = 1 + random_below(&random, 6) / 4, chain = 1 + random_below(&random, 20);
	uint32_t variety = 2 + random_below(&random, MIXED_REGIONS - 1);
	memset(out, 0, sizeof(*out));
	out->n_nodes = 1 + random_below(&random, MIXED_MOST_NODES);
	out->given = (PhGiven) (1 + random_below(&random, 3));
	for (uint32_t i = 0; i < out->n_nodes; i++)
	{
		uint32_t least = i > chain ? i - chain : 0;
		out->parent[i] = i < roots ? PH_NONE : least + random_below(&random, i - least);
		out->region[i] = random_below(&random, variety);
	}
	random_columns(&random, out);
	random_values(&random, out, whole_numbers);
}

/* 0..n-1, in an order drawn unless shuffle is NULL. */
static void
draw_order(Random *shuffle, uint32_t n, uint32_t *order)
{
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint32_t i = n; shuffle != NULL && i > 1; i--)
	{
		uint32_t other = random_below(shuffle, i), swap = order[i - 1];
		order[i - 1] = order[other];
		order[other] = swap;
	}
}

static PhStatus
add_metrics(PhProfileBuilder *builder, const Mixed *mixed)
{
	const PhMetricSpec specs[MIXED_METRICS] = {
		{.name = "time", .unit = "s", .given = mixed->given},
		{.name = "count", .unit = "count", .given = PH_GIVEN_EXCLUSIVE},
		{.name = "peak", .unit = "bytes", .kind = PH_METRIC_VALUE, .combine = PH_COMBINE_MAX},
		{.name = "heat",
		 .unit = "C",
		 .kind = PH_METRIC_VALUE,
		 .combine = PH_COMBINE_MEAN,
		 .may_be_negative = true},
		{.name = "rate",
		 .unit = "1/s",
		 .kind = PH_METRIC_RATIO,
		 .numerator = MIXED_COUNT,
		 .denominator = MIXED_TIME},
	};
	uint32_t metric;
	for (uint32_t i = 0; i < MIXED_METRICS; i++)
		PH_TRY(ph_builder_add_metric(builder, &specs[i], &metric));
	return PH_OK;
}

typedef struct Places
{
	uint32_t region[MIXED_REGIONS];
	uint32_t column[MIXED_MOST_COLUMNS];
	uint32_t node[MIXED_MOST_NODES];
} Places;

static PhStatus
add_parts(PhProfileBuilder *builder, const Mixed *mixed, Random *shuffle, Places *places)
{
	uint32_t order[MIXED_MOST_VALUES];
	PH_TRY(add_metrics(builder, mixed));
	draw_order(shuffle, MIXED_REGIONS, order);
	for (uint32_t i = 0; i < MIXED_REGIONS; i++)
		PH_TRY(ph_builder_add_region(builder, &regions[order[i]], &places->region[order[i]]));
	draw_order(shuffle, mixed->n_columns, order);
	for (uint32_t i = 0; i < mixed->n_columns; i++)
		PH_TRY(
			ph_builder_add_column(builder, &mixed->columns[order[i]], &places->column[order[i]]));
	draw_order(shuffle, mixed->n_nodes, order);
	for (uint32_t i = 0; i < mixed->n_nodes; i++)
		PH_TRY(ph_builder_add_node(builder, PH_NONE, places->region[mixed->region[order[i]]],
								   &places->node[order[i]]));
	for (uint32_t i = 0; i < mixed->n_nodes; i++)
		if (mixed->parent[i] != PH_NONE)
			PH_TRY(ph_builder_set_parent(builder, places->node[i], places->node[mixed->parent[i]]));
	return PH_OK;
}

/* Say of some columns how many values will come, seldom the truth. */
static PhStatus
expect_some(PhProfileBuilder *builder, const Mixed *mixed, Random *random, const Places *places)
{
	for (uint32_t i = 0; i < mixed->n_columns; i++)
		PH_TRY(ph_builder_expect_values(
			builder, random_below(random, MIXED_RATE), places->column[i],
			random_below(random, 2) ? PH_COST_EXCLUSIVE : PH_COST_INCLUSIVE,
			random_below(random, mixed->n_nodes)));
	return PH_OK;
}

static PhStatus
fill(PhProfileBuilder *builder, const Mixed *mixed, Random *shuffle)
{
	Places places;
	uint32_t order[MIXED_MOST_VALUES];
	PH_TRY(add_parts(builder, mixed, shuffle, &places));
	draw_order(shuffle, mixed->n_values, order);
	if (shuffle != NULL)
		PH_TRY(expect_some(builder, mixed, shuffle, &places));
	for (uint32_t i = 0; i < mixed->n_values; i++)
	{
		const MixedValue *value = &mixed->values[order[i]];
		PH_TRY(ph_builder_add_value(builder, value->metric, places.node[value->node],
									places.column[value->column], value->cost, value->value));
	}
	PH_TRY(ph_builder_add_source(builder, 7, "mixed"));
	return ph_builder_add_note(builder, "load: mixed");
}

PhStatus
mixed_profile(PhEnv *env, const Mixed *mixed, Random *shuffle, PhProfile **out)
{
	PhProfileBuilder *builder;
	PH_TRY(ph_builder_new(env, &builder));
	PhStatus status = fill(builder, mixed, shuffle);
	if (status == PH_OK)
		status = ph_builder_finish(builder, out);
	ph_builder_free(builder);
	return status;
}

uint8_t *
flat_bytes(PhEnv *env, const PhProfile *profile, size_t *size)
{
	if (ph_profile_flat_size(env, profile, size) != PH_OK)
		abort();
	uint8_t *bytes = malloc(*size);
	if (ph_profile_flatten(env, profile, bytes) != PH_OK)
		abort();
	return bytes;
}

bool
same_bytes(PhEnv *env, const PhProfile *a, const PhProfile *b)
{
	size_t size_a, size_b;
	uint8_t *bytes_a = flat_bytes(env, a, &size_a), *bytes_b = flat_bytes(env, b, &size_b);
	bool same = size_a == size_b && memcmp(bytes_a, bytes_b, size_a) == 0;
	free(bytes_a);
	free(bytes_b);
	return same;
}

bool
agree(double a, double b, double tolerance)
{
	if (isnan(a) || isnan(b))
		return isnan(a) && isnan(b);
	return fabs(a - b) <= tolerance * (1 + fabs(a) + fabs(b));
}

bool
flow_holds(const PhProfile *profile, double tolerance, uint32_t *where)
{
	for (uint32_t m = 0; m < profile->n_metrics; m++)
		for (uint32_t node = 0; node < profile->n_nodes; node++)
			for (uint32_t column = 0; column < profile->n_columns; column++)
			{
				if (profile->metrics[m].kind != PH_METRIC_FLOW)
					continue;
				double sum = ph_profile_cell(profile, m, node, column, PH_COST_OWN);
				for (uint32_t child = node + 1; child < profile->subtree_end[node];
					 child = profile->subtree_end[child])
					sum += ph_profile_cell(profile, m, child, column, PH_COST_INCLUSIVE);
				*where = node;
				if (!agree(sum, ph_profile_cell(profile, m, node, column, PH_COST_INCLUSIVE),
						   tolerance))
					return false;
			}
	return true;
}

static bool
same_path_pair(const PhProfile *a, uint32_t x, const PhProfile *b, uint32_t y)
{
	while (x != PH_NONE && y != PH_NONE)
	{
		if (ph_region_compare(a, ph_profile_region(a, x), b, ph_profile_region(b, y)) != 0)
			return false;
		x = a->parent[x];
		y = b->parent[y];
	}
	return x == y;
}

uint32_t
same_path(const PhProfile *profile, const PhProfile *other, uint32_t node)
{
	for (uint32_t i = 0; i < profile->n_nodes; i++)
		if (same_path_pair(profile, i, other, node))
			return i;
	return PH_NONE;
}
