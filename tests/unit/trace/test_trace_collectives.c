/*
 * test_trace_collectives.c - instances of collectives: programs, noise, lost members, merging,
 * faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/comm.h"
#include "support/fault_env.h"
#include "support/rounds.h"
#include "trace/collectives.h"

#define N_TRACES rounds(2000)
#define MOST_MEMBERS 6000

static PhEnv env;
static CommTrace trace;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

static PhStatus
visit_collectives(void *user, uint32_t location, uint64_t seq, const PhEvent *event,
				  const PhOpenCall *call)
{
	(void) call;
	return ph_collectives_add_event(user, location, seq, event);
}

static PhStatus
visit_chunk(void *user, const PhChunk *chunk, PhChunkReader *reader)
{
	return ph_collectives_add_chunk(user, chunk, reader);
}

static PhCollectives *
group_all(uint64_t seed, PhCollectiveRows *rows)
{
	PhCollectives *collectives;
	must(ph_collectives_new(&env, &trace.model, &collectives));
	must(comm_visit_all(&trace, seed, visit_collectives, collectives));
	must(ph_collectives_group(collectives, rows));
	return collectives;
}

/* ---- a slow reference ---- */

typedef struct PlainMember
{
	uint32_t location, begin, end; /* events; end PH_NONE: not finished */
	uint32_t instance;			   /* of the result; PH_NONE: none */
} PlainMember;

static PlainMember plain[MOST_MEMBERS];
static uint32_t n_plain;

static const PhEvent *
begin_of(const PlainMember *member)
{
	return &trace.events[member->location][member->begin];
}

static const PhEvent *
end_of(const PlainMember *member)
{
	return &trace.events[member->location][member->end];
}

/* The blocking end of a begin: the next event of either kind, when that is an end. */
static uint32_t
find_blocking_end(uint32_t location, uint32_t begin)
{
	for (uint32_t i = begin + 1; i < trace.n_events[location]; i++)
	{
		PhEventKind kind = trace.events[location][i].kind;
		if (kind == PH_EVENT_COLLECTIVE_BEGIN || kind == PH_EVENT_COLLECTIVE_END)
			return kind == PH_EVENT_COLLECTIVE_END ? i : PH_NONE;
	}
	return PH_NONE;
}

/* The first completion of the request that no earlier request of that id has. */
static uint32_t
find_completion(uint32_t location, uint32_t begin)
{
	const PhEvent *events = trace.events[location];
	for (uint32_t i = begin + 1; i < trace.n_events[location]; i++)
	{
		bool taken = false;
		if (events[i].kind != PH_EVENT_NB_COLLECTIVE_COMPLETE ||
			events[i].request != events[begin].request)
			continue;
		for (uint32_t m = 0; m < n_plain; m++)
			taken = taken || (plain[m].location == location && plain[m].end == i);
		if (!taken)
			return i;
	}
	return PH_NONE;
}

static bool
is_ended(uint32_t location, uint32_t end)
{
	for (uint32_t m = 0; m < n_plain; m++)
		if (plain[m].location == location && plain[m].end == end)
			return true;
	return false;
}

static void
collect_plain(uint32_t location)
{
	for (uint32_t i = 0; i < trace.n_events[location]; i++)
	{
		PhEventKind kind = trace.events[location][i].kind;
		PlainMember member = {location, i, PH_NONE, PH_NONE};
		if (kind == PH_EVENT_COLLECTIVE_BEGIN)
			member.end = find_blocking_end(location, i);
		else if (kind == PH_EVENT_NB_COLLECTIVE_REQUEST)
			member.end = find_completion(location, i);
		else if ((kind == PH_EVENT_COLLECTIVE_END || kind == PH_EVENT_NB_COLLECTIVE_COMPLETE) &&
				 !is_ended(location, i))
			member.end = i;
		else
			continue;
		plain[n_plain++] = member;
	}
}

static bool
is_plain_member(const PlainMember *member)
{
	return member->end != PH_NONE && trace.locations[member->location].rank >= 0 &&
		   ph_collective_is_application(end_of(member)->operation);
}

/* How many did this rank begin on the communicator before? */
static uint32_t
plain_ordinal(const PlainMember *member)
{
	uint32_t before = 0;
	for (uint32_t m = 0; m < n_plain; m++)
	{
		const PlainMember *other = &plain[m];
		if (!is_plain_member(other) || end_of(other)->comm != end_of(member)->comm ||
			trace.locations[other->location].rank != trace.locations[member->location].rank)
			continue;
		if (other->location == member->location)
			before += other->begin < member->begin;
		else if (begin_of(other)->time != begin_of(member)->time)
			before += begin_of(other)->time < begin_of(member)->time;
		else
			before += other->location < member->location;
	}
	return before;
}

