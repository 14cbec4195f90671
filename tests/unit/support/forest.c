/*
 * forest.c - see forest.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/forest.h"

#include <stdio.h>
#include <stdlib.h>

#include "profile/builder.h"

uint32_t
random_below(Random *random, uint32_t limit)
{
	random->state = random->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t) ((random->state >> 33) % limit);
}

double
random_unit(Random *random)
{
	return random_below(random, 1u << 24) / (double) (1u << 24);
}

void
forest_random(uint64_t seed, Forest *out)
{
	Random random = {seed * 2654435761u + 12345};
	uint32_t labels = 1 + random_below(&random, 8);
	uint32_t roots = 1 + random_below(&random, 8) / 6;
	double stay = random_unit(&random);
	double gaps = random_below(&random, 3) == 0 ? 0.3 : 0;
	out->n = 2 + random_below(&random, 119);
	for (uint32_t i = 0; i < out->n; i++)
	{
		RawNode *node = &out->nodes[i];
		uint32_t least = i > 15 ? i - 15 : 0;
		node->parent = i < roots ? PH_NONE : least + random_below(&random, i - least);
		bool stays = node->parent != PH_NONE && random_unit(&random) < stay;
		node->label = stays ? out->nodes[node->parent].label : random_below(&random, labels);
		node->function = random_below(&random, 6);
		if (random_unit(&random) < gaps)
			node->label = PH_NONE;
		for (uint32_t column = 0; column < FOREST_COLUMNS; column++)
		{
			double unit = random_unit(&random);
			node->exclusive[column] = random_below(&random, 6) == 0 ? 0 : unit * unit * unit;
		}
	}
}

static PhStatus
add_columns(PhProfileBuilder *builder, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		PhColumnSpec spec = {PH_COLUMN_UNIT, 0,	  PH_NO_ITERATION, (int32_t) i, PH_NO_NUMBER,
							 NULL,			 NULL};
		uint32_t column;
		PH_TRY(ph_builder_add_column(builder, &spec, &column));
	}
	return PH_OK;
}

static PhStatus
add_metric(PhProfileBuilder *builder)
{
	PhMetricSpec spec = {
		.name = "time", .unit = "s", .kind = PH_METRIC_FLOW, .given = PH_GIVEN_EXCLUSIVE};
	uint32_t metric;
	return ph_builder_add_metric(builder, &spec, &metric);
}

static PhStatus
add_region(PhProfileBuilder *builder, uint32_t label, uint32_t function, uint32_t *out)
{
	char library[32], name[48];
	snprintf(library, sizeof(library), "/lib/L%u", label);
	snprintf(name, sizeof(name), "L%u.f%u", label == PH_NONE ? 0 : label + 1, function);
	PhRegionSpec spec = {PH_KIND_FUNCTION, name, label == PH_NONE ? NULL : library, NULL, NULL,
						 PH_NO_NUMBER,	   NULL};
	return ph_builder_add_region(builder, &spec, out);
}

static PhStatus
add_nodes(PhProfileBuilder *builder, const Forest *forest, const uint32_t *order)
{
	uint32_t node_of[FOREST_MOST_NODES];
	for (uint32_t i = 0; i < forest->n; i++)
	{
		const RawNode *node = &forest->nodes[order[i]];
		uint32_t region;
		PH_TRY(add_region(builder, node->label, node->function, &region));
		PH_TRY(ph_builder_add_node(builder, PH_NONE, region, &node_of[order[i]]));
	}
	for (uint32_t i = 0; i < forest->n; i++)
	{
		const RawNode *node = &forest->nodes[order[i]];
		if (node->parent != PH_NONE)
			PH_TRY(ph_builder_set_parent(builder, node_of[order[i]], node_of[node->parent]));
		for (uint32_t column = 0; column < FOREST_COLUMNS; column++)
			PH_TRY(ph_builder_add_value(builder, 0, node_of[order[i]], column, PH_COST_EXCLUSIVE,
										node->exclusive[column]));
	}
	return PH_OK;
}

static PhStatus
fill(PhProfileBuilder *builder, const Forest *forest, Random *shuffle)
{
	uint32_t order[FOREST_MOST_NODES];
	for (uint32_t i = 0; i < forest->n; i++)
		order[i] = i;
	for (uint32_t i = forest->n; shuffle != NULL && i > 1; i--)
	{
		uint32_t other = random_below(shuffle, i);
		uint32_t swap = order[i - 1];
		order[i - 1] = order[other];
		order[other] = swap;
	}
	PH_TRY(add_metric(builder));
	PH_TRY(add_columns(builder, FOREST_COLUMNS));
	return add_nodes(builder, forest, order);
}

PhStatus
forest_profile(PhEnv *env, const Forest *forest, Random *shuffle, PhProfile **out)
{
	PhProfileBuilder *builder;
	PH_TRY(ph_builder_new(env, &builder));
	PhStatus status = fill(builder, forest, shuffle);
	if (status == PH_OK)
		status = ph_builder_finish(builder, out);
	ph_builder_free(builder);
	return status;
}

static PhStatus
fill_big(PhProfileBuilder *builder, const BigForest *shape)
{
	Random random = {42};
	PH_TRY(add_metric(builder));
	PH_TRY(add_columns(builder, shape->n_columns));
	for (uint32_t i = 0; i < shape->n_nodes; i++)
	{
		uint32_t least = i > shape->chain ? i - shape->chain : 0;
		uint32_t parent = i == 0 ? PH_NONE : least + random_below(&random, i - least);
		uint32_t function = random_below(&random, shape->n_functions);
		uint32_t region, node;
		PH_TRY(add_region(builder, function % shape->n_modules, function, &region));
		PH_TRY(ph_builder_add_node(builder, parent, region, &node));
		for (uint32_t column = 0; column < shape->n_columns; column++)
			PH_TRY(ph_builder_add_value(builder, 0, node, column, PH_COST_EXCLUSIVE,
										random_unit(&random)));
	}
	return PH_OK;
}

PhStatus
forest_big(PhEnv *env, const BigForest *shape, PhProfile **out)
{
	PhProfileBuilder *builder;
	PH_TRY(ph_builder_new(env, &builder));
	PhStatus status = fill_big(builder, shape);
	if (status == PH_OK)
		status = ph_builder_finish(builder, out);
	ph_builder_free(builder);
	return status;
}
