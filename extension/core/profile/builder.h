/*
 * builder.h - from what readers meet, in any order, to a profile in normal form.
 *
 * Use: new; set metrics and columns; add nodes (a parent before its children, unless
 * ph_builder_set_parent is used); add values in any order; finish. Equal siblings are merged and
 * their costs added in an order that does not depend on the calls, so any reader order gives the
 * same bytes. Method: docs/design/supergraph.md 0 (normal form, additivity, residual).
 *
 * Complexity: O(values + nodes log fan-out). Memory: the dense values plus ~100 bytes a node.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_BUILDER_H
#define PH_PROFILE_BUILDER_H

#include "profile/profile.h"

typedef struct PhProfileBuilder PhProfileBuilder;

/* What the source gave for a flow metric; decides what is derived (docs/design/supergraph.md 0). */
typedef enum PhGiven
{
	PH_GIVEN_EXCLUSIVE = 1, /* derive inclusives */
	PH_GIVEN_INCLUSIVE = 2, /* derive exclusives */
	PH_GIVEN_BOTH = 3		/* trust inclusives; what disagrees becomes exclusive or residual */
} PhGiven;

/* One region as a reader knows it; NULL or "" strings mean unknown. Copied. */
typedef struct PhRegionSpec
{
	PhRegionKind kind;
	const char *name; /* must not be empty; valid UTF-8 without NUL (checked) */
	const char *library;
	const char *file;
	const char *module;
	int32_t line;		  /* PH_NO_NUMBER: unknown */
	const char *paradigm; /* lower case: "mpi", "openmp", "user", … */
} PhRegionSpec;

typedef struct PhColumnSpec
{
	PhColumnKind kind;
	int64_t run_id;
	int64_t iteration; /* PH_NO_ITERATION: none */
	int32_t rank;
	int32_t thread;
	const char *host;
	const char *name;
} PhColumnSpec;

typedef struct PhMetricSpec
{
	const char *name;
	const char *unit;
	PhMetricKind kind;
	PhCombine combine;
	PhGiven given;
	uint32_t numerator; /* ratios: metric indices as returned by add_metric */
	uint32_t denominator;
	bool may_be_negative; /* otherwise a negative value is PH_ERR_VALUE */
} PhMetricSpec;

PhStatus ph_builder_new(PhEnv *env, PhProfileBuilder **out) PH_MUST_CHECK;
void ph_builder_free(PhProfileBuilder *builder);

/*
 * Index of the metric in order of calls; a name met twice is PH_ERR_CONFLICT. The first is primary.
 * All metrics must be added before the first value. Columns may be added at any time.
 */
PhStatus ph_builder_add_metric(PhProfileBuilder *builder, const PhMetricSpec *spec,
							   uint32_t *out) PH_MUST_CHECK;

/* Index of the column with these coordinates, made when new (equal specs share a column). */
PhStatus ph_builder_add_column(PhProfileBuilder *builder, const PhColumnSpec *spec,
							   uint32_t *out) PH_MUST_CHECK;

/* Index of the region, interned by identity and labels. */
PhStatus ph_builder_add_region(PhProfileBuilder *builder, const PhRegionSpec *spec,
							   uint32_t *out) PH_MUST_CHECK;

/* A new node below parent (PH_NONE: a root). Raw ids count up from 0 in order of calls. */
PhStatus ph_builder_add_node(PhProfileBuilder *builder, uint32_t parent, uint32_t region,
							 uint32_t *out) PH_MUST_CHECK;

/* The child of parent with this region, made when it does not exist yet (O(1) expected). */
PhStatus ph_builder_child(PhProfileBuilder *builder, uint32_t parent, uint32_t region,
						  uint32_t *out) PH_MUST_CHECK;

/* For sources that name parents later; finish checks for cycles (PH_ERR_FORMAT). */
PhStatus ph_builder_set_parent(PhProfileBuilder *builder, uint32_t node,
							   uint32_t parent) PH_MUST_CHECK;

/*
 * Add a value to a cell; cost is PH_COST_EXCLUSIVE or PH_COST_INCLUSIVE. Adds to what is there
 * (PH_METRIC_VALUE: combines). Marks the node present in the column, also for value 0.
 * NaN and infinities are PH_ERR_VALUE; so are negative values unless the metric allows them.
 */
PhStatus ph_builder_add_value(PhProfileBuilder *builder, uint32_t metric, uint32_t node,
							  uint32_t column, PhCost cost, double value) PH_MUST_CHECK;

/*
 * So many values will come for this metric and cost in the column: room for them at once, in place
 * of room that grows. It may be called for columns without values, and more or fewer may come.
 */
PhStatus ph_builder_expect_values(PhProfileBuilder *builder, uint32_t metric, uint32_t column,
								  PhCost cost, uint32_t n) PH_MUST_CHECK;

/* Mark the node present in the column without a value. */
PhStatus ph_builder_mark_present(PhProfileBuilder *builder, uint32_t node,
								 uint32_t column) PH_MUST_CHECK;

/* Provenance; label may be NULL. */
PhStatus ph_builder_add_source(PhProfileBuilder *builder, int64_t run_id,
							   const char *label) PH_MUST_CHECK;
PhStatus ph_builder_add_note(PhProfileBuilder *builder, const char *note) PH_MUST_CHECK;
void ph_builder_set_missing_columns(PhProfileBuilder *builder, uint32_t count);

/* Make the profile; the builder is used up (free it). A forest without nodes is PH_ERR_VALUE. */
PhStatus ph_builder_finish(PhProfileBuilder *builder, PhProfile **out) PH_MUST_CHECK;

#endif
