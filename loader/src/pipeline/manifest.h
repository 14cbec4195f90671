/*
 * manifest.h - metadata of many files in a list: CSV whose first line names keys, one of them
 * "file".
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_MANIFEST_H
#define PH_PIPELINE_MANIFEST_H

#include "readers/source.h"

typedef struct PhManifest PhManifest;

/* Files are relative to the list's folder. Fields may be quoted; an empty one gives nothing. */
PhStatus ph_manifest_read(PhEnv *env, const char *path, PhManifest **out) PH_MUST_CHECK;
void ph_manifest_free(PhManifest *manifest);

/* Adds the line of path; *found: whether there is one. */
PhStatus ph_manifest_apply(PhEnv *env, const PhManifest *manifest, const char *path, PhMeta *meta,
						   bool *found) PH_MUST_CHECK;

/* Where the list is, links resolved; NULL: nowhere in the file system. */
const char *ph_manifest_path(const PhManifest *manifest);

/* Is the file at path the list itself? */
bool ph_manifest_is(const PhManifest *manifest, const char *path);

/* How many lines are of files that are not among the n paths; *example: one of them. */
size_t ph_manifest_count_unused(const PhManifest *manifest, const char *const *paths, size_t n,
								const char **example);

#endif
