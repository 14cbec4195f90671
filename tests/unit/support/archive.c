/*
 * archive.c - see archive.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/archive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/trace_source.h"

typedef struct Receiver
{
	TestTrace *trace;
	PhChunkReader *reader;
} Receiver;

/* A chunk's events, without values, which point into the chunk. */
static PhStatus
take_chunk(void *user, const PhChunk *chunk)
{
	Receiver *receiver = user;
	PhEvent event;
	PH_TRY(ph_chunk_reader_open(receiver->reader, chunk, PH_WANT_CALLS | PH_WANT_MESSAGES));
	while (ph_chunk_next(receiver->reader, &event))
	{
		PhEvent *kept = add_event(receiver->trace, chunk->location, event.kind, event.time);
		*kept = event;
		kept->values = NULL;
		kept->n_values = 0;
	}
	return PH_OK;
}

static PhStatus
read_locations(PhEnv *env, PhTraceSource *source, Receiver *receiver)
{
	PhTraceCursor *cursor;
	PhTraceCounts counts = {0};
	PhStatus status = source->open(env, source, &cursor);
	for (uint32_t l = 0; status == PH_OK && l < source->model.n_locations; l++)
	{
		PhChunkWriter *writer;
		status = ph_chunk_writer_new(env, l, 0, take_chunk, receiver, &writer);
		if (status != PH_OK)
			break;
		status = source->read_location(cursor, l, writer, &counts);
		if (status == PH_OK)
			status = ph_chunk_writer_finish(writer);
		ph_chunk_writer_free(writer);
	}
	if (cursor != NULL)
		source->close(cursor);
	return status;
}

/* With the clock offsets of the archive, whatever they do to messages: so the answers were made. */
static PhStatus
read_run(PhEnv *env, const char *path, PhRunInput *run)
{
	PhReadOptions options = {.clock_offsets = PH_OFFSETS_ON};
	PhExperiment *list;
	size_t n;
	PhUnreadList unread;
	PhArena arena;
	ph_arena_init(&arena, env);
	PhStatus status = ph_source_expand(&arena, path, NULL, &list, &n, &unread);
	if (status == PH_OK)
		status = ph_experiment_read(env, &list[0], &options, run);
	ph_arena_drop(&arena);
	return status;
}

void
archive_open(PhEnv *env, const char *path, Archive *out)
{
	memset(out, 0, sizeof(*out));
	out->env = env;
	if (read_run(env, path, &out->run) != PH_OK || out->run.trace == NULL)
		fail_msg("%s: %s", path, env->error.message);
	Receiver receiver = {&out->trace, NULL};
	out->trace.model = out->run.trace->model;
	size_t n = out->trace.model.n_locations;
	out->trace.n_events = calloc(n, sizeof(uint32_t));
	out->trace.capacity = calloc(n, sizeof(uint32_t));
	out->trace.events = calloc(n, sizeof(PhEvent *));
	if (ph_chunk_reader_new(env, &receiver.reader) != PH_OK ||
		read_locations(env, out->run.trace, &receiver) != PH_OK)
		fail_msg("%s: %s", path, env->error.message);
	ph_chunk_reader_free(receiver.reader);
}

void
archive_close(Archive *archive)
{
	for (uint32_t l = 0; l < archive->trace.model.n_locations; l++)
		free(archive->trace.events[l]);
	free(archive->trace.events);
	free(archive->trace.n_events);
	free(archive->trace.capacity);
	ph_run_input_free(archive->env, &archive->run);
}
