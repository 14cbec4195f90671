/*
 * joining.h - findings that are one cause.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_EXPLAIN_JOINING_H
#define PH_EXPLAIN_JOINING_H

#include "explain/explain.h"

/*
 * Join findings of one direction, is_after telling which runs are slower. More work on some units
 * is one finding a call path: single ones of them may have been found after the others. A bigger
 * input is one finding: communication, devices and files below the call path with more work belong
 * to it if the work explains what they took longer. What would be told in the same words, of call
 * paths of the same names or of one that was found again, is one finding.
 */
PhStatus ph_findings_join(PhArena *arena, const PhExplainCube *cube, const bool *is_after,
						  PhFinding *findings, uint32_t *n_findings) PH_MUST_CHECK;

#endif
