/*
 * fn_phases.c - phases, their graph and their patterns as rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/jsonb.h"

#include "logical/again.h"
#include "logical/pattern.h"
#include "logical/phase.h"
#include "logical/phase_blocks.h"
#include "logical/phase_rows.h"
#include "server/compat.h"
#include "server/query_rows.h"
#include "server/rowio.h"

#define PHASES                                                                                     \
	" FROM perfhouse.phase_chunk c, unnest(c.first_step, c.last_step, c.n_events, c.n_locations,"  \
	" c.leap, c.max_lateness, c.t_first, c.t_last, c.pattern, c.merge_reason, c.merge_reasons,"    \
	" c.regions, c.followed_by, c.is_runtime, c.imbalance, c.max_idle, c.max_duration,"            \
	" c.phase_class) WITH "                                                                        \
	"ORDINALITY AS p (first_step, last_step, n_events,"                                            \
	" n_locations, leap, max_lateness, t_first, t_last, pattern, merge_reason, merge_reasons,"     \
	" regions, followed_by, is_runtime, imbalance, max_idle, max_duration, phase_class, n)"        \
	" WHERE c.run_id = "                                                                           \
	"$1 ORDER BY c.first_phase, p.n"
#define PHASE "(c.first_phase + p.n)::int4 - 1"

/* Of processes is_runtime, imbalance and the columns beside them are null. */
#define PHASE_ROWS                                                                                 \
	"SELECT " PHASE " AS phase, p.first_step, p.last_step, p.n_events, p.n_locations, "            \
	"nullif(p.pattern, '') AS pattern,"                                                            \
	" CASE WHEN p.imbalance IS NULL THEN p.max_lateness END AS max_lateness, p.merge_reason, "     \
	"p.leap, p.t_first,"                                                                           \
	" p.t_last, coalesce(p.is_runtime, false) AS is_runtime, p.imbalance, p.regions,"              \
	" p.merge_reasons::text[] AS merge_reasons,"                                                   \
	" p.max_idle, p.max_duration" PHASES

static const char phases_sql[] = PHASE_ROWS;

/* $2: a window of steps, at most so many phases. */
static const char shown_sql[] =
	"SELECT p.* FROM (" PHASE_ROWS ") p WHERE p.first_step < ($2::int8[])[2]"
	" AND p.last_step >= ($2::int8[])[1] LIMIT ($2::int8[])[3]";

/* $2: a window of time. */
static const char span_sql[] = "SELECT min(p.first_step), max(p.last_step) FROM (" PHASE_ROWS ") p"
							   " WHERE p.t_first < ($2::int8[])[2] AND p.t_last >= ($2::int8[])[1]";

static const char dag_sql[] =
	"SELECT " PHASE " AS source, unnest(p.followed_by::int4[]) AS target" PHASES;

/* What was stored before there were classes has none. */
static const char identities_sql[] = "SELECT " PHASE " AS phase, p.phase_class" PHASES;

typedef struct PhaseSearch
{
	int32 phase;
	bool found;
	PhStepWindow window;
} PhaseSearch;

static const char window_sql[] =
	"SELECT first_step[$2 - first_phase + 1], last_step[$2 - first_phase + 1]"
	" FROM perfhouse.phase_chunk WHERE run_id = $1 AND first_phase <= $2"
	" AND first_phase + cardinality(first_step) > $2";

static bool
take_window(void *user, const PhStoredPhases *phases)
{
	PhaseSearch *search = user;
	uint32 i = (uint32) search->phase - phases->first;
	search->window =
		(PhStepWindow){.from = phases->first_step[i], .to = (int64) phases->last_step[i] + 1};
	search->found = true;
	return false;
}

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
	PhaseSearch search = {.phase = phase};
	int64 run_id = stored->trace->run_id;
	ParamListInfo parameters = ph_query_parameters(run_id, INT4OID, Int32GetDatum(phase));
	if (phase < 0 || !ph_phase_blocks(run_id, stored->trace->scratch, phase, take_window, &search))
		search.found = ph_query_rows(window_sql, parameters, receive_window, &search.window) > 0;
	if (!search.found)
		ereport(ERROR, (errcode(PH_ERRCODE_NOT_FOUND),
						errmsg("run " INT64_FORMAT " has no phase %d", run_id, phase),
						errhint("It has %d phases, numbered from 0.", stored->n_phases)));
	return search.window;
}

