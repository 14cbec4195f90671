/*
 * identity.h - which phases are the same, in other iterations, runs and numbers of ranks.
 *
 * A phase is what it does: its exchange pattern, and the roles that its timelines have in it. A
 * role is the sequence of a timeline's events by kind and call path, in which what repeats stands
 * once: who has four neighbours has the role of who has three, and a loop of exchanges is one.
 * Neither times nor numbers of messages count, nor in which MPI call a receive ends, which differ
 * between executions of one program. Tasks have no such sequences, since what arrives first runs
 * first: their phases are the same where the sets of their entry methods are.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_IDENTITY_H
#define PH_LOGICAL_IDENTITY_H

#include "logical/logical.h"

/*
 * A hash of a function's bare name: without the place in the source and the parentheses that TAU
 * adds, so that two tools' traces of a program have equal keys. 0: no function but the tool's own
 * frame around the program, which is no part of call paths.
 */
uint64_t ph_logical_region_key(const char *name);

/* By call: a hash of its call path's names, equal in all runs of a program. In arena. */
PhStatus ph_logical_call_keys(PhArena *arena, const PhLogicalModel *model,
							  uint64_t **out) PH_MUST_CHECK;

/* The call path that an event was made in, by such hashes; 0: none. */
static inline uint64_t
ph_event_caller_key(const PhLogicalModel *model, const uint64_t *call_keys, uint32_t event)
{
	uint32_t caller = model->caller[event];
	return caller == PH_NONE ? 0 : call_keys[caller];
}

/* What an event does, and from where. */
uint64_t ph_event_key(const PhLogicalModel *model, const uint64_t *call_keys, uint32_t event);

/*
 * The same, but not in which call a receive ends: in Wait or Test, in Waitany or Waitall, that may
 * be another one each time.
 */
uint64_t ph_role_key(const PhLogicalModel *model, const uint64_t *call_keys, uint32_t event);

/*
 * out, by phase: equal where phases are the same, never 0. patterns, by phase: as
 * ph_logical_patterns finds them. O(events).
 */
PhStatus ph_phase_identities(PhEnv *env, const PhLogical *logical, const uint8_t *patterns,
							 uint64_t *out) PH_MUST_CHECK;

#endif
