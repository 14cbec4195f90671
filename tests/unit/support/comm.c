/*
 * comm.c - see comm.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/comm.h"

#include <string.h>

#define MOST_SENDS 4000
#define MOST_PENDING 64

typedef struct Sent
{
	uint32_t from, to; /* locations */
	uint32_t comm;
	int32_t tag;
	uint64_t bytes, seq;
	int64_t time;
} Sent;

typedef struct Pending
{
	bool used, is_receive, is_collective;
	uint32_t from, comm;
	int32_t tag;
	uint64_t request, bytes;
	uint32_t ordinal;  /* receive: among those posted for its key */
	int64_t available; /* collective: when it can complete */
	int64_t begin;
	uint32_t operation, root, instance;
} Pending;

typedef struct Place
{
	int64_t clock;
	uint32_t stack[40], depth;
	Pending pending[MOST_PENDING];
	uint64_t next_request;
} Place;

typedef struct World
{
	Random random;
	CommTrace *trace;
	Place places[COMM_LOCATIONS];
	Sent sent[MOST_SENDS];
	uint32_t n_sent;
	uint32_t posted[COMM_LOCATIONS][COMM_LOCATIONS][4][16]; /* receives by (from, to, comm, tag) */
	uint32_t n_threads, n_ranks, coarse, n_tags;
	bool unique_requests, bare;
} World;

/* ---- records ---- */

static void
tick(World *world, Place *place)
{
	if (random_below(&world->random, 4) != 0)
		place->clock += random_below(&world->random, 50) * world->coarse;
}

static PhEvent *
record(World *world, uint32_t at, PhEventKind kind)
{
	CommTrace *trace = world->trace;
	Place *place = &world->places[at];
	uint32_t seq = trace->n_events[at];
	PhEvent *event = &trace->events[at][seq];
	trace->n_events[at]++;
	trace->truth[at][seq] = (PhLink){PH_NONE, 0, PH_NO_TIME};
	trace->instance[at][seq] = PH_NONE;
	*event = (PhEvent){.time = place->clock,
					   .kind = kind,
					   .region = place->depth > 0 ? place->stack[place->depth - 1] : PH_NONE,
					   .peer = PH_NONE,
					   .comm = PH_NONE,
					   .root = PH_NONE};
	return event;
}

static void
enter(World *world, uint32_t at, uint32_t region)
{
	Place *place = &world->places[at];
	tick(world, place);
	place->stack[place->depth++] = region;
	record(world, at, PH_EVENT_ENTER);
}

static void
leave(World *world, uint32_t at)
{
	Place *place = &world->places[at];
	tick(world, place);
	record(world, at, PH_EVENT_LEAVE);
	place->depth--;
}

/* Enter a function of MPI, or stay in the program's own: then there is nothing to leave. */
static bool
enter_mpi(World *world, uint32_t at, uint32_t region)
{
	if (world->bare && random_below(&world->random, 2) == 0)
		return false;
	enter(world, at, region);
	return true;
}

static void
leave_mpi(World *world, uint32_t at, bool entered)
{
	if (entered)
		leave(world, at);
}

static uint32_t
rank_of(const World *world, uint32_t at)
{
	return (uint32_t) world->trace->locations[at].rank;
}

static bool
is_member(const World *world, uint32_t comm, uint32_t rank)
{
	const PhTraceCommunicator *communicator = &world->trace->communicators[comm];
	for (uint32_t i = 0; i < communicator->n_members; i++)
		if (communicator->members[i] == rank)
			return true;
	return false;
}

/* ---- messages ---- */

/* Tags tell the threads of both ranks apart, so that each queue has one location at each end. */
static int32_t
draw_tag(World *world, uint32_t from, uint32_t to)
{
	uint32_t threads =
		(uint32_t) (world->trace->locations[from].thread * 2 + world->trace->locations[to].thread);
	return (int32_t) (threads * 4 + random_below(&world->random, world->n_tags));
}

/* World or the communicator of the even or odd ranks, where both are members. */
static uint32_t
draw_comm(World *world, uint32_t from, uint32_t to)
{
	uint32_t comm = random_below(&world->random, 3);
	bool both =
		is_member(world, comm, rank_of(world, from)) && is_member(world, comm, rank_of(world, to));
	return both ? comm : 0;
}

