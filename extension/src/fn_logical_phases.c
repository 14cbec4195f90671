/*
 * fn_logical_phases.c - phases, their graph and their patterns as rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "compat.h"
#include "logical_phase.h"
#include "query_rows.h"
#include "rowio.h"

#define PHASES                                                                                     \
	" FROM perfhouse.phase_chunk c, unnest(c.first_step, c.last_step, c.n_events, c.n_locations,"  \
	" c.leap, c.max_lateness, c.t_first, c.t_last, c.pattern, c.merge_reason, c.merge_reasons,"    \
	" c.regions, c.followed_by) WITH ORDINALITY AS p (first_step, last_step, n_events,"            \
	" n_locations, leap, max_lateness, t_first, t_last, pattern, merge_reason, merge_reasons,"     \
	" regions, followed_by, n) WHERE c.run_id = $1 ORDER BY c.first_phase, p.n"
#define PHASE "(c.first_phase + p.n)::int4 - 1"

/* Of processes: phases of a runtime system and imbalance are those of tasks. */
static const char phases_sql[] =
	"SELECT " PHASE ", p.first_step, p.last_step, p.n_events, p.n_locations, nullif(p.pattern, ''),"
	" p.max_lateness, p.merge_reason, p.leap, p.t_first, p.t_last, false, NULL::int8, p.regions,"
	" p.merge_reasons::text[]" PHASES;

static const char dag_sql[] = "SELECT " PHASE ", unnest(p.followed_by::int4[])" PHASES;

static const char patterns_sql[] =
	"SELECT " PHASE ", nullif(p.pattern, ''), p.n_locations, p.first_step, p.last_step" PHASES;

static const char window_sql[] =
	"SELECT first_step[$2 - first_phase + 1], last_step[$2 - first_phase + 1]"
	" FROM perfhouse.phase_chunk WHERE run_id = $1 AND first_phase <= $2"
	" AND first_phase + cardinality(first_step) > $2";

static void
receive_window(void *user, TupleTableSlot *slot)
{
	PhStepWindow *window = user;
	window->from = ph_slot_int(slot, 0, 0);
	window->to = (int64) ph_slot_int(slot, 1, 0) + 1;
}

PhStepWindow
ph_phase_window(const PhLogicalStored *stored, int32 phase)
{
	PhStepWindow window = {0};
	int64 run_id = stored->trace->run_id;
	ParamListInfo parameters = ph_query_parameters(run_id, INT4OID, Int32GetDatum(phase));
	if (ph_query_rows(window_sql, parameters, receive_window, &window) == 0)
		ereport(ERROR, (errcode(PH_ERRCODE_NOT_FOUND),
						errmsg("run " INT64_FORMAT " has no phase %d", run_id, phase),
						errhint("It has %d phases, numbered from 0.", stored->n_phases)));
	return window;
}

static void
put_row(void *user, TupleTableSlot *slot)
{
	PhRows *rows = user;
	for (int i = 0; i < rows->n_columns; i++)
		if (slot->tts_isnull[i])
			ph_rows_null(rows);
		else
			ph_rows_datum(rows, slot->tts_values[i]);
	ph_rows_put(rows);
}

/* The rows of a query on a run that has steps. */
static Datum
rows_of_run(FunctionCallInfo fcinfo, const char *sql, int n_columns)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo, n_columns);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhLogicalStored stored = ph_logical_begin(PG_GETARG_INT64(0), PH_TRACE_WITHOUT_EVENTS);
	ph_query_rows(sql, ph_query_parameters(stored.trace->run_id, InvalidOid, (Datum) 0), put_row,
				  &rows);
	ph_trace_end(stored.trace);
	return (Datum) 0;
}

PH_FUNCTION(ph_phases)
{
	return rows_of_run(fcinfo, phases_sql, 15);
}

PH_FUNCTION(ph_phase_dag)
{
	return rows_of_run(fcinfo, dag_sql, 2);
}

PH_FUNCTION(ph_exchange_patterns)
{
	return rows_of_run(fcinfo, patterns_sql, 5);
}
