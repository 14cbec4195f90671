/*
 * server.c - perfhouse init, up, down: make, start and stop the warehouse.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>

#include "commands/commands.h"
#include "database/warehouse.h"
#include "queries.h"
#include "system/log.h"
#include "texts.h"

/* Only its owner makes and upgrades a warehouse. Others hear that nothing was to be done, and what
 * they are there for. */
static PhExit
say_ready(PhConnection *connection)
{
	PhResult *row = ph_pq_query(connection, ph_sql_doctor_rights, NULL, 0);
	char *where;

	if (row == NULL)
		return ph_pq_log_error(connection, NULL);
	where = ph_pq_describe(connection);
	if (ph_result_bool(row, 0, ph_result_field(row, "gives_grants")))
		printf("the warehouse is ready: %s\n", where);
	else
		printf("nothing was to be done: %s is ready to be read%s\n", where,
			   ph_result_bool(row, 0, ph_result_field(row, "changes_runs")) ? " and loaded into"
																			: "");
	free(where);
	ph_result_free(row);
	return PH_EXIT_OK;
}

static PhExit
run_init(PhArguments *arguments)
{
	PhConnection *connection;
	PhExit code = ph_warehouse_open(ph_cli_db(arguments), PH_OPEN_CONNECT, &connection);
	if (code != PH_EXIT_OK)
		return code;
	PhSpread spread = {.n_shards = ph_cli_integer(arguments, "shards", 0)};
	bool distributed = ph_cli_flag(arguments, "distributed") || spread.n_shards > 0;
	code = ph_warehouse_init(connection, distributed ? &spread : NULL, false);
	if (code == PH_EXIT_OK)
		code = say_ready(connection);
	ph_pq_close(connection);
	return code;
}

static const PhParameter init_options[] = {
	{.name = "distributed", .help = "spread the warehouse over the nodes of a Citus database"},
	{.name = "shards",
	 .type = PH_PARAMETER_INTEGER,
	 .value = "N",
	 .least = 1,
	 .most = 1024,
	 .help = "the same, in so many parts when it is not spread yet (default: 32)"},
	{0}};

const PhCommand ph_command_init = {
	.name = "init",
	.help = "create or upgrade the warehouse: extension, tables, views, roles",
	.usage = "[OPTION]...",
	.details = ph_help_init,
	.options = init_options,
	.uses_database = true,
	.run = run_init};

/* What a shell evaluates, so that PostgreSQL's own programs reach the server. */
static void
print_exports(const PhEmbedded *embedded)
{
	char *folder = ph_embedded_socket_folder(embedded);
	/* a quote in the path ends the quoted text, stands alone and starts it again */
	fputs("export PGHOST='", stdout);
	for (const char *at = folder; *at != '\0'; at++)
		fputs(*at == '\'' ? "'\\''" : (char[]){*at, '\0'}, stdout);
	printf("' PGPORT=5432 PGUSER=%s PGDATABASE=%s\n", PH_EMBEDDED_USER, PH_EMBEDDED_DATABASE);
	free(folder);
}

/* The server serves whoever reaches it, so its warehouse should be this program's. */
static PhExit
renew_embedded(const PhEmbedded *embedded)
{
	char *conninfo = ph_embedded_conninfo(embedded);
	PhConnection *connection;
	PhExit code = ph_pq_connect(&connection, conninfo, "perfhouse")
					  ? ph_warehouse_renew(connection)
					  : ph_pq_log_error(connection, "the embedded server");
	ph_pq_close(connection);
	free(conninfo);
	return code;
}

static PhExit
run_up(PhArguments *arguments)
{
	PhEmbedded *embedded;
	PhExit code = ph_embedded_find(&embedded);
	if (code != PH_EXIT_OK)
		return code;
	code = ph_embedded_start(embedded);
	if (code == PH_EXIT_OK && ph_cli_flag(arguments, "export"))
		print_exports(embedded);
	else if (code == PH_EXIT_OK)
	{
		char *conninfo = ph_embedded_conninfo(embedded);
		printf("the embedded server runs: %s\n", conninfo);
		free(conninfo);
	}
	if (code == PH_EXIT_OK)
		code = renew_embedded(embedded);
	ph_embedded_free(embedded);
	return code;
}

static const PhParameter up_options[] = {
	{.name = "export", .help = "print shell commands that set PGHOST and so on"}, {0}};

const PhCommand ph_command_up = {
	.name = "up",
	.help = "start the embedded server (other commands start it by themselves)",
	.usage = "[--export]",
	.details = ph_help_up,
	.options = up_options,
	.run = run_up};

static PhExit
run_down(PhArguments *arguments)
{
	(void) arguments;
	PhEmbedded *embedded;
	bool was_running;
	PhExit code = ph_embedded_find(&embedded);
	if (code != PH_EXIT_OK)
		return code;
	code = ph_embedded_stop(embedded, &was_running);
	if (code == PH_EXIT_OK)
		printf(was_running ? "the embedded server is stopped; its data stays in %s\n"
						   : "no embedded server runs for %s\n",
			   ph_embedded_home(embedded));
	ph_embedded_free(embedded);
	return code;
}

const PhCommand ph_command_down = {
	.name = "down", .help = "stop the embedded server", .usage = "", .run = run_down};
