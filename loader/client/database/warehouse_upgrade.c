/*
 * warehouse_upgrade.c - make what perfhouse needs in a database, or bring that of an older build up
 * to this one.
 *
 * Replacing functions and views in place keeps everything that uses them. Where that is impossible
 * (a function returns other columns than before) what can be dropped is dropped and made again;
 * what people's own objects use stays, and is an error when it had to change.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "database/warehouse_internal.h"

#include <stdlib.h>
#include <string.h>

#include "system/log.h"
#include "system/memory.h"

/* Passes over what can be dropped: each frees more, until nothing is left to free. */
#define MOST_PASSES 20

/* ---- extension ---- */

/* The server's own words for an extension that it does not have are worth a hint of ours. */
static bool
explain_missing(PhConnection *connection)
{
	const char *state = connection->error.sqlstate;
	if (strcmp(state, "0A000") != 0 && strcmp(state, "58P01") != 0 && strcmp(state, "22023") != 0)
		return false;
	char message[sizeof(connection->error.message)];
	memcpy(message, connection->error.message, sizeof(message));
	return ph_pq_fail(
		connection, PH_EXIT_EXTENSION,
		"Run make install of this version on the server's machine (as root), then perfhouse "
		"init again.",
		"the extension perfhouse %s is not installed on the server: %s", PH_VERSION, message);
}

static bool
change_extension(PhConnection *connection, WarehouseState *state, const char *script)
{
	WarehouseState now;
	if (!ph_pq_script(connection, script))
		return explain_missing(connection);
	if (!ph_warehouse_read_state(connection, &now))
		return false;
	memcpy(state->created, now.created, sizeof(state->created));
	memcpy(state->build, now.build, sizeof(state->build));
	return true;
}

static bool
is_this_build(const WarehouseState *state)
{
	return strcmp(state->created, PH_VERSION) == 0 && strcmp(state->build, ph_extension_build) == 0;
}

static bool
make_extension(PhConnection *connection, WarehouseState *state, bool quiet)
{
	bool fresh = state->created[0] == '\0';
	if (is_this_build(state))
		return true;
	if (!quiet)
		ph_log_info("%s extension %s", fresh ? "creating" : "upgrading to", PH_VERSION);
	if (strcmp(state->created, PH_VERSION) != 0 &&
		!change_extension(connection, state,
						  fresh ? "CREATE EXTENSION perfhouse VERSION '" PH_VERSION "'"
								: "ALTER EXTENSION perfhouse UPDATE TO '" PH_VERSION "'"))
		return false;
	if (!fresh && !is_this_build(state) &&
		!change_extension(connection, state,
						  "ALTER EXTENSION perfhouse UPDATE TO 'renewing'; "
						  "ALTER EXTENSION perfhouse UPDATE TO '" PH_VERSION "'"))
		return false;
	if (is_this_build(state))
		return true;
	return ph_pq_fail(
		connection, PH_EXIT_EXTENSION,
		"Run make install of this program's checkout on the server's machine (as root), then "
		"perfhouse init again.",
		"the extension perfhouse %s that is installed on the server is of another build than this "
		"program",
		PH_VERSION);
}

/* ---- tables, views and functions ---- */

/* The text of all definitions, for queries that look for the names in it. malloc'ed. */
static char *
definitions_text(void)
{
	size_t length = 1;
	for (size_t i = 0; i < ph_n_migrations; i++)
		length += ph_migrations[i].is_definition ? strlen(ph_migrations[i].sql) : 0;
	char *text = ph_must_alloc(length, 1);
	char *at = text;
	for (size_t i = 0; i < ph_n_migrations; i++)
	{
		size_t size = ph_migrations[i].is_definition ? strlen(ph_migrations[i].sql) : 0;
		memcpy(at, ph_migrations[i].sql, size);
		at += size;
	}
	*at = '\0';
	return text;
}

static bool
apply_migration(PhConnection *connection, const PhMigration *migration, bool quiet)
{
	PhParam params[3] = {ph_param_int(migration->version), ph_param_text(migration->name),
						 ph_param_text(migration->checksum)};
	if (!quiet)
		ph_log_info("applying %s", migration->name);
	return ph_pq_script(connection, migration->sql) &&
		   ph_pq_execute(connection, ph_sql_warehouse_schema_record, params, 3);
}

/* Runs every statement that the query finds; the query's parameters as given. */
static bool
run_found(PhConnection *connection, const char *query, const PhParam *params, int n_params)
{
	PhResult *rows = ph_pq_query(connection, query, params, n_params);
	bool ok = rows != NULL;
	for (size_t row = 0; ok && row < ph_result_count(rows); row++)
		ok = ph_pq_script(connection, ph_result_text(rows, row, 0));
	ph_result_free(rows);
	return ok;
}

