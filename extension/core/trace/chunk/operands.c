/*
 * operands.c - see operands.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/chunk/operands.h"

typedef struct Decoder
{
	PhEnv *env;
	PhOperandLists *lists;
	PhOperandSet set;
	const uint32_t *counts;
	const uint8_t *at, *end;
} Decoder;

static PhStatus
bad_operands(Decoder *decoder)
{
	return ph_fail(decoder->env, PH_ERR_FORMAT, "operands of an event chunk are damaged");
}

/* Events that are in a list. */
static uint32_t
count_events(const Decoder *decoder, PhOperandList which)
{
	uint32_t n = 0, operand = ph_list_operand(which);
	for (uint32_t kind = PH_EVENT_LEAVE + 1; kind < PH_EVENT_KIND_COUNT; kind++)
		if (ph_kind_set(kind) == decoder->set && (ph_event_operands(kind) & operand) != 0)
			n += decoder->counts[kind];
	return n;
}

static PhStatus
reserve(Decoder *decoder, PhOperandList which, size_t n, size_t size)
{
	return ph_buffer_reserve(decoder->env, &decoder->lists->lists[which], (n + 1) * size);
}

/* A list of numbers below 2^32, less bias. */
static PhStatus
decode_narrow(Decoder *decoder, PhOperandList which, uint32_t bias, const uint32_t **out)
{
	uint32_t n = count_events(decoder, which);
	PH_TRY(reserve(decoder, which, n, sizeof(uint32_t)));
	uint32_t *list = (uint32_t *) (void *) decoder->lists->lists[which].data;
	*out = list;
	if (n == 0)
		return PH_OK;
	if (decoder->at == decoder->end || *decoder->at != 0)
		return bad_operands(decoder);
	decoder->at = ph_svb_decode(decoder->at + 1, decoder->end, n, list);
	if (decoder->at == NULL)
		return bad_operands(decoder);
	for (uint32_t i = 0; bias != 0 && i < n; i++)
		list[i] -= bias;
	return PH_OK;
}

static PhStatus
decode_wide(Decoder *decoder, PhOperandList which, uint32_t n, uint64_t **out)
{
	PhBuffer *scratch = &decoder->lists->scratch;
	PH_TRY(reserve(decoder, which, n, sizeof(uint64_t)));
	*out = (uint64_t *) (void *) decoder->lists->lists[which].data;
	if (n == 0)
		return PH_OK;
	PH_TRY(ph_buffer_reserve(decoder->env, scratch, n * sizeof(uint32_t)));
	decoder->at =
		ph_wide_decode(decoder->at, decoder->end, n, (uint32_t *) (void *) scratch->data, *out);
	return decoder->at == NULL ? bad_operands(decoder) : PH_OK;
}

static PhStatus
decode_tags(Decoder *decoder)
{
	const uint32_t *numbers;
	uint32_t n = count_events(decoder, PH_LIST_TAG);
	PH_TRY(decode_narrow(decoder, PH_LIST_TAG, 0, &numbers));
	int32_t *tags = (int32_t *) (void *) decoder->lists->lists[PH_LIST_TAG].data;
	for (uint32_t i = 0; i < n; i++)
		tags[i] = (int32_t) (uint32_t) ph_unzigzag(numbers[i]);
	decoder->lists->arrays.tag = tags;
	return PH_OK;
}

static PhStatus
decode_bytes(Decoder *decoder, PhOperandList which, const uint64_t **out)
{
	uint64_t *list;
	PH_TRY(decode_wide(decoder, which, count_events(decoder, which), &list));
	*out = list;
	return PH_OK;
}

static PhStatus
decode_requests(Decoder *decoder)
{
	uint64_t *list, request = 0;
	uint32_t n = count_events(decoder, PH_LIST_REQUEST);
	PH_TRY(decode_wide(decoder, PH_LIST_REQUEST, n, &list));
	for (uint32_t i = 0; i < n; i++)
		list[i] = request += ph_unzigzag(list[i]);
	decoder->lists->arrays.request = list;
	return PH_OK;
}

static PhStatus
count_values(Decoder *decoder, uint32_t *out)
{
	uint64_t n = 0;
	uint32_t n_events = count_events(decoder, PH_LIST_N_VALUES);
	for (uint32_t i = 0; i < n_events; i++)
		n += decoder->lists->arrays.n_values[i];
	if (n > PH_CHUNK_MAX_VALUES)
		return bad_operands(decoder);
	*out = (uint32_t) n;
	return PH_OK;
}

/* Events of one operation and two values from `event` on, as nearly all activities of devices are:
 * sums are kept in registers. Returns the event behind them; *next is moved behind their values. */
static uint32_t
sum_pairs(const PhOperandArrays *arrays, uint32_t event, uint32_t n, uint64_t *last,
		  uint64_t *values, uint32_t *next)
{
	uint32_t operation = arrays->operation[event], at = *next;
	uint64_t first = last[0], second = last[1];
	for (; at < n && arrays->n_values[event] == 2 && arrays->operation[event] == operation; event++)
	{
		values[at] = first += ph_unzigzag(values[at]);
		values[at + 1] = second += ph_unzigzag(values[at + 1]);
		at += 2;
	}
	last[0] = first;
	last[1] = second;
	*next = at;
	return event;
}

/*
 * Undoes the differences from guesses. In the set of extras every kind has both an operation and a
 * number of values, so the i-th of either belongs to the same event.
 */
