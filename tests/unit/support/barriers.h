/*
 * barriers.h - iterations of work and a barrier, whose duration is known whatever the work is.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_BARRIERS_H
#define SUPPORT_BARRIERS_H

#include "support/comm.h"

#define N_RANKS 4
#define N_ITERATIONS 5
#define OVERHEAD 7 /* of a barrier, after the last one came */

/* What each rank works in each iteration; a multiple of N_RANKS. */
typedef int64_t BarrierWork[N_RANKS][N_ITERATIONS];

void barriers_draw(uint64_t seed, BarrierWork work);

/* The events of all ranks, in COMM_USER_A and COMM_COLLECTIVE; returns the duration. */
int64_t barriers_run(BarrierWork work, CommTrace *trace);

/* What the same would take, barriers included. */
int64_t barriers_with(BarrierWork work);

/* Add an event without operands to a location; a COLLECTIVE_END is of a barrier of all. */
void barriers_add(CommTrace *trace, uint32_t at, int64_t time, PhEventKind kind, uint32_t region);

#endif
