/*
 * device_waits.h - the waits of a run with those for devices, as delay costs take them.
 *
 * A thread that waits for a device (host_waits.h) waits for a lane of a stream. What that was busy
 * with are its activities; what it waited for itself is passed on, so that lanes have waits, too,
 * which cost nothing of their own (passages): between two activities until the host had launched
 * the next one or, if that came behind another lane of the device, until that one had got its work,
 * then until it was done; and in a collective until the last member began. So of a wait for the
 * kernel of a collective that waits for another rank, that rank's stream is to blame, or who
 * launched its kernel late.
 *
 * Both met where one was launched by the other or waited for it; streams in a collective, at its
 * end. A lane that waits for another one of its device was, from its last activity on, ready to
 * work for who launched its next one; what that thread met the other lane at since then was a
 * meeting of all three. Without any, from the begin of the main part on.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_DEVICE_WAITS_H
#define PH_BLAME_DEVICE_WAITS_H

#include "blame/dependences.h"
#include "trace/skeleton.h"

/*
 * waits: of the skeleton; all: ph_device_dependences of them and of work. out: waits, and those of
 * host and lanes, with their intervals. In arena. O(n log n).
 */
PhStatus ph_device_waits_find(PhArena *arena, const PhDeviceWork *work, const PhSkeleton *skeleton,
							  const PhWaitStates *waits, const PhWaitStates *all,
							  PhWaitStates *out) PH_MUST_CHECK;

#endif
