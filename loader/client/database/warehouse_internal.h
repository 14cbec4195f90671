/*
 * warehouse_internal.h - what a database holds of a warehouse, between opening and upgrading it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DATABASE_WAREHOUSE_INTERNAL_H
#define PH_DATABASE_WAREHOUSE_INTERNAL_H

#include "database/extension_builds.h"
#include "database/warehouse.h"
#include "queries.h"

typedef struct WarehouseState
{
	char created[32]; /* extension version; "": none */
	char build[40];	  /* of the extension's functions; "": of before builds had names */
	bool has_tables;
	int newest;		/* number of the newest applied file of sql/schema; 0: none */
	char **applied; /* names of those that were applied */
	size_t n_applied;
	bool is_changed;  /* a definition's text is not this program's */
	char unknown[64]; /* an applied one that this program does not have; "": none */
} WarehouseState;

/* What this program is: the last of ph_extension_builds. */
const PhExtensionBuild *ph_this_build(void);

/* A release or this program's own version; NULL: of neither. */
const PhExtensionBuild *ph_find_build(const char *version);

bool ph_is_applied(const WarehouseState *state, const PhMigration *migration);

/* False: the reason is in connection->error. Free the state in either case. */
bool ph_warehouse_read_state(PhConnection *connection, WarehouseState *state);
void ph_warehouse_free_state(WarehouseState *state);

/* Makes or renews everything, inside the caller's transaction. quiet: only problems are logged. */
bool ph_warehouse_upgrade(PhConnection *connection, const WarehouseState *state, bool quiet);

#endif