static uint64_t
new_request(World *world, Place *place)
{
	if (world->unique_requests)
		return place->next_request++;
	for (uint64_t id = 1000;; id++)
	{
		bool used = false;
		for (uint32_t i = 0; i < MOST_PENDING; i++)
			used = used || (place->pending[i].used && place->pending[i].request == id);
		if (!used)
			return id;
	}
}

static Pending *
new_pending(Place *place)
{
	for (uint32_t i = 0; i < MOST_PENDING; i++)
		if (!place->pending[i].used)
		{
			memset(&place->pending[i], 0, sizeof(Pending));
			return &place->pending[i];
		}
	return NULL;
}

static void
send(World *world, uint32_t at, bool blocking)
{
	uint32_t to = random_below(&world->random, world->trace->model.n_locations);
	Place *place = &world->places[at];
	Pending *pending = new_pending(place);
	if (world->n_sent == MOST_SENDS || pending == NULL)
		return;
	bool entered = enter_mpi(world, at, blocking ? COMM_SEND : COMM_ISEND);
	Sent *sent = &world->sent[world->n_sent++];
	sent->from = at;
	sent->to = to;
	sent->comm = draw_comm(world, at, to);
	sent->tag = draw_tag(world, at, to);
	sent->bytes = random_below(&world->random, 5) * 1000 + random_below(&world->random, 3);
	PhEvent *event = record(world, at, blocking ? PH_EVENT_SEND : PH_EVENT_ISEND);
	event->peer = rank_of(world, to);
	event->comm = sent->comm;
	event->tag = sent->tag;
	event->bytes = sent->bytes;
	sent->seq = world->trace->n_events[at] - 1;
	sent->time = event->time;
	if (!blocking)
	{
		*pending = (Pending){.used = true, .request = new_request(world, place)};
		event->request = pending->request;
		place->next_request++;
	}
	leave_mpi(world, at, entered);
}

/* The ordinal-th message of a key, NULL: not sent yet. */
static const Sent *
find_sent(const World *world, uint32_t from, uint32_t to, uint32_t comm, int32_t tag,
		  uint32_t ordinal)
{
	for (uint32_t i = 0; i < world->n_sent; i++)
	{
		const Sent *sent = &world->sent[i];
		if (sent->from == from && sent->to == to && sent->comm == comm && sent->tag == tag &&
			ordinal-- == 0)
			return sent;
	}
	return NULL;
}

/* Complete a receive: its record, and what it got. */
static void
receive(World *world, uint32_t at, PhEventKind kind, const Sent *sent, uint64_t request)
{
	CommTrace *trace = world->trace;
	Place *place = &world->places[at];
	int64_t arrival = sent->time + random_below(&world->random, 30);
	if (arrival > place->clock)
		place->clock = arrival;
	PhEvent *event = record(world, at, kind);
	event->peer = rank_of(world, sent->from);
	event->comm = sent->comm;
	event->tag = sent->tag;
	event->bytes = sent->bytes;
	event->request = request;
	trace->truth[at][trace->n_events[at] - 1] = (PhLink){sent->from, sent->seq, sent->time};
}

/* Receive what is in flight and next for its key; nothing when there is none. */
static void
receive_blocking(World *world, uint32_t at)
{
	uint32_t start = random_below(&world->random, world->n_sent + 1);
	for (uint32_t i = 0; i < world->n_sent; i++)
	{
		const Sent *sent = &world->sent[(start + i) % world->n_sent];
		if (sent->to != at)
			continue;
		uint32_t *posted = &world->posted[sent->from][at][sent->comm][sent->tag];
		sent = find_sent(world, sent->from, at, sent->comm, sent->tag, *posted);
		if (sent == NULL)
			continue;
		(*posted)++;
		bool entered = enter_mpi(world, at, COMM_RECV);
		receive(world, at, PH_EVENT_RECV, sent, 0);
		leave_mpi(world, at, entered);
		return;
	}
}

/* A receive of a message whose send was not recorded. */
static void
receive_unmatched(World *world, uint32_t at)
{
	enter(world, at, COMM_RECV);
	PhEvent *event = record(world, at, PH_EVENT_RECV);
	event->peer = random_below(&world->random, world->n_ranks);
	event->comm = 0;
	event->tag = 99;
	event->bytes = 7;
	leave(world, at);
}

