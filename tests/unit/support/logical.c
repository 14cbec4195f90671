/*
 * logical.c - see logical.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/logical.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RANKS 8
#define MAX_MESSAGES 4096
#define MAX_REQUESTS 64
#define N_COMMS 3

static PhTraceRegion test_regions[TEST_REGIONS] = {
	[TEST_MAIN] = {.name = "main", .paradigm = "user"},
	[TEST_WORK] = {.name = "work", .paradigm = "user"},
	[TEST_EXCHANGE] = {.name = "exchange", .paradigm = "user"},
	[TEST_SEND] = {.name = "MPI_Send", .paradigm = "mpi"},
	[TEST_RECV] = {.name = "MPI_Recv", .paradigm = "mpi"},
	[TEST_ISEND] = {.name = "MPI_Isend", .paradigm = "mpi"},
	[TEST_IRECV] = {.name = "MPI_Irecv", .paradigm = "mpi"},
	[TEST_WAIT] = {.name = "MPI_Wait", .paradigm = "mpi"},
	[TEST_WAITALL] = {.name = "MPI_Waitall", .paradigm = "mpi"},
	[TEST_SENDRECV] = {.name = "MPI_Sendrecv", .paradigm = "mpi"},
	[TEST_ALLREDUCE] = {.name = "MPI_Allreduce", .paradigm = "mpi"},
	[TEST_IALLREDUCE] = {.name = "MPI_Iallreduce", .paradigm = "mpi"},
};

static void *
make_room(size_t count, size_t size)
{
	void *memory = calloc(count == 0 ? 1 : count, size);
	if (memory == NULL)
		abort();
	return memory;
}

/* Communicators: all ranks, the even ones, and one of a single rank. */
static void
set_up_communicators(PhTraceModel *model)
{
	model->n_communicators = N_COMMS;
	model->communicators = make_room(N_COMMS, sizeof(PhTraceCommunicator));
	for (uint32_t c = 0; c < N_COMMS; c++)
	{
		uint32_t *members = make_room(model->n_ranks, sizeof(uint32_t)), n = 0;
		for (uint32_t r = 0; r < model->n_ranks; r++)
			if (c == 0 || (c == 1 && r % 2 == 0))
				members[n++] = r;
		model->communicators[c].name = "";
		model->communicators[c].is_mpi = true;
		model->communicators[c].members = members;
		model->communicators[c].n_members = n;
	}
}

void
empty_trace(uint32_t n_locations, TestTrace *out)
{
	memset(out, 0, sizeof(*out));
	out->model.n_locations = out->model.n_ranks = n_locations;
	out->model.n_regions = TEST_REGIONS;
	out->model.regions = test_regions;
	out->model.locations = make_room(n_locations, sizeof(PhTraceLocation));
	out->n_events = make_room(n_locations, sizeof(uint32_t));
	out->capacity = make_room(n_locations, sizeof(uint32_t));
	out->events = make_room(n_locations, sizeof(PhEvent *));
	for (uint32_t l = 0; l < n_locations; l++)
		out->model.locations[l].rank = (int32_t) l;
	set_up_communicators(&out->model);
}

PhEvent *
add_event(TestTrace *trace, uint32_t location, PhEventKind kind, int64_t time)
{
	if (trace->n_events[location] == trace->capacity[location])
	{
		trace->capacity[location] = trace->capacity[location] * 2 + 16;
		trace->events[location] =
			realloc(trace->events[location], trace->capacity[location] * sizeof(PhEvent));
		if (trace->events[location] == NULL)
			abort();
	}
	PhEvent *event = &trace->events[location][trace->n_events[location]++];
	memset(event, 0, sizeof(*event));
	event->kind = kind;
	event->time = time;
	event->region = event->peer = event->comm = event->root = event->operation = PH_NONE;
	return event;
}

void
test_trace_free(TestTrace *trace)
{
	for (uint32_t l = 0; l < trace->model.n_locations; l++)
		free(trace->events[l]);
	for (uint32_t c = 0; c < trace->model.n_communicators; c++)
		free((void *) (uintptr_t) trace->model.communicators[c].members);
	free(trace->model.communicators);
	free(trace->model.locations);
	free(trace->events);
	free(trace->n_events);
	free(trace->capacity);
	memset(trace, 0, sizeof(*trace));
}

