/*
 * source_json.h - the reader's entry for bytes in memory.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_CALIPER_SOURCE_JSON_H
#define PH_READERS_CALIPER_SOURCE_JSON_H

#include "readers/caliper/caliper.h"
#include "readers/json_scan.h"

PhStatus ph_read_caliper_json(PhEnv *env, PhInput *input, const PhReadOptions *options,
							  PhRunInput *out) PH_MUST_CHECK;

#endif
