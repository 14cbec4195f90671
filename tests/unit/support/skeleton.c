/*
 * skeleton.c - see skeleton.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/skeleton.h"

#include <string.h>

typedef struct Building
{
	const CommTrace *trace;
	PhSkeleton *skeleton;
	bool links_later;
} Building;

static PhStatus
visit_event(void *user, uint32_t location, uint64_t seq, const PhEvent *event,
			const PhOpenCall *call)
{
	Building *building = user;
	const PhLink *link = building->links_later ? NULL : &building->trace->truth[location][seq];
	return ph_skeleton_add_event(building->skeleton, location, seq, event, call, link);
}

/* The links of the receives among a location's events. */
static uint32_t
collect_links(const CommTrace *trace, uint32_t location, uint64_t from, uint32_t n, PhLink *links)
{
	uint32_t n_links = 0;
	for (uint64_t i = from; i < from + n; i++)
		if (ph_is_receive(trace->events[location][i].kind))
			links[n_links++] = trace->truth[location][i];
	return n_links;
}

static PhStatus
visit_chunk(void *user, const PhChunk *chunk, PhChunkReader *reader)
{
	PhLink links[COMM_EVENTS];
	Building *building = user;
	uint32_t n =
		collect_links(building->trace, chunk->location, chunk->first_seq, chunk->n_events, links);
	return ph_skeleton_add_chunk(building->skeleton, chunk, reader,
								 building->links_later ? NULL : links, n);
}

static PhStatus
build(PhEnv *env, Building *building, uint64_t seed)
{
	const CommTrace *trace = building->trace;
	uint32_t order[COMM_LOCATIONS];
	PhLink links[COMM_EVENTS];
	comm_shuffle(trace, seed, order);
	ph_skeleton_keep(building->skeleton, PH_KEEP_ENVELOPES | PH_KEEP_HOLDS);
	if (seed % 3 != 0)
		ph_skeleton_keep(building->skeleton, PH_KEEP_CAME);
	for (uint32_t i = 0; i < trace->model.n_locations; i++)
	{
		if (seed % 4 == 0)
			PH_TRY(comm_visit_chunks(env, trace, order[i], 1 + (uint32_t) (seed / 4) % 90,
									 visit_chunk, building));
		else
			PH_TRY(comm_visit(trace, order[i], visit_event, building));
		uint32_t n = collect_links(trace, order[i], 0, trace->n_events[order[i]], links);
		if (building->links_later)
			PH_TRY(ph_skeleton_link(building->skeleton, order[i], links, n));
	}
	return ph_skeleton_finish(building->skeleton);
}

PhStatus
skeleton_of(PhEnv *env, const CommTrace *trace, uint64_t seed, PhSkeleton **out)
{
	Building building = {trace, NULL, seed % 3 == 0};
	PH_TRY(ph_skeleton_new(env, &trace->model, &building.skeleton));
	PhStatus status = build(env, &building, seed);
	if (status != PH_OK)
		ph_skeleton_free(building.skeleton);
	else
		*out = building.skeleton;
	return status;
}

uint32_t
enclosing_call(const CommTrace *trace, uint32_t location, uint32_t seq)
{
	uint32_t depth = 0;
	for (uint32_t i = seq + 1; i-- > 0;)
	{
		PhEventKind kind = trace->events[location][i].kind;
		if (kind == PH_EVENT_LEAVE && i != seq)
			depth++;
		else if (kind == PH_EVENT_ENTER && depth-- == 0)
			return i;
	}
	return PH_NONE;
}

int64_t
call_leave(const CommTrace *trace, uint32_t location, uint32_t enter)
{
	uint32_t depth = 0, n = trace->n_events[location];
	for (uint32_t i = enter + 1; i < n; i++)
	{
		PhEventKind kind = trace->events[location][i].kind;
		if (kind == PH_EVENT_ENTER)
			depth++;
		else if (kind == PH_EVENT_LEAVE && depth-- == 0)
			return trace->events[location][i].time;
	}
	return trace->events[location][n - 1].time;
}

