/*
 * collect.c - a location's records to pieces of blocks and their events; tables at the end.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "tasks/collect_internal.h"

#include "trace/chunk/task_records.h"

PhStatus
ph_task_collector_new(PhEnv *env, const PhTraceModel *model, const PhTaskDefinitions *definitions,
					  PhTaskCollector **out)
{
	void *memory;
	PhTaskCollector *collector;

	PH_TRY(ph_env_alloc(env, 1, sizeof(*collector), &memory));
	collector = memory;
	collector->env = env;
	collector->model = model;
	collector->definitions = definitions;
	collector->location = PH_NONE;
	PH_TRY(ph_env_alloc(env, model->n_locations, sizeof(PhTaskSpan), &memory));
	collector->spans = memory;
	*out = collector;
	return PH_OK;
}

void
ph_task_collector_free(PhTaskCollector *collector)
{
	PhEnv *env;

	if (collector == NULL)
		return;
	env = collector->env;
	ph_env_free(env, collector->spans, collector->model->n_locations, sizeof(PhTaskSpan));
	ph_env_free(env, collector->pieces, collector->piece_room, sizeof(PhTaskPiece));
	ph_env_free(env, collector->events, collector->event_room, sizeof(PhTaskEvent));
	ph_env_free(env, collector->blocks, collector->block_room, sizeof(uint32_t));
	ph_env_free(env, collector->dependencies, collector->dependency_room, sizeof(PhTaskDependency));
	ph_env_free(env, collector->idles, collector->idle_room, sizeof(PhTaskIdle));
	ph_env_free(env, collector->stack, collector->stack_room, sizeof(PhTaskFrame));
	ph_env_free(env, collector, 1, sizeof(*collector));
}

static PhStatus
contradiction(const PhTaskCollector *collector, const char *what)
{
	return ph_fail(collector->env, PH_ERR_FORMAT, "location %u, event %llu: %s",
				   collector->location, (unsigned long long) collector->seq, what);
}

/* ---- pieces ---- */

static PhStatus
add_piece(PhTaskCollector *collector, const PhTaskPiece *piece, uint32_t *out)
{
	if (collector->n_pieces == PH_TASK_MOST)
		return ph_fail(collector->env, PH_ERR_LIMIT, "more than %u serial blocks", PH_TASK_MOST);
	PH_TRY(
		PH_GROW(collector->env, &collector->pieces, collector->n_pieces, &collector->piece_room));
	*out = collector->n_pieces++;
	collector->pieces[*out] = *piece;
	collector->pieces[*out].first_event = collector->n_events;
	return PH_OK;
}

/*
 * Adds a piece that has a number within its location, by which TASK_AFTER and TASK_CONTINUES refer
 * to it.
 */
static PhStatus
add_block_piece(PhTaskCollector *collector, PhTaskPiece *piece, uint32_t *out)
{
	PhTaskSpan *span = &collector->spans[collector->location];

	piece->ordinal = collector->n_blocks - span->first_block;
	PH_TRY(add_piece(collector, piece, out));
	PH_TRY(
		PH_GROW(collector->env, &collector->blocks, collector->n_blocks, &collector->block_room));
	collector->blocks[collector->n_blocks++] = *out;
	return PH_OK;
}

/* The innermost call that is a block; NULL: none is open. */
static PhTaskFrame *
open_block(PhTaskCollector *collector)
{
	for (uint32_t i = collector->depth; i-- > 0;)
	{
		if (collector->stack[i].piece != PH_NONE)
			return &collector->stack[i];
	}
	return NULL;
}

/*
 * A block begins inside another one without a TASK_PAUSE record: the outer one is ended here and
 * goes on, as a new piece, when the inner one ends.
 */
static void
pause_outer(PhTaskCollector *collector, int64_t time)
{
	PhTaskFrame *outer = open_block(collector);

	if (outer == NULL || outer->is_paused)
		return;
	collector->pieces[outer->piece].end = time;
	outer->is_paused = outer->goes_on = true;
}

static PhStatus
begin_block(PhTaskCollector *collector, const PhEvent *event)
{
	const PhTaskDefinitions *definitions = collector->definitions;
	PhTaskFrame *frame;
	PhTaskPiece piece = {.processor = collector->location,
						 .continues = PH_NONE,
						 .is_runtime =
							 event->n_values > 1 && (event->values[1] & PH_BLOCK_RUNTIME) != 0};
	uint32_t index;

	if (collector->depth == 0 || event->n_values == 0)
		return contradiction(collector, "TASK_BLOCK without a call or a chare");
	frame = &collector->stack[collector->depth - 1];
	if (frame->piece != PH_NONE)
		return contradiction(collector, "a second TASK_BLOCK of a call");
	if (event->values[0] >= definitions->n_chares)
		return contradiction(collector, "TASK_BLOCK of a chare that does not exist");
	pause_outer(collector, frame->enter);
	piece.chare = (uint32_t) event->values[0];
	piece.entry =
		frame->region < definitions->n_entries && definitions->entry_name[frame->region] != NULL
			? frame->region
			: PH_NONE;
	piece.begin = piece.end = frame->enter;
	piece.seq = frame->seq;
	PH_TRY(add_block_piece(collector, &piece, &index));
	frame->piece = index;
	return PH_OK;
}

