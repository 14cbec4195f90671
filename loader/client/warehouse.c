/*
 * warehouse.c - find and open the database; create and upgrade what perfhouse needs in it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "warehouse.h"

#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "queries.h"

/* Migrations from this number on only define views, functions and rights and may be repeated. */
#define FIRST_DEFINITION 10

/* Sessions that initialise at the same time take turns; the number is arbitrary but fixed. */
#define INIT_LOCK "SELECT pg_catalog.pg_advisory_xact_lock(8097114101)"

bool
ph_warehouse_is_embedded(const char *db)
{
	static const char *const elsewhere[] = {"PGHOST", "PGHOSTADDR", "PGDATABASE", "PGSERVICE"};
	if (db != NULL && db[0] != '\0')
		return false;
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
	{
		const char *value = getenv(elsewhere[i]);
		if (value != NULL && value[0] != '\0')
			return false;
	}
	return true;
}

static int
newest_migration(void)
{
	return ph_n_migrations > 0 ? ph_migrations[ph_n_migrations - 1].version : 0;
}

/* ---- state of the database ---- */

typedef struct WarehouseState
{
	char created[32]; /* extension version; "": none */
	bool has_tables;
	int newest;		  /* applied migration; 0: none */
	uint64_t applied; /* bit i: ph_migrations[i] */
	bool is_outdated; /* one is missing, or a definition's text has changed */
	char unknown[64]; /* an applied one that this program does not have; "": none */
} WarehouseState;

static void
copy_text(char *out, size_t size, const char *text)
{
	snprintf(out, size, "%s", text != NULL ? text : "");
}

static bool
is_applied(const WarehouseState *state, size_t migration)
{
	return (state->applied >> migration & 1) != 0;
}

/* One row of perfhouse.schema_version. */
static void
note_migration(WarehouseState *state, const PhResult *rows, size_t row)
{
	int version = (int) ph_result_int(rows, row, 0);
	state->newest = version > state->newest ? version : state->newest;
	for (size_t i = 0; i < ph_n_migrations; i++)
	{
		const PhMigration *migration = &ph_migrations[i];
		if (migration->version != version)
			continue;
		state->applied |= (uint64_t) 1 << i;
		if (version >= FIRST_DEFINITION &&
			strcmp(ph_result_text(rows, row, 2), migration->checksum) != 0)
			state->is_outdated = true;
		return;
	}
	copy_text(state->unknown, sizeof(state->unknown), ph_result_text(rows, row, 1));
}

static bool
read_migrations(PhConnection *connection, WarehouseState *state)
{
	PhResult *rows = ph_pq_query(connection, ph_sql_warehouse_schema_version, NULL, 0);
	if (rows == NULL)
		return false;
	for (size_t row = 0; row < ph_result_count(rows); row++)
		note_migration(state, rows, row);
	ph_result_free(rows);
	return true;
}

static bool
read_state(PhConnection *connection, WarehouseState *state)
{
	memset(state, 0, sizeof(*state));
	PhResult *rows = ph_pq_query(connection, ph_sql_warehouse_extension, NULL, 0);
	if (rows == NULL)
		return false;
	copy_text(state->created, sizeof(state->created), ph_result_text(rows, 0, 0));
	state->has_tables = ph_result_bool(rows, 0, 1);
	ph_result_free(rows);
	if (state->has_tables && !read_migrations(connection, state))
		return false;
	for (size_t i = 0; i < ph_n_migrations; i++)
		state->is_outdated |= !is_applied(state, i);
	return true;
}

/* Each returns false with the reason; hints say what to do. */
static const char newer_hint[] = "Use the newer perfhouse that made them.";
static const char older_hint[] = "Run perfhouse init to upgrade them.";

static bool
refuse_newer(PhConnection *connection, const WarehouseState *state)
{
	if (state->newest <= newest_migration())
		return true;
	return ph_pq_fail(connection, PH_EXIT_SCHEMA, newer_hint,
					  "the warehouse tables are of version %d, newer than this program's %d",
					  state->newest, newest_migration());
}

static bool
refuse_unknown(PhConnection *connection, const WarehouseState *state)
{
	if (state->unknown[0] == '\0')
		return true;
	return ph_pq_fail(connection, PH_EXIT_SCHEMA, newer_hint,
					  "the warehouse tables have been through %s, which this program does not know",
					  state->unknown);
}

static bool
refuse_older(PhConnection *connection, const WarehouseState *state)
{
	if (state->newest < newest_migration())
		return ph_pq_fail(connection, PH_EXIT_SCHEMA, older_hint,
						  "the warehouse tables are of version %d, this program needs %d",
						  state->newest, newest_migration());
	for (size_t i = 0; i < ph_n_migrations; i++)
	{
		if (!is_applied(state, i))
			return ph_pq_fail(connection, PH_EXIT_SCHEMA, older_hint,
							  "the warehouse tables lack %s, which this program needs",
							  ph_migrations[i].name);
	}
	return true;
}

