/*
 * write.c - from events to chunks.
 *
 * Times, kinds and regions are kept as the codec wants them from the start; operands of the rarer
 * other kinds go to lists. The open calls are written down when a chunk begins. Until a chunk's
 * receiver returns everything is there unpacked, too.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/bytes.h"
#include "base/crc32c.h"
#include "base/vector.h"
#include "trace/chunk/gather.h"
#include "trace/chunk/operands.h"

/* A chunk is cut when it has so many values. */
#define CUT_VALUES (PH_CHUNK_MAX_VALUES / 2)
#define MOST_STACK_BYTES 35 /* of an open call: 5 + 3 * 10 */

typedef enum Column
{
	COLUMN_STACK,
	COLUMN_DT,
	COLUMN_KIND,
	COLUMN_REGION,
	COLUMN_MSG,
	COLUMN_EXTRA,
	N_COLUMNS
} Column;

struct PhChunkWriter
{
	PhEnv *env;
	PhChunkEmit emit;
	void *user;
	uint32_t location, chunk_no, chunk_events;
	uint32_t n_events, n_enter;
	uint32_t counts[PH_EVENT_KIND_COUNT]; /* of the kinds that are neither ENTER nor LEAVE */
	uint64_t first_seq;
	int64_t t_prev, t_last; /* PH_NO_TIME: no event yet */
	bool is_wide;
	uint32_t *dt, *dt_high; /* high halves only when is_wide */
	uint8_t *kind;
	uint32_t *region;
	uint32_t depth, stack_capacity;
	PhOpenCall *stack;
	PhBuffer first_stack; /* as it was where the chunk begins */
	uint32_t first_depth;
	PhGather operands[PH_SETS];
	void *lz4_state;
	PhBuffer plain;
	PhBuffer packed[N_COLUMNS];
	PhBytes columns[N_COLUMNS];
};

/* ---- what a chunk begins with ---- */

static void
put_number(PhByteWriter *writer, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*writer->at++ = (uint8_t) (value | 0x80);
	*writer->at++ = (uint8_t) value;
}

static PhStatus
pack(PhChunkWriter *writer, Column column, size_t size)
{
	return ph_pack(writer->env, writer->plain.data, size, writer->lz4_state,
				   &writer->packed[column], &writer->columns[column]);
}

static PhStatus
pack_stack(PhChunkWriter *writer)
{
	size_t bound = ((size_t) writer->depth + 1) * MOST_STACK_BYTES;
	PH_TRY(ph_buffer_reserve(writer->env, &writer->plain, bound));
	PhByteWriter out = {writer->plain.data};
	PhOpenCall around = {0};
	put_number(&out, writer->depth);
	for (uint32_t i = 0; i < writer->depth; i++)
	{
		const PhOpenCall *call = &writer->stack[i];
		put_number(&out, call->region);
		put_number(&out, (uint64_t) (call->enter - around.enter));
		put_number(&out, call->seq - around.seq);
		put_number(&out, (uint64_t) call->callee_time);
		around = *call;
	}
	return pack(writer, COLUMN_STACK, (size_t) (out.at - writer->plain.data));
}

/* For those who read the chunk before it is packed. */
static PhStatus
keep_stack(PhChunkWriter *writer)
{
	PhBuffer *kept = &writer->first_stack;
	PH_TRY(ph_buffer_reserve(writer->env, kept, ((size_t) writer->depth + 1) * sizeof(PhOpenCall)));
	if (writer->depth > 0)
		memcpy(kept->data, writer->stack, writer->depth * sizeof(PhOpenCall));
	writer->first_depth = writer->depth;
	return PH_OK;
}

static PhStatus
begin_chunk(PhChunkWriter *writer)
{
	writer->first_seq += writer->n_events;
	writer->n_events = writer->n_enter = 0;
	memset(writer->counts, 0, sizeof(writer->counts));
	writer->t_prev = writer->t_last;
	writer->is_wide = false;
	for (uint32_t set = 0; set < PH_SETS; set++)
		ph_gather_clear(&writer->operands[set]);
	PH_TRY(keep_stack(writer));
	return pack_stack(writer);
}

/* ---- what it ends with ---- */

static PhStatus
pack_times(PhChunkWriter *writer)
{
	uint32_t n = writer->n_events;
	PH_TRY(ph_buffer_reserve(writer->env, &writer->plain, ph_wide_bound(n)));
	uint8_t *at = writer->plain.data;
	*at++ = writer->is_wide;
	at = ph_svb_encode(writer->dt, n, at);
	if (writer->is_wide)
		at = ph_svb_encode(writer->dt_high, n, at);
	return pack(writer, COLUMN_DT, (size_t) (at - writer->plain.data));
}

