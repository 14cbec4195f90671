/*
 * cursor.c - a thread's own reader of an archive, and passes over one location after the
 * other.
 *
 * libotf2 keeps what it read of a location (id mappings, clock offsets) until the archive is closed
 * and finds locations by searching, so the archive is opened anew after some hundred locations:
 * memory and time stay bounded whatever their number.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "readers/experiment_folder.h"
#include "readers/input.h"
#include "readers/otf2/archive.h"
#include "system/memory.h"

#define MOST_SELECTED 256
/* A chunk's header and the two marks of its end: a file of this size holds no record. */
#define EMPTY_FILE 20

#define WHOLE_ARCHIVE "Copy the whole archive: the anchor needs the files of every location."

PhStatus
ph_otf2_location_path(PhEnv *env, const PhOtf2Archive *archive, uint64_t location,
					  const char *suffix, char *out, size_t size)
{
	int length = snprintf(out, size, "%s/%" PRIu64 ".%s", archive->folder, location, suffix);

	return length > 0 && (size_t) length < size
			   ? PH_OK
			   : ph_fail(env, PH_ERR_LIMIT, "%s: path is too long", archive->anchor);
}

static PhStatus
open_reader(PhOtf2Cursor *cursor)
{
	const PhOtf2Archive *archive = cursor->archive;
	OTF2_ErrorCode code;

	ph_otf2_reading(archive->anchor);
	cursor->reader = OTF2_Reader_Open(archive->anchor);
	if (cursor->reader == NULL)
		return ph_otf2_fail(cursor->env, archive->anchor, OTF2_ERROR_INTEGRITY_FAULT,
							"cannot open the archive");
	cursor->n_selected = 0;
	code = OTF2_Reader_SetSerialCollectiveCallbacks(cursor->reader);
	/* without definition files there is nothing to map */
	if (code == OTF2_SUCCESS)
		(void) OTF2_Reader_OpenDefFiles(cursor->reader);
	if (code == OTF2_SUCCESS)
		code = OTF2_Reader_OpenEvtFiles(cursor->reader);
	return code == OTF2_SUCCESS
			   ? PH_OK
			   : ph_otf2_fail(cursor->env, archive->anchor, code, "cannot open its event files");
}

static void
close_reader(PhOtf2Cursor *cursor)
{
	if (cursor->reader == NULL)
		return;
	(void) OTF2_Reader_CloseDefFiles(cursor->reader);
	(void) OTF2_Reader_CloseEvtFiles(cursor->reader);
	(void) OTF2_Reader_Close(cursor->reader);
	cursor->reader = NULL;
	ph_otf2_reading(NULL);
}

static void
free_cursor(PhEnv *env, PhOtf2Cursor *cursor)
{
	close_reader(cursor);
	OTF2_EvtReaderCallbacks_Delete(cursor->callbacks);
	OTF2_EvtReaderCallbacks_Delete(cursor->stream_callbacks);
	ph_env_free(env, cursor, 1, sizeof(*cursor));
}

PhStatus
ph_otf2_cursor_open(PhEnv *env, const PhOtf2Archive *archive, PhOtf2Cursor **out)
{
	PhOtf2Cursor *cursor;
	void *memory;

	PH_TRY(ph_env_alloc(env, 1, sizeof(*cursor), &memory));
	cursor = memory;
	*cursor = (PhOtf2Cursor){.cursor.source = &archive->source, .env = env, .archive = archive};
	cursor->callbacks = OTF2_EvtReaderCallbacks_New();
	cursor->stream_callbacks = OTF2_EvtReaderCallbacks_New();
	if (cursor->callbacks == NULL || cursor->stream_callbacks == NULL)
	{
		free_cursor(env, cursor);
		return ph_fail_memory(env, "OTF2");
	}
	ph_otf2_set_event_callbacks(cursor->callbacks);
	ph_otf2_set_record_callbacks(cursor->callbacks);
	ph_otf2_set_event_callbacks(cursor->stream_callbacks);
	ph_otf2_set_record_callbacks(cursor->stream_callbacks);
	ph_otf2_set_stream_callbacks(cursor->stream_callbacks);
	*out = cursor;
	return PH_OK;
}

void
ph_otf2_cursor_close(PhOtf2Cursor *cursor)
{
	if (cursor != NULL)
		free_cursor(cursor->env, cursor);
}

