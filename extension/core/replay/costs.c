/*
 * costs.c - what calls take by themselves, and after what they need: see program.h.
 *
 * The need of an operation that came last bound it. Where that came after the operation was
 * entered, the record shows the tail, else it shows the own time; the other one is estimated from
 * operations of the same size class that show it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "replay/costs.h"
#include "base/min_max.h"
#include "base/select.h"
#include "replay/engine.h"
#include "replay/locks.h"

/* What the record tells of a class of messages. */
typedef enum CostKind
{
	RECEIVE_OWN,  /* leave - enter of receives whose send came before: the 5 % quantile */
	RECEIVE_TAIL, /* leave - send's enter of those whose send came later: the median */
	SEND_OWN, /* leave - enter of sends by rendezvous whose receive came before: the 5 % quantile */
	SEND_TAIL, /* leave - receive's enter of those whose receive came later: the median */
	COST_KINDS
} CostKind;

#define SIZES 65
#define EPOCH_SIZE 64 /* of ends that are no messages: those have fewer bits */
#define LOCK_SIZE 62  /* of locks of windows */
#define CLASSES (2 * SIZES * COST_KINDS)

/* A need of an operation, as recorded. */
typedef struct Need
{
	int64_t *tail;
	int64_t release; /* when its operation was entered */
	int class;		 /* RECEIVE_OWN's or SEND_OWN's of its size; -1: of a collective */
} Need;

typedef struct Costs
{
	PhReplayProgram *program;
	PhReplayEngine recorded; /* of its collectives alone: all members as they were entered */
	uint64_t first[CLASSES + 1], n[CLASSES];
	double *samples;
	int64_t typical[CLASSES]; /* -1: no message shows it */
} Costs;

/* Of what a location needs of another one. */
static int
class_of(const Costs *costs, uint32_t at, uint32_t other, int size, CostKind kind)
{
	const PhTraceLocation *locations = costs->program->skeleton->model->locations;
	const char *here = locations[at].host, *there = locations[other].host;
	int same = 1;
	if (here != NULL && there != NULL)
		for (; same == 1 && (*here != '\0' || *there != '\0'); here++, there++)
			same = *here == *there;
	return (same * SIZES + size) * COST_KINDS + (int) kind;
}

static int
class_of_end(const Costs *costs, uint32_t at, const PhCommEnd *end)
{
	int size = end->size;
	if (ph_is_of_epoch(end->kind))
		size = EPOCH_SIZE - (end->size == PH_EPOCH_WAIT);
	return class_of(costs, at, end->partner_location, size,
					ph_is_send(end->kind) ? SEND_OWN : RECEIVE_OWN);
}

static bool
message_need(const Costs *costs, uint32_t at, const PhCommEnd *end, Need *need)
{
	const PhReplayProgram *program = costs->program;
	if (end->partner == PH_NONE)
		return false;
	if (ph_is_send(end->kind) && !ph_replay_is_rendezvous(program, at, end))
		return false;
	const PhReplayLocation *other = &program->locations[end->partner_location];
	uint32_t op = ph_replay_op_of(other, end->partner);
	if (op == PH_NONE)
		return false;
	need->release = ph_replay_entered(program, end->partner_location, &other->ops[op]);
	need->class = class_of_end(costs, at, end);
	return true;
}

static bool
lock_need(const Costs *costs, uint32_t at, uint32_t index, Need *need)
{
	PhReplayLockNeed *needed = &costs->program->lock_needs[index];
	const PhReplayLock *back = &costs->program->locks[needed->lock];
	need->tail = &needed->tail;
	need->release = back->record->time;
	need->class = class_of(costs, at, back->location, LOCK_SIZE, RECEIVE_OWN);
	return true;
}

static bool
collective_need(Costs *costs, uint32_t at, const PhCommEnd *end, Need *need)
{
	uint32_t cause;
	need->class = -1;
	return ph_replay_member_released(&costs->recorded, at, end->partner, &cause, &need->release) &&
		   cause != PH_NONE;
}

/* What an operation needs for an end, or its lock. */
static bool
find_need(Costs *costs, uint32_t at, const PhReplayOp *op, uint32_t index, Need *need)
{
	if (ph_replay_is_bare(op))
		return lock_need(costs, at, index, need);
	const PhCommEnd *end = &costs->program->skeleton->locations[at].ends[index];
	need->tail = &costs->program->locations[at].tails[index];
	if (ph_is_send(end->kind) || ph_is_receive(end->kind))
		return message_need(costs, at, end, need);
	return collective_need(costs, at, end, need);
}

