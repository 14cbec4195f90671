/*
 * calls.c - see calls.h.
 *
 * A call is emitted with the chunk that it is entered in, or with the first chunk of the window. If
 * it is not left there, its end is looked for in later chunks, innermost calls first: who is around
 * a call ends no earlier.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/calls.h"

#include <string.h>

#include "base/vector.h"
#include "trace/chunk/codec.h"

typedef struct Lister
{
	PhEnv *env;
	const PhChunkSource *source;
	int64_t from, to;
	PhCallEmit emit;
	void *user;
	PhChunkReader *reader, *ahead;
	PH_VECTOR(PhTraceCall) calls; /* of the chunk at hand, by seq */
	PhIndices pending; /* by depth: the position of the open call in calls, PH_NONE: not wanted */
	uint32_t n_calls;
} Lister;

static PhStatus
fetch(const Lister *lister, uint32_t chunk_no, uint32_t want, PhChunk *chunk)
{
	return lister->source->fetch(lister->source->user, chunk_no, want, chunk);
}

/* The first chunk that ends at or after the window's start; n_chunks when there is none. */
static PhStatus
find_first(const Lister *lister, uint32_t *out)
{
	uint32_t low = 0, high = lister->source->n_chunks;
	while (low < high)
	{
		PhChunk chunk;
		uint32_t middle = low + (high - low) / 2;
		PH_TRY(fetch(lister, middle, 0, &chunk));
		if (chunk.t_last >= lister->from)
			high = middle;
		else
			low = middle + 1;
	}
	*out = low;
	return PH_OK;
}

/* ---- the calls of a chunk ---- */

static uint32_t
add_call(Lister *lister, uint32_t location, const PhOpenCall *stack, uint32_t depth)
{
	const PhOpenCall *call = &stack[depth];
	lister->calls.items[lister->n_calls] =
		(PhTraceCall){.location = location,
					  .depth = depth,
					  .region = call->region,
					  .seq = call->seq,
					  .parent = depth == 0 ? PH_NO_CALL : call[-1].seq,
					  .enter = call->enter,
					  .leave = PH_NO_TIME};
	return lister->n_calls++;
}

static PhStatus
disagree(const Lister *lister, const PhTraceCall *call)
{
	return ph_fail(lister->env, PH_ERR_FORMAT,
				   "the event chunks of location %u disagree about the call entered by event %llu",
				   call->location, (unsigned long long) call->seq);
}

/* open: the call as the chunk in which it ends has it. */
static PhStatus
end_call(const Lister *lister, PhTraceCall *call, const PhOpenCall *open, int64_t leave,
		 int64_t callee_time)
{
	if (open->seq != call->seq)
		return disagree(lister, call);
	call->leave = leave;
	call->inclusive = leave - open->enter;
	call->exclusive = call->inclusive - callee_time;
	return PH_OK;
}

static PhStatus
end_closed_call(const Lister *lister, PhTraceCall *call, const PhChunkReader *reader, int64_t leave)
{
	const PhOpenCall *closed = ph_chunk_closed_call(reader);
	return end_call(lister, call, closed, leave, closed->callee_time);
}

static PhStatus
walk_chunk(Lister *lister, const PhChunk *chunk)
{
	PhEvent event;
	uint32_t *pending = lister->pending.items;
	while (ph_chunk_next(lister->reader, &event))
	{
		uint32_t depth;
		const PhOpenCall *open = ph_chunk_open_calls(lister->reader, &depth);
		if (event.kind == PH_EVENT_ENTER)
			pending[depth - 1] = event.time < lister->to
									 ? add_call(lister, chunk->location, open, depth - 1)
									 : PH_NONE;
		else if (event.kind == PH_EVENT_LEAVE && pending[depth] != PH_NONE)
			PH_TRY(end_closed_call(lister, &lister->calls.items[pending[depth]], lister->reader,
								   event.time));
		PH_TRY(ph_env_poll(lister->env));
	}
	return PH_OK;
}

