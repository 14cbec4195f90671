/*
 * replay.c - see replay.h: locations go on one after the other, each until it has to wait.
 *
 * engine->entered says of each operation when it was entered or, below 0, that it was not: NOBODY,
 * or FIRST_WAITER - the location that waits for it, whose cursor names the next one.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "replay/replay.h"

#include "base/min_max.h"
#include "replay/engine.h"

#define NOBODY (-1)
#define FIRST_WAITER (-2)

const char *
ph_replay_kind_name(PhReplayKind kind)
{
	static const char *const names[PH_REPLAY_KINDS] = {"compute", "message", "collective"};
	return names[kind];
}

/* ---- needs ---- */

/* Notes that the location waits for an operation to be entered. */
static void
wait_for_op(PhReplayEngine *engine, uint32_t at, int64_t *entered)
{
	engine->cursors[at].next_waiter =
		*entered == NOBODY ? PH_NONE : (uint32_t) (FIRST_WAITER - *entered);
	*entered = FIRST_WAITER - (int64_t) at;
}

/* A need (an end, or one of a lock) was released: the operation is left `tail` later at the
 * earliest. */
static void
take_release(PhReplayEngine *engine, uint32_t at, uint32_t end, int64_t release, int64_t tail)
{
	PhReplayCursor *cursor = &engine->cursors[at];
	if (engine->plan->is_ideal)
		tail = 0;
	if (cursor->released_by == PH_NONE || release > cursor->release)
	{
		cursor->release = release;
		cursor->released_by = end;
	}
	if (release + tail <= cursor->leave)
		return;
	cursor->leave = release + tail;
	cursor->via = end;
}

/* A send that is posted does not wait for its receiver. */
static bool
needs_partner(const PhReplayEngine *engine, uint32_t at, const PhCommEnd *end, uint32_t region)
{
	const bool *posted = engine->plan->posted;
	if (end->partner == PH_NONE)
		return false;
	if (!ph_is_send(end->kind))
		return true;
	if (posted != NULL && region != PH_NONE && posted[region])
		return false;
	return ph_replay_is_rendezvous(engine->program, at, end);
}

/* An operation has to be entered. False: it was not, and the location waits for it. */
static bool
settle_op(PhReplayEngine *engine, uint32_t at, uint32_t need, int64_t tail, int64_t *entered)
{
	if (*entered < 0)
	{
		wait_for_op(engine, at, entered);
		return false;
	}
	take_release(engine, at, need, *entered, tail);
	return true;
}

static bool
settle_lock(PhReplayEngine *engine, uint32_t at, uint32_t index)
{
	const PhReplayLockNeed *need = &engine->program->lock_needs[index];
	const PhReplayLock *back = &engine->program->locks[need->lock];
	return settle_op(engine, at, index, need->tail, &engine->entered[back->location][back->op]);
}

/* False: the location has to wait for what this end needs, and will be queued. */
static bool
settle_end(PhReplayEngine *engine, uint32_t at, uint32_t index, uint32_t region)
{
	const PhReplayProgram *program = engine->program;
	const PhCommEnd *end = &program->skeleton->locations[at].ends[index];
	if (!ph_is_send(end->kind) && !ph_is_receive(end->kind))
	{
		uint32_t cause;
		int64_t release = 0;
		if (!ph_replay_member_released(engine, at, end->partner, &cause, &release))
			return false;
		if (cause != PH_NONE)
			take_release(engine, at, index, release, program->locations[at].tails[index]);
		return true;
	}
	if (!needs_partner(engine, at, end, region))
		return true;
	uint32_t op = ph_replay_op_of(&program->locations[end->partner_location], end->partner);
	if (op == PH_NONE)
		return true;
	return settle_op(engine, at, index, program->locations[at].tails[index],
					 &engine->entered[end->partner_location][op]);
}

/* ---- operations ---- */

