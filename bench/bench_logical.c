/*
 * bench_logical.c - logical structure of synthetic MPI programs: CPU time and memory per event.
 *
 *   bench_logical [quick]
 *
 * The programs are those that Ravel was measured on (docs/design/logical-time.md 8): halo
 * exchanges, merge trees, rings, random neighbours, collectives. They are run here by a simulator
 * with eager messages; its records are fed to the core one by one, as a reader of chunks would.
 * Prints one row a program: name, comm events (the Isends of an exchange are one), phases, ns CPU
 * an event (input, structure, metrics), peak bytes an event, CPU s in all, Ravel's CPU s for it,
 * peak bytes a call that carries messages or a collective (each Isend is one).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "logical/input.h"
#include "logical/logical.h"
#include "logical/metrics.h"

typedef enum Region
{
	MAIN,
	EXCHANGE,
	MPI_SEND,
	MPI_RECV,
	MPI_ISEND,
	MPI_IRECV,
	MPI_WAITALL,
	MPI_ALLREDUCE,
	N_REGIONS
} Region;

typedef enum Action
{
	COMPUTE,
	ENTER,
	LEAVE,
	SEND,
	RECV,
	ISEND,
	IRECV,
	WAITALL,
	COLLECTIVE
} Action;

typedef struct Step
{
	uint32_t action, peer, tag;
} Step;

typedef struct Record
{
	int64_t time;
	uint32_t kind, region, peer, tag, request;
} Record;

typedef struct Message
{
	uint32_t next; /* 1 + index, 0: none */
	uint32_t tag, from;
	int64_t arrival;
} Message;

typedef struct Rank
{
	Step *steps;
	Record *records;
	uint32_t n_steps, steps_room, n_records, records_room;
	uint32_t at;							   /* the step that comes next */
	uint32_t messages;						   /* 1 + the first that waits */
	uint32_t first_open, next_request, posted; /* requests from first_open on are open */
	bool arrived;							   /* at the collective */
	int64_t time;
} Rank;

typedef struct Simulation
{
	uint32_t n_ranks, n_messages, messages_room, n_arrived;
	uint32_t left; /* have left the collective that all have arrived at */
	int64_t last_arrival;
	Rank *ranks;
	Message *messages;
	uint64_t random;
} Simulation;

static void *
grow(void *items, uint32_t *room, uint32_t n, size_t size)
{
	if (n < *room)
		return items;
	*room = *room * 2 + 64;
	items = realloc(items, *room * size);
	if (items == NULL)
		abort();
	return items;
}

static void
do_step(Simulation *simulation, uint32_t rank, Action action, uint32_t peer, uint32_t tag)
{
	Rank *r = &simulation->ranks[rank];
	r->steps = grow(r->steps, &r->steps_room, r->n_steps, sizeof(Step));
	r->steps[r->n_steps++] = (Step){action, peer, tag};
}

static void
record(Rank *rank, uint32_t kind, uint32_t region, const Step *step, uint32_t request)
{
	rank->records = grow(rank->records, &rank->records_room, rank->n_records, sizeof(Record));
	rank->records[rank->n_records++] =
		(Record){rank->time, kind, region, step->peer, step->tag, request};
}

static uint32_t
random_below(Simulation *simulation, uint32_t limit)
{
	simulation->random = simulation->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t) (simulation->random >> 33) % limit;
}

static void
deliver(Simulation *simulation, uint32_t from, const Step *step)
{
	Rank *to = &simulation->ranks[step->peer];
	simulation->messages = grow(simulation->messages, &simulation->messages_room,
								simulation->n_messages, sizeof(Message));
	uint32_t index = simulation->n_messages++, *link = &to->messages;
	while (*link != 0)
		link = &simulation->messages[*link - 1].next;
	*link = index + 1;
	simulation->messages[index] = (Message){
		0, step->tag, from, simulation->ranks[from].time + 1500 + random_below(simulation, 500)};
}

