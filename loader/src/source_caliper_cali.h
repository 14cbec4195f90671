/*
 * source_caliper_cali.h - the reader's entry for bytes in memory.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SOURCE_CALIPER_CALI_H
#define PH_SOURCE_CALIPER_CALI_H

#include "caliper.h"

PhStatus ph_read_caliper_cali(PhEnv *env, PhInput *input, const PhReadOptions *options,
							  PhRunInput *out) PH_MUST_CHECK;

#endif