static bool
check_state(PhConnection *connection)
{
	WarehouseState state;
	if (!read_state(connection, &state))
		return false;
	if (state.created[0] == '\0' || !state.has_tables)
		return ph_pq_fail(connection, state.created[0] == '\0' ? PH_EXIT_EXTENSION : PH_EXIT_SCHEMA,
						  "Run perfhouse init with the same --db.",
						  "this database is not a warehouse yet: %s",
						  state.created[0] == '\0' ? "the extension perfhouse is missing"
												   : "its tables are missing");
	if (strcmp(state.created, PH_VERSION) != 0)
		return ph_pq_fail(
			connection, PH_EXIT_EXTENSION,
			"Run perfhouse init of the newer version, or install the matching programs.",
			"the extension in the database is version %s, this program is %s", state.created,
			PH_VERSION);
	return refuse_newer(connection, &state) && refuse_older(connection, &state) &&
		   refuse_unknown(connection, &state);
}

PhExit
ph_warehouse_check(PhConnection *connection)
{
	return check_state(connection) ? PH_EXIT_OK : ph_pq_log_error(connection, NULL);
}

/* ---- making and upgrading ---- */

/* The server's own words for an extension that it does not have are worth a hint of ours. */
static bool
explain_missing(PhConnection *connection)
{
	const char *state = connection->error.sqlstate;
	if (strcmp(state, "0A000") != 0 && strcmp(state, "58P01") != 0 && strcmp(state, "22023") != 0)
		return false;
	char message[sizeof(connection->error.message)];
	copy_text(message, sizeof(message), connection->error.message);
	return ph_pq_fail(
		connection, PH_EXIT_EXTENSION,
		"Run make install of this version on the server's machine (as root), then perfhouse "
		"init again.",
		"the extension perfhouse %s is not installed on the server: %s", PH_VERSION, message);
}

static bool
make_extension(PhConnection *connection, const WarehouseState *state, bool quiet)
{
	bool fresh = state->created[0] == '\0';
	if (strcmp(state->created, PH_VERSION) == 0)
		return true;
	if (!quiet)
		ph_log_info("%s extension %s", fresh ? "creating" : "upgrading to", PH_VERSION);
	if (ph_pq_script(connection, fresh ? "CREATE EXTENSION perfhouse VERSION '" PH_VERSION "'"
									   : "ALTER EXTENSION perfhouse UPDATE TO '" PH_VERSION "'"))
		return true;
	return explain_missing(connection);
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

/* Tables that are missing, in order of number; then every definition anew, because they may speak
 * of new tables. */
static bool
migrate(PhConnection *connection, const WarehouseState *state, bool quiet)
{
	for (size_t i = 0; state->is_outdated && i < ph_n_migrations; i++)
	{
		const PhMigration *migration = &ph_migrations[i];
		if ((migration->version >= FIRST_DEFINITION || !is_applied(state, i)) &&
			!apply_migration(connection, migration, quiet))
			return false;
	}
	return true;
}

static bool
init_locked(PhConnection *connection, bool quiet)
{
	WarehouseState state;
	return ph_pq_execute(connection, INIT_LOCK, NULL, 0) && read_state(connection, &state) &&
		   refuse_newer(connection, &state) && refuse_unknown(connection, &state) &&
		   make_extension(connection, &state, quiet) &&
		   ph_pq_execute(connection, ph_sql_warehouse_schema_table, NULL, 0) &&
		   migrate(connection, &state, quiet);
}

PhExit
ph_warehouse_init(PhConnection *connection, bool quiet)
{
	if (ph_pq_begin(connection) && init_locked(connection, quiet) && ph_pq_commit(connection))
		return PH_EXIT_OK;
	ph_pq_rollback(connection);
	return ph_pq_log_error(connection, "the warehouse could not be set up; nothing was changed");
}

/* ---- opening ---- */

/* Connect to the embedded server, started and made into a warehouse when new. */
static PhExit
open_embedded(PhConnection **out)
{
	PhEmbedded *embedded;
	PhExit code = ph_embedded_find(&embedded);
	if (code != PH_EXIT_OK)
		return code;
	code = ph_embedded_start(embedded);
	if (code == PH_EXIT_OK)
	{
		char *conninfo = ph_embedded_conninfo(embedded);
		if (!ph_pq_connect(out, conninfo, "perfhouse"))
			code = ph_pq_log_error(*out, "the embedded server");
		free(conninfo);
	}
	ph_embedded_free(embedded);
	return code;
}

static PhExit
open_shared(const char *db, PhConnection **out)
{
	if (ph_pq_connect(out, db, "perfhouse"))
		return PH_EXIT_OK;
	return ph_pq_log_error(*out, "cannot connect to the warehouse");
}

/* A new embedded database becomes a warehouse without being asked. */
static PhExit
make_ready(PhConnection *connection, bool embedded)
{
	WarehouseState state;
	if (!embedded)
		return ph_warehouse_check(connection);
	if (!read_state(connection, &state))
		return ph_pq_log_error(connection, NULL);
	return state.has_tables ? ph_warehouse_check(connection) : ph_warehouse_init(connection, true);
}

PhExit
ph_warehouse_open(const char *db, PhOpenMode mode, PhConnection **out)
{
	bool embedded = ph_warehouse_is_embedded(db);
	PhConnection *connection = NULL;
	PhExit code = embedded ? open_embedded(&connection) : open_shared(db, &connection);
	if (code == PH_EXIT_OK && mode == PH_OPEN_READY)
		code = make_ready(connection, embedded);
	if (code != PH_EXIT_OK)
	{
		ph_pq_close(connection);
		return code;
	}
	*out = connection;
	return PH_EXIT_OK;
}
