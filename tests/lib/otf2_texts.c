/*
 * otf2_texts.c - writes an OTF2 archive whose events refer to texts: programs, parameters.
 *
 * otf2_texts FOLDER. Numbers of strings have gaps and do not begin with 0.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <otf2/otf2.h>

#define N_RANKS 2
#define N_EVENTS 10

enum
{
	EMPTY = 3,
	PROGRAM = 40,
	SIZE_OPTION = 41,
	SIZE = 42,
	WORDS = 70,
	MAIN = 71,
	PHASE = 72,
	LEVEL = 73,
	COUNT = 74,
	COARSE = 75,
	FINE = 100000,
	MACHINE = 100001
};

static OTF2_FlushType
before_flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
	(void) user;
	(void) type;
	(void) location;
	(void) caller;
	(void) final;
	return OTF2_FLUSH;
}

static OTF2_TimeStamp
after_flush(void *user, OTF2_FileType type, OTF2_LocationRef location)
{
	(void) user;
	(void) type;
	(void) location;
	return 1100;
}

static void
write_events(OTF2_Archive *archive, uint64_t rank)
{
	OTF2_EvtWriter *out = OTF2_Archive_GetEvtWriter(archive, rank);
	OTF2_StringRef arguments[] = {SIZE_OPTION, SIZE, rank == 0 ? WORDS : EMPTY, SIZE};

	OTF2_EvtWriter_ProgramBegin(out, NULL, 1000, PROGRAM, 4, arguments);
	OTF2_EvtWriter_Enter(out, NULL, 1001, 0);
	OTF2_EvtWriter_ParameterString(out, NULL, 1002, 0, rank == 0 ? COARSE : FINE);
	OTF2_EvtWriter_ParameterInt(out, NULL, 1003, 1, -3);
	OTF2_EvtWriter_ParameterUnsignedInt(out, NULL, 1004, 2, UINT64_MAX);
	OTF2_EvtWriter_ParameterString(out, NULL, 1005, 0, EMPTY);
	OTF2_EvtWriter_Leave(out, NULL, 1010, 0);
	OTF2_EvtWriter_ProgramBegin(out, NULL, 1011, SIZE, 0, NULL);
	OTF2_EvtWriter_ProgramEnd(out, NULL, 1015, 0);
	OTF2_EvtWriter_ProgramEnd(out, NULL, 1020, -1);
	OTF2_Archive_CloseEvtWriter(archive, out);
}

static void
write_strings(OTF2_GlobalDefWriter *out)
{
	OTF2_GlobalDefWriter_WriteString(out, EMPTY, "");
	OTF2_GlobalDefWriter_WriteString(out, PROGRAM, "./solver");
	OTF2_GlobalDefWriter_WriteString(out, SIZE_OPTION, "--size");
	OTF2_GlobalDefWriter_WriteString(out, SIZE, "30");
	OTF2_GlobalDefWriter_WriteString(out, WORDS, "two words, 'quoted' \xc3\xa4\n");
	OTF2_GlobalDefWriter_WriteString(out, MAIN, "main");
	OTF2_GlobalDefWriter_WriteString(out, PHASE, "phase");
	OTF2_GlobalDefWriter_WriteString(out, LEVEL, "level");
	OTF2_GlobalDefWriter_WriteString(out, COUNT, "count");
	OTF2_GlobalDefWriter_WriteString(out, COARSE, "coarse");
	OTF2_GlobalDefWriter_WriteString(out, FINE, "fine");
	OTF2_GlobalDefWriter_WriteString(out, MACHINE, "machine");
}

static void
write_definitions(OTF2_Archive *archive)
{
	const uint64_t ranks[N_RANKS] = {0, 1};
	OTF2_GlobalDefWriter *out = OTF2_Archive_GetGlobalDefWriter(archive);

	OTF2_GlobalDefWriter_WriteClockProperties(out, 1000000000, 1000, 21, 1700000000000000000);
	write_strings(out);
	OTF2_GlobalDefWriter_WriteParameter(out, 0, PHASE, OTF2_PARAMETER_TYPE_STRING);
	OTF2_GlobalDefWriter_WriteParameter(out, 1, LEVEL, OTF2_PARAMETER_TYPE_INT64);
	OTF2_GlobalDefWriter_WriteParameter(out, 2, COUNT, OTF2_PARAMETER_TYPE_UINT64);
	OTF2_GlobalDefWriter_WriteRegion(out, 0, MAIN, MAIN, EMPTY, OTF2_REGION_ROLE_FUNCTION,
									 OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, EMPTY, 0, 0);
	OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 0, MACHINE, MACHINE,
											 OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	for (uint32_t rank = 0; rank < N_RANKS; rank++)
	{
		OTF2_GlobalDefWriter_WriteLocationGroup(out, rank, EMPTY, OTF2_LOCATION_GROUP_TYPE_PROCESS,
												0, OTF2_UNDEFINED_LOCATION_GROUP);
		OTF2_GlobalDefWriter_WriteLocation(out, rank, EMPTY, OTF2_LOCATION_TYPE_CPU_THREAD,
										   N_EVENTS, rank);
	}
	OTF2_GlobalDefWriter_WriteGroup(out, 0, EMPTY, OTF2_GROUP_TYPE_COMM_LOCATIONS,
									OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, N_RANKS, ranks);
	OTF2_Archive_CloseGlobalDefWriter(archive, out);
}

int
main(int argc, char **argv)
{
	const OTF2_FlushCallbacks flush = {before_flush, after_flush};
	OTF2_Archive *archive;

	if (argc != 2)
		return 2;
	archive = OTF2_Archive_Open(argv[1], "traces", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20,
								OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (archive == NULL)
		return 1;
	OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(archive);
	OTF2_Archive_OpenEvtFiles(archive);
	for (uint64_t rank = 0; rank < N_RANKS; rank++)
		write_events(archive, rank);
	OTF2_Archive_CloseEvtFiles(archive);
	write_definitions(archive);
	return OTF2_Archive_Close(archive) == OTF2_SUCCESS ? 0 : 1;
}
