/*
 * literal.h - Hatchet's JSON as arrays: both literal forms and the output of to_json.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_HATCHET_LITERAL_H
#define PH_READERS_HATCHET_LITERAL_H

#include "readers/caliper/caliper.h"
#include "readers/json_scan.h"

typedef struct PhLiteralNode
{
	const char *id; /* form A: the key in the graph */
	const char *name, *type, *library, *file;
	int32_t line;
	uint32_t parent; /* PH_NONE: a root */
	size_t at;		 /* where it stands, for messages */
	size_t metrics;	 /* form B: where its metrics stand, 0: none */
} PhLiteralNode;

/* A link of form A, resolved when all nodes are known. */
typedef struct PhLiteralLink
{
	uint32_t parent;
	uint32_t child; /* string index of the child's id */
	size_t at;
} PhLiteralLink;

typedef struct PhLiteral
{
	PhJsonScan json;
	PhArena *arena;
	uint32_t n_nodes, nodes_capacity;
	PhLiteralNode *nodes;
	PhStrings ids;	  /* form A */
	PhMap node_of_id; /* string index of an id -> node */
	uint32_t n_links, links_capacity;
	PhLiteralLink *links;
	uint32_t n_shared; /* nodes with several parents, put below one of them */
	size_t dataframe;  /* form A: where the rows stand, 0: form B */
	size_t units;	   /* form A: where the metrics' units stand, 0: nowhere */
} PhLiteral;

/* Read the graph of either form; rows and metrics are left where they stand. */
PhStatus ph_literal_read(PhLiteral *literal, PhArena *arena, PhEnv *env,
						 PhInput *input) PH_MUST_CHECK;

/* Take one attribute (name, type, file, line, module) of a frame or row; others are skipped. */
PhStatus ph_literal_attribute(PhLiteral *literal, PhLiteralNode *node, const PhJsonText *key,
							  bool *taken) PH_MUST_CHECK;

/* Read an id, a string or number, and find its node; PH_NONE: unknown. */
PhStatus ph_literal_read_id(PhLiteral *literal, uint32_t *node) PH_MUST_CHECK;

#endif
