/*
 * changes.h - what a replay is to do differently, from what people ask for.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPLAY_CHANGES_H
#define PH_REPLAY_CHANGES_H

#include "replay/replay.h"
#include "replay/spans.h"

typedef enum PhChangeKind
{
	PH_CHANGE_BALANCE, /* the k-th call of a function takes the mean over the ranks that have one */
	PH_CHANGE_SCALE,   /* a function takes `by` times as long */
	PH_CHANGE_IDEAL_NETWORK, /* communication takes no time of its own */
	PH_CHANGE_POST,			 /* sends do not wait for their receivers */
	PH_CHANGE_RANK_TO_MEAN,	 /* a rank computes as long in all as the mean of the ranks */
	PH_CHANGE_RECEIVE_FIRST, /* of a send and the receive right after it the receive comes first */
	PH_CHANGE_SEND_FIRST,
	PH_CHANGE_SORT_SENDS /* sends in a row, by whom they go to */
} PhChangeKind;

typedef enum PhSendOrder
{
	PH_SENDS_BY_PARTNER,
	PH_SENDS_BY_PARTNER_DOWN,
	PH_SENDS_BY_DISTANCE, /* between the two ranks */
	PH_SENDS_BY_DISTANCE_DOWN
} PhSendOrder;

typedef struct PhChange
{
	PhChangeKind kind;
	uint32_t target;	 /* balance, scale, orders: of spans, what it happens in */
	const char *ranks;	 /* scale, orders: "0", "1,4-7", "odd", "even"; NULL: all */
	double by;			 /* scale: 0 or more */
	uint32_t rank;		 /* rank to mean */
	const bool *regions; /* post: by region */
	PhSendOrder sends;	 /* sort sends */
} PhChange;

/* Does it put operations in another order? The skeleton must have PH_KEEP_ENVELOPES then. */
static inline bool
ph_change_is_of_order(const PhChange *change)
{
	return change->kind >= PH_CHANGE_RECEIVE_FIRST;
}

/*
 * Is a rank one of these? PH_ERR_VALUE: nobody can read that. distance: orders choose "odd" and
 * "even" by rank / distance, so that neighbours differ in every direction of a grid; else 1.
 */
PhStatus ph_rank_is_one_of(PhEnv *env, const char *ranks, uint32_t rank, uint32_t distance,
						   bool *is) PH_MUST_CHECK;

/*
 * Add a change to a plan, in arena; the first one finds the plan zeroed. *n_changed: the pieces of
 * time, calls or pairs of calls that it changes; 0: nothing is different. spans: finished; may be
 * NULL for changes without target.
 */
PhStatus ph_plan_change(PhArena *arena, const PhReplayProgram *program, const PhSpans *spans,
						const PhChange *change, PhReplayPlan *plan,
						uint64_t *n_changed) PH_MUST_CHECK;

#endif
