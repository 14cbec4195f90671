/*
 * input_internal.h - the state of a logical input: one open location, the parts before it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_INPUT_INTERNAL_H
#define PH_LOGICAL_INPUT_INTERNAL_H

#include "logical/internal.h"
#include "trace/mpi_calls.h"

typedef struct PhInputFrame
{
	uint32_t region;
	uint32_t call; /* local id, PH_NONE until it has an event below it */
	uint32_t first_pending;
	bool completes; /* non-blocking sends completed in it */
	int64_t enter;
	double counter;
} PhInputFrame;

typedef struct PhInputPending
{
	uint32_t kind;		 /* PhCommKind */
	uint32_t index;		 /* send, slot, collective record or end of an epoch */
	bool is_nonblocking; /* a send that has a request */
	bool is_epoch;
	uint64_t request;
} PhInputPending;

/* What a request stands for: a send until it is complete, or a slot until it is received. */
typedef struct PhInputRequest
{
	uint64_t number;
	int64_t complete; /* PH_NO_TIME: not yet */
	uint32_t event;	  /* of the send, PH_NONE: not known yet */
	uint32_t row;	  /* of the send, or the receive's slot */
	bool is_receive, is_used;
} PhInputRequest;

/* Requests under way on the open location. Pointers to them hold until one is entered or removed.
 */
typedef struct PhInputRequests
{
	PhEnv *env;
	uint32_t n_bits, n_slots, n_used; /* n_slots: 2 to the n_bits, or 0 */
	PhInputRequest *slots;
} PhInputRequests;

void ph_input_requests_init(PhInputRequests *requests, PhEnv *env);
void ph_input_requests_free(PhInputRequests *requests);
void ph_input_requests_clear(PhInputRequests *requests);
/* NULL: it is not under way. */
PhInputRequest *ph_input_requests_find(const PhInputRequests *requests, uint64_t number);
/* A request that is made now, be its number new or under way. event: of a send, if it is known. */
PhStatus ph_input_requests_enter(PhInputRequests *requests, uint64_t number, bool is_receive,
								 uint32_t row, uint32_t event) PH_MUST_CHECK;
void ph_input_requests_remove(PhInputRequests *requests, PhInputRequest *request);

struct PhLogicalInput
{
	PhEnv *env;
	const PhTraceModel *trace;
	PhLogicalOptions options;
	uint8_t *region_flags;
	bool *seen;		  /* by location */
	bool is_linked;	  /* a matcher tells who sent what */
	bool has_windows; /* of one-sided communication: fences are collectives, epochs messages */
	bool needs_times; /* some ranks have several locations: their messages are put in order of time
					   */
	PH_VECTOR(PhLogicalPart) parts;
	PhLogicalColumns columns;
	PH_VECTOR(PhLogicalColumns) others; /* of inputs that were merged into this one */
	bool part_is_open;

	/* of the location that is open */
	uint32_t first_event;
	PhInputRequests requests;
	PH_VECTOR(PhInputFrame) frames;
	PH_VECTOR(PhInputPending) pending;
	PH_VECTOR(int64_t) complete;
	PH_VECTOR(PhWaitMark) marks;
	uint32_t open_coll;	  /* begun without its end, PH_NONE */
	uint32_t shown_depth; /* calls open with and around the outermost collective one; 0: none is */
	bool shown_is_told;	  /* there is a record of a collective in it */
	uint32_t n_function;
	bool in_run; /* the last event is a run of non-blocking sends that may go on */
	int64_t time;
	double counter, counter_at_exit;
	bool has_counter; /* it was read before */
	uint64_t unpaired, no_call;
	uint64_t n_shown; /* events that calls alone show */
	uint64_t n_inferred, n_unknown;
};

/* One element of a column; a macro because columns have their own types. */
#define PH_AT(type, input, which, row) (PH_COLUMN(type, (input)->columns, which)[row])

static inline PhInputFrame *
ph_input_frame_at(PhLogicalInput *input, uint32_t depth)
{
	return &input->frames.items[depth];
}

static inline uint32_t
ph_input_n_events(const PhLogicalInput *input)
{
	return input->columns.n[PH_ROWS_EVENT];
}

static inline bool
ph_input_region_has(const PhLogicalInput *input, uint32_t region, PhRegionFlag flag)
{
	return region < input->trace->n_regions && (input->region_flags[region] & flag) != 0;
}

/* Which events stay, once all locations are closed. */
typedef struct PhSettling
{
	PhLogicalInput *input;
	PhArena *arena;
	bool *keep; /* by event */
	bool any_gone;
} PhSettling;

/* All stay. */
PhStatus ph_settling_begin(PhSettling *settling) PH_MUST_CHECK;
/* Take an event off; of one location in ascending order. */
void ph_settling_take_off(PhSettling *settling, uint32_t event);
/* Those that do not stay go from the input's columns. */
PhStatus ph_settling_end(PhSettling *settling) PH_MUST_CHECK;
/* Find out with whom the collectives were that calls alone show. */
PhStatus ph_logical_settle_shown(PhSettling *settling) PH_MUST_CHECK;
/* Ends of epochs get the numbers of their pairs, or are none. */
PhStatus ph_logical_settle_epochs(PhSettling *settling) PH_MUST_CHECK;
/* The ends of an epoch with all members of its group, in a call whose region begins or ends one. */
PhStatus ph_logical_add_epoch(PhLogicalInput *input, PhEpochCall epoch,
							  const PhEvent *record) PH_MUST_CHECK;
/* A record waits with its call; without an MPI call around it, it is an event of its own. */
PhStatus ph_input_pend(PhLogicalInput *input, PhInputPending record) PH_MUST_CHECK;

/* Put the rows of all that were merged in order of timelines, as this input's own. */
PhStatus ph_logical_gather_merged(PhLogicalInput *input, PhArena *temporary) PH_MUST_CHECK;

PhStatus ph_input_enter_call(PhLogicalInput *input, uint32_t region) PH_MUST_CHECK;
/* End the open location, if there is one. */
PhStatus ph_logical_close_location(PhLogicalInput *input) PH_MUST_CHECK;
/* Leave the innermost call at input->time: its events, and what it means for wait groups. */
PhStatus ph_logical_leave_call(PhLogicalInput *input) PH_MUST_CHECK;

/* The call of the innermost `depth` frames, made with those around it where they are new. */
PhStatus ph_input_call_of(PhLogicalInput *input, uint32_t depth, uint32_t *out) PH_MUST_CHECK;
/* Count comms below a call; PH_NONE: it is none. */
void ph_input_count_comms(PhLogicalInput *input, uint32_t caller, uint32_t comms);
/*
 * The event of a call that is one blocking send or receive and nothing else, as one would be
 * made of a pending record; index: of the send or the slot.
 */
PhStatus ph_input_add_message(PhLogicalInput *input, PhCommKind kind, const PhInputFrame *frame,
							  uint32_t depth, uint32_t index) PH_MUST_CHECK;
/*
 * A non-blocking send's event and its completion become known in either order (event PH_NONE or
 * complete PH_NO_TIME: not this one). With both, the completion is noted with the event and the
 * request is forgotten.
 */
PhStatus ph_input_know_send(PhLogicalInput *input, uint64_t number, uint32_t event,
							int64_t complete) PH_MUST_CHECK;

#endif
