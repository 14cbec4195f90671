/*
 * calls.c - see calls.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "devices/calls.h"

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