/*
 * Starts the lists of a chunk. Of the calls that are open at its start, those of the window's first
 * chunk become calls to list; in later chunks they were listed by the chunk in which they were
 * entered, so they are not pending here.
 */
static PhStatus
begin_chunk(Lister *lister, const PhChunk *chunk, bool is_first)
{
	uint32_t depth;
	const PhOpenCall *stack = ph_chunk_stack(lister->reader, &depth);
	size_t most = (size_t) depth + chunk->n_enter + 1;
	PH_TRY(PH_RESERVE(lister->env, &lister->calls, most));
	PH_TRY(PH_RESERVE(lister->env, &lister->pending, most));
	lister->n_calls = 0;
	for (uint32_t i = 0; i < depth; i++)
		lister->pending.items[i] = is_first && stack[i].enter < lister->to
									   ? add_call(lister, chunk->location, stack, i)
									   : PH_NONE;
	return PH_OK;
}

/* ---- ends in later chunks ---- */

/* Is the call open when a chunk begins? */
static PhStatus
is_open_at(Lister *lister, uint32_t chunk_no, const PhTraceCall *call, bool *out)
{
	PhChunk chunk;
	uint32_t depth;
	PH_TRY(fetch(lister, chunk_no, 0, &chunk));
	PH_TRY(ph_chunk_reader_open_stack(lister->ahead, &chunk));
	const PhOpenCall *stack = ph_chunk_stack(lister->ahead, &depth);
	*out = call->depth < depth && stack[call->depth].seq == call->seq;
	return PH_OK;
}

/* The last chunk from *chunk_no on at whose beginning the call is open. */
static PhStatus
find_last_open(Lister *lister, const PhTraceCall *call, uint32_t *chunk_no)
{
	bool is_open;
	uint32_t n = lister->source->n_chunks, low = *chunk_no, high = n;
	PH_TRY(is_open_at(lister, low, call, &is_open));
	if (!is_open)
		return disagree(lister, call);
	for (uint32_t step = 1; high == n && low + 1 < n; step *= 2)
	{
		uint32_t next = n - low > step ? low + step : n - 1;
		PH_TRY(is_open_at(lister, next, call, &is_open));
		*(is_open ? &low : &high) = next;
		if (next == n - 1)
			break;
	}
	while (high - low > 1)
	{
		uint32_t middle = low + (high - low) / 2;
		PH_TRY(is_open_at(lister, middle, call, &is_open));
		*(is_open ? &low : &high) = middle;
	}
	*chunk_no = low;
	return PH_OK;
}

/* End the pending calls that a chunk leaves; *depth: how many of them were open before and after.
 */
static PhStatus
end_in_chunk(Lister *lister, uint32_t chunk_no, uint32_t *depth)
{
	PhChunk chunk;
	PhEvent event;
	PH_TRY(fetch(lister, chunk_no, PH_WANT_CALLS, &chunk));
	PH_TRY(ph_chunk_reader_open(lister->ahead, &chunk, PH_WANT_CALLS));
	while (*depth > 0 && ph_chunk_next(lister->ahead, &event))
	{
		uint32_t n_open, index;
		ph_chunk_open_calls(lister->ahead, &n_open);
		if (event.kind != PH_EVENT_LEAVE || n_open >= *depth)
			continue;
		*depth = n_open;
		index = lister->pending.items[n_open];
		if (index != PH_NONE)
			PH_TRY(end_closed_call(lister, &lister->calls.items[index], lister->ahead, event.time));
	}
	return PH_OK;
}

/* Pending calls that even the last chunk, which was read by reader, does not leave. */
static PhStatus
end_with_trace(Lister *lister, const PhChunkReader *reader, int64_t t_last, uint32_t n_pending)
{
	uint32_t depth;
	const PhOpenCall *open = ph_chunk_open_calls(reader, &depth);
	for (uint32_t i = 0; i < n_pending && i < depth; i++)
	{
		if (lister->pending.items[i] == PH_NONE)
			continue;
		PhTraceCall *call = &lister->calls.items[lister->pending.items[i]];
		int64_t callees = open[i].callee_time;
		if (i + 1 < depth)
			callees += t_last - open[i + 1].enter;
		PH_TRY(end_call(lister, call, &open[i], t_last, callees));
		call->leave = PH_NO_TIME;
		call->is_open = true;
	}
	return PH_OK;
}

