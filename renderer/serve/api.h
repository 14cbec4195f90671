/*
 * api.h - /api/NAME: named queries with typed parameters, answered as JSON.
 *
 * Every query is a file sql/queries/serve/NAME.sql and a row of the table in api_table.c, which
 * names the parameters that it takes; nothing of a request ever becomes SQL text. Values are
 * checked against the parameters' declarations before the query is sent.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_API_H
#define PH_API_H

#include "cli/json_out.h"
#include "cli/values.h"
#include "queries.h"
#include "serve/answer.h"
#include "serve/request.h"
#include "serve/session.h"

typedef struct PhApiQuery
{
	const char *name; /* NULL ends the table */
	const PhQuery *query;
	const char *missing;	/* 404 with this message when there is no row; NULL: fine */
	const char *parameters; /* as ph_parameters_choose() reads them */
	/* Those that name the runs which the answer depends on alone, so that it can be kept while
	 * their version is the same; at most two, a blank between; NULL: it depends on others, too. */
	const char *runs;
	bool is_quick; /* takes milliseconds in any warehouse: is not made to wait for what does not */
	bool is_bytes; /* one row with one bytea, sent as it is, instead of rows as JSON */
} PhApiQuery;

extern const PhApiQuery ph_api_queries[];

/* The values of a request; the texts are its target's. It points into itself. */
typedef struct PhApiValues
{
	const PhApiQuery *query;
	PhParameterSet parameters;
	PhGivenText given[PH_TARGET_MOST_PARAMETERS];
	PhValues values;
} PhApiValues;

/* NULL when there is no such query. */
const PhApiQuery *ph_api_find(const char *name);
/* A hint that lists them; malloc'ed, NULL: out of memory. */
char *ph_api_names(void);

/* Checks the parameters; what the query does not take is an error, so that a misspelt name is not
 * ignored. False: *problem says which is wrong and why. */
bool ph_api_values(const PhApiQuery *query, const PhTarget *target, PhApiValues *out,
				   PhProblem *problem);

/* The runs whose version the answer has, as an int8[] literal; "": it has none. */
#define PH_RUNS_SIZE 64
void ph_api_runs(const PhApiValues *values, char out[PH_RUNS_SIZE]);

#define PH_SQL_TYPE "text/plain; charset=utf-8"

/* Answers with the query as SQL that people paste, the values in it. Needs no database. */
void ph_api_sql(const PhApiValues *values, PhAnswer *answer);

/* /api/parameters: what every view and query can be told, from the declarations; takes_sql: whether
 * the server answers /sql; has_sources: whether it was given repositories. */
void ph_api_parameters(bool takes_sql, bool has_sources, PhAnswer *answer);

/* The member "name" of a parameter as requests have it: "group_by" of "group-by". */
void ph_api_put_name(PhJsonOut *json, const char *name);

/* /api/openapi.json: the same, every address and the saved queries, as OpenAPI 3.1
 * (api_openapi.c). */
void ph_api_openapi(PhSession *session, bool needs_token, PhAnswer *answer);

/* Content type of its answers, a constant. */
const char *ph_api_type(const PhApiQuery *query);

/* The rows of a query that is not sent as it is, in binary form (of texts: as they are); NULL: the
 * connection's error. */
PhResult *ph_api_ask(PhSession *session, const PhApiValues *values);

/* Runs the query: its rows by section (row_json.h) or its bytes, or an error. */
void ph_api_run(PhSession *session, const PhApiValues *values, PhAnswer *answer);

/* The answer to a failed query: 404, 400, 503, 504 ... */
void ph_api_error(const PhPqError *error, PhAnswer *answer);
void ph_api_fail(PhAnswer *answer, PhExit code, const char *sqlstate, const char *message,
				 const char *hint);

#endif
