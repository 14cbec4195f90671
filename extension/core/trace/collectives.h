/*
 * collectives.h - collective operations: which calls of which ranks belong together.
 *
 * Instance = (communicator, k-th application collective that a rank starts on it). Each end is
 * paired with its own begin on its location; non-blocking ones by request, and counted where they
 * are posted. Creation and destruction of handles are left out. Calls of collective functions
 * without a record in them are members too, if it can be inferred of which (trace/infer.h).
 * Fences, creation and end of windows are collectives of the window (trace/windows.h).
 * O(members). Method: docs/design/logical-time.md 1.2 with its fixes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_COLLECTIVES_H
#define PH_TRACE_COLLECTIVES_H

#include "trace/chunk/chunk.h"
#include "trace/infer.h"

typedef struct PhCollectiveMember
{
	int64_t enter;		/* of its begin or request; of its end when that was not recorded */
	int64_t leave;		/* of its end or completion */
	uint64_t seq;		/* ordinal of the end within the location; of a call alone: of its LEAVE */
	uint64_t begin_seq; /* of the begin, request or ENTER; seq: that was not recorded */
	uint64_t bytes_sent, bytes_received;
	uint32_t location, rank;
	uint32_t region;				/* innermost at the end; PH_NONE */
	uint32_t instance;				/* PH_NONE: none, see PhCollectiveRows */
	uint32_t operation, comm, root; /* root PH_NONE: none, or not known of what is inferred */
	PhEvidence evidence;			/* after grouping */
	uint32_t call;					/* of its end, in a finished skeleton; PH_NONE: it has none */
	bool is_blocking;
} PhCollectiveMember;

typedef struct PhCollectiveInstance
{
	uint32_t operation, comm, root; /* of its first member, of the first recorded one if any is */
	uint32_t n_members;				/* of the communicator; 0: unknown */
	uint32_t n_present, n_inferred; /* of these */
	uint32_t first_member;			/* n_present indices follow in PhCollectiveRows.order */
	uint32_t ordinal;				/* k: counts from 0 within the communicator */
	int64_t first_enter, last_enter, first_leave, last_leave;
	uint64_t bytes_sent, bytes_received;
	uint32_t last_member; /* index of the member that entered last; the lowest rank of equals */
	int64_t wait;		  /* sum over members of last_enter - enter */
	bool is_mixed;		  /* members disagree on operation or root */
} PhCollectiveInstance;

typedef struct PhCollectiveRows
{
	uint32_t n_instances, n_members;
	const PhCollectiveInstance *instances; /* by (first_enter, communicator, ordinal, rank) */
	/*
	 * those that were not finished, of handles, of locations without a rank, or of which nothing
	 * tells with whom they were have no instance
	 */
	const PhCollectiveMember *members;
	const uint32_t *order; /* members by instance, then rank, then location */
	uint64_t n_unfinished; /* begun, but the end was not recorded */
	uint64_t n_missing;	   /* members of communicators that took no part */
	uint64_t n_inferred;   /* members */
	uint64_t n_unknown;	   /* calls of collectives without a record, of which nothing is inferred */
} PhCollectiveRows;

typedef struct PhCollectives PhCollectives;

/*
 * model: ranks of locations, members of communicators and names of regions are used; must outlive
 * it. Without regions nothing is inferred.
 */
PhStatus ph_collectives_new(PhEnv *env, const PhTraceModel *model,
							PhCollectives **out) PH_MUST_CHECK;
void ph_collectives_free(PhCollectives *collectives);

/* What of chunks they need (PhChunkWant): records beside calls only where there are windows. */
uint32_t ph_collectives_wants(const PhCollectives *collectives);

/*
 * Add all of a location's chunks in order, locations in any order; reader was opened with
 * ph_collectives_wants, its cursor is used up.
 */
PhStatus ph_collectives_add_chunk(PhCollectives *collectives, const PhChunk *chunk,
								  PhChunkReader *reader) PH_MUST_CHECK;
/* The same for one event, calls included. */
PhStatus ph_collectives_add_event(PhCollectives *collectives, uint32_t location, uint64_t seq,
								  const PhEvent *event) PH_MUST_CHECK;

/* Group, once; the rows are valid until it is freed and nothing may be added. */
PhStatus ph_collectives_group(PhCollectives *collectives, PhCollectiveRows *out) PH_MUST_CHECK;

#endif
