/*
 * settle.c - when the run's first event is, and whether clock offsets are applied.
 *
 * Both must be known before events are read: one look at every location's definitions and first
 * event tells. A second one follows when offsets are applied, since they move the first events.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/min_max.h"
#include "readers/otf2/archive.h"
#include "system/memory.h"

static OTF2_CallbackCode
on_clock_offset(void *user, OTF2_TimeStamp time, int64_t offset, double deviation)
{
	PhOtf2Cursor *cursor = user;
	PhClockOffsetList *list = cursor->offsets;
	PhStatus status = PH_OK;

	(void) deviation;
	if (list == NULL)
		return OTF2_CALLBACK_SUCCESS;
	if (list->n == list->capacity)
		status = ph_grow_in_arena(list->arena, (void **) &list->items, list->n, &list->capacity,
								  sizeof(*list->items));
	if (status != PH_OK)
	{
		cursor->status = status;
		return OTF2_CALLBACK_INTERRUPT;
	}
	list->items[list->n++] = (PhClockOffset){time, offset};
	return OTF2_CALLBACK_SUCCESS;
}

static PhStatus
drop_chunk(void *user, const PhChunk *chunk)
{
	(void) user;
	(void) chunk;
	return PH_OK;
}

/* Time of the location's first event, INT64_MAX: it has none. */
static PhStatus
look_at(PhOtf2Cursor *cursor, uint32_t location, OTF2_DefReaderCallbacks *definitions,
		int64_t *first)
{
	PhOtf2Pass pass = {.callbacks = cursor->callbacks,
					   .definitions = definitions,
					   .user = cursor,
					   .apply_offsets = cursor->archive->apply_offsets,
					   .n_events = 1};
	PhChunkWriter *writer;
	PhStatus status;

	PH_TRY(ph_chunk_writer_new(cursor->env, location, 1, drop_chunk, NULL, &writer));
	ph_otf2_cursor_begin(cursor, location, writer);
	status = ph_otf2_cursor_pass(cursor, location, &pass);
	ph_chunk_writer_free(writer);
	*first = pass.n_read == 0 ? INT64_MAX : cursor->last;
	return status;
}

/* The earliest of all locations' first events becomes the origin. lists: by location, or NULL. */
static PhStatus
look_at_all(PhOtf2Archive *archive, PhOtf2Cursor *cursor, OTF2_DefReaderCallbacks *definitions,
			PhClockOffsetList *lists)
{
	int64_t origin = INT64_MAX;

	archive->origin = INT64_MIN / 2; /* not known yet: before all */
	for (uint32_t i = 0; i < archive->source.model.n_locations; i++)
	{
		int64_t first;

		PH_TRY(ph_env_poll(archive->env));
		cursor->offsets = lists == NULL ? NULL : &lists[i];
		PH_TRY(look_at(cursor, i, definitions, &first));
		origin = PH_MIN(first, origin);
	}
	archive->origin = origin == INT64_MAX ? 0 : origin;
	return PH_OK;
}

/*
 * A correction that adds the same to all times of all locations changes nothing that can be seen.
 * False in that case: no offset differs from the first one.
 */
static bool
offsets_differ(const PhClockOffsetList *lists, uint32_t n)
{
	const PhClockOffset *first = NULL;

	for (uint32_t i = 0; i < n; i++)
	{
		for (uint32_t k = 0; lists[i].n >= 2 && k < lists[i].n; k++)
		{
			if (first == NULL)
				first = &lists[i].items[0];
			if (lists[i].items[k].offset != first->offset)
				return true;
		}
	}
	return false;
}

static PhStatus
decide(PhOtf2Archive *archive, PhClockOffsets mode, const PhClockOffsetList *lists, bool *apply)
{
	bool worse = false;

	*apply = mode != PH_OFFSETS_OFF && offsets_differ(lists, archive->source.model.n_locations);
	if (!*apply || mode == PH_OFFSETS_ON)
		return PH_OK;
	PH_TRY(ph_otf2_try_offsets(archive, lists, &worse));
	*apply = !worse;
	return PH_OK;
}

static PhStatus
settle_with(PhOtf2Archive *archive, PhClockOffsets mode, PhOtf2Cursor *cursor,
			OTF2_DefReaderCallbacks *definitions, PhArena *arena)
{
	uint32_t n = archive->source.model.n_locations;
	PhClockOffsetList *lists;
	bool apply;

	OTF2_DefReaderCallbacks_SetClockOffsetCallback(definitions, on_clock_offset);
	PH_TRY(PH_NEW(arena, n, &lists));
	for (uint32_t i = 0; i < n; i++)
		lists[i].arena = arena;
	PH_TRY(look_at_all(archive, cursor, definitions, lists));
	PH_TRY(decide(archive, mode, lists, &apply));
	if (!apply)
		return PH_OK;
	archive->apply_offsets = true;
	archive->source.clock = PH_CLOCK_OFFSETS;
	ph_otf2_cursor_rewind(cursor);
	return look_at_all(archive, cursor, NULL, NULL);
}

/* Since 1970, of the first event; PH_NO_TIME: the archive does not know. */
static int64_t
find_epoch(const PhOtf2Archive *archive)
{
	if (archive->realtime == OTF2_UNDEFINED_TIMESTAMP || archive->realtime == 0 ||
		archive->realtime > (uint64_t) INT64_MAX / 2)
		return PH_NO_TIME;
	return (int64_t) archive->realtime + archive->origin;
}

PhStatus
ph_otf2_archive_settle(PhOtf2Archive *archive, PhClockOffsets offsets)
{
	OTF2_DefReaderCallbacks *definitions = OTF2_DefReaderCallbacks_New();
	PhOtf2Cursor *cursor = NULL;
	PhArena arena;
	PhStatus status = PH_OK;

	ph_arena_init(&arena, archive->env);
	if (definitions == NULL)
		status = ph_fail_memory(archive->env, "OTF2");
	if (status == PH_OK)
		status = ph_otf2_cursor_open(archive->env, archive, &cursor);
	if (status == PH_OK)
		status = settle_with(archive, offsets, cursor, definitions, &arena);
	archive->source.model.epoch_ns = find_epoch(archive);
	ph_otf2_cursor_close(cursor);
	OTF2_DefReaderCallbacks_Delete(definitions);
	ph_arena_drop(&arena);
	return status;
}
