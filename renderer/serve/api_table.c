/*
 * api_table.c - the named queries of /api and the parameters that they take.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "queries.h"
#include "serve/api.h"

#define NO_RUN "there is no such run"

const PhApiQuery ph_api_queries[] = {
	{"runs", &ph_query_serve_runs, NULL,
	 "search application filter:condition order:runs limit=100 after before"},
	{"run", &ph_query_serve_run, NO_RUN, "run!"},
	{"exists", &ph_query_serve_exists, NO_RUN, "run!"},
	{"applications", &ph_query_serve_applications, NULL, ""},
	{"members", &ph_query_serve_members, NULL, "run! metric filter group-by steps:json node!"},
	{"functions", &ph_query_serve_functions, NULL, "application! search limit=50"},
	{"changes", &ph_query_serve_changes, NULL,
	 "application! metric=time filter:condition limit=100"},
	{"regressions", &ph_query_serve_regressions, NULL, "application limit=100"},
	{"phases", &ph_query_serve_phases, NULL, "run!"},
	{"span", &ph_query_serve_span, NULL, "run! first! last!"},
	{"diff", &ph_query_serve_diff, NULL, "a! b! metric limit=200"},
	{.name = NULL}};