static void
check_members(uint64_t seed, const PhCollectiveRows *rows)
{
	uint64_t n_unfinished = 0;
	for (uint32_t m = 0; m < n_plain; m++)
	{
		PlainMember *member = &plain[m];
		uint32_t n_found = 0;
		n_unfinished += member->end == PH_NONE;
		for (uint32_t i = 0; i < rows->n_members && member->end != PH_NONE; i++)
		{
			const PhCollectiveMember *row = &rows->members[i];
			if (row->location != member->location || row->seq != member->end ||
				row->leave == PH_NO_TIME)
				continue;
			n_found++;
			member->instance = row->instance;
			if (row->enter != begin_of(member)->time || row->leave != end_of(member)->time ||
				row->bytes_sent != end_of(member)->bytes ||
				row->bytes_received != end_of(member)->bytes_received ||
				row->operation != end_of(member)->operation || row->comm != end_of(member)->comm ||
				row->root != end_of(member)->root || row->region != end_of(member)->region)
				fail_msg("seed %llu: member %u", (unsigned long long) seed, m);
		}
		assert_int_equal(n_found, member->end != PH_NONE);
		if (is_plain_member(member) != (member->instance != PH_NONE))
			fail_msg("seed %llu: member %u counts or not", (unsigned long long) seed, m);
	}
	assert_int_equal(rows->n_members, n_plain);
	assert_int_equal(rows->n_unfinished, n_unfinished);
}

/* Everything that an instance says, from its members. */
static void
check_instance(uint64_t seed, const PhCollectiveRows *rows, uint32_t index)
{
	const PhCollectiveInstance *row = &rows->instances[index];
	PhCollectiveInstance sum = {.first_enter = INT64_MAX, .first_leave = INT64_MAX};
	int64_t last_rank = -1;
	sum.last_enter = sum.last_leave = INT64_MIN;
	for (uint32_t i = 0; i < row->n_present; i++)
	{
		const PhCollectiveMember *member = &rows->members[rows->order[row->first_member + i]];
		assert_int_equal(member->instance, index);
		assert_true(member->rank > last_rank); /* one of each rank, in order */
		last_rank = member->rank;
		sum.first_enter = member->enter < sum.first_enter ? member->enter : sum.first_enter;
		sum.last_enter = member->enter > sum.last_enter ? member->enter : sum.last_enter;
		sum.first_leave = member->leave < sum.first_leave ? member->leave : sum.first_leave;
		sum.last_leave = member->leave > sum.last_leave ? member->leave : sum.last_leave;
		sum.bytes_sent += member->bytes_sent;
		sum.bytes_received += member->bytes_received;
		sum.is_mixed =
			sum.is_mixed || member->operation != row->operation || member->root != row->root;
	}
	for (uint32_t i = row->n_present; i-- > 0;)
	{
		uint32_t member = rows->order[row->first_member + i];
		sum.wait += sum.last_enter - rows->members[member].enter;
		if (rows->members[member].enter == sum.last_enter)
			sum.last_member = member;
	}
	if (sum.first_enter != row->first_enter || sum.last_enter != row->last_enter ||
		sum.first_leave != row->first_leave || sum.last_leave != row->last_leave ||
		sum.bytes_sent != row->bytes_sent || sum.bytes_received != row->bytes_received ||
		sum.wait != row->wait || sum.last_member != row->last_member ||
		sum.is_mixed != row->is_mixed)
		fail_msg("seed %llu: instance %u", (unsigned long long) seed, index);
	if (index == 0)
		return;
	const PhCollectiveInstance *before = row - 1;
	assert_true(before->first_enter < row->first_enter ||
				(before->first_enter == row->first_enter && before->comm <= row->comm));
}

static void
check_instances(uint64_t seed, const PhCollectiveRows *rows)
{
	uint32_t n_present = 0;
	uint64_t n_missing = 0;
	for (uint32_t i = 0; i < rows->n_instances; i++)
	{
		const PhCollectiveInstance *row = &rows->instances[i];
		check_instance(seed, rows, i);
		n_present += row->n_present;
		assert_int_equal(row->n_members, trace.communicators[row->comm].n_members);
		n_missing += row->n_members > row->n_present ? row->n_members - row->n_present : 0;
	}
	assert_int_equal(rows->n_missing, n_missing);
	uint32_t n_counting = 0;
	for (uint32_t m = 0; m < n_plain; m++)
	{
		if (!is_plain_member(&plain[m]))
			continue;
		n_counting++;
		const PhCollectiveInstance *row = &rows->instances[plain[m].instance];
		if (row->comm != end_of(&plain[m])->comm || row->ordinal != plain_ordinal(&plain[m]))
			fail_msg("seed %llu: member %u is in a wrong instance", (unsigned long long) seed, m);
	}
	assert_int_equal(n_counting, n_present);
}