static PhStatus
pack_kinds(PhChunkWriter *writer)
{
	return ph_pack(writer->env, writer->kind, writer->n_events, writer->lz4_state,
				   &writer->packed[COLUMN_KIND], &writer->columns[COLUMN_KIND]);
}

static PhStatus
pack_regions(PhChunkWriter *writer)
{
	PH_TRY(ph_buffer_reserve(writer->env, &writer->plain, ph_svb_bound(writer->n_enter)));
	uint8_t *end = ph_svb_encode(writer->region, writer->n_enter, writer->plain.data);
	return pack(writer, COLUMN_REGION, (size_t) (end - writer->plain.data));
}

static PhStatus
pack_operands(PhChunkWriter *writer, PhOperandSet set, Column column)
{
	PhBytes plain;
	PH_TRY(ph_gather_encode(writer->env, &writer->operands[set], &plain));
	return ph_pack(writer->env, plain.data, plain.size, writer->lz4_state, &writer->packed[column],
				   &writer->columns[column]);
}

static uint32_t
count_messages(const PhChunkWriter *writer)
{
	uint32_t n = 0;
	for (uint32_t kind = 0; kind < PH_EVENT_KIND_COUNT; kind++)
		n += ph_kind_is_message(kind) ? writer->counts[kind] : 0;
	return n;
}

static void
describe(const PhChunkWriter *writer, PhChunk *chunk)
{
	uint64_t first = writer->dt[0];
	if (writer->is_wide)
		first |= (uint64_t) writer->dt_high[0] << 32;
	const PhBytes *columns = writer->columns;
	*chunk = (PhChunk){.location = writer->location,
					   .chunk_no = writer->chunk_no,
					   .format = PH_CHUNK_FORMAT,
					   .n_events = writer->n_events,
					   .n_enter = writer->n_enter,
					   .n_message = count_messages(writer),
					   .first_seq = writer->first_seq,
					   .t_prev = writer->t_prev,
					   .t_first = writer->t_prev + (int64_t) first,
					   .t_last = writer->t_last,
					   .stack = columns[COLUMN_STACK],
					   .dt = columns[COLUMN_DT],
					   .kind = columns[COLUMN_KIND],
					   .region = columns[COLUMN_REGION],
					   .msg = columns[COLUMN_MSG],
					   .extra = columns[COLUMN_EXTRA]};
}

static PhStatus
end_chunk(PhChunkWriter *writer)
{
	PhChunk chunk;
	PH_TRY(pack_times(writer));
	PH_TRY(pack_kinds(writer));
	PH_TRY(pack_regions(writer));
	PH_TRY(pack_operands(writer, PH_SET_MESSAGES, COLUMN_MSG));
	PH_TRY(pack_operands(writer, PH_SET_EXTRAS, COLUMN_EXTRA));
	describe(writer, &chunk);
	PH_TRY(writer->emit(writer->user, &chunk));
	writer->chunk_no++;
	return begin_chunk(writer);
}

/* ---- events ---- */

/* The first time of the location, a step that needs 64 bits, or an impossible one. */
static PhStatus
add_unusual_time(PhChunkWriter *writer, int64_t time)
{
	if (time < 0)
		return ph_fail(writer->env, PH_ERR_FORMAT, "time %lld is before the trace's first event",
					   (long long) time);
	if (writer->t_last == PH_NO_TIME)
	{
		writer->t_prev = writer->t_last = time;
		writer->dt[writer->n_events] = 0;
		return PH_OK;
	}
	if (time < writer->t_last)
		return ph_fail(
			writer->env, PH_ERR_FORMAT, "time runs backwards by %lld ns: from %lld to %lld",
			(long long) (writer->t_last - time), (long long) writer->t_last, (long long) time);
	if (writer->dt_high == NULL)
		PH_TRY(ph_env_alloc(writer->env, writer->chunk_events, sizeof(*writer->dt_high),
							(void **) &writer->dt_high));
	if (!writer->is_wide)
		memset(writer->dt_high, 0, writer->chunk_events * sizeof(*writer->dt_high));
	writer->is_wide = true;
	uint64_t step = (uint64_t) (time - writer->t_last);
	writer->dt[writer->n_events] = (uint32_t) step;
	writer->dt_high[writer->n_events] = (uint32_t) (step >> 32);
	return PH_OK;
}

/* Time and kind of the next event; n_events is still its position. */
static inline PhStatus
add_event(PhChunkWriter *writer, int64_t time, uint8_t kind)
{
	uint64_t step = (uint64_t) time - (uint64_t) writer->t_last;
	if (__builtin_expect(step > UINT32_MAX, 0))
		PH_TRY(add_unusual_time(writer, time));
	else
		writer->dt[writer->n_events] = (uint32_t) step;
	writer->t_last = time;
	writer->kind[writer->n_events] = kind;
	return PH_OK;
}

