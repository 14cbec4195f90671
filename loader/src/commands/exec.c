/*
 * exec.c - perfhouse psql: hands over to psql; perfhouse conninfo: tells other programs where.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"
#include "database/warehouse.h"
#include "system/log.h"
#include "system/memory.h"
#include "system/paths.h"
#include "texts.h"

/* Replace this process; returns only when that fails. */
static PhExit
become(const char *program, const char **argv)
{
	execv(program, (char *const *) (uintptr_t) argv);
	ph_log_error("%s: cannot be started: %s", program, strerror(errno));
	return ph_exit_from_errno(errno);
}

/* The conninfo that psql should use: --db, or the embedded server's; NULL: PG* variables. */
static PhExit
conninfo_for_psql(PhArguments *arguments, char **out)
{
	const char *db = ph_cli_db(arguments);
	*out = ph_strdup(db);
	if (!ph_warehouse_is_embedded(db))
		return PH_EXIT_OK;
	PhConnection *connection;
	PhExit code = ph_warehouse_open(NULL, PH_OPEN_READY, &connection);
	if (code != PH_EXIT_OK)
		return code;
	ph_pq_close(connection);
	PhEmbedded *embedded;
	code = ph_embedded_find(&embedded);
	if (code != PH_EXIT_OK)
		return code;
	*out = ph_embedded_conninfo(embedded);
	ph_embedded_free(embedded);
	return PH_EXIT_OK;
}

static PhExit
run_psql(PhArguments *arguments)
{
	char *conninfo;
	PhExit code = conninfo_for_psql(arguments, &conninfo);
	if (code != PH_EXIT_OK)
		return code;
	char *bindir = ph_embedded_bindir("psql");
	if (bindir == NULL)
	{
		ph_log_error("psql was not found");
		ph_log_hint("Install it: apt-get install postgresql-client-15");
		return PH_EXIT_UNREADABLE;
	}
	char *program = ph_format("%s/psql", bindir);
	size_t n_rest = ph_cli_n_rest(arguments);
	size_t n = 0;
	const char **argv = ph_must_alloc(n_rest + 5, sizeof(*argv));
	argv[n++] = "psql";
	if (conninfo != NULL)
	{
		argv[n++] = "-d";
		argv[n++] = conninfo;
	}
	for (size_t i = 0; i < n_rest; i++)
		argv[n++] = ph_cli_rest(arguments, i);
	/* unless the user has options of his own, names of the warehouse need no schema */
	setenv("PGOPTIONS", "-c search_path=perfhouse,public", 0);
	code = become(program, argv);
	free(argv);
	free(program);
	free(bindir);
	free(conninfo);
	return code;
}

/* PG* variables mean what libpq makes of them; a password is not among what is printed. */
static PhExit
print_place(void)
{
	PhConnection *connection;
	PhExit code = ph_warehouse_open(NULL, PH_OPEN_READY, &connection);

	if (code != PH_EXIT_OK)
		return code;
	printf("host='%s' port='%s' dbname='%s' user='%s'\n", PQhost(connection->pq),
		   PQport(connection->pq), PQdb(connection->pq), PQuser(connection->pq));
	ph_pq_close(connection);
	return PH_EXIT_OK;
}

static PhExit
run_conninfo(PhArguments *arguments)
{
	char *conninfo;
	PhExit code = conninfo_for_psql(arguments, &conninfo);

	if (code != PH_EXIT_OK)
		return code;
	if (conninfo == NULL)
		return print_place();
	puts(conninfo);
	free(conninfo);
	return PH_EXIT_OK;
}

const PhCommand ph_command_conninfo = {.name = "conninfo",
									   .help = "print how other programs connect to the warehouse",
									   .usage = "",
									   .details = ph_help_conninfo,
									   .max_arguments = 0,
									   .uses_database = true,
									   .run = run_conninfo};

const PhCommand ph_command_psql = {.name = "psql",
								   .help = "open psql on the warehouse",
								   .usage = "[OPTION]... [[--] PSQL-ARGUMENT...]",
								   .details = ph_help_psql,
								   .max_arguments = 0,
								   .uses_database = true,
								   .passes_rest = true,
								   .run = run_psql};
