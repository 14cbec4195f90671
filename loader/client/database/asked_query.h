/*
 * asked_query.h - SQL of people: with values for its variables, in a transaction that only reads.
 *
 * What people send to a server may do no more than its role: it cannot take another role or change
 * what holds for the session, as the transaction is always rolled back.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DATABASE_ASKED_QUERY_H
#define PH_DATABASE_ASKED_QUERY_H

#include "base/sql_variables.h"
#include "database/pq.h"

/* SQLSTATE of a value for a variable that the query does not have: undefined_parameter. */
#define PH_UNKNOWN_VARIABLE "42P02"

/* The query as it was written, and what is known of its variables: value NULL: null. */
typedef struct PhAskedQuery
{
	const char *text;
	const char **names, **values;
	size_t n;
	const char *bigints[PH_SQL_MOST_VARIABLES]; /* variables that are known to be of this type */
	size_t n_bigints;
	bool is_of_others; /* they may only do what the role of the session may */
	size_t most_rows;  /* of plain rows; 0: all */
} PhAskedQuery;

/* The query with numbers, and their values. */
typedef struct PhBoundQuery
{
	const char *sql; /* in the arena */
	PhParam params[PH_SQL_MOST_VARIABLES];
	int n;
} PhBoundQuery;

/* From now on the session, which others see as that of program, only reads, and as perfhouse_reader
 * where that role can be taken; no statement takes longer than that. False: the connection's error.
 */
bool ph_asked_restrict(PhConnection *connection, const char *program, int timeout_ms);

/* A program that draws for others is started with this in its environment: its sessions are
 * restricted, to so many ms a statement, and its queries are of others. */
#define PH_RESTRICTED "PERFHOUSE_RESTRICTED_MS"

/* "name=value" as one more variable of a query whose names and values have room; false: it is
 * none. */
bool ph_asked_add(PhArena *arena, PhAskedQuery *asked, const char *text);

/* False: the connection's error says which variable has no value, which value no variable, or that
 * there is no memory. */
bool ph_asked_bind(PhConnection *connection, PhArena *arena, const PhAskedQuery *asked,
				   PhBoundQuery *out);

/* Begins the transaction; names of schema perfhouse need no schema. */
bool ph_asked_begin(PhConnection *connection, const PhAskedQuery *asked);

/* In that transaction: what the query gives, as ph_pq_columns. The server deduces the types of
 * values; where it cannot, those that are whole numbers are bigint, which *bound notes. */
PhResult *ph_asked_columns(PhConnection *connection, const PhAskedQuery *asked,
						   PhBoundQuery *bound);

/* Rolls it back, and releases what of a session outlives that. Keeps the error record. */
void ph_asked_end(PhConnection *connection, const PhAskedQuery *asked);

/* A query with its parameters in place of $1, $2, ...: what a person would type, on one line,
 * without the semicolon that ends it. malloc'ed, NULL: no memory. */
char *ph_asked_shown(const char *sql, const PhParam *params, int n_params);

#endif
