/*
 * api_table.c - the named queries of /api and their parameters
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "queries.h"
#include "serve/api.h"

#define MOST_ROWS 10000

#define RUN(parameter)                                                                             \
	{                                                                                              \
		.name = parameter, .type = PH_API_BIGINT, .required = true, .least = 0, .most = 9e18       \
	}
#define METRIC                                                                                     \
	{                                                                                              \
		.name = "metric", .type = PH_API_TEXT                                                      \
	}
#define LIMIT(usual)                                                                               \
	{                                                                                              \
		.name = "limit", .type = PH_API_INT, .fallback = usual, .least = 1, .most = MOST_ROWS      \
	}

const PhApiQuery ph_api_queries[] = {
	{"runs",
	 &ph_query_serve_runs,
	 NULL,
	 {{.name = "search", .type = PH_API_TEXT},
	  {.name = "application", .type = PH_API_TEXT},
	  {.name = "filter", .type = PH_API_TEXT},
	  {.name = "order",
	   .type = PH_API_CHOICE,
	   .fallback = "-run_id",
	   .choices = "run_id -run_id application -application title -title started_at -started_at "
				  "n_ranks -n_ranks total -total"},
	  LIMIT("100"),
	  {.name = "offset", .type = PH_API_BIGINT, .fallback = "0", .least = 0, .most = 1e15}}},
	{"run", &ph_query_serve_run, "there is no such run", {RUN("run")}},
	{"exists", &ph_query_serve_exists, "there is no such run", {RUN("run")}},
	{"applications", &ph_query_serve_applications, NULL, {{.name = NULL}}},
	{"members",
	 &ph_query_serve_members,
	 NULL,
	 {RUN("run"),
	  METRIC,
	  {.name = "filter", .type = PH_API_FLOAT, .fallback = "0", .least = 0, .most = 1},
	  {.name = "group_by", .type = PH_API_TEXT, .fallback = "module"},
	  {.name = "steps", .type = PH_API_TEXT, .fallback = "[]"},
	  {.name = "node", .type = PH_API_TEXT, .required = true}}},
	{"functions",
	 &ph_query_serve_functions,
	 NULL,
	 {{.name = "application", .type = PH_API_TEXT, .required = true},
	  {.name = "search", .type = PH_API_TEXT},
	  LIMIT("50")}},
	{"changes",
	 &ph_query_serve_changes,
	 NULL,
	 {{.name = "application", .type = PH_API_TEXT, .required = true},
	  {.name = "metric", .type = PH_API_TEXT, .fallback = "time"},
	  {.name = "filter", .type = PH_API_TEXT},
	  LIMIT("100")}},
	{"regressions",
	 &ph_query_serve_regressions,
	 NULL,
	 {{.name = "application", .type = PH_API_TEXT}, LIMIT("100")}},
	{"phases", &ph_query_serve_phases, NULL, {RUN("run")}},
	{"span",
	 &ph_query_serve_span,
	 NULL,
	 {RUN("run"),
	  {.name = "first", .type = PH_API_INT, .required = true, .least = 0, .most = 2147483647},
	  {.name = "last", .type = PH_API_INT, .required = true, .least = 0, .most = 2147483647}}},
	{"diff", &ph_query_serve_diff, NULL, {RUN("a"), RUN("b"), METRIC, LIMIT("200")}},
	{.name = NULL}};
