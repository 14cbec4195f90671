/*
 * test_otf2_devices.c - streams of accelerators in OTF2 archives, as Score-P writes them: groups
 * with the process that created them, kernels, copies as remote memory access.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "readers/otf2/words.h"
#include "support/csv.h"
#include "support/otf2.h"
#include "support/reader.h"
#include "trace/chunk/device_records.h"

/* Locations: two processes' threads, a metric location, three streams of the second process. */
enum
{
	THREAD_0 = 10,
	THREAD_1 = 11,
	METRICS = 12,
	STREAM_A = 20, /* of an older kind: among the threads of its process */
	STREAM_B = 21, /* of a group of its own, "HIP[1:4]" */
	STREAM_C = 22
};

enum
{
	S_EMPTY,
	S_MAIN,
	S_KERNEL,
	S_IDLE,
	S_STREAM_A,
	S_STREAM_B,
	S_STREAM_C
};

static OTF2_AttributeList *none;

static void
write_thread(OtfArchive *archive, uint64_t location)
{
	OTF2_EvtWriter *events = otf_events(archive, location);

	OTF2_EvtWriter_Enter(events, none, 100, 0);
	OTF2_EvtWriter_Leave(events, none, 900, 0);
}

static void
write_streams(OtfArchive *archive)
{
	OTF2_EvtWriter *a = otf_events(archive, STREAM_A);
	OTF2_EvtWriter *b = otf_events(archive, STREAM_B);

	OTF2_EvtWriter_RmaGet(a, none, 150, 0, 0, 4096, 7);
	OTF2_EvtWriter_RmaOpCompleteBlocking(a, none, 190, 0, 7);
	OTF2_EvtWriter_Enter(a, none, 200, 1);
	OTF2_EvtWriter_Leave(a, none, 300, 1);
	OTF2_EvtWriter_Enter(a, none, 300, 2);
	OTF2_EvtWriter_Leave(a, none, 400, 2);
	OTF2_EvtWriter_RmaPut(a, none, 400, 0, 0, 512, 8);
	OTF2_EvtWriter_RmaOpCompleteBlocking(a, none, 450, 0, 8);
	OTF2_EvtWriter_RmaGet(b, none, 200, 0, 1, 64, 9);
	OTF2_EvtWriter_RmaPut(b, none, 210, 0, 0, 32, 10); /* while another one is going on */
	OTF2_EvtWriter_RmaOpCompleteBlocking(b, none, 220, 0, 10);
	OTF2_EvtWriter_RmaOpCompleteBlocking(b, none, 230, 0, 9);
}

static void
define_locations(OtfArchive *archive)
{
	otf_process(archive, 0, THREAD_0, 2);
	otf_process(archive, 1, THREAD_1, 2);
	OTF2_GlobalDefWriter_WriteLocation(archive->definitions, METRICS, S_EMPTY,
									   OTF2_LOCATION_TYPE_METRIC, 0, 1);
	OTF2_GlobalDefWriter_WriteLocation(archive->definitions, STREAM_A, S_STREAM_A,
									   OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 8, 1);
	for (uint32_t group = 2; group < 4; group++)
		OTF2_GlobalDefWriter_WriteLocationGroup(archive->definitions, group, S_EMPTY,
												OTF2_LOCATION_GROUP_TYPE_ACCELERATOR,
												OTF2_UNDEFINED_SYSTEM_TREE_NODE, 1);
	OTF2_GlobalDefWriter_WriteLocation(archive->definitions, STREAM_C, S_STREAM_C,
									   OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 0, 3);
	OTF2_GlobalDefWriter_WriteLocation(archive->definitions, STREAM_B, S_STREAM_B,
									   OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 4, 2);
}

/* A window of the second process's thread and its streams. */
static void
define_window(OtfArchive *archive)
{
	const uint64_t locations[] = {THREAD_1, STREAM_A, STREAM_B};
	const uint64_t members[] = {0, 1, 2};

	OTF2_GlobalDefWriter_WriteGroup(archive->definitions, 10, S_EMPTY,
									OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_CUDA,
									OTF2_GROUP_FLAG_NONE, 3, locations);
	OTF2_GlobalDefWriter_WriteGroup(archive->definitions, 11, S_EMPTY, OTF2_GROUP_TYPE_COMM_GROUP,
									OTF2_PARADIGM_CUDA, OTF2_GROUP_FLAG_NONE, 3, members);
	OTF2_GlobalDefWriter_WriteComm(archive->definitions, 5, S_EMPTY, 11, OTF2_UNDEFINED_COMM,
								   OTF2_COMM_FLAG_NONE);
	OTF2_GlobalDefWriter_WriteRmaWin(archive->definitions, 0, S_EMPTY, 5, OTF2_RMA_WIN_FLAG_NONE);
}

