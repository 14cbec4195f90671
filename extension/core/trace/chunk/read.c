/*
 * read.c - from chunks to arrays and a cursor over events.
 *
 * Bytes are not trusted: each column must unpack to exactly what the counts in the row promise, and
 * the open calls must be such that no time of a call can come out negative.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/chunk/operands.h"

#include "base/bytes.h"

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
	uint32_t region_bits;
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

/*
 * Prefix sums, four at a time: each group's sums come from the sum before it plus the group's own
 * partial sums, so that only one addition a group depends on the group before.
 */
static void
add_narrow_steps(int64_t *times, const uint32_t *steps, uint32_t n, int64_t time)
{
	uint64_t sum = (uint64_t) time;
	uint32_t i = 0;
	for (; i + 4 <= n; i += 4)
	{
		uint64_t two = (uint64_t) steps[i] + steps[i + 1], three = two + steps[i + 2];
		times[i] = (int64_t) (sum + steps[i]);
		times[i + 1] = (int64_t) (sum + two);
		times[i + 2] = (int64_t) (sum + three);
		times[i + 3] = (int64_t) (sum += three + steps[i + 3]);
	}
	for (; i < n; i++)
		times[i] = (int64_t) (sum += steps[i]);
}

/*
 * Times from steps that all fit into 32 bits. A chunk has at most 2^20 of them, so their sum is
 * below 2^52; that t_prev plus the sum is t_last, the caller checks.
 */
static bool
decode_narrow_steps(PhChunkReader *reader, PhBytes steps, int64_t *times)
{
	const uint8_t *end = steps.data + steps.size;
	return ph_svb_decode_sums(steps.data, end, reader->chunk.n_events,
							  (uint64_t) reader->chunk.t_prev, (uint64_t *) times) == end;
}

static bool
decode_wide_steps(PhChunkReader *reader, PhBytes steps, int64_t *times)
{
	uint32_t n = reader->chunk.n_events;
	uint32_t *half = (uint32_t *) (void *) reader->scratch.data;
	const uint8_t *end = steps.data + steps.size;
	const uint8_t *at = ph_svb_decode(steps.data, end, n, half);
	if (at == NULL)
		return false;
	for (uint32_t i = 0; i < n; i++)
		times[i] = half[i];
	at = ph_svb_decode(at, end, n, half);
	return at == end && add_wide_steps(times, half, n, reader->chunk.t_prev);
}