/* The need of an operation that came last, the first of equals. */
static bool
binding_need(Costs *costs, uint32_t at, const PhReplayOp *op, Need *binding)
{
	uint32_t from, to;
	bool has_one = false;
	ph_replay_needs(costs->program, op, &from, &to);
	for (uint32_t i = from; i < to; i++)
	{
		Need need;
		if (!find_need(costs, at, op, i, &need) || (has_one && need.release <= binding->release))
			continue;
		*binding = need;
		has_one = true;
	}
	return has_one;
}

/* ---- what the record shows ---- */

/* What an operation shows of a class; -1: nothing. */
static int
sample_of(Costs *costs, uint32_t at, uint32_t index, int64_t *value)
{
	const PhReplayOp *op = &costs->program->locations[at].ops[index];
	Need need;
	if (!binding_need(costs, at, op, &need) || need.class < 0)
		return -1;
	int64_t enter = ph_replay_entered(costs->program, at, op);
	int64_t leave = ph_replay_left(costs->program, at, op);
	bool is_late = need.release > enter;
	*value = PH_MAX(leave - PH_MAX(need.release, enter), (int64_t) 0);
	return is_late ? need.class + (RECEIVE_TAIL - RECEIVE_OWN) : need.class;
}

/* Counts the samples of each class or, when there is room for them, takes them. */
static PhStatus
take_samples(Costs *costs, PhEnv *env)
{
	for (uint32_t at = 0; at < costs->program->skeleton->n_locations; at++)
		for (uint32_t i = 0; i < costs->program->locations[at].n_ops; i++)
		{
			int64_t value;
			int class = sample_of(costs, at, i, &value);
			PH_TRY(ph_env_poll(env));
			if (class < 0)
				continue;
			if (costs->samples != NULL)
				costs->samples[costs->first[class] + costs->n[class]] = (double) value;
			costs->n[class]++;
		}
	return PH_OK;
}

static PhStatus
find_typical(Costs *costs, PhArena *scratch)
{
	PH_TRY(take_samples(costs, scratch->env));
	for (int i = 0; i < CLASSES; i++)
	{
		costs->first[i + 1] = costs->first[i] + costs->n[i];
		costs->n[i] = 0;
	}
	PH_TRY(PH_NEW(scratch, costs->first[CLASSES] + 1, &costs->samples));
	PH_TRY(take_samples(costs, scratch->env));
	for (int i = 0; i < CLASSES; i++)
	{
		bool is_own = i % COST_KINDS == RECEIVE_OWN || i % COST_KINDS == SEND_OWN;
		size_t k = (size_t) ((double) costs->n[i] * (is_own ? 0.05 : 0.5));
		double *samples = costs->samples + costs->first[i];
		costs->typical[i] = costs->n[i] == 0 ? -1 : (int64_t) ph_select(samples, costs->n[i], k);
	}
	return PH_OK;
}

/* The own time of a class; where no message shows it, no more than its tail is known. */
static int64_t
own_of(const Costs *costs, int class)
{
	int64_t own = costs->typical[class];
	return own >= 0 ? own : costs->typical[class + 1];
}

static int64_t
tail_of(const Costs *costs, int class)
{
	int64_t tail = costs->typical[class + 1];
	return tail >= 0 ? tail : own_of(costs, class);
}

/* ---- what each operation gets ---- */

static void
set_tail(Costs *costs, uint32_t at, const PhReplayOp *op, const Need *need)
{
	int64_t *tail = need->tail;
	int64_t leave = ph_replay_left(costs->program, at, op), shown = leave - need->release;
	if (need->class < 0)
		*tail = leave - PH_MAX(need->release, ph_replay_entered(costs->program, at, op));
	else
		*tail = PH_MIN(shown, tail_of(costs, need->class));
}

/*
 * The own time of a call, and the tail of the need that bound the operation: so that enter + own
 * and release + tail are not after the recorded leave, and one of them is it.
 */
static void
set_binding(Costs *costs, uint32_t at, const PhReplayOp *op, const Need *need, int64_t *own_time)
{
	int64_t *tail = need->tail;
	int64_t enter = ph_replay_entered(costs->program, at, op);
	int64_t leave = ph_replay_left(costs->program, at, op);
	int64_t lasted = leave - enter, shown = leave - need->release;
	bool is_late = need->release > enter;
	if (need->class < 0)
	{
		*own_time = PH_MIN(lasted, PH_MAX(*tail, (int64_t) 0));
		return;
	}
	int64_t own = PH_MIN(own_of(costs, need->class), lasted);
	if (is_late && own < lasted)
	{
		*tail = shown;
		*own_time = own;
	}
	else
		*own_time = *tail == shown ? own : lasted;
}

