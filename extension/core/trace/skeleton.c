/*
 * skeleton.c - collecting ends and their calls.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/skeleton.h"

#include <string.h>

#include "base/min_max.h"
#include "trace/internal.h"
#include "trace/skeleton_internal.h"

/* Of all locations: the call that posted a receive, the end of a send that is not completed. */
typedef struct PhSkeletonRequests
{
	PhRequests receives, sends;
} PhSkeletonRequests;

static PhStatus
new_requests(PhEnv *env, PhSkeletonRequests **out)
{
	void *memory;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhSkeletonRequests), &memory));
	*out = memory;
	ph_requests_init(&(*out)->receives, env);
	ph_requests_init(&(*out)->sends, env);
	return PH_OK;
}

void
ph_skeleton_free_requests(PhSkeleton *skeleton)
{
	if (skeleton->requests == NULL)
		return;
	ph_requests_free(&skeleton->requests->receives);
	ph_requests_free(&skeleton->requests->sends);
	ph_env_free(skeleton->env, skeleton->requests, 1, sizeof(PhSkeletonRequests));
	skeleton->requests = NULL;
}

const char *
ph_run_part_name(PhRunPart part)
{
	static const char *const names[PH_RUN_PARTS] = {"start-up", "main", "shut-down"};
	return names[part];
}

PhStatus
ph_skeleton_new(PhEnv *env, const PhTraceModel *model, PhSkeleton **out)
{
	void *memory;
	uint32_t any;
	if (model->n_regions > PH_COMM_NONE)
		return ph_fail(env, PH_ERR_LIMIT, "a trace of more than %u functions", PH_COMM_NONE);
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhSkeleton), &memory));
	PhSkeleton *skeleton = memory;
	skeleton->env = env;
	skeleton->model = model;
	PhStatus status = ph_env_alloc(env, model->n_locations, sizeof(PhCommLocation), &memory);
	if (status == PH_OK)
	{
		skeleton->locations = memory;
		skeleton->n_locations = model->n_locations;
		status = ph_collectives_new(env, model, &skeleton->collecting);
	}
	if (status == PH_OK)
		status = new_requests(env, &skeleton->requests);
	if (status == PH_OK)
		status = ph_mpi_calls(env, model, &skeleton->mpi, &any);
	if (status == PH_OK && ph_trace_has_threads(model))
		status = ph_thread_regions(env, model, &skeleton->thread_regions);
	if (status == PH_OK)
		status = ph_io_regions(env, model, &skeleton->io_regions);
	skeleton->adding = PH_NONE;
	skeleton->has_windows = ph_trace_has_windows(model);
	skeleton->keeps = skeleton->has_windows ? PH_KEEP_ENVELOPES : 0;
	if (status != PH_OK)
	{
		ph_skeleton_free(skeleton);
		return status;
	}
	for (uint32_t i = 0; i < skeleton->n_locations; i++)
	{
		PhCommLocation *location = &skeleton->locations[i];
		location->first_time = location->last_time = PH_NO_TIME;
		location->main_from = location->main_to = PH_NO_TIME;
		location->threads.last_time = PH_NO_TIME;
	}
	*out = skeleton;
	return PH_OK;
}

void
ph_skeleton_free_links(PhEnv *env, PhCommLocation *location)
{
	ph_env_free(env, location->send_seqs, location->receive_room, sizeof(uint64_t));
	location->send_seqs = NULL;
	location->receive_room = 0;
	PH_VECTOR_FREE(env, &location->open);
}

void
ph_skeleton_keep_times(PhSkeleton *skeleton)
{
	PhEnv *env = skeleton->env;
	for (uint32_t i = 0; i < skeleton->n_locations; i++)
	{
		PhCommLocation *location = &skeleton->locations[i];
		ph_env_free(env, location->ends, location->end_room, sizeof(PhCommEnd));
		ph_env_free(env, location->envelopes, location->envelope_room, sizeof(PhCommEnvelope));
		ph_env_free(env, location->calls, location->call_room, sizeof(PhCommCall));
		ph_env_free(env, location->others, location->n_ends, sizeof(PhOtherTimes));
		ph_env_free(env, location->holds, location->n_calls, sizeof(uint8_t));
		location->ends = NULL;
		location->envelopes = NULL;
		location->calls = NULL;
		location->others = NULL;
		location->holds = NULL;
		location->n_ends = location->n_calls = 0;
	}
}

