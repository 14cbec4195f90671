/*
 * replayed.h - a trace as a program to be replayed, with the calls of chosen functions.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_REPLAYED_H
#define SUPPORT_REPLAYED_H

#include "replay/costs.h"
#include "replay/spans.h"
#include "support/skeleton.h"

typedef struct Replayed
{
	const CommTrace *trace;
	PhArena arena;
	PhSkeleton *skeleton;
	PhReplayProgram *program;
	PhSpans *spans; /* NULL: none were read */
} Replayed;

/* Regions of comm.h's programs, with names. */
void replayed_name_regions(CommTrace *trace);

/* The call that is open before an event; PH_NONE: none. */
uint32_t replayed_caller(const CommTrace *trace, uint32_t at, uint32_t seq);

/* A CommVisit of user, a Replayed: the event goes to its spans. */
PhStatus replayed_take_event(void *user, uint32_t location, uint64_t seq, const PhEvent *event,
							 const PhOpenCall *call);

/* What happened in [from, to]; to be freed also after a failure. */
PhStatus replayed_build(PhEnv *env, const CommTrace *trace, uint64_t seed, int64_t from, int64_t to,
						Replayed *out) PH_MUST_CHECK;

/* The calls of the functions that the paths end with; targets: to ask for them by. */
PhStatus replayed_read_spans(PhEnv *env, Replayed *replayed, const char *const *paths, uint32_t n,
							 uint32_t *targets) PH_MUST_CHECK;

void replayed_free(Replayed *replayed);

#endif
