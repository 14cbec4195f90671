/*
 * builder_internal.h - the builder's parts: draft (tree, metrics, columns), cells, finish.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_BUILDER_INTERNAL_H
#define PH_PROFILE_BUILDER_INTERNAL_H

#include "profile/builder.h"
#include "profile/internal.h"

/* Values of one column and slot by raw node; NaN where nothing was given. */
typedef struct PhCells
{
	double *values;
	uint32_t capacity;
} PhCells;

/* Nodes marked present in one column, by raw node. */
typedef struct PhMarks
{
	uint8_t *bits;
	uint32_t n_bytes;
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

/* The value of a raw cell, NaN when none was given. */
static inline double
ph_builder_cell(const PhProfileBuilder *builder, uint32_t slot, uint32_t column, uint32_t node)
{
	if (column >= builder->cells_capacity || builder->n_slots == 0)
		return __builtin_nan("");
	const PhCells *cells = &builder->cells[(size_t) column * builder->n_slots + slot];
	return node < cells->capacity ? cells->values[node] : __builtin_nan("");
}

bool ph_builder_is_marked(const PhProfileBuilder *builder, uint32_t column, uint32_t node);
void ph_builder_free_slot(PhProfileBuilder *builder, uint32_t slot);
void ph_builder_free_cells(PhProfileBuilder *builder);

/* Order of extras: slot, column, node. */
PhStatus ph_builder_sort_extras(PhProfileBuilder *builder) PH_MUST_CHECK;

/* Index of extras by (slot, column, node). */
int ph_extra_compare(const PhExtra *x, const PhExtra *y);

/* exclusive, inclusive and residual from what was given; NaN marks what was not. */
PhStatus ph_metric_derive(PhEnv *env, PhProfile *profile, PhMetric *metric) PH_MUST_CHECK;

#endif
