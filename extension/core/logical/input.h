/*
 * input.h - from a trace's event records to the communication events of logical time.
 *
 * Records are pushed location by location, in record order; locations may come in any order. What
 * is decided here: which calls are events (a Sendrecv is a send and a receive, a Startall one send
 * of n messages, one Waitall a receive of n, a non-blocking collective an event where it
 * completes), coalescing of non-blocking sends, wait groups, callers; then messages are matched
 * (posting order, per communicator; completion order in compat) and collectives put together (k-th
 * of a rank on its communicator; Ravel's order in compat). Time and memory linear in the records of
 * communication.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_INPUT_H
#define PH_LOGICAL_INPUT_H

#include "logical/model.h"
#include "trace/link.h"

typedef struct PhLogicalInput PhLogicalInput;

/* trace must outlive the input; of it locations, regions, communicators and metrics are used. */
PhStatus ph_logical_input_new(PhEnv *env, const PhTraceModel *trace,
							  const PhLogicalOptions *options, PhLogicalInput **out) PH_MUST_CHECK;
void ph_logical_input_free(PhLogicalInput *input);

/*
 * Somebody else matches the messages: to be said before the first location, and to be ended with
 * ph_logical_input_finish_linked. PH_ERR_VALUE where options ask for another matching than his
 * (compat, match_sizes).
 */
PhStatus ph_logical_input_link(PhLogicalInput *input) PH_MUST_CHECK;

/*
 * What has come is about this share of all that will (0: not known): arrays are made as large as
 * all of it needs, in place of growing step by step. A hint, nothing depends on it.
 */
void ph_logical_input_progress(PhLogicalInput *input, double share);

/* How many messages there will be, if that is known: memory is then taken once. */
PhStatus ph_logical_input_expect(PhLogicalInput *input, uint64_t sends,
								 uint64_t receives) PH_MUST_CHECK;

/* Start a location, which ends the one before. Each at most once (PH_ERR_VALUE). */
PhStatus ph_logical_input_location(PhLogicalInput *input, uint32_t location) PH_MUST_CHECK;

/* The next record of the location. Needed: calls, messages, collectives (of windows, too), and
 * metrics for counters. */
PhStatus ph_logical_input_event(PhLogicalInput *input, const PhEvent *event) PH_MUST_CHECK;

/* What of chunks it needs (PhChunkWant): other records where there are windows or counters. */
uint32_t ph_logical_input_wants(const PhLogicalInput *input);

/* The next chunk of the location. reader was opened on it with ph_logical_input_wants; its cursor
 * does not move. */
PhStatus ph_logical_input_chunk(PhLogicalInput *input, const PhChunkReader *reader) PH_MUST_CHECK;

/*
 * Take over what another input has taken in (of another thread that has ended); the other is fit to
 * be freed only, its environment must outlive this one. Both have the same trace and options; each
 * location belongs to one of them (PH_ERR_VALUE).
 */
PhStatus ph_logical_input_merge(PhLogicalInput *input, PhLogicalInput *other) PH_MUST_CHECK;

/* Match and assemble; the input is used up, the model is the caller's. */
PhStatus ph_logical_input_finish(PhLogicalInput *input, PhLogicalModel *out) PH_MUST_CHECK;

/* The same with the links of a matcher that was given the same events and has matched. */
PhStatus ph_logical_input_finish_linked(PhLogicalInput *input, const PhMatcher *matcher,
										PhLogicalModel *out) PH_MUST_CHECK;

#endif
