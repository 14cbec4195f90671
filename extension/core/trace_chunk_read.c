/*
 * trace_chunk_read.c - from chunks to arrays and a cursor over events.
 *
 * Bytes are not trusted: each column must unpack to exactly what the counts in the row promise, and
 * the open calls must be such that no time of a call can come out negative.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace_chunk_operands.h"

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
	const PhOpenCall *first_stack; /* at the start */
	uint32_t depth;				   /* of it */
	PhOperandLists operands[PH_SETS];
	uint32_t counts[PH_EVENT_KIND_COUNT]; /* events by kind */
	/* the cursor */
	uint32_t next, next_enter;
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
		ph_operands_free(env, &reader->operands[set]);
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
	PH_TRY(ph_buffer_reserve(reader->env, &reader->stack, (depth + 1) * sizeof(PhOpenCall)));
	PhOpenCall *stack = (PhOpenCall *) (void *) reader->stack.data;
	if (!decode_stack(&reader->chunk, &in, stack, (uint32_t) depth))
		return bad_chunk(reader, "its open calls are damaged");
	reader->first_stack = stack;
	reader->depth = (uint32_t) depth;
	return PH_OK;
}

/* The cursor's open calls: those of the start, and room for all that are entered. */
static PhStatus
open_stack(PhChunkReader *reader)
{
	size_t most = (size_t) reader->depth + reader->chunk.n_enter + 1;
	PH_TRY(ph_buffer_reserve(reader->env, &reader->open, most * sizeof(PhOpenCall)));
	memcpy(reader->open.data, reader->first_stack, reader->depth * sizeof(PhOpenCall));
	reader->n_open = reader->depth;
	return PH_OK;
}

/*
 * Count kinds, eight at a time where only calls are entered and left; depth: of the calls open at
 * the start. False when a kind does not exist, or a LEAVE has no call to close.
 */
static bool
survey_kinds(const uint8_t *kinds, uint32_t n, int64_t depth, uint32_t *counts)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	memset(counts, 0, PH_EVENT_KIND_COUNT * sizeof(*counts));
	for (uint32_t i = 0; i < n;)
	{
		uint64_t eight;
		memcpy(&eight, kinds + i, sizeof(eight)); /* zeros are behind the last */
		uint32_t n_leave = (uint32_t) (eight * ones >> 56);
		if (n - i >= 8 && (eight & ~ones) == 0 && n_leave <= depth)
		{
			counts[PH_EVENT_LEAVE] += n_leave;
			counts[PH_EVENT_ENTER] += 8 - n_leave;
			depth += 8 - 2 * (int64_t) n_leave;
			i += 8;
			continue;
		}
		for (uint32_t end = n - i < 8 ? n : i + 8; i < end; i++)
		{
			uint32_t kind = kinds[i];
			if (kind >= PH_EVENT_KIND_COUNT || (kind == PH_EVENT_LEAVE && depth == 0))
				return false;
			counts[kind]++;
			depth += (kind == PH_EVENT_ENTER) - (kind == PH_EVENT_LEAVE);
		}
	}
	return true;
}

static PhStatus
read_kinds(PhChunkReader *reader)
{
	PhBytes kinds;
	uint32_t n = reader->chunk.n_events, n_message = 0;
	PH_TRY(ph_unpack(reader->env, reader->chunk.kind, n, &reader->kinds, &kinds));
	if (kinds.size != n)
		return bad_chunk(reader, "the number of kinds is wrong");
	int64_t depth = reader->want & PH_WANT_CALLS ? reader->depth : INT64_MAX / 2;
	if (!survey_kinds(kinds.data, n, depth, reader->counts))
		return bad_chunk(reader, "its kinds are damaged");
	for (uint32_t kind = 0; kind < PH_EVENT_KIND_COUNT; kind++)
		n_message += ph_kind_is_message(kind) ? reader->counts[kind] : 0;
	if (reader->counts[PH_EVENT_ENTER] != reader->chunk.n_enter ||
		n_message != reader->chunk.n_message)
		return bad_chunk(reader, "the number of calls or of messages is wrong");
	reader->kind = kinds.data;
	return PH_OK;
}

static void
forget(PhChunkReader *reader)
{
	reader->kind = NULL;
	reader->time = NULL;
	reader->region = NULL;
	reader->first_stack = NULL;
	reader->chunk = (PhChunk){0};
	reader->depth = reader->n_open = 0;
	reader->next = reader->next_enter = 0;
	memset(reader->counts, 0, sizeof(reader->counts));
	for (uint32_t set = 0; set < PH_SETS; set++)
	{
		reader->operands[set].is_read = false;
		memset(reader->operands[set].next, 0, sizeof(reader->operands[set].next));
	}
}

