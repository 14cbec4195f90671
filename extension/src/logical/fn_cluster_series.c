/*
 * fn_cluster_series.c - what the processes of each cluster of a phase do, column by column.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/float.h"

#include "logical/args.h"
#include "logical/cells/cluster_cells.h"
#include "logical/pattern.h"
#include "logical/phase.h"
#include "logical/phase_blocks.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/query_rows.h"
#include "server/rowio.h"

/* Clusters that the arguments name, and where their members are. */
typedef struct Membership
{
	uint32 n_clusters;
	int32 *names;		/* ascending */
	uint32 *cluster_of; /* place in names, by location; PH_NONE: none */
} Membership;

static int
compare_names(const void *a, const void *b)
{
	int32 x = *(const int32 *) a;
	int32 y = *(const int32 *) b;
	return (x > y) - (x < y);
}

static uint32
name_clusters(const int32 *clusters, int n, int32 *names)
{
	uint32 n_names = 0;
	if (n > 0)
		memcpy(names, clusters, sizeof(int32) * n);
	qsort(names, n, sizeof(int32), compare_names);
	for (int i = 0; i < n; i++)
		if (i == 0 || names[i] != names[n_names - 1])
			names[n_names++] = names[i];
	return n_names;
}

/* Of arguments locations and clusters, which go in step. */
static Membership
arg_membership(FunctionCallInfo fcinfo, int first, const PhTraceRun *trace)
{
	PhScratch *scratch = trace->scratch;
	Membership out = {0};
	int n = 0, n_clusters = 0;
	int32 *locations = PG_ARGISNULL(first) ? NULL : ph_arg_ints(fcinfo, first, &n);
	int32 *clusters = PG_ARGISNULL(first + 1) ? NULL : ph_arg_ints(fcinfo, first + 1, &n_clusters);
	if (n != n_clusters)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("every location needs a cluster")));
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, n, &out.names));
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, trace->model.n_locations, &out.cluster_of));
	memset(out.cluster_of, 0xff, sizeof(uint32) * trace->model.n_locations);
	out.n_clusters = name_clusters(clusters, n, out.names);
	for (int i = 0; i < n; i++)
	{
		if (locations[i] < 0 || (uint32) locations[i] >= trace->model.n_locations)
			ereport(ERROR, (errcode(PH_ERRCODE_NOT_FOUND),
							errmsg("run " INT64_FORMAT " has no location %d", trace->run_id,
								   locations[i])));
		int32 *name =
			bsearch(&clusters[i], out.names, out.n_clusters, sizeof(int32), compare_names);
		out.cluster_of[locations[i]] = (uint32) (name - out.names);
	}
	return out;
}

static const char pattern_sql[] =
	"SELECT pattern[$2 - first_phase + 1] = 'SRSR' FROM perfhouse.phase_chunk WHERE run_id = $1"
	" AND first_phase <= $2 AND first_phase + cardinality(first_step) > $2";

static void
receive_pattern(void *user, TupleTableSlot *slot)
{
	*(bool *) user = !slot->tts_isnull[0] && DatumGetBool(slot->tts_values[0]);
}

typedef struct PatternSearch
{
	int32 phase;
	bool by_turns;
} PatternSearch;

static bool
take_pattern(void *user, const PhStoredPhases *phases)
{
	PatternSearch *search = user;
	search->by_turns = phases->pattern[(uint32) search->phase - phases->first] == PH_PATTERN_SRSR;
	return false;
}

/* Do the processes of a phase send and receive in turn? Then who begins tells two kinds apart. */
static bool
goes_by_turns(const PhTraceRun *trace, int32 phase)
{
	PatternSearch search = {.phase = phase};
	if (phase < 0 || !ph_phase_blocks(trace->run_id, trace->scratch, phase, take_pattern, &search))
		ph_query_rows(pattern_sql,
					  ph_query_parameters(trace->run_id, INT4OID, Int32GetDatum(phase)),
					  receive_pattern, &search.by_turns);
	return search.by_turns;
}

typedef struct SeriesInput
{
	PhStepWindow window;
	PhClusterCells series;
} SeriesInput;

