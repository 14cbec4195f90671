/*
 * trace_chunk_rows.c - see trace_chunk_rows.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace_chunk_rows.h"

/* The arrays behind PhEventRows, to write to. */
typedef struct Arrays
{
	uint64_t *bytes, *bytes_received, *request;
	uint32_t *event, *peer, *comm, *root, *operation, *n_values;
	int32_t *tag;
	uint16_t *operands; /* of the row's kind */
} Arrays;

#define ROW_BYTES (3 * sizeof(uint64_t) + 7 * sizeof(uint32_t) + sizeof(uint16_t))

typedef struct Decoder
{
	PhEnv *env;
	PhRowsBuffer *buffer;
	Arrays arrays;
	uint32_t n_rows;
	const uint8_t *at, *end;
	uint64_t *list; /* of the values just read, and one more */
	uint32_t n_list;
} Decoder;

static PhStatus
bad_operands(Decoder *decoder)
{
	return ph_fail(decoder->env, PH_ERR_FORMAT, "operands of an event chunk are damaged");
}

static uint32_t
count_rows(PhRowsBuffer *buffer, PhOperandSet set, const uint8_t *kinds, uint32_t n_events)
{
	uint32_t n_rows = 0, all[256] = {0};
	for (uint32_t i = 0; i < n_events; i++)
		all[kinds[i]]++;
	for (uint32_t kind = 0; kind < PH_EVENT_KIND_COUNT; kind++)
	{
		buffer->counts[kind] = ph_kind_has_row(kind) && ph_kind_set(kind) == set ? all[kind] : 0;
		n_rows += buffer->counts[kind];
	}
	return n_rows;
}

/* One block for all arrays, the widest first so that each is aligned. */
static PhStatus
make_arrays(Decoder *decoder)
{
	size_t n = (size_t) decoder->n_rows + 1;
	PhRowsBuffer *buffer = decoder->buffer;
	Arrays *arrays = &decoder->arrays;
	PH_TRY(ph_buffer_reserve(decoder->env, &buffer->block, n * ROW_BYTES));
	arrays->bytes = (uint64_t *) (void *) buffer->block.data;
	arrays->bytes_received = arrays->bytes + n;
	arrays->request = arrays->bytes_received + n;
	arrays->event = (uint32_t *) (void *) (arrays->request + n);
	arrays->peer = arrays->event + n;
	arrays->comm = arrays->peer + n;
	arrays->root = arrays->comm + n;
	arrays->operation = arrays->root + n;
	arrays->n_values = arrays->operation + n;
	arrays->tag = (int32_t *) (void *) (arrays->n_values + n);
	arrays->operands = (uint16_t *) (void *) (arrays->tag + n);
	buffer->rows = (PhEventRows){.n = decoder->n_rows,
								 .event = arrays->event,
								 .peer = arrays->peer,
								 .comm = arrays->comm,
								 .root = arrays->root,
								 .operation = arrays->operation,
								 .tag = arrays->tag,
								 .bytes = arrays->bytes,
								 .bytes_received = arrays->bytes_received,
								 .request = arrays->request,
								 .n_values = arrays->n_values};
	return PH_OK;
}

/* Where the rows are, and what they have; the last write may go to the spare row. */
static void
find_rows(Decoder *decoder, const uint8_t *kinds, uint32_t n_events)
{
	uint16_t operands[PH_EVENT_KIND_COUNT];
	const uint32_t *counts = decoder->buffer->counts;
	const Arrays *arrays = &decoder->arrays;
	for (uint32_t kind = 0; kind < PH_EVENT_KIND_COUNT; kind++)
		operands[kind] = (uint16_t) ph_event_operands(kind);
	for (uint32_t i = 0, row = 0; i < n_events; i++)
	{
		arrays->event[row] = i;
		arrays->operands[row] = operands[kinds[i]];
		row += counts[kinds[i]] > 0;
	}
}

static PhStatus
read_list(Decoder *decoder, uint32_t n)
{
	PhRowsBuffer *buffer = decoder->buffer;
	PH_TRY(ph_buffer_reserve(decoder->env, &buffer->list, ((size_t) n + 1) * sizeof(uint64_t)));
	PH_TRY(ph_buffer_reserve(decoder->env, &buffer->scratch, n * sizeof(uint32_t)));
	decoder->list = (uint64_t *) (void *) buffer->list.data;
	decoder->n_list = n;
	decoder->list[n] = 0;
	if (n == 0)
		return PH_OK;
	decoder->at = ph_wide_decode(decoder->at, decoder->end, n,
								 (uint32_t *) (void *) buffer->scratch.data, decoder->list);
	return decoder->at == NULL ? bad_operands(decoder) : PH_OK;
}

static PhStatus
read_operand(Decoder *decoder, uint32_t operand)
{
	uint32_t n = 0;
	for (uint32_t kind = 0; kind < PH_EVENT_KIND_COUNT; kind++)
		if (ph_event_operands(kind) & operand)
			n += decoder->buffer->counts[kind];
	return read_list(decoder, n);
}

/* Values to the rows that have the operand, less bias; the others get none. */
static PhStatus
spread_narrow(Decoder *decoder, uint32_t operand, uint32_t bias, uint32_t none, uint32_t *out)
{
	const uint16_t *operands = decoder->arrays.operands;
	const uint64_t *list = decoder->list;
	uint64_t all = 0;
	for (uint32_t row = 0, next = 0; row < decoder->n_rows; row++)
	{
		bool has = operands[row] & operand;
		all |= list[next];
		out[row] = has ? (uint32_t) list[next] - bias : none;
		next += has;
	}
	return all > UINT32_MAX ? bad_operands(decoder) : PH_OK;
}

