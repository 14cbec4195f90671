/*
 * cases.h - pairs of sets of runs with a planted cause, and what the right answer is.
 *
 * A program of about forty call paths on 8 to 64 ranks, five runs before and five after. Every run
 * has noise of a given variation: a part of all of the run (correlated from run to run), parts of
 * single call paths (correlated, too) and parts of single ranks, all with long tails. Ranks wait
 * for the slowest one in MPI_Allreduce. Everything is drawn from the seed.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef BENCH_CAUSES_CASES_H
#define BENCH_CAUSES_CASES_H

#include "explain/explain.h"

#define CASE_RUNS 10 /* five of each side, in order of time */
#define CASE_STEPS 10
#define CASE_MAX_NODES 80 /* 4 groups of 5 functions with 2 kernels each, and 11 others */
#define CASE_MAX_UNITS 64

/* What was planted. */
typedef enum Planted
{
	PLANTED_NOTHING,
	PLANTED_SLOW_HOST,
	PLANTED_SLOW_RANK,
	PLANTED_SLOW_RANKS, /* every other one, in one call path */
	PLANTED_SLOW_REGION,
	PLANTED_LOCK,
	PLANTED_NETWORK,
	PLANTED_BIGGER_INPUT,
	PLANTED_MORE_VISITS,
	PLANTED_BAD_ITERATION,
	PLANTED_SLOW_DEVICE,
	PLANTED_SLOW_IO,
	PLANTED_SLOW_START,
	PLANTED_COUNT
} Planted;

typedef struct Answer
{
	PhShape shape;
	PhCause cause;
	uint32_t node; /* the smallest call path that holds at least 90 % of the effect */
	uint32_t n_places;
	uint32_t places[CASE_MAX_UNITS]; /* units or iterations; none: all */
} Answer;

typedef struct Case
{
	Planted planted, second; /* second: a smaller one elsewhere, or nothing */
	Answer answer;			 /* of the larger one */
	double effect;			 /* of it, as a share of the run */
	PhExplainCube cube;
	char names[CASE_MAX_NODES][48];
	char hosts[CASE_MAX_UNITS][16];
	PhExplainNode nodes[CASE_MAX_NODES];
	PhExplainUnit units[CASE_MAX_UNITS];
	bool is_after[CASE_RUNS];
	int64_t steps[CASE_STEPS];
	double *numbers; /* what cube points to */
} Case;

/* Make a case; variation: standard deviation of a run's time as a share of it. Ends the program
 * where there is no memory. */
void case_make(uint64_t seed, Planted planted, bool has_second, double variation, Case *out);
void case_free(Case *made);

const char *planted_name(Planted planted);

#endif
