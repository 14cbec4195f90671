/*
 * test_otf2_windows.c - with whom epochs of windows are, as an archive tells it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "readers/otf2/archive.h"
#include "support/otf2.h"

/* Epochs are with a group: the communicator that has it, one made of it, or nobody knows whom. */
static void
knows_with_whom_epochs_are(void **state)
{
	static const uint64_t locations[] = {0, 1, 2};
	static const uint64_t some[] = {2, 0};
	static const uint32_t groups[] = {1, 2, 3, OTF2_UNDEFINED_GROUP};
	static OtfEvent e[4];
	PhTraceCounts counts = {0};
	OtfArchive archive;
	PhOtf2Archive *opened;
	PhRunInput run = {0};
	PhEnv env;
	const PhTraceModel *model;

	(void) state;
	ph_env_init_malloc(&env);
	otf_begin(&archive);
	for (uint32_t i = 0; i < 4; i++)
		OTF2_EvtWriter_RmaGroupSync(otf_events(&archive, 0), NULL, i, OTF2_RMA_SYNC_LEVEL_PROCESS,
									9, groups[i]);
	for (uint32_t i = 1; i < 3; i++)
		OTF2_EvtWriter_RmaWinCreate(otf_events(&archive, i), NULL, i, 9);
	otf_begin_definitions(&archive, 1000000000, 0);
	for (uint32_t i = 0; i < 3; i++)
		otf_process(&archive, i, i, i == 0 ? 4 : 1);
	otf_world(&archive, locations, 3);
	OTF2_GlobalDefWriter_WriteGroup(archive.definitions, 2, 0, OTF2_GROUP_TYPE_COMM_GROUP,
									OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, some);
	OTF2_GlobalDefWriter_WriteRmaWin(archive.definitions, 9, 0, 0, OTF2_RMA_WIN_FLAG_NONE);
	otf_end(&archive);
	assert_int_equal(ph_otf2_archive_open(&env, archive.anchor, &run, &opened), PH_OK);
	assert_int_equal(ph_otf2_archive_settle(opened, PH_OFFSETS_AUTO), PH_OK);
	model = &opened->source.model;
	assert_int_equal(model->n_communicators, 3);
	assert_int_equal(model->communicators[1].n_members, 2);
	assert_int_equal(model->communicators[1].members[0], 2);
	assert_int_equal(otf_read(&env, &opened->source, 0, &counts, e, 4), 4);
	for (uint32_t i = 0; i < 4; i++)
	{
		assert_int_equal(e[i].event.comm, 2);
		assert_int_equal(e[i].values[1], groups[i]);
		assert_int_equal(e[i].event.n_values, i < 2 ? 3 : 2);
		if (i < 2)
			assert_int_equal(e[i].values[2], i);
	}
	ph_run_input_free(&env, &run);
	ph_otf2_archive_free(&env, opened);
	assert_int_equal(env.bytes, 0);
	otf_remove(&archive);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(knows_with_whom_epochs_are)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
