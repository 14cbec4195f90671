/*
 * cali_tree.h - the context tree of a .cali file and the attributes that it defines.
 *
 * Attributes are nodes too: a node with attribute 8 (cali.attribute.name) defines one; its
 * ancestors give type, properties, alias and unit. Links are resolved after all nodes are read, so
 * the order of the lines does not matter.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_CALIPER_CALI_TREE_H
#define PH_READERS_CALIPER_CALI_TREE_H

#include "readers/caliper/cali_records.h"
#include "readers/caliper/caliper.h"

/* Bits of cali.attribute.prop. */
#define PH_CALI_PROP_HIDDEN 128
#define PH_CALI_PROP_NESTED 256
#define PH_CALI_PROP_GLOBAL 512

typedef struct PhCaliAttribute
{
	uint32_t node;	/* the node that defines it */
	uint32_t field; /* index into PhCaliTree.fields */
	int64_t properties;
	bool is_number;
} PhCaliAttribute;

typedef struct PhCaliTree
{
	PhArena *arena;
	PhCaliScanner *scanner;
	PhMap index; /* file's id -> node */
	uint32_t n_nodes;
	uint32_t attr_capacity, data_capacity, parent_capacity, line_capacity;
	uint64_t *attr_ids;	  /* per node: the file's id of its attribute */
	PhCaliText *data;	  /* per node */
	uint64_t *parent_ids; /* per node: the file's id, UINT64_MAX: a root */
	size_t *lines;		  /* per node: where it is defined, for messages */

	/* after ph_cali_tree_resolve */
	uint32_t *parent;	 /* per node */
	uint32_t *attribute; /* per node: index into attributes, PH_NONE: a bootstrap attribute */
	uint32_t n_attributes;
	PhCaliAttribute *attributes;
	PhCaliperField *fields;		 /* one per attribute */
	uint32_t *attribute_of_node; /* per node: the attribute that it defines, PH_NONE */
} PhCaliTree;

PhStatus ph_cali_tree_init(PhCaliTree *tree, PhArena *arena, PhCaliScanner *scanner) PH_MUST_CHECK;

/* Add a node record; a repeated one must be equal. */
PhStatus ph_cali_tree_add(PhCaliTree *tree, const PhCaliRecord *record) PH_MUST_CHECK;

/* Resolve links, refuse unknown ids and cycles, derive attributes. */
PhStatus ph_cali_tree_resolve(PhCaliTree *tree, PhContextTree *context) PH_MUST_CHECK;

/* Node with the file's id, or PH_NONE. */
PhStatus ph_cali_tree_find(PhCaliTree *tree, const PhCaliText *id, uint32_t *out) PH_MUST_CHECK;

/* Attribute with the file's id; PH_NONE for bootstrap attributes. */
PhStatus ph_cali_tree_attribute(PhCaliTree *tree, const PhCaliText *id,
								uint32_t *out) PH_MUST_CHECK;

#endif
