/*
 * spans.h - when functions ran: the outermost calls of chosen functions by location and time.
 *
 * What changes of a replay and efficiencies are about. Of several functions at once, in one pass
 * over the chunks. 16 bytes a call.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPLAY_SPANS_H
#define PH_REPLAY_SPANS_H

#include "trace/chunk/chunk.h"

#define PH_MOST_SPAN_TARGETS 32

typedef struct PhCallSpan
{
	int64_t from, to;
} PhCallSpan;

/* The calls of one function in one location, by time; they do not overlap. */
typedef struct PhCallSpans
{
	const PhCallSpan *spans;
	uint32_t n;
} PhCallSpans;

typedef struct PhSpans PhSpans;

/* model must outlive it. */
PhStatus ph_spans_new(PhEnv *env, const PhTraceModel *model, PhSpans **out) PH_MUST_CHECK;
void ph_spans_free(PhSpans *spans);
const PhTraceModel *ph_spans_model(const PhSpans *spans);
PhEnv *ph_spans_env(const PhSpans *spans);
/* How many functions are asked for. */
uint32_t ph_spans_count(const PhSpans *spans);

/*
 * Ask for calls, before any chunk: of the function that a call path ends with, "solve" or
 * "main/solve" (a leading "…/" or ".../" is left out), wherever its callers are those. Where no
 * function has such a name, those that have it without their parameters are meant, in the whole
 * path. *found: the model has such a region. *target: what to ask for it by. PH_ERR_LIMIT after
 * PH_MOST_SPAN_TARGETS.
 */
PhStatus ph_spans_want_path(PhSpans *spans, const char *path, uint32_t *target,
							bool *found) PH_MUST_CHECK;
/* Of all regions that are marked. */
PhStatus ph_spans_want_regions(PhSpans *spans, const bool *regions, uint32_t *target) PH_MUST_CHECK;

/*
 * Add all of a location's chunks in order, locations in any order; reader was opened with
 * PH_WANT_CALLS, its cursor is used up.
 */
PhStatus ph_spans_add_chunk(PhSpans *spans, const PhChunk *chunk,
							PhChunkReader *reader) PH_MUST_CHECK;

/* The same for one event; calls: those open after an ENTER, with it. */
PhStatus ph_spans_add_event(PhSpans *spans, uint32_t location, const PhEvent *event,
							const PhOpenCall *calls, uint32_t depth) PH_MUST_CHECK;

/* Everything was added. Calls that were not left end with their location's last event. */
void ph_spans_finish(PhSpans *spans);

/* After that; valid until it is freed. */
PhCallSpans ph_spans_of(const PhSpans *spans, uint32_t target, uint32_t location);

#endif
