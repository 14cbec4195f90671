/*
 * warehouse_internal.h - what a database holds of a warehouse, between opening and upgrading it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DATABASE_WAREHOUSE_INTERNAL_H
#define PH_DATABASE_WAREHOUSE_INTERNAL_H

#include "database/warehouse.h"
#include "queries.h"

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