static inline PhStatus
count_event(PhChunkWriter *writer)
{
	return ++writer->n_events == writer->chunk_events ? end_chunk(writer) : PH_OK;
}

static PhStatus
grow_stack(PhChunkWriter *writer)
{
	if (writer->depth == PH_CHUNK_MAX_DEPTH)
		return ph_fail(writer->env, PH_ERR_LIMIT, "calls are nested more than %d deep",
					   PH_CHUNK_MAX_DEPTH);
	return PH_GROW(writer->env, &writer->stack, writer->depth, &writer->stack_capacity);
}

static PhStatus
bad_region(PhChunkWriter *writer, uint32_t region)
{
	return ph_fail(writer->env, PH_ERR_LIMIT, "region %u is beyond the %d that a trace may have",
				   region, PH_CHUNK_MAX_REGION);
}

PhStatus
ph_chunk_writer_enter(PhChunkWriter *writer, int64_t time, uint32_t region)
{
	if (__builtin_expect(region >= PH_CHUNK_MAX_REGION, 0))
		return bad_region(writer, region);
	if (__builtin_expect(
			writer->depth == writer->stack_capacity || writer->depth == PH_CHUNK_MAX_DEPTH, 0))
		PH_TRY(grow_stack(writer));
	PH_TRY(add_event(writer, time, PH_EVENT_ENTER));
	writer->region[writer->n_enter++] = region;
	writer->stack[writer->depth++] =
		(PhOpenCall){region, time, writer->first_seq + writer->n_events, 0};
	return count_event(writer);
}

static PhStatus
bad_leave(PhChunkWriter *writer, uint32_t region)
{
	if (writer->depth == 0)
		return ph_fail(writer->env, PH_ERR_FORMAT, "a region is left, but none was entered");
	return ph_fail(writer->env, PH_ERR_FORMAT, "region %u is left, but region %u was entered last",
				   region, writer->stack[writer->depth - 1].region);
}

PhStatus
ph_chunk_writer_leave(PhChunkWriter *writer, int64_t time, uint32_t region)
{
	if (__builtin_expect(writer->depth == 0, 0))
		return bad_leave(writer, region);
	PhOpenCall *call = &writer->stack[writer->depth - 1];
	if (__builtin_expect(region != call->region && region != PH_NONE, 0))
		return bad_leave(writer, region);
	PH_TRY(add_event(writer, time, PH_EVENT_LEAVE));
	if (--writer->depth > 0)
		call[-1].callee_time += time - call->enter;
	return count_event(writer);
}

PhStatus
ph_chunk_writer_request(PhChunkWriter *writer, int64_t time, PhEventKind kind, uint64_t request)
{
	if (ph_event_operands(kind) != PH_OPERAND_REQUEST)
		return ph_fail(writer->env, PH_ERR_VALUE, "event kind %u is not a request alone",
					   (unsigned) kind);
	PH_TRY(add_event(writer, time, (uint8_t) kind));
	PH_TRY(ph_gather_request(writer->env, &writer->operands[PH_SET_MESSAGES], request));
	writer->counts[kind]++;
	return count_event(writer);
}

static PhStatus
add_other(PhChunkWriter *writer, const PhEvent *event)
{
	if (event->kind >= PH_EVENT_KIND_COUNT)
		return ph_fail(writer->env, PH_ERR_VALUE, "there is no event kind %u",
					   (unsigned) event->kind);
	PH_TRY(add_event(writer, event->time, (uint8_t) event->kind));
	PH_TRY(ph_gather_add(writer->env, &writer->operands[ph_kind_set(event->kind)], event));
	writer->counts[event->kind]++;
	PH_TRY(count_event(writer));
	if (writer->operands[PH_SET_EXTRAS].n[PH_LIST_VALUES] >= CUT_VALUES)
		return end_chunk(writer);
	return PH_OK;
}

PhStatus
ph_chunk_writer_event(PhChunkWriter *writer, const PhEvent *event)
{
	if (event->kind == PH_EVENT_ENTER)
		return ph_chunk_writer_enter(writer, event->time, event->region);
	if (event->kind == PH_EVENT_LEAVE)
		return ph_chunk_writer_leave(writer, event->time, event->region);
	if (!ph_kind_is_message(event->kind))
		return add_other(writer, event);
	PH_TRY(add_event(writer, event->time, (uint8_t) event->kind));
	PH_TRY(ph_gather_message(writer->env, &writer->operands[PH_SET_MESSAGES], event));
	writer->counts[event->kind]++;
	return count_event(writer);
}

/* ---- life ---- */

