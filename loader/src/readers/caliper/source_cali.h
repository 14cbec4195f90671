/*
 * source_cali.h - the reader's entry for bytes in memory.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_CALIPER_SOURCE_CALI_H
#define PH_READERS_CALIPER_SOURCE_CALI_H

#include "readers/caliper/caliper.h"

PhStatus ph_read_caliper_cali(PhEnv *env, PhInput *input, const PhReadOptions *options,
							  PhRunInput *out) PH_MUST_CHECK;

#endif
