/*
 * test_otf2.c - the reader of OTF2 archives: definitions, translation, clocks, what is wrong.
 *
 * Archives are written by libotf2 itself, so that every kind of record and every oddity can be had.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "pipeline/trace/read.h"
#include "readers/otf2/archive.h"
#include "support/otf2.h"

/* ---- an archive with everything ---- */

enum
{
	RANK_0 = 0,
	RANK_0_THREAD = 17,
	RANK_1 = 5,
	PLUGIN = 99
};
#define FAR_LOCATION UINT64_C(4294967301)

static void
write_events_of_rank_0(OTF2_EvtWriter *writer)
{
	OTF2_MetricValue values[2] = {{.unsigned_int = 42}, {.floating_point = 2.5}};
	OTF2_Type types[2] = {OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE};
	OTF2_AttributeList *attributes = OTF2_AttributeList_New();
	uint32_t argument = 1;

	OTF2_AttributeList_AddUint64(attributes, 0, 4711);
	OTF2_EvtWriter_ProgramBegin(writer, attributes, 1000, 1, 1, &argument);
	OTF2_AttributeList_Delete(attributes);
	OTF2_EvtWriter_Enter(writer, NULL, 1010, 70000000);
	OTF2_EvtWriter_MpiSend(writer, NULL, 1020, 0, 0, 1, 100);		  /* world: to itself */
	OTF2_EvtWriter_MpiSend(writer, NULL, 1021, 0, 9, 2, 200);		  /* reversed: to 1 */
	OTF2_EvtWriter_MpiIsend(writer, NULL, 1022, 0, 5, 3, 300, 77);	  /* self */
	OTF2_EvtWriter_MpiSend(writer, NULL, 1023, 0, 11, 4, 1ull << 33); /* inter: to 1 */
	OTF2_EvtWriter_MpiSend(writer, NULL, 1024, 8, 0, 5, 500);		  /* no such rank */
	OTF2_EvtWriter_MpiIsendComplete(writer, NULL, 1025, 77);
	OTF2_EvtWriter_Metric(writer, NULL, 1026, 31, 2, types, values); /* an instance of class 30 */
	OTF2_EvtWriter_ParameterInt(writer, NULL, 1027, 6, -5);
	OTF2_EvtWriter_RmaPut(writer, NULL, 1028, 3, 0, 64, 9);
	OTF2_EvtWriter_ThreadFork(writer, NULL, 1029, OTF2_PARADIGM_OPENMP, 2);
	OTF2_EvtWriter_ThreadTeamBegin(writer, NULL, 1029, 12);
	OTF2_EvtWriter_IoOperationBegin(writer, NULL, 1030, 0, OTF2_IO_OPERATION_MODE_READ,
									OTF2_IO_OPERATION_FLAG_NONE, 4096, 13);
	OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, 1040);
	OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, 1050, OTF2_COLLECTIVE_OP_BCAST, 9, 0, 8, 16);
	OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, 1051, OTF2_COLLECTIVE_OP_BARRIER, 0,
									OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
	OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, 1052, OTF2_COLLECTIVE_OP_GATHER, 11,
									OTF2_COLLECTIVE_ROOT_SELF, 1, 2);
	OTF2_EvtWriter_MeasurementOnOff(writer, NULL, 1060, OTF2_MEASUREMENT_OFF);
	OTF2_EvtWriter_BufferFlush(writer, NULL, 1070, 1090);
	OTF2_EvtWriter_CallingContextEnter(writer, NULL, 1095, 2, 1);
	/* main is never left */
}

static void
write_system(OtfArchive *archive)
{
	OTF2_GlobalDefWriter *writer = archive->definitions;

	OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 4, 2, 3, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 8, 4, 5, 4);
	OTF2_GlobalDefWriter_WriteLocationGroup(writer, 40, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 8,
											OTF2_UNDEFINED_LOCATION_GROUP);
	OTF2_GlobalDefWriter_WriteLocationGroup(writer, 20, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 4,
											OTF2_UNDEFINED_LOCATION_GROUP);
	OTF2_GlobalDefWriter_WriteLocation(writer, PLUGIN, 6, OTF2_LOCATION_TYPE_METRIC, 0, 40);
	OTF2_GlobalDefWriter_WriteLocation(writer, RANK_1, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 2, 20);
	OTF2_GlobalDefWriter_WriteLocation(writer, FAR_LOCATION, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 0,
									   40);
	OTF2_GlobalDefWriter_WriteLocation(writer, RANK_0, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 20, 40);
	OTF2_GlobalDefWriter_WriteLocation(writer, RANK_0_THREAD, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 2,
									   40);
}