static void
post_receive(World *world, uint32_t at)
{
	uint32_t from = random_below(&world->random, world->trace->model.n_locations);
	Place *place = &world->places[at];
	Pending *pending = new_pending(place);
	if (pending == NULL)
		return;
	uint64_t request = new_request(world, place);
	*pending = (Pending){.used = true, .is_receive = true, .from = from, .request = request};
	place->next_request++;
	pending->comm = draw_comm(world, from, at);
	pending->tag = draw_tag(world, from, at);
	pending->ordinal = world->posted[from][at][pending->comm][pending->tag]++;
	enter(world, at, COMM_IRECV);
	record(world, at, PH_EVENT_IRECV_REQUEST)->request = request;
	leave(world, at);
}

/* Only the last one that was posted for its key, so that no other takes its place in the queue. */
static void
cancel(World *world, uint32_t at, Pending *pending)
{
	if (!pending->is_receive)
		return;
	uint32_t *posted = &world->posted[pending->from][at][pending->comm][pending->tag];
	if (*posted != pending->ordinal + 1)
		return;
	(*posted)--;
	enter(world, at, COMM_WAIT);
	record(world, at, PH_EVENT_REQUEST_CANCELLED)->request = pending->request;
	leave(world, at);
	pending->used = false;
}

static void
end_collective(World *world, uint32_t at, PhEventKind kind, const Pending *pending)
{
	CommTrace *trace = world->trace;
	Place *place = &world->places[at];
	if (pending->available > place->clock)
		place->clock = pending->available;
	PhEvent *event = record(world, at, kind);
	event->operation = pending->operation;
	event->comm = pending->comm;
	event->root = pending->root;
	event->bytes = pending->bytes;
	event->bytes_received = pending->bytes + 1;
	event->request = pending->request;
	trace->instance[at][trace->n_events[at] - 1] = pending->instance;
	trace->begin[at][trace->n_events[at] - 1] = pending->begin;
}

/* Can the request complete? Then it does, in the call that is open. */
static bool
complete(World *world, uint32_t at, Pending *pending)
{
	const Sent *sent = NULL;
	if (pending->is_receive)
	{
		sent = find_sent(world, pending->from, at, pending->comm, pending->tag, pending->ordinal);
		if (sent == NULL)
			return false;
		receive(world, at, PH_EVENT_IRECV, sent, pending->request);
	}
	else if (pending->is_collective)
		end_collective(world, at, PH_EVENT_NB_COLLECTIVE_COMPLETE, pending);
	else
		record(world, at, PH_EVENT_ISEND_COMPLETE)->request = pending->request;
	pending->used = false;
	return true;
}

static void
wait_for_some(World *world, uint32_t at, bool all)
{
	Place *place = &world->places[at];
	uint32_t start = random_below(&world->random, MOST_PENDING);
	bool entered = false;
	for (uint32_t i = 0; i < MOST_PENDING; i++)
	{
		Pending *pending = &place->pending[(start + i) % MOST_PENDING];
		if (!pending->used)
			continue;
		if (!entered)
			enter(world, at, all ? COMM_WAITALL : COMM_WAIT);
		entered = true;
		if (complete(world, at, pending) && !all)
			break;
	}
	if (entered)
		leave(world, at);
}

static void
test_or_cancel(World *world, uint32_t at)
{
	Place *place = &world->places[at];
	Pending *pending = &place->pending[random_below(&world->random, MOST_PENDING)];
	if (!pending->used)
		return;
	if (random_below(&world->random, 2) == 0)
	{
		cancel(world, at, pending);
		return;
	}
	enter(world, at, COMM_TEST);
	record(world, at, PH_EVENT_REQUEST_TEST)->request = pending->request;
	leave(world, at);
}

/* --------------------------------------------------------------------------------------
 * collectives */

/* The first thread of a rank. */
static uint32_t
place_of(const World *world, uint32_t rank)
{
	return world->trace->model.rank_location[rank];
}

/* When a member may leave, given all members' begins. */
static int64_t
release(const World *world, const PhTraceCommunicator *comm, const Pending *what, uint32_t member,
		const int64_t *begins)
{
	int64_t latest = begins[member];
	(void) world;
	for (uint32_t i = 0; i < comm->n_members; i++)
	{
		bool is_root = comm->members[i] == what->root;
		bool member_is_root = comm->members[member] == what->root;
		bool counts = true;
		if (what->operation == PH_COLLECTIVE_BCAST || what->operation == PH_COLLECTIVE_SCATTER)
			counts = is_root;
		else if (what->operation == PH_COLLECTIVE_REDUCE || what->operation == PH_COLLECTIVE_GATHER)
			counts = member_is_root;
		else if (what->operation == PH_COLLECTIVE_SCAN)
			counts = i < member;
		if (counts && begins[i] > latest)
			latest = begins[i];
	}
	return latest;
}

