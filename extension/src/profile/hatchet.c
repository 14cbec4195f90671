/*
 * hatchet.c - the SQL function hatchet_literal: which form it is, its metrics and values.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "profile/hatchet.h"
#include "profile/value.h"
#include "server/compat.h"

/* "time" is primary when it is there; else the first name in byte order. */
static int
compare_metrics(const void *a, const void *b)
{
	const PhLiteralMetric *const *x = a;
	const PhLiteralMetric *const *y = b;
	bool x_is_time = strcmp((*x)->name, "time") == 0;
	bool y_is_time = strcmp((*y)->name, "time") == 0;
	if (x_is_time != y_is_time)
		return x_is_time ? -1 : 1;
	return strcmp((*x)->name, (*y)->name);
}

static void
add_metrics(PhHatchetLiteral *literal)
{
	PhLiteralMetric **order = palloc(sizeof(PhLiteralMetric *) * Max(literal->n_metrics, 1));
	for (uint32 m = 0; m < literal->n_metrics; m++)
		order[m] = &literal->metrics[m];
	qsort(order, literal->n_metrics, sizeof(PhLiteralMetric *), compare_metrics);
	for (uint32 m = 0; m < literal->n_metrics; m++)
	{
		PhMetricSpec spec = {.name = order[m]->name,
							 .unit = "",
							 .kind = PH_METRIC_FLOW,
							 .given = (PhGiven) order[m]->given,
							 .numerator = PH_NONE,
							 .denominator = PH_NONE};
		PH_CHECK(literal->env, ph_builder_add_metric(literal->builder, &spec, &order[m]->index));
	}
}

static void
add_values(PhHatchetLiteral *literal)
{
	for (uint64 i = 0; i < literal->n_values; i++)
	{
		const PhLiteralValue *value = &literal->values[i];
		PhColumnSpec place = {.kind = PH_COLUMN_UNIT,
							  .iteration = PH_NO_ITERATION,
							  .rank = value->rank,
							  .thread = value->thread};
		uint32_t column;
		PH_CHECK(literal->env, ph_builder_add_column(literal->builder, &place, &column));
		PH_CHECK(literal->env,
				 ph_builder_add_value(literal->builder, literal->metrics[value->metric].index,
									  value->node, column, value->cost, value->value));
		PH_CHECK(literal->env, ph_env_poll(literal->env));
	}
}

static PhHatchetLiteral
literal_begin(PhEnv *env)
{
	PhHatchetLiteral literal = {.env = env, .metrics_capacity = 8, .values_capacity = 256};
	literal.metrics = palloc(sizeof(PhLiteralMetric) * literal.metrics_capacity);
	literal.values = palloc(sizeof(PhLiteralValue) * literal.values_capacity);
	PH_CHECK(env, ph_builder_new(env, &literal.builder));
	return literal;
}

static void
read_literal(PhHatchetLiteral *literal, Jsonb *json)
{
	if (JB_ROOT_IS_SCALAR(json))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a Hatchet literal is a JSON object or array")));
	if (JB_ROOT_IS_OBJECT(json) && ph_literal_member(&json->root, "graph") != NULL)
		ph_literal_graph(literal, &json->root);
	else
		ph_literal_tree(literal, &json->root);
}

PH_FUNCTION(ph_hatchet_literal)
{
	Jsonb *json = PG_GETARG_JSONB_P(0);
	MemoryContext caller = CurrentMemoryContext;
	PhValue *out = ph_value_new(PH_VALUE_PROFILE, caller);
	MemoryContext work = AllocSetContextCreate(caller, "perfhouse literal", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(work);
	PhHatchetLiteral literal = literal_begin(&out->env);
	read_literal(&literal, json);
	add_metrics(&literal);
	add_values(&literal);
	PH_CHECK(&out->env, ph_builder_add_source(literal.builder, 0, "Hatchet literal"));
	PH_CHECK(&out->env, ph_builder_finish(literal.builder, &out->profile));
	ph_builder_free(literal.builder);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	PG_RETURN_PH_VALUE(out);
}
