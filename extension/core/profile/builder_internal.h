/*
 * builder_internal.h - the builder's parts: draft (tree, metrics, columns), cells, finish.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_BUILDER_INTERNAL_H
#define PH_PROFILE_BUILDER_INTERNAL_H

#include "profile/builder.h"
#include "profile/internal.h"

/*
 * Values of one column and slot: a list of (raw node, value), or, when that would be no smaller, an
 * array over raw nodes, NaN where nothing was given. So it takes 8 to 36 bytes a value.
 */
typedef struct PhCells
{
	double *values;
	uint32_t *nodes; /* of the list; NULL: values[node] */
	uint32_t n;		 /* entries of the list, nodes with a value in the array */
	uint32_t capacity;
	bool is_unsorted; /* the list does not ascend, or has a node more than once */
} PhCells;

/* Raw nodes [first, first + n). */
typedef struct PhNodeRun
{
	uint32_t first, n;
} PhNodeRun;

/* Nodes marked present in one column; runs come in any order and may overlap. */
typedef struct PhMarks
{
	PhNodeRun *runs;
	uint32_t n, capacity;
} PhMarks;

/*
 * What a cell needs beyond its value to be exact: the parts that rounding lost and, for means, how
 * many further addends the value holds. With them the order of addends does not matter.
 */
typedef struct PhExtra
{
	uint32_t slot, column, node;
	uint32_t weight;
	double value;
} PhExtra;

struct PhProfileBuilder
{
	PhEnv *env;
	PhArena arena;
	PhStrings strings;
	PhRecords regions; /* PhRegion */
	PhRecords columns; /* PhColumn */
	PhMap children;	   /* (parent, region) -> raw node */
	PhProfile draft;   /* metrics and provenance; strings index `strings` */
	uint32_t metric_capacity, source_capacity, note_capacity;
	PhGiven *given; /* per metric */
	uint32_t given_capacity;

	uint32_t n_nodes, parent_capacity, region_capacity;
	uint32_t *parent; /* per raw node */
	uint32_t *region;

	uint32_t n_slots;		 /* 2 per metric, fixed with the first value or mark; 0 before */
	uint32_t cells_capacity; /* columns with room in cells */
	uint32_t marks_capacity; /* columns with room in marks */
	PhCells *cells;			 /* [column * n_slots + slot] */
	PhMarks *marks;			 /* per column */
	uint32_t n_extras, extra_capacity, compact_at;
	PhExtra *extras;
};

/* Slot of a metric's exclusive or inclusive values. */
static inline uint32_t
ph_builder_slot(uint32_t metric, PhCost cost)
{
	return 2 * metric + (cost == PH_COST_INCLUSIVE);
}

/* What was given for a column and slot, NULL: nothing. */
static inline PhCells *
ph_builder_cells(const PhProfileBuilder *builder, uint32_t slot, uint32_t column)
{
	if (column >= builder->cells_capacity || builder->n_slots == 0)
		return NULL;
	PhCells *cells = &builder->cells[(size_t) column * builder->n_slots + slot];
	return cells->n == 0 ? NULL : cells;
}

/* Entry i < ph_cells_end of a list or array; false: an element of the array without a value. */
static inline bool
ph_cells_entry(const PhCells *cells, uint32_t i, uint32_t *node, double *value)
{
	*node = cells->nodes != NULL ? cells->nodes[i] : i;
	*value = cells->values[i];
	return *value == *value;
}

static inline uint32_t
ph_cells_end(const PhCells *cells)
{
	return cells == NULL ? 0 : cells->nodes != NULL ? cells->n : cells->capacity;
}

/*
 * Call the n_nodes nodes of values and extras by other numbers, node_of[raw]. What comes together
 * in one cell is combined. Lists have each node once afterwards, in any order.
 */
PhStatus ph_builder_renumber(PhProfileBuilder *builder, const uint32_t *node_of,
							 uint32_t n_nodes) PH_MUST_CHECK;

void ph_builder_free_slot(PhProfileBuilder *builder, uint32_t slot);
void ph_builder_free_cells(PhProfileBuilder *builder);

/* Order of extras: slot, column, node. */
PhStatus ph_builder_sort_extras(PhProfileBuilder *builder) PH_MUST_CHECK;

/* Index of extras by (slot, column, node). */
int ph_extra_compare(const PhExtra *x, const PhExtra *y);

/* exclusive, inclusive and residual from what was given; NaN marks what was not. */
PhStatus ph_metric_derive(PhEnv *env, PhProfile *profile, PhMetric *metric) PH_MUST_CHECK;

#endif