static void
write_archive(OtfArchive *archive)
{
	static const char *const names[] = {"",			 "main",	 "kernel", "COMPUTE_IDLE",
										"CUDA[0:7]", "HIP[1:4]", "a queue"};
	const uint64_t world[] = {THREAD_0, THREAD_1};

	otf_begin(archive);
	write_thread(archive, THREAD_0);
	write_thread(archive, THREAD_1);
	write_streams(archive);
	(void) otf_events(archive, STREAM_C);
	(void) otf_events(archive, METRICS);
	otf_begin_definitions(archive, 1000000000, 0);
	for (uint32_t i = 1; i < sizeof(names) / sizeof(names[0]); i++)
		otf_string(archive, i, names[i]);
	otf_region(archive, 0, S_MAIN, OTF2_PARADIGM_USER);
	otf_region(archive, 1, S_KERNEL, OTF2_PARADIGM_CUDA);
	OTF2_GlobalDefWriter_WriteRegion(archive->definitions, 2, S_IDLE, S_IDLE, 0,
									 OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_CUDA,
									 OTF2_REGION_FLAG_NONE, 0, 0, 0);
	define_locations(archive);
	otf_world(archive, world, 2);
	define_window(archive);
	otf_end(archive);
}

/* ---- what becomes of it ---- */

static void
check_locations(const PhTraceModel *model)
{
	static const struct
	{
		uint64_t id;
		int32_t rank, thread;
		PhDeviceStream stream;
		bool is_stream;
	} expected[] = {
		{THREAD_0, 0, 0, {0}, false},
		{THREAD_1, 1, 0, {0}, false},
		{METRICS, -1, 0, {0}, false},
		{STREAM_A, 1, -1, {.device = 0, .stream = 7}, true},
		{STREAM_C, 1, -1, {.device = 1, .context = 1, .stream = STREAM_C}, true},
		{STREAM_B, 1, -1, {.device = 1, .context = 0, .stream = 4}, true},
	};

	assert_int_equal(model->n_locations, sizeof(expected) / sizeof(expected[0]));
	assert_int_equal(model->n_ranks, 2);
	assert_int_equal(model->rank_location[1], 1);
	for (uint32_t i = 0; i < model->n_locations; i++)
	{
		const PhTraceLocation *location = &model->locations[i];
		uint32_t k = 0;

		while (expected[k].id != location->source_id)
			k++;
		assert_int_equal(location->rank, expected[k].rank);
		assert_int_equal(ph_location_is_stream(location), expected[k].is_stream);
		assert_true(ph_location_is_stream(location) == (i >= 3));
		assert_int_equal(location->thread, expected[k].thread);
		if (expected[k].is_stream)
			assert_memory_equal(&location->stream, &expected[k].stream, sizeof(PhDeviceStream));
	}
}

typedef struct KnownEvent
{
	PhEventKind kind;
	int64_t time;
	const char *region;
	uint64_t bytes;
} KnownEvent;

static void
check_stream(PhEnv *env, PhTraceSource *source, uint64_t id, const KnownEvent *expected, uint32_t n)
{
	OtfEvent events[20];
	PhTraceCounts counts = {0};
	uint32_t location = 0;

	while (source->model.locations[location].source_id != id)
		location++;
	assert_int_equal(otf_read(env, source, location, &counts, events, 20), n);
	for (uint32_t i = 0; i < n; i++)
	{
		const PhEvent *event = &events[i].event;

		assert_int_equal(event->kind, expected[i].kind);
		assert_int_equal(event->time, expected[i].time - 100);
		if (expected[i].region != NULL)
			assert_string_equal(source->model.regions[event->region].name, expected[i].region);
		if (event->kind == PH_EVENT_OTHER)
			assert_int_equal(event->operation, PH_RECORD_ACTIVITY);
		if (event->kind == PH_EVENT_OTHER)
			assert_int_equal(events[i].values[PH_ACTIVITY_BYTES], expected[i].bytes);
	}
}

