/*
 * waiting.h - what units that are slower than others cost the run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_EXPLAIN_WAITING_H
#define PH_EXPLAIN_WAITING_H

#include "explain/explain.h"

/* What takes part in what the others wait for: communication, and calls that do nothing but wait.
 */
static inline bool
ph_explain_may_wait(uint8_t kind)
{
	return kind == PH_EXPLAIN_COMMUNICATION || kind == PH_EXPLAIN_WAITING;
}

/*
 * A unit that waited for the others before takes longer than it delays them: its time was spare. Of
 * findings on some units the effect, which is what these units have more, becomes what the run has:
 * less what the unit of the finding that waited least waited more than any unit, before; no more
 * than the others wait longer after, beyond what communication alone takes longer; at least the
 * mean over all units, which is what a unit costs that nobody waits for. is_after: by run; is_slow:
 * by unit, whoever is in a finding; before: time of a run. Where nobody waits nothing changes.
 */
PhStatus ph_explain_limit_units(PhArena *arena, const PhExplainCube *cube, const bool *is_after,
								const bool *is_slow, double before, PhFinding *findings,
								uint32_t n_findings) PH_MUST_CHECK;

#endif
