/*
 * skeleton.c - see skeleton.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/skeleton.h"

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

int64_t
late_receive(const CommTrace *trace, uint32_t location, uint32_t seq, PhLink *receive)
{
	uint32_t sending = enclosing_call(trace, location, seq);
	if (trace->events[location][seq].kind != PH_EVENT_SEND || sending == PH_NONE)
		return PH_NO_TIME;
	*receive = receive_of(trace, location, seq);
	if (receive->location == PH_NONE ||
		trace->events[receive->location][receive->seq].kind != PH_EVENT_RECV)
		return PH_NO_TIME;
	uint32_t receiving = enclosing_call(trace, receive->location, (uint32_t) receive->seq);
	if (receiving == PH_NONE)
		return PH_NO_TIME;
	int64_t came = trace->events[receive->location][receiving].time;
	return came > trace->events[location][sending].time ? came : PH_NO_TIME;
}

static unsigned
bits_of(uint64_t bytes)
{
	unsigned n = 0;
	while (n < 64 && bytes >> n != 0)
		n++;
	return n;
}

static int64_t
left_sending(const CommTrace *trace, uint32_t location, uint32_t seq)
{
	return call_leave(trace, location, enclosing_call(trace, location, seq));
}

void
rendezvous_classes(const CommTrace *trace, bool *classes)
{
	uint32_t late[65] = {0}, lasted[65] = {0};
	for (uint32_t at = 0; at < trace->model.n_locations; at++)
		for (uint32_t i = 0; i < trace->n_events[at]; i++)
		{
			PhLink receive;
			int64_t came = late_receive(trace, at, i, &receive);
			if (came == PH_NO_TIME)
				continue;
			late[bits_of(trace->events[at][i].bytes)]++;
			lasted[bits_of(trace->events[at][i].bytes)] += came < left_sending(trace, at, i);
		}
	for (unsigned c = 0; c < 65; c++)
		classes[c] = late[c] > 0 && lasted[c] * 10 >= late[c] * 9;
}

void
make_rendezvous(CommTrace *trace)
{
	for (uint32_t at = 0; at < trace->model.n_locations; at++)
		for (uint32_t i = 0; i < trace->n_events[at]; i++)
		{
			PhLink receive;
			int64_t came = late_receive(trace, at, i, &receive);
			if (came != PH_NO_TIME && came < left_sending(trace, at, i))
				trace->events[at][i].bytes = UINT64_C(1) << 40;
		}
}

bool
waited_for_receiver(const CommTrace *trace, const bool *classes, uint32_t location, uint32_t seq,
					int64_t *until, PhLink *receive)
{
	*until = late_receive(trace, location, seq, receive);
	return *until != PH_NO_TIME && *until < left_sending(trace, location, seq) &&
		   classes[bits_of(trace->events[location][seq].bytes)];
}
