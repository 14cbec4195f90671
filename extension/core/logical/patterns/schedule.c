/*
 * schedule.c - see schedule.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/patterns/schedule.h"

#include "base/hash.h"
#include "base/min_max.h"
#include "base/table.h"
#include "logical/identity.h"
#include "trace/mpi_calls.h"

/* What is alike: its shortest time in the phase at hand. */
typedef struct Kind
{
	uint32_t phase; /* + 1, of the last one that has it */
	int64_t least;
} Kind;

struct PhSchedule
{
	PhEnv *env;
	PhArena arena;
	const PhLogical *logical;
	const PhLogicalModel *model;
	uint64_t *call_keys;
	PhMap known; /* of events, and of times between events */
	Kind *kinds; /* by value of known; as many as it has room for */
	uint32_t n_room;
	int64_t *gathered; /* by collective: when those whom it waits for have come */
	uint32_t *base;	   /* by timeline: adds to an event's number what makes it one of the phase */
	uint32_t *first;   /* by step of the phase; then where the next event goes */
	uint32_t *order;   /* events of the phase by step */
	/* by event of the phase */
	uint32_t *kind, *gap_kind; /* of it, and of the time before it */
	int64_t *enter, *leave;
};

static PhStatus
make_room(PhSchedule *schedule)
{
	const PhLogical *logical = schedule->logical;
	PhArena *arena = &schedule->arena;
	uint32_t events = 1, steps = 1;
	for (uint32_t p = 0; p < logical->n_phases; p++)
	{
		int32_t length = (logical->last_step_of[p] - logical->first_step[p]) / logical->stride;
		events = PH_MAX(logical->n_events_of[p], events);
		steps = PH_MAX((uint32_t) length + 1, steps);
	}
	PH_TRY(ph_logical_call_keys(arena, schedule->model, &schedule->call_keys));
	PH_TRY(PH_NEW(arena, schedule->model->n_collectives, &schedule->gathered));
	PH_TRY(PH_NEW(arena, schedule->model->n_timelines, &schedule->base));
	PH_TRY(PH_NEW(arena, (size_t) steps + 1, &schedule->first));
	PH_TRY(PH_NEW(arena, events, &schedule->order));
	PH_TRY(PH_NEW(arena, events, &schedule->kind));
	PH_TRY(PH_NEW(arena, events, &schedule->gap_kind));
	PH_TRY(PH_NEW(arena, events, &schedule->enter));
	return PH_NEW(arena, events, &schedule->leave);
}

PhStatus
ph_schedule_new(PhEnv *env, const PhLogical *logical, PhSchedule **out)
{
	void *memory;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhSchedule), &memory));
	PhSchedule *schedule = memory;
	schedule->env = env;
	schedule->logical = logical;
	schedule->model = logical->model;
	ph_arena_init(&schedule->arena, env);
	ph_map_init(&schedule->known, &schedule->arena);
	PhStatus status = make_room(schedule);
	if (status == PH_OK)
		*out = schedule;
	else
		ph_schedule_free(schedule);
	return status;
}

void
ph_schedule_free(PhSchedule *schedule)
{
	if (schedule == NULL)
		return;
	PhEnv *env = schedule->env;
	ph_arena_drop(&schedule->arena);
	ph_env_free(env, schedule->kinds, schedule->n_room, sizeof(Kind));
	ph_env_free(env, schedule, 1, sizeof(PhSchedule));
}

/* ---- what is alike ---- */

static PhStatus
find_kind(PhSchedule *schedule, uint64_t key, uint32_t *out)
{
	uint32_t *value;
	PH_TRY(ph_map_enter(&schedule->known, key, schedule->known.count, &value));
	if (*value == schedule->n_room)
	{
		uint32_t room = PH_MAX(2 * schedule->n_room, 64);
		void *memory = schedule->kinds;
		PH_TRY(ph_env_resize(schedule->env, &memory, schedule->n_room, room, sizeof(Kind)));
		schedule->kinds = memory;
		for (uint32_t i = schedule->n_room; i < room; i++)
			schedule->kinds[i] = (Kind){0, 0};
		schedule->n_room = room;
	}
	*out = *value;
	return PH_OK;
}

