/*
 * warehouse_nodes.c - a warehouse on several nodes: which of them this is, and how tables get
 * there.
 *
 * Citus spreads tables by run over its workers and copies the others to each. What it is told are
 * its own functions' calls, sent only where the extension citus is there; the warehouse itself is
 * the same everywhere.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "database/warehouse_internal.h"

#include <stdio.h>

/* The transaction of init reaches the shards of a table one after the other, so that what follows
 * in it may touch all of them again. */
#define ONE_AFTER_ANOTHER "SET LOCAL citus.multi_shard_modify_mode = 'sequential'"

bool
ph_warehouse_run_found(PhConnection *connection, const char *query, const PhParam *params,
					   int n_params)
{
	PhResult *rows = ph_pq_query(connection, query, params, n_params);
	bool ok = rows != NULL;
	for (size_t row = 0; ok && row < ph_result_count(rows); row++)
		ok = ph_pq_script(connection, ph_result_text(rows, row, 0));
	ph_result_free(rows);
	return ok;
}

bool
ph_warehouse_refuse_worker(PhConnection *connection, const WarehouseState *state)
{
	char hint[320];
	if (!state->is_worker)
		return true;
	snprintf(hint, sizeof(hint), "Give --db the coordinator%s%s.",
			 state->coordinator[0] != '\0' ? ": " : "", state->coordinator);
	return ph_pq_fail(connection, PH_EXIT_SCHEMA, hint,
					  "this is a worker of a distributed warehouse, which holds parts of it only");
}

/* Without its own address the coordinator has no copies of what every node has, and cannot join
 * them with what lies there alone. */
static bool
refuse_without_nodes(PhConnection *connection, const WarehouseState *state)
{
	if (!state->has_nodes)
		return ph_pq_fail(
			connection, PH_EXIT_EXTENSION,
			"In this database and in that of every worker: CREATE EXTENSION citus; then see "
			"docs/DISTRIBUTED.md.",
			"the database cannot be distributed: the extension citus is missing");
	if (state->coordinator[0] == '\0')
		return ph_pq_fail(
			connection, PH_EXIT_NOT_FOUND, "SELECT citus_set_coordinator_host('ADDRESS', PORT);",
			"the database cannot be distributed: the coordinator was not told its own "
			"address");
	if (state->n_workers == 0)
		return ph_pq_fail(connection, PH_EXIT_NOT_FOUND, "SELECT citus_add_node('ADDRESS', PORT);",
						  "the database cannot be distributed: it has no workers");
	return true;
}

/* Of what failed on workers, the first one: address, port, why. Frees the rows. */
static bool
none_failed(PhConnection *connection, PhResult *rows, const char *what, const char *hint)
{
	bool ok = rows != NULL && ph_result_count(rows) == 0;
	if (rows != NULL && !ok)
		ph_pq_fail(connection, PH_EXIT_EXTENSION, hint, "%s on worker %s port %s: %s", what,
				   ph_result_text(rows, 0, 0), ph_result_text(rows, 0, 1),
				   ph_result_text(rows, 0, 2));
	ph_result_free(rows);
	return ok;
}

/* Roles of another database of the server are not known to the workers. */
static bool
make_roles(PhConnection *connection)
{
	return none_failed(connection, ph_pq_query(connection, ph_sql_warehouse_workers_roles, NULL, 0),
					   "the roles could not be made",
					   "CREATE ROLE perfhouse_reader NOLOGIN there, likewise perfhouse_loader and "
					   "perfhouse_admin.");
}

bool
ph_warehouse_prepare_nodes(PhConnection *connection, const WarehouseState *state,
						   const PhSpread *spread)
{
	return (spread == NULL ||
			(refuse_without_nodes(connection, state) && make_roles(connection))) &&
		   (!state->has_nodes || ph_pq_execute(connection, ONE_AFTER_ANOTHER, NULL, 0));
}

bool
ph_warehouse_spread(PhConnection *connection, const WarehouseState *state, const PhSpread *spread)
{
	PhParam shards =
		spread != NULL && spread->n_shards > 0 ? ph_param_int(spread->n_shards) : ph_param_null();
	if (spread == NULL && !state->is_distributed)
		return true;
	return ph_warehouse_run_found(connection, ph_sql_warehouse_unspread, &shards, 1);
}

bool
ph_warehouse_plan_anew(PhConnection *connection, const WarehouseState *state,
					   const PhSpread *spread)
{
	return (spread == NULL && !state->is_distributed) ||
		   ph_warehouse_run_found(connection, ph_sql_warehouse_plan_anew, NULL, 0);
}

bool
ph_warehouse_renew_workers(PhConnection *connection, const char *script)
{
	PhParam params[] = {ph_param_text(script), ph_param_text(ph_this_build()->build)};

	return none_failed(
		connection, ph_pq_query(connection, ph_sql_warehouse_workers_renew, params, 2),
		"the extension could not be renewed",
		"Run make install of this version there (as root), then perfhouse init again.");
}

/* Citus passes on what creates and updates an extension, not what changes its parts. */
bool
ph_warehouse_renew_nodes(PhConnection *connection, const WarehouseState *state, const char *script)
{
	if (!state->has_nodes)
		return ph_pq_script(connection, script);
	return ph_pq_script(connection, "SET LOCAL citus.enable_ddl_propagation = off") &&
		   ph_pq_script(connection, script) &&
		   ph_pq_script(connection, "SET LOCAL citus.enable_ddl_propagation = on") &&
		   ph_warehouse_renew_workers(connection, script);
}

bool
ph_warehouse_settle_nodes(PhConnection *connection)
{
	PhResult *rows = ph_pq_query(connection, ph_sql_warehouse_nodes_set, NULL, 0);
	bool ok = rows != NULL && ph_result_count(rows) == 0;
	if (rows != NULL && !ok)
		ph_pq_fail(connection, PH_EXIT_UNREACHABLE,
				   "When it is back: perfhouse init --distributed.", "%s could not be set up: %s",
				   ph_result_text(rows, 0, 0), ph_result_text(rows, 0, 1));
	ph_result_free(rows);
	return ok;
}