/* Take the message that a receive names; false when it has not been sent. */
static bool
take(Simulation *simulation, Rank *rank, const Step *step, int64_t *arrival)
{
	for (uint32_t *link = &rank->messages; *link != 0; link = &simulation->messages[*link - 1].next)
	{
		Message *message = &simulation->messages[*link - 1];
		if (message->tag != step->tag || message->from != step->peer)
			continue;
		*arrival = message->arrival;
		*link = message->next;
		return true;
	}
	return false;
}

static void
call_begins(Rank *rank, Region region, const Step *step)
{
	record(rank, PH_EVENT_ENTER, region, step, 0);
	rank->time += 20;
}

static void
call_ends(Rank *rank, Region region, const Step *step)
{
	rank->time += 20;
	record(rank, PH_EVENT_LEAVE, region, step, 0);
	rank->time += 20;
}

static bool
do_receive(Simulation *simulation, Rank *rank, const Step *step)
{
	int64_t arrival;
	if (!take(simulation, rank, step, &arrival))
		return false;
	call_begins(rank, MPI_RECV, step);
	rank->time = arrival > rank->time ? arrival : rank->time;
	record(rank, PH_EVENT_RECV, MPI_RECV, step, 0);
	call_ends(rank, MPI_RECV, step);
	return true;
}

/* Steps from `posted` to here hold the requests: all must have arrived before any is taken. */
static bool
do_waitall(Simulation *simulation, Rank *rank, const Step *step)
{
	int64_t arrival;
	uint32_t request = rank->first_open;
	for (uint32_t i = rank->posted; i < rank->at; i++)
	{
		const Step *post = &rank->steps[i];
		bool found = post->action != IRECV;
		for (uint32_t m = rank->messages; !found && m != 0; m = simulation->messages[m - 1].next)
			found = simulation->messages[m - 1].tag == post->tag &&
					simulation->messages[m - 1].from == post->peer;
		if (!found)
			return false;
	}
	call_begins(rank, MPI_WAITALL, step);
	for (uint32_t i = rank->posted; i < rank->at; i++)
	{
		const Step *post = &rank->steps[i];
		if (post->action == IRECV && take(simulation, rank, post, &arrival))
		{
			rank->time = arrival > rank->time ? arrival : rank->time;
			record(rank, PH_EVENT_IRECV, MPI_WAITALL, post, request++);
		}
		else if (post->action == ISEND)
			record(rank, PH_EVENT_ISEND_COMPLETE, MPI_WAITALL, post, request++);
	}
	call_ends(rank, MPI_WAITALL, step);
	rank->posted = rank->at + 1;
	rank->first_open = rank->next_request;
	return true;
}

/* All arrive, then all leave; who comes first waits, also for those who still leave the last one.
 */
static bool
do_collective(Simulation *simulation, Rank *rank, const Step *step)
{
	if (!rank->arrived)
	{
		if (simulation->left > 0)
			return false;
		rank->arrived = true;
		simulation->n_arrived++;
		if (rank->time > simulation->last_arrival)
			simulation->last_arrival = rank->time;
	}
	if (simulation->n_arrived < simulation->n_ranks)
		return false;
	call_begins(rank, MPI_ALLREDUCE, step);
	record(rank, PH_EVENT_COLLECTIVE_BEGIN, MPI_ALLREDUCE, step, 0);
	rank->time = simulation->last_arrival + 1500 + random_below(simulation, 250);
	record(rank, PH_EVENT_COLLECTIVE_END, MPI_ALLREDUCE, step, 0);
	call_ends(rank, MPI_ALLREDUCE, step);
	rank->arrived = false;
	if (++simulation->left == simulation->n_ranks)
	{
		simulation->left = simulation->n_arrived = 0;
		simulation->last_arrival = 0;
	}
	return true;
}