static void
begin_collective(World *world, uint32_t at, bool blocking, Pending *what)
{
	Place *place = &world->places[at];
	enter(world, at, COMM_COLLECTIVE);
	what->request = blocking ? 0 : new_request(world, place);
	what->bytes = random_below(&world->random, 100);
	record(world, at, blocking ? PH_EVENT_COLLECTIVE_BEGIN : PH_EVENT_NB_COLLECTIVE_REQUEST)
		->request = what->request;
	what->begin = place->clock;
	if (!blocking)
	{
		place->next_request++;
		leave(world, at);
	}
}

/* All members at once: begins at their clocks, ends when the operation allows. */
static void
collective(World *world)
{
	static const uint32_t operations[] = {
		PH_COLLECTIVE_BARRIER,	 PH_COLLECTIVE_ALLREDUCE, PH_COLLECTIVE_BCAST,
		PH_COLLECTIVE_REDUCE,	 PH_COLLECTIVE_SCATTER,	  PH_COLLECTIVE_GATHER,
		PH_COLLECTIVE_ALLTOALLV, PH_COLLECTIVE_SCAN,	  PH_COLLECTIVE_CREATE_HANDLE};
	uint32_t c = random_below(&world->random, world->trace->model.n_communicators);
	const PhTraceCommunicator *comm = &world->trace->communicators[c];
	bool blocking = random_below(&world->random, 3) != 0;
	Pending what = {.used = true, .is_collective = true, .comm = c};
	Pending all[COMM_LOCATIONS];
	int64_t begins[COMM_LOCATIONS];
	what.operation = operations[random_below(&world->random, 9)];
	what.root = comm->members[random_below(&world->random, comm->n_members)];
	what.instance = PH_NONE;
	for (uint32_t i = 0; i < comm->n_members; i++)
		if (new_pending(&world->places[place_of(world, comm->members[i])]) == NULL)
			return;
	if (ph_collective_is_application(what.operation))
		what.instance = world->trace->n_instances++;
	for (uint32_t i = 0; i < comm->n_members; i++)
	{
		all[i] = what;
		begin_collective(world, place_of(world, comm->members[i]), blocking, &all[i]);
		begins[i] = all[i].begin;
		if (!blocking)
			*new_pending(&world->places[place_of(world, comm->members[i])]) = all[i];
	}
	for (uint32_t i = 0; i < comm->n_members; i++)
	{
		uint32_t at = place_of(world, comm->members[i]);
		Place *place = &world->places[at];
		int64_t available = release(world, comm, &all[i], i, begins);
		all[i].available = available;
		for (uint32_t p = 0; !blocking && p < MOST_PENDING; p++)
			if (place->pending[p].used && place->pending[p].request == all[i].request)
				place->pending[p].available = available;
		if (!blocking)
			continue;
		end_collective(world, at, PH_EVENT_COLLECTIVE_END, &all[i]);
		leave(world, at);
	}
}

/* -----------------------------------------------------------------------------------------
 * programs */

static void
define_places(World *world)
{
	CommTrace *trace = world->trace;
	PhTraceModel *model = &trace->model;
	static uint32_t rank_location[COMM_LOCATIONS];
	memset(model, 0, sizeof(*model));
	model->n_ranks = world->n_ranks;
	model->n_locations = world->n_ranks * world->n_threads;
	model->locations = trace->locations;
	model->communicators = trace->communicators;
	model->rank_location = rank_location;
	for (uint32_t i = 0; i < model->n_locations; i++)
	{
		trace->n_events[i] = 0;
		trace->locations[i] = (PhTraceLocation){.rank = (int32_t) (i / world->n_threads),
												.thread = (int32_t) (i % world->n_threads)};
		if (i % world->n_threads == 0)
			rank_location[i / world->n_threads] = i;
	}
}

