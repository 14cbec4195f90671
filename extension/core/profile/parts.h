/*
 * parts.h - what a profile has beside its tree: regions, columns, metrics, and what it rests on.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_PARTS_H
#define PH_PROFILE_PARTS_H

#include <stdint.h>

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
	PH_COLUMN_UNIT = 0,	  /* process or thread of a run */
	PH_COLUMN_RUN = 1,	  /* a whole run in an ensemble */
	PH_COLUMN_GROUP = 2,  /* several units or runs rolled up */
	PH_COLUMN_PE = 3,	  /* processing element of a task runtime */
	PH_COLUMN_CHARE = 4,  /* migratable object of a task runtime */
	PH_COLUMN_MEAN = 5,	  /* mean over a run's units, whose own values were rolled up */
	PH_COLUMN_STREAM = 6, /* queue of an accelerator: what runs in it is not time of a process */
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

/* Columns [first, first + n); `before` cells of the same node lie in runs before this one. */
typedef struct PhColumnRun
{
	uint32_t first, n, before;
} PhColumnRun;

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
	 * Values by cell (profile/cells.h). NULL for ratios. Flow: inclusive(n) = exclusive +
	 * absorbed + residual + sum of inclusive over the children of n. PH_METRIC_VALUE: exclusive and
	 * inclusive hold the same given number (or what the source gave for each).
	 */
	double *exclusive;
	double *inclusive;
	double *absorbed; /* exclusive cost of filtered descendants; NULL: all zero */
	double *residual; /* where the source's own numbers disagree; NULL: all zero */

	/*
	 * By node, of a metric whose arrays have not been made yet: what ph_profile_mean would find in
	 * them. Else NULL.
	 */
	double *mean_exclusive;
	double *mean_inclusive;
	double *mean_residual; /* NULL, too, where all is zero */
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

#endif
