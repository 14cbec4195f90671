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

void
ph_launching_calls_add_chunk(const PhLaunches *launches, PhLaunchingCall *calls,
							 const PhChunk *chunk, PhChunkReader *reader)
{
	PhEvent event;
	uint32_t first = ph_launches_from(launches, chunk->location, 0);
	if (first == launches->calls.count || launches->calls.items[first].location != chunk->location)
		return;
	while (ph_chunk_next(reader, &event))
	{
		if (event.kind != PH_EVENT_LEAVE)
			continue;
		const PhOpenCall *closed = ph_chunk_closed_call(reader);
		uint32_t launch = ph_launches_find(launches, chunk->location, closed->seq);
		if (launch != PH_NONE)
			calls[launch] = (PhLaunchingCall){event.region, closed->enter, event.time};
	}
}
