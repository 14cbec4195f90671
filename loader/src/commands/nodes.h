/*
 * nodes.h - the nodes of a distributed warehouse, for status and doctor.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_COMMANDS_NODES_H
#define PH_COMMANDS_NODES_H

#include "database/warehouse.h"

typedef struct PhNodeCount
{
	size_t n_workers; /* 0: the warehouse is on one server */
	size_t n_silent;  /* that do not answer: their runs cannot be read, and nothing be loaded */
	size_t n_shards;  /* parts of tables, on all of them */
} PhNodeCount;

/* Told what is found: is it fine? */
typedef void (*PhNodeFinding)(void *user, bool fine, const char *finding);

/* Asks every worker. tell may be NULL: only counts. Logs its own errors. */
PhExit ph_nodes_look(PhConnection *connection, PhNodeCount *count, PhNodeFinding tell, void *user);

#endif