void
ph_otf2_cursor_rewind(PhOtf2Cursor *cursor)
{
	close_reader(cursor);
}

/* ---- a pass over one location ---- */

void
ph_otf2_cursor_begin(PhOtf2Cursor *cursor, uint32_t location, PhChunkWriter *writer)
{
	const PhOtf2Archive *archive = cursor->archive;

	cursor->location = location;
	cursor->rank = archive->source.model.locations[location].rank;
	cursor->writer = writer;
	cursor->counts = (PhTraceCounts){0};
	cursor->last = PH_TICKS_OUT_OF_RANGE + 1;
	cursor->origin = archive->origin;
	cursor->regions = archive->region_ids.direct;
	cursor->n_regions = archive->region_ids.n_direct;
	cursor->has_attributes = archive->has_attributes;
	cursor->has_logical = archive->logical != NULL;
	cursor->last_time = 0;
	cursor->seq = 0;
	cursor->is_copying = false;
	cursor->links = NULL;
	if (cursor->has_logical)
		cursor->logical = ph_clock_cursor(archive->logical, location);
	/* a correction is rounded to ticks: two events of one time may come out a tick apart */
	cursor->slack =
		archive->apply_offsets ? (int64_t) (2 * UINT64_C(1000000000) / archive->resolution) + 2 : 0;
	(void) ph_ticks_init(&cursor->ticks, archive->global_offset, archive->resolution);
}

static PhStatus
select_location(PhOtf2Cursor *cursor, uint64_t id)
{
	OTF2_ErrorCode code;

	if (cursor->n_selected == MOST_SELECTED)
		close_reader(cursor);
	if (cursor->reader == NULL)
		PH_TRY(open_reader(cursor));
	code = OTF2_Reader_SelectLocation(cursor->reader, id);
	cursor->n_selected++;
	return code == OTF2_SUCCESS ? PH_OK
								: ph_otf2_fail(cursor->env, cursor->archive->anchor, code,
											   "cannot select location %" PRIu64, id);
}

/* An archive that lacks a file is an incomplete input. */
static PhStatus
missing_status(int error)
{
	return error == ENOENT ? PH_ERR_FORMAT : ph_input_errno_status(error);
}

/* A file without records, as writers make them; one that was cut off within its header is none. */
static bool
is_empty_file(const char *path, const struct stat *status)
{
	static const uint8_t marks[] = {2, 1}; /* of the end of the chunk and of the file */
	uint8_t bytes[EMPTY_FILE];

	return status->st_size == EMPTY_FILE &&
		   ph_file_head(path, bytes, sizeof(bytes)) == EMPTY_FILE &&
		   memcmp(bytes + EMPTY_FILE - sizeof(marks), marks, sizeof(marks)) == 0;
}

/*
 * Id mappings and clock offsets of the location. An archive may have none; if others have theirs,
 * this one's numbers would mean something else without.
 */
static PhStatus
read_definitions(PhOtf2Cursor *cursor, uint64_t id, const char *path, const PhOtf2Pass *pass)
{
	OTF2_DefReader *reader;
	OTF2_ErrorCode code;
	uint64_t n_read = 0;
	struct stat status;

	if (stat(path, &status) != 0)
	{
		int error = errno;

		if (error == ENOENT && !cursor->archive->has_local_definitions)
			return PH_OK;
		return ph_fail_hint(cursor->env, missing_status(error), WHOLE_ARCHIVE,
							"%s: cannot read the definitions of location %" PRIu64 ": %s", path, id,
							strerror(error));
	}
	if (is_empty_file(path, &status))
		return PH_OK;
	ph_otf2_reading(path);
	reader = OTF2_Reader_GetDefReader(cursor->reader, id);
	if (reader == NULL)
		return ph_otf2_fail(cursor->env, path, OTF2_ERROR_INTEGRITY_FAULT,
							"cannot open the definitions of location %" PRIu64, id);
	code = pass->definitions == NULL ? OTF2_SUCCESS
									 : OTF2_Reader_RegisterDefCallbacks(
										   cursor->reader, reader, pass->definitions, pass->user);
	if (code == OTF2_SUCCESS)
		code = OTF2_Reader_ReadAllLocalDefinitions(cursor->reader, reader, &n_read);
	(void) OTF2_Reader_CloseDefReader(cursor->reader, reader);
	if (cursor->status != PH_OK)
		return cursor->status;
	return code == OTF2_SUCCESS
			   ? PH_OK
			   : ph_otf2_fail(cursor->env, path, code, "location %" PRIu64 ", definition %" PRIu64,
							  id, n_read + 1);
}

