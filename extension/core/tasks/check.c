/*
 * check.c - is a trace of tasks what its header promises? It comes from files.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "tasks/trace_internal.h"

static PhStatus
broken(const PhTaskTrace *trace, const char *table, uint32_t row, const char *rule)
{
	return ph_fail(trace->env, PH_ERR_VALUE, "%s %u of the trace of tasks: %s", table, row, rule);
}

static bool
refers(const PhTaskTrace *trace, PhTaskTable table, uint32_t id)
{
	return id < trace->count[table];
}

static bool
may_refer(const PhTaskTrace *trace, PhTaskTable table, uint32_t id)
{
	return id == PH_NONE || refers(trace, table, id);
}

static PhStatus
check_entries(const PhTaskTrace *trace)
{
	for (uint32_t t = 0; t < trace->count[PH_TASK_TYPES]; t++)
		if (trace->type_name[t] == NULL)
			return broken(trace, "chare type", t, "it has no name");
	for (uint32_t e = 0; e < trace->count[PH_TASK_ENTRIES]; e++)
	{
		if (trace->entry_name[e] == NULL)
			return broken(trace, "entry method", e, "it has no name");
		if (!refers(trace, PH_TASK_TYPES, trace->entry_type[e]))
			return broken(trace, "entry method", e, "its chare type does not exist");
		if (trace->entry_serial[e] < PH_NO_SERIAL)
			return broken(trace, "entry method", e, "its serial number is negative");
	}
	return PH_OK;
}

static PhStatus
check_entities(const PhTaskTrace *trace)
{
	for (uint32_t e = 0; e < trace->count[PH_TASK_ENTITIES]; e++)
	{
		if (!may_refer(trace, PH_TASK_TYPES, trace->entity_type[e]))
			return broken(trace, "entity", e, "its chare type does not exist");
		if (trace->entity_dimensions[e] > PH_TASK_DIMENSIONS)
			return broken(trace, "entity", e, "its index has too many dimensions");
		if (trace->entity_is_runtime[e] > 1)
			return broken(trace, "entity", e, "its runtime flag is neither 0 nor 1");
		if (!refers(trace, PH_TASK_PROCESSORS, trace->entity_processor[e]))
			return broken(trace, "entity", e, "its processor does not exist");
	}
	return PH_OK;
}

static PhStatus
check_block(const PhTaskTrace *trace, uint32_t b)
{
	uint32_t before = trace->block_continues[b];
	if (!refers(trace, PH_TASK_ENTITIES, trace->block_entity[b]))
		return broken(trace, "block", b, "its entity does not exist");
	if (!refers(trace, PH_TASK_PROCESSORS, trace->block_processor[b]))
		return broken(trace, "block", b, "its processor does not exist");
	if (!may_refer(trace, PH_TASK_ENTRIES, trace->block_entry[b]))
		return broken(trace, "block", b, "its entry method does not exist");
	if (trace->block_begin[b] < 0 || trace->block_end[b] < trace->block_begin[b])
		return broken(trace, "block", b, "it ends before it begins, or begins before the run");
	if (before == PH_NONE)
		return PH_OK;
	if (before >= b)
		return broken(trace, "block", b, "it continues a block that was not added before");
	if (trace->block_entity[before] != trace->block_entity[b] ||
		trace->block_processor[before] != trace->block_processor[b])
		return broken(trace, "block", b, "it continues a block of another entity or processor");
	return PH_OK;
}

static PhStatus
check_blocks(const PhTaskTrace *trace, int64_t *latest)
{
	for (uint32_t p = 0; p < trace->count[PH_TASK_PROCESSORS]; p++)
		latest[p] = INT64_MIN;
	for (uint32_t b = 0; b < trace->count[PH_TASK_BLOCKS]; b++)
	{
		PH_TRY(ph_env_poll(trace->env));
		PH_TRY(check_block(trace, b));
		int64_t *last = &latest[trace->block_processor[b]];
		if (trace->block_begin[b] < *last)
			return broken(trace, "block", b, "it begins before the block before on its processor");
		*last = trace->block_begin[b];
	}
	return PH_OK;
}

static PhStatus
check_event(const PhTaskTrace *trace, uint32_t e)
{
	uint32_t block = trace->event_block[e], partner = trace->event_partner[e];
	int64_t time = trace->event_time[e];
	if (!refers(trace, PH_TASK_BLOCKS, block))
		return broken(trace, "event", e, "its block does not exist");
	if (trace->event_kind[e] > PH_TASK_RECEIVE)
		return broken(trace, "event", e, "its kind does not exist");
	if (time < trace->block_begin[block] || time > trace->block_end[block])
		return broken(trace, "event", e, "its time is outside of its block");
	if (!may_refer(trace, PH_TASK_EVENTS, partner))
		return broken(trace, "event", e, "its partner does not exist");
	if (partner != PH_NONE &&
		(trace->event_kind[e] != PH_TASK_RECEIVE || trace->event_kind[partner] != PH_TASK_SEND))
		return broken(trace, "event", e, "a partner is the send of a receive");
	return PH_OK;
}

/* last: by block. */
static PhStatus
check_events(const PhTaskTrace *trace, int64_t *last)
{
	for (uint32_t e = 0; e < trace->count[PH_TASK_EVENTS]; e++)
	{
		PH_TRY(ph_env_poll(trace->env));
		PH_TRY(check_event(trace, e));
		uint32_t block = trace->event_block[e];
		if (trace->event_time[e] < last[block])
			return broken(trace, "event", e, "it is before the event before it in its block");
		last[block] = trace->event_time[e];
	}
	return PH_OK;
}

static PhStatus
check_rest(const PhTaskTrace *trace)
{
	for (uint32_t i = 0; i < trace->count[PH_TASK_IDLES]; i++)
	{
		if (!refers(trace, PH_TASK_PROCESSORS, trace->idle_processor[i]))
			return broken(trace, "idle interval", i, "its processor does not exist");
		if (trace->idle_begin[i] < 0 || trace->idle_end[i] < trace->idle_begin[i])
			return broken(trace, "idle interval", i, "it ends before it begins");
	}
	for (uint32_t d = 0; d < trace->count[PH_TASK_EDGES]; d++)
		if (!refers(trace, PH_TASK_EVENTS, trace->edge_from[d]) ||
			!refers(trace, PH_TASK_EVENTS, trace->edge_to[d]) ||
			trace->edge_from[d] == trace->edge_to[d])
			return broken(trace, "dependency", d, "its events do not exist, or are one");
	return PH_OK;
}

static PhStatus
check(PhArena *temporary, const PhTaskTrace *trace)
{
	int64_t *latest, *last;
	if (trace->tick == 0)
		return ph_fail(trace->env, PH_ERR_VALUE, "the tick of a trace of tasks is 0");
	PH_TRY(check_entries(trace));
	PH_TRY(check_entities(trace));
	PH_TRY(PH_NEW(temporary, trace->count[PH_TASK_PROCESSORS], &latest));
	PH_TRY(check_blocks(trace, latest));
	PH_TRY(PH_NEW(temporary, trace->count[PH_TASK_BLOCKS], &last));
	PH_TRY(check_events(trace, last));
	return check_rest(trace);
}

PhStatus
ph_task_check(const PhTaskTrace *trace)
{
	PhArena temporary;
	ph_arena_init(&temporary, trace->env);
	PhStatus status = check(&temporary, trace);
	ph_arena_drop(&temporary);
	return status;
}
