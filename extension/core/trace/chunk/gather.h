/*
 * gather.h - operands of the events of a chunk that is being written: one set of kinds.
 *
 * They are gathered as readers want them, so that a chunk can be read before it is packed; what
 * makes them small (PhOperandList) is done when they are packed. Private to trace/chunk.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_CHUNK_GATHER_H
#define PH_TRACE_CHUNK_GATHER_H

#include "trace/chunk/layout.h"

/* Lists but that of values have the same room, in one block. All zero: empty. */
typedef struct PhGather
{
	uint32_t n_events, capacity;
	uint32_t n[PH_LISTS]; /* elements of each list */
	void *block;
	uint64_t *bytes, *bytes_received, *request;
	uint32_t *peer, *comm, *operation, *root, *n_values;
	int32_t *tag;
	uint32_t value_capacity;
	uint64_t *values;
	PhBuffer plain, scratch;
} PhGather;

void ph_gather_clear(PhGather *gather);
void ph_gather_free(PhEnv *env, PhGather *gather);

/* Add the operands of an event, whose kind is one of the set; PH_ERR_LIMIT: it has many values. */
PhStatus ph_gather_add(PhEnv *env, PhGather *gather, const PhEvent *event) PH_MUST_CHECK;

/* Room for more events. */
PhStatus ph_gather_grow(PhEnv *env, PhGather *gather) PH_MUST_CHECK;

/* The same of an event that has nothing but a request. */
PH_MUST_CHECK static inline PhStatus
ph_gather_request(PhEnv *env, PhGather *gather, uint64_t request)
{
	if (__builtin_expect(gather->n_events == gather->capacity, 0))
		PH_TRY(ph_gather_grow(env, gather));
	gather->n_events++;
	gather->request[gather->n[PH_LIST_REQUEST]++] = request;
	return PH_OK;
}

/* The same of SEND, RECV, ISEND and IRECV. */
PH_MUST_CHECK static inline PhStatus
ph_gather_message(PhEnv *env, PhGather *gather, const PhEvent *event)
{
	uint32_t *n = gather->n;
	if (__builtin_expect(gather->n_events == gather->capacity, 0))
		PH_TRY(ph_gather_grow(env, gather));
	gather->n_events++;
	gather->peer[n[PH_LIST_PEER]++] = event->peer;
	gather->comm[n[PH_LIST_COMM]++] = event->comm;
	gather->tag[n[PH_LIST_TAG]++] = event->tag;
	gather->bytes[n[PH_LIST_BYTES]++] = event->bytes;
	if (event->kind == PH_EVENT_ISEND || event->kind == PH_EVENT_IRECV)
		gather->request[n[PH_LIST_REQUEST]++] = event->request;
	return PH_OK;
}

/* The lists as bytes, behind each other; valid until the next. */
PhStatus ph_gather_encode(PhEnv *env, PhGather *gather, PhBytes *out) PH_MUST_CHECK;

/* The lists as they are; valid until the next event. */
PhOperandArrays ph_gather_arrays(const PhGather *gather);

#endif