static OTF2_ErrorCode
read_records(PhOtf2Cursor *cursor, OTF2_EvtReader *reader, PhOtf2Pass *pass)
{
	OTF2_ErrorCode code =
		OTF2_Reader_RegisterEvtCallbacks(cursor->reader, reader, pass->callbacks, pass->user);

	if (code == OTF2_SUCCESS)
		code = OTF2_EvtReader_ApplyClockOffsets(reader, pass->apply_offsets);
	if (code == OTF2_SUCCESS && pass->n_events > 0)
		return OTF2_Reader_ReadLocalEvents(cursor->reader, reader, pass->n_events, &pass->n_read);
	if (code == OTF2_SUCCESS)
		code = OTF2_Reader_ReadAllLocalEvents(cursor->reader, reader, &pass->n_read);
	return code;
}

/* "path: location 3, record 17: what the callback found". */
static PhStatus
callback_failed(PhOtf2Cursor *cursor, uint64_t id, const char *path)
{
	char what[PH_ERROR_MAX];

	if (cursor->status != PH_ERR_FORMAT && cursor->status != PH_ERR_VALUE)
		return cursor->status;
	snprintf(what, sizeof(what), "%s", cursor->env->error.message);
	return ph_fail(cursor->env, cursor->status, "%s: location %" PRIu64 ", record %" PRIu64 ": %s",
				   path, id, cursor->record, what);
}

static PhStatus
read_events(PhOtf2Cursor *cursor, uint64_t id, const char *path, PhOtf2Pass *pass)
{
	OTF2_EvtReader *reader;
	OTF2_ErrorCode code;

	ph_otf2_reading(path);
	reader = OTF2_Reader_GetEvtReader(cursor->reader, id);
	if (reader == NULL)
		return ph_otf2_fail(cursor->env, path, OTF2_ERROR_INTEGRITY_FAULT,
							"cannot open the events of location %" PRIu64, id);
	code = read_records(cursor, reader, pass);
	(void) OTF2_Reader_CloseEvtReader(cursor->reader, reader);
	if (cursor->status != PH_OK)
		return callback_failed(cursor, id, path);
	return code == OTF2_SUCCESS
			   ? PH_OK
			   : ph_otf2_fail(cursor->env, path, code, "location %" PRIu64 ", record %" PRIu64, id,
							  pass->n_read + 1);
}

static PhStatus
missing_events(PhOtf2Cursor *cursor, const PhTraceLocation *location, const char *path)
{
	int error = errno;

	if (error == ENOENT && location->n_events == 0)
		return PH_OK;
	return ph_fail_hint(cursor->env, missing_status(error), WHOLE_ARCHIVE,
						"%s: cannot read the %" PRIu64 " events of location %" PRIu64 " (%s): %s",
						path, location->n_events, location->source_id, location->name,
						strerror(error));
}

PhStatus
ph_otf2_cursor_pass(PhOtf2Cursor *cursor, uint32_t location, PhOtf2Pass *pass)
{
	const PhTraceLocation *from = &cursor->archive->source.model.locations[location];
	char events[PATH_MAX];
	char definitions[PATH_MAX];
	struct stat status;
	PhStatus result;

	pass->n_read = 0;
	cursor->status = PH_OK;
	PH_TRY(ph_otf2_location_path(cursor->env, cursor->archive, from->source_id, "evt", events,
								 PATH_MAX));
	PH_TRY(ph_otf2_location_path(cursor->env, cursor->archive, from->source_id, "def", definitions,
								 PATH_MAX));
	if (stat(events, &status) != 0)
		return missing_events(cursor, from, events);
	PH_TRY(select_location(cursor, from->source_id));
	result = read_definitions(cursor, from->source_id, definitions, pass);
	if (result == PH_OK)
		result = read_events(cursor, from->source_id, events, pass);
	ph_otf2_reading(NULL);
	if (result == PH_OK && pass->n_events == 0 && pass->n_read < from->n_events)
		return ph_fail(cursor->env, PH_ERR_FORMAT,
					   "%s: location %" PRIu64 ": holds %" PRIu64 " of its %" PRIu64 " events",
					   events, from->source_id, pass->n_read, from->n_events);
	return result;
}
