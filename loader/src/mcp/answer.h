/*
 * answer.h - what a tool answers: rows as text, short, with the SQL that gives them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_MCP_ANSWER_H
#define PH_MCP_ANSWER_H

#include "database/pq.h"

#define PH_MCP_MOST_BYTES 8000	/* of a text: what does not fit is left out, and said to be */
#define PH_MCP_TIMEOUT_MS 30000 /* of a query */

typedef struct PhMcpAnswer
{
	char *text; /* malloc'ed, never NULL */
	char *png;	/* malloc'ed base64; NULL: no picture */
	bool is_error;
} PhMcpAnswer;

/* Rows of a query, taken one by one until the text is full: what nobody will see is not fetched. */
typedef struct PhMcpRows PhMcpRows;

/* The rows of a query that gives these columns, as one whose values are texts, cut off where nobody
 * would see more; malloc'ed. */
char *ph_mcp_rows_query(const PhResult *columns, const char *sql);

/* columns (which stay) are the query's own, shown is its text as people have it (which stays). */
PhMcpRows *ph_mcp_rows_begin(const PhResult *columns, const char *shown);

/* A row of that query, as ph_pq_stream hands it on; false: no other one fits. */
bool ph_mcp_rows_add(void *rows, const PhResult *row);

/* The end, after which rows is gone: an answer, or, when the query has failed with rows missing,
 * false and none. */
bool ph_mcp_rows_end(PhMcpRows *rows, bool has_failed, PhMcpAnswer *answer);

/* What the server refused, and what helps; the query that it was. */
void ph_mcp_answer_refusal(PhMcpAnswer *answer, const PhPqError *error, const char *sql);

void ph_mcp_answer_error(PhMcpAnswer *answer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void ph_mcp_answer_free(PhMcpAnswer *answer);

#endif