/* World, even ranks, odd ranks, and one of its own for each rank. */
static void
define_communicators(World *world)
{
	CommTrace *trace = world->trace;
	trace->model.n_communicators = 3 + world->n_ranks;
	memset(trace->communicators, 0, sizeof(trace->communicators));
	for (uint32_t c = 0; c < trace->model.n_communicators; c++)
	{
		PhTraceCommunicator *comm = &trace->communicators[c];
		comm->members = trace->members[c];
		for (uint32_t rank = 0; rank < world->n_ranks; rank++)
			if (c == 0 || (c < 3 && rank % 2 == c - 1) || c == 3 + rank)
				trace->members[c][comm->n_members++] = rank;
	}
	if (world->n_ranks == 1)
		trace->communicators[2] = trace->communicators[1];
}

static void
step(World *world)
{
	uint32_t at = random_below(&world->random, world->trace->model.n_locations);
	Place *place = &world->places[at];
	uint32_t what = random_below(&world->random, 24);
	if (what < 3 && place->depth < 30)
		enter(world, at, COMM_USER_A + random_below(&world->random, 2));
	else if (what < 6 && place->depth > 1)
		leave(world, at);
	else if (what < 8)
		place->clock += random_below(&world->random, 300) * world->coarse;
	else if (what < 11)
		send(world, at, true);
	else if (what < 13)
		send(world, at, false);
	else if (what < 16)
		receive_blocking(world, at);
	else if (what < 18)
		post_receive(world, at);
	else if (what < 20)
		wait_for_some(world, at, what == 18);
	else if (what == 20)
		test_or_cancel(world, at);
	else if (what == 21)
		collective(world);
	else if (random_below(&world->random, 20) == 0)
		receive_unmatched(world, at);
}

static bool
is_full(const CommTrace *trace)
{
	for (uint32_t i = 0; i < trace->model.n_locations; i++)
		if (trace->n_events[i] + 200 > COMM_EVENTS)
			return true;
	return false;
}

static void
new_world(uint64_t seed, CommTrace *out, World *world)
{
	memset(world, 0, sizeof(*world));
	world->random.state = seed * 7919 + 17;
	world->trace = out;
	world->n_ranks = 1 + random_below(&world->random, 6);
	world->n_threads = 1 + random_below(&world->random, 3) / 2;
	world->coarse = random_below(&world->random, 3) == 0 ? 0 : 1 + random_below(&world->random, 5);
	world->n_tags = 1 + random_below(&world->random, 3);
	world->unique_requests = random_below(&world->random, 2) == 0;
	out->n_instances = 0;
	define_places(world);
	define_communicators(world);
}

static void
run_program(uint64_t seed, uint32_t steps, bool bare, CommTrace *out)
{
	static World world;
	new_world(seed, out, &world);
	world.bare = bare;
	for (uint32_t i = 0; i < out->model.n_locations; i++)
	{
		world.places[i].clock = random_below(&world.random, 100);
		enter(&world, i, COMM_MAIN);
	}
	for (uint32_t i = 0; i < steps && !is_full(out); i++)
		step(&world);
	/* a receive that was posted and never completed would take a message without a trace */
	for (uint32_t i = 0; i < out->model.n_locations; i++)
		wait_for_some(&world, i, true);
	for (uint32_t i = 0; i < out->model.n_locations; i++)
		while (world.places[i].depth > 0 && seed % 5 != 0)
			leave(&world, i);
}

void
comm_random(uint64_t seed, uint32_t steps, CommTrace *out)
{
	run_program(seed, steps, false, out);
}

void
comm_random_bare(uint64_t seed, uint32_t steps, CommTrace *out)
{
	run_program(seed, steps, true, out);
}

/* Any value for each operand that the kind has. */
static void
draw_operands(World *world, PhEvent *event)
{
	Random *random = &world->random;
	uint32_t operands = ph_event_operands(event->kind);
	if ((operands & PH_OPERAND_PEER) != 0)
		event->peer =
			random_below(random, 20) == 0 ? PH_NONE : random_below(random, world->n_ranks);
	if ((operands & PH_OPERAND_COMM) != 0)
		event->comm = random_below(random, 2);
	if ((operands & PH_OPERAND_TAG) != 0)
		event->tag = (int32_t) random_below(random, world->n_tags);
	if ((operands & PH_OPERAND_BYTES) != 0)
		event->bytes = random_below(random, 3);
	if ((operands & PH_OPERAND_RECEIVED) != 0)
		event->bytes_received = random_below(random, 3);
	if ((operands & PH_OPERAND_REQUEST) != 0)
		event->request = random_below(random, 4);
	if ((operands & PH_OPERAND_OPERATION) != 0)
		event->operation = random_below(random, PH_COLLECTIVE_COUNT + 1);
	if ((operands & PH_OPERAND_ROOT) != 0)
		event->root = random_below(random, world->n_ranks);
}

