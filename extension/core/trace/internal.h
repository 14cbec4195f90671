/*
 * internal.h - shared by the trace analyses: requests that are under way.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_INTERNAL_H
#define PH_TRACE_INTERNAL_H

#include "base/sort.h"
#include "base/vector.h"
#include "trace/collectives.h"

/* PH_ERR_VALUE unless the model has the location. */
PhStatus ph_trace_check_location(PhEnv *env, const PhTraceModel *model,
								 uint32_t location) PH_MUST_CHECK;

/*
 * The events of messages and collectives of a chunk (SEND to NB_COLLECTIVE_COMPLETE), without their
 * regions: faster than the reader's cursor, which steps through all calls.
 */
typedef struct PhMessageCursor
{
	const uint8_t *kinds;
	const int64_t *times;
	const PhOperandArrays *operands;
	uint32_t n, at; /* events of the chunk; the next one */
	uint32_t n_peers, n_comms, n_tags, n_bytes, n_received, n_requests, n_operations, n_roots;
} PhMessageCursor;

/* reader: opened with PH_WANT_MESSAGES, and PH_WANT_CALLS or PH_WANT_TIMES. */
PhMessageCursor ph_message_cursor(const PhChunkReader *reader);
/* The next event and its place in the chunk; false at the end. */
bool ph_message_next(PhMessageCursor *cursor, PhEvent *event, uint32_t *index);

/* For who steps through kinds, and asks of every event of messages and collectives: the one there.
 */
void ph_message_at(PhMessageCursor *cursor, uint32_t index, PhEvent *event);

/* The same of one of which only the request matters and is recorded. */
static inline uint64_t
ph_message_request(PhMessageCursor *cursor)
{
	return cursor->operands->request[cursor->n_requests++];
}

/* PH_ERR_FORMAT: the chunk has another number of receives than it has links. */
PhStatus ph_trace_bad_links(PhEnv *env, const PhChunk *chunk, uint32_t n_links);

/* Bits of a number: its power of two. */
static inline unsigned
ph_trace_bits(uint64_t number)
{
	return number == 0 ? 0 : 64 - (unsigned) __builtin_clzll(number);
}

/* World rank of a location, PH_NONE when it has none. */
uint32_t ph_trace_rank(const PhTraceModel *model, uint32_t location);

/* One more than the highest rank of a location. */
uint32_t ph_trace_count_ranks(const PhTraceModel *model);

/*
 * Stable sort of n items by a small key: out gets them in order of keys[item], which is below
 * n_keys; starts (room for n_keys + 1) gets where each key's items begin. O(n + n_keys).
 */
PhStatus ph_trace_bucket(PhEnv *env, const uint32_t *items, uint32_t n, const uint32_t *keys,
						 uint32_t n_keys, uint32_t *starts, uint32_t *out) PH_MUST_CHECK;

typedef struct PhKeyed
{
	uint64_t key;
	uint32_t item;
} PhKeyed;

/* Stable sort by key, in linear time; the buffer has room for n, too. */
PhStatus ph_trace_sort_keys(PhEnv *env, PhKeyed *items, uint32_t n, PhKeyed *buffer) PH_MUST_CHECK;

/* Times as keys have their order. */
static inline uint64_t
ph_time_key(int64_t time)
{
	return (uint64_t) time ^ UINT64_C(1) << 63;
}

static inline int64_t
ph_time_of_key(uint64_t key)
{
	return (int64_t) (key ^ UINT64_C(1) << 63);
}

/*
 * The items by key, those of equal keys by compare (given items): their order, in scratch. For keys
 * that mostly differ, nearly linear. The keyed items are sorted on the way.
 */
PhStatus ph_trace_order_keys(PhArena *scratch, PhKeyed *keyed, uint32_t n,
							 PhCompareFunction compare, const void *context,
							 uint32_t **order) PH_MUST_CHECK;

static inline bool
ph_is_collective_record(uint32_t kind)
{
	return kind >= PH_EVENT_COLLECTIVE_BEGIN && kind <= PH_EVENT_NB_COLLECTIVE_COMPLETE;
}

/* As ph_collectives_add_event, which it is; *member: the one that the event ended, or PH_NONE. */
PhStatus ph_collectives_take(PhCollectives *collectives, uint32_t location, uint64_t seq,
							 const PhEvent *record, uint32_t *member) PH_MUST_CHECK;

/*
 * Members of another thread's locations, which are complete; *first: the place of its first one.
 * Afterwards the other has none.
 */
PhStatus ph_collectives_merge(PhCollectives *collectives, PhCollectives *other,
							  uint32_t *first) PH_MUST_CHECK;

/* The finished skeleton's index of the call of a member's end. */
void ph_collectives_tell_call(PhCollectives *collectives, uint32_t member, uint32_t call);

/* Is a call of a collective function open on the location? Then each ENTER and LEAVE counts. */
bool ph_collectives_in_call(const PhCollectives *collectives, uint32_t location);

typedef struct PhRequestSlot
{
	uint64_t request;
	uint32_t location;
	uint32_t value;		  /* the oldest; PH_NONE: the slot is empty */
	uint32_t first, last; /* of its other values; first PH_NONE: there are none */
} PhRequestSlot;

typedef struct PhRequestValue
{
	uint32_t value, next;
} PhRequestValue;

/*
 * Requests under way: values by (location, request id), taken in the order in which they were
 * posted. Memory grows with what is under way at once, not with all requests.
 */
typedef struct PhRequests
{
	PhEnv *env;
	uint32_t n_slots, n_used; /* n_slots: a power of two, or 0 */
	PhRequestSlot *slots;
	uint32_t n_values, value_room, free_value;
	PhRequestValue *values;
} PhRequests;

void ph_requests_init(PhRequests *requests, PhEnv *env);
void ph_requests_free(PhRequests *requests);
PhStatus ph_requests_post(PhRequests *requests, uint32_t location, uint64_t request,
						  uint32_t value) PH_MUST_CHECK;
/* Take the oldest value of the request; PH_NONE: none is under way. */
uint32_t ph_requests_take(PhRequests *requests, uint32_t location, uint64_t request);

#endif