static PhStatus
feed(PhLogicalInput *input, const TestTrace *trace, const uint32_t *order)
{
	for (uint32_t i = 0; i < trace->model.n_locations; i++)
	{
		uint32_t l = order == NULL ? i : order[i];
		PH_TRY(ph_logical_input_location(input, l));
		for (uint32_t e = 0; e < trace->n_events[l]; e++)
			PH_TRY(ph_logical_input_event(input, &trace->events[l][e]));
	}
	return PH_OK;
}

PhStatus
make_model(PhEnv *env, const TestTrace *trace, const PhLogicalOptions *options,
		   const uint32_t *order, PhLogicalModel *out)
{
	PhLogicalInput *input;
	PH_TRY(ph_logical_input_new(env, &trace->model, options, &input));
	PhStatus status = feed(input, trace, order);
	if (status == PH_OK)
		status = ph_logical_input_finish(input, out);
	ph_logical_input_free(input);
	return status;
}

/* ---------------------------------------------------------------------------- random programs */

typedef struct Message
{
	uint32_t from, to, comm;
	int32_t tag;
	int64_t sent;
	bool taken;
} Message;

typedef struct Open
{
	PhEventKind completion;
	uint64_t number;
	uint32_t message; /* of a receive */
	uint32_t comm;	  /* of a collective */
} Open;

typedef struct Program
{
	RandomNumbers *numbers;
	ProgramShape shape;
	TestTrace *trace;
	uint32_t n_ranks, n_locations, n_messages;
	Message messages[MAX_MESSAGES];
	int64_t time[MAX_RANKS]; /* by rank; its threads share it */
	uint32_t depth[2 * MAX_RANKS], calls[2 * MAX_RANKS][4];
	uint32_t n_open[2 * MAX_RANKS];
	Open open[2 * MAX_RANKS][MAX_REQUESTS];
	uint64_t next_request;
} Program;

static uint32_t
rank_of(const Program *program, uint32_t location)
{
	return (uint32_t) program->trace->model.locations[location].rank;
}

/* Every record of a rank comes a little later than the one before; with threads, surely later. */
static PhEvent *
emit(Program *program, uint32_t location, PhEventKind kind)
{
	int64_t *time = &program->time[rank_of(program, location)];
	*time += numbers_below(program->numbers, 4) + (program->shape.threads ? 1 : 0);
	return add_event(program->trace, location, kind, *time);
}

static void
enter(Program *program, uint32_t location, uint32_t region)
{
	emit(program, location, PH_EVENT_ENTER)->region = region;
}

static void
leave(Program *program, uint32_t location, uint32_t region)
{
	emit(program, location, PH_EVENT_LEAVE)->region = region;
}

static bool
is_lost(Program *program)
{
	return program->shape.loses_events && numbers_below(program->numbers, 12) == 0;
}

static void
describe(PhEvent *event, const Program *program, uint32_t message, bool sends)
{
	const Message *m = &program->messages[message];
	event->peer = sends ? m->to : m->from;
	event->comm = m->comm;
	event->tag = m->tag;
	event->bytes = message + 1;
}

static void
send(Program *program, uint32_t location, PhEventKind kind, uint64_t request)
{
	if (program->n_messages == MAX_MESSAGES)
		return;
	uint32_t m = program->n_messages++;
	uint32_t from = rank_of(program, location);
	uint32_t to = numbers_below(program->numbers, program->n_ranks);
	if (to == from)
		to = (to + 1) % program->n_ranks;
	program->messages[m] =
		(Message){from, to, 0, (int32_t) numbers_below(program->numbers, 2), 0, false};
	program->messages[m].comm =
		from % 2 == 0 && to % 2 == 0 ? numbers_below(program->numbers, 2) : 0;
	bool lost = is_lost(program);
	if (!lost)
	{
		PhEvent *event = emit(program, location, kind);
		event->request = request;
		describe(event, program, m, true);
	}
	program->messages[m].sent = program->time[from];
}

/* A message on its way to the rank: the first of its key. PH_NONE: there is none. */
static uint32_t
take_message(Program *program, uint32_t rank)
{
	uint32_t n = 0, pick = PH_NONE;
	for (uint32_t m = 0; m < program->n_messages; m++)
		if (program->messages[m].to == rank && !program->messages[m].taken &&
			numbers_below(program->numbers, ++n) == 0)
			pick = m;
	for (uint32_t m = 0; pick != PH_NONE && m < pick; m++)
	{
		const Message *a = &program->messages[m], *b = &program->messages[pick];
		if (!a->taken && a->to == b->to && a->from == b->from && a->tag == b->tag &&
			a->comm == b->comm)
			pick = m;
	}
	if (pick != PH_NONE)
		program->messages[pick].taken = true;
	return pick;
}

