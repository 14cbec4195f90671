/*
 * picture.h - pictures for agents: drawn by perfhouse-render, which is a program of its own.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_MCP_PICTURE_H
#define PH_MCP_PICTURE_H

#include "mcp/answer.h"

/* Words for `perfhouse render`; NULL: not given. */
typedef struct PhMcpPicture
{
	const char *view, *run, *vs, *query, *db;
} PhMcpPicture;

/* The PNG, with the command that draws it; else what the renderer said. */
void ph_mcp_draw(const PhMcpPicture *picture, PhMcpAnswer *answer);

#endif
