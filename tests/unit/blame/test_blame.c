/*
 * test_blame.c - waits, their intervals, times of call paths and delay costs of random programs
 * against plain searches that follow the published method; faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/blamed.h"
#include "support/fault_env.h"
#include "support/rounds.h"

#define N_TRACES rounds(500)

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

static PhEnv env;
static CommTrace trace;
static Blamed test;

/* In some traces one of the program's functions is MPI_Init. */
static void
make_trace(uint64_t seed)
{
	static PhTraceRegion regions[COMM_REGIONS];
	for (uint32_t i = 0; i < COMM_REGIONS; i++)
		regions[i].name = i == COMM_USER_A ? "MPI_Init" : "f";
	comm_random(seed, 100 + (uint32_t) seed % 1100, &trace);
	if (seed % 7 == 0)
	{
		trace.model.regions = regions;
		trace.model.n_regions = COMM_REGIONS;
	}
	if (seed % 3 == 0)
		make_rendezvous(&trace);
	if (seed % 7 != 0 && seed % 4 == 0)
		make_synchronous(&trace);
	if (seed % 5 == 0)
		spoil_clocks(&trace, seed, 40);
}

/* ---- waits ---- */

static bool classes[65];

static bool
is_end(uint32_t at, uint32_t seq)
{
	uint32_t kind = trace.events[at][seq].kind;
	return ph_is_send(kind) || ph_is_receive(kind) || trace.instance[at][seq] != PH_NONE;
}

/* What waiting in a collective is, by what ended it. */
static PhWaitKind
plain_kind(const PhWait *wait)
{
	const PhCommEnd *end = &test.skeleton->locations[wait->victim].ends[wait->end];
	switch (trace.events[wait->victim][end->seq].operation)
	{
		case PH_COLLECTIVE_BARRIER:
			return PH_WAIT_BARRIER;
		case PH_COLLECTIVE_BCAST:
		case PH_COLLECTIVE_SCATTER:
			return PH_WAIT_LATE_BROADCAST;
		case PH_COLLECTIVE_REDUCE:
		case PH_COLLECTIVE_GATHER:
			return PH_WAIT_EARLY_REDUCE;
		case PH_COLLECTIVE_SCAN:
			return PH_WAIT_EARLY_SCAN;
		default:
			return PH_WAIT_N_TO_N;
	}
}

/* Of all kinds but those in which messages are received, which check_orders tells apart. */
static void
check_kinds(uint64_t seed, uint32_t *n)
{
	for (uint32_t i = 0; i < test.waits.n; i++)
	{
		const PhWait *wait = &test.waits.waits[i];
		if (wait->instance != PH_NONE && wait->kind != plain_kind(wait))
			fail_msg("seed %llu: kind of wait %u", (unsigned long long) seed, i);
		n[wait->kind]++;
	}
}

static void
check_waits(uint64_t seed)
{
	rendezvous_classes(&trace, classes);
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
	{
		uint32_t next = test.waits.first[at];
		for (uint32_t call = 0; call < trace.n_events[at]; call++)
		{
			if (trace.events[at][call].kind != PH_EVENT_ENTER ||
				!is_innermost_call(&trace, at, call))
				continue;
			PhWait expected = plain_wait(&trace, classes, at, call);
			if (expected.to <= expected.from)
				continue;
			const PhWait *wait = &test.waits.waits[next++];
			if (next > test.waits.first[at + 1] || wait->from != expected.from ||
				wait->to != expected.to || wait->awaited != expected.awaited ||
				wait->release != expected.release)
				fail_msg("seed %llu: wait of call %u at %u", (unsigned long long) seed, call, at);
		}
		assert_int_equal(next, test.waits.first[at + 1]);
	}
}

