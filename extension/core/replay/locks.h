/*
 * locks.h - locks of windows in a program. Internal to replay.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPLAY_LOCKS_H
#define PH_REPLAY_LOCKS_H

#include "replay/program.h"

/* All records of locks, none of them an operation yet. PH_ERR_LIMIT: too many. */
PhStatus ph_replay_list_locks(PhArena *arena, PhReplayProgram *program) PH_MUST_CHECK;

/*
 * When they are: what getting each one needs, tails not set. Who has it alone needs all that had it
 * together since somebody had it alone, and him; who has it together with others needs him. None
 * where the record leaves open who kept whom waiting (blame/window_holds.h).
 */
PhStatus ph_replay_find_lock_needs(PhArena *arena, PhArena *scratch,
								   PhReplayProgram *program) PH_MUST_CHECK;

/* Nobody needs a lock any more. */
void ph_replay_forget_lock_needs(PhReplayProgram *program);

#endif
