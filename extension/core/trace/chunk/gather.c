/*
 * gather.c - see gather.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/chunk/gather.h"

#include "base/min_max.h"

#define FIRST_EVENTS 256
#define FIRST_VALUES 256
/* The most values of one event. */
#define MOST_VALUES (PH_CHUNK_MAX_VALUES / 2)
#define N_WIDE 3
#define N_NARROW 6
#define EVENT_BYTES (N_WIDE * sizeof(uint64_t) + N_NARROW * sizeof(uint32_t))

void
ph_gather_clear(PhGather *gather)
{
	gather->n_events = 0;
	memset(gather->n, 0, sizeof(gather->n));
}

void
ph_gather_free(PhEnv *env, PhGather *gather)
{
	ph_env_free(env, gather->block, gather->capacity, EVENT_BYTES);
	ph_env_free(env, gather->values, gather->value_capacity, sizeof(uint64_t));
	ph_buffer_free(env, &gather->plain);
	ph_buffer_free(env, &gather->scratch);
	*gather = (PhGather){0};
}

/* ---- gathering ---- */

/* Lists of the block, 64-bit ones first. */
static void
lay_out(PhGather *gather, void *block, uint32_t capacity)
{
	uint64_t *wide = block;
	uint32_t *narrow = (uint32_t *) (wide + (size_t) N_WIDE * capacity);
	gather->block = block;
	gather->capacity = capacity;
	gather->bytes = wide;
	gather->bytes_received = gather->bytes + capacity;
	gather->request = gather->bytes_received + capacity;
	gather->peer = narrow;
	gather->comm = gather->peer + capacity;
	gather->operation = gather->comm + capacity;
	gather->root = gather->operation + capacity;
	gather->n_values = gather->root + capacity;
	gather->tag = (int32_t *) (gather->n_values + capacity);
}

PhStatus
ph_gather_grow(PhEnv *env, PhGather *gather)
{
	PhGather old = *gather;
	uint32_t capacity = old.capacity == 0 ? FIRST_EVENTS : 2 * old.capacity;
	void *block = NULL;
	PH_TRY(ph_env_resize(env, &block, 0, capacity, EVENT_BYTES));
	lay_out(gather, block, capacity);
	if (old.block == NULL)
		return PH_OK;
	memcpy(gather->bytes, old.bytes, old.n[PH_LIST_BYTES] * sizeof(uint64_t));
	memcpy(gather->bytes_received, old.bytes_received, old.n[PH_LIST_RECEIVED] * sizeof(uint64_t));
	memcpy(gather->request, old.request, old.n[PH_LIST_REQUEST] * sizeof(uint64_t));
	memcpy(gather->peer, old.peer, old.n[PH_LIST_PEER] * sizeof(uint32_t));
	memcpy(gather->comm, old.comm, old.n[PH_LIST_COMM] * sizeof(uint32_t));
	memcpy(gather->operation, old.operation, old.n[PH_LIST_OPERATION] * sizeof(uint32_t));
	memcpy(gather->root, old.root, old.n[PH_LIST_ROOT] * sizeof(uint32_t));
	memcpy(gather->n_values, old.n_values, old.n[PH_LIST_N_VALUES] * sizeof(uint32_t));
	memcpy(gather->tag, old.tag, old.n[PH_LIST_TAG] * sizeof(int32_t));
	ph_env_free(env, old.block, old.capacity, EVENT_BYTES);
	return PH_OK;
}

static PhStatus
grow_values(PhEnv *env, PhGather *gather, uint32_t n)
{
	uint32_t capacity = gather->value_capacity == 0 ? FIRST_VALUES : gather->value_capacity;
	while (capacity < n)
		capacity *= 2;
	PH_TRY(ph_env_resize(env, (void **) &gather->values, gather->value_capacity, capacity,
						 sizeof(*gather->values)));
	gather->value_capacity = capacity;
	return PH_OK;
}

static PhStatus
add_values(PhEnv *env, PhGather *gather, const PhEvent *event)
{
	uint32_t n = gather->n[PH_LIST_VALUES];
	if (event->n_values > MOST_VALUES)
		return ph_fail(env, PH_ERR_LIMIT, "a record of %u values, more than %d", event->n_values,
					   MOST_VALUES);
	if (n + event->n_values > gather->value_capacity)
		PH_TRY(grow_values(env, gather, n + event->n_values));
	gather->n_values[gather->n[PH_LIST_N_VALUES]++] = event->n_values;
	for (uint32_t i = 0; i < event->n_values; i++)
		gather->values[n + i] = event->values[i];
	gather->n[PH_LIST_VALUES] += event->n_values;
	return PH_OK;
}

PhStatus
ph_gather_add(PhEnv *env, PhGather *gather, const PhEvent *event)
{
	uint32_t has = ph_event_operands(event->kind), *n = gather->n;
	if (__builtin_expect(gather->n_events == gather->capacity, 0))
		PH_TRY(ph_gather_grow(env, gather));
	gather->n_events++;
	if (has & PH_OPERAND_REQUEST)
		gather->request[n[PH_LIST_REQUEST]++] = event->request;
	if (has & PH_OPERAND_PEER)
		gather->peer[n[PH_LIST_PEER]++] = event->peer;
	if (has & PH_OPERAND_COMM)
		gather->comm[n[PH_LIST_COMM]++] = event->comm;
	if (has & PH_OPERAND_TAG)
		gather->tag[n[PH_LIST_TAG]++] = event->tag;
	if (has & PH_OPERAND_BYTES)
		gather->bytes[n[PH_LIST_BYTES]++] = event->bytes;
	if (has & PH_OPERAND_RECEIVED)
		gather->bytes_received[n[PH_LIST_RECEIVED]++] = event->bytes_received;
	if (has & PH_OPERAND_OPERATION)
		gather->operation[n[PH_LIST_OPERATION]++] = event->operation;
	if (has & PH_OPERAND_ROOT)
		gather->root[n[PH_LIST_ROOT]++] = event->root;
	return has & PH_OPERAND_VALUES ? add_values(env, gather, event) : PH_OK;
}