/* Did a later call of the victim receive what was sent earlier and could be taken instead? */
static bool
plain_wrong_order(const PhWait *wait)
{
	const PhCommLocation *victim = &test.skeleton->locations[wait->victim];
	uint32_t at = wait->victim, call = (uint32_t) victim->calls[wait->call].seq;
	uint32_t end = (uint32_t) victim->ends[wait->end].seq;
	PhLink sender = trace.truth[at][end];
	bool is_next = true;
	for (uint32_t i = end + 1; i < trace.n_events[at]; i++)
	{
		PhLink other = trace.truth[at][i];
		if (!is_end(at, i) || enclosing_call(&trace, at, i) == call)
			continue;
		is_next = is_next && ph_is_receive(trace.events[at][i].kind);
		if (ph_is_receive(trace.events[at][i].kind) && other.location != PH_NONE &&
			(is_next || other.location == sender.location) &&
			trace.events[other.location][other.seq].time <
				trace.events[sender.location][sender.seq].time)
			return true;
	}
	return false;
}

/* Late senders are in wrong order or not; returns how many are. */
static uint32_t
check_orders(uint64_t seed)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < test.waits.n; i++)
	{
		const PhWait *wait = &test.waits.waits[i];
		if (wait->kind != PH_WAIT_LATE_SENDER && wait->kind != PH_WAIT_WRONG_ORDER)
			continue;
		bool is_wrong = plain_wrong_order(wait);
		n += is_wrong;
		if (is_wrong != (wait->kind == PH_WAIT_WRONG_ORDER))
			fail_msg("seed %llu: order of wait %u", (unsigned long long) seed, i);
	}
	return n;
}

/* ---- intervals ---- */

typedef struct PlainMeeting
{
	int64_t left, partner_left;
} PlainMeeting;

static int64_t
plain_left(uint32_t at, uint32_t seq)
{
	uint32_t call = enclosing_call(&trace, at, seq);
	return call == PH_NONE ? trace.events[at][seq].time : call_leave(&trace, at, call);
}

/* The event at another location that ended the same collective; PH_NONE. */
static uint32_t
member_at(uint32_t location, uint32_t instance)
{
	for (uint32_t i = 0; i < trace.n_events[location]; i++)
		if (trace.instance[location][i] == instance)
			return i;
	return PH_NONE;
}

/* The other end of an event at a location. */
static uint32_t
other_end(uint32_t at, uint32_t seq, uint32_t other)
{
	if (trace.instance[at][seq] != PH_NONE)
		return member_at(other, trace.instance[at][seq]);
	if (ph_is_receive(trace.events[at][seq].kind))
		return trace.truth[at][seq].location == other ? (uint32_t) trace.truth[at][seq].seq
													  : PH_NONE;
	for (uint32_t i = 0; i < trace.n_events[other]; i++)
		if (ph_is_receive(trace.events[other][i].kind) && trace.truth[other][i].location == at &&
			trace.truth[other][i].seq == seq)
			return i;
	return PH_NONE;
}

static int64_t
plain_entered(uint32_t at, uint32_t seq)
{
	uint32_t call = enclosing_call(&trace, at, seq);
	return trace.events[at][call == PH_NONE ? seq : call].time;
}

static bool
plain_meets(uint32_t at, uint32_t seq, uint32_t other, uint32_t other_seq)
{
	return plain_entered(at, seq) <= plain_left(other, other_seq) &&
		   plain_entered(other, other_seq) <= plain_left(at, seq);
}

/* Where a location left MPI_Init, else its first event. */
static int64_t
plain_begin(uint32_t at)
{
	for (uint32_t i = 0; i < trace.n_events[at]; i++)
		if (trace.model.regions != NULL && trace.events[at][i].kind == PH_EVENT_LEAVE &&
			strcmp(trace.model.regions[trace.events[at][i].region].name, "MPI_Init") == 0)
			return trace.events[at][i].time;
	return trace.events[at][0].time;
}

