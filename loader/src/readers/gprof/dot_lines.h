/*
 * dot_lines.h - the lines of a call graph that gprof2dot drew.
 *
 *     solve [color="#0d1a77", label="libphys.so\nsolve\n3.03%\n(0.03%)\n300012×"];
 *     main -> solve [arrowsize="0.35", label="3.01%\n300012×"];
 *
 * A label has the library where it is known, the name, the inclusive and the exclusive share, and
 * the number of calls where they are counted; that of an edge the share and the number of calls.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_GPROF_DOT_LINES_H
#define PH_READERS_GPROF_DOT_LINES_H

#include "base/vector.h"
#include "readers/slice.h"

typedef enum PhDotKind
{
	PH_DOT_OTHER, /* what says how the graph looks */
	PH_DOT_END,	  /* the last line */
	PH_DOT_NODE,
	PH_DOT_EDGE
} PhDotKind;

typedef struct PhDotLine
{
	PhDotKind kind;
	PhSlice from, to; /* ids as they stand in the file; to: of an edge */
	PhSlice library, name, file;
	double total, self; /* percent */
	double calls;
	bool has_calls;
} PhDotLine;

/*
 * False for a line that gprof2dot does not write. room has space for the line's bytes: decoded
 * texts are in it.
 */
bool ph_dot_line(PhSlice line, char *room, PhDotLine *out);

#endif