static bool
run_step(Simulation *simulation, uint32_t index)
{
	Rank *rank = &simulation->ranks[index];
	const Step *step = &rank->steps[rank->at];
	bool immediate = step->action == ISEND || step->action == IRECV;
	Region region = step->action == SEND ? MPI_SEND : step->action == ISEND ? MPI_ISEND : MPI_IRECV;
	switch (step->action)
	{
		case COMPUTE:
			rank->time += 20000 + random_below(simulation, 2000);
			break;
		case ENTER:
		case LEAVE:
			record(rank, step->action == ENTER ? PH_EVENT_ENTER : PH_EVENT_LEAVE, step->peer, step,
				   0);
			rank->time += 20;
			break;
		case RECV:
			return do_receive(simulation, rank, step);
		case WAITALL:
			return do_waitall(simulation, rank, step);
		case COLLECTIVE:
			return do_collective(simulation, rank, step);
		default:
			call_begins(rank, region, step);
			record(rank,
				   step->action == SEND	   ? PH_EVENT_SEND
				   : step->action == ISEND ? PH_EVENT_ISEND
										   : PH_EVENT_IRECV_REQUEST,
				   region, step, immediate ? rank->next_request++ : 0);
			if (step->action != IRECV)
				deliver(simulation, index, step);
			call_ends(rank, region, step);
	}
	return true;
}

/* Round after round, every rank as far as it gets; deadlock ends the program. */
static void
run_simulation(Simulation *simulation)
{
	bool moved = true;
	while (moved)
	{
		moved = false;
		for (uint32_t r = 0; r < simulation->n_ranks; r++)
		{
			Rank *rank = &simulation->ranks[r];
			while (rank->at < rank->n_steps && run_step(simulation, r))
			{
				rank->at++;
				moved = true;
			}
		}
	}
	for (uint32_t r = 0; r < simulation->n_ranks; r++)
		if (simulation->ranks[r].at < simulation->ranks[r].n_steps)
			abort();
}

/* -------------------------------------------------------------------------------------- programs
 */

typedef struct Shape
{
	const char *name;
	uint32_t n_ranks, n_iterations;
	bool exchange; /* communication is below a call of its own */
	double ravel;  /* CPU s */
} Shape;

typedef void (*Program)(Simulation *simulation, const Shape *shape);

static bool
neighbour(uint32_t n, uint32_t rank, uint32_t direction, uint32_t *out)
{
	static const int dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
	uint32_t width = 1;
	for (uint32_t i = 1; i * i <= n; i++)
		width = n % i == 0 ? i : width;
	int x = (int) (rank % width) + dx[direction], y = (int) (rank / width) + dy[direction];
	if (x < 0 || y < 0 || x >= (int) width || y >= (int) (n / width))
		return false;
	*out = (uint32_t) y * width + (uint32_t) x;
	return true;
}

static void
post_all(Simulation *simulation, uint32_t n, uint32_t r, Action action, bool opposite)
{
	uint32_t peer;
	for (uint32_t d = 0; d < 4; d++)
		if (neighbour(n, r, opposite ? d ^ 1 : d, &peer))
			do_step(simulation, r, action, peer, d);
}

static void
halo(Simulation *simulation, const Shape *shape, bool wait, bool reduce)
{
	uint32_t peer;
	for (uint32_t r = 0; r < shape->n_ranks; r++)
		for (uint32_t i = 0; i < shape->n_iterations; i++)
		{
			do_step(simulation, r, COMPUTE, 0, 0);
			if (shape->exchange)
				do_step(simulation, r, ENTER, EXCHANGE, 0);
			if (wait)
			{
				post_all(simulation, shape->n_ranks, r, IRECV, true);
				post_all(simulation, shape->n_ranks, r, ISEND, false);
				do_step(simulation, r, WAITALL, 0, 0);
			}
			for (uint32_t d = 0; d < 4 && !wait; d++)
			{
				if (neighbour(shape->n_ranks, r, d, &peer))
					do_step(simulation, r, SEND, peer, d);
				if (neighbour(shape->n_ranks, r, d ^ 1, &peer))
					do_step(simulation, r, RECV, peer, d);
			}
			if (shape->exchange)
				do_step(simulation, r, LEAVE, EXCHANGE, 0);
			if (reduce)
				do_step(simulation, r, COLLECTIVE, 0, 0);
		}
}

static void
halo_waiting(Simulation *simulation, const Shape *shape)
{
	halo(simulation, shape, true, false);
}

static void
halo_blocking(Simulation *simulation, const Shape *shape)
{
	halo(simulation, shape, false, false);
}