/* ---- encoding ---- */

/* Numbers as ph_wide_encode would write them, given that they are below 2^32. */
static uint8_t *
encode_narrow(const uint32_t *numbers, uint32_t n, uint8_t *at)
{
	if (n == 0)
		return at;
	*at++ = 0;
	return ph_svb_encode(numbers, n, at);
}

/* As encode_narrow, of numbers + 1, so that PH_NONE, which means none, becomes 0. */
static uint8_t *
encode_next(const uint32_t *numbers, uint32_t n, uint32_t *scratch, uint8_t *at)
{
	for (uint32_t i = 0; i < n; i++)
		scratch[i] = numbers[i] + 1;
	return encode_narrow(scratch, n, at);
}

static uint8_t *
encode_tags(const PhGather *gather, uint32_t *scratch, uint8_t *at)
{
	uint32_t n = gather->n[PH_LIST_TAG];
	for (uint32_t i = 0; i < n; i++)
		scratch[i] = (uint32_t) ph_zigzag((uint64_t) (int64_t) gather->tag[i]);
	return encode_narrow(scratch, n, at);
}

static uint8_t *
encode_wide(const uint64_t *numbers, uint32_t n, uint32_t *scratch, uint8_t *at)
{
	return n == 0 ? at : ph_wide_encode(numbers, n, scratch, at);
}

static uint8_t *
encode_requests(const PhGather *gather, uint64_t *differences, uint32_t *scratch, uint8_t *at)
{
	uint32_t n = gather->n[PH_LIST_REQUEST];
	uint64_t last = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		differences[i] = ph_zigzag(gather->request[i] - last);
		last = gather->request[i];
	}
	return encode_wide(differences, n, scratch, at);
}

/*
 * Values as differences from what the guess says. In the set of extras every kind has both an
 * operation and a number of values, so the i-th of either belongs to the same event.
 */
static uint8_t *
encode_values(const PhGather *gather, uint64_t *differences, uint32_t *scratch, uint8_t *at)
{
	PhGuess guesses;
	uint32_t n = gather->n[PH_LIST_VALUES];
	if (n == 0)
		return at;
	memset(&guesses, 0, sizeof(guesses));
	for (uint32_t event = 0, next = 0; next < n; event++)
		for (uint32_t i = 0; i < gather->n_values[event]; i++, next++)
		{
			uint64_t *guess = ph_guess(&guesses, gather->operation[event], i);
			differences[next] = ph_zigzag(gather->values[next] - *guess);
			*guess = gather->values[next];
		}
	return encode_wide(differences, n, scratch, at);
}

/* Room for the bytes, and for the longest list as differences and as what the codec wants. */
static PhStatus
reserve(PhEnv *env, PhGather *gather, uint64_t **differences, uint32_t **scratch)
{
	size_t bound = 0, longest = 0;
	for (uint32_t i = 0; i < PH_LISTS; i++)
	{
		size_t n = gather->n[i];
		bound += n == 0 ? 0 : ph_wide_bound(n);
		longest = PH_MAX(n, longest);
	}
	PH_TRY(ph_buffer_reserve(env, &gather->plain, bound));
	PH_TRY(ph_buffer_reserve(env, &gather->scratch,
							 longest * (sizeof(**differences) + sizeof(**scratch))));
	*differences = (uint64_t *) (void *) gather->scratch.data;
	*scratch = longest == 0 ? NULL : (uint32_t *) (*differences + longest);
	return PH_OK;
}

PhStatus
ph_gather_encode(PhEnv *env, PhGather *gather, PhBytes *out)
{
	uint64_t *differences;
	uint32_t *scratch, *n = gather->n;
	*out = (PhBytes){NULL, 0};
	if (gather->n_events == 0)
		return PH_OK;
	PH_TRY(reserve(env, gather, &differences, &scratch));
	uint8_t *at = gather->plain.data;
	at = encode_next(gather->peer, n[PH_LIST_PEER], scratch, at);
	at = encode_next(gather->comm, n[PH_LIST_COMM], scratch, at);
	at = encode_tags(gather, scratch, at);
	at = encode_wide(gather->bytes, n[PH_LIST_BYTES], scratch, at);
	at = encode_wide(gather->bytes_received, n[PH_LIST_RECEIVED], scratch, at);
	at = encode_requests(gather, differences, scratch, at);
	at = encode_narrow(gather->operation, n[PH_LIST_OPERATION], at);
	at = encode_next(gather->root, n[PH_LIST_ROOT], scratch, at);
	at = encode_narrow(gather->n_values, n[PH_LIST_N_VALUES], at);
	at = encode_values(gather, differences, scratch, at);
	*out = (PhBytes){gather->plain.data, (size_t) (at - gather->plain.data)};
	return PH_OK;
}

PhOperandArrays
ph_gather_arrays(const PhGather *gather)
{
	return (PhOperandArrays){.peer = gather->peer,
							 .comm = gather->comm,
							 .root = gather->root,
							 .operation = gather->operation,
							 .tag = gather->tag,
							 .bytes = gather->bytes,
							 .bytes_received = gather->bytes_received,
							 .request = gather->request,
							 .n_values = gather->n_values,
							 .values = gather->values};
}