/* The deepest pending call below depth; 0 when there is none, else its depth + 1. */
static uint32_t
deepest_pending(const Lister *lister, uint32_t depth)
{
	while (depth > 0 && lister->pending.items[depth - 1] == PH_NONE)
		depth--;
	return depth;
}

/*
 * Finds the ends of calls that the chunk leaves open, innermost first: by galloping to the last
 * chunk at whose start the call is open, in which it must end. That chunk may end calls around it,
 * too, which spares their search. A call that does not end there is a contradiction between chunks.
 */
static PhStatus
end_open_calls(Lister *lister, const PhChunk *chunk)
{
	uint32_t last = lister->source->n_chunks - 1, chunk_no = chunk->chunk_no, depth;
	ph_chunk_open_calls(lister->reader, &depth);
	if (chunk_no == last)
		PH_TRY(end_with_trace(lister, lister->reader, chunk->t_last, depth));
	while (chunk_no < last && (depth = deepest_pending(lister, depth)) > 0)
	{
		uint32_t before = depth;
		const PhTraceCall *call = &lister->calls.items[lister->pending.items[depth - 1]];
		chunk_no++;
		PH_TRY(find_last_open(lister, call, &chunk_no));
		PH_TRY(end_in_chunk(lister, chunk_no, &depth));
		if (chunk_no == last)
		{
			PhChunk end;
			PH_TRY(fetch(lister, last, 0, &end));
			PH_TRY(end_with_trace(lister, lister->ahead, end.t_last, depth));
		}
		else if (depth == before)
			return disagree(lister, call);
	}
	return PH_OK;
}

/* ---- all ---- */

static PhStatus
emit_calls(const Lister *lister)
{
	for (uint32_t i = 0; i < lister->n_calls; i++)
	{
		const PhTraceCall *call = &lister->calls.items[i];
		if (call->is_open || call->leave >= lister->from)
			PH_TRY(lister->emit(lister->user, call));
	}
	return PH_OK;
}

/*
 * Lists the calls of the window chunk by chunk; each chunk's calls are complete, their ends looked
 * up ahead, before they are given out.
 */
static PhStatus
list_calls(Lister *lister)
{
	uint32_t first = 0;
	PH_TRY(ph_chunk_reader_new(lister->env, &lister->reader));
	PH_TRY(ph_chunk_reader_new(lister->env, &lister->ahead));
	PH_TRY(find_first(lister, &first));
	for (uint32_t i = first; i < lister->source->n_chunks; i++)
	{
		PhChunk chunk;
		PH_TRY(fetch(lister, i, PH_WANT_CALLS, &chunk));
		if (chunk.chunk_no != i)
			return ph_fail(lister->env, PH_ERR_FORMAT, "event chunk %u is missing", i);
		if (i > first && chunk.t_first >= lister->to)
			break;
		PH_TRY(ph_chunk_reader_open(lister->reader, &chunk, PH_WANT_CALLS));
		PH_TRY(begin_chunk(lister, &chunk, i == first));
		PH_TRY(walk_chunk(lister, &chunk));
		PH_TRY(end_open_calls(lister, &chunk));
		PH_TRY(emit_calls(lister));
	}
	return PH_OK;
}

PhStatus
ph_calls_list(PhEnv *env, const PhChunkSource *source, int64_t from, int64_t to, PhCallEmit emit,
			  void *user)
{
	Lister lister = {
		.env = env, .source = source, .from = from, .to = to, .emit = emit, .user = user};
	PhStatus status = from < to ? list_calls(&lister) : PH_OK;
	ph_chunk_reader_free(lister.reader);
	ph_chunk_reader_free(lister.ahead);
	PH_VECTOR_FREE(env, &lister.calls);
	PH_VECTOR_FREE(env, &lister.pending);
	return status;
}
