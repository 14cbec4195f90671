/*
 * task_events.h - what the fuzz targets of task-based traces share: read a source to its last
 * event, make a trace of tasks of its chunks, and check that what comes out fits together.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_FUZZ_TASK_EVENTS_H
#define PH_FUZZ_TASK_EVENTS_H

#include <stdlib.h>

#include "pipeline/trace/read.h"
#include "readers/tasks/source.h"

/* Links must lead to sends that exist, and be as many as there are receives. */
static inline void
fuzz_check_links(PhEnv *env, const PhTraceRead *read, const PhTraceSource *source)
{
	uint64_t n_messages = 0;

	for (uint32_t i = 0; i < source->model.n_locations; i++)
	{
		const PhLink *links;
		uint64_t n;
		PhArena arena;

		ph_arena_init(&arena, env);
		if (ph_trace_read_links(read, source, &arena, i, &links, &n) != PH_OK ||
			n != read->receives[i].n)
			abort();
		for (uint64_t k = 0; k < n; k++)
		{
			if (links[k].location == PH_NONE)
				continue;
			n_messages++;
			if (links[k].location >= source->model.n_locations || links[k].seq >= read->n_events)
				abort();
		}
		ph_arena_drop(&arena);
	}
	if (n_messages != read->matches.messages)
		abort();
}

static inline void
fuzz_read_events(PhEnv *env, PhTraceSource *source)
{
	PhTraceReadOptions options = {.source = source, .n_threads = 1};
	const PhConnection *refused;
	PhTraceRead read;

	if (ph_trace_read(env, &options, &read, &refused) == PH_OK)
	{
		if (ph_trace_read_match(&read, source) != PH_OK || read.counts.last_time < 0)
			abort();
		fuzz_check_links(env, &read, source);
	}
	else if (env->error.message[0] == '\0')
		abort(); /* a failure says why */
	ph_trace_read_free(&read);
}

#endif
