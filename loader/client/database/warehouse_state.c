/*
 * warehouse_state.c - what a database holds of a warehouse.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "database/warehouse_internal.h"
#include "system/memory.h"

static void
copy_text(char *out, size_t size, const char *text)
{
	snprintf(out, size, "%s", text != NULL ? text : "");
}

const PhExtensionBuild *
ph_this_build(void)
{
	return &ph_extension_builds[ph_n_extension_builds - 1];
}

const PhExtensionBuild *
ph_find_build(const char *version)
{
	for (size_t i = 0; i < ph_n_extension_builds; i++)
	{
		if (strcmp(ph_extension_builds[i].version, version) == 0)
			return &ph_extension_builds[i];
	}
	return NULL;
}

bool
ph_is_applied(const WarehouseState *state, const PhMigration *migration)
{
	for (size_t i = 0; i < state->n_applied; i++)
	{
		if (strcmp(state->applied[i], migration->name) == 0)
			return true;
	}
	return false;
}

static const PhMigration *
find_migration(const char *name)
{
	for (size_t i = 0; i < ph_n_migrations; i++)
	{
		if (strcmp(ph_migrations[i].name, name) == 0)
			return &ph_migrations[i];
	}
	return NULL;
}

/* A file that this program no longer has, but a release had, makes no warehouse a newer one's. */
static bool
is_released(const char *name)
{
	for (const char *const *file = ph_released_files; *file != NULL; file++)
	{
		if (strcmp(*file, name) == 0)
			return true;
	}
	return false;
}

static char *
copy_name(const char *name)
{
	size_t size = strlen(name) + 1;
	return memcpy(ph_must_alloc(size, 1), name, size);
}

/* One row of perfhouse.schema_version. */
static void
note_migration(WarehouseState *state, const PhResult *rows, size_t row)
{
	int version = (int) ph_result_int(rows, row, 0);
	const char *name = ph_result_text(rows, row, 1);
	const PhMigration *migration = find_migration(name);
	state->newest = version > state->newest ? version : state->newest;
	state->applied[state->n_applied++] = copy_name(name);
	if (migration == NULL && !is_released(name))
		copy_text(state->unknown, sizeof(state->unknown), name);
	else if (migration != NULL && migration->is_definition &&
			 strcmp(ph_result_text(rows, row, 2), migration->checksum) != 0)
		state->is_changed = true;
}

static bool
read_migrations(PhConnection *connection, WarehouseState *state)
{
	PhResult *rows = ph_pq_query(connection, ph_sql_warehouse_schema_version, NULL, 0);
	if (rows == NULL)
		return false;
	state->applied = ph_must_alloc(ph_result_count(rows) + 1, sizeof(char *));
	for (size_t row = 0; row < ph_result_count(rows); row++)
		note_migration(state, rows, row);
	ph_result_free(rows);
	return true;
}

/* The part of the state below has_nodes. */
static bool
read_node(PhConnection *connection, WarehouseState *state)
{
	PhResult *row = ph_pq_query(connection, ph_sql_warehouse_node, NULL, 0);
	if (row == NULL)
		return false;
	const char *coordinator = ph_result_text(row, 0, 1);
	state->is_worker = ph_result_bool(row, 0, 0);
	snprintf(state->coordinator, sizeof(state->coordinator), "%s",
			 coordinator != NULL ? coordinator : "");
	state->n_workers = (int) ph_result_int(row, 0, 2);
	connection->is_distributed = state->is_distributed = ph_result_bool(row, 0, 3);
	ph_result_free(row);
	return true;
}

bool
ph_warehouse_read_state(PhConnection *connection, WarehouseState *state)
{
	memset(state, 0, sizeof(*state));
	PhResult *rows = ph_pq_query(connection, ph_sql_warehouse_extension, NULL, 0);
	if (rows == NULL)
		return false;
	copy_text(state->created, sizeof(state->created), ph_result_text(rows, 0, 0));
	state->has_tables = ph_result_bool(rows, 0, 1);
	copy_text(state->build, sizeof(state->build), ph_result_text(rows, 0, 2));
	state->has_nodes = ph_result_bool(rows, 0, 3);
	ph_result_free(rows);
	return (!state->has_nodes || read_node(connection, state)) &&
		   (!state->has_tables || read_migrations(connection, state));
}

void
ph_warehouse_free_state(WarehouseState *state)
{
	for (size_t i = 0; i < state->n_applied; i++)
		free(state->applied[i]);
	free(state->applied);
}