void
ph_skeleton_free(PhSkeleton *skeleton)
{
	if (skeleton == NULL)
		return;
	PhEnv *env = skeleton->env;
	ph_skeleton_keep_times(skeleton);
	for (uint32_t i = 0; i < skeleton->n_locations; i++)
	{
		PhCommLocation *location = &skeleton->locations[i];
		ph_skeleton_free_links(env, location);
		PH_VECTOR_FREE(env, &location->threads.marks);
		PH_VECTOR_FREE(env, &location->locks);
		PH_VECTOR_FREE(env, &location->io);
	}
	ph_env_free(env, skeleton->locations, skeleton->n_locations, sizeof(PhCommLocation));
	ph_collectives_free(skeleton->collecting);
	ph_skeleton_free_requests(skeleton);
	ph_env_free(env, skeleton->mpi, skeleton->model->n_regions, sizeof(PhMpiCall));
	ph_env_free(env, skeleton->thread_regions, skeleton->model->n_regions, sizeof(uint8_t));
	ph_env_free(env, skeleton->io_regions, skeleton->model->n_regions, sizeof(bool));
	PH_VECTOR_FREE(env, &skeleton->open_calls);
	ph_env_free(env, skeleton, 1, sizeof(PhSkeleton));
}

/* ---- adding ---- */

/* The call's index among those that communicate; a new one goes inside the innermost of them. */
static PhStatus
find_call(PhSkeleton *skeleton, PhCommLocation *location, const PhOpenCall *call, uint32_t *index)
{
	*index = PH_NONE;
	if (call == NULL)
		return PH_OK;
	if (location->open.count > 0)
		*index = location->open.items[location->open.count - 1];
	if (*index != PH_NONE && location->calls[*index].seq == call->seq)
		return PH_OK;
	PH_TRY(PH_GROW(skeleton->env, &location->calls, location->n_calls, &location->call_room));
	PH_TRY(ph_indices_add(skeleton->env, &location->open, location->n_calls));
	*index = location->n_calls++;
	location->calls[*index] =
		(PhCommCall){.enter = call->enter,
					 .leave = PH_NO_TIME,
					 .seq = call->seq & (PH_COMM_MOST_EVENTS - 1),
					 .region = PH_MIN(call->region, PH_COMM_NONE) & PH_COMM_NONE};
	return PH_OK;
}

static void
close_call(PhCommLocation *location, int64_t time, const PhOpenCall *call)
{
	if (call == NULL || location->open.count == 0)
		return;
	PhCommCall *innermost = &location->calls[location->open.items[location->open.count - 1]];
	if (innermost->seq != call->seq)
		return;
	innermost->leave = time;
	location->open.count--;
}

static PhStatus
add_envelope(PhSkeleton *skeleton, PhCommLocation *location, const PhEvent *event)
{
	PH_TRY(
		PH_GROW(skeleton->env, &location->envelopes, location->n_ends, &location->envelope_room));
	location->envelopes[location->n_ends] = (PhCommEnvelope){
		.bytes = event->bytes, .peer = event->peer, .comm = event->comm, .tag = event->tag};
	return PH_OK;
}

static PhStatus
add_end(PhSkeleton *skeleton, PhCommLocation *location, uint64_t seq, const PhEvent *event,
		const PhOpenCall *call, PhCommEnd **out)
{
	uint32_t index;
	PH_TRY(find_call(skeleton, location, call, &index));
	if ((skeleton->keeps & PH_KEEP_ENVELOPES) != 0)
		PH_TRY(add_envelope(skeleton, location, event));
	PH_TRY(PH_GROW(skeleton->env, &location->ends, location->n_ends, &location->end_room));
	*out = &location->ends[location->n_ends++];
	**out = (PhCommEnd){.time = event->time,
						.seq = seq & (PH_COMM_MOST_EVENTS - 1),
						.size = ph_trace_bits(event->bytes) & 0x7f,
						.kind = (uint8_t) event->kind,
						.call = index,
						.partner_location = PH_NONE,
						.partner = PH_NONE,
						.other_call = PH_NONE};
	return PH_OK;
}