static void
put_row(void *user, TupleTableSlot *slot)
{
	PhRows *rows = user;
	for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++)
	{
		const char *name = NameStr(TupleDescAttr(slot->tts_tupleDescriptor, i)->attname);
		if (slot->tts_isnull[i])
			ph_rows_null(rows, name);
		else
			ph_rows_datum(rows, name, slot->tts_values[i]);
	}
	ph_rows_put(rows);
}

/* ---- of processes ---- */

typedef struct StoredRows
{
	PhRows rows;
	PhScratch *scratch;
	Datum *names; /* texts, of the row at hand */
	uint32 last_reasons;
	Datum reasons; /* text[] of last_reasons */
	Datum patterns[PH_PATTERNS], merges[PH_MERGE_REASONS];
} StoredRows;

/* Few texts, so that a row costs no copy. */
static void
make_texts(StoredRows *out)
{
	MemoryContext old = MemoryContextSwitchTo(out->scratch->context);
	for (uint32 p = 0; p < PH_PATTERNS; p++)
		out->patterns[p] = CStringGetTextDatum(ph_phase_pattern_text(p));
	for (uint32 r = 0; r < PH_MERGE_REASONS; r++)
		out->merges[r] = CStringGetTextDatum(ph_merge_reason_name(r));
	MemoryContextSwitchTo(old);
	out->last_reasons = PH_NONE;
}

static Datum
text_array(const char *literal)
{
	return OidInputFunctionCall(F_ARRAY_IN, (char *) literal, TEXTOID, -1);
}

static Datum
reasons_array(StoredRows *out, uint32 reasons)
{
	const char *literal;
	if (reasons == out->last_reasons)
		return out->reasons;
	PH_CHECK(&out->scratch->env, ph_phase_reasons_text(&out->scratch->arena, reasons, &literal));
	MemoryContext old = MemoryContextSwitchTo(out->scratch->context);
	out->reasons = text_array(literal);
	MemoryContextSwitchTo(old);
	out->last_reasons = reasons;
	return out->reasons;
}

static void
put_pattern(StoredRows *out, uint32 pattern)
{
	if (ph_phase_pattern_text(pattern)[0] == '\0')
		ph_rows_null(&out->rows, "pattern");
	else
		ph_rows_datum(&out->rows, "pattern", out->patterns[pattern]);
}

static void
put_stored_phase(StoredRows *out, const PhStoredPhases *phases, uint32 i)
{
	PhRows *rows = &out->rows;
	ph_rows_int(rows, "phase", (int32) (phases->first + i));
	ph_rows_int(rows, "first_step", (int32) phases->first_step[i]);
	ph_rows_int(rows, "last_step", (int32) phases->last_step[i]);
	ph_rows_int(rows, "n_events", (int32) phases->n_events[i]);
	ph_rows_int(rows, "n_locations", (int32) phases->n_locations[i]);
	put_pattern(out, phases->pattern[i]);
	ph_rows_bigint(rows, "max_lateness", phases->max_lateness[i]);
	ph_rows_datum(rows, "merge_reason", out->merges[phases->reason[i]]);
	ph_rows_int(rows, "leap", (int32) phases->leap[i]);
	ph_rows_bigint(rows, "t_first", phases->t_first[i]);
	ph_rows_bigint(rows, "t_last", phases->t_last[i]);
	ph_rows_bool(rows, "is_runtime", false);
	ph_rows_null(rows, "imbalance");
	ph_rows_datum(rows, "regions", out->names[phases->names[i]]);
	ph_rows_datum(rows, "merge_reasons", reasons_array(out, phases->reasons[i]));
	ph_rows_null(rows, "max_idle");
	ph_rows_null(rows, "max_duration");
	ph_rows_put(rows);
}

/* In memory of the row at hand. */
static void
name_stored_phases(StoredRows *out, const PhStoredPhases *phases)
{
	out->names = palloc(sizeof(Datum) * Max(phases->n_names, 1));
	for (uint32 i = 0; i < phases->n_names; i++)
		out->names[i] = CStringGetTextDatum(phases->name[i]);
}

static bool
put_stored_phases(void *user, const PhStoredPhases *phases)
{
	StoredRows *out = user;
	name_stored_phases(out, phases);
	for (uint32 i = 0; i < phases->n; i++)
		put_stored_phase(out, phases, i);
	return true;
}

static bool
put_stored_edges(void *user, const PhStoredPhases *phases)
{
	StoredRows *out = user;
	for (uint32 i = 0; i < phases->n; i++)
		for (uint32 f = phases->first_follower[i]; f < phases->first_follower[i + 1]; f++)
		{
			ph_rows_int(&out->rows, "source", (int32) (phases->first + i));
			ph_rows_int(&out->rows, "target", (int32) phases->followers[f]);
			ph_rows_put(&out->rows);
		}
	return true;
}