static PhWaitInterval
plain_interval(const PhWait *wait)
{
	const PhCommLocation *victim = &test.skeleton->locations[wait->victim];
	uint32_t end = (uint32_t) victim->ends[wait->end].seq, at = wait->victim, q = wait->awaited;
	uint32_t call = (uint32_t) victim->calls[wait->call].seq;
	for (uint32_t i = call; i-- > 0;)
	{
		if (!is_end(at, i) || enclosing_call(&trace, at, i) == call)
			continue;
		bool counts =
			wait->instance == PH_NONE || (trace.instance[at][i] != PH_NONE &&
										  trace.events[at][i].comm == trace.events[at][end].comm);
		uint32_t other = counts ? other_end(at, i, q) : PH_NONE;
		if (other == PH_NONE || !plain_meets(at, i, q, other) || plain_left(at, i) > wait->from)
			continue;
		int64_t parted = plain_left(at, i);
		if (plain_left(q, other) < parted)
			parted = plain_left(q, other);
		if (parted <= wait->release)
			return (PhWaitInterval){parted, parted};
	}
	int64_t here = plain_begin(at), there = plain_begin(q);
	return (PhWaitInterval){here < wait->from ? here : wait->from,
							there < wait->release ? there : wait->release};
}

static void
check_intervals(uint64_t seed)
{
	for (uint32_t i = 0; i < test.waits.n; i++)
	{
		PhWaitInterval expected = plain_interval(&test.waits.waits[i]);
		if (expected.victim_from != test.intervals[i].victim_from ||
			expected.awaited_from != test.intervals[i].awaited_from)
			fail_msg("seed %llu: interval of wait %u", (unsigned long long) seed, i);
	}
}

/* ---- a program whose causes are known ---- */

#define N_RANKS 8
#define N_ITERATIONS 20
#define COMPUTE 10000
#define LATENCY 50

/* Ranks on a line compute, exchange with their neighbours, and add up in every fifth iteration. */
typedef struct Program
{
	uint32_t slow;	/* rank that computes longer, */
	uint32_t where; /* in this region (COMM_USER_A or B), */
	int64_t extra;	/* by so much */
	int64_t start;	/* of all clocks */
	bool reversed;	/* ranks are numbered from the other end */
	uint32_t depth; /* 0: in one call, else in so many within each other */
} Program;

static uint32_t
location_of(const Program *program, uint32_t rank)
{
	return program->reversed ? N_RANKS - 1 - rank : rank;
}

static PhEvent *
add_event(uint32_t at, PhEventKind kind, int64_t time)
{
	uint32_t seq = trace.n_events[at]++;
	PhEvent *event = &trace.events[at][seq];
	*event =
		(PhEvent){.time = time, .kind = kind, .peer = PH_NONE, .comm = PH_NONE, .root = PH_NONE};
	trace.truth[at][seq] = (PhLink){PH_NONE, 0, 0};
	trace.instance[at][seq] = PH_NONE;
	return event;
}

static void
add_call(uint32_t at, uint32_t region, int64_t *clock, int64_t duration)
{
	add_event(at, PH_EVENT_ENTER, *clock)->region = region;
	*clock += duration;
	add_event(at, PH_EVENT_LEAVE, *clock)->region = region;
}

/* Calls within each other, in each of which a part of the time is spent. */
static void
add_nested_calls(uint32_t at, uint32_t depth, int64_t *clock, int64_t duration)
{
	for (uint32_t i = 0; i < depth; i++)
	{
		add_event(at, PH_EVENT_ENTER, *clock)->region = COMM_USER_A + i % 2;
		*clock += duration / depth;
	}
	for (uint32_t i = depth; i-- > 0;)
		add_event(at, PH_EVENT_LEAVE, *clock)->region = COMM_USER_A + i % 2;
}

static void
add_message(uint32_t at, PhEventKind kind, int64_t time, uint32_t other, PhLink truth)
{
	PhEvent *event = add_event(at, kind, time);
	event->peer = other;
	event->comm = 0;
	event->bytes = 8;
	event->request = trace.n_events[at];
	trace.truth[at][trace.n_events[at] - 1] = truth;
}

