/*
 * warehouse.h - open the warehouse: find the database, connect, check that it can be used.
 *
 * Which database: --db (conninfo or URI); else PG* variables or a service file (PGHOST, PGHOSTADDR,
 * PGDATABASE, PGSERVICE are looked at); else, or when --db says `embedded`, the embedded server,
 * started on demand and initialised when new.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DATABASE_WAREHOUSE_H
#define PH_DATABASE_WAREHOUSE_H

#include "database/pq.h"
#include "embedded/embedded.h"
#include "system/exit_codes.h"

typedef enum PhOpenMode
{
	PH_OPEN_READY,	/* extension and schema must be of this program's version */
	PH_OPEN_CONNECT /* just connect (init, status, doctor, psql) */
} PhOpenMode;

/* db: what --db gave (ph_cli_db), NULL: nothing. Logs its own errors and returns their exit
 * code; *out only on PH_EXIT_OK. */
PhExit ph_warehouse_open(const char *db, PhOpenMode mode, PhConnection **out);

/* A --db that means the embedded server, whatever the environment says. */
#define PH_EMBEDDED "embedded"

/* True when this db and the environment mean the embedded server. */
bool ph_warehouse_is_embedded(const char *db);

/* How tables are given to the nodes of a distributed database. */
typedef struct PhSpread
{
	int64_t n_shards; /* of a table by run, when none has any yet; 0: as many as is usual */
} PhSpread;

/* Create or upgrade extension, roles, tables and views: what `perfhouse init` does. quiet: only
 * problems are logged. spread: the nodes get the tables that they do not have; NULL: as a warehouse
 * that is distributed already, or not at all. */
PhExit ph_warehouse_init(PhConnection *connection, const PhSpread *spread, bool quiet);

/* Whether it is spread over nodes; false with *distributed unchanged: an error, in
 * connection->error. */
bool ph_warehouse_is_distributed(PhConnection *connection, bool *distributed);

/* Upgrade a warehouse that is of an older perfhouse; a database that is none stays as it is. */
PhExit ph_warehouse_renew(PhConnection *connection);

#endif