static PhStatus
add_send(PhSkeleton *skeleton, uint32_t location, uint64_t seq, const PhEvent *event,
		 const PhOpenCall *call)
{
	PhCommLocation *place = &skeleton->locations[location];
	PhCommEnd *end;
	PH_TRY(add_end(skeleton, place, seq, event, call, &end));
	if (event->kind != PH_EVENT_ISEND)
		return PH_OK;
	return ph_requests_post(&skeleton->requests->sends, location, event->request,
							place->n_ends - 1);
}

/* An ISEND is completed: whoever waits for its receiver does so here. */
static PhStatus
complete_send(PhSkeleton *skeleton, uint32_t location, uint64_t request, const PhOpenCall *call)
{
	PhCommLocation *place = &skeleton->locations[location];
	uint32_t end = ph_requests_take(&skeleton->requests->sends, location, request);
	return end == PH_NONE ? PH_OK : find_call(skeleton, place, call, &place->ends[end].other_call);
}

static PhStatus
post_receive(PhSkeleton *skeleton, uint32_t location, uint64_t request, const PhOpenCall *call)
{
	uint32_t index;
	PH_TRY(find_call(skeleton, &skeleton->locations[location], call, &index));
	return index == PH_NONE
			   ? PH_OK
			   : ph_requests_post(&skeleton->requests->receives, location, request, index);
}

static void
cancel_request(PhSkeleton *skeleton, uint32_t location, uint64_t request)
{
	if (ph_requests_take(&skeleton->requests->receives, location, request) == PH_NONE)
		ph_requests_take(&skeleton->requests->sends, location, request);
}

static PhStatus
add_receive(PhSkeleton *skeleton, uint32_t location, uint64_t seq, const PhEvent *event,
			const PhOpenCall *call, const PhLink *link)
{
	PhCommLocation *place = &skeleton->locations[location];
	PhCommEnd *end;
	PH_TRY(PH_GROW(skeleton->env, &place->send_seqs, place->n_receives, &place->receive_room));
	place->send_seqs[place->n_receives++] = link == NULL ? 0 : link->seq;
	PH_TRY(add_end(skeleton, place, seq, event, call, &end));
	end->partner_location = link == NULL ? PH_NONE : link->location;
	if (event->kind == PH_EVENT_IRECV)
		end->other_call = ph_requests_take(&skeleton->requests->receives, location, event->request);
	return PH_OK;
}

static PhStatus
add_collective(PhSkeleton *skeleton, uint32_t location, uint64_t seq, const PhEvent *event,
			   const PhOpenCall *call)
{
	uint32_t member;
	PhCommEnd *end;
	PH_TRY(ph_collectives_take(skeleton->collecting, location, seq, event, &member));
	if (member == PH_NONE)
		return PH_OK;
	bool is_call =
		event->kind == PH_EVENT_LEAVE; /* which shows a collective that is not recorded */
	if (!is_call && !ph_collective_is_application(event->operation))
		return PH_OK;
	PH_TRY(add_end(skeleton, &skeleton->locations[location], seq, event, call, &end));
	end->partner = member;
	ph_collectives_tell_call(skeleton->collecting, member, end->call);
	if (is_call)
		end->kind = PH_EVENT_COLLECTIVE_END;
	return PH_OK;
}

/* Completing is two ends: it may wait for the post, and it signals. */
static PhStatus
add_with(PhSkeleton *skeleton, uint32_t location, uint64_t seq, const PhEvent *record,
		 const PhOpenCall *call, PhEpochCall epoch, uint32_t peer)
{
	for (uint32_t kind = PH_COMM_SIGNAL; kind <= PH_COMM_SIGNALLED; kind++)
	{
		bool is_one = kind == PH_COMM_SIGNAL ? epoch == PH_EPOCH_POST || epoch == PH_EPOCH_COMPLETE
											 : epoch != PH_EPOCH_POST;
		PhEvent event = *record;
		PhCommEnd *end;
		if (!is_one)
			continue;
		event.peer = peer;
		event.bytes = 0;
		PH_TRY(add_end(skeleton, &skeleton->locations[location], seq, &event, call, &end));
		end->kind = (uint8_t) kind;
		end->size = (unsigned) epoch & 0x7f;
	}
	skeleton->windows.epochs++;
	return PH_OK;
}

