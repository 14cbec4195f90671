/*
 * trace_chunk_read.c - from chunks to arrays and a cursor over events.
 *
 * Bytes are not trusted: each column must unpack to exactly what the counts in the row promise, and
 * the open calls must be such that no time of a call can come out negative.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace_chunk_rows.h"

#include "bytes.h"

#define MOST_STACK_BYTES 35 /* of an open call: 5 + 3 * 10 */

struct PhChunkReader
{
	PhEnv *env;
	uint32_t want;
	PhChunk chunk;
	PhBuffer plain, scratch;
	PhBuffer kinds, times, regions, stack, open;
	const uint8_t *kind;
	const int64_t *time; /* NULL: not wanted */
	const uint32_t *region;
	uint32_t depth; /* of the stack at the start */
	PhRowsBuffer rows[PH_SETS];
	/* the cursor */
	uint32_t next, next_enter, next_row[PH_SETS], next_value;
	uint32_t n_open;
	PhOpenCall closed;
};

PhStatus
ph_chunk_reader_new(PhEnv *env, PhChunkReader **out)
{
	PhChunkReader *reader;
	PH_TRY(ph_env_alloc(env, 1, sizeof(*reader), (void **) &reader));
	reader->env = env;
	*out = reader;
	return PH_OK;
}

void
ph_chunk_reader_free(PhChunkReader *reader)
{
	if (reader == NULL)
		return;
	PhEnv *env = reader->env;
	ph_buffer_free(env, &reader->plain);
	ph_buffer_free(env, &reader->scratch);
	ph_buffer_free(env, &reader->kinds);
	ph_buffer_free(env, &reader->times);
	ph_buffer_free(env, &reader->regions);
	ph_buffer_free(env, &reader->stack);
	ph_buffer_free(env, &reader->open);
	for (uint32_t set = 0; set < PH_SETS; set++)
		ph_rows_free(env, &reader->rows[set]);
	ph_env_free(env, reader, 1, sizeof(*reader));
}

static PhStatus
bad_chunk(PhChunkReader *reader, const char *what)
{
	return ph_fail(reader->env, PH_ERR_FORMAT, "event chunk %u of location %u: %s",
				   reader->chunk.chunk_no, reader->chunk.location, what);
}

static PhStatus
check_head(PhChunkReader *reader)
{
	const PhChunk *chunk = &reader->chunk;
	if (chunk->format != PH_CHUNK_FORMAT)
		return ph_fail_hint(reader->env, PH_ERR_UNSUPPORTED,
							"It was written by a newer version; update this one.",
							"event chunks of format %d cannot be read, only of format %d",
							chunk->format, PH_CHUNK_FORMAT);
	if (chunk->n_events == 0 || chunk->n_events > PH_CHUNK_MAX_EVENTS ||
		chunk->n_enter > chunk->n_events || chunk->first_seq > INT64_MAX - PH_CHUNK_MAX_EVENTS)
		return bad_chunk(reader, "impossible counts");
	if (chunk->t_prev < 0 || chunk->t_first < chunk->t_prev || chunk->t_last < chunk->t_first)
		return bad_chunk(reader, "impossible times");
	return PH_OK;
}

static PhStatus
read_kinds(PhChunkReader *reader)
{
	PhBytes kinds;
	uint32_t n = reader->chunk.n_events, highest = 0;
	PH_TRY(ph_unpack(reader->env, reader->chunk.kind, n, &reader->kinds, &kinds));
	if (kinds.size != n)
		return bad_chunk(reader, "the number of kinds is wrong");
	for (uint32_t i = 0; i < n; i++)
		highest = kinds.data[i] > highest ? kinds.data[i] : highest;
	if (highest >= PH_EVENT_KIND_COUNT)
		return bad_chunk(reader, "there is no such kind of event");
	reader->kind = kinds.data;
	return PH_OK;
}

static bool
add_wide_steps(int64_t *times, const uint32_t *high, uint32_t n, int64_t time)
{
	for (uint32_t i = 0; i < n; i++)
	{
		int64_t step = (int64_t) ((uint64_t) high[i] << 32 | (uint32_t) times[i]);
		if (step < 0 || __builtin_add_overflow(time, step, &time))
			return false;
		times[i] = time;
	}
	return true;
}