/* A time of this kind was seen. */
static void
shorten(PhSchedule *schedule, uint32_t phase, uint32_t kind, int64_t time)
{
	Kind *of = &schedule->kinds[kind];
	if (of->phase != phase + 1 || time < of->least)
		*of = (Kind){phase + 1, time};
}

static uint32_t
size_class(const PhLogicalModel *model, uint32_t event)
{
	uint64_t bytes = 0;
	uint32_t bits = 0;
	for (uint32_t k = model->first_end[event]; k < model->first_end[event + 1]; k++)
		bytes += model->bytes[model->message_of_end[k]];
	for (; bytes > 0; bytes >>= 1)
		bits++;
	return bits;
}

/* ---- who is waited for ---- */

static PhCollectiveFlow
flow_of(const PhLogicalModel *model, uint32_t event, bool *is_root)
{
	uint32_t c = model->collective[event];
	*is_root = model->root[c] != PH_NONE &&
			   (uint32_t) model->timeline_rank[model->timeline[event]] == model->root[c];
	return model->root[c] == PH_NONE && ph_collective_flow(model->operation[c]) != PH_FLOW_ALL
			   ? PH_FLOW_NONE
			   : ph_collective_flow(model->operation[c]);
}

static bool
is_in_collective(const PhLogicalModel *model, uint32_t event)
{
	return model->kind[event] == PH_COMM_COLLECTIVE && model->collective[event] != PH_NONE;
}

static void
come(PhSchedule *schedule, uint32_t event, int64_t time)
{
	bool is_root;
	if (!is_in_collective(schedule->model, event))
		return;
	PhCollectiveFlow flow = flow_of(schedule->model, event, &is_root);
	int64_t *gathered = &schedule->gathered[schedule->model->collective[event]];
	if (flow != PH_FLOW_FROM_ROOT || is_root)
		*gathered = PH_MAX(*gathered, time);
}

/* From when on nobody is waited for, given when sends and members of collectives came. */
static int64_t
is_ready_at(const PhSchedule *schedule, uint32_t event, int64_t entered, const int64_t *enter,
			const uint32_t *base)
{
	const PhLogicalModel *model = schedule->model;
	const int32_t *step = schedule->logical->step;
	bool is_root;
	if (is_in_collective(model, event))
	{
		PhCollectiveFlow flow = flow_of(model, event, &is_root);
		bool waits = flow == PH_FLOW_ALL || (flow == PH_FLOW_FROM_ROOT && !is_root) ||
					 (flow == PH_FLOW_TO_ROOT && is_root);
		return waits ? PH_MAX(entered, schedule->gathered[model->collective[event]]) : entered;
	}
	for (uint32_t k = model->first_end[event];
		 model->kind[event] == PH_COMM_RECEIVE && k < model->first_end[event + 1]; k++)
	{
		uint32_t from = model->send_event[model->message_of_end[k]];
		if (from != PH_NONE && step[from] < step[event])
			entered =
				PH_MAX(entered, enter[from + (base == NULL ? 0 : base[model->timeline[from]])]);
	}
	return entered;
}

/* Is what comes next on the timeline a part of the same call, which has all its time? */
static bool
goes_on(const PhLogicalModel *model, uint32_t event, uint32_t last)
{
	return event < last && (model->flags[event + 1] & PH_COMM_SAME_CALL) != 0;
}

/* ---- a phase ---- */

static void
forget_collectives(PhSchedule *schedule, uint32_t phase, int64_t none)
{
	const PhLogical *logical = schedule->logical;
	for (uint32_t m = logical->first_member[phase]; m < logical->first_member[phase + 1]; m++)
		for (uint32_t e = logical->member_first[m]; e <= logical->member_last[m]; e++)
			if (is_in_collective(schedule->model, e))
				schedule->gathered[schedule->model->collective[e]] = none;
}