static void
check(uint64_t seed, const PhCollectiveRows *rows)
{
	n_plain = 0;
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		collect_plain(at);
	check_members(seed, rows);
	check_instances(seed, rows);
}

/* ---- tests ---- */

static void
test_programs(void **state)
{
	uint64_t n_instances = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_TRACES; seed++)
	{
		PhCollectiveRows rows;
		comm_random(seed, 20 + (uint32_t) seed % 200, &trace);
		PhCollectives *collectives = group_all(seed, &rows);
		check(seed, &rows);
		assert_int_equal(rows.n_instances, trace.n_instances);
		assert_int_equal(rows.n_missing, 0);
		assert_int_equal(rows.n_unfinished, 0);
		uint32_t known[COMM_EVENTS];
		memset(known, 0xFF, sizeof(known));
		for (uint32_t m = 0; m < n_plain; m++)
		{
			uint32_t truth = trace.instance[plain[m].location][plain[m].end];
			assert_int_equal(truth == PH_NONE, plain[m].instance == PH_NONE);
			if (truth == PH_NONE)
				continue;
			if (known[truth] == PH_NONE)
				known[truth] = plain[m].instance;
			if (known[truth] != plain[m].instance ||
				trace.begin[plain[m].location][plain[m].end] != begin_of(&plain[m])->time)
				fail_msg("seed %llu: instance %u", (unsigned long long) seed, truth);
		}
		n_instances += rows.n_instances;
		ph_collectives_free(collectives);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_instances > N_TRACES);
}

static void
test_noise(void **state)
{
	uint64_t n_unfinished = 0, n_missing = 0, n_mixed = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_TRACES; seed++)
	{
		PhCollectiveRows rows;
		comm_noise(seed, 20 + (uint32_t) seed % 100, PH_EVENT_COLLECTIVE_BEGIN, 4, &trace);
		PhCollectives *collectives = group_all(seed, &rows);
		check(seed, &rows);
		n_unfinished += rows.n_unfinished;
		n_missing += rows.n_missing;
		for (uint32_t i = 0; i < rows.n_instances; i++)
			n_mixed += rows.instances[i].is_mixed;
		ph_collectives_free(collectives);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_unfinished > N_TRACES && n_missing > N_TRACES && n_mixed > N_TRACES);
}

static void
compare_rows(const PhCollectiveRows *a, const PhCollectiveRows *b)
{
	assert_int_equal(a->n_instances, b->n_instances);
	assert_int_equal(a->n_members, b->n_members);
	assert_int_equal(a->n_unfinished, b->n_unfinished);
	assert_int_equal(a->n_missing, b->n_missing);
	for (uint32_t i = 0; i < a->n_instances; i++)
	{
		PhCollectiveInstance x = a->instances[i], y = b->instances[i];
		assert_int_equal(a->members[x.last_member].rank, b->members[y.last_member].rank);
		x.last_member = y.last_member;
		assert_memory_equal(&x, &y, sizeof(x));
		for (uint32_t m = 0; m < x.n_present; m++)
			assert_memory_equal(&a->members[a->order[x.first_member + m]],
								&b->members[b->order[x.first_member + m]],
								sizeof(PhCollectiveMember));
	}
}

/* Through chunks, locations in any order: the same rows. */
static void
test_chunks(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < rounds(500); seed++)
	{
		PhCollectives *chunked;
		PhCollectiveRows rows, again;
		uint32_t order[COMM_LOCATIONS];
		if (seed % 2 == 0)
			comm_random(seed, 200, &trace);
		else
			comm_noise(seed, 100, PH_EVENT_COLLECTIVE_BEGIN, 4, &trace);
		PhCollectives *collectives = group_all(0, &rows);
		must(ph_collectives_new(&env, &trace.model, &chunked));
		comm_shuffle(&trace, seed, order);
		for (uint32_t i = 0; i < trace.model.n_locations; i++)
			must(comm_visit_chunks(&env, &trace, order[i], 1 + (uint32_t) seed % 50, visit_chunk,
								   chunked));
		must(ph_collectives_group(chunked, &again));
		compare_rows(&rows, &again);
		assert_int_equal(ph_collectives_group(chunked, &again), PH_ERR_VALUE);
		ph_collectives_free(chunked);
		ph_collectives_free(collectives);
	}
	assert_int_equal(env.bytes, 0);
}

