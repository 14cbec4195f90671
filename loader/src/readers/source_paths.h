/*
 * source_paths.h - file and library paths of a run, normalised before they are hashed.
 *
 * "a//b/./c/../d" becomes "a/b/d"; the run's source root (given, or the longest directory that all
 * its files share) is cut off. Names that are no paths ("<unknown file>") stay as they are.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_SOURCE_PATHS_H
#define PH_READERS_SOURCE_PATHS_H

#include "base/table.h"
#include "readers/source.h"

typedef struct PhSourcePaths
{
	PhArena *arena;
	char *root;		 /* with its final '/', "" when nothing is cut; NULL before the first file */
	bool root_given; /* by the user */
	PhStrings raw;	 /* files as the profiler wrote them; index 0 is the empty string */
	uint32_t n_normal, capacity;
	const char **normal; /* per raw string, after ph_paths_normalise */
} PhSourcePaths;

/* source_root: from the options, or NULL. */
PhStatus ph_paths_init(PhSourcePaths *paths, PhArena *arena, const char *source_root) PH_MUST_CHECK;

/* A file of the run; its index. All files come before ph_paths_finish. */
PhStatus ph_paths_add(PhSourcePaths *paths, const char *file, uint32_t *out) PH_MUST_CHECK;

/* Cut the root off all files. */
PhStatus ph_paths_finish(PhSourcePaths *paths) PH_MUST_CHECK;

/* Normalised copy without looking at any root. */
PhStatus ph_path_normalise(PhArena *arena, const char *path, char **out) PH_MUST_CHECK;

/* Base name: what follows the last '/'. */
const char *ph_path_base(const char *path);

/* For every region of the profile whose file is one of paths: its raw path. */
PhStatus ph_paths_raw_regions(PhSourcePaths *paths, PhEnv *env, PhRunInput *run) PH_MUST_CHECK;

#endif