void
comm_noise(uint64_t seed, uint32_t n_events, PhEventKind first, uint32_t n_kinds, CommTrace *out)
{
	static World world;
	new_world(seed, out, &world);
	if (seed % 7 == 0)
		out->locations[0].rank = PH_NO_NUMBER;
	for (uint32_t i = 0; i < n_events; i++)
	{
		uint32_t at = random_below(&world.random, out->model.n_locations);
		if (out->n_events[at] == COMM_EVENTS)
			continue;
		tick(&world, &world.places[at]);
		draw_operands(&world, record(&world, at, first + random_below(&world.random, n_kinds)));
	}
}

/* -----------------------------------------------------------------------------------------
 * visiting */

PhStatus
comm_visit(const CommTrace *trace, uint32_t location, CommVisit visit, void *user)
{
	PhOpenCall stack[64];
	uint32_t depth = 0;
	for (uint32_t seq = 0; seq < trace->n_events[location]; seq++)
	{
		const PhEvent *event = &trace->events[location][seq];
		if (event->kind == PH_EVENT_ENTER)
			stack[depth++] = (PhOpenCall){event->region, event->time, seq, 0};
		PH_TRY(visit(user, location, seq, event, depth > 0 ? &stack[depth - 1] : NULL));
		if (event->kind == PH_EVENT_LEAVE)
			depth--;
	}
	return PH_OK;
}

void
comm_shuffle(const CommTrace *trace, uint64_t seed, uint32_t *order)
{
	Random random = {seed * 31 + 5};
	for (uint32_t i = 0; i < trace->model.n_locations; i++)
	{
		uint32_t at = random_below(&random, i + 1);
		order[i] = order[at];
		order[at] = i;
	}
}

PhStatus
comm_visit_all(const CommTrace *trace, uint64_t seed, CommVisit visit, void *user)
{
	uint32_t order[COMM_LOCATIONS];
	comm_shuffle(trace, seed, order);
	for (uint32_t i = 0; i < trace->model.n_locations; i++)
		PH_TRY(comm_visit(trace, order[i], visit, user));
	return PH_OK;
}

typedef struct ChunkVisit
{
	CommChunkVisit visit;
	void *user;
	PhChunkReader *reader;
} ChunkVisit;

static PhStatus
visit_chunk(void *user, const PhChunk *chunk)
{
	ChunkVisit *visit = user;
	PH_TRY(ph_chunk_reader_open(visit->reader, chunk, PH_WANT_ALL));
	return visit->visit(visit->user, chunk, visit->reader);
}

static PhStatus
write_event(PhChunkWriter *writer, const PhEvent *event)
{
	if (event->kind == PH_EVENT_ENTER)
		return ph_chunk_writer_enter(writer, event->time, event->region);
	if (event->kind == PH_EVENT_LEAVE)
		return ph_chunk_writer_leave(writer, event->time, event->region);
	return ph_chunk_writer_event(writer, event);
}

static PhStatus
write_all(PhChunkWriter *writer, const CommTrace *trace, uint32_t location)
{
	for (uint32_t i = 0; i < trace->n_events[location]; i++)
		PH_TRY(write_event(writer, &trace->events[location][i]));
	return ph_chunk_writer_finish(writer);
}

PhStatus
comm_visit_chunks(PhEnv *env, const CommTrace *trace, uint32_t location, uint32_t chunk_events,
				  CommChunkVisit visit, void *user)
{
	ChunkVisit chunks = {visit, user, NULL};
	PhChunkWriter *writer;
	PH_TRY(ph_chunk_reader_new(env, &chunks.reader));
	PhStatus status =
		ph_chunk_writer_new(env, location, chunk_events, visit_chunk, &chunks, &writer);
	if (status == PH_OK)
	{
		status = write_all(writer, trace, location);
		ph_chunk_writer_free(writer);
	}
	ph_chunk_reader_free(chunks.reader);
	return status;
}
