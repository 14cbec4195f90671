/*
 * json.h - the parts of the json-split reader: what a file holds where, and its rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_CALIPER_JSON_H
#define PH_READERS_CALIPER_JSON_H

#include "readers/caliper/caliper.h"
#include "readers/json_scan.h"

typedef enum PhJsonUse
{
	PH_USE_SKIP,
	PH_USE_METRIC,
	PH_USE_RANK,
	PH_USE_THREAD,
	PH_USE_ITERATION,
	PH_USE_PATH,
	PH_USE_MODULE,
	PH_USE_PART /* of an activity of a device */
} PhJsonUse;

typedef struct PhJsonColumn
{
	bool is_value;
	PhJsonUse use;
	uint8_t path_priority; /* PH_USE_PATH: 0 is the first choice */
	PhCaliperPart part;
} PhJsonColumn;

/* Where the sections begin; 0 = missing (an object cannot begin with one). */
typedef struct PhJsonSections
{
	size_t data, columns, metadata, nodes;
} PhJsonSections;

typedef struct PhCaliperJson
{
	PhEnv *env;
	PhInput *input;
	const PhReadOptions *options;
	PhJsonScan json;
	PhArena arena;
	PhProfileBuilder *builder;
	PhRunInput *run;
	PhJsonSections sections;

	uint32_t n_columns, columns_capacity;
	PhJsonColumn *columns;
	PhCaliperField *fields; /* parallel to columns */

	uint32_t n_nodes, labels_capacity, parents_capacity;
	const char **labels;
	uint32_t *parents;
	const char **modules; /* per node: label of the module its samples were in; NULL: no column */
	bool is_stack;		  /* the path is an unwound call stack: functions, not regions */
	PhContextTree tree;
	PhCaliperRows rows;
} PhCaliperJson;

PhStatus ph_caliper_json_fail(PhCaliperJson *reader, size_t offset, const char *message);

/* Find the sections in one quick pass, store globals, read columns and nodes; rows stay unread. */
PhStatus ph_caliper_json_layout(PhCaliperJson *reader) PH_MUST_CHECK;

/* Columns of strings are no metrics: look at rows until every metric column has shown a value. */
PhStatus ph_caliper_json_find_text(PhCaliperJson *reader) PH_MUST_CHECK;

#endif