static PhStatus
pause_block(PhTaskCollector *collector, int64_t time)
{
	PhTaskFrame *frame = open_block(collector);

	if (frame == NULL || frame->is_paused)
		return contradiction(collector, "TASK_PAUSE without a block that runs");
	collector->pieces[frame->piece].end = time;
	frame->is_paused = true;
	return PH_OK;
}

static PhStatus
resume_block(PhTaskCollector *collector, int64_t time)
{
	PhTaskFrame *frame = open_block(collector);
	PhTaskPiece piece;

	if (frame == NULL || !frame->is_paused)
		return contradiction(collector, "TASK_RESUME without a block that is paused");
	piece = collector->pieces[frame->piece];
	piece.begin = piece.end = time;
	piece.continues = frame->piece;
	piece.n_events = 0;
	piece.has_head = piece.has_tail = false;
	PH_TRY(add_block_piece(collector, &piece, &frame->piece));
	frame->is_paused = frame->goes_on = false;
	return PH_OK;
}

/* ---- calls ---- */

static PhStatus
enter(PhTaskCollector *collector, int64_t time, uint32_t region)
{
	PH_TRY(PH_GROW(collector->env, &collector->stack, collector->depth, &collector->stack_room));
	collector->stack[collector->depth++] =
		(PhTaskFrame){.region = region, .enter = time, .seq = collector->seq, .piece = PH_NONE};
	return PH_OK;
}

static PhStatus
leave(PhTaskCollector *collector, int64_t time)
{
	PhTaskFrame frame;
	PhTaskFrame *outer;

	if (collector->depth == 0)
		return contradiction(collector, "a call is left that was not entered");
	frame = collector->stack[--collector->depth];
	if (frame.region == collector->definitions->idle_region)
	{
		PH_TRY(
			PH_GROW(collector->env, &collector->idles, collector->n_idles, &collector->idle_room));
		collector->idles[collector->n_idles++] =
			(PhTaskIdle){collector->location, frame.enter, time};
	}
	if (frame.piece == PH_NONE)
		return PH_OK;
	if (!frame.is_paused)
		collector->pieces[frame.piece].end = time;
	outer = open_block(collector);
	return outer != NULL && outer->goes_on ? resume_block(collector, time) : PH_OK;
}

/* ---- events ---- */

/*
 * The piece of a block that an event belongs to: the one that runs; outside of all blocks a new
 * piece of no length, of the processor's run time.
 */
static PhStatus
piece_for_event(PhTaskCollector *collector, int64_t time, uint32_t *out)
{
	PhTaskFrame *frame = open_block(collector);
	PhTaskPiece piece = {.processor = collector->location,
						 .continues = PH_NONE,
						 .chare = PH_NONE,
						 .entry = PH_NONE,
						 .ordinal = PH_NONE,
						 .is_runtime = true,
						 .begin = time,
						 .end = time,
						 .seq = collector->seq};

	if (frame != NULL && !frame->is_paused)
	{
		*out = frame->piece;
		return PH_OK;
	}
	return add_piece(collector, &piece, out);
}

static PhStatus
add_event(PhTaskCollector *collector, const PhTaskEvent *event)
{
	uint32_t piece = PH_NONE;

	if (collector->n_events == PH_TASK_MOST)
		return ph_fail(collector->env, PH_ERR_LIMIT, "more than %u messages", PH_TASK_MOST);
	PH_TRY(piece_for_event(collector, event->time, &piece));
	PH_TRY(
		PH_GROW(collector->env, &collector->events, collector->n_events, &collector->event_room));
	collector->events[collector->n_events] = *event;
	collector->events[collector->n_events++].piece = piece;
	collector->pieces[piece].n_events++;
	return PH_OK;
}

/* One more receiver of the send just before? */
static PhStatus
add_send(PhTaskCollector *collector, const PhEvent *event)
{
	PhTaskSpan *span = &collector->spans[collector->location];
	PhTaskEvent *last = collector->n_events > span->first_event
							? &collector->events[collector->n_events - 1]
							: NULL;
	PhTaskEvent send = {.kind = PH_TASK_SEND,
						.time = event->time,
						.bytes = event->bytes,
						.seq = collector->seq,
						.n_records = 1,
						.tag = event->tag};

	if (last != NULL && last->kind == PH_TASK_SEND && last->tag == event->tag &&
		last->time == event->time && last->seq + last->n_records == collector->seq)
	{
		last->n_records++;
		return PH_OK;
	}
	return add_event(collector, &send);
}