/* The sum of 2^20 steps below 2^32 does not overflow; start + sum is checked by t_last. */
static void
add_narrow_steps(int64_t *times, const uint32_t *steps, uint32_t n, int64_t time)
{
	uint64_t sum = (uint64_t) time;
	for (uint32_t i = 0; i < n; i++)
		times[i] = (int64_t) (sum += steps[i]);
}

static bool
decode_steps(PhChunkReader *reader, PhBytes plain, int64_t *times)
{
	uint32_t n = reader->chunk.n_events;
	uint32_t *steps = (uint32_t *) (void *) reader->scratch.data;
	const uint8_t *end = plain.data + plain.size;
	if (plain.size == 0 || plain.data[0] > 1)
		return false;
	const uint8_t *at = ph_svb_decode(plain.data + 1, end, n, steps);
	if (at == NULL)
		return false;
	if (plain.data[0] == 0)
	{
		add_narrow_steps(times, steps, n, reader->chunk.t_prev);
		return at == end;
	}
	for (uint32_t i = 0; i < n; i++)
		times[i] = steps[i];
	at = ph_svb_decode(at, end, n, steps);
	return at == end && add_wide_steps(times, steps, n, reader->chunk.t_prev);
}

static PhStatus
read_times(PhChunkReader *reader)
{
	PhBytes plain;
	uint32_t n = reader->chunk.n_events;
	PH_TRY(ph_unpack(reader->env, reader->chunk.dt, ph_wide_bound(n), &reader->plain, &plain));
	PH_TRY(ph_buffer_reserve(reader->env, &reader->scratch, n * sizeof(uint32_t)));
	PH_TRY(ph_buffer_reserve(reader->env, &reader->times, n * sizeof(int64_t)));
	int64_t *times = (int64_t *) (void *) reader->times.data;
	if (!decode_steps(reader, plain, times) || times[0] != reader->chunk.t_first ||
		times[n - 1] != reader->chunk.t_last)
		return bad_chunk(reader, "its times are damaged");
	reader->time = times;
	return PH_OK;
}

static PhStatus
read_regions(PhChunkReader *reader)
{
	PhBytes plain;
	uint32_t n = reader->chunk.n_enter, highest = 0;
	PH_TRY(ph_unpack(reader->env, reader->chunk.region, ph_svb_bound(n), &reader->plain, &plain));
	PH_TRY(ph_buffer_reserve(reader->env, &reader->regions, ((size_t) n + 1) * sizeof(uint32_t)));
	uint32_t *regions = (uint32_t *) (void *) reader->regions.data;
	const uint8_t *end = plain.data + plain.size;
	if (ph_svb_decode(plain.data, end, n, regions) != end)
		return bad_chunk(reader, "its regions are damaged");
	for (uint32_t i = 0; i < n; i++)
		highest = regions[i] > highest ? regions[i] : highest;
	if (highest >= PH_CHUNK_MAX_REGION)
		return bad_chunk(reader, "a region is out of range");
	reader->region = regions;
	return PH_OK;
}

/* A number of base-128 digits; more than 64 bits, or the end, makes the reader bad. */
static uint64_t
get_number(PhReader *reader)
{
	uint64_t value = 0;
	for (uint32_t shift = 0; shift < 64; shift += 7)
	{
		uint64_t digit = ph_get(reader, 1);
		value |= (digit & 0x7f) << shift;
		if (digit < 0x80)
			return value;
	}
	reader->bad = true;
	return 0;
}

/* Calls nest in time, and what finished within one did so before the next was entered. */
static bool
is_sound_call(const PhChunk *chunk, const PhOpenCall *around, const PhOpenCall *call)
{
	return call->enter >= 0 && call->enter <= chunk->t_prev && call->seq < chunk->first_seq &&
		   call->region < PH_CHUNK_MAX_REGION && call->callee_time >= 0 &&
		   call->callee_time <= chunk->t_prev - call->enter &&
		   (around == NULL || (call->enter >= around->enter && call->seq > around->seq &&
							   around->callee_time <= call->enter - around->enter));
}

static bool
decode_stack(const PhChunk *chunk, PhReader *in, PhOpenCall *stack, uint32_t depth)
{
	PhOpenCall before = {0};
	for (uint32_t i = 0; i < depth; i++)
	{
		uint64_t region = get_number(in);
		stack[i].region = region < PH_NONE ? (uint32_t) region : PH_NONE;
		stack[i].enter = (int64_t) ((uint64_t) before.enter + get_number(in));
		stack[i].seq = before.seq + get_number(in);
		stack[i].callee_time = (int64_t) get_number(in);
		if (in->bad || !is_sound_call(chunk, i == 0 ? NULL : &stack[i - 1], &stack[i]))
			return false;
		before = stack[i];
	}
	return ph_left(in) == 0;
}

