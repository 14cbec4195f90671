/*
 * test_export_otf2_records.c - every record that the reader of OTF2 knows can be written, and comes
 * back.
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

#include "readers/otf2/archive.h"
#include "reports/export_otf2_records.h"
#include "support/otf2.h"

#define N_RECORDS (PH_RECORD_COUNT - 1)

/* Of record r: the first value refers to a communicator, a region or a string, number 0 of each. */
static const uint64_t values[] = {0, 1, 2, 3};

static void
write_record(OTF2_EvtWriter *out, uint32_t record, PhOtf2References *references)
{
	OTF2_ErrorCode code = OTF2_ERROR_INVALID;
	PhOtf2OutEvent event = {.kind = ph_event_name(PH_EVENT_OTHER, record),
							.time = record,
							.bytes = 4096,
							.request = 9,
							.comm = 1,
							.n_values = 4,
							.values = values};

	if (!ph_otf2_export_record(out, &event, references, &code) || code != OTF2_SUCCESS)
		fail_msg("%s is not written", event.kind);
}

static void
write_archive(OtfArchive *archive, PhOtf2References *references)
{
	static const uint64_t location = 0;

	otf_begin(archive);
	for (uint32_t record = 1; record <= N_RECORDS; record++)
		write_record(otf_events(archive, 0), record, references);
	otf_begin_definitions(archive, 1000000000, 0);
	otf_process(archive, 0, 0, N_RECORDS);
	otf_world(archive, &location, 1);
	otf_region(archive, 0, 0, OTF2_PARADIGM_USER);
	OTF2_GlobalDefWriter_WriteRmaWin(archive->definitions, 1, 0, 0, OTF2_RMA_WIN_FLAG_NONE);
	OTF2_GlobalDefWriter_WriteCallingContext(archive->definitions, 0, 0,
											 OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
											 OTF2_UNDEFINED_CALLING_CONTEXT);
	otf_end(archive);
}

static void
check(const OtfEvent *read, uint32_t record)
{
	const PhEvent *event = &read->event;

	assert_string_equal(ph_event_name(event->kind, event->operation),
						ph_event_name(PH_EVENT_OTHER, record));
	assert_int_equal(event->time, record - 1);
	if (record == PH_RECORD_RMA_GROUP_SYNC) /* group 1 is that of communicator 0 */
	{
		assert_int_equal(event->n_values, 3);
		assert_int_equal(read->values[1], 1);
		assert_int_equal(read->values[2], 0);
	}
	for (uint32_t i = 0; i < event->n_values && record != PH_RECORD_RMA_GROUP_SYNC; i++)
		assert_int_equal(read->values[i], values[i]);
	if (event->kind == PH_EVENT_RMA && record != PH_RECORD_RMA_COLLECTIVE_BEGIN)
		assert_int_equal(event->comm, 1);
	if (event->request != 0)
		assert_int_equal(event->request, 9);
	if (event->bytes != 0)
		assert_int_equal(event->bytes, 4096);
}

static void
records_come_back(void **state)
{
	static OtfEvent events[PH_RECORD_COUNT];
	PhOtf2References references = {0};
	PhOtf2Archive *opened;
	PhTraceCounts counts = {0};
	OtfArchive archive;
	PhRunInput run = {0};
	PhEnv env;

	(void) state;
	ph_env_init_malloc(&env);
	write_archive(&archive, &references);
	assert_int_equal(ph_otf2_archive_open(&env, archive.anchor, &run, &opened), PH_OK);
	assert_int_equal(ph_otf2_archive_settle(opened, PH_OFFSETS_AUTO), PH_OK);
	assert_int_equal(otf_read(&env, &opened->source, 0, &counts, events, PH_RECORD_COUNT),
					 N_RECORDS);
	for (uint32_t record = 1; record <= N_RECORDS; record++)
		check(&events[record - 1], record);
	assert_int_equal(references.n_contexts, 1);
	assert_int_equal(references.n_strings, 3); /* of a program and its arguments */
	free(references.strings);
	ph_run_input_free(&env, &run);
	ph_otf2_archive_free(&env, opened);
	assert_int_equal(env.bytes, 0);
	otf_remove(&archive);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(records_come_back)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