static void
receive(Program *program, uint32_t location, PhEventKind kind, uint64_t request, uint32_t m)
{
	int64_t *time = &program->time[rank_of(program, location)];
	if (*time < program->messages[m].sent)
		*time = program->messages[m].sent;
	if (is_lost(program))
		return;
	PhEvent *event = emit(program, location, kind);
	event->request = request;
	describe(event, program, m, false);
}

static Open *
open_request(Program *program, uint32_t location, PhEventKind completion)
{
	if (program->n_open[location] == MAX_REQUESTS)
		return NULL;
	Open *open = &program->open[location][program->n_open[location]++];
	*open = (Open){completion, ++program->next_request, PH_NONE, PH_NONE};
	return open;
}

static void
complete(Program *program, uint32_t location, uint32_t which)
{
	Open open = program->open[location][which];
	program->open[location][which] = program->open[location][--program->n_open[location]];
	if (open.completion == PH_EVENT_IRECV)
		receive(program, location, PH_EVENT_IRECV, open.number, open.message);
	else
	{
		PhEvent *event = emit(program, location, open.completion);
		event->request = open.number;
		event->comm = open.comm;
		event->operation = PH_COLLECTIVE_ALLREDUCE;
	}
}

static void
do_send(Program *program, uint32_t location)
{
	enter(program, location, TEST_SEND);
	send(program, location, PH_EVENT_SEND, 0);
	leave(program, location, TEST_SEND);
}

static void
do_isends(Program *program, uint32_t location)
{
	for (uint32_t i = numbers_below(program->numbers, 3) + 1; i > 0; i--)
	{
		Open *open = open_request(program, location, PH_EVENT_ISEND_COMPLETE);
		if (open == NULL)
			return;
		enter(program, location, TEST_ISEND);
		send(program, location, PH_EVENT_ISEND, open->number);
		leave(program, location, TEST_ISEND);
	}
}

static void
do_receive(Program *program, uint32_t location)
{
	uint32_t m = take_message(program, rank_of(program, location));
	if (m == PH_NONE)
		return;
	enter(program, location, TEST_RECV);
	receive(program, location, PH_EVENT_RECV, 0, m);
	leave(program, location, TEST_RECV);
}

static void
do_irecv(Program *program, uint32_t location)
{
	if (program->n_open[location] == MAX_REQUESTS)
		return;
	uint32_t m = take_message(program, rank_of(program, location));
	if (m == PH_NONE)
		return;
	Open *open = open_request(program, location, PH_EVENT_IRECV);
	open->message = m;
	enter(program, location, TEST_IRECV);
	emit(program, location, PH_EVENT_IRECV_REQUEST)->request = open->number;
	leave(program, location, TEST_IRECV);
}

static void
do_wait(Program *program, uint32_t location, bool all)
{
	uint32_t region = all ? TEST_WAITALL : TEST_WAIT;
	enter(program, location, region);
	while (program->n_open[location] > 0)
	{
		complete(program, location, numbers_below(program->numbers, program->n_open[location]));
		if (!all)
			break;
	}
	leave(program, location, region);
}

static void
do_sendrecv(Program *program, uint32_t location)
{
	uint32_t m = take_message(program, rank_of(program, location));
	enter(program, location, TEST_SENDRECV);
	send(program, location, PH_EVENT_SEND, 0);
	if (m != PH_NONE)
		receive(program, location, PH_EVENT_RECV, 0, m);
	leave(program, location, TEST_SENDRECV);
}

/* All members enter, then all leave after the last has entered. */
static void
do_collective(Program *program, bool nonblocking)
{
	uint32_t comm = numbers_below(program->numbers, 2);
	int64_t last = 0;
	for (uint32_t l = 0; l < program->n_locations; l++)
	{
		uint32_t rank = rank_of(program, l);
		bool is_member =
			(comm == 0 || rank % 2 == 0) && (l == 0 || rank_of(program, l - 1) != rank);
		if (!is_member)
			continue;
		enter(program, l, nonblocking ? TEST_IALLREDUCE : TEST_ALLREDUCE);
		if (nonblocking)
		{
			Open *open = open_request(program, l, PH_EVENT_NB_COLLECTIVE_COMPLETE);
			if (open != NULL)
				open->comm = comm;
			leave(program, l, TEST_IALLREDUCE);
			continue;
		}
		emit(program, l, PH_EVENT_COLLECTIVE_BEGIN);
		last = program->time[rank] > last ? program->time[rank] : last;
	}
	for (uint32_t l = 0; l < program->n_locations && !nonblocking; l++)
	{
		uint32_t rank = rank_of(program, l);
		bool is_member =
			(comm == 0 || rank % 2 == 0) && (l == 0 || rank_of(program, l - 1) != rank);
		if (!is_member)
			continue;
		program->time[rank] = last;
		PhEvent *event = emit(program, l, PH_EVENT_COLLECTIVE_END);
		event->operation = PH_COLLECTIVE_ALLREDUCE;
		event->comm = comm;
		leave(program, l, TEST_ALLREDUCE);
	}
}

