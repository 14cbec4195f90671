/*
 * comm.h - seeded random message-passing programs, run on simulated clocks into events.
 *
 * The program is simulated, so causes come before their effects and the send of every receive is
 * known. Blocking, non-blocking and persistent messages, Waitall, cancelled requests, reused
 * request ids, messages to oneself, several threads a rank, unmatched ends, collectives of all
 * kinds on world, halves and self, times with many ties, calls left open.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_COMM_H
#define SUPPORT_COMM_H

#include "support/forest.h"
#include "trace/link.h"

#define COMM_LOCATIONS 12
#define COMM_EVENTS 1500

typedef enum CommRegion
{
	COMM_MAIN,
	COMM_USER_A,
	COMM_USER_B,
	COMM_SEND,
	COMM_RECV,
	COMM_ISEND,
	COMM_IRECV,
	COMM_WAIT,
	COMM_WAITALL,
	COMM_TEST,
	COMM_COLLECTIVE,
	COMM_REGIONS
} CommRegion;

typedef struct CommTrace
{
	PhTraceModel model;
	PhTraceLocation locations[COMM_LOCATIONS];
	PhTraceCommunicator communicators[16];
	uint32_t members[16][COMM_LOCATIONS];
	uint32_t n_events[COMM_LOCATIONS];
	PhEvent events[COMM_LOCATIONS][COMM_EVENTS];
	PhLink truth[COMM_LOCATIONS][COMM_EVENTS];		/* by receive event; PH_NONE: unmatched */
	uint32_t instance[COMM_LOCATIONS][COMM_EVENTS]; /* by collective end; else PH_NONE */
	int64_t begin[COMM_LOCATIONS][COMM_EVENTS];		/* of that collective */
	uint32_t n_instances;
	uint64_t values[16]; /* operands that events point to */
} CommTrace;

/* A program of up to `steps` steps on a few ranks, all drawn from the seed. */
void comm_random(uint64_t seed, uint32_t steps, CommTrace *out);

/* The same, with half of the blocking messages right in the program's own functions. */
void comm_random_bare(uint64_t seed, uint32_t steps, CommTrace *out);

/* Records without any sense: any of n kinds from first on, any operands, rising times. */
void comm_noise(uint64_t seed, uint32_t n_events, PhEventKind first, uint32_t n_kinds,
				CommTrace *out);

/* One event with what a chunk reader's cursor would say of it. */
typedef PhStatus (*CommVisit)(void *user, uint32_t location, uint64_t seq, const PhEvent *event,
							  const PhOpenCall *call);

/* Visit the events of a location in order. */
PhStatus comm_visit(const CommTrace *trace, uint32_t location, CommVisit visit, void *user);

/* Visit all locations, in an order drawn from the seed. */
PhStatus comm_visit_all(const CommTrace *trace, uint64_t seed, CommVisit visit, void *user);

/* A chunk and a reader that was opened on it for everything. */
typedef PhStatus (*CommChunkVisit)(void *user, const PhChunk *chunk, PhChunkReader *reader);

/* Write a location's events into chunks of so many events and visit each. */
PhStatus comm_visit_chunks(PhEnv *env, const CommTrace *trace, uint32_t location,
						   uint32_t chunk_events, CommChunkVisit visit, void *user);

/* The locations in an order drawn from the seed. */
void comm_shuffle(const CommTrace *trace, uint64_t seed, uint32_t *order);

#endif
