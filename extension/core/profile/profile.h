/*
 * profile.h - the value `profile`: a calling-context forest in normal form with metrics.
 *
 * One tree carries one or more metrics, each a vector over columns per node. Nodes are numbered in
 * pre-order with children sorted by identity, so node ids, bytes and results never depend on the
 * order in which a reader met things.
 *
 * A PhProfile is immutable once built and lives in one arena; values derived from it may share its
 * arrays only when they keep the same arena. Operations make new profiles.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_PROFILE_H
#define PH_PROFILE_PROFILE_H

#include "base/arena.h"
#include "profile/parts.h"

typedef struct PhProfile PhProfile;

struct PhProfile
{
	PhArena arena; /* owns everything below */

	uint32_t n_strings;
	const char **strings; /* strings[0] = "" */

	uint32_t n_regions;
	PhRegion *regions; /* in order of first use by pre-order node */

	uint32_t n_nodes;	   /* pre-order, children sorted by ph_region_compare */
	uint32_t *parent;	   /* PH_NONE for roots; parent[n] < n */
	uint32_t *region;	   /* index into regions */
	uint32_t *subtree_end; /* one past n's last descendant: n's subtree is [n, subtree_end[n]) */
	uint32_t *depth;	   /* roots are 0 */
	uint64_t *callpath_id; /* ph_hash_callpath(parent's id or 0, region_id) */

	uint32_t n_columns;
	PhColumn *columns; /* sorted by ph_column_compare (run, rank, thread, iteration, name);
						  ensembles: as given */

	uint32_t n_metrics; /* metrics[0] is the primary one */
	PhMetric *metrics;

	/*
	 * Which cells there are (profile/cells.h): the values of a node are those of first_cell[node]
	 * up to first_cell[node + 1], its columns runs[first_run[node]] up to runs[first_run[node +
	 * 1]]. NULL: every node is in every column, and the row of a node begins at node * n_columns;
	 * then there are no lists. Absent cells have no values and count 0.
	 */
	size_t *first_cell;	 /* per node, and one more */
	uint32_t *first_run; /* per node, and one more */
	PhColumnRun *runs;	 /* ascending within a node; no two touch */

	PhProvenance provenance;

	/*
	 * For a diff: which columns stand for A (before) and B (after) is lost in the numbers, so the
	 * marks are kept per node. NULL: not a diff.
	 */
	uint8_t *diff_status; /* PhDiffStatus per node */
	PhProfile *before; /* diff: the unified operands, each column reduced to its mean; else NULL */
	PhProfile *after;

	PhProfile
		*unfiltered; /* what filter() started from, for repopulate(); NULL: nothing filtered */
};

typedef enum PhDiffStatus
{
	PH_DIFF_BOTH = 0,
	PH_DIFF_ONLY_BEFORE = 1,
	PH_DIFF_ONLY_AFTER = 2
} PhDiffStatus;

/* ---- identity (profile/identity.c); xxHash XXH3-64 over a fixed byte layout, pinned for ever ----
 */

uint64_t ph_hash_region(PhRegionKind kind, const char *name, const char *library, const char *file,
						int32_t line);
uint64_t ph_hash_callpath(uint64_t parent_id,
						  uint64_t region_id); /* parent_id 0: root; never returns 0 */

/* ---- getters; cannot fail ---- */

static inline const char *
ph_profile_string(const PhProfile *profile, PhString string)
{
	return profile->strings[string];
}

static inline const PhRegion *
ph_profile_region(const PhProfile *profile, uint32_t node)
{
	return &profile->regions[profile->region[node]];
}

static inline const char *
ph_profile_node_name(const PhProfile *profile, uint32_t node)
{
	return profile->strings[ph_profile_region(profile, node)->name];
}

#define PH_NO_CELL SIZE_MAX

/*
 * Where the value of a node in a column is, PH_NO_CELL: the node is not there. O(log runs of the
 * node): who wants them all goes from span to span (profile/cells.h).
 */
size_t ph_profile_find_cell(const PhProfile *profile, uint32_t node, uint32_t column);

