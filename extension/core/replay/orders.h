/*
 * orders.h - operations in another order. Internal to replay.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPLAY_ORDERS_H
#define PH_REPLAY_ORDERS_H

#include "replay/changes.h"

/* Operations within the spans change places, as the change says; plan->order is there. */
PhStatus ph_plan_order(PhArena *arena, const PhReplayProgram *program, const PhSpans *spans,
					   const PhChange *change, PhReplayPlan *plan,
					   uint64_t *n_changed) PH_MUST_CHECK;

#endif
