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
	 "search application filter:condition order:runs limit=100 after before", NULL, true},
	{"run", &ph_query_serve_run, NO_RUN, "run!", NULL, true},
	{"exists", &ph_query_serve_exists, NO_RUN, "run!", NULL, true},
	{"applications", &ph_query_serve_applications, NULL, "", NULL, true},
	{"members", &ph_query_serve_members, NULL,
	 "run! metric filter:graph levels group-by steps:json node!", "run", false},
	{"functions", &ph_query_serve_functions, NULL, "application! search limit=50", NULL, false},
	{"changes", &ph_query_serve_changes, NULL,
	 "application! metric=time filter:condition limit=100", NULL, false},
	{"regressions", &ph_query_serve_regressions, NULL, "application limit=100", NULL, false},
	{"phases", &ph_query_serve_phases, NULL, "run!", "run", false},
	{"span", &ph_query_serve_span, NULL, "run! first! last!", "run", false},
	{"diff", &ph_query_serve_diff, NULL, "a! b! metric limit=200", "a b", false},
	{"explain", &ph_query_serve_explain, NULL, "run!", NULL, false},
	{"explain_runs", &ph_query_serve_explain_runs, NULL, "a! b!", NULL, false},
	{"explain_newest", &ph_query_serve_explain_newest, NULL, "application! filter:condition", NULL,
	 false},
	{.name = NULL}};
