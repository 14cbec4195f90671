/*
 * warehouse.c - find and open the database; look whether it is what this program needs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "database/warehouse_internal.h"

#include <stdlib.h>
#include <string.h>

#include "system/log.h"
#include "system/memory.h"

/* Sessions that initialise at the same time take turns; the number is arbitrary but fixed. */
#define INIT_LOCK "SELECT pg_catalog.pg_advisory_xact_lock(8097114101)"

bool
ph_warehouse_is_embedded(const char *db)
{
	static const char *const elsewhere[] = {"PGHOST", "PGHOSTADDR", "PGDATABASE", "PGSERVICE"};
	if (db != NULL && db[0] != '\0')
		return strcmp(db, PH_EMBEDDED) == 0;
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
	int newest = 0;
	for (size_t i = 0; i < ph_n_migrations; i++)
		newest = ph_migrations[i].version > newest ? ph_migrations[i].version : newest;
	return newest;
}

/* Each returns false with the reason; hints say what to do. */
static const char newer_hint[] = "Use the newer perfhouse that made them.";
static const char older_hint[] =
	"Run perfhouse init (with the same --db): it upgrades the warehouse and keeps its data.";

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
refuse_unknown_version(PhConnection *connection, const WarehouseState *state)
{
	if (state->created[0] == '\0' || ph_find_build(state->created) != NULL)
		return true;
	return ph_pq_fail(connection, PH_EXIT_EXTENSION, newer_hint,
					  "the extension in the database is version %s, which this program (%s) does "
					  "not know",
					  state->created, PH_VERSION);
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
						  "the warehouse is of an older perfhouse: its tables are of version %d, "
						  "this program needs %d",
						  state->newest, newest_migration());
	for (size_t i = 0; i < ph_n_migrations; i++)
	{
		if (!ph_is_applied(state, &ph_migrations[i]))
			return ph_pq_fail(connection, PH_EXIT_SCHEMA, older_hint,
							  "the warehouse is of an older perfhouse: its tables lack %s, which "
							  "this program needs",
							  ph_migrations[i].name);
	}
	return true;
}

/* Builds of one version have no order, but the program that is at hand is most likely the newer. */
static bool
refuse_other_build(PhConnection *connection, const WarehouseState *state)
{
	if (strcmp(state->build, ph_this_build()->build) != 0)
		return ph_pq_fail(connection, PH_EXIT_EXTENSION, older_hint,
						  "the warehouse is of an older perfhouse: its extension %s is not of this "
						  "program's build",
						  state->created);
	if (state->is_changed)
		return ph_pq_fail(connection, PH_EXIT_SCHEMA, older_hint,
						  "the warehouse is of an older perfhouse: its views and functions are not "
						  "this program's");
	return true;
}

static bool
refuse_other_version(PhConnection *connection, const WarehouseState *state)
{
	if (strcmp(state->created, PH_VERSION) == 0)
		return true;
	return refuse_unknown_version(connection, state) &&
		   ph_pq_fail(connection, PH_EXIT_EXTENSION, older_hint,
					  "the warehouse is of an older perfhouse: its extension is version %s, this "
					  "program is %s",
					  state->created, PH_VERSION);
}

static bool
refuse_what_is_none(PhConnection *connection, const WarehouseState *state)
{
	bool is_created = state->created[0] != '\0';
	if (is_created && state->has_tables)
		return true;
	return ph_pq_fail(connection, is_created ? PH_EXIT_SCHEMA : PH_EXIT_EXTENSION,
					  "Run perfhouse init with the same --db.",
					  "this database is not a warehouse yet: %s",
					  is_created ? "its tables are missing" : "the extension perfhouse is missing");
}

/* Extension and tables are those of this program: else PH_EXIT_SCHEMA or PH_EXIT_EXTENSION. */
static bool
refuse_unusable(PhConnection *connection, const WarehouseState *state)
{
	return ph_warehouse_refuse_worker(connection, state) &&
		   refuse_what_is_none(connection, state) && refuse_other_version(connection, state) &&
		   refuse_newer(connection, state) && refuse_older(connection, state) &&
		   refuse_unknown(connection, state) && refuse_other_build(connection, state);
}

/* state: as found. */
static bool
init_locked(PhConnection *connection, WarehouseState *state, const PhSpread *spread, bool quiet)
{
	return ph_pq_execute(connection, INIT_LOCK, NULL, 0) &&
		   ph_warehouse_read_state(connection, state) &&
		   ph_warehouse_refuse_worker(connection, state) &&
		   refuse_unknown_version(connection, state) && refuse_newer(connection, state) &&
		   refuse_unknown(connection, state) &&
		   ph_warehouse_upgrade(connection, state, spread, quiet);
}

/* What was refused first says nothing: a reader of the warehouse may not upgrade it either. */
static void
name_the_owner(PhConnection *connection, const WarehouseState *state)
{
	if (connection->error.code == PH_EXIT_PERMISSION && state->has_tables)
		ph_pq_fail(connection, PH_EXIT_PERMISSION,
				   "Let him run perfhouse init: the warehouse is not what this program needs.",
				   "only the owner of the warehouse upgrades it");
}

/* What workers are told outside of the transaction, their roles and builds, stays with them. */
static const char *
what_failed(bool has_nodes)
{
	return has_nodes ? "the warehouse could not be set up; nothing was changed but on workers"
					 : "the warehouse could not be set up; nothing was changed";
}

PhExit
ph_warehouse_init(PhConnection *connection, const PhSpread *spread, bool quiet)
{
	WarehouseState state = {0};
	bool ok = ph_pq_begin(connection) && init_locked(connection, &state, spread, quiet) &&
			  ph_pq_commit(connection);
	bool is_spread = state.is_distributed;
	bool has_nodes = state.has_nodes;
	if (!ok)
		name_the_owner(connection, &state);
	ph_warehouse_free_state(&state);
	if (!ok)
	{
		ph_pq_rollback(connection);
		return ph_pq_log_error(connection, what_failed(has_nodes));
	}
	if ((spread != NULL || is_spread) && !ph_warehouse_settle_nodes(connection))
		return ph_pq_log_error(connection, NULL);
	return PH_EXIT_OK;
}

bool
ph_warehouse_is_distributed(PhConnection *connection, bool *distributed)
{
	WarehouseState state;
	bool ok = ph_warehouse_read_state(connection, &state);
	if (ok)
		*distributed = state.is_distributed;
	ph_warehouse_free_state(&state);
	return ok;
}

static bool
read_has_tables(PhConnection *connection, bool *has_tables)
{
	WarehouseState state;
	bool ok = ph_warehouse_read_state(connection, &state);
	*has_tables = state.has_tables;
	ph_warehouse_free_state(&state);
	return ok;
}

PhExit
ph_warehouse_renew(PhConnection *connection)
{
	bool has_tables;
	if (!read_has_tables(connection, &has_tables))
		return ph_pq_log_error(connection, NULL);
	return has_tables ? ph_warehouse_init(connection, NULL, false) : PH_EXIT_OK;
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
	bool is_read = ph_warehouse_read_state(connection, &state);
	bool is_new = is_read && embedded && !state.has_tables;
	bool ok = is_read && (is_new || refuse_unusable(connection, &state));
	ph_warehouse_free_state(&state);
	if (!ok)
		return ph_pq_log_error(connection, NULL);
	return is_new ? ph_warehouse_init(connection, NULL, true) : PH_EXIT_OK;
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
