/*
 * path.c - the critical path of a replay: from the end of the location that ends last back through
 * what each operation was left for.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/min_max.h"
#include "replay/engine.h"

typedef struct PathWalk
{
	PhReplayEngine *engine;
	uint32_t *
		*places; /* by location, then operation: its place; NULL: it is the operation's index */
	int64_t *location_path;
	uint32_t at, slot; /* what is before this place is still to be walked … */
	int64_t time;	   /* … from here on, backwards */
} PathWalk;

static PhStatus
invert_order(PhArena *scratch, PathWalk *walk)
{
	const PhReplayEngine *engine = walk->engine;
	uint32_t n_locations = engine->program->skeleton->n_locations;
	PH_TRY(PH_NEW(scratch, n_locations, &walk->places));
	for (uint32_t at = 0; at < n_locations; at++)
	{
		uint32_t n = engine->program->locations[at].n_ops;
		if (engine->plan->order == NULL || engine->plan->order[at] == NULL)
			continue;
		PH_TRY(PH_NEW(scratch, n, &walk->places[at]));
		for (uint32_t slot = 0; slot < n; slot++)
		{
			PH_TRY(ph_env_poll(engine->env));
			walk->places[at][engine->plan->order[at][slot]] = slot;
		}
	}
	return PH_OK;
}

static void
add_time(PathWalk *walk, PhReplayKind kind, int64_t until)
{
	walk->engine->result->path[kind] += walk->time - until;
	walk->location_path[walk->at] += walk->time - until;
	walk->time = until;
}

static void
go_to(PathWalk *walk, uint32_t location, uint32_t op, int64_t time)
{
	walk->at = location;
	walk->slot = walk->places[location] == NULL ? op : walk->places[location][op];
	walk->time = time;
}

/* The operation that released this end, or need of a lock, in a location. */
static uint32_t
releasing_op(const PathWalk *walk, const PhReplayOp *op, uint32_t via, uint32_t *location)
{
	const PhReplayEngine *engine = walk->engine;
	const PhReplayProgram *program = engine->program;
	const PhCollectiveRows *rows = &program->skeleton->collectives;
	if (ph_replay_is_bare(op))
	{
		const PhReplayLock *back = &program->locks[program->lock_needs[via].lock];
		*location = back->location;
		return back->op;
	}
	const PhCommEnd *end = &program->skeleton->locations[walk->at].ends[via];
	if (ph_is_send(end->kind) || ph_is_receive(end->kind))
	{
		*location = end->partner_location;
		return ph_replay_op_of(&program->locations[*location], end->partner);
	}
	uint32_t cause = PH_NONE;
	int64_t release;
	(void) ph_replay_member_released(walk->engine, walk->at, end->partner, &cause, &release);
	*location = rows->members[cause].location;
	return program->member_ops[cause];
}

/* From the leave of the operation before the place at hand to its enter, or to another location. */
static void
walk_op(PathWalk *walk)
{
	PhReplayEngine *engine = walk->engine;
	uint32_t index = ph_replay_op_at(engine, walk->at, walk->slot - 1);
	const PhReplayOp *op = &engine->program->locations[walk->at].ops[index];
	const PhCommEnd *ends = engine->program->skeleton->locations[walk->at].ends;
	uint32_t via = engine->via[walk->at][index];
	bool is_message = ph_replay_is_bare(op) || ph_is_send(ends[op->first_end].kind) ||
					  ph_is_receive(ends[op->first_end].kind);
	if (via != PH_NONE && !ph_replay_is_bare(op))
		is_message = ph_is_send(ends[via].kind) || ph_is_receive(ends[via].kind);
	PhReplayKind kind = is_message ? PH_REPLAY_MESSAGE : PH_REPLAY_COLLECTIVE;
	if (via == PH_NONE)
	{
		add_time(walk, kind, engine->entered[walk->at][index]);
		walk->slot--;
		return;
	}
	uint32_t location, other = releasing_op(walk, op, via, &location);
	add_time(walk, kind, engine->entered[location][other]);
	go_to(walk, location, other, walk->time);
}

static PhStatus
walk_back(PathWalk *walk)
{
	const PhReplayEngine *engine = walk->engine;
	for (;;)
	{
		PH_TRY(ph_env_poll(engine->env));
		int64_t gap = ph_replay_gap(engine, walk->at, walk->slot);
		add_time(walk, PH_REPLAY_COMPUTE, walk->time - gap);
		if (walk->slot == 0)
			return PH_OK;
		walk_op(walk);
	}
}

/* Of those that end last the one of the lowest rank, so that numbers of locations do not matter. */
static uint32_t
last_location(const PhReplayEngine *engine)
{
	const PhTraceModel *model = engine->program->skeleton->model;
	uint32_t last = PH_NONE;
	for (uint32_t at = 0; at < engine->program->skeleton->n_locations; at++)
	{
		int64_t clock = engine->cursors[at].clock;
		if (!engine->program->locations[at].takes_part)
			continue;
		if (last == PH_NONE || clock > engine->cursors[last].clock ||
			(clock == engine->cursors[last].clock &&
			 model->locations[at].rank < model->locations[last].rank))
			last = at;
	}
	return last;
}

PhStatus
ph_replay_path(PhArena *arena, PhReplayEngine *engine)
{
	PathWalk walk = {.engine = engine, .at = last_location(engine)};
	PhArena scratch;
	PH_TRY(PH_NEW(arena, engine->program->skeleton->n_locations, &walk.location_path));
	engine->result->location_path = walk.location_path;
	if (walk.at == PH_NONE)
		return PH_OK;
	walk.time = engine->result->duration = engine->cursors[walk.at].clock;
	if (engine->program->finishes_together)
	{
		add_time(&walk, PH_REPLAY_COLLECTIVE, engine->arrival);
		walk.at = engine->finisher;
	}
	walk.slot = engine->program->locations[walk.at].n_ops;
	ph_arena_init(&scratch, arena->env);
	PhStatus status = invert_order(&scratch, &walk);
	if (status == PH_OK)
		status = walk_back(&walk);
	ph_arena_drop(&scratch);
	return status;
}