static PhStatus
read_stack(PhChunkReader *reader)
{
	PhBytes plain;
	size_t limit = ((size_t) PH_CHUNK_MAX_DEPTH + 1) * MOST_STACK_BYTES;
	PH_TRY(ph_unpack(reader->env, reader->chunk.stack, limit, &reader->plain, &plain));
	PhReader in = {plain.data, plain.data, plain.data + plain.size, false};
	uint64_t depth = get_number(&in);
	if (in.bad || depth > PH_CHUNK_MAX_DEPTH || depth > ph_left(&in))
		return bad_chunk(reader, "its open calls are damaged");
	size_t n_open = depth + reader->chunk.n_enter + 1;
	PH_TRY(ph_buffer_reserve(reader->env, &reader->stack, (depth + 1) * sizeof(PhOpenCall)));
	PH_TRY(ph_buffer_reserve(reader->env, &reader->open, n_open * sizeof(PhOpenCall)));
	PhOpenCall *stack = (PhOpenCall *) (void *) reader->stack.data;
	if (!decode_stack(&reader->chunk, &in, stack, (uint32_t) depth))
		return bad_chunk(reader, "its open calls are damaged");
	memcpy(reader->open.data, stack, depth * sizeof(PhOpenCall));
	reader->depth = reader->n_open = (uint32_t) depth;
	return PH_OK;
}

/* Every LEAVE closes a call, and the ENTERs are as many as there are regions. */
static PhStatus
check_nesting(PhChunkReader *reader)
{
	int32_t depth = (int32_t) reader->depth, least = 0;
	uint32_t n_enter = 0;
	for (uint32_t i = 0; i < reader->chunk.n_events; i++)
	{
		uint32_t kind = reader->kind[i];
		n_enter += kind == PH_EVENT_ENTER;
		depth += (kind == PH_EVENT_ENTER) - (kind == PH_EVENT_LEAVE);
		least = depth < least ? depth : least;
	}
	if (n_enter != reader->chunk.n_enter)
		return bad_chunk(reader, "the number of ENTER events is wrong");
	return least < 0 ? bad_chunk(reader, "a call is left that was not entered") : PH_OK;
}

static PhStatus
read_calls(PhChunkReader *reader)
{
	PH_TRY(read_stack(reader));
	PH_TRY(read_regions(reader));
	return check_nesting(reader);
}

static PhStatus
read_rows(PhChunkReader *reader, PhOperandSet set, PhBytes packed)
{
	return ph_rows_decode(reader->env, &reader->rows[set], set, reader->kind,
						  reader->chunk.n_events, packed);
}

static PhStatus
read_messages(PhChunkReader *reader)
{
	uint32_t n_message = 0;
	PH_TRY(read_rows(reader, PH_SET_MESSAGES, reader->chunk.msg));
	for (uint32_t kind = 0; kind < PH_EVENT_KIND_COUNT; kind++)
		n_message += ph_kind_is_message(kind) ? reader->rows[PH_SET_MESSAGES].counts[kind] : 0;
	if (n_message != reader->chunk.n_message)
		return bad_chunk(reader, "the number of messages is wrong");
	return PH_OK;
}

static void
forget(PhChunkReader *reader)
{
	reader->kind = NULL;
	reader->time = NULL;
	reader->region = NULL;
	reader->chunk = (PhChunk){0};
	reader->depth = reader->n_open = 0;
	reader->next = reader->next_enter = reader->next_value = 0;
	for (uint32_t set = 0; set < PH_SETS; set++)
	{
		reader->rows[set].rows = (PhEventRows){0};
		reader->next_row[set] = 0;
	}
}

static PhStatus
read_columns(PhChunkReader *reader)
{
	PH_TRY(check_head(reader));
	PH_TRY(read_kinds(reader));
	if (reader->want & (PH_WANT_CALLS | PH_WANT_TIMES))
		PH_TRY(read_times(reader));
	if (reader->want & PH_WANT_CALLS)
		PH_TRY(read_calls(reader));
	if (reader->want & PH_WANT_MESSAGES)
		PH_TRY(read_messages(reader));
	if (reader->want & PH_WANT_EXTRA)
		PH_TRY(read_rows(reader, PH_SET_EXTRAS, reader->chunk.extra));
	return PH_OK;
}