/* Everybody sends to his neighbours, then waits for theirs. */
static void
exchange(const Program *program, int64_t *clock)
{
	PhLink sent[N_RANKS][2];
	for (uint32_t r = 0; r < N_RANKS; r++)
		for (uint32_t side = 0; side < 2; side++)
		{
			uint32_t at = location_of(program, r), other = r + 2 * side - 1;
			if (other >= N_RANKS)
				continue;
			add_event(at, PH_EVENT_ENTER, clock[r])->region = COMM_ISEND;
			sent[r][side] = (PhLink){at, trace.n_events[at], ++clock[r]};
			add_message(at, PH_EVENT_ISEND, clock[r], location_of(program, other),
						(PhLink){PH_NONE, 0, 0});
			add_event(at, PH_EVENT_LEAVE, ++clock[r])->region = COMM_ISEND;
		}
	for (uint32_t r = 0; r < N_RANKS; r++)
	{
		uint32_t at = location_of(program, r);
		add_event(at, PH_EVENT_ENTER, clock[r])->region = COMM_WAITALL;
		for (uint32_t side = 0; side < 2; side++)
			if (r + 2 * side - 1 < N_RANKS)
			{
				int64_t arrived = sent[r + 2 * side - 1][1 - side].time + LATENCY;
				clock[r] = arrived > clock[r] ? arrived : clock[r] + 1;
			}
		for (uint32_t side = 0; side < 2; side++)
			if (r + 2 * side - 1 < N_RANKS)
				add_message(at, PH_EVENT_IRECV, clock[r], sent[r + 2 * side - 1][1 - side].location,
							sent[r + 2 * side - 1][1 - side]);
		add_event(at, PH_EVENT_LEAVE, ++clock[r])->region = COMM_WAITALL;
	}
}

static void
add_up(const Program *program, int64_t *clock)
{
	int64_t last = 0;
	for (uint32_t r = 0; r < N_RANKS; r++)
		last = clock[r] > last ? clock[r] : last;
	for (uint32_t r = 0; r < N_RANKS; r++)
	{
		uint32_t at = location_of(program, r);
		add_event(at, PH_EVENT_ENTER, clock[r])->region = COMM_COLLECTIVE;
		add_event(at, PH_EVENT_COLLECTIVE_BEGIN, clock[r]);
		clock[r] = last + LATENCY;
		PhEvent *end = add_event(at, PH_EVENT_COLLECTIVE_END, clock[r]);
		end->operation = PH_COLLECTIVE_ALLREDUCE;
		end->comm = 0;
		add_event(at, PH_EVENT_LEAVE, ++clock[r])->region = COMM_COLLECTIVE;
	}
}

static void
run_program(const Program *program)
{
	int64_t clock[N_RANKS];
	comm_random(1, 1, &trace); /* for its regions */
	memset(trace.n_events, 0, sizeof(trace.n_events));
	trace.model.n_locations = trace.model.n_ranks = N_RANKS;
	trace.model.n_communicators = 1;
	trace.communicators[0].n_members = N_RANKS;
	for (uint32_t r = 0; r < N_RANKS; r++)
	{
		trace.members[0][r] = r;
		trace.locations[r].rank = (int32_t) r;
		clock[r] = program->start;
		add_event(location_of(program, r), PH_EVENT_ENTER, clock[r])->region = COMM_MAIN;
	}
	trace.communicators[0].members = trace.members[0];
	for (uint32_t i = 0; i < N_ITERATIONS; i++)
	{
		for (uint32_t r = 0; r < N_RANKS; r++)
			for (uint32_t region = COMM_USER_A; region <= COMM_USER_B; region++)
				add_call(location_of(program, r), region, &clock[r],
						 COMPUTE +
							 (r == program->slow && region == program->where && program->depth == 0
								  ? program->extra
								  : 0));
		if (program->slow < N_RANKS && program->depth > 0)
			add_nested_calls(location_of(program, program->slow), program->depth,
							 &clock[program->slow], program->extra);
		exchange(program, clock);
		if (i % 5 == 4)
			add_up(program, clock);
	}
	for (uint32_t r = 0; r < N_RANKS; r++)
		add_event(location_of(program, r), PH_EVENT_LEAVE, clock[r] + 1)->region = COMM_MAIN;
}

