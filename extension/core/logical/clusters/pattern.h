/*
 * pattern.h - how the processes of a phase exchange messages, and whom to look at.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_CLUSTERS_PATTERN_H
#define PH_LOGICAL_CLUSTERS_PATTERN_H

#include "logical/metrics.h"

/*
 * An exchange: no collectives, and every timeline sends to whom it receives from. Method:
 * docs/design/logical-time.md 4.5.
 */
typedef enum PhPattern
{
	PH_PATTERN_NONE,	   /* no exchange */
	PH_PATTERN_COLLECTIVE, /* collectives only */
	PH_PATTERN_UNKNOWN,	   /* an exchange of another kind */
	PH_PATTERN_SRSR,	   /* sends and receives in turn */
	PH_PATTERN_SSRR,	   /* all sends, then receives one by one */
	PH_PATTERN_SSWA,	   /* all sends, then several receives at once */
	PH_PATTERNS
} PhPattern;

/* "none", "collective", "unknown", "srsr", "ssrr", "sswa" */
const char *ph_pattern_name(uint32_t pattern);

/* out: one by phase. compat: as Ravel classifies, which knows no SSWA of coalesced sends. */
PhStatus ph_logical_patterns(PhEnv *env, const PhLogical *logical, bool compat,
							 uint8_t *out) PH_MUST_CHECK;

/*
 * Focus: a process and those that it exchanges messages with in the phase, directly or over at most
 * radius hops. in_focus: by member of the phase. centre: a member of the phase, PH_NONE: the one
 * with the greatest value of the metric. Method: docs/design/logical-time.md 4.4.
 */
PhStatus ph_logical_focus(PhEnv *env, const PhLogicalMetrics *metrics, uint32_t phase,
						  PhLogicalMetric metric, uint32_t centre, uint32_t radius,
						  bool *in_focus) PH_MUST_CHECK;

/*
 * The least radius for which the members in focus show half of the phase's ways of sending: the
 * sets of steps at which a member sends. For exchanges of kind SRSR; at least 1.
 */
PhStatus ph_logical_focus_radius(PhEnv *env, const PhLogicalMetrics *metrics, uint32_t phase,
								 PhLogicalMetric metric, uint32_t centre,
								 uint32_t *out) PH_MUST_CHECK;

#endif