static uint32_t
rank_in(const PhTraceCommunicator *comm, uint32_t rank)
{
	for (uint32_t i = 0; i < comm->n_members; i++)
		if (comm->members[i] == rank)
			return i;
	return PH_NONE;
}

static bool
depends(const CommTrace *trace, const PhEvent *event, uint32_t rank, uint32_t other)
{
	const PhTraceCommunicator *comm = &trace->communicators[event->comm];
	switch (event->operation)
	{
		case PH_COLLECTIVE_BCAST:
		case PH_COLLECTIVE_SCATTER:
			return other == event->root && rank != other;
		case PH_COLLECTIVE_REDUCE:
		case PH_COLLECTIVE_GATHER:
			return rank == event->root && rank != other;
		case PH_COLLECTIVE_SCAN:
			return rank_in(comm, other) < rank_in(comm, rank);
		default:
			return rank != other;
	}
}

int64_t
collective_cause(const CommTrace *trace, uint32_t location, uint32_t seq, uint32_t *first_of_last)
{
	const PhEvent *event = &trace->events[location][seq];
	int64_t latest = PH_NO_TIME;
	*first_of_last = PH_NONE;
	for (uint32_t at = 0; at < trace->model.n_locations; at++)
		for (uint32_t i = 0; i < trace->n_events[at]; i++)
		{
			if (trace->instance[at][i] != trace->instance[location][seq] ||
				!depends(trace, event, (uint32_t) trace->locations[location].rank,
						 (uint32_t) trace->locations[at].rank))
				continue;
			if (*first_of_last != PH_NONE && trace->begin[at][i] <= latest)
				continue;
			latest = trace->begin[at][i];
			*first_of_last = at;
		}
	return latest;
}

bool
collective_depends(const CommTrace *trace, uint32_t location, uint32_t seq, uint32_t other)
{
	return depends(trace, &trace->events[location][seq], (uint32_t) trace->locations[location].rank,
				   (uint32_t) trace->locations[other].rank);
}

uint32_t
collective_begin(const CommTrace *trace, uint32_t location, uint32_t seq)
{
	const PhEvent *events = trace->events[location];
	bool blocking = events[seq].kind == PH_EVENT_COLLECTIVE_END;
	for (uint32_t i = seq; i-- > 0;)
		if (blocking ? events[i].kind == PH_EVENT_COLLECTIVE_BEGIN
					 : events[i].kind == PH_EVENT_NB_COLLECTIVE_REQUEST &&
						   events[i].request == events[seq].request)
			return i;
	return PH_NONE;
}

void
spoil_clocks(CommTrace *trace, uint64_t seed, uint32_t most)
{
	Random random = {seed * 3 + 1};
	for (uint32_t at = 0; at < trace->model.n_locations; at++)
	{
		int64_t offset = random_below(&random, most + 1), fast = 20 + random_below(&random, 100);
		for (uint32_t i = 0; i < trace->n_events[at] && most > 0; i++)
			trace->events[at][i].time += offset + trace->events[at][i].time / fast;
	}
	/* what the program knows of times */
	for (uint32_t at = 0; at < trace->model.n_locations; at++)
		for (uint32_t i = 0; i < trace->n_events[at]; i++)
		{
			PhLink *link = &trace->truth[at][i];
			if (link->location != PH_NONE)
				link->time = trace->events[link->location][link->seq].time;
			if (trace->instance[at][i] != PH_NONE)
				trace->begin[at][i] = trace->events[at][collective_begin(trace, at, i)].time;
		}
}

/* ---- calls ---- */

/* Does an event make its call one that communicates? */
static bool
communicates(const CommTrace *trace, uint32_t at, uint32_t seq)
{
	uint32_t kind = trace->events[at][seq].kind;
	return ph_is_send(kind) || ph_is_receive(kind) || kind == PH_EVENT_IRECV_REQUEST ||
		   kind == PH_EVENT_ISEND_COMPLETE || trace->instance[at][seq] != PH_NONE;
}

