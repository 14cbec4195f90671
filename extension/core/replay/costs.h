/*
 * costs.h - a program with what its operations take.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPLAY_COSTS_H
#define PH_REPLAY_COSTS_H

#include "replay/program.h"

/*
 * What happened in [from, to]; INT64_MIN, INT64_MAX: all. Operations that are not wholly in it are
 * left out, and so is what others need of them. skeleton: finished; it and arena must outlive it.
 */
PhStatus ph_replay_program(PhArena *arena, const PhSkeleton *skeleton, int64_t from, int64_t to,
						   PhReplayProgram **out) PH_MUST_CHECK;

#endif
