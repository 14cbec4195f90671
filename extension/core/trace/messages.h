/*
 * messages.h - messages as rows: both ends of each, also of those with one end only.
 *
 * PhMessages answers for any set of chunks: rows come from the receives and their links; the sends
 * among the added events give the senders' regions and the messages that nobody received.
 * ph_messages_of_chunk answers for one receiver's chunk alone.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_MESSAGES_H
#define PH_TRACE_MESSAGES_H

#include "trace/link.h"

#define PH_NO_SEQ UINT64_MAX

typedef struct PhMessage
{
	int64_t send_time, receive_time; /* PH_NO_TIME: this end is not known */
	uint64_t send_seq, receive_seq;	 /* event ordinals within the locations; PH_NO_SEQ */
	uint64_t bytes;					 /* as received; as sent when nobody received it */
	uint32_t sender, receiver;		 /* world ranks; PH_NONE */
	uint32_t sender_location, receiver_location; /* PH_NONE */
	uint32_t comm;
	int32_t tag;
	uint32_t send_region, receive_region; /* innermost ones; PH_NONE: none or not known */
} PhMessage;

/*
 * Messages whose life from its first to its last known end overlaps [from, to). ph_window_all()
 * is open at both sides. locations: by location id; a message belongs to either end's.
 */
typedef struct PhTraceWindow
{
	int64_t from, to;
	uint32_t n_locations;
	const bool *locations; /* NULL: all */
} PhTraceWindow;

PhTraceWindow ph_window_all(void);
bool ph_window_has_location(const PhTraceWindow *window, uint32_t location);
/* Does what happens in [first, last] overlap the window? */
bool ph_window_overlaps(const PhTraceWindow *window, int64_t first, int64_t last);

typedef struct PhMessages PhMessages;

/* model: its locations' ranks are used; must outlive the messages. */
PhStatus ph_messages_new(PhEnv *env, const PhTraceModel *model, PhMessages **out) PH_MUST_CHECK;
void ph_messages_free(PhMessages *messages);

/*
 * Add a chunk, in any order; reader was opened on it with PH_WANT_CALLS | PH_WANT_MESSAGES, its
 * cursor is used up. links: those of its receives, n_links as many as the chunk has receives (else
 * PH_ERR_FORMAT); NULL: its receives have no known senders.
 *
 * For a window add the chunks whose [t_first, t_last] overlaps it, and those whose links' sends do
 * (t_send_min, t_send_max); further ones only to learn more regions of senders.
 */
PhStatus ph_messages_add_chunk(PhMessages *messages, const PhChunk *chunk, PhChunkReader *reader,
							   const PhLink *links, uint32_t n_links) PH_MUST_CHECK;

/* The same for one event; link: of a receive, or NULL. */
PhStatus ph_messages_add_event(PhMessages *messages, uint32_t location, uint64_t seq,
							   const PhEvent *event, const PhLink *link) PH_MUST_CHECK;

/*
 * Rows in the window, ordered by send time (unknown last), receive time (unknown last), sender,
 * receiver, locations, ordinals. Valid until messages is freed; may be asked for again with another
 * window, after which the former rows are gone.
 */
PhStatus ph_messages_rows(PhMessages *messages, const PhTraceWindow *window, const PhMessage **rows,
						  uint32_t *n) PH_MUST_CHECK;

/*
 * The messages that one chunk received, in event order; sends are known by their links only: no
 * send_region. links: as stored, size 0: none are known. receiver: the rank of the chunk's
 * location.
 */
PhStatus ph_messages_of_chunk(PhArena *arena, uint32_t receiver, const PhChunk *chunk,
							  PhChunkReader *reader, PhBytes links, const PhTraceWindow *window,
							  const PhMessage **rows, uint32_t *n) PH_MUST_CHECK;

#endif
