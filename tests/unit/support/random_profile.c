/*
 * random_profile.c - see random_profile.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/random_profile.h"

#include "profile/builder.h"

uint32_t
numbers_below(RandomNumbers *numbers, uint32_t limit)
{
	numbers->state = numbers->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t) ((numbers->state >> 33) % limit);
}

static PhStatus
add_metrics(PhProfileBuilder *builder)
{
	uint32_t index;
	PhMetricSpec time = {.name = "time", .unit = "s", .given = PH_GIVEN_EXCLUSIVE};
	PhMetricSpec visits = {.name = "visits", .unit = "count", .given = PH_GIVEN_EXCLUSIVE};
	PhMetricSpec ratio = {
		.name = "per visit", .kind = PH_METRIC_RATIO, .numerator = 0, .denominator = 1};
	PH_TRY(ph_builder_add_metric(builder, &time, &index));
	PH_TRY(ph_builder_add_metric(builder, &visits, &index));
	return ph_builder_add_metric(builder, &ratio, &index);
}

static PhStatus
add_columns(PhProfileBuilder *builder, uint32_t n)
{
	static const char *const hosts[] = {"node1", "node2"};
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t index;
		PhColumnSpec column = {.kind = PH_COLUMN_UNIT,
							   .iteration = PH_NO_ITERATION,
							   .rank = (int32_t) i,
							   .thread = PH_NO_NUMBER,
							   .host = hosts[i % 2]};
		PH_TRY(ph_builder_add_column(builder, &column, &index));
	}
	return PH_OK;
}

static PhStatus
add_region(PhProfileBuilder *builder, RandomNumbers *numbers, uint32_t *region)
{
	static const char *const names[] = {"main", "solve", "MPI_Send", "MPI_Wait", "dot", "a.c:7"};
	static const char *const libraries[] = {"/usr/lib/libmpi.so", "/opt/app/bin/app", ""};
	static const char *const files[] = {"src/a.c", "src/b.c", ""};
	static const char *const modules[] = {"", "", "numerics"};
	static const char *const paradigms[] = {"", "", "mpi", "openmp"};
	uint32_t kind = numbers_below(numbers, 8);
	PhRegionSpec spec = {.kind = kind < PH_KIND_COUNT - 1 ? (PhRegionKind) kind : PH_KIND_FUNCTION,
						 .name = names[numbers_below(numbers, 6)],
						 .library = libraries[numbers_below(numbers, 3)],
						 .file = files[numbers_below(numbers, 3)],
						 .module = modules[numbers_below(numbers, 3)],
						 .line = (int32_t) numbers_below(numbers, 4) - 1,
						 .paradigm = paradigms[numbers_below(numbers, 4)]};
	return ph_builder_add_region(builder, &spec, region);
}

static PhStatus
add_values(PhProfileBuilder *builder, RandomNumbers *numbers, uint32_t node, uint32_t n_columns)
{
	for (uint32_t column = 0; column < n_columns; column++)
	{
		if (numbers_below(numbers, 4) == 0)
			continue;
		double time = numbers_below(numbers, 3) == 0 ? 0 : numbers_below(numbers, 400) / 4.0;
		PH_TRY(ph_builder_add_value(builder, 0, node, column, PH_COST_EXCLUSIVE, time));
		PH_TRY(ph_builder_add_value(builder, 1, node, column, PH_COST_EXCLUSIVE,
									numbers_below(numbers, 5)));
	}
	return PH_OK;
}

static PhStatus
fill(PhProfileBuilder *builder, RandomNumbers *numbers, uint32_t n_nodes, uint32_t n_columns)
{
	PH_TRY(add_metrics(builder));
	PH_TRY(add_columns(builder, n_columns));
	for (uint32_t i = 0; i < n_nodes; i++)
	{
		uint32_t region, node;
		uint32_t parent = i == 0 || numbers_below(numbers, 12) == 0 ? PH_NONE
						  : numbers_below(numbers, 2) == 0			? i - 1
																	: numbers_below(numbers, i);
		PH_TRY(add_region(builder, numbers, &region));
		PH_TRY(ph_builder_add_node(builder, parent, region, &node));
		PH_TRY(add_values(builder, numbers, node, n_columns));
	}
	return PH_OK;
}

PhStatus
random_profile(PhEnv *env, RandomNumbers *numbers, uint32_t max_nodes, uint32_t max_columns,
			   PhProfile **out)
{
	PhProfileBuilder *builder;
	uint32_t n_nodes = 1 + numbers_below(numbers, max_nodes);
	uint32_t n_columns = 1 + numbers_below(numbers, max_columns);
	PH_TRY(ph_builder_new(env, &builder));
	PhStatus status = fill(builder, numbers, n_nodes, n_columns);
	if (status == PH_OK)
		status = ph_builder_finish(builder, out);
	ph_builder_free(builder);
	return status;
}
