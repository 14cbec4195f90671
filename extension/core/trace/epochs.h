/*
 * epochs.h - ends of epochs of windows, joined in pairs: what lets another process go on, and what
 * goes on by it.
 *
 * Posting lets starting go on, or completing where starting does not wait; completing lets waiting
 * go on. The k-th of each is of the k-th epoch of a window between two processes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_EPOCHS_H
#define PH_TRACE_EPOCHS_H

#include "base/arena.h"
#include "trace/mpi_calls.h"

/* What an end is to its pair of processes. */
typedef enum PhEpochRole
{
	PH_ROLE_POST,
	PH_ROLE_START,
	PH_ROLE_COMPLETE_AWAITS, /* the post */
	PH_ROLE_COMPLETE,
	PH_ROLE_WAIT,
	PH_EPOCH_ROLES
} PhEpochRole;

static inline bool
ph_epoch_signals(PhEpochRole role)
{
	return role == PH_ROLE_POST || role == PH_ROLE_COMPLETE;
}

/* The roles of an end whose call does `epoch`: one, but completing awaits and signals. */
static inline uint32_t
ph_epoch_roles(PhEpochCall epoch, PhEpochRole roles[2])
{
	static const PhEpochRole first[] = {[PH_EPOCH_POST] = PH_ROLE_POST,
										[PH_EPOCH_START] = PH_ROLE_START,
										[PH_EPOCH_COMPLETE] = PH_ROLE_COMPLETE_AWAITS,
										[PH_EPOCH_WAIT] = PH_ROLE_WAIT};
	roles[0] = first[epoch];
	roles[1] = PH_ROLE_COMPLETE;
	return epoch == PH_EPOCH_COMPLETE ? 2 : 1;
}

/* An end, and with whom its epoch is; peer and rank are world ranks. */
typedef struct PhEpochEnd
{
	uint32_t window, rank, peer;
	PhEpochRole role;
	uint32_t location, index;  /* index: in order of the location's records */
	int64_t time, enter, left; /* of its record, and of its call */
	/* found */
	uint32_t partner; /* PH_NONE: none */
	bool is_lonely;	  /* its other end is not recorded */
} PhEpochEnd;

/* Find the partners of n ends. */
PhStatus ph_epochs_join(PhEnv *env, PhEpochEnd *ends, uint32_t n) PH_MUST_CHECK;

#endif