static PhStatus
add_epoch(PhSkeleton *skeleton, uint32_t location, uint64_t seq, const PhEvent *record,
		  const PhOpenCall *call)
{
	const PhTraceCommunicator *group = ph_window_group(skeleton->model, record);
	PhMpiCall mpi = {0, 0};
	if (call != NULL && call->region < skeleton->model->n_regions)
		mpi = skeleton->mpi[call->region];
	if (group == NULL || (mpi.does & PH_MPI_WINDOW) == 0)
	{
		skeleton->windows.epochs++;
		skeleton->windows.lonely++;
		return PH_OK;
	}
	for (uint32_t i = 0; i < group->n_members; i++)
	{
		PH_TRY(ph_env_poll(skeleton->env));
		PH_TRY(add_with(skeleton, location, seq, record, call, (PhEpochCall) mpi.operation,
						group->members[i]));
	}
	return PH_OK;
}

static PhStatus
add_other_record(PhSkeleton *skeleton, uint32_t location, uint64_t seq, const PhEvent *record,
				 const PhOpenCall *call)
{
	PhWindowLocks *locks = &skeleton->locations[location].locks;
	PhWindowLock lock;
	if (record->operation >= PH_RECORD_RMA_PUT && record->operation <= PH_RECORD_RMA_ATOMIC)
		skeleton->windows.operations++;
	if (record->operation == PH_RECORD_RMA_GROUP_SYNC)
		return add_epoch(skeleton, location, seq, record, call);
	if (!ph_window_lock(record, seq, call, &lock))
		return PH_OK;
	skeleton->windows.locks += lock.is_acquired;
	PH_TRY(PH_ROOM(skeleton->env, locks));
	locks->items[locks->count++] = lock;
	return PH_OK;
}

static PhStatus
add_window_record(PhSkeleton *skeleton, uint32_t location, uint64_t seq, const PhEvent *record,
				  const PhOpenCall *call)
{
	PhEvent event;
	PhMpiCall mpi = {0, 0};
	if (call != NULL && call->region < skeleton->model->n_regions)
		mpi = skeleton->mpi[call->region];
	if (ph_window_collective(skeleton->model, mpi, record, &event))
	{
		event.region = call == NULL ? PH_NONE : call->region;
		return add_collective(skeleton, location, seq, &event, call);
	}
	return add_other_record(skeleton, location, seq, record, call);
}

static void
note_main_part(const PhSkeleton *skeleton, PhCommLocation *place, const PhEvent *event)
{
	uint32_t does =
		event->region < skeleton->model->n_regions ? skeleton->mpi[event->region].does : 0;
	if (event->kind == PH_EVENT_LEAVE && (does & PH_MPI_STARTS) != 0 &&
		place->main_from == PH_NO_TIME)
		place->main_from = event->time;
	if (event->kind == PH_EVENT_ENTER && (does & PH_MPI_ENDS) != 0 && place->main_to == PH_NO_TIME)
		place->main_to = event->time;
}

static PhStatus
add_event(PhSkeleton *skeleton, uint32_t location, uint64_t seq, const PhEvent *event,
		  const PhOpenCall *call, const PhLink *link)
{
	PhCommLocation *place = &skeleton->locations[location];
	if (place->first_time == PH_NO_TIME)
		place->first_time = event->time;
	place->last_time = event->time;
	if (event->kind <= PH_EVENT_LEAVE)
		note_main_part(skeleton, place, event);
	switch (event->kind)
	{
		case PH_EVENT_LEAVE:
			PH_TRY(add_collective(skeleton, location, seq, event, call));
			close_call(place, event->time, call);
			return PH_OK;
		case PH_EVENT_SEND:
		case PH_EVENT_ISEND:
			return add_send(skeleton, location, seq, event, call);
		case PH_EVENT_ISEND_COMPLETE:
			return complete_send(skeleton, location, event->request, call);
		case PH_EVENT_IRECV_REQUEST:
			return post_receive(skeleton, location, event->request, call);
		case PH_EVENT_REQUEST_CANCELLED:
			cancel_request(skeleton, location, event->request);
			return PH_OK;
		case PH_EVENT_RECV:
		case PH_EVENT_IRECV:
			return add_receive(skeleton, location, seq, event, call, link);
		case PH_EVENT_ENTER:
		case PH_EVENT_COLLECTIVE_BEGIN:
		case PH_EVENT_COLLECTIVE_END:
		case PH_EVENT_NB_COLLECTIVE_REQUEST:
		case PH_EVENT_NB_COLLECTIVE_COMPLETE:
			return add_collective(skeleton, location, seq, event, call);
		case PH_EVENT_RMA:
			return add_window_record(skeleton, location, seq, event, call);
		default:
			return PH_OK;
	}
}

