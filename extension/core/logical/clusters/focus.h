/*
 * focus.h - the processes around one: whom to look at in a phase.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_CLUSTERS_FOCUS_H
#define PH_LOGICAL_CLUSTERS_FOCUS_H

#include "logical/metrics.h"

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