static void
wake_waiters(PhReplayEngine *engine, int64_t *entered, int64_t time)
{
	uint32_t location = *entered == NOBODY ? PH_NONE : (uint32_t) (FIRST_WAITER - *entered);
	*entered = time;
	while (location != PH_NONE)
	{
		uint32_t next = engine->cursors[location].next_waiter;
		ph_replay_queue(engine, location);
		location = next;
	}
}

/* What the operation takes by itself; a send that waits for nobody only posts its message. */
static int64_t
own_time(const PhReplayEngine *engine, uint32_t at, uint32_t index)
{
	const PhReplayProgram *program = engine->program;
	const PhReplayOp *op = &program->locations[at].ops[index];
	const PhReplayLock *lock = ph_replay_lock(program, op);
	uint32_t region = ph_replay_region(program, at, op);
	if (engine->plan->is_ideal || !ph_replay_is_call(op))
		return lock == NULL || engine->plan->is_ideal ? 0 : lock->own;
	if (engine->plan->posted == NULL || region == PH_NONE || !engine->plan->posted[region])
		return op->own;
	for (uint32_t end = op->first_end; end < op[1].first_end; end++)
		if (!ph_replay_is_rendezvous(program, at, &program->skeleton->locations[at].ends[end]))
			return op->own;
	return PH_MIN(op->own, program->post);
}

static void
enter_op(PhReplayEngine *engine, uint32_t at, uint32_t index)
{
	PhReplayCursor *cursor = &engine->cursors[at];
	const PhReplayOp *op = &engine->program->locations[at].ops[index];
	const PhCommEnd *ends = engine->program->skeleton->locations[at].ends;
	cursor->clock += ph_replay_gap(engine, at, cursor->slot);
	cursor->is_in = true;
	ph_replay_needs(engine->program, op, &cursor->end, &cursor->ends);
	cursor->leave = cursor->clock + own_time(engine, at, index);
	cursor->via = cursor->released_by = PH_NONE;
	wake_waiters(engine, &engine->entered[at][index], cursor->clock);
	if (ph_replay_is_bare(op) && ph_replay_lock(engine->program, op) == NULL)
		ph_replay_enter_member(engine, op->begins, cursor->clock);
	for (uint32_t i = op->first_end; i < op[1].first_end; i++)
		if (!ph_is_send(ends[i].kind) && !ph_is_receive(ends[i].kind) &&
			engine->program->member_ops[ends[i].partner] == index &&
			engine->member_times[ends[i].partner] < 0)
			ph_replay_enter_member(engine, ends[i].partner, cursor->clock);
}

static PhWaitKind
kind_of_wait(const PhReplayEngine *engine, uint32_t at, const PhReplayOp *op)
{
	if (ph_replay_lock(engine->program, op) != NULL)
		return PH_WAIT_WINDOW_LOCK;
	uint32_t index = engine->cursors[at].released_by;
	const PhCommEnd *end = &engine->program->skeleton->locations[at].ends[index];
	if (ph_is_send(end->kind))
		return PH_WAIT_LATE_RECEIVER;
	if (ph_is_receive(end->kind))
		return ph_wait_kind_of_receive(end);
	const PhCollectiveRows *rows = &engine->program->skeleton->collectives;
	uint32_t instance = rows->members[end->partner].instance;
	return ph_wait_kind_of_collective(rows->instances[instance].operation);
}

static void
leave_op(PhReplayEngine *engine, uint32_t at, uint32_t index)
{
	PhReplayCursor *cursor = &engine->cursors[at];
	const PhReplayOp *op = &engine->program->locations[at].ops[index];
	if (cursor->released_by != PH_NONE && cursor->release > cursor->clock)
		engine->result->waits[kind_of_wait(engine, at, op)] +=
			PH_MIN(cursor->release, cursor->leave) - cursor->clock;
	engine->via[at][index] = cursor->via;
	cursor->clock = cursor->leave;
	cursor->is_in = false;
	cursor->slot++;
}

