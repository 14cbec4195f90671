/*
 * test_data.h - where tests find their data. Include after cmocka.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SUPPORT_TEST_DATA_H
#define PH_SUPPORT_TEST_DATA_H

#include <math.h>
#include <unistd.h>

#define DATA PH_SOURCE_DIR "/tests/data/profiles/"
#define TOOLS PH_SOURCE_DIR "/tests/data/tools/"
#define SHARED PH_SOURCE_DIR "/../shared"

/* Oracles and peers' samples are not part of the repository. */
static inline void
skip_without_shared(void)
{
	if (access(SHARED "/oracle/README.md", R_OK) == 0)
		return;
	print_message("skipped: " SHARED " is absent\n");
	skip();
}

#endif