static PhStatus
read_operands(PhChunkReader *reader, PhOperandSet set, PhBytes packed)
{
	return ph_operands_decode(reader->env, &reader->operands[set], set, reader->counts, packed);
}

static PhStatus
read_columns(PhChunkReader *reader)
{
	PH_TRY(check_head(reader));
	if (reader->want & PH_WANT_CALLS)
		PH_TRY(read_stack(reader));
	PH_TRY(read_kinds(reader));
	if (reader->want & (PH_WANT_CALLS | PH_WANT_TIMES))
		PH_TRY(read_times(reader));
	if (reader->want & PH_WANT_CALLS)
	{
		PH_TRY(read_regions(reader));
		PH_TRY(open_stack(reader));
	}
	if (reader->want & PH_WANT_MESSAGES)
		PH_TRY(read_operands(reader, PH_SET_MESSAGES, reader->chunk.msg));
	if (reader->want & PH_WANT_EXTRA)
		PH_TRY(read_operands(reader, PH_SET_EXTRAS, reader->chunk.extra));
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

/* Times from steps that are known to be sound. */
static PhStatus
sum_up_times(PhChunkReader *reader, const PhChunkPlain *plain)
{
	uint32_t n = reader->chunk.n_events;
	PH_TRY(ph_buffer_reserve(reader->env, &reader->times, n * sizeof(int64_t)));
	int64_t *times = (int64_t *) (void *) reader->times.data;
	reader->time = times;
	if (plain->dt_high == NULL)
	{
		add_narrow_steps(times, plain->dt, n, reader->chunk.t_prev);
		return PH_OK;
	}
	for (uint32_t i = 0; i < n; i++)
		times[i] = plain->dt[i];
	return add_wide_steps(times, plain->dt_high, n, reader->chunk.t_prev)
			   ? PH_OK
			   : bad_chunk(reader, "its times are damaged");
}

PhStatus
ph_chunk_reader_open_plain(PhChunkReader *reader, const PhChunk *chunk, const PhChunkPlain *plain)
{
	forget(reader);
	reader->chunk = *chunk;
	reader->want = PH_WANT_ALL;
	PhStatus status = sum_up_times(reader, plain);
	reader->first_stack = plain->stack;
	reader->depth = plain->depth;
	if (status == PH_OK)
		status = open_stack(reader);
	if (status != PH_OK)
	{
		forget(reader);
		return status;
	}
	reader->kind = plain->kinds;
	reader->region = plain->regions;
	memcpy(reader->counts, plain->counts, sizeof(reader->counts));
	for (uint32_t set = 0; set < PH_SETS; set++)
	{
		reader->operands[set].arrays = plain->operands[set];
		reader->operands[set].is_read = true;
	}
	return PH_OK;
}

PhStatus
ph_chunk_reader_open_stack(PhChunkReader *reader, const PhChunk *chunk)
{
	forget(reader);
	reader->chunk = *chunk;
	PhStatus status = check_head(reader);
	if (status == PH_OK)
		status = read_stack(reader);
	reader->chunk.n_events = 0; /* the cursor has nothing to give */
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
	return reader->first_stack;
}

static const PhOperandArrays *
operand_arrays(const PhChunkReader *reader, PhOperandSet set)
{
	return reader->operands[set].is_read ? &reader->operands[set].arrays : NULL;
}

const PhOperandArrays *
ph_chunk_messages(const PhChunkReader *reader)
{
	return operand_arrays(reader, PH_SET_MESSAGES);
}

const PhOperandArrays *
ph_chunk_extras(const PhChunkReader *reader)
{
	return operand_arrays(reader, PH_SET_EXTRAS);
}

uint32_t
ph_chunk_count(const PhChunkReader *reader, uint32_t kind)
{
	return kind < PH_EVENT_KIND_COUNT ? reader->counts[kind] : 0;
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
	PhOperandLists *lists = &reader->operands[ph_kind_set(event->kind)];
	const PhOpenCall *open = (const PhOpenCall *) (const void *) reader->open.data;
	if (reader->n_open > 0)
		event->region = open[reader->n_open - 1].region;
	if (lists->is_read)
		ph_operands_next(lists, event);
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
	if (out->kind > PH_EVENT_LEAVE)
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
