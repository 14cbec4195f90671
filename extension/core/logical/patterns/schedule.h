/*
 * schedule.h - the ideal schedule of a phase: what its messages and collectives would take if
 * nobody were late.
 *
 * In it all members begin at once, in the same order of events as recorded. Events are alike when
 * their kind, call path and size (the power of two of their bytes) are, times between two events of
 * a timeline when both events are; each takes as long as the shortest alike in its phase. Of an
 * event this is the time in which nobody else is waited for: of a receive since the last of its
 * messages' sends began, of a collective since the last member that it waits for came. A receive
 * ends after its messages' sends began, a collective when those have come that it waits for.
 * Method and its limits: docs/design/logical-time.md 4.7.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_PATTERNS_SCHEDULE_H
#define PH_LOGICAL_PATTERNS_SCHEDULE_H

#include "logical/logical.h"

typedef struct PhSchedule PhSchedule;

PhStatus ph_schedule_new(PhEnv *env, const PhLogical *logical, PhSchedule **out) PH_MUST_CHECK;
void ph_schedule_free(PhSchedule *schedule);

/*
 * When each member of the phase leaves it at the end, in ns since the phase began: leaves[member -
 * first member]. Where clocks are right no member left earlier than that. O(events of the phase).
 */
PhStatus ph_schedule_phase(PhSchedule *schedule, uint32_t phase, int64_t *leaves) PH_MUST_CHECK;

/*
 * By event: how much later than in the ideal schedule of its phase it was entered and left, in ns
 * since the phase began; at least 0. Of processes only.
 */
PhStatus ph_schedule_deviations(PhEnv *env, const PhLogical *logical, int64_t *enter,
								int64_t *leave) PH_MUST_CHECK;

#endif