/* What a location's calls of a region cost the others. */
static int64_t
cost_of(uint32_t location, uint32_t region)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < test.blame.n_delays; i++)
		if (test.blame.delays[i].location == location &&
			ph_trace_tree_region(test.tree, test.blame.delays[i].node) == region)
			sum += test.blame.delays[i].short_term + test.blame.delays[i].long_term;
	return sum;
}

/* Edges tell of each location what its costs do, but for what single waits round. */
static void
check_edges_by_location(void)
{
	for (uint32_t location = 0; location < trace.model.n_locations; location++)
	{
		int64_t cost = 0, edges = 0;
		for (uint32_t i = 0; i < test.blame.n_delays; i++)
			if (test.blame.delays[i].location == location)
				cost += test.blame.delays[i].short_term + test.blame.delays[i].long_term;
		for (uint32_t i = 0; i < test.n_edges; i++)
			edges += test.edges[i].origin == location ? test.edges[i].ns : 0;
		assert_true(llabs(edges - cost) <= test.blame.waited / 100);
	}
}

/* ---- tests ---- */

/* One rank computes longer: nearly all waiting is its fault, whoever waited, wherever it is. */
static void
test_planted_delays(void **state)
{
	(void) state;
	for (uint32_t slow = 0; slow < N_RANKS; slow++)
		for (uint32_t where = COMM_USER_A; where <= COMM_USER_B; where++)
		{
			Program program = {slow, where, 5 * COMPUTE, 1000, slow % 2 == 1, 0};
			run_program(&program);
			must(blamed_find(&test, &env, &trace, slow + 1));
			assert_true(test.blame.waited > N_ITERATIONS * program.extra);
			assert_true(cost_of(location_of(&program, slow), where) > test.blame.waited / 100 * 95);
			for (uint32_t i = 0; i < test.waits.n; i++)
			{
				const PhWait *wait = &test.waits.waits[i];
				const PhWaitOrigin *origin = &test.blame.origins[i].largest[0];
				if (wait->to - wait->from < COMPUTE)
					continue;
				assert_true(origin->delay != PH_NONE && origin->share > 0.9F);
				assert_int_equal(test.blame.delays[origin->delay].location,
								 location_of(&program, slow));
			}
			blamed_free(&test);
		}
}

#define DEPTH 20

/* A rank that is late in calls within each other, a little in each: no single one of them is among
 * the largest origins of a wait, but the rank is known, also of waits that pass theirs on. */
static void
test_many_small_delays(void **state)
{
	(void) state;
	for (uint32_t slow = 0; slow < N_RANKS; slow++)
	{
		int64_t of_calls = 0, of_rank = 0, of_nobody = 0;
		Program program = {slow, COMM_USER_A, 5 * COMPUTE, 1000, slow % 2 == 1, DEPTH};
		run_program(&program);
		must(blamed_find(&test, &env, &trace, slow + 1));
		for (uint32_t i = 0; i < test.n_edges; i++)
		{
			const PhBlameEdge *edge = &test.edges[i];
			of_calls += edge->origin_node != PH_NONE ? edge->ns : 0;
			of_rank += edge->origin == location_of(&program, slow) ? edge->ns : 0;
			of_nobody += edge->origin == PH_NONE ? edge->ns : 0;
		}
		assert_true(of_calls < test.blame.waited / 10 * 8);
		assert_true(of_rank > test.blame.waited / 100 * 95);
		assert_true(of_nobody < test.blame.waited / 50);
		check_edges_by_location();
		blamed_free(&test);
	}
}