bool
is_innermost_call(const CommTrace *trace, uint32_t at, uint32_t call)
{
	int64_t leave = call_leave(trace, at, call);
	for (uint32_t i = call + 1; i < trace->n_events[at]; i++)
	{
		uint32_t inner = communicates(trace, at, i) ? enclosing_call(trace, at, i) : PH_NONE;
		if (inner != PH_NONE && inner > call && trace->events[at][inner].time < leave)
			return false;
	}
	return true;
}

int64_t
plain_enter(const CommTrace *trace, uint32_t at, uint32_t seq)
{
	uint32_t call = enclosing_call(trace, at, seq);
	if (call == PH_NONE || !is_innermost_call(trace, at, call))
		return trace->events[at][seq].time;
	return trace->events[at][call].time;
}

/*
 * The event that took a request that an event of this kind posted, or the other way round: the
 * oldest that is under way is taken.
 */
static uint32_t
find_request(const CommTrace *trace, uint32_t at, uint32_t seq, PhEventKind post, PhEventKind take)
{
	const PhEvent *events = trace->events[at];
	uint32_t posted[COMM_EVENTS], n_posted = 0, n_taken = 0;
	for (uint32_t i = 0; i < trace->n_events[at]; i++)
	{
		if (events[i].request != events[seq].request)
			continue;
		if (events[i].kind == post)
			posted[n_posted++] = i;
		if ((events[i].kind == take || events[i].kind == PH_EVENT_REQUEST_CANCELLED) &&
			n_taken < n_posted)
		{
			uint32_t taken = posted[n_taken++];
			if (taken == seq)
				return events[i].kind == take ? i : PH_NONE;
			if (i == seq)
				return taken;
		}
	}
	return PH_NONE;
}

uint32_t
request_partner(const CommTrace *trace, uint32_t at, uint32_t seq)
{
	switch (trace->events[at][seq].kind)
	{
		case PH_EVENT_ISEND:
		case PH_EVENT_ISEND_COMPLETE:
			return find_request(trace, at, seq, PH_EVENT_ISEND, PH_EVENT_ISEND_COMPLETE);
		case PH_EVENT_IRECV_REQUEST:
		case PH_EVENT_IRECV:
			return find_request(trace, at, seq, PH_EVENT_IRECV_REQUEST, PH_EVENT_IRECV);
		default:
			return PH_NONE;
	}
}

/* ---- rendezvous ---- */

static PhLink
receive_of(const CommTrace *trace, uint32_t location, uint32_t seq)
{
	for (uint32_t at = 0; at < trace->model.n_locations; at++)
		for (uint32_t i = 0; i < trace->n_events[at]; i++)
			if (trace->truth[at][i].location == location && trace->truth[at][i].seq == seq &&
				ph_is_receive(trace->events[at][i].kind))
				return (PhLink){at, i, trace->events[at][i].time};
	return (PhLink){PH_NONE, 0, 0};
}

static uint32_t
innermost(const CommTrace *trace, uint32_t at, uint32_t seq)
{
	uint32_t call = seq == PH_NONE ? PH_NONE : enclosing_call(trace, at, seq);
	return call != PH_NONE && is_innermost_call(trace, at, call) ? call : PH_NONE;
}

PlainReceiver
receiver_of(const CommTrace *trace, uint32_t at, uint32_t seq)
{
	uint32_t waits = seq;
	if (trace->events[at][seq].kind == PH_EVENT_ISEND)
		waits = request_partner(trace, at, seq);
	PlainReceiver found = {.call = PH_NONE, .receive = receive_of(trace, at, seq)};
	found.sending = waits == PH_NONE ? PH_NONE : enclosing_call(trace, at, waits);
	if (innermost(trace, at, waits) == PH_NONE || found.receive.location == PH_NONE)
		return found;
	uint32_t there = found.receive.location, posted = (uint32_t) found.receive.seq;
	if (trace->events[there][posted].kind == PH_EVENT_IRECV)
		posted = request_partner(trace, there, posted);
	found.call = innermost(trace, there, posted);
	found.came = found.call == PH_NONE ? 0 : trace->events[there][found.call].time;
	return found;
}

