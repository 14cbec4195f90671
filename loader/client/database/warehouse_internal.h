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

	bool has_nodes; /* the extension citus is there; else nothing below is set */
	bool is_worker;
	char coordinator[256]; /* its address; "": it was not told */
	int n_workers;
	bool is_distributed; /* the tables are the nodes' */
} WarehouseState;

/* What this program is: the last of ph_extension_builds. */
const PhExtensionBuild *ph_this_build(void);

/* A release or this program's own version; NULL: of neither. */
const PhExtensionBuild *ph_find_build(const char *version);

bool ph_is_applied(const WarehouseState *state, const PhMigration *migration);

/* False: the reason is in connection->error. Free the state in either case. */
bool ph_warehouse_read_state(PhConnection *connection, WarehouseState *state);
void ph_warehouse_free_state(WarehouseState *state);

/* Makes or renews everything, inside the caller's transaction. quiet: only problems are logged.
 * spread: as ph_warehouse_init has it. */
bool ph_warehouse_upgrade(PhConnection *connection, const WarehouseState *state,
						  const PhSpread *spread, bool quiet);

/* Runs every statement that the query finds; the query's parameters as given. */
bool ph_warehouse_run_found(PhConnection *connection, const char *query, const PhParam *params,
							int n_params);

/* ---- nodes (warehouse_nodes.c); each with the reason in connection->error ---- */

bool ph_warehouse_refuse_worker(PhConnection *connection, const WarehouseState *state);

/* Before anything is changed: can it be spread, if that is asked? */
bool ph_warehouse_prepare_nodes(PhConnection *connection, const WarehouseState *state,
								const PhSpread *spread);

/* Gives the nodes the tables that they do not have: when it is asked, or others are theirs. */
bool ph_warehouse_spread(PhConnection *connection, const WarehouseState *state,
						 const PhSpread *spread);

/* Has the definitions' functions choose nodes by their arguments, where tables are spread. */
bool ph_warehouse_plan_anew(PhConnection *connection, const WarehouseState *state,
							const PhSpread *spread);

/* Runs a script that renews the extension, here and on the workers, where it stays renewed whatever
 * becomes of the transaction. */
bool ph_warehouse_renew_nodes(PhConnection *connection, const WarehouseState *state,
							  const char *script);

/* The script where a worker has another build than this program, likewise. */
bool ph_warehouse_renew_workers(PhConnection *connection, const char *script);

/* After the transaction: settings of the database on every node. */
bool ph_warehouse_settle_nodes(PhConnection *connection);

#endif