static PhStatus
resize(PhEnv *env, void **items, uint32_t *room, uint32_t n, size_t size)
{
	PH_TRY(ph_env_resize(env, items, *room, n, size));
	*room = n;
	return PH_OK;
}

PhStatus
ph_skeleton_fit(PhSkeleton *skeleton, PhCommLocation *location)
{
	PhEnv *env = skeleton->env;
	if (location->is_fitted)
		return PH_OK;
	location->is_fitted = true;
	PH_TRY(resize(env, (void **) &location->ends, &location->end_room, location->n_ends,
				  sizeof(PhCommEnd)));
	if ((skeleton->keeps & PH_KEEP_ENVELOPES) != 0)
		PH_TRY(resize(env, (void **) &location->envelopes, &location->envelope_room,
					  location->n_ends, sizeof(PhCommEnvelope)));
	return resize(env, (void **) &location->calls, &location->call_room, location->n_calls,
				  sizeof(PhCommCall));
}

/*
 * Locations are mostly as long as the one before: there is so much room for the next one from its
 * first event on, as growing moves what is there, and the one before keeps what it needs.
 */
static PhStatus
begin_location(PhSkeleton *skeleton, uint32_t at)
{
	PhCommLocation *location = &skeleton->locations[at];
	if (skeleton->adding != PH_NONE)
	{
		PhCommLocation *before = &skeleton->locations[skeleton->adding];
		PH_TRY(ph_skeleton_fit(skeleton, before));
		if (before->n_ends > 0)
		{
			skeleton->usual_ends = before->n_ends;
			skeleton->usual_calls = before->n_calls;
		}
	}
	skeleton->adding = at;
	if (location->end_room > 0 || location->call_room > 0)
		return PH_OK;
	PH_TRY(resize(skeleton->env, (void **) &location->ends, &location->end_room,
				  skeleton->usual_ends, sizeof(PhCommEnd)));
	if ((skeleton->keeps & PH_KEEP_ENVELOPES) != 0)
		PH_TRY(resize(skeleton->env, (void **) &location->envelopes, &location->envelope_room,
					  skeleton->usual_ends, sizeof(PhCommEnvelope)));
	return resize(skeleton->env, (void **) &location->calls, &location->call_room,
				  skeleton->usual_calls, sizeof(PhCommCall));
}

/* end: ordinals of what is added are below. */
static PhStatus
check_adding(PhSkeleton *skeleton, uint32_t location, uint64_t end)
{
	if (skeleton->finished)
		return ph_fail(skeleton->env, PH_ERR_VALUE, "events are added to a finished skeleton");
	if (end > PH_COMM_MOST_EVENTS)
		return ph_fail(skeleton->env, PH_ERR_LIMIT, "location %u has more than %llu events",
					   location, (unsigned long long) PH_COMM_MOST_EVENTS);
	return ph_trace_check_location(skeleton->env, skeleton->model, location);
}

/* kind: ENTER or LEAVE of this call. */
static inline PhStatus
note_io(PhSkeleton *skeleton, PhCommLocation *place, uint32_t kind, int64_t time,
		const PhOpenCall *call)
{
	if (skeleton->io_regions == NULL || call->region >= skeleton->model->n_regions ||
		!skeleton->io_regions[call->region])
		return PH_OK;
	return ph_io_calls_add(skeleton->env, &place->io, kind == PH_EVENT_ENTER, time, call);
}

PhStatus
ph_skeleton_add_event(PhSkeleton *skeleton, uint32_t location, uint64_t seq, const PhEvent *event,
					  const PhOpenCall *call, const PhLink *link)
{
	PH_TRY(check_adding(skeleton, location, seq < UINT64_MAX ? seq + 1 : seq));
	if (location != skeleton->adding)
		PH_TRY(begin_location(skeleton, location));
	if (skeleton->thread_regions != NULL)
		PH_TRY(ph_thread_marks_add(skeleton->env, &skeleton->locations[location].threads,
								   skeleton->thread_regions, skeleton->model->n_regions, seq, event,
								   call));
	if (event->kind <= PH_EVENT_LEAVE && call != NULL)
		PH_TRY(note_io(skeleton, &skeleton->locations[location], event->kind, event->time, call));
	return add_event(skeleton, location, seq, event, call, link);
}

