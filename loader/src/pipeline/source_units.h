/*
 * source_units.h - times are stored in seconds, whatever unit their source has them in.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_SOURCE_UNITS_H
#define PH_PIPELINE_SOURCE_UNITS_H

#include "readers/source.h"

/*
 * Convert what was read, the profile and one beside a trace. Metadata source_unit.NAME keep the
 * unit that the source has metric NAME in, where it is another one.
 */
PhStatus ph_source_units_convert(PhEnv *env, PhRunInput *input) PH_MUST_CHECK;

#endif
