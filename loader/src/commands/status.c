/*
 * status.c - perfhouse status: the server, the warehouse in figures, the last loads.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>

#include "cli/json_out.h"
#include "cli/text_table.h"
#include "commands/commands.h"
#include "commands/nodes.h"
#include "database/warehouse.h"
#include "queries.h"
#include "system/log.h"

static void
print_embedded(void)
{
	PhEmbedded *embedded;
	if (ph_embedded_find(&embedded) != PH_EXIT_OK)
		return;
	struct statvfs disk;
	printf("server       embedded, process %ld\n", (long) ph_embedded_pid(embedded));
	printf("home         %s\n", ph_embedded_home(embedded));
	printf("log          %s\n", ph_embedded_log(embedded));
	if (statvfs(ph_embedded_cluster(embedded), &disk) == 0)
		printf("disk         %.1f GB free\n",
			   (double) disk.f_bavail * (double) disk.f_frsize / 1e9);
	ph_embedded_free(embedded);
}

static void
print_figures(const PhResult *row)
{
	printf("runs         %s ready", ph_result_text(row, 0, ph_result_field(row, "ready")));
	if (ph_result_int(row, 0, ph_result_field(row, "unfinished")) > 0)
		printf(", %s unfinished (perfhouse doctor)",
			   ph_result_text(row, 0, ph_result_field(row, "unfinished")));
	if (ph_result_int(row, 0, ph_result_field(row, "excluded")) > 0)
		printf(", %s excluded", ph_result_text(row, 0, ph_result_field(row, "excluded")));
	printf(", of %s applications\n", ph_result_text(row, 0, ph_result_field(row, "applications")));
	printf("dictionary   %s call paths, %s regions\n",
		   ph_result_text(row, 0, ph_result_field(row, "callpaths")),
		   ph_result_text(row, 0, ph_result_field(row, "regions")));
	printf("size         %s\n", ph_result_text(row, 0, ph_result_field(row, "size")));
	printf("versions     perfhouse %s, extension %s, tables %s, PostgreSQL %s\n", PH_VERSION,
		   ph_result_text(row, 0, ph_result_field(row, "extension")),
		   ph_result_text(row, 0, ph_result_field(row, "schema")),
		   ph_result_text(row, 0, ph_result_field(row, "server")));
}

static void
print_nodes(const PhNodeCount *count)
{
	if (count->n_workers == 0)
		return;
	printf("nodes        %zu workers with %zu parts of tables", count->n_workers, count->n_shards);
	if (count->n_silent > 0)
		printf(", %zu %s not answer (perfhouse doctor)", count->n_silent,
			   count->n_silent == 1 ? "does" : "do");
	printf("\n");
}

static PhExit
print_loads(PhConnection *connection)
{
	PhResult *rows = ph_pq_query(connection, ph_sql_status_loads, NULL, 0);
	if (rows == NULL)
		return ph_pq_log_error(connection, "the last loads could not be read");
	PhTextTable *table = ph_table_new();
	static const char *const titles[] = {"at", "outcome", "run", "source", "message"};
	for (size_t field = 0; field < 5; field++)
		ph_table_column(table, titles[field], field == 2 ? PH_ALIGN_RIGHT : PH_ALIGN_LEFT,
						field == 3 ? 50 : 60);
	for (size_t row = 0; row < ph_result_count(rows); row++)
	{
		for (size_t field = 0; field < 5; field++)
			ph_table_cell(table, ph_result_text(rows, row, field));
	}
	if (ph_result_count(rows) > 0)
	{
		printf("\nlast loads\n");
		ph_table_print(table, stdout, 2);
	}
	ph_table_free(table);
	ph_result_free(rows);
	return PH_EXIT_OK;
}

static void
print_json(const PhResult *row, const PhNodeCount *nodes)
{
	static const char *const counts[] = {"ready",	  "unfinished", "excluded", "applications",
										 "callpaths", "regions",	"bytes",	"schema"};
	PhJsonOut json;

	ph_json_begin(&json, stdout);
	ph_json_open_object(&json, NULL);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		ph_json_put_integer(&json, counts[i],
							ph_result_int(row, 0, ph_result_field(row, counts[i])));
	if (nodes->n_workers > 0)
	{
		ph_json_put_integer(&json, "workers", (int64_t) nodes->n_workers);
		ph_json_put_integer(&json, "silent_workers", (int64_t) nodes->n_silent);
	}
	ph_json_put_text(&json, "perfhouse", PH_VERSION);
	ph_json_put_text(&json, "extension", ph_result_text(row, 0, ph_result_field(row, "extension")));
	ph_json_put_text(&json, "server", ph_result_text(row, 0, ph_result_field(row, "server")));
	ph_json_close(&json);
	(void) ph_json_done_line(&json);
}

static PhExit
print_status(PhArguments *arguments, PhConnection *connection)
{
	PhNodeCount nodes;
	PhExit code = ph_nodes_look(connection, &nodes, NULL, NULL);
	if (code != PH_EXIT_OK)
		return code;
	PhResult *row = ph_pq_query(connection, ph_sql_status_warehouse, NULL, 0);
	if (row == NULL)
		return ph_pq_log_error(connection, "the warehouse could not be read");
	if (ph_cli_flag(arguments, "json"))
		print_json(row, &nodes);
	else
	{
		char *where = ph_pq_describe(connection);
		printf("warehouse    %s\n", where);
		free(where);
		if (ph_warehouse_is_embedded(ph_cli_db(arguments)))
			print_embedded();
		print_figures(row);
		print_nodes(&nodes);
		code = print_loads(connection);
	}
	ph_result_free(row);
	return code;
}

static PhExit
run_status(PhArguments *arguments)
{
	PhConnection *connection;
	PhExit code = ph_warehouse_open(ph_cli_db(arguments), PH_OPEN_READY, &connection);
	if (code != PH_EXIT_OK)
		return code;
	code = print_status(arguments, connection);
	ph_pq_close(connection);
	return code;
}

static const PhParameter options[] = {{.name = "json", .help = "print one JSON object"},
									  {.name = NULL}};

const PhCommand ph_command_status = {.name = "status",
									 .help = "the server, the warehouse in figures, the last loads",
									 .usage = "[OPTION]...",
									 .options = options,
									 .uses_database = true,
									 .run = run_status};
