/*
 * infer.h - collectives that calls show and no record tells: with whom each was.
 *
 * A call without a record is a member of the communicator on which its rank alone lacks as many
 * collectives of that function as it has such calls. Where no communicator lacks any, it is of all
 * ranks: only functions count that every rank called equally often in one and the same order, and
 * that nobody left, in more than one of ten, before somebody had entered whom he had to wait for.
 * What one of these forbids stays unknown; so do calls that other calls complete. O(n log n), and a
 * pass for each of the few functions that are ruled out. Method: docs/design/traces.md 11.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_INFER_H
#define PH_TRACE_INFER_H

#include "trace/mpi_calls.h"

/* What it rests on that a call is part of a collective. */
typedef enum PhEvidence
{
	PH_RECORDED,
	PH_INFERRED, /* from calls alone */
	PH_UNKNOWN	 /* a call shows it, but not with whom */
} PhEvidence;

/* A collective of one rank; its order among those of the rank is that of enter, then of the array.
 */
typedef struct PhShownCollective
{
	int64_t enter, leave;
	uint32_t rank;		/* PH_NONE: none, nothing is inferred */
	uint32_t operation; /* PhCollective */
	uint32_t comm;		/* PH_NONE: not known, or it is not defined in the model */
	PhEvidence evidence;
	bool is_later; /* another call completes it */
} PhShownCollective;

/* Make PH_INFERRED, with their communicators, of those PH_UNKNOWN calls for which it is possible.
 */
PhStatus ph_infer_collectives(PhEnv *env, const PhTraceModel *model, PhShownCollective *calls,
							  uint32_t n) PH_MUST_CHECK;

#endif
