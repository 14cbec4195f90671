/*
 * server.h - the Model Context Protocol: JSON-RPC, a message a line, until the input ends.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_MCP_SERVER_H
#define PH_MCP_SERVER_H

#include <stdio.h>

#include "system/exit_codes.h"

/* db: as ph_warehouse_open takes it. Nothing but answers goes to out. */
PhExit ph_mcp_serve(FILE *in, FILE *out, const char *db);

#endif
