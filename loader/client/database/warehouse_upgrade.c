/*
 * warehouse_upgrade.c - make what perfhouse needs in a database, or bring that of an older build up
 * to this one.
 *
 * The extension goes from version to version by ALTER EXTENSION. Builds of one version differ while
 * it is made, and PostgreSQL knows no way between them: such a build is first renewed, to the
 * release of its version or to this program's own build.
 *
 * Replacing functions and views in place keeps everything that uses them. Where that is impossible
 * (a function returns other columns than before) the warehouse's views and functions are dropped
 * first and made again; what people's own objects use stays, and is an error when it had to change.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "database/warehouse_internal.h"

#include <stdlib.h>
#include <string.h>

#include "system/log.h"
#include "system/memory.h"

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

/* Another build of a version becomes the one that this program knows. */
static bool
renew_extension(PhConnection *connection, const WarehouseState *state, bool quiet)
{
	const PhExtensionBuild *known = ph_find_build(state->created);
	if (known == NULL || strcmp(known->build, state->build) == 0)
		return true;
	if (!quiet)
		ph_log_info("renewing extension %s, which is of another build", state->created);
	return ph_warehouse_renew_nodes(connection, state, known->renewal) ||
		   explain_missing(connection);
}

/* From the version that is created here to this program's. */
static bool
make_extension(PhConnection *connection, const WarehouseState *state, bool quiet)
{
	bool fresh = state->created[0] == '\0';
	if (strcmp(state->created, PH_VERSION) == 0)
		return true;
	if (!quiet)
		ph_log_info("%s extension %s", fresh ? "creating" : "upgrading to", PH_VERSION);
	return ph_pq_script(connection, fresh ? "CREATE EXTENSION perfhouse VERSION '" PH_VERSION "'"
										  : "ALTER EXTENSION perfhouse UPDATE TO '" PH_VERSION
											"'") ||
		   explain_missing(connection);
}

static bool
is_this_build(const WarehouseState *state)
{
	return strcmp(state->created, PH_VERSION) == 0 &&
		   strcmp(state->build, ph_this_build()->build) == 0;
}

/* The scripts on the server's machine may be of another build than this program. */
static bool
check_installed(PhConnection *connection)
{
	WarehouseState state;
	bool ok = ph_warehouse_read_state(connection, &state);
	bool is_ours = ok && is_this_build(&state);
	ph_warehouse_free_state(&state);
	if (!ok || is_ours)
		return ok;
	return ph_pq_fail(
		connection, PH_EXIT_EXTENSION,
		"Run make install of this program's checkout on the server's machine (as root), then "
		"perfhouse init again.",
		"the extension perfhouse %s that is installed on the server is of another build than this "
		"program",
		PH_VERSION);
}

/* Where it is what it should be here, a worker that joined later may have another one. */
static bool
bring_extension(PhConnection *connection, const WarehouseState *state, const PhSpread *spread,
				bool quiet)
{
	if (is_this_build(state))
		return spread == NULL || ph_warehouse_renew_workers(connection, ph_this_build()->renewal);
	return (renew_extension(connection, state, quiet) && make_extension(connection, state, quiet) &&
			check_installed(connection));
}

/* ---- tables, views and functions ---- */

/* Appends text, and returns the new end. */
static char *
append(char *at, const char *text)
{
	size_t length = strlen(text);
	memcpy(at, text, length);
	at[length] = '\0';
	return at + length;
}

/* The text of all definitions and then that of more, for queries that look for the names in it.
 * malloc'ed. */
static char *
definitions_text(const char *more)
{
	size_t length = strlen(more) + 1;
	for (size_t i = 0; i < ph_n_migrations; i++)
		length += ph_migrations[i].is_definition ? strlen(ph_migrations[i].sql) : 0;
	char *text = ph_must_alloc(length, 1);
	char *at = text;
	for (size_t i = 0; i < ph_n_migrations; i++)
		at = append(at, ph_migrations[i].is_definition ? ph_migrations[i].sql : "");
	append(at, more);
	return text;
}

/* One line; what each file is, -v tells. */
static void
say_steps(const WarehouseState *state)
{
	size_t n_tables = 0, n_definitions = 0;
	for (size_t i = 0; i < ph_n_migrations; i++)
	{
		const PhMigration *migration = &ph_migrations[i];
		n_definitions += migration->is_definition;
		n_tables += !migration->is_definition && !ph_is_applied(state, migration);
	}
	ph_log_info("applying %zu files of tables, %zu of views and functions", n_tables,
				n_definitions);
}

