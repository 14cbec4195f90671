/*
 * span_trace.h - readers of device profiles on arbitrary bytes: an error, or a trace whose
 * locations can be read.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_FUZZ_SPAN_TRACE_H
#define PH_FUZZ_SPAN_TRACE_H

#include <stdlib.h>

#include "readers/input.h"
#include "readers/trace_source.h"

#include "options.h"

static inline PhStatus
take_chunk(void *user, const PhChunk *chunk)
{
	*(uint64_t *) user += chunk->n_enter;
	return PH_OK;
}

/* Every span was written, and a stream has a link for each. */
static inline void
read_location(PhTraceSource *source, PhTraceCursor *cursor, PhArena *arena, uint32_t location)
{
	PhTraceCounts counts = {0};
	PhChunkWriter *writer;
	const PhLink *links;
	uint64_t n_entered = 0, n_links;
	if (ph_chunk_writer_new(arena->env, location, 0, take_chunk, &n_entered, &writer) != PH_OK)
		abort();
	if (source->read_location(cursor, location, writer, &counts) != PH_OK ||
		ph_chunk_writer_finish(writer) != PH_OK ||
		source->launches(source, arena, location, &links, &n_links) != PH_OK)
		abort();
	if (ph_location_is_stream(&source->model.locations[location]) && n_links != n_entered)
		abort();
	ph_chunk_writer_free(writer);
}

static inline void
read_locations(PhEnv *env, PhTraceSource *source)
{
	PhTraceCursor *cursor;
	PhArena arena;
	ph_arena_init(&arena, env);
	if (source->open(env, source, &cursor) != PH_OK)
		abort();
	for (uint32_t i = 0; i < source->model.n_locations; i++)
		read_location(source, cursor, &arena, i);
	source->close(cursor);
	ph_arena_drop(&arena);
}

static inline void
read_device_profile(const PhReader *reader, const uint8_t *data, size_t size)
{
	PhEnv env;
	PhRunInput run;
	PhReadOptions options = fuzz_options(size);
	PhInput input = ph_input_lend("input", data, size);
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 256 << 20;
	if (reader->read_file(&env, &input, &options, &run) == PH_OK)
	{
		read_locations(&env, run.trace);
		ph_run_input_free(&env, &run);
	}
	if (env.bytes != 0)
		abort(); /* something was not given back */
}

#endif
