/*
 * absent.h - readers whose library a build lacks: their files are still told, and refused with a
 * sentence.
 *
 * The Makefile compiles either a reader or the file here that stands for it (OPTIONAL there).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_ABSENT_ABSENT_H
#define PH_READERS_ABSENT_ABSENT_H

#include "readers/source.h"

/* The read of such a reader. */
PhStatus ph_read_absent(PhEnv *env, const PhExperiment *experiment, const PhReadOptions *options,
						PhRunInput *out);

#endif