/* Every definition anew, because they may speak of new tables and of each other. */
static bool
apply_definitions(PhConnection *connection, bool quiet)
{
	int last = 0;
	for (size_t i = 0; i < ph_n_migrations; i++)
	{
		if (!ph_migrations[i].is_definition)
			continue;
		last = ph_migrations[i].version;
		if (!apply_migration(connection, &ph_migrations[i], quiet))
			return false;
	}
	char *text = definitions_text();
	PhParam params[2] = {ph_param_text(text), ph_param_int(last)};
	bool ok = run_found(connection, ph_sql_warehouse_stale, params, 2);
	free(text);
	return ok;
}

/* Tables that are missing, in order of number. */
static bool
apply_table_steps(PhConnection *connection, const WarehouseState *state, bool quiet)
{
	for (size_t i = 0; i < ph_n_migrations; i++)
	{
		if (!ph_migrations[i].is_definition && !ph_is_applied(state, i) &&
			!apply_migration(connection, &ph_migrations[i], quiet))
			return false;
	}
	return true;
}

static bool
is_current(const WarehouseState *state)
{
	bool current = is_this_build(state) && !state->is_changed;
	for (size_t i = 0; i < ph_n_migrations; i++)
		current = current && ph_is_applied(state, i);
	return current;
}

/* state: as found; a copy, because the attempt may be undone. */
static bool
attempt(PhConnection *connection, WarehouseState state, bool quiet)
{
	return make_extension(connection, &state, quiet) &&
		   ph_pq_execute(connection, ph_sql_warehouse_schema_table, NULL, 0) &&
		   apply_table_steps(connection, &state, quiet) && apply_definitions(connection, quiet);
}

/* ---- what cannot be replaced in place ---- */

/* Drops what a statement names unless something uses it. */
static bool
try_drop(PhConnection *connection, const char *statement, bool *dropped)
{
	if (!ph_pq_script(connection, "SAVEPOINT perfhouse_drop"))
		return false;
	*dropped = ph_pq_script(connection, statement);
	if (!*dropped && connection->error.sqlstate[0] == '\0')
		return false; /* the connection is gone */
	return ph_pq_script(connection, *dropped ? "RELEASE SAVEPOINT perfhouse_drop"
											 : "ROLLBACK TO SAVEPOINT perfhouse_drop");
}

static bool
drop_pass(PhConnection *connection, const PhParam *text, bool *progress)
{
	PhResult *rows = ph_pq_query(connection, ph_sql_warehouse_droppable, text, 1);
	bool ok = rows != NULL;
	*progress = false;
	for (size_t row = 0; ok && row < ph_result_count(rows); row++)
	{
		bool dropped = false;
		ok = try_drop(connection, ph_result_text(rows, row, 0), &dropped);
		*progress |= dropped;
	}
	ph_result_free(rows);
	return ok;
}

static bool
drop_what_is_unused(PhConnection *connection)
{
	char *text = definitions_text();
	PhParam param = ph_param_text(text);
	bool progress = true;
	bool ok = true;
	for (int pass = 0; ok && progress && pass < MOST_PASSES; pass++)
		ok = drop_pass(connection, &param, &progress);
	free(text);
	return ok;
}

/* Names the objects that hold on to the older definitions, if that is what error says. */
static bool
explain_users(PhConnection *connection)
{
	PhPqError error = connection->error;
	char *text = definitions_text();
	PhParam param = ph_param_text(text);
	PhResult *rows = NULL;
	if (ph_pq_script(connection, "ROLLBACK TO SAVEPOINT perfhouse_upgrade"))
		rows = ph_pq_query(connection, ph_sql_warehouse_dependents, &param, 1);
	const char *users = rows != NULL ? ph_result_text(rows, 0, 0) : NULL;
	connection->error = error;
	if (users != NULL && users[0] != '\0')
		ph_pq_fail(
			connection, PH_EXIT_SCHEMA,
			"Keep their definitions (pg_dump, pg_get_viewdef), drop them, run perfhouse init, "
			"and make them again.",
			"these objects use functions or views of the older perfhouse that have to change: "
			"%s (%s)",
			users, error.message);
	ph_result_free(rows);
	free(text);
	return false;
}

/* Errors of definitions that do not fit what is there; not a lack of rights. */
static bool
is_misfit(const PhConnection *connection)
{
	const char *state = connection->error.sqlstate;
	return (strncmp(state, "42", 2) == 0 && strcmp(state, "42501") != 0) ||
		   strcmp(state, "2BP01") == 0;
}

bool
ph_warehouse_upgrade(PhConnection *connection, WarehouseState *state, bool quiet)
{
	if (is_current(state))
		return true;
	if (!ph_pq_script(connection, "SAVEPOINT perfhouse_upgrade"))
		return false;
	if (attempt(connection, *state, quiet))
		return true;
	if (!state->has_tables || state->created[0] == '\0' || !is_misfit(connection))
		return false;
	ph_log_info("what changed cannot be replaced in place (%s): dropping and making it again",
				connection->error.message);
	state->build[0] = '\0'; /* dropped functions are made again whatever the build */
	if (ph_pq_script(connection, "ROLLBACK TO SAVEPOINT perfhouse_upgrade") &&
		drop_what_is_unused(connection) && attempt(connection, *state, true))
		return true;
	return is_misfit(connection) && explain_users(connection);
}