static void
test_locations_must_exist(void **state)
{
	PhCollectives *collectives;
	PhEvent event = {.kind = PH_EVENT_COLLECTIVE_BEGIN};
	(void) state;
	comm_random(1, 20, &trace);
	must(ph_collectives_new(&env, &trace.model, &collectives));
	assert_int_not_equal(ph_collectives_add_event(collectives, trace.model.n_locations, 0, &event),
						 PH_OK);
	ph_collectives_free(collectives);
	assert_int_equal(env.bytes, 0);
}

/* A rank whose events are lost is missing from every instance. */
static void
test_lost_rank(void **state)
{
	uint64_t n_missing = 0;
	(void) state;
	for (uint64_t seed = 0; seed < rounds(200); seed++)
	{
		PhCollectiveRows rows;
		comm_random(seed, 200, &trace);
		uint64_t expected = 0;
		for (uint32_t i = 0; i < trace.n_events[0]; i++)
			expected += trace.instance[0][i] != PH_NONE && trace.events[0][i].comm < 3;
		trace.n_events[0] = 0;
		PhCollectives *collectives = group_all(seed, &rows);
		assert_true(rows.n_missing <= expected);
		if (trace.model.n_ranks > 3)
			assert_int_equal(rows.n_missing, expected);
		n_missing += rows.n_missing;
		ph_collectives_free(collectives);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_missing > met_in_rounds(200));
}

static PhEvent
self_event(PhEventKind kind, int64_t time, uint32_t rank)
{
	PhEvent event = {.time = time, .kind = kind, .comm = 1, .root = rank};
	event.operation = PH_COLLECTIVE_ALLREDUCE;
	return event;
}

/* MPI_COMM_SELF is one communicator without members: nobody is there with anybody. */
static void
test_self(void **state)
{
	(void) state;
	comm_noise(1, 1, PH_EVENT_COLLECTIVE_BEGIN, 1, &trace);
	assert_true(trace.model.n_locations > 1 && trace.model.n_locations == trace.model.n_ranks);
	trace.model.n_communicators = 2;
	trace.communicators[1] = (PhTraceCommunicator){.is_mpi = true};
	for (uint32_t turn = 0; turn < 2; turn++)
	{
		PhCollectives *collectives;
		PhCollectiveRows rows;
		uint32_t n = trace.model.n_locations;
		must(ph_collectives_new(&env, &trace.model, &collectives));
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t k = 0; k < 2; k++)
			{
				uint32_t at = turn == 0 ? i : n - 1 - i, rank = (uint32_t) trace.locations[at].rank;
				PhEvent begin = self_event(PH_EVENT_COLLECTIVE_BEGIN, k * 10, rank);
				PhEvent end = self_event(PH_EVENT_COLLECTIVE_END, k * 10 + 3, rank);
				must(ph_collectives_add_event(collectives, at, 2 * k, &begin));
				must(ph_collectives_add_event(collectives, at, 2 * k + 1, &end));
			}
		must(ph_collectives_group(collectives, &rows));
		assert_int_equal(rows.n_missing, 0);
		assert_int_equal(rows.n_instances, 2 * n);
		for (uint32_t i = 0; i < rows.n_instances; i++)
		{
			assert_int_equal(rows.instances[i].n_members, 1);
			assert_int_equal(rows.instances[i].n_present, 1);
			assert_int_equal(rows.instances[i].root, i % n);
			assert_int_equal(rows.instances[i].wait, 0);
		}
		ph_collectives_free(collectives);
	}
	assert_int_equal(env.bytes, 0);
}

static PhStatus
group_in(PhEnv *in, void *user)
{
	PhCollectives *collectives = NULL;
	PhCollectiveRows rows;
	(void) user;
	PhStatus status = ph_collectives_new(in, &trace.model, &collectives);
	for (uint32_t at = 0; at < trace.model.n_locations && status == PH_OK; at++)
		status = comm_visit(&trace, at, visit_collectives, collectives);
	if (status == PH_OK)
		status = ph_collectives_group(collectives, &rows);
	ph_collectives_free(collectives);
	return status;
}

static void
test_faults(void **state)
{
	(void) state;
	comm_noise(9, 900, PH_EVENT_COLLECTIVE_BEGIN, 4, &trace);
	assert_string_equal(fault_env_try_allocations(group_in, NULL, 0), "");
	comm_noise(11, 5000, PH_EVENT_COLLECTIVE_BEGIN, 4, &trace);
	assert_string_equal(fault_env_try_interrupts(group_in, NULL, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),  cmocka_unit_test(test_noise),
		cmocka_unit_test(test_chunks),	  cmocka_unit_test(test_locations_must_exist),
		cmocka_unit_test(test_lost_rank), cmocka_unit_test(test_self),
		cmocka_unit_test(test_faults),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