/* Nobody is late: there is nothing to blame but what messages take. */
static void
test_no_delay(void **state)
{
	(void) state;
	Program program = {.slow = PH_NONE, .start = 1};
	run_program(&program);
	must(blamed_find(&test, &env, &trace, 1));
	for (uint32_t at = 0; at < N_RANKS; at++)
		assert_true(cost_of(at, COMM_USER_A) == 0 && cost_of(at, COMM_USER_B) == 0);
	assert_true(test.blame.waited < N_ITERATIONS * N_RANKS * 10);
	blamed_free(&test);
}

/* All clocks changed by one amount, or ranks numbered in another way: the same answers. */
static void
test_invariance(void **state)
{
	(void) state;
	static int64_t expected[N_RANKS][COMM_REGIONS];
	for (uint32_t variant = 0; variant < 3; variant++)
	{
		Program program = {2, COMM_USER_B, 3 * COMPUTE, variant == 1 ? 123456789 : 0, variant == 2,
						   0};
		run_program(&program);
		must(blamed_find(&test, &env, &trace, variant + 1));
		for (uint32_t r = 0; r < N_RANKS; r++)
			for (uint32_t region = 0; region < COMM_REGIONS; region++)
			{
				int64_t cost = cost_of(location_of(&program, r), region);
				int64_t apart = cost - expected[r][region];
				if (variant == 0)
					expected[r][region] = cost;
				else if (variant == 1)
					assert_int_equal(apart, 0);
				else /* roundings are distributed in the order of locations */
					assert_true(llabs(apart) <= (int64_t) test.waits.n);
			}
		blamed_free(&test);
	}
}

static PhStatus
blame_in(PhEnv *with, void *user)
{
	PhStatus status = blamed_find(&test, with, &trace, *(uint64_t *) user);
	blamed_free(&test);
	return status;
}

static void
test_faults(void **state)
{
	(void) state;
	comm_random(3, 1200, &trace);
	for (uint64_t seed = 1; seed < 3; seed++)
	{
		assert_string_equal(fault_env_try_allocations(blame_in, &seed, 150), "");
		assert_string_equal(fault_env_try_interrupts(blame_in, &seed, 0), "");
	}
}

static void
test_random_programs(void **state)
{
	(void) state;
	uint32_t n_waits = 0, n_wrong = 0, n[PH_WAIT_KINDS] = {0};
	int64_t explained = 0, long_term = 0;
	for (uint64_t seed = 1; seed <= N_TRACES; seed++)
	{
		make_trace(seed);
		must(blamed_find(&test, &env, &trace, seed));
		assert_true(ph_trace_tree_n_nodes(test.tree) < BLAMED_NODES);
		check_waits(seed);
		check_kinds(seed, n);
		n_wrong += check_orders(seed);
		check_intervals(seed);
		blamed_check_costs(&test, seed);
		n_waits += test.waits.n;
		explained += test.blame.waited - test.blame.unexplained;
		for (uint32_t i = 0; i < test.blame.n_delays; i++)
			long_term += test.blame.delays[i].long_term;
		blamed_free(&test);
	}
	assert_true(n_waits > 4 * N_TRACES && n_wrong > N_TRACES / 8);
	for (uint32_t kind = 0; kind <= PH_WAIT_EARLY_SCAN; kind++)
		if (n[kind] <= N_TRACES / 50)
			fail_msg("%u waits of kind %s", n[kind], ph_wait_kind_name(kind));
	assert_true(explained > 0 && long_term > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_programs),	  cmocka_unit_test(test_planted_delays),
		cmocka_unit_test(test_many_small_delays), cmocka_unit_test(test_no_delay),
		cmocka_unit_test(test_invariance),		  cmocka_unit_test(test_faults),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