static unsigned
bits_of(uint64_t bytes)
{
	unsigned n = 0;
	while (n < 64 && bytes >> n != 0)
		n++;
	return n;
}

/* What is known of how long a call lasted. */
typedef struct PlainEvidence
{
	unsigned size;
	int64_t length, lateness; /* lateness <= 0: the receiver was there */
} PlainEvidence;

/* Whether a call waited for nothing but receivers of what it sent, the last of which is known. */
static bool
find_evidence(const CommTrace *trace, uint32_t at, uint32_t call, PlainEvidence *out)
{
	int64_t enter = trace->events[at][call].time, came = INT64_MIN, others = INT64_MIN;
	for (uint32_t i = 0; i < trace->n_events[at]; i++)
	{
		const PhEvent *event = &trace->events[at][i];
		if (ph_is_send(event->kind))
		{
			PlainReceiver receiver = receiver_of(trace, at, i);
			if (receiver.sending != call)
				continue;
			if (receiver.call == PH_NONE)
				return false;
			if (receiver.came <= came)
				continue;
			came = receiver.came;
			out->size = bits_of(event->bytes);
		}
		else if ((ph_is_receive(event->kind) || trace->instance[at][i] != PH_NONE) &&
				 enclosing_call(trace, at, i) == call)
		{
			PhLink sent = trace->truth[at][i];
			if (!ph_is_receive(event->kind) || sent.location == PH_NONE)
				return false;
			int64_t entered = plain_enter(trace, sent.location, (uint32_t) sent.seq);
			others = entered > others ? entered : others;
		}
	}
	if (came == INT64_MIN)
		return false;
	out->length = call_leave(trace, at, call) - enter;
	out->lateness = came - enter;
	return came <= enter ? others == INT64_MIN : came > others;
}

static bool
is_rendezvous(const PlainEvidence *evidence, uint32_t n, unsigned size)
{
	uint32_t on_time[65] = {0}, n_on_time = 0, n_before = 0, late = 0, lasted = 0;
	unsigned usual = 0, longest = 0, latest = 0;
	for (uint32_t i = 0; i < n; i++)
		if (evidence[i].size == size && evidence[i].lateness <= 0)
		{
			on_time[bits_of((uint64_t) evidence[i].length)]++;
			n_on_time++;
		}
	for (unsigned bits = 0; bits < 65; bits++)
	{
		if (on_time[bits] > 0 && n_before * 10 < n_on_time * 9)
			usual = bits + 1;
		longest = on_time[bits] > 0 ? bits + 1 : longest;
		n_before += on_time[bits];
	}
	for (uint32_t i = 0; i < n; i++)
	{
		unsigned bits = bits_of((uint64_t) evidence[i].lateness);
		if (evidence[i].size != size || evidence[i].lateness <= 0 || bits < usual)
			continue;
		late++;
		lasted += evidence[i].lateness < evidence[i].length;
		latest = bits + 1 > latest ? bits + 1 : latest;
	}
	return late > 0 && lasted * 10 >= late * 9 && (late > 1 || latest > longest);
}

void
rendezvous_classes(const CommTrace *trace, bool *classes)
{
	static PlainEvidence evidence[COMM_LOCATIONS * COMM_EVENTS];
	uint32_t n = 0;
	for (uint32_t at = 0; at < trace->model.n_locations; at++)
		for (uint32_t call = 0; call < trace->n_events[at]; call++)
			if (trace->events[at][call].kind == PH_EVENT_ENTER &&
				find_evidence(trace, at, call, &evidence[n]))
				n++;
	for (unsigned size = 0; size < 65; size++)
		classes[size] = is_rendezvous(evidence, n, size);
}

void
make_rendezvous(CommTrace *trace)
{
	for (uint32_t at = 0; at < trace->model.n_locations; at++)
		for (uint32_t i = 0; i < trace->n_events[at]; i++)
		{
			if (!ph_is_send(trace->events[at][i].kind))
				continue;
			PlainReceiver receiver = receiver_of(trace, at, i);
			if (receiver.call != PH_NONE &&
				receiver.came > trace->events[at][receiver.sending].time &&
				receiver.came < call_leave(trace, at, receiver.sending))
				trace->events[at][i].bytes = UINT64_C(1) << 40;
		}
}

