/*
 * gate.h - did a change make a program slower? What a pull request is judged by.
 *
 * Time is tested as perfhouse compare tests it (statistics/repeat_test.h), by a stricter
 * confidence, since a false alarm stops people. Amounts of work (instructions, operations, visits)
 * hardly scatter, so they are tested by a small margin that the whole confidence interval has to
 * exceed: they tell of changes that the time of a few runs cannot show. Work is counted outside of
 * MPI, where waiting spins; of calls, those that poll are left out.
 *
 * Functions are tested one by one, with the false discovery rate controlled over all of them. When
 * the whole scatters too much to be judged, a function of the program that became slower by the
 * margin of the whole, for certain, is enough.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_GATE_H
#define PH_REPORTS_GATE_H

#include "profile/profile.h"
#include "statistics/repeat_test.h"

#define PH_GATE_MARGIN 0.02
#define PH_GATE_WORK_MARGIN 0.001
#define PH_GATE_CONFIDENCE 0.99

typedef enum PhGateVerdict
{
	PH_GATE_SAME,
	PH_GATE_FASTER,
	PH_GATE_UNKNOWN,
	PH_GATE_MORE_WORK, /* the time tells no change, instructions or visits do */
	PH_GATE_SLOWER
} PhGateVerdict;

typedef struct PhGateRules
{
	double margin;		/* of times: changes below are the same */
	double work_margin; /* of amounts of work */
	double confidence;
	const char *metric; /* what is judged as time; NULL: the first metric that is a time */
	/* How runs of A's experiment scattered before, as a share: of this metric (NULL: not known). */
	const char *known_metric;
	double known_spread, known_degrees;
	int64_t n_known; /* runs that say so */
} PhGateRules;

/* A function whose own cost changed for certain. */
typedef struct PhGateRegion
{
	const char *name;
	double before, after; /* means over units and runs */
	double of_total;	  /* change, as a share of the whole before */
	double q;			  /* least false discovery rate at which it is one */
	bool is_mpi;
} PhGateRegion;

typedef struct PhGateMetric
{
	const char *name, *unit;
	bool is_work;
	bool without_mpi;	  /* counted outside of MPI */
	const double *totals; /* by run, those of A first: what is tested */
	PhRepeatTest test;
	int64_t n_known; /* earlier runs that said how far runs scatter; 0: these alone did */
	double known_spread;
	PhGateRegion *regions; /* by |change| descending, then name */
	uint32_t n_regions;
	uint32_t n_functions; /* that were tested */
} PhGateMetric;

typedef struct PhGate
{
	PhGateVerdict verdict;
	PhGateMetric *metrics; /* the time first */
	uint32_t n_metrics;
} PhGate;

/*
 * Judge b's runs by those of a. Names point into the profiles; all else is in the arena.
 * PH_ERR_NOT_FOUND when not all runs have the metric asked for, PH_ERR_CONFLICT when units cannot
 * be converted. O(n log n) in the call paths of all runs.
 */
PhStatus ph_gate_judge(PhArena *arena, PhProfile *const *a, uint32_t n_a, PhProfile *const *b,
					   uint32_t n_b, const PhGateRules *rules, PhGate *out) PH_MUST_CHECK;

/* "same", "faster", "unknown", "more work", "slower". */
const char *ph_gate_verdict_name(PhGateVerdict verdict);

/* What a metric's test says: "slower", but of work "more". */
const char *ph_gate_metric_verdict(const PhGateMetric *metric);

#endif