/* A chunk on its way into the skeleton. */
typedef struct ChunkWalk
{
	PhSkeleton *skeleton;
	const PhChunk *chunk;
	const uint8_t *kinds;
	const int64_t *times;
	const uint32_t *regions; /* of the next ENTER on */
	PhMessageCursor messages;
	const PhOperandArrays *extras; /* NULL: there are neither threads nor windows */
	uint32_t next_extra, next_value, next_window, next_bytes;
	PhOpenCall *calls; /* open ones */
	uint32_t depth;
	bool in_collective;	 /* a call of a collective function is open */
	const PhLink *links; /* NULL: come later */
	uint32_t n_links, next_link;
} ChunkWalk;

static const PhOpenCall *
innermost(const ChunkWalk *walk)
{
	return walk->depth == 0 ? NULL : &walk->calls[walk->depth - 1];
}

/* Is more to be done for calls of the region than to know which are open? */
static bool
is_watched(const PhSkeleton *skeleton, uint32_t region)
{
	return region < skeleton->model->n_regions &&
		   (skeleton->mpi[region].does & (PH_MPI_COLLECTIVE | PH_MPI_STARTS | PH_MPI_ENDS)) != 0;
}

/* Of a LEAVE, or a record beside calls, whose operands are set. */
static PhStatus
mark_thread(ChunkWalk *walk, uint32_t index, const PhEvent *event, const PhOpenCall *call)
{
	PhSkeleton *skeleton = walk->skeleton;
	return ph_thread_marks_add(skeleton->env, &skeleton->locations[walk->chunk->location].threads,
							   skeleton->thread_regions, skeleton->model->n_regions,
							   walk->chunk->first_seq + index, event, call);
}

static PhStatus
walk_extra(ChunkWalk *walk, uint32_t index)
{
	const PhOperandArrays *extras = walk->extras;
	uint32_t extra = walk->next_extra++, n = extras->n_values[extra];
	PhEvent event = {.time = walk->times[index],
					 .kind = walk->kinds[index],
					 .operation = extras->operation[extra],
					 .values = n == 0 ? NULL : extras->values + walk->next_value,
					 .n_values = n};
	walk->next_value += n;
	if (event.kind == PH_EVENT_THREAD && walk->skeleton->thread_regions != NULL)
		return mark_thread(walk, index, &event, innermost(walk));
	if ((ph_event_operands(event.kind) & PH_OPERAND_BYTES) != 0)
		event.bytes = extras->bytes[walk->next_bytes++];
	if (event.kind != PH_EVENT_RMA)
		return PH_OK;
	event.peer = extras->peer[walk->next_window];
	event.comm = extras->comm[walk->next_window++];
	return add_event(walk->skeleton, walk->chunk->location, walk->chunk->first_seq + index, &event,
					 innermost(walk), NULL);
}

static PhStatus
add_call_event(ChunkWalk *walk, uint32_t index, uint32_t region, const PhOpenCall *call)
{
	PhEvent event = {.time = walk->times[index], .kind = walk->kinds[index], .region = region};
	PH_TRY(add_event(walk->skeleton, walk->chunk->location, walk->chunk->first_seq + index, &event,
					 call, NULL));
	walk->in_collective = ph_collectives_in_call(walk->skeleton->collecting, walk->chunk->location);
	return PH_OK;
}