static inline bool
ph_profile_is_present(const PhProfile *profile, uint32_t node, uint32_t column)
{
	return profile->first_cell == NULL || ph_profile_find_cell(profile, node, column) != PH_NO_CELL;
}

/* Which of the four kinds of cost a caller wants. PH_COST_OWN = exclusive + absorbed + residual. */
typedef enum PhCost
{
	PH_COST_INCLUSIVE = 0,
	PH_COST_EXCLUSIVE = 1,
	PH_COST_ABSORBED = 2,
	PH_COST_RESIDUAL = 3,
	PH_COST_OWN = 4
} PhCost;

/*
 * Mean over all columns, absent = 0 (flow and value metrics); ratios:
 * mean(numerator)/mean(denominator), NaN when the denominator is 0.
 */
double ph_profile_mean(const PhProfile *profile, uint32_t metric, uint32_t node, PhCost cost);

/* The value of one cell; 0 where absent; ratios divide cell by cell. O(log runs of the node). */
double ph_profile_cell(const PhProfile *profile, uint32_t metric, uint32_t node, uint32_t column,
					   PhCost cost);

/* The value of a cell by its place, as spans tell it. */
double ph_profile_value(const PhProfile *profile, uint32_t metric, size_t cell, PhCost cost);

/* Whether a column is the mean over units that were rolled up: it tells nothing about single ones.
 */
bool ph_profile_is_rolled_up(const PhProfile *profile);

/* Number of columns in which the node is present. */
static inline uint32_t
ph_profile_n_present(const PhProfile *profile, uint32_t node)
{
	if (profile->first_cell == NULL)
		return profile->n_columns;
	return (uint32_t) (profile->first_cell[node + 1] - profile->first_cell[node]);
}

/* Sum over roots of the mean inclusive value: the total R of docs/design/supergraph.md 1. */
double ph_profile_total(const PhProfile *profile, uint32_t metric);

/* Sum over nodes of the mean residual: total less all exclusive and absorbed costs; 0 of ratios. */
double ph_profile_residual(const PhProfile *profile, uint32_t metric);

/* Index of a metric by name (exact, then case-insensitive, then unique prefix) or PH_NONE. */
uint32_t ph_profile_find_metric(const PhProfile *profile, const char *name);

/* Total order of siblings: kind, name, library, file, line, as bytes. */
int ph_region_compare(const PhProfile *a, const PhRegion *x, const PhProfile *b, const PhRegion *y);

/* Total order of columns: run, rank, thread, iteration, name, host, kind. */
int ph_column_compare(const PhProfile *a, const PhColumn *x, const PhProfile *b, const PhColumn *y);

/* Only loops and statements have their line in the identity. */
static inline bool
ph_kind_has_line(PhRegionKind kind)
{
	return kind == PH_KIND_LOOP || kind == PH_KIND_STATEMENT;
}

/* "function", "region", "loop", "statement", "root". */
const char *ph_kind_name(uint8_t kind);

/* A region's module label, else its library's base name; "" when it has neither. */
const char *ph_region_module(const PhProfile *profile, const PhRegion *region);

/*
 * For whoever fills a profile of ph_profile_with_room: what it rests on. Strings are copied into
 * the profile; label may be NULL. Sources come before notes.
 */
PhStatus ph_profile_add_source(PhEnv *env, PhProfile *profile, int64_t run_id,
							   const char *label) PH_MUST_CHECK;
PhStatus ph_profile_add_note(PhEnv *env, PhProfile *profile, const char *note) PH_MUST_CHECK;

/* Text of a column for people: its name, else "rank 3", "rank 3 thread 1", "run 7". Bounded by
 * size. */
void ph_column_label(const PhProfile *profile, uint32_t column, char *out, size_t size);

/* Free the profile and everything it owns (before, after, unfiltered too). NULL is fine. */
void ph_profile_free(PhEnv *env, PhProfile *profile);

/* Check every structural rule above; PH_ERR_FORMAT names the first one broken. For tests and recv.
 */
PhStatus ph_profile_check(PhEnv *env, const PhProfile *profile) PH_MUST_CHECK;

#endif
