/*
 * module.c - the library's entry point: version and settings.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <limits.h>

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/guc.h"

#include "server/compat.h"
#include "server/pgenv.h"

PG_MODULE_MAGIC;

void _PG_init(void);

static char *pages; /* read by SQL: current_setting('perfhouse.pages') */

void
_PG_init(void)
{
	DefineCustomIntVariable("perfhouse.memory_limit",
							"Most memory that one value of type profile or supergraph may need.",
							"Larger ones end with an error instead of exhausting the machine. "
							"Aggregates of profiles may hold as much of their inputs.",
							&ph_memory_limit_kb, 4 * 1024 * 1024, 1024, INT_MAX, PGC_SUSET,
							GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomStringVariable("perfhouse.pages",
							   "Address of perfhouse serve as people's browsers see it.",
							   "Dashboards link to its pages and show its pictures. Set it once "
							   "for the database: ALTER DATABASE ... SET perfhouse.pages.",
							   &pages, "", PGC_USERSET, 0, NULL, NULL, NULL);
	MarkGUCPrefixReserved("perfhouse");
}

PH_FUNCTION(ph_version)
{
	PG_RETURN_TEXT_P(cstring_to_text(PH_VERSION));
}
