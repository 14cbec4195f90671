/*
 * tools.h - the tools that agents call: what they are for, what they take, what they answer.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_MCP_TOOLS_H
#define PH_MCP_TOOLS_H

#include <json-c/json.h>

#include "cli/json_out.h"
#include "mcp/answer.h"

/* The list of all of them, as the protocol has it. */
void ph_mcp_put_tools(PhJsonOut *json);

/* Calls one; false: there is no such tool. What is wrong otherwise is an answer, too. db: as
 * ph_warehouse_open takes it. */
bool ph_mcp_call(const char *name, json_object *arguments, const char *db, PhMcpAnswer *answer);

#endif
