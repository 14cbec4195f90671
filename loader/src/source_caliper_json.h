/*
 * source_caliper_json.h - the reader's entry for bytes in memory.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SOURCE_CALIPER_JSON_H
#define PH_SOURCE_CALIPER_JSON_H

#include "caliper.h"
#include "json_scan.h"

PhStatus ph_read_caliper_json(PhEnv *env, PhInput *input, const PhReadOptions *options,
							  PhRunInput *out) PH_MUST_CHECK;

#endif
