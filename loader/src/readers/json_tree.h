/*
 * json_tree.h - walk a tree of JSON objects, each with its values and then "children", a list of
 * objects of the same kind, without recursion and without keeping any of it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_JSON_TREE_H
#define PH_READERS_JSON_TREE_H

#include "readers/json_scan.h"

typedef struct PhJsonTree
{
	void *reader;

	/* An object begins; what is known of the last one may be forgotten. */
	void (*begin)(void *reader);

	/* A member before "children": take its value. */
	PhStatus (*member)(void *reader, const PhJsonText *key);

	/* All members before "children" are known: the node that the children are below. at: where the
	 * object begins. */
	PhStatus (*settle)(void *reader, size_t at, uint32_t parent, uint32_t *node);
} PhJsonTree;

/* Walk the object that the scanner stands before; parent is lent to settle. What follows the
 * children of an object is passed over. */
PhStatus ph_json_tree_walk(PhJsonScan *json, const PhJsonTree *tree, uint32_t parent) PH_MUST_CHECK;

#endif
