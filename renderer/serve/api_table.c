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
	 "search application filter:condition order:runs limit=100 after before", NULL, true, false},
	{"run", &ph_query_serve_run, NO_RUN, "run!", NULL, true, false},
	{"exists", &ph_query_serve_exists, NO_RUN, "run!", NULL, true, false},
	{"saved", &ph_query_serve_saved, NULL, "name", NULL, true, false},
	{"saved_query", &ph_query_serve_saved, "there is no such saved query", "name!", NULL, true,
	 false},
	{"applications", &ph_query_serve_applications, NULL, "", NULL, true, false},
	{"members", &ph_query_serve_members, NULL,
	 "run! metric filter:graph levels group-by steps:json node!", "run", false, false},
	{"functions", &ph_query_serve_functions, NULL, "application! search limit=50", NULL, false,
	 false},
	{"changes", &ph_query_serve_changes, NULL,
	 "application! metric=time filter:condition limit=100", NULL, false, false},
	{"regressions", &ph_query_serve_regressions, NULL, "application limit=100", NULL, false, false},
	{"scaling", &ph_query_serve_scaling, NULL, "application! filter:condition", NULL, false, false},
	{"phases", &ph_query_serve_phases, NULL, "run!", "run", false, false},
	{"span", &ph_query_serve_span, NULL, "run! first! last!", "run", false, false},
	{"diff", &ph_query_serve_diff, NULL, "a! b! metric limit=200", "a b", false, false},
	{"explain", &ph_query_serve_explain, NULL, "run!", NULL, false, false},
	{"explain_runs", &ph_query_serve_explain_runs, NULL, "a! b!", NULL, false, false},
	{"explain_newest", &ph_query_serve_explain_newest, NULL, "application! filter:condition", NULL,
	 false, false},
	{"tree", &ph_query_serve_tree, NO_RUN, "run! metric ranks", "run", false, false},
	{"rank_values", &ph_query_serve_rank_values, NULL, "run! metric name!", "run", false, false},
	{"topology", &ph_query_serve_topology, NULL, "run!", "run", false, false},
	{"iterations", &ph_query_serve_iterations, NULL, "run! metric limit=30", "run", false, false},
	{"source", &ph_query_serve_source, "the run's profile names no such file", "run! file!", "run",
	 false, false},
	{"viewer", &ph_query_serve_viewer, "the run has no trace", "run!", "run", true, false},
	{"raster", &ph_query_serve_raster, "there is no such run", "run! level! x! each block tiles",
	 "run", false, true},
	{"stacks", &ph_query_serve_stacks, NULL, "run! location! from! to!", "run", false, false},
	{"call", &ph_query_serve_call, NULL, "run! location! at!", "run", false, false},
	{"call_waits", &ph_query_serve_call_waits, NULL, "run! location! from! to!", "run", false,
	 false},
	{"window", &ph_query_serve_window, NULL, "run! from! to! first-location last-location", "run",
	 false, false},
	{"window_efficiency", &ph_query_serve_window_efficiency, NULL, "run! from! to!", "run", false,
	 false},
	{"messages", &ph_query_serve_messages, NULL, "run! from! to! first-location last-location",
	 "run", false, false},
	{"hits", &ph_query_serve_hits, NULL, "run! name! from! to!", "run", false, false},
	{"blame_cells", &ph_query_serve_blame_cells, NULL, "run! level! x! each", "run", false, false},
	{"step_cells", &ph_query_serve_step_cells, NULL, "run! level! x! each", "run", false, false},
	{"counter", &ph_query_serve_counter, NULL, "run! metric! from! to! location", "run", false,
	 false},
	{"counter_cells", &ph_query_serve_counter_cells, NULL, "run! metric! level! x! each", "run",
	 false, false},
	{"step_events", &ph_query_serve_step_events, NULL, "run! from! to! each", "run", false, false},
	{"step_pairs", &ph_query_serve_step_pairs, NULL, "a! b!", "a b", false, false},
	{.name = NULL}};
