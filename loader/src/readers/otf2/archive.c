/*
 * archive.c - open an archive, read what it defines, and offer its events.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/otf2/archive.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "readers/otf2/definitions.h"
#include "readers/otf2/words.h"

/* More locations than anybody has: what a broken anchor says must not cost memory. */
#define MOST_LOCATIONS (UINT64_C(1) << 24)

/* ---- as a source of events ---- */

static PhStatus
open_cursor(PhEnv *env, const PhTraceSource *source, PhTraceCursor **out)
{
	PhOtf2Cursor *cursor;

	PH_TRY(ph_otf2_cursor_open(env, (const PhOtf2Archive *) source, &cursor));
	*out = &cursor->cursor;
	return PH_OK;
}

static PhStatus
read_location(PhTraceCursor *opaque, uint32_t location, PhChunkWriter *writer,
			  PhTraceCounts *counts)
{
	PhOtf2Cursor *cursor = (PhOtf2Cursor *) opaque;
	const PhOtf2Archive *archive = cursor->archive;
	bool is_stream = ph_location_is_stream(&archive->source.model.locations[location]);
	PhOtf2Pass pass = {.callbacks = is_stream ? cursor->stream_callbacks : cursor->callbacks,
					   .user = cursor,
					   .apply_offsets = archive->apply_offsets};

	ph_otf2_cursor_begin(cursor, location, writer);
	PH_TRY(ph_otf2_cursor_pass(cursor, location, &pass));
	if (pass.n_read > 0)
		cursor->counts.last_time =
			cursor->has_logical ? cursor->last_time : cursor->last - cursor->origin;
	ph_trace_counts_add(counts, &cursor->counts);
	return PH_OK;
}

static void
close_cursor(PhTraceCursor *cursor)
{
	ph_otf2_cursor_close((PhOtf2Cursor *) cursor);
}

static void
free_source(PhEnv *env, PhTraceSource *source)
{
	ph_otf2_archive_free(env, (PhOtf2Archive *) source);
}

static bool
next_text(const PhTraceSource *source, uint32_t *next, PhTraceText *out)
{
	const PhOtf2Archive *archive = (const PhOtf2Archive *) source;

	while (*next < archive->n_strings && archive->is_used[*next] == 0)
		++*next;
	if (*next == archive->n_strings)
		return false;
	*out = archive->strings[(*next)++];
	return true;
}

/* ---- opening ---- */

static PhStatus
look_for_local_definitions(PhOtf2Archive *archive)
{
	const PhTraceModel *model = &archive->source.model;

	for (uint32_t i = 0; i < model->n_locations && !archive->has_local_definitions; i++)
	{
		char path[PATH_MAX];

		PH_TRY(ph_otf2_location_path(archive->env, archive, model->locations[i].source_id, "def",
									 path, sizeof(path)));
		archive->has_local_definitions = access(path, F_OK) == 0;
	}
	return PH_OK;
}

static PhStatus
copy_paths(PhOtf2Archive *archive, const char *anchor)
{
	const char *slash = strrchr(anchor, '/');
	const char *dot = strrchr(slash == NULL ? anchor : slash, '.');
	char *copy;

	PH_TRY(ph_arena_strndup(&archive->arena, anchor, strlen(anchor), &copy));
	archive->anchor = copy;
	PH_TRY(ph_arena_strndup(&archive->arena, anchor,
							dot == NULL ? strlen(anchor) : (size_t) (dot - anchor), &copy));
	archive->folder = copy;
	return PH_OK;
}

static PhStatus
check_anchor(PhOtf2Archive *archive, OTF2_Reader *reader)
{
	OTF2_Compression compression = OTF2_COMPRESSION_UNDEFINED;
	OTF2_FileSubstrate substrate = OTF2_SUBSTRATE_UNDEFINED;
	OTF2_ErrorCode code = OTF2_Reader_GetNumberOfLocations(reader, &archive->n_declared_locations);

	if (code == OTF2_SUCCESS)
		code = OTF2_Reader_GetFileSubstrate(reader, &substrate);
	if (code == OTF2_SUCCESS)
		code = OTF2_Reader_GetCompression(reader, &compression);
	archive->is_compressed = compression != OTF2_COMPRESSION_NONE;
	if (code != OTF2_SUCCESS)
		return ph_otf2_fail(archive->env, archive->anchor, code, "cannot read the anchor");
	if (archive->n_declared_locations > MOST_LOCATIONS)
		return ph_fail(archive->env, PH_ERR_LIMIT,
					   "%s: says that there are %" PRIu64 " locations; at most %" PRIu64
					   " can be read",
					   archive->anchor, archive->n_declared_locations, MOST_LOCATIONS);
	if (substrate != OTF2_SUBSTRATE_POSIX)
		return ph_fail_hint(archive->env, PH_ERR_UNSUPPORTED,
							"Only archives with a file for each location can be read.",
							"%s: its events lie in a container (SIONlib)", archive->anchor);
	return PH_OK;
}