static PhStatus
decode_values(Decoder *decoder)
{
	uint32_t n = 0;
	uint64_t *values;
	PhOperandArrays *arrays = &decoder->lists->arrays;
	PhGuess *guesses = &decoder->lists->guess;
	PH_TRY(decode_narrow(decoder, PH_LIST_N_VALUES, 0, &arrays->n_values));
	PH_TRY(count_values(decoder, &n));
	PH_TRY(decode_wide(decoder, PH_LIST_VALUES, n, &values));
	memset(guesses, 0, sizeof(*guesses));
	for (uint32_t event = 0, next = 0; next < n; event++)
	{
		uint64_t *last = guesses->last[arrays->operation[event] % PH_GUESS_SLOTS];
		event = sum_pairs(arrays, event, n, last, values, &next);
		if (next == n)
			break;
		last = guesses->last[arrays->operation[event] % PH_GUESS_SLOTS];
		uint32_t end = next + arrays->n_values[event];
		for (uint32_t i = 0; i < PH_GUESS_MEMBERS && next < end; i++, next++)
			values[next] = last[i] += ph_unzigzag(values[next]);
		for (; next < end; next++)
			values[next] = ph_unzigzag(values[next]);
	}
	arrays->values = values;
	return PH_OK;
}

/* In the order of PhOperandList. */
static PhStatus
decode_lists(Decoder *decoder)
{
	PhOperandArrays *arrays = &decoder->lists->arrays;
	PH_TRY(decode_narrow(decoder, PH_LIST_PEER, 1, &arrays->peer));
	PH_TRY(decode_narrow(decoder, PH_LIST_COMM, 1, &arrays->comm));
	PH_TRY(decode_tags(decoder));
	PH_TRY(decode_bytes(decoder, PH_LIST_BYTES, &arrays->bytes));
	PH_TRY(decode_bytes(decoder, PH_LIST_RECEIVED, &arrays->bytes_received));
	PH_TRY(decode_requests(decoder));
	PH_TRY(decode_narrow(decoder, PH_LIST_OPERATION, 0, &arrays->operation));
	PH_TRY(decode_narrow(decoder, PH_LIST_ROOT, 1, &arrays->root));
	PH_TRY(decode_values(decoder));
	return decoder->at == decoder->end ? PH_OK : bad_operands(decoder);
}

static size_t
most_bytes(const Decoder *decoder)
{
	size_t n = 0;
	for (uint32_t kind = PH_EVENT_LEAVE + 1; kind < PH_EVENT_KIND_COUNT; kind++)
		n += ph_kind_set(kind) == decoder->set ? decoder->counts[kind] : 0;
	size_t bytes = n == 0 ? 0 : (PH_LISTS - 1) * ph_wide_bound(n);
	return decoder->set == PH_SET_EXTRAS ? bytes + ph_wide_bound(PH_CHUNK_MAX_VALUES) : bytes;
}

PhStatus
ph_operands_decode(PhEnv *env, PhOperandLists *lists, PhOperandSet set, const uint32_t *counts,
				   PhBytes packed)
{
	PhBytes plain;
	Decoder decoder = {.env = env, .lists = lists, .set = set, .counts = counts};
	PH_TRY(ph_unpack(env, packed, most_bytes(&decoder), &lists->plain, &plain));
	decoder.at = plain.data;
	decoder.end = plain.data + plain.size;
	PH_TRY(decode_lists(&decoder));
	lists->is_read = true;
	return PH_OK;
}

void
ph_operands_next(PhOperandLists *lists, PhEvent *event)
{
	uint32_t has = ph_event_operands(event->kind), *next = lists->next;
	const PhOperandArrays *arrays = &lists->arrays;
	if (has & PH_OPERAND_PEER)
		event->peer = arrays->peer[next[PH_LIST_PEER]++];
	if (has & PH_OPERAND_COMM)
		event->comm = arrays->comm[next[PH_LIST_COMM]++];
	if (has & PH_OPERAND_TAG)
		event->tag = arrays->tag[next[PH_LIST_TAG]++];
	if (has & PH_OPERAND_BYTES)
		event->bytes = arrays->bytes[next[PH_LIST_BYTES]++];
	if (has & PH_OPERAND_RECEIVED)
		event->bytes_received = arrays->bytes_received[next[PH_LIST_RECEIVED]++];
	if (has & PH_OPERAND_REQUEST)
		event->request = arrays->request[next[PH_LIST_REQUEST]++];
	if (has & PH_OPERAND_OPERATION)
		event->operation = arrays->operation[next[PH_LIST_OPERATION]++];
	if (has & PH_OPERAND_ROOT)
		event->root = arrays->root[next[PH_LIST_ROOT]++];
	if (!(has & PH_OPERAND_VALUES))
		return;
	event->n_values = arrays->n_values[next[PH_LIST_N_VALUES]++];
	event->values = arrays->values + next[PH_LIST_VALUES];
	next[PH_LIST_VALUES] += event->n_values;
}

void
ph_operands_free(PhEnv *env, PhOperandLists *lists)
{
	for (uint32_t i = 0; i < PH_LISTS; i++)
		ph_buffer_free(env, &lists->lists[i]);
	ph_buffer_free(env, &lists->plain);
	ph_buffer_free(env, &lists->scratch);
}