static void
halo_reducing(Simulation *simulation, const Shape *shape)
{
	halo(simulation, shape, true, true);
}

static void
allreduce_mix(Simulation *simulation, const Shape *shape)
{
	for (uint32_t r = 0; r < shape->n_ranks; r++)
		for (uint32_t i = 0; i < shape->n_iterations; i++)
		{
			do_step(simulation, r, COMPUTE, 0, 0);
			do_step(simulation, r, COLLECTIVE, 0, 0);
			do_step(simulation, r, ISEND, r ^ 1, i);
			do_step(simulation, r, IRECV, r ^ 1, i);
			do_step(simulation, r, WAITALL, 0, 0);
			do_step(simulation, r, COLLECTIVE, 0, 0);
		}
}

/*
 * A rank is a child of the one with its last non-zero digit to base 8 cleared: what the children
 * send is merged level by level and sent on, and the result goes back the same way.
 */
static void
tree(Simulation *simulation, const Shape *shape)
{
	uint32_t n = shape->n_ranks;
	for (uint32_t i = 0; i < shape->n_iterations; i++)
		for (uint32_t r = 0; r < n; r++)
		{
			uint32_t power = 1;
			do_step(simulation, r, COMPUTE, 0, 0);
			for (; power < n && r % (power * 8) == 0; power *= 8)
				for (uint32_t c = 1; c < 8 && r + c * power < n; c++)
					do_step(simulation, r, RECV, r + c * power, i);
			if (r != 0)
			{
				do_step(simulation, r, SEND, r - r % (power * 8), i);
				do_step(simulation, r, RECV, r - r % (power * 8), i);
			}
			for (power /= 8; power > 0; power /= 8)
				for (uint32_t c = 1; c < 8 && r + c * power < n; c++)
					do_step(simulation, r, SEND, r + c * power, i);
		}
}

static void
ring(Simulation *simulation, const Shape *shape)
{
	uint32_t n = shape->n_ranks;
	for (uint32_t i = 0; i < shape->n_iterations; i++)
		for (uint32_t r = 0; r < n; r++)
		{
			do_step(simulation, r, COMPUTE, 0, 0);
			do_step(simulation, r, ENTER, EXCHANGE, 0);
			if (r > 0)
				do_step(simulation, r, RECV, r - 1, i);
			do_step(simulation, r, SEND, (r + 1) % n, i);
			if (r == 0)
				do_step(simulation, r, RECV, n - 1, i);
			do_step(simulation, r, LEAVE, EXCHANGE, 0);
		}
}

static void
random_neighbours(Simulation *simulation, const Shape *shape)
{
	uint32_t n = shape->n_ranks, *peers = malloc(3 * n * sizeof(uint32_t));
	for (uint32_t i = 0; i < shape->n_iterations; i++)
	{
		for (uint32_t k = 0; k < 3 * n; k++)
			peers[k] = (k / 3 + 1 + random_below(simulation, n - 1)) % n;
		for (uint32_t r = 0; r < n; r++)
		{
			do_step(simulation, r, COMPUTE, 0, 0);
			do_step(simulation, r, ENTER, EXCHANGE, 0);
		}
		for (uint32_t k = 0; k < 3 * n; k++)
			do_step(simulation, peers[k], IRECV, k / 3, i * 4 + k % 3);
		for (uint32_t k = 0; k < 3 * n; k++)
			do_step(simulation, k / 3, ISEND, peers[k], i * 4 + k % 3);
		for (uint32_t r = 0; r < n; r++)
		{
			do_step(simulation, r, WAITALL, 0, 0);
			do_step(simulation, r, LEAVE, EXCHANGE, 0);
		}
	}
	free(peers);
}

/* ------------------------------------------------------------------------------------- measuring
 */

static size_t peak;

/* malloc with a memory of the greatest sum. */
static void *
counting_alloc(void *user, void *pointer, size_t old_size, size_t new_size)
{
	size_t *bytes = user;
	*bytes += new_size - old_size;
	peak = *bytes > peak ? *bytes : peak;
	if (new_size == 0)
	{
		free(pointer);
		return NULL;
	}
	return realloc(pointer, new_size);
}