static PhStatus
make_room(PhChunkWriter *writer)
{
	PhEnv *env = writer->env;
	uint32_t n = writer->chunk_events;
	PH_TRY(ph_env_alloc(env, n, sizeof(*writer->dt), (void **) &writer->dt));
	PH_TRY(ph_env_alloc(env, n, sizeof(*writer->kind), (void **) &writer->kind));
	PH_TRY(ph_env_alloc(env, n, sizeof(*writer->region), (void **) &writer->region));
	PH_TRY(ph_env_alloc(env, ph_pack_state_size(), 1, &writer->lz4_state));
	return begin_chunk(writer);
}

PhStatus
ph_chunk_writer_new(PhEnv *env, uint32_t location, uint32_t chunk_events, PhChunkEmit emit,
					void *user, PhChunkWriter **out)
{
	PhChunkWriter *writer;
	if (chunk_events > PH_CHUNK_MAX_EVENTS)
		return ph_fail(env, PH_ERR_LIMIT, "a chunk holds at most %d events", PH_CHUNK_MAX_EVENTS);
	PH_TRY(ph_env_alloc(env, 1, sizeof(*writer), (void **) &writer));
	writer->env = env;
	writer->emit = emit;
	writer->user = user;
	writer->location = location;
	writer->chunk_events = chunk_events == 0 ? PH_CHUNK_EVENTS : chunk_events;
	writer->t_last = PH_NO_TIME;
	PhStatus status = make_room(writer);
	if (status == PH_OK)
		*out = writer;
	else
		ph_chunk_writer_free(writer);
	return status;
}

void
ph_chunk_writer_free(PhChunkWriter *writer)
{
	if (writer == NULL)
		return;
	PhEnv *env = writer->env;
	uint32_t n = writer->chunk_events;
	ph_env_free(env, writer->dt, n, sizeof(*writer->dt));
	ph_env_free(env, writer->dt_high, n, sizeof(*writer->dt_high));
	ph_env_free(env, writer->kind, n, sizeof(*writer->kind));
	ph_env_free(env, writer->region, n, sizeof(*writer->region));
	ph_env_free(env, writer->stack, writer->stack_capacity, sizeof(*writer->stack));
	ph_env_free(env, writer->lz4_state, ph_pack_state_size(), 1);
	for (uint32_t set = 0; set < PH_SETS; set++)
		ph_gather_free(env, &writer->operands[set]);
	for (uint32_t i = 0; i < N_COLUMNS; i++)
		ph_buffer_free(env, &writer->packed[i]);
	ph_buffer_free(env, &writer->first_stack);
	ph_buffer_free(env, &writer->plain);
	ph_env_free(env, writer, 1, sizeof(*writer));
}

PhStatus
ph_chunk_writer_finish(PhChunkWriter *writer)
{
	return writer->n_events > 0 ? end_chunk(writer) : PH_OK;
}

uint32_t
ph_chunk_writer_open_calls(const PhChunkWriter *writer)
{
	return writer->depth;
}

uint64_t
ph_chunk_writer_events(const PhChunkWriter *writer)
{
	return writer->first_seq + writer->n_events;
}

PhStatus
ph_chunk_writer_show(const PhChunkWriter *writer, const PhChunk *chunk, PhChunkReader *reader)
{
	PhChunkPlain plain = {.kinds = writer->kind,
						  .dt = writer->dt,
						  .dt_high = writer->is_wide ? writer->dt_high : NULL,
						  .regions = writer->region,
						  .stack = (const PhOpenCall *) (const void *) writer->first_stack.data,
						  .depth = writer->first_depth};
	uint32_t n_others = 0;
	for (uint32_t kind = PH_EVENT_LEAVE + 1; kind < PH_EVENT_KIND_COUNT; kind++)
		n_others += plain.counts[kind] = writer->counts[kind];
	plain.counts[PH_EVENT_ENTER] = chunk->n_enter;
	plain.counts[PH_EVENT_LEAVE] = chunk->n_events - chunk->n_enter - n_others;
	for (uint32_t set = 0; set < PH_SETS; set++)
		plain.operands[set] = ph_gather_arrays(&writer->operands[set]);
	return ph_chunk_reader_open_plain(reader, chunk, &plain);
}

uint32_t
ph_chunk_crc(const PhChunk *chunk)
{
	const uint64_t numbers[] = {
		chunk->location,		 chunk->chunk_no,		   (uint64_t) chunk->format,
		chunk->n_events,		 chunk->n_enter,		   chunk->n_message,
		chunk->first_seq,		 (uint64_t) chunk->t_prev, (uint64_t) chunk->t_first,
		(uint64_t) chunk->t_last};
	const PhBytes columns[] = {chunk->stack,  chunk->dt,  chunk->kind,
							   chunk->region, chunk->msg, chunk->extra};
	uint32_t crc = 0;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		crc = ph_crc32c_add_number(crc, numbers[i]);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		crc = ph_crc32c_add_bytes(crc, columns[i]);
	return crc;
}
