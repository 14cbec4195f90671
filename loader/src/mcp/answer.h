/*
 * answer.h - what a tool answers: rows as text, short, with the SQL that gives them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_MCP_ANSWER_H
#define PH_MCP_ANSWER_H

#include "database/pq.h"

#define PH_MCP_MOST_BYTES 8000 /* of a text: what does not fit is counted */

typedef struct PhMcpAnswer
{
	char *text; /* malloc'ed, never NULL */
	char *png;	/* malloc'ed base64; NULL: no picture */
	bool is_error;
} PhMcpAnswer;

/* Rows of a query whose text is sql. */
void ph_mcp_answer_rows(PhMcpAnswer *answer, const PhResult *rows, const char *sql);

/* What the server refused, and what helps; the query that it was. */
void ph_mcp_answer_refusal(PhMcpAnswer *answer, const PhPqError *error, const char *sql);

void ph_mcp_answer_error(PhMcpAnswer *answer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void ph_mcp_answer_free(PhMcpAnswer *answer);

#endif
