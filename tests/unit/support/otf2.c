/*
 * otf2.c - archives for tests, by libotf2's writer.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/otf2.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static OTF2_FlushType
flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
	(void) user;
	(void) type;
	(void) location;
	(void) caller;
	(void) final;
	return OTF2_FLUSH;
}

void
otf_begin(OtfArchive *archive)
{
	static const OTF2_FlushCallbacks callbacks = {.otf2_pre_flush = flush};

	memset(archive, 0, sizeof(*archive));
	snprintf(archive->folder, sizeof(archive->folder), "/tmp/perfhouse-otf2-XXXXXX");
	assert_non_null(mkdtemp(archive->folder));
	snprintf(archive->anchor, sizeof(archive->anchor), "%s/a/traces.otf2", archive->folder);
	char path[80];
	snprintf(path, sizeof(path), "%s/a", archive->folder);
	archive->archive = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, 256 * 1024,
										 256 * 1024, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	assert_non_null(archive->archive);
	OTF2_Archive_SetFlushCallbacks(archive->archive, &callbacks, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(archive->archive);
	OTF2_Archive_SetCreator(archive->archive, "a test");
	OTF2_Archive_OpenEvtFiles(archive->archive);
}

void
otf_begin_definitions(OtfArchive *archive, uint64_t resolution, uint64_t offset)
{
	archive->definitions = OTF2_Archive_GetGlobalDefWriter(archive->archive);
	OTF2_GlobalDefWriter_WriteClockProperties(archive->definitions, resolution, offset, 1000,
											  UINT64_C(1700000000000000000));
	otf_string(archive, 0, "");
}

void
otf_string(OtfArchive *archive, uint32_t id, const char *text)
{
	OTF2_GlobalDefWriter_WriteString(archive->definitions, id, text);
}

void
otf_region(OtfArchive *archive, uint32_t id, uint32_t name, OTF2_Paradigm paradigm)
{
	OTF2_GlobalDefWriter_WriteRegion(archive->definitions, id, name, name, 0,
									 OTF2_REGION_ROLE_FUNCTION, paradigm, OTF2_REGION_FLAG_NONE, 0,
									 0, 0);
}

void
otf_process(OtfArchive *archive, uint32_t group, uint64_t location, uint64_t n_events)
{
	OTF2_GlobalDefWriter_WriteLocationGroup(
		archive->definitions, group, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS,
		OTF2_UNDEFINED_SYSTEM_TREE_NODE, OTF2_UNDEFINED_LOCATION_GROUP);
	OTF2_GlobalDefWriter_WriteLocation(archive->definitions, location, 0,
									   OTF2_LOCATION_TYPE_CPU_THREAD, n_events, group);
}

void
otf_world(OtfArchive *archive, const uint64_t *locations, uint32_t n)
{
	uint64_t members[64];

	for (uint32_t i = 0; i < n; i++)
		members[i] = i;
	OTF2_GlobalDefWriter_WriteGroup(archive->definitions, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS,
									OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n, locations);
	OTF2_GlobalDefWriter_WriteGroup(archive->definitions, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP,
									OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n, members);
	OTF2_GlobalDefWriter_WriteComm(archive->definitions, 0, 0, 1, OTF2_UNDEFINED_COMM,
								   OTF2_COMM_FLAG_NONE);
}

OTF2_EvtWriter *
otf_events(OtfArchive *archive, uint64_t location)
{
	return OTF2_Archive_GetEvtWriter(archive->archive, location);
}

void
otf_end(OtfArchive *archive)
{
	if (archive->definitions != NULL)
		OTF2_Archive_CloseGlobalDefWriter(archive->archive, archive->definitions);
	OTF2_Archive_CloseEvtFiles(archive->archive);
	OTF2_Archive_Close(archive->archive);
	archive->archive = NULL;
}

void
otf_remove(OtfArchive *archive)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf %s", archive->folder);
	assert_int_equal(system(command), 0);
}

/* ---- reading back ---- */

typedef struct Sink
{
	PhChunkReader *reader;
	OtfEvent *out;
	uint32_t n, capacity;
} Sink;

static PhStatus
take(void *user, const PhChunk *chunk)
{
	Sink *sink = user;
	PhEvent event;

	PH_TRY(ph_chunk_reader_open(sink->reader, chunk, PH_WANT_ALL));
	while (ph_chunk_next(sink->reader, &event))
	{
		assert_true(sink->n < sink->capacity);
		OtfEvent *to = &sink->out[sink->n++];
		to->event = event;
		for (uint32_t i = 0; i < event.n_values && i < 4; i++)
			to->values[i] = event.values[i];
	}
	return PH_OK;
}

uint32_t
otf_read(PhEnv *env, PhTraceSource *source, uint32_t location, PhTraceCounts *counts, OtfEvent *out,
		 uint32_t capacity)
{
	Sink sink = {.out = out, .capacity = capacity};
	PhTraceCursor *cursor;
	PhChunkWriter *writer;

	assert_int_equal(ph_chunk_reader_new(env, &sink.reader), PH_OK);
	assert_int_equal(source->open(env, source, &cursor), PH_OK);
	assert_int_equal(ph_chunk_writer_new(env, location, 8, take, &sink, &writer), PH_OK);
	PhStatus status = source->read_location(cursor, location, writer, counts);
	if (status != PH_OK)
		fail_msg("%s", env->error.message);
	assert_int_equal(ph_chunk_writer_finish(writer), PH_OK);
	ph_chunk_writer_free(writer);
	source->close(cursor);
	ph_chunk_reader_free(sink.reader);
	return sink.n;
}
