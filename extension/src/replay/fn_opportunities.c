/*
 * fn_opportunities.c - the changes that would make a run shorter, as rows.
 *
 * Every candidate is one replay of its own, on top of one reading of the trace for the
 * communication, one for the call tree and one for the calls of the functions that candidates name.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "replay/candidates.h"
#include "replay/runs.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "trace/tree/tree.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"

/* A change, and what the run would take with it. */
typedef struct Opportunity
{
	const char *change; /* as JSON */
	int64 gain, predicted;
} Opportunity;

/* ---- times of call paths ---- */

static void
add_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	PH_CHECK(&trace->scratch->env, ph_trace_tree_add_chunk(user, &chunk->chunk, trace->reader,
														   PG_INT64_MIN, PG_INT64_MAX));
}

static PhPathTime *
read_times(PhTraceRun *trace, size_t *n)
{
	PhEnv *env = &trace->scratch->env;
	PhTraceModel model = trace->model;
	const PhTreeCell *cells;
	PhPathTime *times;
	PhTraceTree *tree;
	model.n_metrics = 0; /* counters were not read */
	PH_CHECK(env, ph_trace_tree_new(env, &model, &tree));
	PhChunkQuery query = {.window = ph_window_all(), .want = ph_trace_tree_wants(tree)};
	ph_trace_chunks(trace, &query, add_chunk, tree);
	PH_CHECK(env, ph_trace_tree_settle(tree));
	PH_CHECK(env, ph_trace_tree_cells(tree, &cells, n));
	PH_CHECK(env, PH_NEW(&trace->scratch->arena, *n, &times));
	for (size_t i = 0; i < *n; i++)
	{
		uint32 parent = ph_trace_tree_parent(tree, cells[i].node);
		(void) ph_trace_region_name(trace, ph_trace_tree_region(tree, cells[i].node)); /* PH001 */
		times[i] = (PhPathTime){
			.region = ph_trace_tree_region(tree, cells[i].node),
			.parent_region = parent == PH_NONE ? PH_NONE : ph_trace_tree_region(tree, parent),
			.location = cells[i].location,
			.exclusive = cells[i].exclusive};
	}
	ph_trace_tree_free(tree);
	return times;
}

/* ---- candidates as JSON ---- */

static const char *
order_text(const PhChange *change)
{
	if (change->kind == PH_CHANGE_RECEIVE_FIRST)
		return "\"first\": \"receive\", \"ranks\": \"odd\"";
	return change->sends == PH_SENDS_BY_PARTNER_DOWN ? "\"sends\": \"descending partner\""
													 : "\"sends\": \"descending distance\"";
}

static const char *
change_text(const PhTraceRun *trace, const PhReplayCandidate *candidate)
{
	StringInfoData json, name;
	const char *region = ph_trace_region_name(trace, candidate->region);
	initStringInfo(&json);
	initStringInfo(&name);
	escape_json(&name, region == NULL ? "" : region);
	switch (candidate->change.kind)
	{
		case PH_CHANGE_BALANCE:
			appendStringInfo(&json, "{\"balance\": %s}", name.data);
			break;
		case PH_CHANGE_RANK_TO_MEAN:
			appendStringInfo(&json, "{\"rank_to_mean\": %u}", candidate->change.rank);
			break;
		case PH_CHANGE_POST:
			appendStringInfo(&json, "{\"nonblocking\": %s}", name.data);
			break;
		case PH_CHANGE_IDEAL_NETWORK:
			appendStringInfoString(&json, "{\"network\": \"ideal\"}");
			break;
		default:
			appendStringInfo(&json, "{\"order\": {\"path\": %s, %s}}", name.data,
							 order_text(&candidate->change));
	}
	return json.data;
}

/* Candidates that name a function get the calls of those with its name; regions of one name, once.
 */