/* Most ENTERs and LEAVEs are of calls that have nothing to do with communication. */
static PhStatus
walk_call(ChunkWalk *walk, uint32_t index, PhCommLocation *place)
{
	bool is_enter = walk->kinds[index] == PH_EVENT_ENTER;
	if (is_enter)
	{
		walk->calls[walk->depth] =
			(PhOpenCall){*walk->regions++, walk->times[index], walk->chunk->first_seq + index, 0};
		walk->depth++;
	}
	const PhOpenCall *call = &walk->calls[walk->depth - 1];
	walk->depth -= !is_enter;
	if (walk->extras != NULL && !is_enter && walk->skeleton->thread_regions != NULL)
	{
		PhEvent event = {
			.time = walk->times[index], .kind = PH_EVENT_LEAVE, .region = call->region};
		PH_TRY(mark_thread(walk, index, &event, call));
	}
	PH_TRY(note_io(walk->skeleton, place, walk->kinds[index], walk->times[index], call));
	if (walk->in_collective || is_watched(walk->skeleton, call->region))
		return add_call_event(walk, index, call->region, call);
	if (!is_enter)
		close_call(place, walk->times[index], call);
	return PH_OK;
}

static PhStatus
walk_message(ChunkWalk *walk, uint32_t index)
{
	const PhLink *link = NULL;
	const PhOpenCall *call = innermost(walk);
	uint32_t location = walk->chunk->location;
	PhEvent event;
	PH_TRY(ph_env_poll_at(walk->skeleton->env, index));
	if (walk->kinds[index] == PH_EVENT_ISEND_COMPLETE)
		return complete_send(walk->skeleton, location, ph_message_request(&walk->messages), call);
	if (walk->kinds[index] == PH_EVENT_IRECV_REQUEST)
		return post_receive(walk->skeleton, location, ph_message_request(&walk->messages), call);
	ph_message_at(&walk->messages, index, &event);
	event.region = call == NULL ? PH_NONE : call->region;
	if (walk->links != NULL && ph_is_receive(event.kind))
	{
		if (walk->next_link == walk->n_links)
			return ph_trace_bad_links(walk->skeleton->env, walk->chunk, walk->n_links);
		link = &walk->links[walk->next_link++];
	}
	uint64_t seq = walk->chunk->first_seq + index;
	if (ph_is_send(event.kind))
		return add_send(walk->skeleton, location, seq, &event, call);
	if (ph_is_receive(event.kind))
		return add_receive(walk->skeleton, location, seq, &event, call, link);
	return add_event(walk->skeleton, location, seq, &event, call, NULL);
}

static PhStatus
walk_events(ChunkWalk *walk)
{
	PhCommLocation *place = &walk->skeleton->locations[walk->chunk->location];
	uint32_t n = walk->chunk->n_events;
	if (n > 0 && place->first_time == PH_NO_TIME)
		place->first_time = walk->times[0];
	for (uint32_t i = 0; i < n; i++)
	{
		if (walk->kinds[i] <= PH_EVENT_LEAVE)
			PH_TRY(walk_call(walk, i, place));
		else if (walk->kinds[i] <= PH_EVENT_NB_COLLECTIVE_COMPLETE)
			PH_TRY(walk_message(walk, i));
		else if (walk->extras != NULL)
			PH_TRY(walk_extra(walk, i));
	}
	if (n > 0)
		place->last_time = walk->times[n - 1];
	return walk->links == NULL || walk->next_link == walk->n_links
			   ? PH_OK
			   : ph_trace_bad_links(walk->skeleton->env, walk->chunk, walk->n_links);
}

PhStatus
ph_skeleton_add_chunk(PhSkeleton *skeleton, const PhChunk *chunk, const PhChunkReader *reader,
					  const PhLink *links, uint32_t n_links)
{
	ChunkWalk walk = {.skeleton = skeleton,
					  .chunk = chunk,
					  .kinds = ph_chunk_kinds(reader),
					  .times = ph_chunk_times(reader),
					  .regions = ph_chunk_enter_regions(reader),
					  .messages = ph_message_cursor(reader),
					  .links = links,
					  .n_links = n_links};
	const PhOpenCall *stack = ph_chunk_stack(reader, &walk.depth);
	uint64_t end = chunk->first_seq;
	if (__builtin_add_overflow(end, chunk->n_events, &end))
		end = UINT64_MAX;
	PH_TRY(check_adding(skeleton, chunk->location, end));
	if (chunk->location != skeleton->adding)
		PH_TRY(begin_location(skeleton, chunk->location));
	PH_TRY(PH_RESERVE(skeleton->env, &skeleton->open_calls, (size_t) walk.depth + chunk->n_enter));
	walk.calls = skeleton->open_calls.items;
	if (skeleton->thread_regions != NULL || skeleton->has_windows)
		walk.extras = ph_chunk_extras(reader);
	walk.in_collective = ph_collectives_in_call(skeleton->collecting, chunk->location);
	for (uint32_t i = 0; i < walk.depth; i++)
		walk.calls[i] = stack[i];
	return walk_events(&walk);
}

