/*
 * source.h - the Cube reader's entries for callers that have a file or its bytes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_CUBE_SOURCE_H
#define PH_READERS_CUBE_SOURCE_H

#include "readers/input.h"

/*
 * Read a .cubex file, e.g. the profile.cubex of an experiment directory that another reader has
 * claimed. out is one run: free it with ph_run_input_free.
 */
PhStatus ph_read_cube_file(PhEnv *env, const char *path, const PhReadOptions *options,
						   PhRunInput *out) PH_MUST_CHECK;

PhStatus ph_read_cube(PhEnv *env, PhInput *input, const PhReadOptions *options,
					  PhRunInput *out) PH_MUST_CHECK;

/*
 * Settings of a Score-P measurement ("SCOREP_TOTAL_MEMORY=16M", one a line) into the run's
 * metadata. Lines of another form are passed over.
 */
PhStatus ph_read_scorep_settings(PhEnv *env, const PhInput *input, PhRunInput *run) PH_MUST_CHECK;

#endif