static bool
put_stored_identities(void *user, const PhStoredPhases *phases)
{
	StoredRows *out = user;
	for (uint32 i = 0; i < phases->n; i++)
	{
		ph_rows_int(&out->rows, "phase", (int32) (phases->first + i));
		if (phases->identity[i] == 0)
			ph_rows_null(&out->rows, "phase_class");
		else
			ph_rows_bigint(&out->rows, "phase_class", (int64) phases->identity[i]);
		ph_rows_put(&out->rows);
	}
	return true;
}

/* The rows of a run that has steps: of processes from blocks, else by the query. */
static Datum
rows_of_run(FunctionCallInfo fcinfo, const char *sql, PhPhasesFunction put)
{
	StoredRows out = {.scratch = NULL};
	ph_rows_begin(&out.rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhLogicalStored stored = ph_logical_begin(PG_GETARG_INT64(0), PH_TRACE_WITHOUT_EVENTS);
	out.scratch = stored.trace->scratch;
	make_texts(&out);
	if (!ph_phase_blocks(stored.trace->run_id, out.scratch, -1, put, &out))
		ph_query_rows(sql, ph_query_parameters(stored.trace->run_id, InvalidOid, (Datum) 0),
					  put_row, &out.rows);
	ph_trace_end(stored.trace);
	return (Datum) 0;
}

/* ---- windows ---- */

typedef struct ShownPhases
{
	StoredRows rows;
	int64 from, to, most; /* steps [from, to), and how many phases are wanted yet */
} ShownPhases;

static bool
put_shown_phases(void *user, const PhStoredPhases *phases)
{
	ShownPhases *shown = user;
	name_stored_phases(&shown->rows, phases);
	for (uint32 i = 0; i < phases->n && shown->most > 0; i++)
		if (phases->first_step[i] < shown->to && phases->last_step[i] >= shown->from)
		{
			put_stored_phase(&shown->rows, phases, i);
			shown->most--;
		}
	/* phases are in order of their first steps */
	return shown->most > 0 && (phases->n == 0 || phases->first_step[phases->n - 1] < shown->to);
}

static ParamListInfo
window_parameters(int64 run_id, const int64 *window, int n)
{
	Datum values[3];
	for (int i = 0; i < n; i++)
		values[i] = Int64GetDatum(window[i]);
	ArrayType *array =
		construct_array(values, n, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
	return ph_query_parameters(run_id, INT8ARRAYOID, PointerGetDatum(array));
}

PH_FUNCTION(ph_phases_shown)
{
	ShownPhases shown = {.to = PG_INT64_MAX};
	ph_rows_begin(&shown.rows.rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(3))
		return (Datum) 0;
	PhLogicalStored stored = ph_logical_begin(PG_GETARG_INT64(0), PH_TRACE_WITHOUT_EVENTS);
	shown.rows.scratch = stored.trace->scratch;
	shown.from = PG_ARGISNULL(1) ? 0 : PG_GETARG_INT32(1);
	shown.to = PG_ARGISNULL(2) ? PG_INT64_MAX : PG_GETARG_INT32(2);
	shown.most = Max(PG_GETARG_INT32(3), 0);
	make_texts(&shown.rows);
	int64 run_id = stored.trace->run_id, window[] = {shown.from, shown.to, shown.most};
	if (!ph_phase_blocks(run_id, shown.rows.scratch, -1, put_shown_phases, &shown))
		ph_query_rows(shown_sql, window_parameters(run_id, window, 3), put_row, &shown.rows.rows);
	ph_trace_end(stored.trace);
	return (Datum) 0;
}

typedef struct PhaseSpan
{
	int64 from, to;	   /* ns, [from, to) */
	int64 first, last; /* steps; first > last: none */
} PhaseSpan;

static bool
widen_span(void *user, const PhStoredPhases *phases)
{
	PhaseSpan *span = user;
	for (uint32 i = 0; i < phases->n; i++)
		if (phases->t_first[i] < span->to && phases->t_last[i] >= span->from)
		{
			span->first = Min(span->first, phases->first_step[i]);
			span->last = Max(span->last, phases->last_step[i]);
		}
	return true;
}

static void
receive_span(void *user, TupleTableSlot *slot)
{
	PhaseSpan *span = user;
	span->first = ph_slot_int(slot, 0, PG_INT32_MAX);
	span->last = ph_slot_int(slot, 1, -1);
}

PH_FUNCTION(ph_phase_span)
{
	PhRows rows;
	PhaseSpan span = {.first = PG_INT32_MAX, .last = -1};
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		return (Datum) 0;
	PhLogicalStored stored = ph_logical_begin(PG_GETARG_INT64(0), PH_TRACE_WITHOUT_EVENTS);
	span.from = PG_GETARG_INT64(1);
	span.to = PG_GETARG_INT64(2);
	int64 run_id = stored.trace->run_id, window[] = {span.from, span.to};
	if (!ph_phase_blocks(run_id, stored.trace->scratch, -1, widen_span, &span))
		ph_query_rows(span_sql, window_parameters(run_id, window, 2), receive_span, &span);
	if (span.first <= span.last)
	{
		ph_rows_int(&rows, "first_step", (int32) span.first);
		ph_rows_int(&rows, "last_step", (int32) span.last);
		ph_rows_put(&rows);
	}
	ph_trace_end(stored.trace);
	return (Datum) 0;
}

/* ---- computed anew ---- */

static void
put_of_tasks(PhRows *rows, const PhTaskMetrics *metrics, uint32 phase)
{
	ph_rows_bigint(rows, "max_idle", metrics->phase_idle[phase]);
	ph_rows_bigint(rows, "max_duration", metrics->phase_differential[phase]);
}

static void
put_steps_of(PhRows *rows, const PhLogical *logical, uint32 phase)
{
	ph_rows_int(rows, "phase", (int32) phase);
	ph_rows_int(rows, "first_step", logical->first_step[phase]);
	ph_rows_int(rows, "last_step", logical->last_step_of[phase]);
	ph_rows_int(rows, "n_events", (int32) logical->n_events_of[phase]);
}

static void
put_phase(PhRows *rows, const PhLogicalRun *run, uint32 phase, const PhPhaseRow *row)
{
	const PhTaskMetrics *metrics = run->task_metrics;
	put_steps_of(rows, &run->logical, phase);
	ph_rows_int(rows, "n_locations", (int32) row->n_locations);
	ph_rows_text(rows, "pattern", row->pattern[0] == '\0' ? NULL : row->pattern);
	ph_rows_bigint_unless(rows, "max_lateness", metrics == NULL ? row->max_lateness : PH_NO_TIME,
						  PH_NO_TIME);
	ph_rows_text(rows, "merge_reason", row->reason);
	ph_rows_int(rows, "leap", (int32) run->logical.leap[phase]);
	ph_rows_bigint(rows, "t_first", row->t_first);
	ph_rows_bigint(rows, "t_last", row->t_last);
	ph_rows_bool(rows, "is_runtime", metrics != NULL && metrics->structure->is_runtime[phase] != 0);
	ph_rows_bigint_unless(rows, "imbalance",
						  metrics == NULL ? PH_NO_TIME : metrics->phase_imbalance[phase],
						  PH_NO_TIME);
	ph_rows_text(rows, "regions", row->regions);
	ph_rows_datum(rows, "merge_reasons", text_array(row->reasons));
	if (metrics != NULL)
		put_of_tasks(rows, metrics, phase);
	else
	{
		ph_rows_null(rows, "max_idle");
		ph_rows_null(rows, "max_duration");
	}
	ph_rows_put(rows);
}

static Datum
computed_phases(FunctionCallInfo fcinfo)
{
	PhRows rows;
	PhPhaseRow row;
	PhPhaseLister *lister;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhLogicalStored stored =
		ph_logical_begin_with(PG_GETARG_INT64(0), PH_LOGICAL_PARTS, PG_GETARG_JSONB_P(1));
	const PhLogicalRun *run = stored.computed;
	PhEnv *env = &stored.trace->scratch->env;
	PH_CHECK(env, ph_phase_lister_new(env, &run->metrics, &stored.trace->model,
									  run->request.options.compat, &lister));
	for (uint32 phase = 0; phase < run->logical.n_phases; phase++)
	{
		PH_CHECK(env, ph_phase_lister_row(lister, phase, &row));
		put_phase(&rows, run, phase, &row);
	}
	ph_trace_end(stored.trace);
	return (Datum) 0;
}

PH_FUNCTION(ph_phases)
{
	return PG_ARGISNULL(1) ? rows_of_run(fcinfo, phases_sql, put_stored_phases)
						   : computed_phases(fcinfo);
}

PH_FUNCTION(ph_phase_dag)
{
	return rows_of_run(fcinfo, dag_sql, put_stored_edges);
}

PH_FUNCTION(ph_stored_phase_classes)
{
	return rows_of_run(fcinfo, identities_sql, put_stored_identities);
}