static void
write_groups(OtfArchive *archive)
{
	static const uint64_t mpi[] = {RANK_0, RANK_1};
	static const uint64_t threads[] = {RANK_0, RANK_0_THREAD};
	static const uint64_t both[] = {0, 1};
	static const uint64_t reversed[] = {1, 0};
	OTF2_GlobalDefWriter *writer = archive->definitions;
	OTF2_GroupFlag none = OTF2_GROUP_FLAG_NONE;

	OTF2_GlobalDefWriter_WriteGroup(writer, 50, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS,
									OTF2_PARADIGM_OPENMP, none, 2, threads);
	OTF2_GlobalDefWriter_WriteGroup(writer, 51, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS,
									OTF2_PARADIGM_MPI, none, 2, mpi);
	OTF2_GlobalDefWriter_WriteGroup(writer, 52, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
									none, 2, both);
	OTF2_GlobalDefWriter_WriteGroup(writer, 53, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
									none, 2, reversed);
	OTF2_GlobalDefWriter_WriteGroup(writer, 54, 0, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI,
									none, 0, NULL);
	OTF2_GlobalDefWriter_WriteGroup(writer, 55, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
									none, 1, both);
	OTF2_GlobalDefWriter_WriteGroup(writer, 56, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
									none, 1, reversed);
	OTF2_GlobalDefWriter_WriteGroup(writer, 57, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP,
									none, 2, both);
	OTF2_GlobalDefWriter_WriteComm(writer, 0, 7, 52, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
	OTF2_GlobalDefWriter_WriteComm(writer, 9, 0, 53, 0, OTF2_COMM_FLAG_NONE);
	OTF2_GlobalDefWriter_WriteComm(writer, 5, 0, 54, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
	OTF2_GlobalDefWriter_WriteInterComm(writer, 11, 0, 55, 56, 0, OTF2_COMM_FLAG_NONE);
	OTF2_GlobalDefWriter_WriteComm(writer, 12, 0, 57, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
	OTF2_GlobalDefWriter_WriteRmaWin(writer, 3, 7, 9, OTF2_RMA_WIN_FLAG_NONE);
}

static void
write_rest(OtfArchive *archive)
{
	static const uint32_t members[] = {1, 0};
	OTF2_GlobalDefWriter *writer = archive->definitions;

	otf_region(archive, 70000000, 1, OTF2_PARADIGM_COMPILER);
	otf_region(archive, 3, 8, OTF2_PARADIGM_UNKNOWN);
	OTF2_GlobalDefWriter_WriteAttribute(writer, 0, 2, 0, OTF2_TYPE_UINT64);
	OTF2_GlobalDefWriter_WriteMetricMember(writer, 0, 9, 0, OTF2_METRIC_TYPE_OTHER,
										   OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_DOUBLE,
										   OTF2_BASE_DECIMAL, -6, 2);
	OTF2_GlobalDefWriter_WriteMetricMember(writer, 1, 9, 0, OTF2_METRIC_TYPE_OTHER,
										   OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_UINT64,
										   OTF2_BASE_BINARY, 10, 2);
	OTF2_GlobalDefWriter_WriteMetricClass(writer, 30, 2, members, OTF2_METRIC_SYNCHRONOUS,
										  OTF2_RECORDER_KIND_CPU);
	OTF2_GlobalDefWriter_WriteMetricInstance(writer, 31, 30, RANK_0, OTF2_SCOPE_LOCATION, RANK_0);
	OTF2_GlobalDefWriter_WriteParameter(writer, 6, 2, OTF2_PARAMETER_TYPE_INT64);
	OTF2_GlobalDefWriter_WriteCallingContext(writer, 2, 3, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
											 OTF2_UNDEFINED_CALLING_CONTEXT);
}

static void
write_everything(OtfArchive *archive)
{
	static const char *const texts[] = {"main",	  "vm",	   "machine",	  "n1",		 "node",
										"plugin", "WORLD", "addr=<55d0>", "ru_utime"};

	otf_begin(archive);
	write_events_of_rank_0(otf_events(archive, RANK_0));
	OTF2_EvtWriter_Enter(otf_events(archive, RANK_1), NULL, 990, 3);
	OTF2_EvtWriter_MpiRecv(otf_events(archive, RANK_1), NULL, 995, 0, 11, 4, 1ull << 33);
	OTF2_EvtWriter_Enter(otf_events(archive, RANK_0_THREAD), NULL, 1500, 3);
	OTF2_EvtWriter_Leave(otf_events(archive, RANK_0_THREAD), NULL, 1501, 3);
	otf_begin_definitions(archive, 1000000, 500);
	for (uint32_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		otf_string(archive, i + 1, texts[i]);
	write_system(archive);
	write_rest(archive);
	write_groups(archive);
	otf_end(archive);
}

typedef struct Opened
{
	PhEnv env;
	PhRunInput run;
	PhOtf2Archive *archive;
	PhTraceModel *model;
} Opened;

static PhStatus
try_open(Opened *opened, const char *anchor)
{
	memset(opened, 0, sizeof(*opened));
	ph_env_init_malloc(&opened->env);
	PH_TRY(ph_otf2_archive_open(&opened->env, anchor, &opened->run, &opened->archive));
	opened->model = &opened->archive->source.model;
	return ph_otf2_archive_settle(opened->archive, PH_OFFSETS_AUTO);
}

static void
open_ok(Opened *opened, const OtfArchive *archive)
{
	if (try_open(opened, archive->anchor) != PH_OK)
		fail_msg("%s", opened->env.error.message);
}

static void
close_opened(Opened *opened)
{
	ph_run_input_free(&opened->env, &opened->run);
	ph_otf2_archive_free(&opened->env, opened->archive);
	assert_int_equal(opened->env.bytes, 0);
}

static void
orders_locations_by_rank_and_thread(void **state)
{
	static const uint64_t ids[] = {RANK_0, RANK_0_THREAD, RANK_1, PLUGIN, FAR_LOCATION};
	static const int32_t ranks[] = {0, 0, 1, PH_NO_NUMBER, 0};
	static const char *const hosts[] = {"n1", "n1", "vm", "n1", "n1"};
	OtfArchive archive;
	Opened opened;

	(void) state;
	write_everything(&archive);
	open_ok(&opened, &archive);
	assert_int_equal(opened.model->n_locations, 5);
	assert_int_equal(opened.model->n_ranks, 2);
	for (uint32_t i = 0; i < 5; i++)
	{
		const PhTraceLocation *location = &opened.model->locations[i];

		assert_int_equal(location->source_id, ids[i]);
		assert_int_equal(location->rank, ranks[i]);
		assert_string_equal(location->host, hosts[i]);
	}
	assert_int_equal(opened.model->locations[0].thread, 1); /* a thread without events was first */
	assert_int_equal(opened.model->rank_location[0], 0);
	assert_int_equal(opened.model->rank_location[1], 2);
	assert_string_equal(opened.model->locations[3].name, "plugin");
	close_opened(&opened);
	otf_remove(&archive);
}

static void
makes_regions_communicators_and_metrics(void **state)
{
	OtfArchive archive;
	Opened opened;

	(void) state;
	write_everything(&archive);
	open_ok(&opened, &archive);
	const PhTraceModel *model = opened.model;
	assert_int_equal(model->n_regions, 2);
	assert_string_equal(model->regions[0].name, "main");
	assert_string_equal(model->regions[0].paradigm, "compiler");
	assert_string_equal(model->regions[1].name, "addr=<55d0>");
	assert_string_equal(model->regions[1].paradigm, "");

	assert_int_equal(model->n_communicators, 8);
	assert_string_equal(model->communicators[0].name, "WORLD");
	assert_int_equal(model->communicators[1].members[0], 1);
	assert_int_equal(model->communicators[1].members[1], 0);
	assert_int_equal(model->communicators[1].parent, 0);
	assert_int_equal(model->communicators[2].n_members, 0);
	assert_int_equal(model->communicators[3].n_members, 2); /* both groups */
	assert_false(model->communicators[4].is_mpi);
	assert_int_equal(model->communicators[4].members[1], 0); /* a thread's rank */
	assert_int_equal(model->communicators[5].n_members, 1);	 /* groups that no other has */
	assert_int_equal(model->communicators[5].members[0], 0);
	assert_int_equal(model->communicators[6].members[0], 1);
	assert_true(model->communicators[6].is_mpi);
	assert_false(ph_trace_is_window(model, 6));
	assert_string_equal(model->communicators[7].name, "WORLD");
	assert_true(ph_trace_is_window(model, 7));
	assert_int_equal(model->communicators[7].parent, 1);
	assert_false(model->communicators[7].is_mpi);

	assert_int_equal(model->n_metrics, 2);
	assert_false(model->metrics[0].is_accumulated);
	assert_float_equal(model->metrics[0].scale, 1024, 0);
	assert_true(model->metrics[1].is_accumulated);
	assert_float_equal(model->metrics[1].scale, 1e-6, 1e-20);
	assert_int_equal(model->metrics[1].type, PH_TRACE_DOUBLE);
	assert_string_equal(ph_meta_get(&opened.run.meta, "otf2.creator"), "a test");
	assert_string_equal(ph_meta_get(&opened.run.meta, "otf2.ticks_per_second"), "1000000");
	close_opened(&opened);
	otf_remove(&archive);
}

static void
translates_every_kind_of_record(void **state)
{
	OtfArchive archive;
	Opened opened;
	OtfEvent e[32];
	PhTraceText text;
	uint32_t next = 0;
	PhTraceCounts counts = {0};

	(void) state;
	write_everything(&archive);
	open_ok(&opened, &archive);
	/* rank 1 began first: at tick 990, 490 us after the clock's offset */
	assert_int_equal(opened.model->epoch_ns, INT64_C(1700000000000000000) + 490000);
	assert_int_equal(otf_read(&opened.env, &opened.archive->source, 0, &counts, e, 32), 21);
	assert_int_equal(e[0].event.kind, PH_EVENT_OTHER);
	assert_int_equal(e[0].event.operation, PH_RECORD_PROGRAM_BEGIN);
	assert_int_equal(e[0].event.time, 10000);
	assert_int_equal(e[0].event.n_values, 3); /* the name, one argument: both are string 1 */
	assert_int_equal(e[0].values[0], 1);
	assert_int_equal(e[0].values[1], 1);
	assert_int_equal(e[0].values[2], 1);
	assert_true(opened.archive->source.next_text(&opened.archive->source, &next, &text));
	assert_int_equal(text.number, 1);
	assert_false(opened.archive->source.next_text(&opened.archive->source, &next, &text));
	assert_int_equal(counts.with_attributes, 1);
	assert_int_equal(e[1].event.kind, PH_EVENT_ENTER);
	assert_int_equal(e[1].event.region, 0);
	assert_int_equal(e[2].event.peer, 0);
	assert_int_equal(e[2].event.comm, 0);
	assert_int_equal(e[3].event.peer, 1); /* rank 0 of the reversed one */
	assert_int_equal(e[3].event.comm, 1);
	assert_int_equal(e[4].event.kind, PH_EVENT_ISEND);
	assert_int_equal(e[4].event.peer, 0); /* self */
	assert_int_equal(e[4].event.request, 77);
	assert_int_equal(e[5].event.peer, 1); /* of the remote group */
	assert_int_equal(e[5].event.bytes, UINT64_C(1) << 33);
	assert_int_equal(e[6].event.peer, PH_NONE);
	assert_int_equal(counts.unknown_peers, 1);
	assert_int_equal(e[7].event.kind, PH_EVENT_ISEND_COMPLETE);
	assert_int_equal(e[8].event.kind, PH_EVENT_METRIC);
	assert_int_equal(e[8].event.operation, 0);
	assert_int_equal(e[8].event.n_values, 2);
	assert_int_equal(e[8].values[0], 42);
	assert_int_equal(e[9].event.kind, PH_EVENT_PARAMETER);
	assert_int_equal((int64_t) e[9].values[0], -5);
	assert_int_equal(e[10].event.kind, PH_EVENT_RMA);
	assert_int_equal(e[10].event.operation, PH_RECORD_RMA_PUT);
	assert_int_equal(e[10].event.comm, 7);
	assert_int_equal(e[10].event.peer, 1);
	assert_int_equal(e[10].event.bytes, 64);
	assert_int_equal(e[11].event.operation, PH_RECORD_THREAD_FORK);
	assert_int_equal(e[12].event.operation, PH_RECORD_THREAD_TEAM_BEGIN);
	assert_int_equal(e[12].values[0], 4);
	assert_int_equal(e[13].event.kind, PH_EVENT_IO);
	assert_int_equal(e[13].event.bytes, 4096);
	assert_int_equal(e[14].event.kind, PH_EVENT_COLLECTIVE_BEGIN);
	assert_int_equal(e[15].event.operation, PH_COLLECTIVE_BCAST);
	assert_int_equal(e[15].event.root, 1);
	assert_int_equal(e[15].event.bytes_received, 16);
	assert_int_equal(e[16].event.root, PH_NONE);
	assert_int_equal(e[17].event.root, 0);
	assert_int_equal(e[18].event.kind, PH_EVENT_MEASUREMENT);
	assert_int_equal(e[18].event.operation, 2);
	assert_int_equal(e[19].event.operation, PH_RECORD_BUFFER_FLUSH);
	assert_int_equal(e[19].values[0], 20000);
	assert_int_equal(e[20].event.operation, PH_RECORD_CALLING_CONTEXT_ENTER);
	assert_int_equal(e[20].values[0], 1);
	/* the other side of the inter-communicator: rank 0 of group A */
	assert_int_equal(otf_read(&opened.env, &opened.archive->source, 2, &counts, e, 32), 2);
	assert_int_equal(e[1].event.peer, 0);
	close_opened(&opened);
	otf_remove(&archive);
}

static void
reads_a_trace_that_was_cut_off(void **state)
{
	OtfArchive archive;
	Opened opened;
	const PhConnection *refused;
	PhTraceRead read;

	(void) state;
	write_everything(&archive);
	open_ok(&opened, &archive);
	for (uint32_t n_threads = 1; n_threads <= 3; n_threads++)
	{
		PhTraceReadOptions options = {.source = &opened.archive->source, .n_threads = n_threads};

		assert_int_equal(ph_trace_read(&opened.env, &options, &read, &refused), PH_OK);
		assert_int_equal(ph_trace_read_match(&read, options.source), PH_OK);
		assert_int_equal(read.n_events, 25);
		assert_int_equal(read.open_calls, 2);
		assert_int_equal(read.n_collectives, 3);
		assert_int_equal(read.counts.last_time, 511000);
		assert_int_equal(read.matches.messages, 1);
		assert_int_equal(read.matches.reversed, 1);
		assert_int_equal(read.matches.worst_reversal, 28000);
		assert_int_equal(read.matches.unmatched_receives, 0);
		ph_trace_read_free(&read);
	}
	close_opened(&opened);
	otf_remove(&archive);
}

/* ---- clock offsets ---- */

/* Rank 0 sends at 1000, rank 1, whose clock is behind by `behind`, receives; in ticks of 1 ns. */
static void
write_offsets(OtfArchive *archive, uint64_t received, int64_t offset)
{
	static const uint64_t world[] = {0, 1};

	otf_begin(archive);
	OTF2_EvtWriter_Enter(otf_events(archive, 0), NULL, 900, 0);
	OTF2_EvtWriter_MpiSend(otf_events(archive, 0), NULL, 1000, 1, 0, 1, 8);
	OTF2_EvtWriter_Leave(otf_events(archive, 0), NULL, 1100, 0);
	OTF2_EvtWriter_Enter(otf_events(archive, 1), NULL, received - 50, 0);
	OTF2_EvtWriter_MpiRecv(otf_events(archive, 1), NULL, received, 0, 0, 1, 8);
	OTF2_EvtWriter_Leave(otf_events(archive, 1), NULL, received + 50, 0);
	OTF2_Archive_OpenDefFiles(archive->archive);
	for (uint32_t i = 0; i < 2; i++)
	{
		OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive->archive, i);

		OTF2_DefWriter_WriteClockOffset(writer, 100, i == 0 ? 0 : offset, 0);
		OTF2_DefWriter_WriteClockOffset(writer, 10000, i == 0 ? 0 : offset, 0);
		OTF2_Archive_CloseDefWriter(archive->archive, writer);
	}
	OTF2_Archive_CloseDefFiles(archive->archive);
	otf_begin_definitions(archive, 1000000000, 0);
	otf_string(archive, 1, "main");
	otf_region(archive, 0, 1, OTF2_PARADIGM_USER);
	otf_process(archive, 0, 0, 3);
	otf_process(archive, 1, 1, 3);
	otf_world(archive, world, 2);
	otf_end(archive);
}

static int64_t
first_of_rank_1(const OtfArchive *archive, PhClockOffsets mode, PhTraceClock *clock)
{
	Opened opened = {0};
	PhTraceCounts counts = {0};
	OtfEvent events[4];

	ph_env_init_malloc(&opened.env);
	assert_int_equal(
		ph_otf2_archive_open(&opened.env, archive->anchor, &opened.run, &opened.archive), PH_OK);
	assert_int_equal(ph_otf2_archive_settle(opened.archive, mode), PH_OK);
	*clock = opened.archive->source.clock;
	assert_int_equal(otf_read(&opened.env, &opened.archive->source, 1, &counts, events, 4), 3);
	close_opened(&opened);
	return events[0].event.time;
}

static void
applies_offsets_that_help(void **state)
{
	OtfArchive archive;
	PhTraceClock clock;

	(void) state;
	write_offsets(&archive, 960, 200); /* recorded 40 early, corrected 160 late */
	assert_int_equal(first_of_rank_1(&archive, PH_OFFSETS_AUTO, &clock), 960 - 50 + 200 - 900);
	assert_int_equal(clock, PH_CLOCK_OFFSETS);
	assert_int_equal(first_of_rank_1(&archive, PH_OFFSETS_OFF, &clock), 960 - 50 - 900);
	assert_int_equal(clock, PH_CLOCK_UNCORRECTED);
	otf_remove(&archive);
}

static void
leaves_offsets_that_harm(void **state)
{
	OtfArchive archive;
	PhTraceClock clock;

	(void) state;
	write_offsets(&archive, 1060, -200); /* recorded 60 late, corrected 140 early */
	assert_int_equal(first_of_rank_1(&archive, PH_OFFSETS_AUTO, &clock), 1060 - 50 - 900);
	assert_int_equal(clock, PH_CLOCK_UNCORRECTED);
	assert_int_equal(first_of_rank_1(&archive, PH_OFFSETS_ON, &clock), 0);
	assert_int_equal(clock, PH_CLOCK_OFFSETS);
	otf_remove(&archive);
}

static void
moves_times_by_a_logical_clock(void **state)
{
	OtfArchive archive;
	Opened opened;
	PhClockCounts clock;
	PhTraceCounts counts = {0};
	OtfEvent e[4];

	(void) state;
	write_offsets(&archive, 960, 0); /* received 40 before it was sent */
	open_ok(&opened, &archive);
	assert_int_equal(otf_read(&opened.env, &opened.archive->source, 1, &counts, e, 4), 3);
	assert_int_equal(e[1].event.time, 60);
	assert_int_equal(ph_otf2_archive_correct(opened.archive, &clock), PH_OK);
	assert_int_equal(clock.violations, 1);
	assert_int_equal(opened.archive->source.clock, PH_CLOCK_LOGICAL);
	assert_int_equal(otf_read(&opened.env, &opened.archive->source, 1, &counts, e, 4), 3);
	assert_int_equal(e[0].event.time, 10);
	assert_true(e[1].event.time >= 100); /* when it was sent */
	assert_true(e[2].event.time >= e[1].event.time);
	assert_int_equal(otf_read(&opened.env, &opened.archive->source, 0, &counts, e, 4), 3);
	assert_int_equal(e[1].event.time, 100);
	close_opened(&opened);

	/* nothing to correct: nothing changes, nor is it said */
	otf_remove(&archive);
	write_offsets(&archive, 1060, 0);
	open_ok(&opened, &archive);
	assert_int_equal(ph_otf2_archive_correct(opened.archive, &clock), PH_OK);
	assert_int_equal(clock.violations, 0);
	assert_int_equal(opened.archive->source.clock, PH_CLOCK_UNCORRECTED);
	assert_int_equal(otf_read(&opened.env, &opened.archive->source, 1, &counts, e, 4), 3);
	assert_int_equal(e[1].event.time, 160);
	close_opened(&opened);
	otf_remove(&archive);
}

static void
interpolates_offsets(void **state)
{
	PhClockOffset items[] = {{1000, 100}, {2000, 300}, {4000, -100}};
	PhClockOffsetList list = {.n = 3, .items = items};

	(void) state;
	assert_int_equal(ph_otf2_corrected(&list, 1000), 1100);
	assert_int_equal(ph_otf2_corrected(&list, 1500), 1700);
	assert_int_equal(ph_otf2_corrected(&list, 3000), 3100);
	assert_int_equal(ph_otf2_corrected(&list, 5000), 4700);
	assert_int_equal(ph_otf2_corrected(&list, 500), 500);
	list.n = 1;
	assert_int_equal(ph_otf2_corrected(&list, 1500), 1500);
}

/* ---- what is wrong ---- */

typedef struct Wrong
{
	void (*events)(OTF2_EvtWriter *writer);
	void (*definitions)(OtfArchive *archive);
	const char *message; /* part of it */
} Wrong;

static void
good_events(OTF2_EvtWriter *writer)
{
	OTF2_EvtWriter_Enter(writer, NULL, 10, 0);
	OTF2_EvtWriter_Leave(writer, NULL, 20, 0);
}

static void
undefined_region(OTF2_EvtWriter *writer)
{
	OTF2_EvtWriter_Enter(writer, NULL, 10, 0);
	OTF2_EvtWriter_Enter(writer, NULL, 11, 12345);
}

static void
undefined_communicator(OTF2_EvtWriter *writer)
{
	OTF2_EvtWriter_MpiSend(writer, NULL, 10, 0, 99, 1, 1);
}

static void
undefined_metric(OTF2_EvtWriter *writer)
{
	OTF2_MetricValue value = {.unsigned_int = 1};
	OTF2_Type type = OTF2_TYPE_UINT64;

	OTF2_EvtWriter_Metric(writer, NULL, 10, 5, 1, &type, &value);
}

static void
wrong_nesting(OTF2_EvtWriter *writer)
{
	OTF2_EvtWriter_Enter(writer, NULL, 10, 0);
	OTF2_EvtWriter_Enter(writer, NULL, 11, 1);
	OTF2_EvtWriter_Leave(writer, NULL, 12, 0);
}

static void
leave_first(OTF2_EvtWriter *writer)
{
	OTF2_EvtWriter_Leave(writer, NULL, 12, 0);
}

static void
far_future(OTF2_EvtWriter *writer)
{
	OTF2_EvtWriter_Enter(writer, NULL, 10, 0);
	OTF2_EvtWriter_Leave(writer, NULL, UINT64_MAX - 1, 0);
}

static void
good_definitions(OtfArchive *archive)
{
	static const uint64_t world[] = {0};

	otf_begin_definitions(archive, 1000, 0);
	otf_string(archive, 1, "f");
	otf_region(archive, 0, 1, OTF2_PARADIGM_USER);
	otf_region(archive, 1, 1, OTF2_PARADIGM_USER);
	otf_process(archive, 0, 0, 1);
	otf_world(archive, world, 1);
}

static void
too_many_events(OtfArchive *archive)
{
	otf_begin_definitions(archive, 1000, 0);
	otf_string(archive, 1, "f");
	otf_region(archive, 0, 1, OTF2_PARADIGM_USER);
	otf_process(archive, 0, 0, 1000);
}

static void
undefined_string(OtfArchive *archive)
{
	good_definitions(archive);
	otf_region(archive, 2, 77, OTF2_PARADIGM_USER);
}

static void
twice_the_same(OtfArchive *archive)
{
	good_definitions(archive);
	otf_region(archive, 1, 1, OTF2_PARADIGM_USER);
}

static void
undefined_group(OtfArchive *archive)
{
	good_definitions(archive);
	OTF2_GlobalDefWriter_WriteComm(archive->definitions, 4, 0, 66, OTF2_UNDEFINED_COMM,
								   OTF2_COMM_FLAG_NONE);
}

static void
no_such_member(OtfArchive *archive)
{
	static const uint64_t members[] = {0, 5};

	good_definitions(archive);
	OTF2_GlobalDefWriter_WriteGroup(archive->definitions, 4, 0, OTF2_GROUP_TYPE_COMM_GROUP,
									OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, members);
	OTF2_GlobalDefWriter_WriteComm(archive->definitions, 4, 0, 4, OTF2_UNDEFINED_COMM,
								   OTF2_COMM_FLAG_NONE);
}

static void
undefined_location_group(OtfArchive *archive)
{
	good_definitions(archive);
	OTF2_GlobalDefWriter_WriteLocation(archive->definitions, 3, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 0,
									   44);
}

static void
no_clock(OtfArchive *archive)
{
	archive->definitions = OTF2_Archive_GetGlobalDefWriter(archive->archive);
	otf_string(archive, 0, "f");
	otf_region(archive, 0, 0, OTF2_PARADIGM_USER);
	otf_process(archive, 0, 0, 1);
}

static const Wrong wrongs[] = {
	{good_events, good_definitions, NULL},
	{undefined_region, good_definitions,
	 "0.evt: location 0, record 2: region 12345 is not defined"},
	{undefined_communicator, good_definitions,
	 "0.evt: location 0, record 1: communicator 99 is not defined"},
	{undefined_metric, good_definitions, "0.evt: location 0, record 1: metric 5 is not defined"},
	{wrong_nesting, good_definitions,
	 "0.evt: location 0, record 3: region 0 is left, but region 1 was entered last"},
	{leave_first, good_definitions, "0.evt: location 0, record 1: a region is left"},
	{far_future, good_definitions, "0.evt: location 0, record 2: its time is centuries"},
	{good_events, too_many_events, "0.evt: location 0: holds 2 of its 1000 events"},
	{good_events, undefined_string, "region 2 refers to string 77, which is not defined"},
	{good_events, twice_the_same, "region 1 is defined twice"},
	{good_events, undefined_group, "communicator 4 refers to group 66, which is not defined"},
	{good_events, no_such_member, "group 4 refers to communication location 5"},
	{good_events, undefined_location_group, "location 3 refers to location group 44"},
	{good_events, no_clock, "no clock properties"},
};

static PhStatus
read_first_location(Opened *opened)
{
	PhTraceReadOptions options = {.source = &opened->archive->source, .n_threads = 1};
	const PhConnection *refused;
	PhTraceRead read;
	PhStatus status = ph_trace_read(&opened->env, &options, &read, &refused);

	ph_trace_read_free(&read);
	return status;
}

static void
names_what_is_wrong(void **state)
{
	(void) state;
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++)
	{
		OtfArchive archive;
		Opened opened;

		otf_begin(&archive);
		wrongs[i].events(otf_events(&archive, 0));
		wrongs[i].definitions(&archive);
		otf_end(&archive);
		PhStatus status = try_open(&opened, archive.anchor);
		if (status == PH_OK)
			status = read_first_location(&opened);
		if (wrongs[i].message == NULL)
			assert_int_equal(status, PH_OK);
		else
		{
			assert_true(status == PH_ERR_FORMAT || status == PH_ERR_VALUE);
			if (strstr(opened.env.error.message, wrongs[i].message) == NULL)
				fail_msg("%zu: %s", i, opened.env.error.message);
			assert_non_null(strstr(opened.env.error.message, archive.folder));
		}
		close_opened(&opened);
		otf_remove(&archive);
	}
}

/* An allocation that fails must not crash the reader, nor lose memory. */
static bool armed;
static uint32_t left;

static void *
failing_alloc(void *user, void *pointer, size_t old_size, size_t new_size)
{
	(void) user;
	(void) old_size;
	if (new_size == 0)
	{
		free(pointer);
		return NULL;
	}
	if (armed && left-- == 0)
		return NULL;
	return realloc(pointer, new_size);
}

static void
survives_failing_allocations(void **state)
{
	OtfArchive archive;
	bool done = false;

	(void) state;
	write_everything(&archive);
	for (uint32_t n = 0; !done && n < 500; n++)
	{
		Opened opened = {0};

		ph_env_init_malloc(&opened.env);
		opened.env.alloc = failing_alloc;
		armed = true;
		left = n;
		PhStatus status =
			ph_otf2_archive_open(&opened.env, archive.anchor, &opened.run, &opened.archive);
		if (status == PH_OK)
			status = ph_otf2_archive_settle(opened.archive, PH_OFFSETS_AUTO);
		done = status == PH_OK;
		assert_true(done || status == PH_ERR_MEMORY);
		armed = false;
		close_opened(&opened);
	}
	assert_true(done);
	otf_remove(&archive);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_locations_by_rank_and_thread),
		cmocka_unit_test(makes_regions_communicators_and_metrics),
		cmocka_unit_test(translates_every_kind_of_record),
		cmocka_unit_test(reads_a_trace_that_was_cut_off),
		cmocka_unit_test(applies_offsets_that_help),
		cmocka_unit_test(leaves_offsets_that_harm),
		cmocka_unit_test(moves_times_by_a_logical_clock),
		cmocka_unit_test(interpolates_offsets),
		cmocka_unit_test(names_what_is_wrong),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
