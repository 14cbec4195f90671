/*
 * warehouse_internal.h - what a database holds of a warehouse, between opening and upgrading it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_WAREHOUSE_INTERNAL_H
#define PH_WAREHOUSE_INTERNAL_H

#include "queries.h"
#include "warehouse.h"

typedef struct WarehouseState
{
	char created[32]; /* extension version; "": none */
	char build[40];	  /* of the extension's functions; "": of before builds had names */
	bool has_tables;
	int newest;		  /* applied migration; 0: none */
	uint64_t applied; /* bit i: ph_migrations[i] */
	bool is_changed;  /* a definition's text is not this program's */
	char unknown[64]; /* an applied one that this program does not have; "": none */
} WarehouseState;

/* Files of sql/schema: 001 to 009 and from 100 on change tables, once each and in this order; 010
 * to 099 define views, functions and rights and may be repeated. */
static inline bool
ph_is_definition(const PhMigration *migration)
{
	return migration->version >= 10 && migration->version < 100;
}

static inline bool
ph_is_applied(const WarehouseState *state, size_t migration)
{
	return (state->applied >> migration & 1) != 0;
}

/* False: the reason is in connection->error. */
bool ph_warehouse_read_state(PhConnection *connection, WarehouseState *state);

/* Makes or renews everything, inside the caller's transaction. quiet: only problems are logged. */
bool ph_warehouse_upgrade(PhConnection *connection, WarehouseState *state, bool quiet);

#endif
