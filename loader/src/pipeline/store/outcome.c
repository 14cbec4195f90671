/*
 * outcome.c - what became of a run that was to be loaded.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/store/outcome.h"

const char *
ph_outcome_name(PhOutcome outcome)
{
	static const char *const names[] = {"none",		"loaded",  "replaced",
										"appended", "skipped", "failed"};

	return names[outcome];
}
