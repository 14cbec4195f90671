/*
 * gen_otf2.h - what the generators of OTF2 traces share: errors, random numbers, options, and the
 * archive around the events. The program that includes it has usage(); an error ends the program.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef GEN_OTF2_H
#define GEN_OTF2_H

#include <errno.h>
#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Say how the program is called; 2. */
static int usage(void);

static inline void
check(OTF2_ErrorCode code, const char *what)
{
	if (code == OTF2_SUCCESS)
		return;
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
			OTF2_Error_GetDescription(code));
	exit(1);
}

static inline void *
allocate(size_t n, size_t size)
{
	void *memory = calloc(n, size);

	if (memory == NULL)
	{
		fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
		exit(1);
	}
	return memory;
}

/* splitmix64 */
static inline uint64_t
draw_below(uint64_t *state, uint64_t below)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % below;
}

/* ---- the command line: pairs of a name and a number ---- */

typedef struct Option
{
	const char *name;
	uint32_t *value;
} Option;

static inline uint32_t
number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end != '\0' || end == text || value > 100000000)
		exit(usage());
	return (uint32_t) value;
}

static inline void
set_option(const Option *options, size_t n, const char *name, const char *value)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(options[i].name, name) == 0)
		{
			*options[i].value = number(value);
			return;
		}
	exit(usage());
}

static inline void
set_options(const Option *options, size_t n, int argc, char **argv)
{
	if (argc % 2 != 0)
		exit(usage());
	for (int i = 0; i < argc; i += 2)
		set_option(options, n, argv[i], argv[i + 1]);
}

/* ---- the archive ---- */

static inline OTF2_FlushType
before_flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
	(void) user;
	(void) type;
	(void) location;
	(void) caller;
	(void) final;
	return OTF2_FLUSH;
}

/* FOLDER/traces.otf2, ready for writers of events; chunk_bytes: of events. */
static inline OTF2_Archive *
open_archive(const char *folder, uint64_t chunk_bytes)
{
	static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = before_flush};
	OTF2_Archive *archive =
		OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, chunk_bytes, OTF2_CHUNK_SIZE_MIN,
						  OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);

	if (archive == NULL)
		exit(1);
	check(OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL), "flush callbacks");
	check(OTF2_Archive_SetSerialCollectiveCallbacks(archive), "callbacks");
	check(OTF2_Archive_SetCreator(archive, program_invocation_short_name), "creator");
	check(OTF2_Archive_OpenEvtFiles(archive), "event files");
	return archive;
}

/* ---- definitions ---- */

/* Times are in ns from 0 to `last`. */
static inline void
write_clock(OTF2_GlobalDefWriter *writer, uint64_t last)
{
	check(OTF2_GlobalDefWriter_WriteClockProperties(writer, 1000000000, 0, last,
													OTF2_UNDEFINED_TIMESTAMP),
		  "clock properties");
}

/* The number of the string. */
static inline uint32_t
write_string(OTF2_GlobalDefWriter *writer, uint32_t *next, const char *text)
{
	check(OTF2_GlobalDefWriter_WriteString(writer, *next, text), "string");
	return (*next)++;
}

static inline void
write_node(OTF2_GlobalDefWriter *writer, uint32_t name, uint32_t class)
{
	check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, name, class,
												   OTF2_UNDEFINED_SYSTEM_TREE_NODE),
		  "node");
}

static inline void
write_process(OTF2_GlobalDefWriter *writer, uint32_t rank, uint32_t name)
{
	check(OTF2_GlobalDefWriter_WriteLocationGroup(writer, rank, name,
												  OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
												  OTF2_UNDEFINED_LOCATION_GROUP),
		  "location group");
}

static inline void
write_thread(OTF2_GlobalDefWriter *writer, uint64_t location, uint32_t name, uint32_t rank,
			 OTF2_EvtWriter *events)
{
	uint64_t n_events;

	check(OTF2_EvtWriter_GetNumberOfEvents(events, &n_events), "events");
	check(OTF2_GlobalDefWriter_WriteLocation(writer, location, name, OTF2_LOCATION_TYPE_CPU_THREAD,
											 n_events, rank),
		  "location");
}

static inline void
write_group(OTF2_GlobalDefWriter *writer, uint32_t group, OTF2_GroupType type,
			OTF2_Paradigm paradigm, uint32_t n, const uint64_t *members)
{
	check(OTF2_GlobalDefWriter_WriteGroup(writer, group, 0, type, paradigm, OTF2_GROUP_FLAG_NONE, n,
										  members),
		  "group");
}

/* MPI_COMM_WORLD of all ranks, whose locations are 0 to n_ranks - 1; groups 0 and 1. */
static inline void
write_world(OTF2_GlobalDefWriter *writer, uint32_t name, uint32_t n_ranks)
{
	uint64_t *members = allocate(n_ranks, sizeof(*members));

	for (uint32_t r = 0; r < n_ranks; r++)
		members[r] = r;
	write_group(writer, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, n_ranks, members);
	write_group(writer, 1, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, n_ranks, members);
	free(members);
	check(OTF2_GlobalDefWriter_WriteComm(writer, 0, name, 1, OTF2_UNDEFINED_COMM,
										 OTF2_COMM_FLAG_NONE),
		  "communicator");
}

#endif