static PhStatus
add_receive(PhTaskCollector *collector, const PhEvent *event, const PhLink *link)
{
	PhTaskEvent receive = {.kind = PH_TASK_RECEIVE,
						   .time = event->time,
						   .bytes = event->bytes,
						   .seq = collector->seq,
						   .n_records = 1,
						   .tag = event->tag,
						   .peer = link->location,
						   .peer_seq = link->seq};

	return add_event(collector, &receive);
}

static PhStatus
add_dependency(PhTaskCollector *collector, const PhEvent *event, bool continues)
{
	PhTaskFrame *frame = open_block(collector);
	PhTaskDependency dependency = {.continues = continues, .kind = PH_EDGE_DECLARED};

	if (frame == NULL || event->n_values < 2 || event->values[0] >= collector->model->n_locations)
		return contradiction(collector, "a dependency without a block, or on no location");
	dependency.piece = frame->piece;
	dependency.location = (uint32_t) event->values[0];
	dependency.block = event->values[1] > UINT32_MAX ? PH_NONE : (uint32_t) event->values[1];
	if (event->n_values > 2 && event->values[2] == PH_EDGE_INFERRED)
		dependency.kind = PH_EDGE_INFERRED;
	PH_TRY(PH_GROW(collector->env, &collector->dependencies, collector->n_dependencies,
				   &collector->dependency_room));
	collector->dependencies[collector->n_dependencies++] = dependency;
	return PH_OK;
}

static PhStatus
take_record(PhTaskCollector *collector, const PhEvent *event)
{
	switch (event->operation)
	{
		case PH_RECORD_TASK_BLOCK:
			return begin_block(collector, event);
		case PH_RECORD_TASK_PAUSE:
			return pause_block(collector, event->time);
		case PH_RECORD_TASK_RESUME:
			return resume_block(collector, event->time);
		case PH_RECORD_TASK_CONTINUES:
			return add_dependency(collector, event, true);
		case PH_RECORD_TASK_AFTER:
			return add_dependency(collector, event, false);
		default:
			return PH_OK;
	}
}

/* ---- chunks ---- */

/* Calls that are open at the end go on up to the location's last event. */
static void
end_location(PhTaskCollector *collector)
{
	PhTaskSpan *span;

	if (collector->location == PH_NONE)
		return;
	span = &collector->spans[collector->location];
	for (uint32_t i = 0; i < collector->depth; i++)
	{
		const PhTaskFrame *frame = &collector->stack[i];

		if (frame->piece != PH_NONE && !frame->is_paused)
			collector->pieces[frame->piece].end = collector->last_time;
	}
	collector->depth = 0;
	span->n_events = collector->n_events - span->first_event;
	span->n_blocks = collector->n_blocks - span->first_block;
}

static PhStatus
begin_location(PhTaskCollector *collector, uint32_t location)
{
	if (location >= collector->model->n_locations ||
		(collector->location != PH_NONE && location <= collector->location))
		return ph_fail(collector->env, PH_ERR_VALUE, "location %u is not the next one", location);
	end_location(collector);
	collector->location = location;
	collector->spans[location] =
		(PhTaskSpan){.first_event = collector->n_events, .first_block = collector->n_blocks};
	return PH_OK;
}

static PhStatus
take(PhTaskCollector *collector, const PhEvent *event, const PhLink *links, uint32_t n_links,
	 uint32_t *link)
{
	switch (event->kind)
	{
		case PH_EVENT_ENTER:
			return enter(collector, event->time, event->region);
		case PH_EVENT_LEAVE:
			return leave(collector, event->time);
		case PH_EVENT_SEND:
		case PH_EVENT_ISEND:
			return add_send(collector, event);
		case PH_EVENT_RECV:
		case PH_EVENT_IRECV:
			if (*link == n_links)
				return contradiction(collector, "a receive has no link");
			return add_receive(collector, event, &links[(*link)++]);
		case PH_EVENT_OTHER:
			return take_record(collector, event);
		default:
			return PH_OK;
	}
}

PhStatus
ph_task_collector_add(PhTaskCollector *collector, const PhChunk *chunk, PhChunkReader *reader,
					  const PhLink *links, uint32_t n_links)
{
	PhEvent event;
	uint32_t link = 0;

	if (chunk->location != collector->location)
		PH_TRY(begin_location(collector, chunk->location));
	collector->seq = chunk->first_seq;
	for (; ph_chunk_next(reader, &event); collector->seq++)
	{
		PH_TRY(ph_env_poll(collector->env));
		PH_TRY(take(collector, &event, links, n_links, &link));
		collector->last_time = event.time;
	}
	return PH_OK;
}

void
ph_task_collector_end(PhTaskCollector *collector)
{
	end_location(collector);
	collector->location = PH_NONE;
}
