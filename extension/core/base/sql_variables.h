/*
 * sql_variables.h - the variables of an SQL text, written as psql writes them.
 *
 * :name and :'name' stand for a value. They are found where psql finds them: not in quotes, names
 * in double quotes, dollar quotes and comments, and not in casts (::type) and slices (a[1:n]). A
 * value is only ever bound to a number ($1), so that it cannot become SQL; therefore :"name", which
 * stands for an identifier, is refused.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_SQL_VARIABLES_H
#define PH_BASE_SQL_VARIABLES_H

#include "base/arena.h"
#include "base/vector.h"

#define PH_SQL_MOST_BYTES ((size_t) 64 << 10)
#define PH_SQL_MOST_VARIABLES 32

/* Plain text, or a variable. */
typedef struct PhSqlPart
{
	const char *text; /* in the text that was read; of a variable its name */
	uint32_t length;
	bool is_variable;
} PhSqlPart;

typedef PH_VECTOR(PhSqlPart) PhSqlParts;

/* Cuts a text, without the semicolons that end it. Errors: PH_ERR_LIMIT for one that is too long,
 * PH_ERR_VALUE for :"name", and for $1, which nothing is given for. */
PhStatus ph_sql_parts(PhArena *arena, const char *text, PhSqlParts *out) PH_MUST_CHECK;

/* The text with numbers for variables, the first $1, and their names in that order. */
typedef struct PhSqlNumbered
{
	char *sql;
	char *names[PH_SQL_MOST_VARIABLES];
	uint32_t n;
} PhSqlNumbered;

/* PH_ERR_LIMIT for too many variables, beside the errors of ph_sql_parts. */
PhStatus ph_sql_number(PhArena *arena, const char *text, PhSqlNumbered *out) PH_MUST_CHECK;

#endif
