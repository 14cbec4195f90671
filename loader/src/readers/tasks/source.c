/*
 * source.c - beginning and end of a source of tasks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/tasks/source.h"

static void
free_part(PhTaskPart *part)
{
	ph_env_free(&part->env, part->creations, part->creation_room, sizeof(*part->creations));
	ph_env_free(&part->env, part->receipts, part->receipt_room, sizeof(*part->receipts));
	ph_arena_drop(&part->arena);
}

static void
free_source(PhEnv *env, PhTraceSource *source)
{
	PhTaskSource *tasks = (PhTaskSource *) source;

	for (uint32_t i = 0; tasks->parts != NULL && i < source->model.n_locations; i++)
		free_part(&tasks->parts[i]);
	ph_arena_drop(&tasks->arena);
	tasks->free_format(env, tasks);
}

void
ph_task_source_init(PhTaskSource *tasks, PhEnv *env)
{
	*tasks = (PhTaskSource){.env = env, .thread_entry = PH_NONE, .tick = 1};
	ph_arena_init(&tasks->arena, env);
	tasks->source.model.epoch_ns = PH_NO_TIME;
	tasks->source.open = ph_task_cursor_open;
	tasks->source.read_location = ph_task_read_location;
	tasks->source.close = ph_task_cursor_close;
	tasks->source.free = free_source;
	tasks->source.links = ph_task_links;
	tasks->source.tasks = tasks;
}
