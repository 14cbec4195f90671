/*
 * calls.c - see calls.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "devices/calls.h"

#include <string.h>

bool
ph_call_synchronises(const char *name)
{
	static const char *const endings[] = {"StreamSynchronize", "DeviceSynchronize",
										  "EventSynchronize", "CtxSynchronize",
										  "ThreadSynchronize"};
	size_t length = strlen(name);
	if (strncmp(name, "cu", 2) != 0 && strncmp(name, "hip", 3) != 0)
		return false;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
	{
		size_t ending = strlen(endings[i]);
		if (length > ending && strcmp(name + length - ending, endings[i]) == 0)
			return true;
	}
	return false;
}

PhStatus
ph_host_calls_add_chunk(PhEnv *env, PhHostCalls *calls, const bool *wanted, uint32_t n_regions,
						const PhChunk *chunk, PhChunkReader *reader)
{
	PhEvent event;
	PH_TRY(ph_env_poll(env));
	while (ph_chunk_next(reader, &event))
	{
		if (event.kind != PH_EVENT_LEAVE || event.region >= n_regions || !wanted[event.region])
			continue;
		const PhOpenCall *closed = ph_chunk_closed_call(reader);
		PH_TRY(PH_ROOM(env, &calls->list));
		calls->list.items[calls->list.count++] =
			(PhHostCall){chunk->location, event.region, closed->enter, event.time, closed->seq};
	}
	return PH_OK;
}

void
ph_host_calls_free(PhEnv *env, PhHostCalls *calls)
{
	PH_VECTOR_FREE(env, &calls->list);
}

static bool
is_at(const PhLaunches *launches, uint32_t at, uint32_t location, uint64_t seq)
{
	return at < launches->calls.count && launches->calls.items[at].location == location &&
		   launches->calls.items[at].seq == seq;
}

/* next: likely the one; calls that launch follow each other. */
static uint32_t
find_launch(const PhLaunches *launches, uint32_t next, uint32_t location, uint64_t seq)
{
	return is_at(launches, next, location, seq) ? next : ph_launches_find(launches, location, seq);
}

void
ph_launching_calls_add_chunk(const PhLaunches *launches, PhLaunchingCall *calls,
							 const PhChunk *chunk, PhChunkReader *reader)
{
	PhEvent event;
	uint32_t next = ph_launches_from(launches, chunk->location, 0);
	if (next == launches->calls.count || launches->calls.items[next].location != chunk->location)
		return;
	while (ph_chunk_next(reader, &event))
	{
		if (event.kind != PH_EVENT_LEAVE)
			continue;
		const PhOpenCall *closed = ph_chunk_closed_call(reader);
		uint32_t launch = find_launch(launches, next, chunk->location, closed->seq);
		if (launch == PH_NONE)
			continue;
		calls[launch] = (PhLaunchingCall){event.region, closed->enter, event.time};
		next = launch + 1;
	}
}