static void
spread_wide(Decoder *decoder, uint32_t operand, uint64_t *out)
{
	const uint16_t *operands = decoder->arrays.operands;
	for (uint32_t row = 0, next = 0; row < decoder->n_rows; row++)
	{
		bool has = operands[row] & operand;
		out[row] = has ? decoder->list[next] : 0;
		next += has;
	}
}

static PhStatus
decode_narrow(Decoder *decoder, uint32_t operand, uint32_t bias, uint32_t none, uint32_t *out)
{
	PH_TRY(read_operand(decoder, operand));
	return spread_narrow(decoder, operand, bias, none, out);
}

static PhStatus
decode_wide(Decoder *decoder, uint32_t operand, uint64_t *out)
{
	PH_TRY(read_operand(decoder, operand));
	spread_wide(decoder, operand, out);
	return PH_OK;
}

static PhStatus
decode_tags(Decoder *decoder)
{
	uint32_t *numbers = decoder->arrays.n_values; /* filled later */
	PH_TRY(decode_narrow(decoder, PH_OPERAND_TAG, 0, 0, numbers));
	for (uint32_t row = 0; row < decoder->n_rows; row++)
		decoder->arrays.tag[row] = (int32_t) (uint32_t) ph_unzigzag(numbers[row]);
	return PH_OK;
}

static PhStatus
decode_requests(Decoder *decoder)
{
	uint64_t request = 0;
	PH_TRY(read_operand(decoder, PH_OPERAND_REQUEST));
	for (uint32_t i = 0; i < decoder->n_list; i++)
		decoder->list[i] = request += ph_unzigzag(decoder->list[i]);
	spread_wide(decoder, PH_OPERAND_REQUEST, decoder->arrays.request);
	return PH_OK;
}

static PhStatus
count_values(Decoder *decoder, uint32_t *out)
{
	uint64_t n = 0;
	for (uint32_t row = 0; row < decoder->n_rows; row++)
		n += decoder->arrays.n_values[row];
	if (n > PH_CHUNK_MAX_VALUES)
		return bad_operands(decoder);
	*out = (uint32_t) n;
	return PH_OK;
}

static PhStatus
decode_values(Decoder *decoder)
{
	uint32_t n = 0;
	const Arrays *arrays = &decoder->arrays;
	PhRowsBuffer *buffer = decoder->buffer;
	PH_TRY(decode_narrow(decoder, PH_OPERAND_VALUES, 0, 0, arrays->n_values));
	PH_TRY(count_values(decoder, &n));
	PH_TRY(read_list(decoder, n));
	PH_TRY(ph_buffer_reserve(decoder->env, &buffer->values, ((size_t) n + 1) * sizeof(uint64_t)));
	uint64_t *values = (uint64_t *) (void *) buffer->values.data;
	memset(&buffer->guess, 0, sizeof(buffer->guess));
	for (uint32_t row = 0, next = 0; row < decoder->n_rows; row++)
		for (uint32_t i = 0; i < arrays->n_values[row]; i++, next++)
		{
			uint64_t *guess = ph_guess(&buffer->guess, arrays->operation[row], i);
			values[next] = *guess + ph_unzigzag(decoder->list[next]);
			*guess = values[next];
		}
	buffer->rows.values = values;
	return PH_OK;
}

/* The lists in the order of PhOperandList. */
static PhStatus
decode_lists(Decoder *decoder)
{
	const Arrays *arrays = &decoder->arrays;
	PH_TRY(decode_narrow(decoder, PH_OPERAND_PEER, 1, PH_NONE, arrays->peer));
	PH_TRY(decode_narrow(decoder, PH_OPERAND_COMM, 1, PH_NONE, arrays->comm));
	PH_TRY(decode_tags(decoder));
	PH_TRY(decode_wide(decoder, PH_OPERAND_BYTES, arrays->bytes));
	PH_TRY(decode_wide(decoder, PH_OPERAND_RECEIVED, arrays->bytes_received));
	PH_TRY(decode_requests(decoder));
	PH_TRY(decode_narrow(decoder, PH_OPERAND_OPERATION, 0, 0, arrays->operation));
	PH_TRY(decode_narrow(decoder, PH_OPERAND_ROOT, 1, PH_NONE, arrays->root));
	PH_TRY(decode_values(decoder));
	return decoder->at == decoder->end ? PH_OK : bad_operands(decoder);
}

PhStatus
ph_rows_decode(PhEnv *env, PhRowsBuffer *buffer, PhOperandSet set, const uint8_t *kinds,
			   uint32_t n_events, PhBytes packed)
{
	Decoder decoder = {.env = env, .buffer = buffer};
	PhBytes plain;
	decoder.n_rows = count_rows(buffer, set, kinds, n_events);
	size_t limit = (PH_LISTS - 1) * ph_wide_bound(decoder.n_rows);
	if (set == PH_SET_EXTRAS)
		limit += ph_wide_bound(PH_CHUNK_MAX_VALUES);
	PH_TRY(ph_unpack(env, packed, limit, &buffer->plain, &plain));
	decoder.at = plain.data;
	decoder.end = plain.data + plain.size;
	PH_TRY(make_arrays(&decoder));
	find_rows(&decoder, kinds, n_events);
	return decode_lists(&decoder);
}

void
ph_rows_free(PhEnv *env, PhRowsBuffer *buffer)
{
	ph_buffer_free(env, &buffer->block);
	ph_buffer_free(env, &buffer->values);
	ph_buffer_free(env, &buffer->list);
	ph_buffer_free(env, &buffer->plain);
	ph_buffer_free(env, &buffer->scratch);
}