/* Where events of the phase are in its arrays, and when members of collectives really came. */
static void
place_events(PhSchedule *schedule, uint32_t phase)
{
	const PhLogical *logical = schedule->logical;
	uint32_t n = 0;
	forget_collectives(schedule, phase, INT64_MIN);
	for (uint32_t m = logical->first_member[phase]; m < logical->first_member[phase + 1]; m++)
	{
		uint32_t first = logical->member_first[m];
		schedule->base[schedule->model->timeline[first]] = n - first; /* modulo 2^32 */
		n += logical->member_last[m] - first + 1;
		for (uint32_t e = first; e <= logical->member_last[m]; e++)
			come(schedule, e, schedule->model->enter[e]);
	}
	/* where receives were put in order of their causes, steps may fall along a timeline */
	for (uint32_t i = 0; i < n; i++)
		schedule->enter[i] = schedule->leave[i] = 0;
}

/* The shortest times of all kinds. */
static PhStatus
measure_member(PhSchedule *schedule, uint32_t phase, uint32_t first, uint32_t last)
{
	const PhLogicalModel *model = schedule->model;
	uint32_t at = first + schedule->base[model->timeline[first]], before = 0;
	for (uint32_t e = first; e <= last; e++, at++)
	{
		uint64_t key =
			ph_hash_add(ph_event_key(model, schedule->call_keys, e), size_class(model, e));
		int64_t own =
			model->exit[e] - is_ready_at(schedule, e, model->enter[e], model->enter, NULL);
		PH_TRY(ph_env_poll_at(schedule->env, e));
		PH_TRY(find_kind(schedule, key, &schedule->kind[at]));
		shorten(schedule, phase, schedule->kind[at], goes_on(model, e, last) ? 0 : PH_MAX(own, 0));
		if (e > first)
		{
			int64_t gap = model->enter[e] - model->exit[e - 1];
			key = ph_hash_add(ph_hash_add(UINT64_C(1), before), schedule->kind[at]);
			PH_TRY(find_kind(schedule, key, &schedule->gap_kind[at]));
			shorten(schedule, phase, schedule->gap_kind[at], PH_MAX(gap, 0));
		}
		before = schedule->kind[at];
	}
	return PH_OK;
}

/* Events of the phase in order of steps (counting sort); how many steps it has. */
static uint32_t
order_by_step(PhSchedule *schedule, uint32_t phase)
{
	const PhLogical *logical = schedule->logical;
	uint32_t *first = schedule->first;
	int32_t from = logical->first_step[phase], stride = logical->stride;
	uint32_t n_steps = (uint32_t) ((logical->last_step_of[phase] - from) / stride) + 1;
	for (uint32_t s = 0; s <= n_steps; s++)
		first[s] = 0;
	for (uint32_t m = logical->first_member[phase]; m < logical->first_member[phase + 1]; m++)
		for (uint32_t e = logical->member_first[m]; e <= logical->member_last[m]; e++)
			first[(logical->step[e] - from) / stride + 1]++;
	for (uint32_t s = 0; s < n_steps; s++)
		first[s + 1] += first[s];
	for (uint32_t m = logical->first_member[phase]; m < logical->first_member[phase + 1]; m++)
		for (uint32_t e = logical->member_first[m]; e <= logical->member_last[m]; e++)
			schedule->order[first[(logical->step[e] - from) / stride]++] = e;
	return n_steps;
}

static void
enter_event(PhSchedule *schedule, uint32_t phase, uint32_t event)
{
	const PhLogicalModel *model = schedule->model;
	uint32_t at = event + schedule->base[model->timeline[event]];
	bool is_first = event == model->timeline_first[model->timeline[event]] ||
					schedule->logical->phase[event - 1] != phase;
	schedule->enter[at] =
		is_first ? 0 : schedule->leave[at - 1] + schedule->kinds[schedule->gap_kind[at]].least;
	come(schedule, event, schedule->enter[at]);
}