static PhSpans *
read_functions(PhTraceRun *trace, PhReplayCandidate *candidates, uint32 n)
{
	PhSpans *spans = ph_replay_spans(trace);
	for (uint32 i = 0; i < n; i++)
	{
		PhChange *change = &candidates[i].change;
		if (candidates[i].region == PH_NONE)
			continue;
		bool *regions = ph_replay_regions(trace, ph_trace_region_name(trace, candidates[i].region));
		if (change->kind == PH_CHANGE_POST)
			change->regions = regions;
		for (uint32 before = 0; before < i && change->target == PH_NONE; before++)
			if (candidates[before].region == candidates[i].region)
				change->target = candidates[before].change.target;
		if (change->kind != PH_CHANGE_POST && change->target == PH_NONE)
			PH_CHECK(&trace->scratch->env, ph_spans_want_regions(spans, regions, &change->target));
	}
	ph_replay_read_spans(trace, spans);
	return spans;
}

/* ---- trying ---- */

static bool
try_candidate(PhReplayedRun *run, const PhSpans *spans, const PhReplayCandidate *candidate,
			  Opportunity *out)
{
	PhArena scratch;
	PhReplayPlan plan = {0};
	PhReplayResult result = {0};
	uint64 n_changed;
	ph_arena_init(&scratch, &run->trace->scratch->env);
	PH_CHECK(scratch.env,
			 ph_plan_change(&scratch, run->program, spans, &candidate->change, &plan, &n_changed));
	if (n_changed > 0)
		PH_CHECK(scratch.env, ph_replay_run(&scratch, run->program, &plan, &result));
	ph_arena_drop(&scratch);
	if (n_changed == 0 || result.n_stuck > 0 || result.duration >= run->unchanged.duration)
		return false;
	*out = (Opportunity){change_text(run->trace, candidate),
						 run->unchanged.duration - result.duration, result.duration};
	return true;
}

static int
compare_opportunities(const void *x, const void *y)
{
	const Opportunity *a = x, *b = y;
	if (a->gain != b->gain)
		return a->gain > b->gain ? -1 : 1;
	return strcmp(a->change, b->change);
}

static Opportunity *
find_opportunities(PhReplayedRun *run, uint32 *n_found)
{
	PhArena *arena = &run->trace->scratch->arena;
	const PhReplayCandidate *found;
	size_t n_times;
	uint32 n;
	PhPathTime *times = read_times(run->trace, &n_times);
	PH_CHECK(arena->env, ph_replay_candidates(arena, run->program, times, n_times, &found, &n));
	PhReplayCandidate *candidates = palloc(sizeof(PhReplayCandidate) * Max(n, 1));
	memcpy(candidates, found, sizeof(PhReplayCandidate) * n);
	PhSpans *spans = read_functions(run->trace, candidates, n);
	Opportunity *opportunities = palloc(sizeof(Opportunity) * Max(n, 1));
	*n_found = 0;
	for (uint32 i = 0; i < n; i++)
		*n_found += try_candidate(run, spans, &candidates[i], &opportunities[*n_found]);
	qsort(opportunities, *n_found, sizeof(Opportunity), compare_opportunities);
	return opportunities;
}

PH_FUNCTION(ph_trace_opportunities)
{
	PhRows rows;
	uint32 n_found = 0;
	int32 most = PG_GETARG_INT32(1);
	ph_rows_begin(&rows, fcinfo);
	if (most < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the number of opportunities must be 0 or more, not %d", most)));
	PhTraceRun *trace =
		ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS | PH_TRACE_COMMUNICATORS);
	PhReplayedRun *run = ph_replayed_run(trace, true);
	Opportunity *opportunities = NULL;
	if (run->unchanged.n_stuck == 0)
		opportunities = find_opportunities(run, &n_found);
	for (uint32 i = 0; i < n_found && i < (uint32) most; i++)
	{
		ph_rows_datum(&rows, "change",
					  DirectFunctionCall1(jsonb_in, CStringGetDatum(opportunities[i].change)));
		ph_rows_bigint(&rows, "gain_ns", opportunities[i].gain);
		ph_rows_bigint(&rows, "predicted_ns", opportunities[i].predicted);
		ph_rows_number(&rows, "share",
					   (double) opportunities[i].gain / (double) run->unchanged.duration);
		ph_rows_put(&rows);
	}
	ph_trace_end(trace);
	return (Datum) 0;
}
