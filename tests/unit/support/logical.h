/*
 * logical.h - traces for tests of logical time: by hand and of random programs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_LOGICAL_H
#define SUPPORT_LOGICAL_H

#include "logical/input.h"
#include "logical/logical.h"
#include "logical/metrics.h"
#include "support/random_profile.h"

/* Events of all locations with what they refer to. */
typedef struct TestTrace
{
	PhTraceModel model;
	uint32_t *n_events; /* by location */
	uint32_t *capacity;
	PhEvent **events;
} TestTrace;

/* What random programs may do. */
typedef struct ProgramShape
{
	uint32_t max_ranks, max_actions;
	bool no_calls;	   /* no user regions */
	bool threads;	   /* some ranks have two locations */
	bool loses_events; /* some ends of messages are not recorded */
} ProgramShape;

/* A run of a random MPI program, causal, every message's bytes unique. */
void random_program(RandomNumbers *numbers, ProgramShape shape, TestTrace *out);

/* One location, its regions and communicators as for random programs; add events by add_event. */
void empty_trace(uint32_t n_locations, TestTrace *out);
PhEvent *add_event(TestTrace *trace, uint32_t location, PhEventKind kind, int64_t time);

/* Regions of random programs and empty traces. */
enum TestRegion
{
	TEST_MAIN,
	TEST_WORK,
	TEST_EXCHANGE,
	TEST_SEND,
	TEST_RECV,
	TEST_ISEND,
	TEST_IRECV,
	TEST_WAIT,
	TEST_WAITALL,
	TEST_SENDRECV,
	TEST_ALLREDUCE,
	TEST_IALLREDUCE,
	TEST_REGIONS
};

void test_trace_free(TestTrace *trace);

/* Of programs and options that a plain implementation can follow. */
ProgramShape random_program_shape(RandomNumbers *numbers);
void random_logical_options(RandomNumbers *numbers, PhLogicalOptions *options);

/* Make a model; order: locations in this order, NULL: ascending. */
PhStatus make_model(PhEnv *env, const TestTrace *trace, const PhLogicalOptions *options,
					const uint32_t *order, PhLogicalModel *out) PH_MUST_CHECK;

/* The invariants of docs/design/logical-time.md 5; "" or what does not hold. */
const char *check_logical_invariants(const PhLogical *logical, const PhLogicalOptions *options);

#endif