static void
test_streams(void **state)
{
	static const KnownEvent a[] = {
		{PH_EVENT_ENTER, 150, "memcpy HtoD", 0}, {PH_EVENT_OTHER, 150, NULL, 4096},
		{PH_EVENT_LEAVE, 190, "memcpy HtoD", 0}, {PH_EVENT_ENTER, 200, "kernel", 0},
		{PH_EVENT_LEAVE, 300, "kernel", 0},		 {PH_EVENT_ENTER, 400, "memcpy DtoH", 0},
		{PH_EVENT_OTHER, 400, NULL, 512},		 {PH_EVENT_LEAVE, 450, "memcpy DtoH", 0},
	};
	static const KnownEvent b[] = {
		{PH_EVENT_ENTER, 200, "memcpy DtoD", 0},
		{PH_EVENT_OTHER, 200, NULL, 64},
		{PH_EVENT_RMA, 210, NULL, 0},
		{PH_EVENT_RMA, 220, NULL, 0},
		{PH_EVENT_LEAVE, 230, "memcpy DtoD", 0},
	};
	OtfArchive archive;
	PhEnv env;
	PhRunInput run;

	(void) state;
	write_archive(&archive);
	ph_env_init_malloc(&env);
	if (read_path(&env, archive.anchor, &run) != PH_OK)
		fail_msg("%s", env.error.message);
	assert_int_equal(run.n_ranks, 2);
	check_locations(&run.trace->model);
	check_stream(&env, run.trace, STREAM_A, a, sizeof(a) / sizeof(a[0]));
	check_stream(&env, run.trace, STREAM_B, b, sizeof(b) / sizeof(b[0]));
	done(&env, &run);
	otf_remove(&archive);
}

/* ---- what our exports say beyond OTF2 ---- */

enum
{
	T_CONFIGURATION = 20,
	T_OTHER, /* a text that is no configuration */
	T_LANE,
	T_ATTRIBUTE = 30
};

/* An activity with a launch from a record of a location, and what else is given; 0: nothing. */
static void
write_activity(OTF2_EvtWriter *events, uint64_t time, uint64_t place, uint64_t record,
			   uint64_t bytes, uint32_t text)
{
	OTF2_AttributeList *list = OTF2_AttributeList_New();

	OTF2_AttributeList_AddLocationRef(list, PH_OTF2_LAUNCH_LOCATION, place);
	OTF2_AttributeList_AddUint64(list, PH_OTF2_LAUNCH_RECORD, record);
	OTF2_AttributeList_AddUint64(list, PH_OTF2_LAUNCH_TIME, 100);
	if (bytes > 0)
		OTF2_AttributeList_AddUint64(list, PH_OTF2_BYTES, bytes);
	if (text > 0)
		OTF2_AttributeList_AddStringRef(list, PH_OTF2_CONFIGURATION, text);
	OTF2_EvtWriter_Enter(events, list, time, 0);
	OTF2_EvtWriter_Leave(events, none, time + 10, 0);
	OTF2_AttributeList_Delete(list);
}

static void
write_launched(OtfArchive *archive)
{
	OTF2_EvtWriter *events = otf_events(archive, STREAM_A);

	write_thread(archive, THREAD_0);
	write_activity(events, 90, THREAD_0, 0, 0, 0); /* before its launch */
	write_activity(events, 200, THREAD_0, 0, 64, T_CONFIGURATION);
	write_activity(events, 300, THREAD_0, 2, 0, T_OTHER); /* it has no such record */
	write_activity(events, 400, STREAM_A, 0, 8, 99);	  /* a stream launches nothing */
	write_activity(events, 500, THREAD_1, 0, 0, 0);		  /* not defined */
}

