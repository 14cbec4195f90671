/*
 * program.c - see program.h: the operations of each location, in the order in which they were
 * entered.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "replay/program.h"

#include <string.h>

#include "base/min_max.h"
#include "base/sort.h"
#include "replay/locks.h"

typedef struct Builder
{
	PhArena *arena;
	const PhSkeleton *skeleton;
	PhReplayProgram *program;
	int64_t from, to;
	/* members of non-blocking collectives by location, then begin */
	uint32_t *begun, *first_begun;
	/* of the location at hand */
	uint32_t at, next_begun, next_lock;
	PhReplayOp *ops; /* room for those of any location */
	uint32_t n_ops;
	int64_t busy_from, busy_to; /* by calls that are cut off by the window */
	int64_t last_leave;			/* of the operation before */
	uint32_t ends_to;			/* behind the last end that belongs to an operation */
} Builder;

/*
 * The last operation that begins at this end or before: those without ends stand before the next
 * one with some. Programs repeat themselves, so it is near to where it would be if all had as many.
 */
uint32_t
ph_replay_op_of(const PhReplayLocation *location, uint32_t end)
{
	const PhReplayOp *ops = location->ops;
	uint32_t n = location->n_ops, low = 0, high = n, stride = 1;
	if (end < ops[0].first_end || end >= ops[n].first_end)
		return PH_NONE;
	uint32_t likely = (uint32_t) ((uint64_t) end * n / ops[n].first_end);
	if (ops[likely].first_end <= end)
	{
		low = likely;
		for (; stride < n - low && ops[low + stride].first_end <= end; stride *= 2)
			low += stride;
		high = stride < n - low ? low + stride : n;
	}
	else
	{
		high = likely;
		for (; stride < high && ops[high - stride].first_end > end; stride *= 2)
			high -= stride;
		low = stride < high ? high - stride : 0;
	}
	while (high - low > 1)
	{
		uint32_t middle = low + (high - low) / 2;
		if (ops[middle].first_end <= end)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Is the end in a call of its own, which lasted? */
static bool
is_in_call(const PhReplayProgram *program, uint32_t at, uint32_t end)
{
	uint32_t index = ph_replay_op_of(&program->locations[at], end);
	if (index == PH_NONE)
		return false;
	const PhReplayOp *op = &program->locations[at].ops[index];
	return ph_replay_entered(program, at, op) < ph_replay_left(program, at, op);
}

bool
ph_replay_is_rendezvous(const PhReplayProgram *program, uint32_t location, const PhCommEnd *end)
{
	uint32_t index = (uint32_t) (end - program->skeleton->locations[location].ends);
	/* who posts or completes a message apart from that waits elsewhere than in this operation */
	if (end->kind != PH_EVENT_SEND ||
		!ph_rendezvous_needs_receiver(program->rendezvous, location, end))
		return false;
	const PhCommEnd *receive =
		&program->skeleton->locations[end->partner_location].ends[end->partner];
	return receive->kind == PH_EVENT_RECV && is_in_call(program, location, index) &&
		   is_in_call(program, end->partner_location, end->partner);
}

PhCallSpan
ph_replay_gap_at(const PhReplayProgram *program, uint32_t at, uint32_t slot)
{
	const PhReplayLocation *location = &program->locations[at];
	PhCallSpan gap = {location->from, location->to};
	if (slot > 0)
		gap.from = ph_replay_left(program, at, &location->ops[slot - 1]);
	if (slot < location->n_ops)
		gap.to = ph_replay_entered(program, at, &location->ops[slot]);
	return gap;
}

/* ---- begins of non-blocking collectives ---- */

static int
compare_begins(const void *context, uint32_t x, uint32_t y)
{
	const PhCollectiveMember *a = (const PhCollectiveMember *) context + x;
	const PhCollectiveMember *b = (const PhCollectiveMember *) context + y;
	if (a->location != b->location)
		return a->location < b->location ? -1 : 1;
	if (a->begin_seq != b->begin_seq)
		return a->begin_seq < b->begin_seq ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* One that has a begin of its own. */
static bool
is_begun(const PhCollectiveMember *member)
{
	return !member->is_blocking && member->instance != PH_NONE && member->begin_seq != member->seq;
}

static PhStatus
list_begun(Builder *builder, PhArena *scratch)
{
	const PhCollectiveRows *rows = &builder->skeleton->collectives;
	uint32_t n_locations = builder->skeleton->n_locations, n = 0, *buffer;
	PH_TRY(PH_NEW(scratch, rows->n_members, &builder->begun));
	PH_TRY(PH_NEW(scratch, rows->n_members, &buffer));
	PH_TRY(PH_NEW(scratch, (size_t) n_locations + 1, &builder->first_begun));
	for (uint32_t i = 0; i < rows->n_members; i++)
	{
		PH_TRY(ph_env_poll(scratch->env));
		if (is_begun(&rows->members[i]))
			builder->begun[n++] = i;
	}
	PH_TRY(ph_sort(scratch->env, builder->begun, n, buffer, compare_begins, rows->members));
	for (uint32_t i = 0, at = 0; at <= n_locations; at++)
	{
		while (i < n && rows->members[builder->begun[i]].location < at)
			i++;
		builder->first_begun[at] = i;
	}
	return PH_OK;
}

/* ---- operations of a location ---- */

/* A call that has no other in it that communicates. Calls are by ENTER. */
static bool
is_innermost(const PhCommLocation *location, uint32_t call)
{
	return call + 1 >= location->n_calls ||
		   location->calls[call + 1].enter >= location->calls[call].leave;
}

/*
 * A function of the program computes, too: where it has messages without calls of their own in it,
 * they are operations that take no time.
 */
static bool
is_of_program(const PhSkeleton *skeleton, uint32_t region)
{
	if (region >= skeleton->model->n_regions || skeleton->mpi[region].does != 0)
		return false;
	const char *paradigm = skeleton->model->regions[region].paradigm;
	return paradigm != NULL && (strcmp(paradigm, "user") == 0 || strcmp(paradigm, "compiler") == 0);
}

/* Adds an operation, unless it is not wholly in the window; returns its index or PH_NONE. */
static uint32_t
add_op(Builder *builder, int64_t enter, int64_t leave, const PhReplayOp *op)
{
	if (enter < builder->from)
		builder->busy_to = PH_MAX(builder->busy_to, leave);
	if (leave > builder->to)
		builder->busy_from = PH_MIN(builder->busy_from, enter);
	if (enter < builder->from || leave > builder->to)
		return PH_NONE;
	builder->ops[builder->n_ops] = *op;
	return builder->n_ops++;
}

/* The next begin of a non-blocking collective that is before an event; PH_NONE: there is none. */
static uint32_t
begin_before(const Builder *builder, uint64_t seq)
{
	if (builder->next_begun == builder->first_begun[builder->at + 1])
		return PH_NONE;
	uint32_t member = builder->begun[builder->next_begun];
	return builder->skeleton->collectives.members[member].begin_seq < seq ? member : PH_NONE;
}

/* Likewise of locks. */
static PhReplayLock *
lock_before(const Builder *builder, uint64_t seq)
{
	const PhReplayProgram *program = builder->program;
	if (builder->next_lock == program->n_locks)
		return NULL;
	PhReplayLock *lock = &program->locks[builder->next_lock];
	return lock->location == builder->at && lock->record->seq < seq ? lock : NULL;
}

static void
add_begin(Builder *builder, uint32_t first_end, uint32_t member)
{
	/* within a call that is an operation it comes after that */
	int64_t enter = builder->skeleton->collectives.members[member].enter;
	int64_t time = PH_MAX(enter, builder->last_leave);
	PhReplayOp op = {.time = time, .first_end = first_end, .begins = member};
	builder->program->member_ops[member] = add_op(builder, time, time, &op);
	builder->next_begun++;
}

/* Unless it is within a call that is an operation; until: the next one of these. */
static void
add_lock(Builder *builder, uint32_t first_end, PhReplayLock *lock, int64_t until)
{
	const PhWindowLock *record = lock->record;
	int64_t enter = record->is_acquired ? record->since : record->time;
	builder->next_lock++;
	if (enter < builder->last_leave || record->time > until || enter > record->time)
		return;
	uint32_t begins = builder->skeleton->collectives.n_members;
	begins += (uint32_t) (lock - builder->program->locks);
	PhReplayOp op = {.time = enter, .first_end = first_end, .begins = begins};
	lock->op = add_op(builder, enter, record->time, &op);
	builder->last_leave = record->time;
}

/*
 * The begins of non-blocking collectives and the locks before an event. until: when the operation
 * is entered that comes next.
 */
static void
add_bare(Builder *builder, uint32_t first_end, uint64_t seq, int64_t until)
{
	for (;;)
	{
		PhReplayLock *lock = lock_before(builder, seq);
		uint32_t member = begin_before(builder, lock == NULL ? seq : lock->record->seq);
		if (member != PH_NONE)
			add_begin(builder, first_end, member);
		else if (lock != NULL)
			add_lock(builder, first_end, lock, until);
		else
			return;
	}
}

/* Adds the operation of an end: a call, or an instant outside of calls (PH_NONE). */
static uint32_t
add_op_of_end(Builder *builder, uint32_t index, uint32_t call)
{
	const PhCommLocation *location = &builder->skeleton->locations[builder->at];
	int64_t time = PH_MAX(location->ends[index].time, builder->last_leave);
	int64_t enter = call == PH_NONE ? time : location->calls[call].enter;
	int64_t leave = call == PH_NONE ? time : location->calls[call].leave;
	PhReplayOp op = {.time = enter, .first_end = index, .call = call};
	builder->last_leave = leave;
	return add_op(builder, enter, leave, &op);
}

/* Blocking members begin when their operation is entered. */
static void
note_member(Builder *builder, const PhCommEnd *end, uint32_t op)
{
	if (ph_is_send(end->kind) || ph_is_receive(end->kind))
		return;
	const PhCollectiveMember *member = &builder->skeleton->collectives.members[end->partner];
	if (!is_begun(member) && member->begin_seq != member->seq)
		builder->program->member_ops[end->partner] = op;
}

/* Adds the operation of an end and of those that follow in the same call; returns the next end. */
static uint32_t
add_ends(Builder *builder, uint32_t index)
{
	const PhCommLocation *location = &builder->skeleton->locations[builder->at];
	uint32_t call = location->ends[index].call;
	/* a call around one that took no time may look like an innermost one */
	bool has_call = call != PH_NONE && is_innermost(location, call) &&
					location->calls[call].enter >= builder->last_leave &&
					!is_of_program(builder->skeleton, location->calls[call].region);
	add_bare(builder, index, has_call ? location->calls[call].seq : location->ends[index].seq,
			 has_call ? location->calls[call].enter : location->ends[index].time);
	uint32_t added = add_op_of_end(builder, index, has_call ? call : PH_NONE);
	do
	{
		builder->ends_to = added == PH_NONE ? builder->ends_to : index + 1;
		note_member(builder, &location->ends[index], added);
		index++;
	} while (has_call && index < location->n_ends && location->ends[index].call == call);
	return index;
}

/*
 * Ends that belong to no operation of the window lie before the first operation and behind the
 * last one: so the operations' ends are one range.
 */
static void
set_bounds(Builder *builder, PhReplayLocation *out)
{
	const PhCommLocation *location = &builder->skeleton->locations[builder->at];
	builder->ops[builder->n_ops].first_end = builder->ends_to;
	for (uint32_t i = builder->n_ops; i-- > 0;)
		builder->ops[i].first_end =
			PH_MIN(builder->ops[i].first_end, builder->ops[i + 1].first_end);
	if (location->first_time == PH_NO_TIME)
		return;
	out->from = PH_MAX(PH_MAX(builder->from, location->first_time), builder->busy_to);
	out->to = PH_MIN(PH_MIN(builder->to, location->last_time), builder->busy_from);
	out->to = PH_MAX(out->from, out->to);
}

/* The operations in as much room as they need: most calls have none of their own. */
static PhStatus
keep_ops(Builder *builder, PhReplayLocation *out)
{
	size_t n = (size_t) builder->n_ops + 1;
	PH_TRY(PH_NEW(builder->arena, n, &out->ops));
	memcpy(out->ops, builder->ops, n * sizeof(*out->ops));
	out->n_ops = builder->n_ops;
	builder->program->n_ops += out->n_ops;
	return PH_OK;
}

/* Room for the operations of any location. */
static PhStatus
make_room(Builder *builder, PhArena *scratch)
{
	size_t most = 0;
	for (uint32_t at = 0; at < builder->skeleton->n_locations; at++)
	{
		size_t n_begun = builder->first_begun[at + 1] - builder->first_begun[at];
		size_t n_locks = builder->skeleton->locations[at].locks.count;
		most = PH_MAX(most, builder->skeleton->locations[at].n_ends + n_begun + n_locks);
	}
	return PH_NEW(scratch, most + 1, &builder->ops);
}

static PhStatus
build_location(Builder *builder)
{
	const PhCommLocation *location = &builder->skeleton->locations[builder->at];
	PhReplayLocation *out = &builder->program->locations[builder->at];
	PH_TRY(PH_NEW(builder->arena, location->n_ends, &out->tails));
	builder->n_ops = 0;
	builder->ends_to = 0;
	builder->next_begun = builder->first_begun[builder->at];
	builder->next_lock = out->first_lock;
	builder->busy_from = INT64_MAX;
	builder->busy_to = INT64_MIN;
	builder->last_leave = INT64_MIN;
	for (uint32_t i = 0; i < location->n_ends;)
	{
		PH_TRY(ph_env_poll(builder->arena->env));
		i = add_ends(builder, i);
	}
	add_bare(builder, location->n_ends, UINT64_MAX, INT64_MAX);
	set_bounds(builder, out);
	return keep_ops(builder, out);
}

/* ---- all ---- */

static bool
is_of_known_rank(const PhTraceModel *model, uint32_t at)
{
	int32_t rank = model->locations[at].rank;
	return rank >= 0 && (uint32_t) rank < model->n_ranks;
}

static PhStatus
find_members(PhArena *scratch, PhReplayProgram *program)
{
	const PhTraceModel *model = program->skeleton->model;
	bool *has_ops;
	PH_TRY(PH_NEW(scratch, model->n_ranks, &has_ops));
	for (uint32_t i = 0; i < program->skeleton->n_locations; i++)
		if (is_of_known_rank(model, i) && program->locations[i].n_ops > 0)
			has_ops[model->locations[i].rank] = true;
	for (uint32_t i = 0; i < program->skeleton->n_locations; i++)
	{
		PhReplayLocation *location = &program->locations[i];
		bool follows = is_of_known_rank(model, i) && has_ops[model->locations[i].rank];
		location->takes_part = location->n_ops > 0 || (location->from < location->to && !follows);
	}
	return PH_OK;
}

static void
find_bounds(PhReplayProgram *program)
{
	bool is_first = true;
	for (uint32_t i = 0; i < program->skeleton->n_locations; i++)
	{
		const PhReplayLocation *location = &program->locations[i];
		if (!location->takes_part)
			continue;
		program->from = is_first ? location->from : PH_MIN(program->from, location->from);
		program->to = is_first ? location->to : PH_MAX(program->to, location->to);
		is_first = false;
	}
}

/* When all had entered MPI_Finalize; PH_NO_TIME: one had not, or was done with it before. */
static int64_t
arrival_of_all(const PhReplayProgram *program)
{
	int64_t arrival = INT64_MIN, first_end = INT64_MAX;
	for (uint32_t i = 0; i < program->skeleton->n_locations; i++)
	{
		const PhCommLocation *location = &program->skeleton->locations[i];
		const PhReplayLocation *out = &program->locations[i];
		if (!out->takes_part)
			continue;
		if (location->main_to == location->last_time || out->to != location->last_time)
			return PH_NO_TIME;
		arrival = PH_MAX(arrival, location->main_to);
		first_end = PH_MIN(first_end, out->to);
	}
	return arrival <= first_end && arrival != INT64_MIN ? arrival : PH_NO_TIME;
}

static void
find_finish(PhReplayProgram *program)
{
	int64_t arrival = arrival_of_all(program);
	if (arrival == PH_NO_TIME)
		return;
	program->finishes_together = true;
	for (uint32_t i = 0; i < program->skeleton->n_locations; i++)
	{
		PhReplayLocation *out = &program->locations[i];
		if (!out->takes_part)
			continue;
		out->finish = out->to - arrival;
		out->to = program->skeleton->locations[i].main_to;
	}
}

static PhStatus
build_all(Builder *builder, PhArena *scratch)
{
	PH_TRY(list_begun(builder, scratch));
	PH_TRY(make_room(builder, scratch));
	for (builder->at = 0; builder->at < builder->skeleton->n_locations; builder->at++)
		PH_TRY(build_location(builder));
	PH_TRY(ph_replay_find_lock_needs(builder->arena, scratch, builder->program));
	PH_TRY(find_members(scratch, builder->program));
	find_bounds(builder->program);
	find_finish(builder->program);
	return PH_OK;
}

PhStatus
ph_replay_operations(PhArena *arena, const PhSkeleton *skeleton, int64_t from, int64_t to,
					 PhReplayProgram **out)
{
	PhReplayProgram *program;
	PhArena scratch;
	PH_TRY(PH_NEW(arena, 1, &program));
	program->skeleton = skeleton;
	PH_TRY(PH_NEW(arena, skeleton->n_locations, &program->locations));
	PH_TRY(PH_NEW(arena, skeleton->collectives.n_members, &program->member_ops));
	for (uint32_t i = 0; i < skeleton->collectives.n_members; i++)
		program->member_ops[i] = PH_NONE;
	PH_TRY(ph_replay_list_locks(arena, program));
	PH_TRY(ph_rendezvous_find(arena, skeleton, &program->rendezvous));
	ph_arena_init(&scratch, arena->env);
	Builder builder = {
		.arena = arena, .skeleton = skeleton, .program = program, .from = from, .to = to};
	PhStatus status = build_all(&builder, &scratch);
	ph_arena_drop(&scratch);
	if (status == PH_OK)
		*out = program;
	return status;
}
