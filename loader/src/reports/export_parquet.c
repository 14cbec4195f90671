/*
 * export_parquet.c - Parquet, by the Python package.
 *
 * Debian 12 has no Arrow library, and pyarrow is where the Python package is: the rows are written
 * as Arrow, and it makes Parquet of them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/export_parquet.h"

#include <stdio.h>
#include <stdlib.h>

#include "system/log.h"
#include "system/process.h"

static const char *
interpreter(void)
{
	const char *named = getenv("PERFHOUSE_PYTHON");

	return named != NULL && named[0] != '\0' ? named : "python3";
}

/* Its exit status; what it says goes where our errors go. */
static int
run_python(const char *const *argv)
{
	pid_t child;
	FILE *output = ph_process_open(argv, &child);

	return output != NULL ? ph_process_close(output, child) : 127;
}

PhExit
ph_export_parquet_ready(void)
{
	/* the package itself takes half a second to import */
	const char *const argv[] = {
		"/usr/bin/env", interpreter(), "-c",
		"import importlib.util as u, sys; "
		"sys.exit(not (u.find_spec('perfhouse') and u.find_spec('pyarrow')))",
		NULL};

	if (run_python(argv) == 0)
		return PH_EXIT_OK;
	ph_log_error("Parquet is written by the Python package, which %s does not have", interpreter());
	ph_log_hint("Install it (pip install ./python), or name an interpreter that has it in "
				"PERFHOUSE_PYTHON; --format arrow needs neither.");
	return PH_EXIT_UNSUPPORTED;
}

PhExit
ph_export_parquet(const char *arrow, const char *parquet)
{
	const char *const argv[] = {"/usr/bin/env", interpreter(), "-m", "perfhouse.parquet",
								arrow,			parquet,	   NULL};
	int status = run_python(argv);

	if (status == 0)
		return PH_EXIT_OK;
	ph_log_error("%s ended with %d before the Parquet file was written", interpreter(), status);
	return PH_EXIT_ERROR;
}