static void
define_launched(OtfArchive *archive)
{
	static const OTF2_Type types[PH_OTF2_ACTIVITY_ATTRIBUTES] = {
		OTF2_TYPE_LOCATION, OTF2_TYPE_UINT64, OTF2_TYPE_UINT64,	  OTF2_TYPE_UINT64,
		OTF2_TYPE_STRING,	OTF2_TYPE_COMM,	  OTF2_TYPE_LOCATION, OTF2_TYPE_UINT64};
	static const char *const properties[] = {PH_OTF2_STREAM_LANE, PH_OTF2_STREAM_NUMBER,
											 PH_OTF2_STREAM_CONTEXT, PH_OTF2_STREAM_DEVICE};

	otf_string(archive, 1, "f");
	otf_string(archive, T_CONFIGURATION,
			   "grid 4,5,6 block 7,8,9 registers 10 static 11 dynamic 12");
	otf_string(archive, T_OTHER, "grid 4,5,6 block 7,8,9 registers 10 static 11 dynamic 12!");
	otf_region(archive, 0, 1, OTF2_PARADIGM_CUDA);
	otf_process(archive, 0, THREAD_0, 2);
	OTF2_GlobalDefWriter_WriteLocationGroup(archive->definitions, 2, S_EMPTY,
											OTF2_LOCATION_GROUP_TYPE_ACCELERATOR,
											OTF2_UNDEFINED_SYSTEM_TREE_NODE, 0);
	OTF2_GlobalDefWriter_WriteLocation(archive->definitions, STREAM_A, S_EMPTY,
									   OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 10, 2);
	for (uint32_t i = 0; i < 4; i++)
	{
		otf_string(archive, T_LANE + i, properties[i]);
		OTF2_GlobalDefWriter_WriteLocationProperty(
			archive->definitions, STREAM_A, T_LANE + i, OTF2_TYPE_INT64,
			(OTF2_AttributeValue){.int64 = INT64_C(1) << (i == 0 || i == 3 ? i : 40)});
	}
	for (uint32_t i = 0; i < PH_OTF2_ACTIVITY_ATTRIBUTES; i++)
	{
		otf_string(archive, T_ATTRIBUTE + i, ph_otf2_activity_attributes[i]);
		OTF2_GlobalDefWriter_WriteAttribute(archive->definitions, i, T_ATTRIBUTE + i, S_EMPTY,
											types[i]);
	}
}

static void
check_links(const PhTraceSource *source, PhEnv *env)
{
	const PhLink *links;
	PhArena arena;
	uint64_t n;

	ph_arena_init(&arena, env);
	assert_int_equal(source->launches(source, &arena, 0, &links, &n), PH_OK);
	assert_int_equal(n, 0);
	assert_int_equal(source->launches(source, &arena, 1, &links, &n), PH_OK);
	assert_int_equal(n, 5);
	for (uint64_t i = 0; i < n; i++)
	{
		assert_int_equal(links[i].location, i < 2 ? 0 : PH_NONE);
		assert_int_equal(links[i].seq, 0);
		assert_int_equal(links[i].time, i < 2 ? 10 : PH_NO_TIME);
	}
	ph_arena_drop(&arena);
}

static void
check_activities(PhEnv *env, PhTraceSource *source)
{
	static const PhLaunchConfiguration configuration = {{4, 5, 6}, {7, 8, 9}, 10, 11, 12};
	static const PhDeviceStream stream = {8, INT64_C(1) << 40, INT64_C(1) << 40, 1};
	OtfEvent events[20];
	PhTraceCounts counts = {0};

	assert_memory_equal(&source->model.locations[1].stream, &stream, sizeof(stream));
	assert_int_equal(source->model.n_configurations, 1);
	assert_memory_equal(source->model.configurations, &configuration, sizeof(configuration));
	assert_int_equal(otf_read(env, source, 1, &counts, events, 20), 12);
	assert_int_equal(events[3].event.operation, PH_RECORD_ACTIVITY);
	assert_int_equal(events[3].values[PH_ACTIVITY_BYTES], 64);
	assert_int_equal(events[3].values[PH_ACTIVITY_CONFIGURATION], 1);
	assert_int_equal(events[8].event.operation, PH_RECORD_ACTIVITY);
	assert_int_equal(events[8].event.n_values, 1);
	assert_int_equal(events[8].values[PH_ACTIVITY_BYTES], 8);
}

static void
test_launches(void **state)
{
	const uint64_t world[] = {THREAD_0};
	OtfArchive archive;
	PhEnv env;
	PhRunInput run;

	(void) state;
	otf_begin(&archive);
	write_launched(&archive);
	otf_begin_definitions(&archive, 1000000000, 0);
	define_launched(&archive);
	otf_world(&archive, world, 1);
	otf_end(&archive);
	ph_env_init_malloc(&env);
	if (read_path(&env, archive.anchor, &run) != PH_OK)
		fail_msg("%s", env.error.message);
	assert_int_equal(run.trace->launched.activities, 5);
	assert_int_equal(run.trace->launched.unmatched, 3);
	assert_int_equal(run.trace->launched.reversed, 1);
	check_links(run.trace, &env);
	check_activities(&env, run.trace);
	done(&env, &run);
	otf_remove(&archive);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_streams),
									   cmocka_unit_test(test_launches)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
