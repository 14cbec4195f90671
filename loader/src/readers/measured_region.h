/*
 * measured_region.h - regions as instrumenting tools (Score-P, Scalasca, TAU) describe them.
 *
 * A Cube profile and the OTF2 trace of one run define the same regions with the same words. Both
 * readers take them through here, so that call paths of the profile and of the trace have the same
 * ids.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_MEASURED_REGION_H
#define PH_READERS_MEASURED_REGION_H

#include "profile/builder.h"

#define PH_LIBRARY_MAX 128

/* The definition's texts; NULL and "" are unknown. Case of the role does not matter. */
typedef struct PhMeasuredRegion
{
	const char *name;
	const char *canonical; /* mangled name; of the program itself: its path and arguments */
	const char *source;	   /* "mod" of Cube, source file of OTF2: a path, or a word like "MPI" */
	const char *paradigm;  /* "mpi", "openmp", "compiler", "user", "measurement", ...; lower case */
	const char *role;	   /* "function", "loop", "artificial", "barrier", ... */
	int64_t line;		   /* first line, <= 0: unknown */
} PhMeasuredRegion;

/*
 * Kind, name, library, line and paradigm of the region:
 *   loops (role "loop") are loops, user instrumentation and OpenMP constructs are regions, all else
 *   are functions; the library is the source when that is no path ("MPI"), the program's base name
 *   for the program itself, and unknown otherwise, so that functions of the program take the
 *   program's name when nodes are grouped by module.
 * out points into region and into library. The file stays empty: the caller normalises the source
 * when ph_measured_source_is_file says that it is a path.
 */
void ph_measured_region_spec(const PhMeasuredRegion *region, char library[PH_LIBRARY_MAX],
							 PhRegionSpec *out);

bool ph_measured_source_is_file(const char *source);

/*
 * True when the region stands for the whole program; command is its path with arguments, of which
 * the first *length bytes are the path.
 */
bool ph_measured_program(const PhMeasuredRegion *region, const char **command, size_t *length);

#endif
