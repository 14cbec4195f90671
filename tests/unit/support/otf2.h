/*
 * otf2.h - writes small OTF2 archives, also odd ones, for tests of their reader.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_OTF2_H
#define SUPPORT_OTF2_H

#include <otf2/otf2.h>

#include "readers/trace_source.h"

typedef struct OtfArchive
{
	char folder[64]; /* a temporary one */
	char anchor[96];
	OTF2_Archive *archive;
	OTF2_GlobalDefWriter *definitions;
} OtfArchive;

/* In a new temporary folder; event files are open. */
void otf_begin(OtfArchive *archive);

/* Global definitions come after the events. Strings: number 0 is "". */
void otf_begin_definitions(OtfArchive *archive, uint64_t resolution, uint64_t offset);
void otf_string(OtfArchive *archive, uint32_t id, const char *text);

/* A region named by string id, of a paradigm. */
void otf_region(OtfArchive *archive, uint32_t id, uint32_t name, OTF2_Paradigm paradigm);

/* A process: location group and its only location, named by string 0. */
void otf_process(OtfArchive *archive, uint32_t group, uint64_t location, uint64_t n_events);

/* MPI's locations as group 0, all of them as group 1, MPI_COMM_WORLD as communicator 0. */
void otf_world(OtfArchive *archive, const uint64_t *locations, uint32_t n);

OTF2_EvtWriter *otf_events(OtfArchive *archive, uint64_t location);

/* Write everything out. */
void otf_end(OtfArchive *archive);
void otf_remove(OtfArchive *archive);

/* An event as it was read, with its values. */
typedef struct OtfEvent
{
	PhEvent event;
	uint64_t values[4];
} OtfEvent;

/* All events of one location of an opened source, at most capacity. Fails the test on an error. */
uint32_t otf_read(PhEnv *env, PhTraceSource *source, uint32_t location, PhTraceCounts *counts,
				  OtfEvent *out, uint32_t capacity);

#endif
