/*
 * engine.h - the state of a replay: how far each location and each collective is. Internal to
 * replay.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPLAY_ENGINE_H
#define PH_REPLAY_ENGINE_H

#include "replay/replay.h"

typedef struct PhReplayCursor
{
	int64_t clock; /* when the operation before was left */
	int64_t leave; /* of the operation at hand, by what is known so far */
	int64_t release;
	uint32_t slot;		  /* the place in its order */
	uint32_t end, ends;	  /* the next end, or need of a lock, that is looked at; behind the last */
	uint32_t via;		  /* the one that leave and release are of; PH_NONE: own */
	uint32_t released_by; /* the one whose release is the latest; PH_NONE */
	uint32_t next_waiter; /* another location that waits for the same; PH_NONE */
	uint32_t wait_instance; /* of a collective with prefixes; PH_NONE */
	bool is_in;				/* the operation at hand was entered */
} PhReplayCursor;

/* Of a collective. */
typedef struct PhReplayInstance
{
	uint32_t n_needed, n_entered; /* members with a begin */
	uint32_t root;				  /* member; PH_NONE: none, or its begin is not known */
	uint32_t waiters;			  /* a location; PH_NONE */
	uint32_t last;				  /* the member that entered last, the first of equals */
	uint32_t n_prefix;			  /* members from the lowest rank on that have all entered */
	uint32_t prefix_last;		  /* of these, as last */
	int64_t latest, prefix_latest;
} PhReplayInstance;

typedef struct PhReplayEngine
{
	PhEnv *env;
	const PhReplayProgram *program;
	const PhReplayPlan *plan;
	PhReplayCursor *cursors; /* by location */
	/* by location, then operation: when it was entered (>= 0, from program->from); below: not yet,
	 * see replay.c */
	int64_t **entered;
	uint32_t *
		*via; /* likewise: the end, or need of a lock, that it was left for; PH_NONE: by itself */
	PhReplayInstance *instances;
	int64_t *member_times;	 /* by member: when it entered; below 0: not yet */
	uint32_t *prefix_order;	 /* as rows.order, of prefix collectives by rank in communicator */
	uint32_t *position;		 /* by member of those: where in it */
	uint32_t *prefix_causes; /* by member of those: who of those before it entered last */
	uint32_t *queue;		 /* a ring of locations that can go on */
	uint32_t queue_from, n_queued, n_done;
	uint32_t finisher; /* where locations finish together: who came last, the first of equals */
	int64_t arrival;   /* and when */
	PhReplayResult *result;
} PhReplayEngine;

/* Prepare collectives. */
PhStatus ph_replay_collectives(PhArena *scratch, PhReplayEngine *engine) PH_MUST_CHECK;

/* A member enters; whoever can go on for that is queued. */
void ph_replay_enter_member(PhReplayEngine *engine, uint32_t member, int64_t time);

/*
 * What a member needs of its collective. false: it is not there yet, and the location was noted to
 * be queued when it is. Else *member: whose entering released it, at *release; PH_NONE: it needs
 * nobody.
 */
bool ph_replay_member_released(PhReplayEngine *engine, uint32_t location, uint32_t member,
							   uint32_t *cause, int64_t *release);

/* A location can go on. */
void ph_replay_queue(PhReplayEngine *engine, uint32_t location);

/* Time before the operation at a place of a location's order; n_ops: after the last one. */
int64_t ph_replay_gap(const PhReplayEngine *engine, uint32_t location, uint32_t slot);

/* The operation that comes at a place. */
static inline uint32_t
ph_replay_op_at(const PhReplayEngine *engine, uint32_t location, uint32_t slot)
{
	uint32_t *const *order = engine->plan->order;
	return order == NULL || order[location] == NULL ? slot : order[location][slot];
}

/* Fill the result's path, when all is done. */
PhStatus ph_replay_path(PhArena *arena, PhReplayEngine *engine) PH_MUST_CHECK;

#endif
