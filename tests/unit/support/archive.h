/*
 * archive.h - real archives as traces for tests of logical time.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_ARCHIVE_H
#define SUPPORT_ARCHIVE_H

#include "readers/source.h"
#include "support/logical.h"

typedef struct Archive
{
	PhEnv *env;
	PhRunInput run;
	TestTrace trace; /* its model belongs to the run */
} Archive;

/* Read an archive with the reader that detects it; fails the test on an error. */
void archive_open(PhEnv *env, const char *path, Archive *out);
void archive_close(Archive *archive);

#endif