static PhStatus
advance_location(PhReplayEngine *engine, uint32_t at)
{
	PhReplayCursor *cursor = &engine->cursors[at];
	const PhReplayLocation *location = &engine->program->locations[at];
	while (cursor->slot < location->n_ops)
	{
		uint32_t index = ph_replay_op_at(engine, at, cursor->slot);
		PH_TRY(ph_env_poll(engine->env));
		if (!cursor->is_in)
			enter_op(engine, at, index);
		const PhReplayOp *op = &location->ops[index];
		uint32_t region = ph_replay_region(engine->program, at, op);
		for (; cursor->end < cursor->ends; cursor->end++)
			if (ph_replay_is_bare(op) ? !settle_lock(engine, at, cursor->end)
									  : !settle_end(engine, at, cursor->end, region))
				return PH_OK;
		leave_op(engine, at, index);
	}
	cursor->clock += ph_replay_gap(engine, at, cursor->slot);
	engine->n_done++;
	return PH_OK;
}

/* ---- all ---- */

static PhStatus
prepare_locations(PhArena *scratch, PhReplayEngine *engine)
{
	const PhReplayProgram *program = engine->program;
	uint32_t n = program->skeleton->n_locations;
	PH_TRY(PH_NEW(scratch, n, &engine->cursors));
	PH_TRY(PH_NEW(scratch, n, &engine->queue));
	PH_TRY(PH_NEW(scratch, n, &engine->entered));
	PH_TRY(PH_NEW(scratch, n, &engine->via));
	for (uint32_t at = 0; at < n; at++)
	{
		const PhReplayLocation *location = &program->locations[at];
		PH_TRY(PH_NEW(scratch, location->n_ops, &engine->entered[at]));
		PH_TRY(PH_NEW(scratch, location->n_ops, &engine->via[at]));
		for (uint32_t i = 0; i < location->n_ops; i++)
		{
			PH_TRY(ph_env_poll(engine->env));
			engine->entered[at][i] = NOBODY;
		}
		engine->cursors[at].wait_instance = PH_NONE;
		engine->cursors[at].clock = location->from - program->from;
		if (location->takes_part)
			ph_replay_queue(engine, at);
		else
			engine->n_done++;
	}
	return PH_OK;
}

/* Those that finish together end after the last one's arrival. */
static void
finish_together(PhReplayEngine *engine)
{
	const PhReplayProgram *program = engine->program;
	engine->finisher = PH_NONE;
	for (uint32_t at = 0; at < program->skeleton->n_locations; at++)
	{
		if (!program->locations[at].takes_part ||
			(engine->finisher != PH_NONE && engine->cursors[at].clock <= engine->arrival))
			continue;
		engine->finisher = at;
		engine->arrival = engine->cursors[at].clock;
	}
	for (uint32_t at = 0; at < program->skeleton->n_locations; at++)
		if (program->locations[at].takes_part)
			engine->cursors[at].clock = engine->arrival + program->locations[at].finish;
}

static PhStatus
replay_all(PhArena *arena, PhArena *scratch, PhReplayEngine *engine)
{
	uint32_t n = engine->program->skeleton->n_locations;
	PH_TRY(prepare_locations(scratch, engine));
	PH_TRY(ph_replay_collectives(scratch, engine));
	while (engine->n_queued > 0)
	{
		uint32_t at = engine->queue[engine->queue_from];
		engine->queue_from = (engine->queue_from + 1) % n;
		engine->n_queued--;
		PH_TRY(advance_location(engine, at));
	}
	engine->result->n_stuck = n - engine->n_done;
	if (engine->program->finishes_together)
		finish_together(engine);
	return engine->result->n_stuck > 0 ? PH_OK : ph_replay_path(arena, engine);
}

PhStatus
ph_replay_run(PhArena *arena, const PhReplayProgram *program, const PhReplayPlan *plan,
			  PhReplayResult *out)
{
	PhReplayResult result = {0};
	PhReplayEngine engine = {
		.env = arena->env, .program = program, .plan = plan, .result = &result};
	PhArena scratch;
	ph_arena_init(&scratch, arena->env);
	PhStatus status = replay_all(arena, &scratch, &engine);
	ph_arena_drop(&scratch);
	if (status == PH_OK)
		*out = result;
	return status;
}
