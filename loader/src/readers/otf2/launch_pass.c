/*
 * launch_pass.c - who launched the activities of a stream.
 *
 * Links are found in a pass of their own over a stream, because they are asked for before anything
 * is read.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/otf2/events.h"

static PhStatus
drop_chunk(void *user, const PhChunk *chunk)
{
	(void) user;
	(void) chunk;
	return PH_OK;
}

static PhStatus
pass_over(PhOtf2Cursor *cursor, uint32_t location, PhOtf2Links *links)
{
	PhOtf2Pass pass = {.callbacks = cursor->stream_callbacks,
					   .user = cursor,
					   .apply_offsets = cursor->archive->apply_offsets};
	PhChunkWriter *writer;
	PhStatus status;

	PH_TRY(ph_chunk_writer_new(cursor->env, location, 0, drop_chunk, NULL, &writer));
	ph_otf2_cursor_begin(cursor, location, writer);
	cursor->links = links;
	status = ph_otf2_cursor_pass(cursor, location, &pass);
	ph_chunk_writer_free(writer);
	return status;
}

static PhStatus
find_launches(const PhOtf2Archive *archive, PhArena *arena, uint32_t location, PhOtf2Links *out)
{
	PhOtf2Cursor *cursor;
	PhStatus status;

	*out = (PhOtf2Links){.arena = arena, .location = PH_NONE};
	if (archive->activity_attributes[PH_OTF2_LAUNCH_LOCATION] == PH_NONE ||
		!ph_location_is_stream(&archive->source.model.locations[location]))
		return PH_OK;
	PH_TRY(ph_otf2_cursor_open(arena->env, archive, &cursor));
	status = pass_over(cursor, location, out);
	ph_otf2_cursor_close(cursor);
	return status;
}

PhStatus
ph_otf2_launches(const PhTraceSource *source, PhArena *arena, uint32_t location,
				 const PhLink **links, uint64_t *n)
{
	PhOtf2Links found;
	PhStatus status = find_launches((const PhOtf2Archive *) source, arena, location, &found);

	*links = found.list.items;
	*n = found.list.count;
	return status;
}

PhStatus
ph_otf2_count_launches(PhOtf2Archive *archive)
{
	PhLaunchCounts *counts = &archive->source.launched;
	PhStatus status = PH_OK;
	PhOtf2Links found;
	PhArena arena;

	ph_arena_init(&arena, archive->env);
	for (uint32_t i = 0; i < archive->source.model.n_locations && status == PH_OK; i++)
	{
		status = find_launches(archive, &arena, i, &found);
		counts->activities += found.counts.activities;
		counts->unmatched += found.counts.unmatched;
		counts->reversed += found.counts.reversed;
		ph_arena_drop(&arena);
	}
	return status;
}
