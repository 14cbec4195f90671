/*
 * phase_patterns.h - one name for how the processes of each phase exchange messages.
 *
 * What a phase is called follows from who sends to whom, and from each member's own sequence of
 * sends, receives and waits (letters: expression.h). Method and the exact definition of the ideal
 * schedule: docs/design/logical-time.md 4.7.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_PATTERNS_PHASE_PATTERNS_H
#define PH_LOGICAL_PATTERNS_PHASE_PATTERNS_H

#include "logical/logical.h"
#include "logical/patterns/expression.h"
#include "trace/mpi_calls.h"

typedef enum PhPhaseForm
{
	PH_FORM_NONE,		/* no messages between its members */
	PH_FORM_COLLECTIVE, /* collectives only */
	PH_FORM_MIXED,		/* collectives and messages */
	PH_FORM_PAIRWISE,	/* everybody has one partner */
	PH_FORM_GATHER,		/* all to one */
	PH_FORM_SCATTER,	/* one to all */
	PH_FORM_ROOT,		/* one with all */
	PH_FORM_ALL_TO_ALL,
	PH_FORM_SHIFT,	   /* one before, one after; all send before anything has come */
	PH_FORM_PIPELINE,  /* one before, one after; what comes in goes out later */
	PH_FORM_TREE,	   /* of degree: the most children */
	PH_FORM_WAVEFRONT, /* several before or after */
	PH_FORM_SSWA,	   /* exchanges: sends, then several receives at once */
	PH_FORM_SRSR,	   /* sends and receives in turn */
	PH_FORM_SSWW,	   /* sends, then a wait for each receive */
	PH_FORM_SSRR,	   /* sends, then receives */
	PH_FORM_ONE_WAY,   /* messages that not all answer, in no order of the above */
	PH_FORM_OF_USERS,  /* an expression of users */
	PH_FORMS
} PhPhaseForm;

/* "none", "collective", ..., "one way"; of users: NULL. */
const char *ph_phase_form_name(uint32_t form);

typedef struct PhPhasePattern
{
	uint32_t form;	  /* PhPhaseForm */
	uint32_t of_user; /* which of the users' expressions; PH_NONE: none */
	uint32_t degree;  /* of trees, else 0 */
	uint32_t repeats; /* of all members' sequences with their partners: how often; at least 1 */
	uint32_t n_members, n_following; /* members; those that do as the name says */
	int64_t begin, span;			 /* first enter; from there to the last leave, ns */
	int64_t ideal;	/* the same by the ideal schedule (schedule.h); PH_NO_TIME: of tasks */
	uint32_t worst; /* the member that deviates most, the first of equals; PH_NONE: of tasks */
	int64_t worst_deviation;
	uint32_t recorded, inferred, merged; /* how its events were joined: by records of messages and
										  * collectives, by what calls alone show, by merging */
} PhPhasePattern;

typedef struct PhMemberPattern
{
	bool follows;
	int64_t ideal; /* from the phase's begin to when it leaves at the end; PH_NO_TIME: of tasks */
} PhMemberPattern;

/*
 * calls: by region of the trace (ph_mpi_calls), NULL: unknown, all receives are calls of their own.
 * users: n_users expressions, the first that half of the members follow is the name. out: one by
 * phase; members: one by member, NULL: not wanted. O(events + messages log messages) and the users'
 * expressions times letters.
 */
PhStatus ph_phase_patterns(PhEnv *env, const PhLogical *logical, const PhMpiCall *calls,
						   PhRegex *const *users, uint32_t n_users, PhPhasePattern *out,
						   PhMemberPattern *members) PH_MUST_CHECK;

/* How much later than by the ideal schedule a member leaves its phase at the end; at least 0. */
int64_t ph_member_deviation(const PhLogical *logical, const PhPhasePattern *phase, uint32_t member,
							int64_t ideal);

/* The member's letters, a letter a message and collective. */
PhStatus ph_member_sequence(PhArena *arena, const PhLogical *logical, const PhMpiCall *calls,
							uint32_t member, char **out) PH_MUST_CHECK;

#endif