PhStatus
ph_chunk_reader_open(PhChunkReader *reader, const PhChunk *chunk, uint32_t want)
{
	forget(reader);
	reader->chunk = *chunk;
	reader->want = want;
	PhStatus status = read_columns(reader);
	if (status != PH_OK)
		forget(reader);
	return status;
}

/* ---- bulk access ---- */

uint32_t
ph_chunk_n_events(const PhChunkReader *reader)
{
	return reader->chunk.n_events;
}

const int64_t *
ph_chunk_times(const PhChunkReader *reader)
{
	return reader->time;
}

const uint8_t *
ph_chunk_kinds(const PhChunkReader *reader)
{
	return reader->kind;
}

const uint32_t *
ph_chunk_enter_regions(const PhChunkReader *reader)
{
	return reader->region;
}

const PhOpenCall *
ph_chunk_stack(const PhChunkReader *reader, uint32_t *depth)
{
	*depth = reader->depth;
	return (const PhOpenCall *) (const void *) reader->stack.data;
}

const PhEventRows *
ph_chunk_messages(const PhChunkReader *reader)
{
	return &reader->rows[PH_SET_MESSAGES].rows;
}

const PhEventRows *
ph_chunk_extras(const PhChunkReader *reader)
{
	return &reader->rows[PH_SET_EXTRAS].rows;
}

/* ---- the cursor ---- */

static void
enter_call(PhChunkReader *reader, PhEvent *event)
{
	PhOpenCall *open = (PhOpenCall *) (void *) reader->open.data;
	event->region = reader->region[reader->next_enter++];
	open[reader->n_open++] =
		(PhOpenCall){event->region, event->time, reader->chunk.first_seq + reader->next - 1, 0};
}

static void
leave_call(PhChunkReader *reader, PhEvent *event)
{
	PhOpenCall *open = (PhOpenCall *) (void *) reader->open.data;
	reader->closed = open[--reader->n_open];
	event->region = reader->closed.region;
	if (reader->n_open > 0)
		open[reader->n_open - 1].callee_time += event->time - reader->closed.enter;
}

static void
give_operands(PhChunkReader *reader, PhEvent *event)
{
	PhOperandSet set = ph_kind_set(event->kind);
	const PhEventRows *rows = &reader->rows[set].rows;
	const PhOpenCall *open = (const PhOpenCall *) (const void *) reader->open.data;
	if (reader->n_open > 0)
		event->region = open[reader->n_open - 1].region;
	if (rows->n == 0)
		return;
	uint32_t row = reader->next_row[set]++;
	event->peer = rows->peer[row];
	event->comm = rows->comm[row];
	event->root = rows->root[row];
	event->tag = rows->tag[row];
	event->operation = rows->operation[row];
	event->bytes = rows->bytes[row];
	event->bytes_received = rows->bytes_received[row];
	event->request = rows->request[row];
	event->n_values = rows->n_values[row];
	event->values = rows->values + reader->next_value;
	reader->next_value += event->n_values;
}

bool
ph_chunk_next(PhChunkReader *reader, PhEvent *out)
{
	if (reader->next == reader->chunk.n_events)
		return false;
	uint32_t i = reader->next++;
	*out = (PhEvent){.time = reader->time == NULL ? PH_NO_TIME : reader->time[i],
					 .kind = reader->kind[i],
					 .region = PH_NONE,
					 .peer = PH_NONE,
					 .comm = PH_NONE,
					 .root = PH_NONE};
	if (ph_kind_has_row(out->kind))
		give_operands(reader, out);
	else if (reader->region != NULL && out->kind == PH_EVENT_ENTER)
		enter_call(reader, out);
	else if (reader->region != NULL)
		leave_call(reader, out);
	return true;
}

const PhOpenCall *
ph_chunk_open_calls(const PhChunkReader *reader, uint32_t *depth)
{
	*depth = reader->n_open;
	return (const PhOpenCall *) (const void *) reader->open.data;
}

const PhOpenCall *
ph_chunk_closed_call(const PhChunkReader *reader)
{
	return &reader->closed;
}
