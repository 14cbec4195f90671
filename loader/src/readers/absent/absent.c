/*
 * absent.c - see absent.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/absent/absent.h"

PhStatus
ph_read_absent(PhEnv *env, const PhExperiment *experiment, const PhReadOptions *options,
			   PhRunInput *out)
{
	(void) options;
	(void) out;
	return ph_fail_hint(env, PH_ERR_UNSUPPORTED,
						"Build perfhouse where pkg-config finds it, or load on a machine that has "
						"such a build.",
						"%s: %s is read by %s, which this perfhouse was built without",
						experiment->path, experiment->reader->name, experiment->reader->lacks);
}