static void
do_call(Program *program, uint32_t location)
{
	uint32_t *depth = &program->depth[location];
	if (program->shape.no_calls)
		return;
	if (*depth > 1 && numbers_below(program->numbers, 2) == 0)
		leave(program, location, program->calls[location][--*depth]);
	else if (*depth < 4)
	{
		uint32_t region = TEST_WORK + numbers_below(program->numbers, 2);
		program->calls[location][(*depth)++] = region;
		enter(program, location, region);
	}
}

static void
act(Program *program)
{
	uint32_t location = numbers_below(program->numbers, program->n_locations);
	switch (numbers_below(program->numbers, 14))
	{
		case 0:
		case 1:
			do_send(program, location);
			break;
		case 2:
		case 3:
			do_isends(program, location);
			break;
		case 4:
		case 5:
		case 6:
			do_receive(program, location);
			break;
		case 7:
		case 8:
			do_irecv(program, location);
			break;
		case 9:
			do_wait(program, location, false);
			break;
		case 10:
			do_wait(program, location, true);
			break;
		case 11:
			do_sendrecv(program, location);
			break;
		case 12:
			do_collective(program, numbers_below(program->numbers, 3) == 0);
			break;
		default:
			do_call(program, location);
	}
}

static void
finish(Program *program, uint32_t location)
{
	if (program->n_open[location] > 0)
		do_wait(program, location, true);
	for (int i = 0; i < 3; i++)
		do_receive(program, location);
	while (program->depth[location] > 0 && numbers_below(program->numbers, 10) > 0)
		leave(program, location, program->calls[location][--program->depth[location]]);
}

void
random_program(RandomNumbers *numbers, ProgramShape shape, TestTrace *out)
{
	Program *program = make_room(1, sizeof(Program));
	program->numbers = numbers;
	program->shape = shape;
	program->trace = out;
	program->n_ranks = 2 + numbers_below(numbers, shape.max_ranks - 1);
	program->n_locations = shape.threads ? 2 * program->n_ranks : program->n_ranks;
	empty_trace(program->n_locations, out);
	for (uint32_t l = 0; l < program->n_locations && shape.threads; l++)
	{
		out->model.locations[l].rank = (int32_t) l / 2;
		out->model.locations[l].thread = (int32_t) l % 2;
	}
	out->model.n_ranks = program->n_ranks;
	for (uint32_t l = 0; l < program->n_locations && !shape.no_calls; l++)
	{
		program->calls[l][program->depth[l]++] = TEST_MAIN;
		enter(program, l, TEST_MAIN);
	}
	for (uint32_t i = numbers_below(numbers, shape.max_actions); i > 0; i--)
		act(program);
	for (uint32_t l = 0; l < program->n_locations; l++)
		finish(program, l);
	free(program);
}

/* ----------------------------------------------------------------------------------- invariants */

static char complaint[256];

static const char *
complain(const char *format, uint32_t a, uint32_t b)
{
	snprintf(complaint, sizeof(complaint), "%s: %u, %u", format, a, b);
	return complaint;
}

static const char *
check_messages(const PhLogical *logical, const PhLogicalOptions *options)
{
	const PhLogicalModel *model = logical->model;
	for (uint32_t m = 0; m < model->n_messages; m++)
	{
		uint32_t from = model->send_event[m], to = model->receive_event[m];
		if (from == PH_NONE || to == PH_NONE)
			continue;
		if (logical->phase[from] != logical->phase[to])
			return complain("ends of a message in two phases", from, to);
		if (logical->cut_messages == 0 && logical->step[from] >= logical->step[to])
			return complain("received not after it was sent", from, to);
	}
	for (uint32_t c = 0; c < model->n_collectives; c++)
		for (uint32_t i = model->first_member[c] + 1; i < model->first_member[c + 1]; i++)
		{
			uint32_t a = model->member_event[i - 1], b = model->member_event[i];
			if (logical->phase[a] != logical->phase[b])
				return complain("members of a collective in two phases", a, b);
			if (!options->compat && logical->split_collectives == 0 &&
				logical->step[a] != logical->step[b])
				return complain("members of a collective at two steps", a, b);
		}
	return "";
}

