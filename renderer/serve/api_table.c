/*
 * api_table.c - the named queries of /api and their parameters, in the order of $1, $2, ...
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "api.h"
#include "queries.h"

#define MOST_ROWS 10000

const PhApiQuery ph_api_queries[] = {
	{"runs",
	 ph_sql_serve_runs,
	 NULL,
	 {{.name = "search", .type = PH_API_TEXT},
	  {.name = "application", .type = PH_API_TEXT},
	  {.name = "filter", .type = PH_API_TEXT},
	  {.name = "order",
	   .type = PH_API_CHOICE,
	   .fallback = "-run_id",
	   .choices = "run_id -run_id application -application title -title started_at -started_at "
				  "n_ranks -n_ranks total -total"},
	  {.name = "limit", .type = PH_API_INT, .fallback = "100", .least = 1, .most = MOST_ROWS},
	  {.name = "offset", .type = PH_API_BIGINT, .fallback = "0", .least = 0, .most = 1e15}}},
	{"run",
	 ph_sql_serve_run,
	 "there is no such run",
	 {{.name = "run", .type = PH_API_BIGINT, .required = true, .least = 0, .most = 9e18}}},
	{"exists",
	 ph_sql_serve_exists,
	 "there is no such run",
	 {{.name = "run", .type = PH_API_BIGINT, .required = true, .least = 0, .most = 9e18}}},
	{.name = NULL}};
