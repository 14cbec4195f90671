/*
 * projections_run.h - what the fuzz targets of Projections share: read a run of lent files to its
 * last event, and check that what comes out fits together.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_FUZZ_PROJECTIONS_RUN_H
#define PH_FUZZ_PROJECTIONS_RUN_H

#include <stdlib.h>

#include "options.h"
#include "readers/projections/projections.h"
#include "task_events.h"

static inline void
fuzz_read_run(PhInput *sts, const PhInput *logs, uint32_t n_logs)
{
	PhEnv env;
	PhRunInput run;
	PhReadOptions options = fuzz_options(logs[0].size);

	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 256 << 20;
	if (ph_read_projections(&env, sts, logs, n_logs, &options, &run) == PH_OK)
	{
		fuzz_read_events(&env, run.trace);
		ph_run_input_free(&env, &run);
	}
	else if (env.error.message[0] == '\0')
		abort();
	if (env.bytes != 0)
		abort(); /* something was not given back */
}

/* Definitions of everything that logs can refer to. */
/* clang-format off */
#define FUZZ_DEFINITIONS(version, dimensions)                                                      \
	"PROJECTIONS_ID \nVERSION " version "\nTOTAL_PAPI_EVENTS 2\nPAPI_EVENT 0 A\nPAPI_EVENT 1 B\n"  \
	"PROCESSORS 2\nSMPMODE 2 1\n"                                                                  \
	"CHARE 0 \"dummy_thread_chare\"" dimensions(-1) "CHARE 1 \"CkArray\"" dimensions(-1)           \
	"CHARE 2 \"CkReductionMgr\"" dimensions(-1) "CHARE 3 \"A\"" dimensions(1)                      \
	"CHARE 4 \"B\"" dimensions(3) "CHARE 5 \"C\"" dimensions(6)                                    \
	"ENTRY CHARE 0 \"dummy_thread_ep\" 0 0\nENTRY CHARE 1 \"recvBroadcast(CkMessage* m)\" 1 0\n"   \
	"ENTRY CHARE 2 \"RecvMsg(CkReductionMsg* m)\" 2 0\nENTRY CHARE 3 \"A_serial_0\" 3 0\n"         \
	"ENTRY CHARE 4 \"go(int x)\" 3 0\nENTRY CHARE 5 \"go()\" 4 0\nENTRY CHARE 6 \"go()\" 5 0\n"    \
	"EVENT 7 work\nEVENT 8 more work\nSTAT 1 residual\nEND\n"
/* clang-format on */
#define FUZZ_WITH_DIMENSIONS(n) " " #n "\n"
#define FUZZ_WITHOUT(n) "\n"

/* Definitions of a version that a byte chooses. */
static inline PhInput
fuzz_definitions(uint8_t which)
{
	static const char eleven[] = FUZZ_DEFINITIONS("11.0", FUZZ_WITH_DIMENSIONS);
	static const char nine[] = FUZZ_DEFINITIONS("9.0", FUZZ_WITH_DIMENSIONS);
	static const char seven[] = FUZZ_DEFINITIONS("7.0", FUZZ_WITHOUT);

	if (which % 4 == 1)
		return ph_input_lend("run.sts", nine, sizeof(nine) - 1);
	if (which % 4 == 2)
		return ph_input_lend("run.sts", seven, sizeof(seven) - 1);
	return ph_input_lend("run.sts", eleven, sizeof(eleven) - 1);
}

#endif