static bool
apply_migration(PhConnection *connection, const PhMigration *migration)
{
	PhParam params[3] = {ph_param_int(migration->version), ph_param_text(migration->name),
						 ph_param_text(migration->checksum)};
	ph_log_debug("applying %s", migration->name);
	return ph_pq_script(connection, migration->sql) &&
		   ph_pq_execute(connection, ph_sql_warehouse_schema_record, params, 3);
}

/* Machinery that was in schema perfhouse goes to perfhouse_internal as it is. */
static bool
move_machinery(PhConnection *connection)
{
	char *text = definitions_text("");
	PhParam param = ph_param_text(text);
	bool ok = ph_warehouse_run_found(connection, ph_sql_warehouse_moved, &param, 1);
	free(text);
	return ok;
}

static bool
drop_stale(PhConnection *connection)
{
	char *text = definitions_text("");
	PhParam params[2] = {ph_param_text(text), ph_param_text(ph_released_definitions)};
	bool ok = ph_warehouse_run_found(connection, ph_sql_warehouse_stale, params, 2);
	free(text);
	return ok;
}

/* Every definition anew, because they may speak of new tables and of each other. */
static bool
apply_definitions(PhConnection *connection)
{
	if (!move_machinery(connection))
		return false;
	for (size_t i = 0; i < ph_n_migrations; i++)
	{
		if (ph_migrations[i].is_definition && !apply_migration(connection, &ph_migrations[i]))
			return false;
	}
	return drop_stale(connection);
}

/* Tables that are missing, in order of number. */
static bool
apply_table_steps(PhConnection *connection, const WarehouseState *state)
{
	for (size_t i = 0; i < ph_n_migrations; i++)
	{
		const PhMigration *migration = &ph_migrations[i];
		if (!migration->is_definition && !ph_is_applied(state, migration) &&
			!apply_migration(connection, migration))
			return false;
	}
	return true;
}

static bool
is_current(const WarehouseState *state)
{
	bool current = is_this_build(state) && !state->is_changed;
	for (size_t i = 0; i < ph_n_migrations; i++)
		current = current && ph_is_applied(state, &ph_migrations[i]);
	return current;
}

/* state: as found. Tables are spread before the definitions, which nodes get with what they use. */
static bool
attempt(PhConnection *connection, const WarehouseState *state, const PhSpread *spread, bool quiet)
{
	if (!bring_extension(connection, state, spread, quiet) ||
		!ph_pq_execute(connection, ph_sql_warehouse_schema_table, NULL, 0))
		return false;
	if (!quiet)
		say_steps(state);
	return apply_table_steps(connection, state) && ph_warehouse_spread(connection, state, spread) &&
		   apply_definitions(connection) && ph_warehouse_plan_anew(connection, state, spread);
}

/* ---- what cannot be replaced in place ---- */

static bool
drop_what_is_unused(PhConnection *connection)
{
	char *text = definitions_text(ph_released_definitions);
	PhParam param = ph_param_text(text);
	bool ok = ph_warehouse_run_found(connection, ph_sql_warehouse_droppable, &param, 1);
	free(text);
	return ok;
}

/* Names the objects that hold on to the older definitions, if that is what error says. */
static bool
explain_users(PhConnection *connection)
{
	PhPqError error = connection->error;
	char *text = definitions_text(ph_released_definitions);
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

/* What is there stands in the way: made again without what nothing else uses. */
static bool
attempt_anew(PhConnection *connection, const WarehouseState *state, const PhSpread *spread)
{
	if (!state->has_tables || state->created[0] == '\0' || !is_misfit(connection))
		return false;
	ph_log_info("what changed cannot be replaced in place (%s): dropping and making it again",
				connection->error.message);
	if (ph_pq_script(connection, "ROLLBACK TO SAVEPOINT perfhouse_upgrade") &&
		drop_what_is_unused(connection) && attempt(connection, state, spread, true))
		return true;
	return is_misfit(connection) && explain_users(connection);
}

bool
ph_warehouse_upgrade(PhConnection *connection, const WarehouseState *state, const PhSpread *spread,
					 bool quiet)
{
	if (is_current(state) && spread == NULL)
		return true;
	return ph_warehouse_prepare_nodes(connection, state, spread) &&
		   ph_pq_script(connection, "SAVEPOINT perfhouse_upgrade") &&
		   (attempt(connection, state, spread, quiet) || attempt_anew(connection, state, spread));
}
