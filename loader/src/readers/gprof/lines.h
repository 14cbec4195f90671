/*
 * lines.h - the lines of the call graph in gprof's report.
 *
 * An entry is the lines of a function's callers, its own, which begins with its number, and those
 * of its callees:
 *
 *                     0.00    0.27       1/1           main [2]
 *     [3]     86.7    0.00    0.27       1+286     fib [3]
 *                     0.27    0.00     287/331         spin [1]
 *                                      286             fib [3]
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_GPROF_LINES_H
#define PH_READERS_GPROF_LINES_H

#include <stdint.h>

#include "readers/slice.h"

typedef struct PhGprofLine
{
	bool is_own;   /* of the function that the entry is about */
	bool is_cycle; /* of a cycle as a whole */
	uint32_t index;
	PhSlice name; /* without the number of its cycle; may be empty */
	bool has_times;
	double self, children;
	double calls;	  /* of a caller or callee: by this caller, of this callee */
	double recursive; /* of an own line: by itself */
} PhGprofLine;

/* False for a line that is none of an entry. */
bool ph_gprof_line(PhSlice line, PhGprofLine *out);

#endif
