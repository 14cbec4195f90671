/*
 * hatchet_literal.c - members, nodes and values of Hatchet's literal, as both of its forms have
 * them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "profile/hatchet.h"

static const char inclusive_suffix[] = " (inc)";

void
ph_literal_refuse(uint32 node, const char *what)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("Hatchet literal, node %u: %s", node, what),
					errdetail("Nodes are counted from 0 in the order of the document.")));
}

JsonbValue *
ph_literal_member(JsonbContainer *object, const char *key)
{
	JsonbValue *value = getKeyJsonValueFromContainer(object, key, (int) strlen(key), NULL);
	return value != NULL && value->type == jbvNull ? NULL : value;
}

JsonbContainer *
ph_literal_container(const JsonbValue *value, bool array)
{
	if (value == NULL || value->type != jbvBinary)
		return NULL;
	JsonbContainer *container = value->val.binary.data;
	bool matches = array ? JsonContainerIsArray(container) && !JsonContainerIsScalar(container)
						 : JsonContainerIsObject(container);
	return matches ? container : NULL;
}

static char *
literal_string(JsonbContainer *object, const char *key)
{
	const JsonbValue *value = ph_literal_member(object, key);
	if (value == NULL || value->type != jbvString)
		return NULL;
	return pnstrdup(value->val.string.val, value->val.string.len);
}

int32
ph_literal_int(JsonbContainer *object, const char *key, int32 otherwise)
{
	const JsonbValue *value = ph_literal_member(object, key);
	bool failed = false;
	if (value == NULL || value->type != jbvNumeric)
		return otherwise;
	int32 number = numeric_int4_opt_error(value->val.numeric, &failed);
	return failed ? otherwise : number;
}

static PhRegionKind
kind_of(const char *type)
{
	if (type == NULL)
		return PH_KIND_FUNCTION;
	if (strcmp(type, "region") == 0)
		return PH_KIND_REGION;
	if (strcmp(type, "loop") == 0)
		return PH_KIND_LOOP;
	if (strcmp(type, "statement") == 0)
		return PH_KIND_STATEMENT;
	return PH_KIND_FUNCTION;
}

uint32
ph_literal_node(PhHatchetLiteral *literal, JsonbContainer *frame, uint32 parent)
{
	PhRegionSpec spec = {.line = PH_NO_NUMBER};
	uint32_t region, node;
	if (frame != NULL)
		spec.name = literal_string(frame, "name");
	if (spec.name == NULL || spec.name[0] == '\0')
		ph_literal_refuse(literal->n_nodes, "its frame has no name");
	spec.kind = kind_of(literal_string(frame, "type"));
	spec.library = literal_string(frame, "module");
	spec.file = literal_string(frame, "file");
	spec.line = ph_literal_int(frame, "line", PH_NO_NUMBER);
	PH_CHECK(literal->env, ph_builder_add_region(literal->builder, &spec, &region));
	PH_CHECK(literal->env, ph_builder_add_node(literal->builder, parent, region, &node));
	literal->n_nodes++;
	return node;
}

/* Index of the metric with this name, made when it is new. */
static uint32
find_or_add_metric(PhHatchetLiteral *literal, const char *name, size_t length)
{
	for (uint32 m = 0; m < literal->n_metrics; m++)
		if (strlen(literal->metrics[m].name) == length &&
			memcmp(literal->metrics[m].name, name, length) == 0)
			return m;
	if (literal->n_metrics == literal->metrics_capacity)
	{
		literal->metrics_capacity *= 2;
		literal->metrics =
			repalloc(literal->metrics, sizeof(PhLiteralMetric) * literal->metrics_capacity);
	}
	literal->metrics[literal->n_metrics] = (PhLiteralMetric){.name = pnstrdup(name, length)};
	return literal->n_metrics++;
}

void
ph_literal_value(PhHatchetLiteral *literal, uint32 node, const char *metric, bool inclusive,
				 int32 rank, int32 thread, double value)
{
	size_t length = strlen(metric);
	size_t suffix = strlen(inclusive_suffix);
	if (length > suffix && strcmp(metric + length - suffix, inclusive_suffix) == 0)
	{
		inclusive = true;
		length -= suffix;
	}
	uint32 found = find_or_add_metric(literal, metric, length);
	literal->metrics[found].given |= inclusive ? PH_GIVEN_INCLUSIVE : PH_GIVEN_EXCLUSIVE;
	if (literal->n_values == literal->values_capacity)
	{
		literal->values_capacity *= 2;
		literal->values =
			repalloc_huge(literal->values, sizeof(PhLiteralValue) * literal->values_capacity);
	}
	literal->values[literal->n_values++] =
		(PhLiteralValue){.node = node,
						 .metric = found,
						 .rank = rank,
						 .thread = thread,
						 .cost = inclusive ? PH_COST_INCLUSIVE : PH_COST_EXCLUSIVE,
						 .value = value};
}

double
ph_literal_number(const JsonbValue *value, uint32 node, const char *metric)
{
	if (value->type != jbvNumeric)
		ph_literal_refuse(node, psprintf("metric \"%s\" is not a number", metric));
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8, NumericGetDatum(value->val.numeric)));
}