static void
call_times(const PhCommLocation *location, const PhCommEnd *end, int64_t *entered, int64_t *left)
{
	*entered = *left = end->time;
	if (end->call == PH_NONE)
		return;
	*entered = location->calls[end->call].enter;
	*left = location->calls[end->call].leave;
}

void
ph_skeleton_join_ends(PhSkeleton *skeleton, uint32_t from, uint32_t sent, uint32_t to,
					  uint32_t received)
{
	PhCommLocation *sender = &skeleton->locations[from], *receiver = &skeleton->locations[to];
	PhCommEnd *send = &sender->ends[sent], *receive = &receiver->ends[received];
	int64_t send_entered, send_left, entered, left;
	call_times(sender, send, &send_entered, &send_left);
	call_times(receiver, receive, &entered, &left);
	receive->partner_location = from;
	receive->partner = sent;
	send->partner_location = to;
	send->partner = received;
	send->met = receive->met = entered <= send_left && send_entered <= left;
	if (sender->others == NULL)
		return;
	int64_t parted = PH_MIN(send_left, left);
	sender->others[sent].parted = ph_near_time(send->time, parted);
	receiver->others[received].parted = ph_near_time(receive->time, parted);
}

uint32_t
ph_skeleton_wants(const PhSkeleton *skeleton)
{
	bool wants_records = skeleton->thread_regions != NULL || skeleton->has_windows;
	return PH_WANT_CALLS | PH_WANT_MESSAGES | (wants_records ? PH_WANT_EXTRA : 0);
}

bool
ph_skeleton_communicates(const PhSkeleton *skeleton)
{
	for (uint32_t i = 0; i < skeleton->n_locations; i++)
		if (skeleton->locations[i].n_ends > 0 || skeleton->locations[i].threads.marks.count > 0 ||
			skeleton->locations[i].locks.count > 0 || skeleton->locations[i].io.count > 0)
			return true;
	return false;
}

static void
move_location(PhCommLocation *to, PhCommLocation *from, uint32_t first_member)
{
	*to = *from;
	*from = (PhCommLocation){.first_time = PH_NO_TIME, .threads.last_time = PH_NO_TIME};
	for (uint32_t i = 0; i < to->n_ends; i++)
	{
		PhCommEnd *end = &to->ends[i];
		if (!ph_is_send(end->kind) && !ph_is_receive(end->kind))
			end->partner += first_member;
	}
}

PhStatus
ph_skeleton_merge(PhSkeleton *skeleton, PhSkeleton *other)
{
	uint32_t first_member;
	PH_TRY(ph_collectives_merge(skeleton->collecting, other->collecting, &first_member));
	skeleton->windows.operations += other->windows.operations;
	skeleton->windows.locks += other->windows.locks;
	skeleton->windows.epochs += other->windows.epochs;
	skeleton->windows.lonely += other->windows.lonely;
	for (uint32_t i = 0; i < other->n_locations; i++)
	{
		PH_TRY(ph_env_poll(skeleton->env));
		if (other->locations[i].first_time != PH_NO_TIME)
			move_location(&skeleton->locations[i], &other->locations[i], first_member);
	}
	return PH_OK;
}

PhStatus
ph_skeleton_link(PhSkeleton *skeleton, uint32_t location, const PhLink *links, uint64_t count)
{
	uint32_t next = 0;
	PH_TRY(check_adding(skeleton, location, 0));
	PhCommLocation *place = &skeleton->locations[location];
	if (count != place->n_receives)
		return ph_fail(skeleton->env, PH_ERR_VALUE, "location %u has %u receives, but %llu links",
					   location, place->n_receives, (unsigned long long) count);
	for (uint32_t i = 0; i < place->n_ends; i++)
	{
		PH_TRY(ph_env_poll_at(skeleton->env, i));
		if (!ph_is_message_receive(&place->ends[i]))
			continue;
		place->ends[i].partner_location = links[next].location;
		place->send_seqs[next] = links[next].seq;
		next++;
	}
	return PH_OK;
}