static PhStatus
set_costs(Costs *costs, PhEnv *env, uint32_t at)
{
	PhReplayLocation *location = &costs->program->locations[at];
	for (uint32_t i = 0; i < location->n_ops; i++)
	{
		PhReplayOp *op = &location->ops[i];
		PhReplayLock *lock = ph_replay_lock(costs->program, op);
		uint32_t from, to;
		Need need;
		PH_TRY(ph_env_poll(env));
		ph_replay_needs(costs->program, op, &from, &to);
		for (uint32_t end = from; end < to; end++)
			if (find_need(costs, at, op, end, &need))
				set_tail(costs, at, op, &need);
		if (lock == NULL && !ph_replay_is_call(op))
			continue;
		int64_t *own = lock == NULL ? &op->own : &lock->own;
		*own = ph_replay_left(costs->program, at, op) - ph_replay_entered(costs->program, at, op);
		if (binding_need(costs, at, op, &need))
			set_binding(costs, at, op, &need, own);
	}
	return PH_OK;
}

/* Posting a send takes as long as the shortest one. */
static void
find_post(PhReplayProgram *program)
{
	program->post = INT64_MAX;
	for (uint32_t at = 0; at < program->skeleton->n_locations; at++)
		for (uint32_t i = 0; i < program->locations[at].n_ops; i++)
		{
			const PhReplayOp *op = &program->locations[at].ops[i];
			const PhCommEnd *ends = program->skeleton->locations[at].ends;
			int64_t lasted = ph_replay_left(program, at, op) - ph_replay_entered(program, at, op);
			if (lasted > 0 && op[1].first_end == op->first_end + 1 &&
				ph_is_send(ends[op->first_end].kind) && !ph_is_of_epoch(ends[op->first_end].kind))
				program->post = PH_MIN(program->post, lasted);
		}
	if (program->post == INT64_MAX)
		program->post = 0;
}

/* Every member of a collective enters as recorded, so that it is known whom each one waited for. */
static PhStatus
enter_recorded(PhArena *scratch, PhReplayEngine *engine)
{
	const PhReplayProgram *program = engine->program;
	const PhSkeleton *skeleton = program->skeleton;
	PH_TRY(PH_NEW(scratch, skeleton->n_locations, &engine->cursors));
	for (uint32_t at = 0; at < skeleton->n_locations; at++)
		engine->cursors[at].wait_instance = PH_NONE;
	PH_TRY(ph_replay_collectives(scratch, engine));
	for (uint32_t i = 0; i < skeleton->collectives.n_members; i++)
	{
		uint32_t op = program->member_ops[i], at = skeleton->collectives.members[i].location;
		PH_TRY(ph_env_poll(scratch->env));
		if (op != PH_NONE)
			ph_replay_enter_member(engine, i,
								   ph_replay_entered(program, at, &program->locations[at].ops[op]));
	}
	return PH_OK;
}

static PhStatus
find_costs(PhArena *scratch, PhReplayProgram *program)
{
	Costs *costs;
	PH_TRY(PH_NEW(scratch, 1, &costs));
	costs->program = program;
	costs->recorded = (PhReplayEngine){.env = scratch->env, .program = program};
	PH_TRY(enter_recorded(scratch, &costs->recorded));
	PH_TRY(find_typical(costs, scratch));
	for (uint32_t at = 0; at < program->skeleton->n_locations; at++)
		PH_TRY(set_costs(costs, scratch->env, at));
	find_post(program);
	return PH_OK;
}

/*
 * Times of locks are those of their clocks: where these are wrong, what seems to have been before
 * may have been after, and locations wait for each other in a circle. Then nobody needs locks.
 */
static PhStatus
check_locks(PhArena *scratch, PhReplayProgram *program)
{
	static const PhReplayPlan unchanged;
	PhReplayResult result;
	if (program->n_locks == 0 || program->locks[program->n_locks].first_need == 0)
		return PH_OK;
	PH_TRY(ph_replay_run(scratch, program, &unchanged, &result));
	if (result.n_stuck > 0)
		ph_replay_forget_lock_needs(program);
	return PH_OK;
}

PhStatus
ph_replay_program(PhArena *arena, const PhSkeleton *skeleton, int64_t from, int64_t to,
				  PhReplayProgram **out)
{
	PhReplayProgram *program;
	PhArena scratch;
	PH_TRY(ph_replay_operations(arena, skeleton, from, to, &program));
	ph_arena_init(&scratch, arena->env);
	PhStatus status = find_costs(&scratch, program);
	if (status == PH_OK)
		status = check_locks(&scratch, program);
	ph_arena_drop(&scratch);
	if (status == PH_OK)
		*out = program;
	return status;
}