static bool
decode_steps(PhChunkReader *reader, PhBytes plain, int64_t *times)
{
	if (plain.size == 0 || plain.data[0] > 1)
		return false;
	PhBytes steps = {plain.data + 1, plain.size - 1};
	return plain.data[0] == 0 ? decode_narrow_steps(reader, steps, times)
							  : decode_wide_steps(reader, steps, times);
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

/* The OR of all regions, two at a time in one 64-bit word. */
static uint32_t
bits_of(const uint32_t *regions, uint32_t n)
{
	uint64_t bits = n % 2 == 1 ? regions[n - 1] : 0, two;
	for (uint32_t i = 0; i + 2 <= n; i += 2)
	{
		memcpy(&two, regions + i, sizeof(two));
		bits |= two;
	}
	return (uint32_t) (bits | bits >> 32);
}

/* Regions entered, and what their bits and those of the calls open at the start are. */
static void
take_regions(PhChunkReader *reader, const uint32_t *regions)
{
	reader->region = regions;
	reader->region_bits = bits_of(regions, reader->chunk.n_enter);
	for (uint32_t i = 0; i < reader->depth; i++)
		reader->region_bits |= reader->first_stack[i].region;
}

/*
 * Regions are checked by the OR of all of them: when the limit is a power of two, the OR is below
 * it exactly when each region is.
 */
_Static_assert((PH_CHUNK_MAX_REGION & (PH_CHUNK_MAX_REGION - 1)) == 0, "bits tell of the limit");

static PhStatus
read_regions(PhChunkReader *reader)
{
	PhBytes plain;
	uint32_t n = reader->chunk.n_enter;
	PH_TRY(ph_unpack(reader->env, reader->chunk.region, ph_svb_bound(n), &reader->plain, &plain));
	PH_TRY(ph_buffer_reserve(reader->env, &reader->regions, ((size_t) n + 1) * sizeof(uint32_t)));
	uint32_t *regions = (uint32_t *) (void *) reader->regions.data;
	const uint8_t *end = plain.data + plain.size;
	if (ph_svb_decode(plain.data, end, n, regions) != end)
		return bad_chunk(reader, "its regions are damaged");
	take_regions(reader, regions);
	if (reader->region_bits >= PH_CHUNK_MAX_REGION)
		return bad_chunk(reader, "a region is out of range");
	return PH_OK;
}

/* A number of base-128 digits; more than 64 bits, or the end, makes the reader bad. */
static uint64_t
get_number(PhByteReader *reader)
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
decode_stack(const PhChunk *chunk, PhByteReader *in, PhOpenCall *stack, uint32_t depth)
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
	PhByteReader in = {plain.data, plain.data, plain.data + plain.size, false};
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

/* Eight kinds in one number, the first in its lowest byte. */
#define EIGHT(byte) (UINT64_C(0x0101010101010101) * (byte))

static inline uint64_t
get_eight(const uint8_t *kinds)
{
	uint64_t eight;
	memcpy(&eight, kinds, sizeof(eight));
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	eight = __builtin_bswap64(eight);
#endif
	return eight;
}

static inline bool
all_exist(uint64_t kinds)
{
	return (((kinds + EIGHT(128 - PH_EVENT_KIND_COUNT)) | kinds) & EIGHT(128)) == 0;
}

/*
 * In each byte, how many of the kinds up to and including it are this one. (kind ^ this one) + 127
 * has its highest bit set unless they are equal, as existing kinds are below 128; multiplying the
 * ones by 0x0101… adds up all lower bytes into each.
 */
static inline uint64_t
count_up_to(uint64_t kinds, uint32_t kind)
{
	uint64_t differs = ((kinds ^ EIGHT(kind)) + EIGHT(127)) >> 7;
	return (~differs & EIGHT(1)) * EIGHT(1);
}

/*
 * Follows the depth over eight kinds at once: in each byte, 128 + depth (8 at most matters) +
 * ENTERs - LEAVEs so far; a byte below 128 means that a LEAVE had no call to close: false.
 */
static inline bool
follow_depth(uint64_t kinds, int64_t *depth)
{
	uint64_t enters = count_up_to(kinds, PH_EVENT_ENTER);
	uint64_t leaves = count_up_to(kinds, PH_EVENT_LEAVE);
	uint64_t above = EIGHT(128 + (uint64_t) (*depth < 8 ? *depth : 8)) + enters - leaves;
	*depth += (int64_t) (enters >> 56) - (int64_t) (leaves >> 56);
	return (above & EIGHT(128)) == EIGHT(128);
}

/*
 * Counts of pairs of neighbouring kinds: half as many increments as by kind. Two tables, used in
 * turn, because an increment of a cell that was just incremented has to wait for it.
 */
#define KIND_BITS 5
#define KIND_PAIRS (1 << 2 * KIND_BITS)
_Static_assert(PH_EVENT_KIND_COUNT <= 1 << KIND_BITS, "pairs of kinds have places");

typedef struct KindPairs
{
	uint32_t even[KIND_PAIRS], odd[KIND_PAIRS];
} KindPairs;

static inline void
count_pairs(KindPairs *pairs, uint64_t kinds)
{
	const uint64_t low = UINT64_C(0x00ff00ff00ff00ff);
	uint64_t places = (kinds & low) | (kinds & ~low) >> (8 - KIND_BITS); /* 16 bits each */
	pairs->even[places % KIND_PAIRS]++;
	pairs->odd[(places >> 16) % KIND_PAIRS]++;
	pairs->even[(places >> 32) % KIND_PAIRS]++;
	pairs->odd[(places >> 48) % KIND_PAIRS]++;
}

static void
add_pairs(const KindPairs *pairs, uint32_t *counts)
{
	for (uint32_t x = 0; x < PH_EVENT_KIND_COUNT; x++)
		for (uint32_t y = 0; y < PH_EVENT_KIND_COUNT; y++)
		{
			uint32_t n = pairs->even[x << KIND_BITS | y] + pairs->odd[x << KIND_BITS | y];
			counts[x] += n;
			counts[y] += n;
		}
}

/*
 * Count kinds, eight at a time; depth: of the calls open at the start. False when a kind does not
 * exist, or a LEAVE has no call to close.
 */
static bool
survey_kinds(const uint8_t *kinds, uint32_t n, int64_t depth, uint32_t *counts)
{
	KindPairs pairs = {{0}, {0}};
	uint32_t i = 0;
	for (; i < n; i += 8)
	{
		uint64_t eight = get_eight(
			kinds + i); /* behind the last event are zeros, which read as ENTERs: taken off below */
		if (!all_exist(eight) || !follow_depth(eight, &depth))
			return false;
		count_pairs(&pairs, eight);
	}
	memset(counts, 0, PH_EVENT_KIND_COUNT * sizeof(*counts));
	add_pairs(&pairs, counts);
	counts[PH_EVENT_ENTER] -= i - n;
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
	int64_t depth =
		reader->want & (PH_WANT_CALLS | PH_WANT_LENGTHS) ? reader->depth : INT64_MAX / 2;
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
	reader->region_bits = 0;
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
	if (reader->want & (PH_WANT_CALLS | PH_WANT_LENGTHS))
		PH_TRY(read_stack(reader));
	PH_TRY(read_kinds(reader));
	if (reader->want & (PH_WANT_CALLS | PH_WANT_LENGTHS | PH_WANT_TIMES))
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
	take_regions(reader, plain->regions);
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

uint32_t
ph_chunk_region_bits(const PhChunkReader *reader)
{
	return reader->region_bits;
}

/* Two at a time: a region that is not below n_regions makes its difference negative. */
static bool
are_below(const uint32_t *regions, uint32_t n, uint32_t n_regions)
{
	uint64_t last = (uint64_t) (n_regions - 1) << 32 | (n_regions - 1), differences = 0, two;
	for (uint32_t i = 0; i + 2 <= n; i += 2)
	{
		memcpy(&two, regions + i, sizeof(two));
		differences |= last - two;
	}
	return (differences & UINT64_C(0x8000000080000000)) == 0 &&
		   (n % 2 == 0 || regions[n - 1] < n_regions);
}

PhStatus
ph_chunk_check_regions(PhEnv *env, const PhChunk *chunk, const PhChunkReader *reader,
					   uint32_t n_regions)
{
	bool exist = reader->region_bits < n_regions;
	if (!exist && n_regions > 0)
		exist = are_below(reader->region, chunk->n_enter, n_regions);
	for (uint32_t i = 0; i < reader->depth; i++)
		exist &= reader->first_stack[i].region < n_regions;
	return exist ? PH_OK : ph_fail(env, PH_ERR_FORMAT, "a call is of a region that does not exist");
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