static void
add_events(void *user, PhTraceRun *trace, const PhLogicalEvents *events)
{
	SeriesInput *input = user;
	for (uint32 i = 0; i < events->n_events; i++)
		if (ph_step_is_in(&input->window, events->step[i]))
			ph_cluster_cells_add(&input->series, events, i);
}

static double
mean(double sum, uint32 n)
{
	return n == 0 ? get_float8_nan() : sum / n;
}

static void
put_cell(PhRows *rows, const PhClusterCell *cell)
{
	static const struct
	{
		int kind;
		const char *count, *value, *before;
	} parts[] = {{PH_COMM_SEND, "sends", "send_value", "send_before"},
				 {PH_COMM_RECEIVE, "receives", "receive_value", "receive_before"},
				 {PH_COMM_COLLECTIVE, "collectives", "collective_value", "collective_before"}};
	ph_rows_int(rows, "step", (int32) cell->step);
	for (uint32 p = 0; p < lengthof(parts); p++)
	{
		uint32 n = cell->n[parts[p].kind];
		ph_rows_int(rows, parts[p].count, (int32) n);
		ph_rows_number(rows, parts[p].value, mean(cell->value[parts[p].kind], n));
		ph_rows_number(rows, parts[p].before, mean(cell->before[parts[p].kind], n));
	}
	ph_rows_number(rows, "received",
				   round(1000 * mean((double) cell->received, cell->n[PH_COMM_RECEIVE])) / 1000);
}

static void
put_group(PhRows *rows, const PhClusterCells *series, int32 name, uint32 cluster, bool sends_first)
{
	const PhClusterCell *cells = ph_cluster_cells_of(series, cluster, sends_first);
	for (uint32 c = 0; c < series->n_cells; c++)
	{
		if (ph_cluster_cell_is_empty(&cells[c]))
			continue;
		ph_rows_int(rows, "cluster", name);
		ph_rows_bool(rows, "first_sends", sends_first);
		ph_rows_int(rows, "n", (int32) series->n_processes[2 * cluster + sends_first]);
		ph_rows_int(rows, "column", (int32) c);
		put_cell(rows, &cells[c]);
		ph_rows_put(rows);
	}
}

static PhCellGrid
arg_grid(FunctionCallInfo fcinfo, int argument, const PhLogicalStored *stored,
		 const PhStepWindow *window)
{
	PhEnv *env = &stored->trace->scratch->env;
	PhCellGrid grid;
	int32 max_columns = PG_ARGISNULL(argument) ? PG_INT32_MAX : PG_GETARG_INT32(argument);
	bool aggregates = !PG_ARGISNULL(argument + 1) && PG_GETARG_BOOL(argument + 1);
	if (max_columns < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("max_columns must be at least 1, not %d", max_columns)));
	PH_CHECK(env, ph_cell_grid_init(env, window->from, window->to, stored->stride, aggregates,
									(uint32) max_columns, &grid));
	return grid;
}

PH_FUNCTION(ph_cluster_series)
{
	PhRows rows;
	SeriesInput input;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	PhLogicalStored stored = ph_logical_begin(PG_GETARG_INT64(0), PH_TRACE_LOCATIONS);
	PhArena *arena = &stored.trace->scratch->arena;
	int32 phase = PG_GETARG_INT32(1);
	PhLogicalMeasure measure = ph_arg_event_measure(fcinfo, 2, stored.timelines != NULL);
	PhLogicalMetric metric = stored.timelines != NULL ? PH_DURATION : measure.metric;
	Membership members = arg_membership(fcinfo, 3, stored.trace);
	input.window = ph_phase_window(&stored, phase);
	PhCellGrid grid = arg_grid(fcinfo, 5, &stored, &input.window);
	PH_CHECK(arena->env,
			 ph_cluster_cells_new(arena, &grid, metric, (uint32) phase,
								  goes_by_turns(stored.trace, phase), members.cluster_of,
								  members.n_clusters, &input.series));
	ph_logical_chunks(&stored, &input.window, ph_cell_wants(metric), add_events, &input);
	for (uint32 cluster = 0; cluster < members.n_clusters; cluster++)
		for (int sends_first = 1; sends_first >= 0; sends_first--)
			put_group(&rows, &input.series, members.names[cluster], cluster, sends_first != 0);
	ph_trace_end(stored.trace);
	return (Datum) 0;
}