static void
leave_event(PhSchedule *schedule, uint32_t event)
{
	uint32_t at = event + schedule->base[schedule->model->timeline[event]];
	schedule->leave[at] =
		is_ready_at(schedule, event, schedule->enter[at], schedule->enter, schedule->base) +
		schedule->kinds[schedule->kind[at]].least;
}

/* Step by step: all events of a step come before any of them leaves. */
static PhStatus
run_steps(PhSchedule *schedule, uint32_t phase)
{
	uint32_t n_steps = order_by_step(schedule, phase), from = 0;
	forget_collectives(schedule, phase, 0);
	for (uint32_t s = 0; s < n_steps; s++)
	{
		uint32_t end = schedule->first[s]; /* order_by_step leaves ends */
		for (uint32_t i = from; i < end; i++)
			enter_event(schedule, phase, schedule->order[i]);
		for (uint32_t i = from; i < end; i++)
		{
			PH_TRY(ph_env_poll_at(schedule->env, i));
			leave_event(schedule, schedule->order[i]);
		}
		from = end;
	}
	return PH_OK;
}

static PhStatus
run_phase(PhSchedule *schedule, uint32_t phase)
{
	const PhLogical *logical = schedule->logical;
	place_events(schedule, phase);
	for (uint32_t m = logical->first_member[phase]; m < logical->first_member[phase + 1]; m++)
		PH_TRY(measure_member(schedule, phase, logical->member_first[m], logical->member_last[m]));
	return run_steps(schedule, phase);
}

PhStatus
ph_schedule_phase(PhSchedule *schedule, uint32_t phase, int64_t *leaves)
{
	const PhLogical *logical = schedule->logical;
	uint32_t first = logical->first_member[phase], end = logical->first_member[phase + 1];
	PH_TRY(run_phase(schedule, phase));
	for (uint32_t m = first; m < end; m++)
	{
		uint32_t last = logical->member_last[m];
		leaves[m - first] = schedule->leave[last + schedule->base[schedule->model->timeline[last]]];
	}
	return PH_OK;
}

/* ---- all phases ---- */

static int64_t
begin_of(const PhLogical *logical, uint32_t phase)
{
	int64_t begin = INT64_MAX;
	for (uint32_t m = logical->first_member[phase]; m < logical->first_member[phase + 1]; m++)
		for (uint32_t e = logical->member_first[m]; e <= logical->member_last[m]; e++)
			begin = PH_MIN(logical->model->enter[e], begin);
	return begin;
}

static void
take_deviations(const PhSchedule *schedule, uint32_t phase, int64_t *enter, int64_t *leave)
{
	const PhLogical *logical = schedule->logical;
	const PhLogicalModel *model = logical->model;
	int64_t begin = begin_of(logical, phase);
	for (uint32_t m = logical->first_member[phase]; m < logical->first_member[phase + 1]; m++)
		for (uint32_t e = logical->member_first[m]; e <= logical->member_last[m]; e++)
		{
			uint32_t at = e + schedule->base[model->timeline[e]];
			enter[e] = PH_MAX(model->enter[e] - begin - schedule->enter[at], 0);
			leave[e] = PH_MAX(model->exit[e] - begin - schedule->leave[at], 0);
		}
}

PhStatus
ph_schedule_deviations(PhEnv *env, const PhLogical *logical, int64_t *enter, int64_t *leave)
{
	PhSchedule *schedule;
	PhStatus status = PH_OK;
	PH_TRY(ph_schedule_new(env, logical, &schedule));
	for (uint32_t p = 0; p < logical->n_phases && status == PH_OK; p++)
	{
		status = run_phase(schedule, p);
		if (status == PH_OK)
			take_deviations(schedule, p, enter, leave);
	}
	ph_schedule_free(schedule);
	return status;
}