void
make_synchronous(CommTrace *trace)
{
	static PhTraceRegion regions[COMM_REGIONS];
	for (uint32_t i = 0; i < COMM_REGIONS; i++)
		regions[i].name = i == COMM_SEND ? "MPI_Ssend" : "f";
	trace->model.regions = regions;
	trace->model.n_regions = COMM_REGIONS;
}

/* Is the function that sends MPI_Ssend? */
static bool
is_synchronous(const CommTrace *trace, uint32_t at, uint32_t seq)
{
	uint32_t call = enclosing_call(trace, at, seq);
	return trace->model.regions != NULL && call != PH_NONE &&
		   strcmp(trace->model.regions[trace->events[at][call].region].name, "MPI_Ssend") == 0;
}

bool
waited_for_receiver(const CommTrace *trace, const bool *classes, uint32_t location, uint32_t seq,
					PlainReceiver *receiver)
{
	if (!ph_is_send(trace->events[location][seq].kind) ||
		(!classes[bits_of(trace->events[location][seq].bytes)] &&
		 !is_synchronous(trace, location, seq)))
		return false;
	*receiver = receiver_of(trace, location, seq);
	return receiver->call != PH_NONE &&
		   receiver->came < call_leave(trace, location, receiver->sending);
}

/* ---- waits ---- */

/* When what ended a wait of a call at this event happened; INT64_MIN: nothing did. */
static int64_t
plain_release(const CommTrace *trace, const bool *classes, uint32_t at, uint32_t seq, uint32_t call,
			  uint32_t *awaited)
{
	const PhEvent *event = &trace->events[at][seq];
	const PhLink *send = &trace->truth[at][seq];
	PlainReceiver receiver;
	if (ph_is_send(event->kind))
	{
		if (!waited_for_receiver(trace, classes, at, seq, &receiver) || receiver.sending != call)
			return INT64_MIN;
		*awaited = receiver.receive.location;
		return receiver.came;
	}
	if (!communicates(trace, at, seq) || enclosing_call(trace, at, seq) != call)
		return INT64_MIN;
	if (trace->instance[at][seq] != PH_NONE)
	{
		int64_t until = collective_cause(trace, at, seq, awaited);
		return *awaited == PH_NONE ? INT64_MIN : until;
	}
	*awaited = send->location;
	return !ph_is_receive(event->kind) || send->location == PH_NONE
			   ? INT64_MIN
			   : plain_enter(trace, send->location, (uint32_t) send->seq);
}

PhWait
plain_wait(const CommTrace *trace, const bool *classes, uint32_t at, uint32_t call)
{
	int64_t leave = call_leave(trace, at, call);
	PhWait wait = {.from = trace->events[at][call].time, .release = INT64_MIN, .victim = at};
	wait.call = call;
	wait.to = wait.from;
	if (!is_innermost_call(trace, at, call))
		return wait;
	for (uint32_t i = 0; i < trace->n_events[at] && trace->events[at][i].time <= leave; i++)
	{
		uint32_t awaited;
		int64_t release = plain_release(trace, classes, at, i, call, &awaited);
		if (release <= wait.release)
			continue;
		wait.release = release;
		wait.awaited = awaited;
		wait.end = i;
		wait.kind = ph_is_send(trace->events[at][i].kind) ? PH_WAIT_LATE_RECEIVER
					: trace->instance[at][i] != PH_NONE	  ? PH_WAIT_N_TO_N
														  : PH_WAIT_LATE_SENDER;
		bool is_collective = trace->instance[at][i] != PH_NONE;
		wait.to =
			is_collective && trace->events[at][i].time < leave ? trace->events[at][i].time : leave;
		wait.to = release < wait.to ? release : wait.to;
	}
	return wait;
}
