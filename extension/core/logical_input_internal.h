/*
 * logical_input_internal.h - the state of a logical input: one open location, the parts before it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_INPUT_INTERNAL_H
#define PH_LOGICAL_INPUT_INTERNAL_H

#include "logical_internal.h"

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
	uint32_t kind;	  /* PhCommKind */
	uint32_t index;	  /* send, slot or collective record */
	uint32_t request; /* index, PH_NONE: blocking */
} PhInputPending;

/* What a request stands for: a send until it is complete, or a slot until it is received. */
typedef struct PhInputRequest
{
	uint32_t event; /* of the send, once it is known */
	uint32_t slot;
	int64_t complete;
} PhInputRequest;

struct PhLogicalInput
{
	PhEnv *env;
	const PhTraceModel *trace;
	PhLogicalOptions options;
	uint8_t *region_flags;
	bool *seen;		  /* by location */
	bool needs_times; /* some ranks have several locations: their messages are put in order of time
					   */
	PhVector parts;
	PhLogicalPart *part; /* the last of parts, NULL before the first location */
	bool part_is_open;

	/* of the location that is open */
	PhArena arena;
	PhMap request_of;
	PhVector frames, pending, requests, complete, marks;
	uint32_t open_coll; /* begun without its end, PH_NONE */
	uint32_t n_function;
	bool in_run; /* the last event is a run of non-blocking sends that may go on */
	int64_t time;
	double counter, counter_at_exit;
	uint64_t unpaired, no_call;
};

/* Leave the innermost call at input->time: its events, and what it means for wait groups. */
PhStatus ph_logical_leave_call(PhLogicalInput *input) PH_MUST_CHECK;

#endif