/* What an export of ours says of its ranks, and of its times: they are corrected already. */
static void
read_properties(PhOtf2Archive *archive, OTF2_Reader *reader)
{
	char *clock = NULL;
	char *ranks = NULL;

	if (OTF2_Reader_GetProperty(reader, PH_OTF2_RANKS_PROPERTY, &ranks) == OTF2_SUCCESS)
	{
		archive->n_run_ranks = (uint32_t) strtoul(ranks, NULL, 10);
		free(ranks);
	}
	if (OTF2_Reader_GetProperty(reader, PH_OTF2_CLOCK_PROPERTY, &clock) != OTF2_SUCCESS)
		return;
	for (PhTraceClock i = PH_CLOCK_UNCORRECTED; i <= PH_CLOCK_LOGICAL; i++)
	{
		if (strcmp(clock, ph_trace_clock_name(i)) == 0)
			archive->source.clock = i;
	}
	free(clock);
}

static PhStatus
read_with(PhOtf2Archive *archive, OTF2_Reader *reader, PhDefinitions *definitions, PhRunInput *run)
{
	PhTicks ticks;

	(void) OTF2_Reader_SetSerialCollectiveCallbacks(reader);
	PH_TRY(check_anchor(archive, reader));
	PH_TRY(ph_otf2_definitions_read(definitions, reader));
	if (!ph_ticks_init(&ticks, archive->global_offset, archive->resolution))
		return ph_fail(archive->env, PH_ERR_FORMAT,
					   "%s: global definitions: no clock properties, or 0 ticks a second",
					   archive->anchor);
	PH_TRY(ph_otf2_model_make(definitions));
	PH_TRY(look_for_local_definitions(archive));
	read_properties(definitions->archive, reader);
	return ph_otf2_metadata(definitions, reader, run);
}

static PhStatus
read_archive(PhOtf2Archive *archive, PhRunInput *run)
{
	PhDefinitions definitions = {.archive = archive};
	OTF2_Reader *reader;
	PhStatus status;

	ph_otf2_reading(archive->anchor);
	reader = OTF2_Reader_Open(archive->anchor);
	if (reader == NULL)
	{
		status = ph_otf2_fail(archive->env, archive->anchor, OTF2_ERROR_INTEGRITY_FAULT,
							  "cannot open the archive");
		ph_otf2_reading(NULL);
		return status;
	}
	ph_arena_init(&definitions.arena, archive->env);
	status = read_with(archive, reader, &definitions, run);
	ph_arena_drop(&definitions.arena);
	(void) OTF2_Reader_Close(reader);
	ph_otf2_reading(NULL);
	return status;
}

PhStatus
ph_otf2_archive_open(PhEnv *env, const char *anchor, PhRunInput *run, PhOtf2Archive **out)
{
	PhOtf2Archive *archive;
	void *memory;
	PhStatus status;

	ph_otf2_errors_init();
	PH_TRY(ph_env_alloc(env, 1, sizeof(*archive), &memory));
	archive = memory;
	*archive = (PhOtf2Archive){
		.source = {.open = open_cursor,
				   .read_location = read_location,
				   .close = close_cursor,
				   .free = free_source,
				   .next_text = next_text,
				   .launches = ph_otf2_launches},
		.env = env,
		.realtime = OTF2_UNDEFINED_TIMESTAMP,
	};
	archive->source.model.epoch_ns = PH_NO_TIME;
	ph_arena_init(&archive->arena, env);
	status = copy_paths(archive, anchor);
	if (status == PH_OK)
		status = read_archive(archive, run);
	if (status == PH_OK)
		*out = archive;
	else
		ph_otf2_archive_free(env, archive);
	return status;
}

void
ph_otf2_archive_free(PhEnv *env, PhOtf2Archive *archive)
{
	if (archive == NULL)
		return;
	ph_clock_free(archive->logical);
	ph_arena_drop(&archive->arena);
	ph_env_free(env, archive, 1, sizeof(*archive));
}
