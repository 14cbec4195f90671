/*
 * model.h - what logical time is computed from: communication events as struct of arrays.
 *
 * An event is a call that sends, receives or takes part in a collective; only events get steps.
 * Events are numbered timeline by timeline, in order of leaving their calls, so a timeline is one
 * range of event ids and the event before e on its timeline is e - 1. Timelines are ordered by
 * (rank, thread, location); one is made for every location with at least one event. logical/input.h
 * makes a model from trace events. Method: docs/design/logical-time.md 0 and 1.2-1.5.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_MODEL_H
#define PH_LOGICAL_MODEL_H

#include "trace/chunk/model.h"

typedef enum PhCommKind
{
	PH_COMM_SEND,
	PH_COMM_RECEIVE,
	PH_COMM_COLLECTIVE
} PhCommKind;

/* "send", "receive", "collective" */
const char *ph_comm_kind_name(uint32_t kind);

typedef enum PhCommFlag
{
	PH_COMM_NONBLOCKING = 1, /* a send that returns before it is done */
	PH_COMM_COALESCED = 2,	 /* non-blocking sends that are one event, be they only one */
	PH_COMM_WAITED = 4,		 /* in one wait group with the event before it on the timeline */
	PH_COMM_NO_CALL = 8,	 /* its MPI call was not recorded: enter = exit = the record's time */
	PH_COMM_SAME_CALL = 16,	 /* of one MPI call with the event before it: a Sendrecv's receive */
	PH_COMM_INFERRED = 32	 /* its call alone shows it, no record does */
} PhCommFlag;

/* How structure is found. ph_logical_options_default() gives the design's defaults. */
typedef struct PhLogicalOptions
{
	bool compat;		   /* as Ravel does it, instead of with the papers' rules and fixes */
	bool coalesce_isends;  /* runs of non-blocking sends are one event */
	bool wait_groups;	   /* from a non-blocking send to the call that completes it: one phase */
	bool waitall_groups;   /* the same, guessed from Waitall where completions are not recorded */
	bool call_tree_merge;  /* neighbours below one call that communicates: one phase; no collectives
							  below the call that holds all of a timeline, unless in compat */
	bool super_phases;	   /* chains of small phases that do the same become one; not in compat */
	bool leap_merge;	   /* merge until every leap of the phase graph has all timelines */
	bool leap_skip;		   /* leave a leap as it is where that adds no timeline */
	bool global_merge;	   /* phases that share global steps become one */
	bool match_sizes;	   /* a message's two ends must agree in bytes */
	bool align_sends;	   /* advanced stepping: sends of one stride share a step */
	bool reorder_receives; /* order receives within a phase by cause, not by time */
	const char
		*phase_function; /* phases are the calls of the region whose name contains this; NULL */
	uint32_t counter;	 /* index into the trace's metrics; PH_NONE: none */
} PhLogicalOptions;

void ph_logical_options_default(PhLogicalOptions *options);

/* What was odd in the input; nothing is dropped silently. */
typedef struct PhLogicalNotes
{
	uint64_t unmatched_sends, unmatched_receives; /* ends of epochs of windows, too */
	uint64_t unpaired_collectives; /* begun without an end, or ended without a beginning */
	uint64_t
		calls_without_region; /* records outside any MPI call, or of epochs with nobody known */
	uint64_t inferred_collectives; /* events without a record */
	uint64_t unknown_collectives;  /* calls without a record or an event: nothing tells with whom */
} PhLogicalNotes;

typedef struct PhLogicalModel
{
	PhEnv *env;
	uint32_t n_timelines, n_events, n_ends, n_messages, n_collectives, n_members, n_calls;
	uint32_t n_regions;
	PhLogicalNotes notes;

	/* by timeline */
	uint32_t *timeline_location; /* the run's location */
	int32_t *timeline_rank;		 /* PH_NO_NUMBER: unknown */
	uint32_t *timeline_first;	 /* n_timelines + 1 events */

	/* by event */
	uint32_t *timeline;
	int64_t *enter, *exit;	  /* ns */
	uint32_t *region;		  /* PH_NONE: none */
	uint32_t *caller;		  /* the call it was made in, PH_NONE: none */
	uint32_t *collective;	  /* PH_NONE: none, or its instance is unknown */
	uint32_t *first_end;	  /* n_events + 1: its messages are message_of_end[first..next first) */
	uint8_t *kind, *flags;	  /* PhCommKind, PhCommFlag bits */
	uint32_t *function_count; /* calls of options.phase_function before it; NULL without */
	double *counter_inside, *counter_before; /* growth within, and since the event before; NULL */

	uint32_t *message_of_end;

	/* by message, in order of (send event, record); those without a send last */
	uint32_t *send_event, *receive_event; /* PH_NONE: that end is missing */
	int32_t *tag;
	uint64_t *bytes;

	/* by collective: one instance on one communicator */
	uint32_t *operation;	/* PhCollective */
	uint32_t *communicator; /* PH_NONE: unknown */
	uint32_t *root;			/* world rank or PH_NONE */
	uint32_t *first_member; /* n_collectives + 1: members are member_event[first..next first) */
	uint32_t *member_event; /* in order of events */

	/* by call that has events below it; a caller's id is less than its callees' */
	uint32_t *call_region, *call_parent; /* PH_NONE: none */
	uint32_t *call_comms;				 /* events below it: 1 a send or receive, 2 a collective */
	uint8_t *call_is_event;				 /* the call is itself an event */

	uint64_t *region_key; /* by region: a hash of its name, equal in all runs */
} PhLogicalModel;

/* Free all arrays; a model that was zeroed or freed is fine. */
void ph_logical_model_free(PhLogicalModel *model);

#endif