static double
cpu_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static void
must(PhEnv *env, PhStatus status)
{
	if (status == PH_OK)
		return;
	fprintf(stderr, "bench_logical: %s\n", env->error.message);
	exit(1);
}

/* Calls that carry a message, sent or completely received, or a collective. */
static uint32_t
communicating_calls(const Rank *rank)
{
	uint32_t n = 0;
	bool carries = false;
	for (uint32_t i = 0; i < rank->n_records; i++)
		switch (rank->records[i].kind)
		{
			case PH_EVENT_ENTER:
				carries = false;
				break;
			case PH_EVENT_LEAVE:
				n += carries ? 1 : 0;
				carries = false;
				break;
			case PH_EVENT_IRECV_REQUEST:
			case PH_EVENT_ISEND_COMPLETE:
				break;
			default:
				carries = true;
		}
	return n;
}

static void
feed(PhEnv *env, PhLogicalInput *input, uint32_t location, const Rank *rank)
{
	must(env, ph_logical_input_location(input, location));
	for (uint32_t i = 0; i < rank->n_records; i++)
	{
		const Record *record_at = &rank->records[i];
		PhEvent event = {.time = record_at->time,
						 .kind = (PhEventKind) record_at->kind,
						 .region = record_at->region,
						 .peer = record_at->peer,
						 .tag = (int32_t) record_at->tag,
						 .request = record_at->request,
						 .operation = PH_COLLECTIVE_ALLREDUCE,
						 .root = PH_NONE,
						 .bytes = 1024};
		must(env, ph_logical_input_event(input, &event));
	}
}

static void
set_up_trace(uint32_t n, PhTraceModel *trace)
{
	static const char *const names[] = {"main",		 "exchange",  "MPI_Send",	 "MPI_Recv",
										"MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Allreduce"};
	static PhTraceRegion regions[N_REGIONS];
	static PhTraceCommunicator world = {.name = "world", .is_mpi = true};
	for (int r = 0; r < N_REGIONS; r++)
		regions[r] = (PhTraceRegion){.name = names[r], .paradigm = r < MPI_SEND ? "user" : "mpi"};
	world.n_members = n;
	memset(trace, 0, sizeof(*trace));
	trace->n_locations = trace->n_ranks = n;
	trace->n_regions = N_REGIONS;
	trace->regions = regions;
	trace->n_communicators = 1;
	trace->communicators = &world;
	trace->locations = calloc(n, sizeof(PhTraceLocation));
	for (uint32_t l = 0; l < n; l++)
		trace->locations[l].rank = (int32_t) l;
}

static void
measure(const Simulation *simulation, const Shape *shape, bool call_tree_merge)
{
	size_t bytes = 0;
	PhEnv env;
	PhTraceModel trace;
	PhLogicalOptions options;
	PhLogicalInput *input;
	PhLogicalModel model;
	PhLogical logical;
	PhLogicalMetrics metrics;
	ph_env_init_malloc(&env);
	env.alloc = counting_alloc;
	env.user = &bytes;
	peak = 0;
	set_up_trace(simulation->n_ranks, &trace);
	ph_logical_options_default(&options);
	options.call_tree_merge = call_tree_merge;
	double start = cpu_seconds();
	must(&env, ph_logical_input_new(&env, &trace, &options, &input));
	for (uint32_t r = 0; r < simulation->n_ranks; r++)
		feed(&env, input, r, &simulation->ranks[r]);
	must(&env, ph_logical_input_finish(input, &model));
	ph_logical_input_free(input);
	double read = cpu_seconds();
	must(&env, ph_logical_build(&env, &model, &options, &logical));
	double built = cpu_seconds();
	must(&env, ph_logical_metrics_build(&env, &logical, &metrics));
	double done = cpu_seconds();
	double n = model.n_events, calls = 0;
	for (uint32_t r = 0; r < simulation->n_ranks; r++)
		calls += communicating_calls(&simulation->ranks[r]);
	printf("%s\t%u\t%u\t%.0f\t%.0f\t%.0f\t%.1f\t%.4f\t%.2f\t%.1f\n", shape->name, model.n_events,
		   logical.n_phases, 1e9 * (read - start) / n, 1e9 * (built - read) / n,
		   1e9 * (done - built) / n, (double) peak / n, done - start, shape->ravel,
		   (double) peak / calls);
	fflush(stdout);
	ph_logical_metrics_free(&metrics);
	ph_logical_free(&logical);
	ph_logical_model_free(&model);
	free(trace.locations);
}