static const char *
check_timelines(const PhLogical *logical, const PhLogicalOptions *options)
{
	const PhLogicalModel *model = logical->model;
	for (uint32_t e = 0; e + 1 < model->n_events; e++)
	{
		uint32_t p = logical->phase[e], q = logical->phase[e + 1];
		if (model->timeline[e] != model->timeline[e + 1])
			continue;
		if (p > q)
			return complain("a phase is not one interval of a timeline", e, e + 1);
		if ((p != q || !options->reorder_receives) &&
			logical->step[e] + PH_STEP_STRIDE > logical->step[e + 1])
			return complain("steps do not increase along a timeline", e, e + 1);
		bool found = p == q;
		for (uint32_t i = logical->first_edge[p]; i < logical->first_edge[p + 1]; i++)
			found = found || logical->edge_target[i] == q;
		if (!found)
			return complain("an edge of the phase graph is missing", p, q);
	}
	return "";
}

/* Receives may have moved before what was done earlier; nothing else may, nor past a collective. */
static const char *
check_order(const PhLogical *logical)
{
	const PhLogicalModel *model = logical->model;
	int32_t latest = -1, barrier = -1;
	for (uint32_t e = 0; e < model->n_events; e++)
	{
		if (e == 0 || model->timeline[e] != model->timeline[e - 1] ||
			logical->phase[e] != logical->phase[e - 1])
			latest = barrier = -1;
		if (model->kind[e] != PH_COMM_RECEIVE && logical->step[e] <= latest)
			return complain("sent before what was received earlier", e, logical->phase[e]);
		if (logical->step[e] <= barrier)
			return complain("received before an earlier collective", e, logical->phase[e]);
		latest = logical->step[e] > latest ? logical->step[e] : latest;
		if (model->kind[e] == PH_COMM_COLLECTIVE)
			barrier = logical->step[e];
	}
	return "";
}

static const char *
check_phases(const PhLogical *logical)
{
	uint32_t events = 0;
	for (uint32_t p = 0; p < logical->n_phases; p++)
	{
		for (uint32_t i = logical->first_edge[p]; i < logical->first_edge[p + 1]; i++)
		{
			uint32_t q = logical->edge_target[i];
			if (q <= p || logical->last_step_of[p] >= logical->first_step[q])
				return complain("phases are not in order of the graph", p, q);
		}
		for (uint32_t i = logical->first_member[p]; i < logical->first_member[p + 1]; i++)
			for (uint32_t e = logical->member_first[i]; e <= logical->member_last[i]; e++, events++)
				if (logical->phase[e] != p || logical->step[e] < logical->first_step[p] ||
					logical->step[e] > logical->last_step_of[p])
					return complain("an event is not within its phase", e, p);
	}
	return events == logical->model->n_events
			   ? ""
			   : complain("members do not have all events", events, 0);
}

const char *
check_logical_invariants(const PhLogical *logical, const PhLogicalOptions *options)
{
	const char *wrong = check_messages(logical, options);
	if (wrong[0] == '\0')
		wrong = check_timelines(logical, options);
	if (wrong[0] == '\0')
		wrong = check_order(logical);
	return wrong[0] == '\0' ? check_phases(logical) : wrong;
}

void
random_logical_options(RandomNumbers *numbers, PhLogicalOptions *options)
{
	ph_logical_options_default(options);
	options->call_tree_merge = numbers_below(numbers, 3) != 0;
	options->coalesce_isends = numbers_below(numbers, 3) != 0;
	options->wait_groups = numbers_below(numbers, 3) != 0;
	options->waitall_groups = numbers_below(numbers, 4) == 0;
	options->align_sends = numbers_below(numbers, 3) != 0;
	options->super_phases = numbers_below(numbers, 3) != 0;
}

ProgramShape
random_program_shape(RandomNumbers *numbers)
{
	ProgramShape shape = {.max_ranks = 6, .max_actions = 50};
	shape.no_calls = numbers_below(numbers, 3) == 0;
	shape.threads = numbers_below(numbers, 5) == 0;
	shape.loses_events = numbers_below(numbers, 5) == 0;
	return shape;
}
