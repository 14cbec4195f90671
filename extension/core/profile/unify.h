/*
 * unify.h - several profiles on the union of their trees: what every combination starts from.
 *
 * Nodes match by path of identities, metrics by name (those that all have, of the same kind; units
 * of one dimension become the first profile's),
 * columns by coordinates when all have the same ones; else each profile counts as one column, its
 * mean over columns (absent = 0).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_UNIFY_H
#define PH_PROFILE_UNIFY_H

#include "profile/cells.h"
#include "profile/internal.h"

typedef enum PhUnionColumns
{
	PH_UNION_MATCH, /* by coordinates when possible */
	PH_UNION_MEANS	/* always means */
} PhUnionColumns;

/* The four arrays of a metric. */
enum
{
	PH_ARRAY_EXCLUSIVE,
	PH_ARRAY_INCLUSIVE,
	PH_ARRAY_ABSORBED,
	PH_ARRAY_RESIDUAL,
	PH_ARRAY_COUNT
};

/* A node of the union in one of the profiles. */
typedef struct PhUnionMember
{
	uint32_t profile, node;
} PhUnionMember;

typedef struct PhUnion
{
	PhMaker *maker;
	uint32_t n;
	const PhProfile *const *profiles;
	uint32_t *member_start; /* node of the union -> the nodes that it stands for */
	PhUnionMember *members; /* by profile, each of which has a node once */
	/* [profile][metric]: its index for the order of metrics; NULL, also [profile]: its own */
	const uint32_t *const *least_index;
	uint32_t n_metrics;
	uint32_t *metric_of;  /* [profile * n_metrics + metric]: the profile's metric */
	double *factor_of;	  /* [profile * n_metrics + metric]: to the first profile's unit */
	const char **unit_of; /* [metric]: that unit */
	bool means;
	uint32_t n_columns;
	/*
	 * [profile * n_columns + column]: the profile's column of one of the union, and the other way
	 * round. NULL: all profiles have the same columns in the same order, or means.
	 */
	uint32_t *column_of, *place_of;
	double *vector;	  /* a zero a column, between the functions below */
	double *quotient; /* room for a value a column */
} PhUnion;

/* Build the union's tree in the maker's profile and match metrics and columns. */
PhStatus ph_union_begin(PhUnion *whole, PhMaker *maker, uint32_t n,
						const PhProfile *const *profiles, PhUnionColumns columns) PH_MUST_CHECK;

/* The same where profiles stand for several: their metrics have the least index in any of those. */
PhStatus ph_union_begin_folded(PhUnion *whole, PhMaker *maker, uint32_t n,
							   const PhProfile *const *profiles, const uint32_t *const *least_index,
							   PhUnionColumns columns) PH_MUST_CHECK;

/* By metric of the union: the least index in any profile. */
PhStatus ph_union_least_indexes(const PhUnion *whole, PhArena *arena, uint32_t **out) PH_MUST_CHECK;

/* The columns of the result; means: one column named so. */
PhStatus ph_union_columns(PhUnion *whole) PH_MUST_CHECK;

/* What becomes of units. */
typedef enum PhUnionUnits
{
	PH_UNITS_SAME,
	PH_UNITS_PRODUCT, /* of products: "s*s" */
	PH_UNITS_NONE	  /* of quotients */
} PhUnionUnits;

/* Metrics as the first profile has them; ratios of common metrics, without values. */
PhStatus ph_union_metrics(PhUnion *whole, PhUnionUnits units) PH_MUST_CHECK;

/* Marks of a difference: which nodes only one of two profiles has. */
PhStatus ph_union_marks(PhUnion *whole, uint32_t before, uint32_t after) PH_MUST_CHECK;

/* Sources without repeats by (run, label), all notes without repeats (sorted if asked), one more
 * note (NULL: none). */
PhStatus ph_union_provenance(PhUnion *whole, bool sorted, const char *note) PH_MUST_CHECK;

/* The node of a profile that a node of the union stands for, or PH_NONE. */
uint32_t ph_union_node(const PhUnion *whole, uint32_t profile, uint32_t node);

/*
 * The values that a node of a profile (PH_NONE: none) has in the columns of a row of the union, one
 * after the other; 0 where absent. Ratios are evaluated (NaN: undefined). O(cells of both).
 */
void ph_union_values(const PhUnion *whole, uint32_t profile, uint32_t node, uint32_t metric,
					 int array, const PhRow *row, double *values);

/* The same of an array beside the values, by cell of the profile; NULL: 0. */
void ph_union_array_values(const PhUnion *whole, uint32_t profile, uint32_t node, uint32_t metric,
						   const double *array, const PhRow *row, double *values);

/* The same of numbers without a unit. */
void ph_union_counts(const PhUnion *whole, uint32_t profile, uint32_t node, const double *counts,
					 const PhRow *row, double *values);

/* Whether a node of a profile is present, for the columns of a row of the union. */
void ph_union_present(const PhUnion *whole, uint32_t profile, uint32_t node, const PhRow *row,
					  bool *present);

/* That a node of the union is present where a profile has this node. */
PhStatus ph_union_add_presence(const PhUnion *whole, uint32_t profile, uint32_t node,
							   PhPresence *presence, uint32_t union_node) PH_MUST_CHECK;

/* Cells of the result: those that any profile has. */
PhStatus ph_union_set_cells(PhUnion *whole) PH_MUST_CHECK;

/* Whether any profile has such values at all. */
bool ph_union_has_array(const PhUnion *whole, uint32_t metric, int array);

static inline const PhMetric *
ph_union_metric(const PhUnion *whole, uint32_t profile, uint32_t metric)
{
	return &whole->profiles[profile]
				->metrics[whole->metric_of[(size_t) profile * whole->n_metrics + metric]];
}

/* Where one of a metric's arrays is. */
static inline double **
ph_metric_array(PhMetric *metric, int array)
{
	double **arrays[PH_ARRAY_COUNT] = {&metric->exclusive, &metric->inclusive, &metric->absorbed,
									   &metric->residual};
	return arrays[array];
}

#endif