static void
bench(const Shape *shape, Program program, bool call_tree_merge)
{
	Simulation simulation = {.n_ranks = shape->n_ranks, .random = 1};
	simulation.ranks = calloc(shape->n_ranks, sizeof(Rank));
	for (uint32_t r = 0; r < shape->n_ranks; r++)
		do_step(&simulation, r, ENTER, MAIN, 0);
	program(&simulation, shape);
	for (uint32_t r = 0; r < shape->n_ranks; r++)
		do_step(&simulation, r, LEAVE, MAIN, 0);
	run_simulation(&simulation);
	measure(&simulation, shape, call_tree_merge);
	for (uint32_t r = 0; r < shape->n_ranks; r++)
	{
		free(simulation.ranks[r].steps);
		free(simulation.ranks[r].records);
	}
	free(simulation.ranks);
	free(simulation.messages);
}

int
main(int argc, char **argv)
{
	static const struct
	{
		Shape shape;
		Program program;
		bool no_merge, slow;
	} rows[] = {
		{{"halo sswa 64 x 10", 64, 10, true, 0.02}, halo_waiting, false, false},
		{{"halo sswa 256 x 10", 256, 10, true, 0.16}, halo_waiting, false, false},
		{{"halo sswa 1024 x 10", 1024, 10, true, 0.91}, halo_waiting, false, false},
		{{"halo sswa 64 x 100", 64, 100, true, 0.38}, halo_waiting, false, false},
		{{"halo sswa 64 x 1000", 64, 1000, true, 4.31}, halo_waiting, false, false},
		{{"halo sswa 64 x 4000", 64, 4000, true, 20.9}, halo_waiting, false, true},
		{{"halo sswa 1024 x 100", 1024, 100, true, 8.51}, halo_waiting, false, false},
		{{"merge tree 8-ary 1024 x 3", 1024, 3, false, 0.20}, tree, false, false},
		{{"merge tree 8-ary 16384 x 3", 16384, 3, false, 23.8}, tree, false, false},
		{{"ring token 1024 x 4", 1024, 4, true, 1.23}, ring, false, false},
		{{"random neighbours 256 x 20", 256, 20, true, 0.35}, random_neighbours, false, false},
		{{"halo + allreduce 64 x 100", 64, 100, true, 0.61}, halo_reducing, false, false},
		{{"allreduce mix 64 x 10", 64, 10, false, 0.03}, allreduce_mix, false, false},
		{{"allreduce mix 256 x 10", 256, 10, false, 0.30}, allreduce_mix, false, false},
		{{"allreduce mix 1024 x 10", 1024, 10, false, 4.57}, allreduce_mix, false, false},
		{{"allreduce mix 4096 x 3", 4096, 3, false, 37.8}, allreduce_mix, false, false},
		{{"flat halo srsr 64 x 100", 64, 100, false, 1.07}, halo_blocking, false, false},
		{{"flat halo srsr 64 x 400", 64, 400, false, 8.86}, halo_blocking, false, false},
		{{"flat halo srsr 64 x 1000", 64, 1000, false, 115.8}, halo_blocking, false, false},
		{{"merge tree 8-ary 1024 x 25", 1024, 25, false, 16.0}, tree, false, false},
		{{"halo srsr 64 x 100, no call merge", 64, 100, true, 1.14}, halo_blocking, true, false},
		{{"flat halo srsr 64 x 20000", 64, 20000, false, 0}, halo_blocking, false, true},
	};
	bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
	printf("program\tevents\tphases\tinput\tstructure\tmetrics\tbytes\tcpu\travel\tbytes a call\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!quick || !rows[i].slow)
			bench(&rows[i].shape, rows[i].program, !rows[i].no_merge);
	return 0;
}
