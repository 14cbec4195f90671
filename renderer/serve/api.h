/*
 * api.h - /api/NAME: named queries with typed parameters, answered as JSON.
 *
 * Every query is a file sql/queries/serve/NAME.sql and a row of the table in api_table.c; nothing
 * of a request ever becomes SQL text. Values are checked against their type and range before the
 * query is sent.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_API_H
#define PH_API_H

#include "queries.h"
#include "serve/answer.h"
#include "serve/request.h"
#include "serve/session.h"

typedef enum PhApiType
{
	PH_API_INT,	   /* int4 from least to most */
	PH_API_BIGINT, /* int8 from least to most: runs, nodes' call paths */
	PH_API_FLOAT,  /* finite, from least to most */
	PH_API_TEXT,
	PH_API_BOOL,	/* true, false, 1, 0 */
	PH_API_TEXTS,	/* text[]: the parameter repeated, or values between commas */
	PH_API_BIGINTS, /* int8[]: likewise */
	PH_API_CHOICE	/* text, one of the words in choices */
} PhApiType;

typedef struct PhApiParameter
{
	const char *name; /* NULL ends a list */
	PhApiType type;
	bool required;
	const char *fallback; /* when absent; NULL: null */
	double least, most;	  /* of numbers; both 0: any */
	const char *choices;  /* separated by spaces */
} PhApiParameter;

#define PH_API_MOST_PARAMETERS 16

typedef struct PhApiQuery
{
	const char *name; /* NULL ends the table */
	const PhQuery *query;
	const char *missing; /* 404 with this message when there is no row; NULL: fine */
	PhApiParameter parameters[PH_API_MOST_PARAMETERS + 1];
} PhApiQuery;

extern const PhApiQuery ph_api_queries[];

/* The values of a request; texts are owned. */
typedef struct PhApiValues
{
	const PhApiQuery *query;
	char *texts[PH_API_MOST_PARAMETERS]; /* of its parameters; NULL: null */
	size_t n;
} PhApiValues;

/* NULL when there is no such query. */
const PhApiQuery *ph_api_find(const char *name);
/* A hint that lists them; malloc'ed. */
char *ph_api_names(void);

/* Checks the parameters. False: *parameter, *message and *hint (malloc'ed, hint may be NULL) say
 * which is wrong and why. Free the values in any case. */
bool ph_api_values(const PhApiQuery *query, const PhTarget *target, PhApiValues *out,
				   const char **parameter, char **message, char **hint);
void ph_api_values_free(PhApiValues *values);

/* Runs the query: {"rows":[...],"total":N}, a row a line, or an error. */
void ph_api_run(PhSession *session, const PhApiValues *values, PhAnswer *answer);

/* The answer to a failed query: 404, 400, 503, 504 ... */
void ph_api_error(const PhPqError *error, PhAnswer *answer);
void ph_api_fail(PhAnswer *answer, PhExit code, const char *sqlstate, const char *message,
				 const char *hint);

#endif
