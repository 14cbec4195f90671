/*
 * link.h - which send each receive completes: matching, and links as columns beside chunks.
 *
 * Matching: key (sender rank, receiver rank, communicator, tag); the k-th send record meets the
 * k-th receive in posting order (by request id per location; blocking receives post where they are
 * recorded). Hash map of queues, O(messages). What has no other end stays unmatched and is counted,
 * so are sends whose request was cancelled. Several threads of one rank take turns by time. Peers
 * that are no rank (MPI_PROC_NULL) have no record, so nothing is matched for them.
 * Method: docs/design/logical-time.md 1.2 with its fixes.
 *
 * Links: for each RECV and IRECV event of a chunk, in event order, the send's location, its event
 * ordinal there, and its time: kept as small differences, a few bytes a message.
 *
 * Launches are links of a class of their own: for each ENTER event of a chunk of a device's stream,
 * the ENTER of the call that launched the activity. Same bytes, in rows of another table.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_LINK_H
#define PH_TRACE_LINK_H

#include "trace/chunk/chunk.h"

/* The send that a receive completes, or the call that launched an activity; location PH_NONE: none
 * was recorded. */
typedef struct PhLink
{
	uint32_t location;
	uint64_t seq;
	int64_t time;
} PhLink;

typedef struct PhMatchCounts
{
	uint64_t messages; /* matched pairs */
	uint64_t unmatched_sends, unmatched_receives;
	uint64_t reversed;		/* received before they were sent */
	int64_t worst_reversal; /* ns */
} PhMatchCounts;

typedef struct PhMatcher PhMatcher;

/* model: its locations' ranks are used; must outlive the matcher. */
PhStatus ph_matcher_new(PhEnv *env, const PhTraceModel *model, PhMatcher **out) PH_MUST_CHECK;
void ph_matcher_free(PhMatcher *matcher);

/*
 * Add a location's events chunk by chunk, in order; reader was opened on the chunk with
 * PH_WANT_MESSAGES and PH_WANT_CALLS or PH_WANT_TIMES; its cursor does not move. Locations may come
 * in any order, the result does not depend on it.
 */
PhStatus ph_matcher_add_chunk(PhMatcher *matcher, const PhChunk *chunk,
							  PhChunkReader *reader) PH_MUST_CHECK;

/* The same for one event; seq is its ordinal within the location. */
PhStatus ph_matcher_add_event(PhMatcher *matcher, uint32_t location, uint64_t seq,
							  const PhEvent *event) PH_MUST_CHECK;

/*
 * What has come is about this share of all that will (0: not known): lists are made as long as all
 * of it needs, in place of growing step by step. A hint, nothing depends on it.
 */
void ph_matcher_progress(PhMatcher *matcher, double share);

/*
 * Take over the ends of another matcher (of another thread that has ended), whose environment must
 * outlive this one; the other is empty afterwards. Each location belongs to one of them. A failure
 * leaves both fit to be freed only.
 */
PhStatus ph_matcher_merge(PhMatcher *matcher, PhMatcher *other) PH_MUST_CHECK;

/* Match everything, once; then links may be asked for and nothing may be added. */
PhStatus ph_matcher_match(PhMatcher *matcher, PhMatchCounts *out) PH_MUST_CHECK;

/* The links of a location's receives, in event order; valid until the matcher is freed. */
const PhLink *ph_matcher_links(const PhMatcher *matcher, uint32_t location, uint64_t *count);

/* By link: how many sends of its location came before its send; PH_NONE: no partner. */
const uint32_t *ph_matcher_send_ordinals(const PhMatcher *matcher, uint32_t location);

/* Links of one chunk to bytes in arena, and back. receive_times: of the receives, n elements. */
PhStatus ph_links_encode(PhArena *arena, const PhLink *links, const int64_t *receive_times,
						 uint32_t n, PhBytes *out) PH_MUST_CHECK;
PhStatus ph_links_decode(PhArena *arena, PhBytes bytes, const int64_t *receive_times, uint32_t n,
						 const PhLink **out) PH_MUST_CHECK;

/* A row of perfhouse.message_chunk without its run. */
typedef struct PhLinkChunk
{
	uint32_t location, chunk_no, n_links;
	int64_t send_min, send_max; /* times of its matched sends */
	PhBytes links;
} PhLinkChunk;

/* When the partners of links were: the first and the last; none: an empty span. */
void ph_links_span(const PhLink *links, uint32_t n, int64_t *first, int64_t *last);

/* The checksum of the row, all of its columns but the run's number. */
uint32_t ph_link_chunk_crc(const PhLinkChunk *chunk);

/*
 * Links of a chunk that reader was opened on, as decoded from bytes, and how many; the cursor does
 * not move. No bytes: no receive has a known partner.
 */
PhStatus ph_links_of_chunk(PhArena *arena, const PhChunk *chunk, const PhChunkReader *reader,
						   PhBytes bytes, const PhLink **links, uint32_t *n) PH_MUST_CHECK;

/* The same of the chunk's ENTERs, from the bytes of its launches; no bytes: none is known. */
PhStatus ph_launches_of_chunk(PhArena *arena, const PhChunk *chunk, const PhChunkReader *reader,
							  PhBytes bytes, const PhLink **links, uint32_t *n) PH_MUST_CHECK;

/* By ENTER, n of them: how long before it the call was that launched it; PH_NO_TIME: not known. */
PhStatus ph_launch_delays(PhArena *arena, PhBytes bytes, uint32_t n,
						  const int64_t **out) PH_MUST_CHECK;

/* What is known of launches of a trace. */
typedef struct PhLaunchCounts
{
	uint64_t activities;
	uint64_t unmatched; /* activities whose launching call was not recorded */
	uint64_t reversed;	/* activities that begin before the call that launched them: clocks */
} PhLaunchCounts;

#endif
