/*
 * hatchet.h - Hatchet's literal JSON as a profile: what both of its forms share.
 *
 * Form A, what GraphFrame.to_json writes: {"graph": [{"ID": {"data": {…}, "children": [ID, …]}}],
 * "dataframe": [{"node": ID, "rank": R, METRIC: number, …}], "exclusive_metrics": […],
 * "inclusive_metrics": […]}. Form B, what GraphFrame.from_literal reads: trees of {"frame": {…},
 * "metrics": {…}, "children": […]}.
 *
 * Nodes go to the builder as they come; values wait in a list, because the builder must know all
 * metrics before the first value. Nothing recurses on the depth of the tree.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_HATCHET_H
#define PH_PROFILE_HATCHET_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "profile/builder.h"
#include "server/pgenv.h"

/* A metric by its name without " (inc)", and which of its sides were met. */
typedef struct PhLiteralMetric
{
	char *name;
	int given; /* PhGiven bits */
	uint32_t index;
} PhLiteralMetric;

typedef struct PhLiteralValue
{
	uint32 node;
	uint32 metric; /* index into metrics */
	int32 rank;	   /* PH_NO_NUMBER: none */
	int32 thread;
	PhCost cost;
	double value;
} PhLiteralValue;

typedef struct PhHatchetLiteral
{
	PhEnv *env;
	PhProfileBuilder *builder;
	uint32 n_nodes;
	uint32 n_metrics, metrics_capacity;
	PhLiteralMetric *metrics;
	uint64 n_values, values_capacity;
	PhLiteralValue *values;
} PhHatchetLiteral;

void ph_literal_tree(PhHatchetLiteral *literal, JsonbContainer *root);	/* form B */
void ph_literal_graph(PhHatchetLiteral *literal, JsonbContainer *root); /* form A */

/* Member of an object; NULL when it is missing or JSON null. */
JsonbValue *ph_literal_member(JsonbContainer *object, const char *key);
/* The container of a value that must be an object or an array, else NULL. */
JsonbContainer *ph_literal_container(const JsonbValue *value, bool array);
/* A member that is a whole number in int4's range, else this. */
int32 ph_literal_int(JsonbContainer *object, const char *key, int32 otherwise);

/* A new node below parent (PH_NONE: a root) from its frame: name, type, module, file, line. */
uint32 ph_literal_node(PhHatchetLiteral *literal, JsonbContainer *frame, uint32 parent);

/* Note a value; inclusive: even when the name does not end in " (inc)". */
void ph_literal_value(PhHatchetLiteral *literal, uint32 node, const char *metric, bool inclusive,
					  int32 rank, int32 thread, double value);

double ph_literal_number(const JsonbValue *value, uint32 node, const char *metric);

/* 22023: the literal's node number `node` is wrong in this way. */
_Noreturn void ph_literal_refuse(uint32 node, const char *what);

#endif
