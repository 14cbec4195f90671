/*
 * own_query.h - SQL of people: saved queries (/q/NAME, /api/q/NAME), and what is sent to servers
 * that were started with --allow-sql (/sql, /api/sql).
 *
 * It runs as the role of the session, which cannot be left, in a transaction that only reads and is
 * rolled back, within --timeout, and gives at most --row-limit rows. Values of a request are bound
 * to the variables of the query.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_OWN_QUERY_H
#define PH_OWN_QUERY_H

#include "database/asked_query.h"
#include "serve/answer.h"
#include "serve/request.h"
#include "serve/session.h"

#define PH_OWN_NAME_SIZE 64

typedef struct PhOwnQuery
{
	char name[PH_OWN_NAME_SIZE]; /* of a saved query; "": the parameter query is the SQL */
	size_t most_rows;
} PhOwnQuery;

/* Is it a parameter of the answer rather than a variable of the query? */
bool ph_own_is_option(const char *name);

/* Fills *asked, in the arena, from the request and, of a saved query, from the warehouse; *view:
 * the name of the view that it is saved with, NULL: none. False: the answer is an error. */
bool ph_own_find(PhSession *session, PhArena *arena, const PhOwnQuery *own, const PhTarget *target,
				 PhAskedQuery *asked, const char **view, PhAnswer *answer);

/* Answers with rows as JSON: sections columns (name, type), rows, and more, with one row, when
 * there are more rows than are answered. */
void ph_own_rows(PhSession *session, const PhOwnQuery *own, const PhTarget *target,
				 PhAnswer *answer);

#endif
