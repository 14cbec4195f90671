/*
 * explained.h - a program of twelve call paths on eight ranks, as ten runs to explain.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TEST_EXPLAINED_H
#define PH_TEST_EXPLAINED_H

#include "explain/explain.h"

#define NODES 12
#define UNITS 8
#define RUNS 10
#define STEPS 6

enum
{
	MAIN,
	INIT,
	LOOP,
	SOLVE,
	SOLVE_A,
	SOLVE_B,
	FLUX,
	LIMIT,
	KERNEL,
	REDUCE,
	LOCK,
	WRITE
};

typedef struct Program
{
	PhExplainCube cube;
	PhExplainNode nodes[NODES];
	PhExplainUnit units[UNITS];
	bool is_after[RUNS];
	int64_t steps[STEPS];
	double time[RUNS][NODES][UNITS];
	double instructions[RUNS][NODES][UNITS];
	double visits[RUNS][NODES][UNITS];
	double step_time[RUNS][NODES][STEPS];
} Program;

typedef struct ProgramPart
{
	const char *name;
	uint32_t parent, end;
	double cost;
} ProgramPart;

extern const ProgramPart tree[NODES];

typedef struct Test
{
	PhEnv env;
	PhArena arena;
	Program *program;
} Test;

extern uint64_t random_state;

/* -1 to 1 */
double wobble(void);
/* Ten runs with noise of about 2 %, four ranks on each of two hosts; free() it. */
Program *make_program(uint64_t seed);
/* More time in a call path after, on units [first, end). */
void add_time(Program *program, uint32_t node, uint32_t first, uint32_t end, double more);
PhExplained explain(PhArena *arena, const Program *program);
int set_up(void **state);
int tear_down(void **state);
void assert_first(const PhExplained *explained, PhShape shape, PhCause cause, uint32_t node,
				  uint32_t n_places);

#endif
