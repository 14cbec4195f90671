/*
 * absent_otf2.c - export_otf2.h in builds without libotf2: it says so.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/export_otf2.h"
#include "system/log.h"

PhExit
ph_export_otf2(PhConnection *connection, int64_t run_id, const char *folder)
{
	(void) connection;
	(void) run_id;
	ph_log_error("%s: OTF2 is written by libotf2, which this perfhouse was built without", folder);
	ph_log_hint("Build perfhouse where pkg-config finds it, or write csv or chrome.");
	return PH_EXIT_UNSUPPORTED;
}
