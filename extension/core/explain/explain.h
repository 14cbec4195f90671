/*
 * explain.h - why the runs after a change take longer than those before it.
 *
 * Input are numbers of both sides by run, call path and execution unit: own times, what was done
 * in them, and, where recorded, times by iteration. Output are findings, the largest first: a
 * shape, a cause, the smallest call path that holds the effect, the units or iterations that it
 * is on, and its size. Method and lists: docs/design/explain.md.
 *
 * What cannot be told from noise is no finding. Deterministic; names of call paths decide nothing,
 * and neither does the order of runs within a side.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_EXPLAIN_EXPLAIN_H
#define PH_EXPLAIN_EXPLAIN_H

#include "base/arena.h"
#include "statistics/repeat_test.h"

/* What the own time of a call path is spent on. */
typedef enum PhExplainKind
{
	PH_EXPLAIN_WORK,
	PH_EXPLAIN_COMMUNICATION, /* waits in it are not told from transfers */
	PH_EXPLAIN_WAITING,		  /* nothing but waiting: locks, barriers of threads */
	PH_EXPLAIN_IO,
	PH_EXPLAIN_DEVICE
} PhExplainKind;

/* Where in the run: start-up and shut-down are kept apart from the main part. */
typedef enum PhExplainPeriod
{
	PH_EXPLAIN_MAIN_PART,
	PH_EXPLAIN_START_UP,
	PH_EXPLAIN_SHUT_DOWN
} PhExplainPeriod;

typedef struct PhExplainNode
{
	const char *name;
	uint32_t parent;	  /* PH_NONE: a root */
	uint32_t subtree_end; /* nodes are in pre-order */
	uint8_t kind;		  /* PhExplainKind */
	uint8_t part;		  /* PhExplainPeriod */
} PhExplainNode;

typedef struct PhExplainUnit
{
	int32_t rank;
	int32_t thread;	  /* -1: none */
	const char *host; /* "": unknown */
} PhExplainUnit;

/* What says how much was done. The first that a call path has decides. */
typedef enum PhExplainWork
{
	PH_WORK_INSTRUCTIONS,
	PH_WORK_BYTES,
	PH_WORK_VISITS,
	PH_WORK_COUNT
} PhExplainWork;

/*
 * How far single runs of the condition scatter, as earlier ones showed (statistics/level.h): a
 * standard deviation as a share of the level, known with degrees of freedom (0: nothing is known).
 * Below PH_MIN_KNOWN_DEGREES it counts for nothing by itself.
 */
typedef struct PhKnownSpread
{
	double spread, degrees;
} PhKnownSpread;

typedef struct PhExplainCube
{
	uint32_t n_nodes, n_units, n_runs;
	const PhExplainNode *nodes;
	const PhExplainUnit *units;
	const bool *is_after;			   /* by run: of side B */
	const double *time;				   /* own, [run][node][unit]; 0 where absent */
	const double *work[PH_WORK_COUNT]; /* the same; NULL: not recorded */
	uint32_t n_steps;				   /* iterations; 0: not recorded */
	const int64_t *steps;			   /* their numbers */
	const double *step_time;		   /* own, mean over units, [run][node][step] */
	PhKnownSpread known;
	const double
		*known_of; /* by node: what is known of its subtree, as a share; NULL, 0: nothing */
} PhExplainCube;

static inline size_t
ph_explain_cell(const PhExplainCube *cube, uint32_t run, uint32_t node, uint32_t unit)
{
	return ((size_t) run * cube->n_nodes + node) * cube->n_units + unit;
}

/* The lists are closed; their texts are API (ph_shape_name, ph_cause_name). */
typedef enum PhShape
{
	PH_SHAPE_UNIFORM,
	PH_SHAPE_SOME_UNITS,
	PH_SHAPE_SOME_ITERATIONS,
	PH_SHAPE_START_UP,
	PH_SHAPE_SHUT_DOWN,
	PH_SHAPE_COUNT
} PhShape;

typedef enum PhCause
{
	PH_CAUSE_MORE_WORK,
	PH_CAUSE_SLOWER_WORK,
	PH_CAUSE_MORE_WAITING,
	PH_CAUSE_SLOWER_COMMUNICATION,
	PH_CAUSE_SLOWER_IO,
	PH_CAUSE_SLOWER_DEVICE,
	PH_CAUSE_UNKNOWN, /* longer, and nothing is recorded of how much was done */
	PH_CAUSE_COUNT
} PhCause;

/* What the units of a finding share and no other unit has. */
typedef enum PhShared
{
	PH_SHARED_NOTHING,
	PH_SHARED_HOST, /* all units of a host or of several */
	PH_SHARED_EVEN_RANKS,
	PH_SHARED_ODD_RANKS,
	PH_SHARED_FIRST_RANKS, /* 0 to some number, or one rank 0 */
	PH_SHARED_LAST_RANKS,
	PH_SHARED_COUNT
} PhShared;

typedef enum PhConfidence
{
	PH_CONFIDENCE_LOW, /* too few runs to know the noise, and nothing known of others */
	PH_CONFIDENCE_MEDIUM,
	PH_CONFIDENCE_HIGH,
	PH_CONFIDENCE_COUNT
} PhConfidence;

typedef struct PhFinding
{
	PhShape shape;
	PhCause cause;
	PhShared shared;
	PhConfidence confidence;
	uint32_t node;	   /* the smallest call path that holds at least 90 % of the effect */
	uint32_t n_places; /* of units or iterations, by index; 0: all of them */
	uint32_t *places;
	double effect; /* change of the run's time; below 0: the run became faster */
	double share;  /* effect as a share of the run's time before */
	double score;  /* effect as multiples of its standard error */
	double work;   /* what was done there after as a ratio to before; NaN: not recorded */
	PhExplainWork work_kind;
	uint32_t n_alike; /* other call paths of the same names that it is told of, too */
} PhFinding;

typedef struct PhExplained
{
	PhRepeatTest total; /* of the runs' times, each the mean over units */
	/* Standard deviation of a run's time as a share of it, of these runs and of what is known; NaN:
	 * nobody knows. */
	double noise;
	uint32_t n_findings;
	PhFinding *findings; /* the largest effect first */
} PhExplained;

/* Effects below this share of the run's time before are no findings. */
#define PH_EXPLAIN_LEAST_SHARE 0.02

/*
 * Explain what changed from side A to side B, in the direction in which the whole changed. Both
 * sides need a run at least (PH_ERR_VALUE). margin is that of ph_repeat_test. Costs
 * O(cells × log runs + nodes × units × log units), and room for a few numbers a node and unit.
 */
PhStatus ph_explain(PhArena *arena, const PhExplainCube *cube, double margin,
					PhExplained *out) PH_MUST_CHECK;

/* "uniform", "some units", "some iterations", "start-up", "shut-down". */
const char *ph_shape_name(PhShape shape);

/* "more work", …, "unknown"; faster: "less work", "faster work", "less waiting", …. */
const char *ph_cause_name(PhCause cause, bool is_faster);

/* "", "host", "even ranks", "odd ranks", "first ranks", "last ranks". */
const char *ph_shared_name(PhShared shared);

/* "low", "medium", "high". */
const char *ph_confidence_name(PhConfidence confidence);

/* "instructions", "bytes", "visits". */
const char *ph_work_name(PhExplainWork work);

#endif
