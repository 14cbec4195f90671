/*
 * host_waits.h - waits of threads of the host for devices, as a table of waits has them.
 *
 * Of the dependences (dependences.h) those of threads in calls that synchronise and in blocking
 * copies, from the call's enter to the end of the activity that ended last. Calls in such calls
 * wait for the same, and calls that communicate may call them: what counts twice is left out.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_HOST_WAITS_H
#define PH_BLAME_HOST_WAITS_H

#include "blame/wait_states.h"

/*
 * all: ph_device_dependences. By victim, then time; none overlaps another one or a wait of another
 * kind of its victim. In arena. O(n log n).
 */
PhStatus ph_device_host_waits(PhArena *arena, const PhWaitStates *all, const PhWait **out,
							  uint32_t *n) PH_MUST_CHECK;

#endif
