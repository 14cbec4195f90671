/*
 * trace_text.c - see trace_text.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/trace_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Events
{
	PhEnv *env;
	const PhTraceModel *model;
	PhChunkReader *reader;
	char *text;
	size_t size, room;
} Events;

static void
add_text(Events *events, const char *text)
{
	size_t size = strlen(text);

	while (events->size + size + 1 > events->room)
		events->text = realloc(events->text, events->room *= 2);
	memcpy(events->text + events->size, text, size + 1);
	events->size += size;
}

static void
add_event(Events *events, const PhEvent *event)
{
	char one[512];

	if (event->kind == PH_EVENT_OTHER)
	{
		for (uint32_t i = 0; i < event->n_values; i++)
		{
			snprintf(one, sizeof(one), "%s%llu", i == 0 ? " !" : ",",
					 (unsigned long long) event->values[i]);
			add_text(events, one);
		}
		return;
	}
	snprintf(one, sizeof(one), "%s%lld%s%s", events->size > 0 ? " " : "", (long long) event->time,
			 event->kind == PH_EVENT_ENTER ? "+" : "-",
			 event->kind == PH_EVENT_ENTER ? events->model->regions[event->region].name : "");
	add_text(events, one);
}

static PhStatus
add_chunk(void *user, const PhChunk *chunk)
{
	Events *events = user;
	PhEvent event;

	PH_TRY(ph_chunk_reader_open(events->reader, chunk, PH_WANT_ALL));
	while (ph_chunk_next(events->reader, &event))
		add_event(events, &event);
	return PH_OK;
}

char *
events_of(PhEnv *env, const PhTraceSource *trace, uint32_t location)
{
	Events events = {.env = env, .model = &trace->model, .text = calloc(64, 1), .room = 64};
	PhTraceCounts counts = {0};
	PhTraceCursor *cursor;
	PhChunkWriter *writer;
	PhStatus status;

	assert_int_equal(ph_chunk_reader_new(env, &events.reader), PH_OK);
	assert_int_equal(trace->open(env, trace, &cursor), PH_OK);
	assert_int_equal(ph_chunk_writer_new(env, location, 7, add_chunk, &events, &writer), PH_OK);
	status = trace->read_location(cursor, location, writer, &counts);
	if (status == PH_OK)
		status = ph_chunk_writer_finish(writer);
	if (status != PH_OK)
		fail_msg("%s", env->error.message);
	assert_int_equal(counts.events[PH_EVENT_ENTER] + counts.events[PH_EVENT_LEAVE] +
						 counts.events[PH_EVENT_OTHER],
					 trace->model.locations[location].n_events);
	ph_chunk_writer_free(writer);
	trace->close(cursor);
	ph_chunk_reader_free(events.reader);
	return events.text;
}

void
check_events(PhEnv *env, const PhRunInput *run, uint32_t location, const char *expected)
{
	char *text = events_of(env, run->trace, location);

	assert_string_equal(text, expected);
	free(text);
}

char *
launches_of(PhEnv *env, const PhTraceSource *trace, uint32_t location)
{
	Events events = {.text = calloc(64, 1), .room = 64};
	const PhLink *links;
	PhArena arena;
	uint64_t n;

	ph_arena_init(&arena, env);
	assert_int_equal(trace->launches(trace, &arena, location, &links, &n), PH_OK);
	for (uint64_t i = 0; i < n; i++)
	{
		char one[80] = "-";

		if (links[i].location != PH_NONE)
			snprintf(one, sizeof(one), "%u/%llu@%lld", links[i].location,
					 (unsigned long long) links[i].seq, (long long) links[i].time);
		add_text(&events, i > 0 ? " " : "");
		add_text(&events, one);
	}
	ph_arena_drop(&arena);
	return events.text;
}
