/*
 * mixed.h - seeded random profiles with everything that a profile may have.
 *
 * Several metrics of every kind, loops with lines, several roots, equal siblings, threads, hosts
 * and iterations, absent cells, values given in several parts. The raw input stays visible, so that
 * a test can work out the right answer in its own slow way.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_MIXED_H
#define SUPPORT_MIXED_H

#include "profile/builder.h"
#include "support/forest.h"

#define MIXED_MOST_NODES 48
#define MIXED_MOST_COLUMNS 6
#define MIXED_MOST_VALUES 4096
#define MIXED_REGIONS 12

/* Metrics: indices in every mixed profile. */
enum
{
	MIXED_TIME,	 /* flow; given as the input says */
	MIXED_COUNT, /* flow, exclusive */
	MIXED_PEAK,	 /* value, max */
	MIXED_HEAT,	 /* value, mean */
	MIXED_RATE,	 /* count / time */
	MIXED_METRICS
};

typedef struct MixedValue
{
	uint32_t metric, node, column;
	PhCost cost;
	double value;
} MixedValue;

typedef struct Mixed
{
	uint32_t n_nodes, n_columns, n_values;
	PhGiven given; /* of the time */
	uint32_t parent[MIXED_MOST_NODES];
	uint32_t region[MIXED_MOST_NODES];
	PhColumnSpec columns[MIXED_MOST_COLUMNS];
	MixedValue values[MIXED_MOST_VALUES];
} Mixed;

/* whole_numbers: every value is a small integer, so that all sums are exact. */
void mixed_random(uint64_t seed, bool whole_numbers, Mixed *out);

/* The regions that inputs draw from. */
const PhRegionSpec *mixed_region(uint32_t region);

/* shuffle NULL: everything in order; else regions, columns, nodes and values in an order drawn, and
 * numbers of values that are expected. */
PhStatus mixed_profile(PhEnv *env, const Mixed *mixed, Random *shuffle, PhProfile **out);

/* Flat form of a profile, malloc'ed. */
uint8_t *flat_bytes(PhEnv *env, const PhProfile *profile, size_t *size);
/* Whether two profiles have the same bytes. */
bool same_bytes(PhEnv *env, const PhProfile *a, const PhProfile *b);

/*
 * Whether inclusive = exclusive + absorbed + residual + children holds in every cell of every flow
 * metric, up to a relative tolerance; *where is a node where not.
 */
bool flow_holds(const PhProfile *profile, double tolerance, uint32_t *where);

/* Whether two numbers agree up to a relative tolerance (or both are NaN). */
bool agree(double a, double b, double tolerance);

/* The node of a profile with the same path of identities as another profile's node, or PH_NONE. */
uint32_t same_path(const PhProfile *profile, const PhProfile *other, uint32_t node);

#endif
