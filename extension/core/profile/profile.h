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

#define PH_NO_ITERATION INT64_MIN /* the column has no iteration coordinate */
#define PH_NO_NUMBER (-1)		  /* unknown rank, thread or line */

typedef uint32_t PhString; /* index into PhProfile.strings; 0 is the empty string = null */

/* What a region is. Loops and statements have file and line in their identity. */
typedef enum PhRegionKind
{
	PH_KIND_FUNCTION = 0,
	PH_KIND_REGION = 1, /* user annotation, phase */
	PH_KIND_LOOP = 2,
	PH_KIND_STATEMENT = 3,
	PH_KIND_ROOT = 4, /* synthetic root of a forest */
	PH_KIND_COUNT
} PhRegionKind;

/*
 * Identity = (kind, name, library, file, and line for loops and statements): region_id is its hash.
 * Labels beside the identity: `module`, what the run's module map made of it, and `paradigm`, what
 * the measurement says it belongs to ("mpi", "openmp", "user", …); empty: unknown.
 */
typedef struct PhRegion
{
	uint64_t region_id;
	PhString name;
	PhString library;  /* load module as the profiler has it, path normalised */
	PhString file;	   /* source file, path normalised */
	PhString module;   /* label from a module map; empty: group by library instead */
	PhString paradigm; /* lower case; empty: ph_region_paradigm derives one from the name */
	int32_t
		line; /* PH_NO_NUMBER unless the region is a loop or statement, or the reader knows it */
	uint8_t kind; /* PhRegionKind */
} PhRegion;

typedef enum PhColumnKind
{
	PH_COLUMN_UNIT = 0,	 /* process or thread of a run */
	PH_COLUMN_RUN = 1,	 /* a whole run in an ensemble */
	PH_COLUMN_GROUP = 2, /* several units or runs rolled up */
	PH_COLUMN_PE = 3,	 /* processing element of a task runtime */
	PH_COLUMN_CHARE = 4, /* migratable object of a task runtime */
	PH_COLUMN_MEAN = 5,	 /* mean over a run's units, whose own values were rolled up */
	PH_COLUMN_KIND_COUNT
} PhColumnKind;

/* An execution unit (host > process > thread), or a run of an ensemble. */
typedef struct PhColumn
{
	int64_t run_id;	   /* 0: not from a stored run */
	int64_t iteration; /* second axis: loop iteration or time step, PH_NO_ITERATION: none */
	int32_t rank;	   /* PH_NO_NUMBER: unknown */
	int32_t thread;	   /* PH_NO_NUMBER: unknown */
	PhString host;
	PhString name; /* label; empty: made from rank and thread when shown */
	uint8_t kind;  /* PhColumnKind */
} PhColumn;

/* How values of a metric may be combined. */
typedef enum PhMetricKind
{
	PH_METRIC_FLOW = 0, /* additive over tree and columns: time, counts, bytes */
	PH_METRIC_RATIO =
		1, /* numerator / denominator, evaluated after aggregation; stores no values */
	PH_METRIC_VALUE =
		2, /* not additive (min, max, average): kept per cell, never summed up a path */
	PH_METRIC_KIND_COUNT
} PhMetricKind;

/* How a PH_METRIC_VALUE combines when cells are merged. */
typedef enum PhCombine
{
	PH_COMBINE_MEAN = 0,
	PH_COMBINE_MIN = 1,
	PH_COMBINE_MAX = 2,
	PH_COMBINE_SUM = 3,
	PH_COMBINE_COUNT
} PhCombine;

typedef struct PhMetric
{
	PhString name;
	PhString unit;		  /* "s", "us", "count", "bytes", "" */
	uint32_t numerator;	  /* ratio: index of another metric */
	uint32_t denominator; /* ratio: index of another metric */
	uint8_t kind;		  /* PhMetricKind */
	uint8_t combine;	  /* PhCombine, for PH_METRIC_VALUE */
	uint8_t is_signed;	  /* values may be negative (differences) */

	/*
	 * Values by [node * n_columns + column]. NULL for ratios. Flow: inclusive(n) = exclusive +
	 * absorbed + residual + sum of inclusive over the children of n. PH_METRIC_VALUE: exclusive and
	 * inclusive hold the same given number (or what the source gave for each).
	 */
	double *exclusive;
	double *inclusive;
	double *absorbed; /* exclusive cost of filtered descendants; NULL: all zero */
	double *residual; /* where the source's own numbers disagree; NULL: all zero */
} PhMetric;

/* One run that a profile rests on. */
typedef struct PhSource
{
	int64_t run_id; /* 0: not stored */
	PhString label; /* application, file or ensemble label */
} PhSource;

/* What a profile rests on: printed under tables and pictures. */
typedef struct PhProvenance
{
	uint32_t n_sources;
	PhSource *sources;
	uint32_t n_notes;
	PhString
		*notes; /* one sentence per operation, e.g. "filter: share 0.001 of inclusive (mean)" */
	double share_filtered;	  /* part of the primary metric's total that is absorbed, 0..1 */
	uint64_t residual_cells;  /* cells whose inclusive and exclusive disagreed in the source */
	uint32_t missing_columns; /* ranks that the run had but the files did not */
} PhProvenance;

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

	uint8_t *present; /* bit node * n_columns + column, NULL: all present. Absent cells hold 0. */

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

static inline bool
ph_profile_is_present(const PhProfile *profile, uint32_t node, uint32_t column)
{
	size_t bit = (size_t) node * profile->n_columns + column;
	return profile->present == NULL || (profile->present[bit >> 3] >> (bit & 7) & 1) != 0;
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

/* The value of one cell; 0 where absent; ratios divide cell by cell. */
double ph_profile_cell(const PhProfile *profile, uint32_t metric, uint32_t node, uint32_t column,
					   PhCost cost);

/* Whether a column is the mean over units that were rolled up: it tells nothing about single ones.
 */
bool ph_profile_is_rolled_up(const PhProfile *profile);

/* Number of columns in which the node is present. */
uint32_t ph_profile_n_present(const PhProfile *profile, uint32_t node);

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
