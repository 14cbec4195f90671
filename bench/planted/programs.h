/*
 * programs.h - the applications that runs are simulated of: call trees with what each function
 * does.
 *
 * Written after what profilers show of codes of these kinds, with the names that they give.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PLANTED_PROGRAMS_H
#define PLANTED_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

/* What a function does, which decides who waits there and what can go wrong. */
typedef enum Role
{
	FRAME,		/* calls others */
	WORK,		/* computes */
	POST,		/* begins messages: does not wait */
	NEIGHBOURS, /* waits for the ranks next to it */
	ALL,		/* waits for all ranks */
	LOCK,		/* waits for a lock */
	TEAM,		/* waits for the threads of the process */
	FILES,		/* reads or writes files */
	DEVICE,		/* waits for the GPU of the rank */
	START,		/* MPI_Init */
	END			/* MPI_Finalize */
} Role;

typedef struct ProgramNode
{
	uint8_t depth;
	const char *name;
	Role role;
	double weight;		  /* share of the run, in percent */
	const char *paradigm; /* as profilers say it; NULL: user code */
	bool threaded;		  /* executed by all threads; else by the first */
	bool counts_items;	  /* called once an item of the input: visits grow with it */
} ProgramNode;

typedef struct Program
{
	const char *name;
	const ProgramNode *nodes; /* in pre-order, which is the order of execution */
	uint32_t n_nodes;
	const char *loop; /* the function whose calls are the iterations */
	bool has_instructions, has_visits, has_bytes;
	bool has_threads;
} Program;

#define PROGRAM_COUNT 4

extern const Program programs[PROGRAM_COUNT];

#endif
